"""What a record says, worked out when it is touched: from the texts of its pairs where they can tell, else from its nodes."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from bridgespec.codec.decl import Decl
from bridgespec.codec.facts import TAGS, Facts, pair_entry
from bridgespec.codec.node import Node
from bridgespec.codec.spans import PairSpan, Space, Unread
from bridgespec.codec.terms import CLAIMS, TERMS
from bridgespec.codec.text.engine import TextEngine
from bridgespec.codec.text.pieces import Impure
from bridgespec.codec.text.rows import PairRows, Row, Texts
from bridgespec.codec.view import Group, View
from bridgespec.codec.words import below, entry_of

_MANY, _SHORT = 10_000, 200
"""So many values are kept by texts of this length together."""

Said = tuple[str, Row]
"""The part that a pair says of a term (empty: the whole), and the pair."""
_UNKNOWN = object()
_UNTOLD: list[Said] = []
"""What stands for pairs that cannot be told by their places."""


class Touch:
    """How the boards of one format are read when they are touched; ``terms`` are those that pairs alone can say."""

    def __init__(self, board: Decl, engine: TextEngine) -> None:
        self.space = Space(engine)
        self.rows = PairRows(engine, board.word_name)
        self.decl = board.fields[self.rows.field]
        pair = self.decl.pair
        assert pair is not None
        others = [inner for name, inner in board.fields.items() if name != self.rows.field]
        elsewhere = {entry_of(inner).term for inner in others}
        # Records that are seen through, and the pairs in them, tell terms too.
        for deeper in (one for other in others for one in (other, *below(other))):
            elsewhere.add(entry_of(deeper).term)
            elsewhere |= {pair_entry(deeper, key).term for key in (deeper.pair.words if deeper.pair is not None else ())}
        # A value that holds terms of its own tells them too: of those the nodes are asked.
        entries = [(key, pair_entry(self.decl, key).term) for key in pair.words] + [("", "tags")]
        for handed in (self.decl.handed.get(pair.value), self.decl.handed.get(pair.section or "")):
            for key, term in entries:
                inner = None if handed is None else handed.choose(key)
                elsewhere |= set() if inner is None else _terms_in(inner, term, set()) - {term}
        # A term that nothing in the record says may still follow from others.
        self.terms = frozenset(TERMS.keys() - elsewhere - {TAGS.term})
        self.keys: dict[str, list[tuple[str, str]]] = {}
        """The keys that say a term, each with the part of it that it says; of parts that several terms claim, none."""
        self.known: set[str] = set()
        self.claimed: set[str] = set()
        """Keys of which it depends on those before them what they say."""
        for key in pair.words:
            self.learn(key)
        self.repeats = pair.repeats
        self.inherit = self.decl.inherit
        self.values: dict[Hashable, dict[tuple[tuple[str, str], ...], dict[Hashable, Any]]] = {}
        """What terms read, by the texts of their pairs, by what they asked for beside those, and by what that was."""

    def learn(self, key: str) -> None:
        """Note what a key says."""
        self.known.add(key)
        entry = pair_entry(self.decl, key)
        if entry.kind != "term":
            return
        if entry.member and len(CLAIMS.get(entry.member, ())) > 1:
            self.claimed.add(key)
        else:
            self.keys.setdefault(entry.term, []).append((key, entry.member))

    @classmethod
    def of(cls, board: Decl, engine: TextEngine) -> Touch | None:
        """For a format whose boards are made of pairs that one expression finds; else None."""
        try:
            found = cls(board, engine)
        except (Impure, KeyError):
            return None
        return found


def _terms_in(decl: Decl, term: str, seen: set[int]) -> set[str]:
    """The terms that parts of a record of a term say by themselves."""
    if id(decl) in seen:
        return set()
    seen.add(id(decl))
    found: set[str] = set()
    for inner in decl.fields.values():
        entry = entry_of(inner, term)
        found |= ({entry.term} if entry.kind == "term" else set()) | _terms_in(inner, term, seen)
    return found


@dataclass(slots=True)
class Chain:
    """The records of a file in order, each of which may rest on those before it; ``by_nodes`` gathers one from its nodes."""

    touch: Touch
    text: str
    nodes: Sequence[Node]
    by_nodes: Callable[[int], Facts]
    file: Facts
    first_number: int
    members: frozenset[tuple[str, str]]
    found: list[dict[str, list[Said]] | None] = field(default_factory=list)
    single: dict[int, dict[str, Texts] | None] = field(default_factory=dict)
    previous: dict[str, Row] = field(default_factory=dict)
    headers: dict[str, Row] = field(default_factory=dict)
    broken: bool = False
    leans: bool = False
    """Whether a record may rest on one before it: only then do all before it have to be read."""

    def told(self, index: int, term: str) -> list[Said] | None:
        """What the pairs of a record say of a term; LookupError where they cannot be told by their places."""
        if not self.leans:
            texts = self._single(index)
            if texts is not None:
                keys = [(key, member) for key, member in self.touch.keys.get(term, ()) if key in texts]
                rows = [(member, self._row(index, key, texts[key])) for key, member in keys]
                return [(member, row) for member, row in rows if row is not None] or None
        groups = self.groups(index)
        if groups is None:
            raise LookupError(index)
        return groups.get(term)

    def _row(self, index: int, key: str, texts: Texts) -> Row | None:
        """A pair, with the value of the one that it repeats; None where there is none."""
        row = Row.of(texts)
        inherit = self.touch.inherit
        if inherit is None or row.value[1:] != inherit[0]:
            return row
        for earlier in range(index - 1, -1, -1):
            others = self._single(earlier)
            if others is None:
                found = [said for told in (self.groups(earlier) or {}).values() for _, said in told if said.key == key]
                if found:
                    return Row(key, found[-1].value, row.section)
            elif key in others and others[key][3] != inherit[0]:
                return Row(key, "".join(others[key][2:4]), row.section)
        return None

    def _single(self, index: int) -> dict[str, Texts] | None:
        """The texts of a record by key, where each key stands once and says what it says by itself."""
        if index in self.single:
            return self.single[index]
        touch, node = self.touch, self.nodes[index]
        rows = touch.rows.rows(self.text, node.start // 8, node.stop // 8, len(self.text)) or ()
        found: dict[str, Texts] | None = {row[1]: row for row in rows}
        assert found is not None
        if found.keys() - touch.known:
            for key in found.keys() - touch.known:
                touch.learn(key)
        if not rows or len(found) < len(rows) or not touch.claimed.isdisjoint(found):
            found = None
        self.single[index] = found
        return found

    def groups(self, index: int) -> dict[str, list[Said]] | None:
        """What the pairs of a record say by term; None where they cannot be told by their places."""
        while len(self.found) <= index and not self.broken:
            node = self.nodes[len(self.found)]
            rows = self.touch.rows.rows(self.text, node.start // 8, node.stop // 8, len(self.text))
            # What one record says the next may rest on, so after one that cannot be told all are read by nodes.
            self.broken = rows is None
            self.found.append(None if rows is None else self._grouped([Row.of(row) for row in rows if row[1]]))
        return self.found[index] if index < len(self.found) else None

    def _grouped(self, rows: Sequence[Row]) -> dict[str, list[Said]]:
        groups: dict[str, list[Said]] = {}
        decl, inherit, repeats = self.touch.decl, self.touch.inherit, self.touch.repeats
        keys = decl.keys
        for row in rows:
            if inherit is not None:
                same, header = inherit
                if row.value.startswith(same, 1):
                    if row.value[1:] == same:
                        earlier = self.previous.get(row.key)
                        if earlier is None:
                            continue
                        row = Row(row.key, earlier.value, row.section)
                    elif row.value.startswith(header, 1):
                        row = Row(row.key, header[-1] + row.value[1 + len(header) :], row.section)
                        self.headers[row.key] = row
                self.previous[row.key] = row
            if row.key in repeats:
                self.headers[row.key] = row
            _add(groups, keys.get(row.key) or pair_entry(decl, row.key), row)
        if self.headers:
            seen = {row.key for row in rows}
            for key, row in self.headers.items():
                if key not in seen:
                    _add(groups, pair_entry(decl, key), row)
        return groups


def _add(groups: dict[str, list[Said]], entry: Any, row: Row) -> None:
    if entry.kind != "term":
        return
    name = entry.term
    if entry.member:
        claims = [term.NAME for term in CLAIMS.get(entry.member, ())]
        if len(claims) > 1:
            name = next((term for term in reversed(groups) if term in claims), claims[0])
    groups.setdefault(name, []).append((entry.member, row))


class TouchedFacts:
    """What one record of a chain says; as `facts.Facts`, but that nothing is worked out before it is asked for."""

    def __init__(self, chain: Chain, index: int) -> None:
        self.chain = chain
        self.index = index
        self.first_number = chain.first_number
        self.file = chain.file
        self._values: dict[str, Any] = {}

    @cached_property
    def nodes(self) -> Facts:
        """The same from the record's nodes."""
        return self.chain.by_nodes(self.index)

    @property
    def sections(self) -> list[tuple[str, View]]:
        """As `Said.sections`."""
        return self.nodes.sections

    def group(self, term: str) -> Group | None:
        """As `Said.group`."""
        if term not in self.chain.touch.terms:
            return self.nodes.group(term)
        try:
            rows = self.chain.told(self.index, term)
            return None if rows is None else self._group(term, rows)
        except (LookupError, Unread):
            return self.nodes.group(term)

    def _group(self, term: str, rows: Sequence[Said]) -> Group:
        group = Group()
        touch = self.chain.touch
        for member, row in rows:
            view = PairSpan(touch.space, touch.decl, row, term)
            if member:
                group.members.append((member, view))
            else:
                group.wholes.append(view)
        return group

    def holds(self, term: str, member: str) -> bool:
        """As `Said.holds`."""
        return (term, member) in self.chain.members

    def of_file(self, term: str) -> Group | None:
        """As `Said.of_file`."""
        return self.file.group(term)

    def value_of_file(self, term: str) -> Any:
        """As `Said.value_of_file`."""
        return self.file[term]

    def __getitem__(self, name: str) -> Any:
        if name not in self._values:
            self._values[name] = None
            self._values[name] = self._value(name)
        return self._values[name]

    def _value(self, name: str) -> Any:
        term = TERMS[name]
        try:
            rows = self.chain.told(self.index, name) if name in self.chain.touch.terms else _UNTOLD
        except LookupError:
            rows = _UNTOLD
        if rows is _UNTOLD:
            return self.nodes[name]
        if rows is None:
            return term.without(self)
        key: Hashable = None
        if sum(len(row.value) + len(row.section) for _, row in rows) <= _SHORT:
            key = name, tuple(rows)
            for asked, values in self.chain.touch.values.get(key, {}).items():
                value = values.get(self._answers(asked), _UNKNOWN)
                if value is not _UNKNOWN:
                    return value
        watched = _Watched(self)
        try:
            value = term.read(self._group(name, rows), watched)
        except Unread:
            return self.nodes[name]
        values = self.chain.touch.values
        if key is not None and not watched.alone and len(values) < _MANY:
            asked = tuple(watched.asked)
            known = values.setdefault(key, {}).setdefault(asked, {})
            if len(known) < _SHORT:
                known[self._answers(asked)] = value
        return value

    def _answers(self, asked: Sequence[tuple[str, str]]) -> tuple[Any, ...]:
        return tuple([self._answer(kind, name) for kind, name in asked])

    def _answer(self, kind: str, name: str) -> Any:
        if kind == "value":
            return self[name]
        # What is kept serves other files too, so it has to be known whether this one says anything of all its boards.
        return self.file.group(name) is None if kind == "file" else tuple(self.chain.told(self.index, name) or ())

    def know(self, values: Mapping[str, Any]) -> None:
        """As `Facts.know`."""
        self._values.update(values)


class _Watched:
    """Facts that note what a term asks of them, so that its value can be kept by that; ``alone``: it cannot."""

    def __init__(self, facts: TouchedFacts) -> None:
        self.facts = facts
        self.asked: dict[tuple[str, str], None] = {}
        self.alone = False

    @property
    def index(self) -> int:
        """As `Said.index`."""
        self.alone = True
        return self.facts.index

    @property
    def first_number(self) -> int:
        """As `Said.first_number`."""
        self.alone = True
        return self.facts.first_number

    @property
    def sections(self) -> list[tuple[str, View]]:
        """As `Said.sections`."""
        self.alone = True
        return self.facts.sections

    def group(self, term: str) -> Group | None:
        """As `Said.group`."""
        if term in self.facts.chain.touch.terms:
            self.asked["group", term] = None
        else:
            self.alone = True
        return self.facts.group(term)

    def holds(self, term: str, member: str) -> bool:
        """As `Said.holds`: the same for all records."""
        return self.facts.holds(term, member)

    def of_file(self, term: str) -> Group | None:
        """As `Said.of_file`."""
        found = self.facts.of_file(term)
        self.asked["file", term] = None
        self.alone |= found is not None
        return found

    def value_of_file(self, term: str) -> Any:
        """As `Said.value_of_file`."""
        self.alone = True
        return self.facts.value_of_file(term)

    def __getitem__(self, name: str) -> Any:
        self.asked["value", name] = None
        return self.facts[name]
