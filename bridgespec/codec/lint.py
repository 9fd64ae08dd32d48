"""Check a loaded schema: fields without a binding, unknown words, axes and codes without a meaning, arrays of a wrong size, keys
that cannot apply.

A loader refuses schemas that cannot be used; `lint` finds elements that are valid but probably not intended. Findings have the
position of the element in the schema.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from bridgespec.codec.binding_words import below, entry_of, kinds_unnamed, pair_entry
from bridgespec.codec.checksum import Checksum
from bridgespec.codec.declaration import Declaration, FieldBinding, PairDeclaration, RuleDeclaration, top_of
from bridgespec.codec.terms import CLAIMS, COMMON, NOTE, REFERENCE, TERMS, WORDS, CannotRepresent, term_of_word
from bridgespec.codec.terms._cells import ORDINAL, labels_of, limb_of, ranking
from bridgespec.codec.unused_words import contradictions, finding_at, idle
from bridgespec.diagnostic import Diagnostic, Severity, define, nearest
from bridgespec.errors import SpecError
from bridgespec.spec.ir import BOARDS, Axis, Spec
from bridgespec.spec.keys import AXES
from bridgespec.spec.problems import APPLY

UNBOUND = define(
    "schema-unbound",
    Severity.ERROR,
    """A field is neither bound, constant, derived nor opaque.

    In a format that means something in bridge, every field is one of these, so that nothing is dropped in silence. Give the
    field the name of a term or of a role, or say which with `as` or `role`; derive it with `value`, or keep it raw with `opaque:
    true`.
    """,
)
UNNAMED = define(
    "schema-kinds",
    Severity.ERROR,
    """The records of a list of boards are of several kinds, and nothing says which of them are boards.

    A field says what a record holds (`switch-on`), and a type of it states nothing of a board: a remark would become a board.
    `-bridge-case: TYPE` beside the list names the type that is a board; records of the others are kept and written back. In a
    grammar, the alternatives are rules that stand beside each other: `(board | pause)*`, with `as: boards` at the first.
    """,
)
OTHERWISE = {
    False: "bind it (-bridge-as, -bridge-role), derive it (-bridge-value) or keep it raw (-bridge-opaque: true)",
    True: "bind it (as, role), derive it (value) or keep it raw (opaque: true)",
}
"""The remedies for a field without a binding: of a binary schema (False), of a grammar (True)."""
UNKNOWN_WORD = define(
    "schema-unknown-word",
    Severity.ERROR,
    """A schema mentions what the table of meaning lacks.

    A term after `as`, a role after `role`, a key's word, the name of an axis or of a code: each is one of those that the
    documentation lists. The help names the nearest.
    """,
)
LINE_END = define(
    "schema-line-end",
    Severity.ERROR,
    """The text of a field includes the end of its line.

    A rule without fields is a text: all that it matches, line ends and marks too. What other formats state of a term has no line
    end, so that the text would be lost in both directions. Where `remark: MARK text LINE_END` is a comment, make the text alone a
    rule: `remark: MARK comment LINE_END`, with `comment` for the text.
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
_OPAQUE = "opaque"
_CONTROL = frozenset({"key", "value", "section"})
"""The roles of the fields of a pair; they bind nothing to the model."""
_ROLES = frozenset({*COMMON, *_CONTROL, *(role for term in TERMS.values() for role in term.ROLES)})


def lint(spec: Spec) -> list[Diagnostic]:
    """Return every finding about a schema that could be loaded, in the order of its text."""
    found = list(_fields(spec))
    if spec.root in spec.records:
        found += _meaning(top_of(spec), spec.path, bool(spec.extensions))
    return sorted(found, key=lambda d: (d.path or "", d.span.line or 0, d.span.column or 0) if d.span else ("", 0, 0))


def _nearest(word: str, among: Collection[str]) -> str | None:
    """Return the help that names the most similar word; None where none is similar."""
    return nearest(word, among, 0.5)


def _meant(decl: Declaration, term: str) -> str | None:
    """Return a suggestion for a field without a binding: the terms that have a role of the field's name, else the most similar
    word; None where there is none.
    """
    if isinstance(decl, RuleDeclaration) and (words := _referred(decl)):
        return words
    name = decl.name
    around = {word for one, entry in TERMS.items() if name in entry.ROLES for word in entry.WITHIN.get(name) or {one}} & {*WORDS}
    if around:
        key = "as" if decl.of_text else "-bridge-as"
        return f"{name!r} is a part of {' or '.join(sorted(around))}: declare the record around it as one of these with '{key}'."
    # A name that resembles a word is often no misspelling: the caller adds the other remedies.
    return _nearest(name, {**(TERMS[term].ROLES if term else {}), **WORDS})


def _referred(decl: RuleDeclaration) -> str | None:
    """Return a suggestion for an unbound field whose rule only refers to a bound rule, since the binding of that rule does not
    apply; None for any other field.
    """
    rule = decl.rule
    while (target := rule.alias_of) is not None:
        rule = decl.rules.grammar.rules[target.name]
        word = rule.words.binding.term or next((name for name, one in TERMS.items() if rule.name in one.MARKS), None)
        if word is not None:
            return f"{decl.name!r} only refers to {rule.name}: declare it with 'as: {word}' itself."
    return None


# --- bytes: sizes and keys ----------------------------------------------------------------------------------------------


def _fields(spec: Spec) -> Iterator[Diagnostic]:
    """Yield the findings on elements without effect, and for a binary schema on keys that contradict a field's type or size."""
    yield from idle(spec)
    if spec.language != "ksy":
        return
    if spec.checksum is not None and spec.checksum.place is not None:
        try:
            # Made only for its error, which would otherwise appear with the first file that is read.
            Checksum(spec.checksum)
        except SpecError as error:
            yield finding_at(APPLY, str(error), spec.checksum.place)
    for record in spec.records.values():
        for field in record.fields:
            yield from contradictions(spec, field)


# --- meaning ------------------------------------------------------------------------------------------------------------


def _meaning(top: Declaration, path: str, is_format: bool) -> Iterator[Diagnostic]:
    """Yield the findings on the binding of a schema's fields to the model. ``is_format``: the schema is a format by itself, not
    a part that formats import.
    """
    binds = _binds(top, set())
    entries = [entry_of(inner) for inner in below(top)]
    lists = any(one.kind == "boards" or (one.kind == "term" and TERMS[one.term].ON == "document") for one in entries)
    if top.of_text and binds and not lists:
        help_ = "name the list of boards 'boards', or say `as: boards`"
        yield finding_at(UNBOUND, f"{top.name}: nothing in the file is a list of boards, or a system", top.place, help_)
    if not binds and is_format:
        yield Diagnostic(MEANINGLESS.name, MEANINGLESS.severity, "nothing in this schema means anything in bridge", path)
    for one in below(top):
        if entry_of(one).kind == "boards" and (unnamed := kinds_unnamed(one)):
            yield finding_at(UNNAMED, unnamed, one.place)
    meaning = _Meaning(binds, any(entry_of(inner, term.NAME).role == REFERENCE for inner in below(top) for term in CLAIMS[NOTE]))
    yield from meaning.record(top, "")
    yield from (one for one in meaning.idle.values() if one is not None and one.path == top.place.file)


def _binds(decl: Declaration, seen: set[int]) -> bool:
    """Whether a field of a record, or of a record inside it that has no role, has a meaning in the model."""
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


class _Meaning:
    """Checks the bindings of all fields of a schema, each once for every term that it may be a part of.

    ``binds``: some field of the schema has a meaning; else no field needs a binding. ``refers``: calls or cards may refer to
    notes; else a note has no meaning.
    """

    def __init__(self, binds: bool, refers: bool) -> None:
        self.binds, self.refers = binds, refers
        self.seen: set[tuple[int, str, str]] = set()
        self.idle: dict[tuple[object, str], Diagnostic | None] = {}
        """The findings on keys without effect, by position and key; None for a key that has an effect in some record."""

    def record(self, decl: Declaration, term: str, role: str = "") -> Iterator[Diagnostic]:
        """Yield the findings on the fields of a record that is a part of ``term`` with the role ``role``, and on those below
        them.
        """
        if (id(decl), term, role) not in self.seen:
            self.seen.add((id(decl), term, role))
            for inner in decl.fields.values():
                yield from self._field(inner, term, decl, role)

    def _field(self, decl: Declaration, term: str, owner: Declaration, role: str) -> Iterator[Diagnostic]:
        """Yield the findings on a field of the record ``owner``, which is a part of ``term`` with this role, and on those below."""
        entry = entry_of(decl, term)
        yield from _words(decl, term, entry.kind)
        if decl.has_model:
            self._effects(decl, entry, owner)
        if decl.pair is not None:
            yield from self._pair(decl, decl.pair)
        elif entry.kind in ("role", "term"):
            own = entry.role or entry.member
            yield from _codes(decl, entry.term, own)
            yield from _coded(decl, entry.term, own)
            yield from _line_end(decl, entry.term)
            if own == ORDINAL:
                yield from _ranking(decl)
            wanted = TERMS[term].WITHIN.get(entry.role) if entry.kind == "role" else None
            if self.binds and wanted is not None and role not in wanted:
                where = f"a part with the role {' or '.join(sorted(wanted))}"
                yield finding_at(UNBOUND, f"{owner.name}.{decl.name} means something only in {where}", decl.place)
            if self.binds and not self.refers and own == NOTE:
                key = "opaque" if decl.of_text else "-bridge-opaque"
                help_ = f"a call or a card refers to a note with a part whose role is {REFERENCE}; else keep it raw ({key}: true)"
                message = f"{owner.name}.{decl.name} is a note on a call or a card, and none refers to it"
                yield finding_at(UNBOUND, message, decl.place, help_)
            if decl.kind == "record":
                yield from self.record(decl, entry.term, own)
        # A list of boards has no term: its fields are terms of their own.
        elif entry.kind == "boards":
            yield from self.record(decl, "")
        elif entry.kind == "look":
            yield from self.record(decl, term, role)
        elif not _excused(decl):
            if self.binds:
                where = f"{owner.name}.{decl.name}" if owner.name != decl.name else decl.name
                help_ = " Else ".join(filter(None, (_meant(decl, term), OTHERWISE[decl.of_text])))
                yield finding_at(UNBOUND, f"{where} is neither bound, a role, constant, derived nor opaque", decl.place, help_)
            yield from _stray(decl, set())

    def _effects(self, decl: Declaration, entry: FieldBinding, owner: Declaration) -> None:
        """Record for each binding key of a field whether it has an effect in the record ``owner``, and if not, a finding with the
        reason.
        """
        bound = entry.kind in ("role", "term")
        for key, given, works, why in _key_effects(decl, entry, owner):
            if given:
                shown = key if decl.of_text else f"-bridge-{key}"
                parts = sorted(TERMS[term].AXES - {""}) if key == "axes" and bound and (term := entry.term) else []
                help_ = f"axes are those of a list: give them to a part with the role {' or '.join(parts)}" if parts else None
                found = None if works else finding_at(APPLY, f"{decl.name}: '{shown}' has no effect: {why}", decl.place, help_)
                place = decl.place, key
                # One effect in any record is enough: from then on the entry is None.
                self.idle[place] = self.idle.get(place, found) and found

    def _pair(self, decl: Declaration, pair: PairDeclaration) -> Iterator[Diagnostic]:
        """Yield the findings on the fields and the keys of a declaration of pairs, and on the records that read its texts."""
        fields = {pair.key, pair.value, pair.section}
        for name, inner in decl.fields.items():
            if self.binds and name not in fields and not _excused(inner) and entry_of(inner).kind == "rest":
                yield finding_at(UNBOUND, f"{decl.name}.{name} is not a part of the pair: keep it raw (opaque: true)", inner.place)
        if pair.words and not decl.has_model:
            yield _without_model(decl, "terms")
        if decl.has_model and pair.key in decl.fields:
            self._effects(decl.fields[pair.key], entry_of(decl.fields[pair.key]), decl)
        for key, word in pair.words.items():
            if word != _OPAQUE and term_of_word(word) is None:
                help_ = _nearest(word, {*WORDS, _OPAQUE})
                yield finding_at(UNKNOWN_WORD, f"{decl.name}: there is no term {word!r} for {key}", decl.place, help_)
                continue
            yield from self._texts_of_key(decl, pair, key)

    def _texts_of_key(self, decl: Declaration, pair: PairDeclaration, key: str) -> Iterator[Diagnostic]:
        """Yield the findings on the rules that read the value and the section of a pair with this key."""
        entry = pair_entry(decl, key)
        for field in (pair.value, pair.section):
            delegated = decl.delegated.get(field or "")
            target = None if delegated is None else delegated.choose(key)
            if target is not None and decl.has_model:
                self._effects(target, entry, decl)
            if target is not None and entry.term and target.kind == "record":
                yield from self.record(target, entry.term, entry.member)
            elif target is not None and entry.term:
                yield from _codes(target, entry.term, entry.member)


def _key_effects(decl: Declaration, entry: FieldBinding, owner: Declaration) -> Iterator[tuple[str, object, bool, str]]:
    """Yield each binding key: its value for a field of the record ``owner``, whether it has an effect there, and the reason if
    it has none.
    """
    binding, bound = decl.binding, entry.kind in ("role", "term")
    role = entry.role if bound else None
    of = f"{entry.role} of {entry.term}" if entry.role else entry.term or "nothing in the model"
    is_key = owner.pair is not None and owner.pair.key == decl.name
    lone = role == "" and decl.kind == "record" and not decl.many
    is_role = (binding.role or "") in _CONTROL or entry.kind == "role"
    yield "as", binding.term, not binding.opaque, "an opaque field means nothing in the model"
    yield "role", binding.role, not binding.opaque and is_role, f"the field is {of} and no part of a term here"
    yield "at", binding.at, bound and role in TERMS[entry.term].AT, f"it is of hands or of cells, and the field is {of}"
    may_have_axes = not bound or (role in TERMS[entry.term].AXES and not lone)
    yield "axes", binding.axes, may_have_axes, f"the field is {of}, and no array"
    yield "number", binding.number, not is_key, "the field is the key of a pair, which is a word"


def _stray(decl: Declaration, seen: set[int]) -> Iterator[Diagnostic]:
    """Yield findings on unknown words below a field without a meaning: a misspelled word may be the reason why it has none."""
    if id(decl) not in seen:
        seen.add(id(decl))
        for inner in decl.fields.values():
            yield from _words(inner, "", "rest")
            yield from _stray(inner, seen)


def _excused(decl: Declaration, seen: frozenset[Declaration] = frozenset()) -> bool:
    """Whether a field may be without a binding, because a writer can make its value. So may a record of such fields, and a list
    of such records whose length an expression gives.
    """
    binding = decl.binding
    # An unknown word has a finding of its own; that the field is not bound follows from it.
    misspelled = binding.term is not None and term_of_word(binding.term) is None and binding.term != BOARDS
    if binding.opaque or decl.fixed or decl.settled or binding.default is not None or binding.value is not None or misspelled:
        return True
    if (decl.many and not decl.counted) or decl in seen or not decl.fields:
        return False
    return all(_excused(one, seen | {decl}) for one in decl.fields.values())


def _bound(decl: Declaration) -> tuple[tuple[str, object], ...]:
    """Return the keys that bind a field to the model, each with its value, which is empty or None where the field lacks the key."""
    binding = decl.binding
    role = None if binding.role in _CONTROL else binding.role
    return ("as", binding.term), ("role", role), ("at", binding.at), ("prefer", binding.prefer)


def _without_model(decl: Declaration, key: str) -> Diagnostic:
    """Return the finding about a key that needs a model in a schema without one."""
    line = "`//- model: boards` in the head" if decl.of_text else "`-bridge-model: boards` in meta"
    help_ = f"add {line}, or name the list of boards 'boards'"
    return finding_at(APPLY, f"{decl.name}: '{key}' has no effect, since the schema has no model", decl.place, help_)


def _words(decl: Declaration, term: str, kind: str) -> Iterator[Diagnostic]:
    """Yield findings on the unknown words of a field, and on its axes."""
    word, role = decl.binding.term, decl.binding.role
    if word is not None and word != BOARDS and term_of_word(word) is None and word not in _ROLES:
        yield finding_at(UNKNOWN_WORD, f"{decl.name}: there is no term {word!r}", decl.place, _nearest(word, {*WORDS, BOARDS}))
    known = TERMS[term].ROLES if term else _ROLES
    if role is not None and role not in _ROLES:
        yield finding_at(UNKNOWN_WORD, f"{decl.name}: there is no role {role!r}", decl.place, _nearest(role, [*known, *COMMON]))
    elif role is not None and term and kind != "role" and role not in {*known, *_CONTROL, *COMMON}:
        yield finding_at(UNKNOWN_WORD, f"{decl.name}: {term} has no role {role!r}", decl.place, _nearest(role, known))
    elif not decl.has_model and (key := next((key for key, value in _bound(decl) if value), None)) is not None:
        yield _without_model(decl, key if decl.of_text else f"-bridge-{key}")
    for axis in decl.binding.axes:
        yield from _labels(decl, axis)


def _labels(decl: Declaration, axis: Axis) -> Iterator[Diagnostic]:
    """Yield a finding on an axis of a field that is unknown, or whose labels are unknown or not distinct."""
    labels = labels_of(axis.name)
    if axis.name not in AXES:
        yield finding_at(UNKNOWN_WORD, f"{decl.name}: there is no axis {axis.name!r}", decl.place, _nearest(axis.name, AXES))
    elif labels and set(axis.labels) - set(labels):
        wrong = "".join(sorted(set(axis.labels) - set(labels)))
        yield finding_at(AXIS, f"{decl.name}: {wrong!r} is not on the axis {axis.name}, which has {labels}", decl.place)
    elif len(set(axis.labels)) < len(axis.labels):
        again = next(label for label in axis.labels if axis.labels.count(label) > 1)
        yield finding_at(AXIS, f"{decl.name}: the axis {axis.name} has {again!r} twice", decl.place)


def _ranking(decl: Declaration) -> Iterator[Diagnostic]:
    """Yield findings on a field with the number of a deal or hand: an invalid order of cards and seats in its axes, or a type
    that cannot have such a number.
    """
    try:
        ranking(decl.binding.axes)
    except CannotRepresent as problem:
        yield finding_at(AXIS, f"{decl.name}: {problem}", decl.place)
    if decl.kind != "leaf" or (decl.many and limb_of(decl) is None):
        needed = "a whole number, or an array of unsigned integers that make up one"
        yield finding_at(APPLY, f"{decl.name}: the number of a deal or hand needs {needed}", decl.place)


def _coded(decl: Declaration, term: str, role: str) -> Iterator[Diagnostic]:
    """Yield a finding where a field is a text or a number, and only a code can state its role or term."""
    known = TERMS[term].CODES.get(role)
    if decl.kind == "leaf" and role in TERMS[term].CODED and known is not None:
        way = "the alternatives of a rule name them, 'N' -> north" if decl.of_text else "give the field an enum with their names"
        codes = ", ".join(sorted(known - {"unknown"})[:4])
        message = f"{decl.name}: {f'{role} of {term}' if role else term} is a code, as a text or a number it means nothing"
        yield finding_at(APPLY, message, decl.place, f"name its codes ({codes}, ...): {way}")


def _line_end(decl: Declaration, term: str) -> Iterator[Diagnostic]:
    """Yield a finding on a text that includes the end of its line."""
    if not isinstance(decl, RuleDeclaration) or decl.kind != "leaf" or decl.between is not None:
        return
    if decl.rules.grammar.ends_line(decl.shape):
        help_ = f"match the line end beside it: make the text alone a rule, with the binding of {decl.name}"
        yield finding_at(LINE_END, f"{decl.name}: the text of {term} includes the end of its line", decl.place, help_)


def _codes(decl: Declaration, term: str, role: str) -> Iterator[Diagnostic]:
    """Yield a finding for each code of a field whose name means nothing in its role or term."""
    known = TERMS[term].CODES.get(role)
    for name in decl.codes if decl.kind == "code" else ():
        if known is not None and name not in known:
            message = f"{decl.name}: the code {name!r} stands for nothing in {term}"
            yield finding_at(UNKNOWN_WORD, message, decl.place, _nearest(name, known))
