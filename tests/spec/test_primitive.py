"""The ranges of the integers of binary schemas."""

from __future__ import annotations

import pytest

from bridgespec.spec.primitive import BitsType, IntType


@pytest.mark.parametrize("size", [1, 2, 4, 8])
def test_the_range_of_an_integer(size: int) -> None:
    """The numbers that so many bytes hold, as Python packs them, and no more."""
    for signed in (False, True):
        low, high = IntType(size, signed, "le").range
        for value in (low, high):
            assert int.from_bytes(value.to_bytes(size, "little", signed=signed), "little", signed=signed) == value
        for value in (low - 1, high + 1):
            with pytest.raises(OverflowError):
                value.to_bytes(size, "little", signed=signed)
    assert BitsType(8 * size, "le", False).range == (0, 256**size - 1)
