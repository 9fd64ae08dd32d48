"""Pages that several files of browser tests open."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.webpage.running import SAMPLES, made


@pytest.fixture(scope="module")
def sixteen(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made(tmp_path_factory.mktemp("sixteen"), SAMPLES / "pbn" / "sixteen.pbn")


@pytest.fixture(scope="module")
def bid(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A board that was bid with explanations and played for two tricks, from a LIN file."""
    return made(tmp_path_factory.mktemp("bid"), SAMPLES / "lin" / "read-plus-alerts-claim.lin")


@pytest.fixture(scope="module")
def match(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A match of two rooms, solved in no file."""
    return made(tmp_path_factory.mktemp("match"), SAMPLES / "lin" / "match.lin")
