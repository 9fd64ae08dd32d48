/** An integer of whole bytes; without a byte order it has that of the record. */
function integer(size, signed, order = null) {
  const get = size === 8 ? `getBig${signed ? "Int" : "Uint"}64` : null;
  const top = 2 ** (8 * size - 1);
  const read = (stream, little) => {
    const { data, pos } = stream;
    if (size === 1) return signed && data[pos] > 127 ? data[pos] - 256 : data[pos];
    if (get !== null) return whole(stream.view[get](pos, little));
    let value = 0;
    for (let at = 0; at < size; at++) value = value * 256 + data[little ? pos + size - 1 - at : pos + at];
    return signed && value >= top ? value - 2 * top : value;
  };
  const name = `${signed ? "s" : "u"}${size}${size > 1 ? (order ?? "") : ""}`;
  return {
    ...numberType(name, size, size === 1 ? "le" : order, read),
    writeTo(value, sink, frame, label, decl) {
      const stored = value instanceof Kept && typeName(value.raw) === "int" ? value.raw : unkept(value);
      const most = 2n ** BigInt(8 * size - Number(signed)) - 1n;
      const least = signed ? -most - 1n : 0n;
      if (!isNumber(stored) || !isWhole(stored) || stored < least || stored > most) {
        const message = `${repr(stored)} is not an integer from ${least} to ${most}`;
        throw new CannotWrite(message, frame.path(labelOf(decl, label)));
      }
      const data = new Uint8Array(size);
      const little = isLittle(order ?? (size === 1 ? "le" : null), frame);
      let left = BigInt(stored);
      for (let at = 0; at < size; at++, left >>= 8n) data[little ? at : size - 1 - at] = Number(left & 255n);
      sink.write(data);
      return unkept(value);
    },
  };
}

/** A floating-point number of four or eight bytes. */
function float(size, order = null) {
  const read = (stream, little) => stream.view[`getFloat${8 * size}`](stream.pos, little);
  return {
    ...numberType(`f${size}${order ?? ""}`, size, order, read),
    writeTo(given, sink, frame, label, decl) {
      const value = unkept(given);
      if (writeKept(given, "float", sink)) return value;
      const where = frame.path(labelOf(decl, label));
      if (!isNumber(value)) throw new CannotWrite(`${repr(value)} is not a number`, where);
      const view = new DataView(new ArrayBuffer(size));
      view[`setFloat${8 * size}`](0, Number(value), isLittle(order, frame));
      const kept = view[`getFloat${8 * size}`](0, isLittle(order, frame));
      if (!Number.isFinite(kept) && (typeof value !== "number" || Number.isFinite(value)))
        throw new CannotWrite(`${repr(value)} does not fit into ${size} bytes`, where);
      sink.write(new Uint8Array(view.buffer));
      return Number(value);
    },
  };
}

/** Whether the low byte comes first, by a byte order or, without one, by that of the record. */
function isLittle(order, frame) {
  const little = order === null ? frame.little : order === "le";
  if (little !== null) return little;
  throw new Unreadable(EXPRESSION, "the byte order is undecided: no case of the endian switch applies");
}

function numberType(name, size, order, read) {
  return {
    name,
    bits: 8 * size,
    aligned: true,
    read(stream, frame, label) {
      const little = isLittle(order, frame);
      stream.bitsLeft = 0;
      stream.need(size);
      const start = stream.at;
      const value = read(stream, little);
      stream.pos += size;
      const node = new Node(null, label, start, stream.upto, value, false);
      if (value !== value) node.kept = stream.data.subarray(stream.pos - size, stream.pos);
      return node;
    },
  };
}

/** An integer of some bits, counted from the low ("le") or the high end of each byte. */
function bits(count, order) {
  return bitField(count, order, false);
}

/** One bit that is true or false. */
function flag(order) {
  return bitField(1, order, true);
}

function bitField(count, order, boolean) {
  const little = order === "le";
  return {
    name: `b${count}${order}`,
    bits: count,
    aligned: false,
    little,
    boolean,
    read(stream, frame, label) {
      const start = stream.at;
      const value = stream.readBits(count, little);
      return new Node(null, label, start, stream.upto, boolean ? value === 1 : value, little);
    },
    writeTo(value, sink, frame, label, decl) {
      const stored = value instanceof Kept && typeName(value.raw) === "int" ? value.raw : unkept(value);
      if (!isNumber(stored) || !isWhole(stored) || stored < 0 || stored >= 2n ** BigInt(count))
        throw new CannotWrite(`${repr(stored)} does not fit into ${count} bits`, frame.path(labelOf(decl, label)));
      sink.writeBits(stored, count, little);
      return unkept(value);
    },
  };
}

/** Bytes that are the same in every file. */
function contents(...wanted) {
  return {
    name: "bytes",
    bits: 8 * wanted.length,
    aligned: true,
    read(stream, frame, label, decl) {
      stream.bitsLeft = 0;
      const at = stream.at;
      const value = stream.read(wanted.length);
      const node = new Node(null, label, at, stream.upto, value, false);
      if (sameBytes(value, wanted)) return node;
      if (decl.lenient && value.every((byte, index) => translated(decl, byte) === wanted[index])) {
        node.value = Uint8Array.from(wanted);
        node.kept = value;
        return node;
      }
      const message = `these bytes should be ${shownBytes(wanted)}, they are ${shownBytes(value)}`;
      frame.report(named(CONTENTS, decl), message, node.start, node.stop, labelOf(decl, label));
      return node;
    },
    blankValue() {
      return Uint8Array.from(wanted);
    },
    writeTo(given, sink, frame, label, decl) {
      const value = byteValue(given, frame.path(labelOf(decl, label)));
      if (!writeKept(given, "bytes", sink)) sink.write(value);
      return value;
    },
  };
}

function shownBytes(data) {
  const head = data.slice(0, 16);
  const text = hex(head) + (data.length > 16 ? " ..." : "");
  return head.length && head.every((byte) => byte >= 32 && byte < 127)
    ? `${text} (${quote(String.fromCharCode(...head))})`
    : text;
}

/** Return the byte as which a byte of a file is read. */
function translated(decl, byte) {
  return decl.lenient?.[byte] ?? byte;
}

/**
 * The extent of bytes, of a text or of a record with its own stream: a `size`, to the `end` of the data, or to a `terminator`,
 * which belongs to the value where `include` is true and is read again as the next field where `consume` is false; `pad` is the
 * padding on the right.
 */
function extent(given) {
  const {
    size = null,
    toEnd = false,
    terminator = null,
    include = false,
    consume = true,
    needed = true,
    pad = null,
  } = given;
  return {
    size: size === null ? null : lazily(size),
    bits: typeof size === "number" ? 8 * size : null,
    strips: terminator !== null || pad !== null,
    toEnd,
    terminator,
    include,
    consume,
    needed,
    pad,
  };
}

/** Find the content of a field, and move the stream past the field. */
function locate(range, stream, frame, decl) {
  stream.bitsLeft = 0;
  const start = stream.pos;
  let end = stream.end;
  if (range.size !== null) {
    const count = range.size(frame);
    if (!Number.isInteger(Number(count)) || count === null || typeof count === "string" || count < 0) {
      const reason =
        count === null ? "the size comes from a field that is absent" : `a size cannot be ${toText(count)}`;
      throw new Unreadable(BAD_SIZE, reason);
    }
    end = start + Number(count);
    if (end > stream.end) throw new Unreadable(TRUNCATED, shortage(count, stream.end - start), end - stream.end);
  } else if (!range.toEnd) {
    return terminated(range, stream, start, decl);
  }
  stream.pos = end;
  return { start, stop: contentEnd(range, stream.data, start, end, decl), whole: end };
}

function contentEnd(range, data, start, end, decl) {
  const { terminator, pad } = range;
  let stop = end;
  if (pad !== null && !(terminator?.length === 1 && terminator[0] === pad)) {
    while (stop > start && translated(decl, data[stop - 1]) === pad) stop -= 1;
  }
  if (terminator !== null) {
    const found = findTerminator(data, terminator, start, stop, decl);
    if (found >= 0) stop = found + (range.include ? terminator.length : 0);
  }
  return stop;
}

function terminated(range, stream, start, decl) {
  const terminator = range.terminator ?? [0];
  const found = findTerminator(stream.data, terminator, start, stream.end, decl);
  if (found < 0) {
    if (range.needed) {
      throw new Unreadable(NO_TERMINATOR, `no terminator ${hex(terminator)} stands before the end of the data`);
    }
    stream.pos = stream.end;
    return { start, stop: stream.end, whole: stream.end };
  }
  const after = found + terminator.length;
  stream.pos = range.consume ? after : found;
  return { start, stop: range.include ? after : found, whole: stream.pos };
}

/** Return the first offset of a terminator that is a multiple of its length after `start`; -1 without one. */
function findTerminator(data, terminator, start, end, decl) {
  for (let at = start; at + terminator.length <= end; at += terminator.length) {
    if (terminator.every((byte, index) => translated(decl, data[at + index]) === byte)) return at;
  }
  return -1;
}

/** Return the bytes of a field: content, terminator and padding; the reason, as a string, for content of another size. */
function wrapped(range, content, size, room = null) {
  const { terminator, pad, include, consume, needed, toEnd, strips } = range;
  if (size === null && !toEnd && terminator !== null) {
    if (!include) return consume && (needed || room === null || content.length < room) ? [...content, ...terminator] : content;
    const ends = terminator.every((byte, index) => content[content.length - terminator.length + index] === byte);
    return consume || !ends ? content : content.subarray(0, content.length - terminator.length);
  }
  if (size === null) return content;
  if (content.length > size) return `${content.length} bytes do not fit into ${size}`;
  const out = [...content];
  if (terminator !== null && !include && out.length < size) out.push(...terminator);
  if (out.length < size && !strips) return `${size} bytes are wanted, ${out.length} are given`;
  while (out.length < size) out.push(pad ?? 0);
  return out.slice(0, size);
}

/** Whether a writer would make the same bytes of a content, with its terminator and padding. */
function spelledSo(range, content, stored) {
  const out = wrapped(range, content, range.size === null ? null : stored.length);
  return typeof out !== "string" && sameBytes(out, stored);
}

/** A byte array. */
function byteArray(given, process = null) {
  const range = extent(given);
  return {
    name: "bytes",
    bits: range.bits,
    aligned: true,
    read(stream, frame, label, decl) {
      stream.bitsLeft = 0;
      const at = stream.at;
      const found = locate(range, stream, frame, {});
      const raw = stream.data.subarray(found.start, found.stop);
      let value = decl.lenient ? raw.map((byte) => translated(decl, byte)) : raw;
      if (process !== null) value = process.decode(value, frame);
      const node = new Node(null, label, at, stream.upto, value, false);
      if (process !== null) process.keep(node, range, stream.data.subarray(found.start, found.whole), frame);
      else if (decl.lenient || range.strips)
        keepSpelling(node, range, value, stream.data.subarray(found.start, found.whole));
      return node;
    },
    blankValue(kind) {
      return kind === null && range.bits === null ? new Uint8Array(0) : undefined;
    },
    writeTo(given, sink, frame, label, decl) {
      const where = frame.path(labelOf(decl, label));
      const value = byteValue(given, where);
      if (writeKept(given, "bytes", sink)) return value;
      const space = spaceOf(range, frame, sink);
      const stored = process === null ? value : sink.ahead(space[0] ?? value.length, () => process.toStored(value, frame));
      writeContent(range, stored, space, sink, where);
      return value;
    },
  };
}

function keepSpelling(node, range, content, stored) {
  if (!spelledSo(range, content, stored)) node.kept = stored;
}

/** Text of an encoding. */
function textOf(encoding, given) {
  const range = extent(given);
  return {
    name: "str",
    bits: range.bits,
    aligned: true,
    read(stream, frame, label, decl) {
      stream.bitsLeft = 0;
      const at = stream.at;
      const found = locate(range, stream, frame, decl);
      const { data } = stream;
      const { start, stop } = found;
      const content = decl.lenient ? data.slice(start, stop).map((byte) => translated(decl, byte)) : null;
      const node = new Node(null, label, at, stream.upto, null, false);
      try {
        node.value = content ? encoding.decode(content, 0, content.length) : encoding.decode(data, start, stop);
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        const [from, to] = error.bytes?.map((byte) => at + 8 * byte) ?? [node.start, node.stop];
        frame.report(named(BAD_ENCODING, decl), error.message, from, to, labelOf(decl, label));
        node.broken = true;
        node.value = data.subarray(start, found.whole);
        return node;
      }
      if (range.strips || content) {
        keepSpelling(node, range, content ?? data.subarray(start, stop), data.subarray(start, found.whole));
      }
      return node;
    },
    blankValue(kind) {
      return kind === null && range.bits === null ? "" : undefined;
    },
    writeTo(value, sink, frame, label, decl) {
      const text = unkept(value);
      if (writeKept(value, "str", sink)) return text;
      const where = frame.path(labelOf(decl, label));
      if (typeof text !== "string") throw new CannotWrite(`text is wanted, not ${shown(text)}`, where);
      let data = encodedText(encoding, text, where);
      const space = spaceOf(range, frame, sink);
      const { padLeft = null } = given;
      if (padLeft !== null && data.length < space[0])
        data = joined(encoding.toEncoded(padLeft.repeat(space[0] - data.length)), data);
      writeContent(range, data, space, sink, where);
      return text;
    },
  };
}

/**
 * A record type as the type of a field: `args` are evaluated in the record of the field, `parent` is `_parent` inside.
 */
function use(declared, { bits: width = null, args = [], parent } = {}) {
  const given = args.map(lazily);
  return {
    get name() {
      return declared().name;
    },
    bits: width,
    aligned: true,
    read(stream, frame, label, decl) {
      return readFields(enter(declared(), stream, frame, decl, label, given, parent), label);
    },
    blankValue(kind) {
      return kind === "until" ? undefined : {};
    },
    enterFrame(stream, frame, decl, label) {
      return enter(declared(), stream, frame, decl, label, given, parent);
    },
    writeTo(value, sink, frame, label, decl) {
      const record = recordValue(value, declared(), frame.path(labelOf(decl, label)));
      const inner = this.enterFrame(sink, frame, decl, label);
      inner.plain = record;
      writeFields(inner, sink);
      frame.lost ||= inner.lost;
      return inner;
    },
  };
}

/** A record type as the type of a field, read from a stream of its own with the extent `limits`. */
function useWithin(limits, declared, { args = [], parent, process = null } = {}) {
  const range = extent(limits);
  const given = args.map(lazily);
  return {
    get name() {
      return declared().name;
    },
    bits: range.bits,
    aligned: true,
    read(stream, frame, label, decl) {
      const [start, at] = [stream.pos, stream.at];
      const found = locate(range, stream, frame, {});
      const window = opened(stream, found, frame, at, process);
      const inner = enter(declared(), window, frame, decl, label, given, parent);
      const node = readFields(inner, label);
      inner.lost = false;
      const rest = window.tail();
      if (rest.length) {
        const first = window.bitOf(window.end - rest.length);
        node.parts.push(new Node(null, "trailing", first, window.stopOf(window.end), rest, false));
      }
      node.start = at;
      node.stop = stream.upto;
      if (range.strips || process !== null) node.kept = stream.data.subarray(start, found.whole);
      return node;
    },
    blankValue(kind) {
      return kind === "until" ? undefined : {};
    },
    enterFrame(stream, frame, decl, label) {
      return enter(declared(), stream, frame, decl, label, given, parent);
    },
    writeTo(value, sink, frame, label, decl) {
      const where = frame.path(labelOf(decl, label));
      const record = recordValue(value, declared(), where);
      const space = spaceOf(range, frame, sink);
      const [size] = space;
      const window = new Sink(process === null ? size : null, sink.taken !== null, sink.loose);
      const inner = this.enterFrame(window, frame, decl, label);
      inner.plain = record;
      writeFields(inner, window);
      let content = window.finish();
      const kept = value instanceof Kept ? contentOf(value.raw, range, process, frame) : null;
      if (kept !== null && sameBytes(kept, content)) {
        sink.write(value.raw);
        return inner;
      }
      if (process !== null) content = sink.ahead(size ?? content.length, () => process.toStored(content, frame));
      if (size !== null && !range.strips && content.length < size) {
        const filled = new Uint8Array(size);
        filled.set(content);
        content = filled;
      }
      writeContent(range, content, space, sink, where, process === null ? window.taken : null);
      return inner;
    },
  };
}

/** Return the stream of a record with a stream of its own. */
function opened(stream, found, frame, at, process) {
  return process === null ? stream.within(found.start, found.stop) : process.open(stream, found, frame, at);
}

/** Return a frame for a record that is about to be read. */
function enter(declared, stream, owner, decl, label, args, parent) {
  const frame = new owner.constructor(declared, owner.session, stream, owner, decl, label);
  if (frame.depth > MAX_DEPTH) throw new Unreadable(TOO_DEEP, `records are nested deeper than ${MAX_DEPTH} levels`);
  for (let index = 0; index < args.length; index++) frame.set(declared.params[index], args[index](owner));
  if (parent !== undefined) frame.parent = lazily(parent)(owner);
  return frame;
}

/** Return the leaf at a path below a record, with the record that contains it; null without one. */
function fieldAt(record, by) {
  const names = [...by];
  let frame = record;
  while (names[0] === "_parent" || names[0] === "_root") frame = names.shift() === "_root" ? frame?.root : frame?.parent;
  let node = names.length ? frame?.node : null;
  for (const name of names) node = node?.parts?.findLast((one) => one.name === name);
  return !node || node.absent || node.broken || node.parts || node.values ? null : [frame, node, names.join(".")];
}

/**
 * A type that a value selects: pairs of a value and a type, then the type of all other values, and the codes of the value's enum. A
 * value without a case that is none of these codes is reported, at the field that has the value.
 */
function choose(on, cases, otherwise = null, codes = null, by = []) {
  const select = lazily(on);
  const tests = cases.map(([value, type]) => [lazily(value), type]);
  const chosen = (frame) => {
    const value = select(frame);
    const found = tests.find(([test]) => equal(test(frame), value));
    return [value, found?.[1] ?? otherwise, found];
  };
  return {
    name: "switch",
    bits: null,
    aligned: true,
    read(stream, frame, label, decl) {
      const [value, type, found] = chosen(frame);
      let node;
      if (type === null) {
        node = new Node(null, label, stream.at, stream.upto, null, false);
        node.absent = true;
      } else {
        node = type.read(stream, frame, label, decl);
      }
      const known = codes === null ? type !== null : codes.some((code) => equal(code, value));
      if (found === undefined && !known) {
        const [at, one, path] = fieldAt(frame, by) ?? [frame, node, labelOf(decl, label)];
        at.report(NO_CASE, `no layout is known for ${spell(value)}`, one.start, one.stop, path, one.lsb);
      }
      return node;
    },
    blankValue(kind, frame) {
      return kind === null && chosen(frame)[1] === null ? null : undefined;
    },
    enterFrame(stream, frame, decl, label) {
      return chosen(frame)[1]?.enterFrame?.(stream, frame, decl, label) ?? null;
    },
    writeTo(given, sink, frame, label, decl) {
      const [value, type] = chosen(frame);
      if (type !== null) return type.writeTo(given, sink, frame, label, decl);
      throw new CannotWrite(`no layout is known for ${shown(value)}`, frame.path(labelOf(decl, label)));
    },
  };
}

/** A byte order that a value selects: pairs of a value and "le" or "be", then the order of all other values. */
function orderBy(on, cases, otherwise = null) {
  return (frame) => {
    const value = on(frame);
    const [, order] = cases.find(([test]) => equal(lazily(test)(frame), value)) ?? [null, otherwise];
    return order === null ? null : order === "le";
  };
}
