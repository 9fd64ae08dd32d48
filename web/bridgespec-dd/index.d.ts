/** A double-dummy solver for contract bridge: what each side takes when all four hands are seen and nobody errs. */

export type Seat = "W" | "N" | "E" | "S";
export type Strain = "NT" | "S" | "H" | "D" | "C";
/** A suit and a rank: "SA", "HT" or "H10", "D2". */
export type Card = string;
/** PBN: "N:AK.. ... ... ...", clockwise from the seat named, suits in the order S.H.D.C; an ending has equal hands. */
export type Deal = string;

/** Tricks of the declarer's side, by strain and declarer. */
export type Table = Record<Strain, Record<Seat, number>>;

/** A deal, and the cards played since, the opening lead first. Name the first leader, or the declarer to the right. */
export type Position = { deal: Deal; strain: Strain; played?: Card[] } & ({ leader: Seat } | { declarer: Seat });

/** A card that may be played, and the tricks that the side of `seat` takes with it, the current trick included. */
export interface CardWorth {
  seat: Seat;
  card: Card;
  tricks: number;
}

export type Vulnerability = "none" | "ns" | "ew" | "both";

export interface ParContract {
  level: 1 | 2 | 3 | 4 | 5 | 6 | 7;
  strain: Strain;
  /** It fails, and is doubled. */
  doubled: boolean;
  /** "N", "S" or "NS"; "E", "W" or "EW". */
  declarers: string;
  tricks: number;
}

export interface Par {
  /** Points of North and South. */
  score: number;
  /** Lowest bid first; none where all pass. */
  contracts: ParContract[];
}

/** The score at which neither side gains by bidding on, with every contract that gives it. */
export function par(table: Table, dealer: Seat, vulnerability: Vulnerability): Par;

/** The solver on this thread; every question throws an Error that says what is wrong with what it was asked. */
export interface Core {
  /** All twenty results, or those of some strains. */
  table(deal: Deal): Table;
  table(deal: Deal, strains: Strain[]): Partial<Table>;
  /** Every card that may be played, best first, then in the order of suits and ranks; none at the end of the play. */
  cards(position: Position): CardWorth[];
  /** The same for the opening leads. */
  lead(deal: Deal, strain: Strain, declarer: Seat): CardWorth[];
  /**
   * What each card of a play cost: the tricks that North and South take from the position on, before the first card of
   * `play` and after each, with best play by all from there. A card gave a trick away where the number changes.
   */
  trace(position: Position, play: Card[]): number[];
  /** Bytes that it holds now. */
  memory(): number;
}

export interface Options {
  /** Megabytes that it may hold, 4 to 2048; 64 unless told otherwise. Results never depend on it. */
  memory?: number;
}

/** A solver for Node.js, or for a Worker of your own: `wasm` is the module, if not the one that comes with this package. */
export function open(options?: Options & { wasm?: WebAssembly.Module | Uint8Array }): Core;

export interface Question {
  /** Aborting stops the search at once, by ending the Worker that it runs in. */
  signal?: AbortSignal;
}

/** A solver in a Worker, made from this module's own text: it needs no other file, and works in a page opened from one. */
export class Solver {
  constructor(options?: Options);
  table(deal: Deal, question?: Question): Promise<Table>;
  table(deal: Deal, question: Question & { strains: Strain[] }): Promise<Partial<Table>>;
  cards(position: Position, question?: Question): Promise<CardWorth[]>;
  lead(deal: Deal, strain: Strain, declarer: Seat, question?: Question): Promise<CardWorth[]>;
  trace(position: Position, play: Card[], question?: Question): Promise<number[]>;
  /** Ends the Worker; what was asked is rejected with an AbortError. */
  close(): void;
}
