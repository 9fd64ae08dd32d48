/** Byte order marks, each with its order of UTF-16. */
const MARKS = [
  [[0xef, 0xbb, 0xbf], null],
  [[0xff, 0xfe], "le"],
  [[0xfe, 0xff], "be"],
];

/** Return the encoding of a file with a byte order mark, or in UTF-16 without one; null for any other file. */
function markedText(data) {
  const found = MARKS.find(([mark]) => mark.every((byte, at) => data[at] === byte));
  if (found !== undefined) return new MarkedText(data, ...found);
  const start = data.subarray(0, 256);
  // nine in ten of the bytes at odd offsets, or at even ones, are the null bytes of ASCII characters
  const isWide = (first) => {
    const nulls = start.filter((_, at) => at % 2 === first);
    const others = start.filter((_, at) => at % 2 !== first);
    return 10 * nulls.filter((byte) => byte === 0).length >= 9 * nulls.length && !others.includes(0);
  };
  if (start.length < 8 || !(isWide(1) || isWide(0))) return null;
  return new MarkedText(data, [], isWide(1) ? "le" : "be");
}

/**
 * The encoding of one file: its byte order mark, the order of UTF-16 (null for UTF-8), the content as UTF-8 (a text with a
 * character for each byte), and the odd last byte of a damaged file. Nodes have offsets in the content.
 */
class MarkedText {
  constructor(data, mark, order) {
    const whole = data.length - (order === null ? 0 : (data.length - mark.length) % 2);
    const body = data.subarray(mark.length, whole);
    this.mark = mark;
    this.order = order;
    this.tail = data.subarray(whole);
    this.starts = null;
    if (order === null) {
      this.text = latinText(body);
    } else {
      const [low, high] = order === "le" ? [0, 1] : [1, 0];
      let units = "";
      for (let at = 0; at < body.length; at += 2) units += String.fromCharCode(body[at + low] + 256 * body[at + high]);
      this.text = utf8Text(units);
    }
  }

  /** Return the offset in the file of an offset in the content. */
  offset(at) {
    const { mark, text, tail, order } = this;
    if (order === null) return mark.length + at;
    if (this.starts === null) {
      this.starts = [];
      this.places = [mark.length];
      for (const { index, 0: one } of text.matchAll(/[^\x80-\xbf][\x80-\xbf]*/g)) {
        this.starts.push(index);
        // four bytes of UTF-8 are a pair of surrogates
        this.places.push(this.places.at(-1) + (one.length > 3 ? 4 : 2));
      }
    }
    if (at >= text.length) return this.places.at(-1) + (at > text.length ? tail.length : 0);
    return this.places[Math.max(after(this.starts, at) - 1, 0)];
  }

  /** Return a finding with its offsets, and those of its repair, converted to offsets in the file. */
  placed(found) {
    const moved = (one) => one && { ...one, start: this.offset(one.start), stop: this.offset(one.stop) };
    const edits = found.fix?.edits.map((one) => {
      const text = one.replacement.replace(/../g, (digits) => String.fromCharCode(parseInt(digits, 16)));
      return { ...moved(one), replacement: hex(this.bytes(text)).replaceAll(" ", "") };
    });
    return { ...found, span: moved(found.span), fix: edits === undefined ? null : { ...found.fix, edits }, [IN_TEXT]: found.span };
  }

  /** Return content as bytes in the encoding of the file, without the byte order mark. */
  bytes(text) {
    if (this.order === null) return latinUnits(isUtf8(this.text) ? utf8Text(charactersOf(text)) : text, null);
    return latinUnits(charactersOf(text), this.order);
  }

  /** Return the bytes of a file with this encoding, given changed content. */
  file(text) {
    return Uint8Array.from([...this.mark, ...this.bytes(text), ...this.tail]);
  }
}

/** Return the bytes of a text: one for each code unit, or two in an order. */
function latinUnits(text, order) {
  const data = new Uint8Array(order === null ? text.length : 2 * text.length);
  const view = new DataView(data.buffer);
  for (let at = 0; at < text.length; at++) {
    if (order === null) data[at] = text.charCodeAt(at);
    else view.setUint16(2 * at, text.charCodeAt(at), order === "le");
  }
  return data;
}

/** Return characters encoded to UTF-8, as a text with a character for each byte; single surrogates are encoded too. */
function utf8Text(text) {
  return text.replace(/[^\0-\x7f]/gu, (one) => {
    const code = one.codePointAt(0);
    const more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    const bytes = [[0, 0xc0, 0xe0, 0xf0][more] | (code >> (6 * more))];
    for (let left = more - 1; left >= 0; left--) bytes.push(0x80 | ((code >> (6 * left)) & 63));
    return String.fromCharCode(...bytes);
  });
}

/** Matches a UTF-8 sequence of several bytes, that of a single surrogate included, or a byte that belongs to no sequence. */
const SEQUENCE = new RegExp(
  [
    "[\xc2-\xdf][\x80-\xbf]",
    "\xe0[\xa0-\xbf][\x80-\xbf]",
    "[\xe1-\xef][\x80-\xbf]{2}",
    "\xf0[\x90-\xbf][\x80-\xbf]{2}",
    "[\xf1-\xf3][\x80-\xbf]{3}",
    "\xf4[\x80-\x8f][\x80-\xbf]{2}",
    "[\x80-\xff]",
  ].join("|"),
  "g",
);

/**
 * Return the characters of UTF-8 (a text with a character for each byte); other bytes are Windows-1252, as in newly written names.
 */
function charactersOf(text) {
  return text.replace(SEQUENCE, (bytes) => {
    if (bytes.length === 1) return windowsCharacter(bytes);
    const codes = Array.from(bytes, (one) => one.charCodeAt(0) & 63);
    codes[0] &= 0x3f >> (bytes.length - 1);
    return String.fromCodePoint(codes.reduce((code, bits) => 64 * code + bits));
  });
}

function windowsCharacter(byte) {
  const character = WINDOWS_1252[byte.charCodeAt(0) - 128] ?? byte;
  return character === " " ? byte : character;
}

function isUtf8(text) {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(latinUnits(text, null));
    return true;
  } catch {
    return false;
  }
}
