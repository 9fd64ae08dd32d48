// Duplicate scoring after the Laws of Duplicate Bridge 2017: points (Law 77), international match points and match points (Law 78).

import { sideOf } from "./cards.js";

const IMP_STEPS = [
  20, 50, 90, 130, 170, 220, 270, 320, 370, 430, 500, 600,
  750, 900, 1100, 1300, 1500, 1750, 2000, 2250, 2500, 3000, 3500, 4000,
];

/**
 * The declarer's points for the tricks won, negative where the contract fails.
 * @param {import("./types").Contract} contract @param {number} tricks @param {boolean} vulnerable
 */
export function points(contract, tricks, vulnerable) {
  if (!contract.level) return 0;
  const over = tricks - contract.level - 6;
  return over >= 0 ? made(contract, over, vulnerable) : -penalty(-over, contract.doubling, vulnerable);
}

/** @param {import("./types").Contract} contract @param {number} over @param {boolean} vulnerable */
function made({ level, strain, doubling }, over, vulnerable) {
  const factor = 2 ** doubling;
  const each = strain > 2 ? 20 : 30;
  const trickPoints = factor * (each * level + (strain === 0 ? 10 : 0));
  let bonus = trickPoints < 100 ? 50 : vulnerable ? 500 : 300;
  if (level >= 6) bonus += (vulnerable ? [750, 1500] : [500, 1000])[level - 6];
  if (!doubling) return trickPoints + bonus + over * each;
  return trickPoints + bonus + 25 * factor + over * 50 * factor * (vulnerable ? 2 : 1);
}

/** @param {number} down @param {number} doubling @param {boolean} vulnerable */
function penalty(down, doubling, vulnerable) {
  if (!doubling) return down * (vulnerable ? 100 : 50);
  const doubled = vulnerable ? 300 * down - 100 : down <= 3 ? [100, 300, 500][down - 1] : 300 * down - 400;
  return doubled * doubling;
}

/**
 * The points of North and South.
 * @param {import("./types").Contract} contract @param {number | null} declarer @param {number} tricks @param {number} vulnerability
 * @returns {number | null} null where it takes a declarer and none is known
 */
export function boardPoints(contract, declarer, tricks, vulnerability) {
  if (!contract.level) return 0;
  if (declarer === null) return null;
  const side = sideOf(declarer);
  const value = points(contract, tricks, Boolean(vulnerability & (1 << side)));
  return side ? -value : value;
}

/** @param {number} difference in points, with its sign */
export function imps(difference) {
  const size = Math.abs(difference);
  const value = IMP_STEPS.filter((step) => step <= size).length;
  return difference < 0 ? -value : value;
}

/** Each score's match points among all: 2 for each lower one, 1 for each other equal one. @param {number[]} scores @returns {number[]} */
export function matchpoints(scores) {
  return scores.map((own) => scores.reduce((sum, other) => sum + (other < own ? 2 : other === own ? 1 : 0), -1));
}

/** Each score's mean IMPs against every other. @param {number[]} scores @returns {number[]} */
export function crossImps(scores) {
  const others = Math.max(1, scores.length - 1);
  return scores.map((own) => scores.reduce((sum, other) => sum + imps(own - other), 0) / others);
}

/** A result against its contract as players write it: "=", "+1", "−2". @param {import("./types").Contract} contract @param {number} tricks */
export function resultText(contract, tricks) {
  return contract.level ? signed(tricks - contract.level - 6, "=") : "";
}

/** A number with its sign, a real minus among them. @param {number} value @param {string} [zero] */
export function signed(value, zero = "0") {
  return value ? `${value > 0 ? "+" : "−"}${Math.abs(value)}` : zero;
}
