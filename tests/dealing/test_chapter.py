"""The chapter on dealing: its commands run, its script is read, its terms are the ones there are."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from bridgespec.dealing.deal_condition import read_condition
from bridgespec.dealing.script import read_script
from bridgespec.model.evaluate import HAND_TERMS
from tests.cli.running import ROOT, run
from tests.test_prose import blocks

PAGE = ROOT / "docs" / "dealing.md"
COMMANDS = [line for block in blocks(PAGE) if block.kind == "sh" for line in block.body.splitlines()]


@pytest.mark.slice(None, quick=2)
@pytest.mark.parametrize("line", COMMANDS)
def test_commands_of_the_page_run(line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each as it stands, but for a thousand deals to solve, of which four are."""
    monkeypatch.chdir(tmp_path)
    words = shlex.split(line.replace("-n 1000", "-n 4"))
    assert words.pop(0) == "bridgespec"
    result = run(*words)
    assert result.exit_code == 0, result.output
    assert result.stdout or list(tmp_path.iterdir())


def test_the_scripts_of_the_page_are_read() -> None:
    """With all of their actions."""
    scripts = [read_script(block.body) for block in blocks(PAGE) if block.kind == "text"]
    assert [len(script.actions) for script in scripts] == [2, 3]


def test_every_spelling_of_the_table_is_understood() -> None:
    """Each cell of the first column, in a clause."""
    cells = re.findall(r"^\| (`.*`) \|", PAGE.read_text("utf-8"), re.MULTILINE)
    spellings = [text for cell in cells for text in re.findall("`([^`]+)`", cell) if not text.startswith("A ") and "A," not in text]
    assert len(spellings) > 15
    for text in spellings:
        read_condition(f"north: {text}")


def test_the_terms_of_the_page_are_all_there_are() -> None:
    """Terms of a whole hand, but for those that are facts."""
    page = PAGE.read_text("utf-8")
    assert [term for term in HAND_TERMS if f"{term}`" not in page] == []
