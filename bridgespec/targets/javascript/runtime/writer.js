/** The maximum number of passes until sizes, offsets and checksums settle: one pass for each that depends on another. */
const MOST_TIMES = 20;
/** The greatest size of a field, and the greatest offset of a part, in bytes: a wrong number must not fill the memory. */
const MOST_SIZE = 2 ** 30;

/** A value with its bytes (or code) in the file, which are written as long as the value is the same. */
class Kept {
  constructor(value, raw) {
    this.value = value;
    this.raw = raw;
  }
}

/** The bytes of a field that could not be read, which are written unchanged. */
class RawBytes {
  constructor(value) {
    this.value = value;
  }
}

/** Return a value without its bytes in the file. */
function unkept(value) {
  return value instanceof Kept || value instanceof RawBytes ? value.value : value;
}

/**
 * Return the bytes of a plain value, in the form that `plain` returns; constants, derived and default values may be left out. With
 * the tree from which the value was read (`origin`), the bytes of unchanged values and of fields that could not be read are kept.
 * Throws an Error with the path of the field (`field`) that cannot be written.
 */
function writeFile(top, value, origin, { settles = false, placing = false } = {}) {
  try {
    const given = origin ? keeping(value, origin) : value;
    if (!isPlainRecord(given)) throw new CannotWrite(`the values of a file are wanted, not ${shown(given)}`);
    const [data, session] = settles ? settled(top, given, placing) : writtenOnce(top, given, placing);
    if (session.clash !== null) throw session.clash;
    return data.slice();
  } catch (error) {
    const problem = error instanceof CannotWrite ? error : told(error);
    const { message, field = "" } = problem;
    throw Object.assign(new Error(field ? `${field}: ${message}` : message), { code: "unwritable", field });
  }
}

/** Return the bytes of a file, written in one pass if all lengths, counts and offsets are given, else in several. */
function writtenOnce(top, given, placing) {
  try {
    return written(top, given, placing, null, false);
  } catch (error) {
    if (!(error instanceof NotYetKnown)) throw error;
    return settled(top, given, placing);
  }
}

/** Write the file once; `known` are the positions of fields in the pass before. */
function written(top, given, placing, known, settling) {
  const session = new Writing(known, settling);
  const sink = new Sink(null, placing, false);
  const frame = new WrittenFrame(top, session, sink, null, null, "");
  frame.plain = given;
  writeFields(frame, sink);
  return [sink.finish(), session];
}

/**
 * Write the file repeatedly, each time with the sizes, offsets and bytes of the pass before, until the bytes no longer change.
 * @where io, _io, placeOf, wholeOf
 */
function settled(top, given, placing) {
  let [data, session] = written(top, given, placing, null, true);
  let before;
  for (let time = 0; time < MOST_TIMES; time++) {
    before = data;
    [data, session] = written(top, given, placing, session.layout, true);
    if (sameBytes(data, before)) return [data, session];
  }
  const shorter = Math.min(data.length, before.length);
  let at = 0;
  while (at < shorter && data[at] === before[at]) at++;
  const around = [...session.layout].find(([key, place]) => !key.endsWith("\0") && place.start <= 8 * at && 8 * at < place.stop);
  const message = `the bytes from 0x${at.toString(16)} on change each time they are written: a value follows from itself`;
  throw new CannotWrite(message, around ? around[0].replace("\0", ".") : "");
}

/** The state of one pass of writing. */
class Writing {
  constructor(known, settling) {
    this.known = known;
    this.settling = settling;
    /** The positions of fields in this pass, by the path of their record and their name. */
    this.layout = new Map();
    this.deriving = 0;
    this.clash = null;
    this.volume = 2 ** 24;
  }

  /** A file that is written has no budget. */
  make() {}
}

/** A record that is being written, as the scope of expressions. `plain` are the given values. */
class WrittenFrame extends Frame {
  plain = {};
  /** The offsets of parts that expressions have used. */
  offsets = new Map();

  /** Return the given value of a field; null without one. */
  given(name) {
    return Object.hasOwn(this.plain, name) ? (this.plain[name] ?? null) : null;
  }

  get(name) {
    const value = super.get(name);
    return value instanceof GrowingList ? value.seen() : value;
  }

  find(name) {
    if (this.record.instances.has(name)) return readInstance(this, name, writtenInstance);
    const each = this.record.fields.find((one) => one.name === name);
    if (each === undefined) throw new EvaluationError(`'${name}' has no value`);
    return foreseen(each, this);
  }

  /**
   * Record the stream's position as the start of a field; of the record for `null`.
   * @where io, _io, placeOf, wholeOf
   */
  begin(name, sink) {
    const place = new Place(sink, sink.here);
    this.session.layout.set(`${this.path()}\0${name ?? ""}`, place);
    return place;
  }

  /** Return the position of a field in the pass before. */
  spotOf(name) {
    const { known } = this.session;
    if (known === null) throw new NotYetKnown("where it stands is not known before all is written");
    const found = known.get(`${this.path()}\0${name ?? ""}`);
    if (found !== undefined) return found;
    // an instance that is not given is not written, and has no bytes
    if (this.record.instances.has(name)) return new Place(this.io, 0);
    throw new EvaluationError(`'${this.path(name)}' is not written`);
  }

  wholeSpot() {
    const place = this.spotOf("_io");
    place.stop = 8 * place.stream.length;
    return place;
  }
}

/** Return the value of an instance for expressions while writing. */
function writtenInstance(frame, name, { each, pos, io, when, value }) {
  if (each === undefined) return when === null || truth(when(frame)) ? value(frame) : null;
  if (pos !== null && io === null && !frame.offsets.has(name)) frame.offsets.set(name, pos(frame));
  return foreseen(each, frame);
}

/** Write the fields of a record. */
function writeFields(frame, sink) {
  const { order, fields, instances, spot } = frame.record;
  const { session } = frame;
  if (order !== null) frame.little = order(frame);
  const here = spot === null ? null : frame.begin(null, sink);
  if (session.settling) frame.begin("_io", sink).start = 0;
  for (const each of fields) writeField(each, sink, frame);
  if (here !== null) here.stop = sink.here;
  if (sink.mark === null || frame.owner?.io !== sink) sink.mark = sink.pos;
  const rest = frame.given("trailing");
  if (rest instanceof Uint8Array && !fields.some(({ name }) => name === "trailing")) {
    sink.dropBits();
    sink.write(rest, []);
  }
  for (const [name, one] of instances)
    if (one.each !== undefined && frame.given(name) !== null && !frame.lost) putOff(name, one, sink, frame);
}

/**
 * Write a part at an offset once its stream is complete.
 * @where placed
 */
function putOff(name, { each, pos, io }, sink, frame) {
  // without `pos` it is read where the stream was when an expression used it: from bytes of other fields
  const target = pos === null ? null : io === null ? sink : optional(io, frame);
  if (!(target instanceof Sink)) return;
  /** Lengthen the stream by its bytes after the present position, and move to the part's offset from the new end. */
  const lengthen = () => {
    target.limit += target.limit - target.pos;
    target.seek(Number(pos(frame)));
  };
  const put = () => {
    writeField(each, target, frame);
    target.align();
  };
  target.closing.push(() => {
    target.fromEnd = false;
    try {
      target.seek(Number(frame.offsets.get(name) ?? pos(frame)));
    } catch (error) {
      if (!(error instanceof NotYetKnown) || frame.session.known !== null) throw error;
      // in the first pass any offset will do: its size is known in the next one
      target.seek(target.length);
    }
    const path = frame.path(name);
    const { fromEnd, clash, length } = target;
    const saved = fromEnd && clash === null ? [target.data.slice(), target.taken.slice()] : null;
    if (target.pos < 0 && saved !== null) lengthen();
    let start = target.pos;
    if (!(start >= 0 && start <= target.length + MOST_SIZE))
      throw new CannotWrite(`position ${start} is outside of what can be written`, path);
    put();
    if (target.clash !== null && saved !== null) {
      [target.data, target.taken] = saved;
      Object.assign(target, { clash, length });
      target.seek(start);
      lengthen();
      start = target.pos;
      put();
    }
    const at = target.clash;
    if (at !== null && frame.session.clash === null) {
      const there = target.parts.find(([first, stop]) => first <= at && at < stop)?.[2] ?? "what precedes";
      const message = `it would overwrite ${there} at 0x${at.toString(16)}, which differs`;
      frame.session.clash = new CannotWrite(message, path);
    }
    target.parts.push([start, target.pos, path]);
  });
}

/** Return the value of an expression; null if it has none. */
function optional(evaluate, frame) {
  try {
    return evaluate(frame);
  } catch (error) {
    if (!(error instanceof EvaluationError)) throw error;
    return null;
  }
}

/** Write a field: its given value, else the derived, constant or default value. */
function writeField(each, sink, frame) {
  const { loose } = sink;
  const { session } = frame;
  sink.loose = loose || each.opaque;
  if (session.settling) writeSettling(each, sink, frame);
  else writeValue(each, sink, frame, null);
  sink.loose = loose;
}

/**
 * Write a field in one of several passes, and record its position.
 * @where io, _io, placeOf, wholeOf
 */
function writeSettling(each, sink, frame) {
  const { name, type } = each;
  if (type.aligned && sink.bitsUsed && frame.given(`padding_before_${name}`) === null) sink.align();
  const here = each.place !== null || each.measured ? frame.begin(name, sink) : null;
  try {
    writeValue(each, sink, frame, here);
  } catch (error) {
    if (!(error instanceof NotYetKnown) || frame.session.known !== null) throw error;
    // zeros, so that the offsets after the field are right
    if (each.repeat === null && type.aligned) sink.write(new Uint8Array((type.bits ?? 0) / 8));
    else if (each.repeat === null) sink.writeBits(0, type.bits, type.little);
  }
  if (here !== null) here.stop = sink.here;
}

function writeValue(each, sink, frame, here) {
  const { name, type, repeat, when, end } = each;
  if (type.aligned && sink.bitsUsed) {
    const spare = frame.given(`padding_before_${name}`);
    const left = sink.high - sink.low;
    if (Number.isInteger(spare)) sink.writeBits(spare & (2 ** left - 1), left, true);
    sink.align();
  }
  let value = frame.given(name);
  if (value === null) {
    const stands = !frame.lost && (when === null || truth(optional(when, frame)));
    value = stands ? missingValue(each, frame) : null;
    if (value === null) {
      frame.set(name, null);
      return;
    }
  } else if (when !== null && sink.taken !== null) {
    // evaluating the condition fixes the offsets of instances in it at this moment
    optional(when, frame);
  }
  if (value instanceof RawBytes) {
    sink.dropBits();
    sink.write(value.value);
    frame.set(name, value.value);
    frame.lost = true;
  } else if (repeat === null) {
    frame.set(name, type.writeTo(value, sink, frame, name, each.decl));
  } else {
    repeat.writeTo(each, value, sink, frame, here);
  }
  if (end === null) return;
  for (const rest of ["end", "after_end"]) if (frame.given(rest) instanceof Uint8Array) sink.write(frame.given(rest));
}

/** Return the value to write for a field that is not given; null where nothing is to be written. */
function missingValue(each, frame) {
  const { type, repeat, derived, missing } = each;
  const value = derived?.value ?? missing;
  if (value !== undefined) {
    frame.session.deriving += 1;
    try {
      return lazily(value)(frame);
    } finally {
      frame.session.deriving -= 1;
    }
  }
  const kind = repeat?.kind ?? null;
  if (kind === "end") return [];
  const blank = type.blankValue?.(kind, frame);
  if (blank === undefined) throw new CannotWrite("a value is missing, and there is no default", frame.path(each.name));
  if (kind === null) return blank;
  return new Array(kind === "count" ? Math.max(0, Number(repeat.test(frame))) : 0).fill(blank);
}

/** Return the value that a field which is not written yet will have, as expressions see it. */
function foreseen(each, frame) {
  const { name, when, repeat } = each;
  let value = frame.given(name);
  if (value === null) {
    if (when !== null && !truth(when(frame))) return null;
    try {
      value = missingValue(each, frame);
    } catch (error) {
      if (!(error instanceof CannotWrite)) throw error;
      throw new EvaluationError(`'${name}': ${error.message}`);
    }
  }
  if (repeat === null || value instanceof RawBytes) return seenValue(each, value, frame, null);
  return itemsOf(value, frame, name).map((item, at) => seenValue(each, item, frame, at));
}

function seenValue(each, value, frame, at) {
  const plain = unkept(value);
  if (!isPlainRecord(plain)) return plain;
  // in an empty sink, since the record has no position yet
  const inner = each.type.enterFrame?.(new Sink(null, false, false), frame, each.decl, at ?? each.name) ?? null;
  if (inner !== null) Object.assign(inner, { plain, index: at ?? frame.index });
  return inner;
}

/** A list that is being written: derived values see all of its elements, other expressions only those that are written. */
class GrowingList {
  constructor(each, items, frame) {
    Object.assign(this, { each, items, frame, done: [] });
  }

  seen() {
    const { each, items, frame, done } = this;
    if (!frame.session.deriving) return done;
    return items.map((item, at) => (at < done.length ? done[at] : seenValue(each, item, frame, at)));
  }
}

/** Return the elements of a list; for `cells` they must be integers. */
function itemsOf(value, frame, name, cells = false) {
  if (typeof value === "object" || typeof value === "string") {
    const items = isPlainRecord(value) ? Object.keys(value) : [...value];
    if (!cells || items.every((item) => isNumber(item) && isWhole(item))) return items;
  }
  throw new CannotWrite(`a list${cells ? " of integers" : ""} is wanted, not ${shown(value)}`, frame.path(name));
}

/** Return the number of elements that the count's expression requires; that of the list if it depends on what is written later. */
function wantedCount({ repeat }, items, frame) {
  try {
    return Number(repeat.test(frame));
  } catch (error) {
    if (!(error instanceof NotYetKnown)) throw error;
    return items.length;
  }
}

function miscounted(count, items, frame, name) {
  return new CannotWrite(`${count} elements are wanted, ${items.length} are given`, frame.path(name));
}

/** Write an array of unsigned integers of fixed width in one step. */
function writeCells(each, value, sink, frame, here) {
  const { name, type, decl } = each;
  const items = itemsOf(value, frame, name, true);
  const count = wantedCount(each, items, frame);
  if (count !== items.length) throw miscounted(count, items, frame, name);
  const most = 2n ** BigInt(type.bits);
  const wrong = items.findIndex((item) => item < 0 || item >= most);
  if (wrong >= 0) {
    const message = `${items[wrong]} does not fit into ${type.bits} bits`;
    throw new CannotWrite(message, frame.path(labelOf(decl, wrong)));
  }
  if (type.aligned) sink.write(Uint8Array.from(items, Number));
  else for (const item of items) sink.writeBits(item, type.bits, type.little);
  frame.set(name, items);
  if (here !== null) here.alike(items.length, type.bits);
}

/** Write an array of any elements. */
function writeList(each, value, sink, frame, here) {
  const { name, type, repeat, end, decl } = each;
  const items = itemsOf(value, frame, name);
  const last = items.at(-1);
  const cut = last instanceof RawBytes;
  const counted = repeat.kind === "count";
  if (counted && !cut) {
    const count = wantedCount(each, items, frame);
    // in a file that is cut off, the last record of a list breaks off: fewer elements than counted are written then
    if (count < items.length || (count > items.length && !isPlainRecord(unkept(last)))) throw miscounted(count, items, frame, name);
  }
  const list = new GrowingList(each, items, frame);
  frame.set(name, list);
  const above = frame.index;
  items.forEach((item, ordinal) => {
    frame.index = ordinal;
    const { pos, here: begun } = sink;
    if (item instanceof RawBytes) {
      sink.dropBits();
      sink.write(item.value);
      list.done.push(item.value);
    } else {
      list.done.push(item === null ? null : type.writeTo(item, sink, frame, ordinal, decl));
      const written = { data: sink.data, pos, leftBits: 8 * (sink.length - pos) };
      if (end?.stands(end, written)) {
        const message = `it begins with ${end.bits} null bits, which end the list`;
        throw new CannotWrite(message, frame.path(labelOf(decl, ordinal)));
      }
    }
    if (here !== null) here.items.push([begun, sink.here]);
    if (repeat.kind !== "until") return;
    // evaluating the condition fixes the offsets of instances in it at this moment
    frame.it = list.done.at(-1);
    optional(repeat.test, frame);
    frame.it = null;
  });
  frame.index = above;
  frame.lost ||= cut && repeat.kind !== "end";
  frame.set(name, list.done);
  const count = frame.lost || !counted ? items.length : wantedCount(each, items, frame);
  if (count !== items.length) throw miscounted(count, items, frame, name);
}

/** Write the bytes of a value in the file, if it has them and they have its type. Return whether they were written. */
function writeKept(value, kind, sink) {
  if (!(value instanceof Kept) || typeName(value.value) !== kind) return false;
  sink.write(value.raw);
  return true;
}

/** Return a value as a byte array. Throws CannotWrite for any other value. */
function byteValue(given, where) {
  const value = unkept(given);
  if (value instanceof Uint8Array) return value;
  const spelled = Array.isArray(value) ? `; bytes are spelled ${repr(value)}.as<bytes>` : "";
  throw new CannotWrite(`bytes are wanted, not ${shown(value)}${spelled}`, where);
}

/** Return the fields of a value that is a record. Throws CannotWrite for any other value. */
function recordValue(given, { name }, where) {
  const value = unkept(given);
  if (isPlainRecord(value)) return value;
  const message = `${repr(value)} is one value, and the type ${name} is a record: a field in it can hold it`;
  throw new CannotWrite(message, where);
}

/** Return the size of a field when writing, null if the content determines it, and the number of bytes left in the stream. */
function spaceOf(range, frame, sink) {
  const room = sink.limit === null ? null : sink.limit - sink.pos;
  if (range.toEnd && range.strips) return [room, room];
  if (range.size === null) return [null, room];
  let size = null;
  try {
    size = range.size(frame);
  } catch (error) {
    if (!(error instanceof NotYetKnown)) throw error;
  }
  if (size > MOST_SIZE) throw new CannotWrite(`${size} bytes are more than is written at a time`);
  return [typeof size !== "string" && size !== null && size >= 0 ? Number(size) : null, room];
}

/** Write the content of a field with its terminator and padding. */
function writeContent(range, content, [size, room], sink, where, taken = null) {
  const out = wrapped(range, content, size, room);
  if (typeof out === "string") throw new CannotWrite(out, where);
  sink.write(out, taken);
}

/** Return the content in the stored bytes of a record; null where it cannot be separated from their padding. */
function contentOf(raw, range, process, frame) {
  try {
    const { start, stop } = locate(range, new Source(raw, 0, raw.length, 0), frame, {});
    const content = raw.subarray(start, stop);
    return process === null ? content : process.decode(content, frame);
  } catch (error) {
    if (!(error instanceof Unreadable) && !(error instanceof EvaluationError)) throw error;
    return null;
  }
}

// --- the bytes of a file that its tree keeps

/**
 * Return a plain value in which values that equal those of a node have their bytes in the file, and fields that could not be read
 * are their raw bytes. A part without bytes is left out.
 */
function keeping(value, node) {
  if (node?.broken && node.value instanceof Uint8Array) return sameValue(value, node.value) ? new RawBytes(node.value) : value;
  if (node === undefined || node.absent || node.values !== null) return value;
  if (node.parts === null) return node.kept !== null && sameValue(value, node.value) ? new Kept(value, node.kept) : value;
  if (isArray(node)) return Array.isArray(value) ? keepingItems(value, node.parts) : value;
  if (!isPlainRecord(value)) return value;
  const parts = new Map([...node.parts, ...(node.instances ?? [])].map((part) => [part.name, part]));
  const bytes = ([name, one]) => {
    const part = parts.get(name);
    return !node.instances?.includes(part) || part.stop > part.start || !sameValue(one, plain(part));
  };
  const entries = Object.entries(value).filter(bytes);
  const given = Object.fromEntries(entries.map(([name, one]) => [name, keeping(one, parts.get(name))]));
  return node.kept === null ? given : new Kept(given, node.kept);
}

/** Return a list in this form: elements belong to nodes with the same index, from both ends if the numbers differ. */
function keepingItems(values, nodes) {
  const shift = nodes.length - values.length;
  const most = Math.min(nodes.length, values.length);
  let head = shift ? 0 : most;
  let tail = 0;
  if (shift) {
    while (head < most && sameValue(values[head], plain(nodes[head]))) head++;
    while (tail < most - head && sameValue(values.at(-1 - tail), plain(nodes.at(-1 - tail)))) tail++;
  }
  const last = values.length - tail;
  return values.map((value, at) => (at < head || at >= last ? keeping(value, nodes[at < head ? at : at + shift]) : value));
}

/** Whether two plain values are the same. */
function sameValue(a, b) {
  if (isPlainRecord(a) && isPlainRecord(b)) {
    const names = Object.keys(a);
    return names.length === Object.keys(b).length && names.every((name) => Object.hasOwn(b, name) && sameValue(a[name], b[name]));
  }
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((one, at) => sameValue(one, b[at]));
  return Object.is(a, b) || equal(a, b);
}
