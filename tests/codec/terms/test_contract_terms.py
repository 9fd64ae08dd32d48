"""Results and contracts as a grammar declares them without Python: read, written and converted."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from bridgespec.model.document import Document
from tests.codec.terms.test_hands import SEAT, engine_of

CONTRACTS = """boards: "Board " number " " played _NL
played: contract (result " by " declarer)?
contract: level strain doubling? | passed_out
passed_out: "passed"
//- {number: {}}
level: /[1-7]/
strain: "NT" -> notrump | "S" -> spades | "H" -> hearts | "D" -> diamonds | "C" -> clubs
doubling: "XX" -> redoubled | "X" -> doubled
result: just_made | "+" overtricks | "-" undertricks
just_made: "="
//- {number: {}}
overtricks: /[1-6]/
//- {number: {}}
undertricks: /1[0-3]|[1-9]/
declarer: seat
"""


@pytest.mark.parametrize(
    ("spelled", "contract", "tricks"),
    [
        ("4HX-1 by South", "4HX", 9),
        ("3NT= by East", "3NT", 9),
        ("2C+3 by North", "2C", 11),
        ("7SXX-13 by West", "7SXX", 0),
        ("passed", "Pass", None),
    ],
)
def test_a_result_is_counted_from_the_contract(tmp_path: Path, spelled: str, contract: str, tricks: int | None) -> None:
    """`=`, `+1` and `-2` are read and written with the contract beside them."""
    engine = engine_of(tmp_path, CONTRACTS + SEAT)
    (board,) = engine.read(f"Board 1 {spelled}\n".encode(), "habits").document.boards
    assert (str(board.contract), board.result) == (contract, tricks)
    pbn = engine.spell(Document((replace(board, origin=None),)), "pbn").data
    assert engine.spell(engine.read(pbn, "pbn").document, "habits").data.decode() == f"Board 1 {spelled}\n"


@pytest.mark.parametrize(
    ("text", "wrong"),
    [("6NTXX-13", "13"), ("7S+1", "1"), ("1C-8", "8"), ("6NT-12", ""), ("7S=", ""), ("1C-7", ""), ("7NT-13", "")],
)
def test_a_result_has_0_to_13_tricks(tmp_path: Path, text: str, wrong: str) -> None:
    """Counted from its contract, a result that no play has is a finding at the number; the text comes back as it was."""
    engine = engine_of(tmp_path, CONTRACTS + SEAT)
    data = f"Board 1 {text} by South\n".encode()
    report = engine.examine(data, "habits")
    found = [(one.code, data[one.span.byte_start : one.span.byte_stop].decode()) for one in report.diagnostics if one.span]
    assert found == ([("bad-result", wrong)] if wrong else [])
    assert (report.document.boards[0].result is None) == bool(wrong)
    assert engine.spell(report.document, "habits").data == data


def test_a_code_for_undoubled_is_written(tmp_path: Path) -> None:
    """Two columns of a double are blank where there is none; a code that a format has is never left out."""
    rules = CONTRACTS.replace("strain doubling? |", "strain doubling |")
    rules = rules.replace('"X" -> doubled', '"X " -> doubled | "  " -> undoubled')
    engine = engine_of(tmp_path, rules + SEAT)
    for text in ("4S   by South", "4SX  by South", "4SXX by South"):
        text = text.replace(" by", "= by")
        report = engine.examine(f"Board 1 {text}\n".encode(), "habits")
        assert report.diagnostics == ()
        board = replace(report.document.boards[0], origin=None)
        assert engine.spell(Document((board,)), "habits").data.decode() == f"Board 1 {text}\n"
