// Conditions on deals, in the commonest words of the language of `bridgespec deal`: points, lengths, balanced hands.

import { handOf, OUT, pointsOf, suitOf } from "./cards.js";

/** So many deals are tried for one. */
const TRIES = 200000;
const SUITS = ["spades", "hearts", "diamonds", "clubs"];
const WHO = { west: [0], w: [0], north: [1], n: [1], east: [2], e: [2], south: [3], s: [3], ns: [1, 3], ew: [2, 0] };

/** @typedef {(holders: ArrayLike<number>) => boolean} Test */

/**
 * The test of "north: hcp 15-17 and balanced; ns: hearts 8+"; null for what is not understood here. Numbers of a side are those of both hands together.
 * @param {string} text @returns {Test | null}
 */
export function conditionOf(text) {
  const clauses = text.toLowerCase().split(";").map((clause) => clause.trim()).filter(Boolean).map(clauseOf);
  return clauses.includes(null) ? null : (holders) => clauses.every((test) => test?.(holders));
}

/** @param {string} text @returns {Test | null} */
function clauseOf(text) {
  const match = /^(\w+)\s*:\s*(.*)$/.exec(text);
  const seats = match && Object.hasOwn(WHO, match[1]) ? WHO[/** @type {"n"} */ (match[1])] : null;
  if (!match || !seats) return null;
  const tests = match[2].split(/\s*(?:,|\band\b)\s*/).map((term) => termOf(term.trim(), seats));
  return tests.includes(null) ? null : (holders) => tests.every((test) => test?.(holders));
}

/** @param {string} text @param {number[]} seats @returns {Test | null} */
function termOf(text, seats) {
  if (text === "balanced") return (holders) => seats.every((seat) => isBalanced(lengthsOf(holders, seat)));
  const match = /^(\w+)\s+(\d+)(?:(\+)|-(\d+))?$/.exec(text);
  if (!match) return null;
  const suit = SUITS.indexOf(match[1]);
  if (suit < 0 && match[1] !== "hcp") return null;
  const low = Number(match[2]);
  const high = match[3] ? 99 : Number(match[4] ?? low);
  return (holders) => {
    const value = seats.reduce((sum, seat) => sum + (suit < 0 ? pointsOf(holders, seat) : lengthsOf(holders, seat)[suit]), 0);
    return low <= value && value <= high;
  };
}

/** @param {ArrayLike<number>} holders @param {number} seat */
const lengthsOf = (holders, seat) => handOf(holders, seat).reduce((lengths, card) => {
  lengths[suitOf(card)] += 1;
  return lengths;
}, [0, 0, 0, 0]);

/** 4333, 4432 or 5332. @param {number[]} lengths */
const isBalanced = (lengths) => Math.min(...lengths) > 1 && lengths.filter((length) => length === 2).length < 2 && Math.max(...lengths) < 6;

/**
 * Deal the cards that nobody holds at random until the deal satisfies a test; null where none of many does.
 * @param {number[]} holders of 52 cards, OUT for those to be dealt @param {Test} test @param {() => number} [random]
 * @returns {number[] | null}
 */
export function dealt(holders, test, random = Math.random) {
  const places = [0, 1, 2, 3].flatMap((seat) => new Array(13 - handOf(holders, seat).length).fill(seat));
  const cards = holders.flatMap((holder, card) => (holder === OUT ? [card] : []));
  for (let tried = 0; tried < TRIES; tried += 1) {
    const made = holders.slice();
    // Fisher and Yates: every order of the places is as likely as any other.
    for (let at = places.length - 1; at >= 0; at -= 1) {
      const other = Math.floor(random() * (at + 1));
      [places[at], places[other]] = [places[other], places[at]];
      made[cards[at]] = places[at];
    }
    if (test(made)) return made;
  }
  return null;
}
