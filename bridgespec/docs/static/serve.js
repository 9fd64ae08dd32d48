// Shows the content of the server, and again after every change, with the selection, folds and places as they were.
"use strict";
(() => {
  const live = document.getElementById("live"), state = document.getElementById("state");
  const given = new URLSearchParams(location.search);
  const shown = new Map();

  /** Where an element is: by its field's path, the offset of its byte, or its range, which outlast a change around it. */
  const keyOf = (element) => {
    const pane = element.closest(".pane");
    const kind = [...pane.classList].join(".");
    if (element.classList.contains("part")) {
      const name = element.querySelector(".f"), group = element.closest("details.group")?.firstElementChild.textContent ?? "";
      return [kind, "part", group, name.dataset.path ?? name.textContent];
    }
    if (element.parentElement.dataset.o !== undefined) return [kind, "byte", element.parentElement.dataset.o, [...element.parentElement.children].indexOf(element)];
    return [kind, "range", element.tagName, element.dataset.r ?? ""];
  };
  const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);
  const found = (place, key) => [...place.querySelectorAll(".pane .part, .pane .row[data-o] > i, .pane [data-r]")].find((element) => same(keyOf(element), key));
  const foldKey = (details) => [details.firstElementChild.textContent, details.parentElement.closest("details")?.firstElementChild.textContent ?? ""].join("\u0000");

  const keep = (place) => {
    const pinned = place.querySelector(".pin"), focused = place.contains(document.activeElement) ? document.activeElement : null;
    const item = focused?.closest(".part, .pane [data-r], .row[data-o] > i");
    return {
      pinned: pinned && keyOf(pinned),
      focused: item && item.closest(".pane") && keyOf(item),
      named: focused?.dataset?.name,
      folded: new Set([...place.querySelectorAll(".pane details:not([open])")].map(foldKey)),
      scrolled: [...place.querySelectorAll(".pane, .schema-text")].map((pane) => pane.scrollTop),
    };
  };
  const restore = (place, kept) => {
    for (const details of place.querySelectorAll(".pane details")) if (kept.folded.has(foldKey(details))) details.open = false;
    const pinned = kept.pinned && found(place, kept.pinned);
    if (pinned) {
      const before = document.activeElement, target = pinned.querySelector(".f") ?? pinned;
      getSelection().removeAllRanges();
      target.click();
      if (!kept.focused) { document.activeElement.blur(); before?.focus?.({ preventScroll: true }); }
    }
    const focused = kept.focused && found(place, kept.focused);
    if (focused) (focused.querySelector(".f") ?? focused).focus({ preventScroll: true });
    if (kept.named) place.querySelector(`[data-name="${kept.named}"]`)?.focus({ preventScroll: true });
    place.querySelectorAll(".pane, .schema-text").forEach((pane, index) => { pane.scrollTop = kept.scrolled[index] ?? 0; });
  };

  const fill = async (details) => {
    const body = details.querySelector(".body");
    body.setAttribute("aria-busy", "true");
    const asked = new URLSearchParams(given);
    asked.set("kind", details.dataset.kind);
    const text = await (await fetch(`more?${asked}`)).text();
    if (body.dataset.text !== text) {
      const kept = keep(body);
      body.innerHTML = text;
      body.dataset.text = text;
      for (const step of body.querySelectorAll("[data-deep]")) step.style.setProperty("--deep", step.dataset.deep);
      for (const link of body.querySelectorAll("a:not([href])")) link.replaceWith(...link.childNodes);
      window.bridgespecAnnotate(body);
      restore(body, kept);
    }
    body.removeAttribute("aria-busy");
  };

  const wire = (place) => {
    for (const details of place.querySelectorAll("details.lazy")) details.addEventListener("toggle", () => { if (details.open) fill(details); });
  };
  const put = (text) => {
    const made = document.createElement("template");
    made.innerHTML = text;
    const parts = [...made.content.querySelectorAll("[data-key]")];
    if (!live.children.length) {
      for (const part of parts) shown.set(part.dataset.key, part.innerHTML);
      live.append(made.content);
      wire(live);
      window.bridgespecAnnotate(live);
      return;
    }
    for (const part of parts) {
      const key = part.dataset.key, html = part.innerHTML;
      if (shown.get(key) === html) continue;
      const place = live.querySelector(`[data-key="${key}"]`), kept = keep(place), top = scrollY;
      place.innerHTML = html;
      shown.set(key, html);
      window.bridgespecAnnotate(place);
      restore(place, kept);
      scrollTo(0, top);
    }
    for (const details of live.querySelectorAll("details.lazy[open]")) fill(details);
  };

  let running = false, again = false;
  const load = async () => {
    if (running) { again = true; return; }
    running = true;
    do {
      again = false;
      try {
        const answer = await fetch(`view?${given}`);
        if (!answer.ok) throw new Error(String(answer.status));
        put(await answer.text());
        state.textContent = `As of ${new Date().toLocaleTimeString()}; changes of the files are shown as they are saved.`;
      } catch {
        state.textContent = "The server does not answer: start the command again.";
      }
    } while (again);
    running = false;
  };

  live.addEventListener("change", ({ target }) => {
    if (!target.dataset.name) return;
    const value = target.dataset.name === "part" ? target.value : decodeBytes(target.value);
    given.set(target.dataset.name, value);
    if (target.dataset.name !== "part") given.delete("part");
    if (target.dataset.name === "schema") given.delete("file");
    follow();
  });
  /** The names of files are bytes: those that are no UTF-8 stay quoted. */
  const quoted = new Map();
  const decodeBytes = (value) => {
    try { return decodeURIComponent(value); } catch { const mark = `\ue000${quoted.size}\ue001`; quoted.set(mark, value); return mark; }
  };
  const search = given.toString.bind(given);
  given.toString = () => [...quoted].reduce((text, [mark, value]) => text.replaceAll(encodeURIComponent(mark), value), search());
  const follow = () => { history.replaceState(null, "", `?${given}`); load(); };
  live.addEventListener("click", (event) => {
    const link = event.target.closest?.("a[data-part]");
    if (!link) return;
    event.preventDefault();
    if ((given.get("part") ?? "0") !== link.dataset.part) { given.set("part", link.dataset.part); follow(); }
  });

  const events = new EventSource("events");
  events.onmessage = load;
  events.onerror = () => { state.textContent = "The server does not answer: start the command again."; };
})();
