"""The expressions of a grammar in compiled form: one class for each kind of expression, which reads and writes it.

Choices are ordered and expressions never backtrack, so an expression has at most one parse at an offset. One that does not match
leaves the nodes found so far in the `ParseState`; a choice or a repetition, which continues after a failure, discards them.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property

from bridgespec.codec.text.parse_state import Boundary, Naming, ParseState
from bridgespec.codec.text.pending_values import CannotEncode, PendingValues, WrittenPart
from bridgespec.codec.text.text_tree import RuleShape, TextNode
from bridgespec.spec import ir
from bridgespec.spec.grammar import ReportForm
from bridgespec.spec.grammar.possessive import compile_regex

SPELLINGS = ("", "\r\n", " ", "0", "a", "\n")
"""Spellings of layout for which the grammar declares none: the first one that its pattern matches is written."""

OFTEN = 64
"""The number of times that a choice is read before it is compiled."""


class TextExpression(ABC):
    """Base class of compiled expressions. ``inside`` are the expressions that it is composed of, ``names`` the fields that it may
    make. The engine makes one for each expression of the grammar.
    """

    def __init__(self, inside: Sequence[TextExpression] = ()) -> None:
        self.inside = tuple(inside)
        self.names: frozenset[str] = frozenset().union(*(piece.names for piece in inside))

    @abstractmethod
    def read(self, text: str, at: int, end: int, into: ParseState) -> int | None:
        """Match ``text`` at the offset ``at``, not beyond ``end``. Return the end offset, or None if it does not match. Nodes and
        findings are added to ``into``.
        """

    @abstractmethod
    def write(self, left: PendingValues) -> str:
        """Return the text for values taken from ``left``, with the placeholder `MARK` in place of each value's text. Raises
        `CannotEncode` where the values do not match.
        """

    @abstractmethod
    def regex(self, emit: Emit) -> str:
        """Return one regular expression that matches the same text without backtracking. Raises `NotRegular` if none does."""

    @property
    def steps(self) -> tuple[TextExpression, ...]:
        """The items of a sequence; for any other expression, itself."""
        return (self,)

    @property
    def single(self) -> tuple[str, RuleValueShape] | None:
        """The field and its rule, if the expression is just one reference to a field; else None."""
        return None

    @cached_property
    def reporting(self) -> bool:
        """Whether a text that matches the expression can have a finding."""
        return any(piece.reporting for piece in self.inside)

    @cached_property
    def behind(self) -> int:
        """How many characters before the matched text the expression looks at: 0, 1, or 2 for more or unknown."""
        return max([piece.behind for piece in self.inside], default=0)


class NotRegular(Exception):
    """Raised for an expression without an equivalent regular expression: it refers to itself, or ends where another record
    begins.
    """


@dataclass(frozen=True, slots=True)
class Emit:
    """Options for converting an expression to a regular expression."""

    groups: list[TextExpression] | None = None
    """Collects the field or the repeated section of each group, in order; None for an expression without groups."""
    clean: bool = False
    """Whether texts that can have a finding are not matched; all other texts match as without the option."""
    near: bool = False
    """Whether texts whose match depends on the character before them are not matched; all others match as without the option."""
    pair: RuleValueShape | None = None
    """The rule of the record's pairs: if set, only the fields of pairs have groups, not those of the record."""
    field: str = ""
    """The field of the record whose values are these pairs."""
    wanted: frozenset[str] | None = None
    """The fields that have groups, None for all; with ``pair`` the fields of the pair, and the empty name for the whole pair."""
    above: str = ""
    """A field with two groups: the character before its text, and its text. Empty for none."""
    until: TextExpression | None = None
    """An item of the rule's sequence before which the regular expression ends."""
    within: frozenset[str] = frozenset()
    """Fields that are records: the group of each is followed by groups for the fields of that record."""

    def bare(self) -> Emit:
        """Return the same options without groups."""
        return Emit(None, self.clean, self.near)

    def avoids(self, piece: TextExpression) -> bool:
        """Whether the regular expression for ``piece`` matches fewer texts than ``piece`` does, because of these options."""
        return (self.clean and piece.reporting) or (self.near and piece.behind > 0)


PLAIN = Emit()
NEVER = "(?!)"
"""A regular expression that matches no text."""


class RuleValueShape(RuleShape):
    """Base class of the objects that read and write the value of a rule: a text, a code or a record.

    A text that matches a rule with ``report`` has this finding. A record ends where ``restart`` recognises the begin of another.
    """

    naming: Naming
    report: ReportForm | None
    restart: Boundary | None = None

    @property
    @abstractmethod
    def body(self) -> TextExpression:
        """The expression of the rule."""

    @abstractmethod
    def node(self, decl: ir.Field | None, field: str, text: str, at: int, end: int, into: ParseState) -> TextNode | None:
        """Match the rule at the offset ``at``, not beyond ``end``. Return a node for the field ``field`` with the declaration
        ``decl``; None if the rule does not match. Findings are added to ``into``.
        """

    @abstractmethod
    def spell(self, value: object, path: str) -> str:
        """Return the text that the rule writes for a plain value. Raises `CannotEncode`, with the value's ``path``, if the rule
        matches no such text.
        """

    @cached_property
    def behind(self) -> int:
        return self.body.behind

    def regex(self, emit: Emit) -> str:
        return self.body.regex(emit)


class TerminalExpression(TextExpression):
    """A literal text or a regular expression of the grammar. ``spelling`` is the text to write (None: the first of `SPELLINGS`
    that matches), ``says`` the name in messages; ``settled``: it can match a text in one way only.
    """

    def __init__(self, regex: str, spelling: str | None, says: str, settled: bool, behind: int) -> None:
        super().__init__()
        self.pattern = regex
        self.spelling = spelling
        self.says = says
        self.settled = settled
        self.behind = behind

    @cached_property
    def match(self) -> Callable[[str, int, int], re.Match[str] | None]:
        """The match function of the compiled regular expression: it takes a text, an offset and the end of the text."""
        return compile_regex(self.pattern).match

    def read(self, text: str, at: int, end: int, into: ParseState) -> int | None:
        found = self.match(text, at, end)
        trail = into.run.trail
        if trail is not None:
            trail.step()
            if found is None:
                trail.want(at, trail.says or self.says)
        return None if found is None else found.end()

    def write(self, left: PendingValues) -> str:
        if self.spelling is None:
            self.spelling = next((text for text in SPELLINGS if compile_regex(self.pattern).fullmatch(text)), None)
        if self.spelling is None:
            raise CannotEncode(f"the grammar does not say how /{self.pattern}/ is written", left.path)
        return self.spelling

    def regex(self, emit: Emit) -> str:
        if emit.avoids(self):
            return NEVER
        # A pattern that can match in several ways is made atomic, so that it is never matched again in another way.
        return self.pattern if self.settled else f"(?>{self.pattern})"


class SequenceExpression(TextExpression):
    """A sequence of expressions."""

    def __init__(self, items: Sequence[TextExpression]) -> None:
        super().__init__(items)
        self.items = self.inside

    @property
    def steps(self) -> tuple[TextExpression, ...]:
        return self.items

    def read(self, text: str, at: int, end: int, into: ParseState) -> int | None:
        for item in self.items:
            stop = item.read(text, at, end, into)
            if stop is None:
                return None
            at = stop
        return at

    def write(self, left: PendingValues) -> str:
        return "".join([item.write(left) for item in self.items])

    def regex(self, emit: Emit) -> str:
        found = []
        for item in self.items:
            if item is emit.until:
                break
            found.append(item.regex(emit))
        return "".join(found)


_BRACKET = re.compile(r"\\.|\[\^?\]?(?:[^\\\]]|\\.)*+\]|[()]", re.DOTALL)
_SOME = re.compile(r"(?:[^\\()\[\]|]|\\[^\d]|\[(?:[^\\\]]|\\.)++\])\+\+")
"""Matches a possessive repetition of one kind of character, at least once."""


def _group_end(pattern: str) -> int:
    """Return the end of the first group in a regular expression that begins with a group."""
    depth = 0
    # Brackets that are escaped or in a class are no groups.
    for match in _BRACKET.finditer(pattern):
        depth += {"(": 1, ")": -1}.get(match[0], 0)
        if depth == 0:
            return match.end()
    return 0


def _as_option(choice: str) -> str:
    """Return an alternative for use in a choice. If it is itself an atomic choice, its brackets are removed, which is equivalent
    and faster.
    """
    return choice[3:-1] if choice.startswith("(?>") and _group_end(choice) == len(choice) else choice


def _optional(inner: str) -> str:
    """Return a regular expression that matches ``inner`` or nothing; a repetition ``++`` becomes ``*+``."""
    some = _SOME.fullmatch(inner) or (inner.startswith("(?:") and inner.endswith(")++") and _group_end(inner) == len(inner) - 2)
    return f"{inner[:-2]}*+" if some else f"(?:{inner})?+"


class ChoiceExpression(TextExpression):
    """Ordered choice. Reads the first alternative that matches; writes the one that consumes most pending values, the earliest on a
    tie.
    """

    def __init__(self, options: Sequence[TextExpression], accelerated: bool) -> None:
        super().__init__(options)
        self.options = self.inside
        self.accelerated = accelerated
        self.reads = 0
        self.silent = [not option.names and not option.reporting for option in options]
        """For each option, whether it makes neither fields nor findings, so that only its end is needed."""

    @cached_property
    def choice(self) -> Callable[[str, int, int], re.Match[str] | None] | None:
        """The match function of a regular expression with one group for each alternative, which shows the one that matches; None
        where some alternative is not regular.
        """
        with suppress(NotRegular):
            return compile_regex("|".join(f"({option.regex(PLAIN)})" for option in self.options)).match
        return None

    def read(self, text: str, at: int, end: int, into: ParseState) -> int | None:
        # Explanations and traces must try each alternative; the end of a record with `restart` depends on the fields before.
        if self.accelerated and into.run.trail is None and into.restart is None:
            self.reads += 1
            # Compiling the expression takes as long as some dozens of readings.
            if self.reads > OFTEN and self.choice is not None:
                found = self.choice(text, at, end)
                if found is None or found.lastindex is None:
                    return None
                index = found.lastindex - 1
                return found.end() if self.silent[index] else self.options[index].read(text, at, end, into)
        mark = into.mark()
        for option in self.options:
            stop = option.read(text, at, end, into)
            if stop is not None:
                return stop
            into.back(mark)
        return None

    def write(self, left: PendingValues) -> str:
        before = left.mark()
        best: tuple[tuple[int, int], str, WrittenPart] | None = None
        failure: CannotEncode | None = None
        options = [option for option in self.options if left.has(option.names)] or self.options
        for option in options:
            try:
                text = option.write(left)
            except CannotEncode as error:
                # The error with the longest path is the most specific one.
                if failure is None or len(error.path) > len(failure.path):
                    failure = error
                if left.failure is None or len(error.path) >= len(left.failure.path):
                    left.failure = error
                left.back(before)
                continue
            # A single alternative need not be undone for a comparison with others.
            if len(options) == 1:
                return text
            # The least rank is the best: fewest pending values, then the alternative that writes the earliest of the given fields.
            rank = -len(left.values), left.first_used(before)
            if best is None or rank < best[0]:
                best = rank, text, left.since(before)
            left.back(before)
        if best is None:
            raise failure or CannotEncode("nothing fits", left.path)
        # The alternatives were undone to compare them: the journal of the best one is repeated.
        left.again(best[2])
        return best[1]

    def regex(self, emit: Emit) -> str:
        """Return an atomic group of the alternatives in order. If ``emit`` excludes some texts of an alternative, such as those
        with findings, such a text matches no later alternative either.
        """
        parts, guard = [], ""
        for option in self.options:
            parts.append(guard + option.regex(emit))
            if emit.avoids(option):
                # Without the guard a text of this option, which is not clean, could match a later option.
                guard += f"(?!{option.regex(PLAIN)})"
        return f"(?>{'|'.join(map(_as_option, parts))})"


class RepeatExpression(TextExpression):
    """A repetition of ``item``, at least ``least`` and at most ``most`` times (None: no maximum), as often as it matches.
    ``spelled``: the item makes no field and may be absent, but is written once.
    """

    def __init__(self, item: TextExpression, least: int, most: int | None, spelled: bool) -> None:
        super().__init__([item])
        self.item = item
        self.least = least
        self.most = most
        self.spelled = spelled

    def read(self, text: str, at: int, end: int, into: ParseState) -> int | None:
        count, nodes, reports = 0, into.nodes, into.reports
        while self.most is None or count < self.most:
            mark = into.mark()
            stop = self.item.read(text, at, end, into)
            # A round without text would repeat for ever.
            if stop is None or (stop == at and self.most is None):
                into.back(mark)
                break
            if len(reports) > mark[1] and len(nodes) > mark[0] and self.most != 1:
                # Findings of a round are kept with its first field: the checks of the fields then report all in text order.
                nodes[mark[0]].notes = [*reports[mark[1] :], *nodes[mark[0]].notes]
                del reports[mark[1] :]
            at, count = stop, count + 1
        return at if count >= self.least else None

    def write(self, left: PendingValues) -> str:
        if not self.names:
            return "".join([self.item.write(left) for _ in range(1 if self.spelled else self.least)])
        if self.item.single is not None:
            return self._values(left, *self.item.single)
        written: list[str] = []
        while (self.most is None or len(written) < self.most) and left.has(self.names):
            before = left.mark()
            try:
                text = self.item.write(left)
            except CannotEncode:
                left.back(before)
                # A field with no other position in the rule can be written only here: stopping would hide the reason.
                if len(written) < self.least or left.has(name for name in self.names if left.places[name] == 1):
                    raise
                break
            # A round that takes no value would be written for ever.
            if len(left.values) == before.values:
                break
            written.append(text)
        if len(written) < self.least:
            raise CannotEncode(f"{self.least} of {', '.join(sorted(self.names))} are wanted, not {len(written)}", left.path)
        return "".join(written)

    def _values(self, left: PendingValues, field: str, rule: RuleValueShape) -> str:
        """Return the text of a repeated reference to the field ``field``: its pending values, each spelled by ``rule``. Raises
        `CannotEncode` if there are fewer than the minimum, or if a value cannot be spelled and the record has no other position
        for it.
        """
        written: list[str] = []
        while left.left(field) and (self.most is None or len(written) < self.most):
            try:
                written.append(left.place(field, rule))
            except CannotEncode:
                if len(written) < self.least or left.places[field] == 1:
                    raise
                break
        if len(written) < self.least:
            raise CannotEncode(f"{self.least} of {field} are wanted, not {len(written)}", left.path)
        return "".join(written)

    def regex(self, emit: Emit) -> str:
        """Return a possessive repetition; where groups are collected and the item has fields, in one group. If ``emit`` excludes
        some texts of the item, such as those with findings, the repetition does not end before such a text but fails.
        """
        if self is emit.until:
            return ""
        stretch = emit.groups is not None and bool(self.names) and self.most != 1
        # A group in a repetition keeps the last round only: a wanted field would lose its values in the other rounds.
        if stretch and emit.wanted is not None:
            if not self.names.isdisjoint(emit.wanted if emit.pair is None else {emit.field}):
                raise NotRegular
            emit, stretch = emit.bare(), False
        if stretch:
            assert emit.groups is not None
            emit.groups.append(self)
        inner = self.item.regex(emit.bare() if stretch else emit)
        count = {(0, 1): "?", (0, None): "*", (1, None): "+"}.get((self.least, self.most))
        count = count or f"{{{self.least},{'' if self.most is None else self.most}}}"
        loop = _optional(inner) if count == "?" else f"(?:{inner}){count}+"
        # If the repetition ended before a round with a finding, the text would be taken for clean; the expressions read that round.
        if emit.avoids(self) and self.least != self.most:
            if self.most not in (1, None):
                raise NotRegular
            another = self.item.regex(PLAIN)
            loop = f"(?>{inner}|(?!{another}))" if self.most == 1 else f"{loop}(?!{another})"
        return f"({loop})" if stretch else loop
