// The double-dummy solver as the page asks it, in numbers instead of names.

import { Solver } from "bridgespec-dd";
import { cardOf, cardText, handOf, RANKS, SEAT_LETTERS, STRAINS, suitOf } from "./cards.js";

/** A deal as the solver reads it. @param {ArrayLike<number>} holders */
function dealText(holders) {
  const hand = (/** @type {number} */ seat) => [0, 1, 2, 3].map((suit) =>
    handOf(holders, seat).filter((card) => suitOf(card) === suit).map((card) => RANKS[card % 13]).join("")).join(".");
  return `W:${[0, 1, 2, 3].map(hand).join(" ")}`;
}

/** Starts a Worker at its first question. @returns {import("./types").Engine} */
export function makeEngine() {
  const solver = new Solver();
  return {
    async table(holders) {
      const found = /** @type {Record<string, Record<string, number>>} */ (await solver.table(dealText(holders)));
      return STRAINS.flatMap((strain) => [...SEAT_LETTERS].map((seat) => found[strain][seat]));
    },
    async cards({ start, played }) {
      const position = { deal: dealText(start.holders), strain: STRAINS[start.strain], leader: SEAT_LETTERS[start.leader], played: played.map(cardText) };
      const found = /** @type {{card: string, tricks: number}[]} */ (await solver.cards(/** @type {any} */ (position)));
      return new Map(found.map(({ card, tricks }) => [cardOf(card), tricks]));
    },
  };
}
