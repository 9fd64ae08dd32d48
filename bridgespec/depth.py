"""How deep data may nest, in texts and bytes: `LEVELS`; and the frames of Python that what reads and writes them needs.

A reader of nested texts keeps a stack of its own (`RecursiveProgram`). What walks its tree (values, JSON, writers, comparison)
calls itself, some frames a level: more than Python permits by default, and far less than a stack holds (a thousand levels need
less than 512 kB of it, the smallest stack of a thread on any platform).
"""

from __future__ import annotations

import sys

LEVELS = 1_000
"""The maximum depth of records of one another, and of rules that reach themselves."""
_FRAMES = 20
"""The maximum number of frames of a walk for each level. The most that was measured is 11: JSON of texts."""
_SHALLOW = 40
"""The depth that needs no more frames than Python permits, with room for the caller's."""


def permit(depth: int) -> bool:
    """Return whether data may nest ``depth`` levels deep, and raise Python's limit of frames where a walk of them needs more.

    The limit stays raised, because the caller walks the data later; it is never lowered.

    >>> permit(1_000), permit(1_001)
    (True, False)
    """
    if depth > _SHALLOW and sys.getrecursionlimit() < LEVELS * _FRAMES:
        sys.setrecursionlimit(LEVELS * _FRAMES)
    return depth <= LEVELS
