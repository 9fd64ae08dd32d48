"""The binding table of a schema: maps each key, rule or field to a part of a term; compiled once, for both languages.

The call path: `BindingTable` makes a `ViewType` for each declaration in a term and a `KeyBinding` for each key of pairs. A
`RecordSequence` returns the items of each record, own and inherited ones: pairs (`PairItem`), and other fields that state terms
(binding and view). A `RecordContent` groups the items of one record by term and evaluates a term on access.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from functools import cached_property
from typing import TYPE_CHECKING, Any

from bridgespec.codec.binding_words import EnclosingRepeat, SchemaBinding, below, entry_of, pair_entry, roles_in, stated_term
from bridgespec.codec.declaration import Declaration, FieldBinding, RuleDeclaration
from bridgespec.codec.key_binding import KeyBinding
from bridgespec.codec.node import FieldNode
from bridgespec.codec.record_views import (
    SHORT,
    FindingSink,
    Memo,
    PairItem,
    RecordView,
    Spans,
    TermGroup,
    ViewType,
    inherited,
    read_view,
    terms_below,
    with_blocks,
)
from bridgespec.codec.terms import CLAIMS, TERMS
from bridgespec.codec.terms._term import Term, TermContent
from bridgespec.lazily import Lazy
from bridgespec.model.board import Board
from bridgespec.spec.ir import Spec

if TYPE_CHECKING:
    from bridgespec.codec.text import grammar_engine as engines
    from bridgespec.codec.text import grammar_program as programs
    from bridgespec.codec.text.grammar_engine import TextEngine
    from bridgespec.codec.text.grammar_program import PairProgram, PairRow, RuleProgram
else:
    # A binary file needs nothing of what reads grammars.
    engines, programs = Lazy("bridgespec.codec.text.grammar_engine"), Lazy("bridgespec.codec.text.grammar_program")

BOARD = tuple(one.name for one in fields(Board) if one.name != "origin")
"""The fields of a board that a file may state."""
ON_BOARD = tuple(term for term in TERMS.values() if term.ON == "board")
_MISSING = object()  # default of `Memo.get`, since None may be a cached value
_FEW = 8
"""The maximum number of pairs that state a term for which its value is memoised by their texts."""
_RECENT = 64
"""The maximum number of records whose pairs are cached as texts: the one being bound, and earlier ones whose values it repeats."""
StatedSource = tuple[Any, Any]
"""One statement of a term in a record. Of a pair: its `KeyBinding`, and its texts (`PairRow`) or offsets. Of any other field: the
part of the term that it states (empty: the whole term), and its `RecordView`.
"""


class _Keys(dict[str, KeyBinding]):
    """The key bindings of one declaration of pairs, by key; made on access."""

    def __init__(self, table: BindingTable, decl: Declaration) -> None:
        self.table, self.decl = table, decl

    def __missing__(self, key: str) -> KeyBinding:
        made = self[key] = KeyBinding(self.table, self.decl, key)
        return made


class _Reporting(threading.local):
    """The callback that receives findings, one for each thread: threads that share a table bind records of different files."""

    sink: FindingSink | None = None


class BindingTable(SchemaBinding):
    """The binding of one schema to the model, its parts made when needed; ``engine`` runs the compiled programs of a grammar."""

    def __init__(self, spec: Spec, engine: TextEngine | None = None) -> None:
        super().__init__(spec)
        self.engine = engine
        if engine is None and self.top.of_text:
            self.engine = engines.TextEngine(spec, programs.compiled)
        self._reporting = _Reporting()
        self.encoders: dict[str, Any] = {}
        """The encoders of terms (`encode.TermEncoder`), by the encoding of the file."""
        self._types: dict[tuple[int, str, str | None], ViewType] = {}
        self._keys: dict[int, _Keys] = {}
        self._given: dict[str, frozenset[str]] = {}
        self.term_values: dict[str, Memo[Any]] = {}
        """By term, its values by the tuple of texts of all pairs that state it; for a single pair they are in its `KeyBinding`."""
        self.only: dict[str, str] = {}
        """By term, the only key that can state it, for terms with a single key."""

    @property
    def sink(self) -> FindingSink | None:
        """The callback for findings on the records that the current thread binds; None if findings are not reported."""
        return self._reporting.sink

    @sink.setter
    def sink(self, sink: FindingSink | None) -> None:
        self._reporting.sink = sink

    # --- implementation of `record_views.ViewTypes`

    def view_type(self, decl: Declaration, term: str, escape: str | None) -> ViewType:
        """Return the view type of a declaration as part of a term (empty: of none); made once, then cached."""
        key = id(decl), term, escape
        if key not in self._types:
            self._types[key] = ViewType(self, decl, term, escape)
        return self._types[key]

    def entry(self, decl: Declaration, term: str) -> FieldBinding:
        """Return the binding of a field in a record of a term."""
        return entry_of(decl, term)

    def roles(self, decl: Declaration, term: str) -> frozenset[str]:
        """Return the roles of a term that parts of a record may have, at any depth."""
        return roles_in(decl, term)

    def program(self, decl: Declaration) -> RuleProgram | None:
        """Return the compiled program of a rule; None where there is none, as for a recursive rule or a field of a binary file."""
        found = self.engine.value(decl.rule.name).quick if self.engine is not None and isinstance(decl, RuleDeclaration) else None
        return found if isinstance(found, programs.RuleProgram) else None

    def spans(self, decl: Declaration, text: str, start: int, stop: int) -> Spans | None:
        """Return name, start and stop of the fields that the rule of ``decl`` finds in ``text[start:stop]``; None if it does not
        match.
        """
        assert self.engine is not None
        assert isinstance(decl, RuleDeclaration)
        return self.engine.value(decl.rule.name).spans(text, start, stop)

    def fits(self, decl: Declaration, text: str, start: int, stop: int) -> bool:
        """Whether the rule of ``decl`` matches all of ``text[start:stop]``."""
        assert self.engine is not None
        assert isinstance(decl, RuleDeclaration)
        return self.engine.value(decl.rule.name).fits(text, start, stop)

    def code(self, decl: Declaration, text: str) -> str | None:
        """Return the name of the code that a text spells by the rule of ``decl``; None where it spells none."""
        assert self.engine is not None
        assert isinstance(decl, RuleDeclaration)
        return self.engine.value(decl.rule.name).named(text)

    def spelled(self, decl: Declaration, value: object) -> str:
        """Return the text that the rule of ``decl`` writes for a plain value."""
        assert self.engine is not None
        assert isinstance(decl, RuleDeclaration)
        return self.engine.value(decl.rule.name).spell(value, "")

    @cached_property
    def board_type(self) -> ViewType:
        """The view type of a board's record; the view type of the whole file in a schema without boards."""
        return self.view_type(self.board or self.top, "", None)

    @cached_property
    def file_type(self) -> ViewType:
        """The view type of a whole file."""
        return self.view_type(self.top, "", None)

    @cached_property
    def pairs(self) -> PairProgram | None:
        """The program that splits a board's record into pairs; None where fields between or around the pairs have a meaning."""
        program = None if self.board is None or self.board is self.top else self.board_type.program
        found = None if program is None else program.pairs
        if found is None or self.block_terms or any(self._mixes(group.names, found.field) for group in found.groups):
            return None
        self.only = self._only_keys(self.keys(self.board_type.decl.fields[found.field]))
        return found

    def _only_keys(self, keys: _Keys) -> dict[str, str]:
        """Return by term the only key that can state it, for terms that no other field of a board's record states."""
        pair = keys.decl.pair
        assert pair is not None
        stating = [keys[key] for key in pair.words]
        # A key declared in lower case matches in any case (`PairDeclaration.word`): it cannot be found by comparison alone.
        only = {one.term: one.key for one in stating if one.alone and one.key != one.key.lower()}
        others = [one for name, one in self.board_type.fields.items() if name != keys.decl.name]
        elsewhere = {"tags", *(one.entry.term for one in others)}.union(*(one.claims for one in keys.values()))
        elsewhere |= {entry_of(inner, "").term for one in others for inner in below(one.type.decl)}
        elsewhere |= {term for one in keys.values() if one.inner is not None for term in terms_below(one.inner)}
        terms = [one.term for one in stating]
        return {name: key for name, key in only.items() if terms.count(name) == 1 and name not in elsewhere}

    def _mixes(self, names: Iterable[str], pair: str) -> bool:
        """Whether a group of the record's program contains both pairs (the field ``pair``) and other fields with a meaning. Then a
        record is not split, because the order of all of them in the file matters.
        """
        return pair in names and any(name != pair and name in self.board_type.fields for name in names)

    @cached_property
    def pair_keys(self) -> _Keys:
        """The key bindings of the pairs that a board's record consists of."""
        assert self.pairs is not None
        return self.keys(self.board_type.decl.fields[self.pairs.field])

    def keys(self, decl: Declaration) -> _Keys:
        """The key bindings of a declaration of pairs."""
        if id(decl) not in self._keys:
            self._keys[id(decl)] = _Keys(self, decl)
        return self._keys[id(decl)]

    def _terms_of_key(self, decl: Declaration, key: str) -> Iterator[str]:
        """Yield the terms that a key may state in full or in part."""
        entry = pair_entry(decl, key)
        yield entry.term
        yield from (term.NAME for term in CLAIMS.get(entry.member, ()))

    def given(self, term: str) -> frozenset[str]:
        """Return the roles that parts of a term may have in any record of the schema."""
        found = self._given.get(term)
        if found is None:
            roles = {role for decl in self._below for role in roles_in(decl, term)}
            roles |= {entry_of(decl).member for decl in self._below if entry_of(decl).term == term}
            for name, member in self.members:
                if term in (name, *(one.NAME for one in CLAIMS.get(member, ()))):
                    roles.add(member)
            found = self._given[term] = frozenset(roles)
        return found

    @cached_property
    def _below(self) -> list[Declaration]:
        """All declarations of the schema below the declaration of the whole file, each once."""
        return below(self.top)

    @cached_property
    def of_file(self) -> frozenset[str]:
        """The terms that a file may state for all its boards."""
        return frozenset(name for name in self._file_terms(self.top, set()) if name)

    def _file_terms(self, decl: Declaration, seen: set[int]) -> Iterator[str]:
        """Yield the terms, or empty texts, that the fields of a record outside of the list of boards state, at any depth."""
        if id(decl) in seen:
            return
        seen.add(id(decl))
        for inner in decl.fields.values():
            entry = entry_of(inner)
            if entry.kind == "pair":
                for key in (*(inner.pair.words if inner.pair is not None else ()), ""):
                    yield from self._terms_of_key(inner, key)
            if entry.kind != "boards":
                yield entry.term
                yield from self._file_terms(inner, seen)

    @cached_property
    def inheritable(self) -> list[Declaration]:
        """The declarations of pairs whose values later records may inherit."""
        return [decl for decl in below(self.top) if decl.may_be_inherited]

    @cached_property
    def repeating(self) -> tuple[tuple[str, ...], tuple[str, ...], bool]:
        """Three properties of the schema's pairs: the texts that mean "same value as before" (``#`` in PBN), the marks of values
        that later records inherit (``##``), and whether records always inherit the values of some keys.
        """
        marks = [decl.inherit for decl in self.inheritable if decl.inherit is not None]
        always = any(decl.pair is not None and bool(decl.pair.repeats) for decl in self.inheritable)
        return tuple({same for same, _ in marks}), tuple({header for _, header in marks}), always


BoundTerm = tuple[Term, str, frozenset[str] | None]
"""A term of a board, its name, and the terms of a record from which its value can follow (None: from any)."""
EarlierRecords = tuple[int, "RecordContent", int | None, Mapping[str, PairItem], Mapping[str, PairItem]]
"""The state that a stretch of a file inherits from the records before it: their number, the content that the file states for all
boards, the first board number, the last pair of each key, and the pairs that later records inherit.
"""


class RecordSequence:
    """The records of one file, or of a stretch of it, in order: one may depend on earlier ones. Made for each reading."""

    def __init__(
        self,
        table: BindingTable,
        root: RecordView,
        nodes: Sequence[FieldNode],
        text: str = "",
        before: EarlierRecords | None = None,
    ) -> None:
        self.table, self.text, self.nodes = table, text, nodes
        self.blocks: Mapping[int, Sequence[EnclosingRepeat]] = {}
        """The repeated records around each record, the outermost first, by the identity of its node."""
        self.around = self.made_of(-1, inherited(self._items(root), {}, {}))
        """The content outside of the records; ``file`` is the content for all boards, ``first`` the index of the first board."""
        self.first, self.file, first_stated, previous, inheritable = before or (0, self.around, self.around["first_number"], {}, {})
        self.first_stated: int | None = first_stated
        self.rereading: Any = None
        """A function that reads the file once more (`origin.Rereading`); a pickled board has only this of the sequence."""
        self.at_once = False
        """Whether all fields of all boards are wanted, so that the first access to a board binds all."""
        same, headers, always = table.repeating
        self.same = frozenset(mark for mark in same if mark in text)
        """The repetition signs that occur in the text."""
        held = bool(inheritable) or any(mark in text for mark in headers)
        self.depends = always or held or bool(self.same and table.pairs is None)
        """Whether a record can be bound only after the records before it."""
        self._inherited: list[list[Any]] = []  # the items of each record so far, where records depend on earlier ones
        self._rows: dict[int, tuple[list[PairRow], list[tuple[int, int, int]]] | None] = {}
        self._content: RecordContent | None = None
        self._repeated: dict[tuple[int, str], str | None] = {}
        self._last: tuple[int, Mapping[str, str]] = (-1, {})
        self._previous, self._headers = dict(previous), dict(inheritable)
        self._selected: dict[frozenset[str], tuple[Mapping[str, Any], list[BoundTerm]]] = {}
        self.accessed: frozenset[str] = frozenset()
        """The fields that were accessed of one board, whose index is ``leading``."""
        self.leading: int | None = None

    def state_after(self) -> EarlierRecords:
        """Return the state that the next stretch of the file inherits from these records and all earlier ones."""
        previous, headers = self._previous, self._headers
        if self.depends and self.nodes:
            self.items(len(self.nodes) - 1)
        elif any(self.table.repeating):
            previous = dict(previous)  # the records of this stretch repeat values from before it
            for index in range(len(self.nodes)):
                inherited(self._own(index), previous, headers)
        return self.first + len(self.nodes), self.file, self.first_stated, previous, headers

    @cached_property
    def terms(self) -> list[BoundTerm]:
        """The terms that boards of this file can have, each with its name and the terms from which it can follow."""
        given = self.file.stated().keys()
        always = {term.NAME for term in ON_BOARD if term.FOLLOWS is None or term.FOLLOWS & given}
        return [(term, term.NAME, None if term.NAME in always else term.FOLLOWS) for term in ON_BOARD]

    def selected(self, names: frozenset[str]) -> tuple[Mapping[str, Any], list[BoundTerm]]:
        """Return default values for the board fields ``names``, and the terms that determine these fields; cached."""
        found = self._selected.get(names)
        if found is None:
            terms = [one for one in self.terms if one[1] in names or not names.isdisjoint(one[0].BESIDE)]
            unstated = {name: _UNSTATED[name] for term, own, _ in terms for name in (own, *term.BESIDE)}
            found = self._selected[names] = unstated, terms
        return found

    def content(self, index: int) -> RecordContent:
        """Return the content of a record. Only the last one is cached, so that memory does not grow with the boards."""
        if self._content is None or self._content.index != index:
            self._content = self.made_of(index)
        return self._content

    def made_of(self, index: int, items: list[Any] | None = None) -> RecordContent:
        """Make the content of the record with this index, or of ``items``, its pairs and other fields that state terms. Index -1 is
        the content around the records.
        """
        return RecordContent(self, index, items)

    def release(self) -> None:
        """Drop the cached content, after all fields of its board are bound."""
        self._content = None

    def forget(self) -> None:
        """Release the text of a stretch whose boards are no longer used: values made from a file refer back to it."""
        self.nodes, self.text, self._content, self._rows, self._inherited, self._last = (), "", None, {}, [], (-1, {})
        self.blocks = {}

    def view(self, index: int) -> RecordView:
        """Return the view of the record with this index."""
        node = self.nodes[index]
        if not self.table.top.of_text:
            return RecordView(self.table.board_type, node)
        return RecordView(self.table.board_type, self.text, node.start // 8, node.stop // 8)

    def rows(self, index: int) -> tuple[list[PairRow], list[tuple[int, int, int]]] | None:
        """Return the pairs of a record as texts, and its other fields as groups of the record's program (number, start, stop). None
        if the schema's records cannot be split into pairs, or this one does not match.
        """
        pairs, known = self.table.pairs, self._rows
        if pairs is None:
            return None
        if index not in known:
            if len(known) > _RECENT:
                known.clear()
            node = self.nodes[index]
            known[index] = pairs.rows(self.text, node.start // 8, node.stop // 8, len(self.text))
        return known[index]

    def items(self, index: int) -> list[Any]:
        """Return the items of a record in file order: its pairs, and its other fields that state terms. If records depend on
        earlier ones, repetition signs are replaced, and inherited pairs come last.
        """
        if not self.depends:
            return self._own(index)
        while len(self._inherited) <= index:
            self._inherited.append(inherited(self._own(len(self._inherited)), self._previous, self._headers))
        return self._inherited[index]

    def resolved(self, index: int, rows: list[PairRow]) -> list[PairRow]:
        """Return pairs with repetition signs (``#``) replaced by the last value of the key; a sign without one is left out."""
        if not self.same or self.same.isdisjoint([row[1] for row in rows]):
            return rows
        found: list[PairRow] = []
        known: dict[str, str] = {}
        for row in rows:
            key, value, above, section = row
            if value not in self.same:
                known[key] = value
                found.append(row)
            elif (own := known[key] if key in known else self._earlier(index, key)) is not None:
                found.append((key, own, above, section))
        return found

    def _earlier(self, index: int, key: str) -> str | None:
        """Return the value that a key has last before the record ``index``, without repetition signs; None where there is none."""
        asked, found = index, None
        while index > 0 and found is None:
            if (index, key) in self._repeated:
                found = self._repeated[index, key]
                break
            index -= 1
            found = self._stating(index).get(key)
        if found is None and index == 0 and (item := self._previous.get(key)) is not None:
            found = item[1][item[2] : item[3]]
        # Cached: a search from a later record ends here.
        self._repeated[asked, key] = found
        return found

    def _stating(self, index: int) -> Mapping[str, str]:
        """Return the last value of each key in a record, without repetition signs."""
        if self._last[0] != index:
            rows = self.rows(index)
            self._last = index, {row[0]: row[1] for row in (rows[0] if rows is not None else ()) if row[1] not in self.same}
        return self._last[1]

    def _own(self, index: int) -> list[Any]:
        """Return the items of a record (its pairs, and other fields that state terms) as the file has them: without inherited
        pairs, with repetition signs.
        """
        found = self.rows(index)
        return self._read_items(index) if found is None else self._row_items(index, found[0], found[1])

    def _read_items(self, index: int) -> list[Any]:
        """Return the items of a record as its rules read it, preceded by the items of the repeated records around it."""
        table, around = self.table, self.blocks.get(id(self.nodes[index]), ())
        views = [read_view(table.view_type(decl, "", None), node, self.text) for decl, node in around]
        return with_blocks(self._items(self.view(index)), views, self._items)

    def resolved_items(self, index: int) -> list[Any]:
        """Return the items of a record with inherited pairs. Unlike in `items`, every repetition sign is replaced by the value that
        it repeats, also if that is the only dependence on earlier records.
        """
        found = None if self.depends else self.rows(index)
        return self.items(index) if found is None else self._row_items(index, self.resolved(index, found[0]), found[1])

    def _row_items(self, index: int, rows: Sequence[PairRow], groups: Sequence[tuple[int, int, int]]) -> list[Any]:
        """Return the items of a record that is split into pairs: of its other fields (``groups``), then one for each pair with a
        key.
        """
        keys, items = self.table.pair_keys, self.others(index, groups)
        for key, value, above, section in rows:
            if key:
                under = above + section
                items.append((keys[key], value, 0, len(value), under, len(above), len(under), True))
        return items

    def others(self, index: int, groups: Sequence[tuple[int, int, int]]) -> list[Any]:
        """Return the items of the fields of a record that are not pairs. ``groups`` are their groups in the record's program, each
        as number, start and stop.
        """
        if not groups:
            return []
        node, spans = self.nodes[index], self.spans_of(groups)
        return self._items(RecordView(self.table.board_type, self.text, node.start // 8, node.stop // 8, spans))

    def spans_of(self, groups: Sequence[tuple[int, int, int]]) -> list[tuple[str, int, int]]:
        """Return name, start and stop of the fields of a record that are not pairs. ``groups`` are their groups in the record's
        program, each as number, start and stop.
        """
        assert self.table.pairs is not None
        takes = self.table.pairs.takes
        spans: list[tuple[str, int, int]] = []
        for at, start, stop in groups:
            if (each := takes[at].each) is None:
                spans.append((takes[at].field, start, stop))
            else:
                each.rounds(self.text, start, stop, len(self.text), spans)
        return spans

    def own_spans(self, index: int) -> list[Any]:
        """Return the items of a record (its pairs, and other fields that state terms) without values inherited from earlier
        records. Values are given by their offsets in the file, not as copied texts.
        """
        return inherited(self._read_items(index), {}, {})

    def _items(self, view: RecordView, depth: int = 0) -> list[Any]:
        """Return the items of a record in file order: a `PairItem` for each pair, (binding, view) for each other field that states
        a term. In a record without a role (``depth`` above 0), fields that state parts of one term are one item, which comes
        last, if only all parts together state the term, as the hands of a deal.
        """
        found: list[Any] = []
        together: dict[str, list[tuple[str, RecordView]]] = {}
        for entry, inner in view.children():
            if entry.kind == "pair":
                item = self._pair(inner)
                found += [] if item is None else [item]
            elif entry.kind == "look" and not (inner.decl.many and inner.decl.name in self.table.around):
                found += self._items(inner, depth + 1)
            elif entry.kind == "term" and entry.member and depth and TERMS[entry.term].TOGETHER:
                together.setdefault(entry.term, []).append((entry.member, inner))
            elif entry.kind == "term":
                found.append((entry, inner))
        for term, parts in together.items():
            type = self.table.view_type(view.decl, term, None)
            found.append((FieldBinding("term", term), view.together(type, parts)))
        return found

    def _pair(self, view: RecordView) -> PairItem | None:
        """Return the item of a pair that is a field of a text; None for a field of a binary file or a text without a key."""
        pair = view.decl.pair
        if pair is None or not isinstance(view.source, str):
            return None
        spans: dict[str, tuple[int, int]] = {}
        for name, start, stop in view.type.spans(view.source, view.start, view.stop) or ():
            spans.setdefault(name, (start, stop))
        if pair.key not in spans:
            return None
        key = self.table.keys(view.decl)[view.source[slice(*spans[pair.key])]]
        value, section = spans.get(pair.value, (view.stop, view.stop)), spans.get(pair.section or "", (view.stop, view.stop))
        return key, view.source, *value, view.source, *section, True


class RecordContent(TermContent):
    """The content of one record, each term evaluated on access. The board's origin keeps it until all fields are bound."""

    __slots__ = (
        *("_items", "_made", "_order", "_own", "_sections", "_stated", "_values", "_views"),
        *("index", "sequence", "table", "used_others"),
    )

    def __init__(self, sequence: RecordSequence, index: int, items: list[Any] | None = None) -> None:
        self.sequence, self.table, self.index, self._items = sequence, sequence.table, index, items
        self.used_others = False
        """Whether a term that is being read has accessed anything beside its own parts."""
        self._own: tuple[str, ...] = ()
        """The terms that share the parts of the term that is being read."""
        self._values: dict[str, Any] = {}
        self._stated: dict[str, list[StatedSource]] | None = None
        self._made: dict[str, TermGroup | None] = {}
        self._views: dict[tuple[str, int, int], RecordView] = {}
        self._sections: list[StatedSource] = []
        self._order: list[tuple[str, StatedSource]] | None = None  # all statements in file order, with their terms, for `order`

    @property
    def file(self) -> RecordContent | None:
        """The content that the file states for all boards; after access the current term's value is not memoised by its text."""
        self.used_others = True
        return self.sequence.file if self.index >= 0 else None

    @property
    def members(self) -> frozenset[tuple[str, str]]:
        """The parts of terms for which the schema has keys of pairs, each as (term, part)."""
        return self.sequence.table.members

    # --- the statements of the record

    def stated(self) -> Mapping[str, list[StatedSource]]:
        """Return, by term, what the record states in file order: (key binding, row) for a pair, (part, view) for another field."""
        if self._stated is not None:
            return self._stated
        found: dict[str, list[StatedSource]] = {}
        self._stated = found
        sequence = self.sequence
        rows = None if self._items is not None or sequence.depends else sequence.rows(self.index)
        if rows is None:
            self._add(sequence.items(self.index) if self._items is None else self._items)
            return found
        self._add(sequence.others(self.index, rows[1]))
        keys, values, order = self.table.pair_keys, dict[str, Any](), self._order
        for row in sequence.resolved(self.index, rows[0]):
            of = keys[row[0]]
            name = of.term
            if of.alone and name not in found and order is None:
                # Nearly every pair states a term that no other pair of its record states.
                found[name] = [(of, row)]
                if row[3]:
                    self._sections.append((of, row))
                elif (value := of.term_values.get(row[1], _MISSING)) is not _MISSING:
                    values[name] = value
                continue
            if not row[0] or not name:
                continue
            if of.claims:
                name = self._claimed(of)
            found.setdefault(name, []).append((of, row))
            values.pop(name, None)
            if row[3]:
                self._sections.append((of, row))
            if order is not None:
                order.append((name, (of, row)))
            if of.inner is not None:
                self._inside(of, row[1], 0, len(row[1]))
        # Values that exist already stay, also the None of a term that is being read (`__getitem__`).
        self._values.update(values | self._values)
        return found

    def _add(self, items: Sequence[Any]) -> None:
        """Add the statements of `RecordSequence.items`, which are views of fields and pairs with offsets, to `_stated`."""
        assert self._stated is not None
        for item in items:
            if len(item) == 2:
                self._put(*item)
                continue
            of, rest = item[0], item[1:7]
            if of.term:
                self._state(self._claimed(of) if of.claims else of.term, (of, rest))
                if item[7] and rest[4] < rest[5]:
                    self._sections.append((of, rest))
                if of.inner is not None:
                    self._inside(of, *rest[:3])

    def _state(self, term: str, stated: StatedSource) -> None:
        """Add one statement of a term to `_stated`, and to the statements in file order where these are collected."""
        assert self._stated is not None
        self._stated.setdefault(term, []).append(stated)
        if self._order is not None:
            self._order.append((term, stated))

    def _claimed(self, of: KeyBinding) -> str:
        """Return the term to which a pair belongs whose key states a part that several terms have, such as a note: the term among
        them that the record stated last, or the first among them if it stated none.
        """
        return next((term for term in reversed(self._stated or {}) if term in of.claims), CLAIMS[of.member][0].NAME)

    def _inside(self, of: KeyBinding, source: str, start: int, stop: int) -> None:
        """Add the statements of the terms that the value of a pair contains."""
        if of.inner is not None and (spans := of.inner.spans(source, start, stop)) is not None:
            self._below(RecordView(of.inner, source, start, stop, spans))

    def _put(self, entry: FieldBinding, view: RecordView) -> None:
        """Add the statement of a field that states a term in full or in part, and the statements of the terms inside it."""
        assert self._stated is not None
        name = stated_term(entry, tuple(self._stated))
        if name != entry.term:
            view.type = self.table.view_type(view.decl, name, view.type.escape)
        self._state(name, (entry.member, view))
        if view.decl.kind == "record" and not (view.decl.many and entry.array_as_one):
            self._below(view)

    def _below(self, view: RecordView) -> None:
        """Add the statements of the terms that are fields of a record."""
        for entry, inner in view.children():
            if entry.kind == "term":
                self._put(entry, inner)
            elif entry.kind == "look":
                self._below(inner)

    def group(self, term: str) -> TermGroup | None:
        self.used_others = True
        if term not in self._made:
            stated = self._alone(term)
            self._made[term] = None if not stated else self._group(term, stated)
        return self._made[term]

    def _group(self, term: str, stated: Sequence[StatedSource]) -> TermGroup:
        """Return the views of a term's statements as a group; views of the whole term are sorted by the schema's preference."""
        group = TermGroup()
        for of, item in stated:
            if of.__class__ is KeyBinding:
                # Most pairs, such as calls and cards, have a view that was made for another record.
                known = of.value_views.get(item[1]) if len(item) == 4 and not item[3] and of.term == term else None
                view, member = known or self._view(of, term, item), of.member
            else:
                view, member = item, of
            if member:
                group.members.append((member, view))
            else:
                group.wholes.append(view)
        if len(group.wholes) > 1:
            group.wholes.sort(key=lambda view: not view.decl.binding.prefer)
        return group

    def _view(self, of: KeyBinding, term: str, item: Sequence[Any]) -> RecordView:
        """Return the view of a pair; cached if the pair has a section, which both its term and the comments read."""
        by_row = len(item) == 4
        if not item[3] if by_row else item[4] == item[5]:
            return of.view(self.table, term, item)
        key = of.key, id(item[3]), 0 if by_row else item[4]
        found = self._views.get(key)
        if found is None or found.type.term != term:
            found = self._views[key] = of.view(self.table, term, item)
        return found

    def _alone(self, term: str) -> Sequence[StatedSource]:
        """Return the statements of one term. If only one key can state the term, only the pairs of that key are examined, and the
        rest of the record is not grouped by term.
        """
        if self._stated is not None:
            return self._stated.get(term, ())
        sequence = self.sequence
        if self._items is None and not sequence.depends:
            rows = sequence.rows(self.index)
            key = None if rows is None else self.table.only.get(term)
            if rows is not None and key is not None:
                of, found = self.table.pair_keys[key], [row for row in rows[0] if row[0] == key]
                if not sequence.same or sequence.same.isdisjoint([row[1] for row in found]):
                    return [(of, row) for row in found]
        return self.stated().get(term, ())

    # --- implementation of `TermContent`

    def counted(self) -> int:
        self.used_others = True
        first = self.sequence.first_stated
        return (1 if first is None else first) + (self.sequence.first + self.index if self.index >= 0 else 0)

    def sections(self, role: str) -> Sequence[tuple[str, RecordView]]:
        self.used_others = True
        self.stated()
        found = [one for one in self._sections if one[0].may_have(self.table, role, one[1])]
        return [(of.word, self._view(of, of.term, item)) for of, item in found]

    def order(self) -> Sequence[tuple[str, str, RecordView]]:
        self.used_others = True
        content = self.__class__(self.sequence, self.index, self._items)
        content._order = []
        content.stated()
        return [
            (term, of.member, self._view(of, term, item)) if of.__class__ is KeyBinding else (term, of, item)
            for term, (of, item) in content._order
        ]

    def part(self, term: str, role: str) -> RecordView | None:
        # No field of the schema has the role: the record need not be split.
        if role not in self.table.given(term):
            return None
        if term not in self._own:
            self.used_others = True
        stated = self._alone(term)
        if len(stated) == 1 and stated[0][0].__class__ is KeyBinding and not stated[0][0].member:
            # Most pairs lack the part, which is cached by their texts: looking for it splits the text into its fields.
            of, item = stated[0]
            if len(item) == 4:
                lacking = of.lacking.setdefault(role, Memo())
                if item[1] in lacking and not item[3]:
                    return None
                if of.view(self.table, term, item).role(role) is None:
                    if len(item[1]) <= SHORT and not item[3]:
                        lacking.keep(item[1], True)
                    return None
        return super().part(term, role)

    def of_file(self, term: str) -> TermGroup | None:
        if self.index < 0 or term not in self.table.of_file:
            return None
        self.used_others = True
        return self.sequence.file.group(term)

    def value_of_file(self, term: str) -> Any:
        self.used_others = True
        return super().value_of_file(term)

    def __getitem__(self, name: str) -> Any:
        self.used_others = True
        values = self._values
        if name in values:
            return values[name]
        values[name] = None
        values[name] = value = self._read(name, self._alone(name))
        return value

    def _read(self, name: str, stated: Sequence[StatedSource]) -> Any:
        """Return the value of a term from its statements, or from the memo of their texts. Without statements, return the value
        that follows from other terms, or None.
        """
        term = TERMS[name]
        if term.OF:
            stated = [*stated, *(one for other in term.OF for one in self._alone(other))]
        if not stated:
            return term.without(self)
        known, key = self._memo(name, stated)
        if known is not None and (found := known.get(key, _MISSING)) is not _MISSING:
            return found
        group = self.group(term.OF[0]) if term.OF else self._made.get(name)
        if group is None:
            group = self._made[name] = self._group(name, stated)
        self.used_others, self._own = False, term.OF  # True once the term accesses anything but its parts
        value = term.read(group, self)
        if known is not None and not self.used_others:
            known.keep(key, value)
        self.used_others, self._own = True, ()
        return value

    def _memo(self, name: str, stated: Sequence[StatedSource]) -> tuple[Memo[Any] | None, Any]:
        """Return the memo of a term's values and the key in it: the texts that state it. Both None where it is not memoised."""
        if len(stated) > _FEW:
            return None, None
        for of, item in stated:
            if of.__class__ is not KeyBinding or len(item) != 4 or item[3] or len(item[1]) > SHORT:
                return None, None
        # The values of pairs without a section determine the term, unless reading it sets `used_others`.
        of, item = stated[0]
        if len(stated) == 1 and of.term == name:
            return of.term_values, item[1]
        return self.table.term_values.setdefault(name, Memo()), tuple([item for _, item in stated])

    def field(self, name: str) -> Mapping[str, Any]:
        """Return a board field by name, together with the other fields that the same term determines."""
        term = _TERM_OF[name]
        value = self[term.NAME]
        return {term.NAME: None, **term.BESIDE, name: _UNSTATED[name]} if value is None else term.fields(value)

    def states_a_field(self) -> bool:
        """Return whether the record states any field of the board other than its number; stop at the first one."""
        stated = self.stated()
        following = (name for _, name, follows in self.sequence.terms if follows is None or not follows.isdisjoint(stated))
        for name in dict.fromkeys([*stated, *following]):
            term, value = TERMS[name], self[name] if name != "number" and TERMS[name].ON == "board" else None
            if value is not None and any(_UNSTATED[one] != what for one, what in term.fields(value).items()):
                return True
        return False

    def fields(self, names: frozenset[str] = frozenset(BOARD)) -> dict[str, Any]:
        """Return board fields by name, with the other fields that the same terms determine; defaults where nothing is stated."""
        unstated, terms = self.sequence.selected(names)
        made, stated, values = dict(unstated), self.stated(), self._values
        for term, name, follows in terms:
            if name in values:
                value = values[name]
            elif name in stated or follows is None or (follows and not follows.isdisjoint(stated)):
                values[name] = None  # a term that depends on itself finds nothing, instead of recursing
                value = values[name] = self._read(name, stated.get(name, ()))
            else:
                continue
            if value is not None:
                if term.BESIDE:
                    made.update(term.fields(value))
                else:
                    made[name] = value
        return made


_TERM_OF = {name: term for term in ON_BOARD for name in (term.NAME, *term.BESIDE)}
_UNSTATED = {name: getattr(Board(), name) for name in BOARD}
