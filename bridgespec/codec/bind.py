"""The binding: the one place where files and the model meet.

A `Binder` is made from a spec alone. It gathers what the records of a tree say, by the words of the schema, lets each term read its
part, and finds for every place of the model where in the file it stands.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

from bridgespec.codec.compare import compare, reporter
from bridgespec.codec.decl import Decl, top_of
from bridgespec.codec.facts import Facts, Gathered, Memory, gather
from bridgespec.codec.node import Node, Reading
from bridgespec.codec.origin import FileOrigin, Origin
from bridgespec.codec.places import Places
from bridgespec.codec.room import members_in, pair_terms, terms_in
from bridgespec.codec.terms import TERMS
from bridgespec.codec.tree import Source
from bridgespec.codec.words import below, entry_of
from bridgespec.lazily import Lazy
from bridgespec.model.board import Board
from bridgespec.model.document import Document
from bridgespec.spec.ir import Spec
from bridgespec.spec.place import Place as SchemaPlace

if TYPE_CHECKING:
    from bridgespec.codec import chain
    from bridgespec.codec.text.engine import TextEngine
else:
    # A binary file needs nothing of what reads grammars.
    chain = Lazy("bridgespec.codec.chain")

_DOCUMENT = ("event", "site", "date", "tags", "comments", "system")


class Binder:
    """The binding of one spec to the model.

    ``top`` is the declaration of the whole file, ``board`` that of a board, None where there is none; ``terms`` are the model terms
    that a file can hold; empty for a format without bridge meaning.
    """

    def __init__(self, spec: Spec) -> None:
        self.spec = spec
        self.top: Decl = top_of(spec)
        listed = [decl for decl in below(self.top) if entry_of(decl).kind == "boards"]
        self.listed = listed[0] if listed else None
        of_file = frozenset(terms_in(self.top))
        self.board: Decl | None = self.listed or (self.top if of_file and not self.top.of_text else None)
        self.terms = of_file | frozenset(terms_in(self.board) if self.board is not None else ())
        self.written = frozenset(terms_in(self.top, True)) | frozenset(terms_in(self.board, True) if self.board is not None else ())
        """The terms that a fresh file can hold."""
        self.places = Places(self.top, self.board, self.listed)
        self._touch: tuple[chain.Touch | None] | None = None

    @cached_property
    def around(self) -> frozenset[str]:
        """The names of the records that stand around the list of boards."""
        return frozenset(decl.name for decl in below(self.top) if self.listed in below(decl))

    @cached_property
    def placed(self) -> bool:
        """Whether hands stand in the dealer's order and the dealer follows from a record's place alone."""
        told = self.terms & {"number", "first_number", "dealer"}
        return not told and any(decl.binding.at.get("seat") == "dealer" for decl in below(self.top))

    @cached_property
    def leans(self) -> bool:
        """Whether a record may rest on an earlier one, so that it cannot be moved as it stands."""
        return self.placed or any(decl.holds for decl in below(self.top))

    @cached_property
    def members(self) -> frozenset[tuple[str, str]]:
        """The parts of terms that pairs of a board say alone."""
        return frozenset() if self.board is None else members_in(self.board)

    def declared(self, term: str) -> SchemaPlace:
        """Where the schema says first that it holds a term; of none, where it says what a board is."""
        for decl in below(self.top):
            if term and (entry_of(decl).term == term or (decl.pair is not None and term in pair_terms(decl, set(), False))):
                return decl.place
        return (self.board or self.top).place

    # --- reading ----------------------------------------------------------------------------------------------------

    def document(self, reading: Reading, engine: TextEngine | None = None) -> Document:
        """The document of a reading; what has no meaning in the model is reported there."""
        source = Source(reading.data.decode("latin-1") if self.top.of_text else "")
        source.space = None if engine is None else chain.Space(engine)
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
            source.found = reporter(self.places, reading, node, index)
            if first is None:
                first = cast("int | None", said["first_number"])
                said.first_number = said.first_number if first is None else first
            boards.append(self._board(source, node, index, said))
            if not self.top.of_text:
                compare(self.places, reading, node, index, said)
        source.found = None
        made = {name: value for name in _DOCUMENT if (value := of_file[name]) is not None}
        document = Document(boards=tuple(boards), format=self.spec.id, origin=origin, **made)
        origin.as_read = replace(document, origin=None)
        return document

    def untouched(self, reading: Reading, engine: TextEngine, complete: Callable[[], Reading] | None = None) -> Document:
        """The document of a text, its boards bound when they are touched; ``complete`` reads it with all its findings."""
        if self.board is None or self.board is self.top or self.touch(engine) is None:
            return self.document(reading if complete is None else complete(), engine)
        source = Source(reading.data.decode("latin-1"))
        origin = FileOrigin(self.spec.id, reading, source, complete=complete)
        of_file = origin.said = gather(source, reading.root, self.top, Memory(), Facts(0, 1))
        nodes = self.board_nodes(reading.root)
        stated = cast("int | None", of_file["first_number"])
        first = 1 if stated is None else stated
        touch = self.touch(engine)
        assert touch is not None
        gathered = Gathered(source, self.board, nodes, first, of_file, self.members)
        records = chain.Chain(touch, source.text, nodes, gathered, of_file, first, self.members)
        boards = [Board.untouched(Origin(self.spec.id, index, node, source, records)) for index, node in enumerate(nodes)]
        made = {name: value for name in _DOCUMENT if (value := of_file[name]) is not None}
        document = Document(boards=tuple(boards), format=self.spec.id, origin=origin, **made)
        origin.as_read = replace(document, origin=None)
        return document

    def touch(self, engine: TextEngine) -> chain.Touch | None:
        """How boards are read when they are touched; None where they are read at once."""
        if self._touch is None:
            self._touch = (None if self.board is None else chain.Touch.of(self.board, engine),)
        return self._touch[0]

    def _board(self, source: Source, node: Node, index: int, said: Facts) -> Board:
        origin = Origin(self.spec.id, index, node, source)
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
