"""Convert files of fixed-size records to arrays of columns (`rows`) and back (`packed`): deals as masks, trick tables unchanged.

Records that arrays cannot prove to be clean are read one by one by the reference codec (`Explain`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from bridgespec.codec.bulk.codec import BulkCodec
from bridgespec.codec.bulk.stream import ByteProgress, RecordStream
from bridgespec.errors import BridgespecError
from bridgespec.model.board import Board
from bridgespec.model.masks import holders_of, masks_of
from bridgespec.tables.batches import Rows
from bridgespec.tables.columns import FINDINGS, HANDS, OUT

CHUNK = 1 << 15
"""The number of records that are converted at a time."""
TERMS = frozenset({"deal", "tricks"})
"""The terms that can be read as arrays. Boards of records with these terms only are numbered in the order of the records."""
_WINDOW = 64
"""The number of records that the reference codec reads at a time."""

Explain = Callable[[bytes], tuple[Sequence[Board], Sequence[int]]]
"""A function that reads the header of a file and some records, as bytes, with the reference codec. It returns the boards, and the
number of findings about each board.
"""


def is_plain(codec: BulkCodec) -> bool:
    """Return whether the records state deals or trick tables, and nothing else of a board."""
    return bool(codec.terms & TERMS) and codec.terms <= TERMS


def rows(codec: BulkCodec, stream: BinaryIO, explain: Explain, progress: ByteProgress | None = None) -> Iterator[Rows]:
    """Yield the boards of a file of records as arrays, `CHUNK` at a time.

    An incomplete record at the end is a board if the reference codec reads one from it.
    """
    source = RecordStream(codec, stream, progress, CHUNK)
    names = tuple(dict.fromkeys((*codec.deal_fields, *codec.tricks_fields)))
    first = 0
    for records in source:
        made = Rows(_arrays(codec, codec.unpack(records, names), first))
        # Suspects may be without a finding; the reference codec decides.
        suspects = np.flatnonzero(codec.mark(records))
        header = source.header.tobytes()
        for low in range(0, len(suspects), _WINDOW):
            at = suspects[low : low + _WINDOW]
            boards, findings = explain(header + records[at].tobytes())
            if len(boards) != len(at):
                # An error in one record has hidden others, so each is read alone.
                alone = [explain(header + records[one].tobytes()) for one in at]
                boards = [found[0] if found else Board() for found, _ in alone]
                findings = [sum(counts) for _, counts in alone]
            _correct(made, at.tolist(), boards, findings)
        first += len(records)
        yield made
    # The reference codec reads an incomplete last record, which is no row of the arrays.
    boards, findings = explain(source.header.tobytes() + source.left) if source.left else ((), ())
    if boards:
        # A row with the right columns, whose values `_correct` replaces by those of the board.
        blank = codec.unpack(np.zeros((1, codec.record_size), np.uint8), names)
        made = Rows(_arrays(codec, blank, first))
        _correct(made, [0], boards[:1], findings[:1])
        yield made


def _arrays(codec: BulkCodec, fields: dict[str, NDArray[Any]], first: int) -> dict[str, NDArray[Any]]:
    """Return the arrays of `Rows` for the fields of records; ``first`` is the index of the first record in the file."""
    count = len(next(iter(fields.values())))
    arrays: dict[str, NDArray[Any]] = {"number": np.arange(first + 1, first + count + 1)}
    if codec.deal_views:
        arrays |= zip((*HANDS, OUT), masks_of(codec.deals(fields)), strict=True)
    if codec.tricks_view is not None:
        arrays["tricks"] = codec.tricks(fields)
    arrays[FINDINGS] = np.zeros(count, np.int64)
    return arrays


def _correct(made: Rows, at: Sequence[int], boards: Sequence[Board], findings: Sequence[int]) -> None:
    """Replace the rows at the indices ``at`` by boards that the reference codec has read, with their numbers of findings."""
    for row, board, count in zip(at, boards, findings, strict=True):
        made.arrays[FINDINGS][row] = count
        made.read[row] = board
        if HANDS[0] in made.arrays:
            deal = board.deal
            for holder, name in enumerate((*HANDS, OUT)):
                made.arrays[name][row] = 0 if deal is None else deal.mask(holder)
            _mark(made, "deal", row, deal is None)
        if "tricks" in made.arrays:
            made.arrays["tricks"][row] = 15 if board.tricks is None else np.frombuffer(board.tricks.cells, np.uint8)
            _mark(made, "tricks", row, board.tricks is None)


def _mark(made: Rows, term: str, row: int, absent: bool) -> None:
    """Mark in `Rows.absent` that a row does not state a term, if ``absent``."""
    if absent:
        made.absent.setdefault(term, np.zeros(len(made), np.bool_))[row] = True


# --- back ---------------------------------------------------------------------------------------------------------------


def why_not_write(codec: BulkCodec, terms: Iterable[str]) -> str:
    """Return the reason why boards that state ``terms`` cannot be written as records from arrays; empty if they can.

    >>> from bridgespec.spec.catalog import Catalog
    >>> why_not_write(BulkCodec(Catalog().load("zrd")), ["number", "deal"])
    'the table has no tricks'
    """
    if not codec.terms & TERMS:
        return f"{codec.spec.id} holds neither deals nor results"
    lacking = sorted((codec.terms & TERMS) - set(terms))
    if lacking:
        return f"the table has no {lacking[0]}"
    # The codec raises an error for a field that neither the deal nor the table determines, so one board is packed for a test.
    deal = np.repeat(np.arange(4, dtype=np.uint8), 13)[None, ::-1].copy() if codec.deal_views else None
    tricks = np.full((1, 20), 7, np.uint8) if codec.tricks_view is not None else None
    try:
        codec.pack(codec.arrays(deal, tricks), np.zeros((1, codec.record_size), np.uint8))
        codec.header(1)
    except BridgespecError as reason:
        return str(reason)
    return ""


def packed(codec: BulkCodec, part: Rows, first: int) -> NDArray[np.uint8]:
    """Return boards as records; ``first`` is the index of the first board in the file. Raises WriteError or ValueError for a board
    that a record cannot represent.
    """
    records = np.zeros((len(part), codec.record_size), np.uint8)
    codec.pack(codec.arrays(*_cells(codec, part)), records, first)
    return records


def _cells(codec: BulkCodec, part: Rows) -> tuple[NDArray[np.uint8] | None, NDArray[np.uint8] | None]:
    """Return the holders and the trick tables of boards, each None if the records have no such field."""
    deals = tricks = None
    if codec.deal_views:
        none = np.zeros(len(part), np.uint64)
        deals = holders_of([part.arrays.get(name, none) for name in (*HANDS, OUT)])
    if codec.tricks_view is not None:
        tricks = part.arrays["tricks"]
    return deals, tricks
