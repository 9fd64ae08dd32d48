"""How the boards of a format are read when they are touched: which keys of its pairs say which term."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from bridgespec.codec.decl import Decl
from bridgespec.codec.spans import Space
from bridgespec.codec.terms import CLAIMS, TERMS
from bridgespec.codec.text.engine import TextEngine
from bridgespec.codec.text.pieces import Impure
from bridgespec.codec.text.rows import PairRows
from bridgespec.codec.words import TAGS, below, entry_of, pair_entry, roles_in

Asked = tuple[tuple[str, str], ...]
"""What a term has asked for beside its own pairs: values, and groups, of terms."""


class Plan:
    """How one term is told by pairs: the keys that say it, and what has been read of it, by the texts of its pairs.

    A value that follows from more than those texts is kept by what was asked beside them, and by what that was. Values of pairs
    with a section are not kept: hardly ever is one like another.
    """

    def __init__(self, name: str) -> None:
        self.term = TERMS[name]
        self.roles: set[str] = set()
        """The roles that parts of it may have."""
        self.keys: dict[str, str] = {}
        """The part of the term that each key says (empty: the whole)."""
        self.only = ""
        """The key where there is but one."""
        self.known: dict[Hashable, Any] = {}
        self.asking: dict[Hashable, list[Asked]] = {}
        self.asked: dict[Asked, Asked] = {}
        """What has been asked beside pairs, each once."""


class Touch:
    """How the boards of one format are read when they are touched; `Impure` or KeyError where pairs alone cannot tell them."""

    def __init__(self, board: Decl, engine: TextEngine) -> None:
        self.space = Space(engine)
        self.rows = PairRows(engine, engine.value(board.word_name))
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
        self.plans = {name: Plan(name) for name in TERMS if name not in elsewhere and name != TAGS.term}
        self.known: set[str] = set()
        self.claimed: set[str] = set()
        """Keys of which it depends on those before them what they say."""
        for key in pair.words:
            self.learn(key)
        self.repeats = pair.repeats
        self.same, self.header = self.decl.inherit or ("", "")

    def learn(self, key: str) -> None:
        """Note what a key says."""
        self.known.add(key)
        entry = pair_entry(self.decl, key)
        if entry.kind != "term":
            return
        claims = [term.NAME for term in CLAIMS.get(entry.member, ())]
        if len(claims) > 1:
            self.claimed.add(key)
        elif entry.term in self.plans:
            plan = self.plans[entry.term]
            plan.only = "" if plan.keys else key
            plan.keys[key] = entry.member
        for name in self.plans.keys() & {entry.term, *claims}:
            roles = self.plans[name].roles
            roles.add(entry.member)
            for field in self.decl.fields:
                handed = self.decl.handed.get(field)
                reads = (None if handed is None else handed.choose(key)) or self.decl.fields[field]
                roles |= roles_in(reads, name)

    @classmethod
    def of(cls, board: Decl, engine: TextEngine) -> Touch | None:
        """For a format whose boards are made of pairs that one expression finds; else None."""
        try:
            return cls(board, engine)
        except (Impure, KeyError):
            return None


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
