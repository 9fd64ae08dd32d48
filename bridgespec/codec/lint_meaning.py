"""What a schema means: fields that belong nowhere, words that the table of meaning lacks, axes and codes that say nothing."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from difflib import get_close_matches

from bridgespec.codec.decl import Decl
from bridgespec.codec.terms import COMMON, TERMS, WORDS, term_of_word
from bridgespec.codec.terms._cells import AXES, labels_of
from bridgespec.codec.words import BOARDS, below, entry_of, pair_entry
from bridgespec.diagnostic import Code, Diagnostic, Severity, define
from bridgespec.spec.place import Place

UNBOUND = define(
    "schema-unbound",
    Severity.ERROR,
    """A field is neither bound, constant, derived nor opaque.

    In a format that means something in bridge, every field is one of these, so that nothing is dropped in silence. Give the
    field the name of a term or of a role, or say which with `as` or `role`; derive it with `value`, or keep it raw with `opaque:
    true`.
    """,
)
OTHERWISE = {
    False: "bind it (-bridge-as, -bridge-role), derive it (-bridge-value) or keep it raw (-bridge-opaque: true)",
    True: "bind it (as, role), derive it (xor) or keep it raw (opaque: true)",
}
UNKNOWN_WORD = define(
    "schema-unknown-word",
    Severity.ERROR,
    """A schema mentions what the table of meaning lacks.

    A term after `as`, a role after `role`, a key's word, the name of an axis or of a code: each is one of those that the
    documentation lists. The help names the nearest.
    """,
)
AXIS = define(
    "schema-axis",
    Severity.ERROR,
    """An axis names its positions wrongly.

    The labels of an axis are seats, suits, ranks, strains or rooms, each at most once.
    """,
)
MEANINGLESS = define(
    "schema-meaningless",
    Severity.NOTE,
    """No field of the schema means anything in bridge.

    The format can be validated, dumped and documented; nothing can be converted to it or from it.
    """,
)
Seen = set[tuple[int, str, str]]
_OPAQUE = "opaque"
_CONTROL = frozenset({"key", "value", "section"})


def lint_meaning(top: Decl, path: str, whole: bool) -> Iterator[Diagnostic]:
    """Every finding about what a schema means, in the order of its fields; ``whole``: it is a format, and no piece of others."""
    seen: Seen = set()
    found = list(_record(top, "", seen))
    if top.of_text and _binds(top, set()) and not _lists(top):
        help_ = "name the list of boards 'boards', or say `as: boards`"
        yield finding_at(UNBOUND, f"{top.name}: nothing in the file is a list of boards, or a system", top.place, help_)
    if not _binds(top, set()):
        if whole:
            yield Diagnostic(MEANINGLESS.name, MEANINGLESS.severity, "nothing in this schema means anything in bridge", path)
        found = [one for one in found if one.code != UNBOUND.name]
    yield from found


def finding_at(code: Code, message: str, place: Place, help: str | None = None) -> Diagnostic:
    """A finding about a place of a schema."""
    return Diagnostic(code.name, code.severity, message, place.file, span=place.span, help=help)


def _nearest(word: str, among: Collection[str]) -> str | None:
    close = get_close_matches(word, list(among), 1, 0.5)
    return f"is {close[0]!r} meant?" if close else None


def _binds(decl: Decl, seen: set[int]) -> bool:
    if id(decl) in seen:
        return False
    seen.add(id(decl))
    for inner in decl.fields.values():
        kind = entry_of(inner).kind
        if kind in ("term", "boards") or (kind == "pair" and inner.pair is not None and (inner.pair.words or inner.pair.tags)):
            return True
        if kind == "look" and _binds(inner, seen):
            return True
    return False


def _lists(top: Decl) -> bool:
    """Whether a file has a list of boards, or is a document of its own kind."""
    entries = [entry_of(inner) for inner in below(top)]
    return any(one.kind == "boards" or (one.kind == "term" and TERMS[one.term].ON == "document") for one in entries)


def _record(decl: Decl, term: str, seen: Seen, role: str = "") -> Iterator[Diagnostic]:
    if (id(decl), term, role) in seen:
        return
    seen.add((id(decl), term, role))
    for inner in decl.fields.values():
        yield from _field(inner, term, decl, seen, role)


def _field(decl: Decl, term: str, owner: Decl, seen: Seen, role: str) -> Iterator[Diagnostic]:
    entry = entry_of(decl, term)
    yield from _words(decl, term, entry.kind)
    yield from _axes(decl)
    if decl.pair is not None:
        yield from _pair(decl, seen)
        return
    if entry.kind in ("role", "term"):
        context = entry.term
        yield from _codes(decl, context, entry.role or entry.member)
        wanted = TERMS[term].WITHIN.get(entry.role) if entry.kind == "role" else None
        if wanted is not None and role not in wanted:
            among = " or ".join(sorted(wanted))
            yield finding_at(UNBOUND, f"{owner.name}.{decl.name} means something only in a part with the role {among}", decl.place)
        if decl.kind == "record":
            yield from _record(decl, context, seen, entry.role or entry.member)
    elif entry.kind == "boards":
        yield from _record(decl, "", seen)
    elif entry.kind == "look":
        yield from _record(decl, term, seen, role)
    elif not _excused(decl):
        where = f"{owner.name}.{decl.name}" if owner.name != decl.name else decl.name
        roles = list({**(TERMS[term].ROLES if term else {}), **WORDS})
        # A name that only resembles a word is often meant as it is: the other ways are told beside the guess.
        help_ = " Else ".join(filter(None, (_nearest(decl.name, roles), OTHERWISE[decl.of_text])))
        yield finding_at(UNBOUND, f"{where} is neither bound, a role, constant, derived nor opaque", decl.place, help_)
        yield from _stray(decl, set())


def _stray(decl: Decl, seen: set[int]) -> Iterator[Diagnostic]:
    """What words say below a part that means nothing: they may be misspelled, and the reason why it does not."""
    if id(decl) in seen:
        return
    seen.add(id(decl))
    for inner in decl.fields.values():
        yield from _words(inner, "", "rest")
        yield from _axes(inner)
        yield from _stray(inner, seen)


def _excused(decl: Decl) -> bool:
    binding = decl.binding
    said = binding.term is not None and term_of_word(binding.term) is None and binding.term != BOARDS
    return binding.opaque or decl.fixed or decl.settled or binding.default is not None or binding.value is not None or said


def _words(decl: Decl, term: str, kind: str) -> Iterator[Diagnostic]:
    word, role = decl.binding.term, decl.binding.role
    every = {role for one in TERMS.values() for role in one.ROLES} | COMMON.keys() | _CONTROL
    if word is not None and word != BOARDS and term_of_word(word) is None and word not in every:
        yield finding_at(UNKNOWN_WORD, f"{decl.name}: there is no term {word!r}", decl.place, _nearest(word, {*WORDS, BOARDS}))
    if role is not None and role not in every:
        known = TERMS[term].ROLES if term else every
        yield finding_at(UNKNOWN_WORD, f"{decl.name}: there is no role {role!r}", decl.place, _nearest(role, [*known, *COMMON]))
    elif role is not None and term and kind != "role" and role not in _CONTROL and role not in {**TERMS[term].ROLES, **COMMON}:
        help_ = _nearest(role, TERMS[term].ROLES)
        yield finding_at(UNKNOWN_WORD, f"{decl.name}: {term} has no role {role!r}", decl.place, help_)


def _axes(decl: Decl) -> Iterator[Diagnostic]:
    for axis in decl.binding.axes:
        labels = labels_of(axis.name)
        if axis.name not in AXES:
            yield finding_at(UNKNOWN_WORD, f"{decl.name}: there is no axis {axis.name!r}", decl.place, _nearest(axis.name, AXES))
        elif labels and set(axis.labels) - set(labels):
            wrong = "".join(sorted(set(axis.labels) - set(labels)))
            yield finding_at(AXIS, f"{decl.name}: {wrong!r} is not on the axis {axis.name}, which has {labels}", decl.place)
        elif len(set(axis.labels)) < len(axis.labels):
            again = next(label for label in axis.labels if axis.labels.count(label) > 1)
            yield finding_at(AXIS, f"{decl.name}: the axis {axis.name} has {again!r} twice", decl.place)


def _codes(decl: Decl, term: str, role: str) -> Iterator[Diagnostic]:
    known = TERMS[term].CODES.get(role)
    if known is None or decl.kind != "code":
        return
    for name in decl.codes:
        if name not in known:
            yield finding_at(
                UNKNOWN_WORD, f"{decl.name}: the code {name!r} stands for nothing in {term}", decl.place, _nearest(name, known)
            )


def _pair(decl: Decl, seen: Seen) -> Iterator[Diagnostic]:
    pair = decl.pair
    assert pair is not None
    fields = {pair.key, pair.value, pair.section}
    for name, inner in decl.fields.items():
        if name not in fields and not _excused(inner) and entry_of(inner).kind == "rest":
            yield finding_at(UNBOUND, f"{decl.name}.{name} is not a part of the pair: keep it raw (opaque: true)", inner.place)
    for key, word in pair.words.items():
        if word != _OPAQUE and term_of_word(word) is None:
            yield finding_at(
                UNKNOWN_WORD, f"{decl.name}: there is no term {word!r} for {key}", decl.place, _nearest(word, {*WORDS, _OPAQUE})
            )
            continue
        entry = pair_entry(decl, key)
        for field in (pair.value, pair.section):
            handed = decl.handed.get(field or "")
            target = None if handed is None else handed.choose(key)
            if target is None or not entry.term:
                continue
            if target.kind == "record":
                yield from _record(target, entry.term, seen, entry.member)
            else:
                yield from _codes(target, entry.term, entry.member)
