"""Facts derived from a document, computed once for all rules: replayed auctions, analysed plays, clipped tables."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from bridgespec.model.auction import Auction, AuctionOutcome
from bridgespec.model.board import Board
from bridgespec.model.cards import Card, Seat
from bridgespec.model.clipping import Clipping, suspected
from bridgespec.model.contract import Contract
from bridgespec.model.convention_card import System
from bridgespec.model.deal import OUT, UNKNOWN
from bridgespec.model.document import Document
from bridgespec.model.playing import PlayAnalysis, analyse


class DerivedFacts:
    """A board with the facts derived from it, each computed when the first rule accesses it."""

    def __init__(self, index: int, board: Board) -> None:
        self.index = index
        self.board = board

    @cached_property
    def missing(self) -> tuple[Card, ...]:
        """The cards that are in no hand of a deal that should be whole, without those that the play accounts for."""
        deal, play = self.board.deal, self.board.play
        # An ending has cards OUT on purpose: only where some hand still has thirteen must the others have them too.
        if deal is None or OUT not in deal.holders or UNKNOWN in deal.holders or max(deal.sizes) < 13:
            return ()
        played = set(play.recorded) if play else set()
        lacking = tuple(Card(slot) for slot, holder in enumerate(deal.holders) if holder == OUT and slot not in played)
        # Thirteen cards and more are a hand that was not given, whose cards nobody needs to see by name.
        return lacking if len(lacking) <= 12 else ()

    @cached_property
    def outcome(self) -> AuctionOutcome | None:
        """The result of the calls; None without an auction."""
        return None if self.board.auction is None else self.board.auction.outcome

    @cached_property
    def settled(self) -> Auction | None:
        """The auction where its calls alone settle the contract: legal, finished, nothing irregular."""
        auction, outcome = self.board.auction, self.outcome
        if auction is None or outcome is None or not outcome.is_finished or outcome.first_illegal is not None:
            return None
        # After an irregular call the director may have cancelled calls, so the contract no longer follows from them.
        return None if any(made.irregular for made in auction.calls) else auction

    @cached_property
    def contract(self) -> Contract | None:
        """The stated contract, else the auction's."""
        # A stated contract prevails: rules of the play would otherwise report what `contract-auction` has reported already.
        if self.board.contract is not None or self.settled is None or self.outcome is None:
            return self.board.contract
        return self.outcome.contract

    @cached_property
    def declarer(self) -> Seat | None:
        """The stated declarer, else the auction's."""
        if self.board.declarer is not None or self.settled is None:
            return self.board.declarer
        return self.bidder

    @cached_property
    def bidder(self) -> Seat | None:
        """The declarer by the auction, if its first caller is known."""
        auction, outcome = self.board.auction, self.outcome
        if auction is None or outcome is None or outcome.declarer_turn is None:
            return None
        return auction.caller(outcome.declarer_turn)

    @property
    def marked(self) -> bool:
        """Whether the source itself marks the result or a card of the play as contrary to the laws, so that tricks may have been
        transferred.
        """
        board = self.board
        return "result" in board.irregular or (board.play is not None and any(note.irregular for note in board.play.notes))

    @cached_property
    def played(self) -> PlayAnalysis | None:
        """The analysis of the play; None without a play, or where the strain is not known."""
        # Without the strain no trick has a winner, and without winners no lead can be judged.
        if self.board.play is None or self.contract is None or self.contract.is_passed_out:
            return None
        return analyse(self.board.play, self.contract.strain, self.declarer, self.board.deal)


def in_no_hand(cards: Sequence[Card]) -> str:
    """Return the message that cards are in no hand, without its full stop.

    >>> in_no_hand([Card.parse("SA"), Card.parse("H3")])
    "SA H3 are in nobody's hand"
    """
    return f"{' '.join(map(str, cards))} {'is' if len(cards) == 1 else 'are'} in nobody's hand"


class Facts:
    """A document with the facts derived from it. One is made for each check and passed to every rule."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.boards: tuple[Board, ...] = document.boards
        self.system: System | None = document.system
        self.tables = [DerivedFacts(index, board) for index, board in enumerate(document.boards)]
        self.called = [table for table in self.tables if table.board.auction is not None]
        """The boards that have an auction."""
        self.played = [table for table in self.tables if table.board.play is not None]
        """The boards that have a play."""

    @cached_property
    def clipped(self) -> dict[int, Clipping]:
        """The boards whose full tables are clipped, each with the habit: judged together if they agree, else one by one."""
        tables = {
            index: board.tricks
            for index, board in enumerate(self.boards)
            # Only full tables: an unknown cell could hide the low result that disproves the habit.
            if board.tricks is not None and board.tricks.known == 20 and any(board.tricks.cells)
        }
        habit = suspected(tables.values())
        if habit is not None:
            # One program wrote the file: where all tables together show a habit, those without evidence of their own have it too.
            return dict.fromkeys(tables, habit)
        alone = {index: suspected([table]) for index, table in tables.items()}
        return {index: habit for index, habit in alone.items() if habit is not None}
