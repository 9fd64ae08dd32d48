"""Resolve names in the expressions of a binary schema: fields, parents, types and enums. `SchemaNames` is the entry."""

from __future__ import annotations

from collections.abc import Mapping

from bridgespec.diagnostic import nearest
from bridgespec.spec.ir import Field, FieldType, Parameter, PosInstance, Record, RecordType, SwitchType, ValueInstance
from bridgespec.spec.kaitai.expr import types as t
from bridgespec.spec.kaitai.expr.check import Checker
from bridgespec.spec.kaitai.expr.tree import Expression
from bridgespec.spec.kaitai.expr.types import ExpressionTypeError, ValueType
from bridgespec.spec.kaitai.sizes import field_bits, record_bits
from bridgespec.spec.kaitai.type_scope import TypeScope
from bridgespec.spec.primitive import primitive_type

MAX_CHAIN = 50
"""The maximum number of computed instances that follow from one another; the type of each takes several levels of the stack."""


def record_types(type_: FieldType) -> list[RecordType]:
    """Return the record types that a field of this type may have."""
    if isinstance(type_, RecordType):
        return [type_]
    if isinstance(type_, SwitchType):
        return [found for _, case in type_.cases for found in record_types(case)]
    return []


def record_fields(record: Record) -> list[Field]:
    """Return every field that a record reads: those in sequence, and those of its instances."""
    return [*record.fields, *(i.field for i in record.instances.values() if isinstance(i, PosInstance))]


class SchemaNames:
    """Implements ``expr.check.Names`` for the records of one load; names are relative to ``record``."""

    def __init__(self, record: str, records: Mapping[str, Record], scopes: Mapping[str, TypeScope], tops: dict[str, TypeScope]):
        self.record = record
        self.records = records
        self.scopes = scopes
        self.tops = tops
        self.known: dict[tuple[str, str], ValueType] = {}
        """Cache of `attribute`, by record and name."""
        self.busy: set[tuple[str, str]] = set()
        """The instances, by record and name, whose type is being determined."""
        self.chained: set[tuple[str, str]] = set()
        """Instances at the end of chains longer than `MAX_CHAIN`."""
        self.parents: dict[str, set[str | None]] = {}
        """The records that use each record, set by `find_parents`; None for a use without `_parent`."""

    def seen_from(self, record: str) -> SchemaNames:
        """Return an instance with the same caches whose names are relative to another record."""
        other = SchemaNames(record, self.records, self.scopes, self.tops)
        other.known, other.busy, other.parents, other.chained = self.known, self.busy, self.parents, self.chained
        return other

    def attribute(self, record: str, name: str) -> ValueType | None:
        owner = self.records.get(record)
        if owner is None:
            return None
        key = (record, name)
        if key not in self.known:
            found = self._find(owner, name)
            if found is None:
                return None
            self.known[key] = found
        return self.known[key]

    def _find(self, owner: Record, name: str) -> ValueType | None:
        for field in owner.fields:
            if field.name == name:
                return t.of_field(field)
        instance = owner.instances.get(name)
        if isinstance(instance, PosInstance):
            return t.of_field(instance.field)
        if isinstance(instance, ValueInstance):
            return self._instance(owner, instance)
        for parameter in owner.params:
            if parameter.name == name:
                return self._parameter(owner.name, parameter)
        return None

    def _instance(self, owner: Record, instance: ValueInstance) -> ValueType:
        """Return the type of a computed instance; `ANY` for one with an error, or at the end of a chain that is too long."""
        key = (owner.name, instance.name)
        # An instance that depends on itself is reported by `check_cycles`; its type is not known.
        if key in self.busy:
            return t.ANY
        if instance.enum is not None:
            return ValueType("enum", instance.enum)
        # Types of instances are found by recursion: a long chain would end at Python's limit of frames.
        if len(self.busy) > MAX_CHAIN:
            self.chained.add(key)
            return t.ANY
        self.busy.add(key)
        try:
            return Checker(self.seen_from(owner.name)).visit(instance.value.tree)[0]
        # The instance has a finding of its own; expressions that use it must not repeat it.
        except ExpressionTypeError:
            return t.ANY
        finally:
            self.busy.discard(key)

    def _parameter(self, record: str, parameter: Parameter) -> ValueType:
        if parameter.enum is not None:
            return ValueType("enum", parameter.enum)
        return self.seen_from(record).named_type(parameter.type) or t.ANY

    def parameter(self, record: str, parameter: Parameter) -> ValueType:
        """Return the type of a parameter of a record."""
        return self._parameter(record, parameter)

    def attributes(self, record: str) -> set[str]:
        owner = self.records.get(record)
        if owner is None:
            return set()
        return {f.name for f in owner.fields} | set(owner.instances) | {p.name for p in owner.params}

    def has_place(self, record: str, name: str) -> bool:
        owner = self.records.get(record)
        return owner is not None and any(field.name == name for field in record_fields(owner))

    def find_parents(self) -> None:
        """Determine the type of ``_parent`` in every record, from the records that use it."""
        for record in self.records.values():
            for field in record_fields(record):
                for used in record_types(field.type):
                    same = used.target.partition("::")[0] == record.name.partition("::")[0]
                    # A type of another schema has no `_parent`, unless `parent` names one.
                    if same or used.parent is not None:
                        self.parents.setdefault(used.target, set()).add(self._parent_of(record, used))

    def _parent_of(self, record: Record, used: RecordType) -> str | None:
        """Return the record that is ``_parent`` inside a type where ``record`` uses it; None for no parent or an unknown one."""
        if used.parent is None:
            return record.name
        if used.parent is False:
            return None
        try:
            kind, _ = Checker(self.seen_from(record.name)).visit(used.parent.tree)
        except ExpressionTypeError:
            return None
        return kind.name

    def parent(self, record: str) -> ValueType:
        found = self.parents.get(record, set()) - {None}
        # Of several possible parents no field is certain to exist.
        return ValueType("struct", next(iter(found))) if len(found) == 1 else t.STRUCT

    def root(self, record: str) -> ValueType:
        return ValueType("struct", record.partition("::")[0])

    def named_type(self, name: str) -> ValueType | None:
        if name.endswith("[]"):
            item = self.named_type(name[:-2])
            return t.array_of(item) if item is not None else None
        found = t.primitive(name)
        if found is not None:
            return found
        path = name.removeprefix("::").split("::")
        scope = self.scopes[self.record].find_type(path, self.tops)
        if scope is not None:
            return ValueType("struct", scope.name)
        return None

    def member(self, path: tuple[str, ...]) -> tuple[str, int]:
        scope = self.scopes[self.record]
        enum = scope.find_enum(list(path[:-1]), self.tops)
        shown = "::".join(path[:-1])
        if enum is None:
            raise ExpressionTypeError(f"enum '{shown}' is not declared", nearest(path[-2], scope.enum_names()))
        for member in enum.members.values():
            if member.name == path[-1]:
                return enum.name, member.value
        names = [m.name for m in enum.members.values()]
        raise ExpressionTypeError(f"enum '{shown}' has no '{path[-1]}'", nearest(path[-1], names))

    def size(self, type_name: str) -> int | None:
        if (primitive := primitive_type(type_name)) is not None:
            return primitive.width
        found = self.named_type(type_name)
        return record_bits(found.name, self.records) if found is not None and found.name else None

    def attribute_size(self, record: str, name: str) -> int | None:
        owner = self.records.get(record)
        fields = [f for f in record_fields(owner) if f.name == name] if owner is not None else []
        return field_bits(fields[0], self.records) if fields else None

    def record_size(self, record: str) -> int | None:
        return record_bits(record, self.records)


def constant_of(expression: Expression | None) -> object:
    """Return the value of an expression that is a literal, else None."""
    return expression.constant if expression is not None else None
