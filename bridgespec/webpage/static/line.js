// A line of play that one goes along: cards played so far, cards taken back, and the play that the file records.

import { after, sideOf } from "./cards.js";
import { follow, legal } from "./play.js";

export class Line {
  /**
   * @param {import("./types").Entry} entry
   * @param {{strain: number, declarer: number, contract: import("./types").Contract | null}} played
   * @param {{leader: number | null, played: number[]} | null} record
   */
  constructor(entry, played, record) {
    this.contract = played.contract;
    this.declarer = played.declarer;
    this.side = sideOf(played.declarer);
    const leader = record?.leader ?? after(played.declarer);
    /** @type {import("./types").Start} */
    this.start = { holders: entry.holders ?? [], strain: played.strain, leader };
    /** Every position of the record, as far as it keeps to the rules. */
    this.record = follow(this.start, record?.played ?? []);
    /** Whether the record goes on where the rules of play do not. */
    this.broken = this.record.length <= (record?.played.length ?? 0);
    /** Every position of the line shown; those behind `at` are ahead. */
    this.states = this.record;
    this.at = 0;
    /** @type {{state: import("./types").State, made: number} | null} where declarer claimed, and the tricks with it */
    this.claim = null;
  }

  get state() {
    return this.states[this.at];
  }

  get isRecord() {
    return this.states === this.record;
  }

  get isOver() {
    return this.state.left === 0 || this.isClaimed;
  }

  /** Whether the play ends here with a claim. */
  get isClaimed() {
    return this.claim?.state === this.state;
  }

  /** The tricks of the declaring side, those of a claim included. */
  get made() {
    return this.claim && this.isClaimed ? this.claim.made : this.state.won[this.side];
  }

  /** Play a card: the line goes on as it went where it is the same card, else it parts from there. @param {number} card */
  play(card) {
    if (!legal(this.state).includes(card)) return;
    if (this.states[this.at + 1]?.played[this.at] !== card) {
      const cards = [...this.state.played, card];
      const along = cards.every((one, index) => this.record[index + 1]?.played[index] === one);
      this.states = along ? this.record : follow(this.start, cards);
    }
    this.at += 1;
  }

  /** @param {number} place how many cards have been played */
  go(place) {
    this.at = Math.max(0, Math.min(this.states.length - 1, place));
  }

  /** To the start of the trick before, or of this one where it has begun; or to the end of this one. @param {number} way -1 or 1 */
  goTrick(way) {
    this.go(way < 0 ? 4 * Math.floor((this.at - 1) / 4) : 4 * Math.floor(this.at / 4) + 4);
  }

  /** Back to the recorded play, at the card where this line parted from it. */
  rejoin() {
    const same = this.states.findIndex((state, index) => index > 0 && this.record[index]?.played[index - 1] !== state.played[index - 1]);
    this.states = this.record;
    this.go(same < 0 ? this.at : same - 1);
  }

  /** Take these cards as the line. @param {number[]} cards */
  follow(cards) {
    this.states = follow(this.start, cards);
    this.at = this.states.length - 1;
  }

  /** Go on with these cards, which lie ahead then. @param {number[]} cards */
  foresee(cards) {
    const { at } = this;
    this.follow([...this.state.played, ...cards]);
    this.at = at;
  }
}
