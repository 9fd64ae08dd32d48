"""Findings that every codec may report: contradicting derived fields, and findings beyond the maximum."""

from __future__ import annotations

from bridgespec.diagnostic import Diagnostic, Severity, define

MOST = 1000
"""The maximum number of findings that one pass over a file keeps."""

TOO_MANY = define(
    "too-many-findings",
    Severity.NOTE,
    """There are more findings than are shown.

    The whole file was read, but only the first findings are listed; where there are errors, the first errors are among them.
    """,
)
TOO_DEEP = define(
    "too-deep",
    Severity.ERROR,
    """The data nest, repeat or refer to themselves without end.

    Reading stops there; depth and amount are bounded by the size of the file.
    """,
)
DERIVED = define(
    "derived-mismatch",
    Severity.ERROR,
    """A derived field does not have the value that follows from the other fields.

    Padding, counts and checksums are derived: they are verified when read and computed when written.
    """,
)


def closing(dropped: int) -> list[Diagnostic]:
    """Return the note that ``dropped`` findings are not shown; no note where all are.

    >>> [note.message for note in (*closing(0), *closing(1), *closing(1200))]
    ['1 more finding is not shown', '1,200 more findings are not shown']
    """
    number = "1 more finding is" if dropped == 1 else f"{dropped:,} more findings are"
    return [Diagnostic(TOO_MANY.name, TOO_MANY.severity, f"{number} not shown")] if dropped else []
