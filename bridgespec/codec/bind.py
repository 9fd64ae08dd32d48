"""The binding: the one place where files and the model meet.

A `Binder` is made from a spec alone. It gathers what the records of a tree say, by the words of the schema, lets each term read its
part, and finds for every place of the model where in the file it stands.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

from bridgespec.codec.decl import Decl, Fields, Rules
from bridgespec.codec.facts import Facts, Memory, gather, pair_entry
from bridgespec.codec.node import ByteNode, Node, Reading
from bridgespec.codec.paths import path_below
from bridgespec.codec.terms import TERMS
from bridgespec.codec.terms.deal import deal as DEAL
from bridgespec.codec.tree import NodeView, Source
from bridgespec.codec.view import Group, View
from bridgespec.codec.words import below, entry_of
from bridgespec.diagnostic import CODES, Code, Diagnostic, Label, Severity, Span, define
from bridgespec.lazily import Lazy
from bridgespec.model.board import Board
from bridgespec.model.cards import Card, Seat
from bridgespec.model.deal import OUT, Deal
from bridgespec.model.document import Document
from bridgespec.spec.grammar import Grammar
from bridgespec.spec.ir import Spec
from bridgespec.spec.place import Place as SchemaPlace

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

Place = tuple[str | int, ...]
LIMIT = 1000
"""Findings of one file from which on the binding adds none: more say nothing new of a file that is not of the format."""
_DOCUMENT = ("event", "site", "date", "tags", "comments", "system")
_UNTOLD = frozenset({"last_number", "irregular"})
_TERM_OF_PLACE = {word: term.NAME for term in TERMS.values() for word in term.PLACES}
_TERM_OF = {name: term.NAME for term in TERMS.values() for name in term.BESIDE}
_UNSAID = {one.name: getattr(Board(), one.name) for one in fields(Board)}
BOARD = tuple(one.name for one in fields(Board) if one.name != "origin")
"""The fields of a board that a file may say."""


@dataclass(slots=True)
class Origin:
    """Where a board was read: its node, and the board as it was made."""

    spec: str
    index: int
    node: Node
    as_read: Board = field(default_factory=Board)
    said: Facts | None = None
    """What its record says, once somebody has asked where."""
    facts: touched.TouchedFacts | None = None
    """What its record says, of a board that is bound when it is touched."""

    def bind(self, name: str) -> Mapping[str, Any]:
        """A field of the board, with those that come with it."""
        term = _TERM_OF.get(name, name)
        value = None if self.facts is None or term not in TERMS else self.facts[term]
        if value is None:
            return {name: _UNSAID[name], **(TERMS[term].BESIDE if term in TERMS else {})}
        return TERMS[term].fields(value)


@dataclass(slots=True)
class FileOrigin:
    """Where a document was read: its tree, and the document as it was made."""

    spec: str
    reading: Reading
    source: Source
    as_read: Document = field(default_factory=Document)
    path: str | None = None
    said: Facts | None = None
    """What the file says outside its boards, once somebody has asked."""

    complete: Callable[[], Reading] | None = None
    """Reads the file with all its findings, where that has not been done."""

    @property
    def findings(self) -> tuple[Diagnostic, ...]:
        """What could not be read or bound, in file order."""
        if self.complete is not None:
            self.reading.diagnostics = self.complete().diagnostics
            self.complete = None
        found = (replace(finding, path=self.path) for finding in self.reading.diagnostics)
        return tuple(sorted(found, key=lambda finding: finding.span.start if finding.span is not None else -1))


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
        self.written = frozenset(terms_in(self.top, True)) | frozenset(terms_in(self.board, True) if self.board is not None else ())
        """The terms that a fresh file can hold."""
        self._touch: tuple[touched.Touch | None] | None = None

    @cached_property
    def members(self) -> frozenset[tuple[str, str]]:
        """The parts of terms that pairs of a board say alone."""
        pairs = [decl for decl in (below(self.board) if self.board is not None else ()) if decl.pair is not None]
        entries = [pair_entry(decl, key) for decl in pairs for key in (decl.pair.words if decl.pair is not None else ())]
        return frozenset((entry.term, entry.member) for entry in entries if entry.member)

    def declared(self, term: str) -> SchemaPlace:
        """Where the schema says first that it holds a term; of none, where it says what a board is."""
        for decl in below(self.top):
            if term and (entry_of(decl).term == term or (decl.pair is not None and term in _pair_terms(decl, set(), False))):
                return decl.place
        return (self.board or self.top).place

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
        origin.as_read = document
        return document

    def untouched(self, reading: Reading, engine: TextEngine, complete: Callable[[], Reading] | None = None) -> Document:
        """The document of a text, its boards bound when they are touched; ``complete`` reads it with all its findings."""
        if self.board is None or self.board is self.top or self.touch(engine) is None:
            return self.document(reading if complete is None else complete())
        source = Source(reading.data.decode("latin-1"))
        origin = FileOrigin(self.spec.id, reading, source, complete=complete)
        of_file = origin.said = gather(source, reading.root, self.top, Memory(), Facts(0, 1))
        nodes = self.board_nodes(reading.root)
        memory, gathered = Memory(), list[Facts]()
        stated = cast("int | None", of_file["first_number"])
        first = 1 if stated is None else stated

        def by_nodes(index: int) -> Facts:
            while len(gathered) <= index:
                at = len(gathered)
                assert self.board is not None
                gathered.append(gather(source, nodes[at], self.board, memory, Facts(at, first, of_file, self.members)))
            return gathered[index]

        touch = self.touch(engine)
        assert touch is not None
        leans = bool(touch.repeats) or (touch.inherit is not None and touch.inherit[1] in source.text)
        chain = touched.Chain(touch, source.text, nodes, by_nodes, of_file, first, self.members, leans=leans)
        boards = []
        for index, node in enumerate(nodes):
            of_board = Origin(self.spec.id, index, node, facts=touched.TouchedFacts(chain, index))
            of_board.as_read = Board.untouched(of_board)
            boards.append(of_board.as_read)
        made = {name: value for name in _DOCUMENT if (value := of_file[name]) is not None}
        document = Document(boards=tuple(boards), format=self.spec.id, origin=origin, **made)
        origin.as_read = document
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
        board = Board(**made, origin=origin)
        origin.as_read = board
        return board

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
                where = self.path(whole, index, at)
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
        where = self.path(node, index, believed.node)
        reading.diagnostics.append(
            Diagnostic(code.name, code.severity, message, None, index, where, believed.span, tuple(labels), help_)
        )

    # --- places -----------------------------------------------------------------------------------------------------

    def _asked(self, document: Document, board: int | None) -> Facts | None:
        """What a board, or the file, says, for who asks after its places; None where it was not read by this spec."""
        of_file = document.origin
        if not isinstance(of_file, FileOrigin):
            return None
        if board is None:
            of_file.said = of_file.said or gather(of_file.source, of_file.reading.root, self.top, Memory(), Facts(0, 1))
            return of_file.said
        origin = document.boards[board].origin
        if not isinstance(origin, Origin) or self.board is None:
            return None
        if origin.said is None:
            origin.said = gather(of_file.source, origin.node, self.board, Memory(), Facts(origin.index, 1))
        origin.said.know({name: getattr(document.boards[origin.index], name) for name in BOARD})
        return origin.said

    def nodes(self, document: Document, board: int | None, place: Place) -> list[Node]:
        """The nodes that hold a place of the model, of a board (from 0) or of the document; none where unknown."""
        origin = document.boards[board].origin if board is not None else document.origin
        said = self._asked(document, board)
        if not place or said is None:
            return []
        name = _TERM_OF_PLACE.get(str(place[0]), str(place[0]))
        group = said.group(name)
        found: Iterator[View] = iter(()) if group is None else TERMS[name].places(group, place, said)
        nodes = [view.node for view in found if isinstance(view, NodeView)]
        if not nodes and isinstance(origin, Origin) and not self.top.of_text and name == "deal":
            return [origin.node]
        return nodes

    def card_nodes(self, document: Document, board: int) -> dict[int, Node]:
        """The node of each card of a board's deal that stands in one, all at once."""
        said = self._asked(document, board)
        group = None if said is None else said.group("deal")
        found = {} if group is None or said is None else DEAL.cards(group, said)
        return {card: view.node for card, view in found.items() if isinstance(view, NodeView)}

    def hands(self, document: Document, board: int) -> list[dict[Seat, list[Card]]]:
        """The hands that a record gives card by card, of each record that gives some."""
        said = self._asked(document, board)
        group = None if said is None else said.group("deal")
        return [] if group is None or said is None else DEAL.given(group, said)

    def path(self, node: Node, index: int | None, at: Node) -> str:
        """The dotted path of a node below ``node``, which is board ``index`` or the whole file."""
        prefix = f"{self.listed.name}[{index}]" if self.listed is not None and index is not None else ""
        if not isinstance(node, ByteNode):
            return (prefix + path_below(node, at.start, at.stop)).lstrip(".")
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


def terms_in(decl: Decl, written: bool = False) -> Iterator[str]:
    """The model terms that a record can hold, lists of boards left out; with ``written`` those that a fresh record has."""
    seen: set[tuple[int, str]] = set()
    for name in _terms(decl, "", seen, written):
        if name and name not in _UNTOLD:
            yield name


def _terms(decl: Decl, term: str, seen: set[tuple[int, str]], written: bool) -> Iterator[str]:
    if (id(decl), term) in seen:
        return
    seen.add((id(decl), term))
    for inner in decl.fields.values():
        entry = entry_of(inner, term)
        if written and inner.only_read:
            continue
        if entry.kind == "term":
            yield entry.term
            yield from _terms(inner, entry.term, seen, written)
        elif entry.kind == "look" or entry.kind == "role":
            yield from _terms(inner, term, seen, written)
        elif entry.kind == "pair":
            yield from _pair_terms(inner, seen, written)


def _pair_terms(decl: Decl, seen: set[tuple[int, str]], written: bool) -> Iterator[str]:
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
            yield from _terms(value, entry.term, seen, written)


def _cut_short(reading: Reading, index: int | None) -> bool:
    """Whether a record breaks off, so that what it lacks says nothing about what was meant."""
    return any(d.record == index and d.code == "truncated" for d in reading.diagnostics)
