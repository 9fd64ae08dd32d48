/** The maximum depth of nested records. */
const MAX_DEPTH = 100;

/** The value of a field that could not be read. */
const UNREAD = {
  scopeAttribute(name) {
    throw new EvaluationError(`'${name}' of a field that could not be read`, true);
  },
};

/** Values by field name; without a prototype, since a field may be called `constructor`. */
function Values() {}
Values.prototype = Object.create(null);

/** A record that is being read, as the scope of expressions. */
class Frame {
  constructor(record, session, io, owner, decl, label) {
    this.record = record;
    this.session = session;
    this.io = io;
    this.owner = owner;
    this.parent = owner;
    this.decl = decl;
    this.label = label;
    this.values = null;
    this.places = null;
    this.it = null;
    this.index = null;
    this.little = null;
    this.ordinal = null;
    this.node = null;
    this.busy = null;
    this.lost = false;
    this.depth = 0;
    this.root = this;
    if (owner === null) return;
    this.index = owner.index;
    this.little = owner.little;
    this.ordinal = owner.ordinal;
    this.depth = owner.depth + 1;
    if (record.schema === owner.record.schema) {
      this.root = owner.root;
    } else {
      // in an imported schema, `_parent` and `_root` do not lead to records of the schema that imports it
      this.parent = null;
      this.root = record.name === record.schema ? this : null;
    }
  }

  /** Return the value of a field, parameter or instance. */
  get(name) {
    const value = this.values === null ? undefined : this.values[name];
    if (value === undefined) return this.find(name);
    if (value === UNREAD) throw new EvaluationError(`'${name}' could not be read`, true);
    return value;
  }

  /** Store a value for later expressions. */
  set(name, value) {
    this.values ??= new Values();
    this.values[name] = value;
  }

  /** Whether there is a value, also one that could not be read. */
  has(name) {
    return this.values !== null && this.values[name] !== undefined;
  }

  isUnread(name) {
    return this.values !== null && this.values[name] === UNREAD;
  }

  find(name) {
    if (this.record.instances.has(name)) return readInstance(this, name);
    if (name === "_is_le") return this.little;
    throw new EvaluationError(`'${name}' is not read yet`);
  }

  /** Return the position of a field that was read, or of the record itself. */
  spotOf(name) {
    if (name !== null && this.record.instances.has(name)) this.get(name);
    const place = this.places?.get(name);
    if (place === undefined) throw new EvaluationError(`'${name}' does not stand in the file`);
    return place;
  }

  /** Return the position of the whole stream. */
  wholeSpot() {
    const place = new Place(this.io, 0);
    place.stop = 8 * this.io.size;
    this.session.make(this.io.size);
    return place;
  }

  scopeAttribute(name) {
    if (name === "_root") return this.root;
    if (name === "_parent") return this.parent;
    if (name === "_io") return this.io;
    return this.get(name);
  }

  /** Return the dotted path of this record, or of one of its fields. */
  path(name) {
    const parts = name ? [name] : [];
    for (let frame = this; frame?.decl; frame = frame.owner) parts.push(labelOf(frame.decl, frame.label));
    return parts.reverse().join(".");
  }

  report(kind, message, start, stop, name = "", lsb = false) {
    if (kind === FOLLOWS || !this.session.takes(kind)) return;
    this.session.report(kind, message, this.ordinal, this.path(name), start, stop, lsb);
  }
}

/** Return the name of a field, or of one of its elements if `label` is an index. */
function labelOf(decl, label) {
  return typeof label === "number" ? `${decl.name}[${label}]` : label;
}

/** Return a kind of finding with the schema's own code and severity, which take precedence. */
function named(kind, decl) {
  return { code: decl.code ?? kind.code, severity: decl.severity ?? "error" };
}
