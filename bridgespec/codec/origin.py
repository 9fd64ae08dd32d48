"""Origins of boards and documents: links to the records in the file that they were read from. By them boards are bound on access,
located and written back.

An `Origin` is made with each board that is read, a `FileOrigin` with each document; `ModelSpans` converts model paths of both to
spans. `Regrouped` has the records around boards.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

from bridgespec.codec.binding import BOARD, RecordContent, RecordSequence
from bridgespec.codec.binding_words import SchemaBinding, entry_of
from bridgespec.codec.declaration import Declaration
from bridgespec.codec.node import ByteNode, FieldNode, Reading, is_array, path_below
from bridgespec.codec.record_views import RecordView, TermGroup
from bridgespec.codec.terms import TERMS, TermContent, is_stated
from bridgespec.codec.terms.deal_terms import deal as DEAL
from bridgespec.diagnostic import Diagnostic, Span
from bridgespec.model.board import Board
from bridgespec.model.cards import Card, Seat
from bridgespec.model.document import Document

Place = tuple[str | int, ...]
"""A model path: the name of a field of a board or document, then names or indices of parts of its value."""
_FEW = 6
"""The number of the access to a board that binds all of its fields: then one by one would take longer."""
_ALL = frozenset(BOARD)


@dataclass(frozen=True, slots=True)
class Excerpt:
    """The position of some records of a large binary file that are read without the others.

    ``first`` is the index of the first of these records, ``boards`` the number of boards in the whole file. ``earlier`` is the
    number of the file's first board if a record before these states it, ``stated`` if any record does; else None.
    """

    first: int
    earlier: int | None = None
    stated: int | None = None
    boards: int = 0


@dataclass(eq=False)
class Rereading:
    """Reads the file of a document once more, when a pickled board or document needs its origin. A pickle has only this, since
    values made from a file refer to the whole schema.
    """

    read: Callable[[], Document]

    def __reduce__(self) -> tuple[Any, ...]:
        return Rereading, (self.read,)

    @cached_property
    def document(self) -> Document:
        """The document read once more, shared by the boards of one pickle."""
        return self.read()


@dataclass(slots=True)
class Origin:
    """The origin of a board: its node, and the sequence of records of its file. Lives as long as its board."""

    spec: str
    index: int
    node: FieldNode
    sequence: RecordSequence
    made: Board | None = None
    """The board, where it was bound at once."""
    _spanned: RecordContent | None = None
    _bound: int = 0

    def __reduce__(self) -> tuple[Any, ...]:
        return _origin, (self.sequence.rereading, self.index)

    def __deepcopy__(self, memo: object) -> Origin:
        return self

    @property
    def content(self) -> RecordContent:
        """The content of the board's record, with values inherited from earlier records."""
        return self.sequence.content(self.index)

    @property
    def spanned(self) -> RecordContent:
        """The content of the board's record with its offsets in the file, without values inherited from earlier records."""
        if self._spanned is None:
            self._spanned = RecordContent(self.sequence, self.index, self.sequence.own_spans(self.index))
        return self._spanned

    @property
    def as_read(self) -> Board:
        """The board as the file states it."""
        # An untouched one is made anew: were it kept, it and its origin would keep each other alive.
        return Board.untouched(self) if self.made is None else self.made

    def changed(self, board: Board, before: Board) -> set[str]:
        """Return the names of the fields in which a board differs from ``before``, the board as it was read."""
        values = [(name, getattr(board, name), getattr(before, name)) for name in BOARD]
        # Identity first: values that were not touched are the same objects, and need no comparison.
        return {name for name, own, read in values if own is not read and own != read}

    def bind(self, name: str) -> Mapping[str, Any]:
        """Return board fields by name, at least the field ``name``. The first access to a board also binds the fields that were
        accessed of an earlier board; the sixth access binds all.
        """
        self._bound += 1
        sequence = self.sequence
        content = sequence.content(self.index)
        if not sequence.at_once:
            if sequence.leading in (None, self.index):
                # The fields that are accessed of one board are mostly accessed of all.
                sequence.leading = self.index
                sequence.accessed |= {name}
                return content.field(name)
            if self._bound == 1 and sequence.accessed != {name}:
                return content.fields(sequence.accessed | {name})
            # From the sixth access on, binding all fields takes less time than binding one by one.
            if self._bound < _FEW:
                return content.field(name)
        found = content.fields(_ALL)
        sequence.release()
        return found


@dataclass(slots=True)
class FileOrigin:
    """The origin of a document: the reading of its file, and the document as the file states it."""

    spec: str
    reading: Reading
    sequence: RecordSequence
    as_read: Document = field(default_factory=Document)
    path: str | None = None
    complete: Callable[[], Reading] | None = None
    """Reads the file with all its findings, where that has not been done yet."""

    def __reduce__(self) -> tuple[Any, ...]:
        return _origin, (self.sequence.rereading,)

    def __deepcopy__(self, memo: object) -> FileOrigin:
        return self

    @property
    def findings(self) -> tuple[Diagnostic, ...]:
        """Findings on what could not be read or bound, sorted by offset. The first access may read the file once more for them."""
        if self.complete is not None:
            # Findings are computed on access, from the passages that were read.
            self.reading.diagnostics = self.complete().diagnostics
            self.complete = None
        found = (replace(self.reading.placed(finding), path=self.path) for finding in self.reading.diagnostics)
        return tuple(sorted(found, key=lambda finding: finding.span.start if finding.span is not None else -1))


def _origin(rereading: Rereading | None, index: int | None = None) -> object:
    """Return the origin of a document when it is unpickled; with ``index`` the origin of its board with this index, None if there
    is no such board. Without ``rereading`` the file cannot be read again, and the result is None.
    """
    document = Document() if rereading is None else rereading.document
    if index is None:
        return document.origin
    return document.boards[index].origin if index < len(document.boards) else None


_TERM_OF = {word: term.NAME for term in TERMS.values() for word in term.PLACES}


class ModelSpans:
    """Converts model paths, such as a card of a deal, to spans in files of one schema. ``top`` declares the file, ``board`` a
    board, ``listed`` the list of boards.
    """

    def __init__(self, top: Declaration, board: Declaration | None, listed: Declaration | None) -> None:
        self.top = top
        self.board = board
        self.listed = listed

    @staticmethod
    def _origin(document: Document, board: int | None) -> FileOrigin | Origin | None:
        """Return the origin of a board, or of the document where ``board`` is None; None where it was not read from a file."""
        origin = document.origin if board is None else document.boards[board].origin
        return origin if isinstance(origin, FileOrigin | Origin) else None

    def _contents(self, document: Document, board: int | None) -> tuple[RecordContent, RecordContent] | None:
        """Return two contents of a board, or of the file where ``board`` is None: one with offsets in the file, without inherited
        values, and one with them. None for a board without an origin.
        """
        of_file, origin = document.origin, self._origin(document, board)
        if not isinstance(of_file, FileOrigin) or origin is None:
            return None
        if isinstance(origin, FileOrigin):
            return origin.sequence.file, origin.sequence.file
        return origin.spanned, origin.content

    def _views(self, document: Document, board: int | None, place: Place) -> list[RecordView]:
        """Return the views at a model path of the board with this index, or of the document where it is None; empty where nothing
        is there.
        """
        contents = self._contents(document, board)
        if not place or contents is None:
            return []
        return list(_found(contents[0].group(_term(place)), place, contents[1]))

    def nodes(self, document: Document, board: int | None, place: Place) -> list[FieldNode]:
        """Return the nodes at a model path of the board with this index, or of the document where it is None; empty where nothing
        is there.
        """
        nodes = [_node(view) for view in self._views(document, board, place)]
        origin = self._origin(document, board)
        # A deal of a binary file may have no node for a card: then the node of its record is returned.
        if not nodes and isinstance(origin, Origin) and not self.top.of_text and place and _term(place) == "deal":
            return [origin.node]
        return nodes

    def spans(self, document: Document, board: int | None, place: Place) -> list[Span]:
        """Return the spans at a model path of the board with this index, or of the document where it is None."""
        return [one.span for one in self._parts_at(document, board, place)]

    def _parts_at(self, document: Document, board: int | None, place: Place) -> Sequence[FieldNode | RecordView]:
        """Return what the file has at a model path: views for a text, nodes for a binary file."""
        return self._views(document, board, place) if self.top.of_text else self.nodes(document, board, place)

    def place(self, document: Document, board: int | None, places: Sequence[Place]) -> tuple[str | None, Span | None]:
        """Return the field path and the span of the first model path in ``places`` that is in the file, in full or at least in its
        beginning. If none is, return path and span of the board's record; both are None without one.
        """
        origin = self._origin(document, board)
        root = origin.reading.root if isinstance(origin, FileOrigin) else None if origin is None else origin.node
        # From the whole path to its beginning: a card that is not in the file has the place of its deal.
        for found in (self._parts_at(document, board, place[:size]) for place in places for size in range(len(place), 0, -1)):
            if found:
                return (None if root is None else self.path(root, board, found[0])), found[0].span
        if board is not None and root is not None:
            return self.path(root, board, root), root.span
        return None, None

    def path(self, root: FieldNode, index: int | None, at: FieldNode | RecordView) -> str:
        """Return the dotted path of a part below ``root``, which is board ``index`` or the whole file."""
        # Records of other types may be between boards, so the index is that in the list.
        at_index = root.name if self.listed is not None and self.listed.case is not None else index
        prefix = f"{self.listed.name}[{at_index}]" if self.listed is not None and index is not None else ""
        if not isinstance(root, ByteNode) or not isinstance(at, FieldNode):
            span = at.span
            return (prefix + path_below(root, span.start, span.stop)).lstrip(".")
        for path, child in root.walk():
            # A view may have made a node of its own for the same bits.
            if child is at or (child.start == at.start and child.stop == at.stop and child.name == at.name):
                return f"{prefix}.{path}" if prefix else path
        return prefix

    def cards(self, document: Document, board: int) -> dict[int, FieldNode]:
        """Return the nodes of the cards of a board's deal by slot of the card (0 to 51), for cards that have a node."""
        contents = self._contents(document, board)
        group = None if contents is None else contents[0].group("deal")
        found = {} if group is None or contents is None else DEAL.cards(group, contents[1])
        return {card: _node(view) for card, view in found.items()}

    def hands(self, document: Document, board: int) -> list[dict[Seat, list[Card]]]:
        """Return the hands by seat of each field that lists a deal card by card."""
        contents = self._contents(document, board)
        group = None if contents is None else contents[0].group("deal")
        return [] if group is None or contents is None else DEAL.given(group, contents[1])


def _node(view: RecordView) -> FieldNode:
    """Return the node of a view; for a view of a text a new leaf with its characters."""
    return view.node or FieldNode(None, view.decl.name, view.span.start, view.span.stop, view.raw)


def _term(place: Place) -> str:
    """Return the term that locates a model path."""
    return _TERM_OF.get(str(place[0]), str(place[0]))


def _found(group: TermGroup | None, place: Place, content: TermContent) -> Iterator[RecordView]:
    """Yield the views at a model path of the term that ``group`` states, the smallest first; none where ``group`` is None."""
    return iter(()) if group is None else TERMS[_term(place)].places(group, place, content)


class Regrouped:
    """The records around boards that were read from a file, such as sessions, each with the boards that now belong to it. Made by
    a writer to write them back.

    A new board belongs to the record of the board before it. Derived fields are left out, so that the writer derives them again.
    """

    def __init__(
        self,
        meaning: SchemaBinding,
        document: Document,
        origin: FileOrigin,
        records: Sequence[Mapping[str, Any]],
        stays: Callable[[Declaration], bool],
    ) -> None:
        self.meaning, self.root, self.stays = meaning, origin.reading.root, stays
        nodes = [_read_at(board.origin, origin) for board in document.boards]
        kept = [node for node in nodes if node is not None]
        self.is_ordered = bool(kept) and all(one.start < two.start for one, two in pairwise(kept))
        """Whether boards of the file remain, in its order: only then the records around them can be written back."""
        self.is_restated = self._is_restated(document, nodes, meaning.block_terms)
        """Whether a board contradicts the repeated records in which it would be written."""
        self.records: dict[int, list[Mapping[str, Any]]] = {}
        last = kept[0] if kept else None
        for node, record in zip(nodes, records, strict=True):
            # A new board has no node: it is written after the board before it, in the same record.
            last = node or last
            self.records.setdefault(id(last), []).append(record)

    @staticmethod
    def _is_restated(document: Document, nodes: Sequence[FieldNode | None], terms: frozenset[str]) -> bool:
        """Whether a board has another value of one of ``terms`` than the board that was read in the same record around boards."""
        last: Board | None = None
        for board, node in zip(document.boards, nodes, strict=True):
            if node is not None and isinstance(board.origin, Origin):
                last = board.origin.as_read
            stated = [] if last is None else [(getattr(board, name), getattr(last, name)) for name in terms]
            if any(is_stated(value) and value != read for value, read in stated):
                return True
        return False

    def field(self, decl: Declaration) -> Any:
        """Return the plain value of a field of the file."""
        found = self._records(decl, _items(self.root, decl.name))
        return found if decl.many else found[0] if found else None

    def _records(self, decl: Declaration, nodes: Sequence[FieldNode]) -> list[Any]:
        """Return the plain values of the records at ``nodes``. A record that can have one board only is repeated for each of its
        boards, and left out where it has none now.
        """
        return [values for node in nodes for values in ([] if node.broken else self._one(decl, node))]

    def _one(self, decl: Declaration, node: FieldNode) -> list[Any]:
        """Return the plain values of the record at ``node``, once for each board in it; empty if all of its boards are removed."""
        found: list[dict[str, Any]] = [dict(node.as_plain())]
        for name, inner in decl.fields.items():
            if not self.stays(inner):
                found[0].pop(name, None)
            items = _items(node, name)
            if entry_of(inner).kind == "boards":
                boards = [record for item in items for record in self.records.get(id(item), ())]
                if inner.many:
                    found[0][name] = boards
                elif items:
                    # One copy of the record for each board; the fields beside the board are in the first copy only.
                    found = [{**(found[0] if at == 0 else {}), name: board} for at, board in enumerate(boards)]
            elif name in self.meaning.around and items and found:
                inside = self._records(inner, items)
                found[0][name] = inside if inner.many else inside[0] if inside else None
        return [{name: value for name, value in one.items() if value is not None} for one in found]


def _read_at(board: object, origin: FileOrigin) -> FieldNode | None:
    """Return the node of a board's origin if it is a record of the file of ``origin``; else None."""
    return board.node if isinstance(board, Origin) and board.sequence is origin.sequence else None


def _items(node: FieldNode, name: str) -> Sequence[FieldNode]:
    """Return the nodes of a field of a record: of an array the nodes of its elements, else the field's own node. Empty if the
    record has no such field.
    """
    child = next((one for one in node.children or () if one.name == name), None)
    return () if child is None else child.children or () if is_array(child) else (child,)
