"""The binding of one key of pairs, such as PBN's ``Auction``: how the pairs of the key are viewed, and which term they state.

`BindingTable` makes a `KeyBinding` for each key; `KeyBinding.view` returns the view of one pair.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any

from bridgespec.codec.binding_words import pair_entry
from bridgespec.codec.declaration import Declaration
from bridgespec.codec.record_views import Memo, PairParts, RecordView, ViewType, ViewTypes, states_terms
from bridgespec.codec.terms import CLAIMS

_BRIEF = 32
"""The length up to which the views of texts are memoised."""


class KeyBinding:
    """Binds one key of pairs, such as PBN's ``Auction``, to a term or a part of one. `BindingTable` makes and keeps it."""

    __slots__ = (
        *("alone", "claims", "decl", "inner", "key"),
        *("lacking", "member", "openers", "term", "term_values", "types", "value_views", "word"),
    )

    def __init__(self, table: ViewTypes, decl: Declaration, key: str) -> None:
        entry = pair_entry(decl, key)
        assert decl.pair is not None
        self.decl, self.key = decl, key
        self.term = entry.term if entry.kind == "term" else ""
        self.member, self.word = entry.member, decl.pair.word(key) or key
        claims = frozenset(term.NAME for term in CLAIMS.get(self.member, ())) if self.member else frozenset()
        self.claims = claims if len(claims) > 1 else frozenset()
        """The terms of which the key may state a part, if more than one: a pair belongs to the term among them that its record
        stated last.
        """
        self.term_values = Memo[Any]()
        """The values of the key's term by the text of the one pair that states it; short texts only."""
        self.openers: dict[str, tuple[str, ...] | None] = {}
        """By role, the delimiters with which parts of that role begin; None where one begins without a delimiter."""
        self.lacking: dict[str, Memo[bool]] = {}
        """By role, the short pair values that have no part of that role."""
        self.value_views = Memo[RecordView]()
        """The views of short pair values."""
        self.types: dict[str, tuple[ViewType | None, ViewType, ViewType | None]] = {}  # cache of `views`, by term
        value = self.views(table, self.term)[0] if self.term else None
        self.inner = value if value is not None and states_terms(value, set()) else None
        """The view type of the value if it may contain other terms; else None."""
        self.alone = bool(key and self.term and not self.claims and self.inner is None)
        """Whether a pair always states the same single term."""

    def views(self, table: ViewTypes, term: str) -> tuple[ViewType | None, ViewType, ViewType | None]:
        """Return three view types for pairs of this key as parts of ``term``: of the value as the key's own rule reads it (None
        without such a rule), of the value as plain text, and of the section (None where pairs have none).
        """
        found = self.types.get(term)
        if found is None:
            pair, decl = self.decl.pair, self.decl
            assert pair is not None
            kept, value, section = decl.fields[pair.value], decl.delegated.get(pair.value), None
            chosen = None if value is None else value.choose(self.key)
            if pair.section is not None:
                under, delegated = decl.fields[pair.section], decl.delegated.get(pair.section)
                section = table.view_type((None if delegated is None else delegated.choose(self.key)) or under, term, under.escape)
            read = None if chosen is None else table.view_type(chosen, term, kept.escape)
            found = self.types[term] = read, table.view_type(kept, term, kept.escape), section
        return found

    def view(self, table: ViewTypes, term: str, item: Sequence[Any]) -> RecordView:
        """Return the view of a pair as part of ``term``. ``item`` has the pair's four texts (`PairRow`), or six values: the text
        that contains its value with start and stop, then the same of its section.
        """
        if len(item) == 4:
            _, value, above, section = item
            view = self.value_views.get(value) if term == self.term else None
            if view is None:
                view = self._value(table, term, value, 0, len(value))
                # A view keeps its parts: of a longer text, which seldom occurs again, only the value is kept.
                if term == self.term and len(value) <= _BRIEF:
                    self.value_views.keep(value, view).results = Memo()
            under, first, last = above + section, len(above), len(above) + len(section)
        else:
            source, start, stop, under, first, last = item
            view = self._value(table, term, source, start, stop)
        type = self.views(table, term)[2] if first < last else None
        return view if type is None else view.with_section(RecordView(type, under, first, last))

    def may_have(self, table: ViewTypes, role: str, item: Sequence[Any]) -> bool:
        """Whether a pair (``item``, as in `view`) may contain a part with a role; False if no delimiter that begins such a part
        occurs in it.
        """
        if role not in self.openers:
            value, kept, section = self.views(table, self.term)
            found = [type.openings(role) for type in (value or kept, section) if type is not None]
            known = [one for one in found if one is not None]
            self.openers[role] = tuple({*chain(*known)}) if len(known) == len(found) else None
        openers = self.openers[role]
        if openers is None:
            return True
        value, section = (item[1], item[3]) if len(item) == 4 else (item[0][item[1] : item[2]], item[3][item[4] : item[5]])
        return any(one in section or one in value for one in openers)

    def _value(self, table: ViewTypes, term: str, source: str, start: int, stop: int) -> RecordView:
        """Return the view of the value ``source[start:stop]`` as the key's rule reads it, or as a plain text if the rule does not
        match it.
        """
        read, kept, _ = self.views(table, term)
        type, spans, match = kept, None, None
        if read is not None:
            if read.decl.kind != "record":
                type = read if read.fits(source, start, stop) else kept
            elif read.program is None:
                spans = read.spans(source, start, stop)
                type = kept if spans is None else read
            elif (match := read.program.match_all(source, start, stop)) is not None:
                type = read
        view = RecordView(type, source, start, stop, spans)
        view.match = match
        view.pair = PairParts(self.key, self.decl, read or kept, None)
        return view
