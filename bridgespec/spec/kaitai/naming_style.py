"""Names that Kaitai's style guide would choose: ``len_foo`` for the size of ``foo``, ``num_foos`` for the count of ``foos``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass

from bridgespec.spec.ir import (
    BytesType,
    Extent,
    Field,
    FieldType,
    PosInstance,
    Record,
    RecordType,
    Repeat,
    StringType,
    ValueInstance,
)
from bridgespec.spec.kaitai.expr.tree import Attribute, Expression, Name, walk
from bridgespec.spec.kaitai.names import record_fields
from bridgespec.spec.kaitai.type_scope import YamlReader
from bridgespec.spec.place import SchemaPlace
from bridgespec.spec.problems import STYLE

GUIDE = "https://doc.kaitai.io/ksy_style_guide.html#attr-id"


def expressions(value: object) -> Iterator[Expression]:
    """Yield every expression inside a value of the IR, in order."""
    pending = [value]
    while pending:
        one = pending.pop()
        inner: Iterable[object] = ()
        if isinstance(one, Expression):
            yield one
        elif isinstance(one, tuple):
            inner = one
        elif names := _slots(type(one)):
            inner = [getattr(one, name) for name in names]
        elif isinstance(one, Mapping):
            inner = one.values()
        # Most attributes of a field are empty, a text or a number, in which there is no expression.
        pending += [part for part in inner if part and type(part) not in _PLAIN][::-1]


_PLAIN = frozenset({str, int, float, bool, bytes, SchemaPlace})


def _slots(kind: type) -> tuple[str, ...]:
    """Return the names of the fields of an IR class that may contain expressions."""
    # Cached: a schema has a dozen values for each field, and `dataclasses.fields` takes longer than the rest of the search.
    if kind not in _SLOTS:
        names = tuple(slot.name for slot in fields(kind)) if is_dataclass(kind) and kind is not SchemaPlace else ()
        _SLOTS[kind] = names
    return _SLOTS[kind]


_SLOTS: dict[type, tuple[str, ...]] = {}


def lint(records: Mapping[str, Record], reader: YamlReader) -> None:
    """Warn of each field that is used once, as the size or count of another field, and whose name is not the one that the style
    guide has for this use.
    """
    outside: Counter[str] = Counter()
    inside: dict[str, Counter[str]] = {}
    for record in records.values():
        uses: Counter[str] = Counter()
        for expression in expressions(record):
            for node in walk(expression.tree):
                if isinstance(node, Name):
                    uses[node.id] += 1
                elif isinstance(node, Attribute):
                    outside[node.name] += 1
        inside[record.name] = uses
    for record in records.values():
        places = dict(_places(record))
        for field in record_fields(record):
            for name, wanted, what in _uses(field):
                # An attribute of that name may be this field, used from another record for another purpose.
                alone = inside[record.name][name] == 1 and not outside[name]
                if alone and name in places and name not in wanted:
                    message = f"'{name}' is only the {what} of '{field.name}': the style guide calls it '{wanted[0]}'"
                    reader.add(STYLE, message, places[name], f"see {GUIDE}")


def _uses(field: Field) -> Iterator[tuple[str, tuple[str, ...], str]]:
    """Yield each name that is the size or the count of a field, with the names that the style guide allows for it (the preferred
    one first), and its role: ``size`` or ``count``.
    """
    extent = _extent(field.type)
    size = extent.size.tree if extent is not None and extent.size is not None else None
    if isinstance(size, Name):
        yield size.id, (f"len_{field.name}",), "size"
    count = field.repeat_expr.tree if field.repeat is Repeat.EXPR and field.repeat_expr is not None else None
    if isinstance(count, Name):
        # The plural in a count's name may be that of the list, of its type or of its term.
        kinds = [field.type.target.rpartition("::")[2]] if isinstance(field.type, RecordType) else []
        terms = [field.binding.term] if field.binding.term else []
        counted = [field.name, *(f"{name}s" for name in (field.name, *kinds)), *terms]
        yield count.id, tuple(f"num_{name}" for name in counted), "count"


def _extent(type_: FieldType) -> Extent | None:
    return type_.extent if isinstance(type_, BytesType | StringType | RecordType) else None


def _places(record: Record) -> Iterator[tuple[str, SchemaPlace]]:
    for field in record.fields:
        yield field.name, field.place
    for instance in record.instances.values():
        match instance:
            case PosInstance(field=field):
                yield field.name, field.place
            case ValueInstance(name=name, place=place):
                yield name, place
