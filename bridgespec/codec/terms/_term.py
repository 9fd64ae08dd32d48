"""Base class of the terms.

`Term` declares the words and roles of a term and implements how it is read (`EncodedValue`, a record's parts, to a value of the
model), written (`EncodeRequest`, a board, to an `Offer`), located (`Term.places`), compared (`Term.losses`) and stored in a table
(`TermColumn`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cache
from typing import Any, NewType, Protocol, get_type_hints

from bridgespec.codec.record_views import RecordView, TermGroup
from bridgespec.model.board import Board

Place = tuple[str | int, ...]
"""A path of the model: ``("deal", card)``, ``("auction", turn)``."""
Offer = Any
"""What a term gives a writer for one part of a schema: a text, a number or the name of a code; a mapping of roles to offers; a list
of offers, for an array; a tuple of spellings, the preferred one first; None where there is no value.
"""


COMMENT, COMMENTS = "comment", "comments"
COMMON: Mapping[str, str] = {COMMENT: "a remark"}
"""Roles that parts of any term may have."""
NOTE, NOTE_TEXT, INDEX, REFERENCE = "note", "note_text", "index", "reference"
"""The roles of a note that entries refer to, of its text and of its number, and of the number in an entry."""


class SharedOffer(dict[str, Any]):
    """An offer that many boards share, such as that of a call without a remark. Made once by a term and never changed afterwards;
    what is cached for it, by declaration, has the lifetime of the offer.
    """

    __slots__ = ("same",)

    def __init__(self, parts: Mapping[str, Any]) -> None:
        super().__init__(parts)
        # A dictionary cannot be the key of a cache, and its id() may be that of a later one.
        self.same = object()
        """Identifies the offer in caches of what is made of offers."""


UNSAID = "unsaid"
"""The key of an offer for the roles that carry no information by themselves: four hands of which none is known."""


INSTEAD = "instead"
"""The key of an offer for a mapping of roles: the first is not written where the target has room for the second."""


Mask = NewType("Mask", int)
"""A set of cards as an integer of 64 bits, as for a hand: the ace of spades is bit 51, the two of clubs bit 0."""
Byte = NewType("Byte", int)
"""A number from 0 to 255."""


@dataclass(frozen=True, slots=True)
class TermColumn:
    """One column of a table of boards: its name, the type of its values, a description, and a function that gives the value of a
    board. Made by `Term.columns`.

    The type is that of a number, a text, a value of the model or a tuple of such, written as a type hint; None means unknown.
    """

    name: str
    type: Any
    doc: str
    value: Callable[[Any], Any]


class EncodedValue(ABC):
    """The content of one record, as terms read it: the groups of views by term, and the value of each term, which is bound when it
    is first accessed. One is made for each record, and one for the file as a whole.
    """

    __slots__ = ()

    @property
    @abstractmethod
    def file(self) -> EncodedValue | None:
        """The content that the file states once for all boards; None where it states none."""

    @property
    @abstractmethod
    def members(self) -> Set[tuple[str, str]]:
        """The parts of terms for which the schema has a word, as pairs of term and role."""

    @abstractmethod
    def counted(self) -> int:
        """Return the number of a record that states none: boards are counted from the first number that the file states, else from
        1.
        """

    @abstractmethod
    def sections(self, role: str) -> Sequence[tuple[str, RecordView]]:
        """Return the pairs whose section may contain a part with a role, each with the word of its key."""

    @abstractmethod
    def order(self) -> Sequence[tuple[str, str, RecordView]]:
        """Return the parts of the record in file order, each with its term and its role (empty for the whole term)."""

    @abstractmethod
    def group(self, term: str) -> TermGroup | None:
        """Return the parts of a term: those of the record, or those of earlier records that are still in force.
        None without any.
        """

    @abstractmethod
    def __getitem__(self, term: str) -> Any:
        """Return the model's value of a term."""

    def part(self, term: str, role: str) -> RecordView | None:
        """Return the record's first part of a term with a role; None without one."""
        group = self.group(term)
        return None if group is None else group.role(role)

    def holds(self, term: str, member: str) -> bool:
        """Whether the schema has a word for a part of a term."""
        return (term, member) in self.members

    def of_file(self, term: str) -> TermGroup | None:
        """Return the parts of a term that the file states for all boards; None without any."""
        return None if self.file is None else self.file.group(term)

    def value_of_file(self, term: str) -> Any:
        """Return the value of a term that the file states for all boards; None without one."""
        return None if self.file is None else self.file[term]


class EncodeRequest(Protocol):
    """What a term is asked to write: the board, its document, and its index there. Made by a writer for each board."""

    board: Any
    document: Any
    index: int
    of_file: bool

    def has_role(self, term: str, role: str) -> bool:
        """Whether the target has room for a part of a term."""


class Term:
    """One thing that the model knows, wherever a schema mentions it.

    ``NAME`` is the word of the schemas and, where ``ON`` is ``board``, the field of the model. ``ROLES`` are the parts that a
    schema may give it. ``MEMBERS`` are further words, each of which names a part: the word, and the part's role. ``ARRAYS`` are
    words and roles whose array is a single value.
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
    """Whether the members in a record, together, state the whole term."""
    ENTRIES: frozenset[str] = frozenset()
    """Roles of the entries of a list, each of which may have remarks of its own."""
    ALONE: frozenset[str] = frozenset()
    """Roles that are written even where the term has no entry."""
    PLACES: frozenset[str] = frozenset()
    """First components of further model paths that the term locates, beside its own name."""
    SINGLY: frozenset[str] = frozenset()
    """Roles of parts that are left out one by one: where a format cannot spell one, the others are still written."""
    SEQUENCE: frozenset[str] = frozenset()
    """Roles of entries that may each be a pair of its own, with comments between them."""
    CLOSING: str = ""
    """The role of the part that follows the last of these entries, ahead of the comments on that entry."""
    WITHIN: Mapping[str, frozenset[str]] = {}
    """Roles that have a meaning only within a part with one of certain roles."""
    AXES: frozenset[str] = frozenset()
    """Roles whose arrays are laid out by axes; the empty text means the term itself."""
    AT: frozenset[str] = frozenset()
    """Roles for which the keyword `at` can give a coordinate; the empty text means the term itself."""
    CODES: Mapping[str, frozenset[str]] = {}
    """The names that codes may have, by role; those of the term itself under the empty text."""
    CODED: frozenset[str] = frozenset()
    """Roles of parts that have a meaning only as codes, not as texts or numbers; the empty text means the term itself."""
    MARKS: frozenset[str] = frozenset()
    """Names of rules whose text states the value; a rule bound to the term may be an alias of one (`played: passed_out`)."""
    KINDS: str = ""
    """Name of the loss, for messages, where the value is changed: ``the deal``."""
    UNHELD: str = ""
    """The same where a schema has no room for the term."""
    COUNTED: bool = False
    """Whether losses are reported one by one even where a schema has no room for any part."""
    PARTS: Mapping[str, frozenset[str]] = {}
    """Losses where a schema has room for a part of the term only: the name of each, with the roles that would have room for the
    rest.
    """

    FOLLOWS: frozenset[str] | None = frozenset()
    """Terms from which the value may follow where the record does not state this one (`without`): the record or the file must state
    one of them. None where it may follow from the record's index alone, or from any term.
    """
    OF: tuple[str, ...] = ()
    """The terms from whose parts the value is read, for a term without parts of its own."""
    BESIDE: Mapping[str, Any] = {}
    """Further fields of the model that the term sets, each with its value where none is stated."""

    def fields(self, value: Any) -> Mapping[str, Any]:
        """Return the fields of the model that a value sets."""
        return {self.NAME: value}

    def read(self, group: TermGroup, said: EncodedValue) -> Any:
        """Return the model's value: the first that one part gives as a whole, else what follows from other terms; None where
        nothing is stated.
        """
        for view in group.wholes:
            value = self.of(view, said)
            if value is not None:
                return value
        value = self.of_members(group.members, said) if group.members else None
        return self.without(said) if value is None else value

    def of(self, view: RecordView, said: EncodedValue) -> Any:
        """Return the value that one part gives as a whole; None where it gives none."""
        return None

    def of_members(self, members: Sequence[tuple[str, RecordView]], said: EncodedValue) -> Any:
        """Return the value of parts bound one by one (`as: contract.passed_out`), with no record around them; None without one."""
        return None

    def without(self, said: EncodedValue) -> Any:
        """Return the value where the record does not state the term; None where none follows."""
        return None

    def write(self, asked: EncodeRequest) -> Offer:
        """Return the offer of a board; None where it has no value, or where the value is written with other terms."""
        return None

    def respelled(self, text: str) -> Iterable[str]:
        """Other spellings of a text that `write` has offered, for a format without room for that."""
        return ()

    def places(self, group: TermGroup, place: Place, said: EncodedValue) -> Iterator[RecordView]:
        """Yield the parts that contain a model path, the narrowest first."""
        yield from group.wholes[:1]
        yield from (view for _, view in group.members[:1])

    def is_entered(self, board: Board) -> bool:
        """Whether a board has an entry with one of the roles of `SEQUENCE`."""
        return False

    def columns(self) -> Sequence[TermColumn]:
        """Return the columns of the term in a table of boards."""
        name = self.NAME
        return (field_column(name, self.DOC),) if self.ON == "board" else ()

    def of_columns(self, row: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the fields of the model that the columns of a row set; an absent column sets none."""
        value = row.get(self.NAME)
        return {} if value is None else {self.NAME: value}

    def compared(self, board: Any) -> Any:
        """Return the board's value as far as writing and reading it back must preserve it."""
        return getattr(board, self.NAME)

    def stated(self, board: Any) -> Any:
        """Return the value that the board itself states, without values that follow from other terms."""
        return self.compared(board)

    def losses(self, one: Any, two: Any, held: bool = True) -> list[str]:
        """Return the names of the losses between a board and the same board written and read; ``held`` is False where the schema
        has no room for the term.
        """
        before = self.compared(one) if held else self.stated(one)
        # No value before, no loss; checked first so that the other board's field is not bound for it.
        if not is_said(before) or before == (after := self.compared(two)):
            return []
        return list(self.lost(before, after)) if held or self.COUNTED else [self.UNHELD or self.kind]

    def lost(self, before: Any, after: Any) -> Iterator[str]:
        """Yield the names of the losses between two different values of the term, the second of which may be None."""
        yield self.kind

    @property
    def kind(self) -> str:
        """Name of the loss where the whole value is lost."""
        return self.KINDS or f"the {self.NAME}"


@cache
def _hints() -> Mapping[str, Any]:
    # Annotations are texts here (`from __future__ import annotations`): a table of boards needs their types.
    return get_type_hints(Board)


def part_column(term: str, name: str, type: Any, doc: str, value: Callable[[Any], Any]) -> TermColumn:
    """Return the column of a part of a field of the model; ``value`` takes the field and gives the part."""
    return TermColumn(name, type, doc, lambda board: None if getattr(board, term) is None else value(getattr(board, term)))


def field_column(name: str, doc: str) -> TermColumn:
    """Return the column of a field of the model, with the type of its type hint; an empty tuple is stored as None."""
    return TermColumn(name, _hints()[name], doc, lambda board: None if getattr(board, name) == () else getattr(board, name))


def is_said(value: Any) -> bool:
    """Whether a value contains any information: not None, an empty text or a tuple of such."""
    return any(map(is_said, value)) if isinstance(value, tuple) else value is not None and value != ""
