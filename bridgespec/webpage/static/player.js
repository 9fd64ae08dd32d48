// Playing a board through: where one stands in which line of play, what the solver says of it, and when it is drawn anew.

import { cardOf, cardText } from "./cards.js";
import { diagram } from "./diagram.js";
import { fill, h, redraw } from "./dom.js";
import { Line } from "./line.js";
import { par } from "./par.js";
import { leadsView, tricksView } from "./playrecord.js";
import { enterButton, playBar, playOptions, playTable } from "./playtable.js";
import { resultText } from "./score.js";
import { declaring, LATER, NOW } from "./solver.js";
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
    this.progress = "";
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

  /** Play it in another strain, or by another declarer. @param {Partial<Choice>} other */
  choose(other) {
    if (!this.choice) return;
    const next = { ...this.choice, ...other };
    const own = this.result?.contract;
    const same = own && own.strain === next.strain && this.result?.declarer === next.declarer;
    this.choice = { ...next, contract: same ? own : null };
    this.line = this.makeLine(this.choice);
    this.show();
    this.tell();
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
    const onCard = this.table.contains(/** @type {Document | ShadowRoot} */ (this.table.getRootNode()).activeElement);
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
    redraw(this.board, () => {
      fill(this.table, this.playing && line ? playTable(this, line) : diagram(entry, words, this.result?.names));
      fill(this.bar, line ? (this.playing ? playBar(this, line) : enterButton(this)) : null);
      this.showOptions();
    });
    redraw(this.about, () => {
      fill(this.record, line && line.states.length > 1 ? tricksView(this, line) : null);
      fill(this.leads, line?.contract ? leadsView(this, line) : null);
    });
  }

  /** The choices are left alone unless they change, lest one that is open be closed. */
  showOptions() {
    const state = JSON.stringify([this.playing, this.choice, this.settings.worth, this.failed]);
    if (this.options.dataset.state === state) return;
    this.options.dataset.state = state;
    fill(this.options, this.line && this.playing ? playOptions(this) : null);
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
}
