"""`Contract`, the result of an auction, and the results of its play in a player's notation."""

from __future__ import annotations

import re
from dataclasses import dataclass

from bridgespec.model.cards import NamedNumber, Seat, Strain, not_text


class Doubling(NamedNumber):
    """The doubling of a contract; trick points are multiplied by 2 to the power of the value."""

    UNDOUBLED = 0
    DOUBLED = 1
    REDOUBLED = 2

    @property
    def mark(self) -> str:
        """``""``, ``"X"`` or ``"XX"``."""
        return "X" * self

    @property
    def spellings(self) -> tuple[str, ...]:
        """The name, the mark, and other abbreviations."""
        return self.name, *(("",), ("X", "D", "DBL"), ("XX", "R", "RDBL"))[self]


_STRAIN = r"NT|NO[\s-]?TRUMPS?|SPADES?|HEARTS?|DIAMONDS?|CLUBS?|[NSHDC♠♥♦♣]"
_CONTRACT = re.compile(rf"([1-7])\s*({_STRAIN})\s*(|XX?|DBL|RDBL|D|R)(?:\s+(?:BY\s+)?([A-Z]+)|([NESW]))?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Contract:
    """A contract: level 1 to 7, strain and doubling. Level 0 means that all four players passed.

    ``declarer`` is None in a `Board`, which has a field for it.

    >>> str(Contract.parse("3nt x")), Contract.parse("4S").needed, str(Contract.parse("pass"))
    ('3NTX', 10, 'Pass')
    >>> print(Contract.parse("4♠ by n"), Contract.parse("4SXN"), Contract.parse("4S by N").declarer)
    4S by N 4SX by N North
    """

    level: int
    strain: Strain = Strain.NOTRUMP
    doubling: Doubling = Doubling.UNDOUBLED
    declarer: Seat | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.level, int):
            raise TypeError(f"a contract's level is a number, not {self.level!r}: Contract.parse reads text")
        if not 0 <= self.level <= 7:
            raise ValueError(f"a contract's level is 0 (passed out) to 7, not {self.level}")
        if not isinstance(self.strain, Strain):
            # With a letter the contract would print like the right one, and be equal to none.
            raise TypeError(f"a strain is a Strain, not {self.strain!r}: Contract.parse reads text")
        if self.declarer is not None and not self.level:
            raise ValueError("a board that was passed out has no declarer")

    @classmethod
    def passed_out(cls) -> Contract:
        """Return the contract of a board that was passed out."""
        return cls(0)

    @classmethod
    def parse(cls, text: str) -> Contract:
        """Return the contract of a text such as ``3NT``, ``4sx``, ``1N``, ``4S by North``, ``4SN``, ``4 spades`` or ``Pass``, in
        either case. Raises ValueError for any other text.
        """
        if not isinstance(text, str):
            raise not_text(cls, text)
        text = text.strip()
        if text.upper() in ("PASS", "P", "AP", "0"):
            return cls.passed_out()
        match = _CONTRACT.fullmatch(text)
        if match is None:
            raise ValueError(f"not a contract: {text!r}")
        level, strain, mark, name, letter = match.groups()
        # The pattern has a group for the word of "4S by North", and one for the letter of "4SN".
        seat = name or letter
        return cls(int(level), Strain.parse(strain[0]), Doubling.parse(mark), None if seat is None else Seat.parse(seat))

    @property
    def is_passed_out(self) -> bool:
        """Whether nobody bid."""
        return self.level == 0

    @property
    def needed(self) -> int:
        """The number of tricks that make the contract, six plus the level; 0 if it was passed out."""
        return self.level + 6 if self.level else 0

    @property
    def symbol(self) -> str:
        """The contract with its suit's sign: ``4♠X``."""
        return self._text(self.strain.symbol)

    def __str__(self) -> str:
        return self._text(self.strain.label)

    def _text(self, strain: str) -> str:
        """Return the contract with this text for its strain."""
        if not self.level:
            return "Pass"
        return f"{self.level}{strain}{self.doubling.mark}" + (f" by {self.declarer.letter}" if self.declarer is not None else "")


def result_text(contract: Contract, tricks: int) -> str:
    """Return a number of tricks relative to the contract, as players write it: ``=``, ``+1``, ``-2``; ``""`` if it was passed out.

    >>> result_text(Contract.parse("4S"), 10), result_text(Contract.parse("3NT"), 7)
    ('=', '-2')
    """
    if contract.is_passed_out:
        return ""
    over = tricks - contract.needed
    return f"{over:+d}" if over else "="


def read_result(contract: Contract, text: str) -> int:
    """Return the number of the declarer's tricks for a result such as ``=``, ``+1`` or ``-2``. Raises ValueError for any other
    text.

    >>> read_result(Contract.parse("3NT"), "-2"), read_result(Contract.parse("4S"), "=")
    (7, 10)
    """
    word = text.strip()
    if word != "=" and not re.fullmatch(r"[+-][0-9]{1,2}", word):
        raise ValueError(f"not a result: {text!r}; write =, +1 or -2")
    tricks = contract.needed + (0 if word == "=" else int(word))
    if not 0 <= tricks <= 13:
        raise ValueError(f"{contract} {word} is {tricks} tricks")
    return tricks
