"""The files that a bidding system names, looked up beside it and in folders that the user names, nowhere else."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

from bridgespec.model.system import System

LARGEST = 16 << 20
"""Files of more bytes are not followed: a name in a file must not make a program read without end."""

MOST = 1000
"""Names beyond these are not looked up."""

_LEADS_AWAY = re.compile(r"^[A-Za-z]:|[/\\\0]|^\.\.?$")


def with_included(system: System, path: Path, folders: Iterable[Path], read: Callable[[bytes], System | None]) -> System:
    """The system with what its stock card and includes say; None for a name that no file has.

    A name is taken as it stands, or with the extension of ``path``, in whatever case. What is included is not followed
    further.
    """
    names = dict.fromkeys((*system.includes, *((system.stock_card,) if system.stock_card is not None else ())))
    wanted = [name for name in names if name.strip() and not _LEADS_AWAY.search(name)][:MOST]
    if not wanted:
        return system
    there = _files((path.parent, *folders))
    included: list[tuple[str, System | None]] = []
    for name in wanted:
        file = there.get(name.lower()) or there.get(f"{name}{path.suffix}".lower())
        try:
            included.append((name, None if file is None else read(_content(file))))
        except OSError:
            included.append((name, None))
    return replace(system, included=tuple(included))


def _files(folders: Iterable[Path]) -> dict[str, Path]:
    """The files of some folders by their names in lower case, the first folder's first; a folder that cannot be read has none."""
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
