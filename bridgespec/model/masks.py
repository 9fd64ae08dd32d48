"""Convert many deals from holders to masks of hands (`masks_of`) and back (`holders_of`).

A mask is the integer of `Hand.bits`: the ace of spades is bit 51, the two of clubs bit 0. The two low bits of a holder are the
seat, so the masks of all four hands follow from two masks, that of each bit (a plane).
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
    """Return the masks of W, N, E, S and of the cards out of play, each (N,), for (N, 52) holders.

    >>> holders = np.array([[0, 1, 2, 3, 4, 5] + [0] * 46], np.uint8)
    >>> [int(mask[0]) >> 46 for mask in masks_of(holders)]
    [32, 16, 8, 4, 2]
    """
    low, high = _plane(holders & 1), _plane(holders & 2)
    # A complement also sets the twelve bits above the cards, which ``& ALL`` clears.
    seats = [~(low | high) & ALL, low & ~high, high & ~low, low & high]
    # The usual case: every card is in a hand.
    if not len(holders) or holders.max() < OUT:
        return [*seats, np.zeros(len(holders), np.uint64)]
    # OUT and UNKNOWN, 4 and 5, have the low bits of West and North.
    held = ~_plane(holders >> 2) & ALL
    return [*(mask & held for mask in seats), _plane(holders == OUT)]


def holders_of(masks: Sequence[Masks]) -> Holders:
    """Return (N, 52) holders for the masks of W, N, E, S and perhaps of the cards out of play; other cards are `UNKNOWN`.

    Raises ValueError for a card in two masks, and for bits beyond the 52.

    >>> holders_of([np.array([bit], np.uint64) for bit in (2, 1, 0, 0)])[0, -3:].tolist()
    [5, 0, 1]
    """
    west, north, east, south, *out = masks
    held = west | north | east | south
    # Not by exclusive or, which does not find a card in three hands.
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
    """Return the masks of (N, 52) flags, (N,)."""
    # `packbits` returns seven bytes for 52 bits; with an eighth in front they are a big-endian number of 64 bits.
    wide = np.zeros((len(bits), 8), np.uint8)
    wide[:, 1:] = np.packbits(bits.astype(np.bool_), axis=1)
    # The lowest four bits of the last byte are unused.
    return wide.view(">u8")[:, 0].astype(np.uint64) >> np.uint64(4)


def _cells(masks: Masks) -> Holders:
    """Return the flags of masks, (N, 52) zeros and ones."""
    octets = (masks << np.uint64(4)).astype(">u8").view(np.uint8).reshape(-1, 8)
    return np.unpackbits(octets[:, 1:], axis=1, count=52)
