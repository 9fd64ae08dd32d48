"""Where the places of the model stand in a file: their spans, and their paths of fields."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bridgespec.codec.binding import RecordContent
from bridgespec.codec.decl import Decl
from bridgespec.codec.node import ByteNode, Node, path_below
from bridgespec.codec.origin import FileOrigin, Origin, Place
from bridgespec.codec.record import Group, RecordView
from bridgespec.codec.terms import TERMS, Said
from bridgespec.codec.terms.deal import deal as DEAL
from bridgespec.diagnostic import Span
from bridgespec.model.cards import Card, Seat
from bridgespec.model.document import Document

_TERM_OF = {word: term.NAME for term in TERMS.values() for word in term.PLACES}


class Places:
    """The places of one spec's files: ``top`` declares the file, ``board`` its boards, ``listed`` the list of them."""

    def __init__(self, top: Decl, board: Decl | None, listed: Decl | None) -> None:
        self.top = top
        self.board = board
        self.listed = listed

    @staticmethod
    def _origin(document: Document, board: int | None) -> FileOrigin | Origin | None:
        origin = document.origin if board is None else document.boards[board].origin
        return origin if isinstance(origin, FileOrigin | Origin) else None

    def _contents(self, document: Document, board: int | None) -> tuple[RecordContent, RecordContent] | None:
        """What a board, or the file, states by offsets, and as it was bound; None where it was not read by this spec."""
        of_file, origin = document.origin, self._origin(document, board)
        if not isinstance(of_file, FileOrigin) or origin is None:
            return None
        if isinstance(origin, FileOrigin):
            return origin.sequence.file, origin.sequence.file
        return origin.spanned, origin.content

    def _views(self, document: Document, board: int | None, place: Place) -> list[RecordView]:
        """The views of a place of the model, of a board (from 0) or of the document; none where unknown."""
        contents = self._contents(document, board)
        if not place or contents is None:
            return []
        return list(_found(contents[0].group(_term(place)), place, contents[1]))

    def nodes(self, document: Document, board: int | None, place: Place) -> list[Node]:
        """The nodes that hold a place of the model, of a board (from 0) or of the document; none where unknown."""
        nodes = [_node(view) for view in self._views(document, board, place)]
        origin = self._origin(document, board)
        if not nodes and isinstance(origin, Origin) and not self.top.of_text and place and _term(place) == "deal":
            return [origin.node]
        return nodes

    def spans(self, document: Document, board: int | None, place: Place) -> list[Span]:
        """The spans of a place."""
        return [one.span for one in self._standing(document, board, place)]

    def _standing(self, document: Document, board: int | None, place: Place) -> Sequence[Node | RecordView]:
        """What holds a place: the views of a text, the nodes of bytes."""
        return self._views(document, board, place) if self.top.of_text else self.nodes(document, board, place)

    def place(self, document: Document, board: int | None, places: Sequence[Place]) -> tuple[str | None, Span | None]:
        """The field path and span of the first place that can be found."""
        origin = self._origin(document, board)
        root = origin.reading.root if isinstance(origin, FileOrigin) else None if origin is None else origin.node
        for found in (self._standing(document, board, place[:size]) for place in places for size in range(len(place), 0, -1)):
            if found:
                return (None if root is None else self.path(root, board, found[0])), found[0].span
        if board is not None and root is not None:
            return self.path(root, board, root), root.span
        return None, None

    def path(self, root: Node, index: int | None, at: Node | RecordView) -> str:
        """The dotted path of what stands below ``root``, which is board ``index`` or the whole file."""
        prefix = f"{self.listed.name}[{index}]" if self.listed is not None and index is not None else ""
        if not isinstance(root, ByteNode) or not isinstance(at, Node):
            span = at.span
            return (prefix + path_below(root, span.start, span.stop)).lstrip(".")
        for path, child in root.walk():
            if child is at or (child.start == at.start and child.stop == at.stop and child.name == at.name):
                return f"{prefix}.{path}" if prefix else path
        return prefix

    def cards(self, document: Document, board: int) -> dict[int, Node]:
        """The node of each card of a board's deal that has one, all at once."""
        contents = self._contents(document, board)
        group = None if contents is None else contents[0].group("deal")
        found = {} if group is None or contents is None else DEAL.cards(group, contents[1])
        return {card: _node(view) for card, view in found.items()}

    def hands(self, document: Document, board: int) -> list[dict[Seat, list[Card]]]:
        """The hands that a record gives card by card, of each record that gives some."""
        contents = self._contents(document, board)
        group = None if contents is None else contents[0].group("deal")
        return [] if group is None or contents is None else DEAL.given(group, contents[1])


def _node(view: RecordView) -> Node:
    """The node of a view; of a text a leaf with its characters."""
    return view.node or Node(None, view.decl.name, view.span.start, view.span.stop, view.raw)


def _term(place: Place) -> str:
    return _TERM_OF.get(str(place[0]), str(place[0]))


def _found(group: Group | None, place: Place, said: Said) -> Iterator[RecordView]:
    return iter(()) if group is None else TERMS[_term(place)].places(group, place, said)
