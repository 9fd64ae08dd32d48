/**
 * Return the bytes of a plain value, in the form that `plain` returns. With the tree that was read before (`origin`), the bytes of
 * unchanged fields are kept. Throws an Error that names the field that the grammar cannot spell.
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

/** Return the bytes of a text, one for each character. */
function latinBytes({ name }, text) {
  const strange = /[^\0-\xff]/u.exec(text);
  if (strange !== null) throw new Error(`${name} has no character ${quote(strange[0])}`);
  return Uint8Array.from(text, (one) => one.charCodeAt(0));
}

/** Thrown where an expression cannot spell the pending values; `path` is the field. */
class CannotEncode {
  constructor(message, path) {
    this.message = message;
    this.path = path;
  }
}

function isInteger(value) {
  return typeof value === "bigint" || Number.isInteger(value);
}

/** Return a value as a list: itself, or a list of one. */
function listed(value) {
  return Array.isArray(value) ? value : [value];
}

/** Return the text of a value without fields. */
function asText(value) {
  return typeof value === "string" ? value : repr(value);
}

/** Spellings of layout for which the grammar declares none: the first one that its pattern matches is written. */
const SPELLINGS = ["", "\r\n", " ", "0", "a", "\n"];

function spelling(piece, name, left) {
  const found = SPELLINGS.find((text) => piece.read(text, 0, new Found()) === text.length);
  if (found === undefined) throw new CannotEncode(`the grammar does not say how ${name} is written`, left.path);
  return found;
}

/** The property of a composed record's plain value for the rules of the composed records around it. */
const ABOVE = Symbol("above");

/**
 * The values of one record that are not yet written: `given` are all of its values, `lists` the values of each field. `log` has the
 * fields and the layout rules (after a NUL) that were written; the entries of an alternative that is not taken are removed.
 */
class Pending {
  constructor(rule, given, path) {
    this.rule = rule;
    this.given = given;
    this.path = path;
    this.lists = new Map(Object.entries(given).map(([name, value]) => [name, listed(value)]));
    this.counts = new Map();
    this.log = [];
    /** The error with the longest path among the failed alternatives. */
    this.failure = null;
  }

  /** Return the path of a field. */
  at(name) {
    return this.path ? `${this.path}.${name}` : name;
  }

  /** Return the number of values of a field that are not yet written. */
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

  /** Return the next value of a field, and count it as written. */
  next(name) {
    return this.lists.get(name)[this.counts.get(name) ?? 0];
  }

  /** Count a field or a layout rule as written. Return how often it was written before. */
  take(key) {
    const count = this.counts.get(key) ?? 0;
    this.counts.set(key, count + 1);
    this.log.push(key);
    return count;
  }

  /** Undo everything that was written since the log had this length. */
  back(length) {
    while (this.log.length > length) {
      const key = this.log.pop();
      this.counts.set(key, this.counts.get(key) - 1);
    }
  }

  /** Return the fields that were written since the log had a length. */
  since(length) {
    return this.log.slice(length).filter((key) => this.lists.has(key));
  }

  /**
   * Return the text of a derived field.
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

  /**
   * Return a value for an absent record of a rule that refers to itself. Throws CannotEncode inside a record that was composed by
   * the same rule, which would never end.
   */
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

/** The maximum number of times that the derived fields of a text are corrected: some depend on others, or on their positions. */
const ROUNDS = 8;

/**
 * Return a written text with every derived field corrected. A field that was wrong in `before`, the text that was read, stays wrong
 * if neither its own text nor the derived one has changed.
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
