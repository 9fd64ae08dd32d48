"""`convert --by-number`: the boards of one number become one, with a table of their results."""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from bridgespec import Board, Deal, Document, dump, load
from bridgespec.model.board import Comment
from bridgespec.scoring.report import merged
from tests.told import numbers

from .running import run


@pytest.fixture
def rooms(tmp_path: Path) -> tuple[Path, Path]:
    """The two rooms of a match over two boards; the second file begins with the second board."""
    deals = [Deal.random(seed) for seed in (1, 2)]
    texts = (
        ["contract 4S by N; result 10", "contract 3NT by E; result 7"],
        ["contract 3NT by S; result 9", "contract 1NT by W; result 8"],
    )
    paths = tmp_path / "open.pbn", tmp_path / "closed.pbn"
    for path, room, names in zip(paths, texts, ("abcd", "efgh"), strict=True):
        boards = [Board.parse(f"{number}; vulnerability none; {text}") for number, text in enumerate(room, 1)]
        boards = [replace(board, deal=deal, players=tuple(names)) for board, deal in zip(boards, deals, strict=True)]
        dump(Document(tuple(boards if room is texts[0] else boards[::-1])), path)
    return paths


def test_results_are_merged(rooms: tuple[Path, Path], tmp_path: Path) -> None:
    """In the order of the numbers; `score` makes the ranking of what is written."""
    dest = tmp_path / "match.pbn"
    assert run("convert", *rooms, "-o", dest, "--by-number").exit_code == 0
    boards = load(dest).boards
    assert [board.number for board in boards] == [1, 2]
    assert [board.tables[0].column("Score_NS") for board in boards] == [("420", "400"), ("100", "-120")]
    assert boards[0].tables[0].column("PairId_NS") == ("b/d", "f/h")
    assert boards[0].deal == Deal.random(1)
    done = run("score", dest, "--no-solve")
    assert done.exit_code == 0
    assert [line.split()[:2] for line in done.stdout.splitlines()[2:4]] == [["1", "b/d"], ["2", "f/h"]]


@pytest.mark.parametrize("format", ["pbn", "lin", "zbd"])
def test_boards_of_two_clubs_that_no_other_has(rooms: tuple[Path, Path], tmp_path: Path, format: str) -> None:
    """A board whose number occurs once stays as it was read: two sets of boards become one."""
    other, dest = tmp_path / "other.pbn", tmp_path / f"all.{format}"
    dump(Document(tuple(Board(number=number, deal=Deal.random(number)) for number in (3, 4))), other)
    done = run("convert", other, rooms[0], "-o", dest, "--by-number")
    assert done.exit_code == 0, done.stderr
    boards = load(dest).boards
    assert [board.deal for board in boards] == [Deal.random(number) for number in (1, 2, 3, 4)]
    if format == "pbn":
        assert boards[0].players == load(rooms[0]).boards[0].players


def test_different_deals_of_one_number_are_refused(rooms: tuple[Path, Path], tmp_path: Path) -> None:
    """They are two sets, which no table of results can put together."""
    other = tmp_path / "other.pbn"
    dump(Document((Board(number=2, deal=Deal.random(9)),)), other)
    done = run("convert", *rooms, other, "-o", tmp_path / "x.pbn", "--by-number")
    assert (done.exit_code, numbers(done.stderr.rpartition("(pbn)")[2])) == (2, [2, 2])
    assert not (tmp_path / "x.pbn").exists()


def test_what_tables_have_no_place_for_is_reported(rooms: tuple[Path, Path], tmp_path: Path) -> None:
    """Auctions and plays of boards that are merged; with --strict that is a failure."""
    text = rooms[0].read_text("utf-8").replace('[Result "10"]', '[Result "10"]\n[Auction "N"]\n4S AP')
    rooms[0].write_text(text, "utf-8")
    done = run("convert", *rooms, "-o", tmp_path / "x.pbn", "--by-number")
    (lost,) = (line for line in done.stderr.splitlines() if "warning[lost]" in line)
    assert ("auction" in lost, numbers(lost)) == (True, [1])
    assert run("convert", *rooms, "-o", tmp_path / "x.pbn", "--by-number", "--strict").exit_code == 1


def test_a_board_is_not_kept_once_it_is_merged() -> None:
    """Of tables after the first of a number only the result is kept, so that memory does not grow with auctions and plays."""
    released: list[int] = []

    class Noted(str):
        """A text whose end is told; boards have no room for one who watches them."""

    def tables() -> Iterator[Board]:
        for count in range(20):
            text = Noted("a remark")
            weakref.finalize(text, released.append, count)
            board = Board.parse(f"1; vulnerability none; contract 4S by N; result {count % 14}")
            yield replace(board, comments=(Comment(text),))
            del board, text
            assert len(released) >= count - 2

    (board,), left = merged(tables())
    assert len(board.tables[0].rows) == 20
    assert left == ["the comments of 20 tables"]
