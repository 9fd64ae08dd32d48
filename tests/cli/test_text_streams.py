"""Texts are converted some records at a time: whatever their size, as from the whole text at once."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest

from bridgespec.cli import sources
from bridgespec.codec.origin import Origin
from bridgespec.errors import BridgespecError
from bridgespec.model.board import Board
from tests.cli.running import SAMPLES, run

GAME = '[Event "{event}"]\r\n[Board "{number}"]\r\n[North "{north}"]\r\n[Deal "N:{deal}"]\r\n\r\n'
DEAL = ".63.AKQ987.A9732 A8654.KQ5.T.QJT6 J973.J98742.3.K4 KQT2.AT.J6542.85"


def games(*names: str) -> str:
    """A game for each name of North."""
    return "".join(GAME.format(event="Cup", number=at, north=name, deal=DEAL) for at, name in enumerate(names, 1))


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stretches of a few records."""
    monkeypatch.setattr(sources, "STRETCH", 300)


def test_a_large_text_has_one_encoding(small: None, tmp_path: Path) -> None:
    """Where the preferred encoding lacks a character of some name, the whole file is in the next one, as that of a small source."""
    source, dest, other = (tmp_path / name for name in ("a.lin", "a.pbn", "b.pbn"))
    names = ["Zoé", *["Bob"] * 40, "Łukasz"]
    record = "qx|o{}|pn|{},a,b,c|md|3S2HDC,S3HDC,S4HDC,|sv|o|mb|p|mb|p|mb|p|mb|p|pg||\n"
    source.write_bytes("".join(record.format(at, name) for at, name in enumerate(names, 1)).encode())
    done = run("convert", source, dest)
    assert dest.read_bytes().count("Łukasz".encode()) == dest.read_bytes().count("Zoé".encode()) == 1
    assert "encoding" not in done.stderr
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sources, "STRETCH", 1 << 20)
        assert run("convert", source, other).stderr.replace("b.pbn", "a.pbn") == done.stderr
    assert other.read_bytes() == dest.read_bytes()


CHOICES = ((), 0), (("--boards", "3,40-"), 0), (("--boards", "1,99"), 2), (("--declarer", "N"), 0)


@pytest.mark.parametrize(("options", "status"), CHOICES)
def test_options_choose_and_change_boards(options: tuple[str, ...], status: int, tmp_path: Path) -> None:
    """Boards are chosen by number, and a choice that no board is in is refused, as of a small source."""
    source, dest = tmp_path / "a.pbn", tmp_path / "a.rbn"
    source.write_text(games(*["Bob"] * 42))
    whole = run("convert", source, dest, *options)
    expected = dest.read_bytes() if dest.exists() else None
    dest.unlink(missing_ok=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sources, "STRETCH", 300)
        found = run("convert", source, dest, *options)
    data = dest.read_bytes() if dest.exists() else None
    assert (found.exit_code, found.stderr, data) == (whole.exit_code, whole.stderr, expected)
    assert found.exit_code == status


def test_values_repeat_those_of_earlier_stretches(small: None, tmp_path: Path) -> None:
    """`#` repeats the value of the game before it, and `##` holds for all that follow, however far the two are apart."""
    source, dest = tmp_path / "a.pbn", tmp_path / "a.json"
    first = GAME.format(event="##Cup", number=1, north="Ann", deal=DEAL)
    later = '[Board "{}"]\r\n[North "#"]\r\n[Deal "N:' + DEAL + '"]\r\n\r\n'
    source.write_text(first + "".join(later.format(at) for at in range(2, 60)))
    rbn = tmp_path / "a.rbn"
    assert run("convert", source, rbn).exit_code == 0
    assert run("convert", rbn, dest).exit_code == 0
    text = dest.read_text()
    assert text.count('"event": "Cup"') == text.count('"Ann"') == 59


def test_memory_does_not_grow_with_a_text(tmp_path: Path) -> None:
    """A further board takes less than a kilobyte (read as a whole, 16): what is remembered of short texts, which has a limit."""
    line = next((SAMPLES / "gib").glob("*.gib")).read_bytes().splitlines(keepends=True)[0]
    peaks = []
    for count in (50, 1000, 3000):
        source = tmp_path / "a.gib"
        source.write_bytes(line * count)
        tracemalloc.start()
        assert run("convert", source, tmp_path / "a.csv").exit_code == 0
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[2] - peaks[1] < 1000 * 2000


class Failing:
    """Makes 29 boards."""

    def __init__(self, stop: BaseException, made: Callable[[Origin], Board]) -> None:
        self.stop, self.left, self.made = stop, 29, made

    def __call__(self, origin: Origin) -> Board:
        self.left -= 1
        if self.left < 0:
            raise self.stop
        return self.made(origin)


def test_what_stops_a_conversion_leaves_nothing(small: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """When some stretches are written and another cannot be, the old file stands, and nothing beside it."""
    source, dest = tmp_path / "a.pbn", tmp_path / "a.rbn"
    source.write_text(games(*["Bob"] * 42))
    dest.write_text("old")
    made = Board.untouched
    for stop in (BridgespecError("no space"), KeyboardInterrupt()):
        monkeypatch.setattr(Board, "untouched", Failing(stop, made))
        assert run("convert", source, dest).exit_code != 0
        assert dest.read_text() == "old"
        assert sorted(path.name for path in tmp_path.iterdir()) == ["a.pbn", "a.rbn"]
