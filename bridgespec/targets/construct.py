"""Generate a Python module of construct declarations from a schema, for programs that do not want to depend on this package.

`to_construct` returns the source. Only what construct expresses directly is generated: records of integers, bits, bytes, text,
enums and arrays, conditions, types that a value selects (`Switch`), and instances, read at an offset (`Pointer`) or computed.
Expressions become functions of construct's context, in which ``this`` is the record being read (`View.function`). For anything
else `NotExpressible` names the element of the schema and its position; nothing is left out silently.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from construct import Container

from bridgespec.errors import BridgespecError
from bridgespec.spec.encoding import python_encoding
from bridgespec.spec.ir import (
    BitsType,
    BytesType,
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
    ValueInstance,
)
from bridgespec.spec.kaitai.expr import tree as expr
from bridgespec.spec.kaitai.expr.check import Checker
from bridgespec.spec.kaitai.expr.types import ANY, ExpressionTypeError, ValueType, of_field_type
from bridgespec.spec.kaitai.names import SchemaNames, record_fields, record_types
from bridgespec.spec.kaitai.schema import names_of
from bridgespec.spec.place import SchemaPlace
from bridgespec.targets.python_names import identifiers, is_usable
from bridgespec.targets.refused import NotExpressible

_FORM = "a construct declaration"
"""The name of the target in messages of `NotExpressible`."""
_OWN = frozenset(dir(Container))
"""The attributes of a construct container: a field with such a name is accessed by key."""
_SPECIAL = {"_root": "this._root", "_parent": "this._", "_index": "this._index", "_": "it"}
"""The names of Kaitai's language that are no fields, in construct's context."""
_CALLS = {"length": "len({})", "size": "len({})", "to_s": "str({})", "min": "min({})", "max": "max({})"}
_CALLS |= {"first": "{}[0]", "last": "{}[-1]", "reverse": "{}[::-1]"}
"""Python's form of Kaitai's methods and properties of values."""
_HEAD = """
# >>> {root}.parse(data)
#
# Checksums, invariants and the meaning in bridge are not expressed here: validate with bridgespec.

"""
_IMPORTS = """from collections import namedtuple

from construct import (
    Array, BitsInteger, Bitwise, Bytes, ByteSwapped, Computed, Const, Enum, ExprAdapter, FixedSized, Float32b, Float32l,
    Float64b, Float64l, GreedyBytes, GreedyString, If, Int8sb, Int8ub, Int16sb, Int16sl, Int16ub, Int16ul, Int32sb, Int32sl,
    Int32ub, Int32ul, Int64sb, Int64sl, Int64ub, Int64ul, ListContainer, NullTerminated, PaddedString, Pointer, RepeatUntil,
    Struct, Subconstruct, Switch, stream_iseof,
)

"""
_HELPERS = '''
_Member = namedtuple("_Member", "name value")


def _coded(subcon, codes):
    """An Enum whose members have any name: as keyword arguments some would be taken for those of Enum itself."""
    return Enum(subcon, [_Member(name, value) for name, value in codes.items()])


def _reversed(array):
    return ExprAdapter(array, lambda obj, _: obj[::-1], lambda obj, _: obj[::-1])


def _code(value):
    """The number of an enum's member, or the value itself."""
    return getattr(value, "intvalue", value)


class _ToEnd(Subconstruct):
    """Elements to the end of the data, or to a record that begins with `null_bits` zero bits. An incomplete element is an error."""

    def __init__(self, subcon, null_bits=0):
        super().__init__(subcon)
        self.null_bits = null_bits

    def _ends(self, stream):
        start = stream.tell()
        head = stream.read((self.null_bits + 7) // 8)
        stream.seek(start)
        whole = 8 * len(head) >= self.null_bits
        return not head or (self.null_bits and whole and int.from_bytes(head, "little") % (1 << self.null_bits) == 0)

    def _parse(self, stream, context, path):
        items = ListContainer()
        while not (self._ends(stream) if self.null_bits else stream_iseof(stream)):
            context._index = len(items)
            items.append(self.subcon._parsereport(stream, context, path))
        return items

    def _build(self, obj, stream, context, path):
        for context._index, item in enumerate(obj):
            self.subcon._build(item, stream, context, path)
        return obj

'''


def _globals_of(source: str) -> frozenset[str]:
    """Return the names that the source of a module imports or defines."""
    found: set[str] = set()
    for statement in ast.parse(source).body:
        match statement:
            case ast.ImportFrom(names=names):
                found |= {alias.asname or alias.name for alias in names}
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name) | ast.Assign(targets=[ast.Name(id=name)]):
                found.add(name)
    return frozenset(found)


_TAKEN = _globals_of(_IMPORTS + _HELPERS)
"""The global names of every generated module."""


def to_construct(spec: Spec) -> str:
    """Return the source of a module whose last declaration reads and writes whole files.

    The module needs construct alone. Raises `NotExpressible` where construct cannot express the schema.

    >>> from bridgespec.spec.kaitai.schema import loads
    >>> print(to_construct(loads("meta: {id: one, endian: le}\\nseq: [{id: a, type: u2}]")).splitlines()[-1])
    one = Struct('a' / Int16ul)
    """
    if spec.language != "ksy":
        raise BridgespecError(f"{spec.id} is a text format; construct declares binary ones")
    needed = list(_needed(spec, spec.root, (), set()))
    enums = dict.fromkeys(field.enum for name in needed for field in record_fields(spec.records[name]) if field.enum is not None)
    own = identifiers(needed, _TAKEN)
    codes = identifiers((f"{enum}_codes" for enum in enums), _TAKEN.union(own.values()))
    names = Globals(own, {enum: codes[f"{enum}_codes"] for enum in enums})
    summary = f"{spec.title}: construct declarations, generated by bridgespec from the schema {spec.id}."
    out = [repr(summary), _HEAD.format(root=own[spec.root]), _IMPORTS, _HELPERS]
    for enum, name in names.codes.items():
        members = {member.name: value for value, member in spec.enums[enum].members.items()}
        out.append(f"\n{name} = {members!r}\n")
    for name in needed:
        record = spec.records[name]
        out.append(f"\n{own[name]} = {_record(View(names_of(spec), record, names))}\n")
    return "".join(out)


def _needed(spec: Spec, root: str, inside: tuple[str, ...], seen: set[str]) -> Iterator[str]:
    """Yield a record and the records inside it, each once, inner ones first. ``inside`` are the records around it, ``seen`` the
    records that were yielded before. Raises `NotExpressible` for a record that contains itself.
    """
    record = spec.records[root]
    if root in inside:
        raise NotExpressible(f"the record {root}, which holds itself,", record.place, _FORM)
    for field in record_fields(record):
        for used in record_types(field.type):
            # A record is declared once, although several use it: construct's declarations are plain values.
            if used.target not in seen:
                yield from _needed(spec, used.target, (*inside, root), seen)
    seen.add(root)
    yield root


def _record(view: View) -> str:
    """Return the declaration of a record: a `Struct`, or a `Bitwise` for one of bits alone."""
    record = view.record
    if record.params or record.endian_switch is not None:
        raise NotExpressible(f"the record {record.name}, which depends on whoever uses it,", record.place, _FORM)
    bits = [field for field in record.fields if isinstance(field.type, BitsType)]
    # In one `Bitwise`, a field may begin and end within a byte.
    if bits and len(bits) == len(record.fields) and not record.instances:
        return _bits(view, bits)
    parts: list[str] = []
    for before, field in zip([None, *record.fields], record.fields, strict=False):
        if not isinstance(field.type, BitsType):
            parts.append(f"{field.name!r} / {_field(view, field)}")
        # Each of two adjacent bit fields would get a `Bitwise` of its own, which is padded to whole bytes.
        elif before is not None and isinstance(before.type, BitsType):
            raise NotExpressible("a group of bit fields beside fields of whole bytes", field.place, _FORM)
        else:
            parts.append(_single(field, _bits(view, [field])))
        # construct evaluates in order: an expression sees only what is declared before it.
        view = replace(view, known=view.known | {field.name})
    for name, instance in record.instances.items():
        parts.append(f"{name!r} / {_instance(view, instance)}")
        view = replace(view, known=view.known | {name})
    one_line = f"Struct({', '.join(parts)})"
    return one_line if len(one_line) < 100 else "Struct(\n    " + ",\n    ".join(parts) + ",\n)"


def _instance(view: View, instance: ValueInstance | PosInstance) -> str:
    """Return the declaration of an instance, computed or read at an offset; construct evaluates it after the fields."""
    if isinstance(instance, ValueInstance):
        computed = f"Computed({view.function(instance.value, instance.place)})"
        if instance.condition is None:
            return computed
        return f"If({view.function(instance.condition, instance.place)}, {computed})"
    field = instance.field
    whole_file = instance.io is None or instance.io.source.replace(" ", "") in ("_io", "_root._io")
    if instance.pos is None or not whole_file or isinstance(field.type, BitsType):
        raise NotExpressible(f"the instance {field.name}, which has no place of its own in the file,", field.place, _FORM)
    # The condition goes around the pointer: inside, construct would seek before it tests.
    pointer = f"Pointer({view.function(instance.pos, field.place)}, {_field(view, replace(field, condition=None))})"
    return pointer if field.condition is None else f"If({view.function(field.condition, field.place)}, {pointer})"


def _bits(view: View, run: list[Field]) -> str:
    """Return the declaration of adjacent bit fields. construct reads bits from the high end of a byte, so that fields from the low
    end are declared in reverse order.
    """
    little = isinstance(run[0].type, BitsType) and run[0].type.endian == "le"
    total = 0
    parts = []
    for field in run:
        kind = field.type
        if not isinstance(kind, BitsType) or (kind.endian == "le") != little:
            raise NotExpressible("a change of bit order inside a byte", field.place, _FORM)
        if field.condition is not None:
            raise NotExpressible("a condition", field.place, _FORM)
        count = _count(field)
        total += kind.bits * count
        one = _coded(view, field, f"BitsInteger({kind.bits})")
        array = f"Array({count}, {one})"
        parts.append(f"{field.name!r} / {one if field.repeat is None else f'_reversed({array})' if little else array}")
    if total % 8:
        raise NotExpressible(f"a run of {total} bits, which is not a whole number of bytes,", run[0].place, _FORM)
    # `ByteSwapped` reverses the bytes, so the field at the low end, which is the first, has to come last.
    if little:
        parts.reverse()
    inner = f"Bitwise(Struct({', '.join(parts)}))"
    return f"ByteSwapped({inner})" if little else inner


def _single(field: Field, packed: str) -> str:
    """Return the declaration of a bit field among fields of whole bytes: the value itself, not the `Struct` that has its bits."""
    get, put = f"lambda obj, _: obj[{field.name!r}]", f"lambda obj, _: {{{field.name!r}: obj}}"
    return f"{field.name!r} / ExprAdapter({packed}, {get}, {put})"


def _count(field: Field) -> int:
    """Return the number of elements of a bit field. Raises `NotExpressible` for an array without a fixed length."""
    if field.repeat is None:
        return 1
    count = field.repeat_expr.constant if field.repeat is Repeat.EXPR and field.repeat_expr is not None else None
    if not isinstance(count, int):
        raise NotExpressible("an array of bits without a fixed length", field.place, _FORM)
    return count


def _coded(view: View, field: Field, base: str) -> str:
    """Return the declaration ``base`` with the codes of the field's enum, if it has one."""
    return base if field.enum is None else f"_coded({base}, {view.globals.codes[field.enum]})"


def _field(view: View, field: Field) -> str:
    """Return the declaration of a field that is not of bits, with its repetition and its condition."""
    one = _coded(view, field, _type(view, field, field.type))
    place = field.place
    if field.repeat is Repeat.EOS:
        one = f"_ToEnd({one}{f', {field.binding.end.bits}' if field.binding.end is not None else ''})"
    elif field.repeat is Repeat.EXPR and field.repeat_expr is not None:
        one = f"Array({view.function(field.repeat_expr, place)}, {one})"
    elif field.repeat is Repeat.UNTIL and field.repeat_expr is not None:
        inner = replace(view, it=of_field_type(field.type, field.enum))
        one = f"RepeatUntil({inner.function(field.repeat_expr, place, 'it, items, this')}, {one})"
    return one if field.condition is None else f"If({view.function(field.condition, place)}, {one})"


def _type(view: View, field: Field, kind: FieldType) -> str:
    """Return the declaration of one value of a type. Raises `NotExpressible` for a type without one."""
    match kind:
        case IntType(size, signed, endian):
            # A byte order that depends on a value of the file is refused below.
            order = "b" if size == 1 else {"le": "l", "be": "b"}.get(str(endian))
            if order is not None:
                return f"Int{8 * size}{'s' if signed else 'u'}{order}"
        case FloatType(size, endian) if endian is not None:
            return f"Float{8 * size}{'l' if endian == 'le' else 'b'}"
        case BytesType(contents=bytes() as contents):
            return f"Const({contents!r})"
        case BytesType(extent=extent, process=None) if extent.terminator is None and extent.pad_right is None:
            if extent.size_eos:
                return "GreedyBytes"
            if extent.size is not None:
                return f"Bytes({view.function(extent.size, field.place)})"
        case StringType():
            return _text(view, field, kind)
        case RecordType(target=target, args=(), extent=None, process=None, parent=None):
            return view.globals.records[target]
        case SwitchType():
            return _switch(view, field, kind)
    raise NotExpressible(f"the type of {field.name}", field.place, _FORM)


def _text(view: View, field: Field, kind: StringType) -> str:
    """Return the declaration of a text of a fixed size or with a terminator. Raises `NotExpressible` for other extents."""
    extent, encoding = kind.extent, python_encoding(kind.encoding) or kind.encoding
    if extent.terminator is None and extent.size is not None:
        # Not PaddedString, which drops null bytes at the end, so that writing would not give the same text back.
        return f"FixedSized({view.function(extent.size, field.place)}, GreedyString({encoding!r}))"
    if extent.terminator is not None and extent.size is None and not extent.include and extent.consume:
        return f"NullTerminated(GreedyString({encoding!r}), term={extent.terminator!r})"
    raise NotExpressible(f"the type of {field.name}", field.place, _FORM)


def _switch(view: View, field: Field, kind: SwitchType) -> str:
    """Return the declaration of a switch, with the type of each case."""
    chosen = [(case, _type(view, field, inner)) for case, inner in kind.cases]
    table = ", ".join(f"{view.constant(case, field.place)}: {inner}" for case, inner in chosen if case is not None)
    default = "".join(f", {inner}" for case, inner in chosen if case is None)
    return f"Switch({view.function(kind.on, field.place)}, {{{table}}}{default})"


@dataclass(frozen=True)
class Globals:
    """The identifiers in a generated module for records and for tables of enums, by absolute name."""

    records: Mapping[str, str]
    codes: Mapping[str, str]


@dataclass(frozen=True)
class View:
    """The names that one declaration of a record can use: ``known`` are the fields and instances declared before it, since
    construct evaluates in order; ``it`` is the type of ``_``, the element in the condition that ends a list. Immutable: each field
    gets a copy.
    """

    names: SchemaNames
    record: Record
    globals: Globals
    known: frozenset[str] = frozenset()
    it: ValueType = ANY

    def function(self, expression: expr.Expression, place: SchemaPlace, head: str = "this") -> str:
        """Return the Python source of an expression as a function with the parameters ``head``; of a literal, its value."""
        if isinstance(expression.tree, expr.LiteralExpression):
            return repr(expression.tree.value)
        return f"lambda {head}: {_Printer(self, place).visit(expression.tree)}"

    def constant(self, expression: expr.Expression, place: SchemaPlace) -> str:
        """Return the Python source of a case of a switch. Raises `NotExpressible` unless it is a literal or a member of an enum."""
        match expression.tree:
            case expr.LiteralExpression(value=value):
                return repr(value)
            case expr.Member(value=code):
                return repr(code)
        raise NotExpressible("a case that is computed", expression.place or place, _FORM)

    def kind(self, tree: expr.Tree) -> ValueType:
        """Return the type of an expression's tree, as the schema's checks determine it."""
        try:
            return Checker(self.names.seen_from(self.record.name), self.it).visit(tree)[0]
        except ExpressionTypeError:
            return ANY


@dataclass(frozen=True)
class _Printer(expr.Visitor[str]):
    """Translates one expression, at ``place`` of a schema, to Python."""

    view: View
    place: SchemaPlace

    def refuse(self, tree: expr.Tree) -> str:
        raise NotExpressible(f"an expression of the kind {expr.word(tree)}", self.place, _FORM)

    def visit_literal(self, tree: expr.LiteralExpression | expr.Member) -> str:
        return repr(tree.value)

    visit_member = visit_literal

    def visit_name(self, tree: expr.Name) -> str:
        if tree.id in _SPECIAL:
            return self._coded(tree, _SPECIAL[tree.id])
        if tree.id in self.view.known:
            return self._coded(tree, _item("this", tree.id))
        what = f"an expression that looks at {tree.id}, which stands later or in the stream,"
        raise NotExpressible(what, self.place, _FORM)

    def visit_attribute(self, tree: expr.Attribute) -> str:
        if self.view.kind(tree.of).kind == "struct":
            if tree.name in _SPECIAL and tree.name != "_":
                return self._coded(tree, f"{self.visit(tree.of)}.{_SPECIAL[tree.name].removeprefix('this.')}")
            if not tree.name.startswith("_"):
                return self._coded(tree, _item(self.visit(tree.of), tree.name))
        return self._coded(tree, self._of_value(tree))

    def visit_call(self, tree: expr.CallExpression) -> str:
        return self._of_value(tree.of) if isinstance(tree.of, expr.Attribute) and not tree.args else self.refuse(tree)

    def visit_index(self, tree: expr.Index) -> str:
        return self._coded(tree, f"{self.visit(tree.of)}[{self.visit(tree.at)}]")

    def visit_cast(self, tree: expr.Cast) -> str:
        return self.visit(tree.of)

    def visit_array(self, tree: expr.Array) -> str:
        listed = f"[{', '.join(map(self.visit, tree.items))}]"
        return f"bytes({listed})" if tree.is_bytes else listed

    def visit_unary(self, tree: expr.Unary) -> str:
        return f"({'not ' if tree.op == 'not' else tree.op}{self.visit(tree.of)})"

    def visit_binary(self, tree: expr.BinaryExpression) -> str:
        # Kaitai's division of integers is integer division.
        sign = "//" if tree.op == "/" and self.view.kind(tree).kind in ("int", "byte") else tree.op
        return f"({self.visit(tree.left)} {sign} {self.visit(tree.right)})"

    def visit_compare(self, tree: expr.Compare) -> str:
        return f"({self.visit(tree.left)} {tree.op} {self.visit(tree.right)})"

    def visit_logic(self, tree: expr.Logic) -> str:
        return f"({f' {tree.op} '.join(map(self.visit, tree.items))})"

    def visit_ternary(self, tree: expr.Ternary) -> str:
        return f"({self.visit(tree.then)} if {self.visit(tree.test)} else {self.visit(tree.other)})"

    def _coded(self, tree: expr.Tree, text: str) -> str:
        """Return the source ``text`` of an expression, as a number if the expression has an enum."""
        # construct's enums parse to strings, which compare with no number.
        return f"_code({text})" if self.view.kind(tree).kind == "enum" else text

    def _of_value(self, tree: expr.Attribute) -> str:
        """Return the source of a method or property of a value that is no record."""
        of, name = tree.of, tree.name
        kind = self.view.kind(of)
        if kind.kind == "io" or (name not in _CALLS and name != "to_i"):
            raise NotExpressible(f"an expression that looks at {name} of {kind}", self.place, _FORM)
        value = self.visit(of)
        if name == "to_i":
            return value if kind.kind == "enum" else f"int({value})"
        return _CALLS[name].format(value)


def _item(owner: str, name: str) -> str:
    """Return the source for access to a field of a container: by key if the name is a keyword or an attribute of the container."""
    return f"{owner}.{name}" if is_usable(name, _OWN) else f"{owner}[{name!r}]"
