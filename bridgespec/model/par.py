"""Par: the score if both sides bid as well as possible with all cards seen, and every contract that has this score. `par` computes
it from a trick table.

Conventions:

- Each side may make any bid, also a jump. A contract that fails is doubled, one that makes is not.
- The dealer's side bids first, which matters only if both sides can make the same contract.
- A contract is a par contract if its score is par, and no higher bid of the other side (doubled if it fails) has a better score for
  that side. So 2NT and 3NT with the same score may both be par contracts, and a sacrifice is higher than every contract of the
  other side with a better score for it.
- The declarers of a par contract are the seats of the side that take the tricks of its score.

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
    """A contract with the score of par, the seats that can declare it, and the number of tricks that they win. Part of a `Par`."""

    contract: Contract
    declarers: tuple[Seat, ...]
    tricks: int

    @classmethod
    def parse(cls, text: str) -> ParContract:
        """Return the par contract of its printed form. Raises ValueError for any other text.

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
    """The par score in points of North-South, and all par contracts, the lowest first; none if par is that all pass."""

    score: int
    contracts: tuple[ParContract, ...]

    @classmethod
    def parse(cls, text: str) -> Par:
        """Return par of its printed form. Raises ValueError for any other text.

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
        """The score with the side that has it: ``NS 420``, ``EW 110``; ``NS 0`` if par is that all pass.

        >>> Par(-110, ()).points
        'EW 110'
        """
        return f"{'NS' if self.score >= 0 else 'EW'} {abs(self.score)}"

    def __str__(self) -> str:
        if not self.contracts:
            return "0: passed out"
        return f"{self.score:+d}: " + ", ".join(str(contract) for contract in self.contracts)


def par(tricks: Tricks, dealer: Seat, vulnerability: Vulnerability) -> Par:
    """Return par of a trick table. Raises ValueError if any of its 20 cells is unknown.

    North and South can make three notrumps, but four spades, doubled and two down, cost East and West less:

    >>> row = bytes([4, 9, 4, 9])
    >>> table = Tricks(row + bytes([8, 5, 8, 5]) + bytes([5, 8, 5, 8]) + bytes([5, 8, 5, 8]) + bytes([5, 8, 5, 8]))
    >>> str(par(table, Seat.NORTH, Vulnerability.NONE))
    '+300: 4SX EW -2'
    """
    return _par(tricks, dealer.side, vulnerability)


def par_of_sides(tricks: Tricks, vulnerability: Vulnerability) -> dict[Side, Par]:
    """Return par by the side that bids first; the two differ if both sides can make the same contract."""
    return {side: _par(tricks, side, vulnerability) for side in Side}


def _par(tricks: Tricks, first: Side, vulnerability: Vulnerability) -> Par:
    """Return par if the side ``first`` bids first."""
    outcomes = {side: _outcomes(tricks, side, vulnerability.covers(side)) for side in Side}
    value = _value(outcomes, first)
    contracts = [contract for side in Side for contract in _at_par(outcomes, side, value if side == first else -value)]
    contracts.sort(key=lambda item: _BIDS.index((item.contract.level, item.contract.strain)))
    return Par(value if first is Side.NS else -value, tuple(contracts))


def _outcomes(tricks: Tricks, side: Side, vulnerable: bool) -> list[tuple[int, ParContract]]:
    """Return for every bid, lowest first, the side's points if the bid is the contract, with the contract and its declarers."""
    return [_outcome(tricks, side, vulnerable, level, strain) for level, strain in _BIDS]


def _outcome(tricks: Tricks, side: Side, vulnerable: bool, level: int, strain: Strain) -> tuple[int, ParContract]:
    """Return the entry of `_outcomes` for one bid. Raises ValueError if the tricks of a declarer are unknown."""
    won = {}
    for seat in _SEATS_OF[side]:
        cell = tricks.get(strain, seat)
        if cell is None:
            raise ValueError(f"par needs all 20 results; {strain.label} by {seat.name.lower()} is unknown")
        won[seat] = cell
    best = max(won.values())
    contract = Contract(level, strain, Doubling.DOUBLED if best < level + 6 else Doubling.UNDOUBLED)
    declarers = tuple(seat for seat, cell in won.items() if cell == best)
    return points(contract, best, vulnerable), ParContract(contract, declarers, best)


def _value(outcomes: dict[Side, list[tuple[int, ParContract]]], first: Side) -> int:
    """Return par as points of the side that bids first.

    Computed from the highest bid down: the value of a bid is its points as the contract, or if that is less for the side, the value
    of the best higher bid of the other side.
    """
    # For each side the value of its best bid from the present one on; None above 7NT.
    overcall: dict[Side, int | None] = dict.fromkeys(Side)
    for bid in reversed(range(len(_BIDS))):
        values = {}
        for side in Side:
            reply = overcall[side.opponents]
            # The other side bids if that is better for it, so the value is the smaller of both.
            as_contract = outcomes[side][bid][0]
            values[side] = as_contract if reply is None else min(as_contract, -reply)
        for side in Side:
            best = overcall[side]
            overcall[side] = values[side] if best is None else max(best, values[side])
    # If the first side passes, the other side bids only if that is better for it than 0, when all pass.
    own, other = overcall[first] or 0, overcall[first.opponents] or 0
    return max(own, -max(other, 0))


def _at_par(outcomes: dict[Side, list[tuple[int, ParContract]]], side: Side, value: int) -> Iterator[ParContract]:
    """Yield the contracts of a side with the score ``value`` over which the other side has no better bid, the highest first."""
    highest: int | None = None
    other = outcomes[side.opponents]
    for bid in reversed(range(len(_BIDS))):
        score, contract = outcomes[side][bid]
        # Before ``highest`` includes this bid, since the other side can only make higher ones.
        if score == value and (highest is None or highest <= -value):
            yield contract
        highest = other[bid][0] if highest is None else max(highest, other[bid][0])
