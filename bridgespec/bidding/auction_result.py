"""The result of a finished auction: its contract, its declarer, and the score of given tricks."""

from __future__ import annotations

from collections.abc import Sequence

from bridgespec.bidding.turn import FIRST_BID, Turn, level_of, suit_of
from bridgespec.model.cards import Seat, Strain
from bridgespec.model.contract import Contract, Doubling
from bridgespec.model.score import points


def declarer_of(turn: Turn) -> int:
    """Return the declarer of the last bid, counted from the dealer."""
    suit, side = suit_of(turn.last), turn.last_turn % 2
    calls = enumerate(turn.calls)
    return next(t for t, call in calls if t % 2 == side and call >= FIRST_BID and suit_of(call) == suit) % 4


def strain_of(turn: Turn) -> Strain:
    """Return the strain of the last bid."""
    suit = suit_of(turn.last)
    return Strain.NOTRUMP if suit is None else Strain(suit + 1)


def score_of(turn: Turn, tricks: int, doubled: bool = False) -> int:
    """Return the points of the dealer's side when the declarer takes so many tricks; 0 where all passed.

    ``doubled`` scores an undoubled contract as doubled.
    """
    if turn.last < FIRST_BID:
        return 0
    side = declarer_of(turn) % 2
    contract = Contract(level_of(turn.last), strain_of(turn), Doubling(max(turn.doubling, doubled)))
    made = points(contract, tricks, turn.vulnerable[side])
    return -made if side else made


def score_in(turn: Turn, cells: Sequence[int], dealer: Seat) -> int:
    """Return `score_of` with the tricks of a table of 20 cells, by strain (notrump, S, H, D, C) and then by seat (W N E S)."""
    if turn.last < FIRST_BID:
        return 0
    return score_of(turn, int(cells[4 * strain_of(turn) + (dealer + declarer_of(turn)) % 4]))
