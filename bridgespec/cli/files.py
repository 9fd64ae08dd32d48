"""Files as the commands take them: folders, and ``-`` for standard input and output."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import sys
from collections.abc import Iterator, Sequence
from fnmatch import fnmatch
from glob import has_magic, iglob
from pathlib import Path
from typing import BinaryIO, cast

import click

from bridgespec.cli.settings import Settings
from bridgespec.cli.terminal import TerminalOutput
from bridgespec.escapes import visible_name
from bridgespec.writing import source_file, written

STDIO = "-"


def expand(paths: Sequence[str], wanted: frozenset[str], exclude: Sequence[str] = ()) -> Iterator[str]:
    """The files that the paths mean, in order: a folder means every file below it whose extension is wanted, a pattern as in a
    shell, which names no file itself, the files that it matches, by name.

    Hidden files and folders inside are left out, as is what has an excluded name (patterns as in a shell) and a link
    that leads back to a folder above it; a path that is not there is left for the reader to complain of.
    """
    for path in paths:
        if path != STDIO and os.path.isdir(path):
            yield from _below(Path(path), wanted, (".*", *exclude))
        elif has_magic(path) and not os.path.lexists(path):
            yield from sorted(one for one in iglob(path, recursive=True) if os.path.isfile(one)) or [path]
        else:
            yield path


def _below(folder: Path, wanted: frozenset[str], exclude: Sequence[str], above: tuple[Path, ...] = ()) -> Iterator[str]:
    real = folder.resolve()
    if real in above:
        return
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if any(fnmatch(entry.name, pattern) for pattern in exclude):
            continue
        if entry.is_dir():
            yield from _below(entry, wanted, exclude, (*above, real))
        elif entry.is_file() and entry.suffix.lower().lstrip(".") in wanted:
            yield str(entry)


def safe_name(path: str) -> str:
    """A name without signs that could steer a terminal: they are spelled out.

    >>> print(safe_name("a" + chr(27) + "[31m.pbn"))
    a\\x1b[31m.pbn
    """
    return visible_name(path)


def size_of(path: str) -> int | None:
    """The size of a regular file in bytes; None for anything else, standard input among it."""
    if path == STDIO:
        return None
    state = os.stat(path)
    return state.st_size if stat.S_ISREG(state.st_mode) else None


@contextlib.contextmanager
def opened(path: str) -> Iterator[BinaryIO]:
    """A file to read, or standard input for ``-``."""
    if path == STDIO:
        yield sys.stdin.buffer
        return
    with source_file(path) as file:
        yield file


def read(path: str) -> bytes:
    """All bytes of a file, or of standard input for ``-``."""
    with opened(path) as file:
        return file.read()


@contextlib.contextmanager
def output(path: str) -> Iterator[BinaryIO]:
    """A file that is written whole or not at all; ``-`` is standard output, where what is written cannot be taken back."""
    if path == STDIO:
        stream = sys.stdout.buffer
        if sys.stdout.name == os.devnull:
            raise OSError(errno.EBADF, "standard output is closed")
        try:
            yield cast(BinaryIO, TerminalOutput(stream)) if sys.stdout.isatty() else stream
            stream.flush()
        except OSError as error:
            if error.filename is None and error.errno == errno.ENOSPC:
                raise OSError(error.errno, error.strerror, "standard output") from None
            raise
        return
    context = click.get_current_context(silent=True)
    settings = context.find_object(Settings) if context is not None else None
    with written(path, settings is None or settings.sync) as file:
        yield file


def write(path: str, data: bytes) -> None:
    """Write a whole file."""
    with output(path) as file:
        file.write(data)
