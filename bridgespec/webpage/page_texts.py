"""The texts of the page, in one file that a translator can replace."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

from bridgespec.errors import UsageError
from bridgespec.export._ten import ten
from bridgespec.webpage.scripts import STATIC

PageTexts = Mapping[str, str | Mapping[str, str]]
"""The texts by key. A text with a number is a mapping of plural forms (``one``, ``few``, ``other`` ... as Unicode names them)."""

_LISTS = {"ranks": 13, "rankNames": 13, "suitNames": 4, "seatNames": 4, "seatLetters": 4, "sideNames": 2, "sideLetters": 2}
"""Texts that are lists of words, and how many words each has."""


def texts(data: bytes | None = None) -> PageTexts:
    """Return the English texts, or those of a translation (JSON with the same keys). Raises UsageError where it is invalid.

    Texts that a translation leaves out stay English. A ten is spelled by the environment variable ``BRIDGESPEC_TEN``, else 10.

    >>> texts()["board"], texts(b'{"language": "de", "board": "Board Nr. {number}"}')["board"]
    ('Board {number}', 'Board Nr. {number}')
    """
    own: dict[str, str | dict[str, str]] = json.loads((STATIC / "texts.json").read_text("utf-8"))
    own["ranks"] = str(own["ranks"]).replace("10", ten("10"))
    if data is None:
        return own
    try:
        given = json.loads(data)
    except ValueError as error:
        raise UsageError(f"the texts are not JSON: {error}") from None
    if not isinstance(given, dict):
        raise UsageError("the texts are not a JSON object")
    for key, text in given.items():
        _check(key, text, own.get(key))
    return {**own, **given}


def _check(key: str, text: object, own: str | Mapping[str, str] | None) -> None:
    """Raise UsageError for an invalid text of a translation; ``own`` is the English text, None for an unknown key."""
    if own is None:
        raise UsageError(f"the page has no text {key!r}")
    forms = [text] if isinstance(text, str) else list(text.values()) if isinstance(text, dict) else []
    # `other` is the form of every language, which `Intl.PluralRules` returns where no other applies.
    if not forms or not all(isinstance(form, str) for form in forms) or (isinstance(text, dict) and "other" not in text):
        raise UsageError(f"the text {key!r} is neither a string nor an object of forms with 'other' among them")
    known = _values(own if isinstance(own, str) else " ".join(own.values()))
    # A misspelled name would be shown in braces on the page, where only users of that language see it.
    strange = sorted(set().union(*(_values(str(form)) for form in forms)) - known)
    if strange:
        raise UsageError(f"the text {key!r} has no value {{{strange[0]}}}; it has {', '.join(sorted(known)) or 'none'}")
    if key in _LISTS and len(str(text).split(" ")) != _LISTS[key]:
        raise UsageError(f"the text {key!r} is a list of {_LISTS[key]} words, separated by single blanks")


def _values(text: str) -> set[str]:
    """Return the names in braces of a text, which the page replaces by values."""
    return set(re.findall(r"\{(\w+)\}", text))
