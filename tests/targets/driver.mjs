// Reads files with generated modules and prints what each gives, one JSON line a file.
// Standard input: one JSON object a line, { module, data (hexadecimal), limit, records, model }.
import { createInterface } from "node:readline";

/** A value that JSON has: bytes in hexadecimal, what numbers cannot hold in words. */
function scalar(value) {
  if (value instanceof Uint8Array) return { bytes: Buffer.from(value).toString("hex") };
  if (typeof value === "bigint") return { int: String(value) };
  if (typeof value === "number" && !Number.isFinite(value)) return { float: String(value) };
  return value ?? null;
}

function wire(node) {
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

async function* inChunks(data, size) {
  for (let at = 0; at < data.length; at += size) yield data.subarray(at, at + size);
}

for await (const line of createInterface({ input: process.stdin })) {
  const { module, data, limit, records, model } = JSON.parse(line);
  const bytes = Buffer.from(data, "hex");
  const reader = await import(module);
  const answers = [];
  if (model) {
    console.log(JSON.stringify([reader.model(reader.read(bytes).tree)]));
    continue;
  }
  if (records) {
    for await (const one of reader.records(inChunks(bytes, records), {})) answers.push(one);
  } else {
    answers.push(reader.read(bytes, limit ?? undefined));
  }
  console.log(JSON.stringify(answers.map(({ tree, findings }) => ({ tree: wire(tree), findings }))));
}
