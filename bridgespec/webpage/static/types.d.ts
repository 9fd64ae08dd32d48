// What the page is given: the published JSON of a document, as far as the page reads it. What is at its default is left out.

export interface DealJson { west?: string; north?: string; east?: string; south?: string; out?: string }
export interface CallJson { call: string; alert?: boolean; explanation?: string; mark?: string; irregular?: boolean }
export interface AuctionJson { calls?: CallJson[]; first?: string; closed?: boolean }
export interface TrickJson { leader: string; cards: string[] }
export interface CardNoteJson { trick: number; index: number; text?: string; mark?: string; irregular?: boolean }
export interface PlayJson { tricks: TrickJson[]; claim?: number; notes?: CardNoteJson[] }
export interface CommentJson { text: string; after?: (string | number)[] }
export interface TableJson { name: string; columns: { name: string; align?: string }[]; rows?: string[][] }
export interface BoardJson {
  number?: number; dealer?: string; vulnerability?: string; deal?: DealJson;
  tricks?: Record<string, Record<string, number>>;
  declarer?: string; play?: PlayJson; auction?: AuctionJson; contract?: string; result?: number; score?: number;
  scoring?: string; event?: string; site?: string; date?: string; round?: string; room?: string;
  players?: (string | null)[]; teams?: (string | null)[]; par?: string;
  comments?: CommentJson[]; tables?: TableJson[]; tags?: string[][];
}
export interface DocumentJson { boards?: BoardJson[]; event?: string; site?: string; date?: string; comments?: CommentJson[] }

export interface Contract { level: number; strain: number; doubling: number }

/** One table's result of a board. */
export interface Result {
  board: BoardJson; room: string; names: (string | null)[];
  contract: Contract | null; declarer: number | null; tricks: number | null; score: number | null;
  /** The cards played, in order, and who led first. */
  played: number[]; leader: number | null;
  /** What a row of a table of results has: the lead, both contestants, how many tables it is, and what it states for North-South. */
  lead?: number | null; pairs?: string[]; count?: number; stated?: { matchpoints?: number; imps?: number };
}

export interface Section { event: string; round: string; teams: string }

/** A board with every result that the files have for it. */
export interface Entry {
  key: string; number: number | null; dealer: number | null; vulnerability: number | null;
  holders: number[] | null; playable: boolean;
  /** 20 cells, strain by declarer, null where unknown; null without any. */
  table: (number | null)[] | null;
  solvedHere?: boolean; parText: string | null; boards: BoardJson[]; results: Result[]; section: Section;
}

/** The start of a play: who holds what, what is trumps, who leads. */
export interface Start { holders: ArrayLike<number>; strain: number; leader: number }

/** A position: what is left after some cards. */
export interface State {
  start: Start; holders: number[]; played: number[]; turn: number; leader: number; trick: number[];
  tricks: { leader: number; cards: number[]; winner: number }[]; won: [number, number]; left: number;
}

/** The tricks of the side on turn, the current one included, for each card that may be played. */
export type Worths = Map<number, number>;

/** The best play of a suit for declarer, who sees two hands. */
export interface SuitPlay {
  suit: number; dummy: string; own: string; picture: string;
  goals: { tricks: number; percent: number; exact: boolean; line: string }[];
}

export interface Engine {
  table(holders: ArrayLike<number>): Promise<number[]>;
  cards(state: State): Promise<Worths>;
}

export interface ParContract { contract: Contract; declarers: number[]; tricks: number }
export interface Par { score: number; contracts: ParContract[] }

export type Child = Node | string | number | null | undefined | false | Child[];
export type Say = (key: string, values?: Record<string, string | number>) => string;

/** What is wrong with a file that was opened in the page. */
export interface Finding { code: string; severity: "error" | "warning" | "note"; message: string; line: number | null }

/** A reader that was made from a format's schema. */
export interface Reader {
  format: { id: string; title: string; extensions: string[]; language: string };
  read(bytes: Uint8Array, limit?: number): { tree: any; findings: Finding[] };
  model?(tree: any): DocumentJson;
}

/** A file that was opened in the page. */
export interface Opened { name: string; format: Reader["format"]; findings: Finding[]; count: number; document: DocumentJson }
