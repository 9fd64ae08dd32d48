/** Collects the findings on a text, up to a limit; beyond it only the first error. */
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

  /** Whether no further finding is kept, not even an error. */
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

  /** Add a finding that the grammar declares; `values` replace the names in braces in its message and help. */
  tell(report, start, stop, values, fix = repair(report, start, stop)) {
    const help = report.help ? filled(report.help, values) : null;
    this.add(report, filled(report.message, values), start, stop, help, fix);
  }

  /** Add the findings of rules that report each text that they match. */
  notes(notes) {
    for (const [report, start, stop] of notes) {
      const text = this.text.slice(start, stop);
      this.tell(report, start, stop, { text: shortened(text), count: String(text.length) });
    }
  }

  /** Return the line and the column of an offset, both from 1. */
  place(offset) {
    this.starts ??= [0, ...Array.from(this.text.matchAll(/\r\n|\n|\r/g), (end) => end.index + end[0].length)];
    const line = after(this.starts, offset);
    return [line, offset - this.starts[line - 1] + 1];
  }

  /** Add all findings on a record, in the order of its text. */
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
   * Report derived fields of a record that have another text, if they depend on this record alone.
   * @where values
   */
  verify(rule, node) {
    for (const [part, right] of mismatches(new Frame(rule, node, null), rule.derived)) this.tellDerived(part, right);
  }

  /**
   * Report derived fields of the file that have another text, if they depend on more than one record.
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

  /** Set the record or the field of the file to which the next findings are attributed; null for the whole file. */
  about(node) {
    const listed = node !== null && node.name !== node.field;
    this.node = node;
    this.record = listed ? Number(node.name) : null;
    this.field = node === null ? "" : listed ? `${node.field}[${node.name}]` : node.field;
  }

  /**
   * Report the findings in a delegated text: those of the rule that reads it, or that the rule does not match it.
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

  /** Add a note with the number of dropped findings. */
  close() {
    if (!this.dropped) return;
    this.found.push(notShown(this.dropped));
  }
}

/** Return a finding in the form that callers get. */
function textFinding({ code, severity, message, record, field, start, stop, line, column, help, fix }) {
  const span = line === null ? null : { start, stop, bits: null, bit_order: null };
  return { code, severity, message, record, field, span, line, column, help, fix };
}

/** Return the repair that the schema declares for a finding; null without one. */
function repair({ fix, safe = false }, start, stop) {
  return fix === undefined ? null : edit(fix ? `write ${quote(fix)}` : "remove it", start, stop, fix, safe);
}

/** Return a repair that replaces a text by another. */
function edit(description, start, stop, text, safe = false) {
  const replacement = Array.from(text, (one) => one.charCodeAt(0).toString(16).padStart(2, "0")).join("");
  return { description, safe, edits: [{ start, stop, replacement }] };
}

/** Return how many numbers of a sorted list are at most a given one. */
function after(sorted, value, numberOf = (each) => each) {
  let low = 0;
  for (let high = sorted.length; low < high;) {
    const middle = (low + high) >> 1;
    if (numberOf(sorted[middle]) <= value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Return the offset at which a rule stops matching a text, and names of what would have matched there. */
function stuck(rule, text, start, stop) {
  const [place, wanted] = follow(rule.body, text.slice(0, stop), start, true, rule.like?.naming ?? null);
  return [Math.min(Math.max(place, start), stop), wanted];
}

/** Return a text with each `{name}` replaced by its value; `{name!r}` by the quoted value. */
function filled(text, values) {
  // In one pass: a value is text of the file, and braces in it are no names of the template.
  return text.replace(/\{(\w+)(!r)?\}/g, (whole, name, quoted) => {
    if (!Object.hasOwn(values, name)) return whole;
    return quoted ? quote(values[name]) : values[name];
  });
}

/** Return a text as messages quote it, shortened if it is long. */
function shortened(text) {
  return text.length <= 40 ? text : `${text.slice(0, 37)}...`;
}

/** Return the dotted path from a node to the smallest field that contains the bits. */
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
