"""Files for commands: reading and atomic writing, with ``-`` for standard input and output."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import sys
from collections.abc import Iterator
from typing import BinaryIO, cast

import click

from bridgespec.cli.settings import Settings
from bridgespec.cli.terminal import TerminalOutput
from bridgespec.errors import UsageError
from bridgespec.escapes import visible_name
from bridgespec.paths import STDIO as STDIO
from bridgespec.paths import expand as expand
from bridgespec.paths import is_several as is_several
from bridgespec.writing import source_file, written


def safe_name(path: str) -> str:
    """Return a file's name with control characters escaped.

    >>> print(safe_name("a" + chr(27) + "[31m.pbn"))
    a\\x1b[31m.pbn
    """
    return visible_name(path)


def size_of(path: str) -> int | None:
    """Return the size of a regular file in bytes; None for all others, such as standard input."""
    if path == STDIO:
        return None
    state = os.stat(path)
    return state.st_size if stat.S_ISREG(state.st_mode) else None


def files_of(settings: Settings, *paths: str) -> tuple[str, ...]:
    """Return the files that paths, folders and shell patterns name. Raises UsageError for a folder without a file of a known
    extension.
    """
    found = tuple(expand(paths, frozenset(extension for head in settings.heads for extension in head.extensions)))
    if not found:
        raise UsageError(f"{safe_name(paths[0])}: there is no file of boards in it")
    return found


def only_file(settings: Settings, path: str) -> str:
    """Return the single file that a path names. Raises UsageError where it names several."""
    if not is_several(path):
        return path
    found = files_of(settings, path)
    if len(found) > 1:
        raise UsageError(f"{safe_name(path)} names {len(found):,} files, and this command takes one")
    return found[0]


@contextlib.contextmanager
def opened(path: str) -> Iterator[BinaryIO]:
    """Open a file for reading, or standard input for ``-``."""
    if path == STDIO:
        yield sys.stdin.buffer
        return
    with source_file(path) as file:
        yield file


def read(path: str) -> bytes:
    """Return all bytes of a file, or of standard input for ``-``."""
    with opened(path) as file:
        return file.read()


@contextlib.contextmanager
def output(path: str) -> Iterator[BinaryIO]:
    """Yield a file that is written completely or not at all; for ``-`` standard output, where written data cannot be taken back."""
    if path == STDIO:
        stream = sys.stdout.buffer
        # `_open_closed` has put the null device in place of a closed stream: writing there would lose the output in silence.
        if sys.stdout.name == os.devnull:
            raise OSError(errno.EBADF, "standard output is closed")
        try:
            terminal = TerminalOutput(stream) if sys.stdout.isatty() else None
            yield cast(BinaryIO, terminal or stream)
            if terminal is not None:
                terminal.finish()
            stream.flush()
        except OSError as error:
            if error.filename is None and error.errno == errno.ENOSPC:
                # An error of a stream names no file, and "no space left" without a name would be looked for at the wrong place.
                raise OSError(error.errno, error.strerror, "standard output") from None
            raise
        return
    context = click.get_current_context(silent=True)
    settings = context.find_object(Settings) if context is not None else None
    with written(path, settings is None or settings.sync) as file:
        yield file


def write(path: str, data: bytes) -> None:
    """Write a file with these bytes, completely or not at all."""
    with output(path) as file:
        file.write(data)
