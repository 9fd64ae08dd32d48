"""Parse numbers in the cells of tables, in fields of text formats and in options: `whole_number`, `integer`, `decimal`.

``int``, ``float`` and ``Fraction`` also accept texts that no file has as a number (digits of other scripts, ``1_000``, ``1e9``,
``nan``), and raise other errors for a superscript, for ``1/0`` and for thousands of digits.
"""

from __future__ import annotations

import re
from fractions import Fraction

MOST_DIGITS = 18
"""The most digits of a number: every such number fits in 64 bits."""
_INTEGER = re.compile(r"[+-]?[0-9]{1,18}")
_DECIMAL = re.compile(r"[+-]?(?:[0-9]{1,18}(?:\.[0-9]{0,18})?|\.[0-9]{1,18})")


def whole_number(text: str, most: int = MOST_DIGITS) -> int | None:
    """Return the number that a text of 1 to ``most`` ASCII digits represents; None for any other text.

    >>> whole_number("007"), whole_number("²"), whole_number("٧"), whole_number("-7"), whole_number("1_2"), whole_number("9" * 19)
    (7, None, None, None, None, None)
    """
    # `isdecimal` is False for superscripts, but True for the digits of every script, hence `isascii`.
    return int(text) if len(text) <= most and text.isascii() and text.isdecimal() else None


def integer(text: str, allowed: range | None = None) -> int:
    """Return the number that a text of ASCII digits represents, perhaps with a sign. Raises ValueError for any other text, and for
    a number that is not in the range ``allowed``.

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
    """Return the exact number that a text of ASCII digits represents, perhaps with a sign and a decimal point. Raises ValueError
    for any other text.

    >>> decimal("-4.5"), decimal(".25"), decimal("7")
    (Fraction(-9, 2), Fraction(1, 4), Fraction(7, 1))
    """
    if _DECIMAL.fullmatch(text := text.strip()) is None:
        raise ValueError(f"{text!r} is not a number")
    return Fraction(text)
