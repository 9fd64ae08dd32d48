/** Matches the line end at the end of a text. */
const ENDED = /(?:\r\n|\r|\n)$/;
/** The value of an element that is removed. */
const GONE = Symbol("gone");

/**
 * Writes a file with changes; new text has the line end of the file if all lines have the same. A derived field need not be among
 * the values, and a difference in it is no change: its text stays until `settled` corrects it.
 */
class Patch {
  constructor(text) {
    this.text = text;
    const ends = new Set(text.match(LINE_END));
    this.ends = ends.size === 1 ? [...ends][0] : null;
  }

  /** Return the text for a plain value that replaces a node, the node's own text if nothing has changed. */
  write(node, value, rule, path) {
    if (this.same(node, value, rule)) return node.text;
    if (!isPlainRecord(value) || node.children === null) return this.fresh(rule, value, path);
    const named = (name) => Object.hasOwn(value, name);
    const nodes = node.children.filter(({ name }) => named(name) || !isDerived(rule, name));
    const alike = nodes.length === Object.keys(value).length && nodes.every(({ name }) => named(name));
    if (alike && nodes.every((one) => mayGrow(rule, one, value[one.name]))) {
      try {
        const parts = nodes.map((one) => [one, value[one.name], innerRule(rule, one.name, value)]);
        return this.fill(node, parts, path);
      } catch (error) {
        if (!(error instanceof CannotEncode)) throw error;
      }
    }
    // if one record replaces a list, it takes the layout of the first element
    return this.grafted(isArray(node) && node.children.length ? node.children[0] : node, rule, this.fresh(rule, value, path));
  }

  /** Return new text for a record, in which unchanged fields and the text between fields are taken from the old record. */
  grafted(node, rule, fresh) {
    const read = (text) => rule.whole(text, 0, text.length, new Found());
    const made = read(fresh);
    if (node.whole || !node.fields?.length || !made?.fields?.length) return fresh;
    const [ours, theirs] = [node, made].map(({ fields }) => fields.map((part) => JSON.stringify([part.field, plainText(part)])));
    const kept = matches(ours, theirs);
    const beside = (_, at) => besideOf(node, made, kept, at);
    const text = Array.from({ length: made.fields.length + 1 }, beside).join("");
    const again = read(text);
    return again !== null && JSON.stringify(plainText(again)) === JSON.stringify(plainText(made)) ? text : fresh;
  }

  /** Return new text for a plain value, with the line ends of the file. */
  fresh(rule, value, path) {
    const text = rule.encoded(value, path);
    return this.ends === null ? text : text.replace(LINE_END, () => this.ends);
  }

  same(node, value, rule) {
    if (node.children === null) return rule.isSpelling(node.text, value);
    return compared(rule, plainText(node), true) === compared(rule, value, true);
  }

  /** Return the text of a record or an array in which some parts change; the text between the parts is kept. */
  fill(node, parts, path) {
    let out = "";
    let at = node.start / 8;
    for (const [child, value, rule] of separate(parts)) {
      const [start, stop] = [child.start / 8, child.stop / 8];
      if (value !== GONE && start < at) {
        if (!this.same(child, value, rule)) throw new CannotEncode("fields overlap", path);
        continue;
      }
      out += this.text.slice(at, start);
      const inner = path ? `${path}.${child.name}` : child.name;
      if (value !== GONE) out += this[Array.isArray(value) ? "elements" : "write"](child, value, rule, inner);
      at = stop;
    }
    return out + this.text.slice(at, node.stop / 8);
  }

  /** Return the text of an array with changed, added or removed elements; broken elements stay where they are. */
  elements(node, values, rule, path) {
    const [start, stop] = [node.start / 8, node.stop / 8];
    const all = node.children ?? [];
    const sound = all.filter((child) => !child.broken);
    if (sound.length === values.length) return this.fill(node, sound.map((child, i) => [child, values[i], rule]), path);
    const edges = [...all.slice(1).map((child) => child.start / 8), stop];
    if (all.some((child, i) => child.stop / 8 !== edges[i]))
      throw new CannotEncode("the number of elements changes and they are not side by side", path);
    const most = Math.min(sound.length, values.length);
    let head = 0;
    while (head < most && this.same(sound[head], values[head], rule)) head += 1;
    let tail = 0;
    while (tail < most - head && this.same(sound.at(-1 - tail), values.at(-1 - tail), rule)) tail += 1;
    const cut = head < sound.length ? sound[head].start / 8 : stop;
    const resume = tail ? sound[sound.length - tail].start / 8 : stop;
    const broken = all.filter((child) => child.broken && cut <= child.start / 8 && child.start / 8 < resume);
    const inner = [sound, values].map((list) => list.slice(head, list.length - tail));
    const fresh = this.between(...inner, rule, path);
    const before = this.text.slice(start, cut);
    const closing = fresh && before && sound.length && cut === this.text.length ? this.closing(sound.at(-1), rule, path) : "";
    return before + closing + fresh + broken.map(({ text }) => text).join("") + this.text.slice(resume, stop);
  }

  /** Return the line end that an element at the end of the file lacks and needs before another element; else an empty text. */
  closing(node, rule, path) {
    if (node.stop / 8 < this.text.length || ENDED.test(node.text)) return "";
    return ENDED.exec(this.fresh(rule, plainText(node), path))?.[0] ?? "";
  }

  /** Return the text for some elements: the old text of unchanged ones, new text for the others. */
  between(nodes, values, rule, path) {
    const [ours, theirs] = [nodes.map(plainText), values].map((list) => list.map((one) => compared(rule, one)));
    const kept = matches(ours, theirs);
    const made = values.map((value, i) => {
      if (!kept.has(i)) return this.fresh(rule, value, path);
      const node = nodes[kept.get(i)];
      return node.text + (i + 1 < values.length ? this.closing(node, rule, path) : "");
    });
    return made.join("");
  }
}

/**
 * Return a part of a new record with the text before it, from the old record if the part is unchanged; or the text after the last.
 */
function besideOf(node, made, kept, at) {
  const [old, fresh] = [node.fields, made.fields];
  const before = kept.get(at - 1) ?? -1;
  const here = kept.get(at) ?? (at === fresh.length ? old.length : -1);
  // The separator is kept where the two fields were adjacent; at the ends, where the field was the first or last.
  const beside = here >= 0 && here - 1 === before && (before >= 0 || at === 0);
  const [where, index] = beside ? [node, here] : [made, at];
  const start = index ? where.fields[index - 1].stop : where.start;
  const stop = where.fields[index]?.start ?? where.stop;
  return where.source.slice(start / 8, stop / 8) + ((kept.has(at) ? old[here] : fresh[at])?.text ?? "");
}

/** Return the parts of a record in file order; lists whose elements alternate are split into single elements. */
function separate(parts) {
  const ordered = (list) => list.sort(([one], [two]) => one.start - two.start);
  const found = ordered([...parts]);
  if (found.every(([child], i) => i === 0 || found[i - 1][0].stop <= child.start)) return found;
  const single = [];
  for (const part of found) {
    const [child, value, rule] = part;
    const sound = (child.children ?? []).filter((one) => !one.broken);
    if (!Array.isArray(value) || !isArray(child)) single.push(part);
    else if (value.length && value.length !== sound.length) return found;
    else single.push(...sound.map((one, i) => [one, value.length ? value[i] : GONE, rule]));
  }
  return ordered(single);
}

function isDerived(rule, name) {
  return Object.hasOwn(rule.values, name);
}

/** Return a text that is equal for plain values which differ only in derived fields and, with `sorted`, in the order of fields. */
function compared(rule, value, sorted = false) {
  const ordered = (_, one) => (isPlainRecord(one) ? Object.fromEntries(Object.entries(one).sort()) : one);
  return JSON.stringify(underived(rule, value), sorted ? ordered : null);
}

/** Return a plain value of a rule without derived fields, at any depth. */
function underived(rule, value) {
  if (Array.isArray(value)) return value.map((one) => underived(rule, one));
  if (!isPlainRecord(value) || rule.kind !== "record") return typeof value === "bigint" ? Number(value) : value;
  const names = Object.keys(value).filter((name) => !isDerived(rule, name));
  const inner = (name) => (Object.hasOwn(rule.fields, name) ? (rule.handovers.get(name)?.reader(value) ?? rule.fields[name]) : rule);
  return Object.fromEntries(names.map((name) => [name, underived(inner(name), value[name])]));
}

/** Whether elements can be written directly after the last one of an array: an array of one element does not show its separator. */
function mayGrow(rule, node, value) {
  if (!Array.isArray(value) || (node.children ?? []).length !== 1 || value.length < 2) return true;
  const walk = (piece) => [piece, ...piece.inside.flatMap(walk)];
  const all = walk(rule.body);
  const last = all.findLast(({ field }) => field === node.name);
  const repeated = all.filter((piece) => piece instanceof Repeated && piece.most !== 1).map(({ item }) => item);
  return repeated.some((item) => item === last || (item instanceof FirstOf && item.inside.includes(last)));
}

/** Return the rule that spells a field: of a delegated field the rule that reads its text, unless the value is a text. */
function innerRule(rule, name, values) {
  if (!Object.hasOwn(rule.fields, name)) throw new CannotEncode(`${rule.name} has no field ${name}`, name);
  const reader = rule.handovers.get(name)?.reader(values) ?? null;
  const value = values[name];
  return reader !== null && (typeof value !== "string" || reader.codeNamed(value) === value) ? reader : rule.fields[name];
}

/** Return the indexes of items of `theirs` that are unchanged, with their indexes in `ours`: the longest common runs first. */
function matches(ours, theirs) {
  const places = new Map();
  theirs.forEach((item, i) => (places.has(item) ? places.get(item).push(i) : places.set(item, [i])));
  const kept = new Map();
  const waiting = [[0, ours.length, 0, theirs.length]];
  while (waiting.length) {
    const [low, high, first, last] = waiting.pop();
    let [bestOne, bestTwo, size] = [low, first, 0];
    let lengths = new Map();
    for (let one = low; one < high; one++) {
      const longer = new Map();
      for (const two of places.get(ours[one]) ?? []) {
        if (two < first || two >= last) continue;
        const length = (lengths.get(two - 1) ?? 0) + 1;
        longer.set(two, length);
        if (length > size) [bestOne, bestTwo, size] = [one - length + 1, two - length + 1, length];
      }
      lengths = longer;
    }
    if (!size) continue;
    for (let i = 0; i < size; i++) kept.set(bestTwo + i, bestOne + i);
    waiting.push([low, bestOne, first, bestTwo], [bestOne + size, high, bestTwo + size, last]);
  }
  return kept;
}
