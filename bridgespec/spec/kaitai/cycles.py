"""Find values in a schema that depend on themselves, and report them, since no file can give them a value."""

from __future__ import annotations

from collections.abc import Iterator

from bridgespec.spec.ir import Extent, Field, Record, RecordType, Repeat, SwitchType, ValueInstance
from bridgespec.spec.kaitai.expr.tree import (
    Bytes,
    Expression,
    Fold,
    Logic,
    Measure,
    Name,
    SpotExpression,
    Ternary,
    Tree,
    children,
    walk,
)
from bridgespec.spec.kaitai.type_scope import YamlReader
from bridgespec.spec.problems import EXPRESSION


def check_cycles(record: Record, reader: YamlReader) -> None:
    """Report each instance or derived field of a record whose value depends on itself."""
    needs = dict(_needs(record))
    leads = {
        # Only what is evaluated for all data counts: a cycle in one branch of a choice may have values.
        name: list(dict.fromkeys(to for one in given for to in (*_sure(one.tree), *_among(one.tree, record)) if to in needs))
        for name, given in needs.items()
    }
    reported: set[str] = set()
    for name, given in needs.items():
        way = find_cycle(name, leads)
        # One finding for each cycle, whichever of its names comes first.
        if way and not reported & set(way) and given and given[0].place is not None:
            reported |= set(way)
            told = " -> ".join(one.removeprefix("@") for one in (*way, name))
            reader.add(EXPRESSION, f"'{name}' follows from itself: {told}", given[0].place)


def _needs(record: Record) -> Iterator[tuple[str, list[Expression]]]:
    """Yield each value of a record with the expressions that it depends on; ``@name`` is the offset of an instance."""
    for field in record.fields:
        if field.binding.value is not None:
            yield field.name, [field.binding.value]
    for instance in record.instances.values():
        if isinstance(instance, ValueInstance):
            yield instance.name, [instance.value, *_given(instance.condition)]
        else:
            yield instance.name, [*_given(instance.pos, instance.io), *_of_field(instance.field)]
            # An instance may need its own offset (`_offset`) without depending on itself.
            yield f"@{instance.name}", _given(instance.pos, instance.io)


def _given(*expressions: Expression | None) -> list[Expression]:
    return [one for one in expressions if one is not None]


def _of_field(field: Field) -> list[Expression]:
    kind = field.type
    found = _given(field.condition, field.repeat_expr if field.repeat is Repeat.EXPR else None)
    if isinstance(kind, SwitchType):
        found.append(kind.on)
    extent = getattr(kind, "extent", None)
    if isinstance(extent, Extent):
        found += _given(extent.size)
    return [*found, *kind.args] if isinstance(kind, RecordType) else found


def _sure(tree: Tree) -> Iterator[str]:
    """Yield the names that an expression always evaluates: of a conditional expression only those in its condition."""
    match tree:
        case Name(id=name):
            yield name
        case Ternary(test=test):
            yield from _sure(test)
        # Later operands are evaluated only if the first does not decide.
        case Logic(items=items):
            yield from _sure(items[0])
        case Fold(of=of):
            yield from _sure(of)
        case Measure(of=SpotExpression(owner=None, name=str() as name), what="offset"):
            yield f"@{name}"
        # Positions are known before values, so that they lead to no value.
        case Measure() | SpotExpression():
            return
        case Bytes(first=first, last=last):
            yield from (f"@{spot.name}" for spot in (first, last) if spot.owner is None and spot.name is not None)
        case _:
            for child in children(tree):
                yield from _sure(child)


def _among(tree: Tree, record: Record) -> Iterator[str]:
    """Yield the fields of the record whose bytes an expression always uses."""
    names = [field.name for field in record.fields]
    for node in walk(tree):
        if isinstance(node, Bytes) and node.first.owner is None and node.last.owner is None and node.first.name in names:
            last = len(names) - 1 if node.last.stream else names.index(node.last.name) if node.last.name in names else -1
            between = record.fields[names.index(node.first.name) : last + 1]
            # A field with a condition may be absent, and its bytes with it.
            yield from (field.name for field in between if field.condition is None)


def find_cycle(name: str, leads: dict[str, list[str]]) -> list[str]:
    """Return the names of a cycle from a name back to itself, given what each name leads to; empty without one."""
    before: dict[str, str] = {}
    pending = [name]
    while pending:
        here = pending.pop(0)
        for to in leads[here]:
            if to == name:
                way = [here]
                while way[-1] != name:
                    way.append(before[way[-1]])
                return way[::-1]
            if to not in before:
                before[to] = here
                pending.append(to)
    return []
