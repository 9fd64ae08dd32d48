"""Libraries that only tables need: imported when first used, and named where they are not installed."""

from __future__ import annotations

from typing import Any

from bridgespec.errors import UsageError
from bridgespec.lazily import Lazy

EXTRA = "bridgespec[tables]"
MEMORY = 2048
"""Megabytes (2**20 bytes) that the query engine may take, unless another number is given."""


class Extra(Lazy):
    """A stand-in for a module of an optional library; UsageError says which extra brings it where it is not there.

    >>> Extra("a_library_of_nobody").anything
    Traceback (most recent call last):
    ...
    bridgespec.errors.UsageError: this needs a_library_of_nobody, which is not installed: pip install 'bridgespec[tables]'
    """

    def __getattr__(self, name: str) -> Any:
        try:
            return super().__getattr__(name)
        except ModuleNotFoundError as error:
            library = self.__name__.partition(".")[0]
            if error.name is None or error.name.partition(".")[0] != library:
                raise
            raise UsageError(f"this needs {library}, which is not installed: pip install '{EXTRA}'") from None
