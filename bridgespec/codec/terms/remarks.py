"""Content without a field of its own in the model: comments, further pairs (tags), tables, and the fields that the source marks
as irregular.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from bridgespec.codec.record_views import RecordView, TermGroup
from bridgespec.codec.terms import _tables
from bridgespec.codec.terms._term import EncodeRequest, Offer, Term, TermColumn, TermContent
from bridgespec.codec.terms.play_terms import turns_of
from bridgespec.model.auction import Auction
from bridgespec.model.board import Comment
from bridgespec.model.play import Play
from bridgespec.model.table import Table

_ENTRIES = frozenset({"call_made", "card_played"})


class _Part(NamedTuple):
    """One part of a pair's section: whether it is a comment, whether it is an entry, and the texts of its remarks."""

    comment: bool
    entry: bool
    texts: tuple[str, ...]


_NO_REMARK = _Part(False, True, ())
"""An entry without a remark. One instance, because nearly all entries are such."""
_NO_ENTRY = _Part(False, False, ())
"""A part that is neither a comment nor an entry."""


def _part_of_section(role: str, view: RecordView) -> _Part:
    """Return a part of a section with its remarks."""
    if role == "comment":
        return _Part(True, False, (view.text,))
    if role not in _ENTRIES:
        return _NO_ENTRY
    texts = tuple([part.text for name, part in view.parts() if name == "comment"])
    return _Part(False, True, texts) if texts else _NO_REMARK


class CommentsTerm(Term):
    """Comments, texts on the board, on a pair, or on a call or card."""

    NAME = "comments"
    DOC = "remarks in free text"
    ROLES: Mapping[str, str] = {"comment": "a remark"}
    MEMBERS: Mapping[str, str] = {"comment": "comment"}
    COUNTED = True
    FOLLOWS = None

    def read(self, group: TermGroup, content: TermContent) -> tuple[Comment, ...] | None:
        """Return the comments of the board, then those of its sections in file order. A comment that is a pair is on the entry
        before it.
        """
        if any(view.key for view in group.wholes):
            return tuple(_in_sequence(content)) or None
        found = [Comment(view.text) for view in group.wholes]
        found += [Comment(view.text) for _, view in group.members]
        return (*found, *_in_sections(content)) or None

    def without(self, content: TermContent) -> Any:
        """Return the comments in the sections of pairs."""
        return tuple(_in_sections(content)) or None

    def write(self, request: EncodeRequest) -> Offer:
        """Return the offer of the comments on the board itself; those on entries are written with these."""
        return [comment.text for comment in request.board.comments if not comment.after] or None

    def lost(self, before: Any, after: Any) -> Iterator[str]:
        """Yield a loss for each comment that is missing or moved."""
        rest = list(after)
        moved = []
        for comment in before:
            if comment in rest:
                rest.remove(comment)
            else:
                moved.append(comment.text)
        texts = [comment.text for comment in rest]
        for text in moved:
            same = next((one for one in texts if one.split() == text.split()), None)
            if text in texts:
                texts.remove(text)
                yield "the places of comments"
            elif same is not None:
                texts.remove(same)
                yield "the line ends and blanks of comments"
            else:
                yield "comments"


def _in_sections(content: TermContent) -> Iterator[Comment]:
    """Yield the comments in the sections of pairs: for each section those beside its entries, then those in its entries."""
    for after, section in content.sections("comment"):
        parts = section.each(_part_of_section)
        if parts.count(_NO_REMARK) + parts.count(_NO_ENTRY) < len(parts):
            yield from [Comment(text, (after,)) for part in parts if part.comment for text in part.texts]
            entries = [part for part in parts if part.entry]
            yield from [Comment(text, (after, index)) for index, part in enumerate(entries) for text in part.texts]


def _in_sequence(content: TermContent) -> Iterator[Comment]:
    """Yield the comments of a record in which each is a pair, with a model path that follows from the calls and cards before it."""
    auction: Auction | None = content["auction"]
    play: Play | None = content["play"]
    calls = cards = 0
    dealt = False
    for term, role, view in content.order():
        if (term, role) == ("auction", "call_made"):
            calls += len(view.roles(role)) if view.decl.kind == "record" else 1
        elif (term, role) == ("play", "card"):
            cards += 1
        elif term == "deal":
            dealt = True
        elif term == "comments" and view.text:
            # A comment ahead of the deal is on the board itself.
            yield Comment(view.text, place_of(auction, play, calls, cards) if dealt else ())


def place_of(auction: Auction | None, play: Play | None, calls: int, cards: int) -> tuple[str | int, ...]:
    """Return the model path of a comment after ``calls`` calls and ``cards`` cards: that of the last of these."""
    turns = [] if play is None else turns_of(play)
    if cards and turns:
        return "play", turns[min(cards, len(turns)) - 1]
    if auction is not None and auction.calls:
        return ("auction", min(calls, len(auction.calls)) - 1) if calls else ("auction",)
    return ("play",) if turns else ()


class Tag(NamedTuple):
    """One pair of a board as a table stores it: name and text."""

    name: str
    value: str


class TagsTerm(Term):
    """The pairs of name and text that belong to no other term."""

    NAME = "tags"
    DOC = "further pairs of name and value"
    ROLES = _tables.ROLES

    def read(self, group: TermGroup, content: TermContent) -> tuple[tuple[str, str], ...] | None:
        """Return name and text of each pair, in file order, without those that are tables."""
        tables = _tables.tables_of(group)
        return tuple((view.key, view.text) for view, table in zip(group.wholes, tables, strict=True) if table is None) or None

    def columns(self) -> Sequence[TermColumn]:
        """Return one column with a list of the pairs in order. It is no map, since a name may occur twice."""
        return (TermColumn("tags", tuple[Tag, ...], self.DOC, lambda board: tuple(Tag(*pair) for pair in board.tags) or None),)

    def of_columns(self, row: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the pairs of a row."""
        tags = row.get("tags")
        return {} if tags is None else {"tags": tuple((tag[0], tag[1]) for tag in tags)}


class TablesTerm(Term):
    """Tables whose columns the source names."""

    NAME = "tables"
    DOC = "tables with columns of their own"
    ROLES = _tables.ROW_ROLES
    MEMBERS: Mapping[str, str] = {_tables.ROW: _tables.ROW}
    CODES: Mapping[str, frozenset[str]] = _tables.ROW_CODES
    WITHIN: Mapping[str, frozenset[str]] = _tables.ROW_WITHIN
    SINGLY = frozenset({_tables.ROW})
    FOLLOWS = frozenset({"tags"})
    OF = ("tags",)

    def read(self, group: TermGroup, content: TermContent) -> tuple[Table, ...] | None:
        """Return the tables that are pairs, and the score table made of records of results."""
        found = [table for table in _tables.tables_of(group) if table is not None]
        own = content.group(self.NAME)
        rows = [] if own is None else [view for role, view in own.members if role == _tables.ROW]
        return (*found, *([_tables.score_table(rows)] if rows else [])) or None

    def write(self, request: EncodeRequest) -> Offer:
        """Return the offer of the rows of the score table; tables that are pairs are written with the tags."""
        rows = [row for table in request.board.tables for row in _tables.score_rows(table)]
        return {_tables.ROW: rows} if rows else None

    def lost(self, before: Any, after: Any) -> Iterator[str]:
        """Yield the tables, columns and rows that are missing; layout is not compared."""
        for table in before:
            same = next((one for one in after or () if one.name == table.name), None)
            yield from [f"the table {table.name}"] if same is None else _tables.lost(table, same)


class IrregularTerm(Term):
    """The fields that the source itself marks as irregular: contrary to the laws of bridge."""

    NAME = "irregular"
    DOC = "what the source itself calls contrary to the game"
    KINDS = "that something is irregular"
    OF = ("declarer", "result")
    FOLLOWS = frozenset(OF)

    def read(self, group: TermGroup, content: TermContent) -> tuple[str, ...] | None:
        """Return the names of the fields that have the mark."""
        return tuple(name for name in self.OF if content.part(name, "irregular") is not None) or None


comments = CommentsTerm()
tags = TagsTerm()
tables = TablesTerm()
irregular = IrregularTerm()
