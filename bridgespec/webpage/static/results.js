// The results of a board side by side, and what they are worth against each other.

import { fill, h, told } from "./dom.js";
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
  if (!entry.results.length) return null;
  const place = h("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": words.say("results") });
  /** @param {boolean} byScore */
  const show = (byScore) => fill(place, table(entry, selected, words, link, byScore, entry.results.length > 1 ? show : null));
  show(entry.results.length > 2);
  return h("section", { class: "results" }, h("h2", null, words.say(entry.results.length > 1 ? "results" : "result")), place);
}

/**
 * @param {import("./types").Entry} entry @param {number} selected @param {import("./words.js").Words} words
 * @param {((index: number) => string) | null} link @param {boolean} byScore whether North-South's best score stands first, else the first table
 * @param {((byScore: boolean) => void) | null} order
 */
function table(entry, selected, words, link, byScore, order) {
  const { results } = entry;
  const { say } = words;
  const named = results.some((result) => result.names.some(Boolean) || result.pairs?.some(Boolean));
  const scores = results.map((result) => result.score);
  const known = scores.every((score) => score !== null) && results.length > 1;
  const compared = given(results, words) ?? (known ? comparison(/** @type {number[]} */ (scores), results.map(({ count }) => count ?? 1), words) : { heads: [], cells: [] });
  const several = results.length > 1;
  /** @param {string} key @param {boolean} score */
  const ordering = (key, score) => (order ? h("button", { type: "button", class: "text", onclick: () => order(score) }, say(key), byScore === score ? h("span", { class: "order" }, " ▾") : null) : say(key));
  const head = [...(several ? [ordering(results.some((one) => one.room) ? "room" : "table", false)] : []),
    say("contract"), say("lead"), ordering("score", true), ...compared.heads];
  const pairs = named ? [say("north-south"), say("east-west")] : [];
  const places = results.map((_, index) => index);
  if (byScore) places.sort((one, other) => (scores[other] ?? -Infinity) - (scores[one] ?? -Infinity));
  const rows = places.map((index) => ({ index, result: results[index] })).map(({ index, result }) => h("tr", { class: several && index === selected && "selected" },
    several ? h("th", { scope: "row" }, link
      ? h("a", { href: link(index), "aria-current": index === selected && "true" }, told(result.room) ?? index + 1) : told(result.room) ?? index + 1) : null,
    h("td", null, words.outcome(result), (result.count ?? 1) > 1 ? ` × ${result.count}` : null),
    h("td", null, lead(result, words)),
    h("td", { class: "n" }, words.score(result.score)),
    compared.cells[index]?.map((cell) => h("td", { class: "n" }, cell)),
    named ? [[1, 3], [2, 0]].map((pair, side) => h("td", { class: "names" },
      result.pairs ? h("span", null, told(result.pairs[side])) : pair.map((seat) => h("span", null, told(result.names[seat]))))) : null));
  return h("table", null, h("thead", null, h("tr", null,
    head.map((cell) => h("th", { scope: "col" }, cell)), pairs.map((cell) => h("th", { scope: "col", class: "names" }, cell)))), h("tbody", null, rows));
}

/** @param {import("./types").Result} result @param {import("./words.js").Words} words */
function lead({ played, lead: stated }, words) {
  const card = stated ?? played[0] ?? -1;
  return card >= 0 ? words.card(card) : null;
}

/**
 * What a table of results states of the comparison, which rulings and boards with fewer results may have changed; null where it does not.
 * @param {import("./types").Result[]} results @param {import("./words.js").Words} words
 */
function given(results, words) {
  for (const kind of /** @type {("matchpoints" | "imps")[]} */ (["matchpoints", "imps"])) {
    const values = results.map(({ stated }) => stated?.[kind] ?? null);
    if (results.length && values.every((value) => value !== null)) {
      const places = new Intl.NumberFormat(words.language, { maximumFractionDigits: kind === "imps" ? 2 : 1 });
      return { heads: [words.say(kind)], cells: values.map((value) => [places.format(value).replace("-", "−")]) };
    }
  }
  return null;
}

/**
 * Two results are compared in IMPs, more in mean IMPs and match points; all from North-South's side.
 * @param {number[]} single the score of each row @param {number[]} counts the tables that each row is @param {import("./words.js").Words} words
 */
function comparison(single, counts, words) {
  const scores = single.flatMap((score, row) => /** @type {number[]} */ (new Array(counts[row]).fill(score)));
  const rows = counts.map((_, row) => counts.slice(0, row).reduce((sum, count) => sum + count, 0));
  if (scores.length === 2) {
    return { heads: [words.say("imps")], cells: rows.map((at) => [signed(imps(scores[at] - scores[1 - at]))]) };
  }
  const crossed = crossImps(scores);
  const most = 2 * (scores.length - 1);
  const places = new Intl.NumberFormat(words.language, { minimumFractionDigits: 1, maximumFractionDigits: 1, signDisplay: "exceptZero" });
  const points = matchpoints(scores);
  return {
    heads: [words.say("crossImps"), words.say("matchpoints")],
    cells: rows.map((at) => [places.format(crossed[at]).replace("-", "−"), Math.round((100 * points[at]) / most)]),
  };
}

