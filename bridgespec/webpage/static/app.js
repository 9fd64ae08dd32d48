// The page as a whole: which view the link asks for, and the keyboard.

import { showBoard } from "./board.js";
import { entriesOf } from "./boards.js";
import { fill, h, told } from "./dom.js";
import { sectionName, showIndex } from "./index.js";
import { openedNote, showOpen } from "./open.js";
import { showRecords } from "./records.js";
import { Settings } from "./settings.js";
import { Solver } from "./solver.js";
import { wordsOf } from "./words.js";

/**
 * Show documents in an element, which becomes the page.
 * @param {HTMLElement} root @param {{title: string, documents: import("./types").DocumentJson[]}} data
 * @param {Record<string, string | Record<string, string>>} texts @param {() => import("./types").Engine} makeEngine
 * @param {Record<string, import("./types").Reader> | null} [readers] what reads files that are opened in the page
 */
export function startApp(root, data, texts, makeEngine, readers = null) {
  const words = wordsOf(texts);
  const { say } = words;
  const page = { words, solver: new Solver(makeEngine), settings: new Settings() };
  let entries = entriesOf(data.documents);
  let places = new Map(entries.map((entry, index) => [entry.key, index]));
  /** @type {import("./types").Opened[]} */
  let opened = [];
  const title = h("a", { class: "mark", href: "#boards" }, told(data.title));
  const nav = h("nav", { "aria-label": say("views") });
  const main = h("main", { id: "main", tabindex: "-1" });
  const four = h("label", { class: "check" }, h("input", { type: "checkbox", checked: page.settings.fourColours,
    onchange: () => page.settings.set("fourColours", !page.settings.fourColours) }), ` ${say("fourColours")}`);
  fill(root,
    h("a", { class: "skip", href: "#main", onclick: (/** @type {Event} */ event) => { event.preventDefault(); main.focus(); } }, say("skip")),
    h("header", { class: "top" }, title, nav, four), main);
  let ending = new AbortController();
  /** @type {import("./player.js").Player | null} */
  let player = null;
  let shown = "";

  /** @param {import("./types").Entry} entry @param {Record<string, string>} [more] */
  const link = (entry, more = {}) => `#${new URLSearchParams({ board: entry.key, ...more })}`;

  function route() {
    const wanted = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
    ending.abort();
    ending = new AbortController();
    player = null;
    const named = ["boards", "records", "open"].find((name) => name in wanted);
    const at = places.get(wanted.board) ?? (entries.length === 1 && !named ? 0 : -1);
    const view = at >= 0 ? "board" : named === "open" && !readers ? "boards" : (named ?? "boards");
    fill(nav, [...["boards", "records"], ...(readers ? ["open"] : [])].map((name) => h("a", { href: `#${name}`, "aria-current": view === name && "page" }, say(name))));
    main.className = `view-${view}`;
    document.title = at >= 0 ? `${say("board", { number: entries[at].key })} – ${data.title}` : data.title;
    if (at >= 0) board(at, wanted);
    else if (view === "open") opening();
    else if (!entries.length) fill(main, h("p", null, say("nothing")));
    else if (view === "records") sheets();
    else {
      const list = h("div");
      fill(main, h("h1", null, told(data.title)), openedNote(opened, words), list);
      showIndex(list, entries, words, link, data.title);
    }
    // A new view begins at its top; another result of the same board stays where it is.
    const now = at >= 0 ? entries[at].key : view;
    if (shown && now !== shown) scrollTo(0, 0);
    shown = now;
  }

  function sheets() {
    const list = h("div");
    fill(main, h("h1", null, say("records")), list);
    showRecords(list, entries, page, ending.signal, data.title);
  }

  function opening() {
    const list = h("div");
    fill(main, h("h1", null, say("open")), list);
    if (readers) showOpen(list, readers, words, show);
  }

  /** Show what was opened in place of what the page held. @param {import("./types").Opened[]} found */
  function show(found) {
    opened = found;
    data = { title: found[0].name || say("pastedText"), documents: found.map(({ document }) => document) };
    entries = entriesOf(data.documents);
    places = new Map(entries.map((entry, index) => [entry.key, index]));
    fill(title, told(data.title));
    if (location.hash === "#boards") route();
    else location.hash = "#boards";
  }

  /** A file that is dropped anywhere is opened. @param {DragEvent} event */
  function drop(event) {
    const files = [...(event.dataTransfer?.files ?? [])];
    if (!readers || !files.length) return;
    event.preventDefault();
    const place = h("div");
    fill(main, h("h1", null, say("open")), place);
    showOpen(place, readers, words, show)(files);
  }

  /** @param {number} at @param {Record<string, string>} wanted */
  function board(at, wanted) {
    const entry = entries[at];
    const chosen = Math.max(0, Math.min(entry.results.length - 1, (Number(wanted.table) || 1) - 1));
    const table = /** @type {Record<string, string>} */ (chosen ? { table: String(chosen + 1) } : {});
    const list = h("div");
    /** @param {number} to @param {string} sign @param {string} name */
    const turn = (to, sign, name) => (entries[to]
      ? h("a", { class: "turn", href: link(entries[to]), "aria-label": say(name), title: say(name) }, sign) : h("span", { class: "turn off" }, sign));
    const select = h("select", { "aria-label": say("choose"), onchange: () => { location.hash = link(entries[Number(select.value)]); } },
      entries.map((one, index) => h("option", { value: index, selected: index === at }, say("board", { number: one.key }))));
    fill(main,
      h("div", { class: "boardhead" },
        h("h1", { class: entries.length > 1 && "sr" }, say("board", { number: entry.key })),
        entries.length > 1 ? h("div", { class: "turns" }, turn(at - 1, "‹", "previous"), select, turn(at + 1, "›", "next")) : null,
        h("p", { class: "situation" }, entry.dealer === null ? null : h("span", null, say("deals", { seat: words.seats[entry.dealer] })),
          entry.vulnerability === null ? null : h("span", null, say(`vulnerable${entry.vulnerability}`)),
          h("span", { class: "quiet" }, told(sectionName(entry, words))))),
      list);
    player = showBoard(list, entry, page, ending.signal, {
      selected: chosen,
      place: wanted,
      link: (index) => link(entry, index ? { table: String(index + 1) } : {}),
      moved: (place) => history.replaceState(null, "", link(entry, { ...table, ...place })),
    });
  }

  /** @param {KeyboardEvent} event */
  function key(event) {
    const target = /** @type {HTMLElement} */ (event.target);
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || target.closest("select, input, textarea") || !player) return;
    const step = { ArrowLeft: ".turns a:first-child", ArrowRight: ".turns a:last-child" }[event.key];
    if (player.key(event.key)) event.preventDefault();
    else if (step && !player.playing) {
      const to = /** @type {HTMLAnchorElement | null} */ (main.querySelector(step));
      if (to) {
        location.hash = to.hash;
        event.preventDefault();
      }
    }
  }

  // What is printed are hand records; from another view they are laid out for the printer alone.
  const printed = h("div", { class: "forprint" });
  root.append(printed);
  addEventListener("beforeprint", () => {
    if (!main.classList.contains("view-records")) showRecords(printed, entries, page, ending.signal, data.title, false);
  });
  addEventListener("afterprint", () => fill(printed));
  addEventListener("dragover", (event) => { if (readers) event.preventDefault(); });
  addEventListener("drop", drop);
  addEventListener("hashchange", route);
  addEventListener("keydown", key);
  route();
}
