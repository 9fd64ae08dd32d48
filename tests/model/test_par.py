"""Par against an auction searched call by call, against DDS, and against the published cases."""

from __future__ import annotations

import random
import re
from functools import cache

import pytest

from bridgespec.model.board import Vulnerability
from bridgespec.model.cards import SEATS, Seat, Side, Strain
from bridgespec.model.contract import Contract, Doubling
from bridgespec.model.par import Par, ParContract, par, par_of_sides
from bridgespec.model.score import points
from bridgespec.model.tricks import Tricks
from tests.solver import dds_oracle
from tests.solver.list100 import cases

LADDER = [(level, strain) for level in range(1, 8) for strain in (4, 3, 2, 1, 0)]


def plausible(rng: random.Random, gain: float = 0.0) -> Tricks:
    """A table as deals have them: the sides' tricks make 13, some seats lose one; with ``gain``, some win two more."""
    cells = bytearray()
    for _ in Strain:
        tricks = min(13, max(0, round(rng.gauss(6.5, 3))))
        for seat in Seat:
            cell = tricks if seat.side is Side.NS else 13 - tricks
            cell = max(0, cell - 1) if rng.random() < 0.2 else cell
            cells.append(min(13, cell + 2) if rng.random() < gain else cell)
    return Tricks(bytes(cells))


def dds_text(item: ParContract) -> str:
    over = item.tricks - item.contract.needed
    seats = "".join(SEATS[seat] for seat in item.declarers)
    mark = "*" if over < 0 else ""
    return f"{item.contract.level}{item.contract.strain.letter}{mark}-{seats}{f'{over:+d}' if over else ''}"


def lowest(found: Par) -> set[str]:
    """The par contracts as DDS lists them for a dealer: of each strain the lowest level."""
    first: dict[tuple[Strain, Side], str] = {}
    for item in found.contracts:
        first.setdefault((item.contract.strain, item.side), dds_text(item))
    return set(first.values())


def side_text(found: Par) -> set[str]:
    """The par contracts as DDS lists them for sides: ``NS 345N``, ``EW 4Sx``."""
    levels: dict[tuple[str, str], str] = {}
    for item in found.contracts:
        mark = "x" if item.contract.doubling else ""
        key = "".join(SEATS[seat] for seat in item.declarers), item.contract.strain.letter + mark
        levels[key] = levels.get(key, "") + str(item.contract.level)
    return {f"{seats} {digits}{strain}" for (seats, strain), digits in levels.items()}


def auction_value(tricks: Tricks, dealer: Seat, vulnerability: Vulnerability) -> int:
    """North-South's points when all four seats call as well as can be: every legal auction, doubles and all."""

    def outcome(bid: int, side: int, doubling: int) -> int:
        level, strain = LADDER[bid]
        best = max(tricks.cells[4 * strain + seat] for seat in Seat if seat.side == side)
        value = points(Contract(level, Strain(strain), Doubling(doubling)), best, vulnerability.covers(Side(side)))
        return value if side == Side.NS else -value

    @cache
    def value(bid: int, owner: int, doubling: int, passes: int, turn: int) -> int:
        if passes == (4 if bid < 0 else 3):
            return outcome(bid, owner, doubling) if bid >= 0 else 0
        side = Seat(turn).side
        following = (turn + 1) % 4
        options = [value(bid, owner, doubling, passes + 1, following)]
        options += [value(higher, side, 0, 0, following) for higher in range(bid + 1, 35)]
        if bid >= 0 and doubling == 0 and owner != side:
            options.append(value(bid, owner, 1, 0, following))
        return max(options) if side is Side.NS else min(options)

    return value(-1, 0, 0, 0, dealer)


@pytest.mark.long
@pytest.mark.parametrize("gain", [0.0, 0.1, 0.4])
def test_par_is_the_value_of_the_auction(gain):
    """Also on tables where both sides can make the same contract, so that the dealer counts."""
    rng = random.Random(31)
    for _ in range(40):
        tricks = plausible(rng, gain)
        for dealer in (Seat.NORTH, Seat.EAST):
            vulnerability = rng.choice(list(Vulnerability))
            assert par(tricks, dealer, vulnerability).score == auction_value(tricks, dealer, vulnerability), tricks


def check_contracts(tricks: Tricks, dealer: Seat, vulnerability: Vulnerability) -> None:
    found = par(tricks, dealer, vulnerability)
    assert bool(found.contracts) == (found.score != 0)
    for item in found.contracts:
        assert {tricks.get(item.contract.strain, seat) for seat in item.declarers} == {item.tricks}
        value = points(item.contract, item.tricks, vulnerability.covers(item.side))
        assert (value if item.side is Side.NS else -value) == found.score
        assert (item.contract.doubling is Doubling.DOUBLED) == (item.tricks < item.contract.needed)
    assert par(tricks, dealer.partner, vulnerability) == found
    assert par_of_sides(tricks, vulnerability)[dealer.side] == found


@pytest.mark.long
def test_par_contracts_score_par():
    """Each par contract of random tables scores par for the side that bids it."""
    rng = random.Random(32)
    for _ in range(300):
        check_contracts(plausible(rng, 0.1), rng.choice(list(Seat)), rng.choice(list(Vulnerability)))


@pytest.mark.long
def test_par_agrees_with_dds():
    """Score and contracts of 4,000 plausible tables, for a dealer and for the sides."""
    rng = random.Random(33)
    for _ in range(4000):
        tricks = plausible(rng)
        dealer, vulnerability = rng.choice(list(Seat)), rng.choice(list(Vulnerability))
        found = par(tricks, dealer, vulnerability)
        score, contracts = dds_oracle.par(tricks, dealer, vulnerability)
        assert found.score == score, (tricks, dealer, vulnerability)
        assert lowest(found) == {text for text in contracts if text != "pass"}, (tricks, dealer, vulnerability)


@pytest.mark.parametrize("case", cases(), ids=lambda case: str(case.deal)[:12])
def test_the_published_cases(case):
    """The dealer's par, and both sides' par with every level."""
    found = par(case.table, case.dealer, case.vulnerability)
    assert [str(found.score), *sorted(lowest(found))] == [case.dealer_par[0], *sorted(case.dealer_par[1:])]
    sides = par_of_sides(case.table, case.vulnerability)
    for side, score_text, contracts in zip(Side, case.side_pars[:2], case.side_pars[2:], strict=True):
        own = sides[side].score if side is Side.NS else -sides[side].score
        assert score_text == f"{side.name} {own}"
        assert side_text(sides[side]) == set(contracts.partition(":")[2].split(","))


def table_of(**rows: str) -> Tricks:
    """A table of hexadecimal cells W N E S, by strain's letter."""
    return Tricks(b"".join(bytes(int(cell, 16) for cell in rows[letter]) for letter in "NSHDC"))


def test_the_sides_differ_where_both_can_make_the_same():
    """Both sides make one notrump and nothing more: who deals plays it."""
    tricks = table_of(N="7777", S="6666", H="6666", D="6666", C="6666")
    sides = par_of_sides(tricks, Vulnerability.NONE)
    assert [str(sides[side]) for side in Side] == ["+90: 1NT NS =", "-90: 1NT EW ="]


def test_nobody_can_make_anything():
    """Where no contract makes, par is zero without a contract."""
    tricks = table_of(N="6666", S="6666", H="6666", D="6666", C="6666")
    assert par(tricks, Seat.NORTH, Vulnerability.BOTH) == Par(0, ())


def test_a_sacrifice_stops_where_it_costs_more_than_the_game():
    """Four spades against four hearts, two down: good at equal vulnerability, too dear when vulnerable against not."""
    tricks = table_of(N="5858", S="8585", H="3A3A", D="4949", C="4949")
    sacrifice = ParContract(Contract.parse("4SX"), (Seat.EAST, Seat.WEST), 8)
    game = ParContract(Contract.parse("4H"), (Seat.NORTH, Seat.SOUTH), 10)
    assert par(tricks, Seat.NORTH, Vulnerability.NONE) == Par(300, (sacrifice,))
    assert par(tricks, Seat.NORTH, Vulnerability.EW) == Par(420, (game,))


def test_one_declarer_may_do_better_than_his_partner():
    """Par names the one declarer who makes the contract, where his partner fails."""
    tricks = table_of(N="4948", S="5858", H="5858", D="5858", C="5858")
    found = par(tricks, Seat.EAST, Vulnerability.EW)
    assert found == Par(400, (ParContract(Contract.parse("3NT"), (Seat.NORTH,), 9),))


def test_an_unknown_cell_is_named():
    """Par of an incomplete table raises an error that names the unknown cell."""
    tricks = table_of(N="F666", S="6666", H="6666", D="6666", C="6666")
    with pytest.raises(ValueError, match=re.escape("NT by west is unknown")):
        par(tricks, Seat.NORTH, Vulnerability.NONE)
