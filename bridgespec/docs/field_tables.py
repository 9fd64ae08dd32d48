"""Tables about a schema: the fields of a record (`record_table`), the rules of a grammar (`rule_row`), proofs (`proof_table`)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from bridgespec.codec.code_numbers import term_of
from bridgespec.codec.proof.claim import MEANINGS, Proof, Property, counted
from bridgespec.codec.proof.proof_cache import quick_proofs
from bridgespec.codec.terms import term_of_word
from bridgespec.docs.geometry import boxes, tone_of
from bridgespec.docs.prose import Markup, code, plain, prose
from bridgespec.docs.tracks import has_track, pictured
from bridgespec.docs.type_names import constraints, message_text, repeat_text, size_text, term_meaning, term_name, type_text
from bridgespec.spec.grammar import Expr, Grammar, GrammarLiteral, GrammarRepeat, GrammarRule, Pattern, Ref
from bridgespec.spec.grammar import Sequence as Series
from bridgespec.spec.ir import BitsType, Enum, Field, IntType, PosInstance, Record, RecordType, Spec, ValueInstance
from bridgespec.spec.kaitai.expr.tree import Name, walk
from bridgespec.spec.kaitai.sizes import field_bits, type_bits

Links = Mapping[str, Markup]
"""The name of each finding as a link to its page."""


@dataclass(frozen=True)
class CodeRow:
    """One code in a table: its spelling in the file, its name, and its meaning."""

    raw: str
    name: str
    doc: str = ""


@dataclass(frozen=True)
class FieldRow:
    """One field of a record in a table, each attribute in the form in which it is shown; ``tone`` is the number of its colour."""

    name: str
    anchor: str
    tone: int
    offset: str | Markup
    bits: str
    size: str
    type: Markup
    codes: Sequence[CodeRow]
    constraints: Sequence[Markup]
    term: str | None
    meaning: Markup
    doc: Markup


@dataclass(frozen=True)
class RecordFields:
    """The table of a record: a row for each field, its checks, and its computed instances with their sources and docs."""

    name: str
    anchor: str
    doc: Markup
    size: str
    bits_order: str
    rows: Sequence[FieldRow]
    checks: Sequence[Markup]
    computed: Sequence[tuple[str, str, str]] = field(default_factory=tuple)


def record_table(spec: Spec, record: Record, links: Links) -> RecordFields:
    """Return the table of a record; ``links`` has the codes of findings as links."""
    checks = [
        Markup("{} {} {}").format(code(check.that.source), links.get(check.code, code(check.code)), check.message)
        for check in record.checks
    ]
    kinds = {one.type.endian for one in record.fields if isinstance(one.type, BitsType)}
    order = {"le": "Bit 0 is the low bit of the first byte", "be": "Bit 0 is the high bit of the first byte"}
    known = [field_bits(one, spec.records) for one in record.fields]
    total = sum(bits for bits in known if bits is not None) if None not in known else None
    return RecordFields(
        record.name,
        f"record-{record.name.replace('::', '-')}",
        prose(record.doc),
        size_text(total),
        "; ".join(order[kind] for kind in sorted(kinds)),
        _rows(spec, record, links),
        checks,
        [(n, i.value.source, plain(i.doc)) for n, i in record.instances.items() if isinstance(i, ValueInstance)],
    )


def _rows(spec: Spec, record: Record, links: Links) -> list[FieldRow]:
    """Return the rows of a record: those of its fields in sequence, then those of the fields that it has at offsets."""
    starts: dict[str, int | None] = {}
    for box in boxes(spec, record):
        # An array has a box for each element; the offset of the field is that of the first.
        starts.setdefault(box.name, box.start)
    rows = [_row(spec, record, one, index, starts.get(one.name), links) for index, one in enumerate(record.fields)]
    apart = [one for one in record.instances.values() if isinstance(one, PosInstance)]
    # Indexes continue those of the fields in sequence, since they determine the colours.
    placed = [_row(spec, record, one.field, len(rows) + index, None, links) for index, one in enumerate(apart)]
    for row, one in zip(placed, apart, strict=True):
        names = _fields_in(record, one)
        rows = [replace(r, meaning=_joined(r.meaning, _leads_to(row))) if r.name in names else r for r in rows]
        placed = [replace(r, offset=_offset_text(record, one)) if r is row else r for r in placed]
    return rows + placed


def _fields_in(record: Record, instance: PosInstance) -> list[str]:
    """Return the names of the fields of a record that the offset of an instance depends on."""
    named = {tree.id for tree in walk(instance.pos.tree) if isinstance(tree, Name)} if instance.pos is not None else set()
    return [one.name for one in record.fields if one.name in named]


def _offset_text(record: Record, instance: PosInstance) -> Markup:
    """Return the offset of an instance in words, with a link to the field that it depends on, if there is a single one."""
    if instance.pos is None:
        return Markup("where reading stands")
    names = _fields_in(record, instance)
    where = code(instance.pos.source)
    if len(names) == 1:
        where = Markup('<a href="#{}">{}</a>').format(_anchor(record, names[0]), where)
    within = Markup(" of {}").format(code(instance.io.source)) if instance.io is not None else ""
    return Markup("at {}{}").format(where, within)


def _leads_to(row: FieldRow) -> Markup:
    return Markup('leads to <a href="#{}">{}</a>').format(row.anchor, code(row.name))


def _joined(one: Markup, other: Markup) -> Markup:
    return Markup("; ").join([one, other]) if one else other


def _anchor(record: Record, name: str) -> str:
    return f"field-{record.name.replace('::', '-')}-{name}"


def _row(spec: Spec, record: Record, one: Field, index: int, start: int | None, links: Links) -> FieldRow:
    """Return the row of a field; ``index`` determines its colour, ``start`` is its first bit (None where the file decides)."""
    bits = field_bits(one, spec.records)
    each = type_bits(one.type, spec.records)
    offset = "follows" if start is None else str(start // 8)
    span = ""
    # Only bit fields begin inside a byte: Kaitai aligns every other type.
    if start is not None and bits is not None and isinstance(one.type, BitsType):
        span = f"{start % 8}" if bits == 1 else f"{start % 8}–{start % 8 + bits - 1}"
    size = size_text(bits)
    if one.repeat is not None:
        size = f"{size} = {bits // each} × {size_text(each)}" if bits is not None and each else f"each {size_text(each)}"
    kind = type_text(one.type)
    if one.repeat is not None:
        kind = Markup("{}, {}").format(kind, repeat_text(one))
    term = term_of(one) if spec.has_model else None
    return FieldRow(
        one.name,
        _anchor(record, one.name),
        tone_of(index),
        offset,
        span,
        size,
        kind,
        _codes(spec, one),
        list(constraints(one, links)),
        term,
        _meaning(spec, one, term),
        prose(one.doc),
    )


def _codes(spec: Spec, one: Field) -> list[CodeRow]:
    """Return the codes of a field; empty for a field without an enum."""
    name = one.binding.codes or one.enum or (one.binding.digits.enum if one.binding.digits else None)
    enum: Enum | None = spec.enums.get(name) if name else None
    if enum is None:
        return []
    # Codes of a field of bytes are shown as characters too if one of them may be a character (``W`` for West).
    letters = isinstance(one.type, IntType) and any(value >= 0x20 for value in enum.members)
    return [CodeRow(_letter(value) if letters else str(value), m.name, plain(m.doc)) for value, m in enum.members.items()]


def _letter(value: int) -> str:
    """Return a byte in hexadecimal, followed by its character in ASCII if it has one."""
    return f"{value:02x} {chr(value)}" if 0x20 < value < 0x7F else f"{value:02x}"


def _meaning(spec: Spec, one: Field, term: str | None) -> Markup:
    """Return the meaning of a field in the model, in words; ``term`` is its term, None without one."""
    binding = one.binding
    parts: list[Markup] = []
    if term is not None:
        parts.append(Markup("<b>{}</b>: {}").format(term_name(term), term_meaning(term)))
    elif binding.value is not None:
        parts.append(Markup("derived"))
    elif binding.opaque:
        parts.append(Markup("kept as it stands"))
    elif isinstance(one.type, RecordType):
        parts.append(Markup("see {}").format(type_text(one.type)))
    if binding.axes:
        order = ", then ".join(f"{axis.name} {' '.join(axis.labels)}" for axis in binding.axes)
        parts.append(Markup("in the order {}").format(order))
    if binding.digits is not None:
        parts.append(Markup("digits in base {}, the lowest first").format(binding.digits.base))
    parts += [Markup("the {} is that of {}").format(axis, code(other)) for axis, other in binding.at.items()]
    if binding.prefer:
        parts.append(Markup("believed where the two differ"))
    return Markup("; ").join(parts)


@dataclass(frozen=True)
class RuleRow:
    """One rule of a grammar in a table, each attribute in the form in which it is shown; ``says`` is its name in messages."""

    name: str
    anchor: str
    says: str
    form: Markup
    codes: Sequence[CodeRow]
    constraints: Sequence[Markup]
    meaning: Markup
    doc: Markup


def rule_row(grammar: Grammar, rule: GrammarRule, links: Links) -> RuleRow:
    """Return the row for a rule; ``links`` has the codes of findings as links."""
    form = Markup("")
    if isinstance(rule.expr, GrammarLiteral):
        form = code(pictured(rule.expr.text))
    elif isinstance(rule.expr, Pattern):
        form = Markup('<code class="regex">{}</code>').format(f"/{rule.expr.regex}/{rule.expr.flags}")
    inner = rule.expr.item if isinstance(rule.expr, GrammarRepeat) else rule.expr
    if isinstance(inner, Ref):
        form = Markup('<a href="#rule-{}">{}</a>{}').format(inner.name, inner.name, _times(rule.expr))
    if has_track(grammar, rule):
        form = Markup('<a href="#track-{}">see the diagram</a>').format(rule.name)
    if inner == Series(()):
        form = Markup("nothing")
    codes = []
    choice = rule.codes
    if choice is not None:
        for option, name in zip(choice.options, choice.names, strict=True):
            shown = f"/{option.regex}/" if isinstance(option, Pattern) else "…"
            codes.append(CodeRow(pictured(option.text) if isinstance(option, GrammarLiteral) else shown, name or ""))
    return RuleRow(
        rule.name,
        f"rule-{rule.name}",
        rule.words.says or "",
        form,
        codes,
        list(_rule_constraints(rule, links)),
        _rule_meaning(rule),
        prose(rule.words.doc),
    )


def _times(expr: Expr) -> str:
    """Return how often an expression repeats, in words after a comma; empty for one that does not repeat."""
    if not isinstance(expr, GrammarRepeat) or (expr.least, expr.most) == (1, 1):
        return ""
    if expr.most is None:
        return ", any number of times" if expr.least == 0 else ", once or more"
    if (expr.least, expr.most) == (0, 1):
        return ", or nothing"
    return f", {expr.most} times" if expr.least == expr.most else f", {expr.least} to {expr.most} times"


def _rule_constraints(rule: GrammarRule, links: Links) -> Iterator[Markup]:
    """Yield a sentence for each word of a rule that constrains, derives or spells its text."""
    words = rule.words
    if words.report is not None:
        message = Markup("a text that matches is a finding: {} {}")
        yield message.format(links.get(words.report.code, code(words.report.code)), message_text(words.report.message))
    if words.mismatch is not None:
        message = Markup("a text that is not the derived one is a finding: {} {}")
        yield message.format(links.get(words.mismatch.code, code(words.mismatch.code)), message_text(words.mismatch.message))
    for content in words.contents:
        cases = Markup(", ").join(
            Markup('{} <a href="#rule-{}">{}</a>').format(key, target, target) for key, target in content.cases.items()
        )
        how = Markup(" by {}: {}").format(code(content.by), cases) if content.by else cases
        if content.otherwise:
            how += Markup('{}<a href="#rule-{}">{}</a>').format(", else " if how else " as ", content.otherwise, content.otherwise)
        yield Markup("the text of {} is read{} {}").format(
            code(content.of), how, links.get(content.report.code, code(content.report.code))
        )
    inherit = words.inherit
    if inherit is not None:
        text = Markup("{} repeats the previous value, {} holds it for all that follow {}")
        yield text.format(code(inherit.same), code(inherit.header), links.get(inherit.report.code, code(inherit.report.code)))
    if words.binding.value is not None:
        text = Markup("computed when written, verified when read: {} {}")
        yield text.format(code(words.binding.value.source), links.get("derived-mismatch", code("derived-mismatch")))
    if words.number is not None:
        yield Markup("a decimal number" if len(words.number.digits) == 10 else f"a number in base {len(words.number.digits)}")
    if words.binding.default is not None:
        yield Markup("{} where nothing is known").format(code(words.binding.default.source))
    if words.write is not None:
        yield Markup("written as {}").format(Markup(", ").join(code(pictured(text)) for text in words.write))


def _rule_meaning(rule: GrammarRule) -> Markup:
    """Return the meaning of a rule in the model, in words; empty for a rule that is not bound."""
    parts = []
    term = rule.words.binding.term or rule.name.lower()
    if not rule.is_layout and not rule.words.binding.opaque and term_of_word(term) is not None:
        parts.append(Markup("<b>{}</b>: {}").format(term_name(term), term_meaning(term)))
    if rule.words.pair is not None:
        parts += [Markup("{} is {}").format(code(key), term_name(value)) for key, value in rule.words.pair.terms.items()]
    if rule.words.binding.axes:
        order = ", then ".join(f"{axis.name} {' '.join(axis.labels)}" for axis in rule.words.binding.axes)
        parts.append(Markup("in the order {}").format(order))
    return Markup("; ").join(parts)


@dataclass(frozen=True)
class ProofTable:
    """The table of the proofs about one schema, in the order of its records or rules."""

    rows: Sequence[Proof]

    @property
    def counts(self) -> str:
        """Return the number of rows that are proved, sampled, open and false, in words."""
        return ", ".join(f"{count} {status}" for status, count in counted(self.rows).items() if count)

    @property
    def meanings(self) -> Mapping[Property, str]:
        """Return the meaning of each property that a row may claim."""
        return {kind: meaning for kind, meaning in MEANINGS.items() if any(one.property is kind for one in self.rows)}


def proof_table(spec: Spec) -> ProofTable:
    """Return the table of those proofs about a schema that are fast enough for a page."""
    return ProofTable(quick_proofs(spec))
