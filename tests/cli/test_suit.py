"""The command ``suit``: holdings, files and deals, its options, JSON, the table and its resumption."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from bridgespec.suits.suit_solver import SuitEngine
from bridgespec.suits.suit_tables import SHAPES, line, rows
from tests.cli.running import SAMPLES, run
from tests.told import numbers

SLICE = Path(__file__).parents[1] / "suits" / "table_slice.tsv"


def test_two_holdings() -> None:
    """Each goal with its chance; a second line with what it costs."""
    done = run("suit", "AJ9", "432", "--lines", "1")
    assert done.exit_code == 0
    assert [numbers(line) for line in done.stdout.splitlines()[1:5]] == [[1, 100], [2, 37.73], [25.45, 12.27], [3, 0]]


def test_json_holds_everything() -> None:
    """One object a combination: exact fractions, the tree, every layout."""
    done = run("suit", "AQ", "32", "--tricks", "2", "--json")
    answer = json.loads(done.stdout)
    (goal,) = answer["goals"]
    assert (goal["fraction"], goal["exact"], goal["tree"]["lead"]) == ("1/2", True, "2")
    assert len(goal["layouts"]) == 512
    assert sum(one["chance"] * one["tricks"] for one in goal["layouts"]) == pytest.approx(0.5)


PICTURES = Path(__file__).parents[2] / "docs" / "combinations"


@pytest.mark.parametrize("file", sorted(PICTURES.iterdir()), ids=lambda file: file.stem)
def test_the_pictures_of_the_page_are_drawn_anew(file: Path, tmp_path: Path) -> None:
    """Each is named after its two holdings, is what the command draws, and is on the page."""
    north, south = file.stem.split("-")
    assert run("suit", north, south, "--picture", tmp_path / "x.svg").exit_code == 0
    assert (tmp_path / "x.svg").read_text("utf-8") == file.read_text("utf-8")
    assert f"combinations/{file.name}" in (PICTURES.parent / "combinations.md").read_text("utf-8")


def test_the_example_of_the_page_prints_what_it_shows() -> None:
    """The command of the page's first block, and each line below it."""
    page = (PICTURES.parent / "combinations.md").read_text("utf-8")
    command, *shown = page.split("```text\n$ bridgespec ")[1].split("```")[0].strip().splitlines()
    printed = run(*command.split()).stdout.splitlines()
    assert len(shown) == 4
    assert [line.rstrip() for line in printed[: len(shown)]] == shown


def test_options_say_what_is_known() -> None:
    """Vacant places, lengths, entries and the first lead change the value and are reported."""
    done = run("suit", "AQ", "32", "--tricks", "2", "--vacant", "4-12", "--entries", "south", "1", "--lead-from", "north")
    assert "25.00%" in done.stdout
    head = done.stdout.splitlines()[0].partition("; ")[2].split(", ")
    assert [(one.split()[0], one.split()[-1]) for one in head[1:]] == [("vacant", "4-12"), ("South", "once"), ("the", "North")]
    head, *goals = run("suit", "AQ", "32", "--west", "2-4").stdout.splitlines()
    assert (numbers(head)[-2:], numbers(goals[1])) == ([2, 4], [2, 38.99])


def test_recorded_cards_of_defenders_are_known() -> None:
    """Suit layouts of a file: nothing is left to guess; a deal on the command line shows two hands."""
    known = run("suit", SAMPLES / "zbs" / "sixteen.zbs", "--boards", "1")
    assert known.exit_code == 0
    given = known.stdout.splitlines()[0].partition(": ")[2]
    assert dict(zip(*[iter(re.findall(r"\w+", given.replace(" has", "")))] * 2, strict=False)) == {
        "North": "65",
        "South": "JT9",
        "West": "Q432",
        "East": "AK87",
    }
    deal = "N:T2.J965.T7532.63 AKQ874.AQ2.J8.A5 J65.743.AK4.KQ82 93.KT8.Q96.JT974"
    hidden = run("suit", "--deal", deal, "--seat", "S", "--tricks", "1")
    assert hidden.stdout.splitlines()[0].split() == ["Spades:", "North", "T2,", "South", "J65;", "hidden", "AKQ98743"]


def test_unused_cards_may_have_been_played(tmp_path: Path) -> None:
    """A ZBS record of AQ opposite 32 and nothing else: hidden with the defenders, or out of play."""
    holders = dict.fromkeys("AQ", 2) | dict.fromkeys("32", 4)
    number = sum(holders.get(rank, 0) * 5**place for place, rank in enumerate("AKQJT98765432"))
    file = tmp_path / "one.zbs"
    file.write_bytes((number << 1).to_bytes(4, "little"))
    assert "hidden KJT987654" in run("suit", file, "--tricks", "2").stdout
    assert "hidden -" in run("suit", file, "--tricks", "2", "--unused", "played").stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["AQ"], "'AQ' is one holding, and a combination has two"),
        (["no-such.zbs"], "no-such.zbs: "),
        (["AQ", "Q2"], "Q is in two places"),
        (["AQ", "3X"], "not by an x: '3X'"),
        (["AQ", "3!"], "not a rank"),
        (["AQ", "32", "--boards", "1"], "--boards and --format need a file"),
        (["AQ", "32", "--vacant", "3-3"], "no layout"),
        (["AQ", "32", "--vacant", "14-3"], "two numbers up to 13"),
        (["--table", "4-3"], "go together"),
        (["--table", "9-9", "-o", "x"], "no suit has 9 and 9 cards"),
        ([], "give two holdings"),
    ],
)
def test_calls_that_cannot_be(arguments: list[str], message: str) -> None:
    """They end with status 2 and a reason."""
    done = run("suit", *arguments)
    assert done.exit_code == 2
    assert message in done.stderr


@pytest.mark.long
def test_a_slice_of_the_table() -> None:
    """Every hundredth row of all shapes is as recorded."""
    with SuitEngine() as engine:
        found = [line(engine, row) for shape in SHAPES for row in list(rows(*shape))[50::100]]
    assert found == SLICE.read_text("ascii").splitlines()


@pytest.mark.long
def test_the_table_goes_on_where_it_stopped(tmp_path: Path) -> None:
    """A cut-off row is solved again, finished rows are not, and nothing stays beside the table."""
    whole, again = tmp_path / "whole.tsv", tmp_path / "again.tsv"
    assert run("suit", "--table", "2-1", "-o", whole).exit_code == 0
    lines = whole.read_text("ascii").splitlines()
    assert lines[0].split("\t") == ["north", "south", "expected", "chance_1", "chance_2"]
    marked = lines[1].rpartition("\t")[0] + "\tkept"
    again.with_name("again.tsv.partial").write_text("\n".join([lines[0], marked, lines[2][:7]]), "ascii")
    assert run("suit", "--table", "2-1", "-o", again).exit_code == 0
    assert again.read_text("ascii").splitlines() == [lines[0], marked, *lines[2:]]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["again.tsv", "whole.tsv"]
    again.with_name("again.tsv.partial").write_text("something else\n", "ascii")
    assert "another table" in run("suit", "--table", "2-1", "-o", again).stderr
