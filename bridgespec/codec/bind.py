"""The binding: the one place where files and the model meet.

A `Binder` is made from a spec alone. It turns a tree of nodes into a document, finds for every place of the model the bytes
that it stands in, and makes the plain values of a document for the writer.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from bridgespec.codec.coders import CellsCoder, HandCoder
from bridgespec.codec.node import Node, Reading
from bridgespec.codec.plan import Bound, Inside, Plan, Rest, boards_field, plan_of
from bridgespec.diagnostic import CODES, Diagnostic, Label, Severity, Span, define
from bridgespec.model.board import Board
from bridgespec.model.cards import Card, Seat
from bridgespec.model.deal import OUT, Conflict, Deal, compose
from bridgespec.model.document import Document
from bridgespec.model.tricks import Tricks
from bridgespec.spec.ir import RecordType, Spec

MISMATCH = define(
    "mismatch",
    Severity.ERROR,
    """two fields that must agree do not

    The format stores the same thing twice, and here the two differ. The model takes the one that most programs read; which of
    them is right cannot be known.
    """,
)
DEAL_MISMATCH = define(
    "deal-mismatch",
    Severity.ERROR,
    """the two halves of a record hold different deals

    The record stores its deal twice, in two codes, and both must hold the same cards. Programs differ in which half they
    read, so one file gives two different deals. Deal the board again, or delete the half that is wrong.
    """,
)

Place = tuple[str | int, ...]
LIMIT = 1000
"""Findings of one file from which on the binding adds none: more say nothing new of a file that is no such file."""


def cut_short(reading: Reading, index: int | None) -> bool:
    """Whether a record breaks off, so that what it lacks says nothing about what was meant."""
    return any(d.record == index and d.code == "truncated" for d in reading.diagnostics)


@dataclass(slots=True)
class Piece:
    """What one field, or one record of hands, said about a term."""

    term: str
    value: Any
    node: Node
    bound: Bound | None = None
    base: int = 0
    hands: dict[Seat, list[tuple[Card, Node]]] = field(default_factory=dict)
    fields: dict[Seat, Node] = field(default_factory=dict)
    prefer: bool = False
    code: str | None = None
    conflicts: tuple[Conflict, ...] = ()

    def places(self, place: Place) -> list[Node]:
        """The nodes of a place of the model, finest first; none where this piece does not hold it."""
        if place[0] == "hand" and self.fields:
            seat = Seat(int(place[1]))
            cards = self.hands.get(seat, [])
            if len(place) > 2 and int(place[2]) < len(cards):
                return [cards[int(place[2])][1]]
            return [self.fields[seat]] if seat in self.fields else []
        if place[0] == "hand" and self.term == "deal":
            return [self.node]
        if place[0] != self.term:
            return []
        if self.hands and len(place) > 1:
            found = [node for cards in self.hands.values() for card, node in cards if card == place[1]]
            return found or [self.node]
        if self.bound is not None:
            if isinstance(self.bound.coder, CellsCoder) and self.base and len(place) == 3:
                place = (place[0], place[1], int(place[2]) - self.base)
            return self.bound.coder.places(self.node, place)
        return [self.node]


@dataclass(slots=True)
class Origin:
    """Where a board was read: its node, the pieces found in it, and the board as it was made from them."""

    spec: str
    index: int
    node: Node
    pieces: list[Piece]
    as_read: Board = field(default_factory=Board)


@dataclass(slots=True)
class FileOrigin:
    """Where a document was read: its tree, the pieces found in it, and the nodes of the records of its system."""

    spec: str
    reading: Reading
    pieces: list[Piece]
    as_read: Document = field(default_factory=Document)
    records: Sequence[Node] = ()
    path: str | None = None

    @property
    def findings(self) -> tuple[Diagnostic, ...]:
        """What could not be read or bound, in file order."""
        found = (replace(finding, path=self.path) for finding in self.reading.diagnostics)
        return tuple(sorted(found, key=lambda finding: finding.span.start if finding.span is not None else -1))


class Binder:
    """The binding of one spec to the model.

    ``terms`` are the model terms that a file can hold; empty for a format without bridge meaning.
    """

    def __init__(self, spec: Spec) -> None:
        self.spec = spec
        self.list = boards_field(spec)
        self.board_plan: Plan | None = None
        self.file_plan: Plan | None = None
        if self.list is not None:
            assert isinstance(self.list.type, RecordType)
            self.board_plan = plan_of(spec, spec.records[self.list.type.target])
            self.file_plan = plan_of(spec, spec.top, skip=self.list.name)
        else:
            plan = plan_of(spec, spec.top)
            self.board_plan = plan if plan.terms else None
        plans = [plan for plan in (self.board_plan, self.file_plan) if plan is not None]
        self.terms: frozenset[str] = frozenset().union(*(plan.terms for plan in plans))

    # --- reading ----------------------------------------------------------------------------------------------------

    def document(self, reading: Reading) -> Document:
        """The document of a reading; what has no meaning in the model is reported there."""
        origin = FileOrigin(self.spec.id, reading, [])
        if self.file_plan is not None:
            origin.pieces = list(self._pieces(self.file_plan, reading.root, reading, None))
        boards: list[Board] = []
        first: int | None = None
        for index, node in enumerate(self.board_nodes(reading.root)):
            pieces = list(self._pieces(self.board_plan, node, reading, index)) if self.board_plan else []
            if first is None:
                first = next((piece.value for piece in pieces if piece.term == "first_number" and piece.value is not None), None)
            boards.append(self._board(node, index, (1 if first is None else first) + index, pieces, reading))
        texts = {p.term: p.value for p in origin.pieces if p.term in ("event", "site", "date")}
        document = Document(boards=tuple(boards), format=self.spec.id, origin=origin, **texts)
        origin.as_read = document
        return document

    def board_nodes(self, root: Node) -> Sequence[Node]:
        """The nodes of the boards, in file order."""
        if self.list is None:
            return [root] if self.board_plan is not None else []
        return (root[self.list.name].children or ()) if self.list.name in root else ()

    def _pieces(self, plan: Plan, node: Node, reading: Reading, index: int | None, top: Node | None = None) -> Iterator[Piece]:
        """What the fields of a record say; ``top`` is the node of the board."""
        whole = top or node

        def report(code: str, severity: Severity, message: str, at: Node) -> None:
            if len(reading.diagnostics) >= LIMIT:
                return
            reading.diagnostics.append(Diagnostic(code, severity, message, None, index, self.path(whole, index, at), at.span))

        hands = Piece("deal", None, node)
        here = plan.hands
        for entry in plan.entries:
            if isinstance(entry, Rest) or entry.field.name not in node:
                continue
            child = node[entry.field.name]
            if child.absent:
                continue
            if isinstance(entry, Inside):
                for piece in self._pieces(entry.plan, child, reading, index, whole):
                    piece.prefer |= entry.field.binding.prefer
                    piece.code = piece.code or entry.field.binding.code
                    yield piece
                continue
            if isinstance(entry.coder, HandCoder):
                seat = next(seat for seat, bound in here.items() if bound is entry)
                hands.fields[seat] = child
                cards = entry.coder.read(child, report)
                if cards is not None:
                    hands.hands[seat] = cards
                continue
            binding = entry.field.binding
            base = self._base(entry, node)
            if isinstance(entry.coder, CellsCoder):
                cells = entry.coder.read_at(child, base)
                value: Any = Deal(cells) if entry.term == "deal" else Tricks(cells)
            else:
                value = entry.coder.read(child, report)
            yield Piece(entry.term, value, child, entry, base, prefer=binding.prefer, code=binding.code)
        if hands.hands:
            given = {seat: [card for card, _ in cards] for seat, cards in hands.hands.items()}
            hands.value, hands.conflicts = compose(given)
            yield hands

    def _base(self, entry: Bound, node: Node) -> int:
        """The cell from which a field's cells count: the coordinate that a sibling holds."""
        other = entry.field.binding.at.get("seat")
        if other is None or self.board_plan is None or other not in node:
            return 0
        for bound in self.board_plan.bound():
            if bound.field.name == other:
                seat = bound.coder.read(node[other], lambda *_: None)
                return 0 if seat is None else int(seat)
        return 0

    def _board(self, node: Node, index: int, number: int, pieces: list[Piece], reading: Reading) -> Board:
        values: dict[str, Any] = {}
        chosen: dict[str, Piece] = {}
        for piece in pieces:
            if piece.value is None or piece.term == "first_number":
                continue
            other = chosen.get(piece.term)
            if other is None or (piece.prefer and not other.prefer):
                chosen[piece.term] = piece
            if other is not None and other.value != piece.value and not cut_short(reading, index):
                self._mismatch(index, node, other, piece, reading)
        for term, piece in chosen.items():
            values[term] = piece.value
        conflicts = chosen["deal"].conflicts if "deal" in chosen else ()
        values.setdefault("number", number)
        origin = Origin(self.spec.id, index, node, sorted(pieces, key=lambda piece: piece is not chosen.get(piece.term)))
        board = Board(**values, conflicts=conflicts, origin=origin)
        origin.as_read = board
        return board

    def _mismatch(self, index: int, node: Node, one: Piece, two: Piece, reading: Reading) -> None:
        code = CODES.get(two.code or one.code or "", MISMATCH)
        labels: list[Label] = []
        message = f"two fields give different values for {one.term}"
        if isinstance(one.value, Deal) and isinstance(two.value, Deal):
            pairs = zip(one.value.holders, two.value.holders, strict=True)
            cards = [Card(slot) for slot, (a, b) in enumerate(pairs) if a != b]
            message = f"the two halves of board {index + 1} differ: " + " ".join(map(str, cards[:6])) + " ..." * (len(cards) > 6)
            for card in cards[:4]:
                for piece in (one, two):
                    holder = piece.value.holders[card]
                    text = f"{card} {'nowhere' if holder >= OUT else Seat(holder).name.lower()} ({piece.node.name})"
                    labels += [Label(at.span, text) for at in piece.places(("deal", card))[:1]]
        else:
            labels = [Label(piece.node.span, f"{piece.value}") for piece in (one, two)]
        believed = two if two.prefer else one
        help_ = f"most programs read {believed.node.name!r}; nobody but you can tell which is right"
        where = self.path(node, index, believed.node)
        reading.diagnostics.append(
            Diagnostic(code.name, code.severity, message, None, index, where, believed.node.span, tuple(labels), help_)
        )

    # --- places -----------------------------------------------------------------------------------------------------

    def nodes(self, document: Document, board: int | None, place: Place) -> list[Node]:
        """The nodes that hold a place of the model, of a board (from 0) or of the document; none where unknown."""
        origin = document.boards[board].origin if board is not None else document.origin
        if not isinstance(origin, Origin | FileOrigin) or not place:
            return []
        for piece in origin.pieces:
            found = piece.places(place)
            if found:
                return found
        return [origin.node] if isinstance(origin, Origin) and place[0] in ("deal", "hand") else []

    def path(self, node: Node, index: int | None, at: Node) -> str:
        """The dotted path of a node below ``node``, which is board ``index`` or the whole file."""
        prefix = f"{self.list.name}[{index}]" if self.list is not None and index is not None else ""
        for path, child in node.walk():
            if child is at or (child.start == at.start and child.stop == at.stop and child.name == at.name):
                return f"{prefix}.{path}" if prefix else path
        return prefix

    def place(self, document: Document, board: int | None, places: Sequence[Place]) -> tuple[str | None, Span | None]:
        """The field path and span of the first place that can be found."""
        for place in places:
            for length in range(len(place), 0, -1):
                found = self.nodes(document, board, place[:length])
                if found:
                    origin = document.boards[board].origin if board is not None else document.origin
                    root = origin.node if isinstance(origin, Origin) else None
                    root = origin.reading.root if isinstance(origin, FileOrigin) else root
                    return (self.path(root, board, found[0]) if root is not None else None), found[0].span
        if board is not None and isinstance(origin := document.boards[board].origin, Origin):
            return self.path(origin.node, board, origin.node), origin.node.span
        return None, None

    def spans(self, document: Document, board: int | None, place: Place) -> list[Span]:
        """The spans of a place."""
        return [node.span for node in self.nodes(document, board, place)]
