// The way in for other pages: one board, or a document, in an element of theirs.

import { showBoard } from "./board.js";
import { entryOf } from "./boards.js";
import { makeEngine } from "./engine.js";
import { openFile, recognise } from "./open.js";
import { Settings } from "./settings.js";
import { Solver } from "./solver.js";
import { wordsOf } from "./words.js";

/**
 * Draw a board of the published JSON into an element; what it returns takes it away again. The solver starts when it is needed.
 * @param {HTMLElement} place @param {import("./types").BoardJson} board @param {Record<string, string | Record<string, string>>} texts
 * @returns {() => void}
 */
export function renderBoard(place, board, texts) {
  const ending = new AbortController();
  const settings = new Settings();
  const page = { words: wordsOf(texts, settings.ten), solver: new Solver(makeEngine), settings };
  showBoard(place, entryOf(board), page, ending.signal);
  return () => {
    ending.abort();
    place.replaceChildren();
  };
}

export { openFile, recognise };
