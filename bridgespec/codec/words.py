"""What the words of a schema mean: the role or the term that a field has where it stands."""

from __future__ import annotations

from collections.abc import Iterator

from bridgespec.codec.decl import Decl, Entry
from bridgespec.codec.terms import COMMON, TERMS, term_of_word

BOARDS = "boards"
REST = Entry("rest")
LOOK = Entry("look")
PAIR = Entry("pair")


def entry_of(decl: Decl, term: str = "") -> Entry:
    """What a field is in a record of a term; of none, where ``term`` is empty."""
    found = decl.entries.get(term)
    if found is None:
        found = decl.entries[term] = _entry(decl, term)
    return found


def _entry(decl: Decl, term: str) -> Entry:
    binding = decl.binding
    if binding.opaque or decl.fixed:
        return REST
    if decl.pair is not None:
        return PAIR
    roles = {**COMMON, **TERMS[term].ROLES} if term else {}
    for word in filter(None, (binding.role, binding.term)):
        if word in roles:
            return Entry("role", term, word, whole=word in TERMS[term].ARRAYS)
    if binding.term is not None:
        return _of_term(binding.term) or REST
    if decl.name in roles:
        return Entry("role", term, decl.name, whole=decl.name in TERMS[term].ARRAYS)
    found = _of_term(decl.name)
    if found is not None:
        return found
    return LOOK if decl.kind == "record" and any(_speaks(inner, term) for inner in below(decl)) else REST


def roles_in(decl: Decl, term: str) -> frozenset[str]:
    """The roles of a term that parts of a record may have."""
    found = decl.roles.get(term)
    if found is None:
        decl.roles[term] = frozenset()
        found = decl.roles[term] = frozenset(_roles(decl, term))
    return found


def _roles(decl: Decl, term: str) -> Iterator[str]:
    for field in decl.inside:
        entry = entry_of(field, term)
        if entry.kind == "role":
            yield entry.role
        elif entry.kind == "look":
            yield from roles_in(field, term)


def _of_term(word: str) -> Entry | None:
    if word == BOARDS:
        return Entry("boards")
    found = term_of_word(word)
    if found is None:
        return None
    term, member = found
    return Entry("term", term.NAME, "", member, word in term.ARRAYS)


def _speaks(decl: Decl, term: str) -> bool:
    binding = decl.binding
    if binding.opaque or decl.fixed:
        return False
    roles = {**COMMON, **TERMS[term].ROLES} if term else {}
    words = [word for word in (binding.role, binding.term or decl.name) if word]
    return decl.pair is not None or any(word in roles or _of_term(word) is not None for word in words)


def below(decl: Decl) -> list[Decl]:
    """Everything that is seen through a record: its fields, and theirs, each once."""
    return list(decl.walk())[1:]
