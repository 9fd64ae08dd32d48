/**
 * The scope of `value` expressions: one record of a text, in the record `owner`. `node` is the node of a record that was read, or
 * the plain value of a record that is being written, of which positions and enclosing records are unknown. A field that could not
 * be read has no value, so that one fault is one finding; with `unread` its position can be used.
 */
class Frame {
  constructor(rule, node, owner, unread = owner?.unread ?? false) {
    this.rule = rule;
    this.node = node;
    this.owner = owner;
    this.unread = unread;
    this.written = !(node instanceof TextNode);
    this.it = null;
    this.index = null;
    this.values = new Map();
    this.session = { make() {} };
    this.stream = null;
  }

  get parent() {
    if (this.written) throw new EvaluationError("what is around a record is unknown before all is written");
    return this.owner;
  }

  get root() {
    const { parent } = this;
    return parent === null ? this : parent.root;
  }

  /** The bytes of the whole file; the text has one character for each. */
  get io() {
    if (this.written) return new TextBytes("");
    const { root } = this;
    root.stream ??= new TextBytes(root.node.source);
    return root.stream;
  }

  /** Return the nodes of a field in file order. */
  nodes(name) {
    const found = partsOf(this.node).filter((part) => part.field === name);
    if (!this.unread && found.some((part) => part.broken)) throw new EvaluationError(`'${name}' could not be read`);
    return found;
  }

  /** Return all values of a field: those that were read or are written, else the derived value or the default. */
  items(name) {
    const { node, rule, written } = this;
    if (!written) return this.nodes(name).filter((part) => !part.broken);
    if (Object.hasOwn(node, name)) return listed(node[name]);
    if (Object.hasOwn(rule.values, name) && !rule.lists.includes(name)) return [rule.derive(name, node)];
    const standard = rule.fields[name].default;
    return standard === null ? [] : [standard];
  }

  /** Return the value of a field: a number, a text, the number of a code, a frame, or a list of these. */
  get(name) {
    if (!this.values.has(name)) this.values.set(name, this.find(name));
    return this.values.get(name);
  }

  find(name) {
    const found = this.items(name).map((item) => this.valueOf(name, item));
    if (this.rule.lists.includes(name)) return found;
    if (!found.length) throw new EvaluationError(`'${name}' does not stand here`);
    return found[0];
  }

  valueOf(name, item) {
    const rule = this.rule.fields[name];
    const text = item instanceof TextNode ? item.text : item;
    if (rule.kind === "record") return item === text && !isPlainRecord(item) ? text : new Frame(rule, item, this);
    const number = rule.number ?? rule.like?.number ?? null;
    if (rule.kind !== "code" && number === null) return asText(text);
    if (isInteger(text)) return text;
    const code = rule.codeNamed(text);
    if (code !== null) return [...rule.codeNames].indexOf(code);
    const found = number === null ? null : readNumeral(number, asText(text));
    if (found === null)
      throw new EvaluationError(`${name}: ${quote(asText(text))} is not a ${rule.kind === "code" ? "code" : "number"}`);
    return found;
  }

  scopeAttribute(name) {
    if (name === "_root") return this.root;
    if (name === "_parent") return this.parent;
    if (name === "_io") return this.io;
    return this.get(name);
  }

  /** Return the position of an empty list: after the fields before it, without a length. */
  behind(name) {
    const names = Object.keys(this.rule.fields);
    const ahead = names.slice(0, names.indexOf(name));
    const stops = partsOf(this.node).flatMap(({ field, stop }) => (ahead.includes(field) ? [stop] : []));
    return Math.max(this.node.start, ...stops);
  }

  /** Return the position of a field, or of this record; undefined for an absent field. */
  placed(name) {
    if (this.written) return new Place(this.io, 0);
    const nodes = name === null ? [this.node] : this.nodes(name);
    if (!nodes.length && !this.rule.lists.includes(name)) return undefined;
    const place = new Place(this.io, nodes[0]?.start ?? this.behind(name));
    place.stop = nodes.at(-1)?.stop ?? place.start;
    place.items = nodes.map(({ start, stop }) => [start, stop]);
    return place;
  }

  spotOf(name) {
    const place = this.placed(name);
    if (place === undefined) throw new EvaluationError(`'${name}' does not stand in the file`);
    return place;
  }

  /** Return the position of the whole text. */
  wholeSpot() {
    const place = new Place(this.io, 0);
    place.stop = 8 * this.io.size;
    return place;
  }
}

/** The bytes of a text, one for each character. */
class TextBytes {
  constructor(text) {
    this.data = Uint8Array.from(text, (one) => one.charCodeAt(0));
    this.size = this.data.length;
  }

  bytesBetween(start, stop) {
    return this.data.subarray(Math.floor(start / 8), Math.ceil(stop / 8));
  }
}

/** Return the nodes of a record's fields, elements of arrays one by one. */
function partsOf(node) {
  if (!node.whole) return node.fields ?? [];
  return node.children.flatMap((child) => (isArray(child) ? child.children : [child]));
}

/**
 * Return those of some fields of a record whose text is not the derived one, with the derived text. A field whose expression has no
 * value, because another field is missing, is skipped.
 * @where values
 */
function mismatches(frame, names) {
  const found = [];
  for (const name of names) {
    const part = partsOf(frame.node).find((one) => one.field === name);
    if (part === undefined) continue;
    const { number } = frame.rule.fields[name];
    let right;
    try {
      right = derivedText(frame.rule.values[name], number, frame);
    } catch (error) {
      if (error instanceof EvaluationError || error instanceof Failure) continue;
      throw error;
    }
    if (right === part.text) continue;
    const same = number === null ? null : readNumeral(number, part.text);
    if (same !== null && same === readNumeral(number, right) && right.length === part.text.length) continue;
    found.push([part, right]);
  }
  return found;
}

/**
 * Return the text of a derived field. Throws an EvaluationError or a Failure where a field that it needs is missing or no number.
 * @where values
 */
function derivedText(evaluate, number, frame) {
  let value = lazily(evaluate)(frame);
  if (value instanceof Uint8Array) {
    const digits = Array.from(value, (byte) => byte.toString(16).padStart(2, "0")).join("");
    if (number === null) return digits;
    value = BigInt(`0x${digits || "0"}`);
  }
  return number === null || typeof value === "string" ? String(value) : writeNumeral(number, value);
}

/**
 * Yield all mismatches in a file, for derived fields that are `wanted`, in the order of the text.
 * @where values
 */
function deviations(root, wanted, unread) {
  const found = [];
  const waiting = [[new Frame(root.rule, root, null, unread), null]];
  while (waiting.length) {
    const [frame, top] = waiting.pop();
    for (const [part, right] of mismatches(frame, wanted(frame.rule))) found.push([top ?? part, part, right]);
    const inner = partsOf(frame.node).filter((part) => !part.broken && part.rule.kind === "record");
    for (const part of inner.reverse()) waiting.push([new Frame(part.rule, part, frame), top ?? part]);
  }
  return found;
}
