// What readers give, in a form that JSON has; Node.js and browsers run it alike.

/** A value that JSON has: bytes in hexadecimal, what numbers cannot hold in words. */
function scalar(value) {
  if (value instanceof Uint8Array) return { bytes: Array.from(value, (byte) => byte.toString(16).padStart(2, "0")).join("") };
  if (typeof value === "bigint") return { int: String(value) };
  if (typeof value === "number" && !Number.isFinite(value)) return { float: String(value) };
  return value ?? null;
}

export function wire(node) {
  return {
    name: node.name,
    place: [node.start, node.stop, node.lsb],
    value: scalar(node.value),
    kept: scalar(node.kept),
    state: [node.absent, node.broken],
    decl: node.decl?.name ?? null,
    cells: node.values && [node.decl.bits, ...node.values.map(scalar)],
    children: node.values ? null : (node.children?.map(wire) ?? null),
    instances: (node.instances ?? []).map(wire),
  };
}

/** A value without places: lists and objects, with each other value as above. */
export function plainWire(value) {
  if (Array.isArray(value)) return value.map(plainWire);
  if (value === null || typeof value !== "object" || value instanceof Uint8Array) return scalar(value);
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, plainWire(part)]));
}

/** A value as a test sends it: bytes, and numbers that JSON lacks, come as `{"": [kind, text]}`. */
export function plainValue(value) {
  if (Array.isArray(value)) return value.map(plainValue);
  if (typeof value !== "object" || value === null) return value;
  const [kind, text] = value[""] ?? [];
  if (kind === "bytes") return Uint8Array.from(text.match(/../g) ?? [], (digits) => parseInt(digits, 16));
  if (kind !== undefined) return kind === "int" ? BigInt(text) : Number(text);
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, plainValue(part)]));
}
