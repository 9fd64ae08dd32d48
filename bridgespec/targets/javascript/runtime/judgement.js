/**
 * Return the findings on the meaning of fields, in file order: values without a meaning, hands of a wrong size, and
 * vulnerabilities that differ from those of the board numbers. Findings that only follow from unreadable fields are left out.
 */
function judged(meaning, { tree, findings }) {
  const out = [];
  const ofFile = new Said(0, 1, null, meaning);
  recordsOf(meaning, tree, ofFile).forEach(([node, said], record) => {
    const seen = new Set();
    const tell = (code, severity, message, { start, stop, lsb = false }, help = null) => {
      const first = Math.floor(start / 8);
      const bits = start % 8 || stop % 8 ? [start - 8 * first, stop - 8 * first] : null;
      const span = { start: first, stop: Math.ceil(stop / 8), bits, bit_order: bits && (lsb ? "low" : "high") };
      const key = `${code} ${start} ${stop}`;
      if (!seen.has(key)) out.push([start, { code, severity, message, record, span, help }]);
      seen.add(key);
    };
    judging.tell = meaning.judged ? tell : null;
    said.values.clear(); // the first number has been read before anybody judged
    readAll(said);
    judging.tell = null;
    const found = [...findings, ...out.map(([, one]) => one)];
    const unread = found.filter((one) => one.record === record && one.severity === "error").map(unplaced);
    const told = (code, severity, message, view, help) => {
      const at = view?.node ?? node;
      const follows = ({ code: why, span }) =>
        why === "truncated" || (span && 8 * span.start < at.stop && at.start < 8 * span.stop);
      if (!unread.some(follows)) tell(code, severity, message, at, help);
    };
    for (const { judge } of Object.values(said.terms)) judge?.(said, told);
  });
  return out.sort(([one], [two]) => one - two).map(([, found]) => tree.marked?.placed({ ...found, fix: null }) ?? found);
}

/** The property of a finding for its span in the text, if `span` is in a file with a byte order mark or in UTF-16. */
const IN_TEXT = Symbol("text");

function unplaced(found) {
  return found[IN_TEXT] === undefined ? found : { ...found, span: found[IN_TEXT] };
}

/** Evaluate every term of a record, and each part of a term that several parts state. */
function readAll(said) {
  const terms = Object.entries(said.terms).filter(([, { ofFile }]) => !ofFile);
  for (const [name] of [...terms, ["first_number"], ["last_number"]]) said.get(name);
  for (const [name, { read }] of terms) {
    const { wholes } = said.group(name) ?? { wholes: [] };
    if (wholes.length < 2 || ["comments", "tables", "tags"].includes(name)) continue;
    const inOrder = [...wholes].sort((one, two) => one.node.start - two.node.start);
    for (const view of inOrder) read({ wholes: [view], members: [] }, said);
  }
}

/** Report hands with more or fewer cards than the others, or than thirteen. */
function judgeHands(said, tell) {
  const holders = said.get("deal");
  if (!holders || holders.conflicts?.length) return;
  const sizes = SEAT_NAMES.map((_, seat) => holders.filter((holder) => holder === seat).length);
  const wrong = wrongSizes(holders, sizes);
  if (!wrong.length) return;
  const names = [...wrong].map((seat) => "WNES"[seat]).join(" and ");
  const told = sizes.map((size, seat) => `${"WNES"[seat]} ${size}`).join(", ");
  const missing = cardsMissing(holders, sizes, said);
  const help = missing.length
    ? `${missing.map(cardText).join(" ")} ${missing.length === 1 ? "is" : "are"} in nobody's hand`
    : null;
  const { wholes, members } = said.group("deal") ?? { wholes: [], members: [] };
  const [whole = null] = wholes;
  const hands = whole === null ? members.map(([role, view]) => [SEAT_NAMES.indexOf(role), view]) : [];
  if (whole !== null && cellsIn(whole) === null && givesHands(whole)) hands.push(...handsIn(whole, said));
  const at = hands.find(([seat]) => seat === wrong[0]) ?? [0, whole ?? hands[0]?.[1] ?? null];
  tell("hand-size", "error", `the hands hold ${told} cards: wrong for ${names}`, at[1], help);
}

/** Return the seats with too many or too few cards. */
function wrongSizes(holders, sizes) {
  const seats = [0, 1, 2, 3];
  const total = sizes.reduce((one, two) => one + two, 0);
  if (sizes.every((size) => size === 13)) return [];
  const over = seats.filter((seat) => sizes[seat] > 13);
  if (over.length) return total === 52 ? seats.filter((seat) => sizes[seat] !== 13) : over;
  const top = Math.max(...sizes);
  if (!holders.includes(NOBODY_KNOWS)) return top === 13 ? [] : seats.filter((seat) => sizes[seat] < top - 1);
  const open = 51 - holders.findLastIndex((holder) => holder !== NOBODY_KNOWS);
  return open > 12 ? [] : seats.filter((seat) => sizes[seat] && sizes[seat] < top);
}

/** Return the cards that are neither in a hand nor in the play, of a deal that should be complete. */
function cardsMissing(holders, sizes, said) {
  if (!holders.includes(OUT_OF_PLAY) || holders.includes(NOBODY_KNOWS) || Math.max(...sizes) < 13) return [];
  const played = new Set((said.get("play")?.tricks ?? []).flatMap(({ cards }) => cards));
  const lacking = holders.flatMap((holder, card) => (holder === OUT_OF_PLAY && !played.has(card) ? [card] : []));
  return lacking.length > 12 ? [] : lacking;
}

/** Report a vulnerability that differs from that of the stated board number. */
function judgeVulnerability(said, tell) {
  const [number, vulnerability] = [said.get("number"), said.get("vulnerability")];
  const stated = said.group("number");
  const places = stated === null ? [] : [...stated.wholes, ...stated.members.map(([, view]) => view)];
  if (!vulnerability || number < 1 || !places.some(({ says }) => says)) return;
  const turn = Number((BigInt(number) - 1n) % 16n);
  const usual = ["none", "ns", "ew", "both"][(turn + Math.floor(turn / 4)) % 4];
  if (vulnerability === usual) return;
  const words = { none: "nobody", ns: "North-South", ew: "East-West", both: "both sides" };
  const message = `board ${number} has ${words[vulnerability]} vulnerable, by its number it would be ${words[usual]}`;
  const group = said.group("vulnerability");
  tell("vulnerability-number", "warning", message, group?.wholes[0] ?? group?.members[0]?.[1], null);
}
