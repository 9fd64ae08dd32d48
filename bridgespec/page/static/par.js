// Par, and the contracts that a side can make, from a table of tricks. The conventions are those of the model's own par.

import { sideOf } from "./cards.js";
import { points } from "./score.js";

/** Every bid from 1C up. @type {[number, number][]} */
const BIDS = [];
for (let level = 1; level <= 7; level += 1) for (const strain of [4, 3, 2, 1, 0]) BIDS.push([level, strain]);
const SEATS_OF = [[1, 3], [2, 0]];

/**
 * Par and its contracts for a whole table: both sides bid as well as can be, what fails is doubled, the dealer's side speaks first.
 * @param {number[]} table @param {number} dealer @param {number} vulnerability
 * @returns {import("./types").Par} the score is North-South's
 */
export function par(table, dealer, vulnerability) {
  const outcomes = [0, 1].map((side) => BIDS.map((bid) => outcome(table, side, Boolean(vulnerability & (1 << side)), bid)));
  const first = sideOf(dealer);
  const value = worth(outcomes, first);
  const found = [0, 1].flatMap((side) => atPar(outcomes, side, side === first ? value : -value));
  found.sort((one, other) => height(one.contract) - height(other.contract));
  return { score: (first === 0 ? value : -value) || 0, contracts: found };
}

/** @param {import("./types").Contract} contract */
const height = ({ level, strain }) => 5 * level - strain;

/**
 * What a side gets for a bid that is left to play, and how.
 * @param {number[]} table @param {number} side @param {boolean} vulnerable @param {[number, number]} bid
 */
function outcome(table, side, vulnerable, [level, strain]) {
  const tricks = Math.max(...SEATS_OF[side].map((seat) => table[4 * strain + seat]));
  const declarers = SEATS_OF[side].filter((seat) => table[4 * strain + seat] === tricks);
  const contract = { level, strain, doubling: tricks < level + 6 ? 1 : 0 };
  return { points: points(contract, tricks, vulnerable), how: { contract, declarers, tricks } };
}

/**
 * What the auction is worth to the side that may bid first: a bid is worth its own outcome or, if that is less, what the
 * other side's best higher bid leaves. Worked from the highest bid down.
 * @param {ReturnType<typeof outcome>[][]} outcomes @param {number} first
 */
function worth(outcomes, first) {
  const best = [-Infinity, -Infinity];
  for (let bid = BIDS.length - 1; bid >= 0; bid -= 1) {
    const now = [0, 1].map((side) => Math.min(outcomes[side][bid].points, -best[1 - side]));
    for (const side of [0, 1]) best[side] = Math.max(best[side], now[side]);
  }
  return Math.max(best[first], -Math.max(best[1 - first], 0));
}

/**
 * The side's contracts that score so and leave the other side nothing better above them.
 * @param {ReturnType<typeof outcome>[][]} outcomes @param {number} side @param {number} value
 * @returns {import("./types").ParContract[]}
 */
function atPar(outcomes, side, value) {
  const found = [];
  let above = -Infinity;
  for (let bid = BIDS.length - 1; bid >= 0; bid -= 1) {
    const own = outcomes[side][bid];
    if (own.points === value && above <= -value) found.push(own.how);
    above = Math.max(above, outcomes[1 - side][bid].points);
  }
  return found;
}

/**
 * For each side, the highest contract that it can make in each strain, best first.
 * @param {(number | null)[]} table
 * @returns {import("./types").ParContract[][]} by side
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
