// node compile.js FOLDER OUT: compiles every .ksy of FOLDER to Python and writes the modules into OUT.
// One line of JSON on standard output for each schema: {"id": ..., "error": null or the compiler's message}.
// Packages are looked up in the folder that this script is started from.
"use strict";
const fs = require("fs");
const path = require("path");
const { createRequire } = require("module");

const installed = createRequire(path.join(process.cwd(), "package.json"));
const compiler = installed("kaitai-struct-compiler");
const yaml = installed("js-yaml");

const [folder, out] = process.argv.slice(2);
const load = (id) => yaml.load(fs.readFileSync(path.join(folder, `${id}.ksy`), "utf8"));
const importer = { importYaml: async (name) => load(name) };

async function main() {
  const ids = fs.readdirSync(folder).filter((name) => name.endsWith(".ksy")).map((name) => name.slice(0, -4)).sort();
  for (const id of ids) {
    let error = null;
    try {
      const files = await compiler.compile("python", load(id), importer, false);
      for (const [name, text] of Object.entries(files)) fs.writeFileSync(path.join(out, name), text);
    } catch (problem) {
      error = String(problem.message || problem);
    }
    console.log(JSON.stringify({ id, error }));
  }
}

main();
