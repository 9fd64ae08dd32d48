"""Spellings of numbers in digits or in words, as both schema languages can declare them for a text."""

from __future__ import annotations

from dataclasses import dataclass

MOST_DIGITS = 18
"""The most digits that are read: `int` refuses texts of thousands of digits, and no number of these formats is longer."""


@dataclass(frozen=True, slots=True)
class Numeral:
    """A spelling of numbers: the ``digits`` in order, the first of which has the value ``start``.

    The character ``pad`` pads a number on the left to ``width``; a pad that is a digit follows the sign. With ``modulo`` M, M is
    written as 0, and a larger number as its remainder. Signs that are never written, + and that of -0,
    are read where ``signs`` is true. With ``words`` a number is one of them, the first with the value ``start``, in any case.

    >>> Numeral().read("007"), Numeral("abcdefghijklmnop", start=1).read("b"), Numeral(modulo=16).read("0"), Numeral().read("?")
    (7, 2, 16, None)
    >>> Numeral("0123456789ABCDEF").write(13), Numeral(pad="0", width=3).write(22), Numeral().read("-3")
    ('D', '022', -3)
    >>> Numeral().read("+1"), Numeral(signs=False).read("+1"), Numeral(signs=False).read("-0")
    (1, None, None)
    >>> Numeral(pad=" ", width=4).write(-7), Numeral(pad=" ").read("  -7"), Numeral(pad="0", width=4).write(-7)
    ('  -7', -7, '-007')
    >>> words = Numeral(words=("one", "two"), start=1)
    >>> words.read("Two"), words.read("2"), words.write(1), words.write(3)
    (2, None, 'one', '3')
    """

    digits: str = "0123456789"
    start: int = 0
    pad: str | None = None
    width: int | None = None
    modulo: int | None = None
    signs: bool = True
    words: tuple[str, ...] = ()

    def read(self, text: str, most: int = MOST_DIGITS) -> int | None:
        """Return the number that a text spells, letters in either case, padding removed. None where it is no number, or has more
        than ``most`` digits.
        """
        if self.words:
            lower = text.lower()
            return next((at + self.start for at, word in enumerate(self.words) if word.lower() == lower), None)
        # A pad that is a digit needs no removal: leading zeros do not change the number.
        text = text.lstrip(self.pad) if self.pad is not None and self.pad not in self.digits else text
        digits = text[1:] if text[:1] == "-" or (self.signs and text[:1] == "+") else text
        if not digits or len(digits) > most:
            return None
        number = 0
        for sign in digits:
            place = self.digits.find(sign)
            # Hexadecimal digits are read in either case, unless both cases are digits of their own.
            place = self.digits.find(sign.swapcase()) if place < 0 else place
            if place < 0:
                return None
            number = number * len(self.digits) + place
        if text[0] == "-":
            if number == 0 and not self.signs:
                return None
            number = -number
        return self.modulo if self.modulo is not None and number == 0 else number + self.start

    def write(self, number: int) -> str:
        """Return the text of a number, padded to its width. A number without a word is written in digits."""
        if self.words:
            place = number - self.start
            return self.words[place] if 0 <= place < len(self.words) else str(number)
        number = (number if self.modulo is None else number % self.modulo) - self.start
        left, text = abs(number), ""
        while left or not text:
            left, place = divmod(left, len(self.digits))
            text = self.digits[place] + text
        sign = "-" if number < 0 else ""
        if self.pad is None or self.width is None:
            return sign + text
        return (
            sign + text.rjust(self.width - len(sign), self.pad)
            if self.pad in self.digits
            else (sign + text).rjust(self.width, self.pad)
        )
