"""Compare two versions of a schema: fields, codes, constraints, rules and the words that bind them, each with its position.

A `Change` is *certain* where old files cannot mean the same: a field that is gone, another type, a code that is gone. A
constraint, an expression or a rule that differs may accept more or less than before: generated files decide that.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from enum import Enum as PythonEnum
from typing import Any

from bridgespec.codec.binary.leaf import type_words
from bridgespec.spec.grammar import Grammar, GrammarRule
from bridgespec.spec.ir import Enum, Field, FieldType, Record, RecordType, Spec
from bridgespec.spec.kaitai.expr.tree import Expression
from bridgespec.spec.kaitai.names import record_fields, record_types
from bridgespec.spec.place import SchemaPlace
from bridgespec.spec.primitive import Primitive

_UNSEEN = {"place", "doc", "doc_ref", "enum_place", "says", "settled", "behind", "help", "fix", "safe", "message"}
"""Slots of a declaration that affect neither reading nor writing: `comparable` omits them."""
_LAYOUT = {"type", "repeat", "repeat_expr", "condition"}
"""Slots of a field that determine the offset of the next field."""


@dataclass(frozen=True, slots=True)
class Change:
    """One difference between two versions of a schema: the record or rule, the field or code in it, and its position."""

    owner: str
    name: str
    message: str
    certain: bool
    place: SchemaPlace
    in_old: bool = False
    """Whether the place is one of the old schema: the declaration is gone from the new one."""


def changes(old: Spec, new: Spec) -> Iterator[Change]:
    """Yield the differences between two schemas, in the order of the old one; fields that only the new one has come after the
    others of their record.
    """
    if isinstance(old.text, Grammar) and isinstance(new.text, Grammar):
        yield from _rules(old.text, new.text)
        return
    pairs = [(old.root, new.root)]
    for one, other in pairs:
        yield from _record(old.records[one], new.records[other])
        # Types are compared where they are used: another name for the same type is no change.
        for before, after in zip(_used(old.records[one]), _used(new.records[other]), strict=False):
            if (before, after) not in pairs:
                pairs.append((before, after))
    for name, enum in old.enums.items():
        found = next((two for key, two in new.enums.items() if _bare(key) == _bare(name)), None)
        if found is not None:
            yield from _codes(enum, found)


def _bare(name: str) -> str:
    """Return a qualified name without the name of its schema."""
    return name.partition("::")[2] or name


def _used(record: Record) -> list[str]:
    """Return the names of the record types that the fields of a record may have, in order."""
    return [kind.target for one in record_fields(record) for kind in record_types(one.type)]


def comparable(value: Any) -> Any:
    """Return a declaration as plain values without positions and documentation, so that equal declarations are equal.

    >>> from bridgespec.spec.kaitai.schema import loads
    >>> one, two = (loads(f"meta: {{id: x}}\\nseq:\\n{gap}- {{id: a, type: u1, valid: {{max: 4}}}}") for gap in ("", "  "))
    >>> comparable(one.top.fields[0]) == comparable(two.top.fields[0])
    True
    """
    if isinstance(value, Expression):
        return " ".join(value.source.split())
    if isinstance(value, PythonEnum):
        return str(value.value)
    if is_dataclass(value):
        made = {one.name: comparable(getattr(value, one.name)) for one in fields(value) if one.name not in _UNSEEN}
        if isinstance(value, RecordType):
            del made["target"]  # the types themselves are compared, whatever they are called
        return {"kind": type(value).__name__, **made}
    if isinstance(value, Mapping):
        return {str(key): comparable(one) for key, one in value.items()}
    return [comparable(one) for one in value] if isinstance(value, tuple | list | frozenset) else value


def shown(value: Any) -> str:
    """Return a comparable value (`comparable`) in few words.

    >>> shown({"kind": "Valid", "min": None, "max": "4", "any_of": [], "in_enum": True}), shown(None), shown("a > 3")
    ('max: 4, in-enum: true', 'nothing', 'a > 3')
    """
    if isinstance(value, list):
        return ", ".join(shown(one) for one in value) or "nothing"
    if isinstance(value, dict):
        given = {key: one for key, one in value.items() if key != "kind" and one not in (None, False, [], {}, "")}
        texts = {key: f"{{{shown(one)}}}" if isinstance(one, dict) else shown(one) for key, one in given.items()}
        return ", ".join(f"{key.replace('_', '-')}: {text}" for key, text in texts.items()) or "nothing"
    return "nothing" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def _type_shown(kind: FieldType) -> str:
    """Return the words for a type: a primitive one as in the documentation, a record by its name, a switch by its cases."""
    match kind:
        case Primitive():
            return type_words(kind)
        case RecordType(target=target):
            return f"{target.rpartition('::')[2]} ({shown(comparable(kind))})"
    return shown(comparable(kind))


# --- bytes


def _record(old: Record, new: Record) -> Iterator[Change]:
    """Yield the differences between two versions of a record: its fields, their order, its other keys and its instances."""
    owner = old.name.rpartition("::")[2]
    after = {one.name: one for one in new.fields}
    before = {one.name: one for one in old.fields}
    yield from _parts(owner, old.fields, new.fields)
    if [name for name in before if name in after] != [name for name in after if name in before]:
        yield Change(owner, "", f"{owner}: its fields stand in another order", True, new.place)
    for name, field in before.items():
        if name in after:
            yield from _field(owner, field, after[name])
    for key in ("params", "endian_switch", "checks"):
        if (one := comparable(getattr(old, key))) != (two := comparable(getattr(new, key))):
            yield Change(owner, "", f"{owner}: its {key} were {shown(one)}, they are {shown(two)}", False, new.place)
    for name, instance in old.instances.items():
        other = new.instances.get(name)
        if other is None:
            yield Change(owner, name, f"{owner}.{name} is gone", False, old.place, in_old=True)
        elif (one := comparable(instance)) != (two := comparable(other)):
            yield Change(owner, name, f"{owner}.{name} was {shown(one)}, it is {shown(two)}", False, new.place)


def _parts(owner: str, old: tuple[Field, ...], new: tuple[Field, ...]) -> Iterator[Change]:
    """Yield a change for each field that only one version of a record has."""
    for one in old:
        if all(one.name != two.name for two in new):
            yield Change(owner, one.name, f"{owner}.{one.name} is gone", True, one.place, in_old=True)
    for two in new:
        if all(one.name != two.name for one in old):
            yield Change(owner, two.name, f"{owner}.{two.name} is new", True, two.place)


def _field(owner: str, old: Field, new: Field) -> Iterator[Change]:
    """Yield a change for each slot in which two versions of a field differ."""
    for slot in fields(Field):
        if slot.name in _UNSEEN or slot.name == "name":
            continue
        one, two = comparable(getattr(old, slot.name)), comparable(getattr(new, slot.name))
        if one != two and not (slot.name == "enum" and _bare(str(one)) == _bare(str(two))):
            was, now = (_type_shown(old.type), _type_shown(new.type)) if slot.name == "type" else (shown(one), shown(two))
            if was == now:  # The words of a type leave out the order of its bits, which seldom differs.
                was, now = shown(one), shown(two)
            message = f"{owner}.{old.name}: its {slot.name.replace('_', '-')} was {was}, it is {now}"
            certain = slot.name in _LAYOUT and not (slot.name == "type" and _as_wide(old.type, new.type))
            yield Change(owner, old.name, message, certain, new.place)


def _as_wide(old: FieldType, new: FieldType) -> bool:
    """Whether two types always take the same number of bits in the same byte order, such as ``u1`` and ``b8``, or ``u2`` and
    ``s2``. Whether they give the same values is not compared.
    """
    if not (isinstance(old, Primitive) and isinstance(new, Primitive) and old.width == new.width is not None):
        return False
    orders = [getattr(one, "endian", None) for one in (old, new)]
    return old.width == 8 or orders[0] == orders[1]


def _codes(old: Enum, new: Enum) -> Iterator[Change]:
    """Yield a change for each code of an enum that is gone or has another name; new codes are no change."""
    owner = _bare(old.name)
    for code, member in old.members.items():
        other = new.members.get(code)
        if other is None:
            yield Change(
                owner, member.name, f"{owner}: the code {code:#x} ({member.name}) is gone", True, member.place, in_old=True
            )
        elif other.name != member.name:
            yield Change(
                owner, member.name, f"{owner}: the code {code:#x} was {member.name}, it is {other.name}", True, other.place
            )


# --- texts


def _rules(old: Grammar, new: Grammar) -> Iterator[Change]:
    """Yield the differences between the rules of two grammars; new rules are no change, as only other rules refer to them."""
    for name, rule in old.rules.items():
        other = new.rules.get(name)
        if other is None:
            yield Change(name, "", f"the rule {name} is gone", False, rule.place, in_old=True)
            continue
        yield from _spellings(rule, other)
        if rule.codes is None or other.codes is None:
            one, two = comparable(rule.expr), comparable(other.expr)
            if one != two:
                yield Change(name, "", f"the rule {name} is another: {_first(one, two)}", False, other.place)
        for slot in fields(rule.words):
            one, two = comparable(getattr(rule.words, slot.name)), comparable(getattr(other.words, slot.name))
            if slot.name not in _UNSEEN and one != two:
                yield Change(name, "", f"{name}: its {slot.name} was {shown(one)}, it is {shown(two)}", False, other.place)


def _spellings(old: GrammarRule, new: GrammarRule) -> Iterator[Change]:
    """Yield a change for each spelling of a code that is gone, or that now has another name."""
    if old.codes is None or new.codes is None:
        return
    after = {repr(comparable(option)): name for option, name in zip(new.codes.options, new.codes.names, strict=True)}
    for option, name in zip(old.codes.options, old.codes.names, strict=True):
        key, text = repr(comparable(option)), shown(comparable(option))
        if key not in after:
            yield Change(old.name, name or "", f"{old.name}: {text}, which was {name}, is gone", False, new.place)
        elif after[key] != name:
            yield Change(old.name, name or "", f"{old.name}: {text} was {name}, it is {after[key]}", True, new.place)


def _first(old: Any, new: Any) -> str:
    """Return words for the first difference between two expressions."""
    if isinstance(old, dict) and isinstance(new, dict) and old.get("kind") == new.get("kind"):
        return next((_first(old[key], new[key]) for key in old if key in new and old[key] != new[key]), "")
    if isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        return next((_first(one, two) for one, two in zip(old, new, strict=True) if one != two), "")
    return f"{_cut(shown(old))} became {_cut(shown(new))}"


def _cut(text: str) -> str:
    return text if len(text) <= 60 else text[:57] + "..."
