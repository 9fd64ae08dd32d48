// What an auction comes to: the contract and its declarer.

import { after, SEATS, STRAINS } from "./cards.js";

const BID = /^([1-7])(NT|[SHDC])(X{0,2})$/;

/**
 * The contract of "4SX", "3NT" or "Pass"; null for anything else. Level 0: the board was passed out.
 * @param {string | undefined} text @returns {import("./types").Contract | null}
 */
export function contractOf(text) {
  if (text === "Pass") return { level: 0, strain: 0, doubling: 0 };
  const match = BID.exec(text ?? "");
  return match && { level: Number(match[1]), strain: STRAINS.indexOf(match[2]), doubling: match[3].length };
}

/**
 * The contract and the turn (0: the first caller) in which its declarer named the strain first.
 * @param {string[]} calls
 * @returns {{contract: import("./types").Contract, turn: number} | null} null before the first bid and the fourth pass
 */
export function outcomeOf(calls) {
  let [last, doubling] = [-1, 0];
  calls.forEach((call, index) => {
    if (BID.test(call)) [last, doubling] = [index, 0];
    else if (call !== "Pass") doubling = call === "XX" ? 2 : 1;
  });
  if (last < 0) return calls.length >= 4 ? { contract: { level: 0, strain: 0, doubling: 0 }, turn: -1 } : null;
  const bid = /** @type {import("./types").Contract} */ (contractOf(calls[last]));
  const turn = calls.findIndex((call, index) => index % 2 === last % 2 && contractOf(call)?.level && contractOf(call)?.strain === bid.strain);
  return { contract: { ...bid, doubling }, turn };
}

/**
 * The contract and declarer (a seat, or null) of a board: as stated, else as its auction comes out.
 * @param {import("./types").BoardJson} board @param {number | null} dealer
 * @returns {{contract: import("./types").Contract | null, declarer: number | null}}
 */
export function bought(board, dealer) {
  const found = outcomeOf((board.auction?.calls ?? []).map((made) => made.call));
  const first = board.auction?.first === undefined ? dealer : SEATS.indexOf(board.auction.first);
  const contract = contractOf(board.contract) ?? found?.contract ?? null;
  const stated = board.declarer === undefined ? null : SEATS.indexOf(board.declarer);
  const declarer = stated ?? (found && found.turn >= 0 && first !== null ? after(first, found.turn) : null);
  return { contract, declarer: contract?.level === 0 ? null : declarer };
}
