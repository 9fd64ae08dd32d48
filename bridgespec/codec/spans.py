"""Views of texts by their places alone, for a board that is bound when it is touched: no node is made for them.

They give what views of nodes give, or raise `Unread` where they cannot tell: then nodes are made and read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from itertools import chain
from typing import Any, TypeVar

from bridgespec.codec.decl import Decl, RuleDecl
from bridgespec.codec.text.engine import TextEngine
from bridgespec.codec.text.named import Part
from bridgespec.codec.text.pairs import MANY, SHORT
from bridgespec.codec.text.pieces import Emit, Impure, Many, Piece, Then
from bridgespec.codec.text.values import Code, Record, RuleValue
from bridgespec.codec.view import Unread, View
from bridgespec.codec.words import entry_of, roles_in
from bridgespec.diagnostic import Code as Coding
from bridgespec.diagnostic import Span

T = TypeVar("T")
Place = tuple[str, int, int]
"""A source, and where in it a text stands."""


class Space:
    """What the texts of one format share: what is known of its declarations, and of short texts."""

    def __init__(self, engine: TextEngine) -> None:
        self.engine = engine
        self.kinds: dict[tuple[int, str, str | None], Kind] = {}
        self.pairs: dict[tuple[str, str], Pairing] = {}
        self.codes: dict[tuple[str, str], str | None] = {}

    def kind(self, decl: Decl, term: str, escape: str | None) -> Kind:
        """What views of a declaration share."""
        key = id(decl), term, escape
        if key not in self.kinds:
            self.kinds[key] = Kind(self, decl, term, escape)
        return self.kinds[key]

    def pair(self, decl: Decl, key: str, term: str) -> Pairing:
        """What the values of pairs with one key share, as they are read and as they stand, and their sections; and, where it must
        be seen, whether a value fits.
        """
        assert decl.pair is not None
        held, handed = decl.fields[decl.pair.value], decl.handed.get(decl.pair.value)
        chosen = handed.choose(key) if handed is not None else None
        section = fits = None
        if decl.pair.section is not None:
            whole, under = decl.fields[decl.pair.section], decl.handed.get(decl.pair.section)
            section = self.kind((under.choose(key) if under is not None else None) or whole, term, whole.escape)
        raw = self.kind(held, term, held.escape)
        if isinstance(chosen, RuleDecl) and chosen.kind != "record":
            fits = self.engine.value(chosen.rule.name).fits
        found = self.pairs[key, term] = raw if chosen is None else self.kind(chosen, term, held.escape), raw, section, fits
        return found

    def code(self, rule: str, text: str) -> str | None:
        """The name of the code that a text is."""
        key = rule, text
        if key not in self.codes:
            value = self.engine.value(rule)
            if not isinstance(value, Code) or len(self.codes) > MANY:
                raise Unread
            self.codes[key] = value.name(text)
        return self.codes[key]


class Kind:
    """What the views of one declaration share, as parts of one term."""

    def __init__(self, space: Space, decl: Decl, term: str, escape: str | None) -> None:
        self.space = space
        self.decl = decl
        self.term = term
        self.escape = decl.escape or escape
        self.known: dict[str, list[tuple[str, SpanView]]] = {}
        """The parts of short texts."""
        self.makes: dict[object, list[_Made[Any] | None]] = {}

    def view(self, source: str, start: int, stop: int) -> SpanView:
        """The view of a piece of a text between two bits."""
        return SpanView(self, source, start // 8, stop // 8)

    @cached_property
    def form(self) -> Form:
        """The parts of a record; `Unread` where they cannot be told."""
        decl = self.decl
        if not isinstance(decl, RuleDecl) or decl.handed:
            raise Unread
        try:
            return Form(self, self.space.engine.value(decl.rule.name))
        except Impure:
            raise Unread from None

    def part(self, field: str) -> Told | None:
        """The role of a field and what its views share, no role where it is seen through; None where it means nothing."""
        inner = self.decl.fields[field]
        entry = entry_of(inner, self.term)
        if entry.kind in ("rest", "boards", "term", "pair"):
            return None
        if inner.many and entry.whole:
            raise Unread
        return entry.role, self.space.kind(inner, self.term, self.escape)

    def whole(self, item: Piece) -> Told | None:
        """As `part`, of an array that is one thing and nothing but its elements; None for any other."""
        inner = self.decl.fields[item.field] if isinstance(item, Part) else None
        entry = None if inner is None else entry_of(inner, self.term)
        if inner is None or entry is None or entry.kind != "role" or not (inner.many and entry.whole):
            return None
        return entry.role, self.space.kind(inner, self.term, self.escape)

    def making(self, make: Callable[[str, View], Any]) -> list[_Made[Any] | None]:
        """What has been made of each part of a record."""
        # Fields of one kind share what has been made of their texts.
        known = {part: _Made(part, make) for part in self.form.parts if part is not None}
        found = self.makes[make] = [None if part is None else known[part] for part in self.form.parts]
        return found


Told = tuple[str, Kind]
Pairing = tuple[Kind, Kind, Kind | None, Callable[[str, int, int], bool] | None]


class Rounds:
    """A repetition of fields, told round by round.

    A round is known by its text, so one that looks at what stands before it is not told.
    """

    def __init__(self, kind: Kind, item: Piece) -> None:
        groups: list[Piece] = []
        self.find = re.compile(item.regex(Emit(near=True))).findall
        self.match = re.compile(item.regex(Emit(groups, near=True))).match
        self.parts = [kind.part(group.field) for group in groups if isinstance(group, Part)]
        if len(self.parts) < len(groups):
            raise Impure

    def texts(self, text: str) -> list[str]:
        """The texts of the rounds that a text is."""
        found: list[str] = self.find(text)
        if len("".join(found)) != len(text):
            raise Unread
        return found

    def walk(self, source: str, start: int, stop: int, found: list[tuple[str, SpanView]]) -> None:
        """Add the parts of one round."""
        match = self.match(source, start, stop)
        for part, (first, last) in zip(self.parts, () if match is None else match.regs[1:], strict=False):
            if first >= 0 and part is not None:
                _add(part, source, first, last, found)


class Form:
    """The parts of a record by one expression; `Impure` where it cannot be one."""

    def __init__(self, kind: Kind, value: RuleValue) -> None:
        if not isinstance(value, Record) or value.contents:
            raise Impure
        groups: list[Piece] = []
        pattern, body = value.regex(Emit(groups)), value.body
        last = groups[-1] if groups else None
        # Of a text that is a repetition and nothing else only what stands before that is matched: nothing is read twice.
        self.alone = len(groups) == 1 and isinstance(last, Many) and last.most is None and value.restart is None
        self.alone = self.alone and last is (body.items[-1] if isinstance(body, Then) else body)
        self.match = re.compile(value.regex(Emit(until=last)) if self.alone else pattern).match
        self.parts: list[Told | Rounds | None] = []
        for piece in groups:
            if isinstance(piece, Part):
                self.parts.append(kind.part(piece.field))
            elif isinstance(piece, Many):
                self.parts.append(kind.whole(piece.item) or Rounds(kind, piece.item))

    def places(self, source: str, start: int, stop: int) -> Sequence[tuple[int, int]]:
        """Where each part stands; before the source where it is not there."""
        match = self.match(source, start, stop)
        if match is None or (match.end() != stop and not self.alone):
            raise Unread
        return ((match.end(), stop),) if self.alone else match.regs[1:]

    def texts(self, source: str, start: int, stop: int) -> Sequence[str | None]:
        """The text of each part; None where it is not there."""
        match = self.match(source, start, stop)
        if match is None or (match.end() != stop and not self.alone):
            raise Unread
        return (source[match.end() : stop],) if self.alone else match.groups()


class _Made(dict[str, tuple[T, ...]]):
    """What has been made of short texts of a field, or of rounds, by the text."""

    def __init__(self, part: Told | Rounds, make: Callable[[str, View], T]) -> None:
        self.part = part
        self.rounds = part if isinstance(part, Rounds) else None
        self.make = make

    def __missing__(self, text: str) -> tuple[T, ...]:
        views: list[tuple[str, SpanView]] = []
        if isinstance(self.part, Rounds):
            self.part.walk(text, 0, len(text), views)
        else:
            _add(self.part, text, 0, len(text), views)
        found = tuple([self.make(role, view) for role, view in views])
        if len(text) <= SHORT and len(self) < MANY:
            self[text] = found
        return found


def _add(part: Told, source: str, start: int, stop: int, found: list[tuple[str, SpanView]]) -> None:
    """Add a part, or what is seen through it."""
    role, kind = part
    if start == stop and kind.decl.many and entry_of(kind.decl, kind.term).whole:
        # An array without elements is not there; a void among the holdings of a hand is.
        return
    view = SpanView(kind, source, start, stop)
    if role:
        found.append((role, view))
    else:
        found += view.parts()


class SpanView(View):
    """A view of a piece of ``source`` between two places."""

    __slots__ = ("decl", "kind", "source", "start", "stop")

    def __init__(self, kind: Kind, source: str, start: int, stop: int) -> None:
        self.kind = kind
        self.decl = kind.decl
        self.source = source
        self.start = start
        self.stop = stop

    @property
    def raw(self) -> str:
        return self.source[self.start : self.stop]

    @property
    def raw_value(self) -> object:
        return self.raw if self.decl.kind == "leaf" else self.code

    @property
    def text(self) -> str:
        decl, text = self.decl, self.source[self.start : self.stop]
        if decl.between is not None:
            text = decl.between.inside(text)
        text = decl.decoded(text, self.kind.escape)
        return "" if text in decl.unknown else text

    @property
    def code(self) -> str | None:
        decl = self.decl
        return self.kind.space.code(decl.rule.name, self.raw) if decl.kind == "code" and isinstance(decl, RuleDecl) else None

    @property
    def number(self) -> int | None:
        decl = self.decl
        return None if decl.numeral is None or decl.kind == "code" else decl.numeral.read(self.text)

    @property
    def span(self) -> Span:
        """As `View.span`: where it stands in its source."""
        return Span(8 * self.start, 8 * self.stop)

    @property
    def says(self) -> bool:
        return self.stop > self.start

    # --- parts

    def parts(self) -> list[tuple[str, SpanView]]:
        """The parts with roles, in file order. They are not kept: a large file has many records, each of many parts."""
        found: list[tuple[str, SpanView]] = []
        if self.decl.kind != "record":
            return found
        form, source = self.kind.form, self.source
        for part, (start, stop) in zip(form.parts, form.places(source, self.start, self.stop), strict=True):
            if start < 0 or part is None:
                continue
            if isinstance(part, Rounds):
                for text in part.texts(source[start:stop]):
                    part.walk(source, start, start + len(text), found)
                    start += len(text)
            else:
                _add(part, source, start, stop, found)
        return found

    def role(self, name: str) -> SpanView | None:
        if self.has(name):
            for role, view in self.parts():
                if role == name:
                    return view
        return None

    def each(self, make: Callable[[str, View], T]) -> list[T]:
        """As `View.each`: fields, and rounds of a repetition, are known by their texts."""
        made: list[T] = []
        kind = self.kind
        if kind.decl.kind != "record":
            return made
        parts = kind.makes.get(make) or kind.making(make)
        for of, text in zip(parts, kind.form.texts(self.source, self.start, self.stop), strict=True):
            if of is None or text is None:
                continue
            if of.rounds is None:
                made += of[text]
            else:
                made += chain.from_iterable(map(of.__getitem__, of.rounds.texts(text)))
        return made

    def has(self, name: str) -> bool:
        return name in roles_in(self.decl, self.kind.term)

    def sign(self, at: int) -> SpanView:
        return SpanView(self.kind, self.source, self.start + at, self.start + at + 1)

    def report(self, code: Coding, message: str) -> None:
        """Nothing: who asks for findings reads nodes."""


class PairSpan(SpanView):
    """The value of a pair with its section, as `PairView`."""

    __slots__ = ("_parts", "body", "key", "pair")

    def __init__(self, space: Space, decl: Decl, key: str, value: Place, section: Place | None, term: str) -> None:
        kind, raw, under, fits = space.pairs.get((key, term)) or space.pair(decl, key, term)
        if fits is not None and not fits(*value):
            # It is kept as it stands.
            kind = raw
        self.kind = kind
        self.decl = kind.decl
        self.source, self.start, self.stop = value
        self._parts: list[tuple[str, SpanView]] | None = None
        self.pair = decl
        self.key = key
        self.body = None if section is None or under is None else SpanView(under, *section)

    def value(self) -> list[tuple[str, SpanView]]:
        """The parts of the value, which are kept by its text where that is its whole source."""
        if self._parts is None:
            known = self.kind.known
            if self.stop - self.start < len(self.source):
                self._parts = super().parts()
            elif self.source in known:
                self._parts = known[self.source]
            else:
                self._parts = super().parts()
                if self.stop <= SHORT and len(known) < MANY:
                    known[self.source] = self._parts
        return self._parts

    @property
    def section(self) -> str:
        return "" if self.body is None else self.body.raw

    @property
    def columns(self) -> Mapping[str, Decl]:
        return self.pair.pair.columns if self.pair.pair is not None else {}

    def has(self, name: str) -> bool:
        return SpanView.has(self, name) or (self.body is not None and self.body.has(name))

    def parts(self) -> list[tuple[str, SpanView]]:
        """As `SpanView.read`, of the value and then of the section."""
        return self.value() if self.body is None else self.value() + self.body.parts()

    def role(self, name: str) -> SpanView | None:
        """As `View.role`, of the value, then of the section."""
        if SpanView.has(self, name):
            for role, view in self.value():
                if role == name:
                    return view
        return None if self.body is None else self.body.role(name)

    def each(self, make: Callable[[str, View], T]) -> list[T]:
        made = super().each(make)
        return made if self.body is None else made + self.body.each(make)
