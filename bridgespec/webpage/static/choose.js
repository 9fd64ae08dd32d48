// Which boards are listed, and in which order.

import { h } from "./dom.js";
import { swing } from "./results.js";

/** @typedef {import("./types").Entry} Entry */
/** @typedef {import("./types").Result} Result */

/** @param {Result} result @param {(contract: import("./types").Contract) => boolean} test */
const bid = ({ contract }, test) => contract !== null && test(contract);

/** Whether making a contract scores a game. @param {import("./types").Contract} contract */
const isGame = ({ level, strain, doubling }) => level * (strain > 2 ? 20 : 30) * 2 ** doubling + (strain ? 0 : 10 * 2 ** doubling) >= 100;

/** What a list can be narrowed to, by the key of its name. @type {Record<string, (entry: Entry) => boolean>} */
export const KINDS = {
  "kindAll": () => true,
  "kindGames": ({ results }) => results.some((one) => bid(one, isGame)),
  "kindSlams": ({ results }) => results.some((one) => bid(one, ({ level }) => level > 5)),
  "kindDoubled": ({ results }) => results.some((one) => bid(one, ({ doubling }) => doubling > 0)),
  "kindDown": ({ results }) => results.some((one) => one.tricks !== null && bid(one, ({ level }) => level > 0 && Number(one.tricks) < level + 6)),
  "kindDiffer": ({ results }) => new Set(results.map(({ score }) => score)).size > 1,
};

/** How different a board's results are: IMPs between two, points between more. @param {Entry} entry */
function spread({ results }) {
  const scores = results.flatMap(({ score }) => (score === null ? [] : [score]));
  return results.length === 2 ? Math.abs(swing(results) ?? 0) : scores.length ? Math.max(...scores) - Math.min(...scores) : 0;
}

/** The best score of North and South. @param {Entry} entry */
const best = ({ results }) => Math.max(...results.map(({ score }) => score ?? -Infinity));

/** The highest contract. @param {Entry} entry */
const height = ({ results }) => Math.max(-1, ...results.map(({ contract }) => (contract?.level ? 5 * contract.level - contract.strain : 0)));

/** The orders of a list, by the key of their names: the greatest first. @type {Record<string, ((entry: Entry) => number) | null>} */
export const ORDERS = { "orderFile": null, "orderSwing": spread, "orderScore": best, "orderContract": height };

/** Everything of a board that a reader may look for, in small letters. @param {Entry} entry @param {import("./words.js").Words} words */
function textOf(entry, words) {
  const { event, round, teams } = entry.section;
  const own = [entry.key, event, round, teams, entry.dealer === null ? "" : words.seats[entry.dealer]];
  const results = entry.results.flatMap((one) => [one.room, ...one.names, h("span", null, words.outcome(one)).textContent]);
  return [...own, ...results].filter(Boolean).join(" ").toLowerCase();
}

/**
 * The boards that hold every word of a text and are of a kind, in an order.
 * @param {Entry[]} entries @param {{text: string, kind: string, order: string}} asked @param {import("./words.js").Words} words
 */
export function chosen(entries, { text, kind, order }, words) {
  const parts = text.toLowerCase().split(/\s+/).filter(Boolean);
  const found = entries.filter((entry) => {
    const held = KINDS[kind](entry) && parts.length ? textOf(entry, words) : "";
    return KINDS[kind](entry) && parts.every((part) => held.includes(part));
  });
  const by = ORDERS[order];
  return by ? found.sort((one, other) => by(other) - by(one)) : found;
}

/**
 * What a list is narrowed and ordered by.
 * @param {boolean} results whether there are any @param {import("./words.js").Words} words @param {(asked: {text: string, kind: string, order: string}) => void} changed
 */
export function chooser(results, { say }, changed) {
  const text = h("input", { type: "search", "aria-label": say("find"), placeholder: say("find"), oninput: () => tell() });
  /** @param {string} key @param {Record<string, unknown>} from */
  const select = (key, from) => h("select", { "aria-label": say(key), onchange: () => tell() },
    Object.keys(from).map((name) => h("option", { value: name }, say(name))));
  const [kind, order] = [select("kinds", KINDS), select("orders", ORDERS)];
  const tell = () => changed({ text: text.value, kind: kind.value || "kindAll", order: order.value || "orderFile" });
  return h("div", { class: "tools" }, text, results ? [kind, order] : null);
}
