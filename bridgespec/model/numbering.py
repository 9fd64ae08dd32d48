"""Number complete deals from 0 to 52!/(13!)^4 - 1, which fits in 96 bits: `number_of` and `holders_of` convert one deal,
`numbers_of` and `deals_of` many.

A number is the position of the deal in the order of all deals in which the holder of the first card changes slowest, then that of
the second card, and so on. So if P deals remain, with d cards of which ``count`` belong to a seat, the card belongs to the seat in
P * count / d of the deals. Source: R. Pavlicek, "Mapping Bridge Deals"; programs differ in the order of cards and of seats, so both
are arguments. Hands of thirteen cards are numbered by the same rule from 0 to 52!/(13! 39!) - 1.

In arrays deals are (N, 52) ``uint8`` holders in the order of `Card`, and numbers (N, 3) ``uint32`` words, least significant first.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from math import comb, factorial
from typing import TYPE_CHECKING

from bridgespec.lazily import Lazy
from bridgespec.model.cards import SEATS, Seat

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    NumberWords = NDArray[np.uint32]
    Holders = NDArray[np.uint8]
else:
    # Imported on first use: numbers of single deals need no arrays, and NumPy takes a third of the time in which a command starts.
    np = Lazy("numpy")

HANDS = comb(52, 13)
"""The number of hands of thirteen cards, 635,013,559,600."""
DEALS = factorial(52) // factorial(13) ** 4
"""The number of complete deals, 53,644,737,765,488,792,839,237,440,000."""

WNES = (Seat.WEST, Seat.NORTH, Seat.EAST, Seat.SOUTH)
NESW = (Seat.NORTH, Seat.EAST, Seat.SOUTH, Seat.WEST)

_SHORT = 35
"""The most cards that may remain so that the number of their deals fits in 63 bits: 35!/(9! 9! 9! 8!) < 2^63."""
_SPLIT = 33
"""Longer numbers are divided into the lowest 33 bits and the rest, so that both parts fit in a signed integer of 64 bits."""
_LOW = (1 << _SPLIT) - 1

# A state is the number of cards that each seat still needs, as a number in base 14; that of the fourth seat follows from the
# others.
_STRIDES = (196, 14, 1, 0)
# The number of deals converted at a time. 200,000 deals take 1.5 s in chunks of 1,024, 0.4 s in these, 0.3 s in chunks of 65,536.
_CHUNK = 8192

SUITED = tuple(range(52))
"""The cards suit by suit, SA SK .. C2, as numbers of `Card`."""
RANKED = tuple(13 * suit + rank for rank in range(13) for suit in range(4))
"""The cards rank by rank, SA HA DA CA SK .. C2, as numbers of `Card`."""

Seats = Sequence[Seat]
"""The four seats in the order of a numbering."""
CardOrder = Sequence[int]
"""The 52 cards in the order of a numbering, as numbers of `Card`."""


def number_of(holders: bytes, order: CardOrder = SUITED, seats: Seats = WNES) -> int:
    """Return the number of the deal with 52 holders. Raises ValueError if the deal is not complete.

    >>> number_of(bytes([0] * 13 + [1] * 13 + [2] * 13 + [3] * 13))
    0
    """
    _check_seats(seats)
    if len(holders) != 52 or any(holders.count(seat) != 13 for seat in range(4)):
        raise ValueError("only a complete deal has a number")
    number, remaining, counts = 0, DEALS, [13] * 4
    for index, slot in enumerate(order):
        for turn, seat in enumerate(seats):
            # The number of the remaining deals in which the seat has this card; the division has no remainder.
            share = remaining * counts[turn] // (52 - index)
            if holders[slot] == seat:
                remaining = share
                counts[turn] -= 1
                break
            number += share
    return number


def holders_of(number: int, order: CardOrder = SUITED, seats: Seats = WNES) -> bytes:
    """Return the 52 holders of the deal with a number. Raises ValueError unless the number is below `DEALS`.

    >>> list(holders_of(DEALS - 1)[::13])
    [3, 2, 1, 0]
    >>> number_of(holders_of(12345, RANKED, NESW), RANKED, NESW)
    12345
    """
    _check_seats(seats)
    if not 0 <= number < DEALS:
        raise ValueError(f"a deal's number is 0 to {DEALS - 1}, not {number}")
    holders, remaining, counts = bytearray(52), DEALS, [13] * 4
    for index, slot in enumerate(order):
        for turn, seat in enumerate(seats):
            share = remaining * counts[turn] // (52 - index)
            if number < share:
                holders[slot] = seat
                remaining = share
                counts[turn] -= 1
                break
            number -= share
    return bytes(holders)


def number_of_hand(slots: Collection[int], order: CardOrder = SUITED) -> int:
    """Return the number of a hand of thirteen cards among all hands. Raises ValueError for another number of cards.

    >>> number_of_hand(range(13)), number_of_hand(range(39, 52)) == HANDS - 1
    (0, True)
    """
    if len(set(slots)) != 13:
        raise ValueError("only a hand of thirteen cards has a number")
    number, remaining, count = 0, HANDS, 13
    for index, slot in enumerate(order):
        share = remaining * count // (52 - index)
        if slot in slots:
            remaining = share
            count -= 1
        else:
            number += share
            remaining -= share
    return number


def hand_of(number: int, order: CardOrder = SUITED) -> list[int]:
    """Return the thirteen cards of the hand with a number, in the order ``order``. Raises ValueError unless the number is below
    `HANDS`.

    >>> hand_of(1)[-2:], number_of_hand(hand_of(123456789, RANKED), RANKED)
    ([11, 13], 123456789)
    """
    if not 0 <= number < HANDS:
        raise ValueError(f"a hand's number is 0 to {HANDS - 1}, not {number}")
    slots, remaining, count = [], HANDS, 13
    for index, slot in enumerate(order):
        share = remaining * count // (52 - index)
        if number < share:
            slots.append(slot)
            remaining = share
            count -= 1
        else:
            number -= share
            remaining -= share
    return slots


def words_of(numbers: Sequence[int]) -> NumberWords:
    """Return integers as (N, 3) words. Raises ValueError for an integer that is not below 2^96.

    >>> words_of([1, DEALS]).tolist()
    [[1, 0, 0], [2348061184, 1666046565, 2908087061]]
    """
    if any(not 0 <= number < 1 << 96 for number in numbers):
        raise ValueError("a deal's number has 96 bits")
    data = b"".join(number.to_bytes(12, "little") for number in numbers)
    return np.frombuffer(data, dtype="<u4").reshape(-1, 3).astype(np.uint32)


def integers_of(words: NumberWords) -> list[int]:
    """Return (N, 3) words as Python integers.

    >>> integers_of(words_of([1, DEALS])) == [1, DEALS]
    True
    """
    data = np.ascontiguousarray(words, dtype="<u4").tobytes()
    return [int.from_bytes(data[at : at + 12], "little") for at in range(0, len(data), 12)]


def below_deals(words: NumberWords) -> NDArray[np.bool_]:
    """Return for each of (N, 3) words whether it is below `DEALS`, and so the number of a deal.

    >>> below_deals(words_of([DEALS - 1, DEALS])).tolist()
    [True, False]
    """
    first, second, third = (int(word) for word in words_of([DEALS])[0])
    less = words[:, 2] < third
    equal = words[:, 2] == third
    below: NDArray[np.bool_] = less | (equal & ((words[:, 1] < second) | ((words[:, 1] == second) & (words[:, 0] < first))))
    return below


def numbers_of(deals: Holders, order: CardOrder = SUITED, seats: Seats = WNES) -> NumberWords:
    """Return the numbers of (N, 52) deals as (N, 3) words. Raises ValueError for the first deal that is not complete.

    >>> integers_of(numbers_of(deals_of(words_of([0, 10**28])))) == [0, 10**28]
    True
    """
    turn_of = np.empty(4, dtype=np.intp)
    # The index in ``seats`` of each holder.
    turn_of[_check_seats(seats)] = np.arange(4)
    deals = _check_deals(deals)
    words = np.empty((len(deals), 3), dtype=np.uint32)
    for start in range(0, len(deals), _CHUNK):
        _rank(deals[start : start + _CHUNK], words[start : start + _CHUNK], order, turn_of)
    return words


def deals_of(words: NumberWords, order: CardOrder = SUITED, seats: Seats = WNES) -> Holders:
    """Return the (N, 52) deals with the numbers in (N, 3) words. Raises ValueError for the first number that is not below `DEALS`.

    >>> deals_of(words_of([0]))[0, ::13].tolist()
    [0, 1, 2, 3]
    """
    names = _check_seats(seats)
    if words.ndim != 2 or words.shape[1] != 3:
        raise ValueError(f"numbers are (N, 3) words, not {words.shape}")
    deals = np.empty((len(words), 52), dtype=np.uint8)
    for start in range(0, len(words), _CHUNK):
        part, out = words[start : start + _CHUNK], deals[start : start + _CHUNK]
        ties = _unrank(part, out, order, names)
        for row in ties:
            (number,) = integers_of(part[row : row + 1])
            if number >= DEALS:
                raise ValueError(f"number {start + row} is not below {DEALS}: {number}")
            out[row] = np.frombuffer(holders_of(number, order, seats), dtype=np.uint8)
    return deals


def _check_seats(seats: Seats) -> Holders:
    """Return an order of seats as an array. Raises ValueError unless it has each seat once."""
    if sorted(seats) != [0, 1, 2, 3]:
        raise ValueError(f"an order of seats names each of {SEATS} once")
    return np.array(seats, dtype=np.uint8)


def _check_deals(deals: Holders) -> Holders:
    """Return deals as a contiguous array of bytes. Raises ValueError for the first deal that is not complete."""
    if deals.ndim != 2 or deals.shape[1] != 52:
        raise ValueError(f"deals are (N, 52) holders, not {deals.shape}")
    deals = np.ascontiguousarray(deals, dtype=np.uint8)
    complete = np.ones(len(deals), dtype=bool)
    for seat in range(4):
        complete &= np.count_nonzero(deals == seat, axis=1) == 13
    if not complete.all():
        raise ValueError(f"deal {int(np.argmin(complete))} is not complete")
    return deals


@dataclass(frozen=True, slots=True)
class _CardTables:
    """Tables for one card, by state (see `_STRIDES`). Created once for each of the 52 cards.

    ``before`` is the number of deals in which the card belongs to an earlier seat of the order than that with index ``turn``, by
    ``4 * state + turn``. ``edges`` are the same numbers by state for the turns 1 to 3. As long as numbers exceed 63 bits, both have
    only the part above the lowest 33 bits (`_SPLIT`), and ``low`` has the lowest 33 bits; otherwise ``low`` is None.
    """

    before: NDArray[np.int64]
    edges: tuple[NDArray[np.int64], ...]
    low: NDArray[np.int64] | None


@cache
def _card_tables() -> tuple[_CardTables, ...]:
    """Return the tables of the 52 cards."""
    factorials = [factorial(n) for n in range(53)]
    # Python's integers, because the products exceed 64 bits while more than 35 cards remain.
    before = [[[0] * 4 for _ in range(14**3)] for _ in range(52)]
    for counts in product(range(14), repeat=4):
        left = sum(counts)
        if left == 0:
            continue
        deals = factorials[left]
        for count in counts:
            deals //= factorials[count]
        state = sum(count * stride for count, stride in zip(counts, _STRIDES, strict=True))
        before[52 - left][state] = [deals * sum(counts[:turn]) // left for turn in range(4)]
    return tuple(_card_table(rows, long=52 - place > _SHORT) for place, rows in enumerate(before))


def _card_table(rows: list[list[int]], long: bool) -> _CardTables:
    """Return the tables of a card; ``rows`` has a row for each state, ``long`` is whether numbers are divided into two parts."""
    numbers = np.array([[number >> _SPLIT if long else number for number in row] for row in rows], dtype=np.int64)
    low = np.array([[number & _LOW for number in row] for row in rows], dtype=np.int64) if long else None
    edges = tuple(np.ascontiguousarray(numbers[:, turn]) for turn in (1, 2, 3))
    return _CardTables(numbers.ravel(), edges, None if low is None else low.ravel())


def _unrank(words: NumberWords, out: Holders, slots: CardOrder, names: Holders) -> list[int]:
    """Write the deals with the numbers ``words`` to ``out``. Return the rows that are not written: their number is not below
    `DEALS`, or the comparison of the high parts alone was not enough.
    """
    rows = len(words)
    wide = words.astype(np.int64)
    # The 96 bits as the highest 63 and the lowest 33: in signed integers, so that a difference may be negative.
    high = (wide[:, 2] << 31) | (wide[:, 1] >> 1)
    low: NDArray[np.int64] | None = ((wide[:, 1] & 1) << 32) | wide[:, 0]
    undecided = high >= DEALS >> _SPLIT
    # Such rows continue with any number; the caller computes or reports them.
    high[undecided] = 0
    state = np.full(rows, 13 * sum(_STRIDES), dtype=np.intp)
    strides = np.array(_STRIDES, dtype=np.intp)
    edge, taken, at = np.empty(rows, np.int64), np.empty(rows, np.int64), np.empty(rows, np.intp)
    turn, past = np.empty(rows, np.uint8), np.empty(rows, bool)
    for step, slot in zip(_card_tables(), slots, strict=True):
        if step.low is None and low is not None:
            high = (high << _SPLIT) | low
            low = None
        turn.fill(0)
        for edges in step.edges:
            # mode="clip": in the default mode NumPy writes to a buffer before ``out``, which takes 1.5 times as long.
            np.take(edges, state, out=edge, mode="clip")
            np.greater_equal(high, edge, out=past)
            turn += past
        out[:, slot] = turn
        np.multiply(state, 4, out=at)
        at += turn
        np.take(step.before, at, out=taken, mode="clip")
        high -= taken
        if low is not None and step.low is not None:
            np.take(step.low, at, out=taken, mode="clip")
            low -= taken
            high += low >> _SPLIT  # the borrow
            low &= _LOW
            # Negative if the high parts were equal and the low parts are in the other order, which is too rare for a second
            # comparison.
            if rows and high.min() < 0:
                undecided |= high < 0
                high[high < 0] = 0
        np.take(strides, turn, out=at, mode="clip")
        state -= at
    # In the order W N E S turns are seats.
    if any(name != turn for turn, name in enumerate(names)):
        out[:] = names[out]
    return [int(row) for row in np.flatnonzero(undecided)]


def _rank(deals: Holders, words: NumberWords, slots: CardOrder, turn_of: NDArray[np.intp]) -> None:
    """Write the numbers of deals to ``words``; ``turn_of`` is the index of each seat in the order of seats."""
    rows = len(deals)
    high, low = np.zeros(rows, np.int64), np.zeros(rows, np.int64)
    state = np.full(rows, 13 * sum(_STRIDES), dtype=np.intp)
    strides = np.array(_STRIDES, dtype=np.intp)
    for step, slot in zip(_card_tables(), slots, strict=True):
        turn = turn_of[deals[:, slot]]
        at = 4 * state + turn
        before = step.before[at]
        if step.low is None:
            high += before >> _SPLIT
            low += before & _LOW
        else:
            high += before
            low += step.low[at]
        state -= strides[turn]
    # The carry of the low parts, whose sum is below 52 * 2^33.
    high += low >> _SPLIT
    low &= _LOW
    words[:, 0] = low & 0xFFFFFFFF
    words[:, 1] = ((high & 0x7FFFFFFF) << 1) | (low >> 32)
    words[:, 2] = high >> 31
