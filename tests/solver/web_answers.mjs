// Answers questions, one JSON array [name, ...given] a line, with web/bridgespec-dd: node web_answers.mjs MODULE_URL < QUESTIONS.
import { readFileSync } from "node:fs";
const { open, par } = await import(process.argv[2]);
const solver = open({ memory: Number(process.argv[3] ?? 64) });
for (const line of readFileSync(0, "utf8").split("\n").filter(Boolean)) {
  const [name, ...given] = JSON.parse(line);
  let answer;
  try {
    answer = name === "par" ? par(...given) : solver[name](...given);
  } catch (error) {
    answer = { error: error.message };
  }
  console.log(JSON.stringify(answer));
}
