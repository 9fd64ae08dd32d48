/** The maximum depth of recursion: at a thousand, as in the reference codec, the stack of Chromium's main thread overflows. */
const DEEPEST = 100;

/** The maximum number of steps of one explanation; beyond it the furthest offset found so far is used. */
const MOST_STEPS = 20000;

/** The options and the state of one parse: the furthest failure if it is recorded (`trail`), and the depth of recursion. */
class Run {
  constructor(trail = null, depth = 0) {
    this.trail = trail;
    this.depth = depth;
    this.deep = null;
    this.known = null;
  }
}

/**
 * The result of parsing one record so far: its fields in file order, its findings, and whether a field began like the start of a
 * record, so that the next such field begins another record.
 */
class Found {
  constructor(run = new Run(), restart = null, reports = []) {
    this.run = run;
    this.restart = restart;
    this.nodes = [];
    this.reports = reports;
    this.begun = false;
  }

  /** Discard everything that was found since `mark` returned this state. */
  back(nodes, reports, begun) {
    this.nodes.length = nodes;
    this.reports.length = reports;
    this.begun = begun;
  }
}

/** Thrown where an explanation takes more than the maximum number of steps. */
class OutOfSteps {}

/**
 * The furthest offset at which a parse failed, and names of what would have matched there; `says` is the name of the current rule.
 */
class Trail {
  constructor() {
    this.furthest = -1;
    this.wanted = new Set();
    this.says = null;
    this.steps = 0;
  }

  want(at, what) {
    if (at > this.furthest) {
      this.furthest = at;
      this.wanted = new Set();
    }
    if (at === this.furthest) this.wanted.add(what);
  }

  step() {
    this.steps += 1;
    if (this.steps > MOST_STEPS) throw new OutOfSteps();
  }
}

/** Return the expression of a declaration: a literal for a string, else the expression itself. */
function pieceOf(given) {
  return typeof given === "string" ? new Literal(given) : given;
}

/**
 * An expression composed of the expressions `inside`; `names` are the fields that it may make. `read` returns the end offset, -1 if
 * it does not match; `encode` returns the text for pending values, and throws `CannotEncode` where they do not match.
 */
class Piece {
  constructor(inside, names = inside.flatMap((piece) => [...piece.names])) {
    this.inside = inside;
    this.names = new Set(names);
  }
}

/** A literal text. */
class Literal extends Piece {
  constructor(text) {
    super([]);
    this.literal = text;
  }

  encode() {
    return this.literal;
  }

  read(text, at, into) {
    const fits = this.fits(text, at);
    const { trail } = into.run;
    if (trail !== null) {
      trail.step();
      if (!fits) trail.want(at, trail.says ?? quote(this.literal));
    }
    return fits ? at + this.literal.length : -1;
  }

  fits(text, at) {
    return text.startsWith(this.literal, at);
  }
}

/** A literal text in upper or lower case. */
const anyCase = (text) => new AnyCase(text);

class AnyCase extends Literal {
  constructor(text) {
    super(text);
    this.lower = text.toLowerCase();
  }

  fits(text, at) {
    return text.slice(at, at + this.lower.length).toLowerCase() === this.lower;
  }
}

/** A regular expression; `source` is the schema's own spelling, if that is different. */
const match = (regex, source = regex.source) => new Match(regex, source);

class Match extends Piece {
  constructor(regex, source) {
    super([]);
    this.regex = regex;
    this.says = `text like /${source}/`;
  }

  encode(left) {
    return spelling(this, this.says.slice("text like ".length), left);
  }

  read(text, at, into) {
    const { regex } = this;
    regex.lastIndex = at;
    const fits = regex.test(text);
    const { trail } = into.run;
    if (trail !== null) {
      trail.step();
      if (!fits) trail.want(at, trail.says ?? this.says);
    }
    return fits ? regex.lastIndex : -1;
  }
}

/** A sequence of expressions. */
const inOrder = (...items) => new InOrder(items.map(pieceOf));

class InOrder extends Piece {
  encode(left) {
    return this.inside.map((item) => item.encode(left)).join("");
  }

  read(text, at, into) {
    let stop = at;
    for (const item of this.inside) {
      stop = item.read(text, stop, into);
      if (stop < 0) return -1;
    }
    return stop;
  }
}

/** Ordered choice: reads the first alternative that matches, without backtracking. */
const firstOf = (...options) => new FirstOf(options.map(pieceOf));

class FirstOf extends Piece {
  read(text, at, into) {
    const nodes = into.nodes.length;
    const reports = into.reports.length;
    const { begun } = into;
    for (const option of this.inside) {
      const stop = option.read(text, at, into);
      if (stop >= 0) return stop;
      into.back(nodes, reports, begun);
    }
    return -1;
  }

  /** Write the alternative that consumes most pending values; on a tie the one that consumes the first field, or the earliest. */
  encode(left) {
    const before = left.log.length;
    const fitting = this.inside.filter(({ names }) => left.has(names));
    const options = fitting.length ? fitting : this.inside;
    let best = null;
    let failure = null;
    for (const option of options) {
      try {
        const text = option.encode(left);
        if (options.length === 1) return text;
        const fields = left.since(before);
        const first = [...left.lists.keys()].findIndex((name) => fields.includes(name));
        const order = first < 0 ? left.lists.size : first;
        if (best === null || lower([-fields.length, order], best.rank))
          best = { rank: [-fields.length, order], text, log: left.log.slice(before) };
      } catch (error) {
        if (!(error instanceof CannotEncode)) throw error;
        if (failure === null || error.path.length > failure.path.length) failure = error;
        if (left.failure === null || error.path.length >= left.failure.path.length) left.failure = error;
      }
      left.back(before);
    }
    if (best === null) throw failure;
    best.log.forEach((key) => left.take(key));
    return best.text;
  }
}

/** A repetition, as often as the item matches: any number of times, at least once, or at most once. */
const any = (item) => new Repeated(pieceOf(item), 0, Infinity);
const some = (item) => new Repeated(pieceOf(item), 1, Infinity);
const maybe = (item) => new Repeated(pieceOf(item), 0, 1);
const repeated = (item, least, most = Infinity) => new Repeated(pieceOf(item), least, most);

class Repeated extends Piece {
  constructor(item, least, most) {
    super([item]);
    this.item = item;
    this.least = least;
    this.most = most;
  }

  encode(left) {
    const { item, least, most, names } = this;
    const spelled = most === 1 && item instanceof Layout && item.rule.write;
    if (!names.size) return Array.from({ length: spelled ? 1 : least }, () => item.encode(left)).join("");
    const written = [];
    while (written.length < most && left.has(names)) {
      const before = left.log.length;
      try {
        const text = item.encode(left);
        if (!left.since(before).length) break;
        written.push(text);
      } catch (error) {
        if (!(error instanceof CannotEncode)) throw error;
        left.back(before);
        if (written.length < least || left.mustFollow(names)) throw error;
        break;
      }
    }
    if (written.length >= least) return written.join("");
    const wanted = [...names].sort().join(", ");
    throw new CannotEncode(`${least} of ${wanted} are wanted, not ${written.length}`, left.path);
  }

  read(text, start, into) {
    let count = 0;
    let at = start;
    const { nodes, reports } = into;
    while (count < this.most) {
      const first = nodes.length;
      const told = reports.length;
      const { begun } = into;
      const stop = this.item.read(text, at, into);
      if (stop < 0 || (stop === at && this.most === Infinity)) {
        into.back(first, told, begun);
        break;
      }
      if (reports.length > told && nodes.length > first && this.most !== 1) {
        // findings of a round are kept with its first field: the checks of the fields then report all in text order
        nodes[first].notes = [...reports.splice(told), ...nodes[first].notes];
      }
      at = stop;
      count += 1;
    }
    return count >= this.least ? at : -1;
  }
}

/** A reference to a rule. */
class Named extends Piece {
  constructor(declared, names) {
    super([], names);
    this.rule = ruleOf(declared);
  }

  read(text, at, into) {
    const { rule } = this;
    const { trail } = into.run;
    const told = into.reports.length;
    let stop;
    if (trail === null) {
      stop = rule.recursive ? this.deeper(text, at, into) : this.enter(text, at, into);
    } else {
      const entered = enterNaming(rule.naming, trail);
      stop = rule.recursive ? this.deeper(text, at, into) : this.enter(text, at, into);
      leaveNaming(rule.naming, trail, entered, at, stop);
    }
    if (stop >= 0 && rule.report !== null) into.reports.splice(told, 0, [rule.report, at, stop]);
    return stop;
  }

  /**
   * Like `read`, for a rule that refers to itself: results are memoised by offset, since choices would double the work at each
   * level.
   */
  deeper(text, at, into) {
    const { run } = into;
    run.known ??= new Map();
    if (!run.known.has(this)) run.known.set(this, new Map());
    const known = run.known.get(this);
    const kept = into.restart === null && run.trail === null ? known.get(at) : undefined;
    if (kept !== undefined) {
      kept.nodes.forEach((node, index) => {
        node.notes = [...kept.notes[index]];
        into.nodes.push(node);
      });
      for (const report of kept.reports) into.reports.push(report);
      return kept.stop;
    }
    if (run.depth >= DEEPEST) {
      run.deep ??= at;
      return -1;
    }
    const first = into.nodes.length;
    const told = into.reports.length;
    run.depth += 1;
    const stop = this.enter(text, at, into);
    run.depth -= 1;
    const nodes = into.nodes.slice(first);
    known.set(at, { stop, nodes, reports: into.reports.slice(told), notes: nodes.map((node) => [...node.notes]) });
    return stop;
  }
}

/** A reference to a rule that makes a field of the record. */
const part = (name, declared) => new Part(name, declared);

class Part extends Named {
  constructor(field, declared) {
    super(declared, [field]);
    this.field = field;
  }

  /** The declaration of the field, made on first use: the codes of a rule that refers to itself have references to that rule. */
  get decl() {
    this.named ??= declOf(this.field, this.rule, false);
    return this.named;
  }

  /** Read the field; does not match where the field would begin another record. */
  enter(text, at, into) {
    const { restart } = into;
    if (restart !== null && into.begun && standsAt(restart.at, text, at)) return -1;
    const node = this.rule.read(this.decl, this.field, text, at, into);
    if (node === null) return -1;
    if (restart !== null && !into.begun) into.begun = standsAt(restart.after, text, at);
    into.nodes.push(node);
    return node.stop / 8;
  }

  /** Write the pending value, else the derived one, else the default. */
  encode(left) {
    const { field, rule } = this;
    const path = left.at(field);
    if (!left.left(field)) {
      if (Object.hasOwn(left.rule.values, field)) return rule.encoded(left.derived(field, path), path);
      if (rule.default !== null) return rule.encoded(rule.default, path);
      // all fields of an absent record may be derived or have defaults
      if (Object.keys(rule.fields).length) return rule.encoded(rule.recursive ? left.composed(rule.name, path) : {}, path);
      throw new CannotEncode(`${field} is missing`, path);
    }
    const text = rule.encoded(left.next(field), path);
    left.take(field);
    return text;
  }
}

function standsAt(regex, text, at) {
  regex.lastIndex = at;
  return regex.test(text);
}

/** A reference to a rule that makes no field itself; the fields inside that rule become fields of the record. */
const layout = (declared) => new Layout(declared);

class Layout extends Named {
  constructor(declared) {
    super(declared, Object.keys(ruleOf(declared).fields));
  }

  encode(left) {
    const { rule } = this;
    if (rule.write) return rule.write[left.take(`\0${rule.name}`) % rule.write.length];
    if (this.names.size || (rule.like === null && rule.body instanceof Literal)) return rule.body.encode(left);
    return spelling(rule.body, rule.name, left);
  }

  enter(text, at, into) {
    return this.rule.body.read(text, at, into);
  }
}

/**
 * A prefix of the names of layout, and of errors that have a finding of their own: messages omit these where they can name
 * something else.
 */
const ASIDE = "\0";

function namingOf(rule) {
  const terminal = /^[^a-z]+$/.test(rule.name);
  const alone = rule.like === null && rule.kind !== "code" ? rule.body : null;
  return {
    words: rule.says,
    literal: alone instanceof Literal,
    aside: rule.name.startsWith("_") || rule.report !== null,
    named: terminal || alone instanceof Match || rule.report !== null,
    leaf: rule.kind !== "record",
    name: rule.name
      .replace(/^_+|_+$/g, "")
      .toLowerCase()
      .replaceAll("_", " "),
  };
}

/** Make a rule's name the current one while the rule is tried. Return the state for `leaveNaming`. */
function enterNaming(naming, trail) {
  const outer = trail.says;
  const before = trail.furthest;
  trail.step();
  const words = outer || naming.words;
  let inner = words || (naming.named && !naming.literal ? naming.name : null);
  if (inner !== null && words === null && naming.aside) inner = ASIDE + inner;
  trail.says = naming.leaf && (naming.named || words !== null) ? inner : null;
  return [outer, words, before];
}

/** Restore the previous name. If nothing of a record with a name matched, the record is expected, not its parts. */
function leaveNaming(naming, trail, [outer, words, before], at, stop) {
  trail.says = outer;
  const leaf = naming.leaf && (naming.named || words !== null);
  // A rule that was tried before the furthest offset is not what was expected there.
  if (stop < 0 && words && !leaf && trail.furthest <= at) {
    trail.wanted = before < at ? new Set([words]) : trail.wanted.add(words);
    trail.furthest = at;
  }
}

/**
 * Return the furthest offset that an expression reaches in a text, and names of what would have matched there; `whole`: it must
 * match to the end.
 */
function follow(piece, text, start, whole, naming = null) {
  const trail = new Trail();
  try {
    if (naming !== null) enterNaming(naming, trail);
    const reached = piece.read(text, start, new Found(new Run(trail)));
    if (reached >= 0 && whole) trail.want(reached, "the end");
  } catch (error) {
    if (!(error instanceof OutOfSteps)) throw error;
  }
  return [trail.furthest, [...trail.wanted]];
}

/** Return names as text: `a`, `a or b`, `a, b or c`. Layout is named only where nothing else is. */
function oneOfThese(wanted) {
  const plainly = wanted.filter((name) => !name.startsWith(ASIDE));
  const shownNames = plainly.length ? plainly : wanted.map((name) => name.replace(/^\0+/, ""));
  if (!shownNames.length) return "something else";
  if (shownNames.length > 7) shownNames.splice(6, shownNames.length, `${shownNames.length - 6} more`);
  return shownNames.length === 1 ? shownNames[0] : `${shownNames.slice(0, -1).join(", ")} or ${shownNames.at(-1)}`;
}
