"""Texts are converted some records at a time: whatever their size, as from the whole text at once."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable, Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from pyarrow.parquet import read_table

from bridgespec.cli import board_sources
from bridgespec.codec.origin import Origin
from bridgespec.codec.writer import ValueMaker
from bridgespec.errors import BridgespecError
from bridgespec.model.board import Board
from bridgespec.model.document import Document
from tests.cli.running import SAMPLES, run
from tests.told import numbers

GAME = '[Event "{event}"]\r\n[Board "{number}"]\r\n[North "{north}"]\r\n[Deal "N:{deal}"]\r\n\r\n'
DEAL = ".63.AKQ987.A9732 A8654.KQ5.T.QJT6 J973.J98742.3.K4 KQT2.AT.J6542.85"


def games(*names: str) -> str:
    """A game for each name of North."""
    return "".join(GAME.format(event="Cup", number=at, north=name, deal=DEAL) for at, name in enumerate(names, 1))


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stretches of a few records."""
    monkeypatch.setattr(board_sources, "STRETCH_BYTES", 300)


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
        patch.setattr(board_sources, "STRETCH_BYTES", 1 << 20)
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
        patch.setattr(board_sources, "STRETCH_BYTES", 300)
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


@pytest.mark.long
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


def both(source: Path, target: str, *options: str) -> list[tuple[int, str, bytes | None]]:
    """Exit status, messages and bytes of a text that is converted at once, and some records at a time."""
    found = []
    dest = source.with_name(f"out.{target}")
    for size in (1 << 20, 300):
        dest.unlink(missing_ok=True)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(board_sources, "STRETCH_BYTES", size)
            done = run("convert", source, dest, *options)
        found.append((done.exit_code, done.stderr, dest.read_bytes() if dest.exists() else None))
    return found


PLAYED = '[Contract "{contract}"]\r\n[Declarer "S"]\r\n[Result "9"]\r\n\r\n'


@pytest.mark.parametrize("refused", [(), (3,), (1, 30), range(1, 43)])
def test_what_is_listed_ahead_of_the_first_board_is_that_of_all(
    refused: Sequence[int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """LIN lists the results of all boards first: those of later stretches too, without those of boards that are left out."""
    board = ValueMaker._board

    def cannot(self: ValueMaker, one: Board, index: int, document: Document) -> Mapping[str, Any]:
        if one.number in refused:
            self._cannot(index, "name: it is refused here")
        return board(self, one, index, document)

    monkeypatch.setattr(ValueMaker, "_board", cannot)
    source = tmp_path / "a.pbn"
    contracts = ("3NT", "4SX", "5D")
    text = games(*["Bob"] * 42).split("\r\n\r\n")[:-1]
    source.write_text("".join(f"{one}\r\n" + PLAYED.format(contract=contracts[at % 3]) for at, one in enumerate(text)))
    whole, parts = both(source, "lin")
    assert parts == whole
    assert whole[0] == (1 if 0 < len(refused) < 42 else 2 if refused else 0)
    if whole[2] is not None:
        assert whole[2].count(b"4SSx-1") == sum(at % 3 == 1 and at + 1 not in refused for at in range(42))


@pytest.mark.parametrize("target", ["rbn", "lin", "parquet"])
def test_a_pipe_is_read_as_a_file(target: str, small: None, tmp_path: Path) -> None:
    """Standard input is kept while it is read more than once, and what is written is that of a file."""
    source, dest = tmp_path / "a.pbn", tmp_path / f"a.{target}"
    source.write_text(games(*["Bob"] * 42))
    assert run("convert", source, dest).exit_code == 0
    done = run("convert", "-", "-", "--from", "pbn", "--to", target, data=source.read_bytes())
    assert (done.exit_code, done.stdout_bytes) == (0, dest.read_bytes())


@pytest.mark.parametrize("options", [(), ("--boards", "3,40-"), ("--declarer", "N")])
def test_the_table_of_a_text_is_that_of_its_boards(options: tuple[str, ...], tmp_path: Path) -> None:
    """Whatever is stated in later stretches alone has its column, and what is unread is reported once."""
    source = tmp_path / "a.pbn"
    source.write_text(games(*["Bob"] * 41) + GAME.format(event="Cup", number=42, north="Zoë", deal="x" + DEAL))
    whole, parts = both(source, "parquet", *options)
    assert parts[:2] == whole[:2]
    assert "1 place could" in whole[1]
    tables = [read_table(BytesIO(data or b"")) for *_, data in (whole, parts)]
    assert tables[0].equals(tables[1], check_metadata=True)


OWN = "% a comment ahead\r\n% further\r\n", "\r\n;the last words\r\n\r\n"
"""What stands around the games of a text."""


@pytest.mark.long
@pytest.mark.parametrize(
    "call",
    [
        ("convert", "{source}", "{dest}", "--declarer", "N"),
        ("join", "{source}", "{source}", "{dest}"),
        ("solve", "{source}", "-o", "{dest}"),
    ],
    ids=["convert", "join", "solve"],
)
def test_changed_boards_stay_in_their_text(call: tuple[str, ...], tmp_path: Path) -> None:
    """In the format of the source each stretch is the text that was read, with what has changed: the bytes are those of a file that
    is read whole, and what no board is in stays.
    """
    source, dest = tmp_path / "a.pbn", tmp_path / "b.pbn"
    gap = "\r\n".join(["% nothing but words"] * 40) + "\r\n\r\n"
    source.write_text(OWN[0] + games("Ann", "Bob") + gap + games("Cid", "Dan", "Eve").replace("Cup", "#") + OWN[1], newline="")
    words = [word.format(source=source, dest=dest) for word in call]
    whole = run(*words)
    expected = dest.read_bytes()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(board_sources, "STRETCH_BYTES", 300)
        found = run(*words)
    assert (found.exit_code, found.stderr, dest.read_bytes()) == (whole.exit_code, whole.stderr, expected)
    assert expected.startswith(OWN[0].encode())
    assert gap.encode() in expected
    assert expected.endswith(OWN[1].encode())
    assert (expected == source.read_bytes()) == (call[0] == "join")


@pytest.mark.long
def test_a_changed_text_takes_no_more_memory_than_its_stretches(tmp_path: Path) -> None:
    """A further board takes less than two kilobytes, whether it is changed where it stands or joined with another."""
    source, dest = tmp_path / "a.pbn", tmp_path / "b.pbn"
    for words in (["convert", source, dest, "--declarer", "N"], ["join", source, source, dest]):
        peaks = []
        for count in (50, 1000, 3000):
            source.write_text(games(*["Bob"] * count))
            tracemalloc.start()
            assert run(*words).exit_code == 0
            peaks.append(tracemalloc.get_traced_memory()[1])
            tracemalloc.stop()
        assert peaks[2] - peaks[1] < 1000 * 2000


@pytest.mark.parametrize(("first", "second", "counts"), [(3, 40, "3, 40"), (40, 3, "40, 3")])
def test_sources_of_different_lengths_are_not_joined(small: None, first: int, second: int, counts: str, tmp_path: Path) -> None:
    """The numbers of boards are those of the whole sources, and nothing is written."""
    one, two, dest = tmp_path / "a.pbn", tmp_path / "b.pbn", tmp_path / "c.rbn"
    one.write_text(games(*["Ann"] * first))
    two.write_text(games(*["Ann"] * second))
    done = run("join", one, two, dest)
    assert done.exit_code == 2
    assert done.stderr.endswith(f": {counts}\n")
    assert not dest.exists()


def test_boards_are_shown_as_they_are_solved(small: None, tmp_path: Path) -> None:
    """Whatever the stretches, every chosen board is drawn once, in order; a choice without a board is an error at the end."""
    source = tmp_path / "a.pbn"
    source.write_text(games(*(f"Name {at}" for at in range(1, 9))))
    shown = run("solve", source, "--boards", "2,5-7").stdout
    assert [name for at in range(1, 9) if (name := f"Name {at}") in shown] == ["Name 2", "Name 5", "Name 6", "Name 7"]
    absent = run("solve", source, "--boards", "8,99")
    assert absent.exit_code == 2
    assert numbers(absent.stderr) == [99, 1, 8]
    assert "Name 8" in absent.stdout
