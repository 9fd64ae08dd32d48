"""Boards that a target cannot hold are left out and said; the others are written."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from bridgespec.api import dumps, engine, loads
from bridgespec.errors import WriteError
from bridgespec.model.board import Board
from bridgespec.model.deal import Deal
from bridgespec.model.document import Document
from tests.codec.terms.support import board_formats

from .running import SAMPLES, run

WHOLE = loads((SAMPLES / "pbn" / "sixteen.pbn").read_bytes(), "pbn").boards[:4]
HALF = replace(WHOLE[1], deal=Deal(bytes([0] * 13 + [5] * 39)))
DOCUMENT = Document((WHOLE[0], HALF, Board(3), WHOLE[3]))
WITH_DEALS = [*board_formats(), "bri", "bre", "cds", "dge", "dup", "rzd", "zbd", "zrd"]


@pytest.mark.parametrize("format", WITH_DEALS)
def test_a_board_without_a_whole_deal_keeps_no_other_from_being_written(format: str) -> None:
    """Half a deal and none: each is written, or left out with a reason of its own; the other two are written."""
    output = engine().spell(DOCUMENT, format, partial=True)
    again = loads(output.data, format)
    deals = [board.deal for board in again.boards]
    assert deals[0] == WHOLE[0].deal
    assert WHOLE[3].deal in deals
    assert len(again.boards) + len(output.refused) == 4
    places = [found.record for found in output.refused]
    assert places == sorted(set(places))
    assert set(places) <= {1, 2}
    for found in output.refused:
        assert found.record is not None
        assert found.message.startswith(f"board {found.record + 1}: {format} cannot hold its ")
    if output.refused:
        with pytest.raises(WriteError):
            dumps(DOCUMENT, format)


def test_convert_writes_the_others_and_ends_with_status_1(tmp_path: Path) -> None:
    """One line for each reason, with the numbers of the boards; with --strict nothing is written."""
    source, target = tmp_path / "x.pbn", tmp_path / "x.zbd"
    boards = [replace(board, number=at + 11) for at, board in enumerate((HALF, *DOCUMENT.boards, HALF))]
    source.write_bytes(dumps(Document(tuple(boards)), "pbn"))
    result = run("convert", source, target)
    assert result.exit_code == 1
    assert target.stat().st_size == 2 * 13
    reason = "error[cannot-hold]: zbd cannot hold its deal: it is not a whole deal (W 13, N 0, E 0, S 0 cards)"
    assert f"{reason}: 3 boards are left out (11, 13, 16)" in result.stderr
    assert result.stderr.count("error[cannot-hold]: ") == 2
    assert "board 14 is" in result.stderr
    target.write_bytes(b"old")
    assert run("convert", source, target, "--strict").exit_code == 1
    assert target.read_bytes() == b"old"


def test_where_no_board_can_be_held_nothing_is_written(tmp_path: Path) -> None:
    """Status 2 with the reason; what was there stays."""
    source, target = tmp_path / "x.pbn", tmp_path / "x.gib"
    source.write_bytes(dumps(Document((HALF,)), "pbn"))
    target.write_bytes(b"old")
    result = run("convert", source, target)
    assert (result.exit_code, target.read_bytes()) == (2, b"old")
    assert re.findall(r"(\w) (\d+)\b", result.stderr.partition("(")[2]) == [("W", "13"), ("N", "0"), ("E", "0"), ("S", "0")]


def test_a_number_that_does_not_fit_is_said_in_words(tmp_path: Path) -> None:
    """The field of bytes is named, and its range."""
    output = engine().spell(Document((WHOLE[0], replace(WHOLE[1], number=1000))), "cds", partial=True)
    assert [found.message for found in output.refused] == [
        "board 2: cds cannot hold its number: 1000 is not an integer from 0 to 255"
    ]


def test_a_pair_that_cannot_be_spelled_costs_that_pair_alone() -> None:
    """A brace ends a value of RBX: the names are lost, and said; the board is written."""
    board = replace(WHOLE[0], players=("a}", "b", "c", "d"))
    output = engine().spell(Document((board,)), "rbx")
    assert loads(output.data, "rbx").boards[0].deal == board.deal
    assert any("a player's name" in found.message for found in output.findings)


@pytest.mark.parametrize(("boards", "shown"), [(10, "1, 2, 3, 4, 5, 6, 7, 8, 9, 10"), (12, "1, 2, 3, 4, 5, 6, 7, 8, 9, 10 ...")])
def test_of_many_boards_left_out_the_first_ten_are_named(boards: int, shown: str, tmp_path: Path) -> None:
    """With their count, and dots where there are more."""
    source = tmp_path / "x.pbn"
    halves = [replace(HALF, number=at + 1) for at in range(boards)]
    source.write_bytes(dumps(Document((*halves, replace(WHOLE[0], number=99))), "pbn"))
    assert f": {boards} boards are left out ({shown})\n" in run("convert", source, tmp_path / "x.zbd").stderr


def test_a_file_of_99_places_takes_99_boards_without_numbers() -> None:
    """The hundredth has no place; boards that have no number are counted."""
    unnumbered = tuple(replace(WHOLE[at % 4], number=None) for at in range(100))
    assert len(loads(dumps(Document(unnumbered[:99]), "dlm"), "dlm").boards) == 99
    with pytest.raises(WriteError, match="board 100: dlm cannot hold its number: it is not one of 1 to 99"):
        dumps(Document(unnumbered), "dlm")
