"""Bind files that were read to the model: `Binder.document` makes a `Document` of a `Reading`.

The boards of a text are bound on access, those of a binary file at once. While a record is bound, a `RecordJudge` adds its findings
to the reading: values without a meaning, and fields that contradict each other.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any

from bridgespec.codec.binding import BindingTable, EarlierRecords, RecordContent, RecordSequence
from bridgespec.codec.binding_words import OF_FILE, OF_STRETCH
from bridgespec.codec.node import FieldNode, Reading
from bridgespec.codec.origin import Excerpt, FileOrigin, ModelSpans, Origin
from bridgespec.codec.record_views import RecordView, TermGroup, read_view
from bridgespec.codec.shared_findings import MOST
from bridgespec.codec.terms import TERMS
from bridgespec.diagnostic import CODES, Code, Diagnostic, Label, Severity, define
from bridgespec.model.board import Board
from bridgespec.model.cards import Card, Seat
from bridgespec.model.deal import OUT, Deal
from bridgespec.model.document import Document
from bridgespec.spec.ir import Spec

if TYPE_CHECKING:
    from bridgespec.codec.text.grammar_engine import TextEngine

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
"""The terms whose values apply to the whole file, and which each of its records may state."""

_COLLECTED = frozenset(one.name for one in fields(Board) if one.default == ())
"""The terms that collect all their values, as tags do: two different values of them are no contradiction."""

Statement = tuple[RecordView, Any]
"""A field that gives a whole term, and the value of the term."""


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
        position in the file, if it is a part of a binary file. For a text, ``complete`` returns the reading with all findings; it
        is called when the document's findings are accessed.
        """
        sequence = self.sequence(reading, before)
        if not self.top.of_text:
            boards = self._bound(reading, sequence, excerpt)
        else:
            origins = [Origin(self.spec.id, index, node, sequence) for index, node in enumerate(sequence.nodes)]
            if complete is None and self._is_judged():
                # The fields that are bound for their findings are those of the boards: they are not bound again on access.
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
        """Return the boards of a binary file, all fields bound, and report the findings on their records."""
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
        # Only now is the number of boards known, and the first number that any record states.
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
        """Return a document with the values that its file states for all boards, and set its ``as_read``."""
        file, around = origin.sequence.file, origin.sequence.around
        stated = {name: (around if name in OF_STRETCH else file)[name] for name in OF_FILE}
        made = {name: value for name, value in stated.items() if value is not None}
        document = Document(boards=tuple(boards), format=self.spec.id, origin=origin, **made)
        origin.as_read = replace(document, origin=None)
        return document


@dataclass(slots=True)
class RecordJudge:
    """Adds the findings on one record to its reading. `Binder` makes one for each record that it binds, and sends it what the
    record's terms report. Of findings with the same code and span, only the first is added.
    """

    places: ModelSpans
    reading: Reading
    node: FieldNode
    index: int
    first: int = 0
    """The number of records of the file before those that ``index`` counts."""
    seen: set[tuple[str, int, int]] = field(default_factory=set)

    def report(self, code: Code, message: str, at: RecordView) -> None:
        """Add a finding on a field of the record, unless the reading has `MOST` findings already."""
        span = at.span
        key = code.name, span.start, span.stop
        if key not in self.seen and len(self.reading.diagnostics) < MOST:
            self.seen.add(key)
            self._add(code, message, at)

    def _add(self, code: Code, message: str, at: RecordView, labels: tuple[Label, ...] = (), help: str | None = None) -> None:
        """Add a finding at a field of the record to the reading."""
        where = self.places.path(self.node, self.index, at.node or at)
        found = Diagnostic(code.name, code.severity, message, None, self.index, where, at.span, labels, help)
        self.reading.diagnostics.append(found)

    def compare(self, content: RecordContent) -> None:
        """Report fields of the record that give different values for a term, except in a truncated record."""
        for name in content.stated():
            group = content.group(name)
            if group is None or len(group.wholes) < 2 or TERMS[name].ON != "board" or name in _COLLECTED:
                continue
            chosen: Statement | None = None
            for view in sorted(group.wholes, key=lambda view: view.span.start):
                value = TERMS[name].read(TermGroup(view), content)
                if value is None:
                    continue
                statement = view, value
                if chosen is not None and chosen[1] != value and not self._is_truncated():
                    self._mismatch(content, name, chosen, statement)
                if chosen is None or (view.decl.binding.prefer and not chosen[0].decl.binding.prefer):
                    chosen = statement

    @staticmethod
    def read_numbers(content: RecordContent) -> bool:
        """Return whether the record gives the number of the file's first or last board. A text that is no number is reported by the
        term that reads it.
        """
        given = [content[name] for name in _NUMBERS if name in content.stated()]
        return any(number is not None for number in given)

    def compare_numbers(self, content: RecordContent, first: int, count: int) -> None:
        """Report a number of the file's first or last board in this record that is not the actual one. ``first`` is the number of
        the file's first board, ``count`` the number of its boards.
        """
        # Some programs write the number of boards in place of the last board's number, which is accepted.
        allowed = ((first,), (first + count - 1, count))
        for name, numbers in zip(_NUMBERS, allowed, strict=True):
            group = content.group(name)
            if group is None or content[name] in (None, *numbers):
                continue
            what = "first" if name == _NUMBERS[0] else "last"
            view = group.wholes[0]
            self.report(FILE_MISMATCH, f"the {what} board is number {content[name]} here, and {numbers[0]} in fact", view)

    def _is_truncated(self) -> bool:
        """Whether the record was cut off, as the reading reports."""
        return any(found.record == self.index and found.code == "truncated" for found in self.reading.diagnostics)

    def _mismatch(self, content: RecordContent, term: str, *both: Statement) -> None:
        """Report two fields that give different values for a term: of deals, each of the first cards that differ is labelled in
        both fields, of other values the fields themselves.
        """
        (one, _), (two, _) = both
        # The code of a record is for this contradiction, that of any other field for a value that its constraint refuses.
        named = (two.decl.binding.code or one.decl.binding.code or "") if one.decl.kind == "record" else ""
        message = f"two fields give different values for {term}"
        first, second = (TERMS[term].fields(value)[term] for _, value in both)
        if isinstance(first, Deal) and isinstance(second, Deal):
            pairs = zip(first.holders, second.holders, strict=True)
            cards = [Card(slot) for slot, (a, b) in enumerate(pairs) if a != b]
            more = " ..." * (len(cards) > 6)
            message = f"the two halves of board {self.first + self.index + 1} differ: {' '.join(map(str, cards[:6]))}{more}"
            holders = [(card, view, deal.holders[card]) for card in cards[:4] for view, deal in ((one, first), (two, second))]
            labels = [
                Label(at.span, f"{card} {'nowhere' if holder >= OUT else Seat(holder).name.lower()} ({view.decl.name})")
                for card, view, holder in holders
                for at in list(TERMS[term].places(TermGroup(view), (term, card), content))[:1]
            ]
        else:
            labels = [Label(view.span, f"{value}") for view, value in both]
        believed = two if two.decl.binding.prefer else one
        help_ = f"most programs read {believed.decl.name!r}; nobody but you can tell which is right"
        self._add(CODES.get(named, MISMATCH), message, believed, tuple(labels), help_)
