// The page as a whole: which view the link asks for, and the keyboard.

import { showBoard } from "./board.js";
import { entriesOf } from "./boards.js";
import { fill, h, told } from "./dom.js";
import { sectionName, showIndex } from "./index.js";
import { playsOf, showLost } from "./lost.js";
import { showMake } from "./make.js";
import { latin, openedNote, openFile, showOpen } from "./open.js";
import { lacking, SHEETS, showSheets } from "./records.js";
import { Settings } from "./settings.js";
import { packed, unpacked } from "./share.js";
import { Solver } from "./solver.js";
import { wordsOf } from "./words.js";

/** How far a finger moves to turn a board, in CSS pixels. */
const STROKE = 60;

/**
 * Show documents in an element, which becomes the page.
 * @param {HTMLElement} root @param {{title: string, documents: import("./types").DocumentJson[], suits?: Record<string, import("./types").SuitPlay[][]>}} data
 * @param {Record<string, string | Record<string, string>>} texts @param {() => import("./types").Engine} makeEngine
 * @param {Record<string, import("./types").Reader> | null} [readers] what reads files that are opened in the page
 */
export function startApp(root, data, texts, makeEngine, readers = null) {
  const settings = new Settings();
  const words = wordsOf(texts, settings.ten);
  const { say } = words;
  const page = { words, solver: new Solver(makeEngine), settings, suits: data.suits };
  let entries = entriesOf(data.documents);
  let places = new Map(entries.map((entry, index) => [entry.key, index]));
  /** @type {import("./types").Opened[]} */
  let opened = [];
  const title = h("a", { class: "mark", href: "#boards" }, told(data.title));
  const nav = h("nav", { "aria-label": say("views") });
  const main = h("main", { id: "main", tabindex: "-1" });
  const four = h("label", { class: "check" }, h("input", { type: "checkbox", checked: settings.fourColours,
    onchange: () => settings.set("fourColours", !settings.fourColours) }), ` ${say("fourColours")}`);
  const ten = h("label", { class: "check" }, h("input", { type: "checkbox", checked: !words.isLongTen, onchange: (/** @type {any} */ event) => {
    settings.set("ten", event.target.checked ? "T" : "10");
    words.spellTen(settings.ten);
    route();
  } }), ` ${say("shortTen")}`);
  fill(root,
    h("a", { class: "skip", href: "#main", onclick: (/** @type {Event} */ event) => { event.preventDefault(); main.focus(); } }, say("skip")),
    h("header", { class: "top" }, title, nav, h("div", { class: "ticks" }, ten, four)), main);
  let ending = new AbortController();
  /** @type {import("./player.js").Player | null} */
  let player = null;
  let shown = "";
  let isPlaying = false;
  /** The board of the link, as it is there; empty where the link has none. */
  let sharing = "";
  /** What the page holds beside it. */
  let own = data;

  /** @param {import("./types").Entry} entry @param {Record<string, string>} [more] */
  const link = (entry, more = {}) => `#${new URLSearchParams({ ...(sharing ? { shared: sharing } : { board: entry.key }), ...more })}`;

  function route() {
    const wanted = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
    shared(wanted);
    ending.abort();
    ending = new AbortController();
    player = null;
    const named = ["boards", ...Object.keys(SHEETS), "lost", "make", "open"].find((name) => name in wanted);
    const at = places.get(wanted.board) ?? (entries.length === 1 && !named ? 0 : -1);
    const view = at >= 0 ? "board" : named === "open" && !readers ? "boards" : (named ?? "boards");
    fill(nav, ["boards", "records", ...(playsOf(entries).length ? ["lost"] : []), "make", ...(readers ? ["open"] : [])].map((name) => h("a", { href: `#${name}`, "aria-current": (view === name || (name === "records" && view in SHEETS)) && "page" }, say(name))));
    main.className = `${view in SHEETS ? "view-sheets " : ""}view-${view}`;
    document.title = at >= 0 ? `${say("board", { number: entries[at].key })} – ${data.title}` : data.title;
    if (at >= 0) board(at, wanted);
    else if (view === "open") opening();
    else if (view === "make") making();
    else if (wanted.shared !== undefined && at < 0) fill(main, h("p", { class: "error", role: "status" }, say("badLink")));
    else if (!entries.length) fill(main, h("p", null, say("nothing")));
    else if (view in SHEETS) sheets(view);
    else if (view === "lost") losses();
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

  /** @param {string} kind */
  function sheets(kind) {
    const list = h("div");
    fill(main, h("h1", null, say(kind)), list);
    showSheets(list, kind, entries, page, ending.signal, data.title);
  }

  /** A link that has a board in it: that board is the page's only one. @param {Record<string, string>} wanted */
  function shared(wanted) {
    const board = wanted.shared === undefined ? null : unpacked(wanted.shared);
    if (sharing && !board) take(own);
    if (!board) return;
    if (!sharing) own = data;
    take({ title: say("sharedBoard"), documents: [{ boards: [board] }] });
    wanted.board = entries[0].key;
    sharing = wanted.shared;
  }

  /** Show documents in place of what the page held. @param {typeof data} other */
  function take(other) {
    data = other;
    sharing = "";
    entries = entriesOf(data.documents);
    places = new Map(entries.map((entry, index) => [entry.key, index]));
    fill(title, told(data.title));
  }

  function making() {
    const list = h("div", { class: "making" });
    fill(main, h("h1", null, say("make")), list);
    showMake(list, words, (board) => { location.hash = `#shared=${packed(board)}`; }, readers && ((text) => {
      const found = openFile(readers, "", latin(text));
      if (found?.document.boards?.length) show([found]);
      else fill(/** @type {Element} */ (list.querySelector("[role=status]")), say("notADeal"));
    }));
  }

  function losses() {
    const list = h("div");
    fill(main, h("h1", null, say("lost")), list);
    showLost(list, entries, page, ending.signal, link);
  }

  function opening() {
    const list = h("div");
    fill(main, h("h1", null, say("open")), list);
    if (readers) showOpen(list, readers, words, show);
  }

  /** Show what was opened in place of what the page held. @param {import("./types").Opened[]} found */
  function show(found) {
    opened = found;
    take({ title: found[0].name || say("pastedText"), documents: found.map(({ document }) => document) });
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
    isPlaying = false;
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
      moved: (place) => {
        // On a phone the whole table is within the screen, once its top is.
        if (main.querySelector(".play") && !isPlaying) scrollTo(0, 0);
        isPlaying = Boolean(main.querySelector(".play"));
        history.replaceState(null, "", link(entry, { ...table, ...place }));
      },
    });
  }

  /** @param {KeyboardEvent} event */
  function key(event) {
    const target = /** @type {HTMLElement} */ (event.target);
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || target.closest("select, input, textarea") || !player) return;
    if (player.key(event.key) || (!player.playing && turned(event.key))) event.preventDefault();
  }

  /** Go to the board before or after, where there is one. @param {string} key an arrow's name */
  function turned(key) {
    const step = { ArrowLeft: ".turns a:first-child", ArrowRight: ".turns a:last-child" }[key];
    const to = step ? /** @type {HTMLAnchorElement | null} */ (main.querySelector(step)) : null;
    if (to) location.hash = to.hash;
    return to !== null;
  }

  /** Where a finger was put on a board; null where it moves something else. @type {{x: number, y: number} | null} */
  let touched = null;

  /** @param {TouchEvent} event */
  function touch({ touches, target }) {
    const own = /** @type {HTMLElement} */ (target).closest(".scroll, select, input, textarea");
    touched = player && touches.length === 1 && !own ? { x: touches[0].clientX, y: touches[0].clientY } : null;
  }

  /** A stroke to the left leads on, to the next board or while playing to the next card; one to the right leads back. @param {TouchEvent} event */
  function stroke({ changedTouches: [end] }) {
    if (!touched || !player) return;
    const [across, along] = [end.clientX - touched.x, end.clientY - touched.y];
    if (Math.abs(across) < STROKE || Math.abs(across) < 2 * Math.abs(along)) return;
    const key = across < 0 ? "ArrowRight" : "ArrowLeft";
    if (!player.key(key)) turned(key);
  }

  // What is printed are hand records; from another view they are laid out for the printer alone.
  const printed = h("div", { class: "forprint" });
  root.append(printed);
  addEventListener("beforeprint", () => {
    const kind = Object.keys(SHEETS).find((name) => main.classList.contains(`view-${name}`));
    // A browser does not wait for the solver: a record without its double dummy is not printed.
    const missing = lacking(kind ?? "records", entries).length;
    root.classList.toggle("unready", missing > 0);
    if (missing) fill(printed, h("p", null, say("notSolved", { n: missing })));
    else if (!kind) showSheets(printed, "records", entries, page, ending.signal, data.title);
  });
  addEventListener("afterprint", () => fill(printed));
  addEventListener("dragover", (event) => { if (readers) event.preventDefault(); });
  addEventListener("drop", drop);
  addEventListener("hashchange", route);
  addEventListener("keydown", key);
  main.addEventListener("touchstart", touch, { passive: true });
  main.addEventListener("touchend", stroke, { passive: true });
  route();
}
