"""Convert many deals between 52 holders and sets of cards: four masks of 64 bits per deal.

A mask is the same integer as `Hand.bits`: the ace of spades is bit 51, the two of clubs bit 0. The two low bits of a holder encode
the seat, so that two planes of bits make all four hands.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bridgespec.model.deal import OUT, UNKNOWN

Masks = NDArray[np.uint64]
Holders = NDArray[np.uint8]

ALL = np.uint64((1 << 52) - 1)


def masks_of(holders: Holders) -> list[Masks]:
    """The masks of W, N, E and S and of the cards out of play, of (N, 52) holders.

    >>> holders = np.array([[0, 1, 2, 3, 4, 5] + [0] * 46], np.uint8)
    >>> [int(mask[0]) >> 46 for mask in masks_of(holders)]
    [32, 16, 8, 4, 2]
    """
    low, high = _plane(holders & 1), _plane(holders & 2)
    # Only the first needs the mask: a complement sets the twelve bits above the cards too.
    seats = [~(low | high) & ALL, low & ~high, high & ~low, low & high]
    # The usual case: with every card in a hand, two planes of bits are all that is needed.
    if not len(holders) or holders.max() < OUT:
        return [*seats, np.zeros(len(holders), np.uint64)]
    # OUT and UNKNOWN are 4 and 5: their low bits are those of West and North.
    held = ~_plane(holders >> 2) & ALL
    return [*(mask & held for mask in seats), _plane(holders == OUT)]


def holders_of(masks: Sequence[Masks]) -> Holders:
    """The (N, 52) holders of masks of W, N, E, S and, where they are given, of the cards out of play; the rest are `UNKNOWN`.

    ValueError where two masks share a card.

    >>> holders_of([np.array([bit], np.uint64) for bit in (2, 1, 0, 0)])[0, -3:].tolist()
    [5, 0, 1]
    """
    west, north, east, south, *out = masks
    held = west | north | east | south
    # By pairs: exclusive or would not find a card that is in three hands.
    shared = (west & north) | ((west | north) & (east | south)) | (east & south)
    if shared.any() or (held > ALL).any():
        raise ValueError("two hands of a row share a card, or have one beyond the 52")
    holders: Holders = _cells(north | south) | (_cells(east | south) << np.uint8(1))
    if (held != ALL).any():
        holders[_cells(~held & ALL).astype(np.bool_)] = UNKNOWN
        for mask in out:
            if (mask & held).any():
                raise ValueError("a card that is out of play is in a hand")
            holders[_cells(mask).astype(np.bool_)] = OUT
    return holders


def _plane(bits: NDArray[np.generic]) -> Masks:
    """Return (N, 52) booleans as one mask per row."""
    # `packbits` makes seven bytes of 52 bits; an eighth in front completes a number of 64.
    wide = np.zeros((len(bits), 8), np.uint8)
    wide[:, 1:] = np.packbits(bits.astype(np.bool_), axis=1)
    # 52 bits leave four of the last byte empty
    return wide.view(">u8")[:, 0].astype(np.uint64) >> np.uint64(4)


def _cells(masks: Masks) -> Holders:
    """Masks as (N, 52) zeros and ones."""
    octets = (masks << np.uint64(4)).astype(">u8").view(np.uint8).reshape(-1, 8)
    return np.unpackbits(octets[:, 1:], axis=1, count=52)
