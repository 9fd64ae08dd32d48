"""Records of several sizes: their offsets by arrays, and one bulk codec for each size."""

from __future__ import annotations

import struct
from pathlib import Path
from random import Random

import numpy as np
import pytest

import bridgespec
from bridgespec.api import engine
from bridgespec.cli import large
from bridgespec.codec.bulk.groups import GroupCodec
from bridgespec.errors import SpecError
from bridgespec.spec.catalog import Catalog
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
    codec = GroupCodec(engine().spec("zbs"))
    whole = [one for one in groups if len(one) == 16]
    four = codec.sized(4)
    assert four is not None
    found = four.deals(four.read(b"".join(whole)))
    boards = bridgespec.loads(b"".join(whole), "zbs").boards
    assert found.tolist() == [list(board.deal.holders) for board in boards if board.deal]


def test_what_breaks_a_constraint_is_marked() -> None:
    """Of lists of any length those are marked that have a value beyond the largest, or more parts than the check allows."""
    random = Random(2)
    spec = Catalog().load("zbs")
    with pytest.raises(SpecError, match="groups"):
        GroupCodec(Catalog().load("zrd"))
    assert GroupCodec(spec).sized(5) is None, "five suits are left to the plain path"
    elements = np.frombuffer(b"".join(group(random) for _ in range(500)), np.uint8).reshape(-1, 4)
    codec = GroupCodec(spec)
    sizes = np.diff(np.flatnonzero(codec.ends(elements)) + 1, prepend=0)
    bad = codec.mark(elements, sizes)
    starts = np.cumsum(sizes) - sizes
    for index in np.flatnonzero(~bad).tolist():
        data = elements[starts[index] : starts[index] + sizes[index]].tobytes()
        assert not list(bridgespec.check(data, "zbs")), "what is not marked is clean"
    assert 0 < np.count_nonzero(bad) < len(bad) / 2


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
    monkeypatch.setattr(large, "LARGE", 1)
    checked = _Counted(large.check_large)
    monkeypatch.setattr("bridgespec.cli.validate.check_large", checked)
    assert run(*call).stdout == plain.stdout
    assert checked.records == 700, "the arrays have taken part"
    assert "long-list" in plain.stdout
    assert plain.exit_code == 1


class _Counted:
    """A function whose last number of records is kept."""

    def __init__(self, function: object) -> None:
        self.function = function
        self.records = 0

    def __call__(self, *args: object, **options: object) -> object:
        assert callable(self.function)
        found = self.function(*args, **options)
        self.records = found.records
        return found
