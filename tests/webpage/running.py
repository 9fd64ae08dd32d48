"""The page's rules run by Node.js, and pages made of samples."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from bridgespec.cli.app import app
from bridgespec.webpage.scripts import bundle
from tests.browsing import until

ROOT = Path(__file__).parent.parent.parent
SAMPLES = ROOT / "tests" / "samples"
SHARED = ROOT.parent / "shared" / "data" / "pbn"
MATCH = SHARED / "1997-Orbis_Bermuda_Bowl__FF04.PBN"
"""A match of two rooms with every play recorded; it may not be redistributed, so it is expected beside the repository."""
ABSENT = "the collection may not be redistributed: it is expected in ../shared/data/pbn"
needs_match = pytest.mark.skipif(not MATCH.is_file(), reason=ABSENT)
TILE = "button.tile"
"""A card of the hand that is to play."""
NODE = shutil.which("node")
TSC = os.environ.get("BRIDGESPEC_TSC") or shutil.which("tsc") or shutil.which(str(ROOT / "node_modules/.bin/tsc"))


def answers(questions: list[tuple[str, Any]], folder: Path) -> list[Any]:
    """What the page's scripts answer, in order."""
    script = folder / "answers.mjs"
    script.write_text(bundle(Path(__file__).with_name("answers.js")), "utf-8")
    assert NODE is not None
    done = subprocess.run([NODE, str(script)], input=json.dumps(questions), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return list(json.loads(done.stdout))


def made(folder: Path, *sources: Path, options: Sequence[str] = ()) -> Path:
    """The page of some files."""
    target = folder / "boards.html"
    done = CliRunner().invoke(app, ["page", *map(str, sources), "-o", str(target), *options])
    assert done.exit_code == 0, done.output
    return target


def shown(open_page: Any) -> dict[str, int]:
    """The declarer's tricks that the page gives for each card that may be played, by the card's name."""
    until(open_page, f"[...document.querySelectorAll('{TILE}')].every(tile => / makes \\d+/.test(tile.textContent))")
    labels = open_page.eval_on_selector_all(TILE, "tiles => tiles.map(tile => tile.querySelector('.sr').textContent.trim())")
    return {label.split(":")[0]: int(re.search(r"makes (\d+)", label)[1]) for label in labels}
