// Tables of results that stand with a board (ScoreTable in PBN): each row is the result of a table.

import { cardOf, SEAT_LETTERS, SEATS } from "./cards.js";

/** The names of the tables of results and of totals. */
export const RESULTS = "ScoreTable";
const TOTALS = "TotalScoreTable";
const CONTRACT = /^([1-7])\s*(NT?|[SHDC])\s*(X{0,2})$/i;
const SIDES = ["NS", "EW"];

/**
 * The cells of each row of the tables of a name, by column; `-` and `?` are cells that say nothing.
 * @param {import("./types").BoardJson} board @param {string} name @returns {Record<string, string>[]}
 */
const cellsOf = (board, name) => (board.tables ?? []).filter((table) => table.name === name).flatMap(({ columns, rows }) =>
  (rows ?? []).map((row) => Object.fromEntries(columns.map((column, index) => [column.name, row[index] ?? ""]).filter(([, cell]) => !/^[-?]*$/.test(cell)))));

/** The names of contestants by their numbers (`NS3`, or `3` where both directions are one field). @param {import("./types").DocumentJson[]} documents */
export const namesOf = (documents) => new Map(documents.flatMap(({ boards }) => (boards ?? []).flatMap((board) => cellsOf(board, TOTALS)))
  .flatMap(({ PairId, TeamId, Names, Name }) => (Names ?? Name ? [/** @type {[string, string]} */ ([PairId ?? TeamId, Names ?? Name])] : [])));

/** @param {string | undefined} text */
const numberOf = (text) => (text === undefined || Number.isNaN(Number(text)) ? undefined : Number(text));

/** The published form of a contract. @param {string | undefined} text */
function contractText(text) {
  const match = CONTRACT.exec(text ?? "");
  if (match) return `${match[1]}${match[2].toUpperCase().replace(/^N$/, "NT")}${match[3].toUpperCase()}`;
  return /^pass$/i.test(text ?? "") ? "Pass" : undefined;
}

/**
 * Each row of the tables of results of a board: a board of that result alone, and what only such a row has.
 * @param {import("./types").BoardJson} board @param {Map<string, string>} names of contestants, by number
 * @returns {{made: import("./types").BoardJson, lead: number | null, pairs: string[], count: number, stated: {matchpoints?: number, imps?: number}}[]}
 */
export const rowsOf = (board, names) => cellsOf(board, RESULTS).map((cells) => {
  const declarer = SEAT_LETTERS.indexOf(cells.Declarer ?? " ");
  const card = cardOf((cells.Lead ?? "").replace("10", "T"));
  const pairs = SIDES.map((side) => ({ id: cells[`PairId_${side}`] ?? "", name: names.get(side + cells[`PairId_${side}`]) ?? names.get(cells[`PairId_${side}`] ?? "") }));
  return {
    made: {
      ...board, tables: [], auction: undefined, play: undefined, players: undefined, room: cells.Table,
      contract: contractText(cells.Contract), declarer: declarer < 0 ? undefined : SEATS[declarer], result: numberOf(cells.Result), score: numberOf(cells.Score_NS),
    },
    lead: card < 0 ? null : card,
    pairs: pairs.map(({ id, name }) => [id, name].filter(Boolean).join(" ")),
    count: numberOf(cells.Multiplicity) ?? 1,
    stated: { matchpoints: numberOf(cells.Percentage_NS), imps: numberOf(cells.IMP_NS) },
  };
});
