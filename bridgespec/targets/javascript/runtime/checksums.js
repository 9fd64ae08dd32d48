function reflectBits(value, width) {
  let found = 0n;
  for (let bit = 0n; bit < width; bit++) found = (found << 1n) | ((value >> bit) & 1n);
  return found;
}

/** Return the CRC of bytes with the parameters width, poly, init, refin, refout and xorout. */
function crc(data, ...model) {
  const [width, poly, init, refin, refout, xorout] = model.map(BigInt);
  if (width < 1n || width > 128n) throw new Failure(`a CRC has 1 to 128 bits, not ${width}`);
  const pad = refin || width > 8n ? 0n : 8n - width;
  const top = 1n << (width + pad - 1n);
  const mask = (1n << (width + pad)) - 1n;
  const step = refin ? reflectBits(poly, width) : poly << pad;
  const table = [];
  for (let byte = 0n; byte < 256n; byte++) {
    let value = refin ? byte : byte << (width + pad - 8n);
    for (let bit = 0; bit < 8; bit++) {
      if (refin) value = value & 1n ? (value >> 1n) ^ step : value >> 1n;
      else value = (value & top ? (value << 1n) ^ step : value << 1n) & mask;
    }
    table.push(value);
  }
  let found = refin ? reflectBits(init, width) : init << pad;
  for (const byte of octets(data)) {
    const next = refin ? found ^ BigInt(byte) : (found >> (width + pad - 8n)) ^ BigInt(byte);
    found = (refin ? found >> 8n : (found << 8n) & mask) ^ table[Number(next & 255n)];
  }
  found >>= pad;
  return whole((Boolean(refin) === Boolean(refout) ? found : reflectBits(found, width)) ^ xorout);
}

/** Return Fletcher's checksum of 16, 32 or 64 bits, over little-endian words of half the width. */
function fletcher(data, width) {
  if (![16, 32, 64].includes(width)) throw new Failure(`Fletcher's checksum has 16, 32 or 64 bits, not ${width}`);
  const half = BigInt(width / 2);
  let low = 0n;
  let high = 0n;
  for (const word of wordsOf(data, width / 16, true)) {
    low = (low + BigInt(word)) % ((1n << half) - 1n);
    high = (high + low) % ((1n << half) - 1n);
  }
  return whole((high << half) | low);
}

/** Return bytes in blocks of 64 as words of 32 bits, with the end mark and the length that digests append. */
function digestBlocks(data, little) {
  const bytes = octets(data);
  const padded = new Uint8Array(Math.ceil((bytes.length + 9) / 64) * 64);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setBigUint64(padded.length - 8, BigInt(bytes.length) * 8n, little);
  const blocks = [];
  for (let at = 0; at < padded.length; at += 64) {
    blocks.push(Array.from({ length: 16 }, (_, index) => view.getUint32(at + 4 * index, little)));
  }
  return blocks;
}

function digestOf(words, little) {
  const view = new DataView(new ArrayBuffer(4 * words.length));
  words.forEach((word, index) => view.setUint32(4 * index, word, little));
  return new Uint8Array(view.buffer);
}

function turnLeft(word, bits) {
  return (word << bits) | (word >>> (32 - bits));
}

const MD5_TURNS = [7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21];

function md5(data) {
  let state = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476];
  for (const block of digestBlocks(data, true)) {
    let [a, b, c, d] = state;
    for (let step = 0; step < 64; step++) {
      const round = step >> 4;
      const mixed = [(b & c) | (~b & d), (d & b) | (~d & c), b ^ c ^ d, c ^ (b | ~d)][round];
      const index = [step, 5 * step + 1, 3 * step + 5, 7 * step][round] % 16;
      const constant = Math.floor(Math.abs(Math.sin(step + 1)) * 2 ** 32);
      const sum = (a + mixed + block[index] + constant) | 0;
      [a, b, c, d] = [d, (b + turnLeft(sum, MD5_TURNS[4 * round + (step % 4)])) | 0, b, c];
    }
    state = [a, b, c, d].map((word, index) => (word + state[index]) | 0);
  }
  return digestOf(state, true);
}

function sha1(data) {
  let state = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0];
  for (const block of digestBlocks(data, false)) {
    for (let at = 16; at < 80; at++) {
      block.push(turnLeft(block[at - 3] ^ block[at - 8] ^ block[at - 14] ^ block[at - 16], 1));
    }
    let [a, b, c, d, e] = state;
    for (let step = 0; step < 80; step++) {
      const round = Math.floor(step / 20);
      const mixed = [(b & c) | (~b & d), b ^ c ^ d, (b & c) | (b & d) | (c & d), b ^ c ^ d][round];
      const constant = [0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6][round];
      [a, b, c, d, e] = [(turnLeft(a, 5) + mixed + e + constant + block[step]) | 0, a, turnLeft(b, 30), c, d];
    }
    state = [a, b, c, d, e].map((word, index) => (word + state[index]) | 0);
  }
  return digestOf(state, false);
}

/** Return the first 32 bits of the fractions of roots of the first primes (constants of digests), computed exactly in integers. */
function rootFractions(count, degree) {
  const found = [];
  for (let prime = 2n; found.length < count; prime++) {
    let factor = 2n;
    while (factor * factor <= prime && prime % factor) factor++;
    if (factor * factor <= prime) continue;
    const wanted = prime << (32n * degree);
    let root = 0n;
    for (let bit = 1n << 36n; bit; bit >>= 1n) if ((root + bit) ** degree <= wanted) root += bit;
    found.push(Number(root & 0xffffffffn));
  }
  return found;
}

function sha256(data) {
  const constants = rootFractions(64, 3n);
  let state = rootFractions(8, 2n);
  const turn = (word, bits) => turnLeft(word, 32 - bits);
  for (const block of digestBlocks(data, false)) {
    for (let at = 16; at < 64; at++) {
      const [near, far] = [block[at - 2], block[at - 15]];
      const first = turn(far, 7) ^ turn(far, 18) ^ (far >>> 3);
      const second = turn(near, 17) ^ turn(near, 19) ^ (near >>> 10);
      block.push((block[at - 16] + first + block[at - 7] + second) | 0);
    }
    let [a, b, c, d, e, f, g, h] = state;
    for (let step = 0; step < 64; step++) {
      const chosen = (e & f) ^ (~e & g);
      const first = (h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + chosen + constants[step] + block[step]) | 0;
      const second = ((turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      [a, b, c, d, e, f, g, h] = [(first + second) | 0, a, b, c, (d + first) | 0, e, f, g];
    }
    state = [a, b, c, d, e, f, g, h].map((word, index) => (word + state[index]) | 0);
  }
  return digestOf(state, false);
}
