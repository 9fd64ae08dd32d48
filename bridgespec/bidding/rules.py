"""A system as the language states it: parameters, sections, rules, and conditions that still have variables in them."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

SUFFIX = ".bid"
"""How the names of files of rules end."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where something stands: a file's name, line and column from 1, and bytes from its start."""

    file: str
    line: int
    column: int
    start: int = 0
    stop: int = 0

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


@dataclass(frozen=True, slots=True)
class Term:
    """A term of a hand, and of which suit (a word of the language, a variable included)."""

    name: str
    suit: str | None = None


@dataclass(frozen=True, slots=True)
class Words:
    """A condition: what kind (as the grammar names its forms), and what it speaks of."""

    kind: str
    place: Place
    parts: tuple[Words, ...] = ()
    low: float = 0
    high: float = 99
    term: Term | None = None
    other: Term | None = None
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
class Made:
    """The call of a rule: as written (``2M``), or by a suit."""

    aim: Aim
    text: str


@dataclass(frozen=True, slots=True)
class Rule:
    """One statement: this call shows that."""

    made: Made
    place: Place
    text: str = ""
    shows: Words | None = None
    wants: Words | None = None
    forcing: str | None = None
    asks: tuple[str, str | None] | None = None
    agrees: str | None = None
    artificial: bool = False
    signoff: bool = False
    exclusive: bool = False
    unconditional: bool = False
    prefer: float = 0


@dataclass(frozen=True, slots=True)
class Step:
    """A call of a situation: whose, and which calls it may be."""

    ours: bool
    calls: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Section:
    """A situation and its rules; ``steps`` is None for a section that begins with ``when``, and empty for the opening."""

    place: Place
    steps: tuple[Step, ...] | None
    when: Words | None
    rules: tuple[Rule, ...]
    module: str = ""


@dataclass(frozen=True, slots=True)
class Take:
    """A convention that a file takes, with the parameters that it sets, after so many of the file's own sections."""

    name: str
    settings: dict[str, float]
    place: Place
    after: int = 0


@dataclass(slots=True)
class Module:
    """One file."""

    name: str
    title: str = ""
    kind: str = "convention"
    sources: list[str] = field(default_factory=list)
    parameters: dict[str, float] = field(default_factory=dict)
    sections: list[Section] = field(default_factory=list)
    takes: list[Take] = field(default_factory=list)
