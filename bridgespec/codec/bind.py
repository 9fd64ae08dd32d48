"""The binding: the one place where files and the model meet.

A `Binder` is made from a spec alone. It gathers what the records of a tree say, by the words of the schema, lets each term read its
part, and finds for every place of the model where in the file it stands.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

from bridgespec.codec.decl import Decl, Fields, Rules
from bridgespec.codec.facts import Facts, Gathered, Memory, gather, pair_entry
from bridgespec.codec.node import Node, Reading
from bridgespec.codec.origin import FileOrigin, Origin
from bridgespec.codec.places import Places
from bridgespec.codec.terms import TERMS
from bridgespec.codec.tree import NodeView, Source
from bridgespec.codec.view import Group, View
from bridgespec.codec.words import below, entry_of
from bridgespec.diagnostic import CODES, Code, Diagnostic, Label, Severity, define
from bridgespec.lazily import Lazy
from bridgespec.model.board import Board
from bridgespec.model.cards import Card, Seat
from bridgespec.model.deal import OUT, Deal
from bridgespec.model.document import Document
from bridgespec.spec.grammar import Grammar
from bridgespec.spec.ir import Spec

if TYPE_CHECKING:
    from bridgespec.codec import touched
    from bridgespec.codec.text.engine import TextEngine
else:
    # A binary file needs nothing of what reads grammars.
    touched = Lazy("bridgespec.codec.touched")

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

LIMIT = 1000
"""Findings of one file from which on the binding adds none: more say nothing new of a file that is no such file."""
_DOCUMENT = ("event", "site", "date", "tags", "comments", "system")
_UNTOLD = frozenset({"last_number", "irregular"})


class Binder:
    """The binding of one spec to the model.

    ``top`` is the declaration of the whole file, ``board`` that of a board, None where there is none; ``terms`` are the model terms
    that a file can hold; empty for a format without bridge meaning.
    """

    def __init__(self, spec: Spec) -> None:
        self.spec = spec
        self.top: Decl = Rules(spec.text).top if isinstance(spec.text, Grammar) else Fields(spec).top
        listed = [decl for decl in below(self.top) if entry_of(decl).kind == "boards"]
        self.listed = listed[0] if listed else None
        of_file = frozenset(terms_in(self.top))
        self.board: Decl | None = self.listed or (self.top if of_file and not self.top.of_text else None)
        self.terms = of_file | frozenset(terms_in(self.board) if self.board is not None else ())
        self.places = Places(self.top, self.board, self.listed)
        self._touch: tuple[touched.Touch | None] | None = None

    @cached_property
    def members(self) -> frozenset[tuple[str, str]]:
        """The parts of terms that pairs of a board say alone."""
        pairs = [decl for decl in (below(self.board) if self.board is not None else ()) if decl.pair is not None]
        entries = [pair_entry(decl, key) for decl in pairs for key in (decl.pair.words if decl.pair is not None else ())]
        return frozenset((entry.term, entry.member) for entry in entries if entry.member)

    # --- reading ----------------------------------------------------------------------------------------------------

    def document(self, reading: Reading) -> Document:
        """The document of a reading; what has no meaning in the model is reported there."""
        source = Source(reading.data.decode("latin-1") if self.top.of_text else "")
        origin = FileOrigin(self.spec.id, reading, source)
        root = reading.root
        alone = self.board is self.top
        of_file = Facts(0, 1) if alone else gather(source, root, self.top, Memory(), Facts(0, 1))
        origin.said = of_file
        boards: list[Board] = []
        memory = Memory()
        first: int | None = cast("int | None", of_file["first_number"])
        for index, node in enumerate(self.board_nodes(root)):
            assert self.board is not None
            said = gather(source, node, self.board, memory, Facts(index, 1 if first is None else first, of_file, self.members))
            source.found = self._reporter(reading, node, index)
            if first is None:
                first = cast("int | None", said["first_number"])
                said.first_number = said.first_number if first is None else first
            boards.append(self._board(node, index, said))
            if not self.top.of_text:
                self._compare(reading, node, index, said)
        source.found = None
        made = {name: value for name in _DOCUMENT if (value := of_file[name]) is not None}
        document = Document(boards=tuple(boards), format=self.spec.id, origin=origin, **made)
        origin.as_read = replace(document, origin=None)
        return document

    def untouched(self, reading: Reading, engine: TextEngine, complete: Callable[[], Reading] | None = None) -> Document:
        """The document of a text, its boards bound when they are touched; ``complete`` reads it with all its findings."""
        if self.board is None or self.board is self.top or self.touch(engine) is None:
            return self.document(reading if complete is None else complete())
        source = Source(reading.data.decode("latin-1"))
        origin = FileOrigin(self.spec.id, reading, source, complete=complete)
        of_file = origin.said = gather(source, reading.root, self.top, Memory(), Facts(0, 1))
        nodes = self.board_nodes(reading.root)
        stated = cast("int | None", of_file["first_number"])
        first = 1 if stated is None else stated

        touch = self.touch(engine)
        assert touch is not None
        gathered = Gathered(source, self.board, nodes, first, of_file, self.members)
        chain = touched.Chain(touch, source.text, nodes, gathered, of_file, first, self.members)
        boards = [Board.untouched(Origin(self.spec.id, index, node, chain)) for index, node in enumerate(nodes)]
        made = {name: value for name in _DOCUMENT if (value := of_file[name]) is not None}
        document = Document(boards=tuple(boards), format=self.spec.id, origin=origin, **made)
        origin.as_read = replace(document, origin=None)
        return document

    def touch(self, engine: TextEngine) -> touched.Touch | None:
        """How boards are read when they are touched; None where they are read at once."""
        if self._touch is None:
            self._touch = (None if self.board is None else touched.Touch.of(self.board, engine),)
        return self._touch[0]

    def _board(self, node: Node, index: int, said: Facts) -> Board:
        origin = Origin(self.spec.id, index, node)
        made: dict[str, Any] = {}
        for term in TERMS.values():
            value = said[term.NAME] if term.ON == "board" else None
            if value is not None:
                made.update(term.fields(value))
        origin.made = Board(**made, origin=origin)
        return origin.made

    def board_nodes(self, root: Node) -> Sequence[Node]:
        """The nodes of the boards, in file order."""
        if self.board is self.top:
            return [root]
        return [node for node in self._listed(root, self.top) if not (node.broken and self.top.of_text)]

    def _listed(self, node: Node, decl: Decl) -> Iterator[Node]:
        for child in node.children or ():
            inner = decl.part(child)
            kind = "rest" if inner is None or child.absent else entry_of(inner).kind
            items = (child.children or ()) if inner is not None and inner.many else (child,)
            if kind == "boards":
                yield from items
            elif kind == "look" and inner is not None:
                for item in items:
                    yield from self._listed(item, inner)

    # --- what disagrees ---------------------------------------------------------------------------------------------

    def _reporter(self, reading: Reading, whole: Node, index: int) -> Any:
        seen: set[tuple[str, int, int]] = set()

        def report(code: Code, message: str, at: Node) -> None:
            key = code.name, at.start, at.stop
            if key not in seen and len(reading.diagnostics) < LIMIT:
                seen.add(key)
                where = self.places.path(whole, index, at)
                reading.diagnostics.append(Diagnostic(code.name, code.severity, message, None, index, where, at.span))

        return report

    def _compare(self, reading: Reading, node: Node, index: int, said: Facts) -> None:
        """Report what is said twice and differently, unless the record breaks off."""
        for name, group in said.groups.items():
            if len(group.wholes) < 2 or TERMS[name].ON != "board":
                continue
            chosen: tuple[View, Any] | None = None
            for view in sorted(group.wholes, key=lambda view: view.span.start):
                alone = Group()
                alone.wholes.append(view)
                value = TERMS[name].read(alone, said)
                if value is None:
                    continue
                if chosen is not None and chosen[1] != value and not _cut_short(reading, index):
                    self._mismatch(reading, node, index, said, name, chosen, (view, value))
                if chosen is None or (view.decl.binding.prefer and not chosen[0].decl.binding.prefer):
                    chosen = view, value

    def _mismatch(
        self, reading: Reading, node: Node, index: int, said: Facts, term: str, one: tuple[View, Any], two: tuple[View, Any]
    ) -> None:
        named = (two[0].decl.binding.code or one[0].decl.binding.code or "") if one[0].decl.kind == "record" else ""
        code = CODES.get(named, MISMATCH)
        labels: list[Label] = []
        message = f"two fields give different values for {term}"
        first, second = (TERMS[term].fields(value)[term] for _, value in (one, two))
        if isinstance(first, Deal) and isinstance(second, Deal):
            pairs = zip(first.holders, second.holders, strict=True)
            cards = [Card(slot) for slot, (a, b) in enumerate(pairs) if a != b]
            message = f"the two halves of board {index + 1} differ: " + " ".join(map(str, cards[:6])) + " ..." * (len(cards) > 6)
            for card in cards[:4]:
                for view, deal in ((one[0], first), (two[0], second)):
                    holder = deal.holders[card]
                    text = f"{card} {'nowhere' if holder >= OUT else Seat(holder).name.lower()} ({view.decl.name})"
                    alone = Group()
                    alone.wholes.append(view)
                    labels += [Label(at.span, text) for at in list(TERMS[term].places(alone, (term, card), said))[:1]]
        else:
            labels = [Label(view.span, f"{value}") for view, value in (one, two)]
        believed = two[0] if two[0].decl.binding.prefer else one[0]
        help_ = f"most programs read {believed.decl.name!r}; nobody but you can tell which is right"
        assert isinstance(believed, NodeView)
        where = self.places.path(node, index, believed.node)
        reading.diagnostics.append(
            Diagnostic(code.name, code.severity, message, None, index, where, believed.span, tuple(labels), help_)
        )


def terms_in(decl: Decl) -> Iterator[str]:
    """The model terms that a record can hold, lists of boards left out."""
    seen: set[tuple[int, str]] = set()
    for name in _terms(decl, "", seen):
        if name not in _UNTOLD:
            yield name


def _terms(decl: Decl, term: str, seen: set[tuple[int, str]]) -> Iterator[str]:
    if (id(decl), term) in seen:
        return
    seen.add((id(decl), term))
    for inner in decl.fields.values():
        entry = entry_of(inner, term)
        if entry.kind == "term":
            yield entry.term
            yield from _terms(inner, entry.term, seen)
        elif entry.kind == "look" or entry.kind == "role":
            yield from _terms(inner, term, seen)
        elif entry.kind == "pair":
            yield from _pair_terms(inner, seen)


def _pair_terms(decl: Decl, seen: set[tuple[int, str]]) -> Iterator[str]:
    pair = decl.pair
    assert pair is not None
    if pair.tags:
        yield from ("tags", "tables", "comments")
    for key in pair.words:
        entry = pair_entry(decl, key)
        yield entry.term
        handed = decl.handed.get(pair.value)
        value = handed.choose(key) if handed is not None else None
        if value is not None:
            yield from _terms(value, entry.term, seen)


def _cut_short(reading: Reading, index: int | None) -> bool:
    """Whether a record breaks off, so that what it lacks says nothing about what was meant."""
    return any(d.record == index and d.code == "truncated" for d in reading.diagnostics)
