/**
 * Declares the binding of a part of a file, and how its text is spelled; `is` has the binding for each term around the part.
 */
function meansThat(given) {
  return {
    many: false,
    fields: () => ({}),
    handed: () => ({}),
    axes: [],
    at: {},
    codes: null,
    ...given,
    known: new Map(),
  };
}

/** Return the binding of a part inside a term: its kind, the term, and the role or the part of the term. */
function entryOf(decl, term) {
  if (!decl.known.has(term)) {
    const [kind = "rest", name = "", role = "", ...more] = (decl.is?.[term] ?? "rest").split(" ");
    const whole = [name, role, ...more].includes("whole");
    decl.known.set(term, { kind, term: name === "whole" ? "" : name, role: role === "whole" ? "" : role, whole });
  }
  return decl.known.get(term);
}

/** The terms that a file may state for all its boards, besides its bidding system. */
const OF_FILE = ["event", "site", "date", "tags", "comments"];

/** Return the document of a tree, in the form of the project's published JSON. */
function modelOf(meaning, tree) {
  const ofFile = new Said(0, 1, null, meaning);
  const boards = recordsOf(meaning, tree, ofFile).map(([, said]) => boardOf(said));
  const about = OF_FILE.map((name) => [name, ofFile.get(name)]).filter(([, value]) => value !== null);
  return { version: 1, ...Object.fromEntries(about), boards };
}

/** Yield the boards of a file, each with the content of its record; `ofFile` receives what the file states of all boards. */
function recordsOf(meaning, tree, ofFile) {
  const { file, board } = meaning;
  const isWhole = file === board;
  if (!isWhole) gatherParts(tree, file, new Memory(), ofFile);
  const memory = new Memory();
  let first = ofFile.get("first_number");
  return (isWhole ? [[tree, []]] : [...boardNodes(tree, file)]).map(([node, blocks], index) => {
    const said = new Said(index, first ?? 1, ofFile, meaning);
    gatherParts(node, board, memory, said);
    for (const block of blocks) gatherBlock(block, said);
    if (first === null) {
      first = said.get("first_number");
      said.firstNumber = first ?? said.firstNumber;
    }
    return [node, said];
  });
}

/** Return the board for the content of a record; it has only the terms that the record states. */
function boardOf(said) {
  const found = [];
  for (const [name, term] of Object.entries(said.terms)) {
    const value = term.ofFile ? null : said.get(name);
    if (value !== null) found.push([name, (term.written ?? ((each) => each))(value)]);
  }
  return Object.fromEntries(found);
}

/** Whether a record is a board, in a file with records of several kinds: one of its fields has one of some values. */
function isOne(item, only) {
  return !only || (item.children ?? []).some((child) => child.name === only.by && only.values.includes(child.value));
}

/** Yield the boards of a file, each with the repeated records around it, the innermost first. */
function* boardNodes(node, decl, blocks = []) {
  for (const child of node.children ?? []) {
    const inner = decl.fields()[child.name];
    if (inner === undefined || child.absent) continue;
    const { kind } = entryOf(inner, "");
    const items = inner.many ? (child.children ?? []) : [child];
    if (kind === "boards") {
      const boards = items.filter((item) => !(item.broken && !inner.binary) && isOne(item, inner.only));
      yield* boards.map((item) => [item, blocks]);
    } else if (kind === "look") {
      for (const item of items) yield* boardNodes(item, inner, inner.block ? [[item, inner], ...blocks] : blocks);
    }
  }
}

/**
 * A part of a record: its text, code or number, and the parts of it that have roles, seen through records that have
 * none.
 */
class View {
  constructor(node, decl, term, escape = null, key = "") {
    this.node = node;
    this.decl = decl;
    this.term = term;
    this.escape = decl.decode ?? escape;
    this.key = key;
    this.kept = null;
  }

  /** The characters as they are in the file. */
  get raw() {
    const { value } = this.node;
    return typeof value === "string" && this.decl.kind === "leaf" ? value : (this.node.text ?? "");
  }

  /**
   * The characters without escapes and delimiters; empty where they spell that the value is unknown.
   */
  get text() {
    const { between, binary = false, suits = null, unknown = [] } = this.decl;
    let text = this.raw;
    if (between) text = insideOf(between, text);
    if (!binary) text = suits ? suitSigns(suits, this.escape, text) : unescapedText(this.escape, text);
    return unknown.includes(text) ? "" : text;
  }

  /** The name of the code; null for a value that is no code. */
  get code() {
    const { decl, node } = this;
    if (decl.kind !== "code") return null;
    if (!decl.binary) return node.rule.codeNames.has(node.value) ? node.value : null;
    const raw = typeof node.value === "string" ? readNumeral(decl.number ?? {}, node.value) : node.value;
    return decl.codes[String(raw)] ?? null;
  }

  /** The value as a number, or the number that its text spells. */
  get number() {
    const { decl, node } = this;
    if (typeof node.value === "number" || typeof node.value === "bigint")
      return decl.kind === "code" ? null : node.value;
    if (!decl.number && decl.binary) return null;
    return readNumeral(decl.number ?? {}, !decl.between && typeof node.value === "string" ? node.value : this.text);
  }

  /** Whether the part has a value. */
  get says() {
    return this.node.stop > this.node.start;
  }

  get section() {
    return "";
  }

  /** The parts that have a role, in file order, each with its role. */
  get parts() {
    this.kept ??= this.found().flatMap(([{ kind, role }, view]) => (kind === "role" ? [[role, view]] : []));
    return this.kept;
  }

  found() {
    return walkedParts(this.node, this.decl, this.term, this.escape);
  }

  /** The first part with a role; null without one. */
  role(name) {
    return this.parts.find(([role]) => role === name)?.[1] ?? null;
  }

  roles(name) {
    return this.parts.filter(([role]) => role === name).map(([, view]) => view);
  }

  /** Whether the schema gives a role to any part that may occur in this record. */
  has(name) {
    return mayHave(this.decl, this.term, name);
  }

  /** The elements of an array. */
  get items() {
    return (this.node.children ?? []).map((node) => new View(node, this.decl, this.term, this.escape));
  }
}

/** The value of a pair with the section after it; the parts are those of value and section. */
class PairView extends View {
  constructor(node, decl, key, term) {
    const { pair } = decl;
    const value = node.children.find(({ name }) => name === pair.value);
    const nothing = { value: "", start: node.stop, stop: node.stop, text: "", children: null };
    const held = decl.fields()[pair.value];
    super(
      value ?? nothing,
      (value && innerPart(decl, value, node)) ?? held ?? meansThat({ kind: "leaf" }),
      term,
      held?.decode,
      key,
    );
    this.pair = decl;
    this.whole = node;
    this.mark = "";
    this.body = node.children.find(({ name }) => name === pair.section) ?? null;
    const chosen = chosenPart(decl.handed()[pair.value], key);
    this.declared = chosen ?? held;
    if (pair.inherit) {
      const [same, header] = pair.inherit;
      const before = value?.source?.slice(0, value.start / 8) ?? "";
      if (super.raw.startsWith(header) || before.endsWith(header)) this.mark = header;
      else if (super.raw === same) this.mark = same;
    }
  }

  get raw() {
    const text = super.raw;
    return this.mark && text.startsWith(this.mark) ? text.slice(this.mark.length) : text;
  }

  get section() {
    return this.body?.text ?? "";
  }

  has(name) {
    return this.declared !== undefined && mayHave(this.declared, this.term, name);
  }

  found() {
    const parts = super.found();
    const inner = this.body === null ? null : innerPart(this.pair, this.body, this.whole);
    return inner
      ? [...parts, ...walkedParts(this.body, inner, this.term, this.pair.fields()[this.body.name]?.decode)]
      : parts;
  }

  /** The parts of the value that are other terms. */
  get terms() {
    return View.prototype.found.call(this).filter(([{ kind }]) => kind === "term" || kind === "part");
  }

  /** Return the value of an earlier pair with the section of this pair. */
  over(earlier) {
    const made = new PairView(earlier.whole, earlier.pair, earlier.key, earlier.term);
    made.body = this.body;
    made.mark = earlier.mark;
    return made;
  }
}

/** Whether a part of a record may have a role. */
function mayHave(decl, term, name, seen = new Set()) {
  if (seen.has(decl)) return false;
  seen.add(decl);
  const handed = Object.values(decl.handed()).flatMap(({ cases = {}, otherwise }) =>
    [...Object.values(cases), otherwise ?? []].flat(),
  );
  return [...Object.values(decl.fields()), ...handed].some((inner) => {
    const { kind, role } = entryOf(inner, term);
    return kind === "role" ? role === name : kind === "look" && mayHave(inner, term, name, seen);
  });
}

function chosenPart(handed, key) {
  if (handed === undefined) return null;
  return (
    (key !== null && Object.hasOwn(handed.cases ?? {}, key) ? handed.cases[key] : null) ?? handed.otherwise ?? null
  );
}

/** Return the declaration of a node inside a record: of a delegated text that was read, the one that has read it. */
function innerPart(decl, child, node) {
  const found = decl.fields()[child.name];
  const handed = decl.handed()[child.name];
  if (handed === undefined || child.broken) return found;
  const key = handed.by === undefined ? null : (node.children.find(({ name }) => name === handed.by)?.value ?? null);
  const chosen = chosenPart(handed, key);
  return chosen === null || (chosen.kind === "record" && child.children === null) ? found : chosen;
}

/** Yield the parts of a record with a meaning, in file order: roles of the term, other terms, pairs. */
function walkedParts(node, decl, term, escape = null, through = true) {
  const out = [];
  for (const child of [...(node.children ?? []), ...(node.instances ?? [])]) {
    const inner = child.absent ? undefined : innerPart(decl, child, node);
    if (inner === undefined) continue;
    const entry = entryOf(inner, term);
    if (entry.kind === "rest" || entry.kind === "boards") continue;
    const below = child.name in decl.handed() ? (decl.fields()[child.name]?.decode ?? escape) : escape;
    const whole = !inner.many || entry.whole;
    for (const item of whole ? [child] : (child.children ?? [])) {
      if (entry.kind === "look" && through) out.push(...walkedParts(item, inner, term, below));
      else if (whole || !item.broken) out.push([entry, new View(item, inner, entry.term, below)]);
    }
  }
  return out;
}

/**
 * The pairs of earlier records that still apply: the last pair of each key, and pairs that apply until their key is stated
 * again.
 */
class Memory {
  constructor() {
    this.previous = new Map();
    this.headers = new Map();
  }
}

/** The content of one record: for each term the parts that state it as a whole, and those that each state a part of it. */
class Said {
  constructor(index, firstNumber, file, meaning) {
    this.index = index;
    this.firstNumber = firstNumber;
    this.file = file;
    this.meaning = meaning;
    this.terms = file === null ? meaning.terms() : file.terms;
    this.groups = new Map();
    this.values = new Map();
    /** The parts in the order of the file, each with its term and its role. */
    this.order = [];
    /** The record's own pairs with a section, each with the word of its key. */
    this.sections = [];
  }

  group(term) {
    return this.groups.get(term) ?? null;
  }

  /** Return the value of a term; null for a term that the record does not state. */
  get(name) {
    if (!this.values.has(name)) {
      this.values.set(name, null);
      const group = this.group(name);
      const term = this.terms[name];
      this.values.set(name, (group === null ? term?.without?.(this) : term?.read(group, this)) ?? null);
    }
    return this.values.get(name);
  }

  add(entry, view) {
    let name = entry.term;
    if (entry.kind === "part" && entry.role === "note") {
      // a note belongs to the last call or card before it
      name = [...this.groups.keys()].reverse().find((term) => term === "auction" || term === "play") ?? "auction";
      view.term = name;
    }
    if (!this.groups.has(name)) this.groups.set(name, { wholes: [], members: [] });
    const group = this.groups.get(name);
    if (entry.kind === "part") group.members.push([entry.role, view]);
    else group.wholes.push(view);
    this.order.push([name, entry.role, view]);
  }
}

/** Collect the content of a record: its own parts in file order, then the pairs of earlier records that still apply. */
function gatherParts(node, decl, memory, said) {
  const seen = new Set();
  gatherBelow(node, decl, memory, said, seen, 0);
  for (const [key, view] of memory.headers) {
    if (!seen.has(key)) view.pair.pair.stated(view, said);
  }
  for (const group of said.groups.values()) {
    group.wholes.sort((one, two) => Number(Boolean(two.decl.prefer)) - Number(Boolean(one.decl.prefer)));
  }
}

/**
 * Collect the terms that a repeated record around a board states, unless the board or a record between them states them.
 * @where block
 */
function gatherBlock([node, decl], said) {
  const own = new Said(said.index, said.firstNumber, said.file, said.meaning);
  gatherBelow(node, decl, new Memory(), own, new Set(), 1);
  const more = [...own.groups].filter(([name]) => !said.groups.has(name));
  for (const [name, group] of more) said.groups.set(name, group);
  said.order.unshift(...own.order.filter(([name]) => more.some(([one]) => one === name)));
}

function gatherBelow(node, decl, memory, said, seen, depth) {
  const hands = [];
  for (const [entry, view] of walkedParts(node, decl, "", null, false)) {
    if (entry.kind === "pair") {
      view.decl.pair.found(view, memory, said, seen);
    } else if (entry.kind === "look") {
      if (!view.decl.block) gatherBelow(view.node, view.decl, memory, said, seen, depth + 1);
    } else if (entry.kind === "part" && entry.term === "deal" && depth) {
      hands.push([entry.role, view]);
    } else {
      gatherTerm(entry, view, said);
    }
  }
  if (hands.length) {
    const whole = new View(node, decl, "deal");
    whole.kept = hands;
    said.add({ kind: "term", term: "deal", role: "" }, whole);
  }
}

/** Add a part of a term, and other terms inside the part. */
function gatherTerm(entry, view, said) {
  said.add(entry, view);
  if (view.decl.kind !== "record" || (view.decl.many && entry.whole)) return;
  for (const [inner, each] of walkedParts(view.node, view.decl, entry.term, view.escape)) {
    if (inner.kind === "term" || inner.kind === "part") gatherTerm(inner, each, said);
  }
}

/** Return the binding of a pair's key, in upper or lower case; a key that the schema does not bind is a tag. */
function wordOf(decl, key) {
  const { words } = decl.pair;
  const known = [key, key.toLowerCase(), "*"].find((one) => Object.hasOwn(words, one));
  if (known === undefined) return { kind: "term", term: "tags", role: "", word: key };
  const [term, role = "", word = role || term] = words[known].split(" ");
  return { kind: role ? "part" : term ? "term" : "rest", term, role, word };
}

/** Declares a pair: the names of its key, value and section, and the binding of its keys. */
function pairOf(given) {
  return { ...given, found: foundPair, stated: gatherPair };
}

function foundPair({ node, decl }, memory, said, seen) {
  const key = node.children.find(({ name }) => name === decl.pair.key)?.value;
  if (key === undefined) return;
  seen.add(key);
  const pair = resolved(memory, new PairView(node, decl, key, wordOf(decl, key).term));
  if (pair === null) return;
  gatherPair(pair, said);
  const { kind, word } = wordOf(decl, key);
  if (kind !== "rest" && pair.section) said.sections.push([word, pair]);
}

/** Return the pair that states the value of a pair: itself, or the earlier one that it repeats; null without a value. */
function resolved({ previous, headers }, view) {
  const { inherit = ["", ""], repeats = [] } = view.pair.pair;
  if (view.mark && view.mark === inherit[0]) {
    const earlier = previous.get(view.key);
    return earlier === undefined ? null : view.over(earlier);
  }
  if ((view.mark && view.mark === inherit[1]) || repeats.includes(view.key)) headers.set(view.key, view);
  previous.set(view.key, view);
  return view;
}

function gatherPair(view, said) {
  const entry = wordOf(view.pair, view.key);
  if (entry.kind === "rest") return;
  said.add(entry, view);
  for (const [inner, each] of view.terms) gatherTerm(inner, each, said);
}

/**
 * Return the number that a text of at most so many digits spells, else null. `of`: Number, or BigInt for long numbers.
 * @where lark, textOf, number: {
 */
function readNumeral(spelling, padded, most = 18, of = Number) {
  const { digits = "0123456789", start = 0, modulo = null, pad = null, signs = true, words = [] } = spelling;
  if (words.length) {
    const place = words.findIndex((word) => word.toLowerCase() === padded.toLowerCase());
    return place < 0 ? null : of(place + start);
  }
  const first = pad === null || digits.includes(pad) ? 0 : [...padded].findIndex((one) => one !== pad);
  const text = padded.slice(first);
  const bare = (signs ? /^[+-]/ : /^-/).test(text) ? text.slice(1) : text;
  if (!bare || bare.length > most) return null;
  let number = of(0);
  for (const sign of bare) {
    const other = sign === sign.toLowerCase() ? sign.toUpperCase() : sign.toLowerCase();
    const place = digits.includes(sign) ? digits.indexOf(sign) : digits.indexOf(other);
    if (place < 0) return null;
    number = number * of(digits.length) + of(place);
  }
  if (text.startsWith("-") && number === of(0) && !signs) return null;
  if (text.startsWith("-")) number = -number;
  return modulo !== null && number === of(0) ? of(modulo) : number + of(start);
}

/**
 * Return a text without its delimiters, either of which may be missing; a closing line end may be that of any platform.
 * @where between
 */
function insideOf([before, after], text) {
  const inner = text.startsWith(before) ? text.slice(before.length) : text;
  if (/^[\r\n]+$/.test(after)) return inner.replace(/[\r\n]+$/, "");
  return after && inner.endsWith(after) ? inner.slice(0, -after.length) : inner;
}

/**
 * Return the characters of a text in which suits are spelled like spades, each with its own letter. A lower-case letter in
 * the schema matches both cases, and an escaped mark is no mark.
 * @where suits
 */
function suitSigns(spades, how, raw) {
  const mark = spades.slice(0, -1).replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
  const letters = spades === spades.toLowerCase() ? "shdcSHDC" : "SHDC";
  const other = how === "backslash" ? `${mark}${mark}|` : "";
  const slots = raw.replace(new RegExp(`${other}${mark}([${letters}])`, "g"), (found, suit) =>
    suit ? `\0${suit.toUpperCase()}` : found,
  );
  const signs = { S: "\u2660", H: "\u2665", D: "\u2666", C: "\u2663" };
  return unescapedText(how, slots).replace(/\0([SHDC])/g, (_, suit) => signs[suit]);
}

/**
 * Return the characters of a Latin-1 text: decode its escapes, then UTF-8 if the bytes are valid, else Windows-1252.
 * @where lark
 */
function unescapedText(how, raw) {
  let text = raw;
  if (how === "backslash") text = text.replaceAll('\\"', '"').replaceAll("\\\\", "\\");
  else if (how) text = text.replace(/%([0-9A-Fa-f]{2})/g, (_, code) => String.fromCharCode(parseInt(code, 16)));
  if (!/[\x80-\xff]/.test(text)) return text;
  const bytes = Uint8Array.from(text, (character) => character.charCodeAt(0));
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    // not by `TextDecoder("windows-1252")`, which decodes Latin-1 in some programs
    if (/[\x81\x8d\x8f\x90\x9d]/.test(text)) return text;
    return text.replace(/[\x80-\x9f]/g, (character) => WINDOWS_1252[character.charCodeAt(0) - 128]);
  }
}

/** The characters of Windows-1252 from 128 to 159; blanks are bytes without a character. */
const WINDOWS_1252 = "€ ‚ƒ„…†‡ˆ‰Š‹Œ Ž  ‘’“”•–—˜™š›œ žŸ";
