// Reads files with generated modules and prints what each gives, one JSON line a file.
// Standard input: one JSON object a line, { module, data (hexadecimal), limit, records, model }.
import { createInterface } from "node:readline";

import { wire } from "./wire.mjs";

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
