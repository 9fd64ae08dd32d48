"""Compute the derived columns with tables over the 8,192 holdings of a suit: one look-up for each suit gives all terms of a hand.

The terms are defined in `model.evaluate`, whose functions fill these tables, and in `tables.par_arrays`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from itertools import product

import numpy as np
from numpy.typing import NDArray

from bridgespec.model.board import standard_dealer, standard_vulnerability
from bridgespec.model.cards import Side
from bridgespec.model.evaluate import TABLES
from bridgespec.model.masks import Masks
from bridgespec.tables.columns import HANDS, SUITS
from bridgespec.tables.par_arrays import CONTRACTS, pars

_BLOCK = 1 << 14
_SIDES = ("NS", "EW")
_EW_DEALS = np.array([standard_dealer(number).side is Side.EW for number in range(4)])
_VULNERABLE = np.array([standard_vulnerability(number) for number in range(16)], np.uint8)
_HOLDING = np.uint64(8191)


@dataclass(frozen=True, slots=True)
class Derived:
    """A derived column: its values, and which rows have none (None: all have one); for a text the values are indexes into
    ``words``.
    """

    values: NDArray[np.generic]
    absent: NDArray[np.bool_] | None = None
    words: tuple[str, ...] = ()


@cache
def _shapes() -> tuple[tuple[str, ...], NDArray[np.uint8]]:
    """Return every shape, and the index of the shape by ``196 * spades + 14 * hearts + diamonds``."""
    names: dict[str, int] = {}
    places = np.zeros(14**3, np.uint8)
    for spades, hearts, diamonds in product(range(14), repeat=3):
        clubs = 13 - spades - hearts - diamonds
        if clubs >= 0:
            name = "".join(map(str, sorted((spades, hearts, diamonds, clubs), reverse=True)))
            # Three lengths determine the fourth, so base 14 with three digits is enough.
            places[196 * spades + 14 * hearts + diamonds] = names.setdefault(name, len(names))
    return tuple(names), places


@cache
def _octets() -> list[NDArray[np.uint64]]:
    """Return for each suit a table over its holdings, packed in bytes: its length at the suit's byte, then a byte for each term."""
    shared = np.zeros(8192, np.uint64)
    for at, name in enumerate(("high", "controls", "losers")):
        # Sums over four suits stay in their byte: 40 points, 12 controls, 12 losers, 13 cards at most.
        shared |= TABLES[name].astype(np.uint64) << np.uint64(32 + 8 * at)
    lengths = TABLES["length"].astype(np.uint64)
    return [shared + (lengths << np.uint64(8 * suit)) for suit in range(4)]


def hand_terms(mask: Masks) -> NDArray[np.uint8]:
    """Return the terms of many hands, shape (8, N): the four lengths, high-card points, controls, losers, and the index of the
    shape.

    >>> hand_terms(np.array([0b11111 << 47 | 1 << 38 | 1 << 25 | 0b111111 << 7], np.uint64))[:7, 0].tolist()
    [5, 1, 1, 6, 28, 10, 0]
    """
    count = len(mask)
    out = np.empty((8, count), np.uint8)
    tables = _octets()
    places = _shapes()[1]
    for low in range(0, count, _BLOCK):
        part = mask[low : low + _BLOCK]
        # Indices are below 8,192 by their making; "clip" spares NumPy the test of each.
        total = tables[3].take((part & _HOLDING).view(np.int64), mode="clip")
        for suit in (0, 1, 2):
            holding = (part >> np.uint64(13 * (3 - suit))) & _HOLDING
            total += tables[suit].take(holding.view(np.int64), mode="clip")
        # The order of bytes is stated: on a machine with the other one the terms would be read backwards.
        octets = total.astype("<u8", copy=False).view(np.uint8).reshape(-1, 8).T
        out[:7, low : low + _BLOCK] = octets[:7]
        lengths = octets[:3].astype(np.intp)
        out[7, low : low + _BLOCK] = places.take(196 * lengths[0] + 14 * lengths[1] + lengths[2], mode="clip")
    return out


def derived(
    masks: Mapping[str, Masks],
    absent: NDArray[np.bool_] | None,
    tricks: NDArray[np.uint8] | None,
    ew_deals: NDArray[np.bool_],
    vulnerability: NDArray[np.uint8],
) -> dict[str, Derived]:
    """Return the derived columns of boards, from the masks of their hands (``absent`` marks boards without a deal) and from their
    trick tables. Values that are not known are absent: the terms of a hand that has not thirteen cards, and par without all twenty
    results; a table of zeros counts as unsolved.
    """
    found: dict[str, Derived] = {}
    for hand in HANDS if masks else ():
        terms = hand_terms(masks[hand])
        # The terms are defined for thirteen cards, and the index of a shape for lengths of that sum.
        none: NDArray[np.bool_] = np.asarray(terms[:4].sum(axis=0) != 13, np.bool_)
        if absent is not None:
            np.logical_or(none, absent, out=none)
        gone: NDArray[np.bool_] | None = none if none.any() else None
        for at, name in enumerate((*SUITS, "hcp", "controls", "losers")):
            found[f"{hand}_{name}"] = Derived(terms[at], gone)
        found[f"{hand}_shape"] = Derived(terms[7], gone, _shapes()[0])
    if tricks is not None:
        # A table of zeros is one that was never solved: the side with the ace of trumps wins a trick.
        unknown: NDArray[np.bool_] = np.asarray((tricks > 13).any(axis=1) | ~tricks.any(axis=1), np.bool_)
        some = bool(unknown.any())
        best = pars(np.where(unknown[:, None], 0, tricks) if some else tricks, ew_deals, vulnerability)
        gone = unknown if some else None
        found["par_score"] = Derived(best.score, gone)
        found["par_contract"] = Derived(best.contract, gone, CONTRACTS)
        passed = best.contract == 0
        found["par_side"] = Derived(best.by_ew.view(np.uint8), passed if gone is None else passed | gone, _SIDES)
    return found


def standard(numbers: NDArray[np.int64]) -> tuple[NDArray[np.bool_], NDArray[np.uint8]]:
    """Return whether East or West deals, and the vulnerability, by the numbers of boards.

    >>> [part.tolist() for part in standard(np.array([1, 2, 16]))]
    [[False, True, True], [0, 1, 2]]
    """
    return _EW_DEALS[numbers % 4], _VULNERABLE[numbers % 16]
