"""Which terms of the model a schema has room for."""

from __future__ import annotations

from collections.abc import Iterator

from bridgespec.codec.decl import Decl
from bridgespec.codec.facts import pair_entry
from bridgespec.codec.words import below, entry_of

_UNTOLD = frozenset({"last_number", "irregular"})


def members_in(board: Decl) -> frozenset[tuple[str, str]]:
    """The parts of terms that pairs of a board say alone."""
    pairs = [decl for decl in below(board) if decl.pair is not None]
    entries = [pair_entry(decl, key) for decl in pairs for key in (decl.pair.words if decl.pair is not None else ())]
    return frozenset((entry.term, entry.member) for entry in entries if entry.member)


def terms_in(decl: Decl, written: bool = False) -> Iterator[str]:
    """The model terms that a record can hold, lists of boards left out; with ``written`` those that a fresh record has."""
    seen: set[tuple[int, str]] = set()
    for name in _terms(decl, "", seen, written):
        if name and name not in _UNTOLD:
            yield name


def _terms(decl: Decl, term: str, seen: set[tuple[int, str]], written: bool) -> Iterator[str]:
    if (id(decl), term) in seen:
        return
    seen.add((id(decl), term))
    for inner in decl.fields.values():
        entry = entry_of(inner, term)
        if written and inner.only_read:
            continue
        if entry.kind == "term":
            yield entry.term
            yield from _terms(inner, entry.term, seen, written)
        elif entry.kind == "look" or entry.kind == "role":
            yield from _terms(inner, term, seen, written)
        elif entry.kind == "pair":
            yield from pair_terms(inner, seen, written)


def pair_terms(decl: Decl, seen: set[tuple[int, str]], written: bool) -> Iterator[str]:
    """The terms that pairs can hold."""
    pair = decl.pair
    assert pair is not None
    if pair.tags:
        yield from ("tags", "tables", "comments")
    for key in pair.words:
        entry = pair_entry(decl, key)
        yield entry.term
        handed = decl.handed.get(pair.value)
        value = handed.choose(key) if handed is not None else None
        if value is not None:
            yield from _terms(value, entry.term, seen, written)
