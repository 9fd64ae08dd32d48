// Par as the page counts, and the contracts that a side can make.

import { par as parOf } from "bridgespec-dd";
import { SEAT_LETTERS, STRAINS, VULNERABILITIES } from "./cards.js";

const SEATS_OF = [[1, 3], [2, 0]];

/**
 * Par of a whole table and every contract that gives it; the score is North-South's.
 * @param {number[]} table @param {number} dealer @param {number} vulnerability @returns {import("./types").Par}
 */
export function par(table, dealer, vulnerability) {
  const named = Object.fromEntries(STRAINS.map((strain, row) =>
    [strain, Object.fromEntries([...SEAT_LETTERS].map((seat, column) => [seat, table[4 * row + column]]))]));
  const found = parOf(/** @type {any} */ (named), /** @type {any} */ (SEAT_LETTERS[dealer]), /** @type {any} */ (VULNERABILITIES[vulnerability]));
  return {
    score: found.score,
    contracts: found.contracts.map(({ level, strain, doubled, declarers, tricks }) => ({
      contract: { level, strain: STRAINS.indexOf(strain), doubling: doubled ? 1 : 0 },
      declarers: [...declarers].map((seat) => SEAT_LETTERS.indexOf(seat)), tricks,
    })),
  };
}

/**
 * For each side, the highest contract that it can make in each strain, the highest first.
 * @param {(number | null)[]} table @returns {import("./types").ParContract[][]} by side
 */
export function makeable(table) {
  return SEATS_OF.map((seats) => {
    const found = [0, 1, 2, 3, 4].flatMap((strain) => {
      const tricks = Math.max(...seats.map((seat) => table[4 * strain + seat] ?? 0));
      const declarers = seats.filter((seat) => table[4 * strain + seat] === tricks);
      return tricks > 6 ? [{ contract: { level: tricks - 6, strain, doubling: 0 }, declarers, tricks }] : [];
    });
    return found.sort((one, other) => height(other.contract) - height(one.contract));
  });
}

/** How high a bid is. @param {import("./types").Contract} contract */
const height = ({ level, strain }) => 5 * level - strain;
