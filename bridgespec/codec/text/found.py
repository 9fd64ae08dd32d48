"""What a reading collects on its way, and how it tells why a text does not fit: the furthest place, and what was wanted there."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from bridgespec.codec.text.tree import Note, TextNode
from bridgespec.spec.grammar import Literal, Pattern, Restart, Rule

STEPS = 20_000
"""How many steps one explanation may take; past it the place is the furthest found so far."""
DEEP = 100
"""How deep rules that reach themselves may go."""
_LAYOUT = "\0"
"""Before the name of layout, and of a mistake that has a finding of its own, which are left out of messages where something else
could stand."""


class OutOfSteps(Exception):
    """An explanation has taken as many steps as it may."""


class Trail:
    """How far a reading came, and what was wanted there; ``says`` is how the rule that is being read names all of it."""

    def __init__(self) -> None:
        self.furthest = -1
        self.wanted: dict[str, None] = {}
        self.says: str | None = None
        self.steps = 0

    hands_over = False
    """Whether texts of fields are read by the rules that they are delegated to; an explanation of their record does without."""

    def enter(self, rule: str, at: int) -> None:
        """Note that a rule is tried at an offset."""

    def leave(self, stop: int | None) -> None:
        """Note where the rule ends that was entered last; None if it does not match."""

    def want(self, at: int, what: str) -> None:
        """Note what would have fitted at a place."""
        if at > self.furthest:
            self.furthest, self.wanted = at, {}
        if at == self.furthest:
            self.wanted[what] = None

    def step(self) -> None:
        """Count a step; OutOfSteps past the limit."""
        self.steps += 1
        if self.steps > STEPS:
            raise OutOfSteps


@dataclass(slots=True)
class Known:
    """What a rule that reaches itself is at a place: where it ends, and what was found."""

    stop: int | None
    nodes: list[TextNode]
    reports: list[Note]
    notes: list[Sequence[Note]]


class Run:
    """One way along a text: the trail where somebody asks for it, the depth of rules in themselves, and where that was too much.

    ``quick``: bounds are wanted, and neither findings nor, before they are accessed, the fields inside. With ``look``, pairs
    without a finding are read at once. A run is no longer ``clean`` when expressions have read what they do not verify.
    """

    __slots__ = ("clean", "deep", "depth", "known", "look", "quick", "trail")

    def __init__(self, trail: Trail | None = None, depth: int = 0, quick: bool = False, look: bool = False) -> None:
        self.quick = quick
        self.look = look
        self.clean = True
        self.trail = trail
        self.depth = depth
        self.deep: int | None = None
        self.known: dict[tuple[object, int], Known] = {}
        """What rules that reach themselves are, by their place."""


class Found:
    """What has been found of one record: its fields in file order, findings, and whether another record may begin from here on."""

    __slots__ = ("begun", "nodes", "reports", "restart", "run")

    def __init__(self, run: Run, restart: Boundary | None = None, reports: list[Note] | None = None) -> None:
        self.run = run
        self.restart = restart
        self.nodes: list[TextNode] = []
        self.reports: list[Note] = [] if reports is None else reports
        self.begun = False

    def mark(self) -> tuple[int, int, bool]:
        """How much there is, to come `back` to."""
        return len(self.nodes), len(self.reports), self.begun

    def back(self, mark: tuple[int, int, bool]) -> None:
        """Forget what came after a mark."""
        nodes, reports, self.begun = mark
        del self.nodes[nodes:]
        del self.reports[reports:]


class Boundary:
    """Where a record ends because another begins."""

    def __init__(self, word: Restart) -> None:
        self.word = word
        self.at = re.compile(word.at).match
        self.after = re.compile(word.after).match


class Naming:
    """How messages name a rule: by its words, by its name where that is a terminal's, or by what it consists of."""

    def __init__(self, rule: Rule, leaf: bool) -> None:
        self.words = rule.words.says
        self.literal = isinstance(rule.expr, Literal)
        self.aside = rule.is_layout or rule.words.report is not None
        self.named = rule.is_terminal or isinstance(rule.expr, Pattern) or rule.words.report is not None
        self.leaf = leaf
        self.name = rule.name.strip("_").lower().replace("_", " ")

    def enter(self, trail: Trail) -> tuple[str | None, str | None, int]:
        """Read on under this name; gives what `leave` takes."""
        outer, before = trail.says, trail.furthest
        trail.step()
        words = outer or self.words
        inner = words or (self.name if self.named and not self.literal else None)
        if inner is not None and words is None and self.aside:
            inner = f"{_LAYOUT}{inner}"
        trail.says = inner if self.leaf and (self.named or words is not None) else None
        return outer, words, before

    def leave(self, trail: Trail, entered: tuple[str | None, str | None, int], at: int, stop: int | None) -> None:
        """Read on as before. A record that did not begin to fit is wanted by its own words, not by those of its parts."""
        trail.says, words, before = entered
        leaf = self.leaf and (self.named or words is not None)
        if stop is None and words and not leaf and trail.furthest in (at, before):
            trail.wanted = {words: None} if before < at else {**trail.wanted, words: None}


def one_of(wanted: list[str]) -> str:
    """``a``, ``a or b``, ``a, b or c``; layout is named where nothing else is wanted.

    >>> one_of(["a"]), one_of(["a", "b", "c"]), one_of([])
    ('a', 'a, b or c', 'something else')
    """
    shown = [name for name in wanted if not name.startswith(_LAYOUT)][:6] or [name.lstrip(_LAYOUT) for name in wanted[:6]]
    if not shown:
        return "something else"
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} or {shown[-1]}"
