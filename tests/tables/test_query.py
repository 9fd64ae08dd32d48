"""Questions: the functions say what the model says, nothing is written or read beside what is named, and bad SQL has a place."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bridgespec
from bridgespec.errors import UsageError
from bridgespec.model import evaluate
from bridgespec.model.board import Vulnerability, standard_dealer, standard_vulnerability
from bridgespec.model.cards import Seat, Strain
from bridgespec.model.contract import Contract, Doubling
from bridgespec.model.par import par
from bridgespec.model.score import imps, points
from bridgespec.model.tricks import Tricks
from bridgespec.tables.query import QuerySession, tables_named

SOLVED = Path(__file__).parent / "data" / "rpdd-2000.zrd"
QUESTIONS = sorted((Path(__file__).parents[2] / "examples" / "questions").glob("*.sql"))
DEALS = "deals.zrd"


@pytest.fixture(scope="module")
def session() -> Any:
    """The sample under the name of a file."""
    with QuerySession({DEALS: bridgespec.table(SOLVED, derived=True), "deals": bridgespec.table(SOLVED, derived=True)}) as opened:
        yield opened


def ask(session: QuerySession, question: str) -> list[dict[str, Any]]:
    """The rows of an answer."""
    rows: list[dict[str, Any]] = session.ask(question).read_all().to_pylist()
    return rows


def test_functions_of_hands_are_those_of_the_model(session: QuerySession) -> None:
    """Points, controls, losers, lengths, shapes and texts of hands, for a hundred deals."""
    rows = ask(
        session,
        """SELECT hcp(east) hcp, controls(east) controls, losers(east) losers, shape(east) shape, balanced(east) balanced,
        length(east, 's') spades, length(east, 'C') clubs, hand_text(east) hand, pattern(east) pattern,
        deal_text(west, north, east, south) deal FROM 'deals.zrd' LIMIT 100""",
    )
    boards = bridgespec.load(SOLVED).boards
    for row, board in zip(rows, boards[:100], strict=True):
        assert board.deal is not None
        hand = evaluate.hands_of_deal(board.deal.holders)[Seat.EAST]
        values = evaluate.evaluate(hand)
        for name in ("hcp", "controls", "losers", "balanced"):
            assert row[name] == values[evaluate.TERMS[name]]
        assert (row["spades"], row["clubs"]) == (hand[0].bit_count(), hand[3].bit_count())
        assert row["shape"] == evaluate.shape(hand)
        assert row["pattern"] == "=".join(str(one.bit_count()) for one in hand)
        assert row["hand"] == str(board.deal.hand(Seat.EAST))
        assert row["deal"] == str(board.deal)


@pytest.mark.long
def test_functions_of_results_are_those_of_the_model(session: QuerySession) -> None:
    """Tricks by strain and seat, the better of a side, and par by the board and by a vulnerability that is given."""
    cells = ", ".join(
        f"tricks(tricks, '{strain.label}', '{seat.letter}') AS {strain.label}{seat.letter}" for strain in Strain for seat in Seat
    )
    rows = ask(
        session,
        f"""SELECT {cells}, tricks(tricks, 'NT', 'ew') better, par(tricks, 'both') given, number,
        par(tricks, dealer_of(number), vulnerability_of(number)) own, par_contract(tricks, 'E', 'ns') contract,
        dealer_of(number) dealer, vulnerability_of(number) vulnerability FROM 'deals.zrd' LIMIT 100""",
    )
    for row, board in zip(rows, bridgespec.load(SOLVED).boards[:100], strict=True):
        assert board.tricks is not None
        assert [row[f"{strain.label}{seat.letter}"] for strain in Strain for seat in Seat] == list(board.tricks.cells)
        assert row["better"] == max(board.tricks.cells[0], board.tricks.cells[2])
        dealer, vulnerability = standard_dealer(row["number"]), standard_vulnerability(row["number"])
        assert (row["dealer"], row["vulnerability"]) == (dealer.letter, vulnerability.name.lower())
        assert row["given"] == par(board.tricks, Seat.NORTH, Vulnerability.BOTH).score
        assert row["own"] == par(board.tricks, dealer, vulnerability).score
        lowest = par(board.tricks, Seat.EAST, Vulnerability.NS).contracts
        assert row["contract"] == (str(lowest[0].contract) if lowest else "Pass")


def test_points_and_imps_are_those_of_the_laws(session: QuerySession) -> None:
    """Every contract with every number of tricks, and every difference of scores."""
    contracts = [Contract(level, strain, doubling) for level in range(1, 8) for strain in Strain for doubling in Doubling]
    for vulnerable in (False, True):
        rows = ask(
            session,
            f"""SELECT contract, won, points(contract, won, {vulnerable}) points
            FROM (SELECT unnest({[str(one) for one in contracts]}) contract), range(14) AS wons(won)""",
        )
        assert len(rows) == 14 * len(contracts)
        assert all(row["points"] == points(Contract.parse(row["contract"]), row["won"], vulnerable) for row in rows)
    assert ask(session, "SELECT points('Pass', NULL, true) passed") == [{"passed": 0}]
    rows = ask(session, "SELECT d, imps(d) imps FROM range(-5000, 5001, 10) AS differences(d)")
    assert [row["imps"] for row in rows] == [imps(row["d"]) for row in rows]


def test_holds_asks_for_all_cards(session: QuerySession) -> None:
    """Cards are written suit by suit; a hand holds them all or it does not."""
    rows = ask(session, "SELECT hand_text(north) hand, holds(north, 'sA hk') held FROM 'deals.zrd'")
    for row in rows:
        suits = row["hand"].split(".")
        assert row["held"] == ("A" in suits[0] and "K" in suits[1])
    assert any(row["held"] for row in rows)


def test_long_suits_have_shapes() -> None:
    """Thirteen cards of any one suit, and eleven of hearts, are hands like others."""
    deal = bridgespec.Deal.parse("N:AKQJT98765432... .AKQJT98765432.. ..AKQJT98765432. ...AKQJT98765432")
    other = bridgespec.Deal.parse("N:A.KQJT9876543.2. - - -")
    boards = (bridgespec.Board(1, deal=deal), bridgespec.Board(2, deal=other))
    with QuerySession({"x": bridgespec.table(bridgespec.Document(boards))}) as session:
        (row, second) = ask(session, "SELECT shape(north) n, shape(east) e, shape(south) s, pattern(west) w FROM x ORDER BY number")
    assert row == {"n": "13000", "e": "13000", "s": "13000", "w": "0=0=0=13"}
    assert second["n"] == "11110"


def test_unknown_results_are_null() -> None:
    """A cell that is not known gives no tricks and no par."""
    table = Tricks.unknown().with_cell(Strain.SPADES, Seat.NORTH, 9)
    with QuerySession({"x": bridgespec.table(bridgespec.Document((bridgespec.Board(1, tricks=table),)))}) as session:
        (row,) = ask(session, "SELECT tricks(tricks, 'S', 'N') n, tricks(tricks, 'S', 'S') s, par(tricks, 'none') par FROM x")
    assert row == {"n": 9, "s": None, "par": None}


def test_a_table_is_read_again_for_each_mention(session: QuerySession) -> None:
    """A file that a question names twice is there twice."""
    rows = ask(session, "SELECT count(*) n FROM 'deals.zrd' a JOIN 'deals.zrd' b USING (number)")
    assert rows == [{"n": 2000}]


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("SELECT foo FROM 'deals.zrd'", 'line 1, column 8: Referenced column "foo"'),
        ("SELECT 1,\n  FROM WHERE", "line 2"),
        ("", "there is no question"),
        ("SELECT 1; SELECT 2", "one question at a time"),
        ("SELECT tricks(tricks, 'P', 'N') FROM 'deals.zrd'", "not a strain: P"),
        ("SELECT tricks(tricks, 'S', 'X') FROM 'deals.zrd'", "not a seat: X"),
        ("SELECT length(north, 'N') FROM 'deals.zrd'", "not a suit: N"),
        ("SELECT holds(north, 'S1') FROM 'deals.zrd'", "not cards: S1"),
        ("SELECT par(tricks, 'all') FROM 'deals.zrd'", "not a vulnerability: all"),
        ("SELECT * FROM other", "there are 'deals.zrd', 'deals'"),
        ("FROM deals.zrd", "stands in quotes"),
    ],
)
def test_bad_questions_have_a_place(session: QuerySession, question: str, told: str) -> None:
    """What is wrong with a question is said, with its line and column where the fault has one."""
    with pytest.raises(UsageError) as found:
        session.ask(question).read_all()
    assert told in str(found.value)


@pytest.mark.parametrize(
    "question",
    [
        "CREATE TABLE x AS SELECT 1",
        "INSERT INTO deals VALUES (1)",
        "DROP VIEW deals",
        "UPDATE deals SET number = 1",
        "DELETE FROM deals",
        "COPY (SELECT 1) TO '{folder}/x.csv'",
        "EXPORT DATABASE '{folder}/x'",
        "ATTACH '{folder}/x.db'",
        "INSTALL spatial",
        "LOAD spatial",
        "SET threads = 1",
        "PRAGMA threads = 1",
        "CALL pragma_version()",
        "SELECT * FROM read_text('{folder}/secret.txt')",
        "SELECT * FROM read_csv('{folder}/secret.txt')",
        "SELECT * FROM read_blob('{folder}/secret.txt')",
        "SELECT * FROM glob('{folder}/*')",
        "FROM '{folder}/secret.csv'",
        "SELECT * FROM hidden",
        "SELECT * FROM 'https://example.org/x.parquet'",
    ],
)
def test_nothing_is_written_and_nothing_else_read(session: QuerySession, question: str, tmp_path: Path) -> None:
    """Statements that write, load or set are refused, and so are files, addresses and Python's variables that nobody named."""
    hidden = bridgespec.table(SOLVED).read()
    for name in ("secret.txt", "secret.csv"):
        (tmp_path / name).write_text("secret\n1\n")
    with pytest.raises(UsageError):
        session.ask(question.replace("{folder}", str(tmp_path))).read_all()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["secret.csv", "secret.txt"]
    assert hidden.num_rows == 2000


def test_a_parquet_file_that_is_named_is_read_and_not_written(tmp_path: Path) -> None:
    """A named Parquet file is a table; its neighbour stays closed."""
    for name in ("one.parquet", "other.parquet"):
        bridgespec.table(SOLVED).write(tmp_path / name)
    before = (tmp_path / "one.parquet").read_bytes()
    with QuerySession({"one": str(tmp_path / "one.parquet")}) as session:
        assert ask(session, "SELECT count(*) n FROM one") == [{"n": 2000}]
        for question in (f"FROM '{tmp_path}/other.parquet'", f"COPY (SELECT 1) TO '{tmp_path}/one.parquet'"):
            with pytest.raises(UsageError):
                session.ask(question).read_all()
    assert (tmp_path / "one.parquet").read_bytes() == before


def test_tables_are_found_in_a_question() -> None:
    """Names in FROM and JOIN, in sub-queries and behind EXPLAIN, but not those that the question makes itself."""
    question = "WITH a AS (FROM 'x.zrd') SELECT * FROM a JOIN 'y z.pbn' USING (number) WHERE 1 IN (SELECT 1 FROM t)"
    assert tables_named(question) == ["t", "x.zrd", "y z.pbn"]
    assert tables_named("EXPLAIN FROM 'x.zrd'") == ["x.zrd"]
    assert tables_named("SELEC") == []


@pytest.mark.parametrize("path", QUESTIONS, ids=lambda path: path.stem)
def test_the_ten_questions_are_answered(session: QuerySession, path: Path) -> None:
    """Each has an answer over 2,000 deals: one number, by one group or two."""
    answer = session.ask(path.read_text("utf-8")).read_all()
    assert answer.num_columns in (2, 3)
    assert answer.num_rows > 1
    numbers = np.array([float(value) for value in answer.column(answer.num_columns - 1).to_pylist()])
    assert (numbers > 0).any()
    assert (numbers <= 100).all()


def test_there_are_ten_questions() -> None:
    """Ten, each with its title in the first line."""
    assert len(QUESTIONS) == 10
    assert all(path.read_text("utf-8").startswith("-- ") and "?\n" in path.read_text("utf-8") for path in QUESTIONS)


def test_a_fit_gives_tricks(session: QuerySession) -> None:
    """What any player knows comes out: with the points the same, more trumps give more tricks."""
    rows = ask(
        session,
        """SELECT length(north | south, 'S') fit, avg(tricks(tricks, 'S', 'NS')) tricks FROM deals
        WHERE hcp(north) + hcp(south) BETWEEN 19 AND 23 AND fit BETWEEN 6 AND 9 GROUP BY ALL ORDER BY fit""",
    )
    found = [row["tricks"] for row in rows]
    assert found == sorted(found)
    assert found[-1] > found[0] + 2
