"""Check every expression of a schema, relative to its record: names, types, arguments. The entry is `SchemaChecker`."""

from __future__ import annotations

import re
from collections.abc import Callable

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
    SwitchType,
    Valid,
    ValueInstance,
)
from bridgespec.spec.kaitai.expr import types as t
from bridgespec.spec.kaitai.expr.check import Checker
from bridgespec.spec.kaitai.expr.tree import Attribute, Bytes, CallExpression, Expression, Name, Tree, walk
from bridgespec.spec.kaitai.expr.types import ExpressionTypeError, ValueType, check_comparable
from bridgespec.spec.kaitai.field_loader import PROCESSES
from bridgespec.spec.kaitai.names import MAX_CHAIN, SchemaNames, constant_of, record_fields
from bridgespec.spec.kaitai.type_scope import YamlReader
from bridgespec.spec.place import SchemaPlace
from bridgespec.spec.problems import EXPRESSION, KEY, NAME, UNSUPPORTED, VALUE

TypeTest = Callable[[ValueType], None]
_OF_ELEMENT, _AS_MAP = re.compile(r"([a-z]\w*)\[_index\](\S*)"), r"map(\1, _\2)"
"""An expression for one element of an array, as ``rows[_index].size``, and the one for all of them: ``map(rows, _.size)``."""


def wants(what: str, *kinds: str) -> TypeTest:
    """Return a test that raises ExpressionTypeError for a type whose kind is none of ``kinds`` and not ``any``; ``what`` describes
    the kinds in the message.
    """

    def test(kind: ValueType) -> None:
        if kind.kind not in (*kinds, "any"):
            raise ExpressionTypeError(f"{what} is expected here, this is {kind}")

    return test


INTEGER, BOOLEAN = wants("an integer", "int", "byte"), wants("a boolean", "bool")
TEXT, STREAM = wants("text", "str"), wants("a stream", "io")


def comparable_with(kind: ValueType) -> TypeTest:
    """Return a test that raises ExpressionTypeError for a type that cannot be compared with ``kind``."""
    return lambda other: check_comparable(kind, other, "==")


class SchemaChecker:
    """Checks every expression of a schema and resolves the names in its tree, in place. Made by the loader for each load;
    ``processors`` are the names of further ``process`` routines.
    """

    def __init__(self, reader: YamlReader, names: SchemaNames, processors: frozenset[str]) -> None:
        self.reader = reader
        self.names = names
        self.processors = processors
        self.done: set[int] = set()
        """The ids of the ``process`` expressions that are checked."""
        self.here: SchemaPlace | None = None
        """The position of the field that is being checked."""

    def check_records(self) -> None:
        """Check all expressions of all records."""
        # Before any expression: the type of `_parent` depends on all records that use a type.
        self.names.find_parents()
        for record in self.names.records.values():
            self._record(record)
        # After all expressions and sorted: every expression that uses the chain finds it, but it has one finding.
        for record_name, name in sorted(self.names.chained):
            message = f"'{name}' ends a chain of more than {MAX_CHAIN} instances that follow from one another"
            instance = self.names.records[record_name].instances[name]
            assert isinstance(instance, ValueInstance)
            self.reader.add(EXPRESSION, message, instance.place)

    def _expression(
        self,
        expression: Expression | None,
        record: str,
        test: TypeTest | None = None,
        it: ValueType | None = None,
        ours: bool = False,
    ) -> ValueType | None:
        """Return the type of an expression, on which ``test`` is called; None without an expression, or where an error was
        reported. ``it`` is the type of ``_``; ``ours``: the expression belongs to a ``-bridge-`` key.
        """
        if expression is None:
            return None
        try:
            kind, tree = Checker(self.names.seen_from(record), it, ours).visit(expression.tree)
            if test is not None:
                test(kind)
        except ExpressionTypeError as error:
            assert expression.place is not None
            self.reader.add(EXPRESSION, str(error), expression.place, error.help)
            return None
        except RecursionError:
            assert expression.place is not None
            self.reader.add(EXPRESSION, "the instances behind this expression are nested too deeply", expression.place)
            return None
        # In place: codecs and checks share the `Expression` of the IR.
        expression.tree = tree
        return kind

    def _record(self, record: Record) -> None:
        name = record.name
        if record.endian_switch is not None:
            on = self._expression(record.endian_switch.on, name)
            for case, _ in record.endian_switch.cases:
                self._expression(case, name, comparable_with(on) if on is not None else None)
        for field in record_fields(record):
            self._field(field, name)
        for instance in record.instances.values():
            if isinstance(instance, PosInstance):
                self._expression(instance.pos, name, INTEGER)
                pos = constant_of(instance.pos)
                # A constant that is wrong makes every file wrong: an error of the schema.
                if isinstance(pos, int) and pos < 0 and instance.pos is not None and instance.pos.place:
                    self.reader.add(VALUE, f"a position cannot be negative: {pos}", instance.pos.place)
                self._expression(instance.io, name, STREAM)
            else:
                self._value(instance, name)
        self._expression(record.to_string, name, TEXT)
        for check in record.checks:
            self._expression(check.that, name, BOOLEAN, ours=True)

    def check_checksum(self, expression: Expression | None, root: str) -> None:
        """Check the expression for the published checksum of whole files."""
        self._expression(expression, root, INTEGER, ours=True)

    def _value(self, instance: ValueInstance, record: str) -> None:
        kind = self._expression(instance.value, record)
        if instance.enum and kind is not None and kind.kind not in ("int", "byte", "enum", "any"):
            place = instance.enum_place or instance.place
            self.reader.add(EXPRESSION, f"an enum is of integers; the value is {kind}", place)
        self._expression(instance.condition, record, BOOLEAN)
        if kind is not None:
            kind = ValueType("enum", instance.enum) if instance.enum else kind
        self._valid(instance.valid, kind or t.ANY, record, instance.enum)

    def _field(self, field: Field, record: str) -> None:
        """Check the condition, repetition, type, constraint and binding of a field."""
        self.here = field.place
        one = t.of_field_type(field.type, field.enum)
        self._expression(field.condition, record, BOOLEAN)
        until = field.repeat is Repeat.UNTIL
        self._expression(field.repeat_expr, record, BOOLEAN if until else INTEGER, one if until else None)
        count = constant_of(field.repeat_expr)
        if isinstance(count, int) and count < 0 and field.repeat_expr is not None and field.repeat_expr.place:
            self.reader.add(VALUE, f"a repeat count cannot be negative: {count}", field.repeat_expr.place)
        self._type(field.type, record)
        self._valid(field.valid, one, record, field.enum)
        self._binding(field, record)

    def _binding(self, field: Field, record: str) -> None:
        for axis, sibling in field.binding.at.items():
            if sibling not in self.names.attributes(record):
                self.reader.add(NAME, f"-bridge-at: {axis} is taken from '{sibling}', which is not declared", field.place)
        kind = t.of_field(field)
        source = field.binding.value.source if field.binding.value is not None else ""
        test = None if kind.kind in ("struct", "any", "enum") else self._assignable(kind, source)
        self._expression(field.binding.value, record, test, ours=True)
        self._check_own_bytes(field, record)
        self._expression(field.binding.default, record, test, ours=True)

    def _check_own_bytes(self, field: Field, record: str) -> None:
        """Report a field whose value is computed from bytes that include the field itself."""
        value = field.binding.value
        if value is None or value.place is None:
            return
        names = [one.name for one in self.names.records[record].fields]
        if field.name not in names:
            return
        at = names.index(field.name)
        for node in walk(value.tree):
            if not isinstance(node, Bytes) or node.first.owner is not None or node.last.owner is not None:
                continue
            # A span of the stream or of the record always contains the field.
            of_record = node.first.stream or node.first.name is None
            first, last = (names.index(spot.name) if spot.name in names else -1 for spot in (node.first, node.last))
            if of_record or 0 <= first <= at <= (len(names) if node.last.stream else last):
                message = f"'{field.name}' stands among the bytes that it is computed from"
                length = isinstance(value.tree, Attribute) and value.tree.name == "size"
                out = "leave it out: span(first, last) + span(first, last)"
                help_ = "a length counts the field too: _io.size is that of the file, _sizeof that of the record" if length else out
                self.reader.add(EXPRESSION, message, value.place, help_)

    def _assignable(self, kind: ValueType, source: str = "") -> TypeTest:
        """Return a test that raises ExpressionTypeError for a type whose values cannot be written to a field of type ``kind``."""
        # An author may write the value of one element where the key needs the list of all of them.
        as_map = f": say {_OF_ELEMENT.sub(_AS_MAP, source.strip())}" if _OF_ELEMENT.fullmatch(source.strip()) else ""

        def test(given: ValueType) -> None:
            # Enums and flags are stored as integers.
            same = t.fits(given, kind) or (kind.kind in t.INTEGERS and given.kind in ("enum", "bool"))
            if not same and not (kind.kind == "array" and given.kind == "bytes"):
                raise ExpressionTypeError(f"{kind} is expected here, this is {given}{as_map if kind.kind == 'array' else ''}")

        return test

    def _type(self, type_: FieldType, record: str) -> None:
        match type_:
            case SwitchType():
                on = self._expression(type_.on, record)
                type_.on.enum = on.name if on is not None and on.kind == "enum" else None
                for case, inner in type_.cases:
                    self._expression(case, record, comparable_with(on) if on is not None else None)
                    self._type(inner, record)
            case BytesType() | StringType():
                self._extent(type_.extent, record)
                if isinstance(type_, BytesType):
                    self._process(type_.process, record)
            case RecordType():
                if type_.extent is not None:
                    self._extent(type_.extent, record)
                self._process(type_.process, record)
                if type_.parent is not None and type_.parent is not False:
                    self._expression(type_.parent, record, wants("a declared type", "struct"))
                self._arguments(type_, record)

    def _extent(self, extent: Extent, record: str) -> None:
        self._expression(extent.size, record, INTEGER)
        size = constant_of(extent.size)
        if isinstance(size, int) and size < 0 and extent.size is not None and extent.size.place is not None:
            self.reader.add(VALUE, f"a size cannot be negative: {size}", extent.size.place)

    def _arguments(self, type_: RecordType, record: str) -> None:
        """Check the number and the types of the arguments of a record type."""
        target = self.names.records.get(type_.target)
        if target is None:
            return
        if len(target.params) != len(type_.args):
            place = type_.args[0].place if type_.args else None
            noun = "argument" if len(target.params) == 1 else "arguments"
            message = f"type '{type_.target}' takes {len(target.params)} {noun}, not {len(type_.args)}"
            self.reader.add(KEY, message, place or self.here or self.names.records[record].place)
            return
        for parameter, arg in zip(target.params, type_.args, strict=True):
            wanted = self.names.parameter(target.name, parameter)

            def test(given: ValueType, wanted: ValueType = wanted, name: str = parameter.name) -> None:
                if not t.fits(given, wanted):
                    raise ExpressionTypeError(f"{given} cannot be passed as '{name}', which is {wanted}")

            self._expression(arg, record, test)

    def _process(self, process: Expression | None, record: str) -> None:
        """Check a ``process`` key, and replace its tree by a call with resolved arguments."""
        # Fields may share a type and with it this expression, whose tree is replaced below.
        if process is None or process.place is None or id(process) in self.done:
            return
        self.done.add(id(process))
        name, args = process_call(process.tree)
        if name is None or (name not in PROCESSES and name not in self.processors):
            shown = name or process.source
            self.reader.add(UNSUPPORTED, f"process '{shown}' is not supported: {', '.join(PROCESSES)} are", process.place)
            return
        counts = {"zlib": 0, "xor": 1, "rol": 1, "ror": 1}
        if name in counts and len(args) != counts[name]:
            self.reader.add(VALUE, f"process {name} takes {counts[name]} argument(s), not {len(args)}", process.place)
            return
        resolved = []
        for arg in args:
            part = Expression(process.source, arg, process.place)
            # Arguments of a caller's own routine may be anything.
            self._expression(part, record, wants("an integer or bytes", "int", "byte", "bytes") if name in counts else None)
            resolved.append(part.tree)
        process.tree = CallExpression(Name(name), tuple(resolved))

    def _valid(self, valid: Valid | None, kind: ValueType, record: str, enum: str | None) -> None:
        if valid is None:
            return
        for expression in (valid.eq, *valid.any_of):
            self._expression(expression, record, comparable_with(kind))
        for expression in (valid.min, valid.max):
            self._expression(expression, record, lambda other: check_comparable(kind, other, "<"))
        self._expression(valid.expr, record, BOOLEAN, kind)


def process_call(tree: Tree) -> tuple[str | None, tuple[Tree, ...]]:
    """Return the dotted name of the routine and the arguments in a ``process`` key; None for an expression that names none."""
    args: tuple[Tree, ...] = ()
    head = tree
    if isinstance(head, CallExpression):
        args = head.args
        head = head.of
    parts: list[str] = []
    while isinstance(head, Attribute):
        parts.append(head.name)
        head = head.of
    if not isinstance(head, Name):
        return None, args
    return ".".join([head.id, *reversed(parts)]), args
