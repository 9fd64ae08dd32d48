"""A board goes into a table and comes out as it was, whatever it says, and whichever way it went in."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridgespec.engines import engine
from bridgespec.errors import ReadError, WriteError
from bridgespec.model import evaluate
from bridgespec.model.board import Board, Vulnerability
from bridgespec.model.cards import Seat
from bridgespec.model.deal import Deal
from bridgespec.model.document import Document
from bridgespec.model.par import par
from bridgespec.model.tricks import UNSOLVED, Tricks
from bridgespec.tables.batches import boards_of
from bridgespec.tables.columns import DERIVED, EVERY, HANDS, columns_of
from bridgespec.tables.table_files import KINDS, TableFile
from bridgespec.tabular import BoardTable, document_of, of_document, of_report, table
from tests.generate import deals
from tests.generate.documents import documents
from tests.generate.house import engine as house
from tests.generate.strategies import meaningful
from tests.tables.support import SAMPLES, boards

CELLS = st.lists(st.integers(0, 13), min_size=20, max_size=20).map(bytes)


def through(source: BoardTable, kind: str) -> list[Board]:
    """The boards of a table that went through a file."""
    file = io.BytesIO()
    source.save(file, KINDS[kind])
    return [board for batch in TableFile(io.BytesIO(file.getvalue()), KINDS[kind], "x").batches() for board in boards_of(batch)]


@pytest.mark.long
@given(st.lists(boards(), max_size=3), st.sampled_from(sorted(KINDS)), st.booleans())
def test_any_board_comes_back(some: list[Board], kind: str, derived: bool) -> None:
    """Boards come back from a file of each kind as they were, nonsense included, with the derived columns or without."""
    assert through(of_document(Document(tuple(some)), derived, terms=EVERY), kind) == some


@pytest.mark.slice(None, quick=2)
@given(st.data())
@pytest.mark.parametrize("format", meaningful())
def test_what_a_format_holds_is_in_its_table(format: str, data: st.DataObject) -> None:
    """The boards of a file's table are those that the reader gives."""
    written = house().spell(data.draw(documents(format)), format).data
    document = house().read(written, format).document
    assert tuple(table(written, format, specs=house().catalog.folders).boards()) == document.boards
    assert through(of_document(document), "parquet") == list(document.boards)


@pytest.mark.slice(None, quick=30)
@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_every_sample_is_a_table(path: Path) -> None:
    """The good and the bad samples of every format give the boards that the reader gives, a row each."""
    report = engine().read(path.read_bytes(), None, str(path))
    found = table(path)
    if not report.document.boards and any(one.code == "truncated" for one in report.errors):
        with pytest.raises(ReadError, match="header"):
            list(found.boards())
        return
    boards = list(found.boards())
    assert boards == list(report.document.boards)
    if boards:
        assert sum(found.read()["findings"].to_pylist()) <= len(report.diagnostics)


@pytest.mark.parametrize(
    "path", [path for path in SAMPLES if path.suffix in (".zrd", ".zbd", ".zdd", ".bri")], ids=lambda p: p.name
)
def test_arrays_and_boards_make_the_same_table(path: Path) -> None:
    """Files that are read as arrays give the rows that their boards give: records with faults, and their counts, among them."""
    report = engine().read(path.read_bytes(), None, str(path))
    by_boards = of_report(engine(), report, None, True)
    by_arrays = table(path, derived=True).read()
    assert by_arrays.to_pylist() == by_boards.read().to_pylist()


def test_findings_are_counted() -> None:
    """A record with a fault is a row like the others, and says so."""
    source = table("tests/samples/zrd/bad/fourteen.zrd").read()
    assert source.num_rows == len(engine().read(Path("tests/samples/zrd/bad/fourteen.zrd").read_bytes(), "zrd").document.boards)
    assert max(source["findings"].to_pylist()) > 0


def test_what_is_said_of_the_whole_file_is_kept() -> None:
    """Event, tags and comments of a document stand in the metadata and come back."""
    document = Document((Board(1),), event="Final", tags=(("A", "1"), ("A", "2")))
    assert document_of(of_document(document)) == document


def test_metadata_say_where_a_table_is_from() -> None:
    """The schema's number, the format with the checksum of its schema, and the checksum of the source."""
    about = table("tests/samples/zrd/bad/fourteen.zrd").schema.metadata
    assert about[b"bridgespec.table"] == b"1"
    assert about[b"bridgespec.spec"] == b"zrd"
    assert len(about[b"bridgespec.spec.sha256"]) == len(about[b"bridgespec.source.sha256"]) == 64


def test_columns_follow_the_terms() -> None:
    """A table has the columns of what its format can hold, in the order of the model."""
    names = [column.name for column in columns_of({"tricks", "deal", "dealer"})]
    assert names == ["dealer", "west", "north", "east", "south", "out", "conflicts", "tricks", "findings"]


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_a_file_that_is_no_table_is_said(kind: str) -> None:
    """Whatever stands in a file of the name, there is a message and no traceback."""
    for data in (b"", b"PAR1", b"ARROW1\0\0", b"PAR1" * 40, bytes(100)):
        with pytest.raises(ReadError, match="not a file of"):
            TableFile(io.BytesIO(data), KINDS[kind], "x")


def _rows(values: Sequence[object], name: str) -> BoardTable:
    return of_document(Document(tuple(replace(Board(1), **{name: value}) for value in values)))  # type: ignore[arg-type]


def test_a_value_beyond_its_column_is_refused() -> None:
    """A number of more than 64 bits, and a text that is not Unicode, name their column."""
    for name, value in (("score", 1 << 70), ("event", "\ud800")):
        with pytest.raises(WriteError, match=f"the column {name}"):
            _rows([value], name).read()


def test_the_old_file_stands_where_writing_fails(tmp_path: Path) -> None:
    """A table that breaks off while it is written leaves the file that was there, and nothing beside it."""
    target = tmp_path / "x.parquet"
    _rows([1], "score").write(target)
    before = target.read_bytes()
    with pytest.raises(WriteError):
        _rows([1] * 5000 + [1 << 70], "score").write(target)
    assert target.read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["x.parquet"]


@given(deals.complete(), st.one_of(st.none(), st.sampled_from(Seat)), st.one_of(st.none(), st.sampled_from(Vulnerability)), CELLS)
def test_columns_are_those_of_the_model(deal: Deal, dealer: Seat | None, vulnerability: Vulnerability | None, cells: bytes) -> None:
    """Each derived column has the value that the model gives, for the dealer and vulnerability of the board or its number."""
    board = Board(5, dealer, vulnerability, deal, Tricks(cells))
    (row,) = of_document(Document((board,)), derived=True).read().to_pylist()
    for name, hand in zip(HANDS, evaluate.hands_of_deal(deal.holders), strict=True):
        values = evaluate.evaluate(hand)
        assert [row[f"{name}_{term}"] for term in ("hcp", "controls", "losers")] == [
            values[evaluate.TERMS[term]] for term in ("hcp", "controls", "losers")
        ]
        assert [row[f"{name}_{suit}"] for suit in ("spades", "hearts", "diamonds", "clubs")] == [one.bit_count() for one in hand]
        assert row[f"{name}_shape"] == evaluate.shape(hand)
    assert board.effective_dealer is not None
    assert board.effective_vulnerability is not None
    expected = par(Tricks(cells), board.effective_dealer, board.effective_vulnerability)
    if any(cells):
        assert row["par_score"] == expected.score
    assert {column.name for column in DERIVED} <= row.keys()


def test_what_is_not_known_is_null() -> None:
    """A hand that is not whole has no points, a table with an unknown cell no par, and no board without either is refused."""
    part = Deal.parse("N:AKQJT98765432... - - -")
    boards = (Board(1, deal=part, tricks=Tricks.unknown()), Board(2), Board(3, tricks=Tricks(bytes(20))))
    rows = of_document(Document(boards), derived=True).read().to_pylist()
    assert [row["north_hcp"] for row in rows] == [10, None, None]
    assert rows[0]["north_shape"] == "13000"
    assert [row["south_hcp"] for row in rows] == [None, None, None]
    assert [row["par_score"] for row in rows] == [None, None, None]
    assert Tricks.unknown().cells == bytes([UNSOLVED]) * 20


def test_a_board_passed_out_has_no_side() -> None:
    """Where nobody makes anything par is nothing; else it has the side that scores or saves."""
    nothing, south, west = (Tricks(bytes([*cells] * 5)) for cells in ((6, 6, 6, 6), (5, 8, 5, 8), (9, 4, 9, 4)))
    boards = tuple(Board(1, tricks=tricks) for tricks in (nothing, south, west))
    rows = of_document(Document(boards), derived=True).read().to_pylist()
    assert [row["par_side"] for row in rows] == [None, "NS", "EW"]
    assert [row["par_contract"] for row in rows] == ["Pass", "1NT", "3NT"]
    assert [row["par_score"] for row in rows] == [0, 120, -400]
