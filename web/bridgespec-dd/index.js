import { core } from "./core.js";
import { par } from "./par.js";
import { WASM } from "./wasm.js";

export { par };

function decoded() {
  const text = atob(WASM), bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}

/** The solver on this thread: for Node.js, and for Workers of your own. */
export function open({ memory = 64, wasm = decoded() } = {}) {
  return core(wasm, memory);
}

/* What the Worker does; its text is sent, so it names nothing outside itself. */
function serve(scope, core) {
  let solver;
  scope.onmessage = ({ data: [name, given] }) => {
    try {
      if (name === "open") solver = core(...given);
      else scope.postMessage({ answer: solver[name](...given) });
    } catch (error) {
      scope.postMessage({ message: error.message });
    }
  };
}

/** A Worker of Node.js behind the names that a browser's has. */
function nodeWorker() {
  const { Worker } = process.getBuiltinModule("node:worker_threads");
  const scope = `const { parentPort } = require("node:worker_threads"), scope = { postMessage: (data) => parentPort.postMessage(data) };
    parentPort.on("message", (data) => scope.onmessage({ data }));`;
  const worker = new Worker(`"use strict";${scope}(${serve})(scope,${core});`, { eval: true });
  const named = { postMessage: (data) => worker.postMessage(data), terminate: () => worker.terminate() };
  worker.on("message", (data) => named.onmessage({ data }));
  worker.on("error", (error) => named.onerror(error));
  return named;
}

/** The solver in a Worker: questions wait for each other, and each is a promise. */
export class Solver {
  #memory;
  #worker = null;
  #url = null;
  #waiting = []; // the first one is with the worker

  constructor({ memory = 64 } = {}) {
    this.#memory = memory;
  }

  table(deal, { strains, signal } = {}) {
    return this.#ask("table", strains ? [deal, strains] : [deal], signal);
  }

  cards(position, { signal } = {}) {
    return this.#ask("cards", [position], signal);
  }

  lead(deal, strain, declarer, { signal } = {}) {
    return this.#ask("lead", [deal, strain, declarer], signal);
  }

  trace(position, play, { signal } = {}) {
    return this.#ask("trace", [position, play], signal);
  }

  /** Ends the Worker and with it every question; another question starts a new one. */
  close() {
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#end();
    for (const task of waiting) task.finish(task.reject, new DOMException("the solver was closed", "AbortError"));
  }

  #end() {
    this.#worker?.terminate();
    if (this.#url) URL.revokeObjectURL(this.#url);
    this.#worker = this.#url = null;
  }

  #ask(name, given, signal) {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const abort = () => {
        const place = this.#waiting.indexOf(task);
        this.#waiting.splice(place, 1);
        // The only way to stop a search is to end its thread; the questions behind it go to the next one.
        if (place === 0) this.#end();
        task.finish(reject, signal.reason);
        if (place === 0) this.#next();
      };
      const finish = (settle, value) => {
        signal?.removeEventListener("abort", abort);
        settle(value);
      };
      const task = { message: [name, given], resolve, reject, finish };
      signal?.addEventListener("abort", abort);
      this.#waiting.push(task);
      if (this.#waiting.length === 1) this.#next();
    });
  }

  #next() {
    if (!this.#waiting.length) return;
    try {
      this.#worker ??= this.#started();
      this.#worker.postMessage(this.#waiting[0].message);
    } catch (error) {
      this.#done("reject", error);
    }
  }

  #browserWorker() {
    this.#url = URL.createObjectURL(new Blob([`"use strict";(${serve})(self,${core});`], { type: "text/javascript" }));
    return new Worker(this.#url);
  }

  #done(how, value) {
    const task = this.#waiting.shift();
    task?.finish(task[how], value);
    this.#next();
  }

  #started() {
    const worker = globalThis.Worker ? this.#browserWorker() : nodeWorker();
    worker.onmessage = ({ data }) => (data.message === undefined ? this.#done("resolve", data.answer) : this.#done("reject", new Error(data.message)));
    worker.onerror = (event) => {
      this.#end();
      this.#done("reject", new Error(event.message || "the solver's Worker could not start"));
    };
    worker.postMessage(["open", [decoded(), this.#memory]]);
    return worker;
  }
}
