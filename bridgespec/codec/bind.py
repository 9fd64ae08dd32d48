"""The binding: the one place where files and the model meet.

A `Binder` is made from a spec alone. It gathers what the records of a tree say, by the words of the schema, lets each term read its
part, and finds for every place of the model where in the file it stands.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from bridgespec.codec.compare import Judge
from bridgespec.codec.facts import Facts, Gathered, Memory, gather
from bridgespec.codec.node import Reading
from bridgespec.codec.origin import FileOrigin, Origin
from bridgespec.codec.places import Places
from bridgespec.codec.tree import Source
from bridgespec.codec.words import OF_FILE, Meaning
from bridgespec.lazily import Lazy
from bridgespec.model.board import Board
from bridgespec.model.document import Document
from bridgespec.spec.ir import Spec

if TYPE_CHECKING:
    from bridgespec.codec import chain
    from bridgespec.codec.text.engine import TextEngine
else:
    # A binary file needs nothing of what reads grammars.
    chain = Lazy("bridgespec.codec.chain")


class Binder(Meaning):
    """The binding of one spec to the model; ``engine`` reads pieces of text, and without one nodes are made of them all."""

    def __init__(self, spec: Spec, engine: TextEngine | None = None) -> None:
        super().__init__(spec)
        self.engine = engine
        self.places = Places(self.top, self.board, self.listed)

    @cached_property
    def touch(self) -> chain.Touch | None:
        """How boards are read when they are touched; None where they are read at once."""
        if self.board is None or self.board is self.top or self.engine is None:
            return None
        return chain.Touch.of(self.board, self.engine)

    # --- reading ----------------------------------------------------------------------------------------------------

    def document(self, reading: Reading) -> Document:
        """The document of a reading; what has no meaning in the model is reported there."""
        origin, of_file = self._file(reading, self.board is not self.top)
        source, memory = origin.source, Memory()
        source.space = None if self.engine is None else chain.Space(self.engine)
        first: int | None = of_file["first_number"]
        boards: list[Board] = []
        judges: list[tuple[Judge, Facts]] = []
        for index, node in enumerate(self.board_nodes(reading.root)):
            said = Facts(index, 1 if first is None else first, of_file, self.members)
            gather(source, node, self.board or self.top, memory, said)
            judge = Judge(self.places, reading, node, index)
            source.found = judge.report
            if first is None:
                first = said["first_number"]
                said.first_number = 1 if first is None else first
            board = Origin(self.spec.id, index, node, source)
            board.made = Board(**said.fields(), origin=board)
            boards.append(board.made)
            if not self.top.of_text:
                judge.compare(said)
                if judge.read_numbers(said):
                    judges.append((judge, said))
        for judge, said in judges:
            source.found = judge.report
            judge.compare_numbers(said, 1 if first is None else first, len(boards))
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
        of_file = gather(source, reading.root, self.top, Memory(), Facts(0, 1)) if around else Facts(0, 1)
        return FileOrigin(self.spec.id, reading, source, said=of_file), of_file

    def _document(self, origin: FileOrigin, of_file: Facts, boards: Iterable[Board]) -> Document:
        made = {name: value for name in OF_FILE if (value := of_file[name]) is not None}
        document = Document(boards=tuple(boards), format=self.spec.id, origin=origin, **made)
        origin.as_read = replace(document, origin=None)
        return document
