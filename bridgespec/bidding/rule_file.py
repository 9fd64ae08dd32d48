"""The contents of a file of rules as written, with names in place of numbers of calls and suits, and with variables.

`reading.Builder` makes one `Module` of each file. A `Module` has sections (`SituationRules`), a section has rules (`BiddingRule`),
and a rule has conditions (`WrittenCondition`). `bridgespec.bidding.compiled` replaces the variables.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

SUFFIX = ".bid"
"""The extension of files of rules."""


@dataclass(frozen=True, slots=True)
class ItemPlace:
    """The place of an item in its file: the path, line and column from 1, and the byte offsets of its start and stop."""

    file: str
    line: int
    column: int
    start: int = 0
    stop: int = 0

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


@dataclass(frozen=True, slots=True)
class RuleTerm:
    """A term of a hand: ``hcp``, or with a suit ``support(M)``; ``suit`` is the name of a suit, a variable, or None."""

    name: str
    suit: str | None = None


@dataclass(frozen=True, slots=True)
class WrittenCondition:
    """A condition as written, perhaps with variables; `CompiledCondition` is its compiled form. Created by `reading.Builder`.

    ``kind`` selects the fields that are used; the others keep their defaults:

    - ``both``, ``either``, ``negated``: ``parts``
    - ``within``: ``term`` from ``low`` to ``high``; ``known``: the same of the hand of the player ``name``
    - ``compare``: ``term``, ``other``, and the relation in ``word``, such as ``>=``
    - ``fact``, ``fact_of``, ``suit_fact``: ``name``, and ``suit`` for the last two
    - ``fact_within``: the number ``name`` of the turn from ``low`` to ``high``
    - ``fact_named``: the question ``word``, perhaps about ``suit``; ``name`` is ``asked`` or ``answered``
    """

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
    """How a rule names its call: FIXED as a call such as ``2M``, the others by a suit, such as ``jump x`` or ``game M``."""

    FIXED = "fixed"
    CHEAPEST = "cheapest"
    JUMP = "jump"
    DOUBLE_JUMP = "double_jump"
    GAME = "game"
    SLAM = "slam"


@dataclass(frozen=True, slots=True)
class RuleCall:
    """The call of a rule as written: ``text`` is a call (``2M``) if the aim is FIXED, else the suit (``M`` of ``jump M``)."""

    aim: Aim
    text: str


@dataclass(frozen=True, slots=True)
class BiddingRule:
    """One rule as written in a file: a call, what it shows, and what it sets. It may contain variables for suits.

    Created by `reading.Builder` and part of a `SituationRules`. The engine never uses it directly: `compiled.CompiledRule` is the
    same rule with a suit for each variable, one for each combination of suits.

    ``shows`` is the condition for the call that the other players may infer from it, ``wants`` a further condition that they may
    not. ``made`` is the call that the rule makes.
    """

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
    """The reason that the file gives for a rule that hardly any auction reaches."""


@dataclass(frozen=True, slots=True)
class SituationStep:
    """One call of a situation: whether our side makes it, and which calls it may be (``(X|2x)``: an opponent doubles or bids)."""

    ours: bool
    calls: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SituationRules:
    """A section of a file as written: a situation (``after 1M (X):``), and the rules below it. Created by `reading.Builder`.

    ``steps`` are the calls of the situation, empty for ``opening``, None for a section that begins with ``when`` and so applies
    after any calls. ``when`` is the further condition on the turn. `compiled.CompiledSituation` is the section with a suit for each
    variable.
    """

    place: ItemPlace
    steps: tuple[SituationStep, ...] | None
    when: WrittenCondition | None
    rules: tuple[BiddingRule, ...]
    module: str = ""


@dataclass(frozen=True, slots=True)
class Take:
    """A line ``take``: the convention's name and the parameters set for it; ``after`` counts the sections of the file above it."""

    name: str
    settings: dict[str, float]
    place: ItemPlace
    after: int = 0


@dataclass(slots=True)
class Module:
    """The contents of one file, with its parameters replaced by numbers. Created by `reading.Builder`, then cached and stored."""

    name: str
    title: str = ""
    kind: str = "convention"
    sources: list[str] = field(default_factory=list)
    parameters: dict[str, float] = field(default_factory=dict)
    sections: list[SituationRules] = field(default_factory=list)
    takes: list[Take] = field(default_factory=list)
    asks: list[str] = field(default_factory=list)
    """The names of the questions that its rules ask (``asks majors``)."""
    asked: list[tuple[str, ItemPlace]] = field(default_factory=list)
    """The questions in its conditions (``asked majors``, ``answered majors``), each with the place of its name."""
