// From the documents that the page was given to the boards that it shows, each with all its results.

import { bought } from "./auction.js";
import { cardOf, holdersOf, isPlayable, SEAT_LETTERS, SEATS, STRAINS, VULNERABILITIES } from "./cards.js";
import { boardPoints } from "./score.js";
import { namesOf, rowsOf } from "./travellers.js";

/**
 * Boards of one number and deal are one entry: the rooms of a match, the tables of a pairs' event, deals and results in two files.
 * @param {import("./types").DocumentJson[]} documents
 * @returns {import("./types").Entry[]} in the order in which they first stand
 */
export function entriesOf(documents) {
  /** @type {Map<string, import("./types").Entry>} */
  const found = new Map();
  /** @type {Map<string, number>} */
  const seen = new Map();
  const names = namesOf(documents);
  documents.forEach((document, place) => (document.boards ?? []).forEach((board, index) => {
    const holders = board.deal ? holdersOf(board.deal) : null;
    const mark = holders ? `${board.number ?? index}:${holders.join("")}` : `${board.number}:${place}:${index}`;
    let entry = found.get(mark);
    if (!entry) {
      const name = String(board.number ?? found.size + 1);
      const times = (seen.get(name) ?? 0) + 1;
      seen.set(name, times);
      entry = newEntry(board, holders, times > 1 ? `${name}.${times}` : name, sectionOf(board, document));
      found.set(mark, entry);
    }
    add(entry, board, names);
  }));
  for (const entry of found.values()) entry.results.sort((one, other) => roomOrder(one) - roomOrder(other));
  return [...found.values()];
}

/** The open room of a match stands first: there the home team sits North-South. @param {import("./types").Result} result */
const roomOrder = ({ room }) => (room === "Open" ? 0 : room === "Closed" ? 1 : 2);

/** One board as an entry, for showing it alone. @param {import("./types").BoardJson} board */
export const entryOf = (board) => entriesOf([{ boards: [board] }])[0];

/**
 * @param {import("./types").BoardJson} board @param {number[] | null} holders @param {string} key @param {import("./types").Section} section
 * @returns {import("./types").Entry}
 */
function newEntry(board, holders, key, section) {
  const number = board.number ?? null;
  return {
    key, number, section, holders, playable: Boolean(holders && isPlayable(holders)),
    dealer: board.dealer === undefined ? standardDealer(number) : SEATS.indexOf(board.dealer),
    vulnerability: board.vulnerability === undefined ? standardVulnerability(number) : VULNERABILITIES.indexOf(board.vulnerability),
    table: null, parText: null, boards: [], results: [],
  };
}

/** What boards have in common that stand under one heading. @param {import("./types").BoardJson} board @param {import("./types").DocumentJson} document */
const sectionOf = (board, document) => ({
  event: board.event ?? document.event ?? "", round: board.round ?? "", teams: (board.teams ?? []).filter(Boolean).join(" – "),
});

/** @param {number | null} number */
export const standardDealer = (number) => (number === null ? null : number % 4);

/** Vulnerability rises by one each board and by one more each round of four. @param {number | null} number */
export function standardVulnerability(number) {
  if (number === null) return null;
  const place = (((number - 1) % 16) + 16) % 16;
  return (place + Math.floor(place / 4)) % 4;
}

/** @param {import("./types").Entry} entry @param {import("./types").BoardJson} board @param {Map<string, string>} names of contestants */
function add(entry, board, names) {
  entry.boards.push(board);
  entry.parText ??= board.par ?? null;
  if (board.tricks && !isEmpty(board.tricks)) entry.table = merged(entry.table, board.tricks);
  // A board with a table of results states nothing of a single one.
  const rows = rowsOf(board, names);
  for (const { made, ...more } of rows) {
    const result = resultOf(entry, made);
    if (result) entry.results.push({ ...result, ...more });
  }
  const own = rows.length ? null : resultOf(entry, board);
  if (own) entry.results.push(own);
}

/** A table of zeros is not a table: programs write it where nothing was solved. @param {Record<string, Record<string, number>>} tricks */
function isEmpty(tricks) {
  const cells = Object.values(tricks).flatMap((row) => Object.values(row));
  return cells.length >= 5 && cells.every((cell) => cell === 0);
}

/** @param {(number | null)[] | null} table @param {Record<string, Record<string, number>>} tricks */
function merged(table, tricks) {
  const cells = table ?? new Array(20).fill(null);
  for (const [letter, row] of Object.entries(tricks)) {
    for (const [label, cell] of Object.entries(row)) {
      cells[4 * STRAINS.indexOf(label) + SEAT_LETTERS.indexOf(letter)] ??= cell <= 13 ? cell : null;
    }
  }
  return cells;
}

/**
 * What happened at a table; null where the board only says what was dealt.
 * @param {import("./types").Entry} entry @param {import("./types").BoardJson} board
 * @returns {import("./types").Result | null}
 */
function resultOf(entry, board) {
  if (!board.auction?.calls?.length && !board.contract && board.score === undefined && !board.play?.tricks.length) return null;
  const { contract, declarer } = bought(board, entry.dealer);
  const tricks = board.result ?? board.play?.claim ?? null;
  const computed = contract && (tricks !== null || !contract.level) && entry.vulnerability !== null
    ? boardPoints(contract, declarer, tricks ?? 0, entry.vulnerability) : null;
  const all = board.play?.tricks ?? [];
  const played = all.flatMap((trick) => trick.cards.map(cardOf));
  return {
    board, contract, tricks, played, declarer, room: board.room ?? "", names: board.players ?? [null, null, null, null],
    score: board.score ?? computed, leader: all.length ? SEATS.indexOf(all[0].leader) : null,
  };
}
