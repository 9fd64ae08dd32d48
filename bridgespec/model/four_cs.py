"""Kaplan and Rubens's four C's: a hand's value from its high cards, the quality of its suits and its shortness.

Source: E. Kaplan and J. Rubens, "The Four C's", *The Bridge World*, October 1982. All counts are times 100.
"""

from __future__ import annotations

from bridgespec.model.evaluate import ACE, JACK, KING, QUEEN, TEN, Holding

NINE, EIGHT = 1 << 7, 1 << 6


def four_c_quality(holding: Holding) -> int:
    """Return a hundred times Kaplan and Rubens's suit quality: a tenth of the length for each honour point (A 4, K 3, Q 2, J 1).

    Ten and nine count beside honours, in a suit of seven and more cards the length does.
    """
    cards = holding.bit_count()
    # Shifted past the ten: ace, king, queen and jack are left.
    honours = (holding >> 9).bit_count()
    factor = 10 * cards
    worth = 4 * bool(holding & ACE) + 3 * bool(holding & KING) + 2 * bool(holding & QUEEN) + bool(holding & JACK)
    total = float(worth * factor)
    # In a suit of seven and more, length makes up for a missing queen or jack, and ten and nine no longer count.
    if cards > 6:
        return int(total + factor * min(cards - 6, 3, 2 * (not holding & QUEEN) + (not holding & JACK)))
    if holding & TEN:
        total += factor if holding & JACK or honours > 1 else factor / 2
    if holding & NINE and (holding & (TEN | EIGHT) or honours == 2):
        total += factor / 2
    return int(total)


def four_c_worth(holding: Holding) -> int:
    """Return a hundred times a holding's share of the four C's, without the correction for 4333.

    Ace 3, king 2, queen 1 (less when short or alone), jack and ten beside honours; shortness; the quality of the suit.
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
    # The first doubleton is not counted, which a hand shares among its four suits.
    return total + shortness - 25 + four_c_quality(holding)
