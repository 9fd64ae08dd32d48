"""The hundred solved deals that DDS publishes (Apache-2.0, licence beside them): tables, cards, par and play traces.

All integers are DDS codes; what is returned is in this package's orders.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from bridgespec.model.board import Vulnerability
from bridgespec.model.cards import RANKS, SUITS, Card, Seat, Strain
from bridgespec.model.deal import Deal
from bridgespec.model.tricks import Tricks

FILE = Path(__file__).parent.parent.parent / "native" / "tests" / "data" / "list100.txt"
SEATS = (Seat.NORTH, Seat.EAST, Seat.SOUTH, Seat.WEST)
STRAINS = (Strain.SPADES, Strain.HEARTS, Strain.DIAMONDS, Strain.CLUBS, Strain.NOTRUMP)
VULNERABILITIES = (Vulnerability.NONE, Vulnerability.BOTH, Vulnerability.NS, Vulnerability.EW)


@dataclass(frozen=True)
class Case:
    """One deal with everything that is published of it; ``leads`` are tricks of the leader's side by card."""

    deal: Deal
    dealer: Seat
    vulnerability: Vulnerability
    strain: Strain
    leader: Seat
    leads: dict[Card, int]
    table: Tricks
    side_pars: list[str]
    dealer_par: list[str]
    play: list[Card]
    trace: list[int]


@cache
def cases() -> list[Case]:
    """All of them."""
    lines = [line for line in FILE.read_text().splitlines() if line.strip()]
    assert lines[0].split() == ["NUMBER", "100"]
    return [_case({line.split()[0]: line for line in lines[at : at + 7]}) for at in range(1, len(lines), 7)]


def _case(lines: dict[str, str]) -> Case:
    numbers = {word: [int(part) for part in line.split()[1:]] for word, line in lines.items() if '"' not in line}
    dealer, vulnerability, trump, leader = (int(part) for part in lines["PBN"].split()[1:5])
    quoted = {word: re.findall(r'"(.*?)"', line) for word, line in lines.items()}
    cells = bytearray(20)
    for at, tricks in enumerate(numbers["TABLE"]):
        cells[4 * STRAINS[at // 4] + SEATS[at % 4]] = tricks
    count = numbers["FUT"][0]
    rows = [numbers["FUT"][1 + count * part : 1 + count * (part + 1)] for part in range(4)]
    leads = {}
    for suit, rank, equals, tricks in zip(*rows, strict=True):
        for other in range(2, 15):
            if other == rank or equals >> other & 1:
                leads[Card(13 * suit + 14 - other)] = tricks
    (play,) = quoted["PLAY"]
    return Case(
        deal=Deal.parse(quoted["PBN"][0]),
        dealer=SEATS[dealer],
        vulnerability=VULNERABILITIES[vulnerability],
        strain=STRAINS[trump],
        leader=SEATS[leader],
        leads=leads,
        table=Tricks(bytes(cells)),
        side_pars=quoted["PAR"],
        dealer_par=quoted["PAR2"],
        play=[Card(13 * SUITS.index(play[at]) + RANKS.index(play[at + 1])) for at in range(0, len(play), 2)],
        trace=numbers["TRACE"][1:],
    )
