"""What the README and the tutorial show is run: every command, and every output that stands below one."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
from dataclasses import dataclass
from pathlib import Path

import pytest

from .warm import warm

ROOT = Path(__file__).parent.parent
CHAPTERS = sorted((ROOT / "bridgespec" / "docs" / "tutorial").glob("[0-9]*.md"))
GALLERY = ROOT / "tests" / "docs" / "gallery"
"""Published schemas that a chapter has its reader fetch."""
README = ROOT / "README.md"
INSTALLED = (Path(sysconfig.get_path("purelib")) / "bridgespec").is_dir()
_BLOCK = re.compile(
    r"(?:<!-- (?:file: (?P<file>\S+)|given: (?P<given>\S+)) -->\n)?^```(?P<kind>\w+)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL
)


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, its text, the file that it is to be written to, the published one that it takes for granted."""

    kind: str
    body: str
    file: str | None
    given: str | None


def blocks(path: Path) -> list[Block]:
    """The fenced blocks of a page."""
    return [Block(m["kind"], m["body"], m["file"], m["given"]) for m in _BLOCK.finditer(path.read_text("utf-8"))]


def run(script: str, folder: Path) -> str:
    """What the commands print, both streams as a terminal has them; the environment goes on from block to block."""
    state = folder / ".environment"
    load = f". {state}\n" if state.exists() else ""
    wrapped = f"{load}set -e\n{script}\nexport -p > {state}\n"
    # A package that is installed by itself is what is tried; the process that is warm has that of this folder.
    first = [] if INSTALLED else [warm().folder]
    path = os.pathsep.join(map(str, (*first, Path(sys.executable).parent, os.environ["PATH"])))
    plain = {"COLUMNS": "100", "NO_COLOR": "1", "PYTHONUNBUFFERED": "1", "BRIDGESPEC": "bridgespec"}
    done = subprocess.run(
        ["bash", "-c", wrapped],
        cwd=folder,
        env={**os.environ, "PATH": path, **plain},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{script}\n{done.stdout}"
    return done.stdout


def matches(expected: str, printed: str) -> bool:
    """Whether the output is as shown: lines in any order of the two streams' flushing aside, ``...`` stands for anything."""
    parts = [re.escape(part.strip("\n")).replace(r"\ ", r"\s+?") for part in expected.strip("\n").split("...")]
    at, last = 0, len(parts) - 1
    for index, part in enumerate(parts):
        # each part where it occurs first: one expression for all of them takes forever to fail
        pattern = re.compile((r"\s*" if index == 0 else ".*?") + part + (r"\s*\Z" if index == last else ""), re.DOTALL)
        found = pattern.match(printed, at)
        if found is None:
            return False
        at = found.end()
    return True


def installed(script: str) -> str:
    """The commands without the installation that they begin with: what runs the tests is installed."""
    return script.rpartition("&&")[2] if "pip install" in script else script


def follow(page: list[Block], folder: Path) -> int:
    """Do what the page says, in order; the number of commands run."""
    printed = ""
    ran = 0
    for block in page:
        if block.given is not None:
            shutil.copy(GALLERY / block.given, folder)
        if block.file is not None:
            (folder / block.file).parent.mkdir(parents=True, exist_ok=True)
            (folder / block.file).write_text(block.body, "utf-8")
        elif block.kind == "sh":
            printed = run(installed(block.body), folder)
            ran += 1
        elif block.kind == "python":
            (folder / "page.py").write_text(block.body, "utf-8")
            printed = run("python page.py", folder)
            ran += 1
        elif block.kind == "text":
            assert matches(block.body, printed), f"shown:\n{block.body}\nprinted:\n{printed}"
    return ran


@pytest.mark.slice(None, quick=2)
@pytest.mark.skipif(os.name == "nt", reason="the pages show commands of a POSIX shell")
@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda path: path.stem)
def test_the_tutorial_can_be_followed_word_for_word(tmp_path: Path, chapter: Path) -> None:
    """Every chapter from an empty folder, with the installed command, every block in order."""
    page = blocks(chapter)
    assert follow(page, tmp_path) == sum(block.kind == "sh" for block in page)
    assert page or chapter is CHAPTERS[-1]


@pytest.mark.long
def test_the_readme_does_what_it_shows(tmp_path: Path) -> None:
    """In the repository's folder, every block in order, but for the tests, which are running."""
    for name in ("tests", "examples"):
        (tmp_path / name).symlink_to(ROOT / name)
    page = [block for block in blocks(README) if "pytest" not in block.body]
    assert follow(page, tmp_path) > 2


@pytest.mark.long
@pytest.mark.skipif(os.name == "nt", reason="the page shows commands of a POSIX shell")
def test_a_convention_is_added_word_for_word(tmp_path: Path) -> None:
    """The chapter on bidding: two conventions and a system as files in a folder, checked and bid by."""
    assert follow(blocks(ROOT / "docs" / "bidding.md"), tmp_path) >= 3
