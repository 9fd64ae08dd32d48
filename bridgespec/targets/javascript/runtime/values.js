/** Thrown by an expression that has no value for these data. */
class EvaluationError {
  constructor(message, unread = false) {
    this.message = message;
    /** Whether the reason is a field that could not be read, which has a finding of its own. */
    this.unread = unread;
  }
}

/**
 * Thrown by an operation that is not defined for its values; `attempt` converts it to an EvaluationError that quotes the
 * expression.
 */
class Failure {
  constructor(message, bytes = null) {
    this.message = message;
    this.bytes = bytes;
  }
}

/** Return a function for an expression whose operations may fail; `source` is quoted in the error. */
function attempt(source, evaluate) {
  return (here) => {
    try {
      return evaluate(here);
    } catch (error) {
      if (error instanceof Failure) throw new EvaluationError(`'${source}': ${error.message}`);
      if (error instanceof RangeError) {
        throw new EvaluationError(`'${source}': it depends on itself, or is nested too deeply`);
      }
      throw error;
    }
  };
}

/** Return a constant as a function; a function of a frame unchanged. */
function lazily(value) {
  return typeof value === "function" ? value : () => value;
}

/** Return numbers as bytes. */
function bytesOf(...values) {
  return bytesFrom(values);
}

function bytesFrom(values) {
  return Uint8Array.from(values, (value) => Number(BigInt.asUintN(8, BigInt(value))));
}

/** Whether a value is true in a condition, as in Python. */
function truth(value) {
  if (typeof value === "object") {
    if (value === null) return false;
    return Array.isArray(value) || value instanceof Uint8Array ? value.length > 0 : true;
  }
  return Boolean(value);
}

/** Return the name of a value's type for messages. */
function typeName(value) {
  if (value === null) return "NoneType";
  if (Array.isArray(value)) return "list";
  if (value instanceof Uint8Array) return "bytes";
  if (value === UNREAD) return "_Unread";
  if (value instanceof Frame) return "Frame";
  if (value instanceof Source) return "Source";
  if (typeof value === "boolean") return "bool";
  if (typeof value === "string") return "str";
  return typeof value === "bigint" || Number.isInteger(value) ? "int" : "float";
}

function isNumber(value) {
  return typeof value === "number" || typeof value === "bigint" || typeof value === "boolean";
}

function isWhole(value) {
  return typeof value !== "number" || Number.isInteger(value);
}

/** Return the result of an arithmetic operation, a BigInt if a number is not exact; `text` joins texts, byte arrays and lists. */
function arithmetic(symbol, a, b, small, large) {
  if (typeof a === "number" && typeof b === "number") {
    const result = small(a, b);
    if (Number.isSafeInteger(result) || !isWhole(a) || !isWhole(b)) return result + 0;
  } else if (!isNumber(a) || !isNumber(b)) {
    const types = `'${typeName(a)}' and '${typeName(b)}'`;
    throw new Failure(`unsupported operand type(s) for ${symbol}: ${types}`);
  }
  if (!isWhole(a) || !isWhole(b)) return small(Number(a), Number(b));
  return whole(large(BigInt(a), BigInt(b)));
}

function add(a, b) {
  if (typeof a === "string" || Array.isArray(a) || a instanceof Uint8Array) return join(a, b);
  return arithmetic(
    "+",
    a,
    b,
    (x, y) => x + y,
    (x, y) => x + y,
  );
}

function join(a, b) {
  if (typeName(a) !== typeName(b)) {
    if (a instanceof Uint8Array) throw new Failure(`can't concat ${typeName(b)} to bytes`);
    throw new Failure(`can only concatenate ${typeName(a)} (not "${typeName(b)}") to ${typeName(a)}`);
  }
  if (!Array.isArray(a) && length(a) + length(b) > 2 ** 26) throw new Failure("the text grows too long");
  if (typeof a === "string") return a + b;
  return a instanceof Uint8Array ? Uint8Array.from([...a, ...b]) : [...a, ...b];
}

function subtract(a, b) {
  return arithmetic(
    "-",
    a,
    b,
    (x, y) => x - y,
    (x, y) => x - y,
  );
}

function bitLength(value) {
  return typeof value === "bigint"
    ? (value < 0n ? -value : value).toString(2).length
    : Math.ceil(Math.log2(Math.abs(value) + 1));
}

const MAX_BITS = 1 << 14;

function multiply(a, b) {
  if (bitLength(a) + bitLength(b) > MAX_BITS) throw new Failure("the number grows too large");
  return arithmetic(
    "*",
    a,
    b,
    (x, y) => x * y,
    (x, y) => x * y,
  );
}

/** Return a quotient, rounded down if both values are integers. */
function divide(a, b) {
  if (!isNumber(a) || !isNumber(b)) return arithmetic("/", a, b, null, null);
  if (!isWhole(a) || !isWhole(b)) return real("/", a, b);
  if (Number(b) === 0) throw new Failure("integer division or modulo by zero");
  const floor = (x, y) => (x - (((x % y) + y) % y)) / y;
  return arithmetic("/", a, b, (x, y) => Math.floor(x / y), floor);
}

/** Return the result of an arithmetic operation as a float. */
function real(symbol, a, b) {
  if (!isNumber(a) || !isNumber(b)) {
    const [left, right] = [a, b].map((value) => (isNumber(value) ? "float" : typeName(value)));
    throw new Failure(`unsupported operand type(s) for ${symbol}: '${left}' and '${right}'`);
  }
  const [x, y] = [a, b].map((value) => {
    const number = Number(value);
    if (typeof value === "bigint" && !Number.isFinite(number)) throw new Failure("int too large to convert to float");
    return number;
  });
  switch (symbol) {
    case "+":
      return x + y;
    case "-":
      return x - y;
    case "*":
      return x * y;
  }
  if (y === 0) throw new Failure(symbol === "/" ? "float division by zero" : "float modulo");
  if (symbol === "/") return x / y;
  const left = x % y;
  return left !== 0 && left < 0 !== y < 0 ? left + y : left;
}

/** Return the remainder of a division that rounds down, which has the sign of the divisor. */
function modulo(a, b) {
  if (isNumber(b) && Number(b) === 0 && isNumber(a)) throw new Failure("integer modulo by zero");
  const left = (x, y) => ((x % y) + y) % y;
  return arithmetic("%", a, b, left, left);
}

function negate(a) {
  if (!isNumber(a)) throw new Failure(`bad operand type for unary -: '${typeName(a)}'`);
  return typeof a === "bigint" ? whole(-a) : 0 - a;
}

/** Return the result of a bit operation on integers of any size. */
function bitwise(symbol, a, b) {
  if (symbol === "<<" && greater(b, MAX_BITS)) throw new Failure("the number grows too large");
  if (symbol === "<<" && !isNumber(a)) throw new Failure(`'${typeName(a)}' object has no attribute 'bit_length'`);
  if (!isNumber(a) || !isNumber(b)) {
    throw new Failure(`unsupported operand type(s) for ${symbol}: '${typeName(a)}' and '${typeName(b)}'`);
  }
  const small = a >= 0 && b >= 0 && a < 2 ** 31 && b < 2 ** 31;
  const [x, y] = small ? [Number(a), Number(b)] : [BigInt(a), BigInt(b)];
  switch (symbol) {
    case "&":
      return small ? x & y : whole(x & y);
    case "|":
      return small ? x | y : whole(x | y);
    case "^":
      return small ? x ^ y : whole(x ^ y);
  }
  return shiftBits(symbol, BigInt(x), BigInt(y));
}

function shiftBits(symbol, x, y) {
  if (y < 0n) throw new Failure("negative shift count");
  if (symbol === ">>") return whole(x >> y);
  if (bitLength(x) + Number(y) > MAX_BITS) throw new Failure("the number grows too large");
  return whole(x << y);
}

function invert(a) {
  return whole(~BigInt(toInteger(a)));
}

/** Whether two values are equal: byte arrays and lists by their elements. */
function equal(a, b) {
  if (a === b) return true;
  if (isNumber(a) && isNumber(b)) return typeof a !== typeof b && a == b;
  if (a instanceof Uint8Array && b instanceof Uint8Array) return sameBytes(a, b);
  if (!Array.isArray(a) || !Array.isArray(b)) return false;
  return a.length === b.length && a.every((item, index) => equal(item, b[index]));
}

function sameBytes(a, b) {
  if (a.length !== b.length) return false;
  for (let index = 0; index < a.length; index++) {
    if (a[index] !== b[index]) return false;
  }
  return true;
}

/** Compare numbers, texts by code point, or byte arrays. Return a number below, equal to or above zero. */
function compare(symbol, a, b) {
  if (isNumber(a) && isNumber(b)) return a < b ? -1 : a > b ? 1 : a == b ? 0 : NaN;
  const known = typeof a === "string" || Array.isArray(a) || a instanceof Uint8Array;
  if (!known || typeName(a) !== typeName(b)) {
    const types = `'${typeName(a)}' and '${typeName(b)}'`;
    throw new Failure(`'${symbol}' not supported between instances of ${types}`);
  }
  const [x, y] = [[...a], [...b]];
  const at = x.findIndex((item, index) => index >= y.length || !equal(item, y[index]));
  if (at < 0) return x.length - y.length;
  if (at >= y.length) return 1;
  if (typeof a === "string") return x[at].codePointAt(0) - y[at].codePointAt(0);
  return compare(symbol, x[at], y[at]);
}

function less(a, b) {
  return compare("<", a, b) < 0;
}

function lessOrEqual(a, b) {
  return compare("<=", a, b) <= 0;
}

function greater(a, b) {
  return compare(">", a, b) > 0;
}

function greaterOrEqual(a, b) {
  return compare(">=", a, b) >= 0;
}

/** Return an element of a list or a byte array. */
function element(values, index) {
  if (less(index, 0)) throw new Failure(`index ${index} is negative`);
  if (typeof values === "string") values = [...values];
  const kind = typeName(values);
  if (kind !== "list" && kind !== "bytes") throw new Failure(`'${kind}' object is not subscriptable`);
  if (index >= 2n ** 63n) throw new Failure("cannot fit 'int' into an index-sized integer");
  const found = values[Number(index)];
  if (found === undefined) throw new Failure(kind === "list" ? "list index out of range" : "index out of range");
  return found;
}

function length(value) {
  if (typeof value === "string") return [...value].length;
  if (Array.isArray(value) || value instanceof Uint8Array) return value.length;
  throw new Failure(`object of type '${typeName(value)}' has no len()`);
}

/** Return an attribute in an expression: a field of a record, or a property of another value. */
function attribute(value, name) {
  if (value === null) throw new EvaluationError(`'${name}' of a field that is absent`);
  if (typeof value.scopeAttribute === "function") return value.scopeAttribute(name);
  switch (name) {
    case "to_i":
      return typeof value === "string" ? parseInteger(value, 10) : toInteger(value);
    case "to_s":
      return valueText(value);
    case "length":
    case "size":
      return length(value);
    case "reverse":
      return typeof value === "string" ? [...value].reverse().join("") : value.slice().reverse();
    case "first":
      return length(value) ? value[0] : element(value, 0);
    case "last":
      return length(value) ? value[value.length - 1] : element(value, 0);
    case "min":
    case "max":
      return extreme(value, name);
  }
  throw new EvaluationError(`no value has '${name}'`);
}

function extreme(values, name) {
  if (!length(values)) throw new Failure(`${name}() arg is an empty sequence`);
  return [...values].reduce((best, item) => {
    const order = compare(name === "min" ? "<" : ">", item, best);
    return name === "min" ? (order < 0 ? item : best) : order > 0 ? item : best;
  });
}

function toInteger(value) {
  if (typeof value === "bigint") return value;
  if (typeof value === "boolean") return Number(value);
  if (typeof value === "number") {
    if (Number.isNaN(value)) throw new Failure("cannot convert float NaN to integer");
    if (!Number.isFinite(value)) throw new Failure("cannot convert float infinity to integer");
    const cut = Math.trunc(value) + 0;
    return Number.isSafeInteger(cut) ? cut : BigInt(cut);
  }
  const wanted = "a string, a bytes-like object or a real number";
  throw new Failure(`int() argument must be ${wanted}, not '${typeName(value)}'`);
}

/** Return the integer that a text spells in a base. */
function parseInteger(text, base) {
  if (typeof text !== "string") throw new Failure("expected string or bytes-like object");
  if (!/^[+-]?[0-9a-zA-Z]{1,2000}$/.test(text))
    throw new Failure(`${shown([...text].slice(0, 40).join(""))} is not a number`);
  const digits = text.replace(/^[+-]/, "").toLowerCase();
  let value = 0n;
  for (const digit of digits) {
    const worth = parseInt(digit, 36);
    if (worth >= base) throw new Failure(`invalid literal for int() with base ${base}: ${shown(text)}`);
    value = value * BigInt(base) + BigInt(worth);
  }
  return whole(text.startsWith("-") ? -value : value);
}

function substring(text, start, end) {
  const characters = [...text];
  if (!(lessOrEqual(0, start) && lessOrEqual(start, end) && lessOrEqual(end, characters.length))) {
    throw new Failure(`substring(${start}, ${end}) of ${characters.length} characters`);
  }
  return characters.slice(Number(start), Number(end)).join("");
}

/** Return a value for messages, texts without quotes. */
function toText(value) {
  return typeof value === "string" ? value : spell(value);
}

/** Return a value as text, in a format string of an expression. */
function valueText(value) {
  if (typeof value === "object" && value !== null && !(value instanceof Uint8Array)) {
    throw new Failure("a record or a list has no text");
  }
  return toText(value);
}

/** Return a float as text; unlike an integer it has a point or an exponent. */
function floatText(value) {
  if (Number.isNaN(value)) return "nan";
  if (!Number.isFinite(value)) return value > 0 ? "inf" : "-inf";
  if (Object.is(value, -0)) return "-0.0";
  const [digits, power] = value.toExponential().split("e");
  const exponent = Number(power);
  if (value !== 0 && (exponent < -4 || exponent >= 16)) {
    return `${digits}e${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`;
  }
  if (exponent < 0) {
    const [sign, places] = [value < 0 ? "-" : "", digits.replace(/[-.]/g, "")];
    return `${sign}0.${"0".repeat(-exponent - 1)}${places}`;
  }
  return Number.isInteger(value) ? `${value}.0` : String(value);
}

/** Return a value for messages, texts in quotes. */
function spell(value) {
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value === "string") return quote(value);
  if (value instanceof Uint8Array) return `b${quote(Array.from(value, (byte) => String.fromCharCode(byte)).join(""), true)}`;
  if (Array.isArray(value)) return `[${value.map(spell).join(", ")}]`;
  if (typeof value === "number" && !Number.isInteger(value)) return floatText(value);
  return typeof value === "object" ? `<${typeName(value)}>` : String(value);
}

function quote(text, bytes = false) {
  const mark = text.includes("'") && !text.includes('"') ? '"' : "'";
  const known = { "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t", [mark]: `\\${mark}` };
  const escape = (character) => {
    if (known[character]) return known[character];
    const code = character.codePointAt(0);
    if (bytes ? code < 127 && code > 31 : character === " " || !/[\p{C}\p{Z}]/u.test(character)) return character;
    if (code < 256) return `\\x${code.toString(16).padStart(2, "0")}`;
    return code < 65536 ? `\\u${code.toString(16).padStart(4, "0")}` : `\\U${code.toString(16).padStart(8, "0")}`;
  };
  return mark + [...text].map(escape).join("") + mark;
}

function hex(data) {
  return Array.from(data, (byte) => byte.toString(16).padStart(2, "0")).join(" ");
}

/** Return a value for messages, shortened if it is long. */
function shown(value) {
  if (value instanceof Uint8Array) {
    return value.length ? hex(value.subarray(0, 16)) + (value.length > 16 ? " ..." : "") : "no bytes";
  }
  if (value === null) return "nothing";
  if (typeof value === "boolean") return String(value);
  if (typeof value === "object" && !Array.isArray(value)) return "a record";
  if (Array.isArray(value) && value.some((one) => typeof one === "object" && one !== null && !(one instanceof Uint8Array))) return `a list of ${value.length}`;
  return shorten(spell(value));
}

function isPlainRecord(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Uint8Array);
}

/** Return a plain value for messages. */
function repr(value) {
  if (Array.isArray(value)) return `[${value.map(repr).join(", ")}]`;
  if (!isPlainRecord(value)) return spell(value);
  const entries = Object.entries(value).map(([name, one]) => `${quote(name)}: ${repr(one)}`);
  return `{${entries.join(", ")}}`;
}

function shownFloat(value) {
  return typeof value === "number" ? floatText(value) : shown(value);
}

function shorten(text) {
  const characters = [...text];
  return characters.length < 60 ? text : `${characters.slice(0, 57).join("")}...`;
}
