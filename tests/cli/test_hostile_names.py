"""Odd names, folders that lead back to themselves, and files that are not what their names say."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from .running import CUT, SIXTEEN, run


@pytest.mark.skipif(os.name == "nt", reason="such names and links are not made there")
def test_a_folder_that_leads_back_to_itself_is_read_once(tmp_path: Path) -> None:
    """A link to a folder above is not followed; another link to a folder is."""
    (tmp_path / "boards").mkdir()
    shutil.copy(SIXTEEN, tmp_path / "boards" / "a.dup")
    (tmp_path / "boards" / "again").symlink_to("..")
    (tmp_path / "other").symlink_to("boards")
    assert "2 files checked" in run("validate", tmp_path).stdout


@pytest.mark.skipif(os.name == "nt", reason="such names are not made there")
def test_a_name_does_not_steer_the_terminal(tmp_path: Path) -> None:
    """Neither where the file is clean, nor at a finding, nor where it cannot be converted."""
    clean, bad = tmp_path / "\x1b[31mred\nok.dup", tmp_path / "\x1b[31mred.zbd"
    shutil.copy(SIXTEEN, clean)
    shutil.copy(CUT, bad)
    for result in run("validate", clean, bad), run("convert", bad, tmp_path / "x.bri"):
        assert "\x1b" not in result.stdout + result.stderr
        assert "\\x1b[31mred" in result.stdout + result.stderr


def test_a_file_of_another_kind_is_not_converted_to_nothing(tmp_path: Path) -> None:
    """Where not one board could be read, there is nothing to write: status 2, and the name of the format that it may be."""
    wrong, target = tmp_path / "wrong.pbn", tmp_path / "x.zbd"
    shutil.copy(SIXTEEN, wrong)
    result = run("convert", wrong, target)
    assert result.exit_code == 2
    assert "--format dup" in result.stderr
    assert "other-format" in result.stderr
    assert not target.exists()
