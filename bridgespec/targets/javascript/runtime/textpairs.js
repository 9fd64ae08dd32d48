/**
 * Return a pair with the offsets of its key, value and section, each as `[start, stop]`.
 * @where pair
 */
function pairIn(rule, node) {
  const others = rule.beside;
  let last = node.start / 8;
  const [keyAt, textAt, sectionAt] = [rule.pair.key, ...others].map((name) => {
    const found = node.first(name);
    const place = found === null ? [last, last] : [found.start / 8, found.stop / 8];
    last = place[1];
    return place;
  });
  const { source } = node;
  const key = source.slice(...keyAt);
  return {
    source,
    start: node.start / 8,
    stop: node.stop / 8,
    keyAt,
    textAt,
    sectionAt,
    key,
    text: source.slice(...textAt),
    others,
  };
}

/**
 * Report pairs of a record that are repeated or come before a required pair, and deviations from the strict form if the file
 * claims it.
 * @where pair
 */
function lookAtPairs(rule, pairs, findings) {
  const { needs, once, strict } = rule.pair;
  if (needs) tellLate(needs, pairs, findings);
  if (once) tellRepeated(rule, pairs, findings);
  if (strict && findings.claim.strict && pairs.length) checkStrict(rule, pairs, findings);
}

/**
 * Report pairs that come before a pair that they require.
 * @where needs
 */
function tellLate({ of: needs, report }, pairs, findings) {
  const seen = new Set();
  for (const { key, keyAt } of pairs) {
    const missing = Object.hasOwn(needs, key) && !seen.has(key) ? needs[key].filter((needed) => !seen.has(needed)) : [];
    if (missing.length) findings.tell(report, ...keyAt, { key, needed: missing.join(" and ") });
    seen.add(key);
  }
}

/**
 * Report pairs whose key occurred before; some keys are repeated only in the same section and with the same text up to a colon.
 * @where once
 */
function tellRepeated(rule, pairs, findings) {
  const { of: within, report } = rule.pair.once;
  const firsts = new Map();
  const sections = new Set(Object.values(within).flat());
  let section = "";
  for (const pair of pairs) {
    const { key, text } = pair;
    const place = Object.hasOwn(within, key) ? JSON.stringify([key, section, text.split(":")[0]]) : key;
    if (sections.has(key)) section = key;
    const earlier = firsts.get(place);
    if (earlier === undefined) {
      firsts.set(place, pair);
      continue;
    }
    const [line] = findings.place(earlier.start);
    findings.tell(report, pair.start, pair.textAt[1], { key, line: String(line) }, removal(rule, earlier, pair));
  }
}

/** Whether the section of a pair is empty or has only remarks, which are not its content. */
function isSilent(rule, pair) {
  const section = sectionOf(rule, pair);
  if (section === null) return !stripped(pair.source.slice(...pair.sectionAt), BLANKS);
  return (section.fields ?? []).every((part) => part.rule.remark);
}

/** Return a fix that removes one of two pairs of the same key; it is safe where nothing is lost. */
function removal(rule, first, second) {
  const { blank = [] } = rule.pair;
  const [one, two] = [first, second].map((pair) => [pair.text, stripped(pair.source.slice(...pair.sectionAt), BLANKS)]);
  const same = one[0] === two[0] && one[1] === two[1];
  if (same || (isSilent(rule, second) && [...blank, one[0]].includes(two[0]))) {
    return edit("remove it", second.start, second.stop, "", !two[1] || same);
  }
  if (isSilent(rule, first) && (blank.includes(one[0]) || (one[0] === two[0] && !isSilent(rule, second)))) {
    return edit("remove the first, which says nothing", first.start, first.stop, "", !one[1]);
  }
  return edit("remove it", second.start, second.stop, "");
}

/** Return all fields with these names in a record and in its parts, in file order. */
function every(node, names) {
  return (node.fields ?? []).flatMap((each) => (names.includes(each.field) ? [each] : every(each, names)));
}

/** Return the rule that reads the value or the section of a pair; null where no rule does. */
function readerOf(rule, field, key) {
  return rule.handovers.get(field)?.rule(key) ?? null;
}

/**
 * Return the columns that the value of a table names, and whether one of them has a width.
 * @where columns
 */
function columnsOf(rule, { key, text, others }) {
  const { columns } = rule.pair;
  const reader = columns?.tables.includes(key) ? readerOf(rule, others[0], key) : null;
  const node = reader === null ? null : reader.whole(text, 0, text.length, new Found());
  if (node === null) return [[], false];
  return [every(node, [columns.name]).map((one) => one.text), every(node, [columns.width]).length > 0];
}

function sectionOf(rule, { key, source, sectionAt, others }) {
  const reader = readerOf(rule, others[1], key);
  return reader === null ? null : reader.whole(source, ...sectionAt, new Found());
}

/**
 * Report cells of a table that do not match their columns, and an incomplete last row.
 * @where columns
 */
function misfits(pair, rule, findings) {
  const { columns, blank = [], mark = "" } = rule.pair;
  const [names] = columnsOf(rule, pair);
  const section = names.length ? sectionOf(rule, pair) : null;
  if (section === null) return;
  const cells = every(section, columns.cell);
  const cases = rulesOf(columns.cases());
  cells.forEach((cell, index) => {
    const name = names[index % names.length];
    const held = stripped(cell.text, columns.quote ?? "");
    const reader = Object.hasOwn(cases, name) ? cases[name] : null;
    if (reader === null || blank.includes(held) || reader.fits(held.startsWith(mark) ? held.slice(mark.length) : held))
      return;
    const message = `${quote(held)} does not fit the column ${name} of ${pair.key}`;
    findings.add(columns.report, message, cell.start / 8, cell.stop / 8);
  });
  const left = cells.length % names.length;
  if (left) {
    const message = `the last row of ${pair.key} has ${left} of ${names.length} cells`;
    findings.add(columns.report, message, ...pair.sectionAt);
  }
}

/** Return a text without these characters at its ends. */
function stripped(text, signs) {
  let start = 0;
  let stop = text.length;
  while (start < stop && signs.includes(text[start])) start += 1;
  while (stop > start && signs.includes(text[stop - 1])) stop -= 1;
  return text.slice(start, stop);
}

/**
 * Report deviations of a record's pairs from the strict form: missing pairs, their order and their spelling.
 * @where strict: {
 */
function checkStrict(rule, pairs, findings) {
  const { claim } = findings;
  const { strict, inherit, mandatory = [], columns } = rule.pair;
  const keys = pairs.map(({ key }) => key);
  if (inherit)
    pairs.filter(({ text }) => text.startsWith(inherit.header)).forEach(({ key }) => claim.inherited.add(key));
  const missing = mandatory.filter((key) => !keys.includes(key) && !claim.inherited.has(key));
  if (strict.missing && missing.length)
    claim.tell(findings, strict.missing, ...pairs[0].keyAt, { key: missing.join(", ") });
  if (strict.order) {
    for (const [index, place] of misplaced(rule, keys)) {
      claim.tell(findings, strict.order, ...pairs[index].keyAt, { key: keys[index], place });
    }
  }
  const last = new Map(pairs.map((pair) => [pair.key, pair]));
  for (const same of strict.same ?? []) {
    if (last.has(same.key) && last.has(same.other))
      checkSame(rule, same, last.get(same.key), last.get(same.other), findings);
  }
  for (const pair of pairs) {
    for (const content of strict.contents ?? []) checkSpelling(rule, content, pair, findings);
    if (strict.rows && columns?.tables.includes(pair.key)) checkRows(rule, pair, findings);
  }
}

/**
 * Return the indexes of keys out of order, each with a phrase such as `before Deal` for its right place.
 * @where order
 */
function misplaced(rule, keys) {
  const ranks = ranksOf(rule.pair, keys);
  const places = longestRise(ranks);
  const found = [];
  let kept = 0;
  keys.forEach((key, index) => {
    if (places.includes(index)) {
      kept = index;
      return;
    }
    const later = places.find((place) => place >= index);
    const wrong = lower(ranks[index], ranks[kept]) || later === undefined ? kept : later;
    found.push([index, `${lower(ranks[index], ranks[wrong]) ? "before" : "after"} ${keys[wrong]}`]);
  });
  return found;
}

/** Whether a rank is lower than another; ranks are lists that are compared item by item. */
function lower(one, two) {
  const at = one.findIndex((item, index) => item !== two[index]);
  return at >= 0 && one[at] < two[at];
}

/** Return the rank of each key: mandatory keys first, then others in alphabetical order, sections and tables. */
function ranksOf({ mandatory = [], columns, once, strict }, keys) {
  const sections = strict.sections ?? [];
  let section = [1, 0, ""];
  return keys.map((key) => {
    if (sections.includes(key)) {
      section = [2, sections.indexOf(key), ""];
      return section;
    }
    if (once && Object.hasOwn(once.of, key)) return section[0] === 2 ? section : [1, 0, key.toLowerCase()];
    if (mandatory.includes(key)) return [0, mandatory.indexOf(key), ""];
    return [columns?.tables.includes(key) ? 3 : 1, 0, key.toLowerCase()];
  });
}

/** Return the indexes of a longest subsequence of ranks that does not decrease. */
function longestRise(ranks) {
  const tails = [];
  const before = [];
  ranks.forEach((rank, index) => {
    let at = 0;
    for (let high = tails.length; at < high;) {
      const middle = (at + high) >> 1;
      if (lower(rank, ranks[tails[middle]])) high = middle;
      else at = middle + 1;
    }
    before.push(at ? tails[at - 1] : -1);
    tails[at] = index;
  });
  const kept = [];
  for (let index = tails.at(-1) ?? -1; index >= 0; index = before[index]) kept.unshift(index);
  return kept;
}

/** @where same */
function checkSame(rule, same, one, two, findings) {
  const { blank = [], mark = "", inherit } = rule.pair;
  const repeats = (text) => Boolean(inherit) && text.startsWith(inherit.same);
  if ([one.text, two.text].some((text) => blank.includes(text) || repeats(text))) return;
  const first = (two.text.startsWith(mark) ? two.text.slice(mark.length) : two.text).slice(0, 1);
  const wanted = same.by ? (same.by[first] ?? "") : two.text.slice(0, 1);
  if (!wanted || one.text.slice(0, 1) === wanted) return;
  const [at] = one.textAt;
  findings.claim.tell(findings, same.report, at, at + 1, { key: same.key, wanted, text: one.text.slice(0, 1) });
}

/**
 * Report a value, a section or a pair that does not match the rule for the strict form.
 * @where contents
 */
function checkSpelling(rule, content, pair, findings) {
  const cases = content.cases?.() ?? {};
  const declared = Object.hasOwn(cases, pair.key) ? cases[pair.key] : content.otherwise?.();
  if (declared === undefined) return;
  const strict = ruleOf(declared);
  const ofValue = content.of === pair.others[0];
  const ofSection = content.of === pair.others[1];
  const [start, stop] = ofValue ? pair.textAt : ofSection ? pair.sectionAt : [pair.start, pair.stop];
  if (start === stop && ofSection) return;
  const { text, claim } = findings;
  if (strict.fits(text, start, stop)) {
    if (content.ascending) checkRise(content, pair, start, stop, findings);
  } else if (!ofValue || !(rule.pair.inherit && pair.text.startsWith(rule.pair.inherit.same))) {
    const [place, wanted] = stuck(strict, text, start, stop);
    const here = place < stop ? quote(text[place]) : "the end";
    const values = { key: pair.key, wanted: oneOfThese(wanted), here };
    claim.tell(findings, content.report, place, Math.min(place + 1, stop), values);
  }
}

/**
 * Report numbers in a section that are lower than the number directly before them.
 * @where ascending
 */
function checkRise(content, pair, start, stop, findings) {
  const text = findings.text.slice(0, stop);
  const { body } = ruleOf(content.ascending());
  let before = -1;
  let last = -1;
  for (let at = start; at <= stop;) {
    const end = body.read(text, at, new Found());
    if (end < 0) {
      at += 1;
      continue;
    }
    const found = text.slice(at, end);
    const value = Number(found.replace(/[^0-9]/g, "")) || 0;
    if (value < before && !stripped(text.slice(last, at), BLANKS)) {
      const values = { key: pair.key, wanted: "numbers in increasing order", here: quote(found) };
      findings.claim.tell(findings, content.report, at, end, values);
    }
    before = value;
    last = end;
    at = Math.max(end, at + 1);
  }
}

/** The blanks of Latin-1 as in Python: unlike for `trim`, the separators of ASCII and the next-line character are blanks too. */
const BLANKS = "\t\n\v\f\r\x1c\x1d\x1e\x1f \x85\xa0";

/**
 * Report rows of a table that are not a line each, and separators other than a single blank unless columns have widths.
 * @where rows
 */
function checkRows(rule, pair, findings) {
  const { columns, strict } = rule.pair;
  const [names, wide] = columnsOf(rule, pair);
  const section = evenRows(rule, pair, names.length, wide) ? null : sectionOf(rule, pair);
  if (section === null) return;
  const tell = (start, stop, wanted) =>
    findings.claim.tell(findings, strict.rows, start, stop, { key: pair.key, wanted });
  let cells = 0;
  let [line] = pair.sectionAt;
  const [, stop] = pair.sectionAt;
  for (const [what, start, end] of tokensOf(section, columns.cell)) {
    if (what === "cell") cells += 1;
    if (what === "blank" && !wide && cells && (end - start > 1 || findings.text[start] === "\t"))
      tell(start, end, "a single blank");
    if ((what === "end" || end === stop) && cells) {
      if (cells !== names.length)
        tell(line, what === "end" ? start : end, `a line for each row, with ${names.length} cells`);
      cells = 0;
    }
    if (what === "end" || what === "remark") line = end;
  }
}

/**
 * Whether each line of a section is a row, with single blanks between cells, or any blanks if columns have widths.
 */
function evenRows(rule, pair, count, wide) {
  const text = pair.source.slice(...pair.sectionAt);
  const lines = text.split(/\r\n|[\n\r\v\f\x1c-\x1e\x85]/);
  if (lines.at(-1) === "") lines.pop();
  const rows = lines.map((line) => line.split(/[\s\x1c-\x1f\x85]+/).filter(Boolean));
  if (rows.some((row, index) => row.length !== count || !(wide || lines[index] === row.join(" ")))) return false;
  const reader = readerOf(rule, pair.others[1], pair.key);
  const node = reader === null ? null : reader.whole(text, 0, text.length, new Found());
  const cells = node === null ? [] : every(node, rule.pair.columns.cell).map((one) => one.text);
  return JSON.stringify(rows.flat()) === JSON.stringify(cells);
}

/** Yield the tokens of a section: cells, remarks, blanks and line ends. */
function* tokensOf(section, cells) {
  let at = section.start / 8;
  const parts = section.fields.map((each) => [each.start / 8, each.stop / 8, each.field]);
  for (const [start, stop, field] of [...parts, [section.stop / 8, -1, ""]]) {
    for (const gap of section.source.slice(at, start).matchAll(/(\r\n|\r|\n)|[ \t]+|[^]/g)) {
      yield [gap[1] ? "end" : "blank", at + gap.index, at + gap.index + gap[0].length];
    }
    if (stop >= 0) yield [cells.includes(field) ? "cell" : "remark", start, stop];
    at = stop;
  }
}
