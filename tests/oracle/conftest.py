"""The compiled schemas, once a session; without Node.js the oracle is skipped, or fails where it is required."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.generate.house import EXAMPLES, SCHEMAS
from tests.oracle.compiler import Compiled, Unavailable, compile_folder

SPECS = Path(__file__).parents[2] / "specs"


@pytest.fixture(scope="session")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Compiled:
    """Every schema of ``specs/``, and those of the tests, as the real compiler sees it.

    Set ``BRIDGESPEC_REQUIRE_ORACLE=1`` where it must be asked.
    """
    try:
        out = tmp_path_factory.mktemp("kaitai")
        parts = [compile_folder(folder, out) for folder in (SPECS, SCHEMAS, EXAMPLES)]
    except Unavailable as reason:
        if os.environ.get("BRIDGESPEC_REQUIRE_ORACLE") == "1":
            pytest.fail(f"{reason} (BRIDGESPEC_REQUIRE_ORACLE=1)")
        pytest.skip(str(reason))
    errors = {name: message for part in parts for name, message in part.errors.items()}
    return Compiled(out, errors, tuple(name for part in parts for name in part.ids))
