"""Questions: the functions say what the model says, nothing is written or read beside what is named, and bad SQL has a place.

No question writes a file, reads one that nobody named, or cannot be stopped.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import suppress
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
from tests.cli.running import ROOT, run
from tests.tables.hostile_sql import FAMILIES, one_of_each, statements

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


@pytest.mark.long
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


FILES = ("deals.zrd", "stored.parquet", "new.bin", "folder")
"""Two that are tables of every question, one that does not exist, and a folder."""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, which is the user's home too."""
    (tmp_path / "folder").mkdir()
    (tmp_path / "deals.zrd").write_bytes(SOLVED.read_bytes()[: 23 * 20])
    bridgespec.table(tmp_path / "deals.zrd").write(tmp_path / "stored.parquet")
    for name in ("secret.csv", "secret.dat"):
        (tmp_path / name).write_text("secret\n1\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


def state(folder: Path) -> dict[str, bytes | None]:
    """Every file and folder with its bytes."""
    return {str(path): path.read_bytes() if path.is_file() else None for path in folder.rglob("*")}


@pytest.mark.long
def test_no_statement_changes_a_file(folder: Path) -> None:
    """More than 300 statements of more than 30 families are refused, and after each every file is what it was."""
    paths = (*FILES, str(folder / "deals.zrd"), f"file://{folder}/stored.parquet")
    asked = list(dict.fromkeys(statements(paths, "deals")))
    assert len(asked) > 300
    assert len(FAMILIES) > 30
    before = state(folder)
    tables = {"deals": bridgespec.table(folder / "deals.zrd"), "stored": str(folder / "stored.parquet")}
    with QuerySession(tables) as session:
        for statement in asked:
            with pytest.raises(UsageError):
                session.ask(statement).read_all()
            assert state(folder) == before, statement


@pytest.mark.long
def test_the_command_refuses_every_family(folder: Path) -> None:
    """A question that destroys the file that it names is a wrong call; so is every other kind, and a file that is of no format."""
    before = state(folder)
    for statement in (
        *one_of_each("deals.zrd", "deals"),
        "FROM 'secret.dat'",
        "FROM '/etc/passwd'",
        "FROM 'folder'",
        "FROM '/dev/null'",
    ):
        done = run("query", "--", statement, "deals.zrd", "stored.parquet")
        assert state(folder) == before, statement
        assert done.exit_code == 2, (statement, done.output)
        assert "Traceback" not in done.output, statement


def test_the_connection_cannot_write_by_itself(folder: Path) -> None:
    """Were a statement not recognised, DuckDB still could not write: the same without any look at what is asked."""
    before = state(folder)
    with QuerySession({"deals": str(folder / "stored.parquet")}) as session:
        for statement in statements(("deals.zrd", "stored.parquet", "new.bin"), "deals"):
            if "_scan" not in statement:  # addresses that are none may end the process
                with suppress(Exception):
                    session._connection.execute(statement).fetchall()
            assert state(folder) == before, statement


@pytest.mark.slice(None, quick=6)
@pytest.mark.parametrize(
    "question",
    [
        "EXPLAIN FROM deals",
        "EXPLAIN ANALYZE SELECT count(*) FROM deals",
        "/* ü */ EXPLAIN /* ) */ (ANALYZE, FORMAT json) SELECT (1) FROM deals",
        "EXPLAIN (SELECT 1)",
        "DESCRIBE FROM deals",
        "SUMMARIZE deals",
        "SHOW TABLES",
        "VALUES (1)",
        "PIVOT deals ON number IN (1, 2) USING count(*)",
        "UNPIVOT (SELECT 1 a, 2 b) ON a, b",
        "WITH RECURSIVE x(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM x WHERE n < 3) FROM x",
        "WITH COPY AS (SELECT 1) FROM COPY UNION ALL SELECT 2",
        "SELECT unnest([1, 2]), * FROM range(3), generate_series(1, 2)",
        "SELECT 'COPY (SELECT 1) TO ''deals.zrd''' AS text; -- COPY (SELECT 1) TO 'deals.zrd'",
        "SELECT " + "(" * 60 + "1" + ")" * 60,
        "SELECT " + " + ".join(["1"] * 900),
        "TABLE deals",
    ],
)
def test_what_reads_is_answered(question: str, folder: Path) -> None:
    """Everything that only reads is allowed, whatever its form."""
    with QuerySession({"deals": str(folder / "stored.parquet")}) as session:
        assert session.ask(question).read_all().num_rows > 0


def test_memory_is_bounded(folder: Path) -> None:
    """A question that takes more than it may is refused with the option that allows more."""
    question = "SELECT list(x) FROM (SELECT range::VARCHAR || repeat('x', 50) AS x FROM range(3000000))"
    with QuerySession({}, memory=32) as session, pytest.raises(UsageError, match="--memory allows more"):
        session.ask(question).read_all()
    done = run("query", question, "--memory", "32")
    assert (done.exit_code, "--memory" in done.output) == (2, True)


@pytest.mark.long
@pytest.mark.parametrize("form", [[], ["-o", "x.parquet"]])
def test_an_interrupt_ends_a_question(form: list[str], folder: Path) -> None:
    """Ctrl-C ends a question that would take days, and nothing is left behind."""
    question = "SELECT count(*) FROM range(10000000000) a, range(10000000000) b WHERE a.range * b.range % 7 = 3"
    script = (
        "import signal, sys, threading\n"
        "from bridgespec.cli import main\n"
        "from bridgespec.tables.query import QuerySession\n"
        "plain = QuerySession._reader\n"
        "def reader(session, question):\n"
        "    threading.Timer(0.3, lambda: signal.raise_signal(signal.SIGINT)).start()\n"
        "    return plain(session, question)\n"
        "QuerySession._reader = reader\n"
        "main()\n"
    )
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", script, "query", question, *form]
    before = state(folder)
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, env=env, timeout=120, check=False)
    assert done.returncode == 128 + signal.SIGINT, done.stderr
    assert "stopped" in done.stderr
    assert state(folder) == before
