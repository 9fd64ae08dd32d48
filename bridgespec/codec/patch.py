"""Records of text that were read and changed: what stands as it stood, and where what is spelled anew goes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bridgespec.codec.decl import Decl, RuleDecl
from bridgespec.codec.pairs import Made, terms_of
from bridgespec.codec.terms import term_of_word
from bridgespec.codec.words import entry_of
from bridgespec.model.board import Comment


def patched(decl: Decl, base: dict[str, Any], fresh: dict[str, Any], changed: set[str]) -> dict[str, Any]:
    """The values as they stood, those of changed terms as a fresh record has them."""
    out = dict(base)
    for name, inner in decl.fields.items():
        entry = entry_of(inner)
        if entry.kind == "pair":
            merged = _merged(inner, _listed(base.get(name)), _listed(fresh.get(name)), changed)
            if inner.many or merged:
                out[name] = merged if inner.many else merged[0]
            else:
                out.pop(name, None)
        elif entry.kind == "look" and not inner.many and isinstance(base.get(name), dict):
            out[name] = patched(inner, base[name], fresh.get(name, {}), changed)
        elif entry.kind == "look" and inner.many:
            kept = [patched(inner, one, {}, changed) for one in base.get(name, ())]
            new = [_only(inner, one, changed) for one in fresh.get(name, ())]
            old = base.get(name, ())
            out[name] = [one for one, before in zip(kept, old, strict=True) if one == before or _says(one)] + list(
                filter(_says, new)
            )
        elif entry.kind == "term" and entry.term in changed:
            out.pop(name, None)
            if name in fresh:
                out[name] = fresh[name]
    return out


def _only(decl: Decl, values: dict[str, Any], changed: set[str]) -> dict[str, Any]:
    """What a fresh record has of changed terms."""
    out: dict[str, Any] = {}
    for name, value in values.items():
        inner = decl.fields[name]
        entry = entry_of(inner)
        if entry.kind == "pair":
            merged = _merged(inner, [], _listed(value), changed)
            out[name] = merged if inner.many else next(iter(merged), None)
        elif entry.kind == "look":
            listed = [_only(inner, one, changed) for one in (value if inner.many else [value])]
            out[name] = [one for one in listed if _says(one)] if inner.many else listed[0]
        elif entry.kind == "term" and entry.term in changed:
            out[name] = value
    return {name: value for name, value in out.items() if _says(value)}


def _listed(value: Any) -> list[Any]:
    """The pairs of a field, of which there may be one or many."""
    return list(value) if isinstance(value, list | tuple) else [] if value is None else [value]


def _says(value: Any) -> bool:
    """Whether plain values hold anything."""
    if isinstance(value, dict):
        return any(map(_says, value.values()))
    return value not in (None, [], ())


def _merged(decl: Decl, base: Sequence[Any], fresh: Sequence[Any], changed: set[str]) -> list[Any]:
    """The pairs as they stood, those of changed terms in their fresh form: where their like stood, or where a fresh record has
    them.
    """
    assert decl.pair is not None
    named = decl.pair.key

    def touched(term: str) -> bool:
        return term in changed or (term == "tags" and "tables" in changed)

    new: dict[str, list[Any]] = {}
    for term, pair in zip(terms_of(decl, [str(pair.get(named)) for pair in fresh]), fresh, strict=True):
        if touched(term):
            new.setdefault(term, []).append(pair)
    out: list[Any] = []
    for term, pair in zip(terms_of(decl, [str(pair.get(named)) for pair in base]), base, strict=True):
        if touched(term):
            out += new.pop(term, ())
        else:
            out.append(pair)
    order = [str(pair.get(named)) for pair in fresh]
    for pairs in new.values():
        before = set(order[: order.index(str(pairs[0].get(named)))])
        at = max((i + 1 for i, pair in enumerate(out) if str(pair.get(named)) in before), default=len(out))
        out[at:at] = pairs
    return out


def holding(decl: Decl) -> list[tuple[str, Decl]]:
    """The pairs of a record that may hold for those that follow."""
    pairs = [(name, inner) for name, inner in decl.fields.items() if inner.pair is not None]
    return [(name, inner) for name, inner in pairs if inner.inherit is not None or (inner.pair is not None and inner.pair.repeats)]


def apart(decl: Decl, inside: dict[str, Any]) -> list[dict[str, Any]]:
    """The elements of an array of records: one for each pair, where a record has room for one; else all in one."""
    found: list[dict[str, Any]] = []
    together: dict[str, Any] = {}
    for name, value in inside.items():
        if isinstance(value, list) and not decl.fields[name].many:
            found += [{name: one} for one in value]
        elif value:
            together[name] = value
    return [*([together] if together else []), *found]


def commented(comments: set[Comment]) -> set[str]:
    """The terms that comments follow."""
    words = {str(comment.after[0]) for comment in comments if comment.after}
    return {found[0].NAME if (found := term_of_word(word)) is not None else "tags" for word in words}


def arranged(decl: Decl, pairs: list[Made]) -> list[Made]:
    """The pairs in the order of the strict form, where there is one."""
    assert isinstance(decl, RuleDecl)
    assert decl.pair is not None
    form = decl.rule.words.form
    if form is None or form.strict is None or form.strict.order is None:
        return pairs
    keys = [str(pair.values[decl.pair.key]) for pair in pairs]
    ranks = form.strict.ranks(decl.pair.mandatory, decl.pair.tables, frozenset(form.within), keys)
    return [pairs[index] for index in sorted(range(len(pairs)), key=lambda index: ranks[index])]
