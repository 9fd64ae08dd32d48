/** Thrown for a value that cannot be written; `field` is its path. */
class CannotWrite {
  constructor(message, field = "") {
    this.message = message;
    this.field = field;
  }
}

/** Thrown where an expression needs the size of a stream, or a position in it, before everything is written. */
class NotYetKnown extends EvaluationError {}

/**
 * A buffer of bytes to write: `limit` is the size of a window of fixed size, `mark` is where the last field ended. For formats with
 * offsets: `taken` marks bytes that belong to a part (`loose` bytes do not), `parts` are the ranges of parts at offsets, and
 * `clash` is the offset of a byte that two parts wrote differently. `fromEnd` becomes true when an expression uses the size of a
 * stream whose end is not fixed.
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

  /**
   * Overwrite bytes from the next byte boundary on; bytes that are set in `taken`, without it all, are marked as those of a part.
   */
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
   * Set `clash` if the bytes differ from taken bytes at their position, and mark them as taken unless they are loose.
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

  /** Write an integer of so many bits, from the low or the high end of each byte. */
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

  /** Write zero bits up to the next byte boundary. */
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

  /** Advance the position while expressions are evaluated: a reader evaluates them after reading so many bytes. */
  ahead(count, evaluate) {
    this.pos += count;
    try {
      return evaluate();
    } finally {
      this.pos -= count;
    }
  }

  /** Write the parts that were deferred to the end, and return all bytes. */
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

  /** The present position, in bits. */
  get here() {
    return 8 * this.pos + this.bitsUsed;
  }

  /** Return the bytes, as written so far, that contain these bits. */
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
