"""A text that states one thing of a board twice and differently: a finding at each place, and no silent choice."""

from __future__ import annotations

from pathlib import Path

import pytest

from bridgespec.engines import Engine

ROWS = """\
//- id: rows
//- extensions: [rows]
start: boards*
boards: "b" number (" " res)* _NL
res: contract "/" declarer
contract: /[1-7](?:NT|[SHDC])/
declarer: "N" -> north | "E" -> east | "S" -> south | "W" -> west
//- {number: {}}
number: /[0-9]++/
_NL: /\\n/
"""


@pytest.fixture
def rows(tmp_path: Path) -> Engine:
    """An engine with a format whose boards have any number of results."""
    (tmp_path / "rows.lark").write_text(ROWS)
    return Engine([tmp_path])


def test_several_results_of_a_board_are_reported(rows: Engine) -> None:
    """Each later contract and declarer that differs from the first is an error beside it; equal ones are none."""
    report = rows.examine(b"b1 4S/N 3NT/E\nb2 2C/W 2C/W\nb3 1D/S\n", "rows")
    found = [
        (one.code, one.record, one.span and one.span.byte_start, [label.span.byte_start for label in one.labels])
        for one in report.errors
    ]
    assert found == [("mismatch", 0, 3, [3, 8]), ("mismatch", 0, 6, [6, 12])]
    assert [str(board.contract) for board in report.document.boards] == ["4S", "2C", "1D"]
