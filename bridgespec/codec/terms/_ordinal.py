"""Deals and hands stored as their number among all deals or hands: one integer, or several in an array.

The axes give the order of the ranking: that of the cards by suit and rank, the last axis varying fastest, and that of the seats.
Without axes the order is SA SK .. C2, and W N E S.
"""

from __future__ import annotations

from typing import Any

from bridgespec.codec.declaration import Declaration
from bridgespec.codec.record_views import RecordView
from bridgespec.codec.terms._cells import limb_of, ranking
from bridgespec.codec.terms._values import BAD_ORDINAL, NOT_A_NUMBER, CannotRepresent
from bridgespec.model import numbering
from bridgespec.model.deal import Deal

MOST_DIGITS = 96
"""The digits of the largest number in base 2."""


def read_ordinal(view: RecordView) -> int | None:
    """Return the number that a view states; None without one. A text that is no number is reported."""
    decl, limb = view.decl, limb_of(view.decl)
    if limb is not None:
        values = [value for value in view.raw_values if isinstance(value, int)]
        return sum(value << limb.width * at for at, value in enumerate(values if limb.low_first else reversed(values)))
    if not decl.of_text and decl.numeral is None:
        return view.number
    number = None if decl.numeral is None else decl.numeral.read(view.text, MOST_DIGITS)
    if number is None and view.is_present and not view.broken:
        view.report(NOT_A_NUMBER, f"{view.raw!r} is not a number")
    return number


def deal_of(view: RecordView) -> Deal | None:
    """Return the deal with the number that a view states; None, with a finding, where there is none."""
    number = read_ordinal(view)
    if number is None or not _in_range(view, number, numbering.DEALS, "deal"):
        return None
    return Deal(numbering.holders_of(number, *ranking(view.decl.binding.axes)))


def hand_of(view: RecordView) -> list[int] | None:
    """Return the thirteen slots of the hand with the number that a view states; None, with a finding, where there is none."""
    number = read_ordinal(view)
    if number is None or not _in_range(view, number, numbering.HANDS, "hand"):
        return None
    return numbering.hand_of(number, ranking(view.decl.binding.axes)[0])


def _in_range(view: RecordView, number: int, count: int, what: str) -> bool:
    """Return whether a number is less than the ``count`` of all deals or hands; another one is reported."""
    if 0 <= number < count:
        return True
    view.report(BAD_ORDINAL, f"a {what}'s number is 0 to {count - 1}, not {number}")
    return False


def write_ordinal(decl: Declaration, number: int) -> Any:
    """Return a number as the plain value of a field: an integer, or the integers of an array. Raises `CannotRepresent` where it
    is too large for the field.
    """
    if not decl.many:
        return number
    limb, count = limb_of(decl), decl.size
    if limb is None or count is None or number >> limb.width * count:
        raise CannotRepresent(f"there is no room for the number {number}")
    values = [number >> limb.width * at & (1 << limb.width) - 1 for at in range(count)]
    return values if limb.low_first else values[::-1]
