/**
 * Where a file says what its boards are: of each, `board` is the record, `facts` what says each term, `cards` what says
 * who holds each of the 52, `tricks` what says each cell of the table, `calls` each call, `play` each card of each
 * trick. Places are in bits; null where nothing says that by itself. Where only a whole with parts says it, the place
 * is `wide`.
 */
function whereabouts(meaning, tree) {
  const ofFile = new Said(0, 1, null, meaning);
  const { terms } = ofFile;
  const found = recordsOf(meaning, tree, ofFile);
  return found.map(([node, said]) => {
    const facts = {};
    for (const [name, { wholes, members }] of said.groups) {
      const view = wholes[0] ?? members[0]?.[1];
      if (Object.hasOwn(terms, name) && view) facts[name] = bitsAt(view.node);
    }
    const whole = meaning.board.binary ? node : null;
    return {
      board: bitsAt(node),
      facts,
      cards: terms.deal?.placed(said, whole) ?? new Array(52).fill(null),
      tricks: terms.tricks?.placed(said) ?? new Array(20).fill(null),
      calls: terms.auction?.placed(said) ?? [],
      play: terms.play?.placed(said) ?? [],
    };
  });
}

function bitsAt(node) {
  if (node === null) return null;
  return { start: node.start, stop: node.stop, lsb: node.lsb ?? false, wide: (node.children ?? null) !== null };
}

/** Who holds each card stands in a cell, in a part of a hand, or as a letter of a holding; else in the whole of it. */
function cardPlaces(said, whole) {
  const group = said.group("deal");
  if (group === null) return new Array(52).fill(null);
  const [view = null] = group.wholes;
  const cells = view === null ? null : cellsIn(view);
  if (cells !== null) return keptPlaces(52, cells, 0, view.node);
  const hands =
    view === null
      ? group.members.map(([role, hand]) => [SEAT_NAMES.indexOf(role), hand]).filter(([seat]) => seat >= 0)
      : givesHands(view)
        ? handsIn(view, said)
        : [];
  const found = new Array(52).fill(bitsAt(view?.node ?? whole));
  const seen = new Set();
  for (const [card, held] of hands.flatMap(([, hand]) => cardsIn(hand) ?? [])) {
    if (!seen.has(card)) found[card] = signPlace(held, card);
    seen.add(card);
  }
  return found;
}

/**
 * The letter of a holding that is a card's rank; the part itself where it is not a text of such letters.
 * @where deal hand, deal west, deal north, deal east, deal south
 */
function signPlace({ node, decl, text }, card) {
  const at = decl.kind === "leaf" ? [...text].findIndex((sign) => sign.toUpperCase() === RANK_SIGNS[card % 13]) : -1;
  return at < 0 ? bitsAt(node) : bitsAt({ start: node.start + 8 * at, stop: node.start + 8 * at + 8 });
}

function keptPlaces(count, [decl, items], base, whole) {
  const found = new Array(count).fill(null);
  const keep = (cell, view) => (found[cell] ??= bitsAt(view.node));
  readLevel(decl, items, base, [], () => null, keep);
  return found.slice(0, count).map((place) => place ?? bitsAt(whole));
}

function cellsPlaced(said) {
  const [view = null] = said.group("tricks")?.wholes ?? [];
  if (view === null) return new Array(20).fill(null);
  const cells = isTable(view) && tricksOfRows(view) !== null ? null : cellsIn(view);
  const at = cells?.[0].at.seat;
  const own = view.decl === cells?.[0];
  if (cells === null || (at !== undefined && !own)) return new Array(20).fill(bitsAt(view.node));
  return keptPlaces(20, cells, at === undefined ? 0 : (said.get(at) ?? 0), view.node);
}

/** What says each call; passes that end the auction stand where it is said that all pass. */
function callPlaces(said) {
  const calls = said.get("auction")?.calls ?? [];
  const { wholes = [], members = [] } = said.group("auction") ?? {};
  for (const [parts, view] of [...wholes.map((view) => [view.parts, view]), [members.flatMap(callsOfMember), null]]) {
    const entries = parts.filter(([role]) => role === "call_made").map(([, each]) => each);
    if (!entries.length) continue;
    const made = entries.map(callPart).filter((part) => part !== null);
    const last = made.findLast((part) => part[0] === "all_pass")?.[1] ?? view ?? entries.at(-1);
    return calls.map((_, turn) => bitsAt((made[turn]?.[0] === "call" ? made[turn][1] : last).node));
  }
  return calls.map(() => null);
}

const CALL_PLACES = ["call", "skipped", "all_pass"];

/** The part of an entry that is its call. */
function callPart(view) {
  if (view.decl.kind !== "record") return ["call", view];
  for (const role of CALL_PLACES) {
    const part = view.role(role);
    if (part !== null) return [role === "all_pass" ? role : "call", part];
  }
  return null;
}

function playPlaces(said) {
  const play = said.get("play");
  const { wholes = [], members = [] } = said.group("play") ?? {};
  if (play === null) return [];
  let at = 0;
  const starts = play.tricks.map(({ cards }) => (at += cards.length) - cards.length);
  for (const [parts, view] of [...wholes.map((view) => [view.parts, view]), [members, null]]) {
    const entries = parts.filter(([role]) => role === "card_played").map(([, each]) => each);
    const inColumns = view?.has("seat") ?? false;
    const first = inColumns && entries.length ? seatIn(view.role("seat")) : null;
    const fallen = inColumns ? [] : fallenParts(parts);
    if (!inColumns && !fallen.length) continue;
    const partOf = (trick, leader, turn) => {
      if (!inColumns) return fallen[starts[trick] + turn];
      return first === null ? view : entries[4 * trick + ((leader + turn - first + 4) % 4)];
    };
    return play.tricks.map(({ leader, cards }, trick) =>
      cards.map((_, turn) => bitsAt(partOf(trick, leader, turn)?.node ?? null)),
    );
  }
  return play.tricks.map(({ cards }) => cards.map(() => null));
}

function fallenParts(parts) {
  return parts.flatMap(([role, view]) => (role === "trick" ? fallenParts(view.parts) : role === "card" ? [view] : []));
}
