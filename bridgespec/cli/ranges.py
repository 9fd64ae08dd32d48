"""Ranges of numbers on the command line, ``1-16,20``, and the boards that they select."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import compress

import click

from bridgespec.errors import UsageError
from bridgespec.model.board import Board
from bridgespec.model.cards import Seat
from bridgespec.model.document import Document

_PART = re.compile(r"([0-9]{1,18})(?:(-)([0-9]{0,18}))?|(-)([0-9]{1,18})")


@dataclass(frozen=True)
class Ranges:
    """A set of whole numbers as pairs of first and last number; the last is None for a range without an end.

    >>> chosen = Ranges.parse("1-4,9,20-")
    >>> [number for number in (0, 1, 4, 5, 9, 19, 20, 99) if number in chosen]
    [1, 4, 9, 20, 99]
    >>> str(chosen)
    '1-4,9,20-'
    """

    parts: tuple[tuple[int, int | None], ...]

    @classmethod
    def parse(cls, text: str) -> Ranges:
        """Return the ranges of ``1-4,9,20-``. Raises ValueError, which names the part that cannot be parsed."""
        return cls(tuple(_part(part) for part in text.replace(" ", "").split(",")))

    def __contains__(self, number: object) -> bool:
        return isinstance(number, int) and any(first <= number and (last is None or number <= last) for first, last in self.parts)

    def indexes(self) -> Ranges:
        """Return the ranges reduced by 1, as indexes for numbers that count from 1."""
        return Ranges(tuple((max(first - 1, 0), None if last is None else last - 1) for first, last in self.parts))

    def missing(self, numbers: Iterable[int]) -> list[str]:
        """Return the ranges, as texts, that contain none of the numbers."""
        present = list(numbers)
        return [str(Ranges((part,))) for part in self.parts if not any(number in Ranges((part,)) for number in present)]

    def __str__(self) -> str:
        return ",".join(str(first) if first == last else f"{first}-{'' if last is None else last}" for first, last in self.parts)


class Selection:
    """Selects boards of one source by number, and sets their declarer. A command makes it for one source, and passes the boards to
    it in batches, in order.
    """

    def __init__(self, boards: Ranges | None = None, declarer: Seat | None = None) -> None:
        self.boards, self.declarer = boards, declarer
        self.begin()

    def __bool__(self) -> bool:
        return self.boards is not None or self.declarer is not None

    def begin(self) -> None:
        """Reset the state, for another pass over the boards from the first one."""
        self.count, self._least, self._most = 0, 0, 0
        self._absent = [] if self.boards is None else [Ranges((part,)) for part in self.boards.parts]

    def next(self, boards: Sequence[Board]) -> tuple[list[int], list[bool]]:
        """Return the numbers of the next boards, and a boolean for each: whether it is selected."""
        # A board without a number, or with number 0, has the number of its place in the file.
        numbers = [board.number or at for at, board in enumerate(boards, self.count + 1)]
        if numbers and self.boards is not None:
            # Before the first batch `_least` is 0, which is not a number of a board.
            self._least, self._most = min(numbers + [self._least] * bool(self.count)), max(*numbers, self._most)
            self._absent = [part for part in self._absent if not any(number in part for number in numbers)]
        self.count += len(numbers)
        return numbers, [self.boards is None or number in self.boards for number in numbers]

    def of(self, document: Document) -> Document:
        """Return the document with the selected boards only, each with the declarer of the selection if there is one."""
        boards = document.boards
        if self.boards is not None:
            boards = tuple(compress(boards, self.next(boards)[1]))
        if self.declarer is not None:
            boards = tuple(replace(board, declarer=self.declarer) for board in boards)
        return replace(document, boards=boards) if self else document

    def check(self) -> None:
        """Raise UsageError for a range of the selection without a board."""
        if self._absent:
            there = f"there are {self._least} to {self._most}" if self.count else "there are none"
            raise UsageError(f"no board {', '.join(map(str, self._absent))}: {there}")


def chosen(document: Document, boards: Ranges | None) -> Document:
    """Return the document with the selected boards only. Raises UsageError for a range of the selection without a board."""
    selection = Selection(boards)
    document = selection.of(document)
    selection.check()
    return document


def _part(text: str) -> tuple[int, int | None]:
    """Return the first and last number of one range; the last is None for ``20-``, the first 1 for ``-9``."""
    match = _PART.fullmatch(text)
    if not match:
        raise ValueError(f"{text!r} is not a number or a range; write 3, 1-16, 20- or 1-4,9")
    first, dash, last, open_dash, up_to = match.groups()
    if open_dash:
        return 1, int(up_to)
    low = int(first)
    high = None if dash and not last else int(last) if last else low
    if high is not None and high < low:
        raise ValueError(f"{text!r} ends before it begins")
    return low, high


def take_ranges(_context: click.Context, _parameter: click.Parameter, value: str | None) -> Ranges | None:
    """Return the ranges of an option, as its callback. Raises a usage error where they cannot be parsed."""
    try:
        return Ranges.parse(value) if value is not None else None
    except ValueError as error:
        raise click.BadParameter(str(error)) from None
