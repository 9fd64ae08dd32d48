"""Read the files that a bidding system includes: only from the system's own folder, and from folders that the user names."""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

from bridgespec.errors import FileWarning
from bridgespec.model.convention_card import System

LARGEST = 16 << 20
"""The size in bytes above which a file is not read: a name in a file must not make a program read without end."""

IN_ALL = 16 << 20
"""The total size in bytes above which no further files are read: many small files are a large one, too."""

MOST = 1000
"""The maximum number of names that are looked up."""

_LEADS_AWAY = re.compile(r"^[A-Za-z]:|[/\\\0]|^\.\.?$")


def with_included(system: System, path: Path, folders: Iterable[Path], read: Callable[[bytes], System | None]) -> System:
    """Return the system with ``included``: the name of each include and of the stock card, with the system that ``read`` makes of
    its file.

    None stands for a system without a readable file, or beyond the limit of size, for which a FileWarning is issued. The file has
    the name, with or without the extension of ``path``, in any case. Includes of included files are not read.
    """
    names = dict.fromkeys((*system.includes, *((system.stock_card,) if system.stock_card is not None else ())))
    wanted = [name for name in names if name.strip() and not _LEADS_AWAY.search(name)][:MOST]
    if not wanted:
        return system
    there = _files((path.parent, *folders))
    included: list[tuple[str, System | None]] = []
    left = IN_ALL
    for name in wanted:
        file = there.get(name.lower()) or there.get(f"{name}{path.suffix}".lower())
        try:
            data = None if file is None else _content(file)
        except OSError:
            data = None
        if data is not None and len(data) > left:
            message = f"{path}: what it includes is more than {IN_ALL >> 20} MiB: {file} is not read"
            warnings.warn(message, FileWarning, stacklevel=2)
            data = None
        left -= len(data or b"")
        included.append((name, None if data is None else read(data)))
    return replace(system, included=tuple(included))


def _files(folders: Iterable[Path]) -> dict[str, Path]:
    """Return the files of some folders by their names in lower case. The first folder with a name takes precedence; a folder that
    cannot be read has no files.
    """
    found: dict[str, Path] = {}
    for folder in folders:
        try:
            with os.scandir(folder) as entries:
                for entry in sorted(entries, key=lambda entry: entry.name):
                    if entry.is_file():
                        found.setdefault(entry.name.lower(), Path(entry.path))
        except OSError:
            continue
    return found


def _content(file: Path) -> bytes:
    with open(file, "rb") as opened:
        data = opened.read(LARGEST + 1)
    if len(data) > LARGEST:
        raise OSError(f"{file} is too large to be included")
    return data
