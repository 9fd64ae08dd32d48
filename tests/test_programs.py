"""The twelve programs of the page print what stands below them, with this package and with endplay."""

from __future__ import annotations

import contextlib
import importlib.util
import io
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SECTIONS = (ROOT / "docs" / "programs.md").read_text("utf-8").split("\n## ")[1:]
HAS_ENDPLAY = importlib.util.find_spec("endplay") is not None


def block(section: str, kind: str) -> str:
    """The block of a section behind the words of its fence."""
    (found,) = re.findall(rf"^```{kind}\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)
    return str(found)


def printed(program: str) -> str:
    """What a program prints."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(program, "program", "exec"), {"__name__": "program"})
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines()) + "\n"


def test_there_are_twelve() -> None:
    """Each section has both programs and what they print, and the first is not the longer one."""
    assert len(SECTIONS) == 12
    assert all(block(one, "python") and block(one, "text") and block(one, "python endplay") for one in SECTIONS)
    lines = [(block(one, "python").count("\n"), block(one, "python endplay").count("\n")) for one in SECTIONS]
    assert sum(ours for ours, _ in lines) <= sum(theirs for _, theirs in lines)


@pytest.mark.slice(None, quick=2)
@pytest.mark.parametrize("section", SECTIONS, ids=lambda section: section.splitlines()[0])
def test_it_prints_what_stands_below(section: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The program with this package."""
    monkeypatch.chdir(ROOT / "examples" / "programs")
    assert printed(block(section, "python")) == block(section, "text")


@pytest.mark.long
@pytest.mark.skipif(not HAS_ENDPLAY, reason="endplay is not installed")
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("section", SECTIONS, ids=lambda section: section.splitlines()[0])
def test_endplay_prints_the_same(section: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The program with endplay."""
    monkeypatch.chdir(ROOT / "examples" / "programs")
    assert printed(block(section, "python endplay")) == block(section, "text")
