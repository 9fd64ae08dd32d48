/** The position of a field in its stream, in bits; `items` are the ranges of an array's elements. */
class Place {
  constructor(stream, start) {
    this.stream = stream;
    this.start = start;
    this.stop = start;
    this.items = [];
  }

  /** Set `items` to so many elements of `step` bits each. */
  alike(count, step) {
    for (let index = 0; index < count; index++)
      this.items.push([this.start + step * index, this.start + step * (index + 1)]);
  }
}

/** Record the stream's position as the start of a field; of the record for `null`. */
function noted(frame, name, stream) {
  const place = new Place(stream, stream.here);
  frame.places ??= new Map();
  frame.places.set(name, place);
  return place;
}

/** Return the position of a field of a record, of its element `at`, or of the record itself. */
function placeOf(frame, name, at = null) {
  if (!(frame instanceof Frame))
    throw new EvaluationError("a field that is absent, or could not be read, has no place");
  if (at !== null && less(at, 0)) throw new Failure(`index ${at} is negative`);
  const place = frame.spotOf(name);
  let found = place;
  if (at !== null) {
    const item = place.items[Number(at)];
    if (item === undefined) {
      throw new EvaluationError(`'${name}' has no element ${at}: there are ${place.items.length}`);
    }
    found = new Place(place.stream, item[0]);
    found.stop = item[1];
  }
  frame.session.make(Math.floor((found.stop - found.start) / 8));
  return found;
}

/** Return the position of a whole stream. */
function wholeOf(frame) {
  if (!(frame instanceof Frame))
    throw new EvaluationError("a field that is absent, or could not be read, has no place");
  return frame.wholeSpot();
}

/** Return the number of bytes before a position. */
function offsetOf(place) {
  return Math.floor(place.start / 8);
}

/** Return the number of bytes of a position. */
function sizeOf(place) {
  return Math.floor((place.stop - place.start + 7) / 8);
}

/** Return the bytes from the start of a position to the end of another. */
function spanOf(first, last) {
  if (first.stream !== last.stream)
    throw new Failure("the first and the last field of a span stand in different streams");
  if (last.stop < first.start) throw new Failure("the last field of a span stands before the first");
  return first.stream.bytesBetween(first.start, last.stop);
}

/** Return a fold over the items of a list or of bytes, of the items or of `each`, a function in which `_` is the item. */
function fold(here, join, items, each = null) {
  if (!Array.isArray(items) && !(items instanceof Uint8Array)) {
    throw new Failure(`object of type '${typeName(items)}' has no len()`);
  }
  if (each === null) return join(items);
  const { it, index } = here;
  const found = [];
  try {
    for (here.index = 0; here.index < items.length; here.index++) {
      here.it = items[here.index];
      found.push(each(here));
    }
  } finally {
    here.it = it;
    here.index = index;
  }
  return join(found);
}

function sumOf(values) {
  let total = 0;
  for (const value of values) total = add(total, value);
  return total;
}

function listOf(values) {
  return values;
}

function xorOf(values) {
  let total = 0;
  for (const value of values) total = bitwise("^", total, value);
  return total;
}

function countOfTrue(values) {
  let total = 0;
  for (const value of values) if (truth(value)) total++;
  return total;
}

/** Return the number of bits that are set in an integer or in bytes. */
function popcount(value) {
  if (value instanceof Uint8Array) return value.reduce((total, byte) => total + popcount(byte), 0);
  if (less(value, 0)) throw new Failure(`${toText(value)} is negative: it has no number of bits`);
  let total = 0;
  for (let left = BigInt(value); left > 0n; left >>= 32n) {
    for (let bits = Number(left & 0xffffffffn); bits; bits = Math.floor(bits / 2)) total += bits % 2;
  }
  return total;
}

/** Return bytes, or a list of numbers as bytes. */
function octets(data) {
  return data instanceof Uint8Array ? data : bytesFrom(data);
}

function crc32(data) {
  let crc = 0xffffffff;
  for (const byte of octets(data)) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  return (crc ^ 0xffffffff) >>> 0;
}

function adler32(data) {
  let low = 1;
  let high = 0;
  for (const byte of octets(data)) {
    low = (low + byte) % 65521;
    high = (high + low) % 65521;
  }
  return high * 65536 + low;
}

/** Return bytes as integers of `size` bytes each; the last one is padded with zeros. */
function wordsOf(data, size, little) {
  if (less(size, 1) || less(8, size)) throw new Failure(`a word has 1 to 8 bytes, not ${size}`);
  const bytes = octets(data);
  const words = [];
  for (let at = 0; at < bytes.length; at += size) {
    let word = 0n;
    for (let index = 0; index < size; index++) {
      const byte = bytes[at + (little ? size - 1 - index : index)] ?? 0;
      word = word * 256n + BigInt(byte);
    }
    words.push(whole(word));
  }
  return words;
}
