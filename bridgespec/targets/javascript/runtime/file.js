/** Return the tree of a file with its findings. */
function readFile(top, data, limit) {
  const session = new Session(data.length, limit);
  const stream = new Source(data, 0, data.length, 0);
  const frame = new Frame(top, session, stream, null, null, "");
  const tree = readTop(frame, top.name);
  finish(session);
  if (stream.tail().length) readTrailing(frame, tree, stream);
  return { tree, findings: session.findings() };
}

function readTop(frame, name) {
  try {
    return readFields(frame, name);
  } catch (error) {
    const problem = told(error);
    const node = frame.node ?? new Node(null, name, 0, frame.io.at, null, false);
    node.broken = true;
    frame.report(problem.kind, problem.message, node.start, frame.io.at);
    return node;
  }
}

/** Return an error that ended the reading as an `Unreadable`; throw any other error again. */
function told(error) {
  if (error instanceof RangeError) return new Unreadable(TOO_DEEP, "records are nested too deeply");
  if (error instanceof EvaluationError) return new Unreadable(TOO_DEEP, error.message);
  if (error instanceof Unreadable) return error;
  throw error;
}

/** Evaluate the instances, derived values and checks of all records; instances may read further records. */
function finish(session) {
  for (let index = 0; index < session.pending.length; index++) {
    const frame = session.pending[index];
    try {
      finishRecord(frame);
    } catch (error) {
      frame.report(TOO_DEEP, told(error).message, frame.node.start, frame.node.stop);
      return;
    }
  }
}

function readTrailing(frame, tree, stream) {
  const rest = stream.tail();
  const stop = 8 * stream.end;
  tree.parts.push(new Node(null, "trailing", stop - 8 * rest.length, stop, rest, false));
  const start = Math.max(8 * stream.pos, frame.session.reach);
  if (frame.lost || start >= stop) return;
  const count = Math.floor((stop - start + 7) / 8);
  frame.report(TRAILING, `${count === 1 ? "1 byte follows" : `${count} bytes follow`} the last field`, start, stop);
}
