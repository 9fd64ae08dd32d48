"""The state of one parse (`ParseOptions`, `ParseState`), and the furthest failure, which explains why a text does not match
(`FurthestFailure`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bridgespec.codec.text.text_tree import Note, TextNode
from bridgespec.depth import permit
from bridgespec.spec.grammar import GrammarLiteral, GrammarRule, Pattern, Restart
from bridgespec.spec.grammar.possessive import compile_regex

STEPS = 20_000
"""The maximum number of steps of one explanation; beyond it the furthest offset found so far is used."""
_LAYOUT = "\0"
"""A prefix of the names of layout, and of errors that have a finding of their own: messages omit these where they can name
something else."""


class OutOfSteps(Exception):
    """Raised where explaining a failure takes more than the maximum number of steps."""


class FurthestFailure:
    """The furthest offset at which a parse failed, and names of what would have matched there (``wanted``). One is made for each
    explanation of a failure. ``says`` is the name of the current rule in messages, None where it has none.
    """

    def __init__(self) -> None:
        self.furthest = -1
        self.wanted: dict[str, None] = {}
        self.says: str | None = None
        self.steps = 0

    reads_delegated = False
    """Whether texts of delegated fields are read by their rules too: for traces, not to explain why a record does not match."""

    def enter(self, rule: str, at: int) -> None:
        """Called when a rule is tried at an offset; used by traces."""

    def leave(self, stop: int | None) -> None:
        """Called with the end offset of the rule entered last, None if it does not match; used by traces."""

    def want(self, at: int, what: str) -> None:
        """Record the name of what would have matched at an offset, if that is the furthest."""
        if at > self.furthest:
            self.furthest, self.wanted = at, {}
        if at == self.furthest:
            self.wanted[what] = None

    def step(self) -> None:
        """Count a step. Raises OutOfSteps above the maximum."""
        self.steps += 1
        if self.steps > STEPS:
            raise OutOfSteps


@dataclass(slots=True)
class RecursiveResult:
    """The memoised result of a rule that refers to itself, at one offset: the end offset ``stop`` (None: it does not match), the
    nodes and the findings. ``notes`` are, for each node, the findings that are kept with it (`TextNode.notes`).
    """

    stop: int | None
    nodes: list[TextNode]
    reports: list[Note]
    notes: list[Sequence[Note]]


class ParseOptions:
    """The options of one parse, and its state besides the fields. ``trail`` records the furthest failure, if it is wanted;
    ``depth`` is the present depth of recursion, ``deep`` the first offset at which it was too deep.

    With ``quick``, only the bounds of records are read, and the fields inside on access. With ``look``, pairs that are proven to
    have no finding are read by programs. ``clean`` becomes false when expressions have read a record with delegated or derived
    fields, which they do not verify.
    """

    __slots__ = ("clean", "deep", "depth", "known", "look", "quick", "trail")

    def __init__(self, trail: FurthestFailure | None = None, depth: int = 0, quick: bool = False, look: bool = False) -> None:
        self.quick = quick
        self.look = look
        self.clean = True
        self.trail = trail
        self.depth = depth
        self.deep: int | None = None
        self.known: dict[tuple[object, int], RecursiveResult] = {}
        """Results of rules that refer to themselves, by the reference and the offset."""

    def may_deepen(self) -> bool:
        """Return whether one more level of recursion is permitted."""
        return permit(self.depth + 1)


class ParseState:
    """The result of parsing one record so far: its fields in file order, and its findings. One is made for each record.

    ``restart`` recognises the begin of another record. ``begun``: a field began like the start of a record, so that the record
    ends before the next field that begins another.
    """

    __slots__ = ("begun", "nodes", "reports", "restart", "run")

    def __init__(self, run: ParseOptions, restart: Boundary | None = None, reports: list[Note] | None = None) -> None:
        self.run = run
        self.restart = restart
        self.nodes: list[TextNode] = []
        self.reports: list[Note] = [] if reports is None else reports
        self.begun = False

    def mark(self) -> tuple[int, int, bool]:
        """Return the present state, to be restored by `back`."""
        return len(self.nodes), len(self.reports), self.begun

    def back(self, mark: tuple[int, int, bool]) -> None:
        """Discard everything that was found since `mark` returned this state."""
        nodes, reports, self.begun = mark
        del self.nodes[nodes:]
        del self.reports[reports:]


class Boundary:
    """The compiled patterns of a rule with ``restart``: ``at`` matches where another record begins, ``after`` what must have begun
    in the present record before.
    """

    def __init__(self, word: Restart) -> None:
        self.word = word
        self.at = compile_regex(word.at).match
        self.after = compile_regex(word.after).match


class Naming:
    """The name of a rule in messages about what was expected: the words that the grammar declares for it (``says``), or the name
    of a terminal; without either, the content of the rule is named instead.
    """

    def __init__(self, rule: GrammarRule, leaf: bool) -> None:
        self.words = rule.words.says
        self.literal = isinstance(rule.expr, GrammarLiteral)
        self.aside = rule.is_layout or rule.words.report is not None
        self.named = rule.is_terminal or isinstance(rule.expr, Pattern) or rule.words.report is not None
        self.leaf = leaf
        self.name = rule.name.strip("_").lower().replace("_", " ")

    def enter(self, trail: FurthestFailure) -> tuple[str | None, str | None, int]:
        """Make this the current name while the rule is tried. Return the state for `leave`."""
        outer, before = trail.says, trail.furthest
        trail.step()
        words = outer or self.words
        inner = words or (self.name if self.named and not self.literal else None)
        if inner is not None and words is None and self.aside:
            inner = f"{_LAYOUT}{inner}"
        trail.says = inner if self.leaf and (self.named or words is not None) else None
        return outer, words, before

    def leave(self, trail: FurthestFailure, entered: tuple[str | None, str | None, int], at: int, stop: int | None) -> None:
        """Restore the previous name. If nothing of a record with a name matched, the record is expected, not its parts."""
        trail.says, words, before = entered
        leaf = self.leaf and (self.named or words is not None)
        # A rule that was tried before the furthest offset is not what was wanted there.
        if stop is None and words and not leaf and trail.furthest <= at:
            trail.wanted = {words: None} if before < at else {**trail.wanted, words: None}
            trail.furthest = at


def one_of(wanted: list[str]) -> str:
    """Return names as text: ``a``, ``a or b``, ``a, b or c``; of more than seven the first six and the number of others. Layout
    is named only where nothing else is.

    >>> one_of(["a"]), one_of(["a", "b", "c"]), one_of([]), one_of(list("abcdefgh"))
    ('a', 'a, b or c', 'something else', 'a, b, c, d, e, f or 2 more')
    """
    shown = [name for name in wanted if not name.startswith(_LAYOUT)] or [name.lstrip(_LAYOUT) for name in wanted]
    if not shown:
        return "something else"
    if len(shown) > 7:
        shown[6:] = [f"{len(shown) - 6} more"]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} or {shown[-1]}"
