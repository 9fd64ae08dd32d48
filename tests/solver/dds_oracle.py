"""DDS, as it comes with endplay, answering in this package's orders: an oracle that was not written here."""

from __future__ import annotations

from bridgespec.lazily import Lazy
from bridgespec.model.board import Vulnerability
from bridgespec.model.cards import Card, Seat, Strain
from bridgespec.model.tricks import Tricks

# What endplay imports takes longer than collecting all tests of the solver.
_dds = Lazy("endplay._dds")
SEATS = (Seat.NORTH, Seat.EAST, Seat.SOUTH, Seat.WEST)
STRAINS = (Strain.SPADES, Strain.HEARTS, Strain.DIAMONDS, Strain.CLUBS, Strain.NOTRUMP)
VULNERABILITIES = (Vulnerability.NONE, Vulnerability.BOTH, Vulnerability.NS, Vulnerability.EW)


def fill_cards(target, holders):
    """The four hands as DDS's bit masks: rank r (2 to 14) is bit r."""
    for slot, holder in enumerate(holders):
        if holder < 4:
            target[SEATS.index(Seat(holder))][slot // 13] |= 1 << (14 - slot % 13)


def table(holders) -> bytes:
    """The 20 cells, strain NT S H D C by declarer W N E S."""
    deal, result = _dds.ddTableDeal(), _dds.ddTableResults()
    fill_cards(deal.cards, holders)
    _dds.CalcDDtable(deal, result)
    cells = bytearray(20)
    for i, strain in enumerate(STRAINS):
        for j, seat in enumerate(SEATS):
            cells[4 * strain + seat] = result.resTable[i][j]
    return bytes(cells)


def card_results(holders, strain, leader, trick=()) -> dict[Card, int]:
    """Every legal card of the seat on turn with the tricks that its side takes, the current one included."""
    deal, found = _dds.deal(), _dds.futureTricks()
    deal.trump, deal.first = STRAINS.index(Strain(strain)), SEATS.index(Seat(leader))
    fill_cards(deal.remainCards, holders)
    for i, card in enumerate(trick):
        deal.currentTrickSuit[i], deal.currentTrickRank[i] = card // 13, 14 - card % 13
    _dds.SolveBoard(deal, -1, 3, 1, found, 0)
    results = {}
    for i in range(found.cards):
        for rank in range(2, 15):
            if rank == found.rank[i] or found.equals[i] >> rank & 1:
                results[Card(13 * found.suit[i] + 14 - rank)] = found.score[i]
    return results


def trace(holders, strain, leader, cards) -> list[int]:
    """The declarer's tricks before the first card of a play and after each, as far as DDS goes on."""
    deal, play, solved = _dds.deal(), _dds.playTraceBin(), _dds.solvedPlay()
    deal.trump, deal.first = STRAINS.index(Strain(strain)), SEATS.index(Seat(leader))
    fill_cards(deal.remainCards, holders)
    play.number = len(cards)
    for i, card in enumerate(cards):
        play.suit[i], play.rank[i] = card // 13, 14 - card % 13
    _dds.AnalysePlayBin(deal, play, solved, 0)
    return list(solved.tricks[: solved.number])


def _results(tricks: Tricks):
    result = _dds.ddTableResults()
    for i, strain in enumerate(STRAINS):
        for j, seat in enumerate(SEATS):
            result.resTable[i][j] = tricks.cells[4 * strain + seat]
    return result


def par(tricks: Tricks, dealer: Seat, vulnerability: Vulnerability) -> tuple[int, list[str]]:
    """The par score of North-South and the contracts as DDS writes them: ``4S*-EW-1``, ``3N-N+1``."""
    found = _dds.parResultsDealer()
    _dds.DealerPar(_results(tricks), found, SEATS.index(dealer), VULNERABILITIES.index(vulnerability))
    return found.score, [bytes(found.contracts[i].value).decode() for i in range(found.number)]


def par_of_sides(tricks: Tricks, vulnerability: Vulnerability) -> list[tuple[int, list[str]]]:
    """Par when North-South and when East-West bid first: each its own side's score and contracts, every level of its own."""
    found = (_dds.parResultsMaster * 2)()
    _dds.SidesParBin(_results(tricks), found, VULNERABILITIES.index(vulnerability))
    sides = []
    for side in found:
        contracts = []
        for item in side.contracts[: side.number]:
            mark = "*" if item.underTricks else ""
            seats = ("N", "E", "S", "W", "NS", "EW")[item.seats]
            result = f"-{item.underTricks}" if item.underTricks else f"+{item.overTricks}" if item.overTricks else ""
            contracts.append(f"{item.level}{'NSHDC'[item.denom]}{mark}-{seats}{result}")
        sides.append((side.score, contracts))
    return sides
