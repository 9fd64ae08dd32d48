"""How often does three notrumps make with 25 points, and what does the textbook lead cost? A small study with bridgespec.

Run it with ``python examples/research.py``. What it prints stands below the code; a test compares the two.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import islice
from random import Random

from bridgespec import (
    Card,
    CardPlay,
    Contract,
    Deal,
    Hand,
    Seat,
    Side,
    Strain,
    Suit,
    Vulnerability,
    board_points,
    card_worths,
    imps,
    par,
    solve_many,
)

DEALS = 40


def opens_one_notrump(hand: Hand) -> bool:
    """15 to 17 points and a balanced hand."""
    return hand.is_balanced and 15 <= hand.hcp <= 17


def deals() -> Iterator[Deal]:
    """Deals without end: South opens one notrump, and North has just enough to raise to three."""
    rng = Random(2024)
    while True:
        deal = Deal.random(rng)
        north = deal.north
        if opens_one_notrump(deal.south) and north.hcp + deal.south.hcp == 25 and max(len(north.spades), len(north.hearts)) < 4:
            yield deal


def fourth_best(hand: Hand) -> Card:
    """The fourth highest card of the longest suit, or its lowest."""
    longest = max(Suit, key=lambda suit: len(hand[suit]))
    cards = [card for card in hand if card.suit == longest]
    return cards[min(3, len(cards) - 1)]


def main() -> None:
    """Print what there is to know."""
    chosen = list(islice(deals(), DEALS))
    tables = list(solve_many(chosen))
    made = Counter(table.get(Strain.NOTRUMP, Seat.SOUTH) or 0 for table in tables)
    for tricks, count in sorted(made.items()):
        print(f"{tricks:2} tricks: {'#' * count}")
    print(f"3NT makes {sum(count for tricks, count in made.items() if tricks >= 9)} times in {DEALS}")

    costs: Counter[int] = Counter()
    for deal in chosen:
        table = CardPlay(deal, Strain.NOTRUMP, leader=Seat.WEST)
        worths = card_worths(table)
        costs[max(worths.values()) - worths[fourth_best(deal.west)]] += 1
    for cost, count in sorted(costs.items()):
        print(f"the fourth best lead costs {cost}: {count} times")

    contract, swing = Contract.parse("3NT"), 0
    for table in tables:
        tricks = table.get(contract.strain, Seat.SOUTH)
        assert tricks is not None
        score = board_points(contract, Seat.SOUTH, tricks, Vulnerability.NONE)
        swing += imps(score - par(table, Seat.SOUTH, Vulnerability.NONE).score)
    print(f"bidding it every time is {swing / DEALS:+.2f} IMPs from par")

    hardest = chosen[min(range(DEALS), key=lambda at: tables[at].get(Strain.NOTRUMP, Seat.SOUTH) or 0)]
    table = CardPlay(hardest, Strain.NOTRUMP, leader=Seat.WEST)
    while not table.is_over:
        worths = card_worths(table)
        table.play(max(table.legal, key=lambda card: (worths[card], card)))
    print(f"the hardest: South {hardest.south} ({hardest.south.hcp}), North {hardest.north}")
    print(f"best play by all: {table.won(Side.NS)} tricks, the first of them {' '.join(map(str, table.cards[:4]))}")


if __name__ == "__main__":
    main()

# It prints:
#  6 tricks: ##
#  7 tricks: ###
#  8 tricks: ##########
#  9 tricks: ##############
# 10 tricks: #########
# 11 tricks: ##
# 3NT makes 25 times in 40
# the fourth best lead costs 0: 19 times
# the fourth best lead costs 1: 15 times
# the fourth best lead costs 2: 4 times
# the fourth best lead costs 4: 2 times
# bidding it every time is -2.90 IMPs from par
# the hardest: South KJ9.AKQ82.K85.94 (16), North QT5.T97.A642.K63
# best play by all: 6 tricks, the first of them C8 C3 CT C4
