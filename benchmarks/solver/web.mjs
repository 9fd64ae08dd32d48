// web/bridgespec-dd in Node.js behind the line protocol of driver.py: node web.mjs table|solve DEALS [FIRST] [COUNT].
import { readFileSync } from "node:fs";
import { open } from "../../web/bridgespec-dd/index.js";

const SEATS = ["N", "E", "S", "W"], STRAINS = ["S", "H", "D", "C", "NT"];
const [what, path, first = "0", count = "1e9"] = process.argv.slice(2);
const deals = readFileSync(path, "utf8").split("\n").filter((line) => line.includes(":"));
const solver = open({ memory: 256 });
let total = 0, done = 0;
for (let i = Number(first); i < Math.min(deals.length, Number(first) + Number(count)); i++) {
  const start = performance.now();
  let answer;
  if (what === "table") {
    const table = solver.table(deals[i]);
    answer = STRAINS.flatMap((strain) => SEATS.map((seat) => table[strain][seat]));
  } else {
    const leads = solver.cards({ deal: deals[i], strain: STRAINS[i % 5], leader: SEATS[Math.floor(i / 5) % 4] });
    answer = [leads[0].tricks];
  }
  const ms = performance.now() - start;
  total += ms, done++;
  console.log(i, ms.toFixed(3), ...answer);
}
console.log(`#SUMMARY deals ${done} mean_ms ${(total / done).toFixed(3)} context_mb ${(solver.memory() / 1048576).toFixed(1)}`);
