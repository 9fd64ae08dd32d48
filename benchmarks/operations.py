"""What ordinary operations on a real document cost, in milliseconds of processor time per board, against endplay where it has them.

    python -m benchmarks.operations PBN-FOLDER [--rounds N]

Each figure is of one pass over the boards of the files that endplay can read, in a process of its own; the processes take turns and
the least of the rounds counts.

replace     ``dataclasses.replace(board, event=...)`` of a board freshly loaded; ``replaced``: of one whose fields were accessed
equal       ``==`` of two boards freshly loaded; ``compared``: of two whose fields were accessed
unchanged   ``dumps`` of a document that nobody changed
tagged      ``loads``, another event in each board, and ``dumps``
to_lin      ``loads`` and ``dump`` to LIN, with what is lost; ``to_zbd``: to ZBD
endplay     endplay's load and dump
"""

from __future__ import annotations

import io
import time
from collections.abc import Callable
from dataclasses import fields, replace
from functools import partial
from pathlib import Path

from endplay.parsers import pbn

import bridgespec
import bridgespec.codec.text.grammar_program
import bridgespec.codec.writer
from benchmarks import turns
from benchmarks.loading import readable, text_of
from bridgespec.model.board import Board
from bridgespec.model.document import Document

Timed = Callable[[Callable[[], object]], None]
FIELDS = [one.name for one in fields(Board)]


def _documents(paths: list[Path]) -> list[Document]:
    return [bridgespec.load(path) for path in paths]


def _accessed(document: Document) -> Document:
    for board in document.boards:
        for name in FIELDS:
            getattr(board, name)
    return document


def _replace(paths: list[Path], timed: Timed, accessed: bool) -> None:
    documents = [_accessed(one) if accessed else one for one in _documents(paths)]
    timed(lambda: [replace(board, event="x") for document in documents for board in document.boards])


def _equal(paths: list[Path], timed: Timed, accessed: bool) -> None:
    one, two = ([_accessed(each) if accessed else each for each in _documents(paths)] for _ in range(2))
    timed(lambda: [first.boards == second.boards for first, second in zip(one, two, strict=True)])


def _unchanged(paths: list[Path], timed: Timed) -> None:
    documents = _documents(paths)
    timed(lambda: [bridgespec.dumps(document, "pbn") for document in documents])


def _tagged(paths: list[Path], timed: Timed) -> None:
    def work() -> None:
        for path in paths:
            document = bridgespec.load(path)
            boards = tuple(replace(board, event="Another event") for board in document.boards)
            bridgespec.dumps(replace(document, boards=boards), "pbn")

    timed(work)


def _converted(paths: list[Path], timed: Timed, target: str) -> None:
    known = bridgespec.engine()
    timed(lambda: [known.spell(bridgespec.load(path), target, partial=True) for path in paths])


def _peer(paths: list[Path], timed: Timed) -> None:
    texts = [text_of(path) for path in paths]
    timed(lambda: [pbn.dump(pbn.load(io.StringIO(text)), io.StringIO()) for text in texts])


WORK: dict[str, Callable[[list[Path], Timed], None]] = {
    "replace": lambda paths, timed: _replace(paths, timed, False),
    "replaced": lambda paths, timed: _replace(paths, timed, True),
    "equal": lambda paths, timed: _equal(paths, timed, False),
    "compared": lambda paths, timed: _equal(paths, timed, True),
    "unchanged": _unchanged,
    "tagged": _tagged,
    "to_lin": lambda paths, timed: _converted(paths, timed, "lin"),
    "to_zbd": lambda paths, timed: _converted(paths, timed, "zbd"),
    "endplay": _peer,
}


def one_pass(name: str, paths: list[Path]) -> float:
    """Return the milliseconds of processor time that one work takes for a board, in this process."""
    seconds: list[float] = []

    def timed(work: Callable[[], object]) -> None:
        before = time.process_time()
        work()
        seconds.append(time.process_time() - before)

    WORK[name](paths, timed)
    return 1000 * seconds[0] / sum(len(one.boards) for one in _documents(paths))


def main() -> None:
    """Take turns, and print the least time of each for one board."""
    least = turns.run("benchmarks.operations", __doc__, {name: partial(one_pass, name) for name in WORK}, readable)
    for name, value in (least or {}).items():
        print(f"{name:10} {value:8.3f} ms a board")


if __name__ == "__main__":
    main()
