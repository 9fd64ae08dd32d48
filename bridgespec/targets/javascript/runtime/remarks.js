/** The terms about a board besides its own: comments, further pairs, tables, and terms that the source marks as irregular. */
const commentsTerm = { read: readComments, without: sectionComments };
const tagsTerm = { read: readTags };
const tablesTerm = { read: (_, said) => readTables(said), without: readTables };
const irregularTerm = { read: (_, said) => irregularParts(said), without: irregularParts };

/** Return the comments of a board, then those of its sections; comments that are pairs follow the entry before them. */
function readComments({ wholes, members }, said) {
  if (wholes.some(({ key }) => key)) return listOrNull(commentsInOrder(said));
  const own = [...wholes, ...members.map(([, view]) => view)].map(({ text }) => ({ text }));
  return listOrNull([...own, ...(sectionComments(said) ?? [])]);
}

function listOrNull(list) {
  return list.length ? list : null;
}

/** Return the comments in the sections of pairs: for each section those beside its entries, then those of its entries. */
function sectionComments(said) {
  return listOrNull(
    said.sections.flatMap(([word, { parts }]) => {
      const own = parts.filter(([role]) => role === "comment").map(([, { text }]) => ({ text, after: [word] }));
      const entries = parts.filter(([role]) => role === "call_made" || role === "card_played");
      const remarks = ([, entry], index) => entry.roles("comment").map(({ text }) => ({ text, after: [word, index] }));
      return [...own, ...entries.flatMap(remarks)];
    }),
  );
}

function commentsInOrder(said) {
  const found = [];
  let calls = 0;
  let cards = 0;
  let dealt = false;
  for (const [term, role, view] of said.order) {
    if (term === "auction" && role === "call_made") calls += view.decl.kind === "record" ? view.roles(role).length : 1;
    else if (term === "play" && role === "card") cards += 1;
    else if (term === "deal") dealt = true;
    else if (term === "comments" && view.text) {
      const after = dealt ? entryBefore(said, calls, cards) : [];
      found.push({ text: view.text, ...(after.length ? { after } : {}) });
    }
  }
  return found;
}

/** Return the model path of the last of so many calls and cards, after which a comment is. */
function entryBefore(said, calls, cards) {
  const made = said.get("auction")?.calls.length ?? 0;
  const tricks = said.get("play")?.tricks ?? [];
  const turns = tricks.flatMap(({ leader, cards: fallen }, row) =>
    fallen.map((_, turn) => 4 * row + ((leader + turn - tricks[0].leader + 4) % 4)),
  );
  if (cards && turns.length) return ["play", turns[Math.min(cards, turns.length) - 1]];
  if (made) return calls ? ["auction", Math.min(calls, made) - 1] : ["auction"];
  return turns.length ? ["play"] : [];
}

function readTags({ wholes }) {
  return listOrNull(wholes.filter((view) => !isTable(view) || tableOf(view) === null).map(({ key, text }) => [key, text]));
}

/** Return the tables among the pairs, and the table of results that are records. */
function readTables(said) {
  const found = (said.group("tags")?.wholes ?? []).filter(isTable).map((view) => tableOf(view)).filter((table) => table !== null);
  const { scores } = said.meaning;
  const { members = [] } = said.group("tables") ?? {};
  const rows = members.filter(([role]) => role === "score_row").map(([, view]) => scoreCells(view, scores));
  return listOrNull([...found, ...(rows.length ? [scoreTable(rows, scores)] : [])]);
}

/** Whether a pair has columns or cells. */
function isTable({ parts }) {
  return parts.some(([role]) => role === "table_cell" || role === "column");
}

/**
 * Return the table of a pair, whose value names columns and whose section has the cells; null for any other pair.
 * @where table_cell
 */
function tableOf(view) {
  const { parts } = view;
  const having = (name) => parts.filter(([role]) => role === name).map(([, each]) => each);
  const cells = having("table_cell").map(({ text }) => text.replace(/^"([^]*)"$/, "$1"));
  const named = having("column").map((each) => columnOf(Object.fromEntries(each.parts)));
  if (!cells.length && (!named.length || !view.section)) return null;
  const columns = named.length ? named : view.text.split(";").map((name) => ({ name }));
  const rows = [];
  for (let at = 0; at < cells.length; at += columns.length) rows.push(cells.slice(at, at + columns.length));
  return { name: view.key, columns, ...(rows.length ? { rows } : {}) };
}

function columnOf({ column_name, order, least, alignment }) {
  const said = { name: column_name?.text ?? "" };
  const orders = { descending: "+", ascending: "-" };
  const sides = { left: "L", right: "R" };
  if (order?.code in orders) said.order = orders[order.code];
  if ((least?.number ?? null) !== null) said.width = least.number;
  if (alignment?.code in sides) said.align = sides[alignment.code];
  return said;
}

/**
 * Return the score table of rows by role; `columns` are the names of the columns that a row may have.
 * @where scores
 */
function scoreTable(rows, columns) {
  const roles = Object.keys(columns).filter((role) => rows.some((row) => Object.hasOwn(row, role)));
  return {
    name: "ScoreTable",
    columns: roles.map((role) => ({ name: columns[role] })),
    rows: rows.map((row) => roles.map((role) => row[role] ?? "-")),
  };
}

/**
 * Return the cells of a result, by role: contract, declarer and tricks in the letters of the model, all others as written.
 * @where scores
 */
function scoreCells(view, columns) {
  const first = (parts) => Object.fromEntries([...parts].reverse());
  const inside = (part) => (part?.decl.kind === "record" ? Object.fromEntries(part.parts) : parts);
  const parts = first(view.parts);
  const found = {};
  for (const [role, part] of Object.entries(parts)) {
    const text = Object.hasOwn(columns, role) ? cellText(part) : "";
    if (text) found[role] = text;
  }
  const stated = contractOfParts(inside(parts.contract));
  const contract = stated ?? contractOfText((found.contract ?? "").trim().toUpperCase());
  if (stated !== null) found.contract = contractText(stated);
  const seat = parts.declarer ? SEAT_NAMES.indexOf(codeIn(parts.declarer, "seat") ?? "") : -1;
  if (seat >= 0) found.declarer = "WNES"[seat];
  const result = inside(parts.result);
  const over = tricksOver(result);
  const tricks = over === null ? (result.tricks_won?.number ?? null) : tricksMade(contract, over, result);
  if (tricks !== null) found.result = String(tricks);
  return found;
}

/** Return a cell as it is written, a binary number in decimal digits; nothing for a record. */
function cellText(view) {
  if (view.decl.kind === "record") return "";
  const { value } = view.node;
  return view.code ?? (typeof value === "string" || !view.decl.binary ? view.text.trim() : String(value));
}

/** Return the names of the terms that the source marks as against the laws. */
function irregularParts(said) {
  const marked = (name) => said.group(name) !== null && partOf(said.group(name), "irregular") !== null;
  return listOrNull(["declarer", "result"].filter(marked));
}
