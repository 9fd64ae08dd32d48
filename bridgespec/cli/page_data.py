"""Compute what the command ``page`` needs before it writes a page: double-dummy results, and the best play of each suit."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from bridgespec.cli.progress import tracked
from bridgespec.cli.settings import Settings
from bridgespec.cli.solve_tables import solved_document
from bridgespec.model.cards import Seat, Suit
from bridgespec.model.combination import Combination
from bridgespec.model.deal import Deal
from bridgespec.model.document import Document
from bridgespec.suits import SuitPlay, picture, suit_play
from bridgespec.webpage import SuitPlays

EFFORT = 20_000_000
"""The maximum number of comparisons for a suit; a search that ends early gives the value that its line reaches."""


def prepared(settings: Settings, documents: Sequence[Document], solve: bool, suits: bool) -> tuple[list[Document], SuitPlays]:
    """Return the documents, solved if ``solve``, and the best plays of the suits in their deals if ``suits``; progress is shown."""
    solved = [solved_document(settings, document) for document in documents] if solve else list(documents)
    return solved, _plays(settings, solved) if suits else {}


def _plays(settings: Settings, documents: Iterable[Document]) -> SuitPlays:
    """Return the best plays of the suits of each complete deal, those of North-South and then of East-West, by the deal as a
    string of holders.
    """
    deals = {board.deal for document in documents for board in document.boards if board.deal is not None and board.deal.is_complete}
    # A set has another order in each run, and the same boards must give the same page.
    ordered = sorted(deals, key=str)
    return {
        "".join(map(str, deal.holders)): [_side(deal, declarer) for declarer in (Seat.SOUTH, Seat.EAST)]
        for deal in tracked(settings, ordered, len(ordered), "suits")
    }


def _side(deal: Deal, declarer: Seat) -> list[dict[str, object]]:
    """Return the best plays of the suits in which the number of tricks of a declarer's side depends on the defenders' cards."""
    found = []
    for suit in Suit:
        if deal.holding(declarer, suit) or deal.holding(declarer.partner, suit):
            # Closed cards: the page shows the line that declarer should choose, not the one that works as the cards lie.
            answer = suit_play(Combination.of_deal(deal, suit, declarer, open_cards=False), expected=False, effort=EFFORT)
            if any(0 < goal.value < 1 for goal in answer.goals):
                found.append(_told(suit, answer, declarer))
    return found


def _told(suit: Suit, answer: SuitPlay, declarer: Seat) -> dict[str, object]:
    """Return an answer, computed for South as declarer and North as dummy, with the names of the actual seats."""

    def named(text: str) -> str:
        # Combinations are always played by South; East-West's words are South's with the names exchanged.
        return text if declarer == Seat.SOUTH else text.replace("North", "West").replace("South", "East")

    goals = [
        {"tricks": goal.tricks, "percent": round(float(100 * goal.value), 2), "exact": goal.is_exact, "line": named(goal.words)}
        for goal in answer.goals
        if 0 < goal.value < 1
    ]
    ours = answer.combination
    return {
        "suit": int(suit),
        "dummy": ours.north.ranks,
        "own": ours.south.ranks,
        "goals": goals,
        "picture": named(picture(answer)),
    }
