"""A conversion of records of fixed size, some at a time: the decisions of which all ways of converting them share.

A range of records is read as a document and written by a `StretchWriter`: it decides what the target can represent, which boards
are left out, and what is lost. The stretches, one behind the other, are the bytes that the whole document gives. What a stretch
needs to know of those before it is in a `State`, so that stretches can be written side by side by whoever knows, or guesses, their
states.

`codec.bulk.carry.Carrier` does the same for records that arrays prove to be clean and complete. It decides nothing: it delegates
all others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from bridgespec.codec.binary.codec import BinaryCodec
from bridgespec.codec.bind import Binder
from bridgespec.codec.bulk.codec import BulkCodec
from bridgespec.codec.decl import Decl
from bridgespec.codec.losses import counted
from bridgespec.codec.node import Reading
from bridgespec.codec.terms import TERMS
from bridgespec.codec.text.codec import TextCodec
from bridgespec.codec.words import BOARDS, OF_FILE, OWN_NUMBERS, entry_of
from bridgespec.codec.written import Writer, Written, renumbered
from bridgespec.diagnostic import Diagnostic
from bridgespec.errors import SpecError, WriteError
from bridgespec.model.document import Document

_OF_ALL = frozenset({"event", "site", "date", "teams", "room"})
"""What boards may say that a file says once, or that decides which of them are written."""


@dataclass(frozen=True, slots=True)
class State:
    """What stands before a stretch: how many boards were written, and which pairs of theirs hold for those that follow."""

    boards: int = 0
    held: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Stretch:
    """The bytes of some boards, what was lost of them, an error for each that was left out, and the state behind them."""

    data: bytes
    lost: Counter[str]
    refused: tuple[Diagnostic, ...]
    after: State


def why_not(document: Document, binder: Binder, target: Binder, codec: BinaryCodec | TextCodec) -> str:
    """Why documents such as this one, of the first binder's format, cannot be written in stretches; empty where they can."""
    if any(getattr(document, name) for name in OF_FILE) or binder.terms & _OF_ALL:
        return f"{binder.spec.id} says something of the file"
    if target.board is None or target.board is target.top or not target.terms:
        return f"{target.spec.id} is not a list of boards"
    if isinstance(codec, TextCodec):
        return _why_not_text(target, codec)
    try:
        bulk = BulkCodec(target.spec)
    except SpecError as error:
        return str(error)
    return "" if independent(bulk) else f"{target.spec.id} has terms of the file in its records"


def independent(codec: BulkCodec) -> bool:
    """Whether no record depends on another: none of its terms is one of the file, such as the number of the first board."""
    return all(TERMS[term].ON == "board" for term in codec.terms)


def _why_not_text(target: Binder, codec: TextCodec) -> str:
    listed = _list_of(target.top)
    if listed is None or codec.list_of(listed) is None:
        return f"{target.spec.id} has more to its file than boards in a row"
    if target.placed or any(decl.fill is not None for decl in target.top.fields.values()):
        return f"the boards of {target.spec.id} hang on their places"
    return ""


def _list_of(top: Decl) -> str | None:
    return next((name for name, decl in top.fields.items() if entry_of(decl).kind == BOARDS), None)


@dataclass(slots=True)
class StretchWriter:
    """Writes documents of some boards as stretches of a file; only where `why_not` finds nothing."""

    binder: Binder
    codec: BinaryCodec | TextCodec
    canonical: bool
    proven: bool = False
    """Whether the suite proves of the target that boards of a kind come back alike: one of each kind is read back then."""
    header_size: int = 0
    """So many bytes of a header come before the boards; they are no part of a stretch, since they may count all boards."""
    listed: str = field(init=False)
    known: dict[frozenset[str], dict[object, list[str]]] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        self.listed = _list_of(self.binder.top) or ""

    def stretch(self, document: Document, before: State, first: int, last: bool) -> Stretch:
        """The boards from number ``first`` (from 0) of the whole source on; ``last``: none come after them."""

        def write(values: Mapping[str, Any], _: Reading | None = None) -> bytes:
            if isinstance(self.codec, TextCodec):
                return self.codec.write_list(values, self.listed, not before.boards, last)
            return self.codec.write(values)

        # What later stretches have is not known, so that a file of stretches is in the preferred encoding.
        writer = Writer(self.binder, write, self.canonical, before.held, self.binder.encodings[:1])
        try:
            done = writer.in_part(document)
        except WriteError as error:
            refused = tuple(one for one in error.diagnostics if isinstance(one, Diagnostic) and one.record is not None)
            if {one.record for one in refused} != set(range(len(document.boards))):
                raise
            done = Written(b"", replace(document, boards=()), refused)
        # What stands first or last in a file may fare in its own way.
        known = self.known.setdefault(before.held, {}) if self.proven and before.boards and not last else None
        lost = counted(
            self.binder, done.document, lambda: self._back(done.data, before.boards), self.canonical, known, before.boards
        )
        after = State(before.boards + len(done.document.boards), writer.held if done.data else before.held)
        return Stretch(
            done.data[self.header_size :], lost, tuple(renumbered(one, (one.record or 0) + first) for one in done.refused), after
        )

    def _back(self, data: bytes, before: int) -> Document:
        """What was written, read again with the numbers that it has in the whole file."""
        if isinstance(self.codec, TextCodec):
            back = self.binder.document(self.codec.split(data), Reading.without_findings)
        else:
            back = self.binder.document(self.codec.read(data))
        if not before or self.binder.terms & OWN_NUMBERS:
            return back
        return replace(back, boards=tuple(replace(board, number=before + at) for at, board in enumerate(back.boards, 1)))
