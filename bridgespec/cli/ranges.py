"""Ranges of numbers as they are given on the command line: ``1-16,20``."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

import click

_PART = re.compile(r"(\d+)(?:(-)(\d*))?|(-)(\d+)")


@dataclass(frozen=True)
class Ranges:
    """A set of whole numbers as pairs of first and last; None for the last: without end.

    >>> chosen = Ranges.parse("1-4,9,20-")
    >>> [number for number in (0, 1, 4, 5, 9, 19, 20, 99) if number in chosen]
    [1, 4, 9, 20, 99]
    >>> str(chosen)
    '1-4,9,20-'
    """

    parts: tuple[tuple[int, int | None], ...]

    @classmethod
    def parse(cls, text: str) -> Ranges:
        """The ranges of ``1-4,9,20-``; ValueError says which part cannot be read."""
        return cls(tuple(_part(part) for part in text.replace(" ", "").split(",")))

    def __contains__(self, number: object) -> bool:
        return isinstance(number, int) and any(first <= number and (last is None or number <= last) for first, last in self.parts)

    def indexes(self) -> Ranges:
        """The same counted from 0, of numbers that count from 1."""
        return Ranges(tuple((max(first - 1, 0), None if last is None else last - 1) for first, last in self.parts))

    def missing(self, numbers: Iterable[int]) -> list[str]:
        """The parts that none of the numbers is in."""
        present = list(numbers)
        return [str(Ranges((part,))) for part in self.parts if not any(number in Ranges((part,)) for number in present)]

    def __str__(self) -> str:
        return ",".join(str(first) if first == last else f"{first}-{'' if last is None else last}" for first, last in self.parts)


def _part(text: str) -> tuple[int, int | None]:
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
    """The ranges that an option gives, for use as its callback; a usage error where they cannot be read."""
    try:
        return Ranges.parse(value) if value is not None else None
    except ValueError as error:
        raise click.BadParameter(str(error)) from None
