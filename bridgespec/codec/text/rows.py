"""The pairs of a record by their texts: found by one expression, without a node for any."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cached_property

from bridgespec.codec.text.engine import TextEngine
from bridgespec.codec.text.named import Layout, Part
from bridgespec.codec.text.pairs import Pair
from bridgespec.codec.text.pieces import Either, Emit, Impure, Many, Piece, Then, Value
from bridgespec.codec.text.values import Record

Row = tuple[str, str, str, str]
"""Key and value of a pair, the character that stands before its section, at which that may look, and the section."""


class PairRows:
    """Where pairs stand in the records of a rule; with ``clean``, in those that are without a finding.

    `Impure` where one expression cannot tell, or where a value is read by what stands before it.
    """

    def __init__(self, engine: TextEngine, value: Value, clean: bool = False) -> None:
        self.groups: list[Piece] = []
        self.pattern = value.regex(Emit(self.groups, clean))
        pairs = {part.field: part for part in parts_of(value.body) if engine.pair(part.value.rule.name) is not None}
        if len(pairs) != 1:
            raise Impure
        ((self.field, part),) = pairs.items()
        kind, record = engine.pair(part.value.rule.name), part.value
        assert kind is not None
        assert isinstance(record, Record)
        self.kind = kind
        self.record = record
        self.fields = tuple(name for name in (kind.words.key, kind.value, kind.section) if name)
        if len(self.fields) < 2 or any(record.sight(name) > (name == kind.section) for name in self.fields):
            raise Impure
        self._emit = Emit([], clean, pair=record, field=self.field, wanted=frozenset(self.fields), above=kind.section)
        self._places: dict[int, re.Pattern[str]] = {}
        self.inside = [self._finder(piece) for piece in self.groups]
        # The pairs of most records are a stretch at its end: only what stands before that is matched, so nothing is read twice.
        last, items = self.groups[-1], value.body.items if isinstance(value.body, Then) else (value.body,)
        self.lead: re.Pattern[str] | None = None
        if last is items[-1] and self.inside[-1] is not None:
            self.lead = re.compile(value.regex(replace(self._emit, groups=[], until=last)))

    @cached_property
    def match(self) -> Callable[[str, int, int], re.Match[str] | None]:
        """What matches a record, the pieces that make fields in groups."""
        return re.compile(self.pattern).match

    def _finder(self, piece: Piece) -> re.Pattern[str] | None:
        """What finds the pairs in a group; None where there are none."""
        if self.field not in piece.names:
            return None
        emit = replace(self._emit, groups=[])
        pattern = (piece.item if isinstance(piece, Many) else piece).regex(emit)
        if [group.field for group in emit.groups or () if isinstance(group, Part)] != list(self.fields):
            raise Impure
        return re.compile(pattern if len(self.fields) > 2 else f"{pattern}()()")

    def rows(self, text: str, start: int, stop: int, end: int) -> list[Row] | None:
        """The pairs of a record between two places, in file order, and what else there is as empty texts; None where the expression
        does not fit.
        """
        if self.lead is None or self.inside[-1] is None:
            match = self.match(text, start, end)
            return None if match is None or match.end() != stop else self.within(match)
        lead = self.lead.match(text, start, end)
        if lead is None:
            return None
        texts, size = lead.groups(""), len(self.fields) if len(self.fields) == 2 else 4
        found: list[Row] = []
        for at in range(0, len(texts), size):
            if texts[at]:
                key, value, *section = texts[at : at + size]
                above, under = section or ("", "")
                found.append((key, value, above, under))
        return found + self.inside[-1].findall(text, lead.end(), stop)

    def within(self, match: re.Match[str]) -> list[Row]:
        """The pairs of a record that the expression has matched."""
        found: list[Row] = []
        for (start, stop), inside in zip(match.regs[1:], self.inside, strict=True):
            if start >= 0 and inside is not None:
                found += inside.findall(match.string, start, stop)
        return found

    def places(self, match: re.Match[str]) -> list[Pair]:
        """The same pairs by their places."""
        found: list[Pair] = []
        for (start, stop), piece in zip(match.regs[1:], self.groups, strict=True):
            if start >= 0 and self.field in piece.names:
                find = self._placing(id(piece))
                found += [self._pair(one) for one in find.finditer(match.string, start, stop) if one.start(1) >= 0]
        return found

    def _placing(self, piece: int) -> re.Pattern[str]:
        if piece not in self._places:
            whole = replace(self._emit, groups=[], wanted=frozenset({"", *self.fields}), above="")
            inner = next(each.item if isinstance(each, Many) else each for each in self.groups if id(each) == piece)
            self._places[piece] = re.compile(inner.regex(whole))
        return self._places[piece]

    def _pair(self, match: re.Match[str]) -> Pair:
        whole, key, value, *section = match.regs[1:]
        under = section[0] if section and section[0][0] >= 0 else (whole[1], whole[1])
        return Pair(match.string, *whole, key, value, under, match[2])


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
