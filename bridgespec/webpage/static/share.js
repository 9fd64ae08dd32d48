// Boards in links: in the fragment, which no server is sent, as their published JSON; read back with care, since anybody can make a link.

import { SEATS } from "./cards.js";
import { fill, h } from "./dom.js";
import { HANDVIEWER, linOf, pbnOf, textOf } from "./exports.js";

/** So many characters has a text of a board at most, and so many members a list. */
const LONGEST = 2000;
const MOST = 400;
const SEAT = "(?:west|north|east|south)";
const CARD = "[SHDC][AKQJT2-9]";

/** @typedef {(value: any) => boolean} Test */

/** @param {string} pattern @returns {Test} */
const like = (pattern) => (value) => typeof value === "string" && new RegExp(`^(?:${pattern})$`).test(value);
/** @param {number} low @param {number} high @returns {Test} */
const within = (low, high) => (value) => Number.isInteger(value) && value >= low && value <= high;
/** @type {Test} */
const text = (value) => typeof value === "string" && value.length <= LONGEST;
/** @param {Test} each @returns {Test} */
const list = (each) => (value) => Array.isArray(value) && value.length <= MOST && value.every(each);
/** Only these members, each as it should be. @param {Record<string, Test>} members @returns {Test} */
const object = (members) => (value) => value !== null && typeof value === "object" && !Array.isArray(value)
  && Object.entries(value).every(([name, member]) => Object.hasOwn(members, name) && members[name](member));

const HAND = like("[AKQJT2-9]*(?:\\.[AKQJT2-9]*){3}");

/** What a board of a link may state. */
const BOARD = object({
  number: within(0, 1e6), dealer: like(SEAT), vulnerability: like("none|ns|ew|both"),
  deal: object({ west: HAND, north: HAND, east: HAND, south: HAND }),
  contract: like("[1-7](?:NT|[SHDC])X{0,2}|Pass"), declarer: like(SEAT), result: within(0, 13), score: within(-10000, 10000),
  players: list((name) => name === null || text(name)), event: text, room: text, round: text,
  auction: object({ first: like(SEAT), closed: (value) => typeof value === "boolean",
    calls: list(object({ call: like("[1-7](?:NT|[SHDC])|Pass|X|XX"), alert: (value) => typeof value === "boolean", explanation: text })) }),
  play: object({ tricks: list(object({ leader: like(SEAT), cards: list(like(CARD)) })), claim: within(0, 13) }),
});

/** A board as the text of a link. @param {import("./types").BoardJson} board */
export function packed(board) {
  const bytes = new TextEncoder().encode(JSON.stringify(board));
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join("")).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** The board of a link; null where it is not one. @param {string} given @returns {import("./types").BoardJson | null} */
export function unpacked(given) {
  try {
    const bytes = Uint8Array.from(atob(given.replaceAll("-", "+").replaceAll("_", "/")), (character) => character.charCodeAt(0));
    const board = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    return BOARD(board) ? board : null;
  } catch {
    return null;
  }
}

/** What a link leaves out of a board, by the key of its name. @type {Record<string, (keyof import("./types").BoardJson)[]>} */
const OMITTED = { "omitResults": ["result", "score", "play"], "omitAuction": ["auction", "contract", "declarer"], "omitNames": ["players"] };

/**
 * A board as a link has it: what it may state, in the order of the published JSON, without what was left out.
 * @param {import("./types").Entry} entry @param {import("./types").Result | null} result @param {{left: string[], seats: string[]}} without
 * @returns {import("./types").BoardJson}
 */
export function sharedBoard(entry, result, { left, seats }) {
  const from = result?.board ?? entry.boards[0];
  const gone = new Set(left.flatMap((name) => OMITTED[name]));
  const names = /** @type {(keyof import("./types").BoardJson)[]} */ (["number", "dealer", "vulnerability", "deal", "contract", "declarer", "result", "score", "players", "event", "room", "round"]);
  const kept = Object.fromEntries(names.filter((name) => from[name] !== undefined && !gone.has(name)).map((name) => [name, from[name]]));
  const hands = Object.entries(from.deal ?? {}).filter(([seat]) => seat !== "out" && !seats.includes(seat));
  const calls = from.auction?.calls?.map(({ call, alert, explanation }) => ({ call, ...(alert ? { alert } : {}), ...(explanation ? { explanation } : {}) }));
  const play = from.play && { tricks: from.play.tricks.map(({ leader, cards }) => ({ leader, cards })), ...(from.play.claim === undefined ? {} : { claim: from.play.claim }) };
  return {
    ...kept, ...(from.deal ? { deal: Object.fromEntries(hands) } : {}),
    ...(calls && !gone.has("auction") ? { auction: { ...(from.auction?.first ? { first: from.auction.first } : {}), calls } } : {}),
    ...(play && !gone.has("play") ? { play } : {}),
  };
}

/**
 * How a board is passed on: a link, other programs' forms, a diagram as text. What is ticked is in none of them.
 * @param {import("./types").Entry} entry @param {import("./types").Result | null} result @param {import("./words.js").Words} words
 * @param {() => Record<string, string>} where where its play is, as parts of a link
 */
export function shareView(entry, result, words, where) {
  const { say } = words;
  const note = h("p", { class: "quiet", role: "status" });
  const shown = h("textarea", { rows: "6", readonly: true, spellcheck: "false", "aria-label": say("share"), hidden: true });
  /** @param {string} name @param {import("./types").Child} label */
  const tick = (name, label) => h("label", { class: "check" }, h("input", { type: "checkbox", name, onchange: () => update() }), label);
  const ticks = h("div", { class: "choices" }, `${say("leaveOut")} `,
    Object.keys(OMITTED).map((name) => tick(name, say(name))), SEATS.map((seat, index) => tick(seat, words.seats[index])));
  const viewer = h("a", { rel: "noreferrer", target: "_blank" }, say("handViewer"));

  function board() {
    const ticked = [...ticks.querySelectorAll("input")].filter((one) => one.checked).map((one) => one.getAttribute("name") ?? "");
    return sharedBoard(entry, result, { left: ticked.filter((name) => name in OMITTED), seats: ticked.filter((name) => SEATS.includes(name)) });
  }

  function link() {
    const parts = { shared: packed(board()), ...where() };
    return `${location.href.split("#")[0]}#${new URLSearchParams(parts)}`;
  }

  function update() {
    viewer.setAttribute("href", HANDVIEWER + encodeURIComponent(linOf(board())));
    shown.hidden = true;
    note.textContent = "";
  }

  /** Show a text and copy it where the browser lets a page. @param {string} made */
  async function give(made) {
    shown.textContent = made;
    shown.hidden = false;
    shown.select?.();
    try {
      await navigator.clipboard.writeText(made);
      note.textContent = say("copied");
    } catch {
      note.textContent = say("copyIt");
    }
  }

  /** @param {string} key @param {() => string} make */
  const button = (key, make) => h("button", { type: "button", onclick: () => give(make()) }, say(key));
  update();
  const place = h("details", { class: "share" });
  fill(place, h("summary", null, say("share")), ticks,
    h("div", { class: "steps" }, button("shareLink", link), button("sharePbn", () => pbnOf(board())), button("shareLin", () => linOf(board())),
      button("shareText", () => textOf(board(), words)), viewer), note, shown);
  return place;
}
