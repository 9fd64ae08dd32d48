// An auction as a table, with what was said of its calls.

import { SEATS } from "./cards.js";
import { h, told } from "./dom.js";

/**
 * @param {import("./types").Result} result @param {number | null} dealer @param {import("./words.js").Words} words
 * @param {string} title
 */
export function auctionView(result, dealer, words, title) {
  const auction = result.board.auction;
  if (!auction?.calls?.length) return null;
  const first = auction.first === undefined ? dealer ?? 0 : SEATS.indexOf(auction.first);
  /** @type {string[]} */
  const notes = [];
  const cells = [...new Array(first).fill(null), ...auction.calls.map((made) => h("td", null, call(made, notes, words)))];
  while (cells.length % 4) cells.push(null);
  const rows = [];
  for (let at = 0; at < cells.length; at += 4) rows.push(h("tr", null, cells.slice(at, at + 4).map((cell) => cell ?? h("td"))));
  return h("section", { class: "auction" },
    h("h2", null, title),
    h("table", { class: "calls" },
      h("thead", null, h("tr", null, words.seats.map((seat, index) => h("th", { scope: "col" }, seat, h("small", null, told(result.names[index])))))),
      h("tbody", null, rows)),
    notes.length ? h("ol", { class: "notes", "aria-label": words.say("explanations") }, notes.map((note) => h("li", null, words.rich(note)))) : null);
}

/** @param {import("./types").CallJson} made @param {string[]} notes @param {import("./words.js").Words} words */
function call(made, notes, words) {
  const parts = [words.call(made.call), made.mark ?? null];
  if (made.explanation) {
    if (!notes.includes(made.explanation)) notes.push(made.explanation);
    parts.push(h("sup", null, notes.indexOf(made.explanation) + 1));
  } else if (made.alert) parts.push(h("sup", { role: "img", "aria-label": words.say("alerted") }, "!"));
  return parts;
}
