"""a text whose first character was read as the disposition

The character after the flags is the disposition, whatever was meant. `NNNNNNN8+ HCP` is not "8+ HCP" but a control bid
(8) with the text "+ HCP"; `NNNNNNN15-17` a signoff (1) with the text "5-17". Write the disposition first: `0` where
there is no agreement.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from bridgespec.diagnostic import Severity, define
from bridgespec.model.convention_card import Disposition
from bridgespec.rules._base import Finding, Repair
from bridgespec.rules._facts import Facts
from bridgespec.rules._system import meanings, named, texts

CODE = define("lost-disposition", Severity.WARNING, __doc__)
NEEDS = frozenset({"system"})
_BROKEN = re.compile(r"\+|[-–]{1,2}\s*\d")
_RANGE = re.compile(r"(\d)\s*[-–]{1,2}\s*(\d{2})(?!\d)")
_WORD = re.compile(r"[A-Z][a-z]+")
_FIRST_WORDS = """
    all any artificial as ask asking asks at balanced bal bid bids both blackwood choice club clubs
    competitive constructive control cue cuebid decides denies diamond diamonds double drop either
    encouraging exactly extra extras
"""
_WORDS = frozenset(_FIRST_WORDS.split())


def check(facts: Facts) -> Iterable[Finding]:
    """Yield a finding for each bidding record whose disposition is probably the first character of its text."""
    written = texts(facts)
    for index, meaning in meanings(facts):
        if meaning.disposition is None or meaning.lengths is not None or not _cut(meaning.disposition, meaning.text):
            continue
        full_text = meaning.disposition.code + meaning.text
        shown = f"{meaning.disposition.label or 'no agreement'} with the text {_short(meaning.text)}"
        message = f"{named(meaning, written[index])} reads as {shown}; {_short(full_text)} was probably meant"
        yield Finding.of(
            CODE,
            message,
            None,
            ("system", index, "disposition"),
            ("system", index),
            help="the character after the flags is the disposition: write 0 there for no agreement",
            fix=Repair("put 0 before the text", ("system", index), replace(meaning, disposition=Disposition.NONE, text=full_text)),
        )


def _cut(disposition: Disposition, text: str) -> bool:
    """Whether the character of the disposition is probably the first of a text that goes on with ``text``."""
    # The codes of dispositions above PREEMPTIVE are letters, which may begin a word; the others are digits of a number.
    if disposition > Disposition.PREEMPTIVE:
        word = _WORD.match(disposition.code + text)
        return word is not None and word[0].lower() in _WORDS
    if _BROKEN.match(text):
        return True
    span = _RANGE.match(text)
    if span and disposition in (1, 2):
        low, high = 10 * int(disposition) + int(span[1]), int(span[2])
        # "1" and "5-17" are 15-17. Nobody plays a range of more than five points: there, the digit is the disposition.
        return low <= high <= low + 5
    return False


def _short(text: str) -> str:
    return f'"{text}"' if len(text) <= 24 else f'"{text[:24]}..."'
