"""Views of texts by their places alone, for a board that is bound when it is touched: no node is made for them.

They give what views of nodes give, or raise `Unread` where they cannot tell: then nodes are made and read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from bridgespec.codec.decl import Decl, RuleDecl
from bridgespec.codec.text.engine import TextEngine
from bridgespec.codec.text.pieces import Impure
from bridgespec.codec.text.rows import MANY, SHORT, Fields, Row, Stretch
from bridgespec.codec.view import View
from bridgespec.codec.words import entry_of, roles_in
from bridgespec.diagnostic import Code, Span

T = TypeVar("T")


class Unread(Exception):
    """A text that cannot be told by its places alone."""


class Space:
    """What the texts of one format share: the expressions of its rules, and what has been made of short texts."""

    def __init__(self, engine: TextEngine) -> None:
        self.engine = engine
        self._fields: dict[str, Fields | None] = {}
        self.codes: dict[tuple[str, str], str | None] = {}
        self.rounds: dict[tuple[object, ...], dict[str, tuple[Any, ...]]] = {}
        self.parts: dict[tuple[int, str], list[tuple[str, SpanView]]] = {}
        """The parts of short values by their declaration and text."""

    def fields(self, rule: str) -> Fields:
        """The fields of a rule by one expression."""
        if rule not in self._fields:
            try:
                self._fields[rule] = Fields.of(self.engine, rule)
            except Impure:
                self._fields[rule] = None
        found = self._fields[rule]
        if found is None:
            raise Unread(rule)
        return found

    def code(self, rule: str, text: str) -> str | None:
        """The name of the code that a text is."""
        key = rule, text
        if key not in self.codes:
            named = getattr(self.engine.value(rule), "name", None)
            if named is None or len(self.codes) > MANY:
                raise Unread(rule)
            self.codes[key] = named(text)
        return self.codes[key]


class SpanView:
    """A view of a piece of ``source`` between two places."""

    __slots__ = ("_parts", "decl", "escape", "key", "source", "space", "start", "stop", "term")

    def __init__(
        self, space: Space, source: str, start: int, stop: int, decl: Decl, term: str, escape: str | None = None, key: str = ""
    ) -> None:
        self.space = space
        self.source = source
        self.start = start
        self.stop = stop
        self.decl = decl
        self.term = term
        self.escape = decl.escape or escape
        self.key = key
        self._parts: list[tuple[str, SpanView]] | None = None

    section = ""
    broken = False

    @property
    def columns(self) -> Mapping[str, Decl]:
        """As `View.columns`."""
        return {}

    @property
    def raw(self) -> str:
        """As `View.raw`."""
        return self.source[self.start : self.stop]

    @property
    def raw_value(self) -> object:
        """As `View.raw_value`."""
        return self.raw if self.decl.kind == "leaf" else self.code

    @property
    def raw_values(self) -> Sequence[object]:
        """As `View.raw_values`."""
        raise Unread(self.decl.name)

    @property
    def text(self) -> str:
        """As `View.text`."""
        decl, text = self.decl, self.raw
        if decl.between is not None:
            text = decl.between.inside(text)
        text = decl.decoded(text, self.escape)
        return "" if text in decl.unknown else text

    @property
    def code(self) -> str | None:
        """As `View.code`."""
        decl = self.decl
        return self.space.code(decl.rule.name, self.raw) if decl.kind == "code" and isinstance(decl, RuleDecl) else None

    @property
    def number(self) -> int | None:
        """As `View.number`."""
        decl = self.decl
        return None if decl.numeral is None or decl.kind == "code" else decl.numeral.read(self.text)

    @property
    def span(self) -> Span:
        """As `View.span`; the places of a single board's texts are not those of its file."""
        raise Unread(self.decl.name)

    @property
    def says(self) -> bool:
        """As `View.says`."""
        return self.stop > self.start

    # --- parts

    def _found(self) -> Iterator[tuple[str | Stretch, int, int]]:
        decl = self.decl
        if decl.kind != "record" or not isinstance(decl, RuleDecl) or decl.handed:
            if decl.kind == "record":
                raise Unread(decl.name)
            return iter(())
        found = self.space.fields(decl.rule.name).found(self.source, self.start, self.stop, self.stop)
        if found is None:
            raise Unread(decl.name)
        return found

    def _part(self, field: str, start: int, stop: int) -> Iterator[tuple[str, SpanView]]:
        inner = self.decl.fields[field]
        entry = entry_of(inner, self.term)
        if entry.kind in ("rest", "boards", "term", "pair"):
            return
        if inner.many and entry.whole:
            raise Unread(field)
        view = SpanView(self.space, self.source, start, stop, inner, self.term, self.escape)
        if entry.kind == "look":
            yield from view.walked()
        else:
            yield entry.role, view

    def walked(self) -> Iterator[tuple[str, SpanView]]:
        """The parts with roles, in file order."""
        for part, start, stop in self._found():
            if isinstance(part, str):
                yield from self._part(part, start, stop)
                continue
            at = start
            for text in part.rounds(self.source, start, stop):
                for field, first, last in part.round.found(self.source, at, at + len(text), self.stop) or ():
                    if not isinstance(field, str):
                        raise Unread(self.decl.name)
                    yield from self._part(field, first, last)
                at += len(text)

    def _read(self) -> list[tuple[str, SpanView]]:
        if self._parts is None:
            self._parts = list(self.walked())
        return self._parts

    def parts(self) -> Iterator[tuple[str, View]]:
        """As `View.parts`."""
        yield from self._read()

    def role(self, name: str) -> SpanView | None:
        """As `View.role`; a repetition is looked into only at a round that has the role."""
        if self._parts is not None:
            return next((view for role, view in self._parts if role == name), None)
        for part, start, stop in self._found():
            if isinstance(part, str):
                for role, view in self._part(part, start, stop):
                    if role == name:
                        return view
                continue
            for at, text, roles in self._rounds(part, start, stop, _role):
                if name in roles:
                    inner = list(part.round.found(self.source, at, at + len(text), self.stop) or ())
                    found = (one for field, *places in inner if isinstance(field, str) for one in self._part(field, *places))
                    return next(view for role, view in found if role == name)
        return None

    def roles(self, name: str) -> Sequence[SpanView]:
        """As `View.roles`."""
        return [view for role, view in self._read() if role == name]

    def each(self, make: Callable[[str, View], T]) -> list[T]:
        """As `View.each`; rounds of a repetition, and fields, are known by their texts."""
        made: list[T] = []
        for part, start, stop in self._found():
            if isinstance(part, str):
                known, text = self._known(make, part), self.source[start:stop]
                found = known.get(text)
                if found is None:
                    found = tuple([make(role, view) for role, view in self._part(part, start, stop)])
                    if stop - start <= SHORT and len(known) < MANY:
                        known[text] = found
                made += found
            else:
                for _, _, one in self._rounds(part, start, stop, make):
                    made += one
        return made

    def _known(self, make: Callable[[str, View], T], part: str | Stretch) -> dict[str, tuple[T, ...]]:
        """What has been made of the texts of a field or of rounds."""
        return self.space.rounds.setdefault((make, id(self.decl), part), {})

    def _rounds(
        self, stretch: Stretch, start: int, stop: int, make: Callable[[str, View], T]
    ) -> Iterator[tuple[int, str, tuple[T, ...]]]:
        """Where each round stands, its text, and what ``make`` gives for its parts."""
        known, before, at = self._known(make, stretch), self.source[start - 1 : start], start
        for text in stretch.rounds(self.source, start, stop):
            # A round may look back at the character before it, so that is part of what it is known by.
            found = known.get(before + text)
            if found is None:
                found = self._round(stretch, at, at + len(text), make)
                if len(text) <= SHORT and len(known) < MANY:
                    known[before + text] = found
            yield at, text, found
            at += len(text)
            before = text[-1:]
        if at != stop:
            raise Unread(self.decl.name)

    def _round(self, stretch: Stretch, start: int, stop: int, make: Callable[[str, View], T]) -> tuple[T, ...]:
        made: list[T] = []
        for field, first, last in stretch.round.found(self.source, start, stop, self.stop) or ():
            if not isinstance(field, str):
                raise Unread(self.decl.name)
            made += [make(role, view) for role, view in self._part(field, first, last)]
        return tuple(made)

    def items(self) -> Sequence[SpanView]:
        """As `View.items`."""
        raise Unread(self.decl.name)

    def has(self, name: str) -> bool:
        """As `View.has`."""
        return name in roles_in(self.decl, self.term)

    def sign(self, at: int) -> SpanView:
        """As `View.sign`."""
        raise Unread(self.decl.name)

    def report(self, code: Code, message: str) -> None:
        """As `View.report`: who asks for findings reads nodes."""


class PairSpan(SpanView):
    """The value of a pair with its section, as `PairView`."""

    __slots__ = ("body", "declared", "pair", "value")

    def __init__(self, space: Space, decl: Decl, row: Row, term: str) -> None:
        pair = decl.pair
        assert pair is not None
        held, handed = decl.fields[pair.value], decl.handed.get(pair.value)
        chosen = handed.choose(row.key) if handed is not None else None
        self.pair = decl
        self.declared = chosen or held
        super().__init__(space, row.value, 1, len(row.value), self.declared, term, held.escape, row.key)
        self.body: SpanView | None = None
        if pair.section is not None and len(row.section) > 1:
            under = decl.handed.get(pair.section)
            reads = (under.choose(row.key) if under is not None else None) or decl.fields[pair.section]
            escape = decl.fields[pair.section].escape
            self.body = SpanView(space, row.section, 1, len(row.section), reads, term, escape)
        key = id(self.declared), row.value
        known = space.parts.get(key)
        if known is None:
            if isinstance(chosen, RuleDecl) and not space.engine.value(chosen.rule.name).fits(row.value, 1):
                raise Unread(row.key)
            known = list(SpanView.walked(self))
            if len(row.value) <= SHORT and len(space.parts) < MANY:
                space.parts[key] = known
        self.value = known

    @property
    def section(self) -> str:  # type: ignore[override]
        """As `View.section`."""
        return "" if self.body is None else self.body.raw

    @property
    def columns(self) -> Mapping[str, Decl]:
        """As `View.columns`."""
        return self.pair.pair.columns if self.pair.pair is not None else {}

    def has(self, name: str) -> bool:
        """As `View.has`."""
        return name in roles_in(self.declared, self.term) or (self.body is not None and self.body.has(name))

    def walked(self) -> Iterator[tuple[str, SpanView]]:
        """As `SpanView.walked`, of the value and then of the section."""
        yield from self.value
        if self.body is not None:
            yield from self.body.walked()

    def role(self, name: str) -> SpanView | None:
        """As `View.role`, of the value, then of the section."""
        for role, view in self.value:
            if role == name:
                return view
        return None if self.body is None else self.body.role(name)

    def each(self, make: Callable[[str, View], T]) -> list[T]:
        """As `View.each`."""
        made = [make(role, view) for role, view in self.value]
        return made if self.body is None else made + self.body.each(make)


def _role(role: str, view: View) -> str:
    return role
