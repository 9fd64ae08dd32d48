/**
 * Return the tree of a text with its findings. It is read record by record: text that does not match is a broken element, and
 * reading continues after it. Bytes are decoded as Latin-1, so that no byte is refused or lost. A file with a byte order mark, or
 * in UTF-16, is converted to UTF-8 first; its findings have their offsets in the file.
 */
function readTextFile(grammar, data, limit) {
  const marked = markedText(data);
  const answer = new TextReading(formOf(grammar), marked?.text ?? latinText(data), limit).read();
  if (marked === null) return answer;
  answer.tree.marked = marked;
  return { ...answer, findings: answer.findings.map((found) => marked.placed(found)) };
}

/** Return the text of bytes, with a character for each byte. */
function latinText(data) {
  let text = "";
  for (let at = 0; at < data.length; at += 4096) text += String.fromCharCode(...data.subarray(at, at + 4096));
  return text;
}

/** The maximum number of characters of a record that are read again without the lines that do not match. */
const REACH = 65536;
/** The maximum number of times that records of a file are read again without a line. */
const MOST_SKIPPED = 1000;

/** One reading of one text. */
class TextReading {
  constructor(grammar, text, limit) {
    this.grammar = grammar;
    this.text = text;
    this.findings = new TextFindings(text, limit);
    this.claim = new Claim(grammar.strict !== null && grammar.strict.test(text));
    this.findings.claim = this.claim;
    this.lists = new Map();
    this.single = new Map();
    this.skipped = 0;
    /** The number of characters that may still be read again. */
    this.left = Math.min(64 * text.length, 16 * text.length + 100_000);
    this.unreadLast = false;
    /** The broken element that was added last. */
    this.broken = null;
  }

  read() {
    const { stages } = this.grammar;
    const { text, findings } = this;
    const seen = stages.map(() => false);
    let index = 0;
    let before = null;
    for (let at = 0; at < text.length;) {
      let stop = -1;
      let into = null;
      let missing = -1;
      let i = index;
      for (; i < stages.length; i++) {
        const stage = stages[i];
        into = new Found();
        stop = stage.piece.read(text, at, into);
        if (stop > at) {
          this.take(into);
          seen[i] = true;
          index = stage.repeated ? i : i + 1;
          break;
        }
        if (stop < 0 && !stage.optional && !seen[i]) {
          missing = i;
          i = stages.length;
          break;
        }
      }
      const taken = stop > at && i < stages.length;
      const start = at;
      at = taken ? stop : this.recover(index, at, into?.run.deep ?? null, before);
      if (missing >= 0) this.passOver(missing, at, seen);
      this.unreadLast = !taken;
      before = taken ? { piece: stages[i].piece, several: stages[i].several, at: start } : null;
    }
    this.want(seen, index);
    this.wantRecord();
    if (this.grammar.derived) findings.verifyWhole(this.root());
    this.claim.counted(findings.found);
    checkWhole(this.grammar, findings, this.claim);
    findings.close();
    return { tree: this.root(), findings: findings.found.map(textFinding) };
  }

  /** Skip missing parts of the file, from a part that did not match up to the first one that matches at an offset. */
  passOver(missing, at, seen) {
    const stages = this.grammar.stages.slice(missing);
    const following = stages.findIndex(({ piece }) => piece.read(this.text, at, new Found()) > at);
    if (following > 0) seen.fill(true, missing, missing + following);
  }

  /** Report the first required part that is missing in the file. */
  want(seen, index) {
    const { text, findings } = this;
    // if the file ends with unreadable text, that may be the missing part: its finding is enough
    if (this.unreadLast) return;
    const end = text.length;
    for (let i = index; i < seen.length; i++) {
      const { piece, optional } = this.grammar.stages[i];
      if (optional || seen[i] || piece.read(text, end, new Found()) >= 0) continue;
      const [, wanted] = follow(piece, text, end, false);
      findings.add(
        { code: "missing-record", severity: "error" },
        `expected ${oneOfThese(wanted)}, but the file ends`,
        end,
        end,
      );
      return;
    }
  }

  /** Report that there is no record in the file, if all findings are warnings. */
  wantRecord() {
    const { found } = this.findings;
    const has = (severity) => found.some((one) => one.severity === severity);
    const { records } = this.grammar;
    if (!records.length || !has("warning") || has("error") || records.some((name) => this.lists.has(name))) return;
    this.findings.add({ code: "no-record", severity: "error" }, "nothing in this file is a record of the format", 0, 0);
    found.unshift(found.pop());
  }

  /** Add the fields of a part of the file, with their findings. */
  take(into) {
    const { findings } = this;
    for (const node of into.nodes) {
      if (this.grammar.start.lists.includes(node.field)) {
        const nodes = this.list(node.field);
        node.name = String(nodes.length);
        nodes.push(node);
      } else {
        this.single.set(node.field, node);
      }
      findings.about(node);
      findings.notes(node.notes);
      findings.inspect(node);
    }
    findings.notes(into.reports);
    findings.about(null);
  }

  list(name) {
    if (!this.lists.has(name)) this.lists.set(name, []);
    return this.lists.get(name);
  }

  /**
   * Add text that matches nothing as a broken element of a list. Return the offset at which reading continues; `before` is the part
   * that was read before, with its offset.
   */
  recover(index, at, deep, before) {
    const { grammar, text, findings } = this;
    let stop = this.costs(at);
    const left = grammar.stages.slice(index);
    const possible = left.length ? left : grammar.stages;
    const tooDeep = deep !== null && index < grammar.stages.length;
    const skipped = tooDeep ? null : ((before && this.rest(before, possible, at)) ?? this.faults(possible, at));
    if (skipped !== null) {
      stop = skipped.stop;
    } else if (!tooDeep && this.broken?.stop === at * 8) {
      // where every kind of record may have several lines, lines after a fault that match nothing belong to its record
      const further = possible.every(({ several }) => several) ? this.behind(possible, at) : at;
      if (further > at) {
        this.broken.stop = 8 * further;
        this.broken.value = text.slice(this.broken.start / 8, further);
        return further;
      }
    }
    const name = this.home(possible);
    const nodes = this.list(name);
    findings.record = nodes.length;
    findings.field = `${name}[${nodes.length}]`;
    if (skipped?.faults.length) {
      for (const [place, wanted] of skipped.faults) this.unread(place, wanted, stop);
    } else if (findings.full) {
      findings.dropped += 1;
    } else if (tooDeep) {
      findings.add(TOO_DEEP, "rules are nested too deeply here", deep, deep + 1);
    } else {
      const line = lineStop(text, at, stop);
      let [place, wanted] = furthest(possible, text, at, line);
      if (before !== null) {
        // the text may be the rest of a record that would have continued, but for a fault inside it
        const [further, names] = follow(before.piece, text.slice(0, line), before.at, false);
        if (further >= place) {
          wanted = further > place ? names : [...new Set([...names, ...wanted])];
          place = further;
        }
      }
      this.unread(place, wanted, stop);
    }
    const node = new TextNode(
      null,
      name,
      grammar.start.fields[name] ?? grammar.start,
      text,
      at,
      stop,
      text.slice(at, stop),
    );
    node.name = String(nodes.length);
    node.broken = true;
    nodes.push(node);
    this.broken = node;
    findings.record = null;
    findings.field = "";
    return stop;
  }

  /** Report what would have matched at an offset of a text that ends at `stop`. */
  unread(place, wanted, stop) {
    const { text, findings } = this;
    const inside = place < lineStop(text, place, Math.min(Math.max(stop, place + 1), text.length));
    const here = inside ? `found ${quote(text[place])}` : "the line ends";
    const message = `expected ${oneOfThese(wanted)}, but ${here}`;
    findings.add({ code: "unreadable-line", severity: "error" }, message, place, inside ? place + 1 : place);
  }

  /**
   * Read a record without the lines on which it does not match. Return its end, and for each fault its offset with the names of
   * what would have matched there; null if not even its first line matches. Lines after a skipped one that match nothing belong
   * to the same fault.
   */
  faults(possible, at) {
    let text = this.text.slice(at, at + REACH);
    const first = lineStop(text, 0, text.length);
    const faults = [];
    const removed = [];
    while (this.skipped < MOST_SKIPPED && this.left > 0) {
      this.skipped += 1;
      const [place, wanted] = furthest(possible, text, 0, text.length);
      this.left -= place + 1;
      const begins = ({ piece }) => piece.read(text, place, new Found()) > place;
      if (removed.length && place === removed.at(-1)[0] && possible.some(begins)) {
        // the record cannot do without the line, and another one begins behind it
        return { stop: at + unreduced(place, removed), faults };
      }
      const before = place > 0 ? text.lastIndexOf("\n", place - 1) + 1 : 0;
      let after = text.indexOf("\n", place) + 1;
      if (place <= first || !before || !after) {
        if (!removed.length && !stripped(text.slice(0, place), BLANKS)) return null;
        const stop = this.block(at);
        // the other lines of a record match nothing without its first line: they are not reported as further faults
        const repeated = possible.some(({ several }) => several);
        if (place <= first) return { stop: repeated ? this.behind(possible, stop) : stop, faults };
        if (!faults.length) faults.push([at + place, wanted]);
        return { stop: this.behind(possible, stop), faults };
      }
      if (!removed.length || removed.at(-1)[0] !== before || stripped(text.slice(before, place), BLANKS))
        faults.push([at + unreduced(place, removed), wanted]);
      after = blockEnd(text, before, after);
      text = text.slice(0, before) + text.slice(after);
      removed.push([before, after - before]);
      for (const { piece } of possible) {
        const stop = piece.read(text, 0, new Found());
        if (stop > removed[0][0]) return { stop: at + unreduced(stop, removed), faults };
      }
    }
    return null;
  }

  /**
   * Continue a record of several lines that ended at `at`, without the lines that it does not match. Return its end and its faults,
   * as `faults`; null if another record matches more of the first of these lines.
   */
  rest(before, possible, at) {
    if (!before.several || this.text[at - 1] !== "\n") return null;
    let text = this.text.slice(before.at, at + REACH);
    let kept = at - before.at;
    const faults = [];
    const removed = [];
    const begins = (place) =>
      [before, ...possible].some(({ piece }) => piece.read(text, place, new Found()) > place);
    while (this.skipped < MOST_SKIPPED && this.left > 0) {
      this.skipped += 1;
      let [place, wanted] = furthest([before], text, 0, text.length);
      this.left -= place + 1;
      const line = Math.max(place > 0 ? text.lastIndexOf("\n", place - 1) + 1 : 0, kept);
      let after = text.indexOf("\n", place) + 1;
      // the record ends without the removed line: another record begins here
      if (removed.length && begins(line)) return { stop: before.at + unreduced(line, removed), faults };
      if (place < kept || !after) break;
      const [further, names] = furthest(possible, text, line, after);
      if (further > place) return removed.length ? { stop: before.at + unreduced(line, removed), faults } : null;
      if (!removed.length && further === place) wanted = [...new Set([...wanted, ...names])];
      if (!removed.length || line > removed.at(-1)[0] || stripped(text.slice(line, place), BLANKS))
        faults.push([before.at + unreduced(place, removed), wanted]);
      after = blockEnd(text, line, after);
      text = text.slice(0, line) + text.slice(after);
      removed.push([line, after - line]);
      const stop = before.piece.read(text, 0, new Found());
      kept = Math.max(kept, stop, line);
      if (stop > line && begins(stop)) return { stop: before.at + unreduced(stop, removed), faults };
    }
    return removed.length ? { stop: before.at + unreduced(kept, removed), faults } : null;
  }

  /** Return the end of the block that begins at an offset, by its indentation; at least the text that is skipped on a fault. */
  block(at) {
    const stop = this.costs(at);
    return Math.max(stop, blockEnd(this.text, at > 0 ? this.text.lastIndexOf("\n", at - 1) + 1 : 0, stop));
  }

  /** Return the end of the text that is skipped where nothing matches. */
  costs(at) {
    const { recover } = this.grammar;
    recover.lastIndex = at;
    return Math.max(recover.test(this.text) ? recover.lastIndex : 0, at + 1);
  }

  /** Return the offset after all lines from an offset on that match nothing, at which an incomplete record is given up. */
  behind(possible, from) {
    const { text } = this;
    let at = from;
    while (at < text.length && this.skipped < MOST_SKIPPED) {
      this.skipped += 1;
      const start = at;
      const [place] = furthest(possible, text, start, lineStop(text, start, text.length));
      const begins = ({ piece }) => piece.read(text, start, new Found()) > start;
      if (stripped(text.slice(start, place), BLANKS) || possible.some(begins)) break;
      at = this.costs(start);
    }
    return at;
  }

  /** Return the name of the list to which unreadable text is added. */
  home(possible) {
    const stage = [...possible, ...this.grammar.stages].find(({ repeated }) => repeated) ?? possible[0];
    const names = Object.keys(this.grammar.start.fields).filter((name) => stage.piece.names.has(name));
    return names.find((name) => this.grammar.records.includes(name)) ?? names[0] ?? "";
  }

  root() {
    const { start } = this.grammar;
    const nodes = [...this.single.values()];
    for (const [name, items] of this.lists) {
      if (start.lists.includes(name)) nodes.push(listNode(start, items));
    }
    nodes.sort((a, b) => a.start - b.start);
    const root = new TextNode(
      declOf(start.name, start, false),
      this.grammar.name,
      start,
      this.text,
      0,
      this.text.length,
      null,
    );
    root.fields = nodes;
    root.grouped = nodes;
    root.whole = true;
    return root;
  }
}

const WHOLE_LINE = /([ \t]*)([^\r\n]*)(?:\r\n|\r|\n)/y;

/**
 * Return the end of the block that a line should have begun: after the following lines that are indented more, with a line of
 * punctuation before and after them that is indented like the first. Without a line that is indented more, the end of the line.
 */
function blockEnd(text, line, after) {
  const own = /^[ \t]*/.exec(text.slice(line, after))[0].length;
  let end = after;
  let deeper = false;
  let opened = false;
  for (let at = after; ;) {
    WHOLE_LINE.lastIndex = at;
    const found = WHOLE_LINE.exec(text);
    if (found === null || !found[2]) return end;
    const indent = found[1].length;
    // at most one line of punctuation opens the block: of many such lines, each would search all following lines
    if (indent < own || (indent === own && ((opened && !deeper) || /[\p{L}\p{N}_]/u.test(found[2])))) return end;
    opened = true;
    at += found[0].length;
    if (indent > own) {
      deeper = true;
      end = at;
    } else if (deeper) return at;
  }
}

/**
 * Return the furthest offset that any part of the file reaches, and names of all that would have matched there. If only blanks and
 * line ends precede that offset, and one of the names would also have matched before them, return that earlier offset.
 */
function furthest(possible, text, at, line) {
  const [place, wanted] = furthestOf(possible, text, at, line);
  let before = place;
  while (before > at && BLANKS.includes(text[before - 1])) before -= 1;
  if (before > at && /[\r\n]/.test(text.slice(before, place))) {
    const [earlier, names] = furthestOf(possible, text, at, before);
    if (earlier === before && wanted.some((one) => names.includes(one))) return [before, wanted];
  }
  return [place, wanted];
}

function furthestOf(possible, text, at, line) {
  let place = -1;
  let wanted = [];
  for (const { piece, optional, repeated } of possible) {
    const [reached, names] = follow(piece, text.slice(0, line), at, false);
    if (reached >= place) {
      wanted = reached > place ? names : [...new Set([...wanted, ...names])];
      place = reached;
    }
    if (!optional && !repeated) break;
  }
  return [Math.max(place, at), wanted];
}

const LINE_END = /\r\n|\n|\r/g;

/** Return the end of the line at an offset, at most `stop`. */
function lineStop(text, at, stop) {
  LINE_END.lastIndex = at;
  const found = LINE_END.exec(text.slice(0, stop));
  return found ? found.index : stop;
}

/** Declares a text format: the rule of a whole file, and the checks of any text. */
function grammarOf(given) {
  return { strict: null, lines: null, faults: [], ...given, made: null };
}

/** Return a grammar with the parts of a file in order, single or repeated. */
function formOf(grammar) {
  if (grammar.made === null) {
    const start = ruleOf(grammar.start);
    const body = start.body instanceof InOrder ? start.body.inside : [start.body];
    const stages = body.map((item, index) => ({
      several: grammar.several?.[index] ?? false,
      ...(item instanceof Repeated
        ? { piece: item.item, repeated: item.most !== 1, optional: item.least === 0 }
        : { piece: item, repeated: false, optional: false }),
    }));
    grammar.made = { ...grammar, start, stages };
  }
  return grammar.made;
}

/**
 * The state of a file's checks: whether the file claims the strict form, and how often each deviation from it occurred.
 */
class Claim {
  constructor(strict) {
    this.strict = strict;
    this.inherited = new Set();
    this.met = new Map();
  }

  /** Report a deviation where it occurs first, and count it. */
  tell(findings, report, start, stop, values) {
    const key = `${report.code}\n${filled(report.message, values)}`;
    const count = (this.met.get(key) ?? 0) + 1;
    this.met.set(key, count);
    if (count === 1) findings.tell(report, start, stop, values);
  }

  /** Add the number of further occurrences to the message of each deviation. */
  counted(found) {
    for (const one of found) {
      const count = this.met.get(`${one.code}\n${one.message}`) ?? 1;
      if (count > 1) one.message += ` (and ${count - 1} times more)`;
    }
  }
}

/** Report long lines of a text, and characters that are not allowed. */
function checkWhole({ lines, faults }, findings, claim) {
  const { text } = findings;
  if (lines !== null) {
    for (const [start, stop] of longLines(text, lines.most)) {
      findings.tell(lines.report, start, stop, { count: String(stop - start) });
    }
  }
  for (const { at, report, once = false, strict = false } of faults) {
    if (strict && !claim.strict) continue;
    let found = [...text.matchAll(at)].filter(({ groups }) => groups.fault !== undefined);
    const count = once ? 1 + found.slice(1).filter((match) => match.groups.fault).length : 1;
    if (once) found = found.slice(0, 1);
    for (const { index, groups } of found) {
      const stop = index + groups.fault.length;
      findings.tell(report, index, stop, { text: text.slice(index, Math.min(stop, index + 40)), count: String(count) });
    }
  }
}

/**
 * Yield the bounds of every line of more than so many characters, its line end included.
 * @where lines
 */
function* longLines(text, most) {
  const ends = text.includes("\n") ? "\n" : "\r";
  for (let at = 0; text.length - at > most;) {
    // the last line end within reach shows that all lines up to there are short
    let end = text.lastIndexOf(ends, at + most - 1);
    if (end < at) {
      const found = text.indexOf(ends, at + most);
      const stop = found < 0 ? text.length : found + 1;
      for (const part of text.slice(at, stop).matchAll(/[^\r]*(?:\r\n?|$)/g)) {
        if (part[0].length > most) yield [at + part.index, at + part.index + part[0].length];
      }
      end = stop - 1;
    }
    at = end + 1;
  }
}

/** Return the offset in a text of an offset in the same text without the ranges `removed`, which were taken out in this order. */
function unreduced(offset, removed) {
  return removed.reduceRight((at, [start, length]) => (at >= start ? at + length : at), offset);
}
