"""Texts where terms read numbers: digits of other scripts, superscripts, two signs and letters are none, and no error of Python."""

from __future__ import annotations

from pathlib import Path

import pytest

from bridgespec import loads
from bridgespec.engines import Engine
from bridgespec.model.convention_card import Meaning
from bridgespec.model.document import Document

from .support import SPECS

ROOT = SPECS.parent
LEAGUE = ROOT / "tests/shapes/league"
DEAL = "md|3SAKQJT98765432,HAKQJT98765432,DAKQJT98765432,|"
SCORES = """//- {id: own, extensions: [own], model: boards}
start: boards*
boards: number " " dealer " " score "\\n"
//- {number: {}}
number: /[1-9][0-9]*/
dealer: "N" -> north | "E" -> east
score: points side
side: "NS" -> ns | "EW" -> ew
//- {number: NUMERAL}
points: /[^\\nNE]+/
"""
LENGTHS = ("shortest: /[0-8]/", "shortest: /[^0-9\\r\\n]+|[0-9]/")


def read(folder: Path, name: str, source: str, data: str) -> tuple[Document, list[tuple[str, int]]]:
    """What a grammar of the user's reads in a text, and the code and offset of each finding."""
    (folder / f"{name}.lark").write_text(source)
    report = Engine([folder]).read(data.encode(), name)
    return report.document, [(one.code, one.span.byte_start) for one in report.diagnostics if one.span]


@pytest.mark.parametrize("first", ["²", "٣", "9" * 5000, "x", ""])
def test_a_first_board_that_is_no_number_is_ignored(first: str) -> None:
    """The list of results then begins with the number of the first board."""
    data = f"vg|T,S,I,{first},2,A,0,B,0|\nrs|4SN=,3NE-1|\nqx|o1|{DEAL}sv|o|\n"
    (board,) = loads(data.encode(), "lin").boards
    assert (board.number, board.result) == (1, 10)


@pytest.mark.parametrize(("result", "tricks"), [("²", ""), ("٩", ""), ("9" * 5000, ""), ("9", "3NT= N")])
def test_a_result_of_a_score_table_that_is_no_number_is_not_written(result: str, tricks: str) -> None:
    """A format whose rows have results relative to the contract has no row for it; any other result is such a row."""
    table = f'[ScoreTable "PairId_NS;PairId_EW;Contract;Declarer;Result;Score_NS"]\n1 2 3NT N {result} +400\n'
    data = f'[Board "1"]\n[Dealer "N"]\n{table}'
    written = Engine([LEAGUE]).spell(loads(data.encode(), "pbn"), "league").data.decode()
    assert ("1/2" in written, tricks in written) == (bool(tricks), True)


@pytest.mark.parametrize(
    ("numeral", "points", "score"),
    [
        ("{}", "-420", -420),
        ("{}", "+420", 420),
        ("{}", "--420", None),
        ("{}", "+-420", None),
        ("{}", "-²", None),
        ("{}", "-" + "9" * 5000, None),
        ("{numerals: abcdefghij}", "-eca", -420),
    ],
)
def test_points_have_one_sign(numeral: str, points: str, score: int | None, tmp_path: Path) -> None:
    """Behind it the numerals of the schema, which need not be those of `int`; any other text is reported where it is."""
    document, found = read(tmp_path, "own", SCORES.replace("NUMERAL", numeral), f"1 N -NS\n2 N {points}NS\n")
    assert document.boards[1].score == score
    assert found == [("not-a-number", 12)] * (score is None)


@pytest.mark.parametrize(("shortest", "lengths"), [("5", (5, 8)), ("²", None), ("x", None)])
def test_a_length_that_is_no_number_leaves_the_record_its_other_parts(
    shortest: str, lengths: tuple[int, int] | None, tmp_path: Path
) -> None:
    """The record then states no lengths."""
    source = (SPECS / "bss.lark").read_text().replace(*LENGTHS).replace("(lengths | bad_lengths | no_lengths)", "lengths")
    document, _ = read(tmp_path, "bss", source, f"001H=NYYYYYY5{shortest}8five hearts\n")
    assert document.system is not None
    (record,) = document.system.records
    assert isinstance(record, Meaning)
    assert (record.lengths, record.text) == (lengths, "five hearts")


def test_an_unreadable_number_of_a_board_keeps_the_later_ones(tmp_path: Path) -> None:
    """The outcomes behind it are those of their boards."""
    source = (SPECS / "lin.lark").read_text().replace("number: /[0-9]{1,6}/", "number: /[0-9x]{1,6}/")
    boards = "".join(f"qx|o{number}|{DEAL}sv|o|\n" for number in (1, 2, 3))
    head = "vg|T,S,I,1,3,A,0,B,0|\nrs|4SN=,,4SN+1,,4SN+2,|\n"
    document, _ = read(tmp_path, "lin", source, f"{head}bn|1,x,3|\npg||\n{boards}")
    assert [board.result for board in document.boards] == [10, None, 12]
