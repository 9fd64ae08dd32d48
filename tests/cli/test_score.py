"""The command `score`: what it prints and writes, and what it says of bad input."""

from __future__ import annotations

import csv
import re
import shutil
from pathlib import Path

import pytest
from click.testing import Result

import bridgespec
from bridgespec import Board, Deal, Document, load, score_sources
from bridgespec.engines import engine
from bridgespec.scoring.result import Ruling
from bridgespec.scoring.sheet import declarations, read_rows
from bridgespec.solver import SolverMissing
from tests.cli.running import run
from tests.told import numbers

SAMPLES = Path(__file__).parents[1] / "scoring" / "samples"
CLUB, DEALS, PAIRS = SAMPLES / "club.csv", SAMPLES / "club.pbn", SAMPLES / "club-pairs.csv"


@pytest.mark.long
def test_a_ranking() -> None:
    """Names, penalties and carry-over are in it, and below it what was done."""
    done = run("score", CLUB, DEALS, "--pairs", PAIRS)
    assert done.exit_code == 0
    lines = [line.split() for line in done.stdout.splitlines()]
    assert lines[2] == ["1", "3", "Eve", "&", "Finn", "10", "57.00", "80.00", "71.25"]
    assert lines[6] == ["5", "2", "Cleo", "&", "Dan", "10", "31.00", "80.00", "-0.80", "37.75"]
    assert "Neuberg" in done.stderr


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--method", "cross-imps"], "cross-IMPs, mean per comparison"),
        (["--method", "cross-imps", "--total"], "cross-IMPs, total over the comparisons"),
        (
            ["--method", "butler", "--drop", "20", "--datum", "1"],
            "20% of the scores left out at each end, rounded down; datum rounded to 1",
        ),
        (["--method", "butler", "--vp", "wbf"], "victory points: WBF's continuous scale"),
        (["--ascherman"], "every score with itself too"),
        (["--winners", "1"], "1 winner;"),
        (["--arrow-switch", "5"], "arrow-switched: round 5"),
    ],
)
def test_the_method_is_printed(options: list[str], said: str) -> None:
    """So that a ranking without it is not mistaken."""
    done = run("score", CLUB, *options)
    assert done.exit_code == 0
    assert said in done.stderr


@pytest.mark.long
def test_what_is_written(tmp_path: Path) -> None:
    """A page with every traveller, CSV, and boards whose totals are read again; what these have no columns for is named."""
    page, table, boards = tmp_path / "r.html", tmp_path / "r.csv", tmp_path / "r.pbn"
    assert [run("score", CLUB, DEALS, "--pairs", PAIRS, "-o", path).exit_code for path in (page, table)] == [0, 0]
    done = run("score", CLUB, DEALS, "--pairs", PAIRS, "-o", boards)
    assert "lost: carry-over, penalties" in done.stderr
    assert page.read_text("utf-8").count("<h2>Board ") == 10
    assert table.read_text("utf-8").splitlines()[1] == "NS,1,3,Eve & Finn,10,57.00,80.00,,,71.25"
    assert [one.name for one in load(boards).boards[0].tables] == ["ScoreTable", "TotalScoreTable"]
    assert run("validate", boards).exit_code == 0
    again = run("score", boards)
    (told,) = (line for line in again.stderr.splitlines() if "warning[stated-total]: NS4: " in line)
    assert numbers(told)[:2] == [41.88, 40], "the carry-over is not in the tables"
    assert again.exit_code == 1


@pytest.mark.parametrize(
    ("before", "after", "code"),
    [
        ("3NT", "8NT", "impossible-contract"),
        ("1,1,1,", "1,,1,", "result-missing"),
        ("1,1,1,", "2,1,1,", "result-twice"),
        ("1,1,1,", "1,1,2,", "pair-twice"),
    ],
)
def test_bad_input(tmp_path: Path, before: str, after: str, code: str) -> None:
    """Each is a finding at its line, and the exit status 1."""
    path = tmp_path / "bad.csv"
    path.write_text(CLUB.read_text("utf-8").replace(before, after, 1), "utf-8")
    done = run("score", path)
    assert done.exit_code == 1
    assert f"[{code}]" in done.stderr
    assert "bad.csv:" in done.stderr


def test_a_row_that_cannot_be_scored_is_not_missing_too(tmp_path: Path) -> None:
    """Its board was played at that table: the row is one finding, from the command and in Python."""
    path = tmp_path / "bad.csv"
    path.write_text(CLUB.read_text("utf-8").replace("1S,S,=", "9S,S,=", 1), "utf-8")
    assert run("score", path).stderr.count("error[") == 1
    assert [(found.code, found.path) for found in bridgespec.score(path).findings] == [("impossible-contract", str(path))]


def test_no_row_can_be_scored(tmp_path: Path) -> None:
    """The ranking is empty, and the reason is given."""
    path = tmp_path / "bad.csv"
    path.write_text("Board,NS,EW,Contract,By,Result\n1,1,2,9S,N,=\n", "utf-8")
    assert run("score", path).exit_code == 1
    with pytest.raises(bridgespec.UsageError, match="'9S' is not a contract"):
        bridgespec.score(path)


def test_a_missing_pair_is_named(tmp_path: Path) -> None:
    """One that is listed and has no result."""
    pairs = tmp_path / "pairs.csv"
    pairs.write_text(PAIRS.read_text("utf-8") + "NS,9,Zoe & Yan,,\n", "utf-8")
    done = run("score", CLUB, "--pairs", pairs)
    assert done.exit_code == 1
    assert "error[result-missing]: contestant NS9" in done.stderr


@pytest.mark.parametrize(
    "call",
    [
        [DEALS],
        [CLUB, "--vp", "wbf"],
        [CLUB, "--method", "butler", "--vp", PAIRS],
        [CLUB, "--pairs", CLUB],
        ["nowhere.csv"],
        [CLUB, "-o", "result.nothing"],
    ],
)
def test_calls_that_cannot_be(call: list[str | Path]) -> None:
    """They are refused in one sentence, with status 2."""
    done = run("score", *call)
    assert done.exit_code == 2
    assert done.stderr.startswith("error: ")


def test_a_database_is_read_by_its_declaration() -> None:
    """The columns of ReceivedData: sections are letters, erased rows are left out, remarks are rulings or exchange directions."""
    columns: dict[str, list[object]] = {
        "ID": [1, 2, 3, 4, 5],
        "Section": [1, 1, 2, 2, 2],
        "Table": [1, 1, 1, 2, 3],
        "Round": [1, 1, 1, 1, 1],
        "Board": [1, 1, 1, 2, 3],
        "PairNS": [1, 1, 3, 4, 5],
        "PairEW": [2, 2, 8, 9, 10],
        "Declarer": [1, 1, 8, 0, 5],
        "NS/EW": ["N", "N", "W", "", "S"],
        "Contract": ["4 S x", "4 S x", "3 NT", "", "1 NT"],
        "Result": ["=", "-1", "+1", "", "="],
        "LeadCard": ["H10", "H10", "SA", "", ""],
        "Remarks": ["", "", "", "60%-40%", "Wrong direction"],
        "Erased": [False, True, False, False, False],
    }
    results, found = read_rows(score_sources.database_rows(declarations().database["ReceivedData"], columns, "x.bws"))
    assert not found
    assert [(one.section, one.ns, one.ew, one.score) for one in results] == [
        ("A", "1", "2", 590),
        ("B", "3", "8", -430),
        ("B", "4", "9", None),
        ("B", "10", "5", 90),
    ]
    assert results[2].ruling is not None


def test_a_file_that_only_looks_like_a_database(tmp_path: Path) -> None:
    """It is refused in one sentence."""
    path = tmp_path / "x.bws"
    path.write_bytes(b"\0\1\0\0Standard Jet DB\0" + bytes(200))
    done = run("score", path)
    assert done.exit_code == 2
    assert "cannot be read" in done.stderr or "pip install" in done.stderr
    shutil.copy(CLUB, tmp_path / "y.csv")
    assert run("score", tmp_path).exit_code == 2


def test_rows_as_clubs_write_them(tmp_path: Path) -> None:
    """Contract, declarer and result in one cell, suit signs, leads with the rank first and awards in place of scores are read;
    a text in UTF-16 too."""
    rows = ["1,1,2,4♠N=,10♥,", "1,3,4,3NT by S -1,♦K,", "1,5,6,5C**W-2,,", "1,7,8,,,Av+/A-", "1,9,10,NP,,"]
    text = "\n".join(["Board,NS Pair,EW Pair,Contract,Lead,Score", *rows])
    for name, encoding in (("a.csv", "utf-8-sig"), ("b.txt", "utf-16")):
        (tmp_path / name).write_text(text, encoding)
        source = score_sources.SessionSource()
        score_sources.read_results(source, engine(), str(tmp_path / name))
        assert not source.findings
        read = [(str(one.contract), str(one.declarer), one.tricks, one.score, str(one.lead)) for one in source.results[:3]]
        assert read == [
            ("4S", "North", 10, 420, "HT"),
            ("3NT", "South", 8, -50, "DK"),
            ("5CXX", "West", 9, 600, "None"),
        ]
        assert source.results[3].ruling == Ruling.parse("A+/A-")
        assert not source.results[4].is_played


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"Board,NS,Foo,Contract\n1,2,3,4S\n", "its first line names Board, NS, Foo, Contract; it needs a column ew (ew, pair ew,"),
        (b"Board,NS,EW,Contract\n", "there is no result in"),
        (b"PK\x03\x04abc", "save it as CSV"),
    ],
)
def test_a_text_that_is_no_traveller(tmp_path: Path, content: bytes, message: str) -> None:
    """What is missing is named in one sentence, with the names that a column may have."""
    path = tmp_path / "x.csv"
    path.write_bytes(content)
    done = run("score", path)
    assert done.exit_code == 2
    assert message in done.stderr


def test_a_session_is_scored_without_a_solver(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a compiler results are not compared with double dummy, which is told; the ranking and other findings are there."""

    def missing(document: object) -> None:
        raise SolverMissing("the solver is missing")

    monkeypatch.setattr(score_sources, "solve_document", missing)
    done = run("score", CLUB, DEALS)
    assert done.exit_code == 0
    assert "North-South" in done.stdout
    assert done.stderr.rstrip().endswith(": the solver is missing")


def score_lines(folder: Path, lines: list[str], *options: str | Path) -> Result:
    """Return what the command does with travellers of these lines."""
    path = folder / "t.csv"
    path.write_text("\n".join(["Board,Round,NS,EW,Contract,By,Result,Score", *lines, ""]), "utf-8")
    return run("score", path, *options)


TWO = ["1,1,1,2,4S,N,=,", "1,1,3,4,3NT,S,-1,"]


@pytest.mark.parametrize(
    ("line", "at", "code"),
    [
        ("1,1,5", "4:1", "result-unread"),
        ('1,1,"5,6,4S,N,=,', "4:1", "result-unread"),
        ("1,1,5,6,4S,N,=,420,extra", "4:1", "result-unread"),
        ("1,1,5,6,,,,42", "4:1", "result-unread"),
        ("1000000000000000000000000000000,1,5,6,4S,N,=,", "4:1", "result-unread"),
        ("1,1,5,6,pass,,+1,", "4:1", "impossible-contract"),
        ("1,1,5,5,4S,N,=,", "4:1", "pair-twice"),
    ],
)
def test_no_result_vanishes(tmp_path: Path, line: str, at: str, code: str) -> None:
    """A line that cannot be read as a result gives a finding with its line number; the other lines are scored."""
    done = score_lines(tmp_path, [*TWO, line, "1,1,7,8,4S,N,+1,"])
    assert done.exit_code == 1
    assert f"t.csv:{at}" in done.stderr
    assert f"[{code}]" in done.stderr
    assert "board, 4 results" in done.stderr if code == "pair-twice" else "board, 3 results" in done.stderr


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (["--arrow-switch", "7"], "there is no round 7 to switch: the rounds are 1"),
        (["--expected", "1"], "board 1 has 2 results, more than the 1 of a full board"),
        (["--method", "teams"], "no two tables are of one match"),
    ],
)
def test_options_that_do_not_fit_the_results(tmp_path: Path, options: list[str], reason: str) -> None:
    """Options that do not fit the results are refused with exit status 2, as the ranking would mean nothing."""
    done = score_lines(tmp_path, TWO, *options)
    assert (done.exit_code, done.stdout) == (2, "")
    assert reason in done.stderr


@pytest.mark.parametrize(
    ("option", "content", "reason"),
    [
        ("--vp", "0,15\n1,14\n", "both ascending"),
        ("--vp", "0,10\n1,11\nx,12\n", "both ascending"),
        ("--pairs", "pair,names\n1,Ann\n01,Bob\n", "contestant 1 is there twice"),
        ("--pairs", "pair,pair\n1,2\n", "has the column pair twice"),
        ("--pairs", 'pair,names\n1,"Ann\n', "line 2 is no contestant"),
        ("--pairs", "pair,direction\n1,North\n", "'NORTH' is not a direction"),
    ],
)
def test_lists_that_cannot_be(tmp_path: Path, option: str, content: str, reason: str) -> None:
    """Faulty lists of contestants and of victory points are refused; the message names the line or the cell."""
    path = tmp_path / "list.csv"
    path.write_text(content, "utf-8")
    done = score_lines(tmp_path, TWO, option, path, *(["--method", "butler"] if option == "--vp" else []))
    assert (done.exit_code, done.stdout) == (2, "")
    assert reason in done.stderr


def test_a_column_twice_is_refused(tmp_path: Path) -> None:
    """A head with two columns of one name is refused, as it does not state which one counts."""
    path = tmp_path / "t.csv"
    path.write_text("board,ns,ew,score,Score\n1,1,2,100,200\n", "utf-8")
    done = run("score", path)
    assert done.exit_code == 2
    assert "column score twice" in done.stderr


def test_another_encoding_is_noted(tmp_path: Path) -> None:
    """A text that is not valid UTF-8 is decoded as Windows-1252, and a note reports this."""
    path = tmp_path / "t.csv"
    path.write_bytes("board,ns,ew,score\n1,Jörg,Zoë,100\n1,Ann,Bob,200\n".encode("cp1252"))
    done = run("score", path)
    assert "Jörg" in done.stdout
    assert "read as Windows-1252" in done.stderr


def test_no_cell_that_is_written_is_a_formula(tmp_path: Path) -> None:
    """A name that begins like a formula is written with an apostrophe before it, so that a spreadsheet does not run it."""
    path = tmp_path / "r.csv"
    score_lines(tmp_path, ["1,1,=cmd|' /C calc'!A0,2,4S,N,=,", "1,1,3,4,3NT,S,-1,"], "-o", path)
    assert "NS,1,'=cmd|' /C calc'!A0," in path.read_text("utf-8")


def test_a_match_needs_both_tables(tmp_path: Path) -> None:
    """A result whose other table is missing compares with nothing: it is a finding."""
    done = score_lines(tmp_path, ["1,1,A,B,4S,N,=,", "1,1,B,A,4S,N,-1,", "2,1,A,B,3NT,S,=,"], "--method", "teams")
    assert done.exit_code == 1
    (told,) = (line for line in done.stderr.splitlines() if "error[result-missing]" in line)
    assert re.findall(r"\w+ against \w+", told) == ["A against B", "B against A"]
    assert "board 2," in told


def test_both_directions_have_the_columns_of_the_head(tmp_path: Path) -> None:
    """Where only one direction has a penalty, the rows of the other have an empty cell in that column."""
    pairs, path = tmp_path / "p.csv", tmp_path / "r.csv"
    pairs.write_text("pair,names,penalty\n1,A,10%\n3,C,\n2,D,\n4,E,\n", "utf-8")
    score_lines(tmp_path, TWO, "--pairs", pairs, "-o", path)
    rows = list(csv.reader(path.read_text("utf-8").splitlines()))
    assert "penalty" in rows[0]
    assert {len(row) for row in rows} == {len(rows[0])}


def test_a_quotation_mark_in_a_name_leaves_the_rows_whole(tmp_path: Path) -> None:
    """PBN would end the cell at the mark: an apostrophe is written in its place, and this is reported as lost."""
    pairs, path = tmp_path / "p.csv", tmp_path / "r.pbn"
    pairs.write_text('pair,names\n1,"A ""Nick"" B"\n', "utf-8")
    done = score_lines(tmp_path, TWO, "--pairs", pairs, "-o", path)
    assert "lost: quotation marks" in done.stderr
    totals = load(path).boards[0].tables[1]
    assert totals.column("Names") == ("A 'Nick' B", "-", "-", "-")
    assert run("validate", path).exit_code == 0


@pytest.mark.parametrize("line", ["2,1,1,bye,,,,", "2,1,sit-out,2,,,,", "2,1,1,,sit-out,,,", "2,1,1,2,not played,,,"])
def test_a_sit_out_is_no_finding(tmp_path: Path, line: str) -> None:
    """Each of the usual ways to enter a sit-out is read without a finding."""
    assert score_lines(tmp_path, [*TWO, line]).exit_code == 0


def test_nothing_to_compare_is_noted(tmp_path: Path) -> None:
    """A session with one result for each board has a note that nothing is compared, one with two results has not."""
    method, winners, *noted = score_lines(tmp_path, TWO[:1]).stderr.splitlines()
    assert (method.split(",")[0], numbers(winners), len(noted)) == ("matchpoints", [2, 1, 1], 1)
    assert len(score_lines(tmp_path, TWO).stderr.splitlines()) == 2


@pytest.mark.parametrize("method", ["cross-imps", "butler"])
def test_a_board_with_one_result_does_not_count_in_imps(tmp_path: Path, method: str) -> None:
    """Both methods leave it out of the mean a board, and note it."""
    done = score_lines(tmp_path, [*TWO, "2,1,1,2,4S,N,=,420"], "--method", method, "--per-board")
    alone = score_lines(tmp_path, TWO, "--method", method, "--per-board")
    assert done.stdout == alone.stdout
    assert "board 2 (1" in done.stderr.splitlines()[-1]
    assert "board 2" not in alone.stderr


def test_stated_percentages_of_travellers_are_compared(tmp_path: Path) -> None:
    """A column of percentages is that of the source: one that does not follow is a finding at its line."""
    path = tmp_path / "own.csv"
    path.write_text("Board,NS,EW,Score,% NS\n1,1,2,420,100\n1,3,4,400,25%\n", "utf-8")
    (found,) = bridgespec.score(path).findings
    assert (found.code, found.span and found.span.line) == ("stated-total", 3)


def test_a_column_that_is_not_read_is_named(tmp_path: Path) -> None:
    """A misspelt column changes the result: the note names it, and what it may be meant for."""
    path = tmp_path / "own.csv"
    path.write_text("Board;NS;EW;Score;Adjustmnt;Colour\n1;1;2;420;A-;red\n1;3;4;400;;\n", "utf-8")
    _, columns = run("score", path).stderr.rsplit("columns ", 1)
    assert [name.split()[0] for name in columns.split(", ")] == ["Adjustmnt", "Colour"]
    assert re.findall(r"'(\w+)'", columns) == ["adjustment"]


def test_sections_rounds_and_tables_stay_in_boards(tmp_path: Path) -> None:
    """The boards that are written are scored as the travellers: pairs of one number in two sections are two contestants."""
    path, boards = tmp_path / "own.csv", tmp_path / "own.pbn"
    rows = [f"{at},{section},{at},{table},{ns},{ns + 1},4S,N,{made}" for at in (1, 2) for section, table, ns, made in SECTIONS]
    path.write_text("\n".join(["Board,Section,Round,Table,NS,EW,Contract,By,Result", *rows]) + "\n", "utf-8")
    with_deals = Document(tuple(Board(number=number, deal=Deal.random(number)) for number in (1, 2)))
    bridgespec.dump(with_deals, tmp_path / "deals.pbn")
    first = run("score", path, tmp_path / "deals.pbn", "--no-solve", "-o", boards)
    assert first.exit_code == 0, first.stderr
    assert run("score", boards, "--no-solve").stdout == run("score", path, "--no-solve").stdout


SECTIONS = [("A", "1", 1, "="), ("A", "2", 3, "+1"), ("B", "1", 1, "+2"), ("B", "2", 3, "-1")]


def test_a_board_that_nobody_dealt(tmp_path: Path) -> None:
    """Where the deals are known, a result of another board has a wrong number."""
    path = tmp_path / "own.csv"
    path.write_text(CLUB.read_text("utf-8").replace("\n1,1,1,", "\n99,1,1,", 1), "utf-8")
    assert "wrong-board" in run("score", path, DEALS, "--no-solve").stderr


@pytest.mark.parametrize(
    ("cell", "north_south"), [("avg+", 60), ("avg", 50), ("Average minus", 40), ("avg-/avg+", 40), ("45%", 45)]
)
def test_awards_as_directors_write_them(tmp_path: Path, cell: str, north_south: int) -> None:
    """In the column of rulings, of scores or of contracts."""
    for row in (f"1;1;2;;{cell};", f"1;1;2;{cell};;", f"1;1;2;;;{cell}"):
        path = tmp_path / "own.csv"
        path.write_text(f"Board;NS;EW;Score;Ruling;Contract\n{row}\n1;3;4;420;;\n1;5;6;50;;\n", "utf-8")
        session = bridgespec.score(path)
        assert session.findings == ()
        assert {float(one.final) for one in session.standings if one.contestant == ("NS", "1")} == {north_south}


def test_a_match_with_a_row_missing_has_one_finding(tmp_path: Path) -> None:
    """At the tables of a match the same teams sit both ways, which is no mistake."""
    rows = [f"{board};{pair};4S;N;=" for board in range(1, 7) for pair in ("Home;Away", "Away;Home")]
    path = tmp_path / "teams.csv"
    path.write_text("\n".join(["Board;NS;EW;Contract;By;Result", *rows[:-1]]) + "\n", "utf-8")
    assert [found.code for found in bridgespec.score(path, method="teams").findings] == ["result-missing"]


def test_contestants_of_a_row_that_cannot_be_read_did_not_sit_out(tmp_path: Path) -> None:
    """Only who was at no table of a round did."""
    rows = ["1,1,1,2,4S,N,=", "1,1,3,4,4S,N,+1", "2,2,1,2,2H,S,=", "2,2,3,4,9H,S,="]
    path = tmp_path / "own.csv"
    path.write_text("\n".join(["Board,Round,NS,EW,Contract,By,Result", *rows]) + "\n", "utf-8")
    session = bridgespec.score(path, winners=1)
    assert [found.code for found in session.findings] == ["impossible-contract"]
    assert [note for note in session.notes if note.startswith("sit-out")] == []
    path.write_text(path.read_text("utf-8").replace("2,2,3,4,9H,S,=", "2,2,3,bye,,,"), "utf-8")
    notes = bridgespec.score(path, winners=1).notes
    assert sorted(note for note in notes if note.startswith("sit-out")) == ["sit-out: 3 in round 2", "sit-out: 4 in round 2"]


@pytest.mark.parametrize("option", ["--average-imps", "--drop"])
@pytest.mark.parametrize("value", ["nan", "inf", "-inf", "1e400", "1/2", "-1", "50"])
def test_a_number_that_an_option_cannot_have(option: str, value: str) -> None:
    """click's floats include nan and infinity."""
    done = run("score", CLUB, "--method", "butler", option, value)
    assert (done.exit_code, done.stdout) == (2, "")
    assert f"Invalid value for '{option}'" in done.stderr
