/**
 * Return the positions of facts in the file, for each board: `board` is the position of the record, `facts` those of the
 * terms, `cards` those of the holder of each of the 52 cards, `tricks` those of the cells of the table, `calls` those of the
 * calls, `play` those of the cards of each trick. Positions are in bits, null for a fact without a field of its own. A
 * position is `wide` if only a part with several facts states the fact.
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

/** Return the positions of the holders of cards: a cell, a part of a hand, or a letter of a holding, else the whole part. */
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
 * Return the position of the letter for a card's rank in a holding; that of the holding if it is no text of such letters.
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

/** Return the position of each call; passes that end the auction have the position of the mark that all pass. */
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

/** Return the part of an auction's entry that is its call. */
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
