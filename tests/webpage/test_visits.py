"""What a reader of a page sees, step by step: every view, playing through, opening files, and a solver that fails."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.webpage.running import NODE
from tests.webpage.visits import FOLDER, VISITS, went


@pytest.mark.slice(None, quick=1)
@pytest.mark.skipif(NODE is None, reason="no Node.js (node) to run the page's scripts with")
@pytest.mark.parametrize("name", VISITS)
def test_a_visit_goes_as_recorded(name: str, tmp_path: Path) -> None:
    """The same elements, links, focus and requests to the browser after every step; the package of visits can record them again."""
    assert went(VISITS[name], tmp_path) == (FOLDER / f"{name}.txt").read_text("utf-8")
