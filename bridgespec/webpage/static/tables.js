// The double-dummy table of a board, its par, and what each side can make.

import { resultText, signed } from "./score.js";
import { fill, grid, h, told } from "./dom.js";
import { makeable, par } from "./par.js";

/** The order of seats in every table. */
const ROWS = [1, 3, 2, 0];

/** @param {(number | null)[]} table @param {import("./words.js").Words} words @param {import("./types").Child} [caption] */
export function trickTable(table, words, caption) {
  const rows = ROWS.map((seat) => [words.letter(seat), ...[0, 1, 2, 3, 4].map((strain) => table[4 * strain + seat] ?? "?")]);
  return grid("dd", caption, ["", ...[0, 1, 2, 3, 4].map(words.strain)], rows);
}

/** @param {(number | null)[] | null} table @returns {table is number[]} */
export const isWhole = (table) => Boolean(table?.every((cell) => cell !== null));

/** Par and its contracts as the page words them; null where something for it is unknown. @param {import("./types").Entry} entry @param {import("./words.js").Words} words */
export function parLine(entry, words) {
  if (!isWhole(entry.table) || entry.dealer === null || entry.vulnerability === null) return null;
  const found = par(entry.table, entry.dealer, entry.vulnerability);
  const contracts = found.contracts.map(({ contract, declarers, tricks }) => h("span", { class: "parcontract" },
    words.contract(contract), " ", declarers.map(words.letter).join(""), " ", resultText(contract, tricks)));
  return [found.contracts.length ? signed(found.score) : words.say("passedOut"), contracts.map((one) => [" ", one])];
}

/** @param {import("./types").Entry} entry @param {number} side @param {import("./words.js").Words} words */
function makes(entry, side, words) {
  const found = makeable(entry.table ?? [])[side];
  return found.length ? found.map(({ contract, declarers }) => [" ", h("span", { class: "parcontract" }, words.contract(contract),
    declarers.length < 2 ? [" ", declarers.map(words.letter).join("")] : null)]) : words.say("makesNothing");
}

/**
 * Everything that double dummy says of a board, solved now where the file does not.
 * @param {import("./types").Entry} entry @param {import("./words.js").Words} words @param {import("./solver.js").Solver} solver
 * @param {AbortSignal} signal
 */
export function doubleDummy(entry, words, solver, signal) {
  const place = h("section", { class: "double-dummy", "aria-busy": "false" });
  const { say } = words;
  /** @param {import("./types").Child} note */
  const show = (note) => fill(place,
    h("h2", null, say("doubleDummy")),
    h("div", { class: "ddrow" },
      entry.table ? trickTable(entry.table, words) : null,
      h("dl", { class: "pairs" },
        isWhole(entry.table) ? [
          item(say("par"), parLine(entry, words)),
          [0, 1].map((side) => item(`${words.sideLetters[side]} ${say("makes").toLowerCase()}`, makes(entry, side, words))),
        ] : null,
        entry.parText ? item(say("parDeclared"), told(entry.parText)) : null)),
    h("p", { class: "quiet source", role: "status" }, note));
  if (isWhole(entry.table)) show(entry.solvedHere ? say("solvedHere") : say("fromFile"));
  else if (!entry.playable) show(entry.table ? say("fromFile") : say("unsolvable"));
  else {
    show(say("solving"));
    place.setAttribute("aria-busy", "true");
    solver.complete(entry, 1, signal).then(() => show(say("solvedHere")), (error) => {
      if (!signal.aborted) show(say("failed", { reason: String(error.message ?? error) }));
    }).finally(() => place.setAttribute("aria-busy", "false"));
  }
  return place;
}

/** @param {import("./types").Child} name @param {import("./types").Child} value */
const item = (name, value) => (value ? h("div", null, h("dt", null, name), h("dd", null, value)) : null);

