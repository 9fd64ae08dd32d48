"""Record views: a record as a term reads it, whichever language declares it.

Input is a span of a text or a node of a binary file, with a `ViewType`: a declaration as part of one term. Output are the parts of
the record with roles, each a `RecordView` again, and their texts, codes and numbers. `codec.binding` makes both.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Protocol, TypeVar, cast

from bridgespec.codec.declaration import Declaration, FieldBinding
from bridgespec.codec.node import Cells, FieldNode, is_array
from bridgespec.codec.spelling import Memo as Memo
from bridgespec.diagnostic import Code, Span

if TYPE_CHECKING:
    # A binary file needs nothing of what reads grammars.
    from bridgespec.codec.text.grammar_program import RuleMatch, RuleProgram

T = TypeVar("T")
Spans = Sequence[tuple[str, int, int]]
SHORT = 200
"""The length up to which texts are keys of memos."""
FindingSink = Callable[[Code, str, "RecordView"], None]
"""A callback for findings on a view: it takes the code, the message and the view."""


class ViewTypes(Protocol):
    """The part of the binding table's interface that view types use. Implemented by `BindingTable`."""

    sink: FindingSink | None
    """The callback for findings; None where findings are not needed."""

    def view_type(self, decl: Declaration, term: str, escape: str | None) -> ViewType:
        """Return the view type of a declaration as part of a term."""

    def entry(self, decl: Declaration, term: str) -> FieldBinding:
        """Return the binding of a field in a record of a term."""

    def roles(self, decl: Declaration, term: str) -> frozenset[str]:
        """Return the roles of a term that parts of a record may have."""

    def program(self, decl: Declaration) -> RuleProgram | None:
        """Return the compiled program that reads texts of a declaration; None for one that has no program, and for binary files."""

    def spans(self, decl: Declaration, text: str, start: int, stop: int) -> Spans | None:
        """Return name, start and stop of the fields that a declaration's rule finds in a text; None where it does not match."""

    def code(self, decl: Declaration, text: str) -> str | None:
        """Return the name of the code that a text spells; None where it spells none."""

    def spelled(self, decl: Declaration, value: object) -> str:
        """Return the text that a declaration's rule writes for a plain value."""

    def fits(self, decl: Declaration, text: str, start: int, stop: int) -> bool:
        """Whether the rule of a declaration matches all of a text between two offsets."""


class FieldView(NamedTuple):
    """A field that has a meaning in a record of some term: its binding, and the view type for its values."""

    entry: FieldBinding
    type: ViewType


class Delegated(NamedTuple):
    """A delegated field, whose text another rule reads. The text of the field ``by`` selects the view type in ``cases``;
    ``otherwise`` is that for any other text.
    """

    by: str | None
    cases: Mapping[str, ViewType]
    otherwise: ViewType | None

    def choose(self, key: str | None) -> ViewType | None:
        """Return the view type for a text of the selecting field; None where the field's text is not read further."""
        return self.otherwise if key is None else self.cases.get(key, self.otherwise)


class ViewType:
    """How values of one declaration are viewed as parts of one term: a row of the binding table.

    The binding table makes it on first use and keeps it as long as its schema. It memoises results by short texts.
    """

    def __init__(self, types: ViewTypes, decl: Declaration, term: str, escape: str | None) -> None:
        self.types, self.decl, self.term = types, decl, term
        self.escape = decl.escape or escape
        # By the characters in the file: the decoded text, the name of the code, and the result of `fits`.
        self.texts, self.codes, self.fitting = Memo[str](), Memo[str | None](), Memo[bool]()
        self.openers: dict[str, Sequence[str] | None] = {}
        self.makers: dict[object, Maker[Any] | None] = {}
        self.results = Memo[Any]()
        """Results of functions for parts that are written, by function, role and text (`placed.PlacedView.each`)."""

    @cached_property
    def roles(self) -> frozenset[str]:
        """The roles of the term that its parts may have."""
        return self.types.roles(self.decl, self.term)

    @cached_property
    def program(self) -> RuleProgram | None:
        """The compiled program that reads texts of this type; None where there is none."""
        return self.types.program(self.decl)

    @cached_property
    def near(self) -> bool:
        """Whether the program's result for a text is independent of the characters before that text."""
        return self.program is not None and not self.program.value.behind

    @cached_property
    def fields(self) -> Mapping[str, FieldView]:
        """The fields with a meaning, by name."""
        found = {}
        for name, inner in self.decl.fields.items():
            entry = self.types.entry(inner, self.term)
            if entry.kind not in ("rest", "boards"):
                found[name] = FieldView(entry, self.of(inner, entry, self.escape))
        return found

    @cached_property
    def delegated(self) -> Mapping[str, Delegated]:
        """The delegated fields, whose texts other rules read, by name."""
        found = {}
        for name, field in self.decl.delegated.items():
            escape = self.decl.fields[name].escape or self.escape
            cases = {key: self.of(one, self.types.entry(one, self.term), escape) for key, one in field.cases.items()}
            other = field.otherwise
            otherwise = None if other is None else self.of(other, self.types.entry(other, self.term), escape)
            found[name] = Delegated(field.by, cases, otherwise)
        return found

    def openings(self, role: str) -> Sequence[str] | None:
        """Return the delimiters with which parts of this role begin, at any depth; None where such a part may begin without a
        delimiter.
        """
        if role not in self.openers:
            found = self._openings(role, set())
            self.openers[role] = None if found is None else tuple(found)
        return self.openers[role]

    def _openings(self, role: str, visited: set[int]) -> set[str] | None:
        """Return `openings` of the types below this one that are not in ``visited``, by id, and add these to it."""
        if self.program is None and self.decl.kind == "record":
            return None
        visited.add(id(self))
        found: set[str] = set()
        for field in self.fields.values():
            if field.entry.role == role:
                between = field.type.decl.between
                # One part without a delimiter may begin anywhere, so that every text must be read.
                if between is None or not between.before:
                    return None
                found.add(between.before)
            # Each type is visited once: records may contain each other.
            elif field.entry.kind in ("role", "look") and id(field.type) not in visited:
                inner = field.type._openings(role, visited)
                if inner is None:
                    return None
                found |= inner
        return found

    def of(self, inner: Declaration, entry: FieldBinding, escape: str | None) -> ViewType:
        """Return the view type of ``inner``, a field of this record with the binding ``entry``. ``escape`` is the method of
        decoding its text if it declares none.
        """
        return self.types.view_type(inner, entry.term if entry.kind == "term" else self.term, escape)

    @cached_property
    def plain(self) -> Mapping[str, tuple[str, ViewType]] | None:
        """Role and view type of each field, for a text whose fields each have a role or no meaning; None for all other records."""
        found = self.fields.values()
        if self.decl.delegated or not self.decl.of_text:
            return None
        if any(one.entry.kind != "role" or (one.entry.array_as_one and one.type.decl.many) for one in found):
            return None
        return {name: (field.entry.role, field.type) for name, field in self.fields.items()}

    def spans(self, text: str, start: int, stop: int) -> Spans | None:
        """Return name, start and stop of the fields of a text; None where the rule does not match it."""
        if self.program is None:
            return self.types.spans(self.decl, text, start, stop)
        return self.program.spans(text, start, stop)

    def fits(self, text: str, start: int, stop: int) -> bool:
        """Whether the rule matches all of a text; memoised."""
        raw = text[start:stop]
        known = self.fitting.get(raw)
        if known is None:
            known = self.types.fits(self.decl, text, start, stop)
            # A rule that looks at the text before it may match the same characters in one place and not in another.
            if len(raw) <= SHORT and self.near:
                self.fitting.keep(raw, known)
        return known

    def maker(self, make: Callable[[str, RecordView], T]) -> Maker[T] | None:
        """Return the memo for a function ``make`` that computes a result for a part of a record; None where the part's text alone
        does not determine the result.
        """
        if make not in self.makers:
            self.makers[make] = Maker(self, make, self.program) if self.program is not None and self.decides else None
        return self.makers[make]

    @cached_property
    def decides(self) -> bool:
        """Whether a result for a part of a record depends on the text of that part alone, so that it can be memoised by
        the text.
        """
        if self.decl.kind != "record":
            return True
        # Which rule reads a delegated text depends on another field.
        if self.program is None or self.decl.delegated:
            return False
        fields = self.fields.values()
        return all(
            not (field.entry.array_as_one and field.type.decl.many) and (field.type.near or field.type.decl.kind != "record")
            for field in fields
        )


class Maker(Generic[T]):
    """Computes the results of a function for all parts of a record from one match, whose groups are the texts of the parts; by
    these the results are memoised. `ViewType.maker` makes one for each function.
    """

    def __init__(self, type: ViewType, make: Callable[[str, RecordView], T], program: RuleProgram) -> None:
        self.program = program
        self.takes: list[_Made[T] | None] = []
        self.inner: list[tuple[str, int, list[tuple[int, _Made[T]]]]] | None = []
        """For each field with a role: the role, the number of its group in the match, and the groups of its own parts (of the field
        itself if it has none). None if one match does not give all of these.
        """
        known: dict[str, _Made[T]] = {}
        for take in program.match.takes:
            field, made = type.fields.get(take.field), None
            if take.each is not None:
                made, self.inner = _Made(type, make, take.each), None
            elif field is not None and field.entry.kind in ("role", "look") and not field.entry.array_as_one:
                # Fields of one name share a memo.
                made = known.setdefault(take.field, _Made(type, make, field))
                if self.inner is not None and field.entry.kind == "role" and field.type.decides:
                    maker = field.type.maker(make) if take.inside else None
                    # One match also gives the parts of each part: the group of a field is followed by the groups of its fields.
                    pairs = [(take, made)] if maker is None else zip(take.inside, maker.takes, strict=True)
                    self.inner.append(
                        (field.entry.role, take.index - 1, [(one.index - 1, of) for one, of in pairs if of is not None])
                    )
                else:
                    self.inner = None
            self.takes.append(made)
        self.groups = [(take.index - 1, one) for take, one in zip(program.match.takes, self.takes, strict=True) if one is not None]
        # A record that ends with its only repeated section: `lead` matches what precedes it, `rounds` finds the repetitions.
        self.section = self.groups[0][1] if program.lead is not None else None

    def made(self, view: RecordView, source: str) -> list[T] | None:
        """Return the function's results for the parts of a view in file order; None where they cannot be computed from the parts'
        texts.
        """
        if self.section is not None:
            lead = self.program.lead
            assert lead is not None
            match = lead.match(source, view.start, view.stop)
            return None if match is None else self.section.rounds(source, match.end(), view.stop)
        # The match by which the record was found is used again.
        match = view.match or self.program.match_all(source, view.start, view.stop)
        if match is None:
            return None
        found: list[T] = []
        texts = match.groups()
        for index, group in self.groups:
            text = texts[index]
            if text is None:
                continue
            if group.each is None:
                # A field may be empty and still be given: a void among the holdings of a hand.
                found += group[text]
            else:
                rounds = group.rounds(text, 0, len(text))
                if rounds is None:
                    return None
                found += rounds
        return found

    def made_inside(self, view: RecordView, source: str) -> list[tuple[str, list[T]]] | None:
        """Return for each part of a view its role and the function's results for its own parts; None where they cannot be
        computed from texts.
        """
        match = None if self.inner is None else view.match or self.program.match_all(source, view.start, view.stop)
        if match is None:
            return None
        texts: tuple[str | None, ...] = match.groups()
        found: list[tuple[str, list[T]]] = []
        for role, index, groups in self.inner or ():
            if texts[index] is not None:
                made: list[T] = []
                for place, group in groups:
                    text = texts[place]
                    if text is not None:
                        made += group[text]
                found.append((role, made))
        return found


class _Made(Memo[tuple[T, ...]], Generic[T]):
    """A memo of a function's results for short texts, either of one field or of one repetition in a repeated section (a
    `RuleMatch` of `codec.text.grammar_program`).
    """

    def __init__(self, type: ViewType, make: Callable[[str, RecordView], T], of: FieldView | RuleMatch) -> None:
        self.type, self.make = type, make
        self.field = of if isinstance(of, FieldView) else None
        self.each = None if isinstance(of, FieldView) else of

    def __missing__(self, text: str) -> tuple[T, ...]:
        size = len(text)
        parts: Sequence[tuple[str, RecordView]] = ()
        if self.field is not None:
            view = RecordView(self.field.type, text, 0, size)
            parts = [(self.field.entry.role, view)] if self.field.entry.kind == "role" else view.parts()
        elif self.each is not None and (round := self.each.fields(text, 0, size)) is not None:
            parts = RecordView(self.type, text, 0, size, round[1]).parts()
        found = tuple([self.make(role, part) for role, part in parts])
        return self.keep(text, found) if size <= SHORT else found

    def rounds(self, source: str, start: int, stop: int) -> list[T] | None:
        """Return the results for all repetitions in a section; None where one of them depends on the text before it."""
        assert self.each is not None
        texts: list[str] = self.each.near.findall(source, start, stop)
        # Texts shorter than the section: a repetition that depends on the text before it was skipped.
        return [*chain.from_iterable(map(self.__getitem__, texts))] if sum(map(len, texts)) == stop - start else None


class PairParts(NamedTuple):
    """The pair that a view is the value of: its key, its declaration, the view type that the key requires for the value, and the
    view of its section.
    """

    key: str
    decl: Declaration
    declared: ViewType
    section: RecordView | None


class RecordView:
    """A part of a record as a term reads it: a text between two offsets, or a node of a binary file. The view of a pair is the view
    of its value, with the section as a further part. Made on access.

    ``spans``, where known, are the offsets of the record's fields; of an array that is a single value, the offsets of its elements.
    """

    __slots__ = ("_given", "_parts", "decl", "match", "pair", "results", "source", "spans", "start", "stop", "type")

    def __init__(self, type: ViewType, source: str | FieldNode, start: int = 0, stop: int = 0, spans: Spans | None = None) -> None:
        self.type = type
        self.decl = type.decl
        self.source = source
        self.start = start
        self.stop = stop
        self.spans = spans
        self.match: re.Match[str] | None = None
        """The match of the whole text by the rule's program, where it is known already."""
        self.pair: PairParts | None = None
        self.results: Memo[Any] | None = None
        """Memo of results (`made`) for a view that many records share; None for any other."""
        self._given = False  # whether `together` has set the parts
        self._parts: Sequence[tuple[str, RecordView]] | None = None

    def __repr__(self) -> str:
        return f"<{self.type.term} {self.decl.name} {self.raw!r}>"

    # --- values

    @property
    def node(self) -> FieldNode | None:
        """The node of the view; None for a view of a text."""
        return None if isinstance(self.source, str) else self.source

    @property
    def key(self) -> str:
        """The key of a pair; empty for any other view."""
        return "" if self.pair is None else self.pair.key

    @property
    def raw(self) -> str:
        """The characters of the view without decoding; empty for a value of a binary file that is no text."""
        source = self.source
        if isinstance(source, str):
            return source[self.start : self.stop]
        return source.value if isinstance(source.value, str) and self.decl.kind == "leaf" else ""

    @property
    def text(self) -> str:
        """The characters of the view, decoded and without delimiters; empty where they mean "unknown"."""
        raw, type = self.raw, self.type
        found = type.texts.get(raw)
        if found is None:
            decl = type.decl
            found = decl.decoded(raw if decl.between is None else decl.between.inside(raw), type.escape)
            found = "" if found in decl.unknown else found
            if len(raw) <= SHORT:
                type.texts.keep(raw, found)
        return found

    @property
    def code(self) -> str | None:
        """The name of the code that the view's value is; None for a value without a name, and for a field without codes."""
        if self.decl.kind != "code":
            return None
        if not isinstance(self.source, str):
            return self.decl.name_of(self.source.value)
        raw, type = self.raw, self.type
        # The type itself is the default for a missing entry, since None may be a cached result.
        found = type.codes.get(raw, type)
        return type.codes.keep(raw, type.types.code(type.decl, raw)) if found is type else cast("str | None", found)

    @property
    def number(self) -> int | None:
        """The number that the view's value is or spells; None where there is none."""
        value = None if isinstance(self.source, str) else self.source.value
        if self.decl.kind == "code":
            return None
        if isinstance(value, int):
            return value
        return None if self.decl.numeral is None else self.decl.numeral.read(self.text)

    @property
    def raw_value(self) -> object:
        """The decoded value: of a leaf its text or number, of a code in a text the code's name."""
        if isinstance(self.source, str):
            return self.raw if self.decl.kind == "leaf" else self.code
        return self.source.value

    @property
    def raw_values(self) -> Sequence[object]:
        """The values of an array's elements as the reader decoded them."""
        if isinstance(self.source, str):
            return [item.raw_value for item in self.items()]
        children = self.source.children or ()
        return children.values if isinstance(children, Cells) else [child.value for child in children]

    @property
    def section(self) -> str:
        """The characters of a pair's section; empty without one."""
        return "" if self.pair is None or self.pair.section is None else self.pair.section.raw

    @property
    def columns(self) -> Mapping[str, Declaration]:
        """For a pair that may be a table: the declarations of its columns by their names."""
        return {} if self.pair is None or self.pair.decl.pair is None else self.pair.decl.pair.columns

    @property
    def span(self) -> Span:
        """The bits of the view in the file; they include the mark of a value that later records inherit."""
        if not isinstance(self.source, str):
            return self.source.span
        inherit, start = None if self.pair is None else self.pair.decl.inherit, self.start
        if inherit is not None and self.source.endswith(inherit[1], 0, start):
            start -= len(inherit[1])
        return Span(8 * start, 8 * self.stop)

    @property
    def is_present(self) -> bool:
        """Whether the view has any characters or bits."""
        return self.stop > self.start if isinstance(self.source, str) else self.source.stop > self.source.start

    @property
    def broken(self) -> bool:
        """Whether the value is not in the form that its declaration, or the key of its pair, requires."""
        if isinstance(self.source, str):
            return self.pair is not None and self.pair.declared is not self.type
        return self.source.broken

    # --- parts

    def children(self) -> Iterator[tuple[FieldBinding, RecordView]]:
        """Yield binding and view of the fields with a meaning, in file order. An array that is a single value is yielded once, any
        other element by element.
        """
        if self.decl.kind != "record":
            return
        source = self.source
        if not isinstance(source, str):
            yield from self._node_children(source)
            return
        spans = self._spans(source)
        fields, arrays = self.type.fields, dict[str, RecordView]()
        for name, start, stop in spans:
            field = self._delegated(name, start, stop) if name in self.decl.delegated else fields.get(name)
            if field is None:
                continue
            if not (field.entry.array_as_one and field.type.decl.many):
                yield field.entry, RecordView(field.type, source, start, stop)
            elif name not in arrays:
                # An array that is one value has one view, at its first element, with all of its elements.
                elements = [span for span in spans if span[0] == name]
                arrays[name] = RecordView(field.type, source, start, elements[-1][2], elements)
                yield field.entry, arrays[name]

    def _spans(self, source: str) -> Spans:
        """Return name, start and stop of the fields of a text; cached."""
        if self.spans is None:
            program, match = self.type.program, self.match
            # A match that is known gives the fields without reading the text again.
            found = self.type.spans(source, self.start, self.stop) if program is None or match is None else None
            self.spans = (found if program is None or match is None else program.match.spans(match, self.stop)) or ()
        return self.spans

    def _delegated(self, name: str, start: int, stop: int) -> FieldView | None:
        """Return binding and view type of a delegated field, whose text another rule reads. If that rule does not match, or the
        name occurs a second time, return those of the field as plain text. None if it has no meaning.
        """
        assert isinstance(self.source, str)
        spans, delegated = self.spans or (), self.type.delegated[name]
        field = self.type.fields.get(name)
        # Only the first field of a name is delegated: another is plain text in every reader.
        if next(span for span in spans if span[0] == name)[1:] != (start, stop):
            return field
        key = next((self.source[a:b] for by, a, b in spans if by == delegated.by), None)
        chosen = delegated.choose(key)
        if chosen is None or not chosen.fits(self.source, start, stop):
            return field
        entry = self.type.types.entry(chosen.decl, self.type.term)
        return None if entry.kind in ("rest", "boards") else FieldView(entry, chosen)

    def _node_children(self, node: FieldNode) -> Iterator[tuple[FieldBinding, RecordView]]:
        """Yield binding and view of the fields with a meaning of a record in a binary file, in file order. An array that is a
        single value is yielded once, any other element by element.
        """
        type, types = self.type, self.type.types
        for child in node.inside:
            inner = None if child.absent else type.decl.part(child)
            entry = None if inner is None else types.entry(inner, type.term)
            if inner is None or entry is None or entry.kind in ("rest", "boards"):
                continue
            inside = type.of(inner, entry, type.escape)
            if not inner.many or entry.array_as_one:
                yield entry, RecordView(inside, child)
            else:
                for item in child.children or ():
                    # A broken element has no value, but records without a role may have readable parts.
                    if entry.kind == "look" or not item.broken:
                        yield entry, RecordView(inside, item)

    def parts(self) -> Sequence[tuple[str, RecordView]]:
        """Return role and view of the parts that have a role, in file order, also of parts inside records without a role. The parts
        of a pair's section come last.
        """
        own = self._own_parts()
        return own if self.pair is None or self.pair.section is None else [*own, *self.pair.section.parts()]

    def _own_parts(self) -> Sequence[tuple[str, RecordView]]:
        """Return role and view of the parts that have a role, in file order, also of parts inside records without a role. The parts
        of a pair's section are not included. Cached.
        """
        if self._parts is not None:
            return self._parts
        type, source = self.type, self.source
        if isinstance(source, str) and type.plain is not None and type.decl.kind == "record":
            own = [(*type.plain[name], start, stop) for name, start, stop in self._spans(source) if name in type.plain]
            self._parts = [(role, RecordView(inner, source, start, stop)) for role, inner, start, stop in own]
        else:
            found: list[tuple[str, RecordView]] = []
            for entry, view in self.children() if self.type.roles else ():
                if entry.kind == "role":
                    found.append((entry.role, view))
                elif entry.kind == "look":
                    found += view.parts()
            self._parts = found
        return self._parts

    def alike(self, type: ViewType) -> RecordView:
        """Return a view of the same text or node with another view type."""
        return RecordView(type, self.source, self.start, self.stop)

    def together(self, type: ViewType, parts: Sequence[tuple[str, RecordView]]) -> RecordView:
        """Return a view of this record with another view type, whose parts are ``parts`` (role and view) instead of the record's
        fields.
        """
        view = self.alike(type)
        view._parts, view._given = parts, True
        return view

    def with_section(self, section: RecordView) -> RecordView:
        """Return a new view of this pair's value that also has the pair's section. Both views share the parts of the value."""
        view, pair = RecordView(self.type, self.source, self.start, self.stop, self.spans), self.pair
        assert pair is not None
        view.match = self.match
        view.pair = PairParts(pair.key, pair.decl, pair.declared, section)
        view._parts = self._own_parts()
        return view

    def role(self, name: str) -> RecordView | None:
        """Return the first part with this role; None where there is none."""
        if self._given or name in self.type.roles:
            for role, view in self._own_parts():
                if role == name:
                    return view
        return None if self.pair is None or self.pair.section is None else self.pair.section.role(name)

    def roles(self, name: str) -> Sequence[RecordView]:
        """Return the parts with this role, in file order."""
        return [view for role, view in self.parts() if role == name]

    def own(self, name: str) -> RecordView | None:
        """Return the view itself if it is no record; of a record the first part with this role, or None."""
        return self if self.decl.kind != "record" else self.role(name)

    def has(self, name: str) -> bool:
        """Whether the view's declaration has a field with this role, present or not."""
        return name in (self.type if self.pair is None else self.pair.declared).roles

    def each(self, make: Callable[[str, RecordView], T]) -> list[T]:
        """Return the results of ``make``, called with role and view, for all parts. A result must depend on the part's text
        alone, by which it is memoised.
        """
        source, found = self.source, None if self.type.roles else list[T]()
        # Parts set by `together` are not the groups of the view's text.
        if found is None and isinstance(source, str) and not self._given:
            maker = self.type.maker(make)
            found = None if maker is None else maker.made(self, source)
        if found is None:
            return [make(role, view) for role, view in self.parts()]
        if self.pair is not None and self.pair.section is not None:
            found += self.pair.section.each(make)
        return found

    def made(self, make: Callable[[str, RecordView], T], role: str) -> T:
        """Return the result of ``make`` for this view and a role, memoised like the results of `each`."""
        if self.results is None:
            return make(role, self)
        found = self.results.get((make, role), self)
        return cast("T", self.results.keep((make, role), make(role, self)) if found is self else found)

    def each_inside(self, make: Callable[[str, RecordView], T]) -> list[tuple[str, list[T]]] | None:
        """Return for each part its role and the results of ``make`` for its own parts, or for itself where it has none. None
        where a single match of the record's pattern cannot give all parts.
        """
        if not isinstance(self.source, str) or self._given or (self.pair is not None and self.pair.section is not None):
            return None
        maker = self.type.maker(make)
        return None if maker is None else maker.made_inside(self, self.source)

    def items(self) -> Sequence[RecordView]:
        """Return the views of an array's elements."""
        if isinstance(self.source, str):
            return [RecordView(self.type, self.source, start, stop) for _, start, stop in self.spans or ()]
        return [RecordView(self.type, child) for child in self.source.children or ()]

    def sign(self, at: int) -> RecordView:
        """Return the view of a single character of a text, at index ``at``."""
        if isinstance(self.source, str):
            return RecordView(self.type, self.source, self.start + at, self.start + at + 1)
        start = self.source.start + 8 * at
        return RecordView(self.type, FieldNode(self.source.decl, self.source.name, start, start + 8, str(self.source.value)[at]))

    def report(self, code: Code, message: str) -> None:
        """Report a finding on this part, such as that it has no meaning, if findings are collected."""
        if self.type.types.sink is not None:
            self.type.types.sink(code, message, self)


class TermGroup:
    """The parts of one record that state one term: ``wholes`` each state the whole term, preferred ones first; ``members`` each
    state a part of it.
    """

    __slots__ = ("kept", "members", "wholes")

    def __init__(self, *wholes: RecordView) -> None:
        self.kept: list[Any] | None = None
        """A cache for the term that reads the group."""
        self.wholes = [*wholes]
        self.members: list[tuple[str, RecordView]] = []

    def parts(self) -> Iterator[tuple[str, RecordView]]:
        """Yield role and view of all parts: first those inside the wholes, then the members."""
        for view in self.wholes:
            yield from view.parts()
        yield from self.members

    def role(self, name: str) -> RecordView | None:
        """Return the part with this role: the first one that has any characters or bits, else the first; None without any."""
        found = [part for view in self.wholes if view.has(name) for role, part in view.parts() if role == name]
        found += [view for role, view in self.members if role == name]
        # A pair without a value must not hide a later one that has one.
        return next((view for view in found if view.is_present), found[0] if found else None)


PairItem = tuple[Any, str, int, int, str, int, int, bool]
"""A pair of a record: its `KeyBinding`; its value and its section, each as a text and two offsets; whether it is not inherited."""


def inherited(items: Sequence[Any], previous: dict[str, PairItem], headers: dict[str, PairItem]) -> list[Any]:
    """Return the items of a record with repetition signs replaced by earlier values; the pairs inherited from earlier records come
    last. Items of two values are fields that are not pairs, and stay as they are.

    ``previous`` (the last item of each key) and ``headers`` (the items that later records inherit, by key) are updated.
    """
    found: list[Any] = []
    seen = set()
    for item in items:
        if len(item) == 2:
            found.append(item)
            continue
        of, source, start, stop, *section = item
        key = of.key
        seen.add(key)
        if of.decl.inherit is not None:
            same, header = of.decl.inherit
            # A value with this mark applies to later records, until one states another.
            if source.startswith(header, start, stop):
                item = headers[key] = (of, source, start + len(header), stop, *section)
            elif source[start:stop] == same:
                if key in previous:
                    found.append((of, *previous[key][1:4], *section))
                continue
        previous[key] = item
        if key in of.decl.pair.repeats:
            headers[key] = item
        found.append(item)
    # Inherited pairs come last, and are marked as not the record's own.
    return found + [(*item[:7], False) for key, item in headers.items() if key not in seen]


def read_view(type: ViewType, node: FieldNode, text: str) -> RecordView:
    """Return the view of a record that was read. For a text it has the offsets of the record's fields in file order, without
    broken ones (other than elements of an array that is a single value).
    """
    if not type.decl.of_text:
        return RecordView(type, node)
    found: list[tuple[str, int, int]] = []
    for child in node.children or ():
        field = type.fields.get(child.name)
        items = (child.children or ()) if is_array(child) else (child,)
        if field is not None:
            found += [
                (child.name, item.start // 8, item.stop // 8) for item in items if field.entry.array_as_one or not item.broken
            ]
    # Nodes are grouped by field, the parts of a record are in file order.
    return RecordView(type, text, node.start // 8, node.stop // 8, sorted(found, key=lambda span: span[1]))


def with_blocks(own: list[Any], around: Sequence[RecordView], items: Callable[[RecordView, int], list[Any]]) -> list[Any]:
    """Return the items of a record (``own``), preceded by items of the repeated records ``around`` it, the outermost first. Items
    of a term that the record or a record further inside states are left out. ``items`` returns the items of a view.
    """
    # From the innermost outwards: what an inner record states takes precedence.
    for block in reversed(around):
        stated = set(map(_term_of, own))
        own = [*(item for item in items(block, 1) if _term_of(item) not in stated), *own]
    return own


def _term_of(item: Sequence[Any]) -> str:
    """Return the term that an item states: a pair, another field with its binding, or the name of a term with its statement."""
    of = item[0]
    return of if isinstance(of, str) else str(of.term)


def states_terms(type: ViewType, seen: set[int]) -> bool:
    """Whether a record has a field that states a term of its own, at any depth."""
    if id(type) in seen:
        return False
    seen.add(id(type))
    found = type.fields.values()
    return any(one.entry.kind == "term" or (one.entry.kind == "look" and states_terms(one.type, seen)) for one in found)


def terms_below(type: ViewType, seen: set[int] | None = None) -> set[str]:
    """Return the terms that fields of a record state, at any depth, other than as parts of an enclosing term."""
    seen = set() if seen is None else seen
    if id(type) in seen:
        return set()
    seen.add(id(type))
    found: set[str] = set()
    for one in type.fields.values():
        found |= ({one.entry.term} if one.entry.kind == "term" else set()) | terms_below(one.type, seen)
    return found
