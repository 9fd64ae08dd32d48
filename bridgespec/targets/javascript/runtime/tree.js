/** The maximum number of findings of one reading. */
const MOST = 1000;

/** The property of a record's node for its frame, until the enclosing record has taken it. */
const FRAME = Symbol("frame");

/**
 * One field as it is in the file. `start` and `stop` are bits from the start of the file; within a byte, bit 0 is the low bit where
 * `lsb` is true, else the high one. A leaf has a `value`; a record or an array has `children` in file order, and an array of
 * integers of fixed width its `values` too. `instances` are values of a record that are computed, or read at an offset. `kept` are
 * the bytes or the code in the file, if a writer would write others. A node that could not be read has its raw bytes as `value` and
 * is `broken`; a node whose condition is false is `absent`. Programs use it @whole.
 */
class Node {
  constructor(decl, name, start, stop, value, lsb) {
    this.decl = decl;
    this.name = name;
    this.start = start;
    this.stop = stop;
    this.value = value;
    this.lsb = lsb;
  }

  /**
   * The nodes inside this one in file order; null for a leaf. The elements of an array of integers are made on access.
   */
  get children() {
    if (this.parts === null && this.values !== null) {
      this.parts = this.values.map((value, index) => {
        const { bits } = this.decl;
        const start = this.start + index * bits;
        return new Node(this.decl, String(index), start, start + bits, value, this.lsb);
      });
    }
    return this.parts;
  }
}
// Defaults on the prototype: most nodes are leaves without these properties. As properties of each node they took half of the
// memory and a third of the time.
Object.assign(Node.prototype, {
  absent: false,
  broken: false,
  kept: null,
  values: null,
  instances: null,
  parts: null,
  [FRAME]: null,
});

/** Whether a node is an array: its field repeats, and it is not one of the elements. */
function isArray(node) {
  return Boolean(node.decl?.repeat) && !/^[0-9]+$/.test(node.name);
}

/**
 * Return the plain value of a node: an object by field name for a record, a list for an array, the value of a leaf. Absent fields
 * are null; a field that could not be read is its raw bytes. Instances follow the fields.
 */
function plain(node) {
  if (node.absent) return null;
  if (node.broken && node.value instanceof Uint8Array) return node.value;
  if (node.values !== null) return node.values.slice();
  if (node.parts === null) return node.value;
  if (isArray(node)) return node.parts.map(plain);
  return Object.fromEntries([...node.parts, ...(node.instances ?? [])].map((part) => [part.name, plain(part)]));
}

/** The state of one reading: its findings, and the budgets that bound its time and memory. */
class Session {
  constructor(size, limit) {
    this.limit = limit;
    this.found = [];
    this.reported = new Set();
    this.dropped = 0;
    this.grave = false;
    this.budget = 40000 + 16 * size;
    this.volume = 2 ** 24 + 8 * size;
    this.pending = [];
    this.reach = 0;
  }

  /** Subtract nodes from the budget. Throws Unreadable if the file makes more nodes than its size allows. */
  spend(amount) {
    this.budget -= amount;
    if (this.budget < 0) throw new Unreadable(TOO_DEEP, "the data repeat or refer to themselves without end");
  }

  /** Subtract bytes that are decoded, or read again at an offset, from the budget. */
  make(count) {
    this.volume -= count;
    if (this.volume < 0) this.spend(this.budget + 1);
  }

  /** Whether one more finding is kept; beyond the limit only the first error is. */
  takes(kind) {
    const grave = kind.severity === "error";
    const taken = this.found.length < this.limit || (grave && !this.grave);
    if (taken) this.grave = this.grave || grave;
    else this.dropped += 1;
    return taken;
  }

  /** Add a finding, unless there is one with the same position and message. */
  report(kind, message, record, field, start, stop, lsb) {
    const end = Math.max(start, stop);
    const key = `${start} ${end} ${lsb} ${message}`;
    if (this.reported.has(key)) return;
    this.reported.add(key);
    const { code, severity } = kind;
    this.found.push({ code, severity, message, record, field: field || null, start, stop: end, lsb });
  }

  /** Return the findings in the form that callers get; if some were dropped, the last one has their number. */
  findings() {
    const found = this.found.map(finding);
    if (this.dropped) found.push(notShown(this.dropped));
    return found;
  }
}

/** Return a finding with its position in bytes; `bits` are counted from the start of the first byte, null for whole bytes. */
function finding({ code, severity, message, record, field, start, stop, lsb }) {
  const first = Math.floor(start / 8);
  const bits = start % 8 || stop % 8 ? [start - 8 * first, stop - 8 * first] : null;
  const span = { start: first, stop: Math.ceil(stop / 8), bits, bit_order: bits && (lsb ? "low" : "high") };
  return { code, severity, message, record, field, span, line: null, column: null, ...UNHELPED };
}

/** Return the note that so many findings are not shown. */
function notShown(count) {
  const said = count === 1 ? "1 more finding is" : `${count.toLocaleString("en-US")} more findings are`;
  const nowhere = { record: null, field: null, span: null, line: null, column: null };
  return { code: "too-many-findings", severity: "note", message: `${said} not shown`, ...nowhere, ...UNHELPED };
}

/** Properties that only findings in texts have. */
const UNHELPED = { help: null, fix: null };

/** Return the bytes of a buffer or a view as a `Uint8Array`. */
function toBytes(data) {
  if (data.constructor === Uint8Array) return data;
  if (ArrayBuffer.isView(data)) return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  return new Uint8Array(data);
}
