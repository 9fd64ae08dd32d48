// The hand diagram: four hands around a compass that tells dealer and vulnerability.

import { handOf, isKnown, pointsOf, rankOf, SEAT_LETTERS, sideOf, suitOf, UNKNOWN } from "./cards.js";
import { h, told } from "./dom.js";

/** The seats in the order in which a diagram is read. */
export const READING = [1, 0, 2, 3];

/**
 * @param {import("./types").Entry} entry @param {import("./words.js").Words} words @param {(string | null)[]} [names] by seat
 */
export function diagram(entry, words, names = []) {
  const { holders } = entry;
  if (!holders) return h("p", { class: "quiet" }, words.say("noDeal"));
  return h("div", { class: "diagram", role: "group", "aria-label": words.say("diagram") },
    READING.map((seat) => hand(holders, seat, words, names[seat] ?? null)), compass(entry, words));
}

/** @param {number[]} holders @param {number} seat @param {import("./words.js").Words} words @param {string | null} name */
function hand(holders, seat, words, name) {
  const cards = handOf(holders, seat);
  const full = cards.length === 13 || !holders.includes(UNKNOWN);
  // Of a layout of some suits only those are shown that it speaks of.
  const suits = [0, 1, 2, 3].filter((suit) => full || holders.slice(13 * suit, 13 * suit + 13).some((holder) => holder !== UNKNOWN));
  return h("div", { class: `hand ${SEAT_LETTERS[seat]}` },
    h("div", { class: "seat" }, h("b", null, words.seats[seat]), name ? [" ", told(name)] : null,
      full ? h("span", { class: "hcp" }, ` ${words.say("points", { n: pointsOf(holders, seat) })}`) : null),
    isKnown(holders, seat) ? suits.map((suit) => h("div", { class: "holding" }, words.sign(suit), " ",
      h("span", { class: "ranks" }, cards.filter((card) => suitOf(card) === suit).map((card) => words.ranks[rankOf(card)]).join(" ")
        || words.say("void"))))
      : h("div", { class: "quiet" }, words.say("unknownHand")));
}

/** A square: the vulnerable sides are red, the dealer's letter stands in a ring. @param {import("./types").Entry} entry @param {import("./words.js").Words} words */
export function compass(entry, words) {
  const sides = READING.map((seat) => {
    const vulnerable = Boolean((entry.vulnerability ?? 0) & (1 << sideOf(seat)));
    const marks = `${SEAT_LETTERS[seat]}${vulnerable ? " vul" : ""}${entry.dealer === seat ? " dealer" : ""}`;
    return h("span", { class: `side ${marks}` }, words.letter(seat));
  });
  return h("div", { class: "compass", "aria-hidden": "true" }, sides, h("b", null, entry.number ?? ""));
}
