"""Limit the expansion of the types of a schema, so that other functions on a schema need no limit: `check_unfolding`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from bridgespec.spec.ir import Field, Record, RecordType
from bridgespec.spec.kaitai.names import record_fields, record_types
from bridgespec.spec.kaitai.type_scope import YamlReader
from bridgespec.spec.problems import ENDLESS, VALUE

DEEPEST = 100
"""The maximum depth of types in one another; a type that can contain itself counts once."""
MOST_FIELDS = 100_000
"""The maximum number of fields of a type, those of the types of its fields counted with each use."""

RecordUses = Mapping[str, list[tuple[Field, str]]]
"""For each type, its fields that are records, each with the name of its type."""


def check_unfolding(records: Mapping[str, Record], reader: YamlReader) -> None:
    """Report types that are nested deeper than `DEEPEST` or expand to more than `MOST_FIELDS` fields; warn of types that always
    contain themselves, so that no file can have one.

    Forty types of two fields each, every field of the next type, make a schema of three kilobytes with 2**40 fields.
    """
    _report_endless(records, reader)
    uses = {name: list(_uses(record_fields(record), records)) for name, record in records.items()}
    # The depth and the number of fields of each type; None where either exceeds its bound.
    extents: dict[str, tuple[int, int] | None] = {}
    for group in groups(uses):
        below = [extents[to] for name in group for _, to in uses[name] if to not in group]
        inner = [one for one in below if one is not None]
        depth = len(group) + max((depth for depth, _ in inner), default=0)
        count = sum(len(record_fields(records[name])) for name in group) + sum(count for _, count in inner)
        extent = None
        if len(inner) < len(below):
            pass  # only the innermost type that exceeds a bound is reported, not those that use it
        elif depth > DEEPEST:
            reader.add(VALUE, f"'{_short(group[0])}' holds types more than {DEEPEST} deep in one another", records[group[0]].place)
        elif count > MOST_FIELDS:
            message = f"'{_short(group[0])}' unfolds into more than {MOST_FIELDS:,} fields, those of its types counted"
            reader.add(VALUE, message, records[group[0]].place)
        else:
            extent = (depth, count)
        extents |= dict.fromkeys(group, extent)


def _report_endless(records: Mapping[str, Record], reader: YamlReader) -> None:
    """Warn of types that always contain themselves, one warning for each cycle."""
    # An instance is read on access, so only a cycle of fields is endless.
    always = {name: list(_uses(filter(_always, record.fields), records)) for name, record in records.items()}
    for group in groups(always):
        if len(group) > 1 or any(to == group[0] for _, to in always[group[0]]):
            first = min(group, key=list(records).index)
            place = next(field.place for field, to in always[first] if to in group)
            reader.add(ENDLESS, f"'{_short(first)}' contains itself without a condition, so no file can contain one", place)


def _uses(fields: Iterable[Field], records: Mapping[str, Record]) -> Iterator[tuple[Field, str]]:
    for field in fields:
        for used in record_types(field.type):
            if used.target in records:
                yield field, used.target


def _always(field: Field) -> bool:
    """Whether each record with the field contains a record of the field's type."""
    kind = field.type
    # Not with an extent: the data of the substream may end before the inner record.
    return isinstance(kind, RecordType) and kind.extent is None and field.condition is None and field.repeat is None


def _short(name: str) -> str:
    return name.rpartition("::")[2]


def groups(uses: RecordUses) -> Iterator[list[str]]:
    """Yield the strongly connected components of the types by use, each before the types that use it.

    Tarjan's algorithm with an explicit stack, since a schema may chain thousands of types.
    """
    order: dict[str, int] = {}
    low: dict[str, int] = {}
    open_: dict[str, None] = {}
    for start in uses:
        work = [(start, iter(uses[start]))] if start not in order else []
        if work:
            order[start] = low[start] = len(order)
            open_[start] = None
        while work:
            name, rest = work[-1]
            target = next((to for _, to in rest), None)
            if target is None:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[name])
                if low[name] == order[name]:
                    members = list(open_)
                    group = members[members.index(name) :]
                    for member in group:
                        del open_[member]
                    yield group
            elif target not in order:
                order[target] = low[target] = len(order)
                open_[target] = None
                work.append((target, iter(uses[target])))
            elif target in open_:
                low[name] = min(low[name], order[target])
