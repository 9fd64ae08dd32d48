"""The accelerator: rules that are one regular expression are read by it, their fields when they are touched.

Everything here gives what the pieces give; without it, or where a rule cannot be one expression, they read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import NamedTuple

from bridgespec.codec.text.engine import TextEngine
from bridgespec.codec.text.pairs import MANY, SHORT, Pair, PairKind
from bridgespec.codec.text.pieces import Either, Emit, Impure, Layout, Many, Part, Piece, Then, Value
from bridgespec.codec.text.strict import PairLook
from bridgespec.codec.text.tree import TextNode
from bridgespec.codec.text.values import Record, RuleValue
from bridgespec.spec import ir


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

    def fits(self, text: str, start: int, stop: int) -> bool:
        """As `RuleValue.fits`."""
        found = self.match(text, start, stop)
        return found is not None and found.end() == stop

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

    def clean(self, piece: Piece, nodes: Sequence[TextNode]) -> list[Regions] | None:
        """Where pairs stand in each node of what a piece has read; None where it is not certain that there is no finding in one."""
        if id(piece) not in self._doubtful:
            self._doubtful[id(piece)] = _doubtful(piece)
        found = []
        for node in () if self._doubtful[id(piece)] else nodes:
            value, met = node.shape, Regions()
            check = self.check(value) if isinstance(value, RuleValue) and value.report is None else None
            if check is None or not check.holds(node.source, node.start // 8, node.stop // 8, node.end, met):
                return None
            found.append(met)
        return found if len(found) == len(nodes) else None

    def among(self, met: Regions, look: PairLook) -> None:
        """Look at the pairs of one record among each other."""
        for name, regions in met.items():
            kind = self.engine.pair(name)
            if kind is None:
                continue
            strict = look.claim.strict and kind.words.strict is not None
            if strict or not self._orderly(name, kind, [pair for region in regions for pair in region.texts()]):
                look.among(kind, [pair for region in regions for pair in region.pairs()])

    def _orderly(self, name: str, kind: PairKind, pairs: list[tuple[str, str]]) -> bool:
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
            with suppress(Impure):
                self._checks[name] = _Check(self, value, value)
        return self._checks[name]

    def active(self, value: Value) -> bool:
        """Whether more than its expression decides if a text of the rule is without a finding."""
        if not isinstance(value, Record):
            return False
        if value.rule.name in self.engine.grammar.recursive:
            return True
        return bool(value.contents or value.derived) or any(self.active(value.field(name)) for name in value.names)


class Regions(dict[str, "list[_Region]"]):
    """Where the pairs of a record stand, by their rules."""


class _Region(NamedTuple):
    """Records side by side, of which some are pairs."""

    rows: _Rows
    source: str
    start: int
    stop: int
    found: list[tuple[str, ...]]

    def texts(self) -> list[tuple[str, str]]:
        """The key and the text of each pair."""
        key, value = self.rows.texts
        return [(row[key], row[value]) for row in self.found if row[key]]

    def pairs(self) -> list[Pair]:
        """The pairs by their places."""
        return list(self.rows.pairs(self.source, self.start, self.stop))


class _Check:
    """A rule, or a round of a repetition: an expression that fits what has no finding, and what looks into its groups."""

    def __init__(self, sure: Sure, piece: Value | Piece, value: RuleValue | None) -> None:
        self.sure = sure
        self.doubtful = isinstance(value, Record) and bool(value.contents or value.derived)
        groups: list[Part | Many] = []
        look = not self.doubtful and _any_active(sure, piece)
        self.match = re.compile(piece.regex(Emit(groups if look else None, clean=True))).match
        self.groups = [self._group(group) for group in groups]

    def _group(self, piece: Part | Many) -> _Rows | _Check | None:
        """What looks into a group; None where there is nothing to look at."""
        inner = piece if isinstance(piece, Part) else piece.item
        if not _any_active(self.sure, inner):
            return None
        pairs = [part.value for part in parts_of(inner) if self.sure.active(part.value)]
        if len(pairs) == 1 and isinstance(pairs[0], Record) and _Rows.suits(self.sure, pairs[0]):
            return _Rows(self.sure, inner, pairs[0])
        value = piece.value if isinstance(piece, Part) else None
        return _Check(self.sure, value or inner, value if isinstance(value, RuleValue) else None)

    def holds(self, text: str, start: int, stop: int, end: int, met: Regions) -> bool:
        """Whether all the text between two places fits and is without a finding; ``met`` takes the pairs in it."""
        match = None if self.doubtful else self.match(text, start, end)
        if match is None or match.end() != stop:
            return False
        for (first, last), look in zip(match.regs[1:], self.groups, strict=True):
            if first < 0 or look is None:
                continue
            if isinstance(look, _Rows):
                if not look.hold(text, first, last, met):
                    return False
                continue
            while first < last:
                one, inner = look.match(text, first, end), Regions()
                if one is None or one.end() == first or not look.holds(text, first, one.end(), end, inner) or inner:
                    return False
                first = one.end()
        return True


class _Rows:
    """Records of which some are pairs, whose texts other rules read: found at once, and what is right is kept by its text."""

    def __init__(self, sure: Sure, piece: Piece, record: Record) -> None:
        self.sure = sure
        self.record = record
        self.kind = sure.engine.pair(record.rule.name)
        wanted = {name for word in record.contents for name in (word.of, word.by) if name is not None}
        if self.kind is not None:
            wanted |= {self.kind.words.key, self.kind.value, self.kind.section} - {""}
        self.find, names = self._pattern(piece, wanted)
        self.find_all = self.find.findall
        self.find_places, self.order = self._pattern(piece, wanted | {""})
        if set(names) != wanted:
            raise Impure
        self.places = {name: 2 * index + 1 for index, name in enumerate(names)}
        self.texts = (0, 0) if self.kind is None else (self.places[self.kind.words.key], self.places.get(self.kind.value, 0))
        self.known: set[tuple[str, ...]] = set()

    def _pattern(self, piece: Piece, wanted: set[str]) -> tuple[re.Pattern[str], list[str]]:
        """The expression of a round, and the fields that its groups are; the nameless one is all of the pair."""
        groups: list[Part | Many] = []
        pattern = re.compile(piece.regex(Emit(groups, True, self.record, frozenset(wanted))))
        names = ["" if part.value is self.record else part.field for part in groups if isinstance(part, Part)]
        if len(set(names)) != len(names):
            raise Impure
        return pattern, names

    @staticmethod
    def suits(sure: Sure, record: Record) -> bool:
        """Whether a record's texts are handed over, and nothing else in it is to be looked at."""
        if record.derived or any(sure.active(record.field(name)) for name in record.names):
            return False
        targets = [
            value for one in record.handovers.values() for value in (*one.cases.values(), one.otherwise) if value is not None
        ]
        return all(value.near for value in targets)

    def hold(self, text: str, start: int, stop: int, met: Regions) -> bool:
        """Whether there is no finding in the texts of the records between two places."""
        rows: list[tuple[str, ...]] = self.find_all(text, start, stop)
        known = self.known
        for row in rows:
            if row not in known:
                if not self._right(row):
                    return False
                if sum(map(len, row)) <= SHORT and len(known) < MANY:
                    known.add(row)
        if self.kind is not None:
            met.setdefault(self.record.rule.name, []).append(_Region(self, text, start, stop, rows))
        return True

    def pairs(self, text: str, start: int, stop: int) -> Iterator[Pair]:
        """The pairs between two places."""
        assert self.kind is not None
        names = ["", self.kind.words.key, self.kind.value, self.kind.section]
        whole, key, value, section = (self.order.index(name) + 1 if name in self.order else 0 for name in names)
        for match in self.find_places.finditer(text, start, stop):
            places = match.regs
            if places[whole][0] >= 0:
                ends = places[section] if section and places[section][0] >= 0 else (places[whole][1], places[whole][1])
                yield Pair(text, *places[whole], places[key], places[value], ends, match[key])

    def _right(self, row: tuple[str, ...]) -> bool:
        """Whether the texts of a record fit what reads them."""
        for name, handover in self.record.handovers.items():
            place, by = self.places[name], handover.word.by
            before, raw = row[place - 1 : place + 1]
            key = None if by is None else row[self.places[by]]
            inherit = handover.inherit
            if by is not None and not key:
                continue
            if inherit is not None and key in inherit.never and raw.startswith(inherit.same):
                return False
            value, at = handover.choose(key, raw, 0, len(raw))
            if value is None:
                continue
            check, text = self.sure.check(value), before + raw
            if value.report is not None or check is None:
                return False
            if not check.holds(text, len(before) + at, len(text), len(text), Regions()):
                return False
        return self.kind is None or self._cells(self.kind, row)

    def _cells(self, kind: PairKind, row: tuple[str, ...]) -> bool:
        """Whether the cells of a table fit their columns."""
        key, value = (row[place] for place in self.texts)
        names, _ = kind.columns(key, value)
        if not names or kind.words.columns is None:
            return kind.words.columns is None or key not in kind.words.columns.tables
        cells = kind.cells(key, row[self.places[kind.section]])
        return len(cells) % len(names) == 0 and all(map(kind.suits, names * (len(cells) // len(names)), cells))


def parts_of(piece: Piece) -> Iterator[Part]:
    """The fields that a piece may make."""
    match piece:
        case Part():
            yield piece
        case Then(items=inner) | Either(options=inner):
            for one in inner:
                yield from parts_of(one)
        case Many():
            yield from parts_of(piece.item)
        case Layout() if piece.names and not piece.recursive:
            yield from parts_of(piece.value.body)
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
    return any(sure.active(part.value) for part in parts_of(piece.body if isinstance(piece, Value) else piece))
