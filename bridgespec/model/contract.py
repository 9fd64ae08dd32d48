"""Contracts: what the auction bought."""

from __future__ import annotations

import re
from dataclasses import dataclass

from bridgespec.model.cards import STRAINS, Named, Strain


class Doubling(Named):
    """Whether the contract was doubled; the value is the factor's exponent."""

    UNDOUBLED = 0
    DOUBLED = 1
    REDOUBLED = 2

    @property
    def mark(self) -> str:
        """``""``, ``"X"`` or ``"XX"``."""
        return "X" * self


_CONTRACT = re.compile(r"([1-7])\s*(NT|[NSHDC])\s*(|XX?|DBL|RDBL|D|R)", re.IGNORECASE)
_MARKS = {
    "": Doubling.UNDOUBLED,
    "X": Doubling.DOUBLED,
    "D": Doubling.DOUBLED,
    "DBL": Doubling.DOUBLED,
    "XX": Doubling.REDOUBLED,
    "R": Doubling.REDOUBLED,
    "RDBL": Doubling.REDOUBLED,
}


@dataclass(frozen=True, slots=True)
class Contract:
    """Level 1..7, strain and doubling; level 0 is a board that all four passed. The declarer stands with the board.

    >>> str(Contract.parse("3nt x")), Contract.parse("4S").needed, str(Contract.parse("pass"))
    ('3NTX', 10, 'Pass')
    """

    level: int
    strain: Strain = Strain.NOTRUMP
    doubling: Doubling = Doubling.UNDOUBLED

    def __post_init__(self) -> None:
        if not 0 <= self.level <= 7:
            raise ValueError(f"a contract's level is 0 (passed out) to 7, not {self.level}")

    @classmethod
    def passed_out(cls) -> Contract:
        """The contract of a board without one."""
        return cls(0)

    @classmethod
    def parse(cls, text: str) -> Contract:
        """The contract of ``3NT``, ``4sx``, ``7CXX``, ``1N`` or ``Pass``, in either case; else ValueError."""
        text = text.strip()
        if text.upper() in ("PASS", "P", "AP", "0"):
            return cls.passed_out()
        match = _CONTRACT.fullmatch(text)
        if match is None:
            raise ValueError(f"not a contract: {text!r}")
        level, strain, mark = match.groups()
        return cls(int(level), Strain(STRAINS.index(strain[0].upper())), _MARKS[mark.upper()])

    @property
    def is_passed_out(self) -> bool:
        """Whether nobody bid."""
        return self.level == 0

    @property
    def needed(self) -> int:
        """The tricks that make it: six and the level; 0 where passed out."""
        return self.level + 6 if self.level else 0

    @property
    def symbol(self) -> str:
        """The contract with its suit's sign: ``4♠X``."""
        return f"{self.level}{self.strain.symbol}{self.doubling.mark}" if self.level else "Pass"

    def __str__(self) -> str:
        return f"{self.level}{self.strain.label}{self.doubling.mark}" if self.level else "Pass"


def result_text(contract: Contract, tricks: int) -> str:
    """How players write a result against its contract: ``=``, ``+1``, ``-2``, or ``""`` where the board was passed out.

    >>> result_text(Contract.parse("4S"), 10), result_text(Contract.parse("3NT"), 7)
    ('=', '-2')
    """
    if contract.is_passed_out:
        return ""
    over = tricks - contract.needed
    return f"{over:+d}" if over else "="
