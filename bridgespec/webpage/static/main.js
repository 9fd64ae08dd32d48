// Where the page starts: it takes the boards and the texts out of the page and shows them.

import { startApp } from "./app.js";
import { makeEngine } from "./engine.js";

/** @param {string} id */
const data = (id) => JSON.parse(document.getElementById(id)?.textContent ?? "null");

startApp(/** @type {HTMLElement} */ (document.getElementById("page")), data("boards"), data("texts"), makeEngine,
  /** @type {any} */ (globalThis).bridgespecReaders ?? null);
