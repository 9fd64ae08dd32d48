// Playing a board through: where one stands in which line of play, what the solver says of it, and when it is drawn anew.

import { cardOf, cardText } from "./cards.js";
import { diagram } from "./diagram.js";
import { fill, h, redraw } from "./dom.js";
import { Line } from "./line.js";
import { par } from "./par.js";
import { legal, play } from "./play.js";
import { leadsView, tricksView } from "./playrecord.js";
import { enterButton, playBar, playOptions, playTable } from "./playtable.js";
import { resultText } from "./score.js";
import { bestOf, declaring, LATER, NOW } from "./solver.js";
import { isWhole } from "./tables.js";

/** How long a board is looked at before its record is weighed, in milliseconds. */
const SETTLED = 250;
/** How long a card is looked at that the page plays, in milliseconds. */
const PACE = 700;

/** Whose cards the reader sees and plays. */
export const ALL = 0;
export const DECLARER = 1;
export const LEADER = 2;
export const PARTNER = 3;

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
    /** What became of a claim. */
    this.note = "";
    this.auto = false;
    this.view = ALL;
    /** @type {import("./types").State | null} the position in which the page is about to play a card */
    this.pending = null;
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
    if (this.view) this.line.follow([]);
    this.show();
    this.tell();
    this.weigh();
  }

  /** See and play only some of the hands; the page plays the others. @param {number} view */
  look(view) {
    this.view = view;
    // The record would show how the hidden cards were played.
    if (view) this.line?.follow([]);
    this.show();
    this.tell();
  }

  /** The place of a seat from declarer's, clockwise: 0 declarer, 1 leader, 2 dummy, 3 the leader's partner. @param {number} seat */
  placeOf(seat) {
    return (seat - (this.line?.declarer ?? 0) + 4) % 4;
  }

  /** Whether the reader plays a seat's cards. @param {number} seat */
  plays(seat) {
    const place = this.placeOf(seat);
    return [true, place % 2 === 0, place === 1, place === 3][this.view];
  }

  /** Whether the reader sees a seat's cards: dummy's from the opening lead on, and all at the end. @param {number} seat */
  sees(seat) {
    return this.plays(seat) || !this.line || this.line.isOver || (this.placeOf(seat) === 2 && this.line.at > 0);
  }

  /** Whether hands are hidden, and with them what double dummy says. */
  get isHiding() {
    return this.playing && this.view !== ALL && !this.line?.isOver;
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

  /** Go along the line as the reader asks. @param {(line: Line) => void} step */
  step(step) {
    this.auto = false;
    this.move(step);
  }

  /** @param {(line: Line) => void} step */
  move(step) {
    if (!this.line) return;
    this.playing = true;
    this.note = "";
    step(this.line);
    this.show();
    this.tell();
    if (this.line.isOver) this.weighLine(this.line);
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
    this.moved(this.place());
  }

  /** Where the player stands, as parts of a link. @returns {Record<string, string>} */
  place() {
    const { line } = this;
    if (!line || !this.playing) return {};
    return line.isRecord ? { card: String(line.at) } : { line: line.state.played.map(cardText).join("") };
  }

  // --- what the page plays -------------------------------------------------------------------------------------------

  /** Play a card that costs nothing, unless the reader moves first. */
  async playBest() {
    const { line } = this;
    if (!line || line.isOver) return;
    const { state } = line;
    try {
      const worths = await this.solver.worths(state, NOW, this.signal);
      if (this.line === line && line.state === state) this.move((one) => one.play(bestOf(worths)));
    } catch (error) {
      this.fail(error);
    }
  }

  /** Play for a hand that the reader does not play, after a while. */
  reply() {
    const { line } = this;
    if (!line || !this.isHiding || line.at < line.states.length - 1 || this.plays(line.state.turn) || this.pending === line.state) return;
    this.pending = line.state;
    setTimeout(() => {
      if (this.pending === this.line?.state) this.playBest();
    }, legal(line.state).length > 1 ? PACE : PACE / 2);
  }

  /** Let the line run by itself, or stop it. @param {boolean} on */
  setAuto(on) {
    this.auto = on;
    this.show();
    if (on) this.advance();
  }

  /** One card of what lies ahead, or else of the best play, and then the next one. */
  async advance() {
    const { line } = this;
    if (!this.auto || this.signal.aborted || !line) return;
    if (line.at < line.states.length - 1) this.move((one) => one.go(one.at + 1));
    else await this.playBest();
    this.auto = !line.isOver && !this.failed && this.line === line;
    if (this.auto) setTimeout(() => this.advance(), PACE);
    else this.show();
  }

  /** Put a play that costs neither side a trick ahead of where the reader stands. */
  async bestLine() {
    const { line } = this;
    if (!line) return;
    let { state } = line;
    const from = state;
    /** @type {number[]} */
    const cards = [];
    try {
      while (state.left) {
        const card = bestOf(await this.solver.worths(state, NOW, this.signal));
        cards.push(card);
        state = play(state, card);
      }
      if (this.line === line && line.state === from) this.step((one) => one.foresee(cards));
    } catch (error) {
      this.fail(error);
    }
  }

  /** End the play with some more tricks for declarer, if these cannot be taken away. @param {number} more */
  async claim(more) {
    const { line } = this;
    if (!line) return;
    const { state } = line;
    try {
      const worths = await this.solver.worths(state, NOW, this.signal);
      const held = declaring(state, Math.max(...worths.values()), line.side) - state.won[line.side];
      if (this.line !== line || line.state !== state) return;
      if (more > held) this.note = this.words.say("claimFails", { n: more, held });
      else {
        line.claim = { state, made: state.won[line.side] + more };
        this.note = this.words.say(more < held ? "claimLow" : "claimHolds", { n: more, held });
        this.weighLine(line);
      }
      this.said.textContent = this.note;
      this.show();
    } catch (error) {
      this.fail(error);
    }
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

  /** Weigh every card of a line that is over, and the first position, with which its result is compared. @param {Line} line */
  async weighLine(line) {
    if (this.failed) return;
    try {
      await this.solver.trace(line.isClaimed ? [...line.states.slice(0, line.at + 1)] : line.states, () => {}, this.signal);
      if (this.line === line) this.show();
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
      fill(this.leads, line && !this.isHiding ? leadsView(this, line) : null);
    });
    /** @type {HTMLElement | null} */ (this.board.closest(".board"))?.classList.toggle("hiding", this.isHiding);
    this.reply();
  }

  /** The choices are left alone unless they change, lest one that is open be closed. */
  showOptions() {
    const left = this.line?.isOver ? 0 : this.line?.state.left;
    const state = JSON.stringify([this.playing, this.choice, this.settings.worth, this.failed, this.view, this.auto, this.note, left]);
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
    const worths = this.settings.worth && !this.isHiding && !line.isOver ? this.solver.recall(state) : null;
    const made = line.isOver ? line.made : worths ? declaring(state, Math.max(...worths.values()), line.side) : null;
    const key = line.isOver ? "taken" : "heading";
    const heading = made === null ? ""
      : line.contract ? words.say(key, { n: made, result: this.worthText(made) }) : words.say(`${key}Tricks`, { n: made });
    const first = line.isOver ? this.solver.recall(line.states[0]) : null;
    const best = first && words.say("doubleDummyMade", { n: declaring(line.states[0], Math.max(...first.values()), line.side) });
    return [line.isOver ? words.say("over") : words.say("turn", { seat: words.seats[state.turn] }), heading, best].filter(Boolean).join(". ");
  }
}
