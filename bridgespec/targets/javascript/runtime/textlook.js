/** Findings about a text, up to a limit; a grave one is kept past it, if it is the first. */
class TextFindings {
  constructor(text, limit) {
    this.text = text;
    this.limit = limit;
    this.found = [];
    this.dropped = 0;
    this.grave = false;
    this.record = null;
    this.field = "";
    this.node = null;
    this.claim = null;
    this.starts = null;
  }

  /** Whether nothing more is kept, an error neither. */
  get full() {
    return this.found.length >= this.limit && this.grave;
  }

  add({ code, severity }, message, start, stop, help = null, fix = null) {
    const grave = severity === "error";
    if (this.found.length >= this.limit && (this.grave || !grave)) {
      this.dropped += 1;
      return;
    }
    this.grave ||= grave;
    const [line, column] = this.place(start);
    const field = this.field + pathBelow(this.node, 8 * start, 8 * stop);
    const { record } = this;
    this.found.push({ code, severity, message, record, field: field || null, start, stop, line, column, help, fix });
  }

  /** Keep a finding that the schema describes, with the values in the braces of its words. */
  tell(report, start, stop, values, fix = repair(report, start, stop)) {
    const help = report.help ? filled(report.help, values) : null;
    this.add(report, filled(report.message, values), start, stop, help, fix);
  }

  /** Keep what rules report of the texts that they have read. */
  notes(notes) {
    for (const [report, start, stop] of notes) {
      const text = this.text.slice(start, stop);
      this.tell(report, start, stop, { text: shortened(text), count: String(text.length) });
    }
  }

  /** The line and column of an offset, both from 1. */
  place(offset) {
    this.starts ??= [0, ...Array.from(this.text.matchAll(/\r\n|\n|\r/g), (end) => end.index + end[0].length)];
    const line = after(this.starts, offset);
    return [line, offset - this.starts[line - 1] + 1];
  }

  /** Keep everything that is wrong in a record, in the order of its text. */
  inspect(node) {
    const { rule, fields } = node;
    if (rule.kind !== "record" || fields === null) return;
    if (rule.derived.length) this.verify(rule, node);
    if (rule.pair?.columns) misfits(pairIn(rule, node), rule, this);
    for (const each of fields) {
      this.notes(each.notes);
      const handover = rule.handovers.get(each.field);
      if (handover !== undefined && each === node.first(each.field)) this.handed(handover, each, fields);
      else this.inspect(each);
    }
    for (const name of rule.lists) {
      const kind = rule.fields[name];
      if (!kind.pair) continue;
      lookAtPairs(
        kind,
        fields.filter((each) => each.field === name).map((each) => pairIn(kind, each)),
        this,
      );
    }
  }

  /**
   * The derived fields that hold something else than what they are derived from, as far as their record tells.
   * @where values
   */
  verify(rule, node) {
    for (const [part, right] of mismatches(new Frame(rule, node, null), rule.derived)) this.tellDerived(part, right);
  }

  /**
   * The same, of those that follow from more than their record.
   * @where derived
   */
  verifyWhole(root) {
    for (const [top, part, right] of deviations(root, (rule) => rule.outward, false)) {
      this.about(top);
      this.tellDerived(part, right);
    }
    this.about(null);
  }

  /** @where values */
  tellDerived(part, right) {
    const [start, stop] = [part.start / 8, part.stop / 8];
    const fix = edit(`write ${right}`, start, stop, right);
    const report = part.rule.mismatch;
    if (report !== null) {
      this.tell(report, start, stop, { text: part.text, value: right }, fix);
      return;
    }
    const message = `${part.field.replaceAll("_", " ")} is ${part.text}, but what it is derived from gives ${right}`;
    this.add(DERIVED, message, start, stop, null, fix);
  }

  /** The findings that follow are about a record of the file, or a field of it; about the whole file for null. */
  about(node) {
    const listed = node !== null && node.name !== node.field;
    this.node = node;
    this.record = listed ? Number(node.name) : null;
    this.field = node === null ? "" : listed ? `${node.field}[${node.name}]` : node.field;
  }

  /**
   * What is wrong in a text that another rule has read, or could not read.
   * @where contents
   */
  handed(handover, node, fields) {
    const key = handover.key(fields);
    const { inherit, word } = handover;
    if (inherit !== null && inherit.never.includes(key) && node.text.startsWith(inherit.same)) {
      this.tell(inherit.report, node.start / 8, node.stop / 8, { key: key ?? "" });
    }
    if (!node.broken) {
      this.notes(node.inner);
      this.inspect(node);
      return;
    }
    if (this.found.length >= this.limit) {
      this.dropped += 1;
      return;
    }
    const [rule, at] = handover.choose(key, node);
    if (rule === null) return;
    const stop = node.stop / 8;
    const [place, wanted] = stuck(rule, this.text, at, stop);
    const here = place < stop ? `where ${quote(this.text[place])} stands` : "where it ends";
    const values = { value: shortened(this.text.slice(at, stop)), key: key ?? "" };
    const message = filled(word.report.message || "{value!r} does not fit", values);
    this.add(word.report, `${message}: expected ${oneOfThese(wanted)} ${here}`, at, stop);
  }

  /** Say how many findings were dropped. */
  close() {
    if (!this.dropped) return;
    this.found.push(notShown(this.dropped));
  }
}

/** A finding as a caller sees it. */
function textFinding({ code, severity, message, record, field, start, stop, line, column, help, fix }) {
  const span = line === null ? null : { start, stop, bits: null, bit_order: null };
  return { code, severity, message, record, field, span, line, column, help, fix };
}

/** The repair that a schema gives with a finding; null where it gives none. */
function repair({ fix, safe = false }, start, stop) {
  return fix === undefined ? null : edit(fix ? `write ${quote(fix)}` : "remove it", start, stop, fix, safe);
}

/** A repair that puts one text in the place of another. */
function edit(description, start, stop, text, safe = false) {
  const replacement = Array.from(text, (one) => one.charCodeAt(0).toString(16).padStart(2, "0")).join("");
  return { description, safe, edits: [{ start, stop, replacement }] };
}

/** How many of a sorted list have a number that is at most so great. */
function after(sorted, value, numberOf = (each) => each) {
  let low = 0;
  for (let high = sorted.length; low < high;) {
    const middle = (low + high) >> 1;
    if (numberOf(sorted[middle]) <= value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Where a text that must fit a rule to its end does not, and what was wanted there. */
function stuck(rule, text, start, stop) {
  const [place, wanted] = follow(rule.body, text.slice(0, stop), start, true, rule.like?.naming ?? null);
  return [Math.min(Math.max(place, start), stop), wanted];
}

/** A text with the values in its braces; `{name!r}` is quoted. */
function filled(text, values) {
  // In one pass: a value is text of the file, and braces in it are no names of the template.
  return text.replace(/\{(\w+)(!r)?\}/g, (whole, name, quoted) => {
    if (!Object.hasOwn(values, name)) return whole;
    return quoted ? quote(values[name]) : values[name];
  });
}

/** A text as messages quote it. */
function shortened(text) {
  return text.length <= 40 ? text : `${text.slice(0, 37)}...`;
}

/** The dotted path from a node to the smallest field that holds the bits. */
function pathBelow(node, start, stop) {
  if (node === null) return "";
  const array = isArray(node);
  let children = node.children ?? [];
  if (array && children.length > 20) {
    const at = after(children, start, (child) => child.start);
    children = children.slice(Math.max(at - 1, 0), at);
  }
  let best = "";
  for (const child of children) {
    if (child.start > start || stop > child.stop || (child.stop === child.start && child.children !== null)) continue;
    const inner = pathBelow(child, start, stop);
    const path = (array ? `[${child.name}]` : `.${child.name}`) + inner;
    if (!(isArray(child) && !inner) && path.length > best.length) best = path;
  }
  return best;
}
