/** Yield the records of a stream one by one, each with its own findings, so that memory stays bounded. */
async function* readRecords(top, list, stream, offset, limit) {
  const size = list.type.bits / 8;
  let held = new Uint8Array(0);
  let skip = offset;
  let place = offset;
  let index = 0;
  for await (const chunk of chunksOf(stream)) {
    const fresh = toBytes(chunk);
    const skipped = Math.min(skip, fresh.length);
    skip -= skipped;
    const data = joined(held, fresh.subarray(skipped));
    let at = 0;
    for (; at + size <= data.length; at += size) {
      const piece = data.subarray(at, at + size);
      if (endsList(list, piece)) return;
      yield readOne(top, list, piece, place, index++, limit);
      place += size;
    }
    held = data.slice(at);
  }
  if (held.length && !endsList(list, held)) yield readOne(top, list, held, place, index, limit);
}

function joined(a, b) {
  if (!a.length) return b;
  const out = new Uint8Array(a.length + b.length);
  out.set(a);
  out.set(b, a.length);
  return out;
}

function endsList({ end }, data) {
  return end !== null && end.stands(end, new Source(data, 0, data.length, 0));
}

/** Return the reading of one record of a list, at byte `offset` of a file of which nothing else is read. */
function readOne(top, list, data, offset, index, limit) {
  const session = new Session(data.length, limit);
  const stream = new Source(data, 0, data.length, offset);
  stream.start = -offset;
  const frame = new Frame(top, session, stream, null, null, "");
  frame.node = new Node(null, top.name, 0, 0, null, false);
  frame.node.parts = [];
  frame.io = new Source(data, 0, data.length, offset);
  frame.ordinal = frame.index = index;
  let tree;
  try {
    tree = list.type.read(stream, frame, index, list.decl);
  } catch (error) {
    const problem = error instanceof Abandoned ? new Unreadable(TOO_DEEP, "") : told(error);
    tree = new Node(list.decl, "", 8 * offset, 8 * (offset + data.length), data, false);
    tree.broken = true;
    frame.report(problem.kind, problem.message, tree.start, tree.stop, labelOf(list.decl, index));
  }
  finish(session);
  tree.name = String(index);
  tree.decl = list.decl;
  tree[FRAME] = null;
  return { tree, findings: session.findings() };
}

/** Return the chunks of a stream of any kind. */
async function* chunksOf(stream) {
  if (typeof stream.stream === "function") stream = stream.stream();
  if (ArrayBuffer.isView(stream) || stream instanceof ArrayBuffer) {
    yield toBytes(stream);
  } else if (typeof stream.getReader === "function") {
    const reader = stream.getReader();
    try {
      for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
    } finally {
      await reader.cancel();
    }
  } else {
    yield* stream;
  }
}
