"""Records of several sizes give the same findings and bytes in every cut into windows: no window ends where a group does."""

from __future__ import annotations

import random
import struct
from pathlib import Path

import pytest

from bridgespec.cli import array_sources
from bridgespec.codec import causes
from tests.model.test_deck import random_deal

from .running import run

NULL = b"\0\0\0\0"
WRONG = struct.pack("<I", 2 * 5**13)
"""A locator that is too large."""


def group(rng: random.Random, suits: int, wrong: bool = False) -> bytes:
    """The records of a group of so many suits; the last one may be wrong."""
    words = [2 * rng.randrange(1, 5**13) + (suit < suits - 1) for suit in range(suits)]
    data = struct.pack(f"<{suits}I", *words)
    return data[:-4] + WRONG if wrong else data


def layouts(seed: int, count: int = 40) -> bytes:
    """Groups of one to four suits, every ninth of them wrong."""
    rng = random.Random(seed)
    return b"".join(group(rng, rng.randint(1, 4), index % 9 == 5) for index in range(count))


ENDS = {
    "nothing": b"",
    "the end": NULL,
    "the end and something after it": NULL + b"\1\2\3\4\5",
    "the end and a byte": NULL + b"\7",
    "a part of a record": b"\1\2",
    "a part of the end": b"\0\0",
    "a group that goes on": struct.pack("<I", 2 * 77 + 1),
    "five suits": struct.pack("<5I", 3, 3, 3, 3, 2),
    "a group that goes on, then the end": struct.pack("<I", 2 * 77 + 1) + NULL,
}


def test_files_whose_errors_are_explained_are_not_read_in_windows() -> None:
    """Which findings a file has does not depend on how it is read."""
    assert causes.LARGEST <= array_sources.LARGE


@pytest.mark.slice(9, quick=4)
@pytest.mark.parametrize("end", ENDS.values(), ids=ENDS)
@pytest.mark.parametrize(("window", "block"), [(4, 1), (8, 3), (20, 2), (28, 5), (256, 4)])
def test_findings_do_not_depend_on_windows(
    end: bytes, window: int, block: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every finding is the one that the whole file gives: its words, record, field and place."""
    path = tmp_path / "x.zbs"
    for seed in range(2):
        path.write_bytes(layouts(seed) + end)
        monkeypatch.setattr(array_sources, "LARGE", 1 << 20)
        # Errors are explained in files that are never read in windows; no window of another file is taken for a file.
        monkeypatch.setattr(causes, "LARGEST", path.stat().st_size - 1)
        whole = run("validate", path, "--output-format", "json")
        for name, value in (("LARGE", 0), ("ROWS", window // 4), ("WINDOW", window), ("BLOCK", block)):
            monkeypatch.setattr(array_sources, name, value)
        cut = run("validate", path, "--output-format", "json")
        assert whole.exit_code == cut.exit_code == 1
        assert cut.stdout == whole.stdout


@pytest.mark.parametrize("end", [b"", NULL, NULL + b"\7", b"\1\2"], ids=["nothing", "the end", "and a byte", "a part"])
@pytest.mark.parametrize("target", ["zbd", "zbs", "csv"])
def test_conversions_do_not_depend_on_windows(end: bytes, target: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Bytes, messages and status are those of a small file, whole deals and layouts mixed."""
    deals = [random_deal(seed) for seed in range(6)]
    rng = random.Random(5)
    source = tmp_path / "x.zbs"
    parts = []
    for deal in deals:
        digits = [[deal.holders[13 * suit + rank] + 1 for rank in range(13)] for suit in range(4)]
        words = [sum(digit * 5**place for place, digit in enumerate(suit)) for suit in digits]
        parts.append(struct.pack("<4I", *(2 * word + (at < 3) for at, word in enumerate(words))))
        parts.append(group(rng, rng.randint(1, 4)))
    source.write_bytes(b"".join(parts) + end)
    made = []
    for number, sizes in enumerate(((1 << 20, 1 << 15, 1 << 18, 256), (0, 3, 12, 2), (0, 5, 19, 4))):
        for name, value in zip(("LARGE", "ROWS", "WINDOW", "BLOCK"), sizes, strict=True):
            monkeypatch.setattr(array_sources, name, value)
        result = tmp_path / f"{number}.{target}"
        done = run("convert", source, result)
        text = done.output.replace(result.name, "RESULT")
        made.append((done.exit_code, text, result.read_bytes() if result.exists() else None))
    assert made[0][2]
    assert made[1] == made[0]
    assert made[2] == made[0]
