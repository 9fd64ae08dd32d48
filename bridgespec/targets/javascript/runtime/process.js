/** A stream of decoded bytes: each has the position of the stored bytes, the bits `first` to `last` of the file. */
class DecodedSource extends Source {
  constructor(data, start, end, first, last) {
    super(data, start, end, 0);
    this.first = first;
    this.last = last;
  }

  within(start, end) {
    return new DecodedSource(this.data, start, end, this.first, this.last);
  }

  bitOf() {
    return this.first;
  }

  stopOf() {
    return this.last;
  }

  get at() {
    return this.first;
  }

  get upto() {
    return this.last;
  }
}

const BAD_DATA = { code: "bad-data", severity: "error" };

/**
 * A transformation of stored bytes: `decode` takes the bytes, the argument and the maximum number of bytes to return; `encode` is
 * the reverse, null if equal bytes can be stored in several ways.
 */
function processOf(name, decode, encode, argument = null) {
  const get = lazily(argument);
  const process = {
    decode(data, frame) {
      const given = get(frame);
      let out;
      try {
        out = decode(data, given, frame.session.volume);
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        throw new Unreadable(BAD_DATA, `process ${name}: ${error.message}`);
      }
      frame.session.make(out.length);
      return out;
    },
    toStored(data, frame) {
      const given = get(frame);
      try {
        return encode === null ? storedInZlib(data) : encode(data, given);
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        throw new CannotWrite(`process ${name}: ${error.message}`);
      }
    },
    keep(node, range, stored, frame) {
      if (encode === null || !spelledSo(range, encode(node.value, get(frame)), stored)) node.kept = stored;
    },
    open(stream, found, frame, at) {
      const data = process.decode(stream.data.subarray(found.start, found.stop), frame);
      return new DecodedSource(data, 0, data.length, at, stream.upto);
    },
  };
  return process;
}

/** The process `xor`: each byte is combined with the next one of a key, an integer or bytes. */
function processXor(key) {
  return processOf("xor", exclusiveOr, exclusiveOr, key);
}

function exclusiveOr(data, given) {
  const key = keyOf(given);
  if (!key.length) throw new EvaluationError("the key of xor is empty");
  return data.map((byte, index) => byte ^ key[index % key.length]);
}

function keyOf(given) {
  if (isNumber(given) && isWhole(given)) return [Number(BigInt.asUintN(8, BigInt(given)))];
  if (typeof given === "string") throw new Failure("string argument without an encoding");
  if (given instanceof Uint8Array) return given;
  if (!Array.isArray(given)) throw new Failure(`cannot convert '${typeName(given)}' object to bytes`);
  const wrong = given.find((one) => !isNumber(one) || !isWhole(one) || one < 0 || one > 255);
  if (wrong === undefined) return given.map(Number);
  const number = isNumber(wrong) && isWhole(wrong);
  throw new Failure(
    number ? "bytes must be in range(0, 256)" : `'${typeName(wrong)}' object cannot be interpreted as an integer`,
  );
}

/** The process `rol`: the bits of each byte are rotated to the left. */
function processRol(count) {
  return rotation("rol", 1, count);
}

/** The process `ror`: the bits of each byte are rotated to the right. */
function processRor(count) {
  return rotation("ror", -1, count);
}

function rotation(name, way, count) {
  const [decode, encode] = [way, -way].map((turn) => (data, given) => turned(data, given, turn));
  return processOf(name, decode, encode, count);
}

function turned(data, count, way) {
  if (!isNumber(count) || !isWhole(count)) throw new EvaluationError("a rotation needs an integer");
  const left = Number(BigInt.asUintN(3, BigInt(count) * BigInt(way)));
  return data.map((byte) => (byte << left) | (byte >> (8 - left)));
}

/** The process `zlib`. */
function processZlib() {
  return processOf("zlib", (data, _, room) => inflate(data, room), null);
}

/**
 * Return a zlib stream with uncompressed bytes (RFC 1950, 1951), which any reader accepts; zlib would make a shorter one.
 * @where processZlib
 */
function storedInZlib(data) {
  const out = [0x78, 0x01];
  for (let at = 0; at < data.length || at === 0; at += 0xffff) {
    const block = data.subarray(at, at + 0xffff);
    const { length } = block;
    out.push(Number(at + length >= data.length), length, length >> 8, ~length, ~length >> 8, ...block);
  }
  const sum = adler32(data);
  return Uint8Array.from([...out, sum >>> 24, sum >>> 16, sum >>> 8, sum]);
}

const INFLATE_STEP = 1 << 20;
const LENGTH_ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

/** Return the plain bytes of a zlib stream (RFC 1950, 1951); errors have the messages of zlib. */
function inflate(data, room) {
  const input = new BitInput(data);
  const head = input.take(8) * 256 + input.take(8);
  if (head % 31) throw corrupt("incorrect header check");
  if (((head >> 8) & 15) !== 8) throw corrupt("unknown compression method");
  if (head >> 12 > 7) throw corrupt("invalid window size");
  if (head & 32) {
    for (let index = 0; index < 4; index++) input.take(8);
    throw new Failure("Error 2 while decompressing data");
  }
  const out = new InflatedBytes(room);
  for (let last = 0; !last;) {
    last = input.take(1);
    const kind = input.take(2);
    if (kind === 3) throw corrupt("invalid block type");
    if (kind === 0) storedBlock(input, out);
    else codedBlock(input, out, ...(kind === 1 ? fixedCodes() : codesOf(input)));
  }
  const plainBytes = out.data.subarray(0, out.length);
  input.align();
  let sum = 0;
  for (let index = 0; index < 4; index++) sum = sum * 256 + input.take(8);
  if (sum !== adler32(plainBytes)) throw corrupt("incorrect data check");
  if (out.length > room) throw out.tooMany();
  return plainBytes;
}

function corrupt(reason) {
  return new Failure(`Error -3 while decompressing data: ${reason}`);
}

/** Reads the bits of compressed data, the low bits of each byte first. */
class BitInput {
  constructor(data) {
    this.data = data;
    this.at = 0;
    this.held = 0;
    this.count = 0;
  }

  take(count) {
    while (this.count < count) {
      if (this.at >= this.data.length) throw new Failure("the compressed data end too early");
      this.held |= this.data[this.at++] << this.count;
      this.count += 8;
    }
    const value = this.held & ((1 << count) - 1);
    this.held >>= count;
    this.count -= count;
    return value;
  }

  align() {
    this.held = this.count = 0;
  }

  /** Return the symbol of the next code; null if no code matches. */
  symbol({ counts, symbols }) {
    let [code, first, index] = [0, 0, 0];
    for (let size = 1; size < 16; size++) {
      code |= this.take(1);
      const count = counts[size];
      if (code - first < count) return symbols[index + code - first];
      index += count;
      first = (first + count) << 1;
      code <<= 1;
      // no code is longer, so that zlib reports the error without reading further bits
      if (index === symbols.length) return null;
    }
    return null;
  }
}

/** Collects the inflated bytes. */
class InflatedBytes {
  constructor(room) {
    this.room = room;
    this.data = new Uint8Array(1024);
    this.length = 0;
  }

  tooMany() {
    const most = Math.max(this.room, 0).toLocaleString("en-US");
    return new Failure(`the data inflate to more than the ${most} bytes that a file of this size may make`);
  }

  push(byte) {
    if (this.length === this.data.length) {
      if (this.length > this.room + INFLATE_STEP) throw this.tooMany();
      const longer = new Uint8Array(2 * this.length);
      longer.set(this.data);
      this.data = longer;
    }
    this.data[this.length++] = byte;
  }
}

function storedBlock(input, out) {
  input.align();
  const count = input.take(16);
  if (input.take(16) !== (count ^ 0xffff)) throw corrupt("invalid stored block lengths");
  for (let index = 0; index < count; index++) out.push(input.take(8));
}

/** Return a prefix code, given the length of the code of each symbol; null if there is no such code. */
function codeOfLengths(lengths, partial) {
  const counts = new Array(16).fill(0);
  for (const size of lengths) counts[size] += 1;
  counts[0] = 0;
  let left = 1;
  for (let size = 1; size < 16; size++) {
    left = 2 * left - counts[size];
    if (left < 0) return null;
  }
  const longest = counts.findLastIndex((count) => count > 0);
  if (left > 0 && longest > 0 && !(partial && longest === 1)) return null;
  const symbols = [];
  for (let size = 1; size < 16; size++) lengths.forEach((each, symbol) => each === size && symbols.push(symbol));
  return { counts, symbols };
}

function fixedCodes() {
  const lengthOf = (symbol) => (symbol < 144 ? 8 : symbol < 256 ? 9 : symbol < 280 ? 7 : 8);
  const lengths = Array.from({ length: 288 }, (_, symbol) => lengthOf(symbol));
  return [codeOfLengths(lengths, true), codeOfLengths(new Array(32).fill(5), true)];
}

/** Read the codes that a block declares before its data. */
function codesOf(input) {
  const [literals, distances, coded] = [input.take(5) + 257, input.take(5) + 1, input.take(4) + 4];
  if (literals > 286 || distances > 30) throw corrupt("too many length or distance symbols");
  const sizes = new Array(19).fill(0);
  for (let index = 0; index < coded; index++) sizes[LENGTH_ORDER[index]] = input.take(3);
  const code = codeOfLengths(sizes, false);
  if (code === null) throw corrupt("invalid code lengths set");
  const lengths = [];
  while (lengths.length < literals + distances) {
    const symbol = input.symbol(code) ?? 0;
    if (symbol < 16) {
      lengths.push(symbol);
      continue;
    }
    if (symbol === 16 && !lengths.length) throw corrupt("invalid bit length repeat");
    const count = symbol === 16 ? 3 + input.take(2) : symbol === 17 ? 3 + input.take(3) : 11 + input.take(7);
    if (lengths.length + count > literals + distances) throw corrupt("invalid bit length repeat");
    const size = symbol === 16 ? lengths.at(-1) : 0;
    for (let index = 0; index < count; index++) lengths.push(size);
  }
  if (!lengths[256]) throw corrupt("invalid code -- missing end-of-block");
  const literal = codeOfLengths(lengths.slice(0, literals), true);
  if (literal === null) throw corrupt("invalid literal/lengths set");
  const distance = codeOfLengths(lengths.slice(literals), true);
  if (distance === null) throw corrupt("invalid distances set");
  return [literal, distance];
}

function codedBlock(input, out, literals, distances) {
  for (;;) {
    const symbol = input.symbol(literals);
    if (symbol === null || symbol > 285) throw corrupt("invalid literal/length code");
    if (symbol === 256) return;
    if (symbol < 256) {
      out.push(symbol);
      continue;
    }
    const count = symbol === 285 ? 258 : stepped(input, symbol - 257, 4) + 3;
    const far = input.symbol(distances);
    if (far === null || far > 29) throw corrupt("invalid distance code");
    const distance = stepped(input, far, 2) + 1;
    if (distance > out.length) throw corrupt("invalid distance too far back");
    for (let index = 0; index < count; index++) out.push(out.data[out.length - distance]);
  }
}

/** Read a length or a distance: `each` symbols have the same number of further bits. */
function stepped(input, symbol, each) {
  const more = Math.max(0, Math.floor(symbol / each) - 1);
  const base = more ? (each + (symbol % each)) << more : symbol;
  return base + input.take(more);
}
