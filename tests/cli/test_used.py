"""The command `used`: deals that were dealt before, in an archive or in the set itself."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from bridgespec import Board, Deal, Document, dump, load
from tests.told import numbers

from .running import SAMPLES, SIXTEEN, run

PBN = SAMPLES / "pbn" / "sixteen.pbn"


def test_a_new_set_is_clean(tmp_path: Path) -> None:
    """Deals that are in no file of the archive."""
    fresh = tmp_path / "fresh.pbn"
    dump(Document(tuple(Board(number=number, deal=Deal.random(number)) for number in range(1, 4))), fresh)
    done = run("used", fresh, "--archive", SAMPLES / "pbn", "--archive", SIXTEEN)
    assert done.exit_code == 0
    assert numbers(done.stderr)[0] == 3
    assert "none dealt before" in done.stderr


def test_deals_of_the_archive_are_found_in_any_format_and_turned(tmp_path: Path) -> None:
    """Each is named with the board and the file where it was; one that is turned by a seat too."""
    old = load(SIXTEEN).boards
    boards = [
        replace(old[4], number=1),
        Board(number=2, deal=Deal.random(1)),
        replace(old[6], number=3, deal=old[6].deal.rotated(1)),
    ]
    fresh = tmp_path / "fresh.pbn"
    dump(Document(tuple(boards)), fresh)
    done = run("used", fresh, "--archive", SIXTEEN)
    assert done.exit_code == 1
    assert done.stdout.count("warning[deal-used]") == 2
    told = [line.partition("warning[deal-used]: ")[2] for line in done.stdout.splitlines() if "deal-used" in line]
    assert [(numbers(line.partition(": ")[0]), line.rpartition("/")[2]) for line in told] == [
        ([1], "sixteen.dup, board 5"),
        ([3], "sixteen.dup, board 7"),
    ]


def test_a_deal_twice_in_the_set(tmp_path: Path) -> None:
    """It is found without an archive."""
    deal = Deal.random(1)
    fresh = tmp_path / "fresh.pbn"
    dump(Document((Board(number=1, deal=deal), Board(number=2, deal=deal))), fresh)
    done = run("used", fresh)
    assert done.exit_code == 1
    assert done.stdout.count("warning[deal-used]: board 2 ") == 1


def test_the_set_is_not_its_own_archive() -> None:
    """A set that lies in the folder of the archive is compared with the other files."""
    for folder in (SIXTEEN.parent, f"{SIXTEEN.parent.parent}/../samples/{SIXTEEN.parent.name}"):
        done = run("used", SIXTEEN, "--archive", folder)
        assert "sixteen.dup, board 1\n" not in done.stdout


def test_what_cannot_be_compared() -> None:
    """An archive without a file and a set without a deal are refused."""
    assert run("used", PBN, "--archive", "nothing/*.pbn").exit_code == 2
    assert run("used", SAMPLES / "zdd" / "nothing.zdd").exit_code == 2


def test_a_file_of_the_archive_that_cannot_be_read_is_left_out(tmp_path: Path) -> None:
    """It is reported, the others are compared, and the exit status is 1: a deal of it may have been dealt."""
    (tmp_path / "bad.pbn").write_text("nothing of bridge\n", "utf-8")
    (tmp_path / "good.pbn").write_bytes(PBN.read_bytes())
    done = run("used", SAMPLES / "dup" / "melbourne.dup", "--archive", tmp_path)
    assert done.exit_code == 1
    first, last = done.stderr.splitlines()
    assert first.startswith(f"error: {tmp_path / 'bad.pbn'}: ")
    assert numbers(last) == [2, 1]


def test_a_comma_in_a_name_is_no_end_of_it(tmp_path: Path) -> None:
    """The finding is about a board, and names the file only where the deal was before."""
    boards = load(SIXTEEN).boards[:1]
    dump(Document(boards), tmp_path / "a, b.pbn")
    dump(Document(boards), tmp_path / "c, d.pbn")
    done = run("used", tmp_path / "a, b.pbn", "--archive", tmp_path / "c, d.pbn")
    message = done.stdout.splitlines()[0].partition("warning[deal-used]: ")[2]
    assert message.startswith("board 1 was dealt before: ")
    assert message.endswith("c, d.pbn, board 1")
