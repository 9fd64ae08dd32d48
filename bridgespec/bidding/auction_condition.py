"""The dealing condition for an auction: `after` takes a `Bidder` and an auction and returns a `DealCondition`."""

from __future__ import annotations

from bridgespec.bidding.bidder import Bidder
from bridgespec.bidding.shown_condition import shown
from bridgespec.dealing.expression import DealCondition
from bridgespec.model.board import Vulnerability
from bridgespec.model.cards import Seat


def after(bidder: Bidder, auction: str, dealer: Seat, vulnerable: str | Vulnerability = "none") -> DealCondition:
    """Return the condition on deals that each hand is within the ranges that its calls have shown, by the bidder's systems.

    >>> from bridgespec.dealing.bounds import boxes
    >>> boxes(after(Bidder("sayc"), "1N P", Seat.SOUTH))[0].range("hcp", Seat.SOUTH)
    (15.0, 17.0)
    """
    turn = bidder.turn(auction, dealer, vulnerable)
    return shown((Seat((dealer + place) % 4), known) for place, known in enumerate(turn.known))
