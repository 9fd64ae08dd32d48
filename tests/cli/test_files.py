"""Folders and patterns as sources of the commands that take boards: in quotes too, and a file of that name wins.

Odd names, folders that lead back to themselves, and files that are not what their names say.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from bridgespec import load
from tests.cli import running

from .running import CUT, SAMPLES, run

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


@pytest.mark.skipif(os.name == "nt", reason="such names and links are not made there")
def test_a_folder_that_leads_back_to_itself_is_read_once(tmp_path: Path) -> None:
    """A link to a folder above is not followed; another link to a folder is."""
    (tmp_path / "boards").mkdir()
    shutil.copy(running.SIXTEEN, tmp_path / "boards" / "a.dup")
    (tmp_path / "boards" / "again").symlink_to("..")
    (tmp_path / "other").symlink_to("boards")
    assert "2 files checked" in run("validate", tmp_path).stdout


@pytest.mark.skipif(os.name == "nt", reason="such names are not made there")
def test_a_name_does_not_steer_the_terminal(tmp_path: Path) -> None:
    """Neither where the file is clean, nor at a finding, nor where it cannot be converted."""
    clean, bad = tmp_path / "\x1b[31mred\nok.dup", tmp_path / "\x1b[31mred.zbd"
    shutil.copy(running.SIXTEEN, clean)
    shutil.copy(CUT, bad)
    for result in run("validate", clean, bad), run("convert", bad, tmp_path / "x.bri"):
        assert "\x1b" not in result.stdout + result.stderr
        assert "\\x1b[31mred" in result.stdout + result.stderr


def test_a_file_of_another_kind_is_not_converted_to_nothing(tmp_path: Path) -> None:
    """Where not one board could be read, there is nothing to write: status 2, and the name of the format that it may be."""
    wrong, target = tmp_path / "wrong.pbn", tmp_path / "x.zbd"
    shutil.copy(running.SIXTEEN, wrong)
    result = run("convert", wrong, target)
    assert result.exit_code == 2
    assert "--format dup" in result.stderr
    assert "other-format" in result.stderr
    assert not target.exists()
