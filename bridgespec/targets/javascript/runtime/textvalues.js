/**
 * One record of a text as the expressions of `value` see it: `owner` is that of the record that contains it. `node` was read, or is
 * the plain value of a record that is being written, of which positions and the records around it are unknown. What could not be
 * read makes what follows from it unknown, so that one fault is one finding, unless it is `unread`.
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

  /** The bytes of the whole file: each character of a text is one. */
  get io() {
    if (this.written) return new TextBytes("");
    const { root } = this;
    root.stream ??= new TextBytes(root.node.source);
    return root.stream;
  }

  /** The fields of a name in file order. */
  nodes(name) {
    const found = partsOf(this.node).filter((part) => part.field === name);
    if (!this.unread && found.some((part) => part.broken)) throw new EvaluationError(`'${name}' could not be read`);
    return found;
  }

  /** The values of a field, as read or as given; else the derived one or the default. */
  items(name) {
    const { node, rule, written } = this;
    if (!written) return this.nodes(name).filter((part) => !part.broken);
    if (Object.hasOwn(node, name)) return listed(node[name]);
    if (Object.hasOwn(rule.values, name) && !rule.lists.includes(name)) return [rule.derive(name, node)];
    const standard = rule.fields[name].default;
    return standard === null ? [] : [standard];
  }

  /** The value of a field: a number, a text, the number of a code, a frame, or a list of these. */
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

  /** Where an empty list stands, which takes no room: behind what stands before it. */
  behind(name) {
    const names = Object.keys(this.rule.fields);
    const ahead = names.slice(0, names.indexOf(name));
    const stops = partsOf(this.node).flatMap(({ field, stop }) => (ahead.includes(field) ? [stop] : []));
    return Math.max(this.node.start, ...stops);
  }

  /** Where a field stands, or this record itself; nothing where it does not. */
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

  /** All of the text. */
  wholeSpot() {
    const place = new Place(this.io, 0);
    place.stop = 8 * this.io.size;
    return place;
  }
}

/** The characters of a text as bytes: each is one. */
class TextBytes {
  constructor(text) {
    this.data = Uint8Array.from(text, (one) => one.charCodeAt(0));
    this.size = this.data.length;
  }

  bytesBetween(start, stop) {
    return this.data.subarray(Math.floor(start / 8), Math.ceil(stop / 8));
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
 * The text of a field that follows from others; an EvaluationError or a Failure where one of them is missing or is no number.
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
 * All mismatches of a file in the fields of each record that are `wanted`, in the order of the text.
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
