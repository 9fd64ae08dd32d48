// What is printed: hand records as tournaments hang them up, boards with their travellers, curtain cards, sheets to duplicate by.

import { handOf, isKnown, pointsOf, rankOf, SEAT_LETTERS, suitOf, UNKNOWN } from "./cards.js";
import { READING } from "./diagram.js";
import { fill, h, told } from "./dom.js";
import { resultsView } from "./results.js";
import { LATER } from "./solver.js";
import { isWhole, parLine, trickTable } from "./tables.js";

/**
 * The kinds of sheets: what one page of each has. `open` ones show results and double dummy, the others neither.
 * @type {Record<string, {boards: number, open: boolean, name: string, make: (entry: import("./types").Entry, words: import("./words.js").Words) => HTMLElement[]}>}
 */
export const SHEETS = {
  "records": { boards: 8, open: true, name: "eight", make: (entry, words) => [record(entry, words)] },
  "travellers": { boards: 1, open: true, name: "one", make: (entry, words) => [record(entry, words), h("div", { class: "traveller" }, resultsView(entry, -1, words, null))] },
  "curtain": { boards: 2, open: false, name: "eight curtain", make: (entry, words) => READING.map((seat) => curtainCard(entry, seat, words)) },
  "duplication": { boards: 8, open: false, name: "eight", make: (entry, words) => [record({ ...entry, table: null, parText: null }, words, false)] },
};

/** The boards whose double dummy sheets of a kind show and nobody has found yet. @param {string} kind @param {import("./types").Entry[]} entries */
export const lacking = (kind, entries) => (SHEETS[kind].open ? entries.filter((entry) => entry.playable && !isWhole(entry.table)) : []);

/** So many cards of a suit have room to stand apart, and so many stand in one line at all. */
const ROOMY = 6;
const LINE = 9;

/**
 * Lay the sheets of a kind out, and solve what lacks a table, each record being redrawn when its table is there.
 * @param {Element} place @param {string} kind one of `SHEETS` @param {import("./types").Entry[]} entries @param {import("./board.js").Page} page @param {AbortSignal} signal
 * @param {string} title
 */
export function showSheets(place, kind, entries, page, signal, title) {
  const { words, solver } = page;
  const { say } = words;
  const { boards, name, make } = SHEETS[kind];
  const dealt = entries.filter((entry) => entry.holders);
  const cells = new Map(dealt.map((entry) => [entry, make(entry, words)]));
  const pages = [];
  for (let at = 0; at < dealt.length; at += boards) {
    pages.push(h("section", { class: `sheet ${kind}` },
      h("header", null, h("b", null, told(title)), h("span", null, `${Math.floor(at / boards) + 1} / ${Math.ceil(dealt.length / boards)}`)),
      h("div", { class: name }, dealt.slice(at, at + boards).flatMap((entry) => cells.get(entry) ?? []))));
  }
  const missing = lacking(kind, entries);
  const note = h("span", { role: "status" });
  const solve = h("button", { type: "button", onclick: () => { working ??= start(); } }, say("solveAll", { n: missing.length }));
  const stop = h("button", { type: "button", hidden: true }, say("stop"));
  const print = h("button", { type: "button", class: "enter", onclick: () => finish() }, say("print"));
  const kinds = h("nav", { class: "kinds", "aria-label": say("sheets") }, Object.keys(SHEETS).map((one) => h("a", { href: `#${one}`, "aria-current": one === kind && "page" }, say(one))));
  fill(place, h("div", { class: "tools" }, kinds, print, missing.length ? [solve, stop] : null, note), h("div", { class: "sheets" }, pages));

  /** Print once everything that the sheets show is known. */
  async function finish() {
    await (working ??= start());
    if (!lacking(kind, entries).length) window.print();
  }

  /** @type {Promise<void> | null} */
  let working = null;

  async function start() {
    const ending = new AbortController();
    stop.onclick = () => ending.abort();
    signal.addEventListener("abort", () => ending.abort());
    [solve.hidden, stop.hidden] = [true, false];
    let done = 0;
    try {
      for (const entry of missing) {
        note.textContent = say("solvingSome", { done, all: missing.length });
        await solver.complete(entry, LATER, ending.signal);
        make(entry, words).forEach((made, index) => cells.get(entry)?.[index].replaceChildren(...made.children));
        done += 1;
      }
      note.textContent = say("solved", { n: done });
    } catch (error) {
      note.textContent = ending.signal.aborted ? "" : say("failed", { reason: String(/** @type {any} */ (error)?.message ?? error) });
      solve.hidden = false;
    }
    stop.hidden = true;
    working = null;
  }
  if (missing.length) working = start();
}

/** One hand of a board, to be cut out and put into its pocket. @param {import("./types").Entry} entry @param {number} seat @param {import("./words.js").Words} words */
function curtainCard(entry, seat, words) {
  const holders = entry.holders ?? [];
  return h("article", { class: "curtaincard" },
    h("div", { class: "head" }, h("b", { class: "number" }, entry.key), h("b", null, words.seats[seat])),
    [0, 1, 2, 3].map((suit) => h("div", null, words.sign(suit), " ", isKnown(holders, seat)
      ? handOf(holders, seat).filter((card) => suitOf(card) === suit).map((card) => words.ranks[rankOf(card)]).join(" ") || words.say("void") : null)));
}

/** @param {import("./types").Entry} entry @param {import("./words.js").Words} words @param {boolean} [counted] whether the hands' points are shown */
function record(entry, words, counted = true) {
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
    holders.includes(UNKNOWN) || !counted ? null : h("div", { class: "hcps", role: "group", "aria-label": say("hcp") },
      READING.map((seat) => h("span", { class: SEAT_LETTERS[seat] }, pointsOf(holders, seat)))),
    entry.table ? h("div", { class: "tricks" }, trickTable(entry.table, words)) : null,
    h("p", { class: "parline" }, isWhole(entry.table) ? [h("b", null, say("par")), " ", parLine(entry, words)] : entry.parText));
}
