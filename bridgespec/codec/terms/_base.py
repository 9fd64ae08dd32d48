"""What every term is: a word of the schemas, the roles of its parts, and how it is read, written, found and compared."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cache
from typing import Any, NewType, Protocol, get_type_hints

from bridgespec.codec.record import RecordView, TermGroup
from bridgespec.model.board import Board

Place = tuple[str | int, ...]
"""A place of the model: ``("deal", card)``, ``("auction", turn)``."""
Offer = Any
"""What a term has to say of a part. A text, a number or the name of a code; a mapping of roles to offers; a list of offers, for an
array; a tuple of spellings, the best first; None where there is nothing to say.
"""


COMMENT, COMMENTS = "comment", "comments"
COMMON: Mapping[str, str] = {COMMENT: "a remark"}
"""Roles that parts of any term may have."""
NOTE, NOTE_TEXT, INDEX = "note", "note_text", "index"
"""The roles of a note that entries refer to, of its text and of its number."""


class SharedOffer(dict[str, Any]):
    """The offer of an entry or a term that many boards have, such as a call without a remark: it is made once, and never changed.
    What it has that is made for a declaration hangs on that alone.
    """

    __slots__ = ("same",)

    def __init__(self, parts: Mapping[str, Any]) -> None:
        super().__init__(parts)
        self.same = object()
        """What stands for it among what is made of offers."""


MANY = 10_000
"""So many offers of texts are kept of each term."""
UNSAID = "unsaid"
"""The key of an offer under which stand the roles that say nothing by themselves: four hands of which none is known."""


INSTEAD = "instead"
"""The key of an offer under which stands a mapping: a role that is not to be used where there is room for the other."""


Mask = NewType("Mask", int)
"""A set of cards in 64 bits, the number that a hand is: the ace of spades is bit 51, the two of clubs bit 0."""
Byte = NewType("Byte", int)
"""A number from 0 to 255."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table of boards: its name, the type of its values, what it says, and the value of a board.

    A type is a number, a text, a value of the model or a tuple of such, as a type hint says it; None stands for nothing said.
    """

    name: str
    type: Any
    doc: str
    value: Callable[[Any], Any]


class Said(ABC):
    """What a record says: the groups of views by term, and what they come to, each worked out when it is asked for."""

    __slots__ = ()

    @property
    @abstractmethod
    def file(self) -> Said | None:
        """What the file says of all its boards."""

    @property
    @abstractmethod
    def members(self) -> Set[tuple[str, str]]:
        """The parts of terms for which the schema has a word."""

    @abstractmethod
    def counted(self) -> int:
        """The number of a record that says none: boards count from the first, or from 1."""

    @abstractmethod
    def sections(self, role: str) -> Sequence[tuple[str, RecordView]]:
        """The pairs with a section in which a part with a role may be, each with the word of its key."""

    @abstractmethod
    def order(self) -> Sequence[tuple[str, str, RecordView]]:
        """The parts of the record in file order, each with its term and the role that it has there, if any."""

    @abstractmethod
    def group(self, term: str) -> TermGroup | None:
        """What the record itself says of a term, or what still holds from those before it."""

    @abstractmethod
    def __getitem__(self, term: str) -> Any:
        """The model's value of a term."""

    def part(self, term: str, role: str) -> RecordView | None:
        """The first part with a role that the record has of a term."""
        group = self.group(term)
        return None if group is None else group.role(role)

    def holds(self, term: str, member: str) -> bool:
        """Whether the schema has a word for a part of a term."""
        return (term, member) in self.members

    def of_file(self, term: str) -> TermGroup | None:
        """What the file says of all its boards."""
        return None if self.file is None else self.file.group(term)

    def value_of_file(self, term: str) -> Any:
        """The value of a term that the file says of all its boards."""
        return None if self.file is None else self.file[term]


class Asked(Protocol):
    """What is to be written: a board, the document it is of, and its place there."""

    board: Any
    document: Any
    index: int
    of_file: bool

    def has_role(self, term: str, role: str) -> bool:
        """Whether the target may have a part of a term."""


class Term:
    """One thing that the model knows, wherever a schema mentions it.

    ``NAME`` is the word of the schemas and, where ``ON`` is ``board``, the field of the model. ``ROLES`` are the parts that a
    schema may give it. ``MEMBERS`` are further words, each of which says a part alone: the word of the role that it has.
    ``ARRAYS`` are words and roles of which an array is one thing, not many.
    """

    NAME: str
    ON: str = "board"
    DOC: str
    ROLES: Mapping[str, str] = {}
    MEMBERS: Mapping[str, str] = {}
    ARRAYS: frozenset[str] = frozenset()
    NEEDED: bool = False
    """Whether a field of bytes for it cannot be blank."""
    TOGETHER: bool = False
    """Whether the members in a record below, together, say the term whole."""
    ENTRIES: frozenset[str] = frozenset()
    """Roles of entries in a row, each of which may have remarks of its own."""
    ALONE: frozenset[str] = frozenset()
    """Roles that are worth saying where there is no entry."""
    PLACES: frozenset[str] = frozenset()
    """First words of further places of the model that it finds, beside its own name."""
    SINGLY: frozenset[str] = frozenset()
    """Roles of parts of which one that a format cannot spell is left out without the others."""
    SEQUENCE: frozenset[str] = frozenset()
    """Roles of entries that may each be a pair of its own, between which comments can stand."""
    CLOSING: str = ""
    """The role of what stands behind the last of these entries, before the comments on it."""
    WITHIN: Mapping[str, frozenset[str]] = {}
    """Roles that mean something only in a part of one of certain roles."""
    AXES: frozenset[str] = frozenset()
    """Roles whose arrays axes lay out; the term itself is the empty text."""
    AT: frozenset[str] = frozenset()
    """Roles of which `at` can give a coordinate; the term itself is the empty text."""
    CODES: Mapping[str, frozenset[str]] = {}
    """The names that codes may have, by role; of the term itself under the empty text."""
    KINDS: str = ""
    """What is lost where it is not as it was: ``the deal``."""
    UNHELD: str = ""
    """The same where a schema has no room for it."""
    COUNTED: bool = False
    """Whether each loss is told by itself, though a schema has no room for any."""
    PARTS: Mapping[str, frozenset[str]] = {}
    """What is lost where a schema has room for a part of it alone, each with the roles that are room for the rest."""

    FOLLOWS: frozenset[str] | None = frozenset()
    """Terms from which the value can follow where the record does not mention this one (`without`): the record or the file must
    state one of them. None where it can follow from the record's place alone, or from any term.
    """
    OF: tuple[str, ...] = ()
    """The terms whose parts it is read from, where it has none of its own."""
    BESIDE: Mapping[str, Any] = {}
    """Further fields of the model that the term sets, each with its value where nothing is said."""

    def fields(self, value: Any) -> Mapping[str, Any]:
        """The fields of the model that a value is."""
        return {self.NAME: value}

    def read(self, group: TermGroup, said: Said) -> Any:
        """The model's value, the first that a part says whole; None where nothing is said."""
        for view in group.wholes:
            value = self.of(view, said)
            if value is not None:
                return value
        return self.without(said)

    def of(self, view: RecordView, said: Said) -> Any:
        """The value that one part says whole; None for nothing."""
        return None

    def without(self, said: Said) -> Any:
        """The value where the record does not mention the term."""
        return None

    def write(self, asked: Asked) -> Offer:
        """What a board has to say of it; None for nothing, and for what is written with other terms."""
        return None

    def places(self, group: TermGroup, place: Place, said: Said) -> Iterator[RecordView]:
        """The parts that hold a place of the model, finest first."""
        yield from group.wholes[:1]
        yield from (view for _, view in group.members[:1])

    def is_entered(self, board: Board) -> bool:
        """Whether a board has an entry of the `SEQUENCE`."""
        return False

    def columns(self) -> Sequence[Column]:
        """The columns that it has in a table of boards."""
        name = self.NAME
        return (field_column(name, self.DOC),) if self.ON == "board" else ()

    def of_columns(self, row: Mapping[str, Any]) -> Mapping[str, Any]:
        """The fields of the model that the columns of a row say; a column that is not there says nothing."""
        value = row.get(self.NAME)
        return {} if value is None else {self.NAME: value}

    def compared(self, board: Any) -> Any:
        """What a board says of it, as far as writing and reading must keep it."""
        return getattr(board, self.NAME)

    def stated(self, board: Any) -> Any:
        """The same, without what follows from other terms."""
        return self.compared(board)

    def losses(self, one: Any, two: Any, held: bool = True) -> list[str]:
        """The kinds of what one board says of it and another, which was written and read, does not; not ``held`` where the schema
        has no room for it.
        """
        before = self.compared(one) if held else self.stated(one)
        # Where nothing was said nothing is lost, and what came back need not be touched for it.
        if not is_said(before) or before == (after := self.compared(two)):
            return []
        return list(self.lost(before, after)) if held or self.COUNTED else [self.UNHELD or self.kind]

    def lost(self, before: Any, after: Any) -> Iterator[str]:
        """The kinds of what is said before and not after, which is something else."""
        yield self.kind

    @property
    def kind(self) -> str:
        """What is lost where all of it is."""
        return self.KINDS or f"the {self.NAME}"


@cache
def _hints() -> Mapping[str, Any]:
    return get_type_hints(Board)


def part_column(term: str, name: str, type: Any, doc: str, value: Callable[[Any], Any]) -> Column:
    """The column of a part of a field of the model, of which ``value`` gives it."""
    return Column(name, type, doc, lambda board: None if getattr(board, term) is None else value(getattr(board, term)))


def field_column(name: str, doc: str) -> Column:
    """The column of a field of the model, as its type hint says it; an empty tuple says nothing."""
    return Column(name, _hints()[name], doc, lambda board: None if getattr(board, name) == () else getattr(board, name))


def is_said(value: Any) -> bool:
    """Whether a value says anything."""
    return any(map(is_said, value)) if isinstance(value, tuple) else value is not None and value != ""
