"""The intermediate representation (IR) of a schema, the same for both languages. `Spec` is a schema, `Record` a type, `Field` a
field.

Every element keeps its `SchemaPlace`. Binary layouts come from ``.ksy`` files, text layouts from Lark
grammars; what they share (identity, enums, provenance, samples, and the `Binding` of each field) is defined here. Codecs,
documentation and sample generators are derived from these values alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal

from bridgespec.diagnostic import Diagnostic, Severity
from bridgespec.spec.kaitai.expr.tree import Expression, field_path
from bridgespec.spec.place import SchemaPlace
from bridgespec.spec.primitive import BitsType as BitsType  # `as` exports the name, for `mypy --strict`
from bridgespec.spec.primitive import BytesType as BytesType
from bridgespec.spec.primitive import Endian as Endian
from bridgespec.spec.primitive import Extent as Extent
from bridgespec.spec.primitive import FloatType as FloatType
from bridgespec.spec.primitive import IntType as IntType
from bridgespec.spec.primitive import Primitive as Primitive
from bridgespec.spec.primitive import StringType as StringType

BOARDS = "boards"
"""The name of a list of boards."""

# --- the words that Kaitai and Lark lack (``-bridge-*`` keys, ``//-`` lines) ---------------------------------------------


@dataclass(frozen=True, slots=True)
class Axis:
    """One dimension of an array: its name and the label of each position in file order, ``{suit: SHDC}`` -> ``Axis("suit",
    "SHDC")``.
    """

    name: str
    labels: str


@dataclass(frozen=True, slots=True)
class Digits:
    """The binding of an integer field whose digits in ``base``, the least significant first, are codes of the enum ``enum``."""

    base: int
    enum: str | None


@dataclass(frozen=True, slots=True)
class NumberText:
    """The binding of a text field that is a decimal integer, padded on the left with ``pad_left`` to the field's size when
    written.
    """

    pad_left: str | None


@dataclass(frozen=True, slots=True)
class EndRecord:
    """The end of a list of records: a record whose first ``bits`` bits are zero, which is no element of the list. ``short`` is the
    size in bytes of its abbreviated form, which may replace it at the end of the data; 0 where there is none.
    """

    bits: int
    short: int


@dataclass(frozen=True, slots=True)
class Check:
    """A record invariant: if ``that`` is false, a diagnostic with ``code``, ``severity`` and ``message`` is reported."""

    that: Expression
    code: str
    severity: Severity
    message: str
    place: SchemaPlace


@dataclass(frozen=True, slots=True)
class Binding:
    """The binding of a field to the model; all attributes are empty where the schema states none.

    ``term`` is the model term (the field's own name where that is one); ``axes`` are the meanings of array positions; ``at`` gives
    the coordinates that the array does not run over (axis name -> name of the sibling field with the coordinate); ``value`` derives
    the field when written and verifies it when read; ``default`` is written where the model has no value; ``opaque`` keeps the raw
    value in the document; ``lenient`` maps raw codes that are read to the ones they are read as; ``unknown`` is the raw value that
    means "not known"; ``prefer`` marks the field that is used when two fields disagree; ``code`` and ``severity`` are those of a
    broken constraint of this field; ``role`` is the part of the enclosing term that the field is (its own name where that is a
    role); ``case`` is, for a list with records of several types, the type of those that are boards.
    """

    term: str | None = None
    axes: tuple[Axis, ...] = ()
    at: Mapping[str, str] = field(default_factory=dict)
    digits: Digits | None = None
    number: NumberText | None = None
    codes: str | None = None
    value: Expression | None = None
    default: Expression | None = None
    opaque: bool = False
    lenient: Mapping[int, int] = field(default_factory=dict)
    unknown: int | None = None
    end: EndRecord | None = None
    prefer: bool = False
    code: str | None = None
    severity: Severity = Severity.ERROR
    role: str | None = None
    case: str | None = None

    @property
    def given_twice(self) -> str | None:
        """The coordinate that both ``at`` and an axis give, which contradict each other; None without one. An axis of leaders gives
        the seat.
        """
        given = {"seat" if axis.name == "leader" else axis.name for axis in self.axes}
        return next((name for name in self.at if name in given), None)


# --- types of binary fields ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class RecordType:
    """A type declared in a schema: ``target`` is its absolute name (``zrd::board``); ``extent`` makes it a substream.

    ``parent`` is Kaitai's override of ``_parent`` inside the type: an expression, False for none, None for the usual one.
    """

    target: str
    args: tuple[Expression, ...] = ()
    extent: Extent | None = None
    process: Expression | None = None
    parent: Expression | Literal[False] | None = None


@dataclass(frozen=True, slots=True)
class SwitchType:
    """A type that a value selects: ``cases`` in order, each with its value, None for the default. ``implicit``: the default is
    Kaitai's own, the raw bytes.
    """

    on: Expression
    cases: tuple[tuple[Expression | None, FieldType], ...]
    implicit: bool = False

    @property
    def by(self) -> tuple[str, ...]:
        """The names that lead to the field whose value selects the type; empty where several fields do."""
        return field_path(self.on.tree)


FieldType = Primitive | RecordType | SwitchType


@dataclass(frozen=True, slots=True)
class EndianSwitch:
    """A byte order that a value selects: ``cases`` in order, each with its value, None for the default."""

    on: Expression
    cases: tuple[tuple[Expression | None, Endian], ...]


class Repeat(StrEnum):
    """How a field repeats: to the end of the stream, a number of times, or until a condition is true."""

    EOS = "eos"
    EXPR = "expr"
    UNTIL = "until"


@dataclass(frozen=True, slots=True)
class Valid:
    """The constraint of a field, Kaitai's ``valid``: every attribute that is set is a condition, and all must be true."""

    eq: Expression | None = None
    min: Expression | None = None
    max: Expression | None = None
    any_of: tuple[Expression, ...] = ()
    in_enum: bool = False
    expr: Expression | None = None
    place: SchemaPlace | None = None


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a record, or the field that an instance reads.

    ``repeat_expr`` is the count of ``repeat: expr`` or the condition of ``repeat: until``. A field without an ``id`` is
    named ``_unnamed0``, after its position.
    """

    name: str
    type: FieldType
    place: SchemaPlace
    doc: str = ""
    enum: str | None = None
    repeat: Repeat | None = None
    repeat_expr: Expression | None = None
    condition: Expression | None = None
    valid: Valid | None = None
    binding: Binding = Binding()
    doc_ref: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ValueInstance:
    """An instance that is computed, not read. ``enum_place`` is the position of the key ``enum``."""

    name: str
    value: Expression
    place: SchemaPlace
    enum: str | None = None
    condition: Expression | None = None
    valid: Valid | None = None
    doc: str = ""
    binding: Binding = Binding()
    enum_place: SchemaPlace | None = None


@dataclass(frozen=True, slots=True)
class PosInstance:
    """An instance that is read at the offset ``pos`` of the stream ``io`` (None: the stream of its record)."""

    field: Field
    pos: Expression | None
    io: Expression | None

    @property
    def name(self) -> str:
        """The instance's name."""
        return self.field.name


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a record type; ``type`` is the name in the schema (``u4``, ``str``, ``io``, ``any``, a type, ``u1[]`` ...)."""

    name: str
    type: str
    place: SchemaPlace
    enum: str | None = None
    doc: str = ""


@dataclass(frozen=True, slots=True)
class EnumMember:
    """A code and its name."""

    value: int
    name: str
    doc: str
    place: SchemaPlace


@dataclass(frozen=True, slots=True)
class Enum:
    """The codes of an enum, with their names, by value; ``name`` is absolute (``zbd::seat``)."""

    name: str
    members: Mapping[int, EnumMember]
    place: SchemaPlace


@dataclass(frozen=True, slots=True)
class Record:
    """A type: its fields in file order, its instances and parameters. ``name`` is absolute; ``parent`` the enclosing type.

    Where a field's ``endian`` is None, the byte order is that of ``endian_switch`` or, without one, of the record that uses the
    type.
    """

    name: str
    fields: tuple[Field, ...]
    place: SchemaPlace
    instances: Mapping[str, ValueInstance | PosInstance] = field(default_factory=dict)
    params: tuple[Parameter, ...] = ()
    checks: tuple[Check, ...] = ()
    doc: str = ""
    parent: str | None = None
    endian_switch: EndianSwitch | None = None
    to_string: Expression | None = None


# --- a whole schema -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Source:
    """A source of information on the format; ``quote`` is a short quotation from it."""

    title: str
    url: str | None = None
    author: str | None = None
    quote: str | None = None


@dataclass(frozen=True, slots=True)
class Sample:
    """A sample in a schema: its bytes, and the codes of the findings that reading it must give (none: it is valid)."""

    name: str
    data: bytes
    codes: tuple[str, ...] = ()
    doc: str = ""
    place: SchemaPlace | None = None


@dataclass(frozen=True, slots=True)
class Spec:
    """One complete schema, from which codecs, documentation and generators are derived. Made by a loader; immutable.

    ``records`` and ``enums`` are keyed by absolute name and include imported ones; ``root`` is the record of a whole file.
    ``language`` is ``ksy`` or ``lark``; ``text`` is the grammar of the latter (see ``spec.grammar``), None for ``ksy``.
    ``warnings`` are findings for the schema's author, not for its users; ``checksum`` is the published checksum of whole files.
    """

    id: str
    title: str
    language: Literal["ksy", "lark"]
    path: str
    doc: str
    extensions: tuple[str, ...]
    root: str
    records: Mapping[str, Record]
    enums: Mapping[str, Enum]
    sources: tuple[Source, ...] = ()
    samples: tuple[Sample, ...] = ()
    encoding: str | None = None
    imports: tuple[str, ...] = ()
    meta: Mapping[str, object] = field(default_factory=dict)
    text: object | None = None
    warnings: tuple[Diagnostic, ...] = ()
    checksum: Expression | None = None

    @property
    def top(self) -> Record:
        """The record of a whole file."""
        return self.records[self.root]

    @property
    def has_model(self) -> bool:
        """Whether fields are bound to the model by their names: the head declares a model, or there is a list of boards."""
        fields = [one for record in self.records.values() for one in record.fields]
        lists = any(one.repeat is not None and (one.binding.term or one.name) == BOARDS for one in fields)
        # Or a repeated record has a field `boards`: of records of several kinds, one may be a board.
        repeated = {one.type.target for one in fields if one.repeat is not None and isinstance(one.type, RecordType)}
        boards = (record for record in repeated for one in self.records[record].fields if (one.binding.term or one.name) == BOARDS)
        return lists or any(boards) or "-bridge-model" in self.meta or (self.language == "lark" and "model" in self.meta)

    @property
    def placing(self) -> bool:
        """Whether records have parts at offsets that the file states."""
        places = (one for record in self.records.values() for one in record.instances.values() if isinstance(one, PosInstance))
        return any(one.pos is not None for one in places)
