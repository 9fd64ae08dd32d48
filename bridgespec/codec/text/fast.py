"""The accelerator: rules that are one regular expression are read by it, their fields when they are touched.

Everything here gives what the pieces give; without it, or where a rule cannot be one expression, they read.
"""

from __future__ import annotations

import re

from bridgespec.codec.text.pieces import Emit, Impure, Many, Part
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
