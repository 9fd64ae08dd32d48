"""What paths mean: folders, patterns as in a shell, and ``-`` for standard input and output."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from fnmatch import fnmatch
from glob import has_magic, iglob
from pathlib import Path

STDIO = "-"


def is_several(path: str) -> bool:
    """Whether a path means files by a folder or a pattern; a name that is there is no pattern.

    >>> is_several("tests"), is_several("*.nothing"), is_several("README.md")
    (True, True, False)
    """
    return path != STDIO and (os.path.isdir(path) or (has_magic(path) and not os.path.lexists(path)))


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
