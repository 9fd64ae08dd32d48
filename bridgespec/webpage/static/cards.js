// Seats, suits and cards as the solver counts them: seats W N E S, suits S H D C, a card is its slot, 13 * suit + rank
// from the ace down. Strains are NT S H D C, so that the trump suit is the strain less one.

export const SEATS = ["west", "north", "east", "south"];
export const SEAT_LETTERS = "WNES";
export const SUIT_LETTERS = "SHDC";
export const SIGNS = ["♠", "♥", "♦", "♣"];
export const RANKS = "AKQJT98765432";
export const STRAINS = ["NT", "S", "H", "D", "C"];
/** The holder of a card that is out of play, and of one that nobody said where it is. */
export const OUT = 4;
export const UNKNOWN = 5;
/** A bit for each side: 1 North-South, 2 East-West. */
export const VULNERABILITIES = ["none", "ns", "ew", "both"];

/** @param {number} seat @returns {number} 0 North-South, 1 East-West */
export const sideOf = (seat) => (seat % 2 ? 0 : 1);

/** @param {number} seat @param {number} [by] */
export const after = (seat, by = 1) => (seat + by) % 4;

/** @param {number} card */
export const suitOf = (card) => Math.floor(card / 13);

/** @param {number} card */
export const rankOf = (card) => card % 13;

/** The card of "SA"; -1 for anything else. @param {string} text */
export function cardOf(text) {
  const suit = SUIT_LETTERS.indexOf(text[0]);
  const rank = RANKS.indexOf(text[1]);
  return text.length === 2 && suit >= 0 && rank >= 0 ? 13 * suit + rank : -1;
}

/** @param {number} card */
export const cardText = (card) => SUIT_LETTERS[suitOf(card)] + RANKS[rankOf(card)];

/**
 * The 52 holders of a deal in the published JSON form: dotted holdings by seat; cards that stand nowhere are unknown.
 * @param {import("./types").DealJson} deal
 * @returns {number[]}
 */
export function holdersOf(deal) {
  const holders = /** @type {number[]} */ (new Array(52).fill(UNKNOWN));
  [...SEATS, "out"].forEach((key, holder) => {
    const hand = deal[/** @type {keyof import("./types").DealJson} */ (key)];
    (hand ?? "").split(".").forEach((ranks, suit) => {
      for (const rank of ranks) {
        const place = RANKS.indexOf(rank);
        if (place >= 0 && suit < 4) holders[13 * suit + place] = holder;
      }
    });
  });
  return holders;
}

/** A seat's cards in slot order. @param {ArrayLike<number>} holders @param {number} seat @returns {number[]} */
export function handOf(holders, seat) {
  const cards = [];
  for (let card = 0; card < 52; card += 1) if (holders[card] === seat) cards.push(card);
  return cards;
}

/** Whether anything is known of a seat's hand: it has a card, or no card is unknown. @param {number[]} holders @param {number} seat */
export const isKnown = (holders, seat) => holders.includes(seat) || !holders.includes(UNKNOWN);

/** @param {ArrayLike<number>} holders @param {number} seat */
export const pointsOf = (holders, seat) =>
  handOf(holders, seat).reduce((sum, card) => sum + Math.max(0, 4 - rankOf(card)), 0);

/** Whether the four hands are known and of one size, so that the deal can be played and solved. @param {ArrayLike<number>} holders */
export function isPlayable(holders) {
  const sizes = [0, 1, 2, 3].map((seat) => handOf(holders, seat).length);
  return sizes[0] > 0 && sizes.every((size) => size === sizes[0]);
}
