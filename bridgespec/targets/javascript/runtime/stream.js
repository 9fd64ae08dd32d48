/** Thrown for a field that cannot be read, with the kind of finding, the message and the number of missing bytes. */
class Unreadable {
  constructor(kind, message, missing = 0) {
    this.kind = kind;
    this.message = message;
    this.missing = missing;
  }
}

/** Thrown where the position of the fields after a broken one is unknown; the broken field has been reported. */
class Abandoned {}

const TRUNCATED = { code: "truncated", severity: "error" };
const TRAILING = { code: "trailing-bytes", severity: "warning" };
const CONTENTS = { code: "bad-contents", severity: "error" };
const INVALID = { code: "invalid-value", severity: "error" };
const BAD_SIZE = { code: "bad-size", severity: "error" };
const BAD_ENCODING = { code: "bad-encoding", severity: "error" };
const NO_TERMINATOR = { code: "missing-terminator", severity: "error" };
const NO_CASE = { code: "switch-without-case", severity: "warning" };
const EXPRESSION = { code: "expression-error", severity: "error" };
const AFTER_END = { code: "data-after-end", severity: "warning" };
const TOO_DEEP = { code: "too-deep", severity: "error" };
const DERIVED = { code: "derived-mismatch", severity: "error" };

/** The kind of an error that only follows from an unreadable field; no finding is made of it. */
const FOLLOWS = { code: "", severity: "note" };

/** Return the kind of finding for an error in a field or an expression. */
function kindOf(error) {
  if (error instanceof Unreadable) return error.kind;
  return error.unread ? FOLLOWS : EXPRESSION;
}

/** Return a message about the number of bytes or bits that are needed, and the number that are there. */
function shortage(wanted, here, noun = "byte") {
  const need = wanted == 1 ? `1 ${noun} is needed` : `${wanted} ${noun}s are needed`;
  return `${need}, and there ${here === 0 ? "is none" : here === 1 ? "is 1" : `are ${here}`}`;
}

/** Return an integer as a number if that is exact, else as a BigInt. */
function whole(value) {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

/** A range of bytes to read; `base` is the byte position of `data[0]` in the file. */
class Source {
  constructor(data, start, end, base) {
    this.data = data;
    this.start = start;
    this.end = end;
    this.base = base;
    this.pos = start;
    this.bits = 0;
    this.bitsLeft = 0;
    this.viewed = null;
  }

  /** A view of the data for numbers of several bytes. */
  get view() {
    this.viewed ??= new DataView(this.data.buffer, this.data.byteOffset, this.data.byteLength);
    return this.viewed;
  }

  /** Return whole bytes from the next byte boundary. */
  read(count) {
    this.bitsLeft = 0;
    this.need(count);
    this.pos += count;
    return this.data.subarray(this.pos - count, this.pos);
  }

  need(count) {
    if (this.pos + count <= this.end) return;
    const here = this.end - this.pos;
    throw new Unreadable(TRUNCATED, shortage(count, here), count - here);
  }

  /** Return the next bits as an integer, from the low or the high end of each byte. */
  readBits(count, little) {
    if (!this.bitsLeft) this.bits = 0;
    const needed = count - this.bitsLeft;
    if (needed <= 0) {
      this.bitsLeft = -needed;
      const all = this.bits;
      this.bits = little ? all >> count : all & ((1 << -needed) - 1);
      return little ? all & ((1 << count) - 1) : all >> -needed;
    }
    const size = (needed + 7) >> 3;
    const stop = this.pos + size;
    if (stop > this.end) throw new Unreadable(TRUNCATED, shortage(count, this.leftBits, "bit"), stop - this.end);
    const spare = 8 * size - needed;
    const value =
      count <= 40 ? this.assemble(size, spare, needed, count, little) : this.assembleLarge(size, spare, count, little);
    this.bitsLeft = spare;
    return value;
  }

  /** Return up to 40 bits as a number: with those of a partly read byte they stay below 2^53. */
  assemble(size, spare, needed, count, little) {
    let chunk = 0;
    if (little) {
      for (let at = this.pos + size - 1; at >= this.pos; at--) chunk = chunk * 256 + this.data[at];
      this.pos += size;
      const value = (chunk * (1 << this.bitsLeft) + this.bits) % 2 ** count;
      this.bits = Math.floor(chunk / 2 ** needed);
      return value;
    }
    for (let left = size; left; left--) chunk = chunk * 256 + this.data[this.pos++];
    const value = Math.floor(chunk / (1 << spare)) + this.bits * 2 ** needed;
    this.bits = chunk % (1 << spare);
    return value;
  }

  assembleLarge(size, spare, count, little) {
    const bytes = Array.from(this.data.subarray(this.pos, this.pos + size), BigInt);
    this.pos += size;
    const chunk = (little ? bytes.reverse() : bytes).reduce((sum, byte) => sum * 256n + byte, 0n);
    const before = BigInt(this.bits);
    const needed = BigInt(count - this.bitsLeft);
    if (little) {
      this.bits = Number(chunk >> needed);
      return whole(((chunk << BigInt(this.bitsLeft)) | before) & ((1n << BigInt(count)) - 1n));
    }
    this.bits = Number(chunk & ((1n << BigInt(spare)) - 1n));
    return whole((chunk >> BigInt(spare)) | (before << needed));
  }

  get leftBits() {
    return 8 * (this.end - this.pos) + this.bitsLeft;
  }

  /** The present position in the file, in bits, as the start of a range. */
  get at() {
    return 8 * (this.base + this.pos) - this.bitsLeft;
  }

  /** The present position in the file, in bits, as the end of a range. */
  get upto() {
    return this.at;
  }

  /** Return the position in the file, in bits, of `data[position]`. */
  bitOf(position) {
    return 8 * (this.base + position);
  }

  /** Return the position in the file, in bits, of the end of a range; `position` is the index in `data` of the byte after it. */
  stopOf(position) {
    return 8 * (this.base + position);
  }

  /** Return a part of the same data as a stream of its own. */
  within(start, end) {
    return new Source(this.data, start, end, this.base);
  }

  /** The position in this stream, in bits. */
  get here() {
    return 8 * (this.pos - this.start) - this.bitsLeft;
  }

  /** Return the bytes of this stream that contain these bits. */
  bytesBetween(start, stop) {
    return this.data.subarray(this.start + Math.floor(start / 8), this.start + Math.ceil(stop / 8));
  }

  get eof() {
    return this.pos >= this.end && this.bitsLeft === 0;
  }

  get size() {
    return this.end - this.start;
  }

  /** Return the unread bits of the partly read byte as an integer. */
  get spare() {
    return this.bitsLeft ? this.bits : 0;
  }

  /** Return the bytes that `rest` would return, without moving; empty if nothing but unread zero bits of one byte is left. */
  tail() {
    if (this.pos >= this.end && !this.spare) return this.data.subarray(0, 0);
    return this.data.subarray(this.bitsLeft ? this.pos - 1 : this.pos, this.end);
  }

  /** Return all remaining bytes, the partly read one included, and move to the end of the stream. */
  rest() {
    const start = this.bitsLeft ? this.pos - 1 : this.pos;
    this.goTo(this.end);
    return this.data.subarray(start, this.end);
  }

  goTo(position) {
    this.bitsLeft = 0;
    this.pos = position;
  }

  scopeAttribute(name) {
    if (name === "pos") return this.pos - this.start;
    if (name === "size" || name === "eof") return this[name];
    throw new EvaluationError(`a stream has no '${name}'`);
  }
}
