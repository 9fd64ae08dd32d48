/** The maximum number of successive elements without bytes. */
const MAX_IDLE = 10000;

/** Declares a record type: its fields in file order, its instances and its checks. */
function record(given) {
  const {
    name,
    schema,
    doc = "",
    bits = null,
    params = [],
    order = null,
    fields = [],
    instances = {},
    checks = [],
    spot = null,
  } = given;
  const derived = fields.filter((each) => each.derived !== null);
  const table = new Map(Object.entries(instances));
  const later = table.size > 0 || checks.length > 0 || derived.length > 0;
  return { name, schema, doc, bits, params, order, fields, instances: table, checks, derived, later, spot };
}

/**
 * Declares a field: its declaration in the schema (`decl` of its nodes), and how it is read. `more` is for writing: the value of a
 * field that is not given (`missing`), whether its position is needed (`measured`), and whether parts may overwrite it (`opaque`).
 */
function field(given, more) {
  const { name, type, repeat = null, when = null, valid = null, derived = null, end = null, seen = false } = given;
  const { doc = "", codes = null, lenient = null, code, severity, place = null } = given;
  return {
    decl: {
      name,
      doc,
      get type() {
        return type.name;
      },
      bits: type.bits,
      repeat: repeat?.kind ?? null,
      codes,
      lenient,
      code,
      severity,
    },
    name,
    type,
    repeat,
    read: repeat?.read ?? readSingle,
    when: when === null ? null : lazily(when),
    valid,
    derived,
    end,
    place,
    seen: seen || derived !== null,
    ...more,
  };
}

/** The repetition of a field so many times. */
function times(count) {
  return {
    kind: "count",
    test: lazily(count),
    read: readList,
    writeTo(...field) {
      writeList(...field);
    },
  };
}

/** The repetition of an unsigned integer of fixed width, so many times; the array is read in one step. */
function packed(count) {
  return {
    kind: "count",
    test: lazily(count),
    read: readCells,
    writeTo(...field) {
      writeCells(...field);
    },
  };
}

/** The repetition of a field until a condition is true for an element. */
function until(condition) {
  return {
    kind: "until",
    test: lazily(condition),
    read: readList,
    done: holdsOf,
    writeTo(...field) {
      writeList(...field);
    },
  };
}

/** The repetition of a field to the end of the data. */
function toEnd() {
  return {
    kind: "end",
    read: readList,
    writeTo(...field) {
      writeList(...field);
    },
  };
}

/**
 * The null record that ends a list: its first `bits` bits are zero; `short` is the size in bytes of its abbreviated form.
 */
function nullRecord(bits, short) {
  return { bits, short, stands: atEnd, read: readEnd };
}

/** Read the fields of a record from its stream. */
function readFields(frame, label) {
  const stream = frame.io;
  const { fields, order, later } = frame.record;
  const at = stream.at;
  const node = new Node(null, label, at, at, null, false);
  const nodes = [];
  node.parts = nodes;
  node[FRAME] = frame;
  frame.node = node;
  if (order !== null) frame.little = order(frame);
  const here = frame.record.spot === null ? null : frame.record.spot(frame, null, stream);
  try {
    for (let index = 0; index < fields.length; index++) readField(fields[index], stream, frame, nodes);
  } catch (error) {
    if (!(error instanceof Abandoned)) throw error;
    node.broken = frame.lost = true;
  }
  if (here !== null) here.stop = stream.here;
  node.stop = stream.upto;
  if (later) frame.session.pending.push(frame);
  return node;
}

/** Append the nodes of a field: its own, and those of a list's end record and the bytes after it. */
function readField(each, stream, frame, nodes) {
  const { name, type, when } = each;
  if (stream.bitsLeft && type.aligned) skipBits(name, stream, nodes);
  const here = each.place === null ? null : each.place(frame, name, stream);
  try {
    if (when !== null && !truth(when(frame))) {
      const node = new Node(each.decl, name, stream.at, stream.upto, null, false);
      node.absent = true;
      nodes.push(node);
      frame.set(name, null);
    } else {
      each.read(each, stream, frame, nodes);
    }
  } catch (error) {
    const problem = error instanceof EvaluationError ? new Unreadable(kindOf(error), error.message) : error;
    if (!(problem instanceof Unreadable)) throw problem;
    nodes.push(brokenNode(each, stream, frame, name, problem));
    frame.set(name, UNREAD);
    throw new Abandoned();
  } finally {
    if (here !== null) here.stop = stream.here;
  }
}

/** Move to the next byte boundary; if a skipped bit is not zero, append a node with the skipped bits. */
function skipBits(name, stream, nodes) {
  if (stream.spare) {
    nodes.push(new Node(null, `padding_before_${name}`, stream.at, stream.at + stream.bitsLeft, stream.spare, false));
  }
  stream.bitsLeft = 0;
}

function readSingle(each, stream, frame, nodes) {
  const { name, valid } = each;
  const node = readElement(each, stream, frame, name);
  nodes.push(node);
  const value = node[FRAME] ?? (node.broken ? UNREAD : node.value);
  if (each.seen) frame.set(name, value);
  if (isLost(node)) throw new Abandoned();
  if (node[FRAME] !== null) node[FRAME] = null;
  if (valid !== null && !node.broken && !node.absent)
    valid.check(valid, each, frame, value, name, node.start, node.stop, node.lsb);
}

/** Marks a node after which the position of the next field is unknown. */
const LOST = Symbol("lost");

function isLost(node) {
  return node[FRAME] === null ? node.broken && node[LOST] === true : node[FRAME].lost;
}

/** Read one value. The node is marked as lost if the position after it is unknown. */
function readElement(each, stream, frame, label) {
  const { session } = frame;
  session.budget -= 1;
  const { pos, bits: startedBits, bitsLeft } = stream;
  let node;
  try {
    if (session.budget < 0) session.spend(1);
    node = each.type.read(stream, frame, label, each.decl);
  } catch (error) {
    const problem = error instanceof EvaluationError ? new Unreadable(kindOf(error), error.message) : error;
    if (!(problem instanceof Unreadable)) throw problem;
    stream.pos = pos;
    stream.bits = startedBits;
    stream.bitsLeft = bitsLeft;
    node = brokenNode(each, stream, frame, label, problem);
    node[LOST] = true;
    return node;
  }
  node.decl = each.decl;
  if (each.decl.lenient !== null && typeof node.value === "number" && node.value in each.decl.lenient) {
    node.kept = node.value;
    node.value = each.decl.lenient[node.kept];
  }
  return node;
}

/** Return a node with all remaining bytes, for a field that cannot be read, and report the reason. */
function brokenNode(each, stream, frame, label, problem) {
  const start = stream.bitsLeft ? stream.at - (8 - stream.bitsLeft) : stream.at;
  const node = new Node(each.decl, label, start, 0, stream.rest(), false);
  node.stop = stream.upto;
  node.broken = true;
  const outer = problem.kind === TRUNCATED ? outermost(frame) : null;
  if (outer !== null) {
    const size = Math.ceil(outer.record.bits / 8);
    const here = Math.floor((node.stop - outer.node.start) / 8);
    if (here < size) {
      const message = `${countBytes(size - here)} missing: ${outer.record.name} takes ${size} bytes, and there are ${here}`;
      outer.report(TRUNCATED, message, node.stop, node.stop);
      return node;
    }
  }
  const cut = problem.kind === TRUNCATED;
  const message = cut ? `${countBytes(problem.missing)} missing: ${problem.message}` : problem.message;
  // What is wrong is where the data end, not the data that are there.
  frame.report(problem.kind, message, cut ? node.stop : node.start, node.stop, labelOf(each.decl, label), node.lsb);
  return node;
}

/** Return the outermost record of fixed size that contains a field; the file itself is not considered. */
function outermost(frame) {
  let found = null;
  for (let here = frame; here?.owner && here.record.bits !== null && here.io === frame.io; here = here.owner)
    found = here;
  return found;
}

function countBytes(count) {
  return count == 1 ? "1 byte is" : `${count} bytes are`;
}

/** Return the number of elements of an array. */
function countOf(each, stream, frame) {
  const count = each.repeat.test(frame);
  const known = typeof count === "boolean" || typeof count === "bigint" || Number.isInteger(count);
  if (!known || count < 0) throw new Unreadable(BAD_SIZE, `a count cannot be ${toText(count)}`);
  if (count > stream.leftBits + 65536) {
    const here = Math.floor(stream.leftBits / 8);
    throw new Unreadable(TRUNCATED, `${count} elements are needed, and there are ${here} bytes`, count);
  }
  return Number(count);
}

/** Read an array of unsigned integers of fixed width in one step. */
function readCells(each, stream, frame, nodes) {
  const { name, type, valid } = each;
  const count = countOf(each, stream, frame);
  const room = type.aligned ? stream.end - stream.pos : Math.floor(stream.leftBits / type.bits);
  const here = Math.min(count, room);
  const at = stream.at;
  let rest = null;
  if (here < count) {
    const { pos, bits: startedBits, bitsLeft } = stream;
    const missing = Math.floor((count * type.bits - stream.leftBits + 7) / 8);
    const message = `${count} elements of ${type.bits} bits are needed, and there are ${here}`;
    rest = brokenNode(each, stream, frame, name, new Unreadable(TRUNCATED, message, missing));
    stream.pos = pos;
    stream.bits = startedBits;
    stream.bitsLeft = bitsLeft;
  }
  const values = type.aligned ? numbers(stream.read(here)) : unpack(stream, here, type.bits, type.little);
  frame.session.spend(1 + Math.floor(here / 64));
  const node = new Node(each.decl, name, at, stream.upto, null, type.little === true);
  node.values = values;
  nodes.push(node);
  if (each.seen) frame.set(name, values);
  if (each.place !== null) frame.places.get(name).alike(here, type.bits);
  if (valid !== null) valid.checkCells(valid, each, frame, node);
  if (rest === null) return;
  node.value = rest.value;
  node.stop = rest.stop;
  node.broken = true;
  stream.goTo(stream.end);
  throw new Abandoned();
}

/** Return bytes as a list of numbers; a loop takes a tenth of the time of an iterator. */
function numbers(data) {
  const values = new Array(data.length);
  for (let index = 0; index < data.length; index++) values[index] = data[index];
  return values;
}

/** Read so many integers of so many bits each. */
function unpack(stream, count, width, little) {
  const values = new Array(count);
  if (stream.bitsLeft === 0 && 8 % width === 0 && (count * width) % 8 === 0) {
    const { data } = stream;
    const mask = (1 << width) - 1;
    for (let index = 0; index < count;) {
      const byte = data[stream.pos++];
      for (let shift = 0; shift < 8; shift += width)
        values[index++] = (byte >> (little ? shift : 8 - width - shift)) & mask;
    }
    return values;
  }
  for (let index = 0; index < count; index++) values[index] = stream.readBits(width, little);
  return values;
}

/** Read an array of any elements. */
function readList(each, stream, frame, nodes) {
  const { name, end } = each;
  const { kind } = each.repeat;
  const array = new Node(each.decl, name, stream.at, stream.upto, null, false);
  const values = each.seen ? [] : null;
  array.parts = [];
  nodes.push(array);
  if (each.seen) frame.set(name, values);
  const count = kind === "count" ? countOf(each, stream, frame) : -1;
  const outer = frame.ordinal === null;
  const above = frame.index;
  let lost;
  try {
    lost = readElements(each, stream, frame, count, array.parts, values, outer);
  } finally {
    if (array.parts.length) array.start = array.parts[0].start;
    array.stop = stream.upto;
    frame.index = above;
    if (outer) frame.ordinal = null;
  }
  if (lost && kind !== "end") throw new Abandoned();
  if (end !== null && !lost) end.read(each, stream, frame, nodes);
}

/** Read elements until the list ends. Return whether it ends because the position of the next element is unknown. */
function readElements(each, stream, frame, count, items, values, outer) {
  const { name, repeat, valid, end } = each;
  const place = each.place === null ? null : frame.places.get(name);
  let idle = 0;
  for (let ordinal = 0; repeat.kind === "end" ? !stream.eof : ordinal !== count; ordinal++) {
    if (end !== null && end.stands(end, stream)) break;
    if (outer) frame.ordinal = ordinal;
    frame.index = ordinal;
    const { leftBits, pos } = stream;
    const begun = stream.here;
    const node = readElement(each, stream, frame, ordinal);
    if (place !== null) place.items.push([begun, stream.here]);
    node.name = String(ordinal);
    items.push(node);
    const value = node[FRAME] ?? (node.broken ? UNREAD : node.value);
    if (values !== null) values.push(value);
    const lost = isLost(node);
    if (node[FRAME] !== null) node[FRAME] = null;
    if (lost) {
      if (!resume(each, stream, pos)) return true;
      trim(node, stream);
    } else if (valid !== null && !node.broken && !node.absent) {
      valid.check(valid, each, frame, value, ordinal, node.start, node.stop, node.lsb);
    }
    idle = stream.leftBits === leftBits ? idle + 1 : 0;
    if (idle > MAX_IDLE) {
      frame.report(TOO_DEEP, `${name} repeats without reading anything`, node.start, stream.upto, name);
      return true;
    }
    if (repeat.kind === "until" && value !== UNREAD) {
      try {
        if (repeat.done(repeat.test, frame, value)) break;
      } catch (error) {
        const problem = error instanceof EvaluationError ? new Unreadable(kindOf(error), error.message) : error;
        if (!(problem instanceof Unreadable)) throw problem;
        items.push(brokenNode(each, stream, frame, String(ordinal + 1), problem));
        return true;
      }
    }
  }
  return false;
}

/** Whether a condition is true in which `_` is a value. */
function holdsOf(condition, frame, value) {
  const outer = frame.it;
  frame.it = value;
  try {
    return truth(condition(frame));
  } finally {
    frame.it = outer;
  }
}

/** Move after a broken element of fixed size. Return false if it has none, or the data end before. */
function resume(each, stream, start) {
  const size = (each.type.bits ?? 0) / 8;
  if (!size || !Number.isInteger(size) || start + size > stream.end) return false;
  stream.goTo(start + size);
  return true;
}

/** Shorten a node that took all remaining bytes, so that it ends at the stream's present position. */
function trim(node, stream) {
  const stop = stream.upto;
  for (;;) {
    const excess = Math.floor((node.stop - stop) / 8);
    node.stop = Math.min(node.stop, stop);
    if (node.parts?.length) {
      node = node.parts[node.parts.length - 1];
      continue;
    }
    const raw = node.value;
    if (!node.values?.length && raw instanceof Uint8Array && excess > 0 && excess <= raw.length) {
      node.value = raw.subarray(0, raw.length - excess);
    }
    return;
  }
}

/** Whether the next bits are those of the null record that ends the list. */
function atEnd(end, stream) {
  if (stream.leftBits < end.bits) return false;
  for (let bit = 0; bit < end.bits; bit += 8) {
    const mask = end.bits - bit >= 8 ? 255 : (1 << (end.bits - bit)) - 1;
    if (stream.data[stream.pos + bit / 8] & mask) return false;
  }
  return true;
}

/** Read the record that ends a list, and the bytes after it. */
function readEnd(each, stream, frame, nodes) {
  const { end, type, repeat } = each;
  if (stream.eof || !atEnd(end, stream)) return;
  const full = Math.floor((type.bits ?? end.bits) / 8);
  const left = stream.end - stream.pos;
  const size = left >= full ? full : Math.min(left, end.short || Math.ceil(end.bits / 8));
  const at = stream.at;
  nodes.push(new Node(null, "end", at, at + 8 * size, stream.read(size), false));
  if (repeat.kind !== "end" || stream.eof) return;
  const after = stream.at;
  const rest = stream.rest();
  nodes.push(new Node(null, "after_end", after, stream.upto, rest, false));
  const noun = rest.length === 1 ? "1 byte is left" : `${rest.length} bytes are left`;
  frame.report(AFTER_END, `${noun} after the record that ends the list`, after, stream.upto);
}
