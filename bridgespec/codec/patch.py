"""Records of text that were read and changed: what stands as it stood, and where what is spelled anew goes."""

from __future__ import annotations

from collections.abc import Sequence, Set
from typing import Any

from bridgespec.codec.decl import Decl, RuleDecl
from bridgespec.codec.pairs import Plain, terms_of
from bridgespec.codec.terms import term_of_word
from bridgespec.codec.words import entry_of
from bridgespec.model.board import Comment


def patched(decl: Decl, base: Plain, fresh: Plain, changed: Set[str]) -> Plain:
    """The values as they stood, but for the changed terms, of which ``fresh`` has the values."""
    out = dict(base)
    for name, inner in decl.fields.items():
        entry, old, new = entry_of(inner), base.get(name), fresh.get(name)
        if entry.kind == "pair":
            merged = _merged(inner, _listed(old), _listed(new), changed)
            out[name] = merged if inner.many else merged[0] if merged else None
        elif entry.kind == "look" and inner.many:
            kept = [(one, patched(inner, one, {}, changed)) for one in old or ()]
            out[name] = [one for before, one in kept if one == before or _says(one)] + [one for one in new or () if _says(one)]
        elif entry.kind == "look" and isinstance(old, dict):
            out[name] = patched(inner, old, new or {}, changed)
        elif entry.kind == "term" and entry.term in changed:
            out[name] = new
    return {name: value for name, value in out.items() if value is not None}


def _listed(value: Any) -> list[Any]:
    """The pairs of a field, of which there may be one or many."""
    return list(value) if isinstance(value, list | tuple) else [] if value is None else [value]


def _says(value: Any) -> bool:
    """Whether plain values hold anything."""
    return any(map(_says, value.values())) if isinstance(value, dict) else value not in (None, [], ())


def _merged(decl: Decl, base: Sequence[Plain], fresh: Sequence[Plain], changed: Set[str]) -> list[Plain]:
    """The pairs as they stood, those of changed terms in their fresh form: where their like stood, or where the order of the schema
    has them.
    """
    changed = changed | {"tags"} if "tables" in changed else changed
    new: dict[str, list[Plain]] = {}
    for term, pair in zip(terms_of(decl, fresh), fresh, strict=True):
        new.setdefault(term, []).append(pair)
    out: list[Plain] = []
    for term, pair in zip(terms_of(decl, base), base, strict=True):
        out += new.pop(term, ()) if term in changed else [pair]
    for pairs in new.values():
        rank = _ranks(decl, pairs)[0]
        at = max((index + 1 for index, before in enumerate(_ranks(decl, out)) if before < rank), default=0)
        out[at:at] = pairs
    return out


def arranged(decl: Decl, pairs: list[Plain]) -> list[Plain]:
    """The pairs in the order of the strict form, where there is one."""
    order = _strict(decl, pairs) if len(pairs) > 1 else None
    return pairs if order is None else [pairs[at] for at in sorted(range(len(pairs)), key=order.__getitem__)]


def _ranks(decl: Decl, pairs: Sequence[Plain]) -> Sequence[Any]:
    """What pairs are ordered by: the strict form, where there is one, else the schema's list of keys."""
    assert decl.pair is not None
    order = {key: at for at, key in enumerate(decl.pair.words)}
    return _strict(decl, pairs) or [order.get(str(pair.get(decl.pair.key)), len(order)) for pair in pairs]


def _strict(decl: Decl, pairs: Sequence[Plain]) -> Sequence[Any] | None:
    assert isinstance(decl, RuleDecl)
    assert decl.pair is not None
    said, keys = decl.rule.words.pair, [str(pair.get(decl.pair.key)) for pair in pairs]
    if said is None or said.strict is None or said.strict.order is None:
        return None
    return said.strict.order.ranks(said, keys)


def apart(decl: Decl, inside: Plain) -> list[Plain]:
    """The elements of an array of records: one for each pair, where a record has room for one; else all in one."""
    alone = {name for name, value in inside.items() if isinstance(value, list) and not decl.fields[name].many}
    together = {name: value for name, value in inside.items() if value and name not in alone}
    return [*([together] if together else []), *({name: one} for name in inside if name in alone for one in inside[name])]


def commented(comments: Set[Comment]) -> set[str]:
    """The terms that comments follow."""
    words = {str(comment.after[0]) for comment in comments if comment.after}
    return {found[0].NAME if (found := term_of_word(word)) is not None else "tags" for word in words}
