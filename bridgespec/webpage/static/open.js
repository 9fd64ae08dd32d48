// A reader's own file: dropped, chosen or pasted, read in the page by readers made from the formats' schemas. Nothing leaves it.

import { fill, h, told } from "./dom.js";

/** So many characters tell what a text is. */
const ENOUGH = 20000;
/** So many findings are listed, and so many boards shown. */
const LISTED = 100;
const SHOWN = 1000;

/**
 * What a reader makes of a file; null where none reads it.
 * @param {Record<string, import("./types").Reader>} readers @param {string} name of the file, empty of what was pasted @param {Uint8Array} bytes
 * @returns {import("./types").Opened | null}
 */
export function openFile(readers, name, bytes) {
  const id = recognise(readers, name, bytes);
  if (id === null) return null;
  const { format, read, model } = readers[id];
  const { tree, findings } = read(bytes);
  const document = model?.(tree) ?? { boards: [] };
  const count = document.boards?.length ?? 0;
  return { name, format, findings, count, document: { ...document, boards: document.boards?.slice(0, SHOWN) } };
}

/**
 * The format of a file: of those of its extension, else of all texts, the one that reads most of its beginning.
 * @param {Record<string, import("./types").Reader>} readers @param {string} name @param {Uint8Array} bytes
 */
export function recognise(readers, name, bytes) {
  const ending = /\.([^.]*)$/.exec(name.toLowerCase())?.[1] ?? "";
  const named = Object.keys(readers).filter((id) => readers[id].format.extensions.includes(ending));
  if (named.length === 1) return named[0];
  const texts = Object.keys(readers).filter((id) => readers[id].format.language === "lark" && readers[id].model);
  let best = null;
  let most = 0;
  for (const id of named.length ? named : texts) {
    const worth = suits(readers[id], bytes);
    if (worth > most) [best, most] = [id, worth];
  }
  return best ?? named[0] ?? null;
}

/** How well a reader suits: by what it finds on boards, less by what it finds wrong. @param {import("./types").Reader} reader @param {Uint8Array} bytes */
function suits({ read, model }, bytes) {
  const { tree, findings } = read(bytes.subarray(0, ENOUGH));
  const boards = model?.(tree).boards ?? [];
  const said = boards.reduce((sum, board) => sum + Object.keys(board).length + (board.deal ? 4 : 0), 0);
  const wrong = findings.reduce((sum, { severity }) => sum + (severity === "error" ? 8 : severity === "warning" ? 1 : 0), 0);
  return boards.length ? said / (1 + wrong) : 0;
}

/**
 * The view in which files are opened.
 * @param {Element} place @param {Record<string, import("./types").Reader>} readers @param {import("./words.js").Words} words
 * @param {(opened: import("./types").Opened[]) => void} done
 */
export function showOpen(place, readers, words, done) {
  const { say } = words;
  const note = h("p", { role: "status", class: "error" });
  const accept = Object.values(readers).flatMap(({ format }) => format.extensions.map((ending) => `.${ending}`)).join(",");
  const files = h("input", { type: "file", multiple: true, accept, id: "files", onchange: () => take([...(files.files ?? [])]) });
  const pasted = h("textarea", { id: "pasted", rows: "8", spellcheck: "false" });
  const titles = Object.values(readers).filter(({ model }) => model).map(({ format }) => format.title).sort();

  /** @param {File[]} chosen */
  async function take(chosen) {
    const read = await Promise.all(chosen.map(async (file) => ({ name: file.name, bytes: new Uint8Array(await file.arrayBuffer()) })));
    show(read);
  }

  /** @param {{name: string, bytes: Uint8Array}[]} given */
  function show(given) {
    const opened = given.map(({ name, bytes }) => openFile(readers, name, bytes));
    const found = opened.filter((one) => one !== null && one.document.boards?.length);
    const lacking = given.find((_, index) => !found.includes(opened[index]));
    if (found.length) done(/** @type {import("./types").Opened[]} */ (found));
    else if (lacking) note.textContent = say("noBoards", { name: lacking.name || say("pastedText") });
  }

  const zone = h("div", { class: "drop" }, h("label", { for: "files" }, say("chooseFiles")), files, h("p", { class: "quiet" }, say("dropHere")));
  fill(place,
    h("p", null, say("staysHere")), zone,
    h("label", { for: "pasted" }, say("orPaste")), pasted,
    h("p", null, h("button", { type: "button", class: "enter", onclick: () => pasted.value.trim() && show([{ name: "", bytes: latin(pasted.value) }]) }, say("showPasted"))),
    note,
    h("details", null, h("summary", null, say("canRead", { n: titles.length })), h("p", { class: "quiet" }, titles.join(", "))));
  return take;
}

/** Pasted text as a file's bytes: Latin-1, or UTF-8 where that does not do. @param {string} text */
export function latin(text) {
  const lines = text.replaceAll("\r\n", "\n");
  return /[^\u0000-\u00ff]/.test(lines) ? new TextEncoder().encode(lines) : Uint8Array.from(lines, (character) => character.charCodeAt(0));
}

/** What was read, as what, and what is wrong with it. @param {import("./types").Opened[]} opened @param {import("./words.js").Words} words */
export function openedNote(opened, words) {
  const { say } = words;
  return opened.map(({ name, format, findings, count }) => h("div", { class: "opened" },
    h("p", null, told(name || say("pastedText")), ": ", say("count", { n: count }), ". ", count > SHOWN ? `${say("firstShown", { n: SHOWN })} ` : null, say("readAs", { format: format.title })),
    findings.length ? h("details", null,
      h("summary", null, say("findings", { n: findings.length })),
      h("ul", null, findings.slice(0, LISTED).map((one) => h("li", null, h("b", { class: `sev ${one.severity}` }, `${one.severity}[${one.code}]`), " ", told(one.message),
        one.line ? h("span", { class: "quiet" }, ` ${say("atLine", { line: one.line })}`) : null)))) : null));
}
