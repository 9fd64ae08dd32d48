"""Files as the commands take them: folders, ``-``, and writing that leaves nothing half done."""

from __future__ import annotations

import mmap
import os
import stat
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from bridgespec.api import write_file
from bridgespec.errors import UsageError

STDIO = "-"
MAP_FROM = 1 << 26
"""Files from this size on are mapped, not read."""

Data = bytes | mmap.mmap


def expand(paths: Sequence[str], wanted: frozenset[str]) -> Iterator[str]:
    """The files that the paths mean, in order: a folder means every file below it whose extension is wanted.

    Hidden files and folders inside are left out. UsageError for a path that is not there.
    """
    for path in paths:
        if path != STDIO and os.path.isdir(path):
            yield from _below(Path(path), wanted)
        elif path == STDIO or os.path.exists(path):
            yield path
        else:
            raise UsageError(f"{path}: no such file or folder")


def _below(folder: Path, wanted: frozenset[str]) -> Iterator[str]:
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if entry.name.startswith("."):
            continue
        if entry.is_dir():
            yield from _below(entry, wanted)
        elif entry.is_file() and entry.suffix.lower().lstrip(".") in wanted:
            yield str(entry)


def read(path: str) -> Data:
    """The bytes of a file, or of standard input for ``-``; a large file comes as a memory map."""
    if path == STDIO:
        return sys.stdin.buffer.read()
    with open(path, "rb") as file:
        state = os.fstat(file.fileno())
        if stat.S_ISREG(state.st_mode) and state.st_size >= MAP_FROM:
            return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        return file.read()


def write(path: str, chunks: Iterable[bytes | memoryview]) -> None:
    """Write a file whole or leave it as it was; ``-`` is standard output, where what is written cannot be taken back.

    A target that is no regular file (a pipe, a device) is written to directly.
    """
    if path == STDIO:
        sys.stdout.buffer.writelines(chunks)
        sys.stdout.buffer.flush()
        return
    target = os.path.realpath(path)
    if os.path.exists(target) and not os.path.isfile(target):
        with open(target, "wb") as direct:
            direct.writelines(chunks)
        return
    write_file(target, chunks)
