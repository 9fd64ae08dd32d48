"""What a record says, gathered by the words of its schema: groups of parts by term, and what they come to."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass, field, fields
from typing import Any

from bridgespec.codec.decl import Decl, Entry
from bridgespec.codec.node import Node
from bridgespec.codec.terms import TERMS
from bridgespec.codec.terms._base import Said
from bridgespec.codec.tree import NodeView, PairView, Source, walked
from bridgespec.codec.view import Group, View
from bridgespec.codec.words import TAGS, pair_entry, term_said
from bridgespec.model.board import Board

BOARD = tuple(one.name for one in fields(Board) if one.name != "origin")
"""The fields of a board that a file may say."""


@dataclass(slots=True)
class Memory:
    """What earlier records said that still holds: the last pair of each key, and those that hold until they are stated anew."""

    previous: dict[str, PairView] = field(default_factory=dict)
    headers: dict[str, PairView] = field(default_factory=dict)

    def resolve(self, view: PairView) -> PairView | None:
        """The pair that one stands for: itself, or the one that it repeats; None for nothing."""
        inherit = view.pair.inherit
        if inherit is not None and view.mark == inherit[0]:
            earlier = self.previous.get(view.key)
            return None if earlier is None else view.over(earlier)
        if inherit is not None and view.mark == inherit[1]:
            self.headers[view.key] = view
        self.previous[view.key] = view
        if view.pair.pair is not None and view.key in view.pair.pair.repeats:
            self.headers[view.key] = view
        return view


class Facts(Said):
    """What one record says by its nodes."""

    __slots__ = ("_order", "_spoken", "_values", "board", "file", "first_number", "groups", "index", "members", "under")

    def __init__(
        self, index: int, first_number: int, file: Facts | None = None, members: Set[tuple[str, str]] = frozenset()
    ) -> None:
        self.index, self.first_number = index, first_number
        self.file, self.members = file, members
        self.groups: dict[str, Group] = {}
        self.under: list[tuple[str, View]] = []
        self._spoken: list[str] = []
        self._order: list[tuple[str, str, View]] = []
        self._values: dict[str, Any] = {}
        self.board: Board | None = None
        """What the record came to, where that is known already."""

    def counted(self) -> int:
        return self.first_number + self.index

    def sections(self) -> Sequence[tuple[str, View]]:
        return self.under

    def order(self) -> Sequence[tuple[str, str, View]]:
        return self._order

    def group(self, term: str) -> Group | None:
        return self.groups.get(term)

    def __getitem__(self, name: str) -> Any:
        if self.board is not None and name in BOARD:
            return getattr(self.board, name)
        if name not in self._values:
            self._values[name] = None
            term, group = TERMS[name], self.groups.get(name)
            self._values[name] = term.without(self) if group is None else term.read(group, self)
        return self._values[name]

    def fields(self) -> dict[str, Any]:
        """The fields of the board that it comes to."""
        made: dict[str, Any] = {}
        for term in TERMS.values():
            value = self[term.NAME] if term.ON == "board" else None
            if value is not None:
                made.update(term.fields(value))
        return made

    def add(self, entry: Entry, view: View) -> None:
        """Add a part that is a term, or says a part of one."""
        name = term_said(entry, self._spoken)
        if name != entry.term and isinstance(view, NodeView):
            view.term = name
        group = self.groups.get(name)
        if group is None:
            group = self.groups[name] = Group()
            self._spoken.append(name)
        self._order.append((name, entry.member, view))
        if entry.member:
            group.members.append((entry.member, view))
        else:
            group.wholes.append(view)


def gather(source: Source, node: Node, decl: Decl, memory: Memory, said: Facts) -> Facts:
    """What a record says: its own parts in file order, then what holds from earlier records; lists of boards are left out."""
    seen: set[str] = set()
    _walk(source, node, decl, memory, said, seen, 0)
    for key, view in memory.headers.items():
        if key not in seen:
            _pair(view.pair, view, said, False)
    for group in said.groups.values():
        if len(group.wholes) > 1:
            group.wholes.sort(key=lambda view: not view.decl.binding.prefer)
    return said


class Gathered:
    """What the records of a file say by their nodes, each gathered when it is asked for, and after those that it may rest on."""

    def __init__(
        self, source: Source, decl: Decl, nodes: Sequence[Node], first: int, file: Facts, members: frozenset[tuple[str, str]]
    ) -> None:
        self.source, self.decl, self.nodes = source, decl, nodes
        self.first, self.file, self.members = first, file, members
        self.memory = Memory()
        self.found: list[Facts] = []

    def __call__(self, index: int) -> Facts:
        while len(self.found) <= index:
            at = len(self.found)
            said = Facts(at, self.first, self.file, self.members)
            self.found.append(gather(self.source, self.nodes[at], self.decl, self.memory, said))
        return self.found[index]


def _walk(source: Source, node: Node, decl: Decl, memory: Memory, said: Facts, seen: set[str], depth: int) -> None:
    together: dict[str, list[tuple[str, NodeView]]] = {}
    for entry, view in walked(source, node, decl, "", None, False):
        if entry.kind == "pair":
            pair = view.decl.pair
            assert pair is not None
            key = str(view.node[pair.key].value) if pair.key in view.node else ""
            if key or pair.key in view.node:
                seen.add(key)
                found = memory.resolve(PairView(source, view.node, view.decl, key, pair_entry(view.decl, key).term or TAGS.term))
                if found is not None:
                    _pair(view.decl, found, said, True)
        elif entry.kind == "look":
            _walk(source, view.node, view.decl, memory, said, seen, depth + 1)
        elif entry.kind == "term":
            if entry.member and TERMS[entry.term].TOGETHER and depth:
                together.setdefault(entry.term, []).append((entry.member, view))
                continue
            _term(entry, view, said)
    for name, parts in together.items():
        said.add(Entry("term", name), NodeView(source, node, decl, name, parts=parts))


def _term(entry: Entry, view: NodeView, said: Facts) -> None:
    """A part, and the terms of their own that stand in it."""
    said.add(entry, view)
    if view.decl.kind == "record" and not (view.decl.many and entry.whole):
        for inner, part in walked(view.source, view.node, view.decl, entry.term, view.escape):
            if inner.kind == "term":
                _term(inner, part, said)


def _pair(decl: Decl, view: PairView, said: Facts, own: bool) -> None:
    entry = pair_entry(decl, view.key)
    if entry.kind != "term":
        return
    said.add(entry, view)
    if own and view.body is not None:
        word = decl.pair.word(view.key) if decl.pair is not None else None
        said.under.append((word or view.key, view))
    for inner, part in view.terms():
        _term(inner, part, said)
