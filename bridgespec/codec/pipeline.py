"""Write documents, at once or in stretches: decides which boards a target can represent, and what is left out, lost or
renumbered.

A `StretchWriter` takes the boards of a source, all at once or some at a time, and returns a `Stretch`: their bytes, the boards
that are left out, and what is lost. The stretches, concatenated, are the bytes of the whole document. The state after a stretch,
on which the next one depends, is a `StretchState`; stretches whose states are known, or guessed, can be written in parallel.
`Format.spell` writes one stretch; ``bridgespec convert`` writes those of the batches of its source.

`codec.bulk.carry.Carrier` writes records that arrays prove to be clean and complete; all other records are written here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, BinaryIO

from bridgespec.codec.bind import Binder
from bridgespec.codec.binding import EarlierRecords, RecordContent
from bridgespec.codec.binding_words import OF_FILE, OF_STRETCH, entry_of
from bridgespec.codec.declaration import Declaration
from bridgespec.codec.losses import Losses, lost_in
from bridgespec.codec.node import Reading
from bridgespec.codec.origin import FileOrigin, Origin
from bridgespec.codec.terms import TERMS
from bridgespec.codec.writer import DocumentWriter, Written, renumbered
from bridgespec.diagnostic import Diagnostic
from bridgespec.errors import SpecError, WriteError
from bridgespec.lazily import Lazy
from bridgespec.model.board import Board
from bridgespec.model.document import Document

if TYPE_CHECKING:
    from bridgespec.codec.binary.codec import BinaryCodec
    from bridgespec.codec.bulk import codec as bulk
    from bridgespec.codec.text import codec as text
    from bridgespec.codec.text.codec import TextCodec
else:
    # Small files are converted without arrays, and so without NumPy.
    bulk, text = Lazy("bridgespec.codec.bulk.codec"), Lazy("bridgespec.codec.text.codec")

_OF_ALL = frozenset({"event", "site", "date", "teams", "room"})
"""The fields of boards that a file may state once."""
_LISTED = _OF_ALL | {"auction", "contract", "result"}
"""The fields that a file may also list for all its boards, ahead of the first."""
_AHEAD = (*_OF_ALL, "number", "round", "scoring", "contract", "declarer", "result")
"""The fields of each board that an `outline` keeps."""
_PLAYED = frozenset({"auction", "play", "contract", "declarer", "result", "score", "players"})
"""The fields that may differ where one deal is played in two rooms."""


@dataclass(frozen=True, slots=True)
class StretchState:
    """The state of the target before a stretch is written: the number of boards written so far, and the keys of pairs that later
    boards inherit from them (``held``).
    """

    boards: int = 0
    held: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Stretch:
    """The result of writing some boards: bytes, losses, an error for each board that was left out, and the state after them.

    ``rooms`` is the number of boards left out because another room has the same deal. ``lossy``: the encoding lacked characters.
    """

    data: bytes
    lost: Losses
    refused: tuple[Diagnostic, ...]
    after: StretchState
    rooms: int = 0
    lossy: bool = False


@dataclass(frozen=True, slots=True)
class Batch:
    """Some consecutive boards of a source with the findings about them, whose positions are those in the source.

    ``raw`` are the boards' bytes, empty where not known; ``stop`` is the offset in the source after the last board; ``last`` is
    true for the last batch.
    """

    document: Document
    findings: tuple[Diagnostic, ...] = ()
    raw: bytes = b""
    stop: int = 0
    last: bool = True


def batches(binder: Binder, codec: TextCodec, file: BinaryIO, size: int, with_findings: bool = True) -> Iterator[Batch]:
    """Yield the batches of a text that can be read in stretches (see `why_not_read`), of about ``size`` bytes each; if
    ``with_findings`` is true, with their findings.

    Only one batch is in memory: it is released when the next one is requested.
    """
    before: EarlierRecords | None = None
    for stretch in codec.stretches(file, size, with_findings):
        reading = stretch.reading
        document = binder.document(reading, None if with_findings else Reading.without_findings, before)
        assert isinstance(document.origin, FileOrigin)
        # Taken before the batch is given away: its consumer may change boards.
        before = document.origin.sequence.state_after()
        # Boards whose findings are wanted are written: all fields of one are accessed, which take less time bound together.
        document.origin.sequence.at_once = with_findings
        raw = reading.data[stretch.start : stretch.stop - stretch.offset]
        found = tuple(one.shifted(stretch.offset) for one in reading.diagnostics)
        yield Batch(document, found, raw, stretch.stop, stretch.last)
        document.origin.sequence.forget()


# --- what can be read and written in stretches --------------------------------------------------------------------------


def why_not_read(binder: Binder, codec: TextCodec) -> str:
    """Return the reason why files of a text format cannot be read in stretches; empty where they can."""
    listed = [stage for stage in codec.form.stages if stage.listed]
    if binder.board is None or binder.board is binder.top or len(listed) != 1 or not listed[0].repeated:
        return f"{binder.spec.id} is not a list of boards"
    after = codec.form.stages[codec.form.stages.index(listed[0]) :]
    fields = {name for stage in after for name in stage.piece.names} - codec.form.lists
    # Fields after the boards are read with the last stretch, after the boards have been passed on.
    stated = {term for name in fields for term in binder.terms_stated_by(binder.top.fields[name])}
    if stated - OF_STRETCH:
        return f"{binder.spec.id} has fields after its boards that state terms of them"
    if codec.engine.looking_out:
        return f"{binder.spec.id} has values that depend on the whole text"
    # Such errors, as of the form of the whole text, are found only at its end.
    return "" if not codec.form.whole.grave else f"{binder.spec.id} has errors that depend on the whole text"


def why_not(document: Document, terms: Set[str], target: Binder, codec: BinaryCodec | TextCodec) -> str:
    """Return the reason why a document whose boards may state ``terms`` cannot be written to ``target`` in stretches; empty where
    it can.
    """
    if any(getattr(document, name) for name in OF_FILE) or terms & _OF_ALL or needs_outline(terms, target):
        return "the source states terms for all boards"
    return why_not_write(terms, target, codec)


def why_not_write(terms: Set[str], target: Binder, codec: BinaryCodec | TextCodec) -> str:
    """Return the reason why boards that may state ``terms`` cannot be written to ``target`` in stretches; empty where they can."""
    if target.board is None or target.board is target.top or not target.terms:
        return f"{target.spec.id} is not a list of boards"
    if isinstance(codec, text.TextCodec):
        return _why_not_text(target, codec)
    try:
        # Only records of one size have offsets that do not depend on the boards before them.
        known = bulk.BulkCodec(target.spec)
    except SpecError as error:
        return str(error)
    # Such a record changes with the number of boards in the file.
    if any(TERMS[term].ON != "board" for term in known.terms):
        return f"{target.spec.id} has terms of the file in its records"
    return ""


def _why_not_text(target: Binder, codec: TextCodec) -> str:
    """Return the reason why boards cannot be written to a text format in stretches; empty where they can."""
    listed = _list_of(target.top)
    if listed is None or codec.list_of(listed) is None:
        return f"{target.spec.id} has fields beside its list of boards"
    if target.dealer_by_position or any(decl.fill is not None for decl in target.top.fields.values()):
        return f"the boards of {target.spec.id} depend on their positions in the file"
    return ""


def needs_outline(terms: Set[str], target: Binder) -> bool:
    """Whether a file of the target states something of all boards before the first board, if boards may state ``terms``, so that
    writing in stretches requires an `outline`.
    """
    listed = _list_of(target.top)
    ahead = (decl for name, decl in target.top.fields.items() if target.top.of_text and name != listed and not decl.many)
    return bool(terms & _LISTED) and any(target.terms_stated_by(decl) for decl in ahead)


def outline(batches: Iterable[Batch], left_out: Set[int]) -> Document:
    """Return a document with those values of the batches that a target may state before its first board: a few hundred bytes for
    each board.

    ``left_out`` are the indexes of boards that are not written.
    """
    whole: Document | None = None
    boards: list[Board] = []
    alike: dict[object, Any] = {}
    first = 0
    for batch in batches:
        whole = whole or replace(batch.document, boards=(), origin=None)
        for board in (board for at, board in enumerate(batch.document.boards, first) if at not in left_out):
            # By name too: a seat is equal to a number.
            stated = {
                name: alike.setdefault((name, value), value) for name in _AHEAD if (value := getattr(board, name)) is not None
            }
            # Auctions with one outcome are alike in an outline: one of them is kept.
            if (auction := board.auction) is not None:
                stated["auction"] = alike.setdefault(("auction", auction.contract, auction.declarer), auction)
            if board.result is None and board.play is not None:
                stated["result"] = board.play.claim
            boards.append(Board(**stated))
        first += len(batch.document.boards)
    return replace(whole or Document(), boards=tuple(boards))


def _list_of(top: Declaration) -> str | None:
    """Return the name of the list of boards in the record of the file; None without one."""
    return next((name for name, decl in top.fields.items() if entry_of(decl).kind == "boards"), None)


# --- writing ------------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class StretchWriter:
    """Writes the boards of one source in one format, all at once or in stretches (see `why_not_write`)."""

    binder: Binder
    codec: BinaryCodec | TextCodec
    canonical: bool
    header_size: int = 0
    """The size of a header ahead of the boards; it is not part of a stretch, because it may count all boards."""
    partial: bool = True
    """Whether boards that the format cannot represent are left out; else they are an error."""
    report_losses: bool = True
    """Whether the losses of each stretch are computed."""
    encoding: str = ""
    """The encoding of stretches, fixed because the content of later ones is not known."""
    source: Document | None = None
    """The `outline` of the source, where the target needs it."""
    file: RecordContent | None = field(init=False, default=None)
    """The content for all boards that the first stretch has written, if any."""
    rooms: dict[tuple[object, object], str] = field(init=False, default_factory=dict)
    """The room for which each deal was written, by the number and the deal of the board."""

    def stretch(self, document: Document, before: StretchState | None = None, first: int = 0, last: bool = True) -> Stretch:
        """Write some boards of the source. ``before`` is the state after the boards before them, None where these are all boards;
        ``first`` is the index of the first one; ``last`` is true if no boards follow.

        Raises WriteError where the format cannot represent a board that may not be left out.
        """
        state = before or StretchState()
        encodings = [] if before is None else [self.encoding or self.binder.encodings[0]]
        for board in document.boards if self.report_losses else ():
            # Losses depend on all fields, which take less time if they are bound together.
            if isinstance(board.origin, Origin):
                board.origin.sequence.at_once = True
        # The content ahead of the first board is computed once, for the first stretch.
        source = Document() if self.source is not None and state.boards else self.source
        write: Any = self.codec.write if before is None else partial(self._part_to_bytes, not state.boards, last)
        writer = DocumentWriter(self.binder, write, self.canonical, state.held, encodings, source)
        # Only a target without auctions and results has one record for the boards of both rooms.
        once = document if self.binder.terms & _PLAYED else self._without_second_rooms(document)
        # Without boards, the only content would be that around the boards, which another stretch has.
        is_empty = before is not None and not once.boards and not last
        done = Written(b"", once) if is_empty else self._written(writer, once)
        lost = self._lost(done, writer, state.boards) if self.report_losses else Losses()
        # Where nothing was written, later boards inherit the keys that they inherited before.
        after = StretchState(state.boards + len(done.document.boards), writer.inherited_keys if done.data else state.held)
        data = done.data if before is None else done.data[self.header_size :]
        refused = self._in_source(done.refused, document, once, first) if done.refused else ()
        return Stretch(data, lost, refused, after, len(document.boards) - len(once.boards), writer.lossy)

    def _part_to_bytes(self, first: bool, last: bool, values: Mapping[str, Any], reading: Reading | None = None) -> bytes:
        """Return the bytes of a part of a file with these plain values: ``first`` if no boards precede it, ``last`` if none follow.
        ``reading`` is the reading of a source in the same format, whose unchanged text is kept.
        """
        if not isinstance(self.codec, text.TextCodec):
            return self.codec.write(values)
        # In the format of its source a stretch is the text that was read, with what has changed.
        own = reading is not None
        return (
            self.codec.write(values, reading)
            if own
            else self.codec.write_list(values, _list_of(self.binder.top) or "", first, last)
        )

    def _written(self, writer: DocumentWriter, document: Document) -> Written:
        """Write a document, if the output is partial without the boards that the format cannot represent.

        Raises WriteError for a board that may not be left out, or for an error that is not about single boards.
        """
        try:
            return writer.write_possible(document) if self.partial else Written(writer.write_all(document), document)
        except WriteError as error:
            refused = tuple(one for one in error.diagnostics if isinstance(one, Diagnostic) and one.record is not None)
            # Only where every board is refused by itself is the stretch empty; any other error is not about boards.
            if not self.partial or not refused or {one.record for one in refused} != set(range(len(document.boards))):
                raise
            return Written(b"", replace(document, boards=()), refused)

    def trial(self, document: Document) -> tuple[bytes, Document, Document]:
        """Write the boards of a document that can be represented. Return the bytes, the document of these boards, and the
        document that reading the bytes back must give.
        """
        writer = DocumentWriter(self.binder, self.codec.write, self.canonical)
        done = writer.write_possible(document)
        return done.data, done.document, writer.placed(done)[0]

    def _lost(self, done: Written, writer: DocumentWriter, first: int) -> Losses:
        """Return the losses of boards that were written, the first of them with index ``first`` in the target."""
        placed, file = writer.placed(done, first, self.file) if done.data else (Document(), None)
        if self.source is not None and not first:
            self.file = file
        return lost_in(self.binder, done.document, placed, self.canonical)

    @staticmethod
    def _in_source(refused: Sequence[Diagnostic], document: Document, once: Document, first: int) -> tuple[Diagnostic, ...]:
        """Return the errors on boards that were left out, with the indexes that the boards have in the whole source."""
        places = {id(board): place for place, board in enumerate(document.boards, first)}
        return tuple(renumbered(one, places[id(once.boards[one.record or 0])]) for one in refused)

    def _without_second_rooms(self, document: Document) -> Document:
        """Return the document without boards whose number and deal have been written for another room."""
        kept = []
        for board in document.boards:
            room = board.room
            if room is None or board.deal is None or self.rooms.setdefault((board.number, board.deal), room) == room:
                kept.append(board)
        return document if len(kept) == len(document.boards) else replace(document, boards=tuple(kept))
