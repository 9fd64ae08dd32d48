"""Encode and decode texts: escapes, delimiters and signs of suits, as a schema declares them.
`Memo` caches results by short texts.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar
from urllib.parse import quote, unquote

V = TypeVar("V")
MOST = 4_000
"""The maximum number of values in a memo."""
_CODE = re.compile(r"%(?=[0-9A-Fa-f]{2})")
SIGNS = "♠♥♦♣"
"""The signs of the suits, from spades down."""
_SLOT = "\x00"
"""A placeholder for the mark before a suit while the rest of a text is escaped or unescaped."""
_LINE_ENDS = frozenset("\r\n")


def unescaped(how: str | None, text: str) -> str:
    """Return the characters of a Latin-1 text: decode its escapes by the method ``how``, then UTF-8 if it is valid, else
    Windows-1252.

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


def escaped(how: str | None, text: str, encoding: str = "latin-1") -> str:
    """Return characters as bytes in ``encoding``, escaped by the method ``how``, in the form of Latin-1 text. Raises
    UnicodeEncodeError if the encoding lacks one of them.

    >>> escaped("percent-codes", "100%20"), escaped("percent", "5+"), escaped(None, "€", "utf-8")
    ('100%2520', '5%2B', 'â\\x82¬')
    """
    text = text.encode(encoding).decode("latin-1")
    if how == "backslash":
        # In this order: the backslashes that escape quotes must not be doubled.
        return text.replace("\\", "\\\\").replace('"', '\\"')
    if how == "percent":
        return quote(text, safe="!'()*,;:@$/?~ ", encoding="latin-1").replace(" ", "%20")
    if how == "percent-codes":
        return _CODE.sub("%25", text)
    return text


def suit_signs(spades: str, how: str | None, text: str) -> str:
    r"""Return the characters of a Latin-1 text with spelled suits replaced by their symbols. ``spades`` is the spelling of
    spades, which ends with a letter; others end with their own letter. If the letter is lower-case, both cases are read.

    >>> suit_signs("!s", "percent-codes", "5+ !S, no%21s"), suit_signs(r"\S", "backslash", r"the \Dx, no \\S")
    ('5+ ♠, no!s', 'the ♦x, no \\S')
    """
    mark, letters = re.escape(spades[:-1]), "shdcSHDC" if spades.islower() else "SHDC"
    # An escaped mark is no mark, so that suits are found before the text is unescaped.
    other = f"{mark}{mark}|" if how == "backslash" else ""
    found = re.sub(f"{other}{mark}([{letters}])", lambda one: _SLOT + one[1].upper() if one[1] else one[0], text)
    return re.sub(f"{_SLOT}([SHDC])", lambda one: SIGNS["SHDC".index(one[1])], unescaped(how, found))


def suit_marks(spades: str, how: str | None, text: str, encoding: str = "latin-1") -> str:
    r"""Return the escaped bytes of a text, as Latin-1 text, with the symbols of suits spelled as `suit_signs` reads them.

    Raises UnicodeEncodeError if the encoding lacks another character.

    >>> suit_marks("!s", "percent-codes", "5+ ♠, no!s"), suit_marks(r"\S", None, "♦x")
    ('5+ !s, no%21s', '\\Dx')
    """
    mark, letters = spades[:-1], "shdc" if spades.islower() else "SHDC"
    text = escaped(how, re.sub(f"[{SIGNS}]", lambda one: _SLOT + letters[SIGNS.index(one[0])], text), encoding)
    if how in ("percent", "percent-codes"):
        text = re.sub(f"{re.escape(mark)}(?=[shdcSHDC])", f"%{ord(mark):02X}", text)
    return text.replace(_SLOT, mark)


@dataclass(frozen=True, slots=True)
class Between:
    """The delimiters around a text, such as ``{`` and ``}``. A closing line end may be that of any platform, or missing.

    >>> Between("{", "}").inside("{a b}"), Between(";", "\\n").inside(";a\\r\\n"), Between("(", ")").around("a")
    ('a b', 'a', '(a)')
    """

    before: str
    after: str

    def inside(self, text: str) -> str:
        """Return a text without its delimiters; a delimiter may be missing."""
        text = text.removeprefix(self.before)
        if self.after and _LINE_ENDS.issuperset(self.after):
            return text.rstrip("\r\n")
        # Blanks after the closing delimiter are removed with it.
        bare = text.rstrip(" \t") if self.after and not text.endswith(self.after) else text
        return bare.removesuffix(self.after) if bare.endswith(self.after) else text

    def around(self, text: str) -> str:
        """Return a text with its delimiters. A closing delimiter inside the text, which would end it, is written as ``)``."""
        return self.before + (text.replace("}", ")") if self.after == "}" else text) + self.after


class Memo(dict[Any, V]):
    """A cache of limited size. A full memo is cleared: memory does not grow with the file, and repetitions are mostly near each
    other.

    >>> memo = Memo[str]()
    >>> memo.keep("a", "A"), memo
    ('A', {'a': 'A'})
    """

    __slots__ = ()

    def keep(self, key: Any, value: V) -> V:
        """Cache a value, and return it."""
        if len(self) >= MOST:
            self.clear()
        self[key] = value
        return value


class MadeMemo(Memo[V], Generic[V]):
    """A memo that computes missing values; values of keys longer than 64 are not cached, since they seldom repeat.

    >>> memo = MadeMemo(str.upper)
    >>> memo["a"], memo["b" * 65] == "B" * 65, list(memo)
    ('A', True, ['a'])
    """

    __slots__ = ("make",)
    LONGEST = 64

    def __init__(self, make: Callable[[Any], V]) -> None:
        super().__init__()
        self.make = make

    def __missing__(self, key: Any) -> V:
        made = self.make(key)
        return made if len(key) > self.LONGEST else self.keep(key, made)
