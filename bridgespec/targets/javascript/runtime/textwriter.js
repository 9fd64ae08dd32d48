/**
 * The bytes of a plain value, as `plain` gives it; with the tree that was read before (`origin`), every byte that the value does not
 * change is kept. Throws an Error that names the field that cannot be spelled.
 */
function writeTextFile(grammar, value, origin) {
  const form = formOf(grammar);
  const before = origin?.source ?? null;
  try {
    const text = origin ? new Patch(before).write(origin, value, form.start, "") : form.start.encoded(value, "");
    const written = form.settle && text !== before ? settled(form, text, before ?? "") : text;
    const data = latinBytes(form, written);
    return origin?.marked ? origin.marked.file(written) : data;
  } catch (error) {
    if (!(error instanceof CannotEncode)) throw error;
    throw new Error(`${form.name} cannot be written: ${error.path}: ${error.message}`);
  }
}

/** Characters as bytes, a byte a character. */
function latinBytes({ name }, text) {
  const strange = /[^\0-\xff]/u.exec(text);
  if (strange !== null) throw new Error(`${name} has no character ${quote(strange[0])}`);
  return Uint8Array.from(text, (one) => one.charCodeAt(0));
}

/** Values that an expression cannot spell; `path` is the field. */
class CannotEncode {
  constructor(message, path) {
    this.message = message;
    this.path = path;
  }
}

function isInteger(value) {
  return typeof value === "bigint" || Number.isInteger(value);
}

/** A value as a list. */
function listed(value) {
  return Array.isArray(value) ? value : [value];
}

/** A value as the text that it is written as. */
function asText(value) {
  return typeof value === "string" ? value : repr(value);
}

/** Spellings of layout for which the grammar declares none: the first of these that it matches is written. */
const SPELLINGS = ["", "\r\n", " ", "0", "a", "\n"];

function spelling(piece, name, left) {
  const found = SPELLINGS.find((text) => piece.read(text, 0, new Found()) === text.length);
  if (found === undefined) throw new CannotEncode(`the grammar does not say how ${name} is written`, left.path);
  return found;
}

/** The rules of the absent records that are composed around a record: a property of its plain value. */
const ABOVE = Symbol("above");

/**
 * The values of one record that are yet to be written: `given` are all of its values, `lists` those of each field. `log` has the
 * fields and the layout rules (after a NUL) that were written, of which an alternative that is not taken leaves no trace.
 */
class Pending {
  constructor(rule, given, path) {
    this.rule = rule;
    this.given = given;
    this.path = path;
    this.lists = new Map(Object.entries(given).map(([name, value]) => [name, listed(value)]));
    this.counts = new Map();
    this.log = [];
    /** The error of the alternative that came furthest. */
    this.failure = null;
  }

  /** The path of a field. */
  at(name) {
    return this.path ? `${this.path}.${name}` : name;
  }

  /** How many values of a field are pending. */
  left(name) {
    return (this.lists.get(name)?.length ?? 0) - (this.counts.get(name) ?? 0);
  }

  /** Whether one of these fields has pending values. */
  has(names) {
    for (const name of names) if (this.left(name)) return true;
    return false;
  }

  /** Whether one of these fields has pending values, and no other position in the rule. */
  mustFollow(names) {
    return [...names].some((name) => this.left(name) && this.rule.places.get(name) === 1);
  }

  /** The next value of a field. */
  next(name) {
    return this.lists.get(name)[this.counts.get(name) ?? 0];
  }

  /** Count a field or a layout rule that is written; how often it was before. */
  take(key) {
    const count = this.counts.get(key) ?? 0;
    this.counts.set(key, count + 1);
    this.log.push(key);
    return count;
  }

  /** Take back what was written after the log had this length. */
  back(length) {
    while (this.log.length > length) {
      const key = this.log.pop();
      this.counts.set(key, this.counts.get(key) - 1);
    }
  }

  /** The fields written since. */
  since(length) {
    return this.log.slice(length).filter((key) => this.lists.has(key));
  }

  /**
   * The text of a field that follows from others.
   * @where values
   */
  derived(name, path) {
    try {
      return this.rule.derive(name, this.given);
    } catch (error) {
      if (!(error instanceof EvaluationError) && !(error instanceof Failure)) throw error;
      throw new CannotEncode(`${name} cannot be derived: ${error.message}`, path);
    }
  }

  /** The value of an absent record of a rule that reaches itself, which would never end within one composed by the same rule. */
  composed(rule, path) {
    const above = this.given[ABOVE] ?? [];
    if (above.includes(rule)) throw new CannotEncode(`${rule} is missing`, path);
    return { [ABOVE]: [...above, rule] };
  }

  finish() {
    for (const name of this.lists.keys()) {
      if (this.left(name))
        throw this.failure ?? new CannotEncode(`${repr(this.next(name))} finds no place in ${this.rule.name}`, this.at(name));
    }
  }
}

/** How often a text is corrected until its derived fields agree: the maximum depth of their dependency, lengths included. */
const ROUNDS = 8;

/**
 * A written text in which every derived field has its derived text. A field whose text was wrong in the text `before`, and whose
 * own and derived texts are unchanged, is kept.
 * @where values
 */
function settled(form, written, before) {
  const wrong = (text) => {
    const data = latinBytes(form, text);
    const { tree } = new TextReading(form, latinText(data), 0).read();
    return deviations(tree, (rule) => Object.keys(rule.values), true).map(([, part, right]) => [part, right]);
  };
  const key = ([part, right]) => JSON.stringify([part.field, part.text, right]);
  const kept = new Set(wrong(before).map(key));
  let text = written;
  let last = "";
  for (let round = 0; round < ROUNDS; round++) {
    const found = wrong(text).filter((one) => !kept.has(key(one)));
    if (!found.length) return text;
    for (const [{ start, stop, field }, right] of found.sort(([one], [two]) => two.start - one.start)) {
      text = text.slice(0, start / 8) + right + text.slice(stop / 8);
      last = field;
    }
  }
  throw new CannotEncode("what it is derived from changes with each time it is written", last);
}
