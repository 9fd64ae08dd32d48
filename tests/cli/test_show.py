"""The command ``show`` on bidding systems: the tree, questions, and what a system includes.

The command ``show`` on boards: hands, results, files with errors.
"""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

from bridgespec.export.text import found_text
from bridgespec.model.convention_card import Danger, Meaning, OpeningSeat, System, When, parse_sequence

from .running import CUT, SAMPLES, SIXTEEN, SOLVED, run


def tell(folder: Path, more: bytes | None, *args: str) -> tuple[int, str, str]:
    """What ``show`` says of a system that includes a file of this content."""
    sample = (SAMPLES / "bss" / "example1.bss").read_bytes()
    path = folder / "club.bss"
    path.write_bytes(sample.rstrip(b"\r\n") + b"\r\n+more.bss\r\n")
    if more is not None:
        (folder / "MORE.bss").write_bytes(more)
    result = run("show", path, *args)
    return result.exit_code, result.stdout, result.stderr


def test_a_system_is_shown_as_a_tree() -> None:
    """A line a call, with suit signs; status 0."""
    result = run("show", SAMPLES / "bss" / "example1.bss")
    assert result.exit_code == 0
    tree = [line.split() for line in result.stdout.splitlines()]
    assert tree[tree.index(["We", "open"]) + 1] == ["1♣", "2+♣.", "Natural", "or", "balanced"]
    assert "no boards" not in result.stderr


@pytest.mark.parametrize("auction", ["1C", "1c", "p 1C", "Pass-1C", "P1C", "P, (1C)", "1♣", "Pass 1♣"])
def test_which_record_pops_up(auction: str) -> None:
    """Calls are taken as people write them."""
    result = run("show", SAMPLES / "bss" / "example1.bss", "--auction", auction, "--vul", "we")
    assert result.exit_code == 0
    assert result.stdout.splitlines()[0].split("  ") == ["pops up", "record 2", "1♣"]


def test_an_open_question_is_answered_by_cases() -> None:
    """Without seat or vulnerability every record that pops up somewhere is named with the situations; hidden is what never does."""
    wide, ours, first = (
        Meaning(parse_sequence("1N"), text="15-17"),
        Meaning(parse_sequence("1N"), when=When.WE_NOT, text="12-14"),
        Meaning(parse_sequence("1N"), position=OpeningSeat.FIRST, when=When.WE_NOT, text="10-12"),
    )
    told = found_text(System((wide, ours, first)).answers(parse_sequence("1N")))
    assert [line.split("  ") for line in told.splitlines()[::2]] == [
        ["pops up", "record 3", "1NT", "1st seat, we not vul", "(here: 1st seat we not vul)"],
        ["pops up", "record 2", "1NT", "we not vul", "(here: 2nd seat, 3rd seat, 4th seat we not vul)"],
        ["pops up", "record 1", "1NT", "(here: any seat we vul)"],
    ]
    asked = found_text(System((wide, ours, first)).answers(parse_sequence("1N"), 1, Danger.NONE))
    assert [line[:7] for line in asked.splitlines()[::2]] == ["pops up", "hidden ", "hidden "]
    always = found_text(System((ours, wide, replace(wide, text="never seen"))).answers(parse_sequence("1N")))
    assert always.splitlines()[-2:] == ["hidden   record 3  1NT", "    never seen"]


def test_a_call_without_its_qualifier_is_answered_by_cases(tmp_path: Path) -> None:
    """Each qualifier is a case; a record without one pops up in the others, and is hidden where the qualifier is given."""
    path = tmp_path / "ranges.bss"
    path.write_text(
        "*00{Ranges}=NYYYYYY\n001N{12-14}=NNNNNNN0weak\n001N{15-17}=NNNNNNN0strong\n001N=NNNNNNN0any\n"
        "001N{12-14}P2C=NNNNNNN008ask\n*001N{12-14}D=NNNNNNNhits\n"
    )

    def heads(auction: str) -> list[str]:
        told = run("show", path, "--auction", auction)
        assert told.exit_code == 0
        return [line for line in told.stdout.splitlines() if not line.startswith("    ")]

    open_question = ["pops up  record 2  1NT{12-14}", "pops up  record 3  1NT{15-17}", "pops up  record 4  1NT"]
    assert heads("1N") == heads("1NT") == open_question
    assert heads("1NT{12-14}") == heads("1N{12-14}") == ["pops up  record 2  1NT{12-14}", "hidden   record 4  1NT"]
    assert heads("1NT{10-12}") == ["pops up  record 4  1NT"]
    assert heads("1NT Pass 2♣") == heads("1NT{12-14} Pass 2♣") == ["pops up  record 5  1NT{12-14} Pass 2♣"]
    assert heads("*1ND") == heads("*1NT{12-14} X") == ["pops up  record 6  1NT{12-14} X"]


def test_the_files_own_mark_of_the_opponents_opening() -> None:
    """``*`` before the calls says that the opponents opened, as it does in the file."""
    path = SAMPLES / "bss" / "example4.bss"
    tree = run("show", path).stdout.splitlines()
    notrump = tree.index("  1NT", tree.index("They open"))
    assert (tree[notrump + 1][:5], tree[notrump + 1].split()) == ("    X", ["X", "Strength,", "ca", "15+"])
    assert "Strength, ca 15+" in run("show", path, "--auction", "*1NT X").stdout
    assert "Strength, ca 15+" in run("show", path, "--auction", "*1ND").stdout


@pytest.mark.parametrize(
    ("path", "args", "told"),
    [
        (SAMPLES / "bss" / "example1.bss", ("--auction", "1C frog"), "not a call"),
        (SAMPLES / "bss" / "example1.bss", ("--auction", "  "), "there is no call in it"),
        (SAMPLES / "bss" / "example1.bss", ("--auction", "1D P 1C"), "call 3, 1C, is not allowed there: insufficient"),
        (SAMPLES / "bss" / "example1.bss", ("--auction", "p 1C", "--seat", "3"), "1 pass puts the opening in seat 2, not 3"),
        (SAMPLES / "bss" / "example1.bss", ("--seat", "3"), "name it with --auction"),
        (SIXTEEN, ("--auction", "1C"), "holds no bidding system"),
    ],
)
def test_questions_without_sense(path: Path, args: tuple[str, ...], told: str) -> None:
    """They are wrong calls, and the message says why."""
    result = run("show", path, *args)
    assert result.exit_code == 2
    assert told in result.stderr
    assert not result.stdout


def test_what_is_included_answers_too(tmp_path: Path) -> None:
    """A file beside it, in whatever case of its name; another folder only where it is named."""
    more = (SAMPLES / "bss" / "example4.bss").read_bytes()
    status, shown, _ = tell(tmp_path, more)
    own = run("show", SAMPLES / "bss" / "example1.bss").stdout
    assert status == 0
    assert len(shown.splitlines()) > len(own.splitlines()) + 2
    (tmp_path / "else").mkdir()
    (tmp_path / "MORE.bss").rename(tmp_path / "else" / "more.bss")
    assert "include-missing" in run("validate", tmp_path / "club.bss").stdout
    assert run("show", tmp_path / "club.bss", "--systems", tmp_path / "else").stdout == shown


def test_a_system_that_includes_itself_is_told(tmp_path: Path) -> None:
    """One finding, and no endless reading."""
    path = tmp_path / "loop.bss"
    path.write_bytes((SAMPLES / "bss" / "example1.bss").read_bytes().rstrip(b"\r\n") + b"\r\n+loop.bss\r\n")
    result = run("validate", path)
    assert result.exit_code == 1
    assert result.stdout.count("error[include-nested]") == 1


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names here")
def test_what_is_no_file_is_not_included(tmp_path: Path) -> None:
    """A pipe beside the system would never end; it is not opened."""
    os.mkfifo(tmp_path / "more.bss")
    assert tell(tmp_path, None)[0] == 0


def test_without_arguments_the_help_is_no_error() -> None:
    """A bare command shows what there is, with the status of a wrong call."""
    result = run()
    assert result.exit_code == 2
    assert "error" not in result.stderr.splitlines()[0]
    assert "Start here" in result.stderr


def test_a_system_has_nothing_to_solve() -> None:
    """Not an empty answer: an error that names the file."""
    result = run("solve", SAMPLES / "bss" / "example1.bss")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "example1.bss: " in result.stderr


@pytest.mark.parametrize("target", ["x.pbn", "x.dup"])
def test_a_system_does_not_become_a_file_without_boards(tmp_path: Path, target: str) -> None:
    """A format of boards is refused for a system, and nothing is written."""
    result = run("convert", SAMPLES / "bss" / "example1.bss", tmp_path / target)
    assert result.exit_code == 2
    assert f" {target[2:]} " in result.stderr
    assert not (tmp_path / target).exists()


def test_a_system_is_something_to_hold() -> None:
    """A format of bidding systems is not one without bridge meaning."""
    assert json.loads(run("formats", "bss", "--output-format", "json").stdout)[0]["holds"] == ["system"]


# --- show, dump, checksum, formats ----------------------------------------------------------------------------------


def test_show_draws_hands_and_results() -> None:
    """The first deal of the published database, with the table that goes with it."""
    shown = run("show", SOLVED).stdout
    assert "♠ AT652" in shown
    assert [line.split() for line in shown.splitlines() if line.startswith("W ")] == [["W", "9", "9", "11", "9", "7"]]


def test_show_of_results_without_deals() -> None:
    """A file of results alone shows them; a file with errors is shown as far as it goes, with status 1."""
    assert "NT" in run("show", SAMPLES / "zdd" / "record0.zdd").stdout
    assert run("show", CUT).exit_code == 1
