"""The accelerator: rules that are one regular expression are read by it, their fields when they are touched.

Everything here gives what the pieces give; without it, or where a rule cannot be one expression, they read.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from functools import cached_property

from bridgespec.codec.text.engine import TextEngine
from bridgespec.codec.text.found import Run
from bridgespec.codec.text.look import Look
from bridgespec.codec.text.named import Part
from bridgespec.codec.text.pairs import MANY, SHORT, Pair, PairKind
from bridgespec.codec.text.pieces import Emit, Impure, Many, Piece, Value
from bridgespec.codec.text.rows import PairRows, Row, parts_of
from bridgespec.codec.text.tree import TextNode
from bridgespec.codec.text.values import Record, RuleValue
from bridgespec.spec import ir


class Plan:
    """An expression whose groups are fields, or stretches of fields."""

    def __init__(self, piece: Piece | Value) -> None:
        groups: list[Piece] = []
        self.pattern = piece.regex(Emit(groups))
        self.groups = [(group, Plan(group.item) if isinstance(group, Many) else None) for group in groups]

    @classmethod
    def of(cls, piece: Piece) -> Plan | None:
        """The plan of a piece; None where it cannot be one expression, or reports what is none of its fields."""
        with suppress(Impure):
            return None if _reports(piece) else cls(piece)
        return None

    @cached_property
    def match(self) -> Callable[[str, int, int], re.Match[str] | None]:
        """What matches the expression at a place."""
        return re.compile(self.pattern).match

    def nodes(self, text: str, at: int, end: int) -> tuple[int | None, list[TextNode]]:
        """Where the expression ends that begins at a place, None where it does not fit; and the fields in it."""
        match = self.match(text, at, end)
        found: list[TextNode] = []
        if match is None:
            return None, found
        for (start, stop), (piece, rounds) in zip(match.regs[1:], self.groups, strict=True):
            if start < 0:
                continue
            if type(piece) is Part:
                value = piece.value
                assert isinstance(value, RuleValue)
                found.append(value.bounded(piece.decl, piece.field, text, start, stop, end))
            while rounds is not None and start < stop:
                after, nodes = rounds.nodes(text, start, end)
                if after is None or after == start:
                    return None, []
                start = after
                found += nodes
        return match.end(), found


def _reports(piece: Piece) -> bool:
    """Whether a piece may report something: a text that is a field of its own, or layout."""
    if piece.inside:
        return any(map(_reports, piece.inside))
    return piece.value.report is not None if isinstance(piece, Part) else piece.reporting


class QuickRule:
    """A rule as one expression for its bounds, and another for its fields."""

    def __init__(self, engine: TextEngine, value: RuleValue) -> None:
        self.engine = engine
        self.value = value
        self.pattern = value.regex(Emit())

    @cached_property
    def match(self) -> Callable[[str, int, int], re.Match[str] | None]:
        """What matches the rule at a place."""
        return re.compile(self.pattern).match

    @cached_property
    def plan(self) -> Plan:
        """What finds the fields of a record."""
        return Plan(self.value)

    @cached_property
    def check(self) -> Check | None:
        """What knows texts without a finding; None where only the pieces can tell."""
        with suppress(Impure):
            return Check(self.engine, self.value)
        return None

    @cached_property
    def pairs(self) -> PairCheck | None:
        """Of a pair, what knows those without a finding; None for any other rule, and where only the pieces can tell."""
        kind = self.engine.pair(self.value.rule.name)
        with suppress(Impure):
            return None if kind is None else PairCheck(kind)
        return None

    def node(self, decl: ir.Field | None, field: str, text: str, at: int, end: int, run: Run) -> TextNode | None:
        """As `Quick.node`."""
        if run.look and self.check is not None and (clean := self.check.read(text, at, end)) is not None:
            node = self.value.bounded(decl, field, text, at, clean[0], end)
            node.rows = clean[1]
            return node
        found = self.match(text, at, end)
        if found is None:
            return None
        run.clean = False
        return self.value.bounded(decl, field, text, at, found.end(), end)

    def pair(self, decl: ir.Field | None, field: str, text: str, at: int, end: int) -> TextNode | None:
        """As `Quick.pair`."""
        found = self.pairs.at(text, at, end) if self.pairs is not None else None
        if found is None:
            return None
        node = self.value.bounded(decl, field, text, at, found.stop, end)
        node.pair = found
        return node

    def fits(self, text: str, start: int, stop: int) -> bool:
        found = self.match(text, start, stop)
        return found is not None and found.end() == stop

    def parts(self, node: TextNode) -> list[TextNode] | None:
        """As `Quick.parts`."""
        stop, found = self.plan.nodes(node.source, node.start // 8, node.end)
        return found if stop == node.stop // 8 else None


def quick(engine: TextEngine, value: RuleValue) -> QuickRule | None:
    """The accelerated reading of a rule; None where it cannot be one expression."""
    with suppress(Impure):
        return QuickRule(engine, value)
    return None


def among(node: TextNode, look: Look) -> None:
    """Look at the pairs among each other of a node that is certain to be without a finding by itself."""
    found = node.shape.quick if isinstance(node.shape, RuleValue) else None
    check = found.check if isinstance(found, QuickRule) else None
    if check is None or check.rows is None or not node.rows:
        return
    kind, orderly = check.rows.kind, check.orderly(node.rows)
    if (look.strict and kind.words.strict is not None) or not orderly:
        match = check.rows.match(node.source, node.start // 8, node.end)
        look.among(kind, [] if match is None else check.rows.places(match), orderly)


class Check:
    """An expression that fits only texts without a finding, and what looks at the pairs in them; `Impure` where more is to be
    looked at.
    """

    def __init__(self, engine: TextEngine, value: RuleValue) -> None:
        if value.report is not None or _derives(value):
            raise Impure
        active = {part.field for part in parts_of(value.body) if _active(part.value)}
        self.rows = PairRows(engine, value, True) if active else None
        if self.rows is None:
            self.match: Callable[[str, int, int], re.Match[str] | None] = re.compile(value.regex(Emit(None, True))).match
        else:
            self.match, quick = self.rows.match, self.rows.kind.record.quick
            pairs = quick.pairs if isinstance(quick, QuickRule) else None
            if pairs is None or active != {self.rows.field}:
                raise Impure
            self.pairs = pairs

    def read(self, text: str, at: int, end: int) -> tuple[int, list[Row]] | None:
        """Where a text ends that begins at a place and is without a finding, and its pairs; None where that is not certain."""
        match = self.match(text, at, end)
        if match is None or self.rows is None:
            return None if match is None else (match.end(), [])
        rows, known = self.rows.within(match), self.pairs.known
        right = known.issuperset(rows) or all(map(self.pairs.right, [row for row in rows if row not in known]))
        return (match.end(), rows) if right else None

    def fits(self, text: str, at: int) -> bool:
        """Whether all of a text from a place on is without a finding."""
        match = self.match(text, at, len(text)) if self.rows is None else None
        return match is not None and match.end() == len(text)

    def orderly(self, rows: list[Row]) -> bool:
        """Whether no pair of a record stands twice, or before one that it needs."""
        assert self.rows is not None
        pairs = [(row[0], row[1]) for row in rows if row[0]]
        return self.rows.kind.orderly(pairs)


class PairCheck:
    """What knows pairs of one rule that are without a finding by themselves; `Impure` where their texts do not tell it all."""

    def __init__(self, kind: PairKind) -> None:
        record, fields = kind.record, (kind.words.key, kind.value, kind.section)
        if record.derived or record.handovers.keys() - set(fields[1:]) or any(_active(record.field(name)) for name in record.names):
            raise Impure
        self.kind = kind
        groups: list[Piece] = []
        self.pattern = record.body.regex(Emit(groups, True, wanted=frozenset(fields)))
        if [part.field for part in groups if isinstance(part, Part)] != [name for name in fields if name]:
            raise Impure
        self.known: set[Row] = set()
        """Short pairs that have been found right."""

    @cached_property
    def match(self) -> Callable[[str, int, int], re.Match[str] | None]:
        """What matches a pair, its key, value and section in groups."""
        return re.compile(self.pattern).match

    def at(self, text: str, at: int, end: int) -> Pair | None:
        """The pair at a place; None where it is not certain to be without a finding."""
        match = self.match(text, at, end)
        if match is None:
            return None
        key, *others = match.regs[1:]
        places = [key]
        for start, stop in (*others, (-1, -1))[:2]:
            # What is not there stands, empty, where what is before it ends.
            places.append((start, stop) if start >= 0 else (places[-1][1], places[-1][1]))
        _, value, section = places
        above = text[section[0] - 1 : section[0]] if section[0] < section[1] else ""
        row = match[1], text[slice(*value)], above, text[slice(*section)]
        return Pair(text, at, match.end(), key, value, section, match[1]) if row in self.known or self.right(row) else None

    def right(self, row: Row) -> bool:
        """Whether the texts of a pair fit what reads them."""
        found = not row[0] or self._fits(self.kind, row)
        if found and sum(map(len, row)) <= SHORT and len(self.known) < MANY:
            self.known.add(row)
        return found

    def _fits(self, kind: PairKind, row: Row) -> bool:
        key, value, above, section = row
        for name, before, raw in ((kind.value, "", value), (kind.section, above, section)):
            handover = kind.record.handovers.get(name)
            if handover is None:
                continue
            inherit = handover.inherit
            if inherit is not None and key in inherit.never and raw.startswith(inherit.same):
                return False
            reader, at = handover.choose(key, raw, 0, len(raw))
            if reader is not None and (raw or name == kind.value):
                quick = reader.quick
                if not isinstance(quick, QuickRule) or quick.check is None or not quick.check.fits(before + raw, len(before) + at):
                    return False
        return self._cells(kind, key, value, section)

    @staticmethod
    def _cells(kind: PairKind, key: str, value: str, section: str) -> bool:
        """Whether the cells of a table fit their columns."""
        names, _ = kind.columns(key, value)
        if not names or kind.words.columns is None:
            return kind.words.columns is None or key not in kind.words.columns.tables
        cells = kind.cells(key, section)
        return len(cells) % len(names) == 0 and all(map(kind.suits, names * (len(cells) // len(names)), cells))


def _active(value: Value) -> bool:
    """Whether more than its expression decides if a text of a rule is without a finding."""
    if not isinstance(value, Record):
        return False
    return value.recursive or _derives(value) or any(_active(value.field(name)) for name in value.names)


def _derives(value: Value) -> bool:
    return isinstance(value, Record) and bool(value.contents or value.derived)
