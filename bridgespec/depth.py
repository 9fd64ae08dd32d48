"""The limit of nesting in texts and bytes, `LEVELS`, and the recursion limit of Python that such data need, set by `permit`.

A reader of nested texts uses a stack of its own (`RecursiveProgram`). The functions that traverse its tree (values, JSON, writers,
comparison) are recursive, with several frames for each level: a thousand levels need more frames than Python permits by default,
but less than 512 kB of the C stack, the size of the smallest stack of a thread on any platform.
"""

from __future__ import annotations

import sys

LEVELS = 1_000
"""The maximum depth of records within records, and of nested matches of a recursive grammar rule."""
_FRAMES = 20
"""Frames allowed for each level of a traversal. The most that was measured is 11, for JSON of texts."""
_SHALLOW = 40
"""The depth up to which Python's default recursion limit is enough, with room for the frames of the caller."""


def permit(depth: int) -> bool:
    """Return whether data may nest ``depth`` levels deep, and raise Python's recursion limit where traversing such data needs more.

    The limit stays raised, because the caller traverses the data later; it is never lowered.

    >>> permit(1_000), permit(1_001)
    (True, False)
    """
    if depth > _SHALLOW and sys.getrecursionlimit() < LEVELS * _FRAMES:
        sys.setrecursionlimit(LEVELS * _FRAMES)
    return depth <= LEVELS
