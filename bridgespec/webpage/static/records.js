// Hand records, eight to a page, as tournaments hang them up.

import { handOf, isKnown, pointsOf, rankOf, SEAT_LETTERS, suitOf, UNKNOWN } from "./cards.js";
import { READING } from "./diagram.js";
import { fill, h } from "./dom.js";
import { LATER } from "./solver.js";
import { isWhole, parLine, trickTable } from "./tables.js";

export const ON_PAGE = 8;
/** So many cards of a suit have room to stand apart, and so many stand in one line at all. */
const ROOMY = 6;
const LINE = 9;

/**
 * Lay all records out, and solve what lacks a table, each record being redrawn when its table is there.
 * @param {Element} place @param {import("./types").Entry[]} entries @param {import("./board.js").Page} page @param {AbortSignal} signal
 * @param {string} title @param {boolean} [solving] whether to solve at once
 */
export function showRecords(place, entries, page, signal, title, solving = true) {
  const { words, solver } = page;
  const { say } = words;
  const dealt = entries.filter((entry) => entry.holders);
  const cells = new Map(dealt.map((entry) => [entry, record(entry, words)]));
  const pages = [];
  for (let at = 0; at < dealt.length; at += ON_PAGE) {
    pages.push(h("section", { class: "sheet" },
      h("header", null, h("b", null, title), h("span", null, `${Math.floor(at / ON_PAGE) + 1} / ${Math.ceil(dealt.length / ON_PAGE)}`)),
      h("div", { class: "eight" }, dealt.slice(at, at + ON_PAGE).map((entry) => cells.get(entry) ?? null))));
  }
  const lacking = dealt.filter((entry) => entry.playable && !isWhole(entry.table));
  const note = h("span", { role: "status" });
  const solve = h("button", { type: "button", onclick: () => start() }, say("solveAll", { n: lacking.length }));
  const stop = h("button", { type: "button", hidden: true }, say("stop"));
  const print = h("button", { type: "button", class: "enter", onclick: () => window.print() }, say("print"));
  fill(place, h("div", { class: "tools" }, print, lacking.length ? [solve, stop] : null, note), h("div", { class: "sheets" }, pages));

  async function start() {
    const ending = new AbortController();
    stop.onclick = () => ending.abort();
    signal.addEventListener("abort", () => ending.abort());
    [solve.hidden, stop.hidden] = [true, false];
    let done = 0;
    try {
      for (const entry of lacking) {
        note.textContent = say("solvingSome", { done, all: lacking.length });
        await solver.complete(entry, LATER, ending.signal);
        cells.get(entry)?.replaceChildren(...record(entry, words).children);
        done += 1;
      }
      note.textContent = say("solved", { n: done });
    } catch (error) {
      note.textContent = ending.signal.aborted ? "" : say("failed", { reason: String(/** @type {any} */ (error)?.message ?? error) });
      solve.hidden = false;
    }
    stop.hidden = true;
  }
  if (solving && lacking.length) start();
}

/** @param {import("./types").Entry} entry @param {import("./words.js").Words} words */
function record(entry, words) {
  const { say } = words;
  const holders = entry.holders ?? [];
  /** @param {number} seat @param {number} suit */
  const ranks = (seat, suit) => {
    if (!isKnown(holders, seat)) return null;
    const held = handOf(holders, seat).filter((card) => suitOf(card) === suit).map((card) => words.ranks[rankOf(card)]);
    // A long suit stands closer together, and a longer one without blanks and smaller, lest it reach into the table beside it.
    if (held.length > LINE) return h("span", { class: "long" }, held.join(""));
    return held.join(held.length > ROOMY ? "\u2009" : " ") || say("void");
  };
  return h("article", { class: "handrecord" },
    h("div", { class: "head" },
      h("b", { class: "number" }, entry.key),
      entry.dealer === null ? null : h("span", null, `${say("dealer")} ${words.letter(entry.dealer)}`),
      entry.vulnerability === null ? null : h("span", null, `${say("vul")} ${say(`vul${entry.vulnerability}`)}`)),
    READING.map((seat) => h("div", { class: `hand ${SEAT_LETTERS[seat]}` }, [0, 1, 2, 3].map((suit) => h("div", null, words.sign(suit), " ", ranks(seat, suit))))),
    holders.includes(UNKNOWN) ? null : h("div", { class: "hcps", role: "group", "aria-label": say("hcp") },
      READING.map((seat) => h("span", { class: SEAT_LETTERS[seat] }, pointsOf(holders, seat)))),
    entry.table ? h("div", { class: "tricks" }, trickTable(entry.table, words)) : null,
    h("p", { class: "parline" }, isWhole(entry.table) ? [h("b", null, say("par")), " ", parLine(entry, words)] : entry.parText));
}
