"""Values of the model in columns of tables."""

from __future__ import annotations

import pytest

from bridgespec.tables.column_values import COLUMN_TYPES


@pytest.mark.parametrize(("text", "value"), [("7", 7), ("²", "²"), ("٧", "٧"), ("deal", "deal")])
def test_a_step_of_a_place_is_an_index_or_a_name(text: str, value: str | int) -> None:
    """An index has ASCII digits, any other text is a name."""
    assert COLUMN_TYPES[str | int].model(text) == value
