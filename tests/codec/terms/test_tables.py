"""Results of a board row by row, in a text and in bytes: they are the board's score table, as PBN has it."""

from __future__ import annotations

from pathlib import Path

import pytest

from bridgespec.engines import Engine
from bridgespec.model.board import Board
from bridgespec.model.document import Document
from bridgespec.model.table import Column, Table
from bridgespec.schema_checks import findings
from tests.targets.javascript import Reader, difference, expected_judgement, needs_node, write_module

SHORT = """//- id: sheet
//- extensions: [sheet]
start: boards*
boards: "b" number (" " res)* _NL
res: contract ("/" declarer)?
contract: /[1-7](?:NT|[SHDC])/
declarer: "N" -> north | "E" -> east | "S" -> south | "W" -> west
//- {number: {}}
number: /[0-9]++/
_NL: /\\n/
"""
LONG = """//- id: sheet
//- extensions: [sheet]
start: boards*
boards: "board " number _NL sheet?
sheet: "results" _NL line* "end" _NL
//- {as: score_row}
line: pair_ns "-" pair_ew " " (contract result " " declarer (" " lead)? " " score_ns | passed_out) _NL
//- {number: {}}
number: /[0-9]++/
//- {number: {pad-left: "0", width: 3}}
pair_ns: /[0-9]{3}/
//- {number: {pad-left: "0", width: 3}}
pair_ew: /[0-9]{3}/
contract: level strain doubling?
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
declarer: "N" -> north | "E" -> east | "S" -> south | "W" -> west
lead: /[SHDC][AKQJT2-9]/
score_ns: /[+-]?[0-9]++/
passed_out: "passed"
_NL: /\\n/
"""
BYTES = """
meta: {id: sheet, file-extension: sheet, endian: be}
seq: [{id: boards, type: board, repeat: eos}]
types:
  board:
    seq:
      - {id: number, type: u1}
      - {id: num_rows, type: u1, -bridge-value: rows.size}
      - {id: rows, type: row, repeat: expr, repeat-expr: num_rows}
  row:
    seq:
      - {id: pair_ns, type: u1}
      - {id: pair_ew, type: u1}
      - {id: contract, type: contract}
      - {id: declarer, type: u1, enum: seat}
      - {id: result, type: u1}
      - {id: score_ns, type: s2}
  contract:
    seq:
      - {id: level, type: u1}
      - {id: strain, type: u1, enum: strain}
      - {id: doubling, type: u1, enum: doubling}
enums:
  seat: {0: north, 1: east, 2: south, 3: west}
  strain: {0: clubs, 1: diamonds, 2: hearts, 3: spades, 4: notrump}
  doubling: {0: undoubled, 1: doubled, 2: redoubled}
"""
COLUMNS = ("PairId_NS", "PairId_EW", "Contract", "Declarer", "Result", "Score_NS")
ROWS = (("1", "2", "4SX", "N", "11", "690"), ("3", "14", "3NT", "E", "7", "100"))


def engine_of(folder: Path, schema: str) -> Engine:
    """An engine with the format, without a finding of `check-spec`."""
    path = folder / ("sheet.lark" if schema.startswith("//-") else "sheet.ksy")
    path.write_text(schema, "utf-8")
    assert [one.message for one in findings(path, ())[1]] == []
    return Engine([folder])


def table_of(engine: Engine, data: bytes, format: str = "sheet") -> Table:
    """The one table of the one board of a file."""
    (board,) = engine.read(data, format).document.boards
    (table,) = board.tables
    return table


def score_table(columns: tuple[str, ...], *rows: tuple[str, ...]) -> Table:
    """A score table."""
    return Table("ScoreTable", tuple(map(Column, columns)), rows)


@pytest.mark.long
@pytest.mark.parametrize(
    ("schema", "data", "columns", "rows"),
    [
        (SHORT, b"b1 4S/N 3NT/E 2C\n", ("Contract", "Declarer"), (("4S", "N"), ("3NT", "E"), ("2C", "-"))),
        (
            LONG,
            b"board 1\nresults\n001-002 4SX+1 N HK 690\n003-014 3NT-2 E 100\n005-006 passed\nend\n",
            ("PairId_NS", "PairId_EW", "Contract", "Declarer", "Result", "Lead", "Score_NS"),
            (
                ("001", "002", "4SX", "N", "11", "HK", "690"),
                ("003", "014", "3NT", "E", "7", "-", "100"),
                ("005", "006", "Pass", "-", "-", "-", "-"),
            ),
        ),
        (BYTES, bytes.fromhex("01 02 0102 040301 00 0b 02b2 030e 030400 01 07 0064"), COLUMNS, ROWS),
    ],
)
def test_rows_are_the_score_table(
    tmp_path: Path, schema: str, data: bytes, columns: tuple[str, ...], rows: tuple[tuple[str, ...], ...]
) -> None:
    """Read, written to PBN and back without a loss, and the file itself comes back byte for byte."""
    engine = engine_of(tmp_path, schema)
    assert table_of(engine, data) == score_table(columns, *rows)
    document = engine.read(data, "sheet").document
    assert engine.spell(document, "sheet").data == data
    pbn = engine.spell(document, "pbn")
    assert pbn.findings == ()
    assert table_of(engine, pbn.data, "pbn") == score_table(columns, *rows)
    back = engine.spell(engine.read(pbn.data, "pbn").document, "sheet")
    assert back.data == data


@pytest.mark.slice(None, quick=1)
@needs_node
@pytest.mark.parametrize(("at", "field"), [(5, "contract.strain"), (6, "contract.doubling"), (7, "declarer")])
def test_a_code_of_a_row_without_a_name_is_a_finding(tmp_path: Path, at: int, field: str) -> None:
    """At the part of the row, in a generated module too."""
    engine, data = engine_of(tmp_path, BYTES), bytearray(bytes.fromhex("01 01 0102 040301 00 0b 02b2"))
    data[at] = 9
    report, spec = engine.examine(bytes(data), "sheet"), engine.spec("sheet")
    assert [(one.code, one.field) for one in report.diagnostics] == [("unknown-code", f"boards[0].rows[0].{field}")]
    node = Reader()
    try:
        found = node.ask(write_module(spec, tmp_path), bytes(data), judge=1)[0]
    finally:
        node.close()
    assert not difference(found, expected_judgement(report, spec))


def test_what_has_no_room_is_told(tmp_path: Path) -> None:
    """A column by its name, and rows that the format cannot spell."""
    engine = engine_of(tmp_path, LONG)
    table = score_table((*COLUMNS, "Rank"), (*ROWS[0], "1"), (*ROWS[1][:2], "8NT", *ROWS[1][3:], "2"))
    written = engine.spell(Document((Board(number=1, tables=(table, Table("PlayTimeTable", (Column("A"),), (("1",),)))),)), "sheet")
    assert written.data == b"board 1\nresults\n001-002 4SX+1 N 690\nend\n"
    assert sorted(one.message for one in written.findings) == [
        "sheet cannot hold rows of ScoreTable",
        "sheet cannot hold the column Rank of ScoreTable",
        "sheet cannot hold the table PlayTimeTable",
    ]


def test_a_line_that_may_be_a_contract_is_no_row(tmp_path: Path) -> None:
    """Settings of a board, one a line, stay its contract and its declarer."""
    settings = SHORT.replace('(" " res)*', '(" " res)+').replace(
        'res: contract ("/" declarer)?', 'res: "c=" contract | "d=" declarer'
    )
    (board,) = engine_of(tmp_path, settings).read(b"b1 c=4S d=N\n", "sheet").document.boards
    assert (str(board.contract), board.tables) == ("4S", ())
