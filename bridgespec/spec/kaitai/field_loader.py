"""Load fields, instances and parameters of a schema into the IR."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Literal

from bridgespec.diagnostic import nearest
from bridgespec.spec.ir import (
    Binding,
    BitsType,
    BytesType,
    Digits,
    Endian,
    Extent,
    Field,
    FieldType,
    Parameter,
    PosInstance,
    Primitive,
    RecordType,
    Repeat,
    SwitchType,
    Valid,
    ValueInstance,
)
from bridgespec.spec.kaitai.bridge import read_binding
from bridgespec.spec.kaitai.expr.tree import CallExpression, Expression
from bridgespec.spec.kaitai.keys import EXTENT_KEYS, KEYS
from bridgespec.spec.kaitai.style import check_encoding
from bridgespec.spec.kaitai.type_scope import TypeScope, YamlReader, as_int
from bridgespec.spec.primitive import primitive_named
from bridgespec.spec.problems import EXPRESSION, KEY, NAME, UNSUPPORTED, VALUE
from bridgespec.spec.yaml import Items, Map, Scalar, Yaml

_CALL = re.compile(r"\s*((?:::)?[A-Za-z_][A-Za-z0-9_]*(?:::[A-Za-z_][A-Za-z0-9_]*)*)\s*(\(.*\))?\s*", re.S)
PROCESSES = ("zlib", "xor", "rol", "ror")


class FieldReader:
    """Loads the fields of one type; ``tops`` are the schemas whose names are visible. Made for each type of a load."""

    def __init__(self, reader: YamlReader, scope: TypeScope, tops: dict[str, TypeScope]) -> None:
        self.reader = reader
        self.scope = scope
        self.tops = tops

    # --- fields and instances ---

    def field(self, yaml: Map, name: str) -> Field | None:
        """Return a field of ``seq``, or the field that an instance reads. Its keys have been checked."""
        reader, get = self.reader, yaml.get
        type_ = self.type(yaml)
        repeat, count = self._repeat(yaml)
        binding = self._resolved(read_binding(reader, yaml, self.scope), yaml)
        condition = reader.expression(get("if"), "if")
        valid = self._valid(yaml)
        doc = reader.text(get("doc"), "doc") or ""
        enum = self._enum(get("enum"))
        refs = reader.texts(get("doc-ref"), "doc-ref")
        if type_ is None:
            return None
        # `b1` is a boolean in Kaitai, but the codes of an enum are integers.
        if isinstance(type_, BitsType) and enum is not None:
            type_ = BitsType(type_.bits, type_.endian, False)
        if enum is not None and not (type_.range if isinstance(type_, Primitive) else isinstance(type_, SwitchType)):
            reader.add(VALUE, "enum: only an integer can have an enum", yaml.values["enum"].place)
        return Field(name, type_, yaml.place, doc, enum, repeat, count, condition, valid, binding, refs)

    def instance(self, name: str, yaml: Map) -> ValueInstance | PosInstance | None:
        """Return an instance: a computed one if it has a ``value``, else one that is read."""
        reader, get = self.reader, yaml.get
        # `unknown_keys` renames a misspelled `value`, without which a computed instance would be loaded as one that is read.
        if "value" not in yaml:
            reader.unknown_keys(yaml, "an instance", offered={"value"})
        if "value" not in yaml:
            field = self.field(yaml, name)
            pos = reader.expression(get("pos"), "pos")
            io = reader.expression(get("io"), "io")
            return PosInstance(field, pos, io) if field is not None else None
        for key in yaml.keys:
            if key in KEYS["an instance"].keys() - KEYS["a value instance"].keys():
                reader.add(KEY, f"'{key}' does not go with 'value'", yaml.keys[key].place)
        reader.unknown_keys(yaml, "a value instance", KEYS["an instance"].keys())
        value = reader.expression(get("value"), "value")
        enum = self._enum(get("enum"))
        condition = reader.expression(get("if"), "if")
        doc = reader.text(get("doc"), "doc") or ""
        reader.texts(get("doc-ref"), "doc-ref")
        valid = self._valid(yaml)
        binding = self._resolved(read_binding(reader, yaml, self.scope), yaml)
        if value is None:
            return None
        enum_place = yaml.key_place("enum") if "enum" in yaml else None
        return ValueInstance(name, value, yaml.place, enum, condition, valid, doc, binding, enum_place)

    def parameter(self, yaml: Map, name: str) -> Parameter | None:
        """Return one of the type's ``params``. Its keys have been checked."""
        reader = self.reader
        reader.texts(yaml.get("doc-ref"), "doc-ref")
        # Kaitai's default for parameters without a type.
        type_name = reader.text(yaml.get("type"), "type") or "bytes"
        enum = self._enum(yaml.get("enum"))
        place = yaml.values["type"].place if "type" in yaml else yaml.place
        base = type_name.removesuffix("[]")
        if base not in PARAMETER_TYPES and primitive_named(base) is None:
            found = self.scope.find_type(base.removeprefix("::").split("::"), self.tops)
            if found is None:
                reader.add(NAME, f"type '{base}' is not declared", place, nearest(base, self.scope.type_names(self.tops)))
                return None
            type_name = found.name + type_name[len(base) :]
        doc = reader.text(yaml.get("doc"), "doc") or ""
        return Parameter(name, type_name, place, enum, doc)

    # --- types ---

    def type(self, yaml: Map) -> FieldType | None:
        """Return the type that the ``type`` key of a field names, bytes without such a key; None where an error was reported."""
        given = yaml.get("type")
        if isinstance(given, Map):
            return self._switch(yaml, given)
        if given is None:
            return self._bytes(yaml)
        if isinstance(given, Items):
            self.reader.add(VALUE, "type: expected a name or a switch, found a list", given.place)
            return None
        text = self.reader.text(given, "type")
        return self._named(yaml, text, given) if text is not None else None

    def _named(self, yaml: Map, text: str, at: Yaml) -> FieldType | None:
        """Return the type that ``text`` names for the field ``yaml``, a primitive type or a declared one with arguments; None where
        an error was reported, at ``at``.
        """
        found = primitive_named(text)
        if found is not None:
            kind, match = found
            self._check_keys(yaml, text, {*kind.WORDS}, {"process"})
            return kind.named(match, _Declared(self, yaml, text, at))
        call_of = _CALL.fullmatch(text)
        if call_of is None:
            self.reader.add(EXPRESSION, f"type: {text!r} is neither a type nor a call of one", at.place)
            return None
        name, call = call_of.groups()
        scope = self.scope.find_type(name.removeprefix("::").split("::"), self.tops)
        if scope is None:
            help = nearest(name, self.scope.type_names(self.tops) | {"str", "strz", "u1", "u2", "u4"})
            self.reader.add(NAME, f"type '{name}' is not declared", at.place, help)
            return None
        args: tuple[Expression, ...] = ()
        if call is not None:
            args = self._arguments(f"f{call}", at)
        self._check_keys(yaml, text, EXTENT_KEYS | {"process", "parent", "enum"})
        extent = self.extent(yaml, None)
        return RecordType(scope.name, args, extent, self._process(yaml), self._parent(yaml))

    def _arguments(self, call: str, at: Yaml) -> tuple[Expression, ...]:
        """Return the arguments of a type, given as the source of a call; empty where an error was reported."""
        place = at.place
        # Parsed as a call of a function, so that commas and nested brackets need no parser of their own.
        parsed = self.reader.expression(Scalar(call, "str", place, literal=True), "arguments")
        if parsed is None or not isinstance(parsed.tree, CallExpression):
            return ()
        return tuple(Expression(call, tree, place) for tree in parsed.tree.args)

    def _switch(self, yaml: Map, switch: Map) -> SwitchType | None:
        """Return the type that ``switch`` declares for the field ``yaml``; None where an error was reported."""
        reader = self.reader
        reader.unknown_keys(switch, "a switch")
        on = reader.expression(switch.get("switch-on"), "switch-on")
        given = switch.get("cases")
        for key in ("switch-on", "cases"):
            if key not in switch:
                reader.missing(switch, f"a switch needs '{key}'")
        table = reader.map(given, "cases")
        if on is None or table is None:
            return None
        cases: list[tuple[Expression | None, FieldType]] = []
        default: FieldType | None = None
        for key, value in table.values.items():
            scalar = table.keys[key]
            case = None if key == "_" else reader.expression(scalar, "case")
            text = reader.text(value, "type of a case")
            type_ = self._named(yaml, text, value) if text is not None else None
            if type_ is None or (case is None and key != "_"):
                continue
            # Added after all cases: a switch tries them in order.
            if key == "_":
                default = type_
            else:
                cases.append((case, type_))
        # As in Kaitai: with a size, a value without a case is read as bytes.
        implicit = default is None and bool({"size", "size-eos", "terminator"} & set(yaml.keys))
        if implicit:
            default = self._bytes(yaml)
        return SwitchType(on, (*cases, (None, default)) if default is not None else tuple(cases), implicit)

    def _bytes(self, yaml: Map) -> FieldType | None:
        """Return the type of a field without a type name; None where an error was reported."""
        contents = self._contents(yaml.get("contents"))
        extent = self.extent(yaml, None)
        if "type" not in yaml:
            self._check_keys(yaml, "bytes", EXTENT_KEYS | {"contents", "process"})
        if contents is None and extent is None:
            # A key with a wrong value has its own finding.
            if "contents" not in yaml and "size" not in yaml:
                self.reader.missing(yaml, "a field needs a type, contents, size, size-eos or terminator")
            return None
        return BytesType(extent or Extent(), contents, self._process(yaml))

    def extent(self, yaml: Map, terminator: bytes | None, unit: int = 1) -> Extent | None:
        """Return the extent of a field, from its keys and the terminator of its type; None where neither determines one. ``unit``
        is the size of a character in bytes, to which a terminator of zero is extended.
        """
        reader, get = self.reader, yaml.get
        size = reader.expression(get("size"), "size")
        eos = reader.flag(yaml, "size-eos", False)
        given = get("terminator")
        if given is not None:
            terminator = self._terminator(given, unit)
        pad = reader.integer(get("pad-right"), "pad-right", 0, 255)
        if size is not None and eos:
            reader.add(KEY, "only one of size and size-eos can be given", yaml.key_place("size-eos"))
        for key in ("include", "consume", "eos-error"):
            if key in yaml and terminator is None and given is None:
                reader.missing(yaml, f"'{key}' needs a terminator", yaml.key_place(key))
        include, consume = reader.flag(yaml, "include", False), reader.flag(yaml, "consume", True)
        error = reader.flag(yaml, "eos-error", True)
        if size is None and not eos and pad is not None and "contents" not in yaml:
            reader.missing(yaml, "pad-right needs a size", yaml.key_place("pad-right"))
        if size is None and not eos and terminator is None:
            return None
        return Extent(size, eos, terminator, include, consume, error, pad)

    def _terminator(self, yaml: Yaml, unit: int) -> bytes | None:
        if isinstance(yaml, Items):
            parts = [self.reader.integer(item, "terminator", 0, 255) for item in yaml.items]
            return bytes(p for p in parts if p is not None) or None
        value = self.reader.integer(yaml, "terminator", 0, 255)
        # A zero in encodings of two or four bytes is a whole unit.
        return None if value is None else bytes([value]).ljust(unit, b"\0") if value == 0 else bytes([value])

    def _contents(self, yaml: Yaml | None) -> bytes | None:
        """Return the bytes of ``contents``, a text or a list of bytes and texts; None without the key."""
        if yaml is None:
            return None
        if isinstance(yaml, Scalar) and yaml.kind == "str":
            return yaml.text.encode()
        parts = []
        for item in self.reader.list(yaml, "contents"):
            # `'65'` in quotation marks is text, two characters.
            code = as_int(item) if isinstance(item, Scalar) and not item.literal else None
            text = self.reader.text(item, "contents") if code is None else None
            if code is not None and not 0 <= code <= 255:
                self.reader.add(VALUE, f"contents: {code} is not a byte", item.place)
            elif code is not None:
                parts.append(bytes([code]))
            elif text is not None:
                parts.append(text.encode())
        return b"".join(parts)

    # --- other keys of a field ---

    def _check_keys(self, yaml: Map, what: str, allowed: set[str] | frozenset[str], unsupported: set[str] | None = None) -> None:
        """Report keys of a field that apply to some types, but not to ``what``, its type; Kaitai allows the keys
        ``unsupported`` there.
        """
        # Each case of a switch may need other keys.
        if isinstance(yaml.get("type"), Map):
            return
        special = EXTENT_KEYS | {"contents", "process", "enum", "encoding", "parent"}
        for key, scalar in yaml.keys.items():
            if key in special - allowed:
                self.reader.add(KEY, f"'{key}' cannot apply to {what}", scalar.place)
            elif unsupported and key in unsupported:
                self.reader.add(UNSUPPORTED, f"'{key}' on {what} is not supported", scalar.place)

    def _process(self, yaml: Map) -> Expression | None:
        return self.reader.expression(yaml.get("process"), "process")

    def _parent(self, yaml: Map) -> Expression | Literal[False] | None:
        parsed = self.reader.expression(yaml.get("parent"), "parent")
        return False if parsed is not None and parsed.constant is False else parsed

    def _repeat(self, yaml: Map) -> tuple[Repeat | None, Expression | None]:
        """Return how a field repeats, and its count or condition; None and None for a field that does not repeat."""
        reader = self.reader
        given = reader.text(yaml.get("repeat"), "repeat")
        keys = {"expr": "repeat-expr", "until": "repeat-until"}
        if given is not None and given not in {r.value for r in Repeat}:
            reader.add(VALUE, f"repeat: expected eos, expr or until, found {given!r}", yaml.values["repeat"].place)
            given = None
        for kind, key in keys.items():
            if key in yaml and given != kind:
                reader.missing(yaml, f"'{key}' needs 'repeat: {kind}'", yaml.key_place(key))
        if given is None:
            return None, None
        if given in keys and keys[given] not in yaml:
            reader.missing(yaml, f"'repeat: {given}' needs '{keys[given]}'", yaml.key_place("repeat"))
            return None, None
        return Repeat(given), reader.expression(yaml.get(keys[given]), keys[given]) if given in keys else None

    def _valid(self, yaml: Map) -> Valid | None:
        reader, given = self.reader, yaml.get("valid")
        if given is None:
            return None
        if not isinstance(given, Map):
            return Valid(eq=reader.expression(given, "valid"), place=given.place)
        reader.unknown_keys(given, "valid")
        eq, low, high, test = (reader.expression(given.get(key), key) for key in ("eq", "min", "max", "expr"))
        options = (reader.expression(item, "any-of") for item in reader.list(given.get("any-of"), "any-of"))
        in_enum = reader.flag(given, "in-enum", False)
        if "in-enum" in given and not in_enum:
            reader.add(VALUE, "in-enum: only true makes sense", given.values["in-enum"].place)
        if in_enum and "enum" not in yaml:
            reader.missing(yaml, "in-enum needs an enum", given.key_place("in-enum"))
        return Valid(eq, low, high, tuple(o for o in options if o is not None), in_enum, test, given.place)

    def _resolved(self, binding: Binding, yaml: Map) -> Binding:
        """Return the binding of the field ``yaml`` with absolute names of enums."""
        if binding.codes is not None:
            binding = replace(binding, codes=self._enum(yaml.get("-bridge-codes")))
        if binding.digits is not None and binding.digits.enum is not None:
            body = yaml.get("-bridge-digits")
            enum = self._enum(body.get("enum") if isinstance(body, Map) else None)
            binding = replace(binding, digits=Digits(binding.digits.base, enum))
        return binding

    def _enum(self, yaml: Yaml | None) -> str | None:
        """Return the absolute name of an enum; None without the key, and where an error was reported."""
        text = self.reader.text(yaml, "enum")
        if text is None or yaml is None:
            return None
        enum = self.scope.find_enum(text.removeprefix("::").split("::"), self.tops)
        if enum is None:
            self.reader.add(NAME, f"enum '{text}' is not declared", yaml.place, nearest(text, self.scope.enum_names()))
            return None
        return enum.name


class _Declared:
    """The declaration of one field as a `TypeDeclaration`, for the primitive types."""

    def __init__(self, fields: FieldReader, yaml: Map, name: str, at: Yaml) -> None:
        self.fields, self.yaml, self.name, self.at = fields, yaml, name, at
        self.reader, self.scope = fields.reader, fields.scope

    def order(self, suffix: str | None) -> Endian | None:
        if suffix:
            return "le" if suffix == "le" else "be"
        default = self.scope.endian
        # The type is made all the same: without a byte order the field still has a size.
        if default is None:
            self.reader.add(KEY, f"type '{self.name}' needs a byte order: meta/endian is not given", self.at.place)
        return None if default in (None, "switch") else "le" if default == "le" else "be"

    def bit_order(self, suffix: str | None) -> Endian:
        return self.scope.bit_endian if suffix is None else "le" if suffix == "le" else "be"

    def text(self, zero: bool) -> tuple[Extent, str] | None:
        yaml = self.yaml
        encoding = self.reader.text(yaml.get("encoding"), "encoding")
        if encoding is None:
            encoding = self.scope.encoding
            if encoding is None:
                self.reader.missing(yaml, "text needs an encoding: neither here nor in meta/encoding")
                return None
        else:
            check_encoding(self.reader, encoding, yaml.values["encoding"].place)
        # The terminator of `strz` has the width of a character.
        wide = encoding.upper().replace("_", "-")
        unit = 2 if wide.startswith("UTF-16") else 4 if wide.startswith("UTF-32") else 1
        extent = self.fields.extent(yaml, b"\0" * unit if zero else None, unit)
        if extent is None:
            if "size" not in yaml and "terminator" not in yaml:
                self.reader.missing(yaml, "text needs a size, size-eos or terminator")
            return None
        return extent, encoding

    def unsupported(self, message: str) -> None:
        self.reader.add(UNSUPPORTED, message, self.at.place)


# Types of parameters that no field can have.
PARAMETER_TYPES = {"bool", "bytes", "io", "any", "struct"}
