"""Applying the repairs that findings carry."""

from __future__ import annotations

from collections.abc import Iterable

from bridgespec.diagnostic import Diagnostic, Edit, Fix


def chosen_fixes(diagnostics: Iterable[Diagnostic], unsafe: bool) -> list[Fix]:
    """The repairs that may be made together, in file order: of two that overlap, the first; safe ones alone unless `unsafe`."""
    fixes = [found.fix for found in diagnostics if found.fix and found.fix.edits and (found.fix.safe or unsafe)]
    chosen: list[Fix] = []
    taken: list[Edit] = []
    for fix in sorted(fixes, key=lambda fix: min((edit.start, edit.stop) for edit in fix.edits)):
        if not any(_clash(edit, other) for edit in fix.edits for other in taken):
            chosen.append(fix)
            taken += fix.edits
    return chosen


def _clash(one: Edit, other: Edit) -> bool:
    return one == other or (one.start < other.stop and other.start < one.stop) or one.start == other.start


def apply_fixes(data: bytes, fixes: Iterable[Fix]) -> bytes:
    """The data with every edit made; positions are those of the data as given.

    >>> apply_fixes(b"abcd", [Fix("", (Edit(0, 1, b"XY"), Edit(3, 4, b"")))])
    b'XYbc'
    """
    result = bytearray(data)
    for edit in sorted((edit for fix in fixes for edit in fix.edits), key=lambda edit: -edit.start):
        result[edit.start : edit.stop] = edit.replacement
    return bytes(result)
