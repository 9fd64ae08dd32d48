"""Facts derived from a document, computed once for all rules: replayed auctions, analysed plays, clipped double-dummy tables.
`Facts` is what rules receive; its ``tables`` have the facts of each board.
"""

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
    """A board with the facts derived from it, each computed on first access. Made by `Facts` for each board; ``index`` counts from
    0.
    """

    def __init__(self, index: int, board: Board) -> None:
        self.index = index
        self.board = board

    @cached_property
    def missing(self) -> tuple[Card, ...]:
        """The cards that are neither in a hand nor in the recorded play of a deal that should be complete, at most twelve; empty
        for any other deal.
        """
        deal, play = self.board.deal, self.board.play
        # In an ending, cards are OUT on purpose. Only a deal in which some hand has thirteen cards should be complete.
        if deal is None or OUT not in deal.holders or UNKNOWN in deal.holders or max(deal.sizes) < 13:
            return ()
        played = set(play.recorded) if play else set()
        lacking = tuple(Card(slot) for slot, holder in enumerate(deal.holders) if holder == OUT and slot not in played)
        # Thirteen missing cards or more: the file does not give a hand, and a list of its cards would help nobody.
        return lacking if len(lacking) <= 12 else ()

    @cached_property
    def outcome(self) -> AuctionOutcome | None:
        """The outcome of the auction: its contract, declarer and first illegal call; None without an auction."""
        return None if self.board.auction is None else self.board.auction.outcome

    @cached_property
    def settled(self) -> Auction | None:
        """The auction if its calls determine the contract: it is finished, and no call is illegal or irregular; else None."""
        auction, outcome = self.board.auction, self.outcome
        if auction is None or outcome is None or not outcome.is_finished or outcome.first_illegal is not None:
            return None
        # After an irregular call the director may have cancelled calls, so the contract no longer follows from them.
        return None if any(made.irregular for made in auction.calls) else auction

    @cached_property
    def contract(self) -> Contract | None:
        """The stated contract, else that of a `settled` auction; None where neither is known."""
        # A stated contract prevails: rules of the play would otherwise report what `contract-auction` has reported already.
        if self.board.contract is not None or self.settled is None or self.outcome is None:
            return self.board.contract
        return self.outcome.contract

    @cached_property
    def declarer(self) -> Seat | None:
        """The stated declarer, else that of a `settled` auction; None where neither is known."""
        if self.board.declarer is not None or self.settled is None:
            return self.board.declarer
        return self.auction_declarer

    @cached_property
    def auction_declarer(self) -> Seat | None:
        """The declarer that the auction leads to; None without one, or where the seat of the first caller is not known."""
        auction, outcome = self.board.auction, self.outcome
        if auction is None or outcome is None or outcome.declarer_turn is None:
            return None
        return auction.caller(outcome.declarer_turn)

    @property
    def marked_irregular(self) -> bool:
        """Whether the source marks the result or a card of the play as contrary to the laws, so that tricks may have been
        transferred.
        """
        board = self.board
        return "result" in board.irregular or (board.play is not None and any(note.irregular for note in board.play.notes))

    @cached_property
    def analysis(self) -> PlayAnalysis | None:
        """The analysis of the play; None without a play, and where the strain is not known or the board was passed out."""
        # Without the strain no trick has a winner, and without winners no lead can be judged.
        if self.board.play is None or self.contract is None or self.contract.is_passed_out:
            return None
        return analyse(self.board.play, self.contract.strain, self.declarer, self.board.deal)


def in_no_hand(cards: Sequence[Card]) -> str:
    """Return the message, or the help of another finding, for cards that are in no hand.

    >>> in_no_hand([Card.parse("SA"), Card.parse("H3")])
    "SA H3 are in nobody's hand"
    """
    return f"{' '.join(map(str, cards))} {'is' if len(cards) == 1 else 'are'} in nobody's hand"


class Facts:
    """A document with the facts derived from it. Made for each check of a document, and passed to every rule."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.boards: tuple[Board, ...] = document.boards
        self.system: System | None = document.system
        self.tables = [DerivedFacts(index, board) for index, board in enumerate(document.boards)]
        self.with_auction = [table for table in self.tables if table.board.auction is not None]
        self.with_play = [table for table in self.tables if table.board.play is not None]

    @cached_property
    def clipped(self) -> dict[int, Clipping]:
        """How the double-dummy table of a board is clipped, by the index of the board; boards without a clipped table are left out.

        Complete tables are examined together; where these show no common habit, each by itself.
        """
        tables = {
            index: board.tricks
            for index, board in enumerate(self.boards)
            # Only complete tables: an unknown cell could be the low result that disproves the habit.
            if board.tricks is not None and board.tricks.known == 20 and any(board.tricks.cells)
        }
        habit = suspected(tables.values())
        if habit is not None:
            # One program wrote the file: a habit of all tables together is also that of tables without evidence of their own.
            return dict.fromkeys(tables, habit)
        alone = {index: suspected([table]) for index, table in tables.items()}
        return {index: habit for index, habit in alone.items() if habit is not None}
