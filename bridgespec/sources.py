"""Read the files of schemas and systems: `read_source`, and `reading_within`, the boundary of what they may import."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from errno import EACCES, EINVAL
from pathlib import Path
from typing import BinaryIO

_FOLDERS: ContextVar[tuple[Path, ...] | None] = ContextVar("_FOLDERS", default=None)
"""The folders of the innermost `reading_within`; None where every file may be read."""


@contextmanager
def reading_within(folders: Iterable[Path]) -> Iterator[None]:
    """Within the block, read schemas and systems only from files in these folders and below; for programs that show them to others.

    A file counts by where it is, whatever links lead to it. The boundary is that of the calling thread.

    >>> with reading_within([Path("/formats")]):
    ...     may_read(Path("/formats/parts/../pair.ksy")), may_read(Path("/formats/../pair.ksy"))
    (True, False)
    """
    # The loaders check the boundary where they open files, so it applies to every kind of import in every schema language.
    before = _FOLDERS.set(tuple(folder.resolve() for folder in folders))
    try:
        yield
    finally:
        _FOLDERS.reset(before)


def may_read(path: Path) -> bool:
    """Whether `reading_within` lets a path be read."""
    folders = _FOLDERS.get()
    if folders is None:
        return True
    try:
        there = path.resolve()
    except (OSError, RuntimeError, ValueError):
        return False
    return any(there.is_relative_to(folder) for folder in folders)


def is_source(path: Path) -> bool:
    """Whether a path names an existing file that `reading_within` permits."""
    return path.is_file() and may_read(path)


def read_source(path: Path) -> bytes:
    """Return the bytes of a file. Raises OSError where it cannot be read, is outside the permitted folders, or is no regular
    file.
    """
    if not may_read(path):
        raise PermissionError(EACCES, "it is outside the folders that may be read", str(path))
    with open_regular(path) as file:
        return file.read()


def open_regular(path: Path) -> BinaryIO:
    """Open a regular file for reading; OSError for any other. Opening a pipe does not block, as it otherwise would without a
    writer.
    """
    file = open(os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)), "rb")  # noqa: SIM115
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise OSError(EINVAL, "it is not a regular file", str(path))
    return file
