// Playing a board through: the table with the worth of each card, the buttons below it, the tricks and the leads beside it.

import { cardOf, cardText, handOf, SEAT_LETTERS, suitOf } from "./cards.js";
import { compass, diagram, READING } from "./diagram.js";
import { fill, h, told } from "./dom.js";
import { Line } from "./line.js";
import { legal } from "./play.js";
import { par } from "./par.js";
import { resultText, signed } from "./score.js";
import { costOf, declaring, LATER, NOW } from "./solver.js";
import { isWhole } from "./tables.js";

/** How long a board is looked at before its record is weighed, in milliseconds. */
const SETTLED = 250;

/** @typedef {{strain: number, declarer: number, contract: import("./types").Contract | null}} Choice what is played by whom */

export class Player {
  /**
   * @param {import("./types").Entry} entry @param {import("./types").Result | null} result
   * @param {{words: import("./words.js").Words, solver: import("./solver.js").Solver, settings: import("./settings.js").Settings}} page
   * @param {AbortSignal} signal ends all that goes on
   * @param {(place: Record<string, string>) => void} moved is told where the player stands, as parts of a link
   */
  constructor(entry, result, page, signal, moved) {
    this.entry = entry;
    this.result = result;
    this.words = page.words;
    this.solver = page.solver;
    this.settings = page.settings;
    this.signal = signal;
    this.moved = moved;
    this.playing = false;
    this.failed = "";
    this.choice = this.chosen();
    /** @type {Line | null} */
    this.line = this.choice && this.makeLine(this.choice);
    this.table = h("div", { class: "table" });
    this.bar = h("div", { class: "bar" });
    this.options = h("div", { class: "options" });
    this.said = h("p", { class: "sr", role: "status" });
    this.board = h("section", { class: "playing", "aria-label": this.words.say("play") }, this.table, this.bar, this.options, this.said);
    this.record = h("section", { class: "record" });
    this.leads = h("section", { class: "leads" });
    this.about = h("div", { class: "about" }, this.record, this.leads);
    this.show();
    if (this.line?.record.length) setTimeout(() => this.weigh(), SETTLED);
  }

  /** What is played by whom: as recorded, else a par contract, else anything; null where nothing can be played. @returns {Choice | null} */
  chosen() {
    const { entry, result } = this;
    if (!entry.playable) return null;
    if (result?.contract?.level && result.declarer !== null) {
      return { strain: result.contract.strain, declarer: result.declarer, contract: result.contract };
    }
    const first = isWhole(entry.table) && entry.dealer !== null ? par(entry.table, entry.dealer, entry.vulnerability ?? 0).contracts[0] : null;
    return first ? { strain: first.contract.strain, declarer: first.declarers[0], contract: first.contract }
      : { strain: 0, declarer: 3, contract: null };
  }

  /** @param {Choice} choice */
  makeLine(choice) {
    const { result } = this;
    const own = choice.contract !== null && choice.contract === result?.contract;
    return new Line(this.entry, choice, own && result ? result : null);
  }

  /** Show the place of a link: `card` of the record, or a `line` of its own. @param {Record<string, string>} place */
  goTo(place) {
    if (!this.line || (place.card === undefined && place.line === undefined)) return;
    if (place.line !== undefined) this.line.follow((place.line.match(/../g) ?? []).map(cardOf));
    else this.line.go(Number(place.card) || 0);
    this.playing = true;
    this.show();
  }

  // --- going along ---------------------------------------------------------------------------------------------------

  /** @param {boolean} on */
  setPlaying(on) {
    this.playing = on;
    this.show();
    this.tell();
    /** @type {HTMLElement | null} */ (this.board.querySelector(on ? "button.tile" : ".enter"))?.focus();
  }

  /** @param {(line: Line) => void} step */
  step(step) {
    if (!this.line) return;
    this.playing = true;
    step(this.line);
    this.show();
    this.tell();
  }

  /** @param {number} card */
  playCard(card) {
    const onCard = this.table.contains(document.activeElement);
    const seat = this.line?.state.turn ?? 0;
    this.step((line) => line.play(card));
    this.said.textContent = [this.words.say("played", { seat: this.words.seats[seat], card: this.words.cardName(card) }), this.status()].join(" ");
    // Whoever plays by keyboard goes on at the next hand.
    if (onCard) /** @type {HTMLElement | null} */ (this.table.querySelector("button.tile"))?.focus();
  }

  /** Whether the key was one of play. @param {string} key */
  key(key) {
    const steps = /** @type {Record<string, (line: Line) => void>} */ ({
      ArrowLeft: (line) => line.go(line.at - 1),
      ArrowRight: (line) => line.go(line.at + 1),
      Home: (line) => line.go(0),
      End: (line) => line.go(Infinity),
    });
    if (!this.playing || !steps[key]) return false;
    this.step(steps[key]);
    this.said.textContent = this.status();
    return true;
  }

  /** Tell where the player stands. */
  tell() {
    const { line } = this;
    if (!line || !this.playing) this.moved({});
    else if (line.isRecord) this.moved({ card: String(line.at) });
    else this.moved({ line: line.state.played.map(cardText).join("") });
  }

  // --- the solver ----------------------------------------------------------------------------------------------------

  /** The worth of the cards at a position; shows again once it is known. @param {import("./types").State} state @param {number} rank */
  worths(state, rank = NOW) {
    if (this.failed || !state.left) return null;
    const known = this.solver.recall(state);
    if (!known) {
      this.solver.worths(state, rank, this.signal).then(() => this.line && this.show(), (error) => this.fail(error));
    }
    return known;
  }

  /** Weigh every card of the record. */
  async weigh() {
    if (this.signal.aborted || !this.line || !this.entry.playable) return;
    const { record } = this.line;
    this.worths(record[0], LATER);
    if (record.length < 2) return;
    try {
      await this.solver.trace(record, (done) => {
        this.progress = this.words.say("analysing", { done, all: record.length - 1 });
        const note = this.record.querySelector(".progress");
        if (note) note.textContent = this.progress;
      }, this.signal);
      this.progress = "";
      this.show();
    } catch (error) {
      this.fail(error);
    }
  }

  /** @param {any} error */
  fail(error) {
    if (this.signal.aborted || this.failed) return;
    this.failed = this.words.say("failed", { reason: String(error?.message ?? error) });
    this.show();
  }

  // --- what is seen --------------------------------------------------------------------------------------------------

  show() {
    if (this.signal.aborted) return;
    const { entry, words, line } = this;
    if (this.playing && line) this.showTable(line);
    else fill(this.table, diagram(entry, words, this.result?.names));
    this.showBar();
    this.showRecord();
    this.showLeads();
  }

  /** @param {Line} line */
  showTable(line) {
    const focused = /** @type {HTMLElement | null} */ (document.activeElement)?.dataset?.card;
    const { state } = line;
    const worths = this.settings.worth ? this.worths(state) : null;
    fill(this.table, h("div", { class: "diagram play" },
      READING.map((seat) => this.hand(line, seat, worths)), this.centre(state)));
    if (focused) /** @type {HTMLElement | null} */ (this.table.querySelector(`[data-card="${focused}"]`))?.focus();
  }

  /** @param {Line} line @param {number} seat @param {import("./types").Worths | null} worths */
  hand(line, seat, worths) {
    const { words } = this;
    const { state } = line;
    const onTurn = seat === state.turn && !line.isOver;
    const may = onTurn ? legal(state) : [];
    const best = worths ? Math.max(...worths.values()) : 0;
    const cards = handOf(state.holders, seat);
    /** @param {number} card */
    const tile = (card) => {
      const rank = words.ranks[card % 13];
      if (!may.includes(card)) return h("span", { class: `tile${onTurn ? " barred" : ""}` }, rank);
      const worth = worths?.get(card);
      const cost = worth === undefined ? 0 : best - worth;
      const made = worth === undefined ? null : declaring(state, worth, line.side);
      const name = words.cardName(card);
      const label = made === null ? name
        : cost ? words.say("worthCost", { card: name, n: made, cost }) : words.say("worthBest", { card: name, n: made });
      return h("button", { type: "button", class: `tile may${cost ? " costs" : ""}`, "data-card": card, onclick: () => this.playCard(card) },
        rank, h("small", null, made === null ? "" : this.worthText(made)), h("span", { class: "sr" }, ` ${label}`));
    };
    /** @param {number} suit */
    const held = (suit) => {
      const tiles = cards.filter((card) => suitOf(card) === suit).map(tile);
      return tiles.length ? tiles : h("span", { class: "tile barred" }, words.say("void"));
    };
    return h("div", { class: `hand ${SEAT_LETTERS[seat]}${onTurn ? " turn" : ""}` },
      h("div", { class: "seat" }, h("b", null, words.seats[seat]), [" ", told(this.result?.names[seat])]),
      [0, 1, 2, 3].map((suit) => h("div", { class: "holding" }, words.sign(suit),
        h("span", { class: "tiles" }, held(suit)))));
  }

  /** The trick that is being played, or the one just finished. @param {import("./types").State} state */
  centre(state) {
    const last = state.tricks[state.tricks.length - 1];
    const shown = state.trick.length ? { leader: state.leader, cards: state.trick, winner: -1 } : last;
    const cards = shown?.cards.map((card, index) => {
      const seat = (shown.leader + index) % 4;
      return h("span", { class: `on ${SEAT_LETTERS[seat]}${seat === shown.winner ? " winner" : ""}` }, this.words.card(card));
    });
    return h("div", { class: `centre${state.trick.length ? "" : " done"}` }, cards ?? compass(this.entry, this.words));
  }

  /** What a declarer's tricks are to the contract, or the tricks themselves where there is none. @param {number} made */
  worthText(made) {
    const contract = this.line?.contract;
    return contract ? resultText(contract, made) : String(made);
  }

  /** Whose turn it is and what declarer will make. */
  status() {
    const { line, words } = this;
    if (!line) return "";
    const { state } = line;
    const worths = this.settings.worth && !line.isOver ? this.solver.recall(state) : null;
    const made = line.isOver ? state.won[line.side] : worths ? declaring(state, Math.max(...worths.values()), line.side) : null;
    const key = line.isOver ? "taken" : "heading";
    const heading = made === null ? ""
      : line.contract ? words.say(key, { n: made, result: this.worthText(made) }) : words.say(`${key}Tricks`, { n: made });
    return [line.isOver ? words.say("over") : words.say("turn", { seat: words.seats[state.turn] }), heading].filter(Boolean).join(". ");
  }

  showBar() {
    const { words, line, entry } = this;
    const { say } = words;
    fill(this.options);
    if (!line || !entry.playable) return fill(this.bar);
    if (!this.playing) {
      return fill(this.bar, h("button", { type: "button", class: "enter", onclick: () => this.setPlaying(true) }, say("playThrough")));
    }
    /** @param {string} sign @param {string} name @param {(line: Line) => void} go @param {boolean} off */
    const step = (sign, name, go, off) => h("button",
      { type: "button", class: "step", title: say(name), "aria-label": say(name), "aria-disabled": off && "true", "data-step": name, onclick: () => this.step(go) }, sign);
    const [first, last] = [line.at === 0, line.at === line.states.length - 1];
    const focused = /** @type {HTMLElement | null} */ (document.activeElement)?.dataset?.step;
    fill(this.bar,
      h("p", { class: "status" }, h("b", null, say("trickNumber", { n: Math.min(line.state.tricks.length + 1, Math.max(1, line.state.tricks.length + line.state.left)) })),
        h("span", null, this.status()), h("span", { class: "quiet" }, say("won", { ns: line.state.won[0], ew: line.state.won[1] }))),
      h("div", { class: "steps" },
        step("⇤", "start", (one) => one.go(0), first), step("«", "trickBack", (one) => one.goTrick(-1), first),
        step("‹", "undo", (one) => one.go(one.at - 1), first), step("›", "forward", (one) => one.go(one.at + 1), last),
        step("»", "trickForward", (one) => one.goTrick(1), last), step("⇥", "end", (one) => one.go(Infinity), last),
        line.isRecord || line.record.length < 2 ? null
          : h("button", { type: "button", onclick: () => this.step((one) => one.rejoin()) }, say("backToRecord"))));
    fill(this.options,
      h("div", { class: "choices" }, this.selects(), this.worthBox(),
        h("button", { type: "button", onclick: () => this.setPlaying(false) }, say("backToDiagram"))),
      this.failed ? h("p", { class: "error" }, this.failed) : null,
      h("p", { class: "quiet keys" }, say("keys")));
    if (focused) /** @type {HTMLElement | null} */ (this.bar.querySelector(`[data-step="${focused}"]`))?.focus();
  }

  /** The strain and the declarer, which may be chosen other than they were. */
  selects() {
    const { words, choice } = this;
    if (!choice) return null;
    /** @param {string} name @param {(string)[]} options @param {number} at @param {(value: number) => void} change */
    const select = (name, options, at, change) => h("label", null, `${words.say(name)} `,
      h("select", { onchange: (/** @type {{target: HTMLSelectElement}} */ event) => change(Number(event.target.value)) },
        options.map((option, value) => h("option", { value, selected: value === at }, option))));
    /** @param {Partial<Choice>} other */
    const change = (other) => {
      const next = { ...choice, ...other };
      const own = this.result?.contract;
      const same = own && own.strain === next.strain && this.result?.declarer === next.declarer;
      this.choice = { ...next, contract: same ? own : null };
      this.line = this.makeLine(this.choice);
      this.show();
      this.tell();
    };
    return [
      select("chooseContract", [0, 1, 2, 3, 4].map(words.strainName), choice.strain, (strain) => change({ strain })),
      select("chooseDeclarer", words.seats, choice.declarer, (declarer) => change({ declarer })),
    ];
  }

  worthBox() {
    return h("label", { class: "check" }, h("input", { type: "checkbox", checked: this.settings.worth, onchange: () => {
      this.settings.set("worth", !this.settings.worth);
      this.show();
    } }), ` ${this.words.say("showWorth")}`);
  }

  // --- the tricks and the leads --------------------------------------------------------------------------------------

  showRecord() {
    const { line, words } = this;
    const { say } = words;
    if (!line || line.states.length < 2) return fill(this.record);
    const last = line.states[line.states.length - 1];
    const tricks = last.trick.length ? [...last.tricks, { leader: last.leader, cards: last.trick, winner: -1 }] : last.tricks;
    const costs = line.states.slice(0, -1).map((state, index) => {
      const worths = this.solver.recall(state);
      return worths && costOf(worths, last.played[index]);
    });
    const claim = line.isRecord ? this.result?.board.play?.claim : undefined;
    return fill(this.record,
      h("h2", null, say(line.isRecord ? "recordedPlay" : "yourLine")),
      h("table", { class: "played" },
        h("thead", null, h("tr", null, h("th", { scope: "col" }, say("trick")), words.seats.map((seat) => h("th", { scope: "col" }, seat)))),
        h("tbody", null, tricks.map((trick, number) => h("tr", null,
          h("th", { scope: "row" }, h("button", { type: "button", "aria-label": say("trickNumber", { n: number + 1 }), onclick: () => this.step((one) => one.go(4 * number)) }, number + 1)),
          [0, 1, 2, 3].map((seat) => h("td", null, this.playedCard(line, trick, number, seat, costs))))))),
      claim === undefined ? null : h("p", { class: "quiet" }, say("claimed", { n: claim })),
      line.broken ? h("p", { class: "error" }, say("broken", { n: Math.floor((line.record.length - 1) / 4) + 1 })) : null,
      this.lost(line, costs));
  }

  /**
   * @param {Line} line @param {{leader: number, cards: number[], winner: number}} trick @param {number} number @param {number} seat
   * @param {(import("./solver.js").Cost | null)[]} costs
   */
  playedCard(line, trick, number, seat, costs) {
    const place = (seat - trick.leader + 4) % 4;
    const card = trick.cards[place];
    if (card === undefined) return null;
    const { words } = this;
    const at = 4 * number + place;
    const cost = costs[at]?.cost ?? 0;
    const marks = `${place ? "" : " led"}${seat === trick.winner ? " winner" : ""}${this.playing && at >= line.at ? " ahead" : ""}${this.playing && at === line.at - 1 ? " here" : ""}`;
    return h("button", { type: "button", tabindex: "-1", class: `go${marks}`, onclick: () => this.step((one) => one.go(at + 1)) },
      words.card(card), cost ? [h("sup", null, signed(-cost)), h("span", { class: "sr" }, ` ${words.say("gave", { n: cost })}`)] : null);
  }

  /** Where each trick was lost, and by whom. @param {Line} line @param {(import("./solver.js").Cost | null)[]} costs */
  lost(line, costs) {
    const { words } = this;
    if (this.failed) return null;
    if (costs.includes(null)) return line.isRecord ? h("p", { class: "quiet progress" }, this.progress ?? "") : null;
    const cards = line.states[line.states.length - 1].played;
    const found = costs.flatMap((cost, index) => (cost?.cost ? [{ ...cost, index }] : []));
    if (!found.length) return line.isRecord ? h("p", { class: "quiet" }, words.say("lostNothing")) : null;
    return [h("h3", null, words.say("lost")), h("ul", { class: "lost" }, found.map(({ cost, best, index }) => {
      const values = {
        trick: Math.floor(index / 4) + 1, seat: words.seats[line.states[index].turn], card: this.spelled(cards[index]), n: cost,
        better: best.slice(0, 3).map((card) => this.spelled(card)).join(", ") + (best.length > 3 ? " …" : ""),
      };
      return h("li", null, h("button", { type: "button", class: "text", onclick: () => this.step((one) => one.go(index)) }, words.rich(words.say("lostBy", values))));
    }))];
  }

  /** A card within a sentence. @param {number} card */
  spelled(card) {
    return "♠♥♦♣"[suitOf(card)] + this.words.ranks[card % 13];
  }

  showLeads() {
    const { line, words } = this;
    if (!line?.contract || (!this.playing && line.record.length < 1)) return fill(this.leads);
    const worths = this.solver.recall(line.record[0]);
    if (!worths) return fill(this.leads);
    const first = line.record[0];
    const results = [...new Set(worths.values())].sort((one, other) => other - one);
    return fill(this.leads,
      h("h2", null, words.say("leads")),
      h("p", { class: "quiet" }, words.rich(words.say("leadsAbout", { seat: words.seats[first.turn], contract: words.contractName(line.contract) }))),
      h("table", { class: "leadtable" }, h("tbody", null, results.map((worth) => {
        const made = declaring(first, worth, line.side);
        const cards = [...worths].filter(([, other]) => other === worth).map(([card]) => card).sort((one, other) => one - other);
        const suits = [0, 1, 2, 3].map((suit) => cards.filter((card) => suitOf(card) === suit)).filter((held) => held.length);
        return h("tr", null, h("th", { scope: "row" }, made, h("small", null, ` ${this.worthText(made)}`)),
          h("td", null, suits.map((held) => h("span", { class: "led" }, words.sign(suitOf(held[0])), held.map((card) => words.ranks[card % 13]).join(" "), " "))));
      }))));
  }
}

