"""Where the places of the model stand in a file: their spans, and their paths of fields."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bridgespec.codec.decl import Decl
from bridgespec.codec.facts import Facts, Memory, gather
from bridgespec.codec.node import ByteNode, Node, path_below
from bridgespec.codec.origin import FileOrigin, Origin, Place
from bridgespec.codec.terms import TERMS, Said
from bridgespec.codec.terms.deal import deal as DEAL
from bridgespec.codec.tree import NodeView
from bridgespec.codec.view import Group, Unread, View
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

    def _asked(self, document: Document, board: int | None) -> Facts | None:
        """What the nodes of a board, or of the file, say; None where it was not read by this spec."""
        of_file, origin = document.origin, self._origin(document, board)
        if not isinstance(of_file, FileOrigin):
            return None
        if isinstance(origin, FileOrigin):
            origin.said = origin.said or gather(origin.source, origin.reading.root, self.top, Memory(), Facts(0, 1))
            return origin.said
        if origin is None or board is None or self.board is None:
            return None
        if origin.said is None:
            origin.said = gather(of_file.source, origin.node, self.board, Memory(), Facts(origin.index, 1))
        origin.said.board = document.boards[origin.index]
        return origin.said

    def nodes(self, document: Document, board: int | None, place: Place) -> list[Node]:
        """The nodes that hold a place of the model, of a board (from 0) or of the document; none where unknown."""
        origin, said = self._origin(document, board), self._asked(document, board)
        if not place or said is None:
            return []
        nodes = [view.node for view in _found(said.group(_term(place)), place, said) if isinstance(view, NodeView)]
        if not nodes and isinstance(origin, Origin) and not self.top.of_text and _term(place) == "deal":
            return [origin.node]
        return nodes

    def spans(self, document: Document, board: int | None, place: Place) -> list[Span]:
        """The spans of a place."""
        return [one.span for one in self._standing(document, board, place)]

    def _standing(self, document: Document, board: int | None, place: Place) -> Sequence[Node | View]:
        """What holds a place: told by its texts where that can be done, else by its nodes."""
        origin = self._origin(document, board)
        if place and isinstance(origin, Origin) and origin.facts is not None:
            try:
                return list(_found(origin.facts.placed(_term(place)), place, origin.facts))
            except Unread:
                pass
        if place and board is None and self.top.of_text and (said := self._asked(document, board)) is not None:
            return list(_found(said.group(_term(place)), place, said))
        return self.nodes(document, board, place)

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

    def path(self, root: Node, index: int | None, at: Node | View) -> str:
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
        """The node of each card of a board's deal that stands in one, all at once."""
        said = self._asked(document, board)
        group = None if said is None else said.group("deal")
        found = {} if group is None or said is None else DEAL.cards(group, said)
        return {card: view.node for card, view in found.items() if isinstance(view, NodeView)}

    def hands(self, document: Document, board: int) -> list[dict[Seat, list[Card]]]:
        """The hands that a record gives card by card, of each record that gives some."""
        said = self._asked(document, board)
        group = None if said is None else said.group("deal")
        return [] if group is None or said is None else DEAL.given(group, said)


def _term(place: Place) -> str:
    return _TERM_OF.get(str(place[0]), str(place[0]))


def _found(group: Group | None, place: Place, said: Said) -> Iterator[View]:
    return iter(()) if group is None else TERMS[_term(place)].places(group, place, said)
