"""The command ``query``: questions and their answers in every form, charts, and what is reported of bad ones."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import bridgespec
from bridgespec.tables.charts import Chart
from tests.cli.running import process, run
from tests.tables.test_table_files import SOLVED


@pytest.mark.long
def test_a_question_leaves_no_complaint() -> None:
    """DuckDB's binding complained of objects that were not freed when the process ended."""
    done = process("query", f"SELECT count(*) FROM '{SOLVED}'")
    assert (done.returncode, done.stderr) == (0, "")


# --- questions ----------------------------------------------------------------------------------------------------------


def test_a_file_is_a_table_by_its_name() -> None:
    """In quotes with its path; as a further argument also by its bare name."""
    for question, *paths in (
        (f"SELECT count(*) AS n FROM '{SOLVED}'",),
        ("SELECT count(*) AS n FROM 'rpdd-2000.zrd'", SOLVED),
        ('SELECT count(*) AS n FROM "rpdd-2000"', SOLVED),
    ):
        assert run("query", question, *paths, "--output-format", "csv").output == "n\n2000\n"


@pytest.mark.long
def test_answers_in_every_form(tmp_path: Path) -> None:
    """A table for people with hands spelled out, CSV, JSON lines, Parquet, and boards of any format."""
    question = f"SELECT number, north, tricks FROM '{SOLVED}' LIMIT 2"
    hand = bridgespec.load(SOLVED).boards[0].deal
    assert hand is not None
    assert str(hand.north) in run("query", question).output
    rows = [json.loads(line) for line in run("query", question, "--output-format", "json").output.splitlines()]
    assert [row["number"] for row in rows] == [1, 2]
    assert rows[0]["north"] == hand.north.bits
    for name in ("x.csv", "x.json", "x.parquet"):
        assert run("query", question, "-o", tmp_path / name).exit_code == 0
    assert (tmp_path / "x.csv").read_text().splitlines()[0] == "number,north,tricks"
    assert len((tmp_path / "x.json").read_text().splitlines()) == 2
    assert bridgespec.table(tmp_path / "x.parquet").read().num_rows == 2
    found = f"FROM '{SOLVED}' WHERE holds(north, 'SAKQ')"
    assert run("query", found, "-o", tmp_path / "hands.pbn").exit_code == 0
    boards = bridgespec.load(tmp_path / "hands.pbn").boards
    assert boards
    assert all(board.deal is not None and str(board.deal.north).startswith("AKQ") for board in boards)


def test_derived_columns_are_there_when_named() -> None:
    """A question may name them of any file."""
    question = f"SELECT number, north_hcp FROM '{SOLVED}' WHERE par_side = 'NS' LIMIT 1"
    assert run("query", question, "--output-format", "csv").output.startswith("number,north_hcp\n")


@pytest.mark.long
def test_charts(tmp_path: Path) -> None:
    """One number by one group is bars of text, or a picture that is the same each time; another answer cannot be drawn."""
    question = f"SELECT length(north, 'S') AS spades, count(*) AS hands FROM '{SOLVED}' GROUP BY 1 ORDER BY 1"
    assert "████" in run("query", question, "--chart").output
    for name in ("one.svg", "two.svg", "x.png"):
        assert run("query", question, "--plot", tmp_path / name).exit_code == 0
    one = (tmp_path / "one.svg").read_bytes()
    assert one == (tmp_path / "two.svg").read_bytes()
    assert b"spades" in one
    assert (tmp_path / "x.png").read_bytes().startswith(b"\x89PNG")
    for wrong in (f"FROM '{SOLVED}'", "SELECT 1 AS a, 'x' AS b", "SELECT 1 AS a, 2 AS b WHERE false"):
        assert run("query", wrong, "--chart").exit_code == 2
    assert run("query", question, "--plot", tmp_path / "x.gif").exit_code == 2


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("SELEC 1", "line 1, column 1"),
        ("SELECT nothing FROM '{}'", "line 1, column 8"),
        ("DROP TABLE x", "only SELECT is allowed"),
        ("SELECT * FROM 'nowhere.zrd'", "nowhere.zrd: No such file"),
        ("SELECT 1", "there are no boards|make no board"),
    ],
)
def test_bad_questions_are_exit_2(question: str, told: str, tmp_path: Path) -> None:
    """What is wrong is said in a line with its place, and nothing is written."""
    done = run("query", question.replace("{}", str(SOLVED)), "-o", tmp_path / "x.pbn")
    assert done.exit_code == 2
    assert any(one in done.output for one in told.split("|"))
    assert not list(tmp_path.iterdir())


@pytest.mark.long
def test_several_series_have_a_legend(tmp_path: Path) -> None:
    """The names of the series and of what they are by are in the picture; a single series has no legend."""
    grouped = "SELECT length(north, 'S') AS spades, {} count(*) AS hands FROM '{}' GROUP BY ALL ORDER BY ALL"
    for name, series in (
        ("one.svg", ""),
        ("two.svg", "CASE WHEN number % 2 = 1 THEN 'odd boards' ELSE 'even boards' END AS parity,"),
    ):
        assert run("query", grouped.format(series, SOLVED), "--plot", tmp_path / name).exit_code == 0
    one, two = ((tmp_path / name).read_text("utf-8") for name in ("one.svg", "two.svg"))
    for word in ("parity", "odd boards", "even boards"):
        assert word in two
    assert "legend" in two
    assert "legend" not in one


def test_explained_questions_are_answered() -> None:
    """With options in brackets too, and after comments."""
    for question in ("EXPLAIN SELECT 42", "EXPLAIN (FORMAT json) SELECT 42", "/* why */ EXPLAIN -- so\n ANALYZE SELECT 42"):
        assert run("query", question, "--output-format", "json").exit_code == 0, question


def test_each_number_of_a_chart_is_that_of_its_group_and_series() -> None:
    """An answer of three columns; a number that is null is left out."""
    chart = Chart.of(("level", "side", "boards"), [[1, "NS", 2], [1, "EW", 3.5], [2, "NS", None], [2, "EW", 0]])
    assert (chart.groups, chart.series) == ((1, 2), ("NS", "EW"))
    assert chart.numbers == {(1, "NS"): 2, (1, "EW"): 3.5, (2, "EW"): 0}


@pytest.mark.parametrize("drawn", [["--chart"], ["--plot", "x.svg"]], ids=["chart", "plot"])
@pytest.mark.parametrize("written", [["-o", "x.csv"], ["--to", "pbn"], ["--output-format", "json"]], ids=["o", "to", "form"])
def test_an_answer_is_drawn_or_written(
    drawn: list[str], written: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No option is ignored in silence."""
    monkeypatch.chdir(tmp_path)
    done = run("query", "SELECT 1 AS a, 2 AS b", *drawn, *written)
    assert (done.exit_code, done.stdout, [*tmp_path.iterdir()]) == (2, "", [])


@pytest.mark.parametrize("number", ["nan", "inf", "-inf"])
def test_numbers_that_json_has_not(number: str) -> None:
    """They are text, as dates are, also within lists and records; and no bar has such a length."""
    question = f"SELECT '{number}'::DOUBLE AS a, ['{number}'::DOUBLE, 1.5] AS b, {{'c': '{number}'::DOUBLE}} AS d"
    done = run("query", question, "--output-format", "json")
    value = json.loads(done.stdout, parse_constant=pytest.fail)
    assert value == {"a": number, "b": [number, 1.5], "d": {"c": number}}
    assert run("query", f"SELECT 'x' AS a, '{number}'::DOUBLE AS b", "--chart").exit_code == 2
