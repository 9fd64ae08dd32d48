"""The spelling of a ten in output for people: one setting for the terminal, notebooks, drawings and the page."""

from __future__ import annotations

import os

from bridgespec.errors import UsageError

SETTING = "BRIDGESPEC_TEN"
"""The environment variable: ``T`` or ``10``."""


def ten(usual: str = "T") -> str:
    """Return the spelling of a ten: that of the setting, else the usual one; UsageError for any other text.

    >>> ten() in ("T", "10")
    True
    """
    # Read at each call and not once: a notebook may change it between two cells.
    text = os.environ.get(SETTING) or usual
    if text not in ("T", "10"):
        raise UsageError(f"{SETTING} is {text!r}: a ten is T or 10")
    return text


def spelled(ranks: str) -> str:
    """Return ranks with the ten spelled by the setting.

    >>> spelled("AQ9")
    'AQ9'
    """
    return ranks.replace("T", ten())
