"""Base class of the terms, the parts of the model that a schema may name.

`Term` declares the words and roles of a term and implements how its value is read from a record's parts (`TermContent`), written
(`EncodeRequest` to an `Offer`), located (`Term.places`), compared (`Term.losses`) and stored in a table (`TermColumn`).
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
    """An offer that many boards share, such as that of a call without a remark. A term makes it once and never changes it; plain
    values made of it are cached with it.
    """

    __slots__ = ("same",)

    def __init__(self, parts: Mapping[str, Any]) -> None:
        super().__init__(parts)
        # A dictionary cannot be the key of a cache, and its id() may be that of a later one.
        self.same = object()
        """Identifies the offer in caches of what is made of offers."""


UNSAID = "unsaid"
"""The key in an offer for the set of roles that carry no information by themselves, such as four unknown hands."""


INSTEAD = "instead"
"""The key in an offer for a mapping of roles: the first is not written where the target has a field for the second."""


CardMask = NewType("CardMask", int)
"""A set of cards as an integer of 64 bits, as for a hand: the ace of spades is bit 51, the two of clubs bit 0."""
Byte = NewType("Byte", int)
"""A number from 0 to 255."""


@dataclass(frozen=True, slots=True)
class TermColumn:
    """One column of a table of boards: its name, its type, a description, and a function that returns its value for a board. Made
    by `Term.columns`.

    The type is that of a number, a text, a value of the model or a tuple of such, written as a type hint; None means unknown.
    """

    name: str
    type: Any
    doc: str
    value: Callable[[Any], Any]


class TermContent(ABC):
    """The content of one record as terms read it: the views that state each term, and the values of the terms, computed on
    access. One is made for each record, and one for the whole file.
    """

    __slots__ = ()

    @property
    @abstractmethod
    def file(self) -> TermContent | None:
        """The content that the file states for all boards; None without any."""

    @property
    @abstractmethod
    def members(self) -> Set[tuple[str, str]]:
        """The parts of terms for which the schema has a word, as pairs (term, role)."""

    @abstractmethod
    def counted(self) -> int:
        """Return the number of a board that states none: its index, counted from the number of the first board, which is 1 unless
        stated.
        """

    @abstractmethod
    def sections(self, role: str) -> Sequence[tuple[str, RecordView]]:
        """Return the pairs whose section may have a part with this role, each with the word of its key."""

    @abstractmethod
    def order(self) -> Sequence[tuple[str, str, RecordView]]:
        """Return all statements of the record in file order: the term, the part of the term (empty for all of it), and the view."""

    @abstractmethod
    def group(self, term: str) -> TermGroup | None:
        """Return the parts that state a term in the record, with those inherited from earlier records; None without any."""

    @abstractmethod
    def __getitem__(self, term: str) -> Any:
        """Return the model's value of a term."""

    def part(self, term: str, role: str) -> RecordView | None:
        """Return the first part of a term with this role in the record; None without one."""
        group = self.group(term)
        return None if group is None else group.role(role)

    def has_word(self, term: str, member: str) -> bool:
        """Whether the schema has a word for this part of a term."""
        return (term, member) in self.members

    def of_file(self, term: str) -> TermGroup | None:
        """Return the parts by which the file states a term for all boards; None without any."""
        return None if self.file is None else self.file.group(term)

    def value_of_file(self, term: str) -> Any:
        """Return the value of a term that the file states for all boards; None without one."""
        return None if self.file is None else self.file[term]


class EncodeRequest(Protocol):
    """The input of `Term.write`: the board, its document, and the index of the board in it. Made by a writer for each board.
    ``of_file`` is true for content that applies to all boards.
    """

    board: Any
    document: Any
    index: int
    of_file: bool

    def has_role(self, term: str, role: str) -> bool:
        """Whether the target schema has a field for a role of a term."""


class Term:
    """One part of the model with its words in schemas, such as the deal or the auction. A module of this package has one instance
    of each subclass or row.

    ``NAME`` is the word of the schemas and, where ``ON`` is ``board``, the field of the model. ``ROLES`` are the parts of the
    term that a schema may name. ``MEMBERS`` are further words, each for one part: the word, and the part's role. ``ARRAYS`` are
    words and roles whose array is a single value.
    """

    NAME: str
    ON: str = "board"
    DOC: str
    ROLES: Mapping[str, str] = {}
    MEMBERS: Mapping[str, str] = {}
    ARRAYS: frozenset[str] = frozenset()
    NEEDED: bool = False
    """Whether a binary field of the term needs a value: a board without one is refused."""
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
    """The role of the part that follows the last entry of `SEQUENCE`, ahead of the comments on that entry."""
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
    """Name of the loss where the target has no field for the term; empty: as `KINDS`."""
    COUNTED: bool = False
    """Whether losses are reported one by one also where the target has no field for the term."""
    PARTS: Mapping[str, frozenset[str]] = {}
    """Losses that only targets without certain fields have: by the name of the loss, the roles of which one field prevents it."""

    FOLLOWS: frozenset[str] | None = frozenset()
    """Terms from which the value may follow where the record does not state this one (`without`): the record or the file must state
    one of them. None where it may follow from the record's index alone, or from any term.
    """
    OF: tuple[str, ...] = ()
    """The terms from whose parts the value is read, for a term without parts of its own."""
    BESIDE: Mapping[str, Any] = {}
    """Further fields of the model that the term sets, each with its value where none is stated."""

    def fields(self, value: Any) -> Mapping[str, Any]:
        """Return the fields of the board that a value of the term determines."""
        return {self.NAME: value}

    def read(self, group: TermGroup, content: TermContent) -> Any:
        """Return the value of the term from the views of a record: the first that a view states as a whole, else that of single
        parts, else what follows from other terms; None without any.
        """
        for view in group.wholes:
            value = self.of(view, content)
            if value is not None:
                return value
        value = self.of_members(group.members, content) if group.members else None
        return self.without(content) if value is None else value

    def of(self, view: RecordView, content: TermContent) -> Any:
        """Return the value that one view states as a whole; None where it states none."""
        return None

    def of_members(self, members: Sequence[tuple[str, RecordView]], content: TermContent) -> Any:
        """Return the value of parts that are each bound by a word of their own (`as: contract.passed_out`); None without one."""
        return None

    def without(self, content: TermContent) -> Any:
        """Return the value that follows from other terms, where the record does not state this one; None where none follows."""
        return None

    def write(self, request: EncodeRequest) -> Offer:
        """Return the offer of the term's value of a board: its spellings by role. None where there is no value, or where other
        terms write it.
        """
        return None

    def respelled(self, text: str) -> Iterable[str]:
        """Return other spellings of a text in the offer, to be tried where the target cannot spell that one."""
        return ()

    def places(self, group: TermGroup, place: Place, content: TermContent) -> Iterator[RecordView]:
        """Yield the views that contain the value at a model path, the smallest first."""
        yield from group.wholes[:1]
        yield from (view for _, view in group.members[:1])

    def is_entered(self, board: Board) -> bool:
        """Whether the board has an entry with a role in `SEQUENCE`, such as a call."""
        return False

    def columns(self) -> Sequence[TermColumn]:
        """Return the columns that store the term in a table of boards."""
        name = self.NAME
        return (field_column(name, self.DOC),) if self.ON == "board" else ()

    def of_columns(self, row: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the fields of the board that the term's columns of a row give; none for an absent column."""
        value = row.get(self.NAME)
        return {} if value is None else {self.NAME: value}

    def compared(self, board: Any) -> Any:
        """Return the value of a board that must be the same after writing and reading, such as a contract that may follow from the
        auction.
        """
        return getattr(board, self.NAME)

    def stated(self, board: Any) -> Any:
        """Return the value that the board itself has, without values that follow from other terms."""
        return self.compared(board)

    def losses(self, one: Any, two: Any, has_field: bool = True) -> list[str]:
        """Return descriptions of what a board, ``one``, loses in ``two``, the same board as written. ``has_field``: the target has
        a field for the term.
        """
        before = self.compared(one) if has_field else self.stated(one)
        # No value before, no loss; checked first so that the other board's field is not bound for it.
        if not is_stated(before) or before == (after := self.compared(two)):
            return []
        return list(self.lost(before, after)) if has_field or self.COUNTED else [self.UNHELD or self.kind]

    def lost(self, before: Any, after: Any) -> Iterator[str]:
        """Yield descriptions of the losses between two different values of the term; the second may be None."""
        yield self.kind

    @property
    def kind(self) -> str:
        """The description of the loss of the whole value."""
        return self.KINDS or f"the {self.NAME}"


@cache
def _hints() -> Mapping[str, Any]:
    """Return the types of the board's fields by name."""
    # Annotations are texts here (`from __future__ import annotations`): a table of boards needs their types.
    return get_type_hints(Board)


def part_column(term: str, name: str, type: Any, doc: str, value: Callable[[Any], Any]) -> TermColumn:
    """Return the column for a part of a board's field; ``value`` returns the part of the field's value."""
    return TermColumn(name, type, doc, lambda board: None if getattr(board, term) is None else value(getattr(board, term)))


def field_column(name: str, doc: str) -> TermColumn:
    """Return the column for a field of the board, with the type of its type hint. An empty tuple is stored as None."""
    return TermColumn(name, _hints()[name], doc, lambda board: None if getattr(board, name) == () else getattr(board, name))


def is_stated(value: Any) -> bool:
    """Whether a value has any information: it is not None, an empty text or a tuple of such values."""
    return any(map(is_stated, value)) if isinstance(value, tuple) else value is not None and value != ""
