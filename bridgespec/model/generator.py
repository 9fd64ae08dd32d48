"""The generator behind Pavlicek's published database of 10,485,760 solved deals: deal i is always the same deal.

A lag-4 multiply-with-carry generator on 32-bit words is seeded anew for every group of 16,384 deals; three words make
a deal's number (`bridgespec.model.numbering`, suited order, W N E S). Source: R. Pavlicek's description, checked
against digests of whole groups.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from bridgespec.model.numbering import deals_of

if TYPE_CHECKING:
    from bridgespec.model.numbering import Holders, Words

GROUP = 16384
"""How many deals follow one seeding."""
DATABASE = 640 * GROUP
"""The number of deals in the published database."""

_MULTIPLIERS = np.array([0x7DD4FFC7, 0x5D4, 0x6F0, 0x13FB], dtype=np.uint64)
"""Multipliers of the four words, the oldest word's first."""
_DISCARDED = 12
_WORD = 0xFFFFFFFF
# The top word of `numbering.DEALS` plus one, and its two lower words.
_HIGH, _LOW = 0xAD55E316, 0x634DDA658BF49200
_BATCH = 128
"""Groups that are generated together: their words are what takes memory, 400 KB a group."""


def chunks(start: int, stop: int) -> Iterator[Holders]:
    """The deals ``start`` to ``stop - 1`` of the sequence, as (N, 52) holders of at most `GROUP` deals at a time.

    The sequence goes on past the `DATABASE`. ValueError where the range is not ``0 <= start <= stop``, or beyond 2^32
    groups.

    >>> [chunk.shape for chunk in chunks(16380, 16390)]
    [(4, 52), (6, 52)]
    """
    for words in number_chunks(start, stop):
        yield deals_of(words)


def number_chunks(start: int, stop: int) -> Iterator[Words]:
    """Yield the deals of `chunks` as (N, 3) words of their numbers.

    >>> next(number_chunks(0, 1)).tolist()
    [[2377248300, 1905587812, 1609652197]]
    """
    if not 0 <= start <= stop:
        raise ValueError(f"not a range of deals: {start} to {stop}")
    # The seed is a 32-bit number of the group, which starts at 1.
    if stop > GROUP * _WORD:
        raise ValueError(f"the sequence has {GROUP * _WORD} deals")
    first, last = start // GROUP, -(-stop // GROUP) if stop > start else 0
    for batch in range(first, last, _BATCH):
        groups = range(batch, min(batch + _BATCH, last))
        # A single group is made only as far as it is asked for; the words of a group cannot be skipped.
        length = GROUP if len(groups) > 1 else stop - batch * GROUP
        numbers = _numbers(_words(groups, 3 * length))
        for place, group in enumerate(groups):
            base = group * GROUP
            yield numbers[max(start - base, 0) : stop - base, place]


def seed(number: int) -> tuple[list[int], int]:
    """Return the state (newest word first) and carry that the generator starts from, before the words that are discarded.

    >>> seed(1)
    ([4194023570, 1694135289, 3576507244, 3295571931], 1887806710)
    """
    mixed = _rotate(number ^ 0xFFFF)
    mixed = _rotate((mixed & 0xFFFF0000) | (number & 0xFFFF))
    value = mixed | ((number << 2) & 0xFFFF) | 3
    words = []
    for _ in range(5):
        value = (value * 0x1C8E815 - 1) & _WORD
        words.append(value)
    return words[:4], words[4]


def _rotate(word: int) -> int:
    return ((word >> 10) | (word << 22)) & _WORD


def _words(groups: range, count: int) -> NDArray[np.uint64]:
    """The first ``count`` words of each group, as (count, groups)."""
    states = [seed(group + 1) for group in groups]
    words = np.empty((4 + _DISCARDED + count, len(groups)), dtype=np.uint64)
    for age in range(4):
        words[3 - age] = [state[age] for state, _ in states]
    carry = np.array([carry for _, carry in states], dtype=np.uint64)
    total = np.empty_like(carry)
    mask, shift = np.uint64(_WORD), np.uint64(32)
    for place in range(4, len(words)):
        # The multipliers add up to less than 2^31, so sums of products with 32-bit words do not overflow 64 bits.
        np.dot(_MULTIPLIERS, words[place - 4 : place], out=total)
        total += carry
        np.bitwise_and(total, mask, out=words[place])
        np.right_shift(total, shift, out=carry)
    return words[4 + _DISCARDED :]


def _numbers(words: NDArray[np.uint64]) -> Words:
    """(3 * deals, groups) words as (deals, groups, 3) words of numbers, below `numbering.DEALS` without a test."""
    drawn = words.reshape(-1, 3, words.shape[1])
    low = (drawn[:, 1] << np.uint64(32)) | drawn[:, 0]
    # The top word is scaled to the range of deals instead of rejecting numbers beyond it, as the published sequence does.
    limit = np.uint64(_HIGH) - (low >= np.uint64(_LOW))
    numbers = np.empty((len(drawn), words.shape[1], 3), dtype=np.uint32)
    numbers[..., 0] = drawn[:, 0]
    numbers[..., 1] = drawn[:, 1]
    numbers[..., 2] = (drawn[:, 2] * limit) >> np.uint64(32)
    return numbers
