"""The keys of binary schemas by owner: the table that the loader, the documentation and the editor's schemas use."""

from __future__ import annotations

from bridgespec.spec.keys import (
    AXES,
    CODE,
    EXPRESSION,
    FLAG,
    INTEGER,
    LEVEL,
    MODEL,
    SAMPLE,
    SOURCE,
    TEXT,
    TEXTS,
    JsonSchema,
    Key,
    Keys,
    list_of,
    map_of,
    name_of,
    ref_to,
)

KNOWN_AXES = tuple(name for name in AXES if name != "room")
"""The axes that arrays of binary schemas can have."""

_NAME: JsonSchema = {"type": ["string", "integer"]}
_BYTES: JsonSchema = {"anyOf": [TEXT, INTEGER, list_of(_NAME)]}
_TYPE: JsonSchema = {"anyOf": [name_of("type"), ref_to("a switch")]}
_ENDIAN: JsonSchema = {"enum": ["le", "be"]}

_DOC: Keys = {
    "doc": Key(TEXT, "A description, for the documentation; Markdown."),
    "doc-ref": Key(TEXTS, "Addresses or titles of further descriptions."),
}

BINDING: Keys = {
    "-bridge-as": Key(name_of("term"), "The model term of the field, where its name is not one."),
    "-bridge-case": Key(
        name_of("type"),
        "For a list of boards with records of several types, which a switch on a field of the record selects: the type that is a "
        "board. Records of other types are kept, shown and written back, but are no boards.",
    ),
    "-bridge-role": Key(name_of("role"), "The part of the enclosing term that the field is, where its name is not one."),
    "-bridge-axes": Key(
        list_of({"type": "object", "properties": dict.fromkeys(KNOWN_AXES, TEXT), "additionalProperties": False}),
        "What the positions of the array mean, in file order, the last running fastest: [{suit: SHDC}, {rank: AKQJT98765432}].",
    ),
    "-bridge-at": Key(
        map_of(name_of("field")),
        "A coordinate that is the same for the whole array, and the sibling field that has it: {seat: declarer}.",
    ),
    "-bridge-digits": Key(
        ref_to("-bridge-digits"), "The integer is an array of digits, the least significant first, each a code of the enum."
    ),
    "-bridge-number": Key(
        ref_to("-bridge-number"),
        "The text is a decimal number, padded on the left when written; leading zeros are read.",
        ("not-a-number",),
    ),
    "-bridge-codes": Key(name_of("enum"), "The enum with the names of the numbers in a text."),
    "-bridge-value": Key(EXPRESSION, "Derived: computed when a file is written, verified when one is read.", ("derived-mismatch",)),
    "-bridge-default": Key(
        EXPRESSION,
        "The value that is written where the model has none: a number, a text in quotation marks, a list as [], bytes as "
        "[0].as<bytes>.",
    ),
    "-bridge-opaque": Key(FLAG, "The raw value is kept with the document, and has no meaning in the model."),
    "-bridge-lenient": Key(map_of(INTEGER), "Codes that are read as other codes, and never written: {0x00: 0x20}."),
    "-bridge-unknown": Key(INTEGER, "The raw value of an unknown value."),
    "-bridge-end": Key(
        ref_to("-bridge-end"),
        "A record whose first bits are null ends the list and is no element of it; `short` is the size in bytes of a short form.",
        ("data-after-end",),
    ),
    "-bridge-prefer": Key(FLAG, "Of two fields that must agree and differ, this one is used."),
    "-bridge-code": Key(
        name_of("finding"),
        "The code of the finding when a constraint of the field is broken: that of `valid`, `contents` or a derived value.",
    ),
    "-bridge-severity": Key(LEVEL.shape, "The severity of that finding."),
}
"""The keys of a binding: the meaning of a field, and the value that a writer gives it."""

EXTENT: Keys = {
    "size": Key(EXPRESSION, "The size of the field in bytes.", ("truncated", "bad-size")),
    "size-eos": Key(FLAG, "The field extends to the end of its stream."),
    "terminator": Key(INTEGER, "The byte that ends the field.", ("missing-terminator",)),
    "include": Key(FLAG, "Whether the terminator is part of the value; false by default."),
    "consume": Key(FLAG, "Whether the next field begins after the terminator (by default) or at it."),
    "eos-error": Key(FLAG, "Whether a missing terminator is an error; true by default."),
    "pad-right": Key(INTEGER, "The byte that pads the field after its value."),
}
COMMON: Keys = {
    "id": Key(_NAME, "The field's name: lower case letters, digits and underscores. One that is a term or a role is bound to it."),
    **_DOC,
    "if": Key(EXPRESSION, "The condition on which the field is present."),
    "valid": Key(
        {"anyOf": [EXPRESSION, {"type": "array"}, ref_to("valid")]},
        "The constraint of the value: the only value, a list of values, or `min`, `max`, `eq`, `any-of`, `in-enum`, `expr`.",
        ("invalid-value",),
    ),
    "type": Key(
        _TYPE,
        "The type: `u1` to `u8`, `s1` to `s8`, `f4`, `f8`, `b1` to `b64`, `str`, `strz`, a type of the schema, or a switch; bytes "
        "by default. `le` or `be` after the name of a number is its byte order.",
        ("truncated",),
    ),
    "repeat": Key(
        {"enum": ["eos", "expr", "until"]},
        "The field is a list: to the end of the stream, with a number of elements, or until a condition is true.",
    ),
    "repeat-expr": Key(EXPRESSION, "With `repeat: expr`, the number of elements.", ("truncated", "bad-size")),
    "repeat-until": Key(
        EXPRESSION, "With `repeat: until`, the condition that ends the list; `_` is the element just read, then the last one."
    ),
}
FIELD: Keys = {
    **COMMON,
    **EXTENT,
    "contents": Key(_BYTES, "The constant bytes of the field: a text, or a list of bytes and texts.", ("bad-contents",)),
    "process": Key(TEXT, "How the bytes are stored: `zlib`, `xor(key)`, `rol(bits)`, `ror(bits)`.", ("bad-data",)),
    "enum": Key(name_of("enum"), "The enum that names the values.", ("unknown-code",)),
    "encoding": Key(TEXT, "The encoding of a text, where it is not the schema's.", ("bad-encoding",)),
    "parent": Key(EXPRESSION, "The value of `_parent` inside the field's type; `false` for none."),
    **BINDING,
}
INSTANCE: Keys = {
    **FIELD,
    "pos": Key(EXPRESSION, "Its offset in the stream, in bytes.", ("bad-size", "truncated")),
    "io": Key(EXPRESSION, "The stream that contains it, where that is not the record's own: `_root._io`, `body._io`."),
}
VALUE: Keys = {
    "value": Key({"format": "expression"}, "The value of the instance, an expression of other fields. It takes no bytes."),
    **{name: FIELD[name] for name in ("doc", "doc-ref", "if", "enum", "valid", "id")},
    **BINDING,
}
RECORD: Keys = {
    "meta": Key(ref_to("a type's meta"), "Byte order and encoding inside the type."),
    **_DOC,
    "params": Key(list_of(ref_to("a parameter")), "The parameters for which a use of the type has arguments: `type: row(3)`."),
    "seq": Key(list_of(ref_to("a field")), "The fields, in file order."),
    "types": Key(map_of(ref_to("a type")), "Types by name."),
    "instances": Key(
        map_of({"anyOf": [ref_to("an instance"), ref_to("a value instance")]}),
        "Values that are computed from fields, or read at an offset.",
    ),
    "enums": Key(
        map_of(map_of({"anyOf": [{"type": ["string", "boolean", "integer"]}, ref_to("an enum member")]})),
        "Enums by name: codes and their names.",
    ),
    "to-string": Key(EXPRESSION, "A text that identifies the record for people."),
    "-bridge-checks": Key(list_of(ref_to("a check")), "Conditions that must be true of the record, each with its finding."),
}
SCHEMA: Keys = {
    **RECORD,
    "meta": Key(ref_to("meta"), "Properties of the schema, and defaults for all of its types."),
    "-bridge-checksum": Key(EXPRESSION, "The checksum that is published with whole files: sum(words_le(span(_io), 4))."),
    "-bridge-sources": Key(list_of(ref_to("a source")), "The sources of the claims in the schema, each with a short quotation."),
    "-bridge-samples": Key(
        list_of(ref_to("a sample")),
        "Test vectors: bytes, and the codes of the findings that they must give (none: they are valid).",
    ),
}
META: Keys = {
    "id": Key(_NAME, "The format's name, which is also that of the schema's file."),
    "title": Key(TEXT, "The format's name for people."),
    "application": Key(TEXTS, "The programs that use it."),
    "file-extension": Key(TEXTS, "The extensions of its files; a schema without one is a part for import."),
    "xref": Key({"type": "object"}, "The names of the format in other catalogs; kept, and not used."),
    "license": Key(TEXT, "The schema's licence, by its SPDX name."),
    "tags": Key(list_of(TEXT), "Words under which the documentation groups formats."),
    "-bridge-model": MODEL,
    # 0.10 without quotes is a number in YAML.
    "ks-version": Key({"type": ["string", "number"]}, "The version of Kaitai's language that the schema needs, up to 0.11."),
    "ks-debug": Key(FLAG, "Accepted, and without effect: the position of every field is known anyway."),
    "ks-opaque-types": Key(FLAG, "Types that are not declared may be other schemas beside this one."),
    "ks-zero-copy-substream": Key(FLAG, "Accepted, and without effect."),
    "imports": Key(list_of(name_of("schema")), "Schemas whose types this one uses, beside it or in the folders of schemas."),
    "encoding": Key(TEXT, "The encoding of texts that name none.", ("bad-encoding",)),
    "endian": Key(
        {"anyOf": [_ENDIAN, ref_to("an endian switch")]}, "The byte order of numbers that name none: `le`, `be`, or a switch."
    ),
    "bit-endian": Key(_ENDIAN, "The order of bits in a byte: `be` from the high bit on (by default), `le` from the low bit on."),
}

_SWITCH = Key(EXPRESSION, "The value that decides.")

KEYS: dict[str, Keys] = {
    "a schema": SCHEMA,
    "a type": RECORD,
    "meta": META,
    "a type's meta": {name: META[name] for name in ("endian", "bit-endian", "encoding", "id", "title")},
    "a field": FIELD,
    "an instance": INSTANCE,
    "a value instance": VALUE,
    "a parameter": {
        "id": Key(_NAME, "The parameter's name."),
        "type": Key(
            name_of("type"), "Its type: `u1` and the like, `bool`, `bytes`, `str`, `struct`, `io`, `any`, a type of the schema."
        ),
        **_DOC,
        "enum": Key(name_of("enum"), "The enum that names its values."),
    },
    "a switch": {"switch-on": _SWITCH, "cases": Key(map_of(name_of("type")), "The type for each value; `_` for all others.")},
    "an endian switch": {"switch-on": _SWITCH, "cases": Key(map_of(TEXT), "`le` or `be` for each value; `_` for all others.")},
    "valid": {
        "eq": Key(EXPRESSION, "The only value that is allowed.", ("invalid-value",)),
        "min": Key(EXPRESSION, "The least value that is allowed.", ("invalid-value",)),
        "max": Key(EXPRESSION, "The greatest value that is allowed.", ("invalid-value",)),
        "any-of": Key({"type": "array"}, "The values that are allowed.", ("invalid-value",)),
        "expr": Key(EXPRESSION, "A condition that must be true; `_` is the value.", ("invalid-value",)),
        "in-enum": Key(FLAG, "The value must be a code of the field's enum.", ("invalid-value",)),
    },
    "an enum member": {
        "id": Key({"type": ["string", "boolean", "integer"]}, "The name of the code: one of the model, or the format's own."),
        **_DOC,
    },
    "a check": {
        "that": Key(EXPRESSION, "The condition that must be true of the record."),
        "code": CODE,
        "severity": LEVEL,
        "message": Key(TEXT, "The message of the finding."),
    },
    "a source": SOURCE,
    "a sample": SAMPLE,
    "-bridge-digits": {
        "base": Key(INTEGER, "The number of values of a digit: 2 to 256."),
        "enum": Key(name_of("enum"), "The enum with the names of the digits."),
    },
    "-bridge-number": {"pad-left": Key(TEXT, "The character that pads the number on the left.")},
    "-bridge-end": {
        "bits": Key(INTEGER, "The number of null bits at the start of a record that ends the list."),
        "short": Key(INTEGER, "The size in bytes of a short form of this record."),
    },
}
"""The keys of each owner, by the name of the owner in messages."""
NEEDED: dict[str, tuple[str, ...]] = {
    "a schema": ("meta",),
    "a switch": ("switch-on", "cases"),
    "an endian switch": ("switch-on", "cases"),
    "a check": ("that", "code", "message"),
    "a source": ("title",),
    "a sample": ("name",),
    "-bridge-digits": ("base",),
    "-bridge-end": ("bits",),
}
"""The keys that cannot be left out."""

FIELD_KEYS = frozenset(BINDING)
IDLE: dict[str, frozenset[str]] = {
    "a value instance": FIELD_KEYS - {"-bridge-code", "-bridge-severity"},
    "an instance": frozenset({"-bridge-value", "-bridge-default", "-bridge-case"}),
}
"""Known keys that have no effect on an owner, and are refused with the reason."""
EXTENT_KEYS = frozenset(EXTENT)

REFUSED: dict[str, str] = {
    "processing routines of one's own": "`process` names code outside the schema; `zlib`, `xor`, `rol` and `ror` are supported.",
    "opaque types": "A type that no schema declares would be code; with `ks-opaque-types` it may be another schema.",
    "bit integers of more than 64 bits": "They are not supported: read bytes, or several integers.",
    "schemas for a newer Kaitai": "A schema whose `ks-version` is above 0.11 may use constructs that are not supported.",
    "aliases of lists and mappings": "A value would have several positions, and every finding has one.",
    "unknown keys that begin with -bridge-": "They are misspelled; other keys that begin with a hyphen are ignored, as in Kaitai.",
    "what ends nowhere": "Values that depend on each other in a circle have no value.",
}
"""The parts of Kaitai's language that are refused, each with the reason."""
