"""Checks of a text that was read: of the whole text, of each record, of the pairs of a record, and of the strict form where a
file claims it. They make findings; none of them affects how the text is read.

`FileChecks` checks the whole text; `RecordChecks`, made for each file, checks its records in order and runs `Strict` on their
pairs.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from bridgespec.codec.shared_findings import DERIVED
from bridgespec.codec.text.compiled_expressions import Emit
from bridgespec.codec.text.derived import deviations, mismatches
from bridgespec.codec.text.findings import Findings, filled, shortened, stuck
from bridgespec.codec.text.grammar_engine import TextEngine
from bridgespec.codec.text.pairs import MANY, SHORT, PairKind, PairSpan, every, lacking, repeating
from bridgespec.codec.text.parse_state import one_of
from bridgespec.codec.text.rule_values import DelegatedRule, RecordRule, RuleValue
from bridgespec.codec.text.scope import TextScope
from bridgespec.codec.text.text_tree import FileNode, TextNode
from bridgespec.diagnostic import Edit, Fix, Severity
from bridgespec.spec.grammar import Columns, Content, FaultPattern, ReportForm, Same, StrictForm, TextForm, compile_regex

_GAP = re.compile(r"(\r\n|\r|\n)|[ \t]++|.", re.DOTALL)
"""Matches a line end (the group), blanks, or any other character between two cells."""


class FileChecks:
    """The checks of the whole text that a grammar declares. Made once for each grammar."""

    def __init__(self, form: TextForm) -> None:
        self.form = form
        self._claim = None if form.strict is None else compile_regex(form.strict, re.MULTILINE)
        self._faults = [(fault, compile_regex(_fault_regex(fault), re.MULTILINE), _fault_pattern(fault)) for fault in form.faults]
        self._usual = _usual(fault.characters for fault in form.faults if fault.characters is not None and not fault.strict)

    @property
    def grave(self) -> bool:
        """Whether any of the findings on lines or characters would be an error."""
        reports = [fault.report for fault in self.form.faults] + ([] if self.form.lines is None else [self.form.lines.report])
        return any(report.severity is Severity.ERROR for report in reports)

    def is_strict(self, text: str) -> bool:
        """Whether a text claims the strict form of the format."""
        return self._claim is not None and self._claim.search(text) is not None

    def check(self, findings: Findings, strict: bool) -> None:
        """Report lines that are too long, and characters that are not allowed."""
        text, limit = findings.text, self.form.lines
        if limit is not None:
            for start, stop in long_lines(text, limit.most):
                findings.report(limit.report, start, stop, {"count": str(stop - start)})
        # Deleting the usual characters is many times as fast as looking for the others, and nearly all files have no others.
        odd = self._usual is not None and bool(text.encode("latin-1").translate(None, self._usual))
        for fault, wanted, pattern in self._faults:
            if (strict if fault.strict else odd or fault.characters is None) and wanted.search(text) is not None:
                _report_fault(findings, fault, pattern)


def long_lines(text: str, most: int) -> Iterator[tuple[int, int]]:
    """Yield start and stop of every line of more than ``most`` characters, its line end included.

    >>> list(long_lines("abc\\n" + 9 * "x" + "\\r\\nabc", 10))
    [(4, 15)]
    """
    ends = "\n" if "\n" in text else "\r"
    at, size = 0, len(text)
    while size - at > most:
        # The last line end within reach shows that all lines up to there are short.
        end = text.rfind(ends, at, at + most)
        if end < 0:
            stop = text.find(ends, at + most)
            stop = size if stop < 0 else stop + 1
            for part in re.finditer(r"[^\r]*+(?:\r\n?+|\Z)", text[at:stop]):
                if part.end() - part.start() > most:
                    yield at + part.start(), at + part.end()
            end = stop - 1
        at = end + 1


def _fault_regex(fault: FaultPattern) -> str:
    return fault.at or fault.characters or ""


def _fault_pattern(fault: FaultPattern) -> re.Pattern[str]:
    """Return a pattern whose group 1 is a fault; a match without the group is text in which faults are not looked for."""
    regex = f"({_fault_regex(fault)})"
    return compile_regex(f"{fault.skip}|{regex}" if fault.skip else regex, re.MULTILINE)


def _usual(classes: Iterable[str]) -> bytes | None:
    """Return the bytes whose characters are in none of the character classes; None without a class."""
    odd = [compile_regex(each) for each in classes]
    return bytes(code for code in range(256) if not any(each.fullmatch(chr(code)) for each in odd)) if odd else None


def _report_fault(findings: Findings, fault: FaultPattern, pattern: re.Pattern[str]) -> None:
    """Report each match of a fault; with ``fault.once`` only the first, with the number of all."""
    text = findings.text
    found = (match.span(1) for match in pattern.finditer(text) if match.start(1) >= 0)
    for start, stop in found:
        # The sum consumes the generator `found`, so that the loop ends after the first match.
        count = "1" if not fault.once else str(1 + sum(start < stop for start, stop in found))
        findings.report(fault.report, start, stop, {"text": text[start : min(stop, start + 40)], "count": count})


class Strict:
    """The checks of the format's strict form for pairs of one rule, in a file that claims this form. Made for each record."""

    def __init__(self, engine: TextEngine, findings: Findings, kind: PairKind, form: StrictForm) -> None:
        self.engine = engine
        self.findings = findings
        self.kind = kind
        self.form = form

    def check(self, pairs: Sequence[PairSpan], inherited: set[str]) -> None:
        """Report each deviation from the strict form in the pairs of a record. ``inherited`` are the keys with values from earlier
        records; the keys whose values later records inherit from this one are added.
        """
        keys, words, form = [pair.key for pair in pairs], self.kind.words, self.form
        if words.inherit is not None:
            inherited.update(pair.key for pair in pairs if pair.text.startswith(words.inherit.header))
        missing = [key for key in words.mandatory if key not in keys and key not in inherited]
        if form.missing is not None and missing:
            self.findings.report_deviation(form.missing, *pairs[0].key_at, {"key": ", ".join(missing)})
        if form.order is not None:
            for index, place in self.kind.misplaced[tuple(keys)]:
                self.findings.report_deviation(form.order.report, *pairs[index].key_at, {"key": keys[index], "place": place})
        last = dict(zip(keys, pairs, strict=True))
        for same in form.same:
            if same.key in last and same.other in last:
                self._same(same, last[same.key], last[same.other])
        for pair in pairs:
            # Memoised by its text and the character before; for a rule that looks further back `_check_pair` returns False.
            text = pair.source[max(pair.start - 1, 0) : pair.stop]
            if text not in self.kind.strict and self._check_pair(pair) and len(text) <= SHORT and len(self.kind.strict) < MANY:
                self.kind.strict.add(text)

    def _check_pair(self, pair: PairSpan) -> bool:
        """Check one pair by itself. Return whether it has the strict form and this depends on its text alone."""
        words, before, near = self.kind.words, self.findings.met.total(), True
        for content in self.form.contents:
            if (name := content.rule(pair.key)) is not None:
                value = self.engine.value(name)
                near = near and value.behind < 2
                self._content(content, value, pair)
        if self.form.rows is not None and words.columns is not None and pair.key in words.columns.tables:
            self._rows(self.form.rows, words.columns, pair)
        return near and self.findings.met.total() == before

    def _same(self, same: Same, one: PairSpan, two: PairSpan) -> None:
        """Report the pair ``one`` if its value does not begin with the character that the value of the pair ``two`` requires."""
        words, text, other = self.kind.words, one.text, two.text
        if text in words.blank or other in words.blank or self._repeats(text) or self._repeats(other):
            return
        wanted = same.by.get(other.removeprefix(words.mark)[:1], "") if same.by else other[:1]
        if wanted and text[:1] != wanted:
            at = one.text_at[0]
            self.findings.report_deviation(same.report, at, at + 1, {"key": same.key, "wanted": wanted, "text": text[:1]})

    def _content(self, content: Content, value: RuleValue, pair: PairSpan) -> None:
        """Report a value, a section or a pair that does not match the rule for the strict form."""
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
            self.findings.report_deviation(content.report, place, min(place + 1, stop), values)

    def _rising(self, content: Content, number: RuleValue, pair: PairSpan, start: int, stop: int) -> None:
        """Report numbers in a section that are lower than the number directly before them."""
        text, before, last = self.findings.text, -1, -1
        for match in compile_regex(number.regex(Emit())).finditer(text, start, stop):
            value = int(re.sub(r"\D", "", match[0]) or 0)
            if value < before and not text[last : match.start()].strip():
                values = {"key": pair.key, "wanted": "numbers in increasing order", "here": repr(match[0])}
                self.findings.report_deviation(content.report, *match.span(), values)
            before, last = value, match.end()

    def _repeats(self, text: str) -> bool:
        """Whether the text of a value means that an earlier value is repeated."""
        inherit = self.kind.words.inherit
        return inherit is not None and text.startswith(inherit.same)

    def _rows(self, report: ReportForm, columns: Columns, pair: PairSpan) -> None:
        """Report rows of a table that are not a line each, and separators other than a single blank between cells. Where columns
        have widths, any number of blanks is allowed.
        """
        names, wide = self.kind.columns(pair.key, pair.text)
        if self._even(pair, len(names), wide) or (section := self.kind.section_of(pair)) is None:
            return
        cells, (line, stop) = 0, pair.section_at
        for what, start, end in self._tokens(section, columns.cell):
            cells += what == "held"
            if what == "blank" and not wide and cells and (end - start > 1 or self.findings.text[start] == "\t"):
                self.findings.report_deviation(report, start, end, {"key": pair.key, "wanted": "a single blank"})
            if (what == "end" or end == stop) and cells:
                if cells != len(names):
                    values = {"key": pair.key, "wanted": f"a line for each row, with {len(names)} cells"}
                    self.findings.report_deviation(report, line, start if what == "end" else end, values)
                cells = 0
            if what in ("end", "remark"):
                line = end

    def _even(self, pair: PairSpan, count: int, wide: bool) -> bool:
        """Whether each line of a section is a row of ``count`` cells, separated by single blanks or, with ``wide``, by any number
        of blanks. Such a section has no deviation; any other is read token by token.
        """
        section = pair.source[slice(*pair.section_at)]
        lines = section.splitlines()
        rows = [line.split() for line in lines]
        if any(len(row) != count or not (wide or line == " ".join(row)) for line, row in zip(lines, rows, strict=True)):
            return False
        return [cell for row in rows for cell in row] == self.kind.cells(pair.key, section)

    def _tokens(self, section: TextNode, cells: Sequence[str]) -> Iterator[tuple[str, int, int]]:
        """Yield kind, start and stop of each token of a section: ``held`` (a cell), ``remark``, ``blank`` (also any other
        character between cells) or ``end`` (a line end).
        """
        at = section.start // 8
        parts = [(part.start // 8, part.stop // 8, part.field) for part in section.parts or ()]
        for start, stop, field in [*parts, (section.stop // 8, -1, "")]:
            for match in _GAP.finditer(self.findings.text, at, start):
                yield "end" if match[1] else "blank", *match.span()
            if stop >= 0:
                yield "held" if field in cells else "remark", start, stop
            at = stop


class RecordChecks:
    """Checks the records of one file in order. A `TextReader` makes one. ``strict``: the file claims the strict form."""

    def __init__(self, engine: TextEngine, findings: Findings, strict: bool) -> None:
        self.engine = engine
        self.findings = findings
        self.strict = strict
        self.inherited: set[str] = set()
        """The keys whose values later records inherit."""

    def inspect(self, node: TextNode) -> None:
        """Add all findings on a record, in the order of its text."""
        if node.pair is not None or not isinstance(node.shape, RecordRule):
            return
        shape, parts = node.shape, node.parts or []
        if shape.derived:
            self._verify(shape, node)
        if (kind := self.engine.pair(shape.rule.name)) is not None and kind.words.columns is not None:
            self._cells(kind, kind.pair(node))
        for part in parts:
            self.findings.notes(part.notes)
            handover = shape.delegated.get(part.field)
            # Only the first field of a name is read by the other rule (`RecordRule.read_delegated`).
            if handover is not None and part is node.first(part.field):
                self._check_delegated(shape, handover, part, parts)
            else:
                self.inspect(part)
        for name in shape.arrays:
            if (kind := self.engine.pair(shape.fields[name][0])) is not None:
                self.check_pairs(kind, [kind.pair(part) for part in parts if part.field == name])

    def _verify(self, shape: RecordRule, node: TextNode) -> None:
        """Report derived fields of a record whose text is not the derived one, if their expressions depend on this record alone."""
        local = [name for name in shape.derived if shape.field(name).rule.name not in self.engine.looking_out]
        for part, right in mismatches(shape, TextScope(shape, node), local):
            self._report_derived(part, right)

    def verify_whole(self, root: FileNode) -> None:
        """Report derived fields of the file whose text is not the derived one, if their expressions depend on more than one
        record.
        """
        for top, part, right in deviations(self.engine, root, self.engine.looking_out):
            self.findings.attribute_to(top)
            self._report_derived(part, right)
        self.findings.attribute_to(None)

    def _report_derived(self, part: TextNode, right: str) -> None:
        start, stop, name = part.start // 8, part.stop // 8, part.field.replace("_", " ")
        fix = Fix(f"write {right}", (Edit(start, stop, right.encode("latin-1")),))
        report = part.own.words.mismatch
        if report is not None:
            self.findings.report(report, start, stop, {"text": part.text, "value": right}, fix)
            return
        message = f"{name} is {part.text}, but what it is derived from gives {right}"
        self.findings.add(DERIVED.name, DERIVED.severity, message, start, stop, None, fix)

    def _check_delegated(self, shape: RecordRule, handover: DelegatedRule, part: TextNode, parts: list[TextNode]) -> None:
        """Report the findings in a delegated text: those of the rule that reads it, or that this rule does not match it."""
        findings, key, inherit = self.findings, shape.key(handover, parts), handover.inherit
        start, stop = part.start // 8, part.stop // 8
        if inherit is not None and key in inherit.never and part.text.startswith(inherit.same):
            findings.report(inherit.report, start, stop, {"key": key or ""})
        if not part.broken:
            findings.notes(part.inner)
            self.inspect(part)
            return
        if not findings.keeps(handover.word.report.severity):
            findings.dropped += 1
            return
        value, at = handover.choose(key, findings.text, start, stop)
        if value is not None:
            place, wanted = stuck(value, findings.text, at, stop)
            here = f"where {findings.text[place]!r} stands" if place < stop else "where it ends"
            report, values = handover.word.report, {"value": shortened(findings.text[at:stop]), "key": key or ""}
            message = filled(report.message or "{value!r} does not fit", values)
            findings.add(report.code, report.severity, f"{message}: expected {one_of(wanted)} {here}", at, stop)

    def _cells(self, kind: PairKind, pair: PairSpan) -> None:
        """Report cells of a table that do not match their columns, and an incomplete last row."""
        words, (names, _) = kind.words.columns, kind.columns(pair.key, pair.text)
        section = kind.section_of(pair) if names else None
        if words is None or section is None:
            return
        report, cells = words.report, every(section, words.cell)
        for index, cell in enumerate(cells):
            name = names[index % len(names)]
            if not kind.is_cell(name, cell.text):
                message = f"{cell.text.strip(words.quote)!r} does not fit the column {name} of {pair.key}"
                self.findings.add(report.code, report.severity, message, cell.start // 8, cell.stop // 8)
        if len(cells) % len(names):
            message = f"the last row of {pair.key} has {len(cells) % len(names)} of {len(names)} cells"
            self.findings.add(report.code, report.severity, message, *pair.section_at)

    def check_pairs(self, kind: PairKind, pairs: Sequence[PairSpan], orderly: bool = False) -> None:
        """Report pairs of a record that come before a required pair or are repeated, and deviations from the strict form.
        ``orderly``: the pairs are known to be in order and not repeated.
        """
        words, findings = kind.words, self.findings
        keys = [pair.key for pair in pairs]
        if words.needs is not None and not orderly:
            for index, missing in lacking(words.needs, keys):
                findings.report(words.needs.report, *pairs[index].key_at, {"key": keys[index], "needed": " and ".join(missing)})
        if words.once is not None and not orderly:
            for index, earlier in repeating(words.once, keys, [pair.text for pair in pairs]):
                pair, first = pairs[index], pairs[earlier]
                values = {"key": pair.key, "line": str(findings.place(first.start)[0])}
                findings.report(words.once.report, pair.start, pair.text_at[1], values, _removal(kind, first, pair))
        if self.strict and words.strict is not None and pairs:
            Strict(self.engine, findings, kind, words.strict).check(pairs, self.inherited)


def _removal(kind: PairKind, first: PairSpan, second: PairSpan) -> Fix:
    """Return a fix that removes one of two pairs of the same key: the one without content, else the later one. It is safe where
    nothing is lost.
    """
    one, two = ((pair.text, pair.source[slice(*pair.section_at)].strip()) for pair in (first, second))
    if one == two or (kind.is_silent(second) and two[0] in (*kind.words.blank, one[0])):
        return Fix("remove it", (Edit(second.start, second.stop, b""),), safe=not two[1] or one == two)
    if kind.is_silent(first) and (one[0] in kind.words.blank or (one[0] == two[0] and not kind.is_silent(second))):
        return Fix("remove the first, which says nothing", (Edit(first.start, first.stop, b""),), safe=not one[1])
    return Fix("remove it", (Edit(second.start, second.stop, b""),))
