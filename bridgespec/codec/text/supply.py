"""The values of one record that are still to be written."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

if TYPE_CHECKING:
    # A binary file is written without what reads grammars.
    from bridgespec.spec.grammar import Rule

SHAPES = 1000
"""So many templates are kept of each rule."""
MARK = "\udfff"
"""What pieces write in place of the text of a value: a character that no file can have."""


class Unfit(Exception):
    """A piece cannot spell what is left of the values; ``path`` is the field."""

    def __init__(self, message: str, path: str) -> None:
        super().__init__(message)
        self.path = path


Derive = Callable[["Rule", Mapping[str, object]], str]
"""Gives the text of a field of a rule; EvaluationError where one that it follows from is missing or not a number."""


class TextRule(Protocol):
    """A rule, as far as writing needs it."""

    def spell(self, value: object, path: str) -> str:
        """The text of a value; `Unfit` where the rule has none."""


class Placed(NamedTuple):
    """A value that is written: its field, the rule that spells it, and its text."""

    field: str
    rule: TextRule
    text: str


Journal = tuple[list[Placed], list[str]]
"""What is written: values, and pieces of layout that are written in turns."""


class Template:
    """How a record is written whose fields have so many values each: the text between the values, and the field of each value.

    A record makes it when it is first written so, without its choices. It is for all such records whose values have a text, if no
    choice hung on more than which values there are.
    """

    __slots__ = ("text", "values")

    def __init__(self, text: str, values: Sequence[Placed]) -> None:
        self.text = [part for between in text.split(MARK) for part in (between, "")][:-1]
        self.values = [(one.field, one.rule) for one in values]
        if len(self.text) != 2 * len(self.values) + 1:
            raise Unfit(f"no file has the character {MARK!r}", "")

    def filled(self, texts: Sequence[str]) -> str:
        """Return the text of a record with the texts of its values."""
        parts = self.text.copy()
        parts[1::2] = texts
        return "".join(parts)

    def spelled(self, lists: Mapping[str, Sequence[object]]) -> str:
        """Return the text of a record by the values of each field; `Unfit` where one has none."""
        if len(lists) == 1:
            ((_, values),) = lists.items()
            return self.filled(
                [
                    # Most entries of a long list, such as calls and cards, have been spelled for another record.
                    value.text if value.__class__ is SharedRecord and value.text is not None else rule.spell(value, "")
                    for (_, rule), value in zip(self.values, values, strict=True)
                ]
            )
        left = {name: iter(values) for name, values in lists.items()}
        return self.filled([rule.spell(next(left[name]), "") for name, rule in self.values])


class Mark(NamedTuple):
    """How many values and pieces of layout are written; an alternative that is not taken leaves no trace."""

    values: int
    layout: int


def lists_of(given: Mapping[str, object]) -> dict[str, Sequence[object]]:
    """Return the values of each field as a list, of a single one too."""
    return {name: value if isinstance(value, list | tuple) else (value,) for name, value in given.items()}


class Supply:
    """What is left to write of each field, first things first; ``given`` is all that there was, ``lists`` the values of each field,
    ``path`` the record's. ``places`` tells at how many places of the rule each field stands, ``derive`` how those are written that
    follow from others.
    """

    __slots__ = ("certain", "derive", "failure", "given", "layout", "lists", "path", "places", "taken", "turns", "values")

    def __init__(
        self,
        given: Mapping[str, object],
        lists: Mapping[str, Sequence[object]],
        path: str,
        places: Mapping[str, int],
        derive: Derive,
    ) -> None:
        self.places = places
        self.derive = derive
        self.given = given
        self.path = path
        self.lists = lists
        self.taken = dict.fromkeys(self.lists, 0)
        """How many of each are written."""
        self.values: list[Placed] = []
        """The values that are written, in order: choices come back to a number of them."""
        self.certain = True
        """Whether all choices hung on which values there are alone, not on what they are."""
        self.layout: list[str] = []
        """The pieces of layout that are written in turns, in order."""
        self.turns: dict[str, int] = {}
        """How often each of them is written."""
        self.failure: Unfit | None = None
        """Why the alternative that came furthest did not fit."""

    def at(self, name: str) -> str:
        """The path of a field."""
        return f"{self.path}.{name}" if self.path else name

    def left(self, name: str) -> int:
        """How many values are left of a field."""
        values = self.lists.get(name)
        return 0 if values is None else len(values) - self.taken[name]

    def has(self, names: Iterable[str]) -> bool:
        """Whether anything is left of one of these fields."""
        for name in names:
            values = self.lists.get(name)
            if values is not None and self.taken[name] < len(values):
                return True
        return False

    def place(self, name: str, rule: TextRule) -> str:
        """Write the next value of a field, and return what stands for its text; `Unfit` where it has none."""
        path = self.at(name)
        if not self.left(name):
            raise Unfit(f"{name} is missing", path)
        try:
            text = rule.spell(self.lists[name][self.taken[name]], path)
        except Unfit:
            self.certain = False
            raise
        self.taken[name] += 1
        self.values.append(Placed(name, rule, text))
        return MARK

    def template(self, text: str) -> tuple[Template, str]:
        """Return the template of what is written, and its text with those of the values."""
        made = Template(text, self.values)
        return made, made.filled([one.text for one in self.values])

    def all_taken(self, rule: str) -> None:
        """`Unfit` where anything is left."""
        for name, taken in self.taken.items():
            if taken < len(self.lists[name]):
                raise self.failure or Unfit(f"{self.lists[name][taken]!r} finds no place in {rule}", self.at(name))

    def mark(self) -> Mark:
        """Return what is written, to come `back` to."""
        return Mark(len(self.values), len(self.layout))

    def back(self, mark: Mark) -> None:
        """Restore what was written at an earlier mark."""
        for one in self.values[mark.values :]:
            self.taken[one.field] -= 1
        for name in self.layout[mark.layout :]:
            self.turns[name] -= 1
        del self.values[mark.values :], self.layout[mark.layout :]

    def since(self, mark: Mark) -> Journal:
        """Return what was written since a mark, to write it `again`."""
        return self.values[mark.values :], self.layout[mark.layout :]

    def again(self, written: Journal) -> None:
        """Write what was written once and taken back."""
        for one in written[0]:
            self.taken[one.field] += 1
        for name in written[1]:
            self.turn(name)
        self.values += written[0]

    def turn(self, name: str) -> int:
        """Return how often a piece of layout was written before, and write it."""
        self.layout.append(name)
        turn = self.turns.get(name, 0)
        self.turns[name] = turn + 1
        return turn

    def first_used(self, mark: Mark) -> int:
        """Return the index, among the fields given, of the first field that was written since a mark."""
        written = {one.field for one in self.values[mark.values :]}
        return next((i for i, name in enumerate(self.taken) if name in written), len(self.taken))


class Templates:
    """The templates of one record, by the number of the values of each field; where none fits its choices are tried."""

    def __init__(self, name: str, write: Callable[[Supply], str], places: Mapping[str, int], derive: Derive) -> None:
        self.name, self.write, self.places, self.derive = name, write, places, derive
        self.known: dict[tuple[tuple[str, int], ...], Template] = {}

    def spelled(self, given: Mapping[str, object], path: str) -> str:
        """Return the text of the values of a record; `Unfit` where they do not do."""
        lists = lists_of(given)
        shape = tuple([(name, len(values)) for name, values in lists.items()])
        if shape in self.known:
            # Where a value has no text, the choices tell why, or take another way.
            with suppress(Unfit):
                return self.known[shape].spelled(lists)
        left = Supply(given, lists, path, self.places, self.derive)
        template, text = left.template(self.write(left))
        left.all_taken(self.name)
        if left.certain and len(self.known) < SHAPES:
            self.known[shape] = template
        return text


class SharedRecord(dict[str, Any]):
    """The plain values of a pair or an entry that many records have: they are made once, and their text and view are
    kept with them."""

    __slots__ = ("text", "view")

    def __init__(self, values: Mapping[str, Any]) -> None:
        super().__init__(values)
        self.text: str | None = None
        self.view: Any = None
        """How a term sees it."""

    def spelled(self, spell: Callable[[Mapping[str, object], str], str], path: str) -> str:
        """Return the text, which ``spell`` makes once."""
        if self.text is None:
            self.text = spell(self, path)
        return self.text


def alike(value: Any) -> object:
    """Return what is equal for plain values that are the same texts in the same order; None if they have anything else: a
    list, such as the holdings of a hand, is seldom that of another record.
    """
    kind = type(value)
    if kind is str:
        return value
    if kind is dict:
        found: list[object] = []
        for name, inner in value.items():
            same = inner if type(inner) is str else alike(inner)
            if same is None:
                return None
            found += name, same
        return tuple(found)
    return None
