"""Boards that a target cannot hold are left out and said; the others are written.

`convert --by-number`: the boards of one number become one, with a table of their results.
"""

from __future__ import annotations

import re
import weakref
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from bridgespec import dump, load
from bridgespec.api import dumps, engine, loads
from bridgespec.errors import WriteError
from bridgespec.model.board import Board, Comment
from bridgespec.model.deal import Deal
from bridgespec.model.document import Document
from bridgespec.scoring.report import merged
from tests.codec.terms.support import board_formats
from tests.told import numbers

from .running import SAMPLES, run

WITH_DEALS = [*board_formats(), "bri", "bre", "cds", "dge", "dup", "rzd", "zbd", "zrd"]


@cache
def whole() -> tuple[Board, ...]:
    """Four boards with whole deals."""
    return loads((SAMPLES / "pbn" / "sixteen.pbn").read_bytes(), "pbn").boards[:4]


def half() -> Board:
    """A board with half a deal."""
    return replace(whole()[1], deal=Deal(bytes([0] * 13 + [5] * 39)))


def mixed() -> Document:
    """Whole boards, one with half a deal and one without a deal."""
    return Document((whole()[0], half(), Board(3), whole()[3]))


@pytest.mark.parametrize("format", WITH_DEALS)
def test_a_board_without_a_whole_deal_keeps_no_other_from_being_written(format: str) -> None:
    """Half a deal and none: each is written, or left out with a reason of its own; the other two are written."""
    output = engine().spell(mixed(), format, partial=True)
    again = loads(output.data, format)
    deals = [board.deal for board in again.boards]
    assert deals[0] == whole()[0].deal
    assert whole()[3].deal in deals
    assert len(again.boards) + len(output.refused) == 4
    places = [found.record for found in output.refused]
    assert places == sorted(set(places))
    assert set(places) <= {1, 2}
    for found in output.refused:
        assert found.record is not None
        assert found.message.startswith(f"board {found.record + 1}: {format} cannot hold its ")
    if output.refused:
        with pytest.raises(WriteError):
            dumps(mixed(), format)


def test_convert_writes_the_others_and_ends_with_status_1(tmp_path: Path) -> None:
    """One line for each reason, with the numbers of the boards; with --strict nothing is written."""
    source, target = tmp_path / "x.pbn", tmp_path / "x.zbd"
    boards = [replace(board, number=at + 11) for at, board in enumerate((half(), *mixed().boards, half()))]
    source.write_bytes(dumps(Document(tuple(boards)), "pbn"))
    result = run("convert", source, target)
    assert result.exit_code == 1
    assert target.stat().st_size == 2 * 13
    part, none = (line.removeprefix("error[cannot-hold]: ") for line in result.stderr.splitlines() if "cannot-hold" in line)
    assert numbers(part) == [13, 0, 0, 0, 3, 11, 13, 16]
    assert numbers(none) == [14]
    target.write_bytes(b"old")
    assert run("convert", source, target, "--strict").exit_code == 1
    assert target.read_bytes() == b"old"


def test_where_no_board_can_be_held_nothing_is_written(tmp_path: Path) -> None:
    """Status 2 with the reason; what was there stays."""
    source, target = tmp_path / "x.pbn", tmp_path / "x.gib"
    source.write_bytes(dumps(Document((half(),)), "pbn"))
    target.write_bytes(b"old")
    result = run("convert", source, target)
    assert (result.exit_code, target.read_bytes()) == (2, b"old")
    assert re.findall(r"(\w) (\d+)\b", result.stderr.partition("(")[2]) == [("W", "13"), ("N", "0"), ("E", "0"), ("S", "0")]


def test_a_number_that_does_not_fit_is_said_in_words(tmp_path: Path) -> None:
    """The field of bytes is named, and its range."""
    output = engine().spell(Document((whole()[0], replace(whole()[1], number=1000))), "cds", partial=True)
    assert [found.message for found in output.refused] == [
        "board 2: cds cannot hold its number: 1000 is not an integer from 0 to 255"
    ]


def test_a_pair_that_cannot_be_spelled_costs_that_pair_alone() -> None:
    """A brace ends a value of RBX: the names are lost, and said; the board is written."""
    board = replace(whole()[0], players=("a}", "b", "c", "d"))
    output = engine().spell(Document((board,)), "rbx")
    assert loads(output.data, "rbx").boards[0].deal == board.deal
    assert any("a player's name" in found.message for found in output.findings)


@pytest.mark.parametrize(("boards", "shown"), [(10, "1, 2, 3, 4, 5, 6, 7, 8, 9, 10"), (12, "1, 2, 3, 4, 5, 6, 7, 8, 9, 10 ...")])
def test_of_many_boards_left_out_the_first_ten_are_named(boards: int, shown: str, tmp_path: Path) -> None:
    """With their count, and dots where there are more."""
    source = tmp_path / "x.pbn"
    halves = [replace(half(), number=at + 1) for at in range(boards)]
    source.write_bytes(dumps(Document((*halves, replace(whole()[0], number=99))), "pbn"))
    (left_out,) = (line for line in run("convert", source, tmp_path / "x.zbd").stderr.splitlines() if "cannot-hold" in line)
    count, _, listed = left_out.rpartition(": ")[2].partition(" (")
    assert (numbers(count), listed.removesuffix(")")) == ([boards], shown)


def test_a_file_of_99_places_takes_99_boards_without_numbers() -> None:
    """The hundredth has no place; boards that have no number are counted."""
    unnumbered = tuple(replace(whole()[at % 4], number=None) for at in range(100))
    assert len(loads(dumps(Document(unnumbered[:99]), "dlm"), "dlm").boards) == 99
    with pytest.raises(WriteError, match="board 100: dlm cannot hold its number: it is not one of 1 to 99"):
        dumps(Document(unnumbered), "dlm")


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


def test_a_target_without_bridge_meaning_is_refused(tmp_path: Path) -> None:
    """Boards and rows of a table are not written to a format that can hold none of them, and no empty file is made."""
    (tmp_path / "bare.ksy").write_text(
        "meta: {id: bare, file-extension: bare}\nseq:\n  - {id: a, type: u1, repeat: eos}\n", "utf-8"
    )
    dup = SAMPLES / "dup" / "melbourne.dup"
    assert run("convert", dup, tmp_path / "deals.parquet", "-q").exit_code < 2
    for source in (dup, tmp_path / "deals.parquet"):
        assert run("--specs", tmp_path, "convert", source, tmp_path / "x.bare").exit_code == 2
        assert not (tmp_path / "x.bare").exists()
    (tmp_path / "y.bare").write_bytes(b"abc")
    assert run("--specs", tmp_path, "convert", tmp_path / "y.bare", tmp_path / "x.bare").exit_code == 0
    assert (tmp_path / "x.bare").read_bytes() == b"abc"
