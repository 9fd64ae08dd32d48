// The results of a board side by side, and what they are worth against each other.

import { h, told } from "./dom.js";
import { crossImps, imps, matchpoints, signed } from "./score.js";

/** The name of a table: its room, else its place. @param {import("./types").Result} result @param {number} index @param {import("./words.js").Words} words */
export const tableName = (result, index, words) =>
  result.room ? words.say("roomNamed", { room: result.room }) : words.say("tableNumber", { n: index + 1 });

/** The scores of two results against each other, in IMPs to North-South of the first; null where one is unknown. @param {import("./types").Result[]} results */
export function swing(results) {
  const [one, other] = results;
  return results.length === 2 && one.score !== null && other.score !== null ? imps(one.score - other.score) : null;
}

/**
 * @param {import("./types").Entry} entry @param {number} selected @param {import("./words.js").Words} words
 * @param {((index: number) => string) | null} link where a table's row leads; null where it leads nowhere
 */
export function resultsView(entry, selected, words, link) {
  const { results } = entry;
  const { say } = words;
  if (!results.length) return null;
  const named = results.some((result) => result.names.some(Boolean));
  const scores = results.map((result) => result.score);
  const known = scores.every((score) => score !== null) && results.length > 1;
  const compared = known ? comparison(/** @type {number[]} */ (scores), words) : { heads: [], cells: [] };
  const several = results.length > 1;
  const head = [...(several ? [say(results.some((one) => one.room) ? "room" : "table")] : []),
    say("contract"), say("lead"), say("score"), ...compared.heads, ...(named ? [say("north-south"), say("east-west")] : [])];
  const rows = results.map((result, index) => h("tr", { class: several && index === selected && "selected" },
    several ? h("th", { scope: "row" }, link
      ? h("a", { href: link(index), "aria-current": index === selected && "true" }, told(result.room) ?? index + 1) : told(result.room) ?? index + 1) : null,
    h("td", null, words.outcome(result)),
    h("td", null, lead(result, words)),
    h("td", { class: "n" }, words.score(result.score)),
    compared.cells[index]?.map((cell) => h("td", { class: "n" }, cell)),
    named ? [[1, 3], [2, 0]].map((pair) => h("td", { class: "names" }, pair.map((seat) => h("span", null, told(result.names[seat]))))) : null));
  return h("section", { class: "results" },
    h("h2", null, say(several ? "results" : "result")),
    h("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": say("results") }, h("table", null, h("thead", null, h("tr", null, head.map((cell) => h("th", { scope: "col" }, cell)))), h("tbody", null, rows))));
}

/** @param {import("./types").Result} result @param {import("./words.js").Words} words */
function lead({ played }, words) {
  return played.length && played[0] >= 0 ? words.card(played[0]) : null;
}

/**
 * Two results are compared in IMPs, more in mean IMPs and match points; all from North-South's side.
 * @param {number[]} scores @param {import("./words.js").Words} words
 */
function comparison(scores, words) {
  if (scores.length === 2) {
    return { heads: [words.say("imps")], cells: scores.map((own, index) => [signed(imps(own - scores[1 - index]))]) };
  }
  const crossed = crossImps(scores);
  const most = 2 * (scores.length - 1);
  const places = new Intl.NumberFormat(words.language, { minimumFractionDigits: 1, maximumFractionDigits: 1, signDisplay: "exceptZero" });
  return {
    heads: [words.say("crossImps"), words.say("matchpoints")],
    cells: matchpoints(scores).map((own, index) => [places.format(crossed[index]).replace("-", "−"), Math.round((100 * own) / most)]),
  };
}

