"""The strict form of a format of pairs, checked where a file claims to keep to it: which pairs, in which order, spelled how."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple, Protocol

from bridgespec.codec.text_explain import Explainer, one_of
from bridgespec.codec.text_program import Compiler
from bridgespec.codec.text_shape import Bounds, Program
from bridgespec.diagnostic import Diagnostic, Edit, Fix, Severity
from bridgespec.spec.grammar import Content, Report, Rule, Same, StrictForm

_CELL = re.compile(r"""(\{[^}]*+\}?+|;[^\r\n]*+|%(?<![^\r\n]%)[^\r\n]*+)|("[^"\r\n]*+"?+|[^\s{};"]++)|(\r\n|\r|\n)|([ \t]++)|.""")


class Sink(Protocol):
    """What takes findings."""

    def add(
        self, code: str, severity: Severity, message: str, start: int, stop: int, help_: str | None = None, fix: Fix | None = None
    ) -> None:
        """Keep a finding about the characters from ``start`` to ``stop``."""

    def line(self, offset: int) -> int:
        """The line of an offset, from 1."""


class Pair(NamedTuple):
    """A pair by its texts and places: ``body`` is that of the section after it, empty where there is none."""

    key: str
    value: str
    start: int
    stop: int
    key_at: int
    value_at: int
    body: tuple[int, int]

    @property
    def value_stop(self) -> int:
        """Where the value ends."""
        return self.value_at + len(self.value)

    def part(self, name: str) -> tuple[int, int]:
        """The bounds of a field, or of the whole pair."""
        if name == "body":
            return self.body
        return (self.value_at, self.value_at + len(self.value)) if name else (self.start, self.stop)


@dataclass(frozen=True, slots=True)
class Kind:
    """The groups of a pair, its key, value and section in a match; ``pattern`` finds the pairs of a list one by one."""

    whole: int
    key: int
    value: int
    body: int | None
    pattern: re.Pattern[str] | None = None

    def pair(self, text: str, span: Bounds) -> Pair:
        """The pair whose groups have these bounds."""
        start, stop = span(self.whole)
        key, value = span(self.key), span(self.value)
        body = span(self.body) if self.body is not None else (-1, -1)
        return Pair(text[slice(*key)], text[slice(*value)], start, stop, key[0], value[0], body if body[0] >= 0 else (stop, stop))

    def found(self, match: re.Match[str]) -> Pair:
        """The pair of a match in which there is one."""
        places = match.regs
        start, stop = places[self.whole]
        body = places[self.body] if self.body is not None else (-1, -1)
        key, value = match.group(self.key, self.value)
        body = body if body[0] >= 0 else (stop, stop)
        return Pair(key, value or "", start, stop, places[self.key][0], places[self.value][0], body)


def filled(text: str, values: Mapping[str, str]) -> str:
    """The text with the values in its braces; ``{name!r}`` is quoted.

    >>> filled("{text!r} stands in {key}", {"text": "x", "key": "K"})
    "'x' stands in K"
    """
    for name, value in values.items():
        text = text.replace(f"{{{name}!r}}", repr(value)).replace(f"{{{name}}}", value)
    return text


def tell(sink: Sink, report: Report, start: int, stop: int, values: Mapping[str, str], fix: Fix | None = None) -> None:
    """Report with the values in the message's braces."""
    if fix is None and report.fix is not None:
        fix = Fix(f"write {report.fix!r}", (Edit(start, stop, report.fix.encode("latin-1", "replace")),), report.safe)
    help_ = None if report.help is None else filled(report.help, values)
    sink.add(report.code, report.severity, filled(report.message, values), start, stop, help_, fix)


@dataclass(slots=True)
class Claim:
    """What is known of a file while it is read: whether it claims the strict form, the keys whose values hold from here on, and how
    often each deviation was met.
    """

    strict: bool
    inherited: set[str] = field(default_factory=set)
    met: Counter[tuple[str, str]] = field(default_factory=Counter)

    def tell(self, sink: Sink, report: Report, start: int, stop: int, values: Mapping[str, str]) -> None:
        """Report a deviation where it is met first, and count it."""
        if self.first(report, values):
            tell(sink, report, start, stop, values)

    def first(self, report: Report, values: Mapping[str, str]) -> bool:
        """Count a deviation, and say whether it is met for the first time."""
        key = report.code, filled(report.message, values)
        self.met[key] += 1
        return self.met[key] == 1

    def counted(self, found: list[Diagnostic]) -> None:
        """Say of each deviation how often it was met."""
        for index, one in enumerate(found):
            count = self.met.get((one.code, one.message), 1)
            if count > 1:
                found[index] = replace(one, message=f"{one.message} (and {count - 1} times more)")


_SHORT, _MANY = 64, 10_000
_LINE_END = re.compile(r"\r\n|\r|\n")
_ONE_BEHIND = re.compile(r"\(\?<[=!](?:\\.|\[(?:\\.|[^\\\]])+\]|[^\\\[\](){}|?*+.^$])\)")
_LOOKS_BEHIND = re.compile(r"\(\?<[=!]|\\[bBA]|(?<![\[\\])\^")


@dataclass(slots=True)
class Reading:
    """How the text of a field is read, and what finds the numbers in it that ascend."""

    content: Content
    program: Program
    rising: re.Pattern[str] | None
    near: bool
    """Whether no more than one character before a text says how it is read."""


class StrictCheck:
    """The strict form of the pairs of one rule."""

    def __init__(self, compiler: Compiler, explainer: Explainer, rule: Rule, form: StrictForm) -> None:
        self.compiler = compiler
        self.explainer = explainer
        self.form = form
        extra = rule.words.extra
        mandatory, columns = extra.get("mandatory"), extra.get("columns")
        self.inherit = rule.words.inherit
        self.mandatory = [str(key) for key in mandatory] if isinstance(mandatory, list) else []
        self.tables = frozenset(map(str, columns.get("tables", ()))) if isinstance(columns, dict) else frozenset()
        self.within = frozenset(rule.words.form.within if rule.words.form is not None else ())
        self._readings: dict[str, list[Reading]] = {}
        self._orders: dict[tuple[str, ...], list[tuple[int, str]]] = {}
        self._lacks: dict[tuple[str, ...], list[str]] = {}
        self.right: dict[str, set[str]] = {}
        """Short pairs that are right, by the character before them, which is their last as well."""

    def fits(self, text: str, pair: Pair) -> bool:
        """Whether a pair certainly is as the strict form has it, and holds for its own record alone."""
        before, piece = text[max(pair.start - 1, 0) : pair.start], text[pair.start : pair.stop]
        right = self.right.setdefault(before, set())
        if piece in right:
            return True
        if self.inherit is not None and pair.value.startswith(self.inherit.header):
            return False
        readings = self._reading(pair.key)
        for reading in readings:
            of = reading.content.of
            start, stop = pair.part(of)
            if start == stop and of == "body":
                continue
            if reading.program.pattern.fullmatch(text, start, stop) is None:
                if of != "value" or not self._repeats(pair.value):
                    return False
            elif reading.rising is not None and reading.rising.search(text, start, stop) is not None:
                return False
        if self.form.rows is not None and pair.key in self.tables:
            return False
        if before and piece[-1:] == before and len(piece) <= _SHORT and len(right) < _MANY and all(each.near for each in readings):
            right.add(piece)
        return True

    def run(
        self,
        sink: Sink,
        claim: Claim,
        text: str,
        keys: tuple[str, ...],
        values: Sequence[str],
        pair: Callable[[int], Pair],
        doubtful: Iterable[Pair],
    ) -> None:
        """Report every deviation of a record, whose pairs have these keys and values; ``doubtful`` are those that may not fit."""
        if not keys:
            return
        if self.inherit is not None:
            header = self.inherit.header
            claim.inherited.update([key for key, value in zip(keys, values, strict=True) if value.startswith(header)])
        if self.form.missing is not None:
            missing = [key for key in self._lacking(keys) if key not in claim.inherited]
            if missing and claim.first(self.form.missing, said := {"key": ", ".join(missing)}):
                first = pair(0)
                tell(sink, self.form.missing, first.key_at, first.key_at + len(first.key), said)
        if self.form.order is not None:
            for index, place in self._misplaced(keys):
                if claim.first(self.form.order, said := {"key": keys[index], "place": place}):
                    wrong = pair(index)
                    tell(sink, self.form.order, wrong.key_at, wrong.key_at + len(wrong.key), said)
        if self.form.same:
            places = {key: index for index, key in enumerate(keys)}
            for same in self.form.same:
                if same.key in places and same.other in places:
                    self._same(sink, claim, same, values[places[same.key]], values[places[same.other]], pair, places[same.key])
        for each in doubtful:
            for reading in self._reading(each.key):
                self._content(sink, claim, text, reading, each)
            if self.form.rows is not None and each.key in self.tables:
                self._rows(sink, claim, text, self.form.rows, each)

    def _reading(self, key: str) -> list[Reading]:
        if key not in self._readings:
            self._readings[key] = made = []
            for content in self.form.contents:
                name = content.cases.get(key, content.otherwise)
                if name is not None:
                    rising = None if content.ascending is None else re.compile(self.compiler.regex(content.ascending))
                    program = self.compiler.program(name)
                    near = not _LOOKS_BEHIND.search(_ONE_BEHIND.sub("", program.pattern.pattern))
                    made.append(Reading(content, program, rising, near))
        return self._readings[key]

    def _lacking(self, keys: tuple[str, ...]) -> list[str]:
        """The mandatory keys that are not among these."""
        found = self._lacks.get(keys)
        if found is None:
            found = [key for key in self.mandatory if key not in keys]
            if len(self._lacks) < _MANY:
                self._lacks[keys] = found
        return found

    def _misplaced(self, keys: tuple[str, ...]) -> list[tuple[int, str]]:
        """The keys that are not in their places, by their indexes, and before or after which they belong."""
        found = self._orders.get(keys)
        if found is not None:
            return found
        found = []
        ranked = order_of(self.mandatory, self.form.sections, self.tables, self.within, keys)
        kept = longest_rise(ranked) if ranked != sorted(ranked) else set(range(len(keys)))
        places = sorted(kept)
        after = 0
        for index, _ in enumerate(keys):
            if index in kept:
                after = index
                continue
            later = bisect_left(places, index)
            wrong = places[later] if ranked[after] <= ranked[index] and later < len(places) else after
            found.append((index, f"{'before' if ranked[index] < ranked[wrong] else 'after'} {keys[wrong]}"))
        if len(self._orders) < _MANY:
            self._orders[keys] = found
        return found

    def _same(self, sink: Sink, claim: Claim, same: Same, one: str, two: str, pair: Callable[[int], Pair], index: int) -> None:
        if "" in (one, two) or "?" in (one, two) or self._repeats(one) or self._repeats(two):
            return
        wanted = same.by.get(two.lstrip("^")[:1], "") if same.by else two[:1]
        if wanted and one[:1] != wanted:
            at = pair(index).value_at
            claim.tell(sink, same.report, at, at + 1, {"key": same.key, "wanted": wanted, "text": one[:1]})

    def _content(self, sink: Sink, claim: Claim, text: str, reading: Reading, pair: Pair) -> None:
        content, program = reading.content, reading.program
        start, stop = pair.part(content.of)
        if start == stop and content.of == "body":
            return
        if program.pattern.fullmatch(text, start, stop) is None:
            if content.of == "value" and self._repeats(pair.value):
                return
            place, wanted = self.explainer.explain(program.rule.name, text, start, stop)
            place = min(max(place, start), stop)
            here = repr(text[place]) if place < stop else "the end"
            values = {"key": pair.key, "wanted": one_of(wanted), "here": here}
            claim.tell(sink, _report(content), place, min(place + 1, stop), values)
        elif reading.rising is not None:
            self._rising(sink, claim, text, content, reading.rising, pair)

    def _rising(self, sink: Sink, claim: Claim, text: str, content: Content, rising: re.Pattern[str], pair: Pair) -> None:
        before, last = -1, -1
        for match in rising.finditer(text, *pair.part(content.of)):
            number = int(re.sub(r"\D", "", match[0]) or 0)
            if number < before and not text[last : match.start()].strip():
                values = {"key": pair.key, "wanted": "numbers in increasing order", "here": repr(match[0])}
                claim.tell(sink, _report(content), *match.span(), values)
            before, last = number, match.end()

    def _repeats(self, value: str) -> bool:
        """Whether a value is that of another record."""
        return self.inherit is not None and value.startswith(self.inherit.same)

    def _rows(self, sink: Sink, claim: Claim, text: str, report: Report, pair: Pair) -> None:
        """A line of the section for each row, its cells parted by single blanks."""
        names = pair.value.split(";")
        wide = any("\\" in name for name in names)
        if _even(text[slice(*pair.body)], len(names), wide):
            return
        cells, line = 0, pair.body[0]
        for match in _CELL.finditer(text, *pair.body):
            comment, cell, end, blanks = match.groups()
            cells += cell is not None
            if blanks is not None and not wide and cells and (len(blanks) > 1 or "\t" in blanks):
                claim.tell(sink, report, match.start(), match.end(), {"key": pair.key, "wanted": "a single blank"})
            if (end is not None or match.end() == pair.body[1]) and cells:
                if cells != len(names):
                    values = {"key": pair.key, "wanted": f"a line for each row, with {len(names)} cells"}
                    claim.tell(sink, report, line, match.start() if end is not None else match.end(), values)
                cells = 0
            if end is not None or comment is not None:
                line = match.end()


def _even(section: str, columns: int, wide: bool) -> bool:
    """Whether a section is plainly one line a row, its cells parted by single blanks, or by any where columns have widths."""
    if any(mark in section for mark in '{};%"\t'):
        return False
    for line in _LINE_END.split(section.rstrip("\r\n")):
        row = line.split()
        if len(row) != columns or not (wide or row == line.split(" ")):
            return False
    return True


def _report(content: Content) -> Report:
    return Report(content.code, content.severity, content.message or "")


def order_of(
    first: Sequence[str], sections: Sequence[str], tables: frozenset[str], within: frozenset[str], keys: Sequence[str]
) -> list[tuple[int, int, str]]:
    """The rank of each key: those of ``first`` in their order, others by the alphabet, the sections, the tables; keys of ``within``
    stand in the section before them.

    >>> order_of(["A", "B"], ["S"], frozenset("T"), frozenset("N"), ["A", "S", "N", "T", "D"])
    [(0, 0, ''), (2, 0, ''), (2, 0, ''), (3, 0, 't'), (1, 0, 'd')]
    """
    ranks: list[tuple[int, int, str]] = []
    section = (1, 0, "")
    for key in keys:
        if key in sections:
            section = (2, list(sections).index(key), "")
            ranks.append(section)
        elif key in within:
            ranks.append(section if section[0] == 2 else (1, 0, key.lower()))
        elif key in first:
            ranks.append((0, list(first).index(key), ""))
        else:
            ranks.append((3 if key in tables else 1, 0, key.lower()))
    return ranks


def longest_rise(ranks: Sequence[tuple[int, int, str]]) -> set[int]:
    """The indexes of a longest part of the ranks that does not fall.

    >>> sorted(longest_rise([(1, 0, ""), (0, 0, ""), (2, 0, ""), (2, 0, ""), (3, 0, "")]))
    [1, 2, 3, 4]
    """
    tails: list[tuple[tuple[int, int, str], int]] = []
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
