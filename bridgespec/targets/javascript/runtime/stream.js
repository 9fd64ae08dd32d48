/** A field cannot be read: which kind of finding, why, and how many bytes are missing where some are. */
class Unreadable {
  constructor(kind, message, missing = 0) {
    this.kind = kind;
    this.message = message;
    this.missing = missing;
  }
}

/** What follows a field that could not be read cannot be found; the problem itself is reported already. */
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

/** In place of a code: what fails only because a field could not be read is no finding of its own. */
const FOLLOWS = { code: "", severity: "note" };

/** The kind of finding of a field or an expression that failed. */
function kindOf(error) {
  if (error instanceof Unreadable) return error.kind;
  return error.unread ? FOLLOWS : EXPRESSION;
}

/** How much is needed and how much is there. */
function shortage(wanted, here, noun = "byte") {
  const need = wanted == 1 ? `1 ${noun} is needed` : `${wanted} ${noun}s are needed`;
  return `${need}, and there ${here === 0 ? "is none" : here === 1 ? "is 1" : `are ${here}`}`;
}

/** An integer as this module has it: a number as far as numbers are exact, a BigInt beyond. */
function whole(value) {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

/** A range of bytes that is read; `base` is the place of `data[0]` in the file. */
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

  /** The data as numbers of more than one byte. */
  get view() {
    this.viewed ??= new DataView(this.data.buffer, this.data.byteOffset, this.data.byteLength);
    return this.viewed;
  }

  /** Whole bytes from the next byte boundary. */
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

  /** The next bits, from the low or the high end of each byte. */
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

  /** Up to 40 bits: with those of a started byte they stay below 2^53. */
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

  /** The position in the file, in bits. */
  get at() {
    return 8 * (this.base + this.pos) - this.bitsLeft;
  }

  /** The same position, as the end of a range. */
  get upto() {
    return this.at;
  }

  /** The position in the file, in bits, of `data[position]`. */
  bitOf(position) {
    return 8 * (this.base + position);
  }

  /** The same for the end of a range. */
  stopOf(position) {
    return 8 * (this.base + position);
  }

  /** A part of the same data. */
  within(start, end) {
    return new Source(this.data, start, end, this.base);
  }

  /** The position in this stream, in bits. */
  get here() {
    return 8 * (this.pos - this.start) - this.bitsLeft;
  }

  /** The bytes that contain these bits of the stream. */
  bytesBetween(start, stop) {
    return this.data.subarray(this.start + Math.floor(start / 8), this.start + Math.ceil(stop / 8));
  }

  get eof() {
    return this.pos >= this.end && this.bitsLeft === 0;
  }

  get size() {
    return this.end - this.start;
  }

  /** The bits of a started byte that are not read. */
  get spare() {
    return this.bitsLeft ? this.bits : 0;
  }

  /** What `rest` would give, leaving the stream where it is; empty where only unused zero bits are left. */
  tail() {
    if (this.pos >= this.end && !this.spare) return this.data.subarray(0, 0);
    return this.data.subarray(this.bitsLeft ? this.pos - 1 : this.pos, this.end);
  }

  /** All bytes that are left, with the one that is partly read. */
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
