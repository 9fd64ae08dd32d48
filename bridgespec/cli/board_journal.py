"""Journals of runs, so that a stopped run can continue: a file with a line for the task and one for each board, as JSON."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, Generic, TypeVar

from bridgespec.writing import written

Entry = TypeVar("Entry")


class BoardJournal(Generic[Entry]):
    """The file of a run's entries: ``kept`` has those of earlier runs of the same task. Made once for each run.

    A journal of another task is overwritten; a last line that was cut off is dropped. ``encode`` converts an entry to JSON values,
    ``decode`` converts it back.
    """

    def __init__(self, path: Path, task: object, encode: Callable[[Entry], Any], decode: Callable[[Any], Entry]) -> None:
        self.path = path
        self._encode = encode
        # Only a digest of the task is stored: its text contains all rules of its systems, and tasks are only compared.
        self._head = json.dumps({"task": hashlib.sha256(repr(task).encode()).hexdigest()})
        self.kept: list[Entry] = []
        with suppress(FileNotFoundError):
            lines = path.read_text("utf-8").split("\n")
            if lines[0] == self._head:
                # The last element is what follows the last line end: empty, or a line that was cut off while it was written.
                self.kept.extend(decode(json.loads(row)) for row in lines[1:-1])

    def keeping(self, entries: Iterator[Entry]) -> Iterator[Entry]:
        """Yield the entries, each after it is written to the journal."""
        # Written atomically: a process that is killed here would lose all entries if the file were truncated first.
        with written(self.path) as new:
            rows = (json.dumps(self._encode(entry)) for entry in self.kept)
            new.writelines(f"{row}\n".encode() for row in (self._head, *rows))
        with open(self.path, "a", encoding="utf-8") as file:
            for entry in entries:
                file.write(f"{json.dumps(self._encode(entry))}\n")
                # Flushed line by line: a run that is killed loses only the board that it is working on.
                file.flush()
                yield entry
