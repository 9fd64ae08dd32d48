"""The recipes for directors in `docs/director.md` run as they are printed."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from bridgespec import load

from ..warm import warm

ROOT = Path(__file__).parents[2]
SAMPLES = ROOT / "tests/scoring/samples"


def recipe(name: str) -> str:
    """The commands of a recipe."""
    found = re.search(rf"<!-- {name} -->\n```sh\n(.*?)```", (ROOT / "docs/director.md").read_text("utf-8"), re.DOTALL)
    assert found is not None
    assert len(found[1].splitlines()) <= 12, "a recipe is ten lines or so"
    return found[1]


def done(name: str, folder: Path) -> None:
    """Run a recipe in a folder; each command has to end with status 0."""
    path = os.pathsep.join([str(warm().folder), str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = {**os.environ, "PATH": path, "PYTHONPATH": str(ROOT)}
    run = subprocess.run(["bash", "-ec", recipe(name)], cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr


def test_before_the_session(tmp_path: Path) -> None:
    """The machine's file has the deals and what was set; the deals are slams for North-South that the archive lacks."""
    (tmp_path / "archive").mkdir()
    shutil.copy(ROOT / "tests/samples/pbn/sixteen.pbn", tmp_path / "archive")
    done("before", tmp_path)
    boards = load(tmp_path / "session.pbn").boards
    assert len(boards) == 4
    for board in boards:
        assert board.tricks is not None
        assert max(board.tricks["S", "N"] or 0, board.tricks["NT", "N"] or 0) >= 12
    machine = (tmp_path / "machine.dup").read_bytes()
    assert machine != (tmp_path / "dealt.dup").read_bytes()
    assert [board.deal for board in load(tmp_path / "machine.dup").boards] == [board.deal for board in boards]


def test_after_the_session(tmp_path: Path) -> None:
    """What is published has the ranking, and the archive the boards."""
    pytest.importorskip("duckdb")
    for folder in ("archive", "results"):
        (tmp_path / folder).mkdir()
    shutil.copy(SAMPLES / "club.pbn", tmp_path / "session.pbn")
    shutil.copy(SAMPLES / "club.csv", tmp_path / "travellers.csv")
    shutil.copy(SAMPLES / "club-pairs.csv", tmp_path / "pairs.csv")
    text = (SAMPLES / "club.pbn").read_text("utf-8").replace('[Contract ""]', '[Contract "1NT"]')
    (tmp_path / "results" / "first.pbn").write_text(text, "utf-8")
    done("after", tmp_path)
    assert "Eve &amp; Finn" in (tmp_path / "ranking.html").read_text("utf-8")
    assert load(tmp_path / "archive" / "scored.pbn").boards[0].tables[1].name == "TotalScoreTable"
