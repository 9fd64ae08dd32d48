"""How a piece of text is spelled, both ways: escapes, what it stands between, digits. A schema says which; nothing here knows
a format.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import quote, unquote

_CODE = re.compile(r"%(?=[0-9A-Fa-f]{2})")
_LINE_ENDS = frozenset("\r\n")
_MOST_DIGITS = 18
"""Python refuses to read thousands of digits, and no number here has more."""


def unescaped(how: str | None, text: str) -> str:
    """The characters that a piece of Latin-1 text stands for: its escapes, then UTF-8 where it is that, else Windows-1252.

    >>> unescaped("backslash", 'a \\\\"b\\\\"'), unescaped("percent", "5%2B"), unescaped(None, "\\xc3\\xa9")
    ('a "b"', '5+', 'é')
    """
    if how == "backslash" and "\\" in text:
        text = text.replace('\\"', '"').replace("\\\\", "\\")
    elif how in ("percent", "percent-codes") and "%" in text:
        text = unquote(text, encoding="latin-1")
    if text.isascii():
        return text
    data = text.encode("latin-1")
    for encoding in ("utf-8", "cp1252"):
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            continue
    return text


def escaped(how: str | None, text: str) -> str:
    """The Latin-1 text of some characters, escaped; UTF-8 where Latin-1 lacks one.

    >>> escaped("percent-codes", "100%20"), escaped("percent", "5+"), escaped(None, "€")
    ('100%2520', '5%2B', 'â\\x82¬')
    """
    try:
        text.encode("latin-1")
    except UnicodeEncodeError:
        text = text.encode("utf-8").decode("latin-1")
    if how == "backslash":
        return text.replace("\\", "\\\\").replace('"', '\\"')
    if how == "percent":
        return quote(text, safe="!'()*,;:@$/?~ ", encoding="latin-1").replace(" ", "%20")
    if how == "percent-codes":
        return _CODE.sub("%25", text)
    return text


@dataclass(frozen=True, slots=True)
class Between:
    """What a text stands between: ``{`` and ``}``. A closing line end is any platform's, and may be missing.

    >>> Between("{", "}").inside("{a b}"), Between(";", "\\n").inside(";a\\r\\n"), Between("(", ")").around("a")
    ('a b', 'a', '(a)')
    """

    before: str
    after: str

    def inside(self, text: str) -> str:
        """The text without what it stands between, as far as that is there."""
        text = text.removeprefix(self.before)
        if self.after and _LINE_ENDS.issuperset(self.after):
            return text.rstrip("\r\n")
        return text.removesuffix(self.after)

    def around(self, text: str) -> str:
        """The text with what it stands between."""
        return self.before + text + self.after


@dataclass(frozen=True, slots=True)
class Numeral:
    """How a number is spelled: its ``digits`` in order, the lowest being ``start``; ``modulo`` M: M itself is written as 0, and
    numbers beyond as what is left of them.

    >>> Numeral("0123456789").read("007"), Numeral("abcdefghijklmnop", start=1).read("b"), Numeral(modulo=16).read("0")
    (7, 2, 16)
    >>> Numeral("0123456789ABCDEF").write(13), Numeral(pad="0", width=3).write(22)
    ('D', '022')
    """

    digits: str = "0123456789"
    start: int = 0
    pad: str | None = None
    width: int | None = None
    modulo: int | None = None

    @classmethod
    def of(cls, word: object) -> Numeral:
        """The numeral of a schema's ``number`` word."""
        if not isinstance(word, Mapping):
            return cls()
        base, letters, pad, width, modulo = (word.get(key) for key in ("base", "letters", "pad-left", "width", "modulo"))
        digits = str(letters) if letters is not None else "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[: int(base) if base else 10]
        start = int(word.get("from", 0))
        return cls(digits, start, None if pad is None else str(pad), int(width) if width else None, int(modulo) if modulo else None)

    def read(self, text: str) -> int | None:
        """The number; None where the text is not one."""
        if not text or len(text) > _MOST_DIGITS:
            return None
        if self.digits == "0123456789":
            number = int(text) if text.isascii() and text.isdigit() else None
        else:
            number = 0
            for sign in text:
                place = self.digits.find(sign)
                place = self.digits.find(sign.upper()) if place < 0 else place
                if place < 0:
                    return None
                number = number * len(self.digits) + place
        if number is None:
            return None
        return self.modulo if self.modulo is not None and number == 0 else number + self.start

    def write(self, number: int) -> str:
        """The number's text, padded to its width."""
        number = (number if self.modulo is None else number % self.modulo) - self.start
        text = ""
        while number > 0 or not text:
            number, place = divmod(number, len(self.digits))
            text = self.digits[place] + text
        return text.rjust(self.width, self.pad) if self.pad is not None and self.width is not None else text
