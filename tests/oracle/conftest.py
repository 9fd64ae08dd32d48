"""The compiled schemas, once a session; without Node.js the oracle is skipped, or fails where it is required."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.oracle.compiler import Compiled, Unavailable, compile_folder

SCHEMAS = Path(__file__).parents[2] / "specs"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Every test here asks the oracle."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.oracle)


@pytest.fixture(scope="session")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Compiled:
    """Every schema of ``specs/`` as the real compiler sees it; set ``BRIDGESPEC_REQUIRE_ORACLE=1`` where it must be asked."""
    try:
        return compile_folder(SCHEMAS, tmp_path_factory.mktemp("kaitai"))
    except Unavailable as reason:
        if os.environ.get("BRIDGESPEC_REQUIRE_ORACLE") == "1":
            pytest.fail(f"{reason} (BRIDGESPEC_REQUIRE_ORACLE=1)")
        pytest.skip(str(reason))
