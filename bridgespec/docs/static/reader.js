// Reads a file of one's own, in the browser, with the readers that are made from the schemas; and draws boards.
"use strict";
(() => {
  const base = document.body.dataset.root;
  const loading = new Map();
  const load = (name) => {
    if (!loading.has(name)) {
      loading.set(name, new Promise((done, failed) => {
        const script = document.createElement("script");
        script.src = `${base}static/${name}.js`;
        script.onload = done;
        script.onerror = () => failed(new Error(`${name}.js is missing`));
        document.head.append(script);
      }));
    }
    return loading.get(name);
  };

  const h = (tag, attributes, ...children) => {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes ?? {})) {
      if (typeof value === "function") made.addEventListener(name.slice(2), value);
      else if (value !== null && value !== false) made.setAttribute(name, value === true ? "" : value);
    }
    made.append(...children.flat().filter((child) => child !== null));
    return made;
  };
  const some = (count, one, more = `${one}s`) => `${count.toLocaleString("en-US")} ${count === 1 ? one : more}`;

  // --- boards --------------------------------------------------------------------------------------------------------

  /** Draw boards in a place, one at a time; what the style of this page says does not reach into it. */
  async function drawBoards(place, boards, whose) {
    await load("boards");
    const { renderBoard, style, texts } = window.bridgespecBoards;
    const host = h("div", { class: "component" });
    const inner = h("div");
    const root = host.attachShadow({ mode: "open" });
    // the page's policy allows no style element
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(style);
    root.adoptedStyleSheets = [sheet];
    root.append(inner);
    let away = () => {};
    const show = (index) => {
      away();
      away = renderBoard(inner, boards[index], texts);
      // there may be more of them on this page
      for (const part of inner.querySelectorAll("section[aria-label]")) part.setAttribute("aria-label", `${part.getAttribute("aria-label")}, ${whose}`);
    };
    const select = h("select", { onchange: () => show(Number(select.value)) },
      boards.map((board, index) => h("option", { value: String(index) }, `Board ${board.number ?? index + 1}`)));
    const label = h("label", { class: "chooser" }, "Board ", select);
    place.replaceChildren(...(boards.length > 1 ? [label, host] : [host]));
    show(0);
  }

  for (const place of document.querySelectorAll(".boardview")) {
    const boards = JSON.parse(place.querySelector("script").textContent);
    const open = () => drawBoards(place, boards, "the sample");
    if (place.closest("details")) place.closest("details").addEventListener("toggle", open, { once: true });
    else open();
  }

  // --- boards whose cards, calls and facts are linked to their bytes -----------------------------------------------------

  const SEATS = ["west", "north", "east", "south"];
  const RANKS = "AKQJT98765432";
  const STRAINS = ["NT", "S", "H", "D", "C"];
  const SIGNS = { S: "♠", H: "♥", D: "♦", C: "♣" };
  const VULNERABLE = { none: "none", ns: "N–S", ew: "E–W", both: "both" };
  const titled = (name) => name[0].toUpperCase() + name.slice(1);
  const link = (place) => (place ? `${place.start}-${place.stop}` : null);
  /** Text whose suit letters before ranks or after levels are signs. */
  const pips = (text) => text.replace(/^([1-7])([SHDC])(?![a-z])/, (_, level, suit) => level + SIGNS[suit]).replace(/^([SHDC])(?=[AKQJT2-9]$)/, (suit) => SIGNS[suit]);

  function headOf(board, facts) {
    const { number } = board;
    // what a record does not say follows from its number
    const dealer = board.dealer ?? (number > 0 ? SEATS[(number % 4)] : undefined);
    const vulnerability = board.vulnerability ?? (number > 0 ? ["none", "ns", "ew", "both"][(number - 1 + Math.floor((number - 1) % 16 / 4)) % 4] : undefined);
    const told = [
      ["dealer", dealer && titled(dealer), facts[board.dealer ? "dealer" : "number"]],
      ["vulnerable", VULNERABLE[vulnerability], facts[board.vulnerability ? "vulnerability" : "number"]],
      ["contract", board.contract && pips(board.contract), facts.contract],
      ["declarer", board.declarer && titled(board.declarer), facts.declarer],
      ["tricks", board.result, facts.result],
      ["score", board.score, facts.score],
    ].filter(([, said]) => said !== undefined);
    return h("figcaption", null, h("b", { "data-r": link(facts.number) }, `Board ${number ?? ""}`),
      told.map(([name, said, place]) => h("span", { "data-r": link(place) }, `${name} `, h("b", null, String(said)))));
  }

  function handsOf(deal, cards) {
    return h("div", { class: "hands" }, SEATS.map((seat) => h("div", { class: `hand ${seat[0].toUpperCase()}` },
      h("span", { class: "seat" }, titled(seat)),
      [..."SHDC"].map((letter, suit) => {
        const ranks = [...((deal[seat] ?? "").split(".")[suit] ?? "")];
        return h("div", { class: "holding" }, h("span", { class: `suit ${letter.toLowerCase()}` }, SIGNS[letter]),
          ranks.length ? ranks.map((rank) => {
            const place = cards[13 * suit + RANKS.indexOf(rank)];
            const derived = place?.wide ?? false;
            const said = `${SIGNS[letter]}${rank}: ${titled(seat)}${derived ? ", by what is left" : ""}`;
            return h("i", { "data-r": link(place), "data-said": said, "data-derived": derived }, rank);
          }) : h("s", null, "–"));
      }))));
  }

  function tricksOf(table, places) {
    const rows = [..."NSEW"].filter((seat) => table[seat]).map((seat) => h("tr", null, h("th", { scope: "row" }, seat),
      STRAINS.map((strain, index) => h("td", null, h("i", { "data-r": link(places[4 * index + "WNES".indexOf(seat)]) }, String(table[seat][strain] ?? "?"))))));
    return h("table", { class: "dd" }, h("caption", null, "Tricks by declarer"),
      h("thead", null, h("tr", null, h("td"), STRAINS.map((strain) => h("th", { scope: "col" }, SIGNS[strain] ?? strain)))), h("tbody", null, rows));
  }

  /** A table of four columns, one a seat, its rows numbered or not. */
  function four(name, title, cells, numbered) {
    const rows = [];
    for (let at = 0; at < cells.length; at += 4) {
      const row = [...cells.slice(at, at + 4), null, null, null].slice(0, 4).map((cell) => h("td", null, cell ? [cell] : []));
      rows.push(h("tr", null, numbered ? [h("th", { scope: "row" }, String(at / 4 + 1))] : [], row));
    }
    return h("table", { class: `four ${name}` }, h("caption", null, title),
      h("thead", null, h("tr", null, numbered ? [h("td")] : [], SEATS.map((seat) => h("th", { scope: "col" }, titled(seat))))), h("tbody", null, rows));
  }

  /** A board of which every part points at the bytes that say it. */
  function figureOf(board, { facts, cards, tricks, calls, play }) {
    const made = board.auction?.calls ?? [];
    const first = Math.max(0, SEATS.indexOf(board.auction?.first ?? board.dealer));
    const called = made.map(({ call, alert, explanation, mark = "" }, at) => h("i", { "data-r": link(calls[at]) }, pips(call) + mark + (alert || explanation ? "*" : "")));
    const fallen = (board.play?.tricks ?? []).flatMap((trick, number) => {
      const row = [null, null, null, null];
      trick.cards.forEach((card, turn) => {
        if (card !== null) row[(SEATS.indexOf(trick.leader) + turn) % 4] = h("i", { "data-r": link(play[number]?.[turn]), class: turn ? null : "lead-card" }, pips(card));
      });
      return row;
    });
    return h("figure", { class: "board" }, headOf(board, facts),
      board.deal ? handsOf(board.deal, cards) : null,
      board.tricks && Object.keys(board.tricks).length ? tricksOf(board.tricks, tricks) : null,
      called.length ? four("auction", "Auction", [...new Array(first).fill(null), ...called], false) : null,
      fallen.length ? four("play", "Play", fallen, true) : null);
  }

  // --- what a file consists of -----------------------------------------------------------------------------------------

  const PART = 2048;
  const GROUPS = 16;
  const ROW = 16;

  const isArray = (node) => Boolean(node.decl?.repeat) && !/^[0-9]+$/.test(node.name);
  const hex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join(" ");

  function saidOf(node) {
    const { value, decl } = node;
    if (value instanceof Uint8Array) return hex(value.subarray(0, 16)) + (value.length > 16 ? " …" : "");
    const name = node.text === undefined && decl?.codes ? decl.codes[String(value)] : undefined;
    return name === undefined ? String(value ?? "") : `${name} (${value})`;
  }

  /** The leaves of a node with their paths; an array of plain values is one part with cells. */
  function* partsOf(node, path) {
    if (node.absent) return;
    const { children } = node;
    if (children === null) {
      yield { path, start: node.start, stop: node.stop, lsb: node.lsb, said: saidOf(node), broken: node.broken, cells: [] };
    } else if (isArray(node) && children.length > 1 && children.every((child) => child.children === null)) {
      const cells = children.map((child) => ({ start: child.start, stop: child.stop, said: saidOf(child).replace(/ \(\d+\)$/, "") }));
      yield { path, start: node.start, stop: node.stop, lsb: node.lsb, said: "", broken: false, cells };
    } else {
      for (const child of children) yield* partsOf(child, isArray(node) ? `${path}[${child.name}]` : `${path}${path ? "." : ""}${child.name}`);
    }
  }

  /** The records of a file and what stands beside them, in file order. */
  function groupsOf(root) {
    const groups = [];
    for (const child of root.children ?? []) {
      if (child.absent) continue;
      const listed = isArray(child) && (child.children ?? []).some((one) => one.children !== null || one.broken);
      if (listed) for (const one of child.children) groups.push({ path: `${child.name}[${one.name}]`, node: one, record: true });
      else groups.push({ path: child.name, node: child, record: false });
    }
    return groups.sort((one, two) => one.node.start - two.node.start);
  }

  /** Groups in parts of some 2 kB or sixteen records, so that a long file is laid out piece by piece. */
  function sectionsOf(root, size) {
    const sections = [];
    for (const group of groupsOf(root)) {
      const last = sections.at(-1);
      if (last && group.node.stop / 8 - last.start < PART && last.groups.length < GROUPS) last.groups.push(group);
      else sections.push({ start: Math.floor(group.node.start / 8), groups: [group] });
    }
    if (!sections.length) sections.push({ start: 0, groups: [] });
    sections[0].start = 0;
    sections.forEach((section, index) => { section.stop = sections[index + 1]?.start ?? size; });
    return sections.filter(({ start, stop }) => stop > start || sections.length === 1);
  }

  // --- the panel -------------------------------------------------------------------------------------------------------

  const tones = new Map();
  const toneOf = (path) => {
    const key = path.replace(/\[\d+\]/g, "");
    if (!tones.has(key)) tones.set(key, (tones.size % 8) + 1);
    return tones.get(key);
  };
  const ranges = (one) => `${one.start}-${one.stop}`;
  const spanOf = ({ span }) => {
    if (!span) return null;
    const [from, to] = span.bits ?? [0, 8 * (span.stop - span.start)];
    return { start: 8 * span.start + from, stop: 8 * span.start + to };
  };

  function fieldsPane(groups, parts) {
    return groups.map(({ path, record }, index) => h(record ? "details" : "div", { class: "group", open: record },
      record ? h("summary", { class: "record" }, path) : null,
      parts[index].map((part) => {
        const name = record && part.path.startsWith(path) ? part.path.slice(path.length).replace(/^\./, "") || "(record)" : part.path;
        const said = part.cells.length ? part.cells.flatMap((cell) => [h("b", { "data-r": ranges(cell) }, cell.said), " "]) : part.said;
        return h("div", { class: `part t${toneOf(part.path)}${part.broken ? " broken" : ""}`, "data-r": ranges(part) },
          h("span", { class: "f" }, name), " ", h("span", { class: "v" }, said));
      })));
  }

  function hexPane(bytes, { start, stop }, parts, bad) {
    const at = new Map();
    for (const part of parts.flat()) {
      for (let byte = Math.floor(part.start / 8); byte < Math.ceil(part.stop / 8); byte++) at.set(byte, [...(at.get(byte) ?? []), toneOf(part.path)]);
    }
    const digits = Math.max(4, stop.toString(16).length);
    const rows = [];
    for (let row = start - (start % ROW); row < Math.max(stop, 1); row += ROW) {
      const cells = [];
      let letters = "";
      for (let offset = row; offset < row + ROW; offset++) {
        const there = offset >= start && offset < stop;
        const found = at.get(offset) ?? [];
        const names = [found.length && `t${found[0]}`, found.length > 1 && `e${found.at(-1)}`, bad(offset) && "bad"].filter(Boolean).join(" ");
        cells.push(there ? h("i", { class: names || null }, bytes[offset].toString(16).padStart(2, "0")) : h("u"));
        letters += !there ? " " : bytes[offset] > 31 && bytes[offset] < 127 ? String.fromCharCode(bytes[offset]) : "·";
      }
      rows.push(h("div", { class: "row", "data-o": String(row) }, h("span", { class: "o" }, row.toString(16).padStart(digits, "0")), cells, h("em", null, letters.trimEnd())));
    }
    return rows;
  }

  const CONTROL = { "\r": "CR", "\n": "LF", "\t": "TAB", "\0": "NUL" };
  /** Text with pictures for what cannot be seen. */
  const visible = (text) => [...text].map((sign) => (sign < " " ? h("s", null, CONTROL[sign] ?? sign.charCodeAt(0).toString(16).padStart(2, "0").toUpperCase()) : sign));

  function textPane(bytes, { start, stop, line }, parts, bad, marks) {
    const text = Array.from(bytes.subarray(start, stop), (byte) => String.fromCharCode(byte)).join("");
    const cuts = new Set(marks.flatMap((mark) => [mark.start / 8, mark.stop / 8]));
    const at = new Map();
    for (const part of parts.flat()) {
      for (const one of [part, ...part.cells]) { cuts.add(one.start / 8); cuts.add(one.stop / 8); }
      for (let byte = part.start / 8; byte < part.stop / 8; byte++) at.set(byte, toneOf(part.path));
    }
    let number = line - 1;
    return [...text.matchAll(/[^\r\n]*(?:\r\n|\r|\n|$)/g)].filter(([whole]) => whole).map((match) => {
      number += 1;
      const first = start + match.index;
      const last = first + match[0].length;
      const stops = [first, ...[...cuts].filter((cut) => cut > first && cut < last).sort((one, two) => one - two), last];
      const atoms = stops.slice(1).map((end, index) => {
        const begin = stops[index];
        const names = [at.has(begin) && `t${at.get(begin)}`, bad(begin) && "bad"].filter(Boolean).join(" ");
        return h("i", { class: names || null, "data-r": `${8 * begin}-${8 * end}` }, visible(text.slice(begin - start, end - start)));
      });
      return h("div", { class: "row" }, h("span", { class: "o" }, String(number)), h("span", { class: "line" }, atoms));
    });
  }

  /** The panel that samples have, of one part of a file. */
  function panel(name, bytes, section, findings, isText, boards) {
    const parts = section.groups.map(({ node, path }) => [...partsOf(node, path)]);
    const told = findings.map((finding) => [finding, spanOf(finding)]).filter(([, at]) => at && at.start < 8 * section.stop && at.stop >= 8 * section.start);
    const marks = told.map(([, at]) => at);
    const bad = (byte) => marks.some((mark) => mark.start < 8 * (byte + 1) && 8 * byte < Math.max(mark.stop, mark.start + 1));
    const low = parts.flat().some((part) => part.lsb);
    const drawn = boards.filter(([, { board }]) => board.start >= 8 * section.start && board.start < 8 * section.stop).map(([board, places]) => figureOf(board, places));
    const pointed = drawn.flatMap((figure) => [...figure.querySelectorAll("[data-r]")]).map(({ dataset }) => dataset.r.split("-").map(Number));
    const cuts = [...marks, ...pointed.map(([start, stop]) => ({ start, stop }))];
    const source = isText ? textPane(bytes, section, parts, bad, cuts) : hexPane(bytes, section, parts, bad);
    const list = told.map(([{ severity, code, message }, at]) => h("div", { class: `finding ${severity}`, "data-r": ranges(at) }, h("b", null, `${severity}[${code}]`), ` ${message}`));
    return h("div", { class: `annotated ${isText ? "text" : "hex"}`, "data-kind": isText ? "text" : "hex", "data-lsb": low ? "1" : "0" },
      h("div", { class: "from" }, h("div", { class: "pane source", "data-label": `${isText ? "Text" : "Bytes"} of ${name}` }, source),
        drawn.length ? h("div", { class: "pane boards", "data-label": `Boards of ${name}` }, drawn) : null),
      h("div", { class: "side" },
        list.length ? h("div", { class: "pane findings", "data-label": "Findings" }, list) : null,
        h("div", { class: "pane fields", "data-label": `Fields of ${name}` }, fieldsPane(section.groups, parts))),
      h("div", { class: "status", "aria-live": "polite" }));
  }

  /** What a reader makes of a file: findings, bytes and fields part by part, boards. */
  function showFile(place, name, bytes, reader) {
    const { tree, findings } = reader.read(bytes);
    const isText = reader.format.language === "lark";
    const sections = sectionsOf(tree, bytes.length);
    let line = 1;
    for (const section of sections) {
      section.line = line;
      for (let at = section.start; at < section.stop; at++) line += bytes[at] === 10 || (bytes[at] === 13 && bytes[at + 1] !== 10) ? 1 : 0;
    }
    const boards = reader.model?.(tree).boards ?? [];
    const drawn = boards.filter((board) => board.deal || board.auction);
    const standing = reader.places?.(tree) ?? [];
    const linked = boards.map((board, index) => [board, standing[index]]).filter(([board, places]) => places && (board.deal || board.tricks || board.auction || board.play));
    const part = h("div", { role: "group", "aria-label": "The part shown" });
    const boardPlace = h("div", { class: "boardview" });
    const lay = (index) => {
      part.replaceChildren(panel(name, bytes, sections[index], findings, isText, linked));
      select.value = String(index);
      window.bridgespecAnnotate(part);
    };
    const select = h("select", { onchange: () => lay(Number(select.value)) }, sections.map((one, index) =>
      h("option", { value: String(index) }, `${one.groups[0]?.path ?? "file"}${one.groups.length > 1 ? ` to ${one.groups.at(-1).path}` : ""}, bytes ${one.start}–${Math.max(one.stop - 1, one.start)}`)));
    const place_of = (finding) => Math.max(0, sections.findIndex((one) => finding.span && finding.span.start < one.stop));
    const list = findings.slice(0, 100).map((one) => h("li", null,
      h("a", { href: "#own-part", onclick: (event) => { event.preventDefault(); lay(place_of(one)); part.scrollIntoView(); } },
        h("b", { class: `sev-${one.severity}` }, `${one.severity}[${one.code}]`), ` ${one.message}`),
      h("span", { class: "quiet" }, one.line ? ` line ${one.line}` : one.span ? ` byte ${one.span.start}` : "")));
    part.id = "own-part";
    place.replaceChildren(
      h("p", { role: "status" }, h("b", null, name), `: ${some(bytes.length, "byte")}, ${reader.model ? `${some(boards.length, "board")}, ` : ""}${some(findings.length, "finding")} of reading and of the schema’s own checks. Nothing has left this machine.`),
      ...(list.length ? [h("ul", { class: "told" }, list), ...(findings.length > 100 ? [h("p", { class: "quiet" }, `and ${findings.length - 100} more`)] : [])] : []),
      ...(sections.length > 1 ? [h("p", { class: "pager still" }, h("label", null, "Part ", select))] : []),
      part, boardPlace);
    lay(findings.length ? place_of(findings[0]) : 0);
    if (drawn.length) drawBoards(boardPlace, drawn, name);
  }

  /** A place for files: chosen, or dropped on it. */
  function zone(box, take) {
    const input = box.querySelector("input[type=file]");
    const out = box.querySelector(".own");
    const read = async (file) => {
      if (!file) return;
      out.replaceChildren(h("p", { role: "status" }, `Reading ${file.name} …`));
      try {
        await Promise.all([load("readers"), load("boards")]);
        take(out, file.name, new Uint8Array(await file.arrayBuffer()));
      } catch (error) {
        out.replaceChildren(h("p", { role: "alert" }, `${file.name} cannot be read: ${error.message}`));
      }
    };
    input.addEventListener("change", () => read(input.files[0]));
    box.addEventListener("dragover", (event) => { event.preventDefault(); box.classList.add("over"); });
    box.addEventListener("dragleave", () => box.classList.remove("over"));
    box.addEventListener("drop", (event) => {
      event.preventDefault();
      box.classList.remove("over");
      read(event.dataTransfer.files[0]);
    });
    box.hidden = false;
  }

  for (const box of document.querySelectorAll(".dropzone[data-format]")) {
    zone(box, (out, name, bytes) => showFile(out, name, bytes, window.bridgespecReaders[box.dataset.format]));
  }

  // --- which is mine? --------------------------------------------------------------------------------------------------

  const which = document.querySelector(".which");
  if (!which) return;
  const found = which.querySelector(".matches");
  const ending = which.querySelector("input[type=text]");
  const cards = [...document.querySelectorAll(".cards li[data-ext]")];
  const narrow = () => {
    const wanted = ending.value.trim().toLowerCase().replace(/^.*\./, "");
    const mine = cards.filter((card) => card.dataset.ext.split(" ").includes(wanted));
    found.replaceChildren(...(wanted ? [mine.length
      ? h("p", null, mine.flatMap((card, index) => [index ? " or " : "", linkTo(card)])) : h("p", null, `No format here has files named .${wanted}. Drop one: its content may tell.`)] : []));
  };
  const linkTo = (card) => h("a", { href: card.querySelector("a").getAttribute("href") }, card.querySelector("b").textContent);
  ending.addEventListener("input", narrow);
  zone(which, (out, name, bytes) => {
    const id = window.bridgespecBoards.recognise(window.bridgespecReaders, name, bytes);
    const card = cards.find((one) => one.dataset.id === id);
    if (id === null || card === undefined) {
      out.replaceChildren(h("p", { role: "status" }, `Neither its name nor its content tells what ${name} is.`));
      return;
    }
    const { findings } = window.bridgespecReaders[id].read(bytes);
    out.replaceChildren(h("p", { role: "status" }, h("b", null, name), " is most likely ", linkTo(card), `: ${some(findings.length, "finding")} when it is read so. That page shows what is in it.`));
  });
})();
