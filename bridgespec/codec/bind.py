"""Bind files that were read to the model: `Binder.document`.

A `Binder` makes a `Document` of a `Reading`. The boards of a text are bound on access, those of a binary file at once. Two fields
of a record that contradict each other are reported as findings.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from bridgespec.codec.binding import BindingTable, EarlierRecords, RecordContent, RecordSequence
from bridgespec.codec.binding_words import OF_FILE, OF_STRETCH
from bridgespec.codec.compare import RecordJudge
from bridgespec.codec.node import FieldNode, Reading
from bridgespec.codec.origin import Excerpt, FileOrigin, ModelSpans, Origin
from bridgespec.codec.record_views import RecordView, read_view
from bridgespec.model.board import Board
from bridgespec.model.document import Document
from bridgespec.spec.ir import Spec

if TYPE_CHECKING:
    from bridgespec.codec.text.grammar_engine import TextEngine


class Binder(BindingTable):
    """Binds the files of one spec to the model. `Format` makes one for each spec; ``engine`` runs the compiled programs of a
    grammar.
    """

    def __init__(self, spec: Spec, engine: TextEngine | None = None) -> None:
        super().__init__(spec, engine)
        self.places = ModelSpans(self.top, self.board, self.listed)

    def document(
        self,
        reading: Reading,
        complete: Callable[[], Reading] | None = None,
        before: EarlierRecords | None = None,
        excerpt: Excerpt | None = None,
    ) -> Document:
        """Return the document of a reading, and report values without a meaning in the model.

        ``before`` is the state after the earlier records of the file, if the reading is a stretch of a text; ``excerpt`` is the
        position in the file, if it is a part of a binary file. For a text, ``complete`` reads the file again with all findings,
        when the document's findings are accessed.
        """
        sequence = self.sequence(reading, before)
        if not self.top.of_text:
            boards = self._bound(reading, sequence, excerpt)
        else:
            origins = [Origin(self.spec.id, index, node, sequence) for index, node in enumerate(sequence.nodes)]
            if complete is None and self._is_judged():
                # What is bound for its findings is not bound again when it is accessed.
                fields = self._report(reading, sequence)
                boards = [Board(**made, origin=one) for made, one in zip(fields, origins, strict=True)]
            else:
                boards = [Board.untouched(one) for one in origins]
        origin = FileOrigin(self.spec.id, reading, sequence)
        if complete is not None:
            origin.complete = lambda: self.completed(complete())
        return self._document(origin, boards)

    def completed(self, reading: Reading) -> Reading:
        """Report the findings of binding the records of a text, and return the same reading."""
        if self._is_judged():
            deque(self._report(reading, self.sequence(reading)), 0)
        return reading

    def sequence(self, reading: Reading, before: EarlierRecords | None = None) -> RecordSequence:
        """Return the records of a reading as a sequence, without binding any of them."""
        root, nodes = reading.root, [] if self.board is None else self.board_nodes(reading.root)
        if self.top.of_text:
            text = reading.data.decode("latin-1")
            view = read_view(self.file_type, root, text)
        else:
            # A record that is the whole file states nothing around its boards.
            text, view = "", RecordView(self.file_type, root if self.board is not self.top else FieldNode(None, "", 0, 0))
        sequence = RecordSequence(self, view, nodes, text, before)
        sequence.blocks = self.blocks(root)
        return sequence

    def _bound(self, reading: Reading, sequence: RecordSequence, excerpt: Excerpt | None) -> list[Board]:
        """Return the boards of a binary file, all fields bound, and report contradictions within their records."""
        boards: list[Board] = []
        around = sequence.first_stated
        if excerpt is not None:
            sequence.first, sequence.first_stated = excerpt.first, excerpt.earlier if around is None else around
        judges: list[tuple[RecordJudge, RecordContent]] = []
        for index, node in enumerate(sequence.nodes):
            judge, content = RecordJudge(self.places, reading, node, index, sequence.first), sequence.content(index)
            self.sink = judge.report
            if sequence.first_stated is None and (first := content["first_number"]) is not None:
                sequence.first_stated = first
            origin = Origin(self.spec.id, index, node, sequence)
            origin.made = Board(**content.fields(), origin=origin)
            boards.append(origin.made)
            judge.compare(content)
            if judge.read_numbers(content):
                judges.append((judge, content))
        first, count = sequence.first_stated, len(boards)
        if excerpt is not None:
            first, count = excerpt.stated if around is None else around, excerpt.boards
        for judge, content in judges:
            self.sink = judge.report
            judge.compare_numbers(content, 1 if first is None else first, count)
        self.sink = None
        return boards

    def _is_judged(self) -> bool:
        """Whether binding reports findings on the records of a text. It does not where boards consist of pairs only: the rules
        that read the values report these.
        """
        return self.board is not None and self.pairs is None

    def _report(self, reading: Reading, sequence: RecordSequence) -> Iterator[Mapping[str, Any]]:
        """Yield the board fields of each record of a text, and report its values without a meaning and its contradictions."""
        for index, node in enumerate(sequence.nodes):
            judge, content = RecordJudge(self.places, reading, node, sequence.first + index), sequence.content(index)
            self.sink = judge.report
            yield content.fields()
            judge.compare(content)
        self.sink = None

    def _document(self, origin: FileOrigin, boards: Iterable[Board]) -> Document:
        file, around = origin.sequence.file, origin.sequence.around
        said = {name: (around if name in OF_STRETCH else file)[name] for name in OF_FILE}
        made = {name: value for name, value in said.items() if value is not None}
        document = Document(boards=tuple(boards), format=self.spec.id, origin=origin, **made)
        origin.as_read = replace(document, origin=None)
        return document
