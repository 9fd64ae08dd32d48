"""Streams of any size are read, checked and converted a chunk at a time, ends, headers and left-over bytes included."""

from __future__ import annotations

import io
from functools import cache
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from bridgespec.codec.binary.codec import BinaryCodec
from bridgespec.codec.bind import Binder
from bridgespec.codec.bulk.blocks import BlockCodec
from bridgespec.codec.bulk.carry import Carrier, same_run, why_not_carry
from bridgespec.codec.bulk.codec import BulkCodec
from bridgespec.codec.bulk.stream import RecordStream
from bridgespec.codec.writer import ValueMaker
from bridgespec.errors import ReadError, WriteError
from bridgespec.model.arrays import ResultsJudge
from bridgespec.spec.kaitai.schema import loads
from tests.codec.bulk.support import bulk_codec, bulk_formats, deals, spec_of, tables
from tests.listed import listed


@cache
def whole_tables() -> NDArray[np.uint8]:
    """Tables without an unknown cell."""
    return tables(100_000) % 14


class Pipe(io.RawIOBase):
    """A stream that gives a few bytes at a time and cannot seek."""

    def __init__(self, data: bytes, step: int = 7) -> None:
        self.data, self.step, self.at = data, step, 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return False

    def readinto(self, buffer: Any) -> int:
        part = self.data[self.at : self.at + min(self.step, len(buffer))]
        buffer[: len(part)] = part
        self.at += len(part)
        return len(part)


def file_of(name: str, count: int) -> bytes:
    """A file of random deals and tables."""
    codec = bulk_codec(name)
    blank = {"last": np.full((count, 3), 0x20, np.uint8)} if "last" in codec.fields else {}
    return codec.write(codec.arrays(deals(count), whole_tables()[:count], blank)).tobytes()


@pytest.mark.parametrize("records", [1, 3, 10, 11, 1000])
@pytest.mark.parametrize("pipe", [False, True])
def test_chunks_join_to_the_whole(records: int, pipe: bool) -> None:
    """Chunks of any size hold what reading at once gives, from files and from pipes."""
    codec, data = bulk_codec("zrd"), file_of("zrd", 10)
    stream = io.BufferedReader(Pipe(data)) if pipe else io.BytesIO(data)
    parts = [codec.unpack(rows) for rows in RecordStream(codec, stream, size=records)]
    assert [len(part["deal"]) for part in parts[:-1]] == [records] * (len(parts) - 1)
    for name, array in codec.read(data).items():
        assert (np.concatenate([part[name] for part in parts]) == array).all()


@pytest.mark.parametrize("records", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("end", [b"", bytes(4), bytes(23)])
@pytest.mark.parametrize("after", [b"", b"x", b"x" * 60])
def test_ends_and_what_follows(records: int, end: bytes, after: bytes) -> None:
    """An end record ends the list wherever chunks fall; what follows it, or is not a whole record, is counted and placed."""
    codec, data = bulk_codec("zrd"), file_of("zrd", 4)
    if not end and len(after) == 60:
        after = after[:20]
    whole = data + end + after
    source = RecordStream(codec, io.BytesIO(whole), size=records)
    rows = np.concatenate([part.copy() for part in source])
    short = len(end) == 4 and bool(after)
    kept = b"" if short and len(end + after) < 23 else end
    if short and len(end + after) >= 23:
        kept = (end + after)[:23]
    assert rows.tobytes() == data
    assert (source.records, source.end, source.rest) == (4, kept, len(whole) - len(data) - len(kept))
    assert source.rest_at == len(data) + len(kept)
    verdict = codec.check(whole)
    assert (verdict.records, verdict.end, verdict.rest, verdict.rest_at) == (4, len(kept), source.rest, source.rest_at)
    assert verdict.clean is (source.rest == 0)


def test_progress_is_told_in_bytes() -> None:
    """Progress counts the bytes that are done up to all of them; a pipe has no total."""
    codec, data = bulk_codec("zbd"), file_of("zbd", 70_000)
    seen: list[tuple[int, int | None]] = []
    list(RecordStream(codec, io.BytesIO(data), lambda done, total: seen.append((done, total))))
    assert len(seen) == 3
    assert seen[-1] == (len(data), len(data))
    assert [done for done, _ in seen] == sorted({done for done, _ in seen})
    seen.clear()
    list(RecordStream(codec, io.BufferedReader(Pipe(data, 1 << 16)), lambda done, total: seen.append((done, total))))
    assert seen[-1] == (len(data), None)


def test_judges_see_deals_and_tables() -> None:
    """A judge is given deals and tables in the model's order, and its marks are added."""

    def judge(holders: NDArray[np.uint8] | None, cells: NDArray[np.uint8] | None) -> NDArray[np.bool_]:
        assert holders is not None
        assert cells is not None
        return np.asarray((holders[:, 0] == 2) & (cells[:, 3] < 7))

    data = file_of("zrd", 500)
    expected = np.flatnonzero((deals(500)[:, 0] == 2) & (whole_tables()[:500, 3] < 7)).tolist()
    assert expected
    assert bulk_codec("zrd").check(data, [judge]).bad.tolist() == expected


@pytest.mark.parametrize("name", ["zrd", "zdd"])
def test_packed_results_are_judged_as_they_stand(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the records are packed as the model has them, no field of any is unpacked to check them."""
    unpacked: list[str] = []
    of_part = BlockCodec.unpack

    def unpack(self: BlockCodec, records: NDArray[np.uint8], names: Any, out: Any = None) -> Any:
        unpacked.extend(names)
        return of_part(self, records, names, out)

    monkeypatch.setattr(BlockCodec, "unpack", unpack)
    data = file_of(name, 500)
    assert bulk_codec(name).check(data, [ResultsJudge()]).records == 500
    assert unpacked == []


def test_where_nothing_is_to_be_judged_no_judge_is_asked() -> None:
    """Records without deals and results are marked by their values alone."""

    def judge(holders: NDArray[np.uint8] | None, cells: NDArray[np.uint8] | None) -> NDArray[np.bool_]:
        raise AssertionError

    codec = BulkCodec(spec_of("{id: a, type: u1, valid: {max: 3}}"))
    assert codec.check(bytes([1, 4, 2]), [judge]).bad.tolist() == [1]


@listed
def pairs() -> list[tuple[str, str]]:
    """The pairs of formats between which records can be carried."""
    return [(one, two) for one, two in permutations(bulk_formats(), 2) if Carrier.of(bulk_codec(one), bulk_codec(two)) is not None]


PAIRS = pairs()


def carrier_of(one: str, two: str) -> Carrier:
    """The carrier of a pair that has one."""
    found = Carrier.of(bulk_codec(one), bulk_codec(two))
    assert found is not None
    return found


def rows_of(name: str, data: bytes) -> NDArray[np.uint8]:
    """The records of a file."""
    codec = bulk_codec(name)
    return np.frombuffer(data, np.uint8)[codec.header_size :].reshape(-1, codec.record_size)


def test_which_formats_are_carried() -> None:
    """Whole deals are carried among the formats that need nothing else; the others have a reason."""
    assert {("zbd", "bri"), ("bri", "dge"), ("dge", "zbd"), ("zrd", "zdd"), ("zrd", "zbd"), ("dup", "zbd"), ("cds", "zbd")} <= set(
        PAIRS
    )
    for pair in set(permutations(bulk_formats(), 2)) - set(PAIRS):
        assert why_not_carry(bulk_codec(pair[0]), bulk_codec(pair[1]))
    assert "declarer must" in why_not_carry(bulk_codec("zrd"), bulk_codec("zrj"))
    assert "last is not" in why_not_carry(bulk_codec("zbd"), bulk_codec("dup"))
    assert "of cds depend" in why_not_carry(bulk_codec("zbd"), bulk_codec("cds"))
    assert why_not_carry(bulk_codec("zbd"), bulk_codec("zbd"))


def test_deals_stored_alike_are_not_unpacked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where source and target store their deals bit for bit alike, no card is made a byte of; elsewhere it is."""
    alike = {pair for pair in PAIRS if same_run(bulk_codec(pair[0]), bulk_codec(pair[1]))}
    assert ("zrd", "zbd") in alike
    assert ("bri", "zbd") not in alike
    assert ("cds", "zbd") not in alike
    rows = rows_of("zrd", file_of("zrd", 7000))
    unpacked: list[str] = []
    of_part = BlockCodec.unpack

    def unpack(self: BlockCodec, records: NDArray[np.uint8], names: Any, out: Any = None) -> Any:
        unpacked.extend(names)
        return of_part(self, records, names, out)

    carrier = carrier_of("zrd", "zbd")
    monkeypatch.setattr(BlockCodec, "unpack", unpack)
    good, made = carrier.carry(rows)
    assert good.all()
    assert "deal" not in unpacked
    assert (made == rows[:, :13]).all()


@pytest.mark.parametrize(("one", "two"), PAIRS)
def test_records_are_carried_as_documents_are_written(one: str, two: str) -> None:
    """Carrying by arrays gives the bytes that the document path gives."""
    source, target = bulk_codec(one), bulk_codec(two)
    data = file_of(one, 40)
    good, made = carrier_of(one, two).carry(rows_of(one, data))
    assert good.all()
    document = Binder(source.spec).document(BinaryCodec(source.spec).read(data))
    values, *_ = ValueMaker(Binder(target.spec)).make(document)
    assert target.header(40).tobytes() + made.tobytes() == BinaryCodec(target.spec).write(values)


def test_what_the_target_cannot_hold_is_not_carried() -> None:
    """A record that would end the target's list, an unsolved table and what is no deal are left to the plain path."""
    data = bytearray(file_of("zrd", 4000))
    data[23 * 3900 + 13 : 23 * 3901] = bytes(10)
    for target in ("zdd", "zbd"):
        good, _ = carrier_of("zrd", target).carry(rows_of("zrd", bytes(data)))
        assert np.flatnonzero(~good).tolist() == [3900]
    broken = bytearray(file_of("zbd", 4000))
    for record in (2, 3000):
        broken[13 * record] ^= 1
    good, made = carrier_of("zbd", "bri").carry(rows_of("zbd", bytes(broken)))
    assert np.flatnonzero(~good).tolist() == [2, 3000]
    whole, same = carrier_of("zbd", "bri").carry(rows_of("zbd", file_of("zbd", 4000)))
    assert (made[good] == same[good]).all()
    assert whole.all()


COUNTED = """
meta: {id: counted, endian: le, bit-endian: be, file-extension: counted}
seq:
  - {id: count, type: u2, -bridge-value: boards.size}
  - {id: spaces, contents: [32, 32, 32]}
  - {id: boards, type: board, repeat: eos}
types:
  board:
    seq:
      - {id: number, type: u1}
      - {id: deal, type: b2, enum: seat, repeat: expr, repeat-expr: 52, -bridge-axes: [{rank: AKQJT98765432}, {suit: SHDC}]}
enums:
  seat: {0: north, 1: east, 2: south, 3: west}
"""


def test_headers_are_derived_and_checked() -> None:
    """A header that counts the records is derived when they are written, and verified when read."""
    codec, zbd = BulkCodec(loads(COUNTED)), bulk_codec("zbd")
    made = codec.write(codec.arrays(deals(100))).tobytes()
    assert made[:5] == bytes([100, 0, 32, 32, 32])
    assert made[5::14] == bytes(range(1, 101))
    assert codec.read_header(made)["count"] == 100
    assert codec.check(made).clean
    assert not BinaryCodec(codec.spec).read(made).diagnostics
    assert codec.check(bytes([99]) + made[1:]).bad_header
    assert codec.check(made[:2] + b"x" + made[3:]).bad_header
    with pytest.raises(ReadError, match="the header takes 5 bytes; the file has 4"):
        codec.read(made[:4])
    with pytest.raises(ReadError, match="the header takes 5 bytes; the file has 4"):
        list(RecordStream(codec, io.BytesIO(made[:4])))
    assert (codec.deals(codec.read(made)) == deals(100)).all()
    assert not why_not_carry(codec, zbd)
    with pytest.raises(WriteError, match="number cannot hold 256"):
        codec.write(codec.arrays(deals(256)))
