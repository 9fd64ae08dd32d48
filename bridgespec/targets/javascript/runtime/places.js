/** Where a field stands in its stream, in bits; `items` are the ranges of a list's elements. */
class Place {
  constructor(stream, start) {
    this.stream = stream;
    this.start = start;
    this.stop = start;
    this.items = [];
  }

  /** So many elements of `step` bits each stand in it. */
  alike(count, step) {
    for (let index = 0; index < count; index++)
      this.items.push([this.start + step * index, this.start + step * (index + 1)]);
  }
}

/** Note that a field begins where its stream stands; `null` is the record itself. */
function noted(frame, name, stream) {
  const place = new Place(stream, stream.here);
  frame.places ??= new Map();
  frame.places.set(name, place);
  return place;
}

/** Where a field of a record was read, its element `at`, or the record itself. */
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

/** All of a stream. */
function wholeOf(frame) {
  if (!(frame instanceof Frame))
    throw new EvaluationError("a field that is absent, or could not be read, has no place");
  return frame.wholeSpot();
}

/** How many bytes stand before a place. */
function offsetOf(place) {
  return Math.floor(place.start / 8);
}

/** How many bytes a place takes. */
function sizeOf(place) {
  return Math.floor((place.stop - place.start + 7) / 8);
}

/** The bytes from the start of a place to the end of another. */
function spanOf(first, last) {
  if (first.stream !== last.stream)
    throw new Failure("the first and the last field of a span stand in different streams");
  if (last.stop < first.start) throw new Failure("the last field of a span stands before the first");
  return first.stream.bytesBetween(first.start, last.stop);
}

/** One value made of all items of a list or of bytes; `each` is what counts of an item, which is `_` in it. */
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

/** How many bits of an integer or of bytes are set. */
function popcount(value) {
  if (value instanceof Uint8Array) return value.reduce((total, byte) => total + popcount(byte), 0);
  if (less(value, 0)) throw new Failure(`${toText(value)} is negative: it has no number of bits`);
  let total = 0;
  for (let left = BigInt(value); left > 0n; left >>= 32n) {
    for (let bits = Number(left & 0xffffffffn); bits; bits = Math.floor(bits / 2)) total += bits % 2;
  }
  return total;
}

/** Bytes, or numbers that are bytes. */
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

/** The integers of `size` bytes each that bytes are made of; zeros fill the last one up. */
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
