"""The binding: the one place where files and the model meet.

A `Binder` is made from a spec alone. It gathers what the records of a tree say, by the words of the schema, lets each term read its
part, and finds for every place of the model where in the file it stands.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from bridgespec.codec.compare import Judge
from bridgespec.codec.decl import Decl, top_of
from bridgespec.codec.facts import OF_FILE, Facts, Gathered, Memory, gather
from bridgespec.codec.node import Node, Reading
from bridgespec.codec.origin import FileOrigin, Origin
from bridgespec.codec.places import Places
from bridgespec.codec.terms import TERMS
from bridgespec.codec.tree import Source
from bridgespec.codec.words import below, entry_of, members_in, pair_terms, terms_in
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


class Binder:
    """The binding of one spec to the model; ``engine`` reads pieces of text, and without one nodes are made of them all.

    ``top`` is the declaration of the whole file, ``board`` that of a board, None where there is none; ``terms`` are the model terms
    that a file can hold, empty for a format without bridge meaning; ``written`` those that a fresh file can hold.
    """

    def __init__(self, spec: Spec, engine: TextEngine | None = None) -> None:
        self.spec = spec
        self.engine = engine
        self.top: Decl = top_of(spec)
        self.listed = next((decl for decl in below(self.top) if entry_of(decl).kind == "boards"), None)
        self.board: Decl | None = self.listed or (self.top if any(terms_in(self.top)) and not self.top.of_text else None)
        records = [self.top] if self.board is None else [self.top, self.board]
        self.terms = frozenset(term for decl in records for term in terms_in(decl))
        self.written = frozenset(term for decl in records for term in terms_in(decl, True))
        self.places = Places(self.top, self.board, self.listed)

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

    @cached_property
    def touch(self) -> chain.Touch | None:
        """How boards are read when they are touched; None where they are read at once."""
        if self.board is None or self.board is self.top or self.engine is None:
            return None
        return chain.Touch.of(self.board, self.engine)

    def declared(self, term: str) -> SchemaPlace:
        """Where the schema says first that it holds a term; of none, where it says what a board is."""
        for decl in below(self.top):
            if term and (entry_of(decl).term == term or (decl.pair is not None and term in pair_terms(decl, set(), False))):
                return decl.place
        return (self.board or self.top).place

    # --- reading ----------------------------------------------------------------------------------------------------

    def document(self, reading: Reading) -> Document:
        """The document of a reading; what has no meaning in the model is reported there."""
        origin, of_file = self._file(reading, self.board is not self.top)
        source, memory = origin.source, Memory()
        first: int | None = of_file["first_number"]
        boards: list[Board] = []
        for index, node in enumerate(self.board_nodes(reading.root)):
            said = Facts(index, 1 if first is None else first, of_file, self.members)
            gather(source, node, self.board or self.top, memory, said)
            judge = Judge(self.places, reading, node, index)
            source.found = judge.report
            if first is None:
                first = said["first_number"]
                said.first_number = 1 if first is None else first
            boards.append(self._board(source, node, index, said))
            if not self.top.of_text:
                judge.compare(said)
        source.found = None
        return self._document(origin, of_file, boards)

    def untouched(self, reading: Reading, complete: Callable[[], Reading] | None = None) -> Document:
        """The document of a text, its boards bound when they are touched; ``complete`` reads it with all its findings."""
        touch = self.touch
        if touch is None or self.board is None:
            return self.document(reading if complete is None else complete())
        origin, of_file = self._file(reading)
        origin.complete = complete
        source, nodes = origin.source, self.board_nodes(reading.root)
        stated: int | None = of_file["first_number"]
        first = 1 if stated is None else stated
        gathered = Gathered(source, self.board, nodes, first, of_file, self.members)
        records = chain.Chain(touch, source.text, nodes, gathered, of_file, first, self.members)
        boards = (Board.untouched(Origin(self.spec.id, index, node, source, records)) for index, node in enumerate(nodes))
        return self._document(origin, of_file, boards)

    def _file(self, reading: Reading, around: bool = True) -> tuple[FileOrigin, Facts]:
        """Where a document was read, and what the file says ``around`` its boards, if it is not one itself."""
        source = Source(reading.data.decode("latin-1") if self.top.of_text else "")
        source.space = None if self.engine is None else chain.Space(self.engine)
        of_file = gather(source, reading.root, self.top, Memory(), Facts(0, 1)) if around else Facts(0, 1)
        return FileOrigin(self.spec.id, reading, source, said=of_file), of_file

    def _document(self, origin: FileOrigin, of_file: Facts, boards: Iterable[Board]) -> Document:
        made = {name: value for name in OF_FILE if (value := of_file[name]) is not None}
        document = Document(boards=tuple(boards), format=self.spec.id, origin=origin, **made)
        origin.as_read = replace(document, origin=None)
        return document

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
            if inner is None or child.absent:
                continue
            kind = entry_of(inner).kind
            items = (child.children or ()) if inner.many else (child,)
            if kind == "boards":
                yield from items
            elif kind == "look":
                for item in items:
                    yield from self._listed(item, inner)
