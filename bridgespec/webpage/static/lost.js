// Where tricks were given away: every recorded play of the page, weighed card by card, as a table that leads to the boards.

import { sideOf } from "./cards.js";
import { fill, h, told } from "./dom.js";
import { Line } from "./line.js";
import { tableName } from "./results.js";

/**
 * @typedef {object} Gift a card that gave tricks away
 * @property {number} seat @property {number} card @property {number} at how many cards were played before it @property {number} cost
 */
/** @typedef {{entry: import("./types").Entry, index: number, result: import("./types").Result, gifts: Gift[]}} Weighed */

/** The recorded plays that can be weighed. @param {import("./types").Entry[]} entries */
export const playsOf = (entries) => entries.flatMap((entry) => entry.results.flatMap((result, index) => {
  const { contract, declarer } = result;
  return entry.playable && result.played.length && contract?.level && declarer !== null ? [{ entry, index, result, contract, declarer }] : [];
}));

/**
 * Weigh all plays and show, as they are done, which cards gave tricks away; only those of one side or one player if the reader asks.
 * @param {Element} place @param {import("./types").Entry[]} entries @param {import("./board.js").Page} page @param {AbortSignal} signal
 * @param {(entry: import("./types").Entry, more: Record<string, string>) => string} link
 */
export async function showLost(place, entries, { words, solver }, signal, link) {
  const { say } = words;
  const plays = playsOf(entries);
  const names = [...new Set(plays.flatMap(({ result }) => result.names))].filter((name) => name !== null).sort();
  /** @type {Weighed[]} */
  const weighed = [];
  const note = h("p", { class: "quiet", role: "status" });
  const table = h("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": say("lost") });
  const who = h("select", { "aria-label": say("whose"), onchange: () => draw() },
    [say("everybody"), ...words.sides, ...names].map((name, value) => h("option", { value }, name)));
  fill(place, h("p", null, h("label", null, `${say("whose")} `, who)), note, table);

  /** Whether a card is of whom the reader asks for. @param {import("./types").Result} result @param {Gift} gift */
  function asked(result, gift) {
    const chosen = Number(who.value) || 0;
    return chosen === 0 || (chosen < 3 ? sideOf(gift.seat) === chosen - 1 : result.names[gift.seat] === names[chosen - 3]);
  }

  function draw() {
    const rows = weighed.map((one) => ({ ...one, gifts: one.gifts.filter((gift) => asked(one.result, gift)) })).filter(({ gifts }) => gifts.length);
    const total = rows.flatMap(({ gifts }) => gifts).reduce((sum, { cost }) => sum + cost, 0);
    note.textContent = [weighed.length < plays.length ? say("weighing", { done: weighed.length, all: plays.length }) : "",
      say("lostSum", { n: total, boards: rows.length })].filter(Boolean).join(" ");
    fill(table, rows.length ? h("table", { class: "losses" },
      h("thead", null, h("tr", null, ["boardOnly", "table", "contract", "tricksLost", "cardsLost"].map((key) => h("th", { scope: "col" }, say(key))))),
      h("tbody", null, rows.map((one) => row(one, words, link)))) : null);
  }

  draw();
  try {
    for (const { entry, index, result, contract, declarer } of plays) {
      const line = new Line(entry, { strain: contract.strain, declarer, contract }, result);
      const costs = await solver.trace(line.record, () => {}, signal);
      weighed.push({ entry, index, result, gifts: costs.flatMap(({ cost }, at) => (cost
        ? [{ seat: line.record[at].turn, card: line.record[at + 1].played[at], at, cost }] : [])) });
      draw();
    }
  } catch (error) {
    if (!signal.aborted) note.textContent = say("failed", { reason: String(/** @type {any} */ (error)?.message ?? error) });
  }
}

/** @param {Weighed} weighed @param {import("./words.js").Words} words @param {(entry: import("./types").Entry, more: Record<string, string>) => string} link */
function row({ entry, index, result, gifts }, words, link) {
  const table = /** @type {Record<string, string>} */ (index ? { table: String(index + 1) } : {});
  return h("tr", null,
    h("th", { scope: "row" }, h("a", { href: link(entry, table) }, entry.key)),
    h("td", null, told(tableName(result, index, words))),
    h("td", null, words.outcome(result)),
    h("td", { class: "n" }, gifts.reduce((sum, { cost }) => sum + cost, 0)),
    h("td", { class: "gifts" }, gifts.map(({ seat, card, at, cost }) => h("a", { href: link(entry, { ...table, card: String(at) }) },
      `${words.letter(seat)} `, words.card(card), cost > 1 ? ` −${cost}` : null,
      h("span", { class: "sr" }, ` ${words.say("trickNumber", { n: Math.floor(at / 4) + 1 })}, ${words.say("gave", { n: cost })}`)))));
}
