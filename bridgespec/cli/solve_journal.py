"""What an interrupted run had solved, so that the next one goes on from there."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from bridgespec.model.tricks import UNSOLVED
from bridgespec.writing import hidden_name, written

Tables = NDArray[np.uint8]

_MAGIC = b"solved tables 1\n"
_CELLS = 20


class Journal:
    """A hidden file beside the destination: the digest of the task, then the solved tables in order, 20 bytes each.

    A journal of another task, or one that is damaged, is started anew; bytes after its last good table are dropped.
    ``tables`` are those of earlier runs, ``kept`` is how many there are by now.
    """

    def __init__(self, path: Path, task: Iterable[bytes]) -> None:
        self.path = path
        digest = hashlib.sha256()
        for part in task:
            digest.update(part)
        self._head = _MAGIC + digest.digest()
        self.tables = self._found()
        self.kept = len(self.tables)
        self._file: BinaryIO | None = None

    @classmethod
    def beside(cls, dest: str, task: Iterable[bytes]) -> Journal:
        """The journal of a task that writes ``dest``."""
        target = Path(os.path.realpath(dest))
        return cls(target.with_name(f"{hidden_name(target.name)}solving"), task)

    def _found(self) -> Tables:
        try:
            data = self.path.read_bytes()
        except FileNotFoundError:
            return np.empty((0, _CELLS), np.uint8)
        if not data.startswith(self._head):
            return np.empty((0, _CELLS), np.uint8)
        body = np.frombuffer(data, np.uint8, offset=len(self._head))
        tables = body[: len(body) // _CELLS * _CELLS].reshape(-1, _CELLS)
        bad = ((tables > 13) & (tables != UNSOLVED)).any(axis=1)
        return tables[: int(np.argmax(bad)) if bad.any() else len(tables)].copy()

    def __enter__(self) -> Journal:
        # Emptied and written again it would be lost to whatever stops us in between.
        with written(self.path) as file:
            file.write(self._head + self.tables.tobytes())
        self._file = open(self.path, "ab")
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._file is not None:
            self._file.close()

    def append(self, tables: Tables) -> None:
        """Keep some more solved tables."""
        assert self._file is not None
        self._file.write(tables.tobytes())
        self._file.flush()
        self.kept += len(tables)

    def done(self) -> None:
        """The task is finished: nothing is left to resume."""
        if self._file is not None:
            self._file.close()
        self.path.unlink(missing_ok=True)
