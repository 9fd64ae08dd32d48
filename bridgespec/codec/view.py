"""Records as a term sees them, whichever language declared them and whoever read them: what stands in a part, and its roles."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

from bridgespec.codec.decl import Decl
from bridgespec.diagnostic import Code, Span

T = TypeVar("T")


class Unread(Exception):
    """A text that cannot be told by its places alone: its nodes are made and read."""


class View(ABC):
    """A part of a record: its text, code or number, and the parts of it that have roles, seen through records that have none."""

    __slots__ = ()
    decl: Decl
    """What the schema declares of it."""
    key = ""
    """The key of a pair."""

    @property
    @abstractmethod
    def raw(self) -> str:
        """The characters as they stand."""

    @property
    @abstractmethod
    def text(self) -> str:
        """The characters, without escapes and without what they stand between; empty where they say that nothing is known."""

    @property
    @abstractmethod
    def code(self) -> str | None:
        """The name of the code."""

    @property
    @abstractmethod
    def number(self) -> int | None:
        """The number that it is, or spells."""

    @property
    @abstractmethod
    def raw_value(self) -> object:
        """The value as a reader made it."""

    @property
    def raw_values(self) -> Sequence[object]:
        """The values of an array's elements as a reader made them."""
        raise Unread

    @property
    def section(self) -> str:
        """The characters of a pair's section."""
        return ""

    @property
    def columns(self) -> Mapping[str, Decl]:
        """Of a pair that may be a table, what its columns hold by their names."""
        return {}

    @property
    @abstractmethod
    def span(self) -> Span:
        """Where it stands."""

    @property
    def says(self) -> bool:
        """Whether anything stands there."""
        return self.span.stop > self.span.start

    @property
    def broken(self) -> bool:
        """Whether what stands there does not follow its form."""
        return False

    @abstractmethod
    def parts(self) -> Sequence[tuple[str, View]]:
        """The parts that have a role, in file order, each with its role."""

    def role(self, name: str) -> View | None:
        """The first part with a role."""
        for role, view in self.parts():
            if role == name:
                return view
        return None

    def roles(self, name: str) -> Sequence[View]:
        """The parts with a role, in file order."""
        return [view for role, view in self.parts() if role == name]

    def own(self, name: str) -> View | None:
        """The view itself; of a record, its first part with a role."""
        return self if self.decl.kind != "record" else self.role(name)

    @abstractmethod
    def has(self, name: str) -> bool:
        """Whether the schema gives a role to any part that may stand here."""

    @abstractmethod
    def each(self, make: Callable[[str, View], T]) -> list[T]:
        """What ``make`` gives for the role and view of each part; it must depend on the part's text alone, which is kept."""

    def items(self) -> Sequence[View]:
        """The elements of an array."""
        raise Unread

    def lines(self) -> Iterable[View]:
        """The elements of an array of records by their places alone, which tell no findings; `Unread` where that cannot be done."""
        raise Unread

    @abstractmethod
    def sign(self, at: int) -> View:
        """A single character of a text."""

    @abstractmethod
    def report(self, code: Code, message: str) -> None:
        """Tell that what stands here means nothing."""


class Group:
    """What one record says of one term: the parts that say it whole, in file order, and those that each say a part of it."""

    __slots__ = ("kept", "members", "wholes")

    def __init__(self, *wholes: View) -> None:
        self.kept: list[View] | None = None
        """What its term has found in it, for when it is asked again."""
        self.wholes = [*wholes]
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
