"""Read numbers in the cells of tables, in fields of text formats and in options.

``int``, ``float`` and ``Fraction`` read much that no file means by a number: the digits of every script, ``1_000``, ``1e9`` and
``nan``; they raise errors of Python's own for a superscript, for ``1/0`` and for thousands of digits.
"""

from __future__ import annotations

import re
from fractions import Fraction

MOST_DIGITS = 18
"""The most digits that are read: every such number fits 64 bits, and ``int`` refuses texts of thousands of digits."""
_INTEGER = re.compile(r"[+-]?[0-9]{1,18}")
_DECIMAL = re.compile(r"[+-]?(?:[0-9]{1,18}(?:\.[0-9]{0,18})?|\.[0-9]{1,18})")


def whole_number(text: str, most: int = MOST_DIGITS) -> int | None:
    """Return the number of a text of 1 to ``most`` ASCII digits; None for any other text.

    >>> whole_number("007"), whole_number("²"), whole_number("٧"), whole_number("-7"), whole_number("1_2"), whole_number("9" * 19)
    (7, None, None, None, None, None)
    """
    # `isdigit` is true of superscripts, which `int` refuses, and `isdecimal` of the digits of every script.
    return int(text) if len(text) <= most and text.isascii() and text.isdecimal() else None


def integer(text: str, allowed: range | None = None) -> int:
    """Return the number of a text of ASCII digits, with or without a sign; ValueError for any other text or number.

    >>> integer("-50"), integer(" +7 ", range(1, 10))
    (-50, 7)
    """
    if _INTEGER.fullmatch(text := text.strip()) is None:
        raise ValueError(f"{text!r} is not a whole number")
    number = int(text)
    if allowed is not None and number not in allowed:
        raise ValueError(f"{number} is not one of {allowed.start} to {allowed.stop - 1}")
    return number


def decimal(text: str) -> Fraction:
    """Return the number of a text of ASCII digits with a decimal point or without, exactly; ValueError for any other text.

    >>> decimal("-4.5"), decimal(".25"), decimal("7")
    (Fraction(-9, 2), Fraction(1, 4), Fraction(7, 1))
    """
    if _DECIMAL.fullmatch(text := text.strip()) is None:
        raise ValueError(f"{text!r} is not a number")
    return Fraction(text)
