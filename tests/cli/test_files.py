"""Folders and patterns as sources of the commands that take boards: in quotes too, and a file of that name wins."""

from __future__ import annotations

from pathlib import Path

import pytest

from bridgespec import load

from .running import SAMPLES, run

TWO, SIXTEEN = SAMPLES / "pbn" / "two-boards.pbn", SAMPLES / "pbn" / "sixteen.pbn"


@pytest.fixture
def club(tmp_path: Path) -> Path:
    """A folder with two files of 18 boards."""
    folder = tmp_path / "club"
    folder.mkdir()
    for path in (TWO, SIXTEEN):
        (folder / path.name).write_bytes(path.read_bytes())
    return folder


@pytest.mark.parametrize("pattern", ["", "/*.pbn"])
@pytest.mark.parametrize("target", ["all.pbn", "all.lin", "all.bhg", "all.dge", "all.zbd"])
def test_boards_of_several_files_are_converted_as_those_of_each(club: Path, tmp_path: Path, pattern: str, target: str) -> None:
    """In the order of the names; whether the target is written in stretches or at once."""
    dest = tmp_path / target
    done = run("convert", f"{club}{pattern}", "-o", dest)
    assert done.exit_code == 0, done.stderr
    deals = [board.deal for path in (SIXTEEN, TWO) for board in load(path).boards]
    assert [board.deal for board in load(dest).boards] == deals


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (["solve", "{}", "-o", "{}.out.pbn"], "tables solved"),
        (["split", "{}", "{}.out.zbd"], "18 boards"),
        (["show", "{}"], "North"),
        (["bid", "{}", "--boards", "1"], "by"),
        (["checksum", "{}"], "two-boards.pbn"),
    ],
)
def test_commands_of_one_source_take_a_pattern(club: Path, call: list[str], words: str) -> None:
    """The boards of all its files are one source."""
    pattern = f"{club}/*.pbn"
    done = run(*(part.format(pattern if part == "{}" else club) for part in call))
    assert done.exit_code == 0, done.stderr
    assert words in done.stdout + done.stderr


@pytest.mark.long
@pytest.mark.parametrize("command", ["solve", "show", "bid"])
def test_files_that_a_shell_expands_are_those_of_the_pattern(club: Path, command: str) -> None:
    """Several paths, in order, are one source; a missing one is reported."""
    files = sorted(club.iterdir())
    pattern, several = run(command, f"{club}/*.pbn"), run(command, *files)
    assert several.exit_code == 0, several.stderr
    assert several.stdout == pattern.stdout
    assert run(command, *files, club / "absent.pbn").exit_code != 0


def test_a_question_is_put_to_one_system() -> None:
    """Of several systems each is shown; `--auction` asks one."""
    systems = sorted((SAMPLES / "bss").glob("*.bss"))[:2]
    trees = [run("show", path).stdout for path in systems]
    assert run("show", *systems).stdout == "".join(trees)
    done = run("show", *systems, "--auction", "1C")
    assert done.exit_code == 2
    assert "--auction" in done.stderr
    assert done.stderr.endswith(" 2\n")


def test_what_takes_one_file_takes_a_pattern_of_one(club: Path) -> None:
    """Else the number of files is told."""
    assert run("dump", f"{club}/two*.pbn", "--record", "1").exit_code == 0
    done = run("dump", f"{club}/*.pbn")
    assert done.exit_code == 2
    assert "names 2 files" in done.stderr


def test_a_file_with_signs_of_a_pattern_is_that_file(club: Path) -> None:
    """The name of an existing file is no pattern."""
    (club / "two-boards.pbn").rename(club / "[s]*.pbn")
    done = run("checksum", f"{club}/[s]*.pbn")
    assert len(done.stdout.splitlines()) == 1
