"""Streams of any size are read, checked and converted a chunk at a time, ends, headers and left-over bytes included."""

from __future__ import annotations

import io
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from bridgespec.codec.binary.codec import BinaryCodec
from bridgespec.codec.bind import Binder
from bridgespec.codec.bulk.codec import BulkCodec
from bridgespec.codec.bulk.stream import RecordStream, check_stream, chunks, convert_stream, same_run, why_not_convert
from bridgespec.codec.fill import Filler
from bridgespec.errors import ReadError, UsageError, WriteError
from bridgespec.model.cards import Seat
from bridgespec.spec.kaitai.schema import loads
from tests.codec.bulk_support import bulk_specs, deals, spec_of, tables, valid_file

CODECS = {name: BulkCodec(spec) for name, spec in bulk_specs().items()}


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
    codec = CODECS[name]
    return codec.write(codec.arrays(deals(count), tables(count))).tobytes()


@pytest.mark.parametrize("records", [1, 3, 10, 11, 1000])
@pytest.mark.parametrize("pipe", [False, True])
def test_chunks_join_to_the_whole(records: int, pipe: bool) -> None:
    """Chunks of any size hold what reading at once gives, from files and from pipes."""
    codec, data = CODECS["zrd"], file_of("zrd", 10)
    stream = io.BufferedReader(Pipe(data)) if pipe else io.BytesIO(data)
    parts = list(chunks(codec, stream, records))
    assert [part.first for part in parts] == list(range(0, 10, records))
    for name, array in codec.read(data).items():
        assert (np.concatenate([part.arrays[name] for part in parts]) == array).all()
    assert list(next(chunks(codec, io.BytesIO(data), fields=["tricks"])).arrays) == ["tricks"]


@pytest.mark.parametrize("records", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("end", [b"", bytes(4), bytes(23)])
@pytest.mark.parametrize("after", [b"", b"x", b"x" * 60])
def test_ends_and_what_follows(records: int, end: bytes, after: bytes) -> None:
    """An end record ends the list wherever chunks fall; what follows it, or is not a whole record, is counted and placed."""
    codec, data = CODECS["zrd"], file_of("zrd", 4)
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
    streamed = check_stream(codec, io.BytesIO(whole))
    assert (verdict.records, verdict.end, verdict.rest, verdict.rest_at) == (4, len(kept), source.rest, source.rest_at)
    assert (streamed.records, streamed.end, streamed.rest, streamed.rest_at) == (4, len(kept), source.rest, source.rest_at)
    assert verdict.clean is (source.rest == 0)
    if source.rest:
        with pytest.raises(ReadError, match=f"{source.rest} bytes are left over at offset {source.rest_at}"):
            list(chunks(codec, io.BytesIO(whole), records))


def test_progress_is_told_in_bytes() -> None:
    """Progress counts the bytes that are done up to all of them; a pipe has no total."""
    codec, data = CODECS["zbd"], file_of("zbd", 70_000)
    seen: list[tuple[int, int | None]] = []
    check_stream(codec, io.BytesIO(data), lambda done, total: seen.append((done, total)))
    assert len(seen) == 3
    assert seen[-1] == (len(data), len(data))
    assert [done for done, _ in seen] == sorted({done for done, _ in seen})
    seen.clear()
    check_stream(codec, io.BufferedReader(Pipe(data, 1 << 16)), lambda done, total: seen.append((done, total)))
    assert seen[-1] == (len(data), None)


def test_found_records_are_limited_and_in_order() -> None:
    """Indexes count over the whole stream; after the limit no more are told, in the chunk that reaches it neither."""
    codec, data = CODECS["zrd"], bytearray(file_of("zrd", 100_000))
    wrong = [5, 32767, 32768, 32769, 70_000, 99_999]
    for index in wrong:
        data[23 * index + 22] = 0xEE
    assert check_stream(codec, io.BytesIO(data)).bad.tolist() == wrong
    assert check_stream(codec, io.BytesIO(data), limit=3).bad.tolist() == wrong[:3]


def test_judges_see_deals_and_tables() -> None:
    """A judge is given deals and tables in the model's order, and its marks are added."""

    def judge(holders: NDArray[np.uint8] | None, cells: NDArray[np.uint8] | None) -> NDArray[np.bool_]:
        assert holders is not None
        assert cells is not None
        return np.asarray((holders[:, 0] == 2) & (cells[:, 3] < 7))

    data = file_of("zrd", 500)
    expected = np.flatnonzero((deals(500)[:, 0] == 2) & (tables(500)[:, 3] < 7)).tolist()
    assert expected
    assert CODECS["zrd"].check(data, [judge]).bad.tolist() == expected
    assert check_stream(CODECS["zrd"], io.BytesIO(data), judges=[judge]).bad.tolist() == expected


def test_where_nothing_is_to_be_judged_no_judge_is_asked() -> None:
    """Records without deals and results are marked by their values alone."""

    def judge(holders: NDArray[np.uint8] | None, cells: NDArray[np.uint8] | None) -> NDArray[np.bool_]:
        raise AssertionError

    codec = BulkCodec(spec_of("{id: a, type: u1, valid: {max: 3}}"))
    assert codec.check(bytes([1, 4, 2]), [judge]).bad.tolist() == [1]


PAIRS = [pair for pair in permutations(CODECS, 2) if not why_not_convert(CODECS[pair[0]], CODECS[pair[1]])]


def test_which_formats_convert() -> None:
    """Whole deals convert among the formats that need nothing else; the others have a reason."""
    assert {("zbd", "bri"), ("bri", "dge"), ("dge", "zbd"), ("zrd", "zdd"), ("zrd", "zbd")} <= set(PAIRS)
    for pair in set(permutations(CODECS, 2)) - set(PAIRS):
        source, target = (CODECS[name] for name in pair)
        assert why_not_convert(source, target)
        with pytest.raises(UsageError):
            convert_stream(source, io.BytesIO(), target, io.BytesIO())
    assert "declarer must say whose" in why_not_convert(CODECS["zrd"], CODECS["zrj"])
    assert "first_number" in why_not_convert(CODECS["dup"], CODECS["zbd"])
    assert "last is not given, and bulk work cannot derive" in why_not_convert(CODECS["zbd"], CODECS["dup"])
    assert why_not_convert(CODECS["zbd"], CODECS["zbd"]) == ""


@pytest.mark.parametrize("name", CODECS)
@pytest.mark.parametrize("count", [0, 1, 40])
def test_files_of_one_format_are_copied(name: str, count: int) -> None:
    """A file becomes one of its own format byte for byte: header, records however spelled, and end; what is left over is told."""
    codec, out = CODECS[name], io.BytesIO()
    data = bytearray(valid_file(codec, max(count, 1)).tobytes())
    del data[codec.header_size + count * codec.record_size :]
    if count and "deal" in codec.terms and codec.record_size > 16:
        data[codec.header_size] ^= 1
    if codec.layout.end is not None and codec.layout.end.short:
        data += bytes(codec.layout.end.short)
    assert convert_stream(codec, io.BytesIO(data), codec, out).records == count
    assert out.getvalue() == data
    with pytest.raises(ReadError, match="are left over"):
        convert_stream(codec, io.BytesIO(data + b"abc"), codec, io.BytesIO())


def test_deals_stored_alike_are_not_unpacked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where source and target store their deals bit for bit alike, no card is made a byte of; elsewhere it is."""
    alike = {pair for pair in PAIRS if same_run(CODECS[pair[0]], CODECS[pair[1]])}
    assert ("zrd", "zbd") in alike
    assert ("bri", "zbd") not in alike
    assert ("cds", "zbd") not in alike
    data, out = file_of("zrd", 70_000), io.BytesIO()
    monkeypatch.setattr(BulkCodec, "unpack", None)
    convert_stream(CODECS["zrd"], io.BytesIO(data), CODECS["zbd"], out)
    assert out.getvalue() == np.frombuffer(data, np.uint8).reshape(-1, 23)[:, :13].tobytes()


@pytest.mark.parametrize(("one", "two"), PAIRS)
def test_conversions_agree_with_the_documents(one: str, two: str) -> None:
    """Converting by arrays gives the bytes that the document path gives, whatever the chunks."""
    source, target = CODECS[one], CODECS[two]
    data, out = file_of(one, 40), io.BytesIO()
    done = convert_stream(source, io.BytesIO(data), target, out)
    assert done.records == 40
    assert set(done.lost) == source.terms - target.terms
    document = Binder(source.spec).document(BinaryCodec(source.spec).read(data))
    codec = BinaryCodec(target.spec)
    values, _ = Filler(Binder(target.spec)).fill(document)
    assert out.getvalue() == codec.write(values)
    if (two, one) in PAIRS and not done.lost:
        back = io.BytesIO()
        convert_stream(target, io.BytesIO(out.getvalue()), source, back)
        assert back.getvalue() == (data if source.terms == target.terms else back.getvalue())


def test_conversion_refuses_what_the_target_cannot_hold() -> None:
    """A record that would end the target's list, that is not a deal, or bytes left over stop a conversion with their place."""
    zrd, zdd, zbd, bri = (CODECS[name] for name in ("zrd", "zdd", "zbd", "bri"))
    data = bytearray(file_of("zrd", 40_000))
    data[23 * 39_000 + 13 : 23 * 39_001] = bytes(10)
    with pytest.raises(WriteError, match="record 39001: it would read as the end of the list"):
        convert_stream(zrd, io.BytesIO(data), zdd, io.BytesIO())
    convert_stream(zrd, io.BytesIO(data), zbd, io.BytesIO())
    with pytest.raises(ReadError, match="3 bytes are left over at offset 920000"):
        convert_stream(zrd, io.BytesIO(data + b"abc"), zbd, io.BytesIO())
    broken = bytearray(file_of("zbd", 3))
    broken[13] ^= 1
    with pytest.raises(WriteError, match=r"record 2: . has 1[24] cards"):
        convert_stream(zbd, io.BytesIO(broken), bri, io.BytesIO())
    late = bytearray(file_of("zbd", 40_000))
    late[13 * 39_000] ^= 1
    with pytest.raises(WriteError, match=r"^record 39001: . has 1[24] cards; the format holds thirteen$"):
        convert_stream(zbd, io.BytesIO(late), bri, io.BytesIO())


def test_one_hands_results_need_its_name() -> None:
    """A table goes into a format of one hand's results when the hand is named; the others are counted as lost."""
    zrd, zrj, data, out = CODECS["zrd"], CODECS["zrj"], file_of("zrd", 30), io.BytesIO()
    done = convert_stream(zrd, io.BytesIO(data), zrj, out, declarer=Seat.EAST)
    assert dict(done.lost) == {"tricks of other hands": 30}
    arrays = zrj.read(out.getvalue())
    assert (arrays["declarer"] == 2).all()
    assert (arrays["tricks"] == tables(30).reshape(30, 5, 4)[:, :, 2]).all()
    assert (zrj.deals(arrays) == deals(30)).all()


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
    """A header that counts the records is written after them, verified when read, and needs a target that can seek."""
    codec, zbd = BulkCodec(loads(COUNTED)), CODECS["zbd"]
    data, out = file_of("zbd", 100), io.BytesIO()
    convert_stream(zbd, io.BytesIO(data), codec, out)
    made = out.getvalue()
    assert made[:5] == bytes([100, 0, 32, 32, 32])
    assert made[5::14] == bytes(range(1, 101))
    assert codec.read_header(made)["count"] == 100
    assert codec.check(made).clean
    assert not BinaryCodec(codec.spec).read(made).diagnostics
    assert codec.check(bytes([99]) + made[1:]).bad_header
    assert codec.check(made[:2] + b"x" + made[3:]).bad_header
    assert not check_stream(codec, io.BytesIO(bytes([99]) + made[1:])).clean
    with pytest.raises(ReadError, match="the header takes 5 bytes; the file has 4"):
        codec.read(made[:4])
    with pytest.raises(ReadError, match="the header takes 5 bytes; the file has 4"):
        check_stream(codec, io.BytesIO(made[:4]))
    assert why_not_convert(codec, zbd) == "counted has terms beside deals and results: number"
    assert (codec.deals(codec.read(made)) == deals(100)).all()
    assert codec.write(codec.arrays(deals(100))).tobytes() == made
    with pytest.raises(WriteError, match="number cannot hold 256"):
        convert_stream(zbd, io.BytesIO(file_of("zbd", 256)), codec, io.BytesIO())

    class Unseekable(io.BytesIO):
        def seekable(self) -> bool:
            return False

    with pytest.raises(UsageError, match="counts its records in its header"):
        convert_stream(zbd, io.BytesIO(data), codec, Unseekable())
