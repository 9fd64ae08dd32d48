// Visits a page as a reader does and prints, as JSON, what there is after each step: the document is tests/webpage/document.js, the solver the real one.
// Standard input: { title, documents, texts, steps, readers, failing, settings }; a step is [name, ...given].

import { startApp } from "../../bridgespec/webpage/static/app.js";
import { makeEngine } from "../../bridgespec/webpage/static/engine.js";
import { document, Element, Node, shown } from "./document.js";

async function visit() {
  let asked = "";
  for await (const part of process.stdin) asked += part;
  const { title, documents, texts, steps, readers, failing, settings } = JSON.parse(asked);

  const listeners = new Map();
  const heard = [];
  const kept = new Map(settings ? [["bridgespec-page", settings]] : []);
  const location = {
    at: "",
    get hash() { return this.at; },
    set hash(hash) {
      this.at = hash;
      heard.push(`goes to ${hash}`);
      tell("hashchange");
    },
  };
  const tell = (name, event = {}) => (listeners.get(name) ?? []).forEach((listener) => listener({ preventDefault() { heard.push("kept from the browser"); }, ...event }));

  const blobs = [];
  URL.createObjectURL = (blob) => `blob:${blobs.push(blob) - 1}`;

  /** The solver's Worker on this thread. */
  class Worker {
    static waiting = 0;

    constructor(url) {
      const scope = { postMessage: (data) => { Worker.waiting -= 1; this.onmessage({ data }); } };
      this.started = blobs[Number(url.slice(5))].text().then((text) => new Function("self", text)(scope));
      this.scope = scope;
    }

    postMessage(data) {
      if (data[0] !== "open") Worker.waiting += 1;
      this.started = this.started.then(() => this.scope.onmessage({ data: failing && data[0] !== "open" ? [failing, []] : data }));
    }

    terminate() {
      Worker.waiting = 0;
    }
  }

  // Nothing waits for long: what comes later comes in the same order.
  const later = globalThis.setTimeout;
  const pause = (time) => new Promise((resolve) => later(resolve, time));

  Object.assign(globalThis, {
    Worker,
    setTimeout: (run) => later(run, 1),
    document, Node, location,
    window: { print: () => heard.push("prints") },
    addEventListener: (name, listener) => listeners.set(name, [...(listeners.get(name) ?? []), listener]),
    scrollTo: () => heard.push("scrolls to the top"),
    history: { replaceState: (_state, _title, hash) => { location.at = hash; heard.push(`stands at ${hash}`); } },
    localStorage: { getItem: (name) => kept.get(name) ?? null, setItem: (name, value) => { kept.set(name, value); heard.push(`keeps ${value}`); } },
  });

  if (readers) await import(readers);
  const root = new Element("div");
  document.body.appendChild(root);

  /** An element by a selector, and, where several have it, by the text or the label that it has. */
  function found(selector, text) {
    const all = root.querySelectorAll(selector);
    const one = text === undefined ? all[0] : all.find((each) => each.textContent.trim() === text || each.attributes.get("aria-label") === text);
    if (!one) throw new Error(`no ${selector} ${text ?? ""}`);
    return one;
  }

  const file = ({ name, text }) => ({ name, arrayBuffer: async () => new TextEncoder().encode(text).buffer });
  const STEPS = {
    open: (hash) => { location.at = hash; startApp(root, { title, documents }, texts, makeEngine, globalThis.bridgespecReaders ?? null); },
    go: (hash) => { location.hash = hash; },
    click: (selector, text) => { found(selector, text).focus(); found(selector, text).fire("click"); },
    key: (key, more = {}) => tell("keydown", { key, target: document.activeElement, ...more }),
    choose: (selector, value) => { found(selector).value = value; found(selector).fire("change"); },
    drop: (...files) => { tell("dragover"); tell("drop", { dataTransfer: { files: files.map(file) } }); },
    pick: (...files) => { found("#files").files = files.map(file); found("#files").fire("change"); },
    tell: (name) => tell(name),
    // What goes on beside is waited for: the record is weighed after a while.
    wait: async () => {
      await pause(5);
      for (let quiet = 0; quiet < 5; quiet = Worker.waiting ? 0 : quiet + 1) await pause(0);
    },
    see: () => {},
  };

  const seen = [];
  for (const [name, ...given] of steps) {
    await STEPS[name](...given);
    await pause(0);
    const focus = document.activeElement === document.body ? "" : shown(document.activeElement)[0];
    seen.push({ heard: heard.splice(0), title: document.title, focus, lines: shown(root) });
  }
  process.stdout.write(JSON.stringify(seen), () => process.exit(0));
}

visit();
