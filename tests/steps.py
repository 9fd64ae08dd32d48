"""Counting what a call does: so many functions entered, Python's and C's, whatever else the machine is busy with."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType


class TooManyError(AssertionError):
    """More functions were entered than allowed."""


def steps(function: Callable[[], object], most: int | None = None) -> int:
    """How many functions a call enters; TooManyError as soon as there are more than ``most``.

    >>> steps(lambda: [len(word) for word in "ab"]) - steps(lambda: [len(word) for word in "a"])
    1
    """
    count = 0

    def enter(_frame: FrameType, event: str, _given: object) -> None:
        nonlocal count
        if event in ("call", "c_call"):
            count += 1
            if most is not None and count > most:
                sys.setprofile(None)
                raise TooManyError(f"more than {most:,} functions were entered")

    before = sys.getprofile()
    sys.setprofile(enter)
    try:
        function()
    finally:
        sys.setprofile(before)
    return count
