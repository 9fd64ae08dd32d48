"""The accelerator: rules that are one regular expression are read by it, their fields when they are touched.

Everything here gives what the pieces give; without it, or where a rule cannot be one expression, they read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from bridgespec.codec.text.engine import TextEngine
from bridgespec.codec.text.pairs import PairKind
from bridgespec.codec.text.pieces import Either, Emit, Impure, Layout, Many, Part, Piece, Then, Value
from bridgespec.codec.text.tree import TextNode
from bridgespec.codec.text.values import Record, RuleValue
from bridgespec.spec import ir
from bridgespec.spec.grammar import Columns
from bridgespec.spec.grammar.regex import behind

MANY, SHORT = 10_000, 64
"""So many short texts are kept."""


class Plan:
    """An expression whose groups are fields, or stretches of fields."""

    def __init__(self, pattern: str, groups: list[Part | Many]) -> None:
        self.match = re.compile(pattern).match
        self.groups = groups
        self._rounds: dict[int, Plan] = {}

    def nodes(self, text: str, at: int, end: int) -> tuple[int, list[TextNode]] | None:
        """Where the expression ends that begins at a place, and the fields in it; None where it does not fit."""
        match = self.match(text, at, end)
        if match is None:
            return None
        found: list[TextNode] = []
        for (start, stop), piece in zip(match.regs[1:], self.groups, strict=True):
            if start < 0:
                continue
            if isinstance(piece, Part):
                value = piece.value
                assert isinstance(value, RuleValue)
                found.append(value.bounded(piece.decl, piece.field, text, start, stop, end))
            else:
                rounds = self._round(piece)
                while start < stop:
                    one = rounds.nodes(text, start, end)
                    if one is None or one[0] == start:
                        return None
                    start, nodes = one
                    found += nodes
        return match.end(), found

    def _round(self, piece: Many) -> Plan:
        """One round of a repetition."""
        if id(piece) not in self._rounds:
            groups: list[Part | Many] = []
            self._rounds[id(piece)] = Plan(piece.item.regex(Emit(groups)), groups)
        return self._rounds[id(piece)]


class QuickRule:
    """A rule as one expression for its bounds, and another for its fields."""

    def __init__(self, value: RuleValue) -> None:
        self.value = value
        self.match = re.compile(value.regex(Emit())).match
        self._plan: Plan | None = None

    def node(self, decl: ir.Field | None, field: str, text: str, at: int, end: int) -> TextNode | None:
        """As `Quick.node`."""
        found = self.match(text, at, end)
        return None if found is None else self.value.bounded(decl, field, text, at, found.end(), end)

    def parts(self, node: TextNode) -> list[TextNode] | None:
        """As `Quick.parts`."""
        if not isinstance(self.value, Record):
            return None
        if self._plan is None:
            groups: list[Part | Many] = []
            self._plan = Plan(self.value.regex(Emit(groups)), groups)
        found = self._plan.nodes(node.source, node.start // 8, node.end)
        return found[1] if found is not None and found[0] == node.stop // 8 else None


def quick(value: RuleValue) -> QuickRule | None:
    """The accelerated reading of a rule; None where it cannot be one expression."""
    try:
        return QuickRule(value)
    except Impure:
        return None


# --- whether a record is without a finding


class Sure:
    """What is known to be without a finding in the rules of one grammar; where it is not certain, the pieces look."""

    def __init__(self, engine: TextEngine) -> None:
        self.engine = engine
        self._checks: dict[str, _Check | None] = {}
        self._doubtful: dict[int, bool] = {}
        self._orders: dict[str, set[tuple[str, ...]]] = {}

    def is_clean(self, piece: Piece, nodes: Sequence[TextNode], strict: bool) -> bool:
        """Whether there is certainly no finding in what a piece has read; ``strict``: the file claims the strict form."""
        if id(piece) not in self._doubtful:
            self._doubtful[id(piece)] = _doubtful(piece)
        return not self._doubtful[id(piece)] and all(self._clean(node, strict) for node in nodes)

    def _clean(self, node: TextNode, strict: bool) -> bool:
        value = node.shape
        if not isinstance(value, RuleValue) or value.report is not None:
            return False
        check, met = self.check(value), dict[str, list[tuple[str, str]]]()
        if check is None or not check.holds(node.source, node.start // 8, node.stop // 8, node.end, met):
            return False
        return all(self._orderly(name, pairs, strict) for name, pairs in met.items())

    def _orderly(self, name: str, pairs: list[tuple[str, str]], strict: bool) -> bool:
        kind = self.engine.pair(name)
        if kind is None or (strict and kind.words.strict is not None):
            return kind is None
        keys, known = tuple([key for key, _ in pairs]), self._orders.setdefault(name, set())
        if keys in known:
            return True
        found = kind.orderly(pairs)
        if found and len(set(keys)) == len(keys) and len(known) < MANY:
            known.add(keys)
        return found

    def check(self, value: RuleValue) -> _Check | None:
        """The check of a rule; None where it cannot be one expression."""
        name = value.rule.name
        if name not in self._checks:
            self._checks[name] = None
            try:
                self._checks[name] = _Check(self, value, value)
            except Impure:
                pass
        return self._checks[name]

    def active(self, value: Value) -> bool:
        """Whether more than its expression decides if a text of the rule is without a finding."""
        if not isinstance(value, Record):
            return False
        return bool(value.contents or value.derived) or any(self.active(value.field(name)) for name in value.names)


class _Check:
    """A rule, or a round of a repetition: an expression that fits what has no finding, and what is left to look at in its groups."""

    def __init__(self, sure: Sure, piece: Value | Piece, value: RuleValue | None) -> None:
        self.sure = sure
        self.record = value if isinstance(value, Record) else None
        groups: list[Part | Many] = []
        bare = piece.regex(Emit(clean=True))
        self.look = bool(self.record and (self.record.contents or self.record.derived)) or _any_active(sure, piece)
        self.match = re.compile(piece.regex(Emit(groups, clean=True)) if self.look else bare).match
        self.groups = [self._group(group) for group in groups] if self.look else []

    def _group(self, piece: Part | Many) -> _Group:
        inner = piece if isinstance(piece, Part) else piece.item
        if not _any_active(self.sure, inner):
            return _Group(piece, None, None)
        pairs = [part for part in _parts(inner) if self.sure.active(part.value)]
        if len(pairs) == 1 and isinstance(pairs[0].value, Record) and _Rows.suits(self.sure, pairs[0].value):
            return _Group(piece, _Rows(self.sure, inner, pairs[0].value), None)
        value = piece.value if isinstance(piece, Part) else None
        return _Group(piece, None, _Check(self.sure, value or inner, value if isinstance(value, RuleValue) else None))

    def holds(self, text: str, start: int, stop: int, end: int, met: dict[str, list[tuple[str, str]]]) -> bool:
        """Whether all the text between two places fits and is without a finding; ``met`` takes the pairs in it, by their rules."""
        match = self.match(text, start, end)
        if match is None or match.end() != stop:
            return False
        if not self.look:
            return True
        if self.record is not None and (self.record.derived or self.record.contents):
            return False
        for (first, last), group in zip(match.regs[1:], self.groups, strict=True):
            if first < 0 or (group.rows is None and group.check is None):
                continue
            if group.rows is not None:
                if not group.rows.hold(text, first, last, met):
                    return False
            elif group.check is not None:
                while first < last:
                    one = group.check.match(text, first, end)
                    inner: dict[str, list[tuple[str, str]]] = {}
                    if one is None or one.end() == first or not group.check.holds(text, first, one.end(), end, inner) or inner:
                        return False
                    first = one.end()
        return True


class _Group(NamedTuple):
    """A group of a check, and what looks into it."""

    piece: Part | Many
    rows: _Rows | None
    check: _Check | None


class _Rows:
    """Records of which some are pairs, whose texts other rules read: all are found at once, and what is known of their texts is kept."""

    def __init__(self, sure: Sure, piece: Piece, record: Record) -> None:
        self.sure = sure
        self.record = record
        groups: list[Part | Many] = []
        wanted = frozenset(name for word in record.contents for name in (word.of, word.by) if name is not None)
        self.find = re.compile(piece.regex(Emit(groups, True, record, wanted))).findall
        names = [piece.field for piece in groups if isinstance(piece, Part)]
        if len(set(names)) != len(names) or set(names) != wanted:
            raise Impure
        self.places = {name: 2 * index + 1 for index, name in enumerate(names)}
        self.known: set[tuple[str, ...]] = set()
        self.kind = sure.engine.pair(record.rule.name)
        self.texts = (
            self.places.get(self.kind.words.key, -1) if self.kind else -1,
            self.places.get(self.kind.value, -1) if self.kind else -1,
        )

    @staticmethod
    def suits(sure: Sure, record: Record) -> bool:
        """Whether a record's texts are handed over, and nothing else in it is to be looked at."""
        if record.derived or any(sure.active(record.field(name)) for name in record.names):
            return False
        targets = [
            value for one in record.handovers.values() for value in (*one.cases.values(), one.otherwise) if value is not None
        ]
        return all(_near(value) for value in targets)

    def hold(self, text: str, start: int, stop: int, met: dict[str, list[tuple[str, str]]]) -> bool:
        """Whether there is no finding in the texts of the records between two places."""
        rows: list[tuple[str, ...]] = self.find(text, start, stop)
        known = self.known
        for row in rows:
            if row not in known:
                if not self._right(row):
                    return False
                if sum(map(len, row)) <= SHORT and len(known) < MANY:
                    known.add(row)
        key, value = self.texts
        if key >= 0:
            met.setdefault(self.record.rule.name, []).extend([(row[key], row[value]) for row in rows if row[key]])
        return True

    def _right(self, row: tuple[str, ...]) -> bool:
        """Whether the texts of a record fit what reads them."""
        for name, handover in self.record.handovers.items():
            place, by = self.places[name], handover.word.by
            before, raw = row[place - 1 : place + 1]
            key = None if by is None else row[self.places[by]]
            if by is not None and not key:
                continue
            inherit = handover.inherit
            if inherit is not None and key in inherit.never and raw.startswith(inherit.same):
                return False
            value, at = handover.choose(key, raw, 0, len(raw))
            if value is None:
                continue
            check, text = self.sure.check(value), before + raw
            if value.report is not None or check is None:
                return False
            if not check.holds(text, len(before) + at, len(text), len(text), {}):
                return False
        return self.kind is None or self.kind.words.columns is None or self._cells(self.kind, self.kind.words.columns, row)

    def _cells(self, kind: PairKind, columns: Columns, row: tuple[str, ...]) -> bool:
        key = row[self.places[kind.words.key]]
        return key not in columns.tables


def _parts(piece: Piece) -> Iterator[Part]:
    """The fields that a piece may make."""
    match piece:
        case Part():
            yield piece
        case Then(items=inner) | Either(options=inner):
            for one in inner:
                yield from _parts(one)
        case Many():
            yield from _parts(piece.item)
        case Layout() if piece.names:
            yield from _parts(piece.value.body)
        case _:
            pass


def _doubtful(piece: Piece) -> bool:
    """Whether a piece may report something that stands in none of its fields."""
    match piece:
        case Then(items=inner) | Either(options=inner):
            return any(map(_doubtful, inner))
        case Many():
            return _doubtful(piece.item)
        case Layout():
            return piece.reporting
        case _:
            return False


def _any_active(sure: Sure, piece: Piece | Value) -> bool:
    return any(sure.active(part.value) for part in _parts(piece.body if isinstance(piece, Value) else piece))


def _near(value: RuleValue) -> bool:
    """Whether a rule sees no more than one character before its text."""
    try:
        return behind(value.regex(Emit())) < 2
    except (Impure, re.error):
        return False
