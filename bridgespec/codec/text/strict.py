"""The strict form of a format of pairs, checked where a file claims to keep to it: which pairs, in which order, spelled how."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from bridgespec.codec.text.engine import TextEngine
from bridgespec.codec.text.findings import Findings, stuck
from bridgespec.codec.text.found import one_of
from bridgespec.codec.text.pairs import MANY, SHORT, Pair, PairKind
from bridgespec.codec.text.pieces import Emit
from bridgespec.codec.text.tree import TextNode
from bridgespec.codec.text.values import RuleValue
from bridgespec.spec.grammar import Columns, Content, Report, Same, StrictForm

_GAP = re.compile(r"(\r\n|\r|\n)|[ \t]++|.", re.DOTALL)


class Strict:
    """The strict form of the pairs of one kind, checked in a file that claims to keep to it."""

    def __init__(self, engine: TextEngine, findings: Findings, kind: PairKind, form: StrictForm) -> None:
        self.engine = engine
        self.findings = findings
        self.kind = kind
        self.form = form

    def check(self, pairs: Sequence[Pair], inherited: set[str]) -> None:
        """Report every deviation in a record; ``inherited``, to which it adds, are the keys that hold for it from earlier ones."""
        keys, words, form = [pair.key for pair in pairs], self.kind.words, self.form
        if words.inherit is not None:
            inherited.update(pair.key for pair in pairs if pair.text.startswith(words.inherit.header))
        missing = [key for key in words.mandatory if key not in keys and key not in inherited]
        if form.missing is not None and missing:
            self.findings.once(form.missing, *pairs[0].key_at, {"key": ", ".join(missing)})
        if form.order is not None:
            for index, place in self.kind.misplaced[tuple(keys)]:
                self.findings.once(form.order.report, *pairs[index].key_at, {"key": keys[index], "place": place})
        last = dict(zip(keys, pairs, strict=True))
        for same in form.same:
            if same.key in last and same.other in last:
                self._same(same, last[same.key], last[same.other])
        for pair in pairs:
            # A rule that looks further back than a character makes this depend on more than the pair.
            text = pair.source[max(pair.start - 1, 0) : pair.stop]
            if text not in self.kind.strict and self._keeps(pair) and len(text) <= SHORT and len(self.kind.strict) < MANY:
                self.kind.strict.add(text)

    def _keeps(self, pair: Pair) -> bool:
        """Look at one pair by itself; whether it keeps to the form, as its text alone shows."""
        words, before, near = self.kind.words, self.findings.met.total(), True
        for content in self.form.contents:
            if (name := content.rule(pair.key)) is not None:
                value = self.engine.value(name)
                near = near and value.behind < 2
                self._content(content, value, pair)
        if self.form.rows is not None and words.columns is not None and pair.key in words.columns.tables:
            self._rows(self.form.rows, words.columns, pair)
        return near and self.findings.met.total() == before

    def _same(self, same: Same, one: Pair, two: Pair) -> None:
        words, text, other = self.kind.words, one.text, two.text
        if text in words.blank or other in words.blank or self._repeats(text) or self._repeats(other):
            return
        wanted = same.by.get(other.removeprefix(words.mark)[:1], "") if same.by else other[:1]
        if wanted and text[:1] != wanted:
            at = one.text_at[0]
            self.findings.once(same.report, at, at + 1, {"key": same.key, "wanted": wanted, "text": text[:1]})

    def _content(self, content: Content, value: RuleValue, pair: Pair) -> None:
        """A value, a section or a pair that the strict form has otherwise."""
        whole = pair.start, pair.stop
        start, stop = {self.kind.value: pair.text_at, self.kind.section: pair.section_at}.get(content.of, whole)
        text = self.findings.text
        if start == stop and content.of == self.kind.section:
            return
        if value.fits(text, start, stop):
            if content.ascending is not None:
                self._rising(content, self.engine.value(content.ascending), pair, start, stop)
        elif content.of != self.kind.value or not self._repeats(pair.text):
            place, wanted = stuck(value, text, start, stop)
            here = repr(text[place]) if place < stop else "the end"
            values = {"key": pair.key, "wanted": one_of(wanted), "here": here}
            self.findings.once(content.report, place, min(place + 1, stop), values)

    def _rising(self, content: Content, number: RuleValue, pair: Pair, start: int, stop: int) -> None:
        """Numbers that stand side by side and fall."""
        text, before, last = self.findings.text, -1, -1
        for match in re.compile(number.regex(Emit())).finditer(text, start, stop):
            value = int(re.sub(r"\D", "", match[0]) or 0)
            if value < before and not text[last : match.start()].strip():
                values = {"key": pair.key, "wanted": "numbers in increasing order", "here": repr(match[0])}
                self.findings.once(content.report, *match.span(), values)
            before, last = value, match.end()

    def _repeats(self, text: str) -> bool:
        """Whether a value is that of another record."""
        inherit = self.kind.words.inherit
        return inherit is not None and text.startswith(inherit.same)

    def _rows(self, report: Report, columns: Columns, pair: Pair) -> None:
        """A line of the section for each row, its cells parted by single blanks, unless the columns have widths."""
        names, wide = self.kind.columns(pair.key, pair.text)
        if self._even(pair, len(names), wide) or (section := self.kind.section_of(pair)) is None:
            return
        cells, (line, stop) = 0, pair.section_at
        for what, start, end in self._tokens(section, columns.cell):
            cells += what == "held"
            if what == "blank" and not wide and cells and (end - start > 1 or self.findings.text[start] == "\t"):
                self.findings.once(report, start, end, {"key": pair.key, "wanted": "a single blank"})
            if (what == "end" or end == stop) and cells:
                if cells != len(names):
                    values = {"key": pair.key, "wanted": f"a line for each row, with {len(names)} cells"}
                    self.findings.once(report, line, start if what == "end" else end, values)
                cells = 0
            if what in ("end", "remark"):
                line = end

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
