// The tricks of a play with what each card cost, where tricks were given away and by whom, and the opening leads.

import { SIGNS, suitOf } from "./cards.js";
import { h } from "./dom.js";
import { signed } from "./score.js";
import { costOf, declaring } from "./solver.js";

/** @typedef {import("./player.js").Player} Player */
/** @typedef {import("./line.js").Line} Line */
/** @typedef {(import("./solver.js").Cost | null)[]} Costs null where it is not known yet */

/** How many of the better cards are named. */
const NAMED = 3;

/** @param {Player} player @param {Line} line */
export function tricksView(player, line) {
  const { words, result } = player;
  const { say } = words;
  const last = line.states[line.states.length - 1];
  const tricks = last.trick.length ? [...last.tricks, { leader: last.leader, cards: last.trick, winner: -1 }] : last.tricks;
  const costs = line.states.slice(0, -1).map((state, index) => {
    const worths = player.solver.recall(state);
    return worths && costOf(worths, last.played[index]);
  });
  const claim = line.isRecord ? result?.board.play?.claim : undefined;
  /** @param {number} number */
  const head = (number) => h("th", { scope: "row" }, h("button", {
    type: "button", "data-keep": `trick${number}`, "aria-label": say("trickNumber", { n: number + 1 }), onclick: () => player.step((one) => one.go(4 * number)),
  }, number + 1));
  return [
    h("h2", null, say(line.isRecord ? "recordedPlay" : "yourLine")),
    h("table", { class: "played" },
      h("thead", null, h("tr", null, h("th", { scope: "col" }, say("trick")), words.seats.map((seat) => h("th", { scope: "col" }, seat)))),
      h("tbody", null, tricks.map((trick, number) => h("tr", null, head(number),
        [0, 1, 2, 3].map((seat) => h("td", null, playedCard(player, line, trick, number, seat, costs))))))),
    claim === undefined ? null : h("p", { class: "quiet" }, say("claimed", { n: claim })),
    line.broken ? h("p", { class: "error" }, say("broken", { n: Math.floor((line.record.length - 1) / 4) + 1 })) : null,
    lost(player, line, costs),
  ];
}

/**
 * @param {Player} player @param {Line} line @param {{leader: number, cards: number[], winner: number}} trick @param {number} number
 * @param {number} seat @param {Costs} costs
 */
function playedCard(player, line, trick, number, seat, costs) {
  const { words, playing } = player;
  const place = (seat - trick.leader + 4) % 4;
  const card = trick.cards[place];
  if (card === undefined) return null;
  const at = 4 * number + place;
  const cost = costs[at]?.cost ?? 0;
  const marks = [
    "go", place === 0 && "led", seat === trick.winner && "winner", playing && at >= line.at && "ahead", playing && at === line.at - 1 && "here",
  ].filter(Boolean).join(" ");
  return h("button", { type: "button", tabindex: "-1", class: marks, "data-keep": `at${at}`, onclick: () => player.step((one) => one.go(at + 1)) },
    words.card(card), cost ? [h("sup", null, signed(-cost)), h("span", { class: "sr" }, ` ${words.say("gave", { n: cost })}`)] : null);
}

/** @param {Player} player @param {Line} line @param {Costs} costs */
function lost(player, line, costs) {
  const { words } = player;
  if (player.failed) return h("p", { class: "error" }, player.failed);
  if (costs.includes(null)) return line.isRecord ? h("p", { class: "quiet progress" }, player.progress) : null;
  const cards = line.states[line.states.length - 1].played;
  const found = costs.flatMap((cost, index) => (cost?.cost ? [{ ...cost, index }] : []));
  if (!found.length) return line.isRecord ? h("p", { class: "quiet" }, words.say("lostNothing")) : null;
  /** @param {number} card */
  const spelled = (card) => SIGNS[suitOf(card)] + words.ranks[card % 13];
  return [h("h3", null, words.say("lost")), h("ul", { class: "lost" }, found.map(({ cost, best, index }) => {
    const text = words.say("lostBy", {
      trick: Math.floor(index / 4) + 1, seat: words.seats[line.states[index].turn], card: spelled(cards[index]), n: cost,
      better: best.slice(0, NAMED).map(spelled).join(", ") + (best.length > NAMED ? " …" : ""),
    });
    return h("li", null, h("button", { type: "button", class: "text", "data-keep": `lost${index}`, onclick: () => player.step((one) => one.go(index)) }, words.rich(text)));
  }))];
}

/** Each result that a lead leaves declarer with, the best for the leader's side first. @param {Player} player @param {Line} line */
export function leadsView(player, line) {
  const { words } = player;
  const first = line.record[0];
  const worths = player.solver.recall(first);
  if (!worths) return null;
  const results = [...new Set(worths.values())].sort((one, other) => other - one);
  const about = words.say("leadsAbout", { seat: words.seats[first.turn], 
    contract: line.contract ? words.contractName(line.contract) : words.say("strainBy", { strain: words.strainName(line.start.strain), seat: words.seats[line.declarer] }) });
  return [
    h("h2", null, words.say("leads")),
    h("p", { class: "quiet" }, words.rich(about)),
    h("table", { class: "leadtable" }, h("tbody", null, results.map((worth) => {
      const made = declaring(first, worth, line.side);
      const cards = [...worths.keys()].filter((card) => worths.get(card) === worth).sort((one, other) => one - other);
      const suits = [0, 1, 2, 3].map((suit) => cards.filter((card) => suitOf(card) === suit)).filter((held) => held.length);
      return h("tr", null, h("th", { scope: "row" }, made, line.contract ? h("small", null, ` ${player.worthText(made)}`) : null),
        h("td", null, suits.map((held) => h("span", { class: "led" },
          words.sign(suitOf(held[0])), held.map((card) => words.ranks[card % 13]).join(" "), " "))));
    }))),
  ];
}
