"""Records of fixed size become text a stretch at a time: the same bytes, words and status as from the whole file at once."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from bridgespec.api import engine
from bridgespec.cli import parallel, streamed, stretches
from bridgespec.cli.settings import Settings
from bridgespec.codec.stretch import State, Stretch, StretchWriter
from bridgespec.model.document import Document

from .running import SAMPLES, run

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
SIZE = 8
TARGETS = [spec.id for spec in engine().catalog.all() if spec.language == "lark" and "deal" in engine().of(spec).binder.terms]
IN_ONE = {"bhg", "dlm", "zbs"}
"""Formats whose boards hang on their places in the file, that have just so many places, or that arrays do not know."""


def converted(source: bytes, target: str, folder: Path, *options: str) -> tuple[Result, bytes | None]:
    """What a conversion says and writes."""
    path, dest = folder / "a.zrd", folder / f"a.{target}"
    path.write_bytes(source)
    dest.unlink(missing_ok=True)
    done = run("convert", path, dest, "--to", target, *options)
    return done, dest.read_bytes() if dest.exists() else None


@pytest.fixture
def sizes(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many boards each stretch had; stretches are small."""
    found: list[int] = []
    stretch = StretchWriter.stretch

    def watched(self: StretchWriter, document: Document, before: State, first: int, last: bool) -> Stretch:
        found.append(len(document.boards))
        return stretch(self, document, before, first, last)

    monkeypatch.setattr(StretchWriter, "stretch", watched)
    monkeypatch.setattr(stretches, "STRETCH", SIZE)
    return found


@pytest.mark.parametrize("name", SOURCES)
@pytest.mark.parametrize("target", [*TARGETS, "zbs"])
def test_stretches_join_to_the_whole(
    target: str, name: str, sizes: list[int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever is lost, unread or left out, it is told as it is for the whole file, and no more than a stretch is held."""
    whole, expected = converted(SOURCES[name], target, tmp_path)
    assert not sizes
    monkeypatch.setattr(streamed, "MANY", 1)
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
    monkeypatch.setattr(streamed, "MANY", 1)
    done, data = converted(source, "lin", tmp_path, *options)
    assert (data, done.exit_code, done.stderr) == (expected, whole.exit_code, whole.stderr)
    again = run("convert", tmp_path / "a.zrd", "-", "--to", "lin", *options)
    assert (again.stdout_bytes, again.exit_code) == (piped.stdout_bytes, piped.exit_code)
    assert sizes


@pytest.mark.parametrize("name", SOURCES)
def test_stretches_made_side_by_side_join_too(name: str, sizes: list[int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A stretch that was begun from a wrong guess of what stands before it is made again; fewer stand ahead than memory allows."""
    whole, expected = converted(SOURCES[name], "pbn", tmp_path)
    monkeypatch.setattr(streamed, "MANY", 1)
    monkeypatch.setattr(stretches, "WORTH", 1)
    monkeypatch.setattr(stretches, "STRETCH", 1)
    monkeypatch.setattr(stretches, "cores", lambda: 2)
    waiting: list[int] = []

    class Threads(ThreadPoolExecutor):
        """Threads in the place of processes, so that what they do can be seen."""

        def submit(self, work: Any, /, *args: Any, **more: Any) -> Any:
            waiting.append(self._work_queue.qsize())
            return super().submit(work, *args, **more)

    @contextmanager
    def threads(settings: Settings, count: int) -> Iterator[Threads]:
        monkeypatch.setattr(stretches, "settings_here", lambda: settings)
        with Threads(count) as workers:
            yield workers

    monkeypatch.setattr(stretches, "pool", threads)
    done, data = converted(SOURCES[name], "pbn", tmp_path)
    assert (data, done.exit_code, done.stderr) == (expected, whole.exit_code, whole.stderr)
    assert len(sizes) >= len(SOURCES[name]) // 23
    assert max(waiting) <= 2 * parallel.AHEAD


def test_processes_write_what_one_writes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With real processes."""
    whole, expected = converted(SOURCES["whole"], "pbn", tmp_path)
    monkeypatch.setattr(streamed, "MANY", 1)
    monkeypatch.setattr(stretches, "WORTH", 1)
    monkeypatch.setattr(stretches, "STRETCH", SIZE)
    monkeypatch.setattr(stretches, "cores", lambda: 2)
    done, data = converted(SOURCES["whole"], "pbn", tmp_path)
    assert (data, done.exit_code, done.stderr) == (expected, whole.exit_code, whole.stderr)
