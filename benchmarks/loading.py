"""How fast PBN files become boards, as a caller of the package sees it, against endplay, the usual reader.

    python -m benchmarks.loading PBN-FOLDER [--rounds N]

Each figure is the processor time of one first pass over the files that endplay can read, in a process of its own with nothing
warm but the imports, endplay's and ours; the processes take turns, and the least of the rounds counts, with the ratio to
endplay's beside it.

load     ``bridgespec.load`` of each file, no board accessed
deals    the same, and the deal of every board
core     the same, and 14 fields of every board
all      the same, and all 25 fields of every board
findings the same, and what could not be read of each file
check    ``bridgespec.check`` of each file: reading with every finding, and every rule
"""

from __future__ import annotations

import io
import time
from collections.abc import Callable
from dataclasses import fields
from functools import partial
from pathlib import Path

from endplay.parsers import pbn

import bridgespec
import bridgespec.api
import bridgespec.codec.text.codec
import bridgespec.codec.text.grammar_program
import bridgespec.rules
from benchmarks import turns
from bridgespec.model.board import Board

CORE = ("number", "dealer", "vulnerability", "deal", "declarer", "contract", "result", "auction", "play", "players")
CORE += ("event", "site", "date", "scoring")
ALL = tuple(one.name for one in fields(Board) if one.name != "origin")


def text_of(path: Path) -> str:
    """The text as endplay wants it."""
    return path.read_bytes().decode("latin-1").replace("\r\n", "\n")


def readable(folder: Path) -> list[Path]:
    """The files that endplay reads without an exception."""
    found = []
    for path in sorted(folder.iterdir()):
        try:
            pbn.load(io.StringIO(text_of(path)))
        except Exception:
            continue
        found.append(path)
    return found


def peer(path: Path) -> None:
    """The boards of a file, which endplay makes whole at once."""
    pbn.load(io.StringIO(text_of(path)))


def accessing(*names: str, findings: bool = False) -> Callable[[Path], None]:
    """Load a file and access these fields of every board, and what could not be read."""

    def work(path: Path) -> None:
        document = bridgespec.load(path)
        for board in document.boards:
            for name in names:
                getattr(board, name)
        if findings:
            assert document.findings is not None

    return work


WORK: dict[str, Callable[[Path], object]] = {
    "endplay": peer,
    "load": accessing(),
    "deals": accessing("deal"),
    "core": accessing(*CORE),
    "all": accessing(*ALL),
    "findings": accessing(*ALL, findings=True),
    "check": bridgespec.check,
}


def one_pass(name: str, paths: list[Path]) -> float:
    """The processor time of one pass in this process."""
    bridgespec.formats()
    before = time.process_time()
    for path in paths:
        WORK[name](path)
    return time.process_time() - before


def main() -> None:
    """Take turns, and print the least time of each with its ratio."""
    least = turns.run("benchmarks.loading", __doc__, {name: partial(one_pass, name) for name in WORK}, readable)
    if least is None:
        return
    print("files that endplay reads; processor seconds of a first pass")
    for name, seconds in least.items():
        print(f"{name:8} {seconds:7.3f}  {least['endplay'] / seconds:5.2f} times endplay's speed")


if __name__ == "__main__":
    main()
