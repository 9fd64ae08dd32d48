"""Records that state numbers, of boards or of the file's first and last, fare alike at every size and by every path."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random

import numpy as np
import pytest

from bridgespec.api import engine
from bridgespec.codec.bulk.codec import BulkCodec
from bridgespec.model.arrays import NumbersJudge
from tests.codec.bulk.support import deals

from .paths import batches, small
from .running import run

DEALS = deals(3)
SHOWN = ("first_number", "last", "copies")
TEXT = """
meta: {id: numt, title: Numbered by texts, file-extension: numt, endian: le, bit-endian: le, encoding: ASCII}
seq: [{id: boards, type: board, repeat: eos}]
types:
  board:
    seq:
      - {id: number, type: str, size: 2, pad-right: 0x20, -bridge-number: {}}
      - id: deal
        type: b2
        enum: seat
        repeat: expr
        repeat-expr: 52
        -bridge-axes: [{suit: SHDC}, {rank: AKQJT98765432}]
      - {id: sets, type: u1, -bridge-opaque: true}
enums:
  seat: {0: west, 1: north, 2: east, 3: south}
"""
AHEAD = """
meta: {id: ahead, title: First number ahead, file-extension: ahead, endian: le, bit-endian: le}
seq: [{id: first_number, type: u2}, {id: boards, type: board, repeat: eos}]
types:
  board:
    seq:
      - id: deal
        type: b2
        enum: seat
        repeat: expr
        repeat-expr: 52
        -bridge-axes: [{suit: SHDC}, {rank: AKQJT98765432}]
enums:
  seat: {0: west, 1: north, 2: east, 3: south}
"""


DEALT = TEXT.replace("numt", "dealt").replace("{id: sets, type: u1, -bridge-opaque: true}", "{id: dealer, type: u1, enum: seat}")
"""Of a dealer beside a number a rule says something that arrays do not know."""


def dup(random: Random, count: int) -> bytes:
    """Boards whose control bytes are blank, right, wrong or no numbers."""
    codec = BulkCodec(engine().spec("dup"))
    right = [b"   ", b"   ", b"5  ", f"{4 + count:<3}".encode(), f"{count:<3}".encode()]
    given = {
        name: np.array([list(random.choice([*right, b"x  ", b"\0\0\0", b"0  ", b"  7"])[:size]) for _ in range(count)], np.uint8)
        for name, size in zip(SHOWN, (3, 3, 2), strict=True)
    }
    return codec.write(codec.arrays(DEALS[[random.randrange(3) for _ in range(count)]]) | given).tobytes()


def cds(random: Random, count: int) -> bytes:
    """Boards of few numbers and few deals, one number in ten being none."""
    codec = BulkCodec(engine().spec("cds"))
    numbers = np.array([random.choice([*range(10), 17, count]) for _ in range(count)], np.uint8)
    rows = DEALS[[random.choice((0, 0, 0, 1, 2)) for _ in range(count)]]
    return codec.write(codec.arrays(rows, None, {"number": numbers})).tobytes()


def texts(random: Random, count: int) -> bytes:
    """The same with numbers spelled in digits, not always as they should be."""
    packed = BulkCodec(engine().spec("zbd")).write({"deal": DEALS}).reshape(3, 13)
    spelled = [b"1 ", b"2 ", b"3 ", b"17", b"  ", b"x1", b"-1", b" 4"]
    return b"".join(
        random.choice(spelled) + bytes(packed[random.choice((0, 0, 1))]) + bytes([random.choice((0, 0, 9))]) for _ in range(count)
    )


def ahead(random: Random, count: int) -> bytes:
    """Deals behind the number of the first board."""
    return bytes([random.choice((0, 1, 9)), 0]) + BulkCodec(engine().spec("zbd")).write({"deal": DEALS[[0] * count]}).tobytes()


def dealt(random: Random, count: int) -> bytes:
    """Boards whose dealer is that of their number, or another."""
    packed = BulkCodec(engine().spec("zbd")).write({"deal": DEALS}).reshape(3, 13)
    return b"".join(f"{at + 1:<2}".encode() + bytes(packed[0]) + bytes([random.choice((at + 1, at)) % 4]) for at in range(count))


def outcomes(folder: Path, path: Path) -> list[tuple[int, str, str, bytes]]:
    """What the check and two conversions of a file say and write."""
    found = []
    for command in ("validate", "zbd", "pbn"):
        dest = folder / f"out.{command}"
        dest.write_bytes(b"")
        call = ("validate", path, "--output-format", "json", "--all") if command == "validate" else ("convert", path, dest)
        done = run("--specs", folder, *call)
        found.append((done.exit_code, done.stdout, done.stderr if command != "validate" else "", dest.read_bytes()))
    return found


@pytest.mark.long
@pytest.mark.slice(3)
@pytest.mark.parametrize("size", [1, 3])
@pytest.mark.parametrize("made", [dup, cds, texts, ahead, dealt])
def test_numbers_are_judged_alike_by_every_path(made: Callable[[Random, int], bytes], size: int, tmp_path: Path) -> None:
    """Findings, losses and bytes are those of the whole file, wherever its numbers begin and whatever they contradict."""
    (tmp_path / "numt.ksy").write_text(TEXT)
    (tmp_path / "ahead.ksy").write_text(AHEAD)
    (tmp_path / "dealt.ksy").write_text(DEALT)
    name = {"texts": "numt"}.get(made.__name__, made.__name__)
    for seed in range(6):
        random = Random(f"{name} {seed} {size}")
        path = tmp_path / f"x.{name}"
        data = made(random, random.randint(1, 12))
        path.write_bytes(data + random.choice((b"", b"", data[1:9])))
        with small():
            expected = outcomes(tmp_path, path)
        with batches(size):
            assert outcomes(tmp_path, path) == expected


def test_boards_of_one_number_are_found_in_every_cut() -> None:
    """Whatever records are looked at together, and in whatever order numbers come."""
    random = Random(1)
    for _ in range(50):
        count = random.randint(1, 30)
        numbers = np.array([random.randint(1, 6) for _ in range(count)])
        rows = DEALS[[random.choice((0, 0, 1)) for _ in range(count)]]
        given = np.array([random.random() < 0.9 for _ in range(count)])
        judge, at = NumbersJudge(), 0
        while at < count:
            stop = at + random.randint(1, 9)
            judge(at, numbers[at:stop], rows[at:stop], given[at:stop])
            at = stop
        first: dict[int, int] = {}
        expected = set()
        for index in np.flatnonzero(given).tolist():
            earlier = first.setdefault(int(numbers[index]), index)
            if (rows[earlier] != rows[index]).any():
                expected |= {earlier, index}
        assert judge.found == expected
