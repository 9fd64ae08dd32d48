// A board of the reader's own: typed, pasted, built card by card, or dealt by a condition.

import { handOf, holdersOf, OUT, RANKS, SEAT_LETTERS, SEATS, suitOf } from "./cards.js";
import { conditionOf, dealt } from "./condition.js";
import { fill, h } from "./dom.js";

/** The hands of "N:AK.. ... ... ...", clockwise from the seat named, or from North; null for anything else. @param {string} text */
export function typedDeal(text) {
  const match = /^\s*(?:([WNES])\s*:)?\s*((?:\S+\s+){3}\S+)\s*$/i.exec(text.replaceAll("10", "T"));
  const hands = match?.[2].toUpperCase().split(/\s+/) ?? [];
  if (!match || !hands.every((hand) => /^(?:-|[AKQJT2-9]*(?:\.[AKQJT2-9]*){3})$/.test(hand))) return null;
  const first = SEAT_LETTERS.indexOf((match[1] ?? "N").toUpperCase());
  const cards = hands.join("").replaceAll(/[-.]/g, "").length;
  const deal = Object.fromEntries(hands.map((hand, index) => [SEATS[(first + index) % 4], hand === "-" ? "..." : hand]));
  const holders = holdersOf(deal).map((holder) => (holder > OUT ? OUT : holder));
  return holders.filter((holder) => holder < OUT).length === cards ? holders : null;
}

/** The published form of a deal. @param {number[]} holders */
const dealOf = (holders) => Object.fromEntries(SEATS.map((name, seat) => [name, [0, 1, 2, 3].map((suit) =>
  handOf(holders, seat).filter((card) => suitOf(card) === suit).map((card) => RANKS[card % 13]).join("")).join(".")]));

/**
 * @param {Element} place @param {import("./words.js").Words} words @param {(board: import("./types").BoardJson) => void} done
 * @param {((text: string) => void) | null} open what reads a text of any known format
 */
export function showMake(place, words, done, open) {
  const { say } = words;
  let holders = /** @type {number[]} */ (new Array(52).fill(OUT));
  let seat = 1;
  const note = h("p", { role: "status", class: "error" });
  const number = h("input", { id: "number", type: "number", min: "1", value: "1" });
  const typed = h("textarea", { id: "typed", rows: "3", spellcheck: "false", placeholder: "N:AKQ5.J92.T4.K863 …" });
  const condition = h("input", { id: "condition", type: "text", spellcheck: "false", placeholder: "north: hcp 15-17 and balanced; south: hearts 5+" });
  const table = h("div", { class: "builder" });

  /** Give a card to the chosen seat, or take it back. @param {number} card */
  function give(card) {
    if (holders[card] === seat) holders[card] = OUT;
    else if (handOf(holders, seat).length < 13) holders[card] = seat;
    const next = [1, 2, 3, 0].find((other) => handOf(holders, other).length < 13);
    if (next !== undefined && handOf(holders, seat).length === 13) seat = next;
    draw();
    /** @type {HTMLElement | null} */ (table.querySelector(`[data-keep="give${card}"]`))?.focus();
  }

  function draw() {
    fill(table,
      h("div", { class: "steps", role: "group", "aria-label": say("giveTo") }, [1, 2, 3, 0].map((one) => h("button", {
        type: "button", "aria-pressed": String(one === seat), onclick: () => { seat = one; draw(); } }, words.seats[one], h("small", null, ` ${handOf(holders, one).length}`)))),
      [0, 1, 2, 3].map((suit) => h("div", { class: "row" }, words.sign(suit), Array.from({ length: 13 }, (_, rank) => {
        const card = 13 * suit + rank;
        const holder = holders[card];
        return h("button", { type: "button", class: holder === seat ? "own" : holder < OUT ? "taken" : "", "data-keep": `give${card}`, onclick: () => give(card) },
          words.ranks[rank], h("small", null, holder < OUT ? words.letter(holder) : "\u00a0"), h("span", { class: "sr" }, ` ${words.cardName(card)}`));
      }))));
  }

  function type() {
    const found = typedDeal(typed.value);
    note.textContent = "";
    if (found) {
      holders = found;
      draw();
    } else if (open && typed.value.trim()) open(typed.value);
    else note.textContent = say("notADeal");
  }

  function deal() {
    const test = conditionOf(condition.value);
    note.textContent = test ? "" : say("notACondition");
    if (!test) return;
    const made = dealt(holders, test);
    if (made) {
      holders = made;
      draw();
    } else note.textContent = say("noSuchDeal");
  }

  function show() {
    const left = holders.filter((holder) => holder === OUT).length;
    note.textContent = left ? say("cardsLeft", { n: left }) : "";
    if (!left) done({ number: Math.max(1, Math.floor(Number(number.value)) || 1), deal: dealOf(holders) });
  }

  /** @param {string} key @param {() => void} act @param {string} [name] */
  const button = (key, act, name) => h("button", { type: "button", class: name, onclick: act }, say(key));
  draw();
  fill(place,
    h("p", null, h("label", { for: "typed" }, say("typeDeal"))), typed, h("p", null, button("takeDeal", type)),
    h("h2", null, say("buildDeal")), table,
    h("p", null, h("label", { for: "condition" }, say("dealWhere"))), condition,
    h("p", { class: "steps" }, button("dealRest", deal), button("clear", () => { holders = new Array(52).fill(OUT); draw(); })),
    h("p", null, h("label", null, `${say("boardOnly")} `, number), " ", button("showBoard", show, "enter")), note);
}
