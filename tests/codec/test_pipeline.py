"""Records of fixed size become text a stretch at a time: the same bytes, words and status as from the whole file at once."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import Result

from bridgespec.api import Engine, engine
from bridgespec.cli import conversion, conversions, parallel
from bridgespec.codec import spelling
from bridgespec.codec.losses import Losses
from bridgespec.codec.pipeline import Stretch, StretchState, StretchWriter
from bridgespec.model.board import Board
from bridgespec.model.cards import Seat
from bridgespec.model.deal import Deal
from bridgespec.model.document import Document
from bridgespec.model.tricks import Tricks
from tests.cli.running import SAMPLES, run
from tests.codec.terms.support import board_formats
from tests.model.test_arrays import random_deals
from tests.steps import steps

ZRD = SAMPLES / "zrd"
GOOD, UNSOLVED = ((ZRD / name).read_bytes() for name in ("record0.zrd", "unsolved.zrd"))
FOURTEEN, SHORT = ((ZRD / "bad" / name).read_bytes() for name in ("fourteen.zrd", "hand-size.zrd"))
SOURCES = {
    "whole": GOOD[:23] * 18,
    "tables come and go": (GOOD[:23] * 2 + UNSOLVED[:23] * 5) * 3,
    "broken": (GOOD[:23] * 3 + FOURTEEN[:23] + SHORT[:23]) * 5,
    "all broken": SHORT[:23] * 18,
    "cut off": GOOD[:23] * 18 + GOOD[:9],
    "ended": GOOD[:23] * 24 + bytes(4),
}
OWN = """//- id: own
//- title: Own
//- doc: A dealer a line, two of them spelled alike.
//- extensions: [own]
//- model: boards
//- samples:
//-   - {name: one, text: "W\\n"}
start: boards*
boards: dealer _NL
dealer: "W" -> west | "N" -> north | "N" -> east | "S" -> south
_NL: "\\n"
"""
SIZE = 8
STEPS = 4200
"""Functions entered for a board; 5,700 where nothing of the others is remembered."""
TARGETS = board_formats()
IN_ONE = {"bhg", "dlm", "zbs"}
"""Formats whose boards depend on their places in the file, that have just so many places, or that arrays do not know."""


def converted(source: bytes, target: str, folder: Path, *options: str) -> tuple[Result, bytes | None]:
    """What a conversion says and writes."""
    path, dest = folder / "a.zrd", folder / f"a.{target}"
    path.write_bytes(source)
    dest.unlink(missing_ok=True)
    done = run("convert", path, dest, "--to", target, *options)
    return done, dest.read_bytes() if dest.exists() else None


@pytest.fixture
def sizes(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many boards each stretch of several had; stretches are small."""
    found: list[int] = []
    stretch = StretchWriter.stretch

    def watched(
        self: StretchWriter, document: Document, before: StretchState | None = None, first: int = 0, last: bool = True
    ) -> Stretch:
        if before is not None:
            found.append(len(document.boards))
        return stretch(self, document, before, first, last)

    monkeypatch.setattr(StretchWriter, "stretch", watched)
    monkeypatch.setattr(conversion, "RECORDS_AT_ONCE", SIZE)
    return found


@pytest.mark.slice(16)
@pytest.mark.parametrize("name", SOURCES)
@pytest.mark.parametrize("target", [*TARGETS, "zbs"])
def test_stretches_join_to_the_whole(
    target: str, name: str, sizes: list[int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever is lost, unread or left out, it is told as it is for the whole file, and no more than a stretch is held."""
    whole, expected = converted(SOURCES[name], target, tmp_path)
    assert not sizes
    monkeypatch.setattr(conversions, "MANY", 1)
    done, data = converted(SOURCES[name], target, tmp_path)
    assert data == expected
    assert (done.exit_code, done.stderr) == (whole.exit_code, whole.stderr)
    assert max(sizes, default=0) <= SIZE
    assert bool(sizes) == (target not in IN_ONE)


@pytest.mark.parametrize("options", [("--canonical",), ("--strict",), ("-q",)])
def test_options_mean_the_same(options: tuple[str, ...], sizes: list[int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also to standard output, on which --strict lets nothing stand that it forbids."""
    source = SOURCES["tables come and go"]
    whole, expected = converted(source, "lin", tmp_path, *options)
    piped = run("convert", tmp_path / "a.zrd", "-", "--to", "lin", *options)
    monkeypatch.setattr(conversions, "MANY", 1)
    done, data = converted(source, "lin", tmp_path, *options)
    assert (data, done.exit_code, done.stderr) == (expected, whole.exit_code, whole.stderr)
    again = run("convert", tmp_path / "a.zrd", "-", "--to", "lin", *options)
    assert (again.stdout_bytes, again.exit_code) == (piped.stdout_bytes, piped.exit_code)
    assert sizes


@pytest.mark.parametrize("name", SOURCES)
def test_stretches_made_side_by_side_join_too(name: str, sizes: list[int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A stretch that was begun from a wrong guess of what stands before it is made again; fewer stand ahead than memory allows."""
    whole, expected = converted(SOURCES[name], "pbn", tmp_path)
    monkeypatch.setattr(conversions, "MANY", 1)
    monkeypatch.setattr(conversion, "WORTH", 1)
    monkeypatch.setattr(conversion, "RECORDS_AT_ONCE", 1)
    monkeypatch.setattr(conversion, "cores", lambda: 2)
    waiting: list[int] = []

    class Threads(ThreadPoolExecutor):
        """Threads in the place of processes, so that what they do can be seen."""

        def submit(self, work: Any, /, *args: Any, **more: Any) -> Any:
            waiting.append(self._work_queue.qsize())
            return super().submit(work, *args, **more)

    @contextmanager
    def threads(settings: object, count: int) -> Iterator[Threads]:
        monkeypatch.setattr(conversion, "settings_here", lambda: settings)
        with Threads(count) as workers:
            yield workers

    monkeypatch.setattr(conversion, "pool", threads)
    done, data = converted(SOURCES[name], "pbn", tmp_path)
    assert (data, done.exit_code, done.stderr) == (expected, whole.exit_code, whole.stderr)
    # More of them than stand ahead at once, each made once where all boards are written.
    assert len(sizes) >= len(SOURCES[name]) // 23 > 2 * parallel.AHEAD
    assert "broken" in name or len(sizes) <= -(-len(SOURCES[name]) // 23) + 1
    assert max(waiting) <= 2 * parallel.AHEAD


def test_processes_write_what_one_writes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With real processes."""
    whole, expected = converted(SOURCES["whole"], "pbn", tmp_path)
    monkeypatch.setattr(conversions, "MANY", 1)
    monkeypatch.setattr(conversion, "WORTH", 1)
    monkeypatch.setattr(conversion, "RECORDS_AT_ONCE", SIZE)
    monkeypatch.setattr(conversion, "cores", lambda: 2)
    done, data = converted(SOURCES["whole"], "pbn", tmp_path)
    assert (data, done.exit_code, done.stderr) == (expected, whole.exit_code, whole.stderr)


def boards_like(seed: int, first: int) -> Document:
    """Boards numbered by their places, with deals of all shapes, and results of a few kinds or none."""
    rng = np.random.default_rng(seed)
    made = []
    for place, row in enumerate(random_deals(48, seed), first + 1):
        cells = rng.integers(0, 14, 20)
        cells[:: int(rng.choice([1, 4, 21]))] = 15 if rng.random() < 0.5 else 0
        tricks = None if rng.random() < 0.2 else Tricks(bytes(cells.tolist()))
        dealer = Seat(int(rng.integers(4))) if rng.random() < 0.5 else None
        made.append(Board(number=place, deal=Deal(row.tobytes()), tricks=tricks, dealer=dealer))
    return Document(tuple(made))


@pytest.mark.slice(5, quick=2)
@pytest.mark.parametrize("target", sorted({*TARGETS, "zbd", "zrd", "bri", "dge", "cds"} - IN_ONE))
def test_stretches_lose_what_the_whole_loses(target: str) -> None:
    """What is lost of deals and tables is the same in stretches as of all boards at once."""
    known = engine().of(engine().spec(target))
    writer, state, boards, lost = StretchWriter(known.binder, known.codec, False), StretchState(), list[Board](), Losses()
    for stretch in range(4):
        document = boards_like(stretch, 48 * stretch)
        done = writer.stretch(document, state, 48 * stretch, stretch == 3)
        boards += document.boards
        lost.include(done.lost)
        state = done.after
    whole = StretchWriter(known.binder, known.codec, False).stretch(Document(tuple(boards)))
    assert lost == whole.lost


def test_codes_that_are_spelled_alike_are_lost(tmp_path: Path) -> None:
    """A schema of somebody's own may spell two seats alike: the second is lost."""
    (tmp_path / "own.lark").write_text(OWN)
    own = Engine([tmp_path])
    boards = tuple(Board(number, dealer=seat) for number, seat in enumerate((Seat.WEST, Seat.NORTH, Seat.EAST), 1))
    output = own.spell(Document(boards), "own")
    assert output.data == b"W\nN\nN\n"
    assert [(one.code, one.message.rpartition(" ")[2]) for one in output.findings] == [("lost", "dealer")]


@pytest.mark.slice(4, quick=2)
@pytest.mark.parametrize("target", TARGETS)
def test_what_was_spelled_before_is_spelled_alike(target: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A format gives the same bytes whether it remembers what it has spelled or not."""
    documents = [boards_like(seed, 0) for seed in range(2)]
    kept = Engine()
    expected = [kept.spell(document, target, partial=True).data for document in documents for _ in range(2)]
    monkeypatch.setattr(spelling, "MOST", 0)
    forgetful = Engine()
    assert [forgetful.spell(document, target, partial=True).data for document in documents for _ in range(2)] == expected


def test_a_board_takes_few_steps() -> None:
    """To write a board that says what others said but for its deal and its results: a third of what it took to spell all anew."""
    known = engine().of(engine().spec("pbn"))
    writer = StretchWriter(known.binder, known.codec, False)
    document, state = boards_like(1, 48), StretchState(48)
    writer.stretch(document, state, 48, False)
    assert steps(lambda: writer.stretch(document, state, 48, False)) / len(document.boards) < STEPS
