"""The declarer, the strain and the score of a finished auction, which is given as its last `Turn`."""

from __future__ import annotations

from collections.abc import Sequence

from bridgespec.bidding.turn import FIRST_BID, Turn, level_of, suit_of
from bridgespec.model.cards import Seat, Strain
from bridgespec.model.contract import Contract, Doubling
from bridgespec.model.score import points


def declarer_of(turn: Turn) -> int:
    """Return the declarer of the last bid as a number from 0 (the dealer) to 3; the auction must have a bid."""
    suit, side = suit_of(turn.last), turn.last_turn % 2
    calls = enumerate(turn.calls)
    return next(t for t, call in calls if t % 2 == side and call >= FIRST_BID and suit_of(call) == suit) % 4


def strain_of(turn: Turn) -> Strain:
    """Return the strain of the last bid; the auction must have a bid."""
    suit = suit_of(turn.last)
    return Strain.NOTRUMP if suit is None else Strain(suit + 1)


def score_of(turn: Turn, tricks: int, doubled: bool = False) -> int:
    """Return the points of the dealer's side if the declarer takes ``tricks`` tricks; 0 if nobody has bid.

    With ``doubled`` an undoubled contract is scored as doubled.
    """
    if turn.last < FIRST_BID:
        return 0
    side = declarer_of(turn) % 2
    contract = Contract(level_of(turn.last), strain_of(turn), Doubling(max(turn.doubling, doubled)))
    made = points(contract, tricks, turn.vulnerable[side])
    return -made if side else made


def score_in(turn: Turn, cells: Sequence[int], dealer: Seat) -> int:
    """Return the points of the dealer's side if the declarer takes the tricks in ``cells``; 0 if nobody has bid.

    ``cells`` has 20 numbers of tricks, by strain (notrump, S, H, D, C) and then by declarer (W N E S).
    """
    if turn.last < FIRST_BID:
        return 0
    return score_of(turn, int(cells[4 * strain_of(turn) + (dealer + declarer_of(turn)) % 4]))
