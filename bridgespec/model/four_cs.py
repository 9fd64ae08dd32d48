"""Kaplan and Rubens's four C's, a value of a hand by its high cards, the quality of its suits and its shortness: `four_c_worth`
returns the part of one suit, `Hand.cccc` the value of the hand.

Source: E. Kaplan and J. Rubens, "The Four C's", *The Bridge World*, October 1982. All numbers are in hundredths.
"""

from __future__ import annotations

from bridgespec.model.evaluate import ACE, JACK, KING, QUEEN, TEN, HoldingBits

NINE, EIGHT = 1 << 7, 1 << 6


def four_c_quality(holding: HoldingBits) -> int:
    """Return Kaplan and Rubens's quality of a suit in hundredths: a tenth of the length for each honour point (A 4, K 3, Q 2, J 1).

    Ten and nine add to it together with other high cards; with seven cards and more the length does instead.
    """
    cards = holding.bit_count()
    # Bits 9 to 12 are jack, queen, king and ace.
    honours = (holding >> 9).bit_count()
    factor = 10 * cards
    worth = 4 * bool(holding & ACE) + 3 * bool(holding & KING) + 2 * bool(holding & QUEEN) + bool(holding & JACK)
    total = float(worth * factor)
    # With seven cards and more, length compensates for a missing queen or jack, and ten and nine do not count.
    if cards > 6:
        return int(total + factor * min(cards - 6, 3, 2 * (not holding & QUEEN) + (not holding & JACK)))
    if holding & TEN:
        total += factor if holding & JACK or honours > 1 else factor / 2
    if holding & NINE and (holding & (TEN | EIGHT) or honours == 2):
        total += factor / 2
    return int(total)


def four_c_worth(holding: HoldingBits) -> int:
    """Return what a holding adds to the four C's of its hand, in hundredths, without the correction for the shape 4333.

    Ace 3, king 2, queen 1 (less in a short suit, or without a higher honour), jack and ten with other honours; shortness; the
    quality of the suit.
    """
    cards = holding.bit_count()
    higher = (holding >> 11).bit_count()
    honours = (holding >> 9).bit_count()
    total = 300 * bool(holding & ACE) + (0 if not holding & KING else 200 if cards > 1 else 50)
    if holding & QUEEN and cards > 1:
        total += (100 if cards > 2 else 75) if higher else (75 if cards > 2 else 50)
    if holding & JACK:
        total += {1: 25, 2: 50}.get(honours - 1, 0)
    if holding & TEN and (honours == 2 or (honours == 1 and holding & NINE)):
        total += 25
    shortness = (300, 200, 100)[cards] if cards < 3 else 0
    # The hand's first doubleton does not count: its 100 are subtracted as 25 for each suit.
    return total + shortness - 25 + four_c_quality(holding)
