"""The strict form of a format of pairs, checked where a file claims to keep to it: which pairs, in which order, spelled how."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence

from bridgespec.codec.text.engine import TextEngine
from bridgespec.codec.text.findings import Findings, stuck
from bridgespec.codec.text.found import one_of
from bridgespec.codec.text.pairs import MANY, SHORT, Pair, PairKind, late, repeated
from bridgespec.codec.text.pieces import Emit
from bridgespec.codec.text.tree import TextNode
from bridgespec.codec.text.values import Record, RuleValue
from bridgespec.codec.text.whole import Claim
from bridgespec.spec.grammar import Columns, Content, Report, Same, StrictForm
from bridgespec.spec.grammar.form import Order, Rank

_GAP = re.compile(r"(\r\n|\r|\n)|[ \t]++|.", re.DOTALL)


class PairLook:
    """The look at the pairs of the records of one file."""

    def __init__(self, engine: TextEngine, findings: Findings, claim: Claim) -> None:
        self.engine = engine
        self.findings = findings
        self.claim = claim

    def one(self, node: TextNode) -> None:
        """A pair by itself."""
        kind = self.engine.pair(node.rule.name)
        if kind is not None and kind.words.columns is not None:
            kind.misfits(kind.pair(node), self.findings)

    def all(self, record: Record, node: TextNode) -> None:
        """The pairs of one record, among each other."""
        for name in record.arrays:
            kind = self.engine.pair(record.fields[name][0])
            if kind is not None:
                self.among(kind, [kind.pair(part) for part in node.parts or () if part.field == name])

    def among(self, kind: PairKind, pairs: Sequence[Pair], orderly: bool = False) -> None:
        """Pairs of one record and one kind; ``orderly`` where none is known to stand twice or too early."""
        if kind.words.needs is not None and not orderly:
            late(self.findings, kind.words.needs, pairs)
        if kind.words.once is not None and not orderly:
            repeated(self.findings, kind, kind.words.once, pairs)
        if self.claim.strict and kind.words.strict is not None and pairs:
            _Strict(self.engine, self.findings, self.claim, kind, kind.words.strict).check(pairs)


class _Strict:
    """The strict form of the pairs of one record."""

    def __init__(self, engine: TextEngine, findings: Findings, claim: Claim, kind: PairKind, form: StrictForm) -> None:
        self.engine = engine
        self.findings = findings
        self.claim = claim
        self.kind = kind
        self.form = form

    def check(self, pairs: Sequence[Pair]) -> None:
        """Report every deviation."""
        keys, words = [pair.key for pair in pairs], self.kind.words
        if words.inherit is not None:
            self.claim.inherited.update(pair.key for pair in pairs if pair.text.startswith(words.inherit.header))
        missing = [key for key in words.mandatory if key not in keys and key not in self.claim.inherited]
        if self.form.missing is not None and missing:
            self.claim.tell(self.findings, self.form.missing, *pairs[0].key_at, {"key": ", ".join(missing)})
        if self.form.order is not None:
            known = self.kind.misplaced.get(tuple(keys))
            if known is None:
                known = self._misplaced(self.form.order, keys)
                if len(self.kind.misplaced) < MANY:
                    self.kind.misplaced[tuple(keys)] = known
            for index, place in known:
                self.claim.tell(self.findings, self.form.order.report, *pairs[index].key_at, {"key": keys[index], "place": place})
        last = dict(zip(keys, pairs, strict=True))
        for same in self.form.same:
            if same.key in last and same.other in last:
                self._same(same, last[same.key], last[same.other])
        right = self.kind.strict
        for pair in pairs:
            # A rule that looks further back than a character would make this depend on more than the pair.
            text = pair.source[max(pair.start - 1, 0) : pair.stop]
            if text not in right and self._pair(pair) and len(text) <= SHORT and len(right) < MANY:
                right.add(text)

    def _pair(self, pair: Pair) -> bool:
        """Look at one pair by itself; whether it keeps to the form, as its text alone shows."""
        found, words = [], self.kind.words
        for content in self.form.contents:
            name = content.rule(pair.key)
            if name is not None:
                value = self.engine.value(name)
                found.append(self._content(content, value, pair) and value.behind < 2)
        if self.form.rows is not None and words.columns is not None and pair.key in words.columns.tables:
            found.append(self._rows(self.form.rows, words.columns, pair))
        return all(found)

    def _misplaced(self, order: Order, keys: Sequence[str]) -> list[tuple[int, str]]:
        """The keys that are not in their places, by their indexes, and before or after which they belong."""
        ranked = order.ranks(self.kind.words, keys)
        kept = longest_rise(ranked)
        places = sorted(kept)
        found, after = [], 0
        for index, _ in enumerate(keys):
            if index in kept:
                after = index
                continue
            later = bisect_left(places, index)
            wrong = places[later] if ranked[after] <= ranked[index] and later < len(places) else after
            found.append((index, f"{'before' if ranked[index] < ranked[wrong] else 'after'} {keys[wrong]}"))
        return found

    def _same(self, same: Same, one: Pair, two: Pair) -> None:
        words, text, other = self.kind.words, one.text, two.text
        if text in words.blank or other in words.blank or self._repeats(text) or self._repeats(other):
            return
        wanted = same.by.get(other.removeprefix(words.mark)[:1], "") if same.by else other[:1]
        if wanted and text[:1] != wanted:
            at = one.text_at[0]
            self.claim.tell(self.findings, same.report, at, at + 1, {"key": same.key, "wanted": wanted, "text": text[:1]})

    def _content(self, content: Content, value: RuleValue, pair: Pair) -> bool:
        whole = pair.start, pair.stop
        start, stop = {self.kind.value: pair.text_at, self.kind.section: pair.section_at}.get(content.of, whole)
        text = self.findings.text
        if start == stop and content.of == self.kind.section:
            return True
        if value.fits(text, start, stop):
            return content.ascending is None or self._rising(content, self.engine.value(content.ascending), pair, start, stop)
        if content.of != self.kind.value or not self._repeats(pair.text):
            place, wanted = stuck(value, text, start, stop)
            here = repr(text[place]) if place < stop else "the end"
            values = {"key": pair.key, "wanted": one_of(wanted), "here": here}
            self.claim.tell(self.findings, content.report, place, min(place + 1, stop), values)
        return False

    def _rising(self, content: Content, number: RuleValue, pair: Pair, start: int, stop: int) -> bool:
        """Numbers that stand side by side and fall; whether none does."""
        text, before, last, right = self.findings.text, -1, -1, True
        for match in re.compile(number.regex(Emit())).finditer(text, start, stop):
            value = int(re.sub(r"\D", "", match[0]) or 0)
            if value < before and not text[last : match.start()].strip():
                values = {"key": pair.key, "wanted": "numbers in increasing order", "here": repr(match[0])}
                self.claim.tell(self.findings, content.report, *match.span(), values)
                right = False
            before, last = value, match.end()
        return right

    def _repeats(self, text: str) -> bool:
        """Whether a value is that of another record."""
        inherit = self.kind.words.inherit
        return inherit is not None and text.startswith(inherit.same)

    def _rows(self, report: Report, columns: Columns, pair: Pair) -> bool:
        """A line of the section for each row, its cells parted by single blanks, unless the columns have widths."""
        names, wide = self.kind.columns(pair.key, pair.text)
        if self._even(pair, len(names), wide):
            return True
        if (section := self.kind.section_of(pair)) is None:
            return False
        cells, (line, stop) = 0, pair.section_at
        for what, start, end in self._tokens(section, columns.cell):
            cells += what == "held"
            if what == "blank" and not wide and cells and (end - start > 1 or self.findings.text[start] == "\t"):
                self.claim.tell(self.findings, report, start, end, {"key": pair.key, "wanted": "a single blank"})
            if (what == "end" or end == stop) and cells:
                if cells != len(names):
                    values = {"key": pair.key, "wanted": f"a line for each row, with {len(names)} cells"}
                    self.claim.tell(self.findings, report, line, start if what == "end" else end, values)
                cells = 0
            if what in ("end", "remark"):
                line = end
        return False

    def _even(self, pair: Pair, count: int, wide: bool) -> bool:
        """Whether a section is plainly one line a row, its cells parted by single blanks, or by any where columns have widths."""
        section = pair.source[slice(*pair.section_at)]
        lines = section.splitlines()
        rows = [line.split() for line in lines]
        if any(len(row) != count or not (wide or line == " ".join(row)) for line, row in zip(lines, rows, strict=True)):
            return False
        return [cell for row in rows for cell in row] == self.kind.cells(pair.key, section)

    def _tokens(self, section: TextNode, cells: Sequence[str]) -> Iterator[tuple[str, int, int]]:
        """What a section consists of, piece by piece: cells, remarks, blanks and the ends of lines."""
        at = section.start // 8
        parts = [(part.start // 8, part.stop // 8, part.field) for part in section.parts or ()]
        for start, stop, field in [*parts, (section.stop // 8, -1, "")]:
            for match in _GAP.finditer(self.findings.text, at, start):
                yield "end" if match[1] else "blank", *match.span()
            if stop >= 0:
                yield "held" if field in cells else "remark", start, stop
            at = stop


def longest_rise(ranks: Sequence[Rank]) -> set[int]:
    """The indexes of a longest part of the ranks that does not fall.

    >>> sorted(longest_rise([(1, 0, ""), (0, 0, ""), (2, 0, ""), (2, 0, ""), (3, 0, "")]))
    [1, 2, 3, 4]
    """
    tails: list[tuple[Rank, int]] = []
    before: list[int] = []
    for index, rank in enumerate(ranks):
        at = bisect_left(tails, (rank, index))
        before.append(tails[at - 1][1] if at else -1)
        tails[at : at + 1] = [(rank, index)]
    kept: set[int] = set()
    index = tails[-1][1] if tails else -1
    while index >= 0:
        kept.add(index)
        index = before[index]
    return kept
