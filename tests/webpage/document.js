// As much of a browser's document as the page's scripts use, for running them in Node.js: elements, texts, events, focus.

export class Node {
  constructor() {
    this.parent = null;
    this.nodes = [];
  }

  get children() {
    return this.nodes.filter((node) => node instanceof Element);
  }

  get textContent() {
    return this.nodes.map((node) => node.textContent).join("");
  }

  set textContent(text) {
    this.replaceChildren(...(text === "" ? [] : [new Text(text)]));
  }

  appendChild(node) {
    node.remove();
    for (const one of node instanceof Fragment ? [...node.nodes] : [node]) {
      one.parent = this;
      this.nodes.push(one);
    }
    return node;
  }

  append(...nodes) {
    nodes.forEach((node) => this.appendChild(node));
  }

  replaceChildren(...nodes) {
    for (const node of this.nodes) node.parent = null;
    this.nodes = [];
    this.append(...nodes);
  }

  remove() {
    if (this.parent) this.parent.nodes = this.parent.nodes.filter((node) => node !== this);
    this.parent = null;
  }

  contains(node) {
    for (let one = node; one; one = one.parent) if (one === this) return true;
    return false;
  }

  getRootNode() {
    return document;
  }

  * descendants() {
    for (const child of this.children) {
      yield child;
      yield* child.descendants();
    }
  }

  querySelectorAll(selector) {
    return [...this.descendants()].filter((element) => element.matches(selector));
  }

  querySelector(selector) {
    return this.querySelectorAll(selector)[0] ?? null;
  }
}

class Fragment extends Node {}

class Text extends Node {
  constructor(text) {
    super();
    this.text = text;
  }

  get textContent() {
    return this.text;
  }
}

const PART = /^([a-z0-9]+)?((?:#[\w-]+|\.[\w-]+|\[[^\]]+\]|:first-child|:last-child)*)$/;

/** Properties that mirror an attribute that is there or not. */
const FLAGS = ["hidden", "checked", "selected", "multiple"];

export class Element extends Node {
  constructor(tag) {
    super();
    this.tag = tag;
    this.attributes = new Map();
    this.listeners = [];
    const name = (key) => `data-${key}`;
    this.dataset = new Proxy({}, {
      get: (_, key) => this.attributes.get(name(key)),
      set: (_, key, value) => Boolean(this.attributes.set(name(key), String(value))),
    });
    this.classList = {
      contains: (one) => this.className.split(" ").includes(one),
      toggle: (one, on) => {
        const others = this.className.split(" ").filter((each) => each && each !== one);
        this.className = [...others, ...(on ? [one] : [])].join(" ");
      },
    };
  }

  get className() {
    return this.attributes.get("class") ?? "";
  }

  set className(name) {
    this.attributes.set("class", name);
  }

  setAttribute(name, value) {
    this.attributes.set(name, value);
  }

  addEventListener(name, listener) {
    this.listeners.push([name, listener]);
  }

  focus() {
    focused = this;
  }

  closest(selector) {
    for (let one = this; one instanceof Element; one = one.parent) if (one.matches(selector)) return one;
    return null;
  }

  matches(selector) {
    return selector.split(", ").some((one) => {
      const parts = one.split(" ");
      if (!this.#is(parts.pop())) return false;
      let owner = this.parent;
      for (const part of parts.reverse()) {
        while (owner instanceof Element && !owner.#is(part)) owner = owner.parent;
        if (!(owner instanceof Element)) return false;
        owner = owner.parent;
      }
      return true;
    });
  }

  #is(part) {
    const [, tag, rest] = PART.exec(part);
    return (!tag || tag === this.tag) && (rest.match(/#[\w-]+|\.[\w-]+|\[[^\]]+\]|:[\w-]+/g) ?? []).every((test) => {
      if (test[0] === "#") return this.attributes.get("id") === test.slice(1);
      if (test[0] === ".") return this.classList.contains(test.slice(1));
      if (test[0] === ":") return this.parent.children.at(test === ":first-child" ? 0 : -1) === this;
      const [name, value] = test.slice(1, -1).split("=");
      return value === undefined ? this.attributes.has(name) : this.attributes.get(name) === value.replaceAll('"', "");
    });
  }

  /** What a listener is told, whether it was added or set. */
  fire(name, event = {}) {
    const given = { type: name, target: this, preventDefault() {}, ...event };
    for (const [wanted, listener] of this.listeners) if (wanted === name) listener(given);
    this[`on${name}`]?.(given);
  }

  get hash() {
    return this.attributes.get("href") ?? "";
  }

  get value() {
    return this.given ?? this.attributes.get("value") ?? "";
  }

  set value(value) {
    this.given = value;
  }
}

for (const flag of FLAGS) {
  Object.defineProperty(Element.prototype, flag, {
    get() { return this.attributes.has(flag); },
    set(on) { if (on) this.attributes.set(flag, ""); else this.attributes.delete(flag); },
  });
}

let focused = null;

export const document = {
  documentElement: new Element("html"),
  body: new Element("body"),
  title: "",
  createElement: (tag) => new Element(tag),
  createTextNode: (text) => new Text(text),
  createDocumentFragment: () => new Fragment(),
  /** What lost its place in the document has lost the focus. */
  get activeElement() {
    return focused && this.body.contains(focused) ? focused : this.body;
  },
};

const QUIET = new Set(["type", "scope", "tabindex", "role", "data-state"]);
const WIDE = 150;

/** An element as lines: tag, classes, attributes and content; what is short is one line. */
export function shown(node, indent = "") {
  if (node instanceof Text) return [indent + quoted(node.text)];
  const head = headOf(node);
  const flat = inOneLine(node);
  if (node.nodes.every((one) => one instanceof Text || one.nodes.every((inner) => inner instanceof Text || inner.nodes.length < 2)) && flat.length < WIDE) return [indent + flat];
  return [indent + head, ...node.nodes.flatMap((one) => shown(one, `${indent}  `))];
}

const quoted = (text) => (text.trim() === text && text ? text : `"${text}"`);

function headOf(element) {
  const attributes = [...element.attributes].filter(([name]) => name !== "class" && !QUIET.has(name)).map(([name, value]) => `[${name}${value && `=${value}`}]`);
  return [element.tag, ...element.className.split(" ").filter(Boolean).map((one) => `.${one}`), ...attributes].join("");
}

const inOneLine = (node) => (node instanceof Text ? quoted(node.text) : `${headOf(node)}(${node.nodes.map(inOneLine).join("|")})`);
