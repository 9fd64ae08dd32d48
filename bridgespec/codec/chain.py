"""What the records of a file say, worked out when it is touched: from the texts of pairs where they can tell, else from nodes."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any, TypeVar

from bridgespec.codec.decl import Entry
from bridgespec.codec.facts import Facts
from bridgespec.codec.node import Node
from bridgespec.codec.spans import PairSpan, Space
from bridgespec.codec.terms import CLAIMS
from bridgespec.codec.terms._base import Said
from bridgespec.codec.text.pairs import Pair
from bridgespec.codec.text.rows import Row
from bridgespec.codec.text.tree import TextNode
from bridgespec.codec.touched import Plan, Touch
from bridgespec.codec.view import Group, Unread, View
from bridgespec.codec.words import pair_entry

__all__ = ["Chain", "Space", "Touch", "TouchedFacts"]

_MANY, _SHORT = 10_000, 200
"""So many values of a term are kept, by texts of this length together."""
_UNKNOWN = object()
T = TypeVar("T")
Rows = Sequence[Row]


class Chain:
    """The records of a file in order, each of which may rest on those before it; ``gathered`` gives one as its nodes say it.

    ``leans``: what a record says may hold for those after it, so that none can be told before those before it.
    """

    def __init__(
        self,
        touch: Touch,
        text: str,
        nodes: Sequence[Node],
        gathered: Callable[[int], Facts],
        file: Facts,
        first_number: int,
        members: frozenset[tuple[str, str]],
    ) -> None:
        self.touch = touch
        self.text = text
        self.nodes = nodes
        self.gathered = gathered
        self.file = file
        self.first_number = first_number
        self.members = members
        self.leans = bool(touch.repeats) or (bool(touch.header) and touch.header in text)
        self._rows: list[list[Row] | None] = [None] * len(nodes)
        self.told: list[list[Row] | None] = []
        """Of a file that leans, the pairs of each record so far with those that hold from earlier ones; None from the first on of
        which that is not known.
        """
        self._repeated: dict[tuple[int, str], str | None] = {}
        """The values that records repeat, by their keys."""
        self.previous: dict[str, Row] = {}
        self.headers: dict[str, Row] = {}

    def rows(self, index: int) -> list[Row] | None:
        """The pairs of a record itself, in file order, and what else there is as empty texts; None where they cannot be told."""
        rows = self._rows[index]
        if rows is None:
            node = self.nodes[index]
            found = node.rows if isinstance(node, TextNode) else None
            if found is None:
                found = self.touch.rows.rows(self.text, node.start // 8, node.stop // 8, len(self.text))
            rows = self._rows[index] = found
        return rows

    def facts(self, index: int) -> TouchedFacts:
        """What one record says."""
        return TouchedFacts(self, index)

    def pairs(self, index: int) -> list[Row] | None:
        """The pairs of a record, and those that still hold, each with its own value; None where they cannot be told."""
        if not self.leans:
            return self._resolved(index)
        while len(self.told) <= index:
            rows = self.rows(len(self.told))
            # What one record says the next may rest on, so after one that cannot be told all are read by nodes.
            broken = rows is None or (self.told and self.told[-1] is None)
            self.told.append(None if broken or rows is None else self._holding(rows))
        return self.told[index]

    def _holding(self, rows: Rows) -> list[Row]:
        touch, found = self.touch, list[Row]()
        for row in rows:
            key, value, above, section = row
            if not key:
                continue
            if touch.same and value == touch.same:
                if key not in self.previous:
                    continue
                row = (key, self.previous[key][1], above, section)
            elif touch.header and value.startswith(touch.header):
                row = self.headers[key] = (key, value.removeprefix(touch.header), above, section)
            if key in touch.repeats:
                self.headers[key] = row
            self.previous[key] = row
            found.append(row)
        seen = {row[0] for row in rows}
        return found + [row for key, row in self.headers.items() if key not in seen]

    def _resolved(self, index: int) -> list[Row] | None:
        """The same where nothing holds for later records, but values may repeat earlier ones."""
        rows, same = self.rows(index), self.touch.same
        if rows is None or not same or not any(row[1] == same for row in rows):
            return rows
        found: list[Row] = []
        for row in rows:
            earlier = self.earlier(index, row) if row[1] == same else row
            found += [] if earlier is None else [earlier]
        return found

    def earlier(self, index: int, row: Row) -> Row | None:
        """A pair that repeats, with the value of the nearest that has one of its own; None where there is none."""
        key, same, above, section = row
        rows = self.rows(index) or []
        rows = rows[: rows.index(row)]
        found: str | None = None
        for before in range(index, -1, -1):
            values = [other[1] for other in rows if other[0] == key and other[1] != same]
            if values or (before, key) in self._repeated:
                found = values[-1] if values else self._repeated[before, key]
                break
            rows = self.rows(before - 1) or [] if before else []
        if before < index:
            # Those that follow need not look further back than here.
            self._repeated[index, key] = found
        return None if found is None else (key, found, above, section)


class TouchedFacts(Said):
    """What one record of a chain says; as `facts.Facts`, but that nothing is worked out before it is asked for."""

    __slots__ = ("_groups", "_nodes", "_placed", "_simple", "_values", "chain", "file", "index", "members")

    def __init__(self, chain: Chain, index: int) -> None:
        self.chain = chain
        self.index = index
        self.file, self.members = chain.file, chain.members
        self._values: dict[str, Any] = {}
        self._simple: dict[str, Row] | None = None
        self._groups: dict[str, list[tuple[str, Row]]] | None = None
        self._nodes: Facts | None = None
        self._placed: dict[str, list[tuple[str, Pair]]] | None = None

    @property
    def nodes(self) -> Facts:
        """The same from the record's nodes."""
        if self._nodes is None:
            self._nodes = self.chain.gathered(self.index)
        return self._nodes

    def counted(self) -> int:
        return self.chain.first_number + self.index

    def sections(self) -> Sequence[tuple[str, View]]:
        return self.nodes.sections()

    def order(self) -> Sequence[tuple[str, str, View]]:
        return self.nodes.order()

    # --- pairs

    def _by_key(self) -> dict[str, Row]:
        """The pairs by key, where each key stands once and says what it says by itself, whatever stands before it; else none."""
        touch, found = self.chain.touch, dict[str, Row]()
        if not self.chain.leans and (rows := self.chain.rows(self.index)) is not None:
            found = {row[0]: row for row in rows}
            if not touch.known.issuperset(found):
                for key in found.keys() - touch.known:
                    touch.learn(key)
            if len(found) < len(rows) or not touch.claimed.isdisjoint(found):
                found = {}
        self._simple = found
        return found

    def told(self, plan: Plan) -> Rows:
        """The pairs that say a term, in file order; `Unread` where they cannot be told."""
        simple = self._by_key() if self._simple is None else self._simple
        if not simple:
            return [row for _, row in self._grouped().get(plan.term.NAME, ())]
        same = self.chain.touch.same
        if plan.only:
            found = [simple[plan.only]] if plan.only in simple else []
        else:
            keys = plan.keys
            found = [simple[key] for key in simple if key in keys]
        if same and same in [row[1] for row in found]:
            values = [self.chain.earlier(self.index, one) if one[1] == same else one for one in found]
            return [one for one in values if one is not None]
        return found

    def _grouped(self) -> dict[str, list[tuple[str, Row]]]:
        """The pairs by the terms that they say, each with the part of it."""
        if self._groups is None:
            rows = self.chain.pairs(self.index)
            if rows is None:
                raise Unread
            self._groups = {}
            for row in rows:
                if row[0]:
                    _add(self._groups, pair_entry(self.chain.touch.decl, row[0]), row)
        return self._groups

    def views(self, term: str, rows: Rows) -> Group:
        """What some pairs say of a term."""
        group, touch = Group(), self.chain.touch
        for key, value, above, section in rows:
            under = (above + section, len(above), len(above) + len(section)) if section else None
            self._view(group, PairSpan(touch.space, touch.decl, key, (value, 0, len(value)), under, term))
        return group

    def _view(self, group: Group, view: PairSpan) -> None:
        member = pair_entry(self.chain.touch.decl, view.key).member
        if member:
            group.members.append((member, view))
        else:
            group.wholes.append(view)
            if len(group.wholes) > 1:
                group.wholes.sort(key=lambda view: not view.decl.binding.prefer)

    def placed(self, term: str) -> Group | None:
        """What the record itself says of a term, by views that tell where in the file they stand; `Unread` where only nodes can."""
        touch, text = self.chain.touch, self.chain.text
        if term not in touch.plans:
            raise Unread
        if self._placed is None:
            match = touch.rows.match(text, self.chain.nodes[self.index].start // 8, len(text))
            if match is None:
                raise Unread
            self._placed = {}
            for pair in touch.rows.places(match):
                if touch.header and pair.text.startswith(touch.header):
                    raise Unread
                if not touch.same or pair.text != touch.same:
                    _add(self._placed, pair_entry(touch.decl, pair.key), pair)
        group, said = Group(), self._placed.get(term, ())
        for _, pair in said:
            under = (text, *pair.section_at) if pair.section_at[0] < pair.section_at[1] else None
            self._view(group, PairSpan(touch.space, touch.decl, pair.key, (text, *pair.text_at), under, term))
        return group if said else None

    # --- what it says

    def group(self, term: str) -> Group | None:
        plan = self.chain.touch.plans.get(term)
        if plan is not None:
            try:
                rows = self.told(plan)
                return self.views(term, rows) if rows else None
            except Unread:
                pass
        return self.nodes.group(term)

    def part(self, term: str, role: str) -> View | None:
        plan = self.chain.touch.plans.get(term)
        if plan is not None and role not in plan.roles:
            return None
        group = self.group(term)
        return None if group is None else group.role(role)

    def __getitem__(self, name: str) -> Any:
        values = self._values
        if name in values:
            return values[name]
        plan = self.chain.touch.plans.get(name)
        if plan is not None and self._simple:
            # A pair that repeats another, or has a section, is never kept as it stands.
            value = plan.known.get(self._simple.get(plan.only), _UNKNOWN)
            if value is not _UNKNOWN:
                values[name] = value
                return value
        values[name] = None
        try:
            if plan is None:
                value = self.nodes[name]
            else:
                rows = self.told(plan)
                value = self._read(plan, rows) if rows else plan.term.without(self)
        except Unread:
            value = self.nodes[name]
        values[name] = value
        return value

    def _read(self, plan: Plan, rows: Rows) -> Any:
        """The value that some pairs say."""
        if sum([len(row[1]) + len(row[3]) for row in rows]) > _SHORT or rows[0][3]:
            return plan.term.read(self.views(plan.term.NAME, rows), self)
        key: Hashable = rows[0] if len(rows) == 1 else tuple(rows)
        value = plan.known.get(key, _UNKNOWN)
        if value is not _UNKNOWN:
            return value
        for asked in plan.asking.get(key, ()):
            value = plan.known.get((key, asked, *self.answers(asked)), _UNKNOWN)
            if value is not _UNKNOWN:
                return value
        watched = _Watched(self)
        value = plan.term.read(self.views(plan.term.NAME, rows), watched)
        if not watched.alone and len(plan.known) < _MANY:
            asked = tuple(watched.asked)
            if asked:
                asked = plan.asked.setdefault(asked, asked)
                variants = plan.asking.setdefault(key, [])
                if asked not in variants:
                    variants.append(asked)
                key = (key, asked, *self.answers(asked))
            plan.known[key] = value
        return value

    def answers(self, asked: Sequence[tuple[str, str]]) -> tuple[Any, ...]:
        """What is known of what a term has asked for."""
        return tuple([self._answer(kind, name) for kind, name in asked])

    def _answer(self, kind: str, name: str) -> Any:
        if kind == "value":
            return self[name]
        # What is kept serves other files too, so it has to be known whether this one says anything of all its boards.
        return self.chain.file.group(name) is None if kind == "file" else tuple(self.told(self.chain.touch.plans[name]))


def _add(groups: dict[str, list[tuple[str, T]]], entry: Entry, row: T) -> None:
    if entry.kind != "term":
        return
    name = entry.term
    if entry.member:
        claims = [term.NAME for term in CLAIMS.get(entry.member, ())]
        if len(claims) > 1:
            name = next((term for term in reversed(groups) if term in claims), claims[0])
    groups.setdefault(name, []).append((entry.member, row))


class _Watched(Said):
    """Facts that note what a term asks of them, so that its value can be kept by that; ``alone``: it cannot."""

    def __init__(self, facts: TouchedFacts) -> None:
        self.facts = facts
        self.members = facts.members
        self.asked: dict[tuple[str, str], None] = {}
        self.alone = False

    @property
    def file(self) -> Said | None:  # type: ignore[override]
        """What the file says, of which a value that is kept for other files must not depend."""
        self.alone = True
        return self.facts.file

    def counted(self) -> int:
        self.alone = True
        return self.facts.counted()

    def sections(self) -> Sequence[tuple[str, View]]:
        self.alone = True
        return self.facts.sections()

    def order(self) -> Sequence[tuple[str, str, View]]:
        self.alone = True
        return self.facts.order()

    def group(self, term: str) -> Group | None:
        if term in self.facts.chain.touch.plans:
            self.asked["group", term] = None
        else:
            self.alone = True
        return self.facts.group(term)

    def part(self, term: str, role: str) -> View | None:
        """As `Said.part`: what no record can have is not asked for."""
        plan = self.facts.chain.touch.plans.get(term)
        if plan is not None and role not in plan.roles:
            return None
        group = self.group(term)
        return None if group is None else group.role(role)

    def of_file(self, term: str) -> Group | None:
        self.asked["file", term] = None
        found = self.facts.of_file(term)
        self.alone |= found is not None
        return found

    def value_of_file(self, term: str) -> Any:
        self.alone = True
        return self.facts.value_of_file(term)

    def __getitem__(self, name: str) -> Any:
        self.asked["value", name] = None
        return self.facts[name]
