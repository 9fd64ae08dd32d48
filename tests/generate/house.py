"""The engine of the suites: every format of the project, the examples, and schemas that only the tests have."""

from __future__ import annotations

from pathlib import Path

from bridgespec.api import engine as engine_of
from bridgespec.engines import Engine

SCHEMAS = Path(__file__).parent / "schemas"
"""Schemas that use what the bridge formats do not need."""


EXAMPLES = Path(__file__).parents[2] / "examples" / "formats"
"""The formats that an author can learn from."""


def engine() -> Engine:
    """The engine, made once."""
    return engine_of((str(SCHEMAS), str(EXAMPLES)))
