// The words of the page: one table of texts, which a translator can replace, and how cards, calls and contracts are spelled.

import { rankOf, SIGNS, suitOf } from "./cards.js";
import { h } from "./dom.js";
import { resultText } from "./score.js";

/** @typedef {ReturnType<typeof wordsOf>} Words */

/** The place of the ten among the ranks. */
const TEN = 4;

/** @param {Record<string, string | Record<string, string>>} texts @param {string} [ten] how a ten is spelled, if not as the texts have it */
export function wordsOf(texts, ten) {
  const language = String(texts.language);
  const plural = new Intl.PluralRules(language);
  /** @param {string} key */
  const list = (key) => String(texts[key]).split(" ");
  const [ranks, rankNames, suitNames, seats] = [list("ranks"), list("rankNames"), list("suitNames"), list("seatNames")];
  if (ten) ranks[TEN] = ten;

  /**
   * The text of a key with its values in place; where it has forms of number, that of `n`, or of `cost` where there is one.
   * @type {import("./types").Say}
   */
  const say = (key, values = {}) => {
    const text = texts[key];
    if (text === undefined) throw new Error(`there is no text "${key}"`);
    const form = typeof text === "string" ? text : text[plural.select(Number(values.cost ?? values.n))] ?? text.other;
    return form.replace(/\{(\w+)\}/g, (whole, name) => String(values[name] ?? whole));
  };

  /** A suit's sign; heard as its name. @param {number} suit */
  const sign = (suit) => h("span", { class: `suit ${"shdc"[suit]}`, role: "img", "aria-label": suitNames[suit] }, SIGNS[suit]);

  /** @param {number} card */
  const card = (card) => h("span", { class: "card" }, sign(suitOf(card)), ranks[rankOf(card)]);

  /** @param {number} card */
  const cardName = (card) => say("cardName", { rank: rankNames[rankOf(card)], suit: suitNames[suitOf(card)] });

  /** @param {number} strain */
  const strain = (strain) => (strain ? sign(strain - 1) : h("span", { class: "nt" }, say("notrump")));

  /** @param {number} strain */
  const strainName = (strain) => (strain ? suitNames[strain - 1] : say("notrumpName"));

  /** A text with its suit signs in their colours. @param {string | null | undefined} text */
  const rich = (text) => text && h("bdi", null, text.split(/([♠♥♦♣]\ufe0e?)/).map((part, index) => (index % 2 ? sign(SIGNS.indexOf(part[0])) : part)));

  /** A call in the published spelling: "1NT", "2H", "Pass", "X". @param {string} text */
  const call = (text) => {
    const named = /** @type {Record<string, string>} */ ({ Pass: "pass", X: "double", XX: "redouble" })[text];
    return h("span", { class: "call" }, named ? say(named) : [text[0], strain("NSHDC".indexOf(text[1]))]);
  };

  /** @param {import("./types").Contract} contract */
  const contract = (contract) => (contract.level
    ? h("span", { class: "contract" }, contract.level, strain(contract.strain), say("double").repeat(contract.doubling))
    : say("passedOut"));

  /** @param {import("./types").Contract} contract */
  const contractName = ({ level, strain: played, doubling }) =>
    [`${level}${played ? SIGNS[played - 1] : say("notrump")}`, ["", say("doubleName"), say("redoubleName")][doubling]].filter(Boolean).join(" ");

  /** "4♠X W −2", as far as it is known. @param {import("./types").Result} result */
  const outcome = ({ contract: bid, declarer, tricks }) => bid && [
    contract(bid), declarer === null ? null : [" ", letter(declarer)],
    tricks === null || !bid.level ? null : [" ", resultText(bid, tricks)],
  ];

  /** @param {number} seat */
  const letter = (seat) => list("seatLetters")[seat];

  /** Points as the side that scored them has them: "NS 420". @param {number | null} points */
  const score = (points) => (points === null ? "" : points === 0 ? "0"
    : say("scoreSide", { side: list("sideLetters")[points > 0 ? 0 : 1], points: Math.abs(points) }));

  return {
    language, isLongTen: ranks[TEN] === "10", spellTen: (/** @type {string} */ spelled) => { ranks[TEN] = spelled; }, say, rich, sign, card, cardName, strain, strainName, call, contract, contractName, outcome, letter, score, ranks, seats,
    sides: list("sideNames"), sideLetters: list("sideLetters"),
  };
}
