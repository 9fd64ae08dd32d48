"""Compile a spec's records to elements, the objects that read and write them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from bridgespec.codec.binary.element import Element
from bridgespec.codec.binary.extent import ExtentRange
from bridgespec.codec.binary.field import FieldElement
from bridgespec.codec.binary.field_positions import looked_at, looked_at_in
from bridgespec.codec.binary.implied import implied
from bridgespec.codec.binary.leaf import leaf_of
from bridgespec.codec.binary.process import Process, Processor
from bridgespec.codec.binary.record import PlaceElement, RecordElement, SwitchElement, UseElement, ValueElement
from bridgespec.codec.binary.valid import Constraint
from bridgespec.spec.ir import (
    Binding,
    Field,
    FieldType,
    PosInstance,
    Primitive,
    RecordType,
    Spec,
    SwitchType,
    ValueInstance,
)
from bridgespec.spec.kaitai.expr.evaluator import ExpressionFunction, compile_expression, compile_optional
from bridgespec.spec.kaitai.sizes import Known, record_bits, type_bits


def compile_spec(spec: Spec, processors: Mapping[str, Processor]) -> RecordElement:
    """Return the element that reads and writes a whole file of a spec."""
    return _Compiler(spec, processors).record(spec.root)


class _Compiler:
    """Makes the elements of one spec, each record type once."""

    def __init__(self, spec: Spec, processors: Mapping[str, Processor]) -> None:
        self.spec = spec
        self.processors = processors
        self.made: dict[str, RecordElement] = {}
        self.implied = implied(spec)
        self.declared = looked_at(spec)
        """The fields whose positions the expressions of the schema use."""
        self.looked_at = self.declared | looked_at_in(expression for _, expression in self.implied.values())
        """These fields, and those whose positions implied values use."""
        self.sizes: Known = {}

    def record(self, name: str) -> RecordElement:
        """Return the element of a record type, compiled once."""
        if name in self.made:
            return self.made[name]
        record = self.spec.records[name]
        element = RecordElement(record, record_bits(name, self.spec.records, self.sizes))
        element.looked_at = None in self.looked_at
        # Implied values alone need one pass if they are given: `_written_once` adds passes where they are not.
        element.settles = bool(self.declared)
        # Registered ahead of its fields, since one of them may be of this type again.
        self.made[name] = element
        element.fields = [self.field(field) for field in record.fields]
        for field in element.fields:
            field.implied_by, expression = self.implied.get((name, field.label), (None, None))
            field.implied = compile_optional(expression)
        for instance in record.instances.values():
            element.instances[instance.name] = self._instance(instance)
        element.complete()
        return element

    def _instance(self, instance: ValueInstance | PosInstance) -> ValueElement | PlaceElement:
        if isinstance(instance, PosInstance):
            return PlaceElement(self.field(instance.field), compile_optional(instance.pos), compile_optional(instance.io))
        constraint = None
        if instance.valid is not None:
            enum = self.spec.enums.get(instance.enum) if instance.enum else None
            constraint = Constraint(instance.valid, enum, instance.binding)
        return ValueElement(compile_expression(instance.value), compile_optional(instance.condition), constraint)

    def field(self, field: Field) -> FieldElement:
        """Return the element of a field."""
        enum = self.spec.enums.get(field.enum) if field.enum else None
        bits = type_bits(field.type, self.spec.records, self.sizes)
        element = FieldElement(field, self.type(field.type, field.binding), enum, bits)
        element.looked_at = field.name in self.looked_at
        return element

    def type(self, type_: FieldType, binding: Binding) -> Element:
        """Return the element of a single value of a type."""
        match type_:
            case Primitive():
                return leaf_of(type_)(type_, binding, self.processors)
            case RecordType():
                parent: ExpressionFunction | Literal[False] | None = False
                if type_.parent is not False:
                    parent = compile_optional(type_.parent)
                return UseElement(
                    self.record(type_.target),
                    [compile_expression(arg) for arg in type_.args],
                    ExtentRange(type_.extent) if type_.extent is not None else None,
                    Process(type_.process, self.processors) if type_.process is not None else None,
                    parent,
                )
            case SwitchType():
                cases = [(compile_optional(case), self.type(inner, binding)) for case, inner in type_.cases]
                enum = self.spec.enums.get(type_.on.enum) if type_.on.enum is not None else None
                codes = None if enum is None else enum.members
                return SwitchElement(compile_expression(type_.on), cases, type_.implicit, codes, type_.by)
