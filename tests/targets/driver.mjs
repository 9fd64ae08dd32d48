// Reads files with generated modules and prints what each gives, one JSON line a file.
// Standard input: one JSON object a line, { module, data (hexadecimal), limit, records, model, places, plain, judge, steps, writes }.
import { Session } from "node:inspector/promises";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

import { plainValue, plainWire, wire } from "./wire.mjs";

async function* inChunks(data, size) {
  for (let at = 0; at < data.length; at += size) yield data.subarray(at, at + size);
}

let counter = null;

/** How many functions of a module a reading enters, and what takes the boards from it. */
async function entered(reader, module, bytes) {
  if (counter === null) {
    counter = new Session();
    counter.connect();
    await counter.post("Profiler.enable");
    await counter.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  }
  await counter.post("Profiler.takePreciseCoverage");
  const { tree } = reader.read(bytes, 100);
  reader.model?.(tree);
  const { result } = await counter.post("Profiler.takePreciseCoverage");
  const { functions } = result.find(({ url }) => url === pathToFileURL(module).href);
  return functions.reduce((sum, { ranges }) => sum + ranges[0].count, 0);
}

/** The bytes of a value, or why it has none. */
function written(reader, value, origin) {
  try {
    return Buffer.from(reader.write(value, origin)).toString("hex");
  } catch (error) {
    if (error.constructor !== Error) throw error;
    return error.message;
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const { module, data, limit, records, model, places, plain, judge, steps, writes } = JSON.parse(line);
  const bytes = Buffer.from(data, "hex");
  const reader = await import(module);
  const answers = [];
  if (steps) {
    console.log(JSON.stringify([await entered(reader, module, bytes)]));
    continue;
  }
  if (writes) {
    const { tree } = reader.read(bytes);
    console.log(JSON.stringify(writes.map(([value, kept]) => written(reader, plainValue(value), kept ? tree : null))));
    continue;
  }
  if (model) {
    console.log(JSON.stringify([reader.model(reader.read(bytes).tree)]));
    continue;
  }
  if (judge) {
    console.log(JSON.stringify([reader.judge(reader.read(bytes))]));
    continue;
  }
  if (plain) {
    console.log(JSON.stringify([plainWire(reader.plain(reader.read(bytes).tree))]));
    continue;
  }
  if (places) {
    const at = (place) => place && [place.start, place.stop];
    const told = reader.places(reader.read(bytes).tree).map(({ facts, cards, tricks, calls, play }) => ({
      ...Object.fromEntries(Object.entries(facts).map(([name, place]) => [name, at(place)])),
      ...{ cards: cards.map(at), tricks: tricks.map(at), calls: calls.map(at), play: play.map((one) => one.map(at)) },
    }));
    console.log(JSON.stringify([told]));
    continue;
  }
  if (records) {
    for await (const one of reader.records(inChunks(bytes, records), {})) answers.push(one);
  } else {
    answers.push(reader.read(bytes, limit ?? undefined));
  }
  console.log(JSON.stringify(answers.map(({ tree, findings }) => ({ tree: wire(tree), findings }))));
}
