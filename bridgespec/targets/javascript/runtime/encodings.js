/** Thrown for bytes from `start` to `stop` that are not text of an encoding. */
function undecodable(name, data, start, stop) {
  const shown = [...data.subarray(start, Math.min(stop, start + 4))].map((byte) => byte.toString(16).padStart(2, "0"));
  return new Failure(`${shown.join(" ")} is not ${name} text`, [start, stop]);
}

/** ASCII: nothing above 127. */
function ascii(name) {
  return {
    name,
    decode(data, start, stop) {
      for (let at = start; at < stop; at++) {
        if (data[at] > 127) throw undecodable(name, data.subarray(start), at - start, at - start + 1);
      }
      return latin(data, start, stop);
    },
    toEncoded(text) {
      if (/[^\0-\x7f]/.test(text)) throw unencodable(name, text);
      return new TextEncoder().encode(text);
    },
  };
}

/** Thrown for a text with characters that an encoding lacks. */
function unencodable(name, text) {
  return new Failure(`${quote(text)} cannot be spelled in ${name}`);
}

/** Return the bytes of a text in an encoding; errors name the field `where`. */
function encodedText(encoding, text, where) {
  try {
    return encoding.toEncoded(text);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    throw new CannotWrite(error.message, where);
  }
}

/** Return the code points of a text; single surrogates, which are no characters, are rejected. */
function codePoints(name, text) {
  if (/\p{Surrogate}/u.test(text)) throw unencodable(name, text);
  return Array.from(text, (character) => character.codePointAt(0));
}

/** Return the characters whose code points the bytes are. */
function latin(data, start, stop) {
  let out = "";
  if (stop - start > 32) {
    for (let at = start; at < stop; at += 4096)
      out += String.fromCharCode(...data.subarray(at, Math.min(at + 4096, stop)));
  } else {
    for (let at = start; at < stop; at++) out += String.fromCharCode(data[at]);
  }
  return out;
}

/** UTF-8. */
function utf8(name) {
  return {
    name,
    decode(data, start, stop) {
      const piece = data.subarray(start, stop);
      try {
        return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(piece);
      } catch {
        throw faultOfUtf8(name, piece);
      }
    },
    toEncoded(text) {
      codePoints(name, text);
      return new TextEncoder().encode(text);
    },
  };
}

/** Return the first error in bytes that are not UTF-8. */
function faultOfUtf8(name, data) {
  const fault = (start, stop) => undecodable(name, data, start, stop);
  for (let at = 0; at < data.length;) {
    const lead = data[at];
    if (lead < 0x80) {
      at += 1;
      continue;
    }
    if (lead < 0xc2 || lead > 0xf4) return fault(at, at + 1);
    const size = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    const low = { 0xe0: 0xa0, 0xf0: 0x90 }[lead] ?? 0x80;
    const high = { 0xed: 0x9f, 0xf4: 0x8f }[lead] ?? 0xbf;
    for (let more = 1; more < size; more++) {
      if (at + more >= data.length) return fault(at, data.length);
      const byte = data[at + more];
      if (byte < (more === 1 ? low : 0x80) || byte > (more === 1 ? high : 0xbf)) {
        return fault(at, at + more);
      }
    }
    at += size;
  }
  return fault(0, data.length);
}

/** UTF-16 of one byte order. */
function utf16(name, order) {
  return {
    name,
    decode(all, from, to) {
      const data = all.subarray(from, to);
      const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
      const unit = (at) => view.getUint16(at, order === "le");
      let out = "";
      for (let at = 0; at < data.length; at += 2) {
        if (at + 1 === data.length) throw undecodable(name, data, at, at + 1);
        const first = unit(at);
        if (first >= 0xdc00 && first < 0xe000) throw undecodable(name, data, at, at + 2);
        out += String.fromCharCode(first);
        if (first < 0xd800 || first >= 0xe000) continue;
        if (at + 3 >= data.length) throw undecodable(name, data, at, data.length);
        const second = unit(at + 2);
        if (second < 0xdc00 || second >= 0xe000) throw undecodable(name, data, at, at + 2);
        out += String.fromCharCode(second);
        at += 2;
      }
      return out;
    },
    toEncoded(text) {
      codePoints(name, text);
      const view = new DataView(new ArrayBuffer(2 * text.length));
      for (let at = 0; at < text.length; at++) view.setUint16(2 * at, text.charCodeAt(at), order === "le");
      return new Uint8Array(view.buffer);
    },
  };
}

/** UTF-32 of one byte order. */
function utf32(name, order) {
  return {
    name,
    decode(all, from, to) {
      const data = all.subarray(from, to);
      const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
      let out = "";
      for (let at = 0; at < data.length; at += 4) {
        if (at + 4 > data.length) throw undecodable(name, data, at, data.length);
        const code = view.getUint32(at, order === "le");
        if (code >= 0xd800 && code < 0xe000) throw undecodable(name, data, at, at + 4);
        if (code > 0x10ffff) throw undecodable(name, data, at, at + 4);
        out += String.fromCodePoint(code);
      }
      return out;
    },
    toEncoded(text) {
      const codes = codePoints(name, text);
      const view = new DataView(new ArrayBuffer(4 * codes.length));
      codes.forEach((code, index) => view.setUint32(4 * index, code, order === "le"));
      return new Uint8Array(view.buffer);
    },
  };
}

/**
 * An encoding with one byte for each character: `characters` are those of the bytes from `first` on, U+FFFF for a byte without one.
 * `others` are the bytes of characters that are encoded to other bytes than the first that decode to them.
 */
function singleByte(name, first, characters, others = {}) {
  return {
    name,
    decode(all, from, to) {
      const data = all.subarray(from, to);
      let out = "";
      for (let at = 0; at < data.length; at++) {
        const byte = data[at];
        const character = byte < first ? String.fromCharCode(byte) : characters[byte - first];
        if (character === "\uffff") throw undecodable(name, data, at, at + 1);
        out += character;
      }
      return out;
    },
    toEncoded(text) {
      return encodedBy(this, text, others, () => Array.from({ length: 256 }, (_, byte) => [byte]));
    },
  };
}

/**
 * An encoding with one or two bytes for each character: `single` are the characters of single bytes, U+FFFF for a byte without one,
 * `pairs` those of two bytes by the first of them, `others` the bytes of characters that are encoded to other bytes than the first
 * that decode to them.
 */
function doubleByte(name, single, pairs, others = {}) {
  const tables = new Map(pairs.map(([lead, trail, characters]) => [lead, { trail, characters: [...characters] }]));
  return {
    name,
    decode(all, from, to) {
      const data = all.subarray(from, to);
      let out = "";
      for (let at = 0; at < data.length; at++) {
        const table = tables.get(data[at]);
        const character = table ? table.characters[data[at + 1] - table.trail] : single[data[at]];
        if (table && at + 1 >= data.length) throw undecodable(name, data, at, at + 1);
        if (character === undefined || character === "\uffff") {
          throw undecodable(name, data, at, at + 1);
        }
        out += character;
        if (table) at += 1;
      }
      return out;
    },
    toEncoded(text) {
      const rows = ([lead, trail, characters]) => Array.from(characters, (_, index) => [lead, trail + index]);
      return encodedBy(this, text, others, () => [...Array.from(single, (_, byte) => [byte]), ...pairs.flatMap(rows)]);
    },
  };
}

/** The tables of encodings from characters to bytes, made when a text is first written. */
const ENCODED = new WeakMap();

/** Return the bytes of a text by a table from characters to bytes. */
function encodedBy(encoding, text, others, codes) {
  if (!ENCODED.has(encoding)) {
    const table = new Map();
    for (const code of codes()) {
      try {
        const character = encoding.decode(Uint8Array.from(code), 0, code.length);
        if (!table.has(character)) table.set(character, code);
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
      }
    }
    for (const [character, code] of Object.entries(others)) table.set(character, code);
    ENCODED.set(encoding, table);
  }
  const code = (character) => {
    const found = ENCODED.get(encoding).get(character);
    if (!found) throw unencodable(encoding.name, text);
    return found;
  };
  return Uint8Array.from([...text].flatMap(code));
}

/** An unknown encoding, which can neither decode nor encode. */
function unknownEncoding(name) {
  return {
    name,
    decode() {
      throw new Failure(`encoding ${name} is unknown`);
    },
    toEncoded() {
      throw new Failure(`encoding ${name} is unknown`);
    },
  };
}

/** Return the text of bytes in an expression (`to_s`). */
function decodeText(data, encoding) {
  if (!(data instanceof Uint8Array) && !Array.isArray(data))
    throw new Failure(`cannot convert '${typeName(data)}' object to bytes`);
  return encoding.decode(Uint8Array.from(data), 0, data.length);
}
