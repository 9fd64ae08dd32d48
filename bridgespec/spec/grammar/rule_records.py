"""Convert rules of a grammar to records and enums of the IR, the form that is common to both schema languages."""

from __future__ import annotations

from bridgespec.spec import ir
from bridgespec.spec.grammar.rules import Grammar

_TEXT = ir.StringType(ir.Extent(), "ISO8859-1")


def records_of(name: str, grammar: Grammar) -> tuple[dict[str, ir.Record], dict[str, ir.Enum]]:
    """Return the records of the schema ``name``, one for each rule that makes one, and its enums, one for each code rule."""
    records: dict[str, ir.Record] = {}
    enums: dict[str, ir.Enum] = {}
    for rule in grammar.rules.values():
        shape = grammar.resolve(rule)
        if rule.is_layout or rule.is_terminal:
            continue
        full = f"{name}::{rule.name}"
        if shape.codes is not None:
            # Two spellings of a code have one name, and are one member.
            names = dict.fromkeys(alias for alias in shape.codes.names if alias)
            members = {i: ir.EnumMember(i, alias, "", shape.place) for i, alias in enumerate(names)}
            enums[full] = ir.Enum(full, members, rule.place)
        elif not grammar.is_leaf(rule):
            fields = tuple(
                field_of(name, grammar, ref.name, field, array) for field, (ref, array) in grammar.made_by(shape).items()
            )
            records[full] = ir.Record(full, fields, rule.place, doc=rule.words.doc)
    return records, enums


def field_of(spec: str, grammar: Grammar, target: str, name: str, array: bool) -> ir.Field:
    """Return the declaration of the field that a reference to the rule or terminal ``target`` makes."""
    rule = grammar.rules[target]
    full = f"{spec}::{target}"
    is_code = grammar.resolve(rule).codes is not None
    kind: ir.FieldType = _TEXT if is_code or grammar.is_leaf(rule) else ir.RecordType(full)
    return ir.Field(
        name=name,
        type=kind,
        place=rule.place,
        doc=rule.words.doc,
        enum=full if is_code else None,
        repeat=ir.Repeat.EOS if array else None,
        binding=rule.words.binding,
    )
