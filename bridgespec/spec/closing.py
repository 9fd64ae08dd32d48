"""Fixes for a missing bracket or quotation mark in a schema, which loaders add to their findings: `closing_fix`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from itertools import islice

from bridgespec.diagnostic import Edit, Fix

CLOSING = {"(": ")", "[": "]", "{": "}", '"': '"', "'": "'", "/": "/"}
"""The closing mark of each opening mark; ``/`` delimits a regular expression of a grammar."""
MOST_TRIALS = 20
"""The maximum number of positions that `closing_fix` tries: each trial parses the text."""
_WORD_END = re.compile(r"(?<=[^\s,:|])(?=[\s,:|)\]}?*+]|$)", re.MULTILINE)


def word_ends(text: str, start: int, stop: int) -> list[int]:
    """Return the offset after each word in the text from ``start`` to ``stop``.

    >>> word_ends('a: "b c', 4, 7)
    [5, 7]
    """
    return [found.start() for found in _WORD_END.finditer(text, start, stop) if found.start() > start]


def closing_fix(text: str, mark: str, places: Iterable[int], reads: Callable[[str], bool]) -> Fix | None:
    """Return the fix that inserts ``mark`` into ``text`` at the first of the offsets ``places`` for which ``reads`` is true of the
    changed text; None where it is true for none of the first `MOST_TRIALS`.
    """
    for at in islice(places, MOST_TRIALS):
        if reads(f"{text[:at]}{mark}{text[at:]}"):
            byte = len(text[:at].encode())
            return Fix(f"write {mark!r}", (Edit(byte, byte, mark.encode()),))
    return None
