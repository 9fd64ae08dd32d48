"""The texts of a record by one expression, without a node for any: its pairs, and the fields of a text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from bridgespec.codec.text.engine import TextEngine
from bridgespec.codec.text.fast import parts_of
from bridgespec.codec.text.pairs import MANY, SHORT
from bridgespec.codec.text.pieces import Emit, Impure, Many, Part, Then
from bridgespec.codec.text.values import Record


class Row(NamedTuple):
    """A pair by its texts, each of value and section with the character before it, on which an expression may look back."""

    key: str
    value: str
    section: str

    @classmethod
    def of(cls, texts: Texts) -> Row:
        """The pair of its texts."""
        _, key, before, value, above, section = texts
        return cls(key, before + value, above + section)


Texts = tuple[str, str, str, str, str, str]
"""Key, value and section of a pair, the character that stands before each of them before it."""


class PairRows:
    """Where the pairs of a rule stand in a record of it; `Impure` where one expression cannot tell."""

    def __init__(self, engine: TextEngine, rule: str) -> None:
        groups: list[Part | Many] = []
        self.match = re.compile(engine.value(rule).regex(Emit(groups))).match
        self.finders = [self._finder(engine, piece) for piece in groups]
        self.field = next((found[0] for found in self.finders if found is not None), "")

    @staticmethod
    def _finder(engine: TextEngine, piece: Part | Many) -> tuple[str, Callable[[str, int, int], list[Texts]]] | None:
        inner = piece if isinstance(piece, Part) else piece.item
        pairs = {part.field: part.value for part in parts_of(inner) if engine.pair(part.value.rule.name) is not None}
        if not pairs:
            return None
        if len(pairs) > 1:
            raise Impure
        ((field, record),) = pairs.items()
        kind = engine.pair(record.rule.name)
        assert kind is not None
        names = (kind.words.key, kind.value, kind.section)
        groups: list[Part | Many] = []
        find = re.compile(inner.regex(Emit(groups, False, record, frozenset(names) - {""}))).findall
        order = [part.field for part in groups if isinstance(part, Part)]
        if len(set(order)) != len(order) or len(order) < 2 or order != [name for name in names if name in order]:
            raise Impure
        return field, find if len(order) == 3 else lambda text, start, stop: [(*row, "", "") for row in find(text, start, stop)]

    def rows(self, text: str, start: int, stop: int, end: int) -> list[Texts] | None:
        """The pairs of a record between two places, in file order, and what else there is as empty texts; None where the expression
        does not fit it.
        """
        match = self.match(text, start, end)
        if match is None or match.end() != stop:
            return None
        rows: list[Texts] = []
        for (first, last), finder in zip(match.regs[1:], self.finders, strict=True):
            if first >= 0 and finder is not None:
                rows += finder[1](text, first, last)
        return rows


Bounds = tuple[str, int, int]
"""A field and where its text stands."""


class Stretch:
    """A repetition of fields, round by round; what is made of a round is kept by its text and the character before it."""

    def __init__(self, piece: Many) -> None:
        groups: list[Part | Many] = []
        self.find = re.compile(piece.item.regex(Emit())).findall
        self.round = Fields(piece.item.regex(Emit(groups)), groups)

    def rounds(self, text: str, start: int, stop: int) -> list[str]:
        """The texts of the rounds between two places."""
        found: list[str] = self.find(text, start, stop)
        return found


class Fields:
    """The fields of a text that one expression fits."""

    def __init__(self, pattern: str, groups: list[Part | Many], lead: str | None = None) -> None:
        self.match = re.compile(pattern).match
        self.parts = [piece.field if isinstance(piece, Part) else Stretch(piece) for piece in groups]
        self.lead = None if lead is None else re.compile(lead).match
        """Of a text that is a stretch and nothing else, what stands before it: so it is not matched twice."""

    @classmethod
    def of(cls, engine: TextEngine, rule: str) -> Fields:
        """The fields of a rule; `Impure` where it cannot be one expression."""
        value = engine.value(rule)
        if not isinstance(value, Record) or value.contents:
            raise Impure
        groups: list[Part | Many] = []
        pattern, body = value.regex(Emit(groups)), value.body
        lead = None
        last = groups[0] if len(groups) == 1 else None
        endless = isinstance(last, Many) and last.most is None and value.restart is None
        if isinstance(body, Then) and endless and last is body.items[-1]:
            lead = "".join(item.regex(Emit()) for item in body.items[:-1])
        return cls(pattern, groups, lead)

    def found(self, text: str, start: int, stop: int | None, end: int) -> Iterator[tuple[str | Stretch, int, int]] | None:
        """Each field or stretch with where it stands; None where the expression does not fit, to ``stop`` where that is given."""
        if self.lead is not None and stop is not None:
            before = self.lead(text, start, end)
            return None if before is None else iter([(self.parts[0], before.end(), stop)])
        match = self.match(text, start, end)
        if match is None or (stop is not None and match.end() != stop):
            return None
        return ((part, *places) for part, places in zip(self.parts, match.regs[1:], strict=True) if places[0] >= 0)


__all__ = ["MANY", "SHORT", "Bounds", "Fields", "PairRows", "Row", "Stretch", "Texts"]
