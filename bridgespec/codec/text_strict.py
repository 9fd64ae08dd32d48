"""The strict form of a format of pairs, checked where a file claims to keep to it: which pairs, in which order, spelled how."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from bridgespec.codec.node import Node
from bridgespec.codec.text_explain import Explainer, one_of
from bridgespec.codec.text_program import Compiler
from bridgespec.codec.text_tree import node_of
from bridgespec.diagnostic import Edit, Fix, Severity
from bridgespec.spec.grammar import Rule
from bridgespec.spec.grammar_form import Content, PairForm, Report, Same, StrictForm

_CELL = re.compile(r"""(\{[^}]*+\}?+|;[^\r\n]*+|%(?<![^\r\n]%)[^\r\n]*+)|("[^"\r\n]*+"?+|[^\s{};"]++)|(\r\n|\r|\n)|([ \t]++)|.""")


class Sink(Protocol):
    """What takes findings."""

    def add(
        self, code: str, severity: Severity, message: str, start: int, stop: int, help_: str | None = None, fix: Fix | None = None
    ) -> None:
        """Keep a finding about the characters from ``start`` to ``stop``."""

    def line(self, offset: int) -> int:
        """The line of an offset, from 1."""


@dataclass(frozen=True, slots=True)
class Pair:
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
        return {"": (self.start, self.stop), "body": self.body}.get(name, (self.value_at, self.value_stop))


@dataclass(frozen=True, slots=True)
class Kind:
    """The pairs of a record: what is said of them, their rule, and the groups of key, value and section."""

    form: PairForm
    rule: Rule
    key: int
    value: int
    body: int | None

    def pair(self, match: re.Match[str]) -> Pair:
        """The pair of a match."""
        body = match.span(self.body) if self.body is not None and match.start(self.body) >= 0 else (match.end(), match.end())
        places = match.start(), match.end(), match.start(self.key), match.start(self.value)
        return Pair(match[self.key], match[self.value] or "", *places, body)


def tell(sink: Sink, report: Report, start: int, stop: int, values: Mapping[str, str], fix: Fix | None = None) -> None:
    """Report with the values in the message's braces; ``{name!r}`` is quoted."""

    def filled(text: str) -> str:
        for name, value in values.items():
            text = text.replace(f"{{{name}!r}}", repr(value)).replace(f"{{{name}}}", value)
        return text

    if fix is None and report.fix is not None:
        fix = Fix(f"write {report.fix!r}", (Edit(start, stop, report.fix.encode("latin-1", "replace")),), report.safe)
    help_ = None if report.help is None else filled(report.help)
    sink.add(report.code, report.severity, filled(report.message), start, stop, help_, fix)


class StrictCheck:
    """The check of one record."""

    def __init__(
        self,
        compiler: Compiler,
        explainer: Explainer,
        sink: Sink,
        text: str,
        kind: Kind,
        form: StrictForm,
        pairs: Sequence[Pair],
        inherited: set[str],
    ) -> None:
        self.compiler = compiler
        self.explainer = explainer
        self.sink = sink
        self.text = text
        self.form = form
        self.pairs = pairs
        self.inherited = inherited
        extra = kind.rule.words.extra
        mandatory, columns = extra.get("mandatory"), extra.get("columns")
        self.header = kind.rule.words.inherit.header if kind.rule.words.inherit is not None else None
        self.mandatory = [str(key) for key in mandatory] if isinstance(mandatory, list) else []
        self.tables = frozenset(map(str, columns.get("tables", ()))) if isinstance(columns, dict) else frozenset()
        self.within = frozenset(kind.form.within)

    def run(self) -> None:
        """Report every deviation."""
        if not self.pairs:
            return
        if self.header:
            self.inherited.update(pair.key for pair in self.pairs if pair.value.startswith(self.header))
        if self.form.missing is not None:
            self._missing(self.form.missing)
        if self.form.order is not None:
            self._order(self.form.order)
        for same in self.form.same:
            self._same(same)
        for pair in self.pairs:
            for content in self.form.contents:
                self._content(content, pair)
            if self.form.rows is not None and pair.key in self.tables:
                self._rows(self.form.rows, pair)

    def _missing(self, report: Report) -> None:
        keys = {pair.key for pair in self.pairs} | self.inherited
        missing = [key for key in self.mandatory if key not in keys]
        if missing:
            first = self.pairs[0]
            tell(self.sink, report, first.key_at, first.key_at + len(first.key), {"key": ", ".join(missing)})

    def _order(self, report: Report) -> None:
        ranked = order_of(self.mandatory, self.form.sections, self.tables, self.within, [pair.key for pair in self.pairs])
        kept = longest_rise(ranked)
        after = 0
        for index, pair in enumerate(self.pairs):
            if index in kept:
                after = index
                continue
            wrong = next((i for i in sorted(kept) if i > index), after) if ranked[after] <= ranked[index] else after
            other = self.pairs[wrong].key
            where = "before" if ranked[index] < ranked[wrong] else "after"
            tell(self.sink, report, pair.key_at, pair.key_at + len(pair.key), {"key": pair.key, "place": f"{where} {other}"})

    def _same(self, same: Same) -> None:
        values = {pair.key: pair for pair in self.pairs}
        one, two = values.get(same.key), values.get(same.other)
        if one is None or two is None or one.value[:1] in ("", "?", "-") or two.value in ("", "?"):
            return
        wanted = same.by.get(two.value.lstrip("^")[:1], "") if same.by else two.value[:1]
        if wanted and one.value[:1] != wanted:
            tell(self.sink, same.report, one.value_at, one.value_at + 1, {"key": one.key, "wanted": wanted, "text": one.value[:1]})

    def _content(self, content: Content, pair: Pair) -> None:
        name = content.cases.get(pair.key, content.otherwise)
        start, stop = pair.part(content.of)
        if name is None or (start == stop and content.of == "body"):
            return
        program = self.compiler.program(name)
        match = program.pattern.fullmatch(self.text, start, stop)
        report = Report(content.code, content.severity, content.message or "")
        if match is None:
            place, wanted = self.explainer.explain(name, self.text, start, stop)
            place = min(max(place, start), stop)
            here = repr(self.text[place]) if place < stop else "the end"
            values = {"key": pair.key, "wanted": one_of(wanted), "here": here}
            tell(self.sink, report, place, min(place + 1, stop), values)
        elif content.ascending is not None:
            for node in _arrays(node_of(self.text, program, match.span, stop), content.ascending):
                numbers = [int(re.sub(r"\D", "", str(child.value)) or 0) for child in node.children or ()]
                if numbers != sorted(numbers):
                    values = {"key": pair.key, "wanted": "numbers in increasing order", "here": repr(str(numbers[0]))}
                    tell(self.sink, report, node.start // 8, node.stop // 8, values)

    def _rows(self, report: Report, pair: Pair) -> None:
        """A line of the section for each row, its cells parted by single blanks."""
        names = pair.value.split(";")
        wide = any("\\" in name for name in names)
        cells, line = 0, pair.body[0]
        for match in _CELL.finditer(self.text, *pair.body):
            comment, cell, end, blanks = match.groups()
            cells += cell is not None
            if blanks is not None and not wide and cells and (len(blanks) > 1 or "\t" in blanks):
                tell(self.sink, report, match.start(), match.end(), {"key": pair.key, "wanted": "a single blank"})
            if (end is not None or match.end() == pair.body[1]) and cells:
                if cells != len(names):
                    values = {"key": pair.key, "wanted": f"a line for each row, with {len(names)} cells"}
                    tell(self.sink, report, line, match.start() if end is not None else match.end(), values)
                cells = 0
            if end is not None or comment is not None:
                line = match.end()


def _arrays(node: Node, name: str) -> Iterator[Node]:
    for child in node.children or ():
        if child.name == name:
            yield child
        elif child.children is not None:
            yield from _arrays(child, name)


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
