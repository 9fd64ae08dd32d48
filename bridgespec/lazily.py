"""Modules that are imported when something of them is first used: what a command does not need costs it nothing."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType
from typing import Any


class Lazy(ModuleType):
    """A module's stand-in, which imports it when it is first asked for something.

    >>> Lazy("json").loads("[1]")
    [1]
    """

    def __getattr__(self, name: str) -> Any:
        # What was found once is kept, so that the next look-up does not come here.
        found = getattr(import_module(self.__name__), name)
        setattr(self, name, found)
        return found
