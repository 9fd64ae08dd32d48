// A board in other programs' forms: PBN, LIN, the link of a hand viewer, and a diagram as text.

import { bought } from "./auction.js";
import { standardDealer, standardVulnerability } from "./boards.js";
import { RANKS, SEAT_LETTERS, SEATS, SIGNS, SUIT_LETTERS, VULNERABILITIES } from "./cards.js";

/** The hand viewer of Bridge Base Online, which takes LIN in its link. */
export const HANDVIEWER = "https://www.bridgebase.com/tools/handviewer.html?lin=";

/** @typedef {import("./types").BoardJson} Board */
const CLOCKWISE = [1, 2, 3, 0];
const FROM_SOUTH = [3, 0, 1, 2];

/** Dealer and vulnerability, as stated or after the board's number. @param {Board} board */
function situation(board) {
  const { dealer, vulnerability } = board;
  const number = board.number ?? null;
  return { dealer: dealer === undefined ? standardDealer(number) : SEATS.indexOf(dealer),
    vulnerability: vulnerability === undefined ? standardVulnerability(number) : VULNERABILITIES.indexOf(vulnerability) };
}

/** @param {Board} board @param {number} seat */
const handOf = ({ deal }, seat) => deal?.[/** @type {"west"} */ (SEATS[seat])] ?? "";

/** The cards of a play by the seat that played them, trick by trick. @param {Board} board */
const tricksOf = ({ play }) => (play?.tricks ?? []).map(({ leader, cards }) => {
  const first = SEATS.indexOf(leader);
  return [0, 1, 2, 3].map((seat) => cards[(seat - first + 4) % 4]);
});

/** @param {Board} board */
export function linOf(board) {
  const { dealer, vulnerability } = situation(board);
  /** What LIN separates fields by cannot be within one. @param {string | null | undefined} text */
  const plain = (text) => (text ?? "").replaceAll("|", " ");
  const parts = [];
  if (board.players?.some(Boolean)) parts.push("pn", FROM_SOUTH.map((seat) => plain(board.players?.[seat]).replaceAll(",", " ")).join(","));
  const hands = FROM_SOUTH.map((seat) => handOf(board, seat).split(".").map((ranks, suit) => (ranks ? SUIT_LETTERS[suit] + ranks : "")).join(""));
  // LIN has no deal without a dealer.
  if (board.deal) parts.push("md", `${FROM_SOUTH.indexOf(dealer ?? 1) + 1}${hands.join(",")}`);
  if (board.number !== undefined) parts.push("ah", `Board ${board.number}`);
  if (vulnerability !== null) parts.push("sv", "oneb"[vulnerability]);
  for (const { call, alert, explanation } of board.auction?.calls ?? []) {
    parts.push("mb", ({ Pass: "p", X: "d", XX: "r" }[call] ?? call.replace("NT", "N")) + (alert ? "!" : ""));
    if (explanation) parts.push("an", plain(explanation));
  }
  const cards = (board.play?.tricks ?? []).flatMap((trick) => trick.cards);
  cards.forEach((card, index) => parts.push("pc", card, ...(index % 4 === 3 ? ["pg", ""] : [])));
  const claim = board.play?.claim ?? (cards.length < 52 ? board.result : undefined);
  if (claim !== undefined) parts.push("mc", String(claim));
  return parts.map((part) => `${part}|`).join("");
}

/** @param {Board} board */
export function pbnOf(board) {
  const { dealer, vulnerability } = situation(board);
  const lines = [];
  /** @param {string} name @param {string | number | null | undefined} value */
  const tag = (name, value) => {
    if (value !== null && value !== undefined) lines.push(`[${name} "${String(value).replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"]`);
  };
  tag("Event", board.event);
  tag("Round", board.round);
  tag("Room", board.room);
  tag("Board", board.number);
  CLOCKWISE.forEach((seat) => tag(["West", "North", "East", "South"][seat], board.players?.[seat]));
  tag("Dealer", dealer === null ? null : SEAT_LETTERS[dealer]);
  tag("Vulnerable", vulnerability === null ? null : ["None", "NS", "EW", "All"][vulnerability]);
  if (board.deal) tag("Deal", `N:${CLOCKWISE.map((seat) => handOf(board, seat) || "-").join(" ")}`);
  const { contract, declarer } = bought(board, dealer);
  if (contract) {
    tag("Declarer", declarer === null ? null : SEAT_LETTERS[declarer]);
    tag("Contract", contract.level ? board.contract ?? `${contract.level}${["NT", "S", "H", "D", "C"][contract.strain]}${"X".repeat(contract.doubling)}` : "Pass");
  }
  tag("Result", board.result);
  const calls = board.auction?.calls ?? [];
  if (calls.length) {
    const first = board.auction?.first === undefined ? dealer ?? 0 : SEATS.indexOf(board.auction.first);
    tag("Auction", SEAT_LETTERS[first]);
    const notes = [...new Set(calls.flatMap(({ explanation }) => (explanation ? [explanation] : [])))];
    const cells = calls.map(({ call, alert, explanation }) => call + (explanation ? ` =${notes.indexOf(explanation) + 1}=` : alert ? " !" : ""));
    for (let at = 0; at < cells.length; at += 4) lines.push(cells.slice(at, at + 4).join(" "));
    notes.forEach((note, index) => tag("Note", `${index + 1}:${note}`));
  }
  const tricks = tricksOf(board);
  if (tricks.length && board.play) {
    const first = SEATS.indexOf(board.play.tricks[0].leader);
    tag("Play", SEAT_LETTERS[first]);
    for (const trick of tricks) lines.push([0, 1, 2, 3].map((by) => trick[(first + by) % 4] ?? "-").join(" "));
    lines.push("*");
  }
  return `${lines.join("\n")}\n`;
}

/** A diagram as text, with suit signs. @param {Board} board @param {import("./words.js").Words} words */
export function textOf(board, words) {
  const { dealer, vulnerability } = situation(board);
  /** @param {number} seat */
  const suits = (seat) => handOf(board, seat).split(".").map((ranks, suit) =>
    `${SIGNS[suit]} ${[...ranks].map((rank) => words.ranks[RANKS.indexOf(rank)]).join("") || words.say("void")}`);
  /** @param {number} seat */
  const block = (seat) => (handOf(board, seat) ? suits(seat) : [words.say("unknownHand"), "", "", ""]);
  const wide = Math.max(12, ...block(0).map((line) => line.length + 3));
  const head = [board.number === undefined ? "" : words.say("board", { number: board.number }), dealer === null ? "" : words.say("deals", { seat: words.seats[dealer] }),
    vulnerability === null ? "" : words.say(`vulnerable${vulnerability}`)].filter(Boolean).join(". ");
  const [west, east] = [block(0), block(2)];
  return [head, ...block(1).map((line) => " ".repeat(wide) + line), ...west.map((line, row) => (line.padEnd(2 * wide) + east[row]).trimEnd()),
    ...block(3).map((line) => " ".repeat(wide) + line), ""].join("\n");
}
