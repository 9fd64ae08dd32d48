// The list of all boards: who deals, who is vulnerable, and what became of each.

import { chooser, chosen } from "./choose.js";
import { handOf, isKnown, rankOf, suitOf } from "./cards.js";
import { fill, h, told } from "./dom.js";
import { swing } from "./results.js";
import { signed } from "./score.js";
import { parLine } from "./tables.js";

/**
 * @param {Element} place @param {import("./types").Entry[]} entries @param {import("./words.js").Words} words
 * @param {(entry: import("./types").Entry) => string} link
 * @param {string} title of the page, which no heading repeats
 */
export function showIndex(place, entries, words, link, title) {
  const list = h("div");
  const asking = entries.length > 1 ? chooser(entries.some(({ results }) => results.length), words, (asked) => show(chosen(entries, asked, words))) : null;
  fill(place, asking, list);
  /** @param {import("./types").Entry[]} held */
  const show = (held) => showSections(list, held, words, link, title);
  show(entries);
}

/**
 * @param {Element} place @param {import("./types").Entry[]} entries @param {import("./words.js").Words} words
 * @param {(entry: import("./types").Entry) => string} link @param {string} title
 */
function showSections(place, entries, words, link, title) {
  /** @type {Map<string, import("./types").Entry[]>} */
  const sections = new Map();
  for (const entry of entries) {
    const name = sectionName(entry, words, title);
    sections.set(name, [...(sections.get(name) ?? []), entry]);
  }
  fill(place, entries.length ? [...sections].map(([name, held]) => section(name, held, words, link)) : h("p", { role: "status" }, words.say("noneFound")));
}

/** Event, round and teams in one line. @param {import("./types").Entry} entry @param {import("./words.js").Words} words @param {string} [without] */
export function sectionName({ section: { event, round, teams } }, words, without) {
  const named = /^\d+$/.test(round) ? words.say("round", { n: round }) : round;
  return [event === without ? "" : event, named, teams].filter(Boolean).join(", ");
}

/** In a longer list, and beside results, the deals would be more than one can look at. */
const DEALS_SHOWN = 200;
/** Clockwise from North, as deals are read out. */
const CLOCKWISE = [1, 2, 3, 0];

/** The four hands in a line, on screens that have room for them. @param {import("./types").Entry} entry @param {import("./words.js").Words} words */
function dealCells({ holders }, words) {
  return CLOCKWISE.map((seat) => h("td", { class: "deal" }, holders && isKnown(holders, seat) && [0, 1, 2, 3].map((suit) => [words.sign(suit),
    handOf(holders, seat).filter((card) => suitOf(card) === suit).map((card) => words.ranks[rankOf(card)]).join("") || words.say("void")])));
}

/** @param {string} name @param {import("./types").Entry[]} entries @param {import("./words.js").Words} words @param {(entry: import("./types").Entry) => string} link */
function section(name, entries, words, link) {
  const { say } = words;
  const most = Math.max(...entries.map((entry) => entry.results.length));
  const match = most === 2;
  const rooms = entries.find((entry) => entry.results.length === 2)?.results.map((result, index) => result.room || say("tableNumber", { n: index + 1 })) ?? [];
  const teams = entries.flatMap((entry) => entry.boards).find((board) => board.teams?.some(Boolean))?.teams ?? [];
  const teamNames = [0, 1].map((side) => told(teams[side]) ?? say(`team${side}`));
  const swings = match ? entries.map((entry) => swing(entry.results)) : [];
  const columns = match ? [...rooms.map((room) => told(room)), ...teamNames] : most ? [say("result"), say("score")] : [];
  const withDeals = most === 0 && entries.length <= DEALS_SHOWN;
  const withPar = entries.some((entry) => parLine(entry, words) ?? entry.parText);
  const heads = [say("boardOnly"), say("dealer"), say("vul"), ...columns, ...(withPar ? [say("par")] : [])].map((head) => h("th", { scope: "col" }, head));
  if (withDeals) heads.splice(3, 0, ...CLOCKWISE.map((seat) => h("th", { scope: "col", class: "deal" }, words.seats[seat])));
  /** @param {import("./types").Entry} entry @param {number} index */
  const row = (entry, index) => h("tr", null,
    h("th", { scope: "row" }, h("a", { href: link(entry) }, entry.key)),
    h("td", null, entry.dealer === null ? null : words.letter(entry.dealer)),
    h("td", { class: `vul v${entry.vulnerability ?? 0}` }, entry.vulnerability === null ? null : say(`vul${entry.vulnerability}`)),
    withDeals ? dealCells(entry, words) : null,
    match ? matchCells(entry, swings[index], words) : most ? plainCells(entry, words) : null,
    withPar ? h("td", { class: "par" }, parLine(entry, words) ?? told(entry.parText)) : null);
  const totals = [1, -1].map((way) => swings.reduce((/** @type {number} */ sum, value) => sum + Math.max(0, way * (value ?? 0)), 0));
  return h("section", { class: "listed" },
    name ? h("h2", null, told(name)) : null,
    h("p", { class: "quiet" }, say("count", { n: entries.length })),
    h("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": name || say("boards") }, h("table", { class: match ? "index match" : "index" },
      h("thead", null, h("tr", null, heads)),
      h("tbody", null, entries.map(row)),
      match && swings.some((value) => value !== null) ? h("tfoot", null, h("tr", null,
        h("th", { scope: "row" }, say("total")), h("td"), h("td"), rooms.map(() => h("td")),
        totals.map((total) => h("td", { class: "n" }, total)), withPar ? h("td") : null)) : null)));
}

/** @param {import("./types").Entry} entry @param {number | null} value @param {import("./words.js").Words} words */
function matchCells(entry, value, words) {
  return [
    [0, 1].map((index) => {
      const result = entry.results[index];
      return h("td", null, result ? [words.outcome(result), h("small", null, " ", words.score(result.score))] : null);
    }),
    [1, -1].map((way) => h("td", { class: "n" }, value !== null && way * value > 0 ? Math.abs(value) : null)),
  ];
}

/** @param {import("./types").Entry} entry @param {import("./words.js").Words} words */
function plainCells(entry, words) {
  const { results } = entry;
  if (results.length === 1) return [h("td", null, words.outcome(results[0])), h("td", null, words.score(results[0].score))];
  const scores = results.map((result) => result.score).filter((score) => score !== null);
  const range = scores.length ? words.say("range", { low: signed(Math.min(...scores)), high: signed(Math.max(...scores)) }) : "";
  return [h("td", null, results.length ? words.say("countResults", { n: results.length }) : null), h("td", null, range)];
}
