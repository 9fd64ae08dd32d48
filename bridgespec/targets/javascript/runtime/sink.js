/** A value that cannot be written; `field` is its path. */
class CannotWrite {
  constructor(message, field = "") {
    this.message = message;
    this.field = field;
  }
}

/** The size of a stream, or a place in it, was asked for before everything was written. */
class NotYetKnown extends EvaluationError {}

/**
 * Bytes that are written: `limit` is the size of a window where that is fixed, `mark` is where the last field ended. Where parts
 * have offsets, `taken` marks the bytes that belong to a part (`loose` bytes do not), `parts` are those at offsets, and `clash` is a
 * byte that two parts would write. `fromEnd` becomes true when an expression takes the size of a stream whose end is not fixed.
 */
class Sink {
  constructor(limit, placing, loose) {
    this.data = new Uint8Array(64);
    this.length = 0;
    this.pos = 0;
    this.limit = limit;
    this.bits = 0;
    this.low = 0;
    this.high = 8;
    this.closing = [];
    this.mark = null;
    this.taken = placing ? new Uint8Array(64) : null;
    this.loose = loose;
    this.parts = [];
    this.clash = null;
    this.open = false;
    this.fromEnd = false;
  }

  /** Write whole bytes at the next byte boundary, over those already there; `taken` marks those that belong to parts. */
  write(data, taken = null) {
    this.align();
    const stop = this.pos + data.length;
    if (stop > this.data.length) {
      const longer = (old) => {
        const grown = new Uint8Array(2 * stop);
        grown.set(old);
        return grown;
      };
      this.data = longer(this.data);
      if (this.taken !== null) this.taken = longer(this.taken);
    }
    if (this.taken !== null) this.take(data, taken);
    this.data.set(data, this.pos);
    this.pos = stop;
    this.length = Math.max(this.length, stop);
  }

  /**
   * Mark bytes that are about to be written, and a byte that differs from what a part has there.
   * @where placed
   */
  take(data, taken) {
    let clash = null;
    for (let index = 0, at = this.pos; index < data.length; index++, at++) {
      if (clash === null && at < this.length && this.taken[at] && this.data[at] !== data[index]) clash = at;
      if (!this.loose && (taken === null || taken[index])) this.taken[at] = 1;
    }
    this.clash = clash ?? this.clash;
  }

  /** Write the next bits, from the low or the high end of the rest of each byte. */
  writeBits(value, count, little) {
    if (typeof whole(value) === "bigint") {
      // halves that are exact as numbers
      const halves = [
        [value >> 32n, count - 32],
        [value & 0xffffffffn, 32],
      ];
      for (const [half, size] of little ? halves.reverse() : halves) this.writeBits(half, size, little);
      return;
    }
    for (let left = count, rest = Number(value); left;) {
      const size = Math.min(this.high - this.low, left);
      left -= size;
      const unit = 2 ** (little ? size : left);
      const part = little ? rest % unit : Math.floor(rest / unit);
      rest = little ? Math.floor(rest / unit) : rest % unit;
      if (!little) this.high -= size;
      this.bits |= part << (little ? this.low : this.high);
      if (little) this.low += size;
      if (this.low === this.high) this.align();
    }
  }

  get bitsUsed() {
    return 8 - this.high + this.low;
  }

  /** Complete a started byte with zero bits. */
  align() {
    if (!this.bitsUsed) return;
    const byte = this.bits;
    this.dropBits();
    this.write([byte]);
  }

  dropBits() {
    this.bits = 0;
    this.low = 0;
    this.high = 8;
  }

  seek(position) {
    this.align();
    this.pos = position;
  }

  /** Make expressions see the position so many bytes further on, as they would when reading. */
  ahead(count, evaluate) {
    this.pos += count;
    try {
      return evaluate();
    } finally {
      this.pos -= count;
    }
  }

  /** Everything written, with the parts that were put off to the end. */
  finish() {
    this.align();
    this.open = this.limit === null;
    this.limit ??= this.length;
    const end = this.mark ?? this.pos;
    while (this.closing.length) {
      this.pos = end;
      this.closing.shift()();
      this.align();
    }
    return this.data.subarray(0, this.length);
  }

  /** The position in bits. */
  get here() {
    return 8 * this.pos + this.bitsUsed;
  }

  /** The bytes that contain these bits. */
  bytesBetween(start, stop) {
    return this.data.subarray(Math.floor(start / 8), Math.min(this.length, Math.ceil(stop / 8)));
  }

  known(name) {
    if (this.limit === null) throw new NotYetKnown(`_io.${name} is not known before all is written`);
    return this.limit;
  }

  get size() {
    const size = this.known("size");
    this.fromEnd = this.open;
    return size;
  }

  get eof() {
    return this.pos >= this.known("eof");
  }

  scopeAttribute(name) {
    if (name === "pos") return this.pos + (this.bitsUsed ? 1 : 0);
    if (name === "size" || name === "eof") return this[name];
    throw new EvaluationError(`a stream has no '${name}'`);
  }
}
