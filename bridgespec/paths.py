"""Expand paths to files: folders, shell patterns, and ``-`` for standard input and output."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from fnmatch import fnmatch
from glob import has_magic, iglob
from pathlib import Path

STDIO = "-"
"""The path that means standard input or output."""


def is_several(*paths: str) -> bool:
    """Return whether the paths may name several files: more than one path, a folder, or a pattern that no file has as its name.

    >>> is_several("tests"), is_several("*.nothing"), is_several("README.md"), is_several("README.md", "LICENSE")
    (True, True, False, True)
    """
    if len(paths) != 1:
        return True
    (path,) = paths
    return path != STDIO and (os.path.isdir(path) or (has_magic(path) and not os.path.lexists(path)))


def expand(paths: Sequence[str], wanted: frozenset[str], exclude: Sequence[str] = ()) -> Iterator[str]:
    """Yield the files of the paths, in order: for a folder every file below it whose extension is wanted; for a shell pattern,
    unless a file has that name, the files that match it, by name.

    Hidden files and folders inside are left out, as are files with an excluded name (shell patterns) and links that lead back to a
    folder above them. A path that does not exist is yielded: the reader reports it.
    """
    for path in paths:
        if path != STDIO and os.path.isdir(path):
            yield from _below(Path(path), wanted, (".*", *exclude))
        # A file may be called "club[1].pbn": an existing name is never a pattern.
        elif has_magic(path) and not os.path.lexists(path):
            yield from sorted(one for one in iglob(path, recursive=True) if os.path.isfile(one)) or [path]
        else:
            yield path


def _below(folder: Path, wanted: frozenset[str], exclude: Sequence[str], above: tuple[Path, ...] = ()) -> Iterator[str]:
    """Yield the wanted files of a folder and its subfolders by name; ``above`` are the resolved folders that it was reached
    through.
    """
    real = folder.resolve()
    # A link back to a folder above would be followed for ever.
    if real in above:
        return
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if any(fnmatch(entry.name, pattern) for pattern in exclude):
            continue
        if entry.is_dir():
            yield from _below(entry, wanted, exclude, (*above, real))
        elif entry.is_file() and entry.suffix.lower().lstrip(".") in wanted:
            yield str(entry)
