"""Escape text from files for a terminal: control characters are spelled out."""

from __future__ import annotations

import re

# C0 controls but tab and line feed, DEL and C1 controls, bidirectional marks, line separators, surrogates, byte order mark.
_STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufeff]")
_NAME = re.compile("[\t\n]")
"""Control characters that stay in a text, but not in a name."""


def visible(text: str) -> str:
    """Return the text with control characters spelled out; line ends and tabs stay.

    >>> print(visible("a" + chr(27) + "[31m" + chr(0x9b)))
    a\\x1b[31m\\x9b
    """
    # Nearly every text is printable, and `isprintable` is a single pass in C.
    return _STEERING.sub(_spelled, text) if not text.isprintable() else text


def visible_name(text: str) -> str:
    """Return a name with control characters, tabs and line ends spelled out.

    >>> print(visible_name("a" + chr(10) + "b"))
    a\\nb
    """
    return _NAME.sub(_spelled, visible(text))


def visible_json(text: str) -> str:
    """Return JSON text with control characters as JSON escapes, which leave its value unchanged.

    >>> print(visible_json('"' + chr(0x9b) + '"'))
    "\\u009b"
    """
    return _STEERING.sub(lambda sign: f"\\u{ord(sign[0]):04x}", text)


def _spelled(sign: re.Match[str]) -> str:
    """Return the escape of a matched character, as in Python: ``\\x1b``."""
    return sign[0].encode("unicode_escape").decode("ascii")
