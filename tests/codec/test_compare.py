"""What a record of a text states twice: rows of results are its table, anything else that differs is a finding."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from bridgespec.engines import Engine

HEAD = """\
//- id: twice
//- extensions: [twice]
start: boards*
contract: /[1-7](?:NT|[SHDC])/
declarer: "N" -> north | "E" -> east | "S" -> south | "W" -> west
//- {number: {}}
number: /[0-9]++/
_NL: /\\n/
"""
ROWS = HEAD + 'boards: "b" number (" " res)* _NL\nres: contract "/" declarer\n'
VALUES = HEAD + 'boards: "b" number " " (declarer " ")* contract _NL\n'


@pytest.fixture
def engine_of(tmp_path: Path) -> Callable[[str], Engine]:
    """Make an engine that knows one grammar."""

    def made(grammar: str) -> Engine:
        (tmp_path / "twice.lark").write_text(grammar)
        return Engine([tmp_path])

    return made


def test_several_values_that_differ_are_reported(engine_of: Callable[[str], Engine]) -> None:
    """A later declarer that differs from the first is an error beside it; an equal one is none."""
    report = engine_of(VALUES).examine(b"b1 N E 4S\nb2 W W 2C\nb3 S 1D\n", "twice")
    found = [(one.code, one.record, one.span.byte_start, [label.span.byte_start for label in one.labels]) for one in report.errors]
    assert found == [("mismatch", 0, 3, [3, 5])]
    assert [str(board.declarer) for board in report.document.boards] == ["North", "West", "South"]


def test_rows_of_results_are_a_table(engine_of: Callable[[str], Engine]) -> None:
    """Records that each have a contract are what different tables did: none of them is the board's own, and none is lost."""
    report = engine_of(ROWS).examine(b"b1 4S/N 3NT/E\nb2 2C/W 2C/W\n", "twice")
    assert not report.errors
    assert [board.contract for board in report.document.boards] == [None, None]
    tables = [board.tables[0] for board in report.document.boards]
    assert [table.name for table in tables] == ["ScoreTable", "ScoreTable"]
    assert [table.rows for table in tables] == [(("4S", "N"), ("3NT", "E")), (("2C", "W"), ("2C", "W"))]
