"""Fixes for a missing bracket or quotation mark in a schema: find a position for it, which loaders offer with their findings."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from itertools import islice

from bridgespec.diagnostic import Edit, Fix

CLOSING = {"(": ")", "[": "]", "{": "}", '"': '"', "'": "'", "/": "/"}
MOST_TRIALS = 20
_WORD_END = re.compile(r"(?<=[^\s,:|])(?=[\s,:|)\]}?*+]|$)", re.MULTILINE)


def word_ends(text: str, start: int, stop: int) -> list[int]:
    """Return the offset after each word in the text from ``start`` to ``stop``.

    >>> word_ends('a: "b c', 4, 7)
    [5, 7]
    """
    return [found.start() for found in _WORD_END.finditer(text, start, stop) if found.start() > start]


def closed(text: str, mark: str, places: Iterable[int], reads: Callable[[str], bool]) -> Fix | None:
    """Return the fix that inserts ``mark`` at the first of the offsets ``places`` with which ``reads`` accepts the text; None
    where none does.
    """
    for at in islice(places, MOST_TRIALS):
        if reads(f"{text[:at]}{mark}{text[at:]}"):
            byte = len(text[:at].encode())
            return Fix(f"write {mark!r}", (Edit(byte, byte, mark.encode()),))
    return None
