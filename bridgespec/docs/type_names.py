"""Types and constraints of fields, and terms of the model, in words for pages."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from bridgespec.codec.binary.element import QuotedText
from bridgespec.codec.binary.leaf import leaf_of
from bridgespec.codec.code_numbers import SEATS
from bridgespec.codec.terms import TERMS
from bridgespec.docs.prose import Markup, code
from bridgespec.spec.ir import (
    Binding,
    BytesType,
    Field,
    FieldType,
    Primitive,
    RecordType,
    Repeat,
    StringType,
    SwitchType,
    Valid,
)
from bridgespec.spec.kaitai.expr.condition_words import condition
from bridgespec.spec.kaitai.expr.tree import Expression, LiteralExpression

_FILLED = re.compile(r"\{[^{}]*\}")
FIRST = ("deal", "tricks", "auction", "contract", "declarer", "play", "result", "score", "number", "dealer", "vulnerability")


def term_order(terms: frozenset[str] | set[str]) -> list[str]:
    """Return terms in the order in which pages list them: those of `FIRST`, then the others alphabetically."""
    return [t for t in FIRST if t in terms] + sorted(t for t in terms if t not in FIRST)


def term_name(term: str) -> str:
    """Return the name of a term in texts, with blanks."""
    return term.replace("_", " ")


def term_meaning(term: str) -> str:
    """Return the documentation of a term of the model, or of the hand of a seat; the term's name where it is unknown."""
    if term in SEATS:
        return f"the cards that {term.title()} holds"
    return TERMS[term].DOC if term in TERMS else term_name(term)


def message_text(message: str) -> str:
    """Return the message of a finding in a schema with ``…`` in place of the names in braces.

    >>> message_text("{text!r} is not a seat")
    '… is not a seat'
    """
    return _FILLED.sub("…", message)


def number(count: int, unit: str) -> str:
    """Return a number with its unit: ``1 byte``, ``2 bytes``."""
    return f"{count} {unit}" + ("" if count == 1 else "s")


def size_text(bits: int | None) -> str:
    """Return a size in bytes where it is whole, else in bits.

    >>> size_text(16), size_text(3), size_text(None)
    ('2 bytes', '3 bits', 'varies')
    """
    if bits is None:
        return "varies"
    return number(bits // 8, "byte") if bits % 8 == 0 else number(bits, "bit")


def type_text(type_: FieldType) -> Markup:
    """Return the type of one value, in words."""
    match type_:
        case Primitive():
            words = leaf_of(type_).words(type_)
            return Markup("").join(code(part) if isinstance(part, QuotedText) else part for part in words)
        case RecordType(target=target):
            return Markup('<a href="#record-{}">{}</a>').format(target.replace("::", "-"), target.rpartition("::")[2])
        case SwitchType(on=on, cases=cases):
            kinds = Markup(", ").join(type_text(case) for _, case in cases)
            return Markup("depends on {}: ").format(code(on.source)) + kinds


def repeat_text(field: Field) -> Markup:
    """Return the repetition of a field, in words."""
    source = field.repeat_expr.source if field.repeat_expr is not None else ""
    match field.repeat:
        case Repeat.EOS:
            return Markup("repeated to the end")
        case Repeat.EXPR:
            return Markup("{} times").format(source if source.isdigit() else code(source))
        case Repeat.UNTIL:
            return Markup("repeated until {}").format(code(source))
    return Markup("")


def condition_text(expression: Expression) -> Markup:
    """Return a condition on a value, in words where the expression is simple."""
    words = condition(expression.tree)
    if words is None:
        return code(expression.source)
    return Markup(" ").join(code(word.value) if isinstance(word, LiteralExpression) else word for word in words)


def shown_bytes(data: bytes) -> str:
    """Return bytes in hexadecimal, at most the first 16; three or more equal bytes as a product.

    >>> shown_bytes(b"\\r\\n"), shown_bytes(b"    ")
    ('0d 0a', '4 × 20')
    """
    # Two bytes are as short as the product: "20 20" and "2 × 20".
    if len(data) > 2 and len(set(data)) == 1:
        return f"{len(data)} × {data[0]:02x}"
    return data[:16].hex(" ") + (" …" if len(data) > 16 else "")


def constraints(field: Field, code_link: Mapping[str, Markup]) -> Iterator[Markup]:
    """Yield a phrase for each constraint of a field and for its spelling, with the code of the finding for a violation;
    ``code_link`` has codes as links.
    """
    yield from _checks(field, code_link)
    yield from _special_values(field.binding)
    if field.condition is not None:
        yield Markup("only if {}").format(code(field.condition.source))


def _checks(field: Field, code_link: Mapping[str, Markup]) -> Iterator[Markup]:
    """Yield a phrase for each constraint whose violation is a finding, with its code."""
    binding, type_, valid = field.binding, field.type, field.valid

    def link(name: str) -> Markup:
        return code_link.get(name, code(name))

    if isinstance(type_, BytesType) and type_.contents is not None:
        yield Markup("always {} {}").format(code(shown_bytes(type_.contents)), link(binding.code or "bad-contents"))
    if valid is not None:
        yield Markup("{} {}").format(Markup(", ").join(_allowed(valid)), link(binding.code or "invalid-value"))
    # Not where ``valid`` has the same expression, which is shown above.
    if binding.value is not None and not (isinstance(valid_eq(field), str) and valid_eq(field) == binding.value.source):
        code_name = binding.code or "derived-mismatch"
        yield Markup("computed when written, verified when read: {} {}").format(code(binding.value.source), link(code_name))
    if binding.number is not None:
        pad = f", padded on the left with {binding.number.pad_left!r}" if binding.number.pad_left else ""
        yield Markup("a decimal number{} {}").format(pad, link("not-a-number"))
    # An opaque field keeps unknown codes as they are, and reports none.
    if field.enum is not None and (binding.term or not binding.opaque):
        yield Markup("one of its codes {}").format(link("unknown-code"))
    if isinstance(type_, StringType | BytesType) and type_.extent.terminator is not None and type_.extent.eos_error:
        yield Markup("ends with {} {}").format(code(type_.extent.terminator.hex(" ")), link("missing-terminator"))


def _special_values(binding: Binding) -> Iterator[Markup]:
    """Yield a phrase for each value that a binding names: that of the end, unknown values, other codes, and the default."""
    if binding.end is not None:
        short = f"; {binding.end.short} null bytes suffice" if binding.end.short else ""
        yield Markup("a record whose first {} bits are null ends the list{}").format(binding.end.bits, short)
    if binding.unknown is not None:
        yield Markup("{} means not known").format(code(binding.unknown))
    for raw, read in binding.lenient.items():
        yield Markup("{} is read as {}, never written").format(code(f"{raw:02x}"), code(f"{read:02x}"))
    if binding.default is not None:
        yield Markup("{} where nothing is known").format(code(binding.default.source))


def _allowed(valid: Valid) -> Iterator[Markup]:
    """Yield the conditions of a field's ``valid`` in words."""
    for words, bound in (("{}", valid.eq), ("at least {}", valid.min), ("at most {}", valid.max)):
        if bound is not None:
            yield Markup(words).format(code(bound.source))
    if valid.any_of:
        yield Markup("one of ") + Markup(", ").join(code(option.source) for option in valid.any_of)
    if valid.in_enum:
        yield Markup("one of its codes")
    if valid.expr is not None:
        yield condition_text(valid.expr)


def valid_eq(field: Field) -> str | None:
    """Return the source of the only value that a field's ``valid`` allows; None where it allows several."""
    return field.valid.eq.source if field.valid is not None and field.valid.eq is not None else None
