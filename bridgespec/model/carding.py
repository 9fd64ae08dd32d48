"""The carding agreements of a convention card (`Carding`): 40 choices of a lead, and 18 choices of a signal."""

from __future__ import annotations

import re
from dataclasses import dataclass

NOTRUMP_LEADS = (
    "xx", "xxx", "xxxx", "xxxxx", "Qxx", "Qxxx", "Qxxxx", "Qxxxxx", "Qxxxxxx", "AKx", "KQJ", "QJ10", "J109", "1098",
    "KQ109", "AKJ10", "AQJ", "AJ10", "A109", "KJ10", "K109", "Q109",
)  # fmt: skip
"""The 22 holdings of leads against notrump, in the order of a carding record."""
SUIT_LEADS = (
    "xx", "xxx", "xxxx", "xxxxx", "Qxx", "Qxxx", "Qxxxx", "Qxxxxx", "Qxxxxxx", "AK", "AKx", "KQJ", "QJ10", "J109", "1098",
    "KJ10", "K109", "Q109",
)  # fmt: skip
"""The 18 holdings of leads against suits, in the order of a carding record."""
SITUATIONS = (
    "partner leads, notrump", "declarer leads, notrump", "discards, notrump",
    "partner leads, suits", "declarer leads, suits", "discards, suits",
)  # fmt: skip
"""The six situations of signals; a carding record has three letters for each, by priority."""
SIGNALS = (
    "none", "attitude, high encourages", "attitude, high discourages", "odd encourages", "odd discourages",
    "count, high even", "count, high odd", "odd/even", "suit preference, high asks high", "suit preference, high asks low",
    "other",
)  # fmt: skip
"""The meanings of the letters A to K of a signal."""
LETTERS = len(NOTRUMP_LEADS) + len(SUIT_LEADS) + 3 * len(SITUATIONS)
"""The number of letters of a carding record, 58."""


@dataclass(frozen=True, slots=True)
class Lead:
    """The card that is led from a holding: ``letter`` A is the first card of the holding, B the second, and so on.

    Some editors write A for "none" and B for the first card of some holdings. A file does not show which is meant; `card`
    interprets A as the first card.
    """

    holding: str
    letter: str

    @property
    def cards(self) -> list[str]:
        """The cards of the holding."""
        # The ten is the only card of two characters, so it is tried first.
        return re.findall("10|.", self.holding)

    @property
    def place(self) -> int:
        """The index from 0 of the card that is led; beyond the last card if the letter stands for none."""
        return ord(self.letter) - ord("A")

    @property
    def card(self) -> str | None:
        """The card that is led; None if the letter stands for no card of the holding.

        >>> Lead("QJ10", "C").card, Lead("xx", "D").card
        ('10', None)
        """
        return self.cards[self.place] if 0 <= self.place < len(self.cards) else None

    @property
    def marked(self) -> str:
        """The holding with brackets around the card that is led.

        >>> Lead("Qxxx", "D").marked
        'Qxx[x]'
        """
        return "".join(f"[{card}]" if i == self.place else card for i, card in enumerate(self.cards))


@dataclass(frozen=True, slots=True)
class Carding:
    """A carding record: 58 letters (22 leads against notrump, 18 against suits, and 3 signals for each of 6 situations), and a free
    text.

    A letter is the index of a choice, A the first; letters beyond the last choice, and small letters, have no meaning.

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
        """The three signals of each situation, by priority; ``"?"`` for a letter beyond K."""
        words = [SIGNALS[place] if (place := ord(x) - ord("A")) < len(SIGNALS) else "?" for x in self.letters[40:]]
        return {situation: (words[3 * i], words[3 * i + 1], words[3 * i + 2]) for i, situation in enumerate(SITUATIONS)}
