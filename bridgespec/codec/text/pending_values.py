"""The values of a record that are not yet written (`PendingValues`), and templates made of records written before (`Templates`)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

if TYPE_CHECKING:
    # Only for types: writing a binary file does not import the modules of grammars.
    from bridgespec.spec.grammar import GrammarRule

SHAPES = 1000
"""The maximum number of templates for each rule."""
MARK = "\udfff"
"""A placeholder for the text of a value: a character that no file can contain."""


class CannotEncode(Exception):
    """Raised where an expression cannot spell the pending values; ``path`` is the field, ``lacking`` its name if it has no value
    left.
    """

    def __init__(self, message: str, path: str, lacking: str | None = None) -> None:
        super().__init__(message)
        self.path = path
        self.lacking = lacking


Derive = Callable[["GrammarRule", Mapping[str, object]], str]
"""Returns the text of a derived field of a rule; EvaluationError where a field that it depends on is missing or not a number."""


class TextRule(Protocol):
    """The part of a rule's value that writing uses."""

    def spell(self, value: object, path: str) -> str:
        """Return the text of a plain value. Raises `CannotEncode` where the rule cannot spell it."""


class WrittenValue(NamedTuple):
    """A value that has been written: its field, the rule that spelled it, and its text."""

    field: str
    rule: TextRule
    text: str


WrittenPart = tuple[list[WrittenValue], list[str]]
"""A part of what was written, in order: the values, and the names of layout rules with alternating spellings."""


class Template:
    """The text of records that have the same number of values in each field, with gaps for the values and the field of each gap.

    Made when such a record is first written, and used for later ones if no choice in the rule depended on the values themselves.
    """

    __slots__ = ("text", "values")

    def __init__(self, text: str, values: Sequence[WrittenValue]) -> None:
        self.text = [part for between in text.split(MARK) for part in (between, "")][:-1]
        self.values = [(one.field, one.rule) for one in values]
        # A value that contains the mark would make an additional gap, and the texts would be filled in at the wrong positions.
        if len(self.text) != 2 * len(self.values) + 1:
            raise CannotEncode(f"no file has the character {MARK!r}", "")

    def filled(self, texts: Sequence[str]) -> str:
        """Return the text of a record, given the texts of its values in order."""
        parts = self.text.copy()
        parts[1::2] = texts
        return "".join(parts)

    def spelled(self, lists: Mapping[str, Sequence[object]]) -> str:
        """Return the text of a record, given the values of each field. Raises `CannotEncode` where one cannot be spelled."""
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


class WriteMark(NamedTuple):
    """A state of `PendingValues` that can be restored: how many values and layout texts are written."""

    values: int
    layout: int


def lists_of(given: Mapping[str, object]) -> dict[str, Sequence[object]]:
    """Return the values of each field as a list; a single value is a list of one."""
    return {name: value if isinstance(value, list | tuple) else (value,) for name, value in given.items()}


class PendingValues:
    """The values of one record that are to be written, in order. Made for each record.

    ``given`` are all values, ``lists`` the same as a list for each field, ``path`` is the record's path, ``places`` the number of
    references to each field in the rule; ``derive`` returns the text of a derived field.
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
        """The number of values written of each field."""
        self.values: list[WrittenValue] = []
        """The values written, in order; a choice that fails truncates the list."""
        self.certain = True
        """Whether all choices depended only on the numbers of values, not on the values."""
        self.layout: list[str] = []
        """The names of the layout rules with alternating spellings that were written, in order."""
        self.turns: dict[str, int] = {}
        """How often each of these layout rules was written."""
        self.failure: CannotEncode | None = None
        """The error with the longest path among all failed alternatives: the most specific one."""

    def at(self, name: str) -> str:
        """Return the path of a field."""
        return f"{self.path}.{name}" if self.path else name

    def left(self, name: str) -> int:
        """Return the number of values of a field that are not yet written."""
        values = self.lists.get(name)
        return 0 if values is None else len(values) - self.taken[name]

    def has(self, names: Iterable[str]) -> bool:
        """Whether one of these fields has values that are not yet written."""
        for name in names:
            values = self.lists.get(name)
            if values is not None and self.taken[name] < len(values):
                return True
        return False

    def place(self, name: str, rule: TextRule) -> str:
        """Spell the next value of a field, and return the placeholder for its text. Raises `CannotEncode` where there is none, or
        it cannot be spelled.
        """
        path = self.at(name)
        if not self.left(name):
            raise CannotEncode(f"{name} is missing", path, name)
        try:
            text = rule.spell(self.lists[name][self.taken[name]], path)
        except CannotEncode:
            # Which choice was taken depended on a value: the template would be wrong for others.
            self.certain = False
            raise
        self.taken[name] += 1
        self.values.append(WrittenValue(name, rule, text))
        return MARK

    def composed(self, rule: str, path: str) -> ComposedRecord:
        """Return a value for an absent record of a rule that refers to itself. Raises `CannotEncode` inside a record that was
        composed by the same rule, which would never end.
        """
        # The text depends on the records around this one: a template of it would be wrong in another.
        self.certain = False
        above = self.given.above if isinstance(self.given, ComposedRecord) else frozenset()
        if rule in above:
            raise CannotEncode(f"{rule} is missing", path)
        return ComposedRecord(above | {rule})

    def template(self, text: str) -> tuple[Template, str]:
        """Return a template for the values written, and the record's text; ``text`` is the record with placeholders."""
        made = Template(text, self.values)
        return made, made.filled([one.text for one in self.values])

    def all_taken(self, rule: str) -> None:
        """Raise `CannotEncode` unless every value of the record has been written."""
        for name, taken in self.taken.items():
            if taken < len(self.lists[name]):
                raise self.failure or CannotEncode(f"{self.lists[name][taken]!r} finds no place in {rule}", self.at(name))

    def mark(self) -> WriteMark:
        """Return the present state, to be restored by `back`."""
        return WriteMark(len(self.values), len(self.layout))

    def back(self, mark: WriteMark) -> None:
        """Restore the state that `mark` returned."""
        # A journal: only what the alternative wrote is undone, and no copy of all pending values is needed.
        for one in self.values[mark.values :]:
            self.taken[one.field] -= 1
        for name in self.layout[mark.layout :]:
            self.turns[name] -= 1
        del self.values[mark.values :], self.layout[mark.layout :]

    def since(self, mark: WriteMark) -> WrittenPart:
        """Return the values and the layout rules that were written since the state ``mark``."""
        return self.values[mark.values :], self.layout[mark.layout :]

    def again(self, written: WrittenPart) -> None:
        """Restore values and layout rules as written that `since` returned before `back` undid them."""
        for one in written[0]:
            self.taken[one.field] += 1
        for name in written[1]:
            self.turn(name)
        self.values += written[0]

    def turn(self, name: str) -> int:
        """Return how often the layout rule ``name`` was written in this record before, and count it: its texts alternate."""
        self.layout.append(name)
        turn = self.turns.get(name, 0)
        self.turns[name] = turn + 1
        return turn

    def first_used(self, mark: WriteMark) -> int:
        """Return the index of the first field of which a value was written since ``mark``; the number of fields without one."""
        written = {one.field for one in self.values[mark.values :]}
        return next((i for i, name in enumerate(self.taken) if name in written), len(self.taken))


class Templates:
    """The templates of one rule, by the number of values in each field. Where none applies, the expression is written with all
    its choices.
    """

    def __init__(self, name: str, write: Callable[[PendingValues], str], places: Mapping[str, int], derive: Derive) -> None:
        self.name, self.write, self.places, self.derive = name, write, places, derive
        self.known: dict[tuple[tuple[str, int], ...], Template] = {}

    def spelled(self, given: Mapping[str, object], path: str) -> str:
        """Return the text of a record with these values. Raises `CannotEncode` where they do not match the rule."""
        lists = lists_of(given)
        shape = tuple([(name, len(values)) for name, values in lists.items()])
        if shape in self.known:
            # Where the template cannot spell a value, the choices below write another alternative, or raise the reason.
            with suppress(CannotEncode):
                return self.known[shape].spelled(lists)
        # An unknown shape, or a value without a text in the template: all choices are tried.
        left = PendingValues(given, lists, path, self.places, self.derive)
        template, text = left.template(self.write(left))
        left.all_taken(self.name)
        # The numbers of values are data of the file: without a limit they would fill the memory.
        if left.certain and len(self.known) < SHAPES:
            self.known[shape] = template
        return text


class SharedRecord(dict[str, Any]):
    """The plain values of a pair or an entry that many records have in common, made once. Its text and its `RecordView` are cached
    with it.
    """

    __slots__ = ("text", "view")

    def __init__(self, values: Mapping[str, Any]) -> None:
        super().__init__(values)
        self.text: str | None = None
        self.view: Any = None
        """The view of the value for terms."""

    def spelled(self, spell: Callable[[Mapping[str, object], str], str], path: str) -> str:
        """Return the text, made by ``spell`` the first time."""
        if self.text is None:
            self.text = spell(self, path)
        return self.text


class ComposedRecord(dict[str, object]):
    """The value of an absent record of a rule that refers to itself, written from derived values and defaults.

    `PendingValues.composed` makes one for each attempt to write the record; ``above`` are the names of the rules of the composed
    records around it, and its own.
    """

    __slots__ = ("above",)

    def __init__(self, above: frozenset[str]) -> None:
        super().__init__()
        self.above = above


def alike(value: Any) -> object:
    """Return a hashable key that is equal for plain values with the same texts in the same order. None if a value in it is
    neither a text nor a record: a list, such as the holdings of a hand, seldom repeats.
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
