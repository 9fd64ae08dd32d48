/** How many findings of one reading are kept. */
const MOST = 1000;

/** Where a node that was just read keeps its frame, until the record that holds it has seen it. */
const FRAME = Symbol("frame");

/**
 * One field as it stood in the file. `start` and `stop` are bits from the start of the file; within a byte, bit 0
 * is the low bit where `lsb` is true, else the high one. A leaf has a `value`; a record or an array has `children`
 * in file order, and an array of equal integers its `values` too. `instances` are what a record computes or reads
 * elsewhere. `kept` is the field's own spelling, where that is not the one that would be written. A node that
 * could not be read keeps its raw bytes as `value` and is `broken`; one whose condition did not hold is `absent`.
 * Programs use it @whole.
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
   * The nodes below this one in file order; null for a leaf. Those of an array of integers are made when asked for.
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
// Most nodes are leaves, of which none has these: kept by each node, they took half of the memory and a third
// of the time.
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
 * The value of a node without places: a record is an object by field name, an array a list, a leaf its value.
 * Absent fields are null; what could not be read is its raw bytes. Instances stand behind the fields.
 */
function plain(node) {
  if (node.absent) return null;
  if (node.broken && node.value instanceof Uint8Array) return node.value;
  if (node.values !== null) return node.values.slice();
  if (node.parts === null) return node.value;
  if (isArray(node)) return node.parts.map(plain);
  return Object.fromEntries([...node.parts, ...(node.instances ?? [])].map((part) => [part.name, plain(part)]));
}

/** One reading: its findings, and what it may still spend. */
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

  /** Count nodes: a file cannot make more of them than its size allows. */
  spend(amount) {
    this.budget -= amount;
    if (this.budget < 0) throw new Unreadable(TOO_DEEP, "the data repeat or refer to themselves without end");
  }

  /** Count bytes that are read again, out of turn. */
  make(count) {
    this.volume -= count;
    if (this.volume < 0) this.spend(this.budget + 1);
  }

  /** Whether there is room for a finding; past the limit there is for the first error. */
  takes(kind) {
    const grave = kind.severity === "error";
    const taken = this.found.length < this.limit || (grave && !this.grave);
    if (taken) this.grave = this.grave || grave;
    else this.dropped += 1;
    return taken;
  }

  /** Keep a finding, unless it says what one just before it has said. */
  report(kind, message, record, field, start, stop, lsb) {
    const end = Math.max(start, stop);
    const key = `${start} ${end} ${lsb} ${message}`;
    if (this.reported.has(key)) return;
    this.reported.add(key);
    const { code, severity } = kind;
    this.found.push({ code, severity, message, record, field: field || null, start, stop: end, lsb });
  }

  /** The findings as a caller sees them; where some were dropped, the last one says how many. */
  findings() {
    const found = this.found.map(finding);
    if (this.dropped) found.push(notShown(this.dropped));
    return found;
  }
}

/** A finding with its place in bytes; `bits` are counted from the start of the first byte, null for whole bytes. */
function finding({ code, severity, message, record, field, start, stop, lsb }) {
  const first = Math.floor(start / 8);
  const bits = start % 8 || stop % 8 ? [start - 8 * first, stop - 8 * first] : null;
  const span = { start: first, stop: Math.ceil(stop / 8), bits, bit_order: bits && (lsb ? "low" : "high") };
  return { code, severity, message, record, field, span, line: null, column: null, ...UNHELPED };
}

/** The finding that so many are not shown. */
function notShown(count) {
  const said = count === 1 ? "1 more finding is" : `${count.toLocaleString("en-US")} more findings are`;
  const nowhere = { record: null, field: null, span: null, line: null, column: null };
  return { code: "too-many-findings", severity: "note", message: `${said} not shown`, ...nowhere, ...UNHELPED };
}

/** What only findings in texts have. */
const UNHELPED = { help: null, fix: null };

/** Whatever holds bytes, as an array of them. */
function toBytes(data) {
  if (data.constructor === Uint8Array) return data;
  if (ArrayBuffer.isView(data)) return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  return new Uint8Array(data);
}
