"""The pieces of a grammar: one class for each way in which rules are put together, which reads and writes.

Choices are ordered and nothing that has matched is taken back, so that each piece reads a text in one way or not at all. A piece
that does not fit leaves what it has found so far in ``into``; a choice or a repetition, which go on after that, forget it.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property

from bridgespec.codec.text.found import Found, Naming
from bridgespec.codec.text.supply import Journal, Supply, Unfit
from bridgespec.codec.text.tree import Shape, TextNode
from bridgespec.spec import ir
from bridgespec.spec.grammar import Report

SPELLINGS = ("", "\r\n", " ", "0", "a", "\n")
"""What layout is written as where the grammar does not say it: the first of these that it matches."""

OFTEN = 64
"""A choice that has been read so often is compiled."""


class Piece(ABC):
    """A piece of a grammar, made of those ``inside``; ``names`` are the fields that it may make."""

    def __init__(self, inside: Sequence[Piece] = ()) -> None:
        self.inside = tuple(inside)
        self.names: frozenset[str] = frozenset().union(*(piece.names for piece in inside))

    @abstractmethod
    def read(self, text: str, at: int, end: int, into: Found) -> int | None:
        """Where the piece ends that begins at ``at`` and goes no further than ``end``; None where it does not fit."""

    @abstractmethod
    def write(self, left: Supply) -> str:
        """The piece written with values taken from ``left``, a `MARK` for the text of each; `Unfit` where they do not do."""

    @abstractmethod
    def regex(self, emit: Emit) -> str:
        """One regular expression that matches the same text and takes nothing back; `Impure` where none can be made."""

    @property
    def steps(self) -> tuple[Piece, ...]:
        """What the piece has one after the other."""
        return (self,)

    @property
    def single(self) -> tuple[str, Value] | None:
        """The field of which the piece is an occurrence and nothing else, and its rule; None of any other piece."""
        return None

    @cached_property
    def reporting(self) -> bool:
        """Whether a finding can come of what the piece matches."""
        return any(piece.reporting for piece in self.inside)

    @cached_property
    def behind(self) -> int:
        """How many characters before its text the piece looks at; 2 stands for more, or for not known."""
        return max([piece.behind for piece in self.inside], default=0)


class Impure(Exception):
    """A piece cannot be one regular expression: it reaches itself, or ends where another record begins in a way of its own."""


@dataclass(frozen=True, slots=True)
class Emit:
    """How a regular expression is made.

    ``groups``, if there are any, take a field or a stretch of fields each, in the order of their numbers. A ``clean`` one
    matches nothing of which a finding can come, a ``near`` one nothing that looks at what stands before it; what either matches
    it matches as the other does. ``wanted`` names the fields that have groups, of ``pair`` where there is one, which ``field``
    is, the nameless one being all of it; before the field ``above`` stands a group for the character before it. Nothing is made of
    the piece ``until``, nor of what follows it. The groups of the fields ``within`` are followed by those of their own fields.
    """

    groups: list[Piece] | None = None
    clean: bool = False
    near: bool = False
    pair: Value | None = None
    field: str = ""
    wanted: frozenset[str] | None = None
    above: str = ""
    until: Piece | None = None
    within: frozenset[str] = frozenset()

    def bare(self) -> Emit:
        """The same without groups."""
        return Emit(None, self.clean, self.near)

    def avoids(self, piece: Piece) -> bool:
        """Whether there are texts of a piece that the expression does not match."""
        return (self.clean and piece.reporting) or (self.near and piece.behind > 0)


PLAIN = Emit()
NEVER = "(?!)"


class Value(Shape):
    """What a rule is worth: a text, a code or a record. ``report`` is the finding that a text of this rule is."""

    naming: Naming
    report: Report | None

    @property
    @abstractmethod
    def body(self) -> Piece:
        """What the rule consists of."""

    @abstractmethod
    def node(self, decl: ir.Field | None, field: str, text: str, at: int, end: int, into: Found) -> TextNode | None:
        """The node of a field at a place; None where the rule does not fit there."""

    @abstractmethod
    def spell(self, value: object, path: str) -> str:
        """The text of a value; `Unfit` where the rule has none."""

    @cached_property
    def behind(self) -> int:
        return self.body.behind

    def regex(self, emit: Emit) -> str:
        return self.body.regex(emit)


class Text(Piece):
    """A literal text or a regular expression, with what is known of that (see `Pattern`)."""

    def __init__(self, regex: str, spelling: str | None, says: str, settled: bool, behind: int) -> None:
        super().__init__()
        self.pattern = regex
        self.spelling = spelling
        self.says = says
        self.settled = settled
        self.behind = behind

    @cached_property
    def match(self) -> Callable[[str, int, int], re.Match[str] | None]:
        """What matches the expression at a place."""
        return re.compile(self.pattern).match

    def read(self, text: str, at: int, end: int, into: Found) -> int | None:
        found = self.match(text, at, end)
        trail = into.run.trail
        if trail is not None:
            trail.step()
            if found is None:
                trail.want(at, trail.says or self.says)
        return None if found is None else found.end()

    def write(self, left: Supply) -> str:
        if self.spelling is None:
            self.spelling = next((text for text in SPELLINGS if re.fullmatch(self.pattern, text)), None)
        if self.spelling is None:
            raise Unfit(f"the grammar does not say how /{self.pattern}/ is written", left.path)
        return self.spelling

    def regex(self, emit: Emit) -> str:
        if emit.avoids(self):
            return NEVER
        return self.pattern if self.settled else f"(?>{self.pattern})"


class Then(Piece):
    """One after the other."""

    def __init__(self, items: Sequence[Piece]) -> None:
        super().__init__(items)
        self.items = self.inside

    @property
    def steps(self) -> tuple[Piece, ...]:
        return self.items

    def read(self, text: str, at: int, end: int, into: Found) -> int | None:
        for item in self.items:
            stop = item.read(text, at, end, into)
            if stop is None:
                return None
            at = stop
        return at

    def write(self, left: Supply) -> str:
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
"""One character or more of a kind."""


def _group_end(pattern: str) -> int:
    """Return where the group ends with which an expression begins."""
    depth = 0
    for match in _BRACKET.finditer(pattern):
        depth += {"(": 1, ")": -1}.get(match[0], 0)
        if depth == 0:
            return match.end()
    return 0


def _options(choice: str) -> str:
    """Return an option of a choice; of one that is a choice itself its options, which mean the same and are faster."""
    return choice[3:-1] if choice.startswith("(?>") and _group_end(choice) == len(choice) else choice


def _optional(inner: str) -> str:
    """Return an expression that may be missing: what occurs once or more, instead any number of times."""
    some = _SOME.fullmatch(inner) or (inner.startswith("(?:") and inner.endswith(")++") and _group_end(inner) == len(inner) - 2)
    return f"{inner[:-2]}*+" if some else f"(?:{inner})?+"


class Either(Piece):
    """The first that fits; writing takes the one that uses most of what is left, and first things first."""

    def __init__(self, options: Sequence[Piece], accelerated: bool) -> None:
        super().__init__(options)
        self.options = self.inside
        self.accelerated = accelerated
        self.reads = 0
        self.silent = [not option.names and not option.reporting for option in options]
        """Whether an option makes neither fields nor findings, so that its end is all that a reading needs."""

    @cached_property
    def choice(self) -> Callable[[str, int, int], re.Match[str] | None] | None:
        """What finds the option that fits by one expression, as its group; None where none can be made."""
        with suppress(Impure):
            return re.compile("|".join(f"({option.regex(PLAIN)})" for option in self.options)).match
        return None

    def read(self, text: str, at: int, end: int, into: Found) -> int | None:
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

    def write(self, left: Supply) -> str:
        before = left.mark()
        best: tuple[tuple[int, int], str, Journal] | None = None
        failure: Unfit | None = None
        options = [option for option in self.options if left.has(option.names)] or self.options
        for option in options:
            try:
                text = option.write(left)
            except Unfit as error:
                if failure is None or len(error.path) > len(failure.path):
                    failure = error
                if left.failure is None or len(error.path) >= len(left.failure.path):
                    left.failure = error
                left.back(before)
                continue
            if len(options) == 1:
                return text
            rank = -len(left.values), left.first_used(before)
            if best is None or rank < best[0]:
                best = rank, text, left.since(before)
            left.back(before)
        if best is None:
            raise failure or Unfit("nothing fits", left.path)
        left.again(best[2])
        return best[1]

    def regex(self, emit: Emit) -> str:
        """As `Piece.regex`; where an option fits that the expression avoids, it tries no other."""
        parts, guard = [], ""
        for option in self.options:
            parts.append(guard + option.regex(emit))
            if emit.avoids(option):
                guard += f"(?!{option.regex(PLAIN)})"
        return f"(?>{'|'.join(map(_options, parts))})"


class Many(Piece):
    """As often as it fits; ``spelled``: optional layout that is written."""

    def __init__(self, item: Piece, least: int, most: int | None, spelled: bool) -> None:
        super().__init__([item])
        self.item = item
        self.least = least
        self.most = most
        self.spelled = spelled

    def read(self, text: str, at: int, end: int, into: Found) -> int | None:
        count, nodes, reports = 0, into.nodes, into.reports
        while self.most is None or count < self.most:
            mark = into.mark()
            stop = self.item.read(text, at, end, into)
            if stop is None or (stop == at and self.most is None):
                into.back(mark)
                break
            if len(reports) > mark[1] and len(nodes) > mark[0] and self.most != 1:
                # Findings of a round go with its first field, so that a later look meets them in their order.
                nodes[mark[0]].notes = [*reports[mark[1] :], *nodes[mark[0]].notes]
                del reports[mark[1] :]
            at, count = stop, count + 1
        return at if count >= self.least else None

    def write(self, left: Supply) -> str:
        if not self.names:
            return "".join([self.item.write(left) for _ in range(1 if self.spelled else self.least)])
        if self.item.single is not None:
            return self._values(left, *self.item.single)
        written: list[str] = []
        while (self.most is None or len(written) < self.most) and left.has(self.names):
            before = left.mark()
            try:
                text = self.item.write(left)
            except Unfit:
                left.back(before)
                if len(written) < self.least or left.has(name for name in self.names if left.places[name] == 1):
                    raise
                break
            if len(left.values) == before.values:
                break
            written.append(text)
        if len(written) < self.least:
            raise Unfit(f"{self.least} of {', '.join(sorted(self.names))} are wanted, not {len(written)}", left.path)
        return "".join(written)

    def _values(self, left: Supply, field: str, rule: Value) -> str:
        """As `write`, of the values of one field, one after the other."""
        written: list[str] = []
        while left.left(field) and (self.most is None or len(written) < self.most):
            try:
                written.append(left.place(field, rule))
            except Unfit:
                if len(written) < self.least or left.places[field] == 1:
                    raise
                break
        if len(written) < self.least:
            raise Unfit(f"{self.least} of {field} are wanted, not {len(written)}", left.path)
        return "".join(written)

    def regex(self, emit: Emit) -> str:
        """As `Piece.regex`; the expression does not stop before a round that it avoids."""
        if self is emit.until:
            return ""
        stretch = emit.groups is not None and bool(self.names) and self.most != 1
        if stretch and emit.wanted is not None:
            if not self.names.isdisjoint(emit.wanted if emit.pair is None else {emit.field}):
                raise Impure
            emit, stretch = emit.bare(), False
        if stretch:
            assert emit.groups is not None
            emit.groups.append(self)
        inner = self.item.regex(emit.bare() if stretch else emit)
        count = {(0, 1): "?", (0, None): "*", (1, None): "+"}.get((self.least, self.most))
        count = count or f"{{{self.least},{'' if self.most is None else self.most}}}"
        loop = _optional(inner) if count == "?" else f"(?:{inner}){count}+"
        if emit.avoids(self) and self.least != self.most:
            if self.most not in (1, None):
                raise Impure
            another = self.item.regex(PLAIN)
            loop = f"(?>{inner}|(?!{another}))" if self.most == 1 else f"{loop}(?!{another})"
        return f"({loop})" if stretch else loop
