"""a letter of the carding record names no choice

Each of the 58 letters is the number of a choice: A the first card of the holding, B the second ..., or for signals
A..K. A letter beyond that shows a blank, or nothing sensible. For some holdings A means "none" and B the first card; so
one letter more than there are cards passes here.
"""

from __future__ import annotations

from collections.abc import Iterable

from bridgespec.diagnostic import Severity, define
from bridgespec.model.carding import NOTRUMP_LEADS, SIGNALS, SITUATIONS, Carding
from bridgespec.rules._base import Finding
from bridgespec.rules._facts import Facts
from bridgespec.rules._system import others

CODE = define("carding-letter", Severity.WARNING, __doc__)
NEEDS = frozenset({"system"})


def check(facts: Facts) -> Iterable[Finding]:
    """Yield a finding for each letter of a carding record that names no choice."""
    for index, record in others(facts):
        if isinstance(record, Carding):
            for place, message in _wrong(record):
                yield Finding.of(CODE, message, None, ("system", index, "letters", place), ("system", index, "letters"))


def _wrong(record: Carding) -> Iterable[tuple[int, str]]:
    """Yield the index and a message for each letter that names no choice."""
    leads = record.notrump_leads + record.suit_leads
    for place, lead in enumerate(leads):
        # One more than the cards is accepted: editors that write A for "none" count the first card as B.
        if lead.place > len(lead.cards):
            against = "notrump" if place < len(NOTRUMP_LEADS) else "suits"
            yield place, f"{lead.letter} names no card of {lead.holding}, the lead against {against}"
    for offset, letter in enumerate(record.letters[len(leads) :]):
        if ord(letter) - ord("A") >= len(SIGNALS):
            situation = SITUATIONS[offset // 3]
            yield len(leads) + offset, f"{letter} is not a signal (A to K), priority {offset % 3 + 1} when {situation}"
