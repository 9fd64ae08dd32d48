"""No question writes a file, reads one that nobody named, or cannot be stopped."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

import bridgespec
from bridgespec.errors import UsageError
from bridgespec.tables.query import QuerySession
from tests.cli.running import ROOT, run
from tests.tables.hostile_sql import FAMILIES, one_of_each, statements

SOLVED = Path(__file__).parent / "data" / "rpdd-2000.zrd"
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
