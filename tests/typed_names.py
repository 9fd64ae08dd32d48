"""What a type checker must accept and refuse of the package's names; `test_quality` runs mypy over this file.

mypy reports each unused comment that expects an error, so a misspelt name that passes is an error too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import bridgespec
    from bridgespec import Deal, deals

    MISSPELT = bridgespec.nothing  # type: ignore[attr-defined]
    bridgespec.Deal.pasre("")  # type: ignore[attr-defined]
    FIRST: Deal = next(deals("north: hcp 15-17", 1))
