"""Draw boards as HTML in which every card, call and result is linked to its bytes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from html import escape
from typing import Protocol

from bridgespec.codec.node import FieldNode
from bridgespec.docs.bit_ranges import attribute, of_nodes
from bridgespec.docs.prose import Markup, suits
from bridgespec.export import EXPORTERS
from bridgespec.model.auction import AuctionCall
from bridgespec.model.board import Board, Vulnerability
from bridgespec.model.cards import Card, Seat, Strain, Suit
from bridgespec.model.deal import UNKNOWN, Deal
from bridgespec.model.document import Document

Place = tuple[str | int, ...]


class ModelPlaces(Protocol):
    """The methods of `ModelSpans` that pages use."""

    def nodes(self, document: Document, board: int | None, place: Place) -> list[FieldNode]: ...

    def cards(self, document: Document, board: int) -> dict[int, FieldNode]: ...


class Binds(Protocol):
    """The attributes of a `Binder` that pages use."""

    terms: frozenset[str]

    @property
    def places(self) -> ModelPlaces: ...


_VULNERABLE = {Vulnerability.NONE: "none", Vulnerability.NS: "N–S", Vulnerability.EW: "E–W", Vulnerability.BOTH: "both"}


class Drawer:
    """Draws the boards of one document as HTML; ``shift`` is the offset of its first bit in the file."""

    def __init__(self, document: Document, binder: Binds, shift: int = 0) -> None:
        self.document = document
        self.binder = binder
        self.shift = shift

    def link(self, board: int | None, *place: str | int) -> str:
        """Return the HTML attribute that links an element to the bytes of a model path, of the board with this index or of the
        document.
        """
        return attribute(of_nodes(self.binder.places.nodes(self.document, board, place), self.shift))

    def board(self, index: int) -> Markup:
        """Return the board with this index as an HTML figure: its number and facts, and the deal, tricks, auction and play that
        it has.
        """
        board = self.document.boards[index]
        parts = [self._head(index, board)]
        if board.deal is not None and any(holder != UNKNOWN for holder in board.deal.holders):
            parts.append(self._deal(index, board.deal))
        if board.tricks is not None:
            parts.append(self._tricks(index, board))
        if board.auction is not None and board.auction.calls:
            parts.append(self._auction(index, board))
        if board.play is not None and board.play.tricks:
            parts.append(self._play(index, board))
        return Markup('<figure class="board">{}</figure>').format(Markup("").join(parts))

    def system(self) -> Markup:
        """Return the document's bidding system as text in HTML."""
        text = EXPORTERS["text"].dump(self.document).decode().strip()
        return Markup('<pre class="system" tabindex="0">{}</pre>').format(suits(text))

    def _head(self, index: int, board: Board) -> Markup:
        """Return the caption of a board: its number, and the facts that are known of it."""
        facts: list[tuple[str, str, str]] = []
        if board.effective_dealer is not None:
            # A dealer that is not stated follows from the number of the board, to whose bytes it is linked then.
            facts.append(("dealer", board.effective_dealer.name.title(), self._stated(index, "dealer", board.dealer)))
        if board.effective_vulnerability is not None:
            shown = _VULNERABLE[board.effective_vulnerability]
            facts.append(("vulnerable", shown, self._stated(index, "vulnerability", board.vulnerability)))
        if board.contract is not None:
            facts.append(("contract", board.contract.symbol, self.link(index, "contract")))
        if board.declarer is not None:
            facts.append(("declarer", board.declarer.name.title(), self.link(index, "declarer")))
        if board.result is not None:
            facts.append(("tricks", str(board.result), self.link(index, "result")))
        if board.score is not None:
            facts.append(("score", str(board.score), self.link(index, "score")))
        title = "Board" if board.number is None else f"Board {board.number}"
        spans = "".join(f"<span{link}>{name} <b>{suits(text)}</b></span>" for name, text, link in facts)
        return Markup(f"<figcaption><b{self.link(index, 'number')}>{title}</b>{spans}</figcaption>")

    def _stated(self, index: int, term: str, value: object) -> str:
        """Return the link to a term that may follow from the number of a board; ``value`` is the stated one, or None."""
        return self.link(index, term) if value is not None else self.link(index, "number")

    def _deal(self, index: int, deal: Deal) -> Markup:
        cells = []
        known = self._cards(index)
        for seat in Seat:
            rows = "".join(self._suit(index, deal, known, seat, suit) for suit in Suit)
            cells.append(f'<div class="hand {seat.letter}"><span class="seat">{seat.name.title()}</span>{rows}</div>')
        return Markup(f'<div class="hands">{"".join(cells)}</div>')

    def _cards(self, index: int) -> dict[int, list[FieldNode]]:
        """Return the node of each card of a board, by card, in a list; looking them up one by one would take longer."""
        return {card: [node] for card, node in self.binder.places.cards(self.document, index).items()}

    def _suit(self, index: int, deal: Deal, known: Mapping[int, list[FieldNode]], seat: Seat, suit: Suit) -> str:
        cards = [Card(13 * suit + rank) for rank in range(13) if deal.holders[13 * suit + rank] == seat]
        ranks = ""
        for card in cards:
            # A card that is not stored by itself (in a fourth hand) has the nodes from which it was derived.
            nodes = known.get(card) or self.binder.places.nodes(self.document, index, ("deal", int(card)))
            link = attribute(of_nodes(nodes, self.shift))
            label = f"{card.suit.symbol}{card.rank}: {seat.name.title()}"
            if any(node.children is not None for node in nodes):
                link += " data-derived"
                label += ", by what is left"
            ranks += f'<i{link} data-said="{label}">{escape(card.rank)}</i>'
        return f'<div class="holding"><span class="suit {suit.letter.lower()}">{suit.symbol}</span>{ranks or "<s>–</s>"}</div>'

    def _tricks(self, index: int, board: Board) -> Markup:
        head = "".join(f'<th scope="col">{suits(strain.symbol)}</th>' for strain in Strain)
        rows = []
        for seat in (Seat.NORTH, Seat.SOUTH, Seat.EAST, Seat.WEST):
            cells = [(strain, board.tricks.get(strain, seat) if board.tricks else None) for strain in Strain]
            # Some formats store the results of one declarer only: rows without a known result are left out.
            if all(cell is None for _, cell in cells):
                continue
            tds = "".join(
                f"<td><i{self.link(index, 'tricks', int(strain), int(seat))}>{'?' if cell is None else cell}</i></td>"
                for strain, cell in cells
            )
            rows.append(f'<tr><th scope="row">{seat.letter}</th>{tds}</tr>')
        if not rows:
            return Markup("")
        return Markup(
            '<table class="dd"><caption>Tricks by declarer</caption>'
            f"<thead><tr><td></td>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"
        )

    def _auction(self, index: int, board: Board) -> Markup:
        assert board.auction is not None
        first = board.auction.first if board.auction.first is not None else board.effective_dealer
        # The columns are W N E S, in the order of the seats' numbers: an empty cell for each seat before the first caller.
        cells = ["<td></td>"] * int(first or 0)
        for at, made in enumerate(board.auction.calls):
            cells.append(f"<td><i{self.link(index, 'auction', at)}>{suits(_call(made))}</i></td>")
        return _four("auction", "Auction", cells, lambda number: "")

    def _play(self, index: int, board: Board) -> Markup:
        assert board.play is not None
        cells: list[str] = []
        for trick_index, trick in enumerate(board.play.tricks):
            row = ["<td></td>"] * 4
            order = list(trick.by_seat.items())
            for at, (seat, card) in enumerate(order):
                lead = ' class="lead-card"' if seat == trick.leader else ""
                link = self.link(index, "play", trick_index, at)
                row[seat] = f"<td><i{link}{lead}>{suits(f'{card.suit.symbol}{card.rank}')}</i></td>"
            cells += row
        return _four("play", "Play", cells, lambda number: f'<th scope="row">{number}</th>')


def _call(made: AuctionCall) -> str:
    return made.call.symbol + (made.mark or "") + ("*" if made.alert or made.explanation else "")


def _four(name: str, title: str, cells: list[str], head: Callable[[int], str]) -> Markup:
    """Return a table with a column for each seat; ``head`` returns the cell before a row, given its number from 1, or nothing."""

    def rows() -> Iterator[str]:
        for number, at in enumerate(range(0, len(cells), 4), 1):
            part = cells[at : at + 4]
            yield f"<tr>{head(number)}{''.join(part)}{'<td></td>' * (4 - len(part))}</tr>"

    numbers = "<td></td>" if head(1) else ""
    seats = "".join(f'<th scope="col">{seat.name.title()}</th>' for seat in Seat)
    return Markup(
        f'<table class="four {name}"><caption>{title}</caption><thead><tr>{numbers}{seats}</tr></thead>'
        f"<tbody>{''.join(rows())}</tbody></table>"
    )
