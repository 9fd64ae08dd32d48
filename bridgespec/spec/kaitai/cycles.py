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
    values = dict(_values(record))
    needs = {
        # Only names that are always evaluated: a cycle through one branch of a condition may never be entered.
        name: list(dict.fromkeys(to for one in used for to in (*_always(one.tree), *_spanned(one.tree, record)) if to in values))
        for name, used in values.items()
    }
    reported: set[str] = set()
    for name, used in values.items():
        cycle = find_cycle(name, needs)
        # One finding for each cycle, whichever of its names comes first.
        if cycle and not reported & set(cycle) and used and used[0].place is not None:
            reported |= set(cycle)
            path = " -> ".join(one.removeprefix("@") for one in (*cycle, name))
            reader.add(EXPRESSION, f"'{name}' follows from itself: {path}", used[0].place)


def _values(record: Record) -> Iterator[tuple[str, list[Expression]]]:
    """Yield the name of each derived field and instance of a record with the expressions that it depends on, and ``@name`` with
    those that the offset of an instance depends on.
    """
    for field in record.fields:
        if field.binding.value is not None:
            yield field.name, [field.binding.value]
    for instance in record.instances.values():
        if isinstance(instance, ValueInstance):
            yield instance.name, [instance.value, *_present(instance.condition)]
        else:
            yield instance.name, [*_present(instance.pos, instance.io), *_layout(instance.field)]
            # An instance may need its own offset (`_offset`) without depending on itself.
            yield f"@{instance.name}", _present(instance.pos, instance.io)


def _present(*expressions: Expression | None) -> list[Expression]:
    return [one for one in expressions if one is not None]


def _layout(field: Field) -> list[Expression]:
    """Return the expressions that decide whether and how a field is read: its condition, count, type, size and arguments."""
    kind = field.type
    found = _present(field.condition, field.repeat_expr if field.repeat is Repeat.EXPR else None)
    if isinstance(kind, SwitchType):
        found.append(kind.on)
    extent = getattr(kind, "extent", None)
    if isinstance(extent, Extent):
        found += _present(extent.size)
    return [*found, *kind.args] if isinstance(kind, RecordType) else found


def _always(tree: Tree) -> Iterator[str]:
    """Yield the names that an expression evaluates for all data: of a conditional expression only those in its condition."""
    match tree:
        case Name(id=name):
            yield name
        case Ternary(test=test):
            yield from _always(test)
        # Later operands are evaluated only if the first does not decide.
        case Logic(items=items):
            yield from _always(items[0])
        case Fold(of=of):
            yield from _always(of)
        case Measure(of=SpotExpression(owner=None, name=str() as name), what="offset"):
            yield f"@{name}"
        # All other positions are known before any value, so that they depend on none.
        case Measure() | SpotExpression():
            return
        case Bytes(first=first, last=last):
            yield from (f"@{spot.name}" for spot in (first, last) if spot.owner is None and spot.name is not None)
        case _:
            for child in children(tree):
                yield from _always(child)


def _spanned(tree: Tree, record: Record) -> Iterator[str]:
    """Yield the names of the record's fields whose bytes an expression uses, by ``span``; not of fields with a condition."""
    names = [field.name for field in record.fields]
    for node in walk(tree):
        if isinstance(node, Bytes) and node.first.owner is None and node.last.owner is None and node.first.name in names:
            last = len(names) - 1 if node.last.stream else names.index(node.last.name) if node.last.name in names else -1
            between = record.fields[names.index(node.first.name) : last + 1]
            # A field with a condition may be absent, and its bytes with it.
            yield from (field.name for field in between if field.condition is None)


def find_cycle(name: str, needs: dict[str, list[str]]) -> list[str]:
    """Return the names on a shortest path from ``name`` back to it, ``name`` first; empty without one. ``needs`` has the names that
    each name depends on.
    """
    before: dict[str, str] = {}
    pending = [name]
    while pending:
        here = pending.pop(0)
        for to in needs[here]:
            if to == name:
                path = [here]
                while path[-1] != name:
                    path.append(before[path[-1]])
                return path[::-1]
            if to not in before:
                before[to] = here
                pending.append(to)
    return []
