"""Translate a binary schema to declarations in JavaScript: `BinarySource` makes those of its records, with their constraints.

The declarations are calls of the functions in `runtime/`, as values of `source`; `module` prints them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Literal

from bridgespec.codec.binary.implied import implied
from bridgespec.codec.binary.valid import show
from bridgespec.spec.ir import (
    Binding,
    BitsType,
    BytesType,
    Enum,
    Extent,
    Field,
    FieldType,
    FloatType,
    IntType,
    PosInstance,
    Record,
    RecordType,
    Repeat,
    Spec,
    StringType,
    SwitchType,
    Valid,
    ValueInstance,
)
from bridgespec.spec.kaitai.expr import tree as expr
from bridgespec.spec.kaitai.expr.condition_words import condition
from bridgespec.spec.kaitai.names import record_fields, record_types
from bridgespec.spec.kaitai.schema import names_of
from bridgespec.spec.kaitai.sizes import record_bits, type_bits
from bridgespec.targets.javascript.encodings import FORM, Encodings
from bridgespec.targets.javascript.expressions import Scene
from bridgespec.targets.javascript.known import Js, is_packed, of_field, of_instance
from bridgespec.targets.javascript.source import CallCode, CodeText, JsValue, unique
from bridgespec.targets.refused import NotExpressible

_PROCESSES = ("zlib", "xor", "rol", "ror")
"""The transformations in `runtime/process.js`; others that a schema names are routines of a Python program."""


class BinarySource:
    """The declarations of one schema: ``enums``, ``encodings`` and ``records`` by constant name. With ``write`` they include what
    only a writer needs.

    Raises NotExpressible where the schema needs a function that JavaScript's standard library lacks.
    """

    def __init__(self, spec: Spec, write: bool = True) -> None:
        self.spec = spec
        self.write = write
        self.needed = list(_needed(spec))
        used = _used_enums(spec, self.needed)
        names = [record.name for record in self.needed]
        self.record_names = unique(names, "Record", "ksy")
        self.enum_names = unique(used, "Codes", "ksy")
        self.decoders = Encodings(write)
        self.scope = names_of(spec)
        spots = [spot for record in self.needed for expression in _expressions(record) for spot in _spots(expression)]
        self.settles = bool(spots)
        """Whether a value depends on a position, so that files are written in several passes."""
        # The names of fields whose position a reader needs (`looked_at`), whose position only a writer needs (`measured`), and
        # whose value expressions need (`seen`). Of other fields the reader keeps neither.
        self.looked_at = {spot.name for spot in spots if not spot.stream}
        self.implied = implied(spec) if write else {}
        self.measured = {spot.name for _, expression in self.implied.values() for spot in _spots(expression)} - self.looked_at
        self.seen = {name for record in self.needed for e in _expressions(record) for name in _names(e)}
        self.enums: dict[str, Enum] = {self.enum_names[name]: spec.enums[name] for name in used}
        self.records: dict[str, JsValue] = {self.record_names[record.name]: self._record(record) for record in self.needed}

    @property
    def encodings(self) -> Mapping[str, JsValue]:
        """The decoders that the records use, by constant name."""
        return self.decoders.values

    @property
    def listed(self) -> tuple[Field, RecordType] | None:
        """The list of fixed-size records at the end of a file, with their type; None where records cannot be read one by one."""
        last = self.spec.top.fields[-1] if self.spec.top.fields else None
        # Only a list to the end of the file: otherwise a stream does not show which elements are the last.
        if last is None or last.repeat is not Repeat.EOS or not isinstance(last.type, RecordType) or self.heading is None:
            return None
        bits = type_bits(last.type, self.spec.records)
        inside = _needed(self.spec, last.type.target)
        # A part at an offset is in the rest of the file, which a stream does not keep.
        places = any(isinstance(i, PosInstance) for record in inside for i in record.instances.values())
        return (last, last.type) if bits and bits % 8 == 0 and not places and last.condition is None else None

    @property
    def heading(self) -> int | None:
        """The number of bytes before the last field; None where it is not fixed, or depends on parameters."""
        top = self.spec.top
        bits = record_bits(top.name, {**self.spec.records, top.name: replace(top, fields=top.fields[:-1])})
        return None if bits is None or bits % 8 or top.params or top.endian_switch is not None else bits // 8

    # --- records

    def _scene(self, record: Record, it: Js | None = None) -> Scene:
        """Return the context for translating expressions of a record; ``it`` are type and bounds of ``_``, None without ``_``."""
        return Scene(self.scope, record, lambda name: self.decoders.constant(name, record.place), it)

    def _record(self, record: Record) -> JsValue:
        """Return the declaration of a record."""
        scene = self._scene(record)
        given: dict[str, JsValue] = {"name": record.name.rpartition("::")[2], "schema": record.name.partition("::")[0]}
        if record.doc:
            given["doc"] = record.doc.strip()
        if (bits := record_bits(record.name, self.spec.records)) is not None:
            given["bits"] = bits
        if record.params:
            given["params"] = [parameter.name for parameter in record.params]
        if record.endian_switch is not None:
            cases = record.endian_switch.cases
            args: list[JsValue] = [
                scene.function(record.endian_switch.on),
                [[scene.function(case), endian] for case, endian in cases if case is not None],
            ]
            args += [endian for case, endian in cases if case is None][:1]
            given["order"] = CallCode("orderBy", args)
        if None in self.looked_at:
            given["spot"] = CodeText("noted")
        given["fields"] = [CallCode("field", self._field(record, each)) for each in record.fields]
        if record.instances:
            given["instances"] = {name: self._instance(record, i) for name, i in record.instances.items()}
        if record.checks:
            given["checks"] = [
                CallCode(
                    "must",
                    (
                        {
                            "that": scene.function(check.that),
                            "code": check.code,
                            "severity": str(check.severity),
                            "message": check.message,
                        },
                    ),
                )
                for check in record.checks
            ]
        return CallCode("record", (given,))

    def _codes(self, enum: str | None) -> tuple[str, str] | None:
        """Return the constant and the name of an enum; None where it is not declared."""
        return (self.enum_names[enum], self.spec.enums[enum].name) if enum is not None and enum in self.enum_names else None

    def _instance(self, record: Record, instance: ValueInstance | PosInstance) -> JsValue:
        """Return the declaration of an instance."""
        scene = self._scene(record)
        if isinstance(instance, PosInstance):
            place: dict[str, JsValue] = {}
            if instance.pos is not None:
                place["pos"] = scene.function(instance.pos)
            if instance.io is not None:
                place["io"] = scene.function(instance.io)
            return CallCode("placed", ({**place, "field": CallCode("field", self._field(record, instance.field))},))
        given: dict[str, JsValue] = {"doc": instance.doc.strip()} if instance.doc else {}
        given["value"] = scene.function(instance.value)
        if instance.enum is not None and instance.enum in self.enum_names:
            given["codes"] = CodeText(self.enum_names[instance.enum])
        if instance.condition is not None:
            given["when"] = scene.function(instance.condition)
        if instance.valid is not None:
            it = of_instance(scene.visit(instance.value.tree), instance.enum)
            given["valid"] = _constraint(scene, instance.valid, it, self._codes(instance.enum))
            _add_finding(given, instance.binding)
        return CallCode("computed", (given,))

    def _field(self, record: Record, each: Field) -> tuple[JsValue, ...]:
        """Return the arguments of a field's declaration: its properties and, if there are any, those that only a writer needs."""
        scene = self._scene(record)
        binding = each.binding
        given: dict[str, JsValue] = {"name": each.name}
        if each.doc:
            given["doc"] = each.doc.strip()
        given["type"] = self._type(record, each, each.type)
        if each.enum is not None and each.enum in self.enum_names:
            given["codes"] = CodeText(self.enum_names[each.enum])
        it = of_field(each)
        if each.repeat is not None:
            given["repeat"] = self._repeat(scene, each, it)
        if each.condition is not None:
            given["when"] = scene.function(each.condition)
        if binding.lenient:
            given["lenient"] = {str(raw): meant for raw, meant in binding.lenient.items()}
            # The constraint applies to the code that replaces a lenient one, which may be outside the bounds of the field.
            it = replace(it, low=None, high=None)
        if binding.end is not None:
            given["end"] = CallCode("nullRecord", (binding.end.bits, binding.end.short))
        if each.valid is not None:
            given["valid"] = _constraint(scene, each.valid, it, self._codes(each.enum))
        # Values that no expression uses are not kept in the frame.
        if each.name in self.seen:
            given["seen"] = True
        if each.name in self.looked_at:
            given["place"] = CodeText("noted")
        if binding.value is not None:
            given["derived"] = CallCode("follows", (scene.function(binding.value),))
        _add_finding(given, binding)
        more = self._for_writing(scene, each) if self.write else {}
        return (given, more) if more else (given,)

    def _for_writing(self, scene: Scene, each: Field) -> Mapping[str, JsValue]:
        """Return the members of a field's declaration for a writer: the value that is written by default, and how its position is
        used.
        """
        given: dict[str, JsValue] = {}
        constant = each.valid.eq if each.valid is not None and each.repeat is None else None
        constant = None if constant is None or constant.constant is None else constant
        _, follows = self.implied.get((scene.record.name, each.name), ("", None))
        missing = None if each.binding.value is not None else each.binding.default or constant or follows
        if missing is not None:
            given["missing"] = scene.function(missing)
        if each.name in self.measured:
            given["measured"] = True
        # Parts at offsets may be written over opaque bytes; without offsets the writer needs no mark for them.
        if each.binding.opaque and self.spec.placing:
            given["opaque"] = True
        return given

    def _repeat(self, scene: Scene, each: Field, it: Js) -> JsValue:
        """Return the declaration of a repetition; ``it`` are type and bounds of ``_``, the last element, in its condition."""
        if each.repeat is Repeat.EOS or each.repeat_expr is None:
            return CallCode("toEnd")
        if each.repeat is Repeat.EXPR:
            # Arrays of equal integers are read at once, without a node for each element.
            return CallCode("packed" if is_packed(each) else "times", (scene.function(each.repeat_expr),))
        return CallCode("until", (scene.with_it(it).function(each.repeat_expr),))

    # --- types

    def _type(self, record: Record, each: Field, kind: FieldType) -> JsValue:
        """Return the declaration of a type, of the field ``each`` or of one of its cases."""
        scene = self._scene(record)
        match kind:
            case IntType(size, signed, endian):
                return CallCode("integer", (size, signed, endian) if size > 1 and endian is not None else (size, signed))
            case FloatType(size, endian):
                return CallCode("float", (size, endian) if endian is not None else (size,))
            case BitsType(boolean=True):
                return CallCode("flag", (kind.endian,))
            case BitsType():
                return CallCode("bits", (kind.bits, kind.endian))
            case BytesType(contents=bytes() as wanted):
                return _contents(wanted)
            case BytesType(extent=extent):
                process = [] if kind.process is None else [self._process(scene, each, kind.process)]
                return CallCode("byteArray", (_extent(scene, extent), *process))
            case StringType(extent=extent, encoding=encoding):
                given = _extent(scene, extent)
                number = each.binding.number if self.write else None
                if number is not None and number.pad_left:
                    given["padLeft"] = number.pad_left
                return CallCode("textOf", (CodeText(self.decoders.constant(encoding, each.place)), given))
            case RecordType():
                return self._use(scene, each, kind)
            case SwitchType():
                return self._choice(record, each, kind)
            case _:
                raise NotExpressible(f"the type of {each.name}", each.place, FORM)

    def _choice(self, record: Record, each: Field, kind: SwitchType) -> JsValue:
        """Return the declaration of a switch: its value, its cases, and the default or the codes that need no case."""
        scene = self._scene(record)
        cases = [[scene.function(case), self._type(record, each, inner)] for case, inner in kind.cases if case is not None]
        others = [self._type(record, each, inner) for case, inner in kind.cases if case is None]
        # A value without a case is no finding if it is a code of the enum.
        codes = sorted(self.spec.enums[kind.on.enum].members) if kind.on.enum is not None else None
        args: list[JsValue] = [scene.function(kind.on), cases]
        # With a default, every value has a layout, so that the codes are not needed.
        if others and (codes is None or not kind.implicit):
            return CallCode("choose", (*args, others[0]))
        return CallCode("choose", (*args, *(others[:1] or [None]), codes, list(kind.by)))

    @staticmethod
    def _process(scene: Scene, each: Field, process: expr.Expression) -> JsValue:
        tree = process.tree
        assert isinstance(tree, expr.CallExpression)
        assert isinstance(tree.of, expr.Name)
        if tree.of.id not in _PROCESSES:
            raise NotExpressible(f"the process of {each.name}", each.place, FORM)
        args = [scene.function(expr.Expression(process.source, arg)) for arg in tree.args]
        return CallCode(f"process{tree.of.id.capitalize()}", args)

    def _use(self, scene: Scene, each: Field, kind: RecordType) -> JsValue:
        """Return the declaration of a field's type that is a record: its arguments, its size, and the record that it refers to."""
        given: dict[str, JsValue] = {}
        if kind.process is not None:
            given["process"] = self._process(scene, each, kind.process)
        if kind.extent is None and (bits := type_bits(kind, self.spec.records)) is not None:
            given["bits"] = bits
        if kind.args:
            given["args"] = [scene.function(arg) for arg in kind.args]
        if kind.parent is False:
            given["parent"] = None
        elif kind.parent is not None:
            given["parent"] = scene.function(kind.parent)
        arrow = CodeText(f"() => {self.record_names[kind.target]}")
        more: tuple[JsValue, ...] = (given,) if given else ()
        if kind.extent is not None:
            return CallCode("useWithin", (_extent(scene, kind.extent), arrow, *more))
        return CallCode("use", (arrow, *more))


def _constraint(scene: Scene, valid: Valid, it: Js, codes: tuple[str, str] | None) -> JsValue:
    """Return the tests for a constraint of a value with the type and bounds ``it``; ``codes`` are the constant and the name of its
    enum, None without one.
    """
    scene = scene.with_it(it)
    tests: list[JsValue] = []
    for test, bound in (("equals", valid.eq), ("atLeast", valid.min), ("atMost", valid.max)):
        if bound is not None:
            tests.append(CallCode(test, (scene.function(bound), *_shown(scene, it, bound))))
    if valid.any_of:
        options = [scene.function(option) for option in valid.any_of]
        tests.append(CallCode("oneOf", (options, *_shown(scene, it, valid.any_of[0]))))
    if valid.in_enum and codes is not None:
        tests.append(CallCode("codeOf", (CodeText(codes[0]), codes[1])))
    if valid.expr is not None:
        tests.append(_holds(scene, it, valid.expr))
    # Tests of the value alone have the same result for equal values: in an array, each different value is tested once.
    used = (valid.eq, valid.min, valid.max, valid.expr, *valid.any_of)
    others = [n for e in used if e is not None for n in expr.walk(e.tree) if isinstance(n, expr.Name) and n.id != "_"]
    return CallCode("together" if others else "alone", tests)


def _holds(scene: Scene, it: Js, test: expr.Expression) -> JsValue:
    """Return the test that an expression is true, with a message in words where the expression is a simple one."""
    words = condition(test.tree)
    message = " ".join(show(w.value) if isinstance(w, expr.LiteralExpression) else w for w in words) if words else None
    is_float = it.kind.kind == "float"
    more: tuple[JsValue, ...] = (message,) if message is not None or is_float else ()
    if is_float:
        more = (*more, CodeText("shownFloat"))
    return CallCode("holds", (test.shown, scene.function(test), *more))


def _shown(scene: Scene, it: Js, bound: expr.Expression) -> tuple[JsValue, ...]:
    """Return the functions that format a value and its bound in the message of a test; an empty tuple if both are formatted as
    usual. Floats, which are shown with a decimal point, need a function of their own.
    """
    ways = [CodeText("shownFloat" if kind == "float" else "shown") for kind in (it.kind.kind, scene.visit(bound.tree).kind.kind)]
    if all(way.text == "shown" for way in ways):
        return ()
    return tuple(ways[:1] if ways[0] == ways[1] else ways)


def _add_finding(given: dict[str, JsValue], binding: Binding) -> None:
    """Add to the declaration ``given`` of a field the code and the severity that the schema has for a broken constraint."""
    if binding.code is not None:
        given["code"] = binding.code
    if binding.severity.value != "error":
        given["severity"] = binding.severity.value


def _contents(wanted: bytes) -> JsValue:
    """Return the declaration of constant bytes."""
    # A short form for equal bytes: hundreds of bytes of padding would fill pages.
    if len(wanted) > 8 and len(set(wanted)) == 1:
        return CallCode("contents", (CodeText(f"...new Array({len(wanted)}).fill(0x{wanted[0]:02x})"),))
    return CallCode("contents", tuple(CodeText(f"0x{byte:02x}") for byte in wanted))


def _extent(scene: Scene, extent: Extent) -> dict[str, JsValue]:
    """Return the declaration of an extent: only the properties that are set or differ from Kaitai's defaults."""
    given: dict[str, JsValue] = {}
    if extent.size is not None:
        given["size"] = scene.function(extent.size)
    if extent.size_eos:
        given["toEnd"] = True
    if extent.terminator is not None:
        given["terminator"] = [CodeText(f"0x{byte:02x}") for byte in extent.terminator]
    flags: list[tuple[str, bool, Literal[True, False]]] = [
        ("include", extent.include, True),
        ("consume", extent.consume, False),
        ("needed", extent.eos_error, False),
    ]
    given |= {name: value for name, value, exception in flags if value is exception}
    if extent.pad_right is not None:
        given["pad"] = CodeText(f"0x{extent.pad_right:02x}")
    return given


def _needed(spec: Spec, root: str | None = None) -> Iterator[Record]:
    """Yield a record, by default that of the whole file, and all records inside it, each once, the outer ones first."""
    names = [root or spec.root]
    seen: set[str] = set(names)
    for name in names:
        record = spec.records[name]
        yield record
        for each in record_fields(record):
            for used in record_types(each.type):
                if used.target not in seen:
                    seen.add(used.target)
                    names.append(used.target)


def _used_enums(spec: Spec, records: Iterable[Record]) -> list[str]:
    """Return the names of the enums of a schema by which fields or values of the records are codes, each once."""
    used: list[str | None] = []
    for record in records:
        used += (each.enum for each in record_fields(record))
        used += (each.enum for each in _values(record))
    return list(dict.fromkeys(enum for enum in used if enum is not None and enum in spec.enums))


def _expressions(value: object) -> Iterator[expr.Expression]:
    """Yield every expression inside a value of the IR."""
    if isinstance(value, expr.Expression):
        yield value
    elif isinstance(value, Mapping | tuple):
        for item in value.values() if isinstance(value, Mapping) else value:
            yield from _expressions(item)
    elif is_dataclass(value):
        for slot in fields(value):
            yield from _expressions(getattr(value, slot.name))


def _spots(expression: expr.Expression) -> list[expr.SpotExpression]:
    """Return the nodes for positions in an expression."""
    return [node for node in expr.walk(expression.tree) if isinstance(node, expr.SpotExpression)]


def _names(expression: expr.Expression) -> Iterator[str]:
    """Yield all names in an expression, those of attributes included."""
    for tree in expr.walk(expression.tree):
        if isinstance(tree, expr.Name):
            yield tree.id
        elif isinstance(tree, expr.Attribute):
            yield tree.name


def _values(record: Record) -> list[ValueInstance]:
    return [i for i in record.instances.values() if isinstance(i, ValueInstance)]
