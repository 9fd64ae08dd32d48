// Links bytes, fields and cards of annotated samples, and searches; the pages are whole without it.
"use strict";
(() => {
  // --- annotated samples -------------------------------------------------------------------------------------------

  const parse = (text) => text.split(" ").map((one) => one.split("-").map(Number));
  const meet = (one, other) => one.some(([a, b]) => other.some(([c, d]) => a < d && c < b));
  const holds = (one, other) => other.every(([c, d]) => one.some(([a, b]) => a <= c && d <= b));

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
      const add = (element, ranges, target = element) => {
        const item = { element, ranges, target, pane, derived: "derived" in element.dataset };
        this.items.push(item);
        mine.push(item);
        this.byElement.set(element, item);
        this.byElement.set(target, item);
        target.setAttribute("role", "button");
        target.tabIndex = -1;
        if (!target.textContent.trim()) target.setAttribute("aria-label", "blank");
      };
      for (const row of pane.querySelectorAll(".row[data-o]")) {
        const start = Number(row.dataset.o);
        [...row.children].slice(1).forEach((cell, index) => {
          if (cell.tagName === "I") add(cell, [[8 * (start + index), 8 * (start + index + 1)]]);
        });
      }
      for (const element of pane.querySelectorAll("[data-r]")) {
        add(element, parse(element.dataset.r), element.classList.contains("part") ? element.querySelector(".f") : element);
      }
      pane.setAttribute("role", "group");
      pane.setAttribute("aria-label", pane.dataset.label);
      if (mine.length) mine[0].target.tabIndex = 0;
      else if (pane.scrollHeight > pane.clientHeight) pane.tabIndex = 0;
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
      this.pin(item === this.pinned ? null : item);
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
      const mine = this.items.filter((other) => other.pane === item.pane);
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
      for (const element of this.root.querySelectorAll(".on")) element.classList.remove("on");
      if (!item) {
        const hint = document.createElement("p");
        hint.className = "hint";
        hint.textContent = "Point at a byte, a field or a card.";
        this.status.replaceChildren(hint);
        return;
      }
      // What follows from a whole record lights with the record, not with each byte of it.
      const lit = this.items.filter((other) => other === item || (other.derived ? holds : meet)(item.ranges, other.ranges));
      for (const other of lit) other.element.classList.add("on");
      this.tell(item, lit);
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
      if (item.element.dataset.said) lines.push(line(item.element.dataset.said));
      const fields = lit.filter((other) => other.element.classList.contains("part"));
      for (const other of fields.slice(0, 4)) {
        const cells = [...other.element.querySelectorAll("b.on")].map((cell) => cell.textContent);
        const said = cells.length ? cells.join(" ") : other.element.querySelector(".v").textContent;
        lines.push(line(`${other.target.textContent}  ${said}`));
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

    strip(first, last, ranges) {
      const out = document.createElement("span");
      out.className = "bitstrip";
      for (let byte = first; byte <= last; byte++) {
        const item = this.items.find((other) => other.element.tagName === "I" && other.pane.classList.contains("source") && other.ranges[0][0] === 8 * byte);
        if (!item) continue;
        const value = parseInt(item.element.textContent, 16);
        for (let column = 0; column < 8; column++) {
          const bit = 8 * byte + (this.low ? 7 - column : column);
          const lit = ranges.some(([a, b]) => a <= bit && bit < b);
          const digit = String(value >> (7 - column) & 1);
          if (lit) { const mark = document.createElement("mark"); mark.textContent = digit; out.append(mark); } else out.append(digit);
        }
        if (byte < last) out.append(" ");
      }
      return out;
    }

    reveal(item) {
      for (const pane of this.root.querySelectorAll(".pane")) {
        if (pane === item.pane) continue;
        const other = this.items.find((one) => one.pane === pane && one.element.classList.contains("on"));
        if (!other) continue;
        const box = pane.getBoundingClientRect(), at = other.target.getBoundingClientRect();
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
  const folded = () => document.querySelectorAll("details.ascii:not([open]), details.codes:not([open])");
  let unfolded = [];
  addEventListener("beforeprint", () => { unfolded = [...folded()]; for (const one of unfolded) one.open = true; });
  addEventListener("afterprint", () => { for (const one of unfolded) one.open = false; });
  addEventListener("hashchange", open);
  open();

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

  const find = (text, most) => {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    if (!words.length) return [];
    const found = [];
    for (const [kind, title, url, more] of window.BRIDGESPEC_INDEX) {
      const low = title.toLowerCase(), rest = more.toLowerCase();
      let score = kind === "field" || kind === "rule" ? 0 : 8;
      for (const word of words) {
        const at = low.indexOf(word), inside = rest.indexOf(word);
        if (at < 0 && inside < 0 && !kind.startsWith(word)) { score = -1; break; }
        score += at === 0 ? 12 : at > 0 ? 7 : 1;
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
