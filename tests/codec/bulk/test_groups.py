"""Records of several sizes: their offsets by arrays, and one bulk codec for each shape."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path
from random import Random

import numpy as np
import pytest

import bridgespec
from bridgespec.api import engine
from bridgespec.cli import array_sources, record_checks
from bridgespec.codec import causes
from bridgespec.codec.bulk.groups import variable
from bridgespec.errors import SpecError
from bridgespec.spec.catalog import Catalog
from bridgespec.spec.kaitai import schema as ksy
from tests.cli.running import run

RUNS = """\
meta: {id: runs, file-extension: runs, endian: le}
seq:
  - {id: lists, type: list, repeat: eos}
types:
  list:
    -bridge-checks:
      - {that: parts.size < 4, code: long-list, message: a list has at most three parts}
    seq:
      - {id: parts, type: part, repeat: until, repeat-until: _.last == 1 or _.last == 3}
  part:
    seq:
      - {id: last, type: u1}
      - {id: value, type: u2, valid: {max: 1000}}
"""


def group(random: Random) -> bytes:
    """One to four suits of a ZBS group, cards dealt at random; four suits are a whole deal."""
    count = random.choice((1, 2, 3, 4, 4, 4))
    holders = [1, 2, 3, 4] * 13 if count == 4 else [random.randint(0, 4) for _ in range(52)]
    random.shuffle(holders)
    suits = [sum(holder * 5**rank for rank, holder in enumerate(holders[13 * suit :][:13])) for suit in range(count)]
    return b"".join(struct.pack("<I", 2 * suit + (at < count - 1)) for at, suit in enumerate(suits))


def test_deals_are_those_of_the_plain_path() -> None:
    """Every group of four suits gives the holders that the plain path reads."""
    random = Random(1)
    groups = [group(random) for _ in range(60)]
    codec = variable(engine().spec("zbs"))
    whole = [one for one in groups if len(one) == 16]
    four = codec.shaped(4)
    assert four is not None
    found = four.deals(four.read(b"".join(whole)))
    boards = bridgespec.loads(b"".join(whole), "zbs").boards
    assert found.tolist() == [list(board.deal.holders) for board in boards if board.deal]


def test_what_breaks_a_constraint_is_marked() -> None:
    """Of lists of any length those are marked that have a value beyond the largest, or more parts than the check allows."""
    random = Random(2)
    spec = Catalog().load("zbs")
    with pytest.raises(SpecError, match="arrays can cut"):
        variable(Catalog().load("zrd"))
    codec = variable(spec)
    assert codec.shaped(5) is None, "five suits are left to the plain path"
    data = np.frombuffer(b"".join(group(random) for _ in range(500)), np.uint8)
    cut = codec.cut(data)
    bad = codec.mark(data, cut)
    stops = [*cut.starts.tolist()[1:], cut.stop]
    for index in np.flatnonzero(~bad).tolist():
        assert not list(bridgespec.check(data[cut.starts[index] : stops[index]].tobytes(), "zbs")), "what is not marked is clean"
    assert 0 < np.count_nonzero(bad) < len(bad) / 2


@pytest.mark.long
@pytest.mark.parametrize("end", [b"", b"\1\0", b"\0\xff\xff\0\0\0"])
def test_a_format_of_ones_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, end: bytes) -> None:
    """A schema without any bridge whose lists end by a flag: arrays and the plain path agree, whatever comes last."""
    (tmp_path / "runs.ksy").write_text(RUNS)
    random = Random(3)
    data = b""
    for _ in range(700):
        parts = random.choice((1, 1, 2, 3, 3, 4)) if random.random() < 0.1 else random.randint(1, 3)
        values = [random.randint(0, 1000 if random.random() < 0.99 else 1003) for _ in range(parts)]
        data += b"".join(struct.pack("<BH", random.choice((1, 3)) if at == parts - 1 else 2, v) for at, v in enumerate(values))
    source = tmp_path / "a.runs"
    source.write_bytes(data + end)
    call = ("--specs", tmp_path, "validate", source, "--all", "--output-format", "json")
    plain = run(*call)
    monkeypatch.setattr(array_sources, "LARGE", 1)
    checked = _Counted(record_checks.check_large)
    monkeypatch.setattr("bridgespec.cli.validate.check_large", checked)
    done = run(*call)
    assert done.stdout == plain.stdout, done.output
    assert checked.records == 700, "the arrays have taken part"
    assert "long-list" in plain.stdout
    assert plain.exit_code == 1


SHAPES = """\
meta: {id: shapes, file-extension: shapes, endian: le, bit-endian: be, encoding: ASCII}
seq:
  - {id: entries, type: entry, repeat: eos}
types:
  entry:
    seq:
      - {id: kind, type: u1, enum: kind}
      - {id: count, type: b4}
      - {id: signed, type: b1}
      - {id: spare, type: b3, valid: 0}
      - id: body
        type:
          switch-on: kind
          cases:
            kind::played: played
            kind::passed: u2
            _: other
      - {id: values, type: u2, repeat: expr, repeat-expr: count}
      - {id: name, type: str, size: count % 3}
      - {id: by, type: u1, if: signed, valid: {any-of: [1, 2, 250]}}
      - {id: total, type: u1, -bridge-value: 'sum(span(kind, name)) & 0xff'}
      - {id: words, type: u4, -bridge-value: 'xor(words_be(span(kind, total), 4))'}
      - {id: check, type: u4, -bridge-value: 'crc32(span(kind, words))'}
      - {id: adler, type: u4, -bridge-value: 'adler32(span(kind, check))'}
      - {id: size, type: u1, -bridge-value: body._sizeof}
  played:
    -bridge-checks:
      - {that: tricks <= level + 6, code: many-tricks, message: more tricks than were bid}
    seq:
      - {id: level, type: b4, valid: {min: 1, max: 7}}
      - {id: strain, type: b4, valid: {max: 4}}
      - {id: tricks, type: u1}
  other:
    seq: [{id: text, size: 3}]
enums:
  kind: {1: played, 2: passed, 3: adjusted}
"""


def entry(random: Random) -> bytes:
    """A record of any shape, whose sums are right."""
    kind, count, signed = random.choice((1, 1, 2, 3)), random.choice((0, 1, 2, 5)), random.random() < 0.5
    body = {1: bytes([random.randint(1, 7) << 4 | random.randint(0, 4), 6]), 2: b"ab", 3: b"\0xy"}[kind]
    data = bytes([kind, count << 4 | signed << 3]) + body + random.randbytes(2 * count) + b"AB"[: count % 3]
    signer = bytes([random.choice((1, 2, 250))]) if signed else b""
    total = bytes([sum(data) & 0xFF])
    data += signer + total
    words = 0
    for at in range(0, len(data), 4):
        words ^= int.from_bytes(data[at : at + 4].ljust(4, b"\0"), "big")
    data += struct.pack("<I", words)
    data += struct.pack("<I", zlib.crc32(data))
    return data + struct.pack("<I", zlib.adler32(data)) + bytes([len(body)])


@pytest.mark.long
@pytest.mark.slice(2)
@pytest.mark.parametrize("damage", [0, 1, 4, 12])
@pytest.mark.parametrize("window", [40, 1 << 18])
def test_switches_conditions_sizes_and_sums(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, damage: int, window: int) -> None:
    """Records of many shapes: what arrays do not prove clean is judged as in a small file, wherever the records can be followed."""
    (tmp_path / "shapes.ksy").write_text(SHAPES)
    source = tmp_path / "a.shapes"
    call = ("--specs", tmp_path, "validate", source, "--all", "--output-format", "json")
    for seed in range(4):
        random = Random(f"{damage} {seed}")
        entries = [bytearray(entry(random)) for _ in range(60)]
        for _ in range(damage):
            made = random.choice(entries)
            # What decides about the shape is damaged too, now and then.
            at = random.randrange(len(made)) if random.random() < 0.2 else random.randrange(2, len(made))
            made[at] ^= 1 << random.randrange(8)
        source.write_bytes(b"".join(entries) + random.choice((b"", b"\1", b"\3\0\0")))
        monkeypatch.setattr(array_sources, "LARGE", 1 << 16)
        # Errors are explained in files that are never read in windows; no window of another file is taken for a file.
        monkeypatch.setattr(causes, "LARGEST", source.stat().st_size - 1)
        plain = run(*call)
        for name, value in (("LARGE", 1), ("WINDOW", window), ("ROWS", 7), ("BLOCK", 4)):
            monkeypatch.setattr(array_sources, name, value)
        checked = _Counted(record_checks.check_large)
        monkeypatch.setattr("bridgespec.cli.validate.check_large", checked)
        done = run(*call)
        assert (done.exit_code, done.stdout) == (plain.exit_code, plain.stdout), done.output
        assert damage or checked.records == 60, "the arrays have taken part"
        monkeypatch.setattr("bridgespec.cli.validate.check_large", record_checks.check_large)


def test_what_is_proven_clean_of_any_shape() -> None:
    """Every record with right sums is proven clean, and none with a wrong one."""
    random = Random(7)
    codec = variable(ksy.loads(SHAPES))
    entries = [bytearray(entry(random)) for _ in range(200)]
    wrong = random.sample(range(200), 40)
    for index in wrong:
        entries[index][-1 - random.randrange(14)] ^= 0x10
    data = np.frombuffer(b"".join(entries), np.uint8)
    cut = codec.cut(data)
    assert np.diff(cut.starts).tolist() == [len(one) for one in entries[:-1]]
    assert np.flatnonzero(codec.mark(data, cut)).tolist() == sorted(wrong)


class _Counted:
    """A function whose last number of records is kept."""

    def __init__(self, function: object) -> None:
        self.function = function
        self.records = 0

    def __call__(self, *args: object, **options: object) -> object:
        assert callable(self.function)
        found = self.function(*args, **options)
        self.records = 0 if found is None else found.records
        return found
