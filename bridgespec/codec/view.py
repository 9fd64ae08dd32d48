"""Records as a term sees them, whichever language declared them and whoever read them: what stands in a part, and its roles."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Protocol, TypeVar

from bridgespec.codec.decl import Decl
from bridgespec.diagnostic import Code, Span

T = TypeVar("T")


class Unread(Exception):
    """A text that cannot be told by its places alone: its nodes are made and read."""


class View(Protocol):
    """A part of a record: its text, code or number, and the parts of it that have roles, seen through records that have none."""

    @property
    def decl(self) -> Decl:
        """What the schema declares of it."""

    @property
    def key(self) -> str:
        """The key of a pair, else the empty text."""

    @property
    def text(self) -> str:
        """The characters, without escapes and without what they stand between; empty where they say that nothing is known."""

    @property
    def raw(self) -> str:
        """The characters as they stand."""

    @property
    def raw_value(self) -> object:
        """The value as a reader made it."""

    @property
    def raw_values(self) -> Sequence[object]:
        """The values of an array's elements as a reader made them."""

    @property
    def section(self) -> str:
        """The characters of a pair's section, else the empty text."""

    @property
    def columns(self) -> Mapping[str, Decl]:
        """Of a pair that may be a table, what its columns hold by their names."""

    @property
    def code(self) -> str | None:
        """The name of the code."""

    @property
    def number(self) -> int | None:
        """The number that it is, or spells."""

    @property
    def span(self) -> Span:
        """Where it stands."""

    @property
    def says(self) -> bool:
        """Whether anything stands there."""

    @property
    def broken(self) -> bool:
        """Whether what stands there does not follow its form."""

    def parts(self) -> Iterable[tuple[str, View]]:
        """The parts that have a role, in file order, each with its role."""

    def role(self, name: str) -> View | None:
        """The first part with a role."""

    def roles(self, name: str) -> Sequence[View]:
        """The parts with a role, in file order."""

    def has(self, name: str) -> bool:
        """Whether the schema gives a role to any part that may stand here."""

    def each(self, make: Callable[[str, View], T]) -> list[T]:
        """What ``make`` gives for the role and view of each part; it must depend on the part's text alone, which is kept."""

    def items(self) -> Sequence[View]:
        """The elements of an array."""

    def lines(self) -> Sequence[View]:
        """The elements of an array of records by their places alone, which tell no findings; `Unread` where that cannot be done."""

    def sign(self, at: int) -> View:
        """A single character of a text."""

    def report(self, code: Code, message: str) -> None:
        """Tell that what stands here means nothing."""


class Group:
    """What one record says of one term: the parts that say it whole, in file order, and those that each say a part of it."""

    __slots__ = ("kept", "members", "wholes")

    def __init__(self) -> None:
        self.kept: list[View] | None = None
        """What its term has found in it, for when it is asked again."""
        self.wholes: list[View] = []
        self.members: list[tuple[str, View]] = []

    def parts(self) -> Iterator[tuple[str, View]]:
        """The parts with a role, of the first whole that has any, then the members."""
        for view in self.wholes:
            yield from view.parts()
        yield from self.members

    def role(self, name: str) -> View | None:
        """The first part with a role that says anything, else the first."""
        found = [part for view in self.wholes if view.has(name) for role, part in view.parts() if role == name]
        found += [view for role, view in self.members if role == name]
        return next((view for view in found if view.says), found[0] if found else None)
