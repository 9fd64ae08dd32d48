// What the page's rules answer to the questions on standard input, for the comparison with the model.

import { bought } from "../../bridgespec/webpage/static/auction.js";
import { entriesOf, standardDealer, standardVulnerability } from "../../bridgespec/webpage/static/boards.js";
import { cardOf, holdersOf } from "../../bridgespec/webpage/static/cards.js";
import { Line } from "../../bridgespec/webpage/static/line.js";
import { makeable, par } from "../../bridgespec/webpage/static/par.js";
import { follow, legal } from "../../bridgespec/webpage/static/play.js";
import { conditionOf, dealt } from "../../bridgespec/webpage/static/condition.js";
import { linOf, pbnOf } from "../../bridgespec/webpage/static/exports.js";
import { typedDeal } from "../../bridgespec/webpage/static/make.js";
import { packed, sharedBoard, unpacked } from "../../bridgespec/webpage/static/share.js";
import { crossImps, imps, matchpoints, points } from "../../bridgespec/webpage/static/score.js";

const ANSWERS = {
  play: ({ deal, strain, leader, cards }) => follow({ holders: holdersOf(deal), strain, leader }, cards.map(cardOf))
    .map((state) => ({ turn: state.turn, legal: legal(state), won: state.won, left: state.left, winners: state.tricks.map((trick) => trick.winner) })),
  points: ({ contract, tricks, vulnerable }) => points(contract, tricks, vulnerable),
  imps: (difference) => imps(difference),
  matchpoints: (scores) => matchpoints(scores),
  crossImps: (scores) => crossImps(scores),
  bought: ({ board, dealer }) => bought(board, dealer),
  standard: (number) => [standardDealer(number), standardVulnerability(number)],
  pbn: (board) => pbnOf(board),
  lin: (board) => linOf(board),
  packed: (board) => packed(board),
  unpacked: (text) => unpacked(text),
  shared: ({ board, left, seats }) => sharedBoard(entriesOf([{ boards: [board] }])[0], null, { left, seats }),
  typed: (text) => typedDeal(text),
  suits: ({ condition, deals }) => { const test = conditionOf(condition); return test && deals.map(test); },
  dealt: ({ condition, known, count }) => Array.from({ length: count }, () => dealt(known, conditionOf(condition))),
  par: ({ table, dealer, vulnerability }) => par(table, dealer, vulnerability),
  makeable: (table) => makeable(table),
  entries: (documents) => entriesOf(documents).map(({ key, results, table, dealer, vulnerability }) =>
    ({ key, table, dealer, vulnerability, results: results.map(({ score, room, played, lead, count, pairs, stated, contract, declarer, tricks }) => ({ score, room, played, lead, count, pairs, stated,
      outcome: contract && [contract.level, contract.strain, contract.doubling, declarer, tricks] })) })),
  line: ({ deal, strain, declarer, record, steps }) => {
    const line = new Line({ holders: holdersOf(deal) }, { strain, declarer, contract: null }, { leader: null, played: record.map(cardOf) });
    return steps.map(([step, ...given]) => {
      line[step](...given.map((one) => (typeof one === "string" ? cardOf(one) : one)));
      return [line.at, line.isRecord, line.state.played.length];
    });
  },
};

let asked = "";
process.stdin.on("data", (part) => { asked += part; });
process.stdin.on("end", () => process.stdout.write(JSON.stringify(JSON.parse(asked).map(([name, given]) => ANSWERS[name](given)))));
