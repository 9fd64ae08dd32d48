"""Filling a spec from a document: the plain values that its writer takes, and what the format cannot hold.

What was read by the same spec and not changed keeps its raw values, so that it is written back as it stood; what changed is
spelled anew, and only that.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from bridgespec.codec.bind import Binder, FileOrigin, Origin
from bridgespec.codec.cells import Unholdable
from bridgespec.codec.coders import CellsCoder, HandCoder, absent_value
from bridgespec.codec.node import Reading, plain
from bridgespec.codec.plan import Bound, Inside, Plan, Rest
from bridgespec.diagnostic import Diagnostic, Severity, define
from bridgespec.model.board import Board, standard_dealer, standard_vulnerability
from bridgespec.model.cards import Seat
from bridgespec.model.document import Document
from bridgespec.model.tricks import UNSOLVED

LOST = define(
    "lost",
    Severity.WARNING,
    """the target cannot hold this

    The source says more than the target format has room for. The file is written without it. With ``--strict`` nothing is
    written and the exit status is 1.
    """,
)
CANNOT_HOLD = define(
    "cannot-hold",
    Severity.ERROR,
    """the target cannot hold this board at all

    The target has no way to spell what the board says (half a deal in a format for whole deals, fifteen tricks), or needs
    something that the board does not say. Nothing is written: choose another target, other boards, or give what is missing.
    """,
)
_BLANK = ("", 0, b"", False, None)
_DERIVED = frozenset({"number", "dealer", "vulnerability", "origin", "conflicts", "irregular", "deal", "tricks", "declarer"})


@dataclass(slots=True)
class Filled:
    """The plain values of a whole file, and the findings: ``lost`` warnings, ``cannot-hold`` errors."""

    values: dict[str, Any] = field(default_factory=dict)
    findings: list[Diagnostic] = field(default_factory=list)
    origin: Reading | None = None
    """The reading whose bytes stay where the values are those that were read, for writers that keep them so."""


class Filler:
    """Fills the spec of a binder; ``canonical`` spells everything anew, as the schema writes it."""

    def __init__(self, binder: Binder, canonical: bool = False) -> None:
        self.binder = binder
        self.spec = binder.spec
        self.canonical = canonical
        self.lost: Counter[str] = Counter()
        self.findings: list[Diagnostic] = []

    def fill(self, document: Document) -> Filled:
        """The values of a document, with everything that is lost counted by kind."""
        if not self.binder.terms:
            return self._meaningless(document)
        self._count_losses(document)
        origin = document.origin if isinstance(document.origin, FileOrigin) and document.origin.spec == self.spec.id else None
        if self.canonical:
            origin = None
        same = origin is not None and [id(b.origin) for b in document.boards] == [id(b.origin) for b in origin.as_read.boards]
        boards = [self._board(board, index, document, same) for index, board in enumerate(document.boards)]
        if self.binder.list is None:
            if len(boards) != 1:
                self._cannot(None, f"{self.spec.id} holds one board, not {len(boards)}")
            values: dict[str, Any] = boards[0] if boards else {}
        else:
            values = self._file(document, origin, same)
            values[self.binder.list.name] = boards
        for kind, count in self.lost.items():
            what = kind if count == 1 else f"{kind} ({count} times)"
            self.findings.append(Diagnostic(LOST.name, LOST.severity, f"{self.spec.id} cannot hold {what}"))
        return Filled(values, self.findings)

    def _meaningless(self, document: Document) -> Filled:
        """What was read by a spec that knows no bridge, as it was; nothing else can be put into one."""
        origin = document.origin
        if not isinstance(origin, FileOrigin) or origin.spec != self.spec.id:
            self._cannot(None, f"{self.spec.id} has no bridge meaning: it can hold nothing of another format")
            return Filled({}, self.findings)
        return Filled(plain(origin.reading.root), self.findings)

    def _file(self, document: Document, origin: FileOrigin | None, same: bool) -> dict[str, Any]:
        base = plain(origin.reading.root) if origin is not None else {}
        values: dict[str, Any] = dict(base) if isinstance(base, dict) else {}
        if self.binder.file_plan is None:
            return values
        for entry in self.binder.file_plan.entries:
            name = entry.field.name
            if isinstance(entry, Bound):
                value = _document_text(document, entry.term)
                if origin is not None and name in values and getattr(origin.as_read, entry.term, None) == value:
                    continue
                values[name] = absent_value(entry.field) if value is None else entry.coder.write(value)
            elif not same and not _is_kept(entry):
                values.pop(name, None)
        return values

    # --- boards -----------------------------------------------------------------------------------------------------

    def _board(self, board: Board, index: int, document: Document, same: bool) -> dict[str, Any]:
        plan = self.binder.board_plan
        if plan is None:
            return {}
        origin = board.origin
        node = origin.node if isinstance(origin, Origin) and origin.spec == self.spec.id and not self.canonical else None
        base = plain(node) if node is not None else None
        as_read = origin.as_read if isinstance(origin, Origin) and node is not None else None
        return self._record(plan, board, base if isinstance(base, dict) else None, as_read, index, document, same)

    def _record(
        self,
        plan: Plan,
        board: Board,
        base: dict[str, Any] | None,
        as_read: Board | None,
        index: int,
        document: Document,
        same: bool,
    ) -> dict[str, Any]:
        values: dict[str, Any] = dict(base) if base is not None else {}
        hands = {id(bound): seat for seat, bound in plan.hands.items()}
        for entry in plan.entries:
            name = entry.field.name
            if base is not None and not (name in base and isinstance(base[name], dict)) and board == as_read:
                continue
            if isinstance(entry, Inside):
                inner = values.get(name)
                inner = inner if isinstance(inner, dict) else None
                values[name] = self._record(entry.plan, board, inner, as_read, index, document, same)
            elif isinstance(entry, Rest):
                if base is None and entry.kept and entry.field.binding.default is None:
                    values[name] = absent_value(entry.field)
                elif not same and not _is_kept(entry):
                    values.pop(name, None)
            elif base is not None and as_read is not None and self._unchanged(entry, board, as_read, index, same):
                continue
            else:
                try:
                    values[name] = self._spell(entry, hands.get(id(entry)), board, index, document)
                except Unholdable as problem:
                    self._cannot(index, f"board {index + 1}: {self.spec.id} cannot hold its {entry.term}: {problem}")
        return values

    def _unchanged(self, entry: Bound, board: Board, as_read: Board, index: int, same: bool) -> bool:
        if entry.term == "first_number":
            return same
        if entry.term == "number":
            return board.number == as_read.number
        term = "deal" if isinstance(entry.coder, HandCoder) else entry.term
        related = ("declarer",) if entry.field.binding.at else ()
        return all(getattr(board, name) == getattr(as_read, name) for name in (term, *related))

    def _spell(self, entry: Bound, seat: Seat | None, board: Board, index: int, document: Document) -> Any:
        if seat is not None:
            if board.deal is None:
                raise Unholdable("there is none")
            cards = board.deal.cards(seat)
            length = entry.field.repeat_expr.source.strip() if entry.field.repeat_expr is not None else ""
            spelled = entry.coder.write(cards)
            if length.isdigit() and len(spelled) != int(length):
                raise Unholdable(f"{seat.name.lower()} has {len(cards)} cards")
            return spelled
        value = self._value(entry.term, board, index, document)
        if value is None:
            return self._missing(entry)
        if isinstance(entry.coder, CellsCoder):
            return self._cells(entry, entry.coder, board, value)
        return entry.coder.write(value)

    def _value(self, term: str, board: Board, index: int, document: Document) -> Any:
        if term == "first_number":
            return document.boards[0].number or 1
        if term == "number":
            return index + 1 if board.number is None else board.number
        if term == "dealer":
            return board.effective_dealer
        if term == "vulnerability":
            return board.effective_vulnerability
        value = getattr(board, term, None)
        return getattr(document, term, None) if value is None else value

    def _missing(self, entry: Bound) -> Any:
        if isinstance(entry.coder, CellsCoder) and entry.term == "tricks" and entry.field.binding.unknown is not None:
            return entry.coder.write(bytes([UNSOLVED]) * 20)
        if entry.term in ("deal", "tricks", "declarer"):
            hint = ": say which with --declarer" if entry.term == "declarer" else ""
            raise Unholdable(f"there is none{hint}")
        return absent_value(entry.field)

    def _cells(self, entry: Bound, coder: CellsCoder, board: Board, value: Any) -> Any:
        cells = value.holders if entry.term == "deal" else value.cells
        base = int(board.declarer) if entry.field.binding.at and board.declarer is not None else 0
        held = {base + cell for cell in coder.cells}
        lost = sum(1 for at, cell in enumerate(cells) if at not in held and cell != coder.empty)
        if lost:
            self.lost[f"the {entry.term} of other hands"] += 1
        try:
            return coder.write_at(cells, base)
        except Unholdable:
            if entry.term == "deal":
                sizes = ", ".join(f"{seat.letter} {size}" for seat, size in zip(Seat, value.sizes, strict=True))
                raise Unholdable(f"it is not a whole deal ({sizes} cards)") from None
            raise

    # --- losses -----------------------------------------------------------------------------------------------------

    def _count_losses(self, document: Document) -> None:
        terms = self.binder.terms
        for name in ("event", "site", "date"):
            if name not in terms and getattr(document, name):
                self.lost[f"the {name}"] += 1
        first = (document.boards[0].number or 1) if document.boards else 1
        base = first if "first_number" in terms else 1
        for index, board in enumerate(document.boards):
            number = board.number or index + 1
            if "number" not in terms and number != base + index:
                self.lost["board numbers other than consecutive ones"] += 1
            place = number if "number" in terms else base + index
            if "dealer" not in terms and board.effective_dealer not in (None, standard_dealer(place)):
                self.lost["a dealer other than the board number's"] += 1
            if "vulnerability" not in terms and board.effective_vulnerability not in (None, standard_vulnerability(place)):
                self.lost["a vulnerability other than the board number's"] += 1
            for part in dataclasses.fields(board):
                value = getattr(board, part.name)
                if part.name in _DERIVED:
                    if part.name in ("deal", "tricks") and part.name not in terms and value is not None:
                        self.lost["the deal" if part.name == "deal" else "the double-dummy results"] += 1
                elif part.name not in terms and value != part.default and _says(value):
                    self.lost[f"the {part.name}"] += 1
        self._count_kept(document)

    def _count_kept(self, document: Document) -> None:
        for board in document.boards:
            origin = board.origin
            if not isinstance(origin, Origin) or origin.spec == self.spec.id:
                continue
            for child in origin.node.children or ():
                decl = child.decl
                if decl is not None and decl.binding.opaque and decl.binding.default is None and child.value not in _BLANK:
                    self.lost[f"the field {decl.name} of {origin.spec}"] += 1

    def _cannot(self, index: int | None, message: str) -> None:
        self.findings.append(Diagnostic(CANNOT_HOLD.name, CANNOT_HOLD.severity, message, record=index))


def _is_kept(entry: Rest | Inside | Bound) -> bool:
    """Whether an entry's raw value survives a change of the list of boards: all but what is derived from it."""
    binding = entry.field.binding
    return binding.value is None and (binding.default is None or "." not in binding.default.source)


def _says(value: object) -> bool:
    if isinstance(value, tuple):
        return any(_says(part) for part in value)
    return value is not None and value not in ("", {})


def _document_text(document: Document, term: str) -> str | None:
    value: str | None = getattr(document, term, None)
    if value is None:
        values = {getattr(board, term, None) for board in document.boards}
        value = next(iter(values)) if len(values) == 1 else None
    return value


__all__ = ["CANNOT_HOLD", "LOST", "Filled", "Filler"]
