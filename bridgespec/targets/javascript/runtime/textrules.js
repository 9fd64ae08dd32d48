/** The defaults of a rule's declaration. `write`: the spellings of layout, which are written in turn. */
const UNSAID = {
  ...{ doc: "", says: null, report: null, mismatch: null, recursive: false, remark: false, number: null, default: null },
  ...{ lists: [], restart: null, contents: null, pair: null, values: {}, outward: [], unsettled: [] },
  ...{ write: null, ends: "", trim: "", made: null, named: null, found: null, handed: null },
};

/** Reads and writes the value of one rule: a text, a code or a record. */
class Rule {
  constructor(given) {
    const { like = null, is = null, codes = null, fields = null, ...words } = given;
    Object.assign(this, UNSAID, words, { likeOf: like, isOf: is, codesOf: codes, fieldsOf: fields });
  }

  get fields() {
    return {};
  }

  /** The rule that this one only refers to. */
  get like() {
    return this.likeOf === null ? null : ruleOf(this.likeOf());
  }

  /** The expression of the rule. */
  get body() {
    this.made ??= this.like === null ? pieceOf(this.isOf()) : this.like.body;
    return this.made;
  }

  /**
   * The name of the rule in messages: its words, the name of a terminal, or none, so that its content is named.
   */
  get naming() {
    this.named ??= this.like !== null && this.says === null && this.report === null ? this.like.naming : namingOf(this);
    return this.named;
  }

  /** Return the node for the text between two offsets; null where the rule does not match all of it. */
  whole(text, start, stop, into) {
    const node = this.read(null, this.name, text.slice(0, stop), start, into);
    return node !== null && node.stop === 8 * stop ? node : null;
  }

  /** Whether the rule matches all of the text between two offsets. */
  fits(text, start = 0, stop = text.length) {
    return this.body.read(text.slice(0, stop), start, new Found()) === stop;
  }

  /** Return the text of a plain value without fields. Throws CannotEncode where the rule cannot spell it. */
  encoded(value, path) {
    const text = asText(value);
    if (this.fits(text)) return text;
    const why = this.says === null ? `does not fit the rule ${this.name}` : `is not ${this.says}`;
    throw new CannotEncode(`${quote(text)} ${why}`, path);
  }

  /** Return the text of a value in a field that delegates to this rule; a text is returned unchanged. */
  asContent(value, path) {
    return typeof value === "string" ? value : this.encoded(value, path);
  }

  /** Return the name of the code for a plain value; null for a value that is no code of this rule. */
  codeNamed() {
    return null;
  }

  /** Whether a text that was read spells a plain value. */
  isSpelling(text, value) {
    return text === asText(value);
  }
}

/** A rule whose value is a text without fields. */
function leafRule(given) {
  return { kind: "leaf", given, made: null };
}

/** Return the `Rule` of a declaration, made on first use. */
function ruleOf(declared) {
  const kinds = { leaf: LeafRule, code: CodeRule, record: RecordRule };
  declared.made ??= new kinds[declared.kind](declared.given);
  return declared.made;
}

/** Return declared rules by name, as `Rule` objects. */
function rulesOf(declared) {
  return Object.fromEntries(Object.entries(declared).map(([name, rule]) => [name, ruleOf(rule)]));
}

class LeafRule extends Rule {
  kind = "text";

  read(decl, field, text, at, into) {
    const stop = this.body.read(text, at, into);
    return stop < 0 ? null : new TextNode(decl, field, this, text, at, stop, text.slice(at, stop));
  }

  encoded(value, path) {
    if (isPlainRecord(value)) throw new CannotEncode("a text is wanted, not dict", path);
    const numeral = this.number !== null && isInteger(value);
    return super.encoded(numeral ? writeNumeral(this.number, value) : value, path);
  }
}

/**
 * A rule whose value is one of several names: `codes` are pairs of an expression for its spellings, and the name.
 */
function codeRule(given) {
  return { kind: "code", given, made: null };
}

class CodeRule extends Rule {
  kind = "code";

  known = new Map();

  get codes() {
    this.pairs ??= this.like === null ? this.codesOf().map(([piece, name]) => [pieceOf(piece), name]) : this.like.codes;
    return this.pairs;
  }

  get body() {
    this.made ??= new FirstOf(this.codes.map(([piece]) => piece));
    return this.made;
  }

  /** Return the name of the code that a text spells; null where it spells none. */
  codeOf(text) {
    if (!this.known.has(text)) {
      const fits = ([piece]) => piece.read(text, 0, new Found()) === text.length;
      this.known.set(text, this.codes.find(fits)?.[1] ?? null);
    }
    return this.known.get(text);
  }

  read(decl, field, text, at, into) {
    const stop = this.body.read(text, at, new Found(into.run, null, into.reports));
    if (stop < 0) return null;
    const spelled = text.slice(at, stop);
    return new TextNode(decl, field, this, text, at, stop, this.codeOf(spelled) || spelled);
  }

  /** The names of the codes, in the order of the grammar. */
  get codeNames() {
    this.listed ??= new Set(this.codes.map(([, name]) => name).filter((name) => name !== null));
    return this.listed;
  }

  /** The first spelling of each code that has one. */
  get spellings() {
    const found = new Map();
    for (const [{ literal }, name] of this.codes)
      if (literal !== undefined && name !== null && !found.has(name)) found.set(name, literal);
    return found;
  }

  /** Like `Rule.codeNamed`; a value may be a name, a number or a spelling. */
  codeNamed(value) {
    if (isInteger(value)) return [...this.codeNames][Number(value)] ?? null;
    const text = asText(value);
    return this.codeNames.has(text) ? text : this.codeOf(text);
  }

  encoded(value, path) {
    const { spellings } = this;
    const found = spellings.get(this.codeNamed(value));
    if (found !== undefined) return found;
    throw new CannotEncode(`${repr(value)} is not one of ${[...spellings.keys()].join(", ")}`, path);
  }

  asContent(value, path) {
    return typeof value === "string" ? (this.spellings.get(value) ?? value) : this.encoded(value, path);
  }

  isSpelling(text, value) {
    return this.codeOf(text) === this.codeNamed(value);
  }
}

/**
 * A rule whose value is a record: `fields` are the rules of its fields in the order of the grammar, `lists` the fields that may
 * occur several times, `restart` recognises the begin of another record, `contents` are the rules that read delegated fields,
 * `values` the functions of derived fields, `outward` the derived fields that depend on more than the record, `unsettled` those
 * that are known only after the whole text is written; `ends` is written at the end of a record, `trim` is not written there.
 */
function recordRule(given) {
  return { kind: "record", given, made: null };
}

class RecordRule extends Rule {
  kind = "record";

  get fields() {
    this.found ??= rulesOf(this.fieldsOf());
    return this.found;
  }

  /** The delegated fields, whose texts other rules read, by name. */
  get handovers() {
    if (this.handed === null) {
      const inherit = this.pair?.inherit ?? null;
      const list = (this.contents ?? []).map((word, index) => {
        const held = word.by !== undefined && index === 0 ? inherit : null;
        return [word.of, new Handover(word, held)];
      });
      this.handed = new Map(list);
    }
    return this.handed;
  }

  /** The names of the derived fields. */
  get derived() {
    this.following ??= Object.keys(this.values).filter((name) => !this.outward.includes(name));
    return this.following;
  }

  /** The names of the value and the section of a pair, empty for a missing one. */
  get beside() {
    const names = Object.keys(this.fields).filter(
      (name) => name !== this.pair.key && this.fields[name].report === null,
    );
    this.around ??= [...names, "", ""].slice(0, 2);
    return this.around;
  }

  read(decl, field, text, at, into) {
    const inner = new Found(into.run, this.restart, into.reports);
    const stop = this.body.read(text, at, inner);
    if (stop < 0) return null;
    if (this.contents !== null && into.run.trail === null)
      this.handOver(inner.nodes, text, new Run(null, into.run.depth + 1));
    const node = new TextNode(decl, field, this, text, at, stop, null);
    node.fields = inner.nodes;
    return node;
  }

  /**
   * Read the texts of delegated fields by the rules for them; a text that its rule does not match is broken.
   * @where contents
   */
  handOver(nodes, text, run) {
    for (const [name, handover] of this.handovers) {
      const node = nodes.find((each) => each.field === name);
      if (node === undefined) continue;
      const [rule, at] = handover.choose(handover.key(nodes), node);
      if (rule === null) continue;
      const into = new Found(run);
      const made = run.depth < DEEPEST ? rule.whole(text, at, node.stop / 8, into) : null;
      if (made === null) {
        node.broken = true;
        continue;
      }
      node.rule = rule;
      node.value = made.value;
      node.fields = made.fields;
      node.inner = rule.report === null ? into.reports : [[rule.report, at, node.stop / 8], ...into.reports];
    }
  }

  /** How often each field is referred to in the rule and in its layout rules. */
  get places() {
    this.counted ??= countParts(this.body, [this.name], new Map());
    return this.counted;
  }

  /** Return the text of a record. Throws CannotEncode unless every value is written. */
  encoded(value, path) {
    if (!isPlainRecord(value)) return super.encoded(value, path);
    const strange = Object.keys(value).find((name) => !Object.hasOwn(this.fields, name));
    if (strange !== undefined) throw new CannotEncode(`${this.name} has no field ${strange}`, path);
    const given = { ...value };
    for (const [name, handover] of this.handovers) {
      const reader = handover.reader(value);
      if (reader !== null && Object.hasOwn(given, name)) given[name] = reader.asContent(given[name], path ? `${path}.${name}` : name);
    }
    const left = new Pending(this, given, path);
    let text = this.body.encode(left);
    left.finish();
    while (text && this.trim.includes(text.at(-1))) text = text.slice(0, -1);
    if (!this.ends || !text) return text;
    text = text.replace(/ +$/, "");
    return text.endsWith(this.ends) ? text : text + this.ends;
  }

  /**
   * Return the text of a derived field, given the values of its record. If it depends on positions or other records, `settled`
   * corrects it later.
   * @where values
   */
  derive(name, given) {
    const { number } = this.fields[name];
    try {
      return derivedText(this.values[name], number, new Frame(this, given, null));
    } catch (error) {
      if (!this.unsettled.includes(name)) throw error;
      return number === null ? "0" : writeNumeral(number, 0);
    }
  }
}

/** Count the fields of an expression and of its layout rules, except rules that are among `above`, the rules around it. */
function countParts(piece, above, counts) {
  const { field, inside, rule } = piece;
  if (field !== undefined) counts.set(field, (counts.get(field) ?? 0) + 1);
  else if (rule !== undefined && !above.includes(rule.name)) countParts(rule.body, [...above, rule.name], counts);
  for (const inner of inside) countParts(inner, above, counts);
  return counts;
}

/**
 * The rules that read the text of a delegated field, selected by the text of the field `by`, and the marks of values that repeat an
 * earlier record's.
 */
class Handover {
  constructor(word, inherit) {
    this.word = word;
    this.inherit = inherit;
    this.cases = rulesOf(word.cases?.() ?? {});
    this.otherwise = word.otherwise ? ruleOf(word.otherwise()) : null;
  }

  /** Return the text of the field that selects the rule. */
  key(nodes) {
    const { by } = this.word;
    return by === undefined ? null : (nodes.find((node) => node.field === by)?.text ?? null);
  }

  rule(key) {
    return key !== null && Object.hasOwn(this.cases, key) ? this.cases[key] : this.otherwise;
  }

  /** Return the rule that reads the field's text in a record with these plain values. */
  reader(given) {
    const { by } = this.word;
    return this.rule(by === undefined ? null : asText(given[by] ?? null));
  }

  /** Return the rule that reads a text, and the offset at which it starts; null where no rule reads the text. */
  choose(key, { source, start, stop }) {
    const rule = this.rule(key);
    const { inherit } = this;
    const at = start / 8;
    const text = source.slice(at, stop / 8);
    if (inherit !== null && rule !== null && text.startsWith(inherit.same)) {
      if (text.startsWith(inherit.header)) return [rule, at + inherit.header.length];
      if (text.length === inherit.same.length) return [null, at];
    }
    return [rule, at];
  }
}

/** Return the text of a number, padded to its width. */
function writeNumeral({ digits = "0123456789", start = 0, modulo = null, pad = null, width = 0, words = [] }, value) {
  if (words.length) return words[Number(value) - start] ?? String(value);
  const [given, base] = [BigInt(value), BigInt(digits.length)];
  const most = modulo === null ? null : BigInt(modulo);
  const number = (most === null ? given : ((given % most) + most) % most) - BigInt(start);
  let left = number < 0n ? -number : number;
  let text = "";
  while (left || !text) {
    text = digits[Number(left % base)] + text;
    left /= base;
  }
  const sign = number < 0 ? "-" : "";
  if (pad === null) return sign + text;
  return digits.includes(pad) ? sign + text.padStart(width - sign.length, pad) : (sign + text).padStart(width, pad);
}

/** Return the declaration of a field for the property `decl` of its node. */
function declOf(name, rule, many) {
  const codes = rule.kind === "code" ? Object.fromEntries(rule.codes.map(([, code]) => [code, code])) : null;
  return { name, doc: rule.doc, type: rule.kind, bits: null, repeat: many ? "until" : null, codes };
}

/**
 * The node of a field in a text: `value` is the text of a leaf, the name of a code, null for a record. `fields` are the fields of
 * a record in file order; `children` are the same with repeated ones grouped in arrays. Programs use it @whole.
 */
class TextNode {
  constructor(decl, field, rule, source, start, stop, value) {
    this.decl = decl;
    this.name = field;
    this.field = field;
    this.rule = rule;
    this.source = source;
    this.start = 8 * start;
    this.stop = 8 * stop;
    this.value = value;
  }

  /** The characters of the node as they are in the file. */
  get text() {
    return this.source.slice(this.start / 8, this.stop / 8);
  }

  get children() {
    if (this.grouped === null && this.fields !== null) this.grouped = groupedFields(this.rule, this.fields);
    return this.grouped;
  }

  /** Return the first field with a name; null without one. */
  first(field) {
    return this.fields?.find((node) => node.field === field) ?? null;
  }
}

// Properties that most nodes do not have, as in `Node`.
Object.assign(TextNode.prototype, {
  ...{ fields: null, grouped: null, notes: [], inner: [], whole: false },
  ...{ lsb: false, absent: false, broken: false, kept: null, values: null, instances: null },
});

function groupedFields(rule, fields) {
  const found = new Map();
  for (const node of fields) {
    if (!rule.lists.includes(node.field)) {
      found.set(node.field, node);
    } else if (!found.has(node.field)) {
      node.name = "0";
      found.set(node.field, listNode(rule, [node]));
    } else {
      const list = found.get(node.field);
      node.name = String(list.grouped.length);
      list.grouped.push(node);
      list.stop = node.stop;
    }
  }
  return [...found.values()];
}

/** Return an array node of elements. */
function listNode(rule, items) {
  const [first] = items;
  const decl = declOf(first.field, rule.fields[first.field], true);
  const node = new TextNode(decl, first.field, first.rule, first.source, first.start / 8, items.at(-1).stop / 8, null);
  node.grouped = items;
  return node;
}

/**
 * Return the plain value of a node: an object by field name for a record, a list for an array, a string for a text or the name of a
 * code. Absent fields have no key; broken elements of arrays are left out.
 */
function plainText(node) {
  if (node.value !== null) return node.value;
  if (isArray(node)) return node.children.filter((child) => !child.broken).map(plainText);
  if (node.whole) return Object.fromEntries(node.children.map((child) => [child.name, plainText(child)]));
  const found = new Map();
  for (const part of node.fields ?? []) {
    if (!node.rule.lists.includes(part.field)) {
      found.set(part.field, plainText(part));
    } else if (!part.broken) {
      if (!found.has(part.field)) found.set(part.field, []);
      found.get(part.field).push(plainText(part));
    }
  }
  const names = Object.keys(node.rule.fields).filter((name) => found.has(name));
  return Object.fromEntries(names.map((name) => [name, found.get(name)]));
}
