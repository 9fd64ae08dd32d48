/** Tests that depend on a value alone. */
function alone(...tests) {
  return { tests, good: new Set(), check, checkCells };
}

/** Tests of a value that depend on other fields too. */
function together(...tests) {
  return { tests, good: null, check, checkCells };
}

/** A test whether a value equals another one. */
function equals(wanted, showValue = shown, showWanted = showValue) {
  const get = lazily(wanted);
  return (frame, value) => {
    const should = get(frame);
    return equal(value, should) ? null : `this should be ${showWanted(should)}, it is ${showValue(value)}`;
  };
}

function atLeast(bound, showValue = shown, showBound = showValue) {
  const get = lazily(bound);
  return (frame, value) => {
    const low = get(frame);
    return greaterOrEqual(value, low) ? null : `${showValue(value)} is below the least allowed, ${showBound(low)}`;
  };
}

function atMost(bound, showValue = shown, showBound = showValue) {
  const get = lazily(bound);
  return (frame, value) => {
    const high = get(frame);
    return lessOrEqual(value, high) ? null : `${showValue(value)} is above the most allowed, ${showBound(high)}`;
  };
}

/** A test whether a value is one of several. */
function oneOf(options, showValue = shown, showOption = showValue) {
  const gets = options.map(lazily);
  return (frame, value) => {
    const allowed = gets.map((get) => get(frame));
    const told = allowed.slice(0, 12).map(showOption).join(", ") + (allowed.length > 12 ? " ..." : "");
    return allowed.some((option) => equal(option, value)) ? null : `${showValue(value)} is not one of ${told}`;
  };
}

/** A test whether a value is a code of an enum. */
function codeOf(codes, name) {
  const known = new Set(Object.keys(codes));
  return (frame, value) => (known.has(String(value)) ? null : `${shown(value)} is not a code of ${name}`);
}

/** A test whether a condition is true for a value; messages have the condition in words (`told`), else its `source`. */
function holds(source, condition, told = null, showValue = shown) {
  const get = lazily(condition);
  return (frame, value) => {
    if (truth(get(frame))) return null;
    if (told !== null) return `this should be ${told}, it is ${showValue(value)}`;
    return `${showValue(value)} does not meet the condition '${source}'`;
  };
}

/** Report a value that the schema does not allow. */
function check(valid, each, frame, value, label, start, stop, lsb) {
  const outer = frame.it;
  frame.it = value;
  try {
    for (const test of valid.tests) {
      const message = test(frame, value);
      if (message !== null) {
        frame.report(named(INVALID, each.decl), message, start, stop, labelOf(each.decl, label), lsb);
        return;
      }
    }
  } catch (error) {
    if (error.unread) return;
    if (error instanceof EvaluationError) {
      const message = `it cannot be told whether this is valid: ${error.message}`;
      frame.report(INVALID, message, start, stop, labelOf(each.decl, label), lsb);
    } else if (error instanceof Failure) {
      const message = `${shown(value)} cannot be compared with what is allowed`;
      frame.report(INVALID, message, start, stop, labelOf(each.decl, label), lsb);
    } else {
      throw error;
    }
  } finally {
    frame.it = outer;
  }
}

/** Report elements of an array that the schema does not allow; a test of the value alone is evaluated once for each value. */
function checkCells(valid, each, frame, node) {
  const { values, start, lsb } = node;
  const { bits } = each.type;
  const above = frame.index;
  for (let index = 0; index < values.length; index++) {
    const value = values[index];
    if (valid.good?.has(value)) continue;
    frame.index = index;
    if (valid.good !== null && passes(valid, frame, value)) {
      valid.good.add(value);
      continue;
    }
    const at = start + index * bits;
    check(valid, each, frame, value, index, at, at + bits, lsb);
  }
  frame.index = above;
}

function passes(valid, frame, value) {
  const outer = frame.it;
  frame.it = value;
  try {
    return valid.tests.every((test) => test(frame, value) === null);
  } catch {
    return false;
  } finally {
    frame.it = outer;
  }
}

/** Declares an instance that is computed. */
function computed(given) {
  const { value, when = null, valid = null, doc = "", codes = null, code, severity } = given;
  const condition = when === null ? null : lazily(when);
  const decl = { doc, codes, code, severity };
  return { read: compute, severity: "note", value: lazily(value), when: condition, valid, decl };
}

/** Declares an instance that is read at the offset `pos` of the stream `io`, by default the record's own. */
function placed({ pos = null, io = null, field: each }) {
  return {
    read: readPlaced,
    severity: "error",
    pos: pos === null ? null : lazily(pos),
    io,
    each: { ...each, seen: true },
  };
}

/**
 * Return the value of an instance, computed or read on first use.
 * @where instances
 */
function readInstance(frame, name, read = null) {
  frame.busy ??= new Set();
  if (frame.busy.has(name)) throw new EvaluationError(`'${name}' depends on itself`);
  frame.busy.add(name);
  try {
    const instance = frame.record.instances.get(name);
    return (read ?? instance.read)(frame, name, instance);
  } finally {
    frame.busy.delete(name);
  }
}

function compute(frame, name, instance) {
  const absent = instance.when !== null && !truth(instance.when(frame));
  const value = absent ? null : instance.value(frame);
  frame.set(name, value);
  const owner = frame.node;
  if (owner === null) return value;
  const leaf = value instanceof Uint8Array || typeof value !== "object";
  const node = new Node(null, name, owner.start, owner.start, leaf ? value : null, false);
  node.absent = absent;
  owner.instances ??= [];
  owner.instances.push(node);
  if (instance.valid !== null && !absent)
    instance.valid.check(instance.valid, instance, frame, value, name, owner.start, owner.stop, false);
  return value;
}

function readPlaced(frame, name, { pos, io, each }) {
  const stream = io === null ? frame.io : io(frame);
  if (!(stream instanceof Source)) throw new EvaluationError(`'${name}': there is no stream to read from`);
  const { pos: place, bits: startedBits, bitsLeft } = stream;
  const nodes = [];
  try {
    if (pos !== null && (each.when === null || truth(each.when(frame)))) {
      const at = pos(frame);
      const known = typeof at === "boolean" || typeof at === "bigint" || Number.isInteger(at);
      if (!known || at < 0 || at > stream.size) {
        const message = `position ${toText(at)} is outside the ${stream.size} bytes of data`;
        frame.report(BAD_SIZE, message, frame.node.start, frame.node.stop, name);
        frame.set(name, UNREAD);
        return frame.get(name);
      }
      stream.goTo(stream.start + Number(at));
    }
    readField(each, stream, frame, nodes);
  } catch (error) {
    if (!(error instanceof Abandoned)) throw error;
    if (!frame.has(name)) frame.set(name, UNREAD);
  } finally {
    stream.pos = place;
    stream.bits = startedBits;
    stream.bitsLeft = bitsLeft;
    frame.node.instances ??= [];
    for (const node of nodes) {
      frame.node.instances.push(node);
      frame.session.reach = Math.max(frame.session.reach, node.stop);
    }
  }
  return frame.get(name);
}

/**
 * Evaluate every instance, verify derived fields and run the checks of a record.
 * @where instances, derived, checks
 */
function finishRecord(frame) {
  const { instances, derived, checks } = frame.record;
  const { start, stop } = frame.node;
  for (const [name, instance] of instances) {
    if (frame.has(name)) continue;
    try {
      readInstance(frame, name);
    } catch (error) {
      if (frame.lost || frame.isUnread(name)) continue;
      const kind = kindOf(error);
      if (error instanceof Unreadable || error instanceof EvaluationError) {
        if (kind !== FOLLOWS) {
          frame.report({ code: kind.code, severity: instance.severity }, error.message, start, stop, name);
        }
      } else {
        throw error;
      }
    }
  }
  if (frame.lost) return;
  for (const each of derived) each.derived.verify(each, frame);
  for (const each of checks) each.check(each, frame);
}

/** Declares the derived value of a field. */
function follows(value) {
  return { value: lazily(value), verify };
}

/** Report a derived field that does not have its derived value. */
function verify(each, frame) {
  const { name, decl } = each;
  const node = frame.node.parts.find((part) => part.name === name);
  if (!node || node.absent || node.broken) return;
  let wanted;
  try {
    wanted = each.derived.value(frame);
  } catch (error) {
    if (!(error instanceof EvaluationError)) throw error;
    frame.report(kindOf(error), error.message, node.start, node.stop, name);
    return;
  }
  if (!frame.has(name) || frame.isUnread(name)) return;
  const found = frame.get(name);
  if (Array.isArray(found) && wanted instanceof Uint8Array) wanted = [...wanted];
  if (equal(found, wanted)) return;
  const message = `this should be ${shown(wanted)}, it is ${shown(found)}`;
  frame.report(named(DERIVED, decl), message, node.start, node.stop, name, node.lsb);
}

/** Declares a check of a whole record. */
function must(given) {
  return { ...given, that: lazily(given.that), check: checkRecord };
}

function checkRecord({ that, code, severity, message }, frame) {
  const { start, stop } = frame.node;
  try {
    if (!truth(that(frame))) frame.report({ code, severity }, message, start, stop);
  } catch (error) {
    if (!(error instanceof EvaluationError)) throw error;
    frame.report(kindOf(error), error.message, start, stop);
  }
}
