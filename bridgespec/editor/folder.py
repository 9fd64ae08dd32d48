"""The files of one folder, for a server: `ServedFolder` lists and reads no others."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from bridgespec.errors import UsageError

MOST_FILES = 500
"""The maximum number of files that are listed."""


@dataclass(frozen=True)
class ServedFolder:
    """A folder whose files, here and below, may be read; ``root`` has no symbolic link in it. Made once for a server."""

    root: Path

    def names(self) -> list[str]:
        """Return the names of the regular files, relative to the root, without hidden files and links that lead out of the root."""
        return sorted(self._names())

    def _names(self) -> Iterator[str]:
        count = 0
        for folder, folders, files in os.walk(self.root):
            # Assigned in place: os.walk visits the folders that remain in this list.
            folders[:] = sorted(name for name in folders if not name.startswith("."))
            for name in sorted(files):
                path = Path(folder, name)
                if not name.startswith(".") and count < MOST_FILES and self._inside(path) and path.is_file():
                    count += 1
                    yield path.relative_to(self.root).as_posix()

    def _inside(self, path: Path) -> bool:
        """Whether a path exists and is below the root after its links are resolved."""
        try:
            # The resolved path is compared: a link, or `..` in a name, may lead anywhere.
            return path.resolve(strict=True).is_relative_to(self.root)
        except (OSError, RuntimeError, ValueError):
            return False

    def path(self, name: str) -> Path:
        """Return the path of a file by its name relative to the root. Raises UsageError if it does not exist or is outside the
        root.
        """
        path = self.root / name
        # The empty name is the folder itself, which is inside.
        if "\0" in name or not name or not self._inside(path):
            raise UsageError("there is no such file in the folder")
        return path

    def read(self, name: str, most: int) -> tuple[bytes, int]:
        """Return the first ``most`` bytes of a file, and its size. Raises UsageError as `path` does, and for a pipe or a device."""
        path = self.path(name)
        try:
            # Without O_NONBLOCK opening a pipe would wait for a writer, for ever.
            file = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
        except OSError as error:
            raise UsageError(f"the file cannot be read: {error.strerror}") from None
        with os.fdopen(file, "rb") as opened:
            there = os.fstat(file)
            # The name may have become a link since `path` resolved it: the opened file must be the one that `path` finds now.
            if not stat.S_ISREG(there.st_mode) or not os.path.samestat(there, self.path(name).stat()):
                raise UsageError("there is no such file in the folder")
            return opened.read(most), there.st_size
