"""Convert files of fixed-size records to arrays of columns and back: deals as masks, trick tables unchanged.

Records that break a constraint cannot be judged as arrays. They are few, and are read by the reference codec.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from bridgespec.codec.bulk.codec import BulkCodec
from bridgespec.codec.bulk.stream import Progress, RecordStream
from bridgespec.errors import BridgespecError
from bridgespec.model.board import Board
from bridgespec.model.masks import holders_of, masks_of
from bridgespec.tables.batches import Rows
from bridgespec.tables.columns import FINDINGS, HANDS, OUT

CHUNK = 1 << 15
"""Records per chunk."""
TERMS = frozenset({"deal", "tricks"})
"""The terms of records that are read as arrays; boards of such files are numbered by their order."""
_WINDOW = 64
"""Records that the reference codec reads together."""

Explain = Callable[[bytes], tuple[Sequence[Board], Sequence[int]]]
"""Reads some records, preceded by the file's header, with the reference codec: returns the boards, and the number of findings about
each.
"""


def is_plain(codec: BulkCodec) -> bool:
    """Whether the records state deals and results, and nothing else of a board."""
    return bool(codec.terms & TERMS) and codec.terms <= TERMS


def rows(codec: BulkCodec, stream: BinaryIO, explain: Explain, progress: Progress | None = None) -> Iterator[Rows]:
    """Yield the boards of a stream as arrays, in chunks. An incomplete record is a board, as far as the reference codec can read
    it.
    """
    source = RecordStream(codec, stream, progress, CHUNK)
    names = tuple(dict.fromkeys((*codec.deal_fields, *codec.tricks_fields)))
    first = 0
    for records in source:
        made = Rows(_arrays(codec, codec.unpack(records, names), first))
        # These are suspects, not yet findings: the reference codec decides.
        bad = np.flatnonzero(codec.mark(records))
        header = source.header.tobytes()
        for low in range(0, len(bad), _WINDOW):
            at = bad[low : low + _WINDOW]
            boards, findings = explain(header + records[at].tobytes())
            if len(boards) != len(at):
                # what is wrong with one record has hidden others: each is read alone
                alone = [explain(header + records[one].tobytes()) for one in at]
                boards = [found[0] if found else Board() for found, _ in alone]
                findings = [sum(counts) for _, counts in alone]
            _correct(made, at.tolist(), boards, findings)
        first += len(records)
        yield made
    # An incomplete last record is no row of the array; the reference codec reads what is there.
    boards, findings = explain(source.header.tobytes() + source.left) if source.left else ((), ())
    if boards:
        # One row of the right columns; `_correct` replaces its values by those of the board.
        blank = codec.unpack(np.zeros((1, codec.record_size), np.uint8), names)
        made = Rows(_arrays(codec, blank, first))
        _correct(made, [0], boards[:1], findings[:1])
        yield made


def _arrays(codec: BulkCodec, fields: dict[str, NDArray[Any]], first: int) -> dict[str, NDArray[Any]]:
    count = len(next(iter(fields.values())))
    arrays: dict[str, NDArray[Any]] = {"number": np.arange(first + 1, first + count + 1)}
    if codec.deal_views:
        arrays |= zip((*HANDS, OUT), masks_of(codec.deals(fields)), strict=True)
    if codec.tricks_view is not None:
        arrays["tricks"] = codec.tricks(fields)
    arrays[FINDINGS] = np.zeros(count, np.int64)
    return arrays


def _correct(made: Rows, at: Sequence[int], boards: Sequence[Board], findings: Sequence[int]) -> None:
    """Replace some rows by the boards that the reference codec read."""
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
    if absent:
        made.absent.setdefault(term, np.zeros(len(made), np.bool_))[row] = True


# --- back ---------------------------------------------------------------------------------------------------------------


def why_not_write(codec: BulkCodec, terms: Iterable[str]) -> str:
    """Return why boards of these terms cannot be written as records by arrays; empty where they can.

    >>> from bridgespec.spec.catalog import Catalog
    >>> why_not_write(BulkCodec(Catalog().load("zrd")), ["number", "deal"])
    'the table has no tricks'
    """
    if not codec.terms & TERMS:
        return f"{codec.spec.id} holds neither deals nor results"
    lacking = sorted((codec.terms & TERMS) - set(terms))
    if lacking:
        return f"the table has no {lacking[0]}"
    # Packing one board is the complete test: a field that neither deal nor table fills is an error of the codec itself.
    deal = np.repeat(np.arange(4, dtype=np.uint8), 13)[None, ::-1].copy() if codec.deal_views else None
    tricks = np.full((1, 20), 7, np.uint8) if codec.tricks_view is not None else None
    try:
        codec.pack(codec.arrays(deal, tricks), np.zeros((1, codec.record_size), np.uint8))
        codec.header(1)
    except BridgespecError as reason:
        return str(reason)
    return ""


def packed(codec: BulkCodec, part: Rows, first: int) -> NDArray[np.uint8]:
    """Return boards as records; ``first`` is the index of the first. Raises WriteError or ValueError where a record cannot
    represent one.
    """
    records = np.zeros((len(part), codec.record_size), np.uint8)
    codec.pack(codec.arrays(*_cells(codec, part)), records, first)
    return records


def _cells(codec: BulkCodec, part: Rows) -> tuple[NDArray[np.uint8] | None, NDArray[np.uint8] | None]:
    deals = tricks = None
    if codec.deal_views:
        none = np.zeros(len(part), np.uint64)
        deals = holders_of([part.arrays.get(name, none) for name in (*HANDS, OUT)])
    if codec.tricks_view is not None:
        tricks = part.arrays["tricks"]
    return deals, tricks
