"""Leads and signals: 40 choices of a lead, 18 of a signal."""

from __future__ import annotations

import re
from dataclasses import dataclass

NOTRUMP_LEADS = (
    "xx", "xxx", "xxxx", "xxxxx", "Qxx", "Qxxx", "Qxxxx", "Qxxxxx", "Qxxxxxx", "AKx", "KQJ", "QJ10", "J109", "1098",
    "KQ109", "AKJ10", "AQJ", "AJ10", "A109", "KJ10", "K109", "Q109",
)  # fmt: skip
"""The 22 holdings that are led from against notrump, in their order."""
SUIT_LEADS = (
    "xx", "xxx", "xxxx", "xxxxx", "Qxx", "Qxxx", "Qxxxx", "Qxxxxx", "Qxxxxxx", "AK", "AKx", "KQJ", "QJ10", "J109", "1098",
    "KJ10", "K109", "Q109",
)  # fmt: skip
"""The 18 holdings that are led from against suits, in their order."""
SITUATIONS = (
    "partner leads, notrump", "declarer leads, notrump", "discards, notrump",
    "partner leads, suits", "declarer leads, suits", "discards, suits",
)  # fmt: skip
"""The six situations of signals, three priorities each."""
SIGNALS = (
    "none", "attitude, high encourages", "attitude, high discourages", "odd encourages", "odd discourages",
    "count, high even", "count, high odd", "odd/even", "suit preference, high asks high", "suit preference, high asks low",
    "other",
)  # fmt: skip
"""What the letters A..K of a signal mean."""
LETTERS = len(NOTRUMP_LEADS) + len(SUIT_LEADS) + 3 * len(SITUATIONS)
"""58: how many letters a carding record has."""


@dataclass(frozen=True, slots=True)
class Lead:
    """What is led from a holding: ``letter`` A is its first card, B its second ...

    For some holdings some editors write A for "none" and B for the first card. A file does not show which is meant, so `card` takes
    A as the first card.
    """

    holding: str
    letter: str

    @property
    def cards(self) -> list[str]:
        """The holding card by card."""
        # The ten is the only card of two characters, so it is tried first.
        return re.findall("10|.", self.holding)

    @property
    def place(self) -> int:
        """The index of the card led, from 0; past the end where the letter names none."""
        return ord(self.letter) - ord("A")

    @property
    def card(self) -> str | None:
        """The card led; None where the letter names no card of the holding.

        >>> Lead("QJ10", "C").card, Lead("xx", "D").card
        ('10', None)
        """
        return self.cards[self.place] if 0 <= self.place < len(self.cards) else None

    @property
    def marked(self) -> str:
        """The holding with brackets around the card led.

        >>> Lead("Qxxx", "D").marked
        'Qxx[x]'
        """
        return "".join(f"[{card}]" if i == self.place else card for i, card in enumerate(self.cards))


@dataclass(frozen=True, slots=True)
class Carding:
    """58 letters: 22 leads against notrump, 18 against suits, 6 situations x 3 priorities of signals; then free text.

    Letters are capitals in order from A; others, and those past the last choice, have no meaning.

    >>> carding = Carding("A" * 40 + "BFA" * 6, "Smith echo")
    >>> carding.notrump_leads[14].marked, carding.signals["discards, suits"]
    ('[K]Q109', ('attitude, high encourages', 'count, high even', 'none'))
    """

    letters: str
    text: str = ""

    def __post_init__(self) -> None:
        if len(self.letters) != LETTERS or not (self.letters.isascii() and self.letters.isalpha()):
            raise ValueError(f"a carding record has {LETTERS} letters")

    @property
    def notrump_leads(self) -> tuple[Lead, ...]:
        """The 22 leads against notrump."""
        return tuple(map(Lead, NOTRUMP_LEADS, self.letters[:22]))

    @property
    def suit_leads(self) -> tuple[Lead, ...]:
        """The 18 leads against suits."""
        return tuple(map(Lead, SUIT_LEADS, self.letters[22:40]))

    @property
    def signals(self) -> dict[str, tuple[str, str, str]]:
        """The three signals of each situation by priority; ``"?"`` for a letter past K."""
        words = [SIGNALS[place] if (place := ord(x) - ord("A")) < len(SIGNALS) else "?" for x in self.letters[40:]]
        return {situation: (words[3 * i], words[3 * i + 1], words[3 * i + 2]) for i, situation in enumerate(SITUATIONS)}
