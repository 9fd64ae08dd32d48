"""Write deals of a published sequence in a format: as arrays of records where possible, else as boards."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bridgespec.cli.board_targets import Target
from bridgespec.cli.conversions import write_made
from bridgespec.cli.examine import plural
from bridgespec.cli.files import opened, output, read
from bridgespec.cli.progress import meter
from bridgespec.cli.settings import Settings
from bridgespec.codec.bulk.codec import BulkCodec
from bridgespec.codec.bulk.stream import RecordStream
from bridgespec.errors import BridgespecError, SpecError, UsageError
from bridgespec.model.board import Board
from bridgespec.model.deal import Deal
from bridgespec.model.generator import DATABASE, GROUP, chunks
from bridgespec.model.tricks import Tricks
from bridgespec.spec.ir import Spec

ByteArray = NDArray[np.uint8]
PIECE = 1 << 14
"""The number of deals that are written at a time."""


@dataclass(frozen=True)
class DealRange:
    """The deals with numbers from ``start`` to ``stop - 1`` in a sequence."""

    start: int
    stop: int

    @classmethod
    def parse(cls, text: str) -> DealRange:
        """Return the range of ``0-4000``, ``16384-`` (to the end of the database) or ``7`` (that deal alone).

        >>> DealRange.parse("0-4_000"), DealRange.parse("7")
        (DealRange(start=0, stop=4000), DealRange(start=7, stop=8))
        """
        match = re.fullmatch(r"\s*([0-9][0-9_]{0,17})\s*(?:(-|:|\.\.)\s*([0-9][0-9_]{0,17})?)?\s*", text)
        if match is None:
            raise ValueError(f"{text!r} is not a range of deals; write 0-4000, 16384- or 7")
        start = int(match[1].replace("_", ""))
        if match[2] is None:
            return cls(start, start + 1)
        stop = int(match[3].replace("_", "")) if match[3] else DATABASE
        if stop <= start:
            raise ValueError(f"{text!r} holds no deal: the last number is the first deal that is left out")
        return cls(start, stop)

    @property
    def count(self) -> int:
        """The number of deals."""
        return self.stop - self.start


def write_sequence(settings: Settings, wanted: DealRange, dest: str, results: str | None, target: Target) -> int:
    """Write deals of the sequence, with the tables of the file ``results``. Return the size in bytes."""
    tables = _tables(settings, results, wanted)
    codec = _deals_codec(target)
    if codec is not None:
        pieces = ((deals, None if tables is None else next(tables)) for deals in chunks(wanted.start, wanted.stop))
        return _write_records(settings, codec, wanted.count, dest, pieces)
    terms = {"number", "deal"} if results is None else {"number", "deal", "tricks"}
    return write_made(settings, lambda: _boards(wanted, _tables(settings, results, wanted)), wanted.count, terms, target, dest).size


def write_deals(
    settings: Settings, deals: ByteArray, boards: Callable[[], Iterable[Board]] | None, target: Target, dest: str
) -> None:
    """Write ``deals``, holders of shape (deals, 52), as records of the target by arrays, else as boards.

    ``boards``, if given, yields the boards to write in place of the deals, with more terms than number and deal.
    """
    codec = _deals_codec(target) if boards is None else None
    if codec is not None:
        _write_records(settings, codec, len(deals), dest, ((deals[at : at + PIECE], None) for at in range(0, len(deals), PIECE)))
        return

    def plain() -> Iterator[Board]:
        return (Board(number=number, deal=Deal(row.tobytes())) for number, row in enumerate(deals, 1))

    write_made(settings, boards or plain, len(deals), {"number", "deal", "dealer", "vulnerability"}, target, dest)


def _deals_codec(target: Target) -> BulkCodec | None:
    """Return the target's bulk codec, if its records are complete with a deal and a trick table; else None."""
    if not isinstance(target, Spec):
        return None
    spec = target
    try:
        codec = BulkCodec(spec)
    except SpecError:
        return None
    if "deal" not in codec.terms:
        raise UsageError(f"{spec.id} cannot hold deals")
    try:
        # Packing one deal raises if some field of the record is determined neither by deals nor by tables.
        sample = next(chunks(0, 1))
        codec.pack(codec.arrays(sample, np.full((1, 20), 7, np.uint8)), np.zeros((1, codec.record_size), np.uint8))
    except BridgespecError:
        return None
    return codec


def _write_records(
    settings: Settings, codec: BulkCodec, count: int, dest: str, pieces: Iterable[tuple[ByteArray, ByteArray | None]]
) -> int:
    """Write ``count`` deals as records. Each piece has holders, shape (deals, 52), and trick tables, (deals, 20), or None. Return
    the size in bytes.
    """
    size = codec.header_size + count * codec.record_size
    with output(dest) as file, meter(settings, size, f"writing {dest}", "bytes") as progress:
        done = file.write(codec.header(count).data)
        first = 0
        for deals, tables in pieces:
            records = np.zeros((len(deals), codec.record_size), np.uint8)
            codec.pack(codec.arrays(deals, tables), records, first)
            done += file.write(records.data)
            first += len(deals)
            progress.reach(done)
    return size


def _boards(wanted: DealRange, tables: Iterator[ByteArray] | None) -> Iterator[Board]:
    """Yield the deals of the sequence as boards, numbered from 1, with their trick tables if given."""
    number = 0
    for deals in chunks(wanted.start, wanted.stop):
        cells = None if tables is None else next(tables)
        for row, deal in enumerate(deals):
            number += 1
            tricks = None if cells is None else Tricks(cells[row].tobytes())
            yield Board(number=number, deal=Deal(deal.tobytes()), tricks=tricks)


def _tables(settings: Settings, path: str | None, wanted: DealRange) -> Iterator[ByteArray] | None:
    """Yield the trick tables of a file in pieces as long as those of the generator. Raises UsageError where the numbers of deals
    differ.
    """
    if path is None:
        return None
    spec = settings.engine.named(path) or settings.engine.recognise(path, read(path))
    codec = _bulk_results(spec)
    with opened(path) as stream:
        count = sum(len(rows) for rows in RecordStream(codec, stream))
    if count != wanted.count:
        raise UsageError(f"{path} has {plural(count, 'table')} for {plural(wanted.count, 'deal')}: choose with --deals")
    return _pieces(codec, path, wanted)


def _bulk_results(spec: Spec) -> BulkCodec:
    """Return the bulk codec of a format with trick tables. Raises UsageError for any other format."""
    try:
        codec = BulkCodec(spec)
    except SpecError as reason:
        raise UsageError(str(reason)) from None
    if codec.tricks_view is None:
        raise UsageError(f"{spec.id} holds no results")
    return codec


def _pieces(codec: BulkCodec, path: str, wanted: DealRange) -> Iterator[ByteArray]:
    """Yield the trick tables of a file in arrays that are as long as those of the generator for the same deals."""
    held = np.empty((0, 20), np.uint8)
    at = wanted.start
    with opened(path) as stream:
        for rows in RecordStream(codec, stream):
            # Chunks of the file and of the generator have different lengths: rows that were not yielded precede the next chunk.
            held = np.concatenate([held, codec.tricks(codec.unpack(rows, codec.tricks_fields))])
            while at < wanted.stop:
                # The generator yields at most one group at a time, and both iterators are advanced together.
                size = min((at // GROUP + 1) * GROUP, wanted.stop) - at
                if len(held) < size:
                    break
                yield held[:size]
                held = held[size:]
                at += size
