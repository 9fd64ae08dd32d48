"""What commands print is what it was, word for word: reports, tables, counts, losses and refusals."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.transcripts import FOLDER, SESSIONS, played


@pytest.mark.long
@pytest.mark.parametrize("name", SESSIONS)
def test_a_session_goes_as_recorded(name: str, tmp_path: Path) -> None:
    """Every command gives the same output, errors and exit status; the package of sessions can record them again."""
    assert played(name, tmp_path) == (FOLDER / f"{name}.txt").read_text("utf-8")
