"""Files as the commands take them: folders, ``-``, and writing that leaves nothing half done."""

from __future__ import annotations

import contextlib
import mmap
import os
import stat
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO

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


@contextlib.contextmanager
def written(path: str) -> Iterator[BinaryIO]:
    """A file to write that becomes ``path`` only when the block ends well; ``-`` is standard output.

    The new file is made beside the target, keeps its permissions, and is renamed over it; whatever stops the block,
    the old file stands as it was. A target that is no regular file (a pipe, ``/dev/null``) is written to directly.
    """
    if path == STDIO:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    target = os.path.realpath(path)
    if os.path.exists(target) and not os.path.isfile(target):
        with open(target, "wb") as direct:
            yield direct
        return
    handle, name = tempfile.mkstemp(prefix=f".{os.path.basename(target)}.", suffix=".part", dir=os.path.dirname(target))
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
        os.chmod(name, _mode(target))
        os.replace(name, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise


def write(path: str, data: bytes) -> None:
    """Write all of a file at once, or leave it as it was."""
    with written(path) as file:
        file.write(data)


def _mode(target: str) -> int:
    """The permissions of the file that is replaced, or those that a new file gets."""
    if os.path.exists(target):
        return stat.S_IMODE(os.stat(target).st_mode)
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
