"""The values of one record that are still to be written."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from bridgespec.spec.grammar import Rule


class Unfit(Exception):
    """A piece cannot spell what is left of the values; ``path`` is the field."""

    def __init__(self, message: str, path: str) -> None:
        super().__init__(message)
        self.path = path


Derive = Callable[[Rule, Mapping[str, object]], str]
"""Gives the text of a field of a rule; KeyError or ValueError where one that it follows from is missing or not a number."""


class Supply:
    """What is left to write of each field, first things first; ``given`` is all that there was, ``path`` the record's. ``places``
    tells at how many places of the rule each field stands, ``derive`` how those are written that follow from others.
    """

    __slots__ = ("derive", "failure", "given", "path", "places", "turns", "values")

    def __init__(self, given: Mapping[str, object], path: str, places: Mapping[str, int], derive: Derive) -> None:
        self.places = places
        self.derive = derive
        self.given = given
        self.path = path
        self.values = {name: list(value) if isinstance(value, list | tuple) else [value] for name, value in given.items()}
        self.turns: dict[str, int] = {}
        self.failure: Unfit | None = None
        """Why the alternative that came furthest did not fit."""

    def at(self, name: str) -> str:
        """The path of a field."""
        return f"{self.path}.{name}".lstrip(".")

    def has(self, names: Iterable[str]) -> bool:
        """Whether anything is left of one of these fields."""
        return any(self.values.get(name) for name in names)

    def take(self, name: str) -> object:
        """The next value of a field."""
        left = self.values.get(name)
        if not left:
            raise Unfit(f"{name} is missing", self.at(name))
        return left.pop(0)

    def mark(self) -> dict[str, list[object]]:
        """What is left, to come `back` to."""
        return {name: list(left) for name, left in self.values.items()}

    def back(self, mark: Mapping[str, list[object]]) -> None:
        """Have again what was there at a mark."""
        self.values = {name: list(left) for name, left in mark.items()}

    @property
    def count(self) -> int:
        """How many values are left."""
        return sum(len(left) for left in self.values.values())

    def turn(self, name: str) -> int:
        """How often a piece of layout has been written, this time left out."""
        turn = self.turns.get(name, 0)
        self.turns[name] = turn + 1
        return turn

    def first_used(self, mark: Mapping[str, list[object]]) -> int:
        """The place, among the fields given, of the first that was written since a mark: what stands first is written first."""
        left = self.values
        return next((i for i, name in enumerate(mark) if len(left.get(name, ())) < len(mark[name])), len(mark))
