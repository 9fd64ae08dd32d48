"""Libraries of optional extras: imported on first use; where one is missing, the error names the command that installs it."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from typing import Any

from bridgespec.errors import UsageError
from bridgespec.lazily import Lazy

EXTRAS = {
    "access_parser": "bridgemate",
    "dask": "cluster",
    "distributed": "cluster",
    "duckdb": "tables",
    "fsspec": "cluster",
    "griffe": "docs",
    "pygls": "editor",
    "watchfiles": "editor",
    "jinja2": "docs",
    "matplotlib": "tables",
    "pyarrow": "tables",
    "railroad": "docs",
    "resvg_py": "png",
}
"""The extra that contains each library, by the name of its module."""


class Extra(Lazy):
    """A proxy for a module of an optional library. Where it is missing, using it raises UsageError, which names the extra that
    contains it.

    >>> Extra("pyarrow_of_nobody.compute").anything
    Traceback (most recent call last):
    ...
    bridgespec.errors.UsageError: this needs pyarrow_of_nobody, which is not installed
    """

    def __getattr__(self, name: str) -> Any:
        try:
            return super().__getattr__(name)
        except ModuleNotFoundError as error:
            library = self.__name__.partition(".")[0]
            # The library is there, and something that it imports is not: naming its extra would be wrong.
            if error.name is None or error.name.partition(".")[0] != library:
                raise
            raise _absent(library) from None


def require(*libraries: str) -> None:
    """Raise UsageError for the first library that is not installed. Commands call it before they read a file.

    >>> require("sys")
    """
    for library in libraries:
        # find_spec raises ValueError for an entry None in sys.modules, by which an import is forbidden.
        if (library in sys.modules and sys.modules[library] is None) or (library not in sys.modules and find_spec(library) is None):
            raise _absent(library)


def _absent(library: str) -> UsageError:
    extra = EXTRAS.get(library)
    install = f": pip install 'bridgespec[{extra}]'" if extra is not None else ""
    return UsageError(f"this needs {library}, which is not installed{install}")
