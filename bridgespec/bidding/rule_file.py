"""The values of a file of rules: parameters, sections, rules, and conditions that still contain variables."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

SUFFIX = ".bid"
"""The extension of files of rules."""


@dataclass(frozen=True, slots=True)
class ItemPlace:
    """The place of an item: a file's name, line and column from 1, and bytes from its start."""

    file: str
    line: int
    column: int
    start: int = 0
    stop: int = 0

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


@dataclass(frozen=True, slots=True)
class RuleTerm:
    """A term of a hand, and its suit (a word of the language, perhaps a variable)."""

    name: str
    suit: str | None = None


@dataclass(frozen=True, slots=True)
class WrittenCondition:
    """A condition as written: its kind (the grammar's name of the form) and the parts that the kind has."""

    kind: str
    place: ItemPlace
    parts: tuple[WrittenCondition, ...] = ()
    low: float = 0
    high: float = 99
    term: RuleTerm | None = None
    other: RuleTerm | None = None
    word: str = ""
    name: str = ""
    suit: str | None = None


class Aim(Enum):
    """How a rule names its call."""

    FIXED = "fixed"
    CHEAPEST = "cheapest"
    JUMP = "jump"
    DOUBLE_JUMP = "double_jump"
    GAME = "game"
    SLAM = "slam"


@dataclass(frozen=True, slots=True)
class RuleCall:
    """The call of a rule: as written (``2M``), or by a suit and an aim (``jump``, ``game``)."""

    aim: Aim
    text: str


@dataclass(frozen=True, slots=True)
class BiddingRule:
    """One statement of the language: this call shows that. Immutable, created by `Builder`."""

    made: RuleCall
    place: ItemPlace
    text: str = ""
    shows: WrittenCondition | None = None
    wants: WrittenCondition | None = None
    forcing: str | None = None
    asks: tuple[str, str | None] | None = None
    agrees: str | None = None
    artificial: bool = False
    signoff: bool = False
    exclusive: bool = False
    unconditional: bool = False
    prefer: float = 0
    because: str = ""
    """The stated reason of a rule that hardly any auction reaches."""


@dataclass(frozen=True, slots=True)
class SituationStep:
    """A call of a situation: which side's, and which calls it may be."""

    ours: bool
    calls: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SituationRules:
    """A situation and its rules; ``steps`` is None for a section that begins with ``when``, and empty for the opening."""

    place: ItemPlace
    steps: tuple[SituationStep, ...] | None
    when: WrittenCondition | None
    rules: tuple[BiddingRule, ...]
    module: str = ""


@dataclass(frozen=True, slots=True)
class Take:
    """A convention that a file takes, with the parameters that it sets; ``after`` counts the sections of the file before it."""

    name: str
    settings: dict[str, float]
    place: ItemPlace
    after: int = 0


@dataclass(slots=True)
class Module:
    """The contents of one file."""

    name: str
    title: str = ""
    kind: str = "convention"
    sources: list[str] = field(default_factory=list)
    parameters: dict[str, float] = field(default_factory=dict)
    sections: list[SituationRules] = field(default_factory=list)
    takes: list[Take] = field(default_factory=list)
    asks: list[str] = field(default_factory=list)
    """The questions that its rules ask."""
    asked: list[tuple[str, ItemPlace]] = field(default_factory=list)
    """The questions that its conditions name, with the place of each name."""
