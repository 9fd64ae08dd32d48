"""Par: the score at which neither side gains by bidding on when all cards are seen, and every contract that gives it.
`par` computes it from a trick table.

Conventions:

- Both sides bid to their best advantage, jumping as they like; a contract that fails is doubled, one that makes is not.
- The dealer's side speaks first, which matters only where both sides could buy the same contract.
- A contract is a par contract if it scores par and the other side could not bid anything above it that, left to play (doubled if it
  fails), is better for them. So of 2NT and 3NT with the same result both count where both are safe, and a sacrifice is higher than
  every contract that the other side can make for a better score.
- The declarers are those seats of the side that win the tricks which make the score.

Sources: R. Pavlicek, "Par contracts"; the par functions of the DDS library, with which the scores and contracts agree.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from bridgespec.model.board import Vulnerability
from bridgespec.model.cards import SEATS, Seat, Side, Strain, not_text
from bridgespec.model.contract import Contract, Doubling, read_result, result_text
from bridgespec.model.score import points
from bridgespec.model.tricks import Tricks

_BIDS = tuple(
    (level, strain)
    for level in range(1, 8)
    for strain in (Strain.CLUBS, Strain.DIAMONDS, Strain.HEARTS, Strain.SPADES, Strain.NOTRUMP)
)
_SEATS_OF = {Side.NS: (Seat.NORTH, Seat.SOUTH), Side.EW: (Seat.EAST, Seat.WEST)}


@dataclass(frozen=True, slots=True)
class ParContract:
    """A contract that gives par, the seats that can play it, and the tricks that they win."""

    contract: Contract
    declarers: tuple[Seat, ...]
    tricks: int

    @classmethod
    def parse(cls, text: str) -> ParContract:
        """Return the par contract of its printed form; ValueError for any other text.

        >>> str(ParContract.parse("4SX EW -2"))
        '4SX EW -2'
        """
        if not isinstance(text, str):
            raise not_text(cls, text)
        try:
            bid, seats, result = text.split()
        except ValueError:
            raise ValueError(f"not a par contract: {text!r}; write it as 4SX EW -2") from None
        contract = Contract.parse(bid)
        return cls(contract, tuple(map(Seat.parse, seats)), read_result(contract, result))

    @property
    def side(self) -> Side:
        """The declarers' partnership."""
        return self.declarers[0].side

    def __str__(self) -> str:
        seats = "".join(SEATS[seat] for seat in self.declarers)
        return f"{self.contract} {seats} {result_text(self.contract, self.tricks)}"


@dataclass(frozen=True, slots=True)
class Par:
    """The par score, in points of North-South, and all par contracts, lowest bid first; none where the board is passed out."""

    score: int
    contracts: tuple[ParContract, ...]

    @classmethod
    def parse(cls, text: str) -> Par:
        """Return par of its printed form; ValueError for any other text.

        >>> Par.parse("-630: 3NT EW +1, 4NT EW =").score, Par.parse("0: passed out").contracts
        (-630, ())
        """
        if not isinstance(text, str):
            raise not_text(cls, text)
        score, colon, contracts = text.partition(":")
        if not colon or not re.fullmatch(r"\s*[+-]?\d+\s*", score):
            raise ValueError(f"not a par: {text!r}; write it as +300: 4SX EW -2")
        listed = () if contracts.strip() == "passed out" else contracts.split(",")
        return cls(int(score), tuple(map(ParContract.parse, listed)))

    @property
    def points(self) -> str:
        """The score with the side that gets it: ``NS 420``, ``EW 110``; ``NS 0`` where the board is passed out.

        >>> Par(-110, ()).points
        'EW 110'
        """
        return f"{'NS' if self.score >= 0 else 'EW'} {abs(self.score)}"

    def __str__(self) -> str:
        if not self.contracts:
            return "0: passed out"
        return f"{self.score:+d}: " + ", ".join(str(contract) for contract in self.contracts)


def par(tricks: Tricks, dealer: Seat, vulnerability: Vulnerability) -> Par:
    """Par and its contracts for a table whose 20 cells are all known; ValueError for one with unknown cells.

    North and South can make three notrumps, but four spades, doubled and two down, cost East and West less:

    >>> row = bytes([4, 9, 4, 9])
    >>> table = Tricks(row + bytes([8, 5, 8, 5]) + bytes([5, 8, 5, 8]) + bytes([5, 8, 5, 8]) + bytes([5, 8, 5, 8]))
    >>> str(par(table, Seat.NORTH, Vulnerability.NONE))
    '+300: 4SX EW -2'
    """
    return _par(tricks, dealer.side, vulnerability)


def par_of_sides(tricks: Tricks, vulnerability: Vulnerability) -> dict[Side, Par]:
    """Par when North-South, and when East-West, may bid first; the two differ where both can buy the same contract."""
    return {side: _par(tricks, side, vulnerability) for side in Side}


def _par(tricks: Tricks, first: Side, vulnerability: Vulnerability) -> Par:
    outcomes = {side: _outcomes(tricks, side, vulnerability.covers(side)) for side in Side}
    value = _value(outcomes, first)
    contracts = [contract for side in Side for contract in _at_par(outcomes, side, value if side == first else -value)]
    contracts.sort(key=lambda item: _BIDS.index((item.contract.level, item.contract.strain)))
    return Par(value if first is Side.NS else -value, tuple(contracts))


def _outcomes(tricks: Tricks, side: Side, vulnerable: bool) -> list[tuple[int, ParContract]]:
    """Return for every bid, lowest first, the side's points if it is the final contract, with the contract and its declarers."""
    return [_outcome(tricks, side, vulnerable, level, strain) for level, strain in _BIDS]


def _outcome(tricks: Tricks, side: Side, vulnerable: bool, level: int, strain: Strain) -> tuple[int, ParContract]:
    won = {}
    for seat in _SEATS_OF[side]:
        cell = tricks.get(strain, seat)
        if cell is None:
            raise ValueError(f"par needs all 20 results; {strain.label} by {seat.name.lower()} is unknown")
        won[seat] = cell
    best = max(won.values())
    # With all cards seen, a contract that fails is always doubled and one that makes never.
    contract = Contract(level, strain, Doubling.DOUBLED if best < level + 6 else Doubling.UNDOUBLED)
    declarers = tuple(seat for seat, cell in won.items() if cell == best)
    return points(contract, best, vulnerable), ParContract(contract, declarers, best)


def _value(outcomes: dict[Side, list[tuple[int, ParContract]]], first: Side) -> int:
    """Return the score of the side that may bid first when both sides bid as well as possible.

    Computed from the highest bid down: the value of a bid is its own outcome or, if that is less, the value of the other side's
    best higher bid.
    """
    overcall: dict[Side, int | None] = dict.fromkeys(Side)
    # From 7NT down, because the value of a bid depends on the replies above it.
    for bid in reversed(range(len(_BIDS))):
        worth = {}
        for side in Side:
            reply = overcall[side.opponents]
            # The other side bids on only where that is better for it, so a bid is worth the lesser of both.
            left = outcomes[side][bid][0]
            worth[side] = left if reply is None else min(left, -reply)
        for side in Side:
            best = overcall[side]
            overcall[side] = worth[side] if best is None else max(best, worth[side])
    # If the first side passes, the other bids only what is worth more to it than passing out, which is 0.
    own, other = overcall[first] or 0, overcall[first.opponents] or 0
    return max(own, -max(other, 0))


def _at_par(outcomes: dict[Side, list[tuple[int, ParContract]]], side: Side, value: int) -> Iterator[ParContract]:
    """The side's contracts that score ``value`` and leave the other side nothing better above them."""
    highest: int | None = None
    other = outcomes[side.opponents]
    for bid in reversed(range(len(_BIDS))):
        left, contract = outcomes[side][bid]
        # The bid is tested before the other side's own bid of the same level: only higher ones are left to that side.
        if left == value and (highest is None or highest <= -value):
            yield contract
        highest = other[bid][0] if highest is None else max(highest, other[bid][0])
