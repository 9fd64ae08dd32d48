"""Apply the fixes of findings to a file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import BinaryIO

from bridgespec.diagnostic import Diagnostic, Edit, Fix, Severity

MOST_TRIES = 200
"""The maximum number of readings of a file to find its harmless fixes."""


def chosen_fixes(diagnostics: Iterable[Diagnostic], unsafe: bool) -> list[Fix]:
    """Return the fixes that can be applied together, in file order; of two that overlap, only the first. Unsafe fixes are included
    only with ``unsafe``.
    """
    fixes = [found.fix for found in diagnostics if found.fix and found.fix.edits and (found.fix.safe or unsafe)]
    chosen: list[Fix] = []
    taken: list[Edit] = []
    for fix in sorted(fixes, key=lambda fix: min((edit.start, edit.stop) for edit in fix.edits)):
        if not any(_clash(edit, other) for edit in fix.edits for other in taken):
            chosen.append(fix)
            taken += fix.edits
    return chosen


def _clash(one: Edit, other: Edit) -> bool:
    """Whether two edits cannot both be applied."""
    # Two insertions at one place do not overlap, but their order would decide the result.
    return one == other or (one.start < other.stop and other.start < one.stop) or one.start == other.start


def apply_fixes(data: bytes, fixes: Iterable[Fix]) -> bytes:
    """Return the data with every fix applied; positions are those in the given data.

    >>> apply_fixes(b"abcd", [Fix("", (Edit(0, 1, b"XY"), Edit(3, 4, b"")))])
    b'XYbc'
    """
    result = bytearray(data)
    # The last edit first: an edit shifts only the bytes behind it, so the positions of the others stay valid.
    for edit in sorted((edit for fix in fixes for edit in fix.edits), key=lambda edit: -edit.start):
        result[edit.start : edit.stop] = edit.replacement
    return bytes(result)


def counts_by_severity(findings: Iterable[Diagnostic]) -> tuple[int, ...]:
    """Return the number of findings of each severity, the highest first; the smaller of two tuples is the better file.

    >>> counts_by_severity([])
    (0, 0, 0)
    """
    counts = Counter(found.severity for found in findings)
    return tuple(counts[severity] for severity in Severity)


def harmless_fixes(
    data: bytes, fixes: Sequence[Fix], found: Callable[[bytes], Sequence[Diagnostic]], most: int = MOST_TRIES
) -> list[Fix]:
    """Return the fixes which, applied together, leave no worse findings than before. The others are found by bisection.

    Each half is tested together with those accepted before. ``most`` limits how often the data are read; fixes not tested by then
    are left out.
    """
    kept: list[Fix] = []
    before = counts_by_severity(found(data))
    waiting = [list(fixes)] if fixes else []
    for _ in range(most):
        if not waiting:
            break
        some = waiting.pop()
        # Together with the accepted ones: two fixes that are harmless alone may do harm together.
        after = counts_by_severity(found(apply_fixes(data, [*kept, *some])))
        if after <= before:
            kept, before = [*kept, *some], after
        elif len(some) > 1:
            middle = len(some) // 2
            # A stack: the first half is popped first, so that earlier fixes are kept in preference to later ones.
            waiting += [some[middle:], some[:middle]]
    return kept


def copy_fixed(source: BinaryIO, target: BinaryIO, fixes: Iterable[Fix], chunk: int = 1 << 20) -> None:
    """Copy a stream of any size with every fix applied."""
    at = 0
    for edit in sorted((edit for fix in fixes for edit in fix.edits), key=lambda edit: edit.start):
        _copy(source, target, edit.start - at, chunk)
        target.write(edit.replacement)
        source.seek(edit.stop)
        at = edit.stop
    _copy(source, target, None, chunk)


def _copy(source: BinaryIO, target: BinaryIO, size: int | None, chunk: int) -> None:
    while size is None or size > 0:
        data = source.read(chunk if size is None else min(chunk, size))
        if not data:
            return
        target.write(data)
        size = None if size is None else size - len(data)
