"""The spelling of a ten in output for people: one setting for the terminal, notebooks, drawings and the page."""

from __future__ import annotations

import os

from bridgespec.errors import UsageError

SETTING = "BRIDGESPEC_TEN"
"""The environment variable with the spelling of a ten: ``T`` or ``10``."""


def ten(usual: str = "T") -> str:
    """Return the spelling of a ten: that of the environment variable, else ``usual``. Raises UsageError for another spelling.

    >>> ten() in ("T", "10")
    True
    """
    # Read at each call, since a notebook may change the variable between two cells.
    text = os.environ.get(SETTING) or usual
    if text not in ("T", "10"):
        raise UsageError(f"{SETTING} is {text!r}: a ten is T or 10")
    return text


def spelled(ranks: str) -> str:
    """Return ranks in which T is replaced by the spelling of a ten that is set (`ten`).

    >>> spelled("AQ9")
    'AQ9'
    """
    return ranks.replace("T", ten())
