// One queue of questions to the solver: what is looked at goes first, what nobody waits for any more is dropped.

/** @typedef {{rank: number, run: () => Promise<void>, drop: () => boolean}} Job */

/** How soon a question is answered: what is shown now, what the board needs, what can wait. */
export const NOW = 0;
export const SOON = 1;
export const LATER = 2;

export class Solver {
  /** @param {() => import("./types").Engine} make starts the engine when it is first asked */
  constructor(make) {
    this.make = make;
    /** @type {import("./types").Engine | null} */
    this.engine = null;
    /** @type {Job[]} */
    this.jobs = [];
    this.busy = false;
    /** @type {Map<string, import("./types").Worths>} */
    this.known = new Map();
  }

  /**
   * @template Value
   * @param {number} rank @param {AbortSignal | undefined} signal @param {(engine: import("./types").Engine) => Promise<Value>} ask
   * @returns {Promise<Value>} rejected where the signal came first
   */
  ask(rank, signal, ask) {
    return new Promise((resolve, reject) => {
      const drop = () => {
        if (signal?.aborted) reject(signal.reason);
        return Boolean(signal?.aborted);
      };
      const run = async () => {
        try {
          this.engine ??= this.make();
          resolve(await ask(this.engine));
        } catch (error) {
          reject(error);
        }
      };
      // Among what is looked at now, the last question is the one that somebody waits for.
      const at = rank === NOW ? 0 : this.jobs.findIndex((job) => job.rank > rank);
      this.jobs.splice(at < 0 ? this.jobs.length : at, 0, { rank, run, drop });
      this.next();
    });
  }

  async next() {
    if (this.busy) return;
    this.busy = true;
    for (let job = this.jobs.shift(); job; job = this.jobs.shift()) if (!job.drop()) await job.run();
    this.busy = false;
  }

  /** Fill in what the entry's table lacks. @param {import("./types").Entry} entry @param {number} rank @param {AbortSignal} [signal] */
  async complete(entry, rank, signal) {
    await this.ask(rank, signal, async (engine) => {
      if (entry.table?.every((cell) => cell !== null)) return;
      entry.table = await engine.table(entry.holders ?? []);
      entry.solvedHere = true;
    });
  }

  /** The worth of every legal card; what was asked once is known. @param {import("./types").State} state @param {number} rank @param {AbortSignal} [signal] */
  async worths(state, rank, signal) {
    const known = this.recall(state);
    if (known) return known;
    const found = await this.ask(rank, signal, async (engine) => this.recall(state) ?? engine.cards(state));
    this.known.set(keyOf(state), found);
    return found;
  }

  /** What is known without asking. @param {import("./types").State} state */
  recall(state) {
    return this.known.get(keyOf(state)) ?? null;
  }

  /**
   * What each card of a play cost its side: follow it and ask at every card.
   * @param {import("./types").State[]} states the positions along the play
   * @param {(done: number) => void} progress @param {AbortSignal} [signal]
   * @returns {Promise<Cost[]>} one for each card
   */
  async trace(states, progress, signal) {
    const costs = [];
    for (const [index, state] of states.slice(0, -1).entries()) {
      const worths = await this.worths(state, LATER, signal);
      costs.push(costOf(worths, states[index + 1].played[index]));
      progress(index + 1);
    }
    return costs;
  }
}

/** @typedef {{cost: number, best: number[]}} Cost tricks that a card gave away, and the cards that would not have */

/** @param {import("./types").Worths} worths @param {number} card @returns {Cost} */
export function costOf(worths, card) {
  const top = Math.max(...worths.values());
  return { cost: top - (worths.get(card) ?? top), best: [...worths].filter(([, worth]) => worth === top).map(([other]) => other) };
}

/** The lowest of the cards that give nothing away. @param {import("./types").Worths} worths */
export function bestOf(worths) {
  const { best } = costOf(worths, -1);
  return best.reduce((low, card) => (card % 13 > low % 13 ? card : low));
}

/** @param {import("./types").State} state */
const keyOf = ({ start, played }) => `${Array.from(start.holders).join("")}${start.strain}${start.leader}:${played.join(",")}`;

/** The tricks that the declaring side ends with. @param {import("./types").State} state @param {number} worth of a card for the side on turn @param {number} side */
export function declaring(state, worth, side) {
  const own = (state.turn % 2 ? 0 : 1) === side;
  return state.won[side] + (own ? worth : state.left - worth);
}

