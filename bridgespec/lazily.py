"""Lazy imports: modules that are imported on first use, so that a command does not pay for what it does not need."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType
from typing import Any


class Lazy(ModuleType):
    """A proxy for a module, which imports it when an attribute is first accessed.

    >>> Lazy("json").loads("[1]")
    [1]
    """

    def __getattr__(self, name: str) -> Any:
        # Tools probe every object of a module (`inspect.unwrap` for ``__wrapped__``): that is no use of the module.
        if name == "__wrapped__":
            raise AttributeError(name)
        # Python calls __getattr__ only for a missing attribute: once it is set, the next access does not come here.
        found = getattr(import_module(self.__name__), name)
        setattr(self, name, found)
        return found
