/** One record of a text as the expressions of `value` see it: `owner` is that of the record that holds it. */
class Frame {
  constructor(rule, node, owner) {
    this.rule = rule;
    this.node = node;
    this.owner = owner;
    this.it = null;
    this.index = null;
    this.values = new Map();
    this.session = { make() {} };
    this.record = { instances: new Map() };
    this.places = { get: (name) => this.placed(name) };
    this.stream = null;
  }

  get parent() {
    return this.owner;
  }

  get root() {
    return this.owner === null ? this : this.owner.root;
  }

  /** The bytes of the whole file: each character of a text is one. */
  get io() {
    const { root } = this;
    if (root.stream === null) {
      const data = Uint8Array.from(root.node.source, (one) => one.charCodeAt(0));
      root.stream = { data, start: 0, size: data.length };
    }
    return root.stream;
  }

  /** The fields of a name in file order. */
  nodes(name) {
    const found = partsOf(this.node).filter((part) => part.field === name);
    // What could not be read makes what follows from it unknown, so that one fault is one finding.
    if (found.some((part) => part.broken)) throw new EvaluationError(`'${name}' could not be read`);
    return found;
  }

  /** The value of a field: a number, a text, the number of a code, a frame, or a list of these. */
  get(name) {
    if (!this.values.has(name)) this.values.set(name, this.find(name));
    return this.values.get(name);
  }

  find(name) {
    const rule = this.rule.fields[name];
    const found = this.nodes(name);
    if (this.rule.lists.includes(name)) return found.map((part) => this.valueOf(rule, part));
    if (found.length) return this.valueOf(rule, found[0]);
    if (rule.default === null) throw new EvaluationError(`'${name}' does not stand here`);
    return rule.default;
  }

  valueOf(rule, part) {
    if (rule.kind === "record") return new Frame(rule, part, this);
    const number = rule.number ?? rule.like?.number ?? null;
    if (rule.kind === "code") return [...rule.codeNames].indexOf(rule.codeOf(part.text));
    if (number === null) return part.text;
    const found = readNumeral(number, part.text);
    if (found === null) throw new EvaluationError(`${rule.name}: ${quote(part.text)} is not a number`);
    return found;
  }

  scopeAttribute(name) {
    if (name === "_root") return this.root;
    if (name === "_parent") return this.parent;
    if (name === "_io") return this.io;
    return this.get(name);
  }

  /** Where an empty list stands, which takes no room: behind what stands before it. */
  behind(name) {
    const names = Object.keys(this.rule.fields);
    const ahead = names.slice(0, names.indexOf(name));
    const stops = partsOf(this.node).flatMap(({ field, stop }) => (ahead.includes(field) ? [stop] : []));
    return Math.max(this.node.start, ...stops);
  }

  /** Where a field stands, or this record itself; nothing where it does not. */
  placed(name) {
    const nodes = name === null ? [this.node] : this.nodes(name);
    if (!nodes.length && !this.rule.lists.includes(name)) return undefined;
    const place = new Place(this.io, nodes[0]?.start ?? this.behind(name));
    place.stop = nodes.at(-1)?.stop ?? place.start;
    place.items = nodes.map(({ start, stop }) => [start, stop]);
    return place;
  }
}

/** The fields of a record, elements of arrays one by one. */
function partsOf(node) {
  if (!node.whole) return node.fields ?? [];
  return node.children.flatMap((child) => (isArray(child) ? child.children : [child]));
}

/**
 * The fields of a record, of those named, that hold something else than what they are derived from, with what they
 * should hold. What cannot be derived, since something is missing, is passed over.
 * @where values
 */
function mismatches(frame, names) {
  const found = [];
  for (const name of names) {
    const part = partsOf(frame.node).find((one) => one.field === name);
    if (part === undefined) continue;
    const { number } = frame.rule.fields[name];
    const right = derivedText(frame.rule.values[name], number, frame);
    if (right === null || right === part.text) continue;
    const same = number === null ? null : readNumeral(number, part.text);
    if (same !== null && same === readNumeral(number, right) && right.length === part.text.length) continue;
    found.push([part, right]);
  }
  return found;
}

/** The text of a field that follows from others; null where it has none. */
function derivedText(evaluate, number, frame) {
  let value;
  try {
    value = lazily(evaluate)(frame);
  } catch (error) {
    if (error instanceof EvaluationError || error instanceof Failure) return null;
    throw error;
  }
  if (value instanceof Uint8Array) {
    const digits = Array.from(value, (byte) => byte.toString(16).padStart(2, "0")).join("");
    if (number === null) return digits;
    value = BigInt(`0x${digits || "0"}`);
  }
  return number === null || typeof value === "string" ? String(value) : writeNumeral(number, value);
}

/**
 * All mismatches of a file in fields that follow from more than their record, in the order of the text.
 * @where derived
 */
function deviations(root) {
  const found = [];
  const waiting = [[new Frame(root.rule, root, null), null]];
  while (waiting.length) {
    const [frame, top] = waiting.pop();
    for (const [part, right] of mismatches(frame, frame.rule.outward)) found.push([top ?? part, part, right]);
    const inner = partsOf(frame.node).filter((part) => !part.broken && part.rule.kind === "record");
    for (const part of inner.reverse()) waiting.push([new Frame(part.rule, part, frame), top ?? part]);
  }
  return found;
}
