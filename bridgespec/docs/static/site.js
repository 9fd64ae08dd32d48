// Links bytes, fields and cards of annotated samples, and searches; the pages are whole without it.
"use strict";
(() => {
  // --- annotated samples -------------------------------------------------------------------------------------------

  const parse = (text) => text.split(" ").map((one) => one.split("-").map(Number));
  const meet = (one, other) => one.some(([a, b]) => other.some(([c, d]) => a < d && c < b));
  const holds = (one, other) => other.every(([c, d]) => one.some(([a, b]) => a <= c && d <= b));

  /** Ranges in order, those that touch as one. */
  const joined = (ranges) => ranges.sort(([a], [b]) => a - b).reduce((found, [from, to]) => {
    const last = found.at(-1);
    if (last && from <= last[1]) last[1] = Math.max(last[1], to);
    else found.push([from, to]);
    return found;
  }, []);
  const DEEP = 12;
  /** Lay parts out as a tree that folds, by the steps of their paths; what all parts of a node have in common is its name. */
  const grow = (place, parts, depth) => {
    for (let at = 0, stop; at < parts.length; at = stop) {
      const { steps, part } = parts[at];
      const beside = (other) => depth < DEEP && steps.length > 1 && other?.steps.length > 1 && other.steps[0] === steps[0];
      for (stop = at + 1; beside(parts[stop]);) stop++;
      const mine = parts.slice(at, stop);
      if (mine.length > 1) {
        let same = 1;
        while (mine.every(({ steps: other }) => other.length > same + 1 && other[same] === steps[same])) same++;
        const node = document.createElement("details"), head = document.createElement("summary");
        node.open = true;
        head.textContent = steps.slice(0, same).join(".");
        node.append(head);
        place.append(node);
        grow(node, mine.map((one) => ({ part: one.part, steps: one.steps.slice(same) })), depth + 1);
      } else {
        const name = part.querySelector(".f");
        name.dataset.path = name.textContent;
        name.textContent = steps.join(".");
        place.append(part);
      }
    }
  };
  /** What can be seen of an element: the head of the outermost node that is folded over it, or itself. */
  const uncovered = (element) => {
    let seen = element;
    for (let up = element.closest("details:not([open])"); up; up = up.parentElement.closest("details:not([open])")) {
      if (up.firstElementChild !== element) seen = up.firstElementChild;
    }
    return seen;
  };
  const named = ({ target }) => target.dataset.path ?? target.textContent;

  class Annotated {
    constructor(root) {
      this.root = root;
      this.status = root.querySelector(".status");
      this.low = root.dataset.lsb === "1";
      this.items = [];
      this.byElement = new Map();
      this.pinned = null;
      for (const pane of root.querySelectorAll(".pane")) this.addPane(pane);
      root.addEventListener("pointerover", (event) => this.point(event));
      root.addEventListener("pointerleave", () => { clearTimeout(this.dwell); this.show(this.pinned); });
      root.addEventListener("focusin", (event) => this.focus(event));
      root.addEventListener("focusout", (event) => { if (!root.contains(event.relatedTarget)) this.show(this.pinned); });
      root.addEventListener("click", (event) => this.click(event));
      root.addEventListener("keydown", (event) => this.key(event));
      root.classList.add("live");
      this.show(null);
    }

    addPane(pane) {
      const mine = [];
      for (const group of pane.querySelectorAll(".group")) {
        const parts = [...group.querySelectorAll(".part")];
        grow(group, parts.map((part) => ({ part, steps: part.querySelector(".f").textContent.split(/(?<!\.)\.(?!\.)/) })), 0);
      }
      const add = (element, ranges, target = element) => {
        const item = { element, ranges, target, pane, derived: "derived" in element.dataset, node: element.tagName === "DETAILS" };
        this.items.push(item);
        mine.push(item);
        this.byElement.set(element, item);
        this.byElement.set(target, item);
        if (!item.node) target.setAttribute("role", "button");
        target.tabIndex = -1;
        if (!target.textContent.trim()) target.setAttribute("aria-label", "blank");
      };
      for (const row of pane.querySelectorAll(".row[data-o]")) {
        const start = Number(row.dataset.o);
        [...row.children].slice(1).forEach((cell, index) => {
          if (cell.tagName === "I") add(cell, [[8 * (start + index), 8 * (start + index + 1)]]);
        });
      }
      for (const element of pane.querySelectorAll("[data-r], details")) {
        if (element.tagName !== "DETAILS") add(element, parse(element.dataset.r), element.classList.contains("part") ? element.querySelector(".f") : element);
        else add(element, joined([...element.querySelectorAll(".part")].flatMap(({ dataset }) => parse(dataset.r ?? "0-0"))), element.firstElementChild);
      }
      const nodes = [...pane.querySelectorAll("details")];
      if (nodes.length > 1) pane.prepend(this.folder(nodes));
      pane.setAttribute("role", "group");
      pane.setAttribute("aria-label", pane.dataset.label);
      if (mine.length) mine[0].target.tabIndex = 0;
      else if (pane.scrollHeight > pane.clientHeight) pane.tabIndex = 0;
    }

    /** A button that folds all nodes of a pane, or unfolds them. */
    folder(nodes) {
      const made = document.createElement("button");
      made.type = "button";
      made.className = "folder";
      const fold = (open) => { for (const node of nodes) node.open = open; };
      const tell = () => { made.textContent = nodes.some((node) => node.open) ? "Fold all" : "Unfold all"; };
      made.addEventListener("click", () => { fold(!nodes.some((node) => node.open)); tell(); });
      for (const node of nodes) node.addEventListener("toggle", tell);
      tell();
      return made;
    }

    item(node) {
      for (let at = node; at && at !== this.root; at = at.parentElement) {
        const found = this.byElement.get(at);
        if (found) return found;
      }
      return null;
    }

    point(event) {
      if (event.pointerType === "touch") return;
      const item = this.item(event.target);
      this.show(item || this.pinned);
      clearTimeout(this.dwell);
      if (item) this.dwell = setTimeout(() => this.reveal(item), 300);
    }

    focus(event) {
      const item = this.item(event.target);
      if (!item) return;
      for (const other of this.items) if (other.pane === item.pane) other.target.tabIndex = other === item ? 0 : -1;
      this.show(item);
      this.reveal(item);
    }

    click(event) {
      const item = this.item(event.target);
      if (!item || String(getSelection())) return;
      if (!item.node) this.pin(item === this.pinned ? null : item);
      item.target.focus({ preventScroll: true });
      this.show(item);
      this.reveal(item);
    }

    pin(item) {
      if (this.pinned) {
        this.pinned.element.classList.remove("pin");
        this.pinned.target.removeAttribute("aria-pressed");
      }
      this.pinned = item;
      if (item) {
        item.element.classList.add("pin");
        item.target.setAttribute("aria-pressed", "true");
      }
    }

    key(event) {
      const item = this.item(event.target);
      if (event.key === "Escape") {
        this.pin(null);
        this.show(null);
        return;
      }
      if (!item || event.ctrlKey || event.metaKey || event.altKey) return;
      if (item.node && (event.key === "Enter" || event.key === " ")) return;
      if (item.node && event.key === (item.element.open ? "ArrowLeft" : "ArrowRight")) {
        item.element.open = !item.element.open;
        event.preventDefault();
        return;
      }
      const mine = this.items.filter((other) => other.pane === item.pane && uncovered(other.target) === other.target);
      const at = mine.indexOf(item);
      let next = null;
      switch (event.key) {
        case "ArrowRight": next = mine[at + 1]; break;
        case "ArrowLeft": next = mine[at - 1]; break;
        case "ArrowDown": next = this.nearest(mine, item, 1); break;
        case "ArrowUp": next = this.nearest(mine, item, -1); break;
        case "Home": next = mine[0]; break;
        case "End": next = mine[mine.length - 1]; break;
        case "Enter": case " ":
          this.pin(item === this.pinned ? null : item);
          this.show(item);
          event.preventDefault();
          return;
        default: return;
      }
      event.preventDefault();
      if (next) next.target.focus();
    }

    nearest(mine, item, way) {
      const from = item.target.getBoundingClientRect();
      let best = null, least = Infinity;
      for (const other of mine) {
        const to = other.target.getBoundingClientRect();
        const down = way * (to.top - from.top);
        if (down < from.height / 2) continue;
        const score = down * 4 + Math.abs(to.left - from.left);
        if (score < least) { least = score; best = other; }
      }
      return best;
    }

    show(item) {
      for (const element of this.root.querySelectorAll(".on")) element.classList.remove("on", "some");
      if (!item) {
        const hint = document.createElement("p");
        hint.className = "hint";
        hint.textContent = "Point at any part.";
        this.status.replaceChildren(hint);
        return;
      }
      // What follows from a whole record lights with the record, not with each byte of it.
      const lit = this.items.filter((other) => other === item || (!other.node && (other.derived ? holds : meet)(item.ranges, other.ranges)));
      for (const other of lit) {
        other.element.classList.add("on");
        if (other !== item && other.element.tagName === "I" && other.pane.classList.contains("source")) this.light(other, item);
      }
      this.tell(item, lit);
    }

    /** Of a byte, mark the bits that are meant, not all of it. */
    light(byte, item) {
      const first = byte.ranges[0][0];
      const inside = item.ranges.map(([a, b]) => [Math.max(a, first) - first, Math.min(b, first + 8) - first]).filter(([a, b]) => a < b);
      if (this.root.dataset.kind !== "hex" || inside.length !== 1 || inside[0][1] - inside[0][0] === 8) return;
      const [a, b] = this.low ? [8 - inside[0][1], 8 - inside[0][0]] : inside[0];
      byte.element.classList.add("some");
      byte.element.style.setProperty("--from", `${12.5 * a}%`);
      byte.element.style.setProperty("--upto", `${12.5 * b}%`);
    }

    tell(item, lit) {
      const [start, stop] = item.ranges[0];
      const first = Math.floor(start / 8), last = Math.max(Math.ceil(stop / 8) - 1, first);
      const whole = start % 8 === 0 && stop % 8 === 0;
      const hex = (n) => n.toString(16).padStart(4, "0");
      const line = (...parts) => { const made = document.createElement("p"); made.append(...parts); return made; };
      const place = document.createElement("b");
      place.textContent = this.line(start) || (first === last ? `Byte ${first} (0x${hex(first)})` : `Bytes ${first}–${last} (0x${hex(first)}–0x${hex(last)})`);
      const bits = stop - start === 1 ? `, bit ${start % 8}` : `, bits ${start % 8}–${start % 8 + stop - start - 1}`;
      const lines = [line(place, whole ? "" : bits, item.ranges.length > 1 ? " and further places" : "")];
      if (this.root.dataset.kind === "hex" && last - first < 4) lines.push(line(this.strip(first, last, item.ranges)));
      if (this.root.dataset.kind === "hex" && item.element.tagName === "I" && item.pane.classList.contains("source") && document.body.classList.contains("dump")) lines.push(this.numbers(first));
      if (item.element.dataset.said) lines.push(line(item.element.dataset.said));
      const fields = lit.filter((other) => other.element.classList.contains("part"));
      for (const other of fields.slice(0, 4)) {
        const cells = [...other.element.querySelectorAll("b.on")].map((cell) => cell.textContent);
        const said = cells.length ? cells.join(" ") : other.element.querySelector(".v").textContent;
        lines.push(line(`${named(other)}  ${said}`));
      }
      if (fields.length > 4) lines.push(line(`and ${fields.length - 4} more`));
      this.status.replaceChildren(...lines);
    }

    line(start) {
      if (this.root.dataset.kind !== "text") return "";
      const atom = this.items.find(({ pane, ranges }) => pane.classList.contains("source") && ranges[0][0] <= start && start < ranges[0][1]);
      if (!atom) return "";
      const row = atom.element.closest(".row");
      const first = parse(row.querySelector("i").dataset.r)[0][0];
      return `Line ${row.firstElementChild.textContent}, column ${(start - first) / 8 + 1}`;
    }

    /** The bits of some bytes, those of a field or an element apart: pointing at them points at it. */
    strip(first, last, ranges) {
      const out = document.createElement("span");
      out.className = "bitstrip";
      const cells = this.items.filter(({ element, pane, node }) => !node && pane.classList.contains("fields") && (element.tagName === "B" || !element.querySelector("b")));
      for (let byte = first; byte <= last; byte++) {
        const item = this.items.find((other) => other.element.tagName === "I" && other.pane.classList.contains("source") && other.ranges[0][0] === 8 * byte);
        if (!item) continue;
        const value = parseInt(item.element.textContent, 16);
        let group = null;
        let owner = null;
        for (let column = 0; column < 8; column++) {
          const bit = 8 * byte + (this.low ? 7 - column : column);
          const mine = cells.find((cell) => cell.ranges.some(([a, b]) => a <= bit && bit < b)) ?? null;
          if (group === null || mine !== owner) {
            group = document.createElement("span");
            owner = mine;
            if (mine) {
              const part = mine.element.closest(".part");
              group.className = [...part.classList].find((name) => /^t\d$/.test(name)) ?? "";
              group.title = mine.element.tagName === "B" ? mine.element.textContent : named(mine);
              this.byElement.set(group, mine);
            }
            out.append(group);
          }
          const lit = ranges.some(([a, b]) => a <= bit && bit < b);
          const digit = String(value >> (7 - column) & 1);
          if (lit) { const mark = document.createElement("mark"); mark.textContent = digit; group.append(mark); } else group.append(digit);
        }
        if (byte < last) out.append(" ");
      }
      return out;
    }

    /** The numbers that begin at a byte. */
    numbers(first) {
      const bytes = [];
      for (const { element, pane, ranges } of this.items) {
        if (element.tagName !== "I" || !pane.classList.contains("source")) continue;
        if (ranges[0][0] >= 8 * first && bytes.length < 8) bytes.push(parseInt(element.textContent, 16));
      }
      const view = new DataView(new Uint8Array([...bytes, ...new Array(8 - bytes.length).fill(0)]).buffer);
      const rows = [["u8", 1, () => view.getUint8(0)], ["s8", 1, () => view.getInt8(0)]];
      for (const [kind, size] of [["u2", 2], ["u4", 4], ["u8", 8]]) {
        const read = { 2: "getUint16", 4: "getUint32", 8: "getBigUint64" }[size];
        rows.push([`${kind}le`, size, () => view[read](0, true)], [`${kind}be`, size, () => view[read](0, false)]);
      }
      rows[0][0] = "u1"; rows[1][0] = "s1";
      rows.push(["s4le", 4, () => view.getInt32(0, true)], ["f4le", 4, () => Number(view.getFloat32(0, true).toPrecision(7))], ["f8le", 8, () => view.getFloat64(0, true)]);
      const made = document.createElement("p");
      made.className = "numbers";
      for (const [name, size, value] of rows) {
        if (size > bytes.length) continue;
        const bold = document.createElement("b");
        bold.textContent = String(value());
        const one = document.createElement("span");
        one.append(`${name} `, bold);
        made.append(one, " ");
      }
      return made;
    }

    reveal(item) {
      for (const pane of this.root.querySelectorAll(".pane")) {
        if (pane === item.pane) continue;
        const other = this.items.find((one) => one.pane === pane && one.element.classList.contains("on"));
        if (!other) continue;
        const box = pane.getBoundingClientRect(), at = uncovered(other.target).getBoundingClientRect();
        if (at.top < box.top || at.bottom > box.bottom) pane.scrollTop += at.top - box.top - box.height / 3;
      }
    }
  }

  const annotate = (within) => {
    for (const root of within.querySelectorAll(".annotated:not(.live)")) if (root.offsetParent !== null) new Annotated(root);
  };
  window.bridgespecAnnotate = annotate;
  annotate(document);
  for (const details of document.querySelectorAll("details.vector")) {
    details.addEventListener("toggle", () => annotate(details));
  }
  const open = () => {
    const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    const holder = target && target.closest("details");
    if (holder) { holder.open = true; target.scrollIntoView(); }
  };
  const folded = () => document.querySelectorAll("details.ascii:not([open]), details.codes:not([open]), .fields details:not([open])");
  let unfolded = [];
  addEventListener("beforeprint", () => { unfolded = [...folded()]; for (const one of unfolded) one.open = true; });
  addEventListener("afterprint", () => { for (const one of unfolded) one.open = false; });
  addEventListener("hashchange", open);
  open();

  // --- the page around it --------------------------------------------------------------------------------------------

  const theme = document.querySelector("button.theme");
  if (theme) {
    const names = { "": ["◐", "as the system has it"], light: ["☀", "light"], dark: ["☾", "dark"] };
    const root = document.documentElement;
    const tell = () => {
      const [sign, name] = names[root.dataset.theme ?? ""] ?? names[""];
      theme.textContent = sign;
      theme.setAttribute("aria-label", `Theme: ${name}`);
      theme.title = `Theme: ${name}`;
    };
    theme.addEventListener("click", () => {
      const order = Object.keys(names);
      root.dataset.theme = order[(order.indexOf(root.dataset.theme ?? "") + 1) % order.length];
      try { localStorage.setItem("bridgespec-theme", root.dataset.theme); } catch { /* it holds for this page alone */ }
      tell();
    });
    theme.hidden = false;
    tell();
  }
  const contents = [...document.querySelectorAll('.toc a[href^="#"]')];
  if (contents.length) {
    const heads = contents.map((link) => document.getElementById(link.hash.slice(1)));
    const mark = () => {
      const passed = heads.filter((head) => head && head.getBoundingClientRect().top < 130).length;
      contents.forEach((link, index) => link.classList.toggle("here", index === Math.max(passed - 1, 0)));
    };
    addEventListener("scroll", mark, { passive: true });
    mark();
  }
  for (const box of document.querySelectorAll(".scroll, main pre")) {
    const cue = () => {
      const more = box.scrollWidth - box.clientWidth;
      box.classList.toggle("scrolls", more > 2);
      box.classList.toggle("before", box.scrollLeft > 2);
      box.classList.toggle("after", box.scrollLeft < more - 2);
    };
    box.addEventListener("scroll", cue, { passive: true });
    new ResizeObserver(cue).observe(box);
  }
  for (const place of document.querySelectorAll(".filter")) {
    const input = place.querySelector("input"), words = [...document.querySelectorAll("[data-word]")];
    const narrow = () => {
      const wanted = input.value.toLowerCase().split(/\s+/);
      for (const word of words) word.hidden = !wanted.every((one) => word.textContent.toLowerCase().includes(one));
      for (const part of document.querySelectorAll("[data-filtered]")) part.hidden = !part.querySelector("[data-word]:not([hidden])");
      const left = words.filter((word) => !word.hidden).length;
      place.querySelector("[role=status]").textContent = input.value.trim() ? `${left} of ${words.length}` : "";
    };
    input.addEventListener("input", narrow);
    place.hidden = false;
    if (input.value) narrow();
  }

  // --- search ------------------------------------------------------------------------------------------------------

  const form = document.querySelector("form.search");
  if (!form) return;
  const input = form.querySelector("input");
  const base = document.body.dataset.root;
  let loading = null;
  const load = () => loading ??= new Promise((done) => {
    if (window.BRIDGESPEC_INDEX) return done();
    const script = document.createElement("script");
    script.src = base + "static/search.js";
    script.onload = done;
    document.head.append(script);
  });

  // What is reported, and what a file says, before the rules by which it is read.
  const WORTH = { error: 6, warning: 6, note: 6, format: 5, command: 5, page: 5, field: 4, rule: 0 };
  /** The beginning that words of one stem share: vulnerable, vulnerability. */
  const stemmed = (word) => (word.length > 7 ? word.replace(/(?:abilit(?:y|ies)|able|ation|ing|ies|ed|s)$/, "") : word);

  const find = (text, most) => {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    if (!words.length) return [];
    const found = [];
    for (const [kind, title, url, more] of window.BRIDGESPEC_INDEX) {
      const low = title.toLowerCase(), rest = more.toLowerCase();
      let score = WORTH[kind] ?? 3;
      for (const word of words) {
        const stem = stemmed(word);
        const at = low.indexOf(stem), inside = rest.indexOf(stem);
        if (at < 0 && inside < 0 && !kind.startsWith(word)) { score = -1; break; }
        score += at === 0 ? 18 : at > 0 ? 16 : 1;
        score += low.includes(word) ? 1 : 0;
      }
      if (score >= 0) found.push({ kind, title, url, more, score });
    }
    found.sort((a, b) => b.score - a.score || a.title.length - b.title.length || (a.title < b.title ? -1 : 1));
    return most ? found.slice(0, most) : found;
  };

  const entry = (hit) => {
    const item = document.createElement("li"), link = document.createElement("a");
    const title = document.createElement("b"), small = document.createElement("small");
    title.textContent = hit.title;
    small.textContent = hit.more ? `${hit.kind} · ${hit.more.slice(0, 160)}` : hit.kind;
    link.href = base + hit.url;
    link.append(title, small);
    item.append(link);
    return item;
  };

  let list = null;
  const close = () => { if (list) { list.remove(); list = null; } };
  const suggest = async () => {
    await load();
    close();
    const hits = find(input.value, 9);
    if (!hits.length) return;
    list = document.createElement("ul");
    list.className = "hits";
    list.append(...hits.map(entry));
    form.append(list);
  };
  const page = document.getElementById("results");
  const list_all = async () => {
    await load();
    const hits = find(input.value, 200);
    page.replaceChildren(...hits.map(entry));
    document.getElementById("count").textContent = input.value.trim() ? `${hits.length === 200 ? "200 and more" : hits.length} found` : "Type into the field above.";
  };
  if (page) {
    input.value = new URLSearchParams(location.search).get("q") || "";
    input.addEventListener("input", list_all);
    form.addEventListener("submit", (event) => { event.preventDefault(); list_all(); });
    list_all();
    if (!input.value) input.focus();
    return;
  }
  input.addEventListener("focus", load);
  input.addEventListener("input", suggest);
  form.addEventListener("keydown", (event) => {
    const links = list ? [...list.querySelectorAll("a")] : [];
    const at = links.indexOf(document.activeElement);
    if (event.key === "Escape") { close(); input.focus(); }
    else if (event.key === "ArrowDown" && links.length) { links[Math.min(at + 1, links.length - 1)].focus(); event.preventDefault(); }
    else if (event.key === "ArrowUp" && at >= 0) { (at ? links[at - 1] : input).focus(); event.preventDefault(); }
  });
  form.addEventListener("focusout", (event) => { if (!form.contains(event.relatedTarget)) close(); });
  addEventListener("keydown", (event) => {
    if (event.key === "/" && !/^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement.tagName)) { input.focus(); event.preventDefault(); }
  });
})();
