// The rules of play: whose turn it is, which cards may be played, who wins a trick.

import { after, handOf, OUT, sideOf, suitOf } from "./cards.js";

/**
 * The index, in a trick, of the card that wins it or is winning it so far.
 * @param {number} strain @param {number[]} cards
 */
export function winning(strain, cards) {
  let best = 0;
  for (let index = 1; index < cards.length; index += 1) {
    const [card, top] = [cards[index], cards[best]];
    const trumps = suitOf(card) === strain - 1 && suitOf(top) !== strain - 1;
    // Within a suit the lower slot is the higher card.
    if (trumps || (suitOf(card) === suitOf(top) && card < top)) best = index;
  }
  return best;
}

/** @param {import("./types").Start} start @returns {import("./types").State} */
export function begin(start) {
  const holders = Array.from(start.holders);
  const left = handOf(holders, start.leader).length;
  return { start, holders, played: [], turn: start.leader, leader: start.leader, trick: [], tricks: [], won: [0, 0], left };
}

/** The cards that the seat on turn may play: it must follow suit if it can. @param {import("./types").State} state @returns {number[]} */
export function legal(state) {
  const hand = handOf(state.holders, state.turn);
  if (!state.trick.length) return hand;
  const following = hand.filter((card) => suitOf(card) === suitOf(state.trick[0]));
  return following.length ? following : hand;
}

/**
 * The position after a card, which must be legal. `left` counts the tricks that are not finished.
 * @param {import("./types").State} state @param {number} card @returns {import("./types").State}
 */
export function play(state, card) {
  const holders = state.holders.slice();
  holders[card] = OUT;
  const trick = [...state.trick, card];
  const next = { ...state, holders, trick, played: [...state.played, card], turn: after(state.turn) };
  if (trick.length < 4) return next;
  const winner = after(state.leader, winning(state.start.strain, trick));
  /** @type {[number, number]} */
  const won = [state.won[0], state.won[1]];
  won[sideOf(winner)] += 1;
  const tricks = [...state.tricks, { leader: state.leader, cards: trick, winner }];
  return { ...next, trick: [], tricks, won, turn: winner, leader: winner, left: state.left - 1 };
}

/**
 * Every position along some cards, the first before any, up to the first card that may not be played.
 * @param {import("./types").Start} start @param {number[]} cards @returns {import("./types").State[]}
 */
export function follow(start, cards) {
  const states = [begin(start)];
  for (const card of cards) {
    const state = states[states.length - 1];
    if (!legal(state).includes(card)) break;
    states.push(play(state, card));
  }
  return states;
}
