"""The values of a record that are yet to be written, `PendingValues`, and the templates of records written before, `Templates`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

if TYPE_CHECKING:
    # A binary file is written without what reads grammars.
    from bridgespec.spec.grammar import GrammarRule

SHAPES = 1000
"""The maximum number of templates for each rule."""
MARK = "\udfff"
"""A placeholder for the text of a value: a character that no file can contain."""


class CannotEncode(Exception):
    """An expression cannot spell the pending values; ``path`` is the field, ``lacking`` its name where it has no value left."""

    def __init__(self, message: str, path: str, lacking: str | None = None) -> None:
        super().__init__(message)
        self.path = path
        self.lacking = lacking


Derive = Callable[["GrammarRule", Mapping[str, object]], str]
"""Returns the text of a derived field of a rule; EvaluationError where a field that it depends on is missing or not a number."""


class TextRule(Protocol):
    """The interface of a rule for writing."""

    def spell(self, value: object, path: str) -> str:
        """Return the text of a value. Raises `CannotEncode` where the rule has none."""


class WrittenValue(NamedTuple):
    """A written value: its field, the rule that spells it, and its text."""

    field: str
    rule: TextRule
    text: str


Journal = tuple[list[WrittenValue], list[str]]
"""What was written: the values, and the alternate spellings of layout."""


class Template:
    """The spelling of records with the same number of values in each field: the text between the values, and the field of each
    value.

    Made when such a record is first written. It is used for all such records whose values have a text, if no choice depended on
    more than the numbers of values.
    """

    __slots__ = ("text", "values")

    def __init__(self, text: str, values: Sequence[WrittenValue]) -> None:
        self.text = [part for between in text.split(MARK) for part in (between, "")][:-1]
        self.values = [(one.field, one.rule) for one in values]
        # A value with the mark in it would be split, and the texts filled in at the wrong places.
        if len(self.text) != 2 * len(self.values) + 1:
            raise CannotEncode(f"no file has the character {MARK!r}", "")

    def filled(self, texts: Sequence[str]) -> str:
        """Return the text of a record with the texts of its values."""
        parts = self.text.copy()
        parts[1::2] = texts
        return "".join(parts)

    def spelled(self, lists: Mapping[str, Sequence[object]]) -> str:
        """Return the text of a record by the values of each field. Raises `CannotEncode` where one has no text."""
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
    """The number of values and of layout texts written; an alternative that is not taken leaves no trace."""

    values: int
    layout: int


def lists_of(given: Mapping[str, object]) -> dict[str, Sequence[object]]:
    """Return the values of each field as a list, also of a single one."""
    return {name: value if isinstance(value, list | tuple) else (value,) for name, value in given.items()}


class PendingValues:
    """The pending values of one record, in order; ``given`` are all of its values, ``lists`` the values of each field, ``path`` the
    record's path. ``places`` gives the number of positions of each field in the rule, ``derive`` the texts of derived fields. One
    for each record.
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
        """The layout written with alternating spellings, in order."""
        self.turns: dict[str, int] = {}
        """How often each of them was written."""
        self.failure: CannotEncode | None = None
        """The error of the alternative that came furthest."""

    def at(self, name: str) -> str:
        """Return the path of a field."""
        return f"{self.path}.{name}" if self.path else name

    def left(self, name: str) -> int:
        """Return the number of pending values of a field."""
        values = self.lists.get(name)
        return 0 if values is None else len(values) - self.taken[name]

    def has(self, names: Iterable[str]) -> bool:
        """Whether one of these fields has pending values."""
        for name in names:
            values = self.lists.get(name)
            if values is not None and self.taken[name] < len(values):
                return True
        return False

    def place(self, name: str, rule: TextRule) -> str:
        """Write the next value of a field, and return the placeholder of its text. Raises `CannotEncode` where it has none."""
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
        """Return the value of an absent record of a rule that reaches itself. Raises `CannotEncode` within a record composed by the
        same rule, which would never end.
        """
        # The text depends on the records around this one: a template of it would be wrong in another.
        self.certain = False
        above = self.given.above if isinstance(self.given, ComposedRecord) else frozenset()
        if rule in above:
            raise CannotEncode(f"{rule} is missing", path)
        return ComposedRecord(above | {rule})

    def template(self, text: str) -> tuple[Template, str]:
        """Return the template of the written values, and its text with theirs."""
        made = Template(text, self.values)
        return made, made.filled([one.text for one in self.values])

    def all_taken(self, rule: str) -> None:
        """Raise `CannotEncode` where a value is pending."""
        for name, taken in self.taken.items():
            if taken < len(self.lists[name]):
                raise self.failure or CannotEncode(f"{self.lists[name][taken]!r} finds no place in {rule}", self.at(name))

    def mark(self) -> WriteMark:
        """Return the present state, for `back`."""
        return WriteMark(len(self.values), len(self.layout))

    def back(self, mark: WriteMark) -> None:
        """Restore the state of a mark."""
        # A journal: undoing an alternative costs what it wrote, not a copy of all pending values.
        for one in self.values[mark.values :]:
            self.taken[one.field] -= 1
        for name in self.layout[mark.layout :]:
            self.turns[name] -= 1
        del self.values[mark.values :], self.layout[mark.layout :]

    def since(self, mark: WriteMark) -> Journal:
        """Return what was written since a mark, for `again`."""
        return self.values[mark.values :], self.layout[mark.layout :]

    def again(self, written: Journal) -> None:
        """Write again what was written before `back`."""
        for one in written[0]:
            self.taken[one.field] += 1
        for name in written[1]:
            self.turn(name)
        self.values += written[0]

    def turn(self, name: str) -> int:
        """Return how often a layout rule was written before, and count it."""
        self.layout.append(name)
        turn = self.turns.get(name, 0)
        self.turns[name] = turn + 1
        return turn

    def first_used(self, mark: WriteMark) -> int:
        """Return the index, among the fields given, of the first field that was written since a mark."""
        written = {one.field for one in self.values[mark.values :]}
        return next((i for i, name in enumerate(self.taken) if name in written), len(self.taken))


class Templates:
    """The templates of one record, by the number of the values of each field; where none fits, its choices are tried."""

    def __init__(self, name: str, write: Callable[[PendingValues], str], places: Mapping[str, int], derive: Derive) -> None:
        self.name, self.write, self.places, self.derive = name, write, places, derive
        self.known: dict[tuple[tuple[str, int], ...], Template] = {}

    def spelled(self, given: Mapping[str, object], path: str) -> str:
        """Return the text of the values of a record. Raises `CannotEncode` where they do not match the rule."""
        lists = lists_of(given)
        shape = tuple([(name, len(values)) for name, values in lists.items()])
        if shape in self.known:
            # Where a value has no text, the choices give the reason, or take another alternative.
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
    """The plain values of a pair or an entry that many records share: made once, with their text and view cached."""

    __slots__ = ("text", "view")

    def __init__(self, values: Mapping[str, Any]) -> None:
        super().__init__(values)
        self.text: str | None = None
        self.view: Any = None
        """The view of the value for terms."""

    def spelled(self, spell: Callable[[Mapping[str, object], str], str], path: str) -> str:
        """Return the text, which ``spell`` makes once."""
        if self.text is None:
            self.text = spell(self, path)
        return self.text


class ComposedRecord(dict[str, object]):
    """An absent record of a rule that reaches itself, which is written from derived values and defaults.

    `PendingValues.composed` creates one for each attempt to write the record. ``above`` has the rules of the records composed
    around it and its own.
    """

    __slots__ = ("above",)

    def __init__(self, above: frozenset[str]) -> None:
        super().__init__()
        self.above = above


def alike(value: Any) -> object:
    """Return a key that is equal for plain values with the same texts in the same order; None if they have any other value: a list,
    such as the holdings of a hand, seldom repeats.
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
