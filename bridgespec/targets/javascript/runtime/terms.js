const SEAT_NAMES = ["west", "north", "east", "south"];
const STRAIN_NAMES = ["notrump", "spades", "hearts", "diamonds", "clubs"];
const STRAIN_LABELS = ["NT", "S", "H", "D", "C"];
const SUIT_NAMES = ["spades", "hearts", "diamonds", "clubs"];
const RANK_NAMES = "ace king queen jack ten nine eight seven six five four three two".split(" ");
const RANK_SIGNS = "AKQJT98765432";
const SIDES = ["ew", "ns"];

/** The holders of cards that are in no hand: out of play, and unknown. */
const OUT_OF_PLAY = 4;
const NOBODY_KNOWS = 5;

/** The value of an unknown cell of a trick table. */
const NOT_SOLVED = 15;

// The terms of the model that pages show: `read` evaluates a term from the parts of a record that state it, `written` is its
// form in JSON, `placed` the positions of its parts. A module has the terms that its schema states, and those computed from them.

const firstNumberTerm = { read: firstNumber, ofFile: true };
const lastNumberTerm = { read: firstNumber, ofFile: true };
const numberTerm = { read: readBoardNumber, without: (said) => said.firstNumber + said.index };
const dealerTerm = {
  read: ({ wholes }) => firstOfAll(wholes, seatOfCode),
  written: (seat) => SEAT_NAMES[seat],
};
const vulnerabilityTerm = { read: readVulnerability, judge: judgeVulnerability };
const dealTerm = { read: readDeal, written: dealJson, placed: cardPlaces, judge: judgeHands };
const conflictsTerm = { without: (said) => listOrNull(said.get("deal")?.conflicts ?? []), written: conflictsJson };
const tricksTerm = { read: readTricks, written: tricksJson, placed: cellsPlaced };
const resultsTerm = { read: readResults, ofFile: true };
const declarerTerm = {
  read: ({ wholes }, said) => firstOfAll(wholes, seatOfCode) ?? declarerUnsaid(said),
  without: declarerUnsaid,
  written: (seat) => SEAT_NAMES[seat],
};
const playTerm = { read: readPlay, written: playJson, placed: playPlaces };
const auctionTerm = { read: readAuction, written: auctionJson, placed: callPlaces };
const contractTerm = {
  read: ({ wholes, members }, said) =>
    firstOfAll(wholes, contractIn) ?? contractOfParts(Object.fromEntries(members)) ?? contractUnsaid(said),
  without: contractUnsaid,
  written: contractText,
};
const resultTerm = { read: readResult, without: resultUnsaid };
const scoreTerm = { read: readScore };
const scoringTerm = textOfMatch("scoring");
const eventTerm = textOfMatch("event");
const siteTerm = { read: readText };
const dateTerm = { read: readDate };
const roundTerm = textOfMatch("round");
const roomTerm = { read: readRoom };
const playersTerm = { read: readPlayers, without: (said) => readPlayers({ wholes: [], members: [] }, said) };
const teamsTerm = { read: readTeams, without: (said) => readTeams(null, said) };
const parTerm = { read: readText };

/** The report function while a record is judged: `tell(code, severity, message, place)`. */
const judging = { tell: null };

/** Report an error in the meaning of a part. */
function wrong(view, code, message) {
  judging.tell?.(code, "error", message, view.node);
}

/** Return the first value that is not null. */
function firstOfAll(views, read) {
  for (const view of views) {
    const value = read(view);
    if (value !== null) return value;
  }
  return null;
}

// Numbers, codes and texts

function numberIn(view, role = "number") {
  const part = view.decl.kind === "record" ? view.role(role) : view;
  if (part === null) return null;
  const { number, node } = part;
  if (number === null && !node.broken && part.text.replace(/^ +/, "")) {
    wrong(part, "not-a-number", `${quote(part.text)} is not a number`);
  }
  return number;
}

function firstNumber({ wholes }) {
  return firstOfAll(wholes, (view) => numberIn(view));
}

function readBoardNumber({ wholes }, said) {
  return firstOfAll(wholes, (view) => numberIn(view)) ?? said.firstNumber + said.index;
}

/** Return the seat that a code names; of a record, the seat of its part `seat`. */
function seatIn(view) {
  const found = view?.decl.kind === "record" ? view.role("seat") : view;
  const seat = SEAT_NAMES.indexOf(found?.code ?? "");
  return seat < 0 ? null : seat;
}

/** Return the name of the code of a part; report a code without a name. */
function codeIn(view, role) {
  const part = view.decl.kind === "record" ? view.role(role) : view;
  if (part?.decl.kind !== "code") return null;
  const { code, node } = part;
  const shown = typeof node.value === "string" ? quote(node.value) : node.value;
  if (code === null && !node.broken) wrong(part, "unknown-code", `${shown} is not one of the codes`);
  return code;
}

/** Return the seat that a code names. */
function seatOfCode(view) {
  const seat = SEAT_NAMES.indexOf(codeIn(view, "seat"));
  return seat < 0 ? null : seat;
}

function readVulnerability({ wholes }) {
  return firstOfAll(wholes, (view) => {
    const name = codeIn(view, "vulnerability");
    return name === "all" ? "both" : ["none", "ns", "ew", "both"].includes(name) ? name : null;
  });
}

function textIn(view) {
  if (view.decl.kind !== "record") return view.text;
  return view.role("unknown") === null ? (view.role("text") ?? view).text : "";
}

function readText({ wholes }) {
  return firstOfAll(wholes, (view) => textIn(view) || null);
}

/** A term that is a text, which a file may state for all its boards; some formats have a code for it. */
function textOfMatch(name) {
  const stated = (file) => name !== "event" || file.groups.has("round");
  const without = (said) => (said.file && stated(said.file) ? (said.file.get(name) ?? null) : null);
  const textIs = (view) => {
    const kind = view.decl.kind === "record" ? view.role(name) : null;
    return (kind === null ? textIn(view) : (kind.code ?? "").toUpperCase()) || null;
  };
  return { read: ({ wholes }, said) => firstOfAll(wholes, textIs) ?? without(said), without };
}

/** Return the number of a part of a date in so many digits; a code for a month is its number. */
function figuresOfDate(view, width, century = false) {
  const months = ["january", "february", "march", "april", "may", "june", "july", "august", "september"];
  const coded = [...months, "october", "november", "december"].indexOf(view?.code ?? "") + 1;
  const spelled = /^[0-9]{1,18}$/.test(view?.text ?? "") ? Number(view.text) : null;
  let number = view?.decl.kind === "code" ? coded || null : (view?.number ?? spelled);
  if (century && number !== null && number < 100) number = Number(number) + (number >= 69 ? 1900 : 2000);
  return number === null ? "?".repeat(width) : String(number).padStart(width, "0");
}

/** Return a date: a text, or its parts joined by dots, with question marks for missing ones. */
function readDate({ wholes }) {
  return firstOfAll(wholes, (view) => {
    const year = view.decl.kind === "record" ? view.role("year") : null;
    if (year !== null) {
      const [month, date] = ["month", "month_day"].map((role) => figuresOfDate(view.role(role), 2));
      return [figuresOfDate(year, 4, true), month, date].join(".");
    }
    const day = view.decl.kind === "record" ? view.role("day") : null;
    if (day === null) return textIn(view) || null;
    const parts = /^([0-9?]{4})([0-9?]{2})?([0-9?]{2})?$/.exec(day.text);
    return (parts ? [parts[1], parts[2] ?? "??", parts[3] ?? "??"].join(".") : day.text) || null;
  });
}

function readRoom({ wholes }) {
  return firstOfAll(wholes, (view) => {
    const found = view.decl.kind === "code" ? view : view.decl.kind === "record" ? view.role("room") : null;
    const text = found === null ? textIn(view) : found.decl.kind === "code" ? (found.code ?? "") : found.text;
    if (text === "-") return null;
    return (text === "open" || text === "closed" ? text[0].toUpperCase() + text.slice(1) : text) || null;
  });
}

/** Return names by seat; a part for one seat takes precedence over a whole list, and the record over the file. */
function readPlayers({ wholes, members }, said) {
  const players = [null, null, null, null];
  const closed = (said.get("room") ?? "").toLowerCase() === "closed";
  for (const view of [...(said.file?.group("players")?.wholes ?? []), ...[...wholes].reverse()]) {
    const listed = view.roles("player");
    if (listed.length) {
      const axes = Object.fromEntries(listed[0].decl.axes);
      const order = [...(axes.room ?? " ")].flatMap((room) =>
        [...(axes.seat ?? "WNES")].map((seat) => [room, "WNES".indexOf(seat)]),
      );
      listed.slice(0, order.length).forEach((each, index) => {
        const [room, seat] = order[index];
        if (room === " " || (room === "C") === (closed && listed.length > 4))
          players[seat] = each.text || players[seat];
      });
    }
    for (const [role, each] of view.parts) {
      if (SEAT_NAMES.includes(role)) players[SEAT_NAMES.indexOf(role)] = each.text || players[SEAT_NAMES.indexOf(role)];
    }
  }
  for (const [role, view] of members)
    players[SEAT_NAMES.indexOf(role)] = view.text || players[SEAT_NAMES.indexOf(role)];
  return players.some(Boolean) ? players : null;
}

function readTeams(group, said) {
  for (const one of [group, said.file?.group("teams") ?? null]) {
    const found = ["home", "visiting"].map((role) => (one === null ? null : partOf(one, role)?.text || null));
    if (found.some(Boolean)) return found;
  }
  return null;
}

/** Return the first part of a group with a role that has a value, else the first with the role. */
function partOf({ wholes, members }, role) {
  const inside = wholes.filter((view) => view.has(role)).flatMap((view) => view.roles(role));
  const found = [...inside, ...members.filter(([name]) => name === role).map(([, view]) => view)];
  return found.find((view) => view.says) ?? found[0] ?? null;
}

// Cells: arrays over seats, suits, ranks and strains

const SCALES = {
  suit: (label) => 13 * "SHDC".indexOf(label),
  rank: (label) => RANK_SIGNS.indexOf(label),
  strain: (label) => 4 * "NSHDC".indexOf(label),
  seat: (label) => "WNES".indexOf(label),
  leader: (label) => ("WNES".indexOf(label) + 3) % 4,
};

/** Return the elements of cells of a view, with their declaration; null for a view without cells. */
function cellsIn(view) {
  const { decl } = view;
  if (decl.axes.length && (decl.kind !== "record" || decl.many))
    return view.says ? [decl, decl.many ? view.items : [view]] : null;
  const found = view.roles("cell");
  return found.length ? [found[0].decl, found] : null;
}

/** Return the model's cell of each array position; the last axis varies fastest. */
function cellPlaces(axes) {
  let cells = [0];
  for (const [name, labels] of axes)
    cells = cells.flatMap((cell) => [...labels].map((label) => cell + (SCALES[name]?.(label) ?? 0)));
  return cells;
}

/**
 * Write the values of elements into `cells`; `valueOf` returns the value of a cell from a code and a number, null for none.
 * `keep` receives each cell and the part that states it.
 */
function readLevel(decl, items, base, cells, valueOf, keep = () => {}) {
  const places = cellPlaces(decl.axes);
  const flips = decl.axes.some(([name]) => name === "leader");
  const each = Math.max(1, Math.floor(places.length / Math.max(1, items.length)));
  items.forEach((view, index) => {
    if (decl.digits) {
      const mine = places.slice(index * each, (index + 1) * each);
      readCellDigits(decl.digits, view, base, mine, cells, valueOf);
      for (const place of mine) keep(base + place, view);
    } else if (index < places.length) {
      const place = base + places[index];
      if (decl.inner) {
        readLevel(decl.inner(), view.roles("cell"), place, cells, valueOf, keep);
        return;
      }
      keep(place, view);
      const value = valueOf(view.code, view.number);
      // cells by leader are tricks of North and South: a declarer of East and West has the rest of 13
      if (value !== null) cells[place] = flips && place % 2 === 0 && value <= 13 ? 13 - value : value;
    }
  });
}

/** @where digits */
function readCellDigits({ base: radix, start, names, high }, view, base, places, cells, valueOf) {
  const { number } = view;
  let rest = number === null ? 0 : typeof number === "bigint" ? number - BigInt(start) : number - start;
  const divisor = typeof rest === "bigint" ? BigInt(radix) : radix;
  for (const place of high ? [...places].reverse() : places) {
    const digit = Number(((rest % divisor) + divisor) % divisor);
    rest = typeof rest === "bigint" ? rest / divisor : Math.floor(rest / radix);
    const value = number === null || !Object.hasOwn(names, digit) ? null : valueOf(names[digit], null);
    if (value !== null) cells[base + place] = value;
  }
}

// Deals and hands by their numbers

const DEALS = 53644737765488792839237440000n;
const HANDS = 635013559600n;
const MOST_DIGITS = 96;

/** Return the number that a view states: an integer, the number that a text spells, or one in an array of integers. */
function ordinalIn(view) {
  const { decl } = view;
  if (decl.limb) {
    const [width, lowFirst] = decl.limb;
    const numbers = view.items.map(({ number }) => BigInt(number ?? 0));
    if (lowFirst) numbers.reverse();
    return numbers.reduce((all, number) => (all << BigInt(width)) | number, 0n);
  }
  if (decl.binary && !decl.number) return view.number === null ? null : BigInt(view.number);
  const number = decl.number || !decl.binary ? readNumeral(decl.number ?? {}, view.text, MOST_DIGITS, BigInt) : null;
  if (number === null && view.says && !view.node.broken) {
    wrong(view, "not-a-number", `${quote(view.raw)} is not a number`);
  }
  return number;
}

/** Return the orders of the cards and of the seats in which deals are numbered. */
function rankingOf({ axes }) {
  const cards = axes.filter(([name]) => name !== "seat");
  const seats = axes.find(([name]) => name === "seat")?.[1] ?? "WNES";
  const places = cards.length ? cellPlaces(cards) : [...new Array(52).keys()];
  return [places, [...seats].map((label) => "WNES".indexOf(label))];
}

/** Whether a number is present and in range; report one that is out of range. */
function isBelow(view, number, count, what) {
  if (number === null) return false;
  const found = number >= 0n && number < count;
  if (!found) wrong(view, "bad-ordinal", `a ${what}'s number is 0 to ${count - 1n}, not ${number}`);
  return found;
}

/**
 * Return the holders of the cards of the deal with a number; null for a number of no deal.
 * @where deal ordinal
 */
function dealOfOrdinal(view) {
  let number = ordinalIn(view);
  if (!isBelow(view, number, DEALS, "deal")) return null;
  const [places, seats] = rankingOf(view.decl);
  const holders = new Array(52);
  const counts = [13n, 13n, 13n, 13n];
  let left = DEALS;
  places.forEach((slot, place) => {
    for (const [turn, seat] of seats.entries()) {
      const share = (left * counts[turn]) / BigInt(52 - place);
      if (number < share) {
        holders[slot] = seat;
        counts[turn] -= 1n;
        left = share;
        return;
      }
      number -= share;
    }
  });
  return holders;
}

/**
 * Return the cards of the hand with a number; none for a number of no hand.
 * @where deal ordinal
 */
function handOfOrdinal(view) {
  let number = ordinalIn(view);
  if (!isBelow(view, number, HANDS, "hand")) return [];
  let [left, count] = [HANDS, 13n];
  return rankingOf(view.decl)[0].filter((_, place) => {
    const share = (left * count) / BigInt(52 - place);
    const held = number < share;
    if (held) count -= 1n;
    else number -= share;
    left = held ? share : left - share;
    return held;
  });
}

// The deal

function holderOf(name) {
  if (SEAT_NAMES.includes(name)) return SEAT_NAMES.indexOf(name);
  if (name === "out" || name === "unused" || name === "none") return OUT_OF_PLAY;
  return name === "unknown" ? NOBODY_KNOWS : null;
}

/**
 * Return the holder of each of the 52 cards: of the first deal that is stated as a whole, else of the hands that are stated
 * one by one.
 */
function readDeal({ wholes, members }, said) {
  const found = firstOfAll(wholes, (view) => {
    const cells = cellsIn(view);
    if (view.has("ordinal") && view.role("ordinal") !== null) return dealOfOrdinal(view.role("ordinal"));
    if (cells === null) return givesHands(view) ? dealOfHands(handsIn(view, said)) : null;
    const holders = new Array(52).fill(NOBODY_KNOWS);
    readLevel(...cells, 0, holders, holderOf);
    return holders;
  });
  const number = members.find(([role]) => role === "ordinal");
  const numbered = found ?? (number ? dealOfOrdinal(number[1]) : null);
  const named = members.filter(([role]) => SEAT_NAMES.includes(role));
  const hands = named.map(([role, view]) => [SEAT_NAMES.indexOf(role), view]);
  return numbered ?? (hands.length ? dealOfHands(hands) : null);
}

/** Whether a part states hands. */
function givesHands({ parts }) {
  return parts.some(([role]) => role === "hand" || SEAT_NAMES.includes(role));
}

/**
 * Return the hands of a deal with their seats.
 * @where deal hand, deal west, deal north, deal east, deal south
 */
function handsIn(view, said) {
  const hands = view.roles("hand");
  const labelled = hands.length > 0 && hands[0].has("seat");
  const order = hands.length ? handOrder(hands[0].decl, firstHand(hands[0].decl, view, said)) : [];
  const found = labelled
    ? hands.map((hand) => [seatIn(hand), hand]).filter(([seat]) => seat !== null)
    : hands.slice(0, order.length).map((hand, index) => [order[index], hand]);
  const named = view.parts
    .filter(([role]) => SEAT_NAMES.includes(role))
    .map(([role, hand]) => [SEAT_NAMES.indexOf(role), hand]);
  return [...found, ...named];
}

/** Return the seat of the first hand: a part of the record, or the dealer. */
function firstHand({ at }, view, said) {
  if (at.seat === undefined) return 0;
  const named = view.role(at.seat);
  if (named !== null) return seatIn(named);
  if (at.seat !== "dealer") return null;
  return said.get("dealer") ?? [1, 2, 3, 0][(((said.get("number") - 1) % 4) + 4) % 4];
}

function handOrder({ axes, at }, first) {
  const seats = axes.find(([name]) => name === "seat");
  if (seats) return [...seats[1]].map((label) => "WNES".indexOf(label));
  const start = at.seat === undefined ? 0 : (first ?? 1);
  return [0, 1, 2, 3].map((turn) => (start + turn) % 4);
}

/** @where deal hand, deal west, deal north, deal east, deal south */
function dealOfHands(hands) {
  const given = new Map();
  for (const [seat, view] of hands) {
    const cards = cardsOf(view);
    const before = given.get(seat) ?? [];
    // A seat that occurs twice has the cards of both hands, unless they are equal.
    if (cards !== null && String(cards) !== String(given.get(seat))) given.set(seat, [...before, ...cards]);
  }
  if (!given.size) return null;
  const empty = [...given].filter(([, cards]) => !cards.length);
  const whole = [...given].filter(([, cards]) => new Set(cards).size === 13);
  if (given.size === 4 && empty.length === 1 && whole.length === 3) given.delete(empty[0][0]);
  let holders = new Array(52).fill(given.size === 4 ? OUT_OF_PLAY : NOBODY_KNOWS);
  const dealt = new Map();
  const conflicts = [];
  for (const [seat, cards] of given) {
    for (const [index, card] of cards.entries()) {
      if (dealt.has(card)) conflicts.push([card, dealt.get(card), [seat, index]]);
      else holders[card] = seat;
      if (!dealt.has(card)) dealt.set(card, [seat, index]);
    }
  }
  if (
    given.size === 3 &&
    [...given.keys()].every((seat) => holders.filter((holder) => holder === seat).length === 13)
  ) {
    const last = [0, 1, 2, 3].find((seat) => !given.has(seat));
    holders = holders.map((holder) => (holder === NOBODY_KNOWS ? last : holder));
  }
  return Object.assign(holders, { conflicts });
}

/** Return the cards of a hand; null for a hand that is not stated. */
function cardsOf(view) {
  return cardsIn(view)?.map(([card]) => card) ?? null;
}

/**
 * Return the cards of a hand, each with the part that states it.
 * @where deal hand, deal west, deal north, deal east, deal south
 */
function cardsIn(view) {
  if (view.decl.kind !== "record") return cardsOfCodes(view);
  const inner = view.role("hand");
  if (inner !== null) return cardsIn(inner);
  const found = [];
  let given = false;
  let turn = 0;
  for (const [role, held] of view.parts) {
    if (role === "missing" || role === "rest") return null;
    if (role === "card") {
      const card = held.decl.kind === "code" ? cardNamed(held.code ?? "") : cardOfText(held.text);
      if (card !== null) found.push([card, held]);
      given = true;
    } else if (role === "ordinal") {
      for (const card of handOfOrdinal(held)) found.push([card, held]);
      given = true;
    } else if (role === "holding" || SUIT_NAMES.includes(role)) {
      given = true;
      const labels = held.decl.axes.find(([name]) => name === "suit")?.[1] ?? "SHDC";
      const suits = role === "holding" ? [...labels].map((label) => "SHDC".indexOf(label)) : [SUIT_NAMES.indexOf(role)];
      if (turn < suits.length) for (const rank of ranksIn(held.text)) found.push([13 * suits[turn] + rank, held]);
      if (suits.length > 1) turn += 1;
    }
  }
  return given ? found : null;
}

/** Return the cards of a hand of codes: codes of cards, or marks of suits followed by ranks. */
function cardsOfCodes(view) {
  const items = view.items.filter(({ node }) => !node.broken);
  if (Object.values(view.decl.codes ?? {}).includes("blank") && view.items.every(({ code }) => code === "blank"))
    return null;
  const found = [];
  let suit = -1;
  const marked = new Set();
  for (const item of items) {
    const name = item.code;
    const card = cardNamed(name ?? "");
    if (card !== null) found.push([card, item]);
    else if (SUIT_NAMES.includes(name)) {
      suit = SUIT_NAMES.indexOf(name);
      if (marked.has(suit)) wrong(item, "bad-hand", `the mark of ${name} stands twice`);
      marked.add(suit);
    } else if (RANK_NAMES.includes(name) && suit >= 0) found.push([13 * suit + RANK_NAMES.indexOf(name), item]);
    else wrongInHand(item, name);
  }
  return found;
}

/** Report a code of a hand that is no card. */
function wrongInHand(item, name) {
  const { value } = item.node;
  const number = typeof value === "string" && item.decl.number ? readNumeral(item.decl.number, value) : null;
  if (RANK_NAMES.includes(name)) wrong(item, "bad-hand", "a rank stands before any suit mark");
  else if (name === "blank") wrong(item, "unknown-code", "a blank inside a hand");
  else if (number !== null) wrong(item, "unknown-code", `${number} stands for no card`);
  else if (typeof value === "number") {
    const letter = value > 31 && value < 127 ? ` (${quote(String.fromCharCode(value))})` : "";
    wrong(item, "unknown-code", `0x${value.toString(16).padStart(2, "0")}${letter} stands for no card`);
  } else if (value?.replace(/^ +/, "")) wrong(item, "not-a-number", `${quote(value)} is not a number`);
}

function ranksIn(text) {
  return [...text.replaceAll("10", "T").toUpperCase()]
    .map((sign) => RANK_SIGNS.indexOf(sign))
    .filter((rank) => rank >= 0);
}

/** Return the card of a code such as `sa`. */
function cardNamed(name) {
  const found = /^([shdc])([akqjt2-9])$/.exec(name);
  return found ? 13 * "shdc".indexOf(found[1]) + RANK_SIGNS.indexOf(found[2].toUpperCase()) : null;
}

/** Return the card that a text such as `SK`, `dT`, `H10` or `TH` spells; null for any other text. */
function cardOfText(text) {
  const short = text.replaceAll("10", "T").toLowerCase();
  return cardNamed(short) ?? cardNamed([...short].reverse().join(""));
}

function cardText(card) {
  return "SHDC"[Math.floor(card / 13)] + RANK_SIGNS[card % 13];
}

/** Return dotted holdings by seat, and the cards out of play; unknown cards are in none. */
function dealJson(holders) {
  const keys = [...SEAT_NAMES, "out"]
    .map((name, holder) => [name, holder])
    .filter(([, holder]) => holders.includes(holder));
  const holding = (holder, suit) => [...RANK_SIGNS].filter((_, rank) => holders[13 * suit + rank] === holder).join("");
  return Object.fromEntries(
    keys.map(([name, holder]) => [name, [0, 1, 2, 3].map((suit) => holding(holder, suit)).join(".")]),
  );
}

/** Return the cards that are dealt twice, with the seat and the index in the hand of the first and of the second. */
function conflictsJson(conflicts) {
  const at = ([seat, index]) => [SEAT_NAMES[seat], index];
  return conflicts.map(([card, first, again]) => ({ card: cardText(card), first: at(first), again: at(again) }));
}

// The auction

const CALL_WORDS = {
  ...{ P: "Pass", PASS: "Pass", X: "X", D: "X", DBL: "X", DOUBLE: "X" },
  ...{ XX: "XX", R: "XX", RDBL: "XX", REDOUBLE: "XX" },
};

/** Return a call in any usual spelling as `1NT`, `Pass`, `X` or `XX`; null for any other text. */
function callOf(text) {
  const word = text.trim().toUpperCase();
  if (Object.hasOwn(CALL_WORDS, word)) return CALL_WORDS[word];
  const bid = /^([1-7])\s*(NT|[NSHDC])$/.exec(word);
  return bid ? bid[1] + STRAIN_LABELS["NSHDC".indexOf(bid[2][0])] : null;
}

/**
 * Return the calls of an auction in turn, each with its alert, explanation and marks: of the first auction with a call, else
 * of the first.
 */
function readAuction({ wholes, members }, said) {
  const notes = notesOf(members);
  const found = wholes.map((view) => auctionOf(view.parts, view, notes, said));
  const single = members.flatMap(callsOfMember);
  if (!found.length || members.some(([role]) => role !== "note")) found.push(auctionOf(single, null, notes, said));
  return found.find(({ calls }) => calls.length) ?? found[0];
}

/** Return the parts of an auction that one field states: each call of a field with several calls, else the field. */
function callsOfMember([role, view]) {
  const calls = role === "call_made" && view.decl.kind === "record" ? view.roles(role) : [];
  return calls.length ? calls.map((each) => [role, each]) : [[role, view]];
}

function auctionOf(parts, view, notes, said) {
  const calls = [];
  let waited = 0;
  for (const [role, each] of parts) {
    if (role === "explanation") {
      if (calls.length) calls.at(-1).explanation = each.text;
    } else if (role === "call_made") {
      const made = callMade(each, notes);
      if (made === "all_pass") for (let left = closingPasses(calls); left > 0; left--) calls.push({ call: "Pass" });
      else if (made === "waiting") waited += calls.length ? 0 : 1;
      else if (made === null) break;
      else calls.push(made);
    }
  }
  let first = said.get("dealer");
  if (view?.has("seat")) first = seatIn(view.role("seat"));
  if (first !== null && waited) first = (first + waited) % 4;
  return { calls, first, closed: view !== null && parts.some(([role]) => role === "stop") };
}

/** Return the call of one entry with its remarks, or the reason why there is no call. */
function callMade(view, notes) {
  if (view.decl.kind !== "record") {
    const call = callOf(view.text);
    return call === null ? null : { call };
  }
  const { parts } = view;
  const has = (name) => parts.some(([role]) => role === name);
  if (has("all_pass")) return "all_pass";
  if (has("waiting")) return "waiting";
  const call = has("skipped") ? "Pass" : callOf(view.role("call")?.text ?? "");
  if (call === null) return null;
  const { mark, glyphs, reference } = remarkOf(parts);
  const made = { call };
  if (has("alert") || has("conventional")) made.alert = true;
  if (has("explanation")) made.explanation = view.role("explanation").text;
  if (mark) made.mark = mark;
  if (glyphs.length) made.glyphs = glyphs;
  if (has("skipped") || has("irregular_bid")) made.irregular = true;
  if (reference !== null) {
    made.alert = true;
    const note = noteOf(reference, notes);
    if (made.explanation === undefined && note) made.explanation = note;
  }
  return made;
}

/** Return the remarks on a call or card: a mark, numbered glyphs, the note to which it refers. */
function remarkOf(parts) {
  let mark = null;
  let reference = null;
  const glyphs = [];
  for (const [role, view] of parts) {
    if (role === "suffix") mark ||= view.text;
    else if (role === "reference") reference ??= [view.text, view.raw];
    else if (role === "glyph" && view.number !== null) {
      const { marks = {} } = view.decl;
      if (mark === null && !glyphs.length && Object.hasOwn(marks, view.number)) mark = marks[view.number];
      else glyphs.push(view.number);
    }
  }
  return { mark, glyphs, reference };
}

/** Return the notes of a record by number. */
function notesOf(members) {
  const notes = new Map();
  for (const [role, view] of members) {
    if (role !== "note") continue;
    const text = view.role("note_text");
    if (text === null) notes.set(view.key, view.text);
    else notes.set(view.role("index")?.text ?? "", text.text);
  }
  return notes;
}

/** Return the text of a note; the reference itself without such a note. */
function noteOf([number, raw], notes) {
  return notes.get(number) ?? raw;
}

/** Return the number of passes that end the auction after these calls. */
function closingPasses(calls) {
  const last = calls.findLastIndex(({ call }) => call !== "Pass");
  const bid = calls.some(({ call }) => /^[1-7]/.test(call));
  return Math.max(0, (bid ? 3 : 4) - (calls.length - 1 - last));
}

/** Return the contract after these calls, and the turn in which the declarer named the strain first. */
function outcomeOf({ calls }) {
  const last = calls.findLastIndex(({ call }) => /^[1-7]/.test(call));
  if (last < 0) {
    const over = calls.length > 3 && calls.slice(-4).every(({ call }) => call === "Pass");
    return { contract: over ? { level: 0, strain: 0, doubling: 0 } : null, turn: null };
  }
  const strain = calls[last].call.slice(1);
  const turn = calls.findIndex(
    ({ call }, index) => index % 2 === last % 2 && /^[1-7]/.test(call) && call.slice(1) === strain,
  );
  const doubled = calls.slice(last).findLast(({ call }) => call === "X" || call === "XX")?.call ?? "";
  return {
    contract: { level: Number(calls[last].call[0]), strain: STRAIN_LABELS.indexOf(strain), doubling: doubled.length },
    turn,
  };
}

/** Return the declarer of an auction's contract; null without a bid or a first seat. */
function declarerOf(auction) {
  const { turn } = outcomeOf(auction);
  return turn === null || auction.first === null ? null : (auction.first + turn) % 4;
}

function auctionJson({ calls, first, closed }) {
  const out = {};
  if (calls.length) out.calls = calls;
  if (first !== null) out.first = SEAT_NAMES[first];
  if (closed) out.closed = true;
  return out;
}

// Contract, result, score

function contractIn(view) {
  if (view.code === "passed_out") return { level: 0, strain: 0, doubling: 0 };
  const stated = view.decl.kind === "record" ? contractOfParts(Object.fromEntries(view.parts)) : null;
  if (stated !== null) return stated;
  const found = view.decl.kind === "record" ? view.role("contract") : view;
  const contract = found === null ? null : contractOfText(found.text.trim().toUpperCase());
  if (found?.text.trim() && contract === null && !found.node.broken) {
    wrong(found, "unknown-code", `${quote(found.text)} is not a contract`);
  }
  return contract;
}

/** Return the contract of parts by role; null if level or strain is missing or invalid. */
function contractOfParts({ passed_out, level, strain, doubling }) {
  if (passed_out) return { level: 0, strain: 0, doubling: 0 };
  const number = level?.number ?? null;
  const [named, twice] = [strain, doubling].map((part) => (part ? (codeIn(part) ?? "") : ""));
  const suit = STRAIN_NAMES.indexOf(named);
  if (number === null || suit < 0 || number < 0 || number > 7) return null;
  const doubled = Math.max(0, ["undoubled", "doubled", "redoubled"].indexOf(twice));
  return { level: number, strain: suit, doubling: doubled };
}

function contractOfText(text) {
  if (["PASS", "P", "AP", "0"].includes(text)) return { level: 0, strain: 0, doubling: 0 };
  const found = /^([1-7])\s*(NT|[NSHDC])\s*(|XX?|DBL|RDBL|D|R)$/.exec(text);
  if (!found) return null;
  const doubling = /^(XX|R)/.test(found[3]) ? 2 : found[3] ? 1 : 0;
  return { level: Number(found[1]), strain: "NSHDC".indexOf(found[2][0]), doubling };
}

function contractText({ level, strain, doubling }) {
  return level ? `${level}${STRAIN_LABELS[strain]}${"X".repeat(doubling)}` : "Pass";
}

/** Return the contract and the declarer, as stated or else from the auction. */
function boughtBy(said) {
  const auction = said.get("auction");
  const contract = said.get("contract") ?? (auction ? outcomeOf(auction).contract : null);
  return [contract, said.get("declarer") ?? (auction ? declarerOf(auction) : null)];
}

/** Return the number of claimed tricks. */
function claimOf(group) {
  const found = group === null ? null : partOf(group, "claim");
  const number = found === null ? null : ((found.decl.kind === "record" ? found.role("claim") : found)?.number ?? null);
  return number !== null && number <= 13 ? number : null;
}

/** Return the outcomes that a file lists for all its boards, by board number, those of the closed room apart. */
function readResults({ wholes, members }, said) {
  const found = new Map();
  const listed = members.find(([role]) => role === "board_numbers")?.[1];
  const numbers = listed ? listed.roles("number").map(({ number }) => number) : [];
  const teams = said.group("teams");
  const first = teams === null ? "" : (partOf(teams, "first")?.text ?? "");
  const start = /^[0-9]{1,18}$/.test(first) ? Number(first) : said.firstNumber;
  for (const view of wholes) {
    const outcomes = view.roles("outcome");
    const rooms = outcomes[0]?.decl.axes.find(([name]) => name === "room")?.[1] ?? "O";
    outcomes.forEach((each, place) => {
      const board = Math.floor(place / rooms.length);
      const number = board < numbers.length ? numbers[board] : numbers.length ? null : start + board;
      const outcome = outcomeIn(each);
      if (outcome !== null && number !== null) found.set(`${number}${rooms[place % rooms.length] === "C"}`, outcome);
    });
  }
  return found;
}

function outcomeIn(view) {
  const parts = Object.fromEntries(view.parts);
  const contract = contractOfParts(parts);
  if (contract === null) return null;
  const declarer = SEAT_NAMES.indexOf((contract.level && parts.seat?.code) || "");
  const tricks = tricksMade(contract, tricksOver(parts), parts);
  return { contract, declarer: declarer < 0 ? null : declarer, tricks };
}

/** Return the overtricks or undertricks that parts state: `=`, `+1`, `-2`; null if no part does. */
function tricksOver({ overtricks, undertricks, just_made }) {
  const [over, under] = [overtricks?.number ?? null, undertricks?.number ?? null];
  return over === null && under === null && !just_made ? null : (over ?? 0) - (under ?? 0);
}

/** Return the number of tricks of a result that counts from its contract; null without one, or for an impossible number. */
function tricksMade(contract, over, { undertricks, overtricks, just_made }) {
  if (!contract?.level || over === null) return null;
  return possibleTricks(undertricks ?? overtricks ?? just_made, 6 + contract.level + over);
}

/** Return a number of tricks; report one that is out of range, and return null. */
function possibleTricks(view, tricks) {
  if (tricks !== null && tricks >= 0 && tricks <= 13) return tricks;
  if (tricks !== null) wrong(view, "bad-result", `the result comes to ${tricks} tricks: there are 0 to 13`);
  return null;
}

/** Return the outcome that the file lists for a board. */
function listedOutcome(said) {
  const number = said.file?.group("results") ? said.get("number") : null;
  if (number === null) return null;
  const closed = (said.get("room") ?? "").toLowerCase() === "closed";
  return said.file.get("results")?.get(`${number}${closed}`) ?? null;
}

/** Return the declarer that the file lists for the board, unless its auction has a contract. */
function declarerUnsaid(said) {
  const outcome = listedOutcome(said);
  const auction = outcome === null ? null : said.get("auction");
  return outcome === null || (auction !== null && outcomeOf(auction).contract !== null) ? null : outcome.declarer;
}

function contractUnsaid(said) {
  const outcome = listedOutcome(said);
  const auction = outcome === null ? null : said.get("auction");
  return outcome === null || (auction !== null && outcomeOf(auction).contract !== null) ? null : outcome.contract;
}

function readResult({ wholes }, said) {
  const claim = claimOf(said.group("play"));
  if (claim !== null) return claim;
  const stated = firstOfAll(wholes, (view) => {
    const parts = view.decl.kind === "record" ? Object.fromEntries(view.parts) : {};
    const over = tricksOver(parts);
    if (over !== null) return tricksMade(boughtBy(said)[0], over, parts);
    const [won, side] = bySide(view, "tricks_won");
    const number = possibleTricks(view, won);
    if (number === null) return null;
    const declarer = side === null ? null : said.get("declarer");
    return declarer === null || side === declarer % 2 ? number : 13 - number;
  });
  return stated ?? listedOutcome(said)?.tricks ?? null;
}

/**
 * Return the claimed tricks; in a format that states results by claims alone, the tricks of a play to the last card; else the
 * listed ones.
 */
function resultUnsaid(said) {
  const claim = claimOf(said.group("play"));
  if (claim !== null) return claim;
  return (said.meaning.claims ? countedTricks(said) : null) ?? listedOutcome(said)?.tricks ?? null;
}

/** Return the declarer's tricks in a play to the last card; null for an incomplete play, or an unknown strain. */
function countedTricks(said) {
  const [contract, declarer] = boughtBy(said);
  const play = said.get("play");
  if (play === null || contract === null || !contract.level || declarer === null) return null;
  const cards = play.tricks.flatMap((trick) => trick.cards);
  if (cards.filter((card) => card !== null).length < 52) return null;
  return play.tricks.filter((trick) => {
    const won = trick.cards.length === 4 && !trick.cards.includes(null) ? winnerOf(trick, contract.strain) : null;
    return won !== null && won % 2 === declarer % 2;
  }).length;
}

/** Return the first number of a score, and its side, 0 for East and West; null if no side is named. */
function bySide(view, role) {
  const found = view.decl.kind === "record" ? view.role(role) : view;
  const side = view.decl.kind === "record" ? SIDES.indexOf(view.role("side")?.code ?? "") : -1;
  return [found === null ? null : found.number, side < 0 ? null : side];
}

function readScore({ wholes }, said) {
  return firstOfAll(wholes, (view) => {
    const [number, named] = bySide(view, "points");
    const declarer = named === null ? said.get("declarer") : null;
    const side = declarer === null ? named : declarer % 2;
    if (number === null || (side === null && !view.decl.binary)) return null;
    return side === 0 && number !== 0 ? -number : number;
  });
}

// The play

/** Return the first play with a card, and the claim. */
function readPlay(group, said) {
  const play = firstOfAll([...group.wholes, null], (view) => playOf(view, group, said));
  const claim = claimOf(group);
  const whole = play !== null && play.tricks.flatMap(({ cards }) => cards).filter((card) => card !== null).length >= 52;
  return play === null || claim === null || whole ? play : { ...play, claim };
}

function playOf(view, group, said) {
  const [contract] = boughtBy(said);
  const strain = contract?.strain ?? 0;
  if (view?.has("seat")) {
    const named = seatIn(view.role("seat"));
    const declarer = named === null ? playerOf(said) : null;
    const first = declarer === null ? named : (declarer + 1) % 4;
    return first === null ? null : playInColumns(view, first, strain, group, said);
  }
  const declarer = playerOf(said);
  const cards = cardsInOrder(view === null ? group.members : view.parts);
  if (declarer === null || !cards.length) return null;
  const tricks = [];
  let leader = (declarer + 1) % 4;
  for (let at = 0; at < cards.length; at += 4) {
    tricks.push({ leader, cards: cards.slice(at, at + 4) });
    leader = leaderAfter(tricks.at(-1), cards.slice(at + 4, at + 8), strain, said);
  }
  return { tricks };
}

/**
 * Return the leader of the trick after a trick: its winner; if a card of it is unknown, found by the holder of the next known
 * card.
 */
function leaderAfter(trick, following, strain, said) {
  const holders = trick.cards.includes(null) ? said.get("deal") : null;
  const turn = holders === null ? -1 : following.findIndex((card) => card !== null && holders[card] < 4);
  if (turn >= 0) return (holders[following[turn]] - turn + 4) % 4;
  return trick.cards.some((card) => card !== null) ? winnerOf(trick, strain) : trick.leader;
}

/** Return the declarer, as stated or from an auction of which every call could be read. */
function playerOf(said) {
  const declarer = said.get("declarer");
  const auction = said.get("auction");
  const group = said.group("auction");
  if (declarer !== null || auction === null || group === null) return declarer;
  const calls = group.members.flatMap(callsOfMember).filter(([role]) => role === "call_made").length;
  return auction.calls.length >= Math.max(calls, 1) ? declarerOf(auction) : null;
}

/** Return the winner of a trick in a strain, so far, by the known cards. */
function winnerOf({ leader, cards }, strain) {
  const known = cards.map((card, index) => [card, index]).filter(([card]) => card !== null);
  const led = Math.floor(known[0][0] / 13);
  const height = (card) => {
    const suit = Math.floor(card / 13);
    return suit === strain - 1 ? 26 - (card % 13) : suit === led ? 13 - (card % 13) : 0;
  };
  const [, best] = known.reduce((one, two) => (height(two[0]) > height(one[0]) ? two : one));
  return (leader + best) % 4;
}

/**
 * Return the play of a table with a row for each trick and a column for each seat, clockwise from the seat `first`.
 * @where play seat
 */
function playInColumns(view, first, strain, group, said) {
  const entry = view.parts.at(-1)?.[0] === "card_played" ? cardEntry(view.parts.at(-1)[1]) : null;
  const open = entry !== null && entry.card === null && !entry.irregular && entry.remark === null;
  const stops = open || view.parts.some(([role]) => role === "stop");
  const entries = view.parts.filter(([role]) => role === "card_played").map(([, each]) => cardEntry(each));
  const tricks = [];
  let leader = first;
  for (let at = 0; at < entries.length; at += 4) {
    const row = entries.slice(at, at + 4);
    const led = row.findLastIndex(({ leads }) => leads);
    if (led >= 0) leader = (first + led) % 4;
    const start = (((leader - first) % 4) + 4) % 4;
    const cards = [0, 1, 2, 3].map((turn) => row[(start + turn) % 4]?.card ?? null);
    while (cards.length && cards.at(-1) === null) cards.pop();
    if (!cards.length) break;
    tricks.push({ leader, cards });
    leader = winnerOf(tricks.at(-1), strain);
  }
  if (!tricks.length) return null;
  const play = { tricks };
  const notes = cardNotes(entries, tricks, first, notesOf(group.members));
  if (notes.length) play.notes = notes;
  const count = tricks.flatMap(({ cards }) => cards).filter((card) => card !== null).length;
  const claim = stops && (tricks.length < 13 || count < 52) ? said.get("result") : null;
  return claim === null ? play : { ...play, claim };
}

function cardEntry(view) {
  if (view.decl.kind !== "record") return { card: cardOfText(view.text), leads: false, irregular: false, remark: null };
  const { parts } = view;
  const has = (name) => parts.some(([role]) => role === name);
  const remark = remarkOf(parts);
  const said = remark.mark || remark.glyphs.length || remark.reference !== null;
  const leads = has("irregular_lead");
  const card = has("card") ? cardOfText(view.role("card").text) : null;
  return { card, leads, irregular: leads || has("irregular_card"), remark: said ? remark : null };
}

function cardNotes(entries, tricks, first, notes) {
  const places = new Map();
  tricks.forEach(({ leader, cards }, number) => {
    cards.forEach((_, turn) => places.set(4 * number + ((leader + turn - first + 4) % 4), [number, turn]));
  });
  return entries.flatMap(({ irregular, remark }, index) => {
    if (!places.has(index) || (!irregular && remark === null)) return [];
    const [trick, turn] = places.get(index);
    const note = { trick, index: turn };
    if (remark?.reference) note.text = noteOf(remark.reference, notes);
    if (remark?.mark) note.mark = remark.mark;
    if (remark?.glyphs.length) note.glyphs = remark.glyphs;
    if (irregular) note.irregular = true;
    return [note];
  });
}

/**
 * Return the cards in the order of play, up to the first that cannot be read; a rank alone is of the suit led.
 */
function cardsInOrder(parts) {
  const cards = [];
  for (const [role, view] of parts) {
    let texts = [];
    if (role === "trick") texts = view.roles("card").map(({ text }) => text);
    else if (role === "card") texts = [(view.decl.kind === "record" ? view.role("card") : view)?.text ?? "?"];
    texts = role === "trick" ? texts.filter(Boolean) : texts;
    const led = texts.find(Boolean)?.[0] ?? "";
    for (const text of texts) cards.push(cardOfText(text.length > 1 ? text : led + text));
  }
  while (cards.length && cards.at(-1) === null) cards.pop();
  return cards;
}

function playJson({ tricks, claim = null, notes = [] }) {
  const told = tricks.map(({ leader, cards }) => ({
    leader: SEAT_NAMES[leader],
    cards: cards.map((card) => (card === null ? null : cardText(card))),
  }));
  return { tricks: told, ...(claim === null ? {} : { claim }), ...(notes.length ? { notes } : {}) };
}

// The double-dummy table

function readTricks({ wholes }, said) {
  return firstOfAll(wholes, (view) => (isTable(view) ? tricksOfRows(view) : null) ?? tricksOfCells(view, said));
}

function tricksOfCells(view, said) {
  const found = cellsIn(view);
  if (found === null) return null;
  const [decl, items] = found;
  const cells = new Array(20).fill(NOT_SOLVED);
  const valueOf = (_, number) => (number !== null && number >= 0 && number <= 13 ? Number(number) : null);
  const at = decl.at.seat;
  if (at === undefined) readLevel(decl, items, 0, cells, valueOf);
  else if (view.decl === decl) readLevel(decl, items, said.get(at) ?? 0, cells, valueOf);
  else {
    for (const [seat, run] of cellRuns(view)) {
      if (seatIn(seat) !== null) readLevel(decl, run, seatIn(seat), cells, valueOf);
    }
  }
  return cells.slice(0, 20);
}

/** Return the cells of a table in runs, each with the part before it that names a seat, null without one. */
function cellRuns(view) {
  const runs = [];
  let seat = null;
  let run = [];
  for (const [role, each] of view.parts) {
    if (role === "seat") {
      if (run.length) runs.push([seat, run]);
      seat = each;
      run = [];
    } else if (role === "cell") {
      run.push(each);
    }
  }
  return run.length ? [...runs, [seat, run]] : runs;
}

/**
 * Return the trick table of rows with seat, strain and tricks; null for a table with other columns.
 * @where table_cell
 */
function tricksOfRows(view) {
  const table = tableOf(view);
  if (table === null) return null;
  const decls = view.pair?.pair.columns?.() ?? {};
  const roles = new Map();
  table.columns.forEach(({ name }, place) => {
    const decl = Object.hasOwn(decls, name) ? decls[name] : null;
    if (decl !== null && !roles.has(decl.word)) roles.set(decl.word, [place, decl]);
  });
  const wanted = ["seat", "strain", "tricks_won"].map((role) => roles.get(role));
  if (wanted.includes(undefined)) return null;
  const cells = new Array(20).fill(NOT_SOLVED);
  for (const row of table.rows ?? []) {
    if (row.length < table.columns.length) continue;
    const [seat, strain, won] = wanted.map(([place, decl]) => codeSpelled(decl, row[place]) ?? row[place]);
    const known =
      SEAT_NAMES.includes(seat) && STRAIN_NAMES.includes(strain) && /^[0-9]{1,2}$/.test(won) && Number(won) <= 13;
    if (known) cells[4 * STRAIN_NAMES.indexOf(strain) + SEAT_NAMES.indexOf(seat)] = Number(won);
  }
  return cells;
}

/** Return the name of the code that a text spells; null for any other text. */
function codeSpelled({ codes }, text) {
  const spelled = Object.entries(codes ?? {});
  return (
    (spelled.find(([sign]) => sign === text) ??
      spelled.find(([sign]) => sign.toLowerCase() === text.toLowerCase()))?.[1] ?? null
  );
}

function tricksJson(cells) {
  const rows = [..."WNES"].map((letter, seat) => {
    const known = STRAIN_LABELS.map((label, strain) => [label, cells[4 * strain + seat]]).filter(
      ([, cell]) => cell !== NOT_SOLVED,
    );
    return [letter, Object.fromEntries(known)];
  });
  return Object.fromEntries(rows.filter(([, row]) => Object.keys(row).length));
}
