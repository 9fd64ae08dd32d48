// One board with all that is known of it: diagram and play, results, auctions, double dummy, comments.

import { auctionView } from "./bidding.js";
import { fill, grid, h, told } from "./dom.js";
import { Player } from "./player.js";
import { shareView } from "./share.js";
import { resultsView, tableName } from "./results.js";
import { suitsView } from "./suits.js";
import { doubleDummy } from "./tables.js";
import { RESULTS } from "./travellers.js";

/** Up to so many auctions stand beside each other. */
const BESIDE = 2;

/**
 * @typedef {object} Page what a board needs of its page
 * @property {import("./words.js").Words} words
 * @property {import("./solver.js").Solver} solver
 * @property {import("./settings.js").Settings} settings
 * @property {Record<string, import("./types").SuitPlay[][]>} [suits] the best play of the suits of some deals
 */

/**
 * Draw a board into an element and keep it alive until the signal.
 * @param {Element} place @param {import("./types").Entry} entry @param {Page} page @param {AbortSignal} signal
 * @param {{selected?: number, place?: Record<string, string>, link?: (index: number) => string, moved?: (place: Record<string, string>) => void}} [options]
 *   `selected` is the result that is played through, `place` where its play is entered, `link` leads to another result, `moved` is told where the player stands
 */
export function showBoard(place, entry, page, signal, { selected = 0, place: entered = {}, link, moved = () => {} } = {}) {
  const { words, solver } = page;
  const result = entry.results[selected] ?? null;
  const player = new Player(entry, result, page, signal, moved);
  // First, so that the cards in view are weighed before the table is worked out.
  player.goTo(entered);
  const bid = entry.results.length <= BESIDE ? entry.results : result ? [result] : [];
  const auctions = bid.map((one) => auctionView(one, entry.dealer, words,
    entry.results.length < 2 ? words.say("auction") : words.say("auctionOf", { room: tableName(one, entry.results.indexOf(one), words) })));
  fill(place, h("div", { class: "board" },
    player.board,
    h("div", { class: "facts" },
      resultsView(entry, selected, words, link ?? null),
      h("div", { class: "auctions" }, auctions),
      entry.holders ? doubleDummy(entry, words, solver, signal) : null,
      suitsView(entry, page.suits ?? {}, words),
      remarks(entry, words),
      shareView(entry, result, words, () => player.place())),
    player.about));
  return player;
}

/** Comments and further tables of the file. @param {import("./types").Entry} entry @param {import("./words.js").Words} words */
function remarks(entry, words) {
  const texts = [...new Set(entry.boards.flatMap((board) => board.comments ?? []).map((comment) => comment.text.trim()))].filter(Boolean);
  const tables = entry.boards.flatMap((board) => board.tables ?? []).filter(({ name }) => name !== RESULTS);
  return [
    texts.length ? h("section", { class: "comments" }, h("h2", null, words.say("comments")), texts.map((text) => h("p", null, words.rich(text)))) : null,
    tables.length ? h("details", null, h("summary", null, words.say("further")), tables.map((table) => h("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": table.name },
      grid("further", told(table.name), table.columns.map((column) => told(column.name)), (table.rows ?? []).map((row) => row.map(told)))))) : null,
  ];
}
