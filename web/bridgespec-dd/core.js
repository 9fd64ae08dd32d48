/**
 * The solver on this thread. One function that names nothing outside itself: its text is also the text of the Worker.
 * The types and what each question answers stand in index.d.ts.
 */
export function core(wasm, megabytes = 64) {
  const SEATS = "WNES", SUITS = "SHDC", RANKS = "AKQJT98765432", STRAINS = ["NT", "S", "H", "D", "C"];
  const NOBODY = 4, UNSOLVED = 255, TRICK = 55, PLAY = 58; // places in the question: see native/wasm/module.c
  const module = wasm instanceof WebAssembly.Module ? wasm : new WebAssembly.Module(wasm);
  const c = new WebAssembly.Instance(module).exports;
  c._initialize();
  if (!(megabytes >= 4 && megabytes <= 2048)) throw new RangeError(`memory is 4 to 2048 megabytes, not ${megabytes}`);
  if (c.open(megabytes * 1048576)) throw new Error("not enough memory for the solver");

  // Views are made anew each time: growing the memory ends the old ones.
  const bytes = (at, length) => new Uint8Array(c.memory.buffer, at, length);

  function refuse(status) {
    const text = bytes(c.status_text(status), 80);
    const [, seat, card, index] = new Int32Array(c.memory.buffer, c.problem(), 4);
    const at = index >= 0 && status >= 20 ? `card ${index + 1} of the play: ` : "";
    const who = [seat >= 0 && seat < 4 ? SEATS[seat] : "", card >= 0 && card < 52 ? nameOf(card) : ""].filter(Boolean).join(" ");
    throw new Error(at + String.fromCharCode(...text.subarray(0, text.indexOf(0))) + (who ? ` (${who})` : ""));
  }

  const nameOf = (slot) => SUITS[(slot / 13) | 0] + RANKS[slot % 13];

  function indexOf(list, word, what) {
    const at = typeof word === "string" && word ? list.indexOf(word.toUpperCase()) : -1;
    if (at < 0) throw new Error(`${JSON.stringify(word)} is not a ${what}`);
    return at;
  }

  function slotOf(card) {
    const text = String(card).toUpperCase().replace("10", "T");
    const suit = SUITS.indexOf(text[0]), rank = RANKS.indexOf(text[1]);
    if (text.length !== 2 || suit < 0 || rank < 0) throw new Error(`${JSON.stringify(card)} is not a card: they are like SQ or DT`);
    return suit * 13 + rank;
  }

  /** "N:AK.. ... ... ..." as the seat that holds each of 52 cards; a card that is not named is not in play. */
  function holdersOf(deal) {
    const match = /^\s*([WNES]):(.*)$/is.exec(deal);
    if (!match) throw new Error(`${JSON.stringify(deal)} is not a deal: they are like N:hand hand hand hand`);
    const hands = match[2].trim().split(/\s+/), first = SEATS.indexOf(match[1].toUpperCase());
    if (hands.length !== 4) throw new Error(`a deal has four hands, not ${hands.length}`);
    const holders = new Uint8Array(52).fill(NOBODY);
    hands.forEach((hand, place) => {
      const seat = (first + place) % 4, suits = hand.split(".");
      if (suits.length !== 4) throw new Error(`the hand ${JSON.stringify(hand)} is not four suits with dots between them`);
      suits.forEach((ranks, suit) => {
        for (const rank of ranks.toUpperCase().replaceAll("10", "T")) {
          const slot = slotOf(SUITS[suit] + rank);
          if (holders[slot] !== NOBODY) throw new Error(`${nameOf(slot)} is in two hands, or twice in one`);
          holders[slot] = seat;
        }
      });
    });
    return holders;
  }

  /** Writes a position; what was played since is taken out of the hands, trick by trick. Returns the seat on turn. */
  function ask({ deal, strain, leader, declarer, played = [] }) {
    const holders = holdersOf(deal), trumps = indexOf(STRAINS, strain, "strain") - 1;
    if ((leader === undefined) === (declarer === undefined)) throw new Error("a position has a leader, or else a declarer");
    let first = leader === undefined ? (indexOf([...SEATS], declarer, "seat") + 1) % 4 : indexOf([...SEATS], leader, "seat");
    let trick = [];
    played.forEach((card, index) => {
      const slot = slotOf(card), seat = (first + trick.length) % 4, wrong = (why) => {
        throw new Error(`card ${index + 1} of the play: ${SEATS[seat]} ${why} (${nameOf(slot)})`);
      };
      if (holders[slot] !== seat) wrong("does not hold it");
      const suit = (slot / 13) | 0, led = trick.length ? (trick[0] / 13) | 0 : suit;
      if (suit !== led && holders.subarray(led * 13, led * 13 + 13).includes(seat)) wrong("holds the suit led");
      holders[slot] = NOBODY;
      trick.push(slot);
      if (trick.length < 4) return;
      let best = 0;
      trick.forEach((one, k) => {
        const own = (one / 13) | 0, top = (trick[best] / 13) | 0;
        if (own === top ? one < trick[best] : own === trumps) best = k;
      });
      first = (first + best) % 4;
      trick = [];
    });
    bytes(c.question(), 52).set(holders);
    bytes(c.question() + 52, 3).set([trumps + 1, first, trick.length]);
    bytes(c.question() + TRICK, trick.length).set(trick);
    return (first + trick.length) % 4;
  }

  function table(deal, strains = STRAINS) {
    let cells = 0;
    for (const strain of strains) cells |= 15 << (4 * indexOf(STRAINS, strain, "strain"));
    bytes(c.question(), 52).set(holdersOf(deal));
    const status = c.table(cells);
    if (status) refuse(status);
    const found = bytes(c.answer(), 20), answer = {};
    STRAINS.forEach((strain, row) => {
      if (found[row * 4] === UNSOLVED) return;
      answer[strain] = {};
      [...SEATS].forEach((seat, column) => (answer[strain][seat] = found[row * 4 + column]));
    });
    return answer;
  }

  function cards(position) {
    const seat = SEATS[ask(position)], count = c.cards();
    if (count < 0) refuse(-count);
    const found = new DataView(c.memory.buffer, c.answer(), 4 * count), answer = [];
    for (let i = 0; i < count; i++) {
      const suit = found.getUint8(4 * i) / 13 | 0, tricks = found.getUint8(4 * i + 1), equals = found.getUint16(4 * i + 2, true);
      for (let rank = 0; rank < 13; rank++) if (equals >> rank & 1) answer.push({ seat, card: SUITS[suit] + RANKS[rank], tricks });
    }
    return answer;
  }

  const lead = (deal, strain, declarer) => cards({ deal, strain, declarer });

  function trace(position, play) {
    ask(position);
    if (play.length > 52) throw new Error("a play has 52 cards at most");
    bytes(c.question() + PLAY, play.length).set(play.map(slotOf));
    const status = c.trace(play.length);
    if (status) refuse(status);
    return [...bytes(c.answer(), play.length + 1)];
  }

  return { table, cards, lead, trace, memory: () => c.memory.buffer.byteLength };
}
