// The table at which a board is played: the hands with the worth of each card, the trick, the buttons and choices below.

import { handOf, SEAT_LETTERS, suitOf } from "./cards.js";
import { compass, READING } from "./diagram.js";
import { h, told } from "./dom.js";
import { legal } from "./play.js";
import { declaring } from "./solver.js";

/** @typedef {import("./player.js").Player} Player */
/** @typedef {import("./line.js").Line} Line */

/** @param {Player} player @param {Line} line */
export function playTable(player, line) {
  const worths = player.settings.worth && !player.isHiding ? player.worths(line.state) : null;
  return h("div", { class: "diagram play" }, READING.map((seat) => hand(player, line, seat, worths)), centre(player, line.state));
}

/** @param {Player} player @param {Line} line @param {number} seat @param {import("./types").Worths | null} worths */
function hand(player, line, seat, worths) {
  const { words } = player;
  const { state } = line;
  const onTurn = seat === state.turn && !line.isOver;
  const may = onTurn && player.plays(seat) ? legal(state) : [];
  const cards = handOf(state.holders, seat);
  /** @param {number} suit */
  const held = (suit) => {
    const own = cards.filter((card) => suitOf(card) === suit);
    const still = `tile${onTurn ? " barred" : ""}`;
    if (!own.length) return h("span", { class: "tile barred" }, words.say("void"));
    return own.map((card) => (may.includes(card) ? tile(player, line, card, worths) : h("span", { class: still }, words.ranks[card % 13])));
  };
  return h("div", { class: `hand ${SEAT_LETTERS[seat]}${onTurn ? " turn" : ""}` },
    h("div", { class: "seat" }, h("b", null, words.seats[seat]), " ", told(player.result?.names[seat])),
    player.sees(seat) ? [0, 1, 2, 3].map((suit) => h("div", { class: "holding" }, words.sign(suit), h("span", { class: "tiles" }, held(suit))))
      : h("p", { class: "quiet" }, words.say("hiddenCards", { n: cards.length })));
}

/** A card that may be played, with its worth below it. @param {Player} player @param {Line} line @param {number} card @param {import("./types").Worths | null} worths */
function tile(player, line, card, worths) {
  const { words } = player;
  const worth = worths?.get(card);
  const cost = worths && worth !== undefined ? Math.max(...worths.values()) - worth : 0;
  const made = worth === undefined ? null : declaring(line.state, worth, line.side);
  const name = words.cardName(card);
  const said = made === null ? name
    : cost ? words.say("worthCost", { card: name, n: made, cost }) : words.say("worthBest", { card: name, n: made });
  return h("button", { type: "button", class: `tile may${cost ? " costs" : ""}`, "data-card": card, "data-keep": `card${card}`, onclick: () => player.playCard(card) },
    words.ranks[card % 13], h("small", null, made === null ? "" : player.worthText(made)), h("span", { class: "sr" }, ` ${said}`));
}

/** The trick that is being played, or the one just finished. @param {Player} player @param {import("./types").State} state */
function centre({ words, entry }, state) {
  const last = state.tricks[state.tricks.length - 1];
  const shown = state.trick.length ? { leader: state.leader, cards: state.trick, winner: -1 } : last;
  const cards = shown?.cards.map((card, index) => {
    const seat = (shown.leader + index) % 4;
    return h("span", { class: `on ${SEAT_LETTERS[seat]}${seat === shown.winner ? " winner" : ""}` }, words.card(card));
  });
  return h("div", { class: `centre${state.trick.length ? "" : " done"}` }, cards ?? compass(entry, words));
}

/** @param {Player} player */
export const enterButton = (player) =>
  h("button", { type: "button", class: "enter", "data-keep": "enter", onclick: () => player.setPlaying(true) }, player.words.say("playThrough"));

/** Where the play stands, and the buttons that go along it. @param {Player} player @param {Line} line */
export function playBar(player, line) {
  const { say } = player.words;
  const { tricks, left, won } = line.state;
  /** @param {string} sign @param {string} name @param {(line: Line) => void} go @param {boolean} off */
  const step = (sign, name, go, off) => h("button", {
    type: "button", class: "step", title: say(name), "aria-label": say(name), "aria-disabled": off && "true", "data-keep": name, onclick: () => player.step(go),
  }, sign);
  const [first, last] = [line.at === 0, line.at === line.states.length - 1];
  return [
    h("p", { class: "status" }, h("b", null, say("trickNumber", { n: tricks.length + Math.min(1, left) })),
      h("span", null, player.status()), h("span", { class: "quiet" }, say("won", { ns: won[0], ew: won[1] }))),
    h("div", { class: "steps" },
      step("⇤", "start", (one) => one.go(0), first), step("«", "trickBack", (one) => one.goTrick(-1), first),
      step("‹", "undo", (one) => one.go(one.at - 1), first), step("›", "forward", (one) => one.go(one.at + 1), last),
      step("»", "trickForward", (one) => one.goTrick(1), last), step("⇥", "end", (one) => one.go(Infinity), last),
      line.isRecord || line.record.length < 2 ? null
        : player.isHiding ? null : h("button", { type: "button", "data-keep": "rejoin", onclick: () => player.step((one) => one.rejoin()) }, say("backToRecord"))),
    player.note ? h("p", { class: "note" }, player.note) : null,
  ];
}

/** What may be chosen: strain and declarer, whether worths are shown, and the way back. @param {Player} player */
export function playOptions(player) {
  const { words, choice, settings, line } = player;
  const { say } = words;
  const left = line && !line.isOver ? line.state.left : 0;
  const claimed = h("select", { "aria-label": say("claimMore"), "data-keep": "claimed" },
    Array.from({ length: left + 1 }, (_, more) => h("option", { value: left - more }, left - more)));
  /** @param {string} key @param {() => void} act */
  const button = (key, act) => h("button", { type: "button", "data-keep": key, onclick: act }, say(key));
  const defenders = [1, 3].map((by) => words.seats[((line?.declarer ?? 0) + by) % 4]);
  /** @param {string} name @param {string[]} options @param {number} at @param {(value: number) => void} change */
  const select = (name, options, at, change) => h("label", null, `${say(name)} `,
    h("select", { "data-keep": name, onchange: (/** @type {{target: HTMLSelectElement}} */ event) => change(Number(event.target.value)) },
      options.map((option, value) => h("option", { value, selected: value === at }, option))));
  return [
    h("div", { class: "choices" },
      choice && [
        select("chooseContract", [0, 1, 2, 3, 4].map(words.strainName), choice.strain, (strain) => player.choose({ strain })),
        select("chooseDeclarer", words.seats, choice.declarer, (declarer) => player.choose({ declarer })),
      ],
      h("label", { class: "check" }, h("input", { type: "checkbox", "data-keep": "worth", checked: settings.worth, onchange: () => {
        settings.set("worth", !settings.worth);
        player.show();
      } }), ` ${say("showWorth")}`),
      select("youPlay", [say("allHands"), say("declarerHands"), ...defenders], player.view, (view) => player.look(view))),
    h("div", { class: "choices" },
      player.auto ? button("stop", () => player.setAuto(false)) : button("autoplay", () => player.setAuto(true)),
      left && !player.isHiding ? button("bestLine", () => player.bestLine()) : null,
      left ? h("span", { class: "claim" }, button("claim", () => player.claim(Number(claimed.value))), claimed) : null,
      button("backToDiagram", () => player.setPlaying(false))),
    player.failed ? h("p", { class: "error" }, player.failed) : null,
    h("p", { class: "quiet keys" }, say("keys")),
  ];
}
