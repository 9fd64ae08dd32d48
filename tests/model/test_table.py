"""Tables of text: a column by its name."""

from __future__ import annotations

import pytest

from bridgespec.model.table import Column, Table

TABLE = Table("x", (Column("a"), Column("b")), (("1", "2"), ("3",), ("4", "5")))


def test_a_column_has_the_cells_that_there_are() -> None:
    """Rows that broke off before it are left out."""
    assert TABLE.column("a") == ("1", "3", "4")
    assert TABLE.column("b") == ("2", "5")


def test_a_column_that_is_not_there_is_refused() -> None:
    """By its name."""
    with pytest.raises(KeyError, match="c"):
        TABLE.column("c")
