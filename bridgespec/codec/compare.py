"""Findings of the binding: contradictions within a record, and values without a meaning. A `RecordJudge` adds them to a reading."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any

from bridgespec.codec.binding import RecordContent
from bridgespec.codec.node import FieldNode, Reading
from bridgespec.codec.origin import ModelSpans
from bridgespec.codec.record_views import RecordView, TermGroup
from bridgespec.codec.shared_findings import MOST
from bridgespec.codec.terms import TERMS
from bridgespec.diagnostic import CODES, Code, Diagnostic, Label, Severity, define
from bridgespec.model.board import Board
from bridgespec.model.cards import Card, Seat
from bridgespec.model.deal import OUT, Deal

MISMATCH = define(
    "mismatch",
    Severity.ERROR,
    """two fields that must agree do not

    The format stores the same thing twice, and here the two differ. The model takes the one that most programs read; which of
    them is right cannot be known.
    """,
)
define(
    "deal-mismatch",
    Severity.ERROR,
    """the two halves of a record hold different deals

    The record stores its deal twice, in two codes, and both must hold the same cards. Programs differ in which half they
    read, so one file gives two different deals. Deal the board again, or delete the half that is wrong.
    """,
)

FILE_MISMATCH = define(
    "file-mismatch",
    Severity.WARNING,
    """a record says something else of the file

    What is said of the whole file, such as the number of its first or last board, stands in its records. The first one is believed,
    and the number of the last board follows from it and from how many boards there are.
    """,
)
_NUMBERS = ("first_number", "last_number")

_COLLECTED = frozenset(one.name for one in fields(Board) if one.default == ())
"""The terms that collect all values stated, as tags do: several statements of them are no contradiction."""

Told = tuple[RecordView, Any]
"""A part that states a whole term, and its value."""


@dataclass(slots=True)
class RecordJudge:
    """Adds the findings on one record to its reading. `Binder` makes one for each record. A finding with the same code and span
    is added once.
    """

    places: ModelSpans
    reading: Reading
    node: FieldNode
    index: int
    first: int = 0
    """The index in the file of the first record that was read."""
    seen: set[tuple[str, int, int]] = field(default_factory=set)

    def report(self, code: Code, message: str, at: RecordView) -> None:
        """Add a finding on a part of the record, unless the reading has `MOST` findings: so many mean that the file is of another
        format.
        """
        span = at.span
        key = code.name, span.start, span.stop
        if key not in self.seen and len(self.reading.diagnostics) < MOST:
            self.seen.add(key)
            self._add(code, message, at)

    def _add(self, code: Code, message: str, at: RecordView, labels: tuple[Label, ...] = (), help: str | None = None) -> None:
        where = self.places.path(self.node, self.index, at.node or at)
        found = Diagnostic(code.name, code.severity, message, None, self.index, where, at.span, labels, help)
        self.reading.diagnostics.append(found)

    def compare(self, said: RecordContent) -> None:
        """Report fields of the record that state different values for a term, except in a truncated record."""
        for name in said.stated():
            group = said.group(name)
            if group is None or len(group.wholes) < 2 or TERMS[name].ON != "board" or name in _COLLECTED:
                continue
            chosen: Told | None = None
            for view in sorted(group.wholes, key=lambda view: view.span.start):
                value = TERMS[name].read(TermGroup(view), said)
                if value is None:
                    continue
                told = view, value
                if chosen is not None and chosen[1] != value and not self._cut_short():
                    self._mismatch(said, name, chosen, told)
                if chosen is None or (view.decl.binding.prefer and not chosen[0].decl.binding.prefer):
                    chosen = told

    @staticmethod
    def read_numbers(said: RecordContent) -> bool:
        """Return whether the record states the number of the file's first or last board; a text that is no number is reported."""
        given = [said[name] for name in _NUMBERS if name in said.stated()]
        return any(number is not None for number in given)

    def compare_numbers(self, said: RecordContent, first: int, count: int) -> None:
        """Report a stated number of the file's first or last board that is not the actual one; ``first`` is the first board's
        number, ``count`` the number of boards.

        Some programs write the number of boards in place of the last board's number, which is accepted.
        """
        allowed = ((first,), (first + count - 1, count))
        for name, numbers in zip(_NUMBERS, allowed, strict=True):
            group = said.group(name)
            if group is None or said[name] in (None, *numbers):
                continue
            what = "first" if name == _NUMBERS[0] else "last"
            view = group.wholes[0]
            self.report(FILE_MISMATCH, f"the {what} board is number {said[name]} here, and {numbers[0]} in fact", view)

    def _cut_short(self) -> bool:
        return any(found.record == self.index and found.code == "truncated" for found in self.reading.diagnostics)

    def _mismatch(self, said: RecordContent, term: str, *both: Told) -> None:
        (one, _), (two, _) = both
        named = (two.decl.binding.code or one.decl.binding.code or "") if one.decl.kind == "record" else ""
        message = f"two fields give different values for {term}"
        first, second = (TERMS[term].fields(value)[term] for _, value in both)
        if isinstance(first, Deal) and isinstance(second, Deal):
            pairs = zip(first.holders, second.holders, strict=True)
            cards = [Card(slot) for slot, (a, b) in enumerate(pairs) if a != b]
            more = " ..." * (len(cards) > 6)
            message = f"the two halves of board {self.first + self.index + 1} differ: {' '.join(map(str, cards[:6]))}{more}"
            told = [(card, view, deal.holders[card]) for card in cards[:4] for view, deal in ((one, first), (two, second))]
            labels = [
                Label(at.span, f"{card} {'nowhere' if holder >= OUT else Seat(holder).name.lower()} ({view.decl.name})")
                for card, view, holder in told
                for at in list(TERMS[term].places(TermGroup(view), (term, card), said))[:1]
            ]
        else:
            labels = [Label(view.span, f"{value}") for view, value in both]
        believed = two if two.decl.binding.prefer else one
        help_ = f"most programs read {believed.decl.name!r}; nobody but you can tell which is right"
        self._add(CODES.get(named, MISMATCH), message, believed, tuple(labels), help_)
