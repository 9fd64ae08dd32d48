"""Generate the sequence of deals of Pavlicek's published database of 10,485,760 solved deals: `chunks` yields deals of a range.

A multiply-with-carry generator with lag 4 on 32-bit words is seeded for each group of 16,384 deals. Three words determine the
number of a deal (`bridgespec.model.numbering`, cards suit by suit, seats W N E S). Source: R. Pavlicek's description, checked
against digests of complete groups.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from bridgespec.model.numbering import deals_of

if TYPE_CHECKING:
    from bridgespec.model.numbering import Holders, NumberWords

GROUP = 16384
"""The number of deals of a group, for which the generator is seeded once."""
DATABASE = 640 * GROUP
"""The number of deals in the published database."""

_MULTIPLIERS = np.array([0x7DD4FFC7, 0x5D4, 0x6F0, 0x13FB], dtype=np.uint64)
"""The multipliers of the last four words, that of the oldest word first."""
_DISCARDED = 12
"""The number of words after a seed that are not used."""
_WORD = 0xFFFFFFFF
# The top word of `numbering.DEALS` plus one, and its two lower words.
_HIGH, _LOW = 0xAD55E316, 0x634DDA658BF49200
_BATCH = 128
"""The number of groups that are generated together; the words of a group take 400 KB of memory."""


def chunks(start: int, stop: int) -> Iterator[Holders]:
    """Yield the deals ``start`` to ``stop - 1`` of the sequence as (N, 52) holders, at most `GROUP` deals at a time.

    The sequence continues beyond the `DATABASE`. Raises ValueError unless ``0 <= start <= stop``, and for more than 2^32 - 1
    groups.

    >>> [chunk.shape for chunk in chunks(16380, 16390)]
    [(4, 52), (6, 52)]
    """
    for words in number_chunks(start, stop):
        yield deals_of(words)


def number_chunks(start: int, stop: int) -> Iterator[NumberWords]:
    """Yield the numbers of the deals of `chunks`, as (N, 3) words.

    >>> next(number_chunks(0, 1)).tolist()
    [[2377248300, 1905587812, 1609652197]]
    """
    if not 0 <= start <= stop:
        raise ValueError(f"not a range of deals: {start} to {stop}")
    # A group is seeded by its number from 1, which has 32 bits.
    if stop > GROUP * _WORD:
        raise ValueError(f"the sequence has {GROUP * _WORD} deals")
    first, last = start // GROUP, -(-stop // GROUP) if stop > start else 0
    for batch in range(first, last, _BATCH):
        groups = range(batch, min(batch + _BATCH, last))
        # Words cannot be skipped, so a group is generated from its beginning; a single one only as far as needed.
        length = GROUP if len(groups) > 1 else stop - batch * GROUP
        numbers = _numbers(_words(groups, 3 * length))
        for place, group in enumerate(groups):
            base = group * GROUP
            yield numbers[max(start - base, 0) : stop - base, place]


def seed(number: int) -> tuple[list[int], int]:
    """Return the first state of the generator for the group with a number from 1: four words, the newest first, and the carry.

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
    """Return a word of 32 bits rotated to the right by ten bits."""
    return ((word >> 10) | (word << 22)) & _WORD


def _words(groups: range, count: int) -> NDArray[np.uint64]:
    """Return the first ``count`` used words of each group, as (count, groups)."""
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


def _numbers(words: NDArray[np.uint64]) -> NumberWords:
    """Return the numbers of deals as (deals, groups, 3) words, for (3 * deals, groups) words of the generator."""
    drawn = words.reshape(-1, 3, words.shape[1])
    low = (drawn[:, 1] << np.uint64(32)) | drawn[:, 0]
    # As in the published sequence the top word is scaled, so that every number is below `numbering.DEALS` and none is rejected.
    limit = np.uint64(_HIGH) - (low >= np.uint64(_LOW))
    numbers = np.empty((len(drawn), words.shape[1], 3), dtype=np.uint32)
    numbers[..., 0] = drawn[:, 0]
    numbers[..., 1] = drawn[:, 1]
    numbers[..., 2] = (drawn[:, 2] * limit) >> np.uint64(32)
    return numbers
