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
    Json,
    Key,
    Keys,
    list_of,
    map_of,
    name_of,
    ref_to,
)

KNOWN_AXES = tuple(name for name in AXES if name != "room")
"""The axes that arrays of binary schemas can have."""

_NAME: Json = {"type": ["string", "integer"]}
_BYTES: Json = {"anyOf": [TEXT, INTEGER, list_of(_NAME)]}
_TYPE: Json = {"anyOf": [name_of("type"), ref_to("a switch")]}
_ENDIAN: Json = {"enum": ["le", "be"]}

_DOC: Keys = {
    "doc": Key(TEXT, "What it is, for the documentation; Markdown."),
    "doc-ref": Key(TEXTS, "Where more is said of it: addresses or titles."),
}

BINDING: Keys = {
    "-bridge-as": Key(name_of("term"), "The model term that the field holds, where its name is not one."),
    "-bridge-case": Key(
        name_of("type"),
        "Of a list of boards whose records are of several kinds, told apart by a switch on a field of theirs: the type that is a "
        "board. The others are kept, shown and written back, and are no boards.",
    ),
    "-bridge-role": Key(name_of("role"), "The part that the field has of the term it stands in, where its name does not say it."),
    "-bridge-axes": Key(
        list_of({"type": "object", "properties": dict.fromkeys(KNOWN_AXES, TEXT), "additionalProperties": False}),
        "What the positions of the array mean, in file order, the last running fastest: [{suit: SHDC}, {rank: AKQJT98765432}].",
    ),
    "-bridge-at": Key(
        map_of(name_of("field")),
        "The coordinate that the array does not run over, and the sibling field that holds it: {seat: declarer}.",
    ),
    "-bridge-digits": Key(
        ref_to("-bridge-digits"), "The integer is an array of digits, the least significant first, each a code of the enum."
    ),
    "-bridge-number": Key(
        ref_to("-bridge-number"),
        "The text is a decimal number, padded on the left when written; leading zeros are read.",
        ("not-a-number",),
    ),
    "-bridge-codes": Key(name_of("enum"), "The enum that names the numbers that the text spells."),
    "-bridge-value": Key(EXPRESSION, "Derived: computed when a file is written, verified when one is read.", ("derived-mismatch",)),
    "-bridge-default": Key(
        EXPRESSION,
        "What is written where the model says nothing: a number, a text in quotation marks, a list as [], bytes as [0].as<bytes>.",
    ),
    "-bridge-opaque": Key(FLAG, "The raw value is kept with the document, and means nothing in the model."),
    "-bridge-lenient": Key(map_of(INTEGER), "Codes that are read as others, and never written: {0x00: 0x20}."),
    "-bridge-unknown": Key(INTEGER, "The raw value that means: not known."),
    "-bridge-end": Key(
        ref_to("-bridge-end"),
        "A record whose first bits are null ends the list and is not a part of it; short is the size in bytes of its bare form.",
        ("data-after-end",),
    ),
    "-bridge-prefer": Key(FLAG, "Where two fields that must agree differ, this one is believed."),
    "-bridge-code": Key(
        name_of("finding"),
        "The code of the finding when a constraint of the field is broken: that of `valid`, `contents` or a derived value.",
    ),
    "-bridge-severity": Key(LEVEL.shape, "The severity of that finding."),
}
"""The keys of a binding: the meaning of a field, and the value that a writer gives it."""

EXTENT: Keys = {
    "size": Key(EXPRESSION, "How many bytes the field takes.", ("truncated", "bad-size")),
    "size-eos": Key(FLAG, "The field takes all that is left of its stream."),
    "terminator": Key(INTEGER, "The byte that ends the field.", ("missing-terminator",)),
    "include": Key(FLAG, "Whether the terminator is part of the value; it is not where nothing is said."),
    "consume": Key(FLAG, "Whether reading goes on after the terminator, as it does where nothing is said, or at it."),
    "eos-error": Key(FLAG, "Whether a missing terminator is an error, as it is where nothing is said."),
    "pad-right": Key(INTEGER, "The byte that fills the field up behind its value."),
}
COMMON: Keys = {
    "id": Key(_NAME, "The field's name: lower case letters, digits and underscores. One that is a term or a role is bound to it."),
    **_DOC,
    "if": Key(EXPRESSION, "The field stands only where this is true."),
    "valid": Key(
        {"anyOf": [EXPRESSION, {"type": "array"}, ref_to("valid")]},
        "What the value must be: a value, a list of them, or `min`, `max`, `eq`, `any-of`, `in-enum`, `expr`.",
        ("invalid-value",),
    ),
    "type": Key(
        _TYPE,
        "What is read: `u1` to `u8`, `s1` to `s8`, `f4`, `f8`, `b1` to `b64`, `str`, `strz`, a type of the schema, or a switch; "
        "bytes where nothing is said. `le` or `be` behind a number is its byte order.",
        ("truncated",),
    ),
    "repeat": Key(
        {"enum": ["eos", "expr", "until"]},
        "The field is a list: to the end of the stream, so many times, or until something is true.",
    ),
    "repeat-expr": Key(EXPRESSION, "With `repeat: expr`, how many there are.", ("truncated", "bad-size")),
    "repeat-until": Key(
        EXPRESSION, "With `repeat: until`, what ends the list; `_` is the element just read, the last of the list."
    ),
}
FIELD: Keys = {
    **COMMON,
    **EXTENT,
    "contents": Key(_BYTES, "The bytes that are always here: text, or a list of bytes and texts.", ("bad-contents",)),
    "process": Key(TEXT, "How the bytes are stored: `zlib`, `xor(key)`, `rol(bits)`, `ror(bits)`.", ("bad-data",)),
    "enum": Key(name_of("enum"), "The enum that names the values.", ("unknown-code",)),
    "encoding": Key(TEXT, "The encoding of a text, where it is not the schema's.", ("bad-encoding",)),
    "parent": Key(EXPRESSION, "What is `_parent` inside the field's type; none where it is false."),
    **BINDING,
}
INSTANCE: Keys = {
    **FIELD,
    "pos": Key(EXPRESSION, "How many bytes of the stream stand before it.", ("bad-size", "truncated")),
    "io": Key(EXPRESSION, "The stream in which it stands, where it is not the record's own: `_root._io`, `body._io`."),
}
VALUE: Keys = {
    "value": Key({"format": "expression"}, "What the instance is: an expression of other fields. It takes no bytes."),
    **{name: FIELD[name] for name in ("doc", "doc-ref", "if", "enum", "valid", "id")},
    **BINDING,
}
RECORD: Keys = {
    "meta": Key(ref_to("a type's meta"), "Byte order and encoding for what is inside."),
    **_DOC,
    "params": Key(list_of(ref_to("a parameter")), "What a use of the type gives it: `type: row(3)`."),
    "seq": Key(list_of(ref_to("a field")), "The fields, in file order."),
    "types": Key(map_of(ref_to("a type")), "Types by name."),
    "instances": Key(
        map_of({"anyOf": [ref_to("an instance"), ref_to("a value instance")]}), "What is computed of fields, or read at a position."
    ),
    "enums": Key(
        map_of(map_of({"anyOf": [{"type": ["string", "boolean", "integer"]}, ref_to("an enum member")]})),
        "Enums by name: codes and what they stand for.",
    ),
    "to-string": Key(EXPRESSION, "A text that tells one record from another, for whoever looks at it."),
    "-bridge-checks": Key(list_of(ref_to("a check")), "What must hold of the record, and the finding where it does not."),
}
SCHEMA: Keys = {
    **RECORD,
    "meta": Key(ref_to("meta"), "What the schema is, and what holds everywhere in it."),
    "-bridge-checksum": Key(EXPRESSION, "The checksum that is published of whole files: sum(words_le(span(_io), 4))."),
    "-bridge-sources": Key(list_of(ref_to("a source")), "Where the claims of the schema come from, each with a short quotation."),
    "-bridge-samples": Key(
        list_of(ref_to("a sample")),
        "Test vectors: bytes, and the codes of the findings that they must give (none: they are valid).",
    ),
}
META: Keys = {
    "id": Key(_NAME, "The format's name, which is that of the schema's file too."),
    "title": Key(TEXT, "What people call the format."),
    "application": Key(TEXTS, "The programs that use it."),
    "file-extension": Key(TEXTS, "The extensions of its files; a schema without one is a piece that others import."),
    "xref": Key({"type": "object"}, "What other catalogs call the format; kept and not looked at."),
    "license": Key(TEXT, "The schema's licence, by its SPDX name."),
    "tags": Key(list_of(TEXT), "Words under which the documentation groups formats."),
    "-bridge-model": MODEL,
    # 0.10 without quotes is a number in YAML.
    "ks-version": Key({"type": ["string", "number"]}, "The version of Kaitai's language that the schema needs, up to 0.11."),
    "ks-debug": Key(FLAG, "Taken, and without effect: every field's place is known anyway."),
    "ks-opaque-types": Key(FLAG, "Types that are not declared may be other schemas beside this one."),
    "ks-zero-copy-substream": Key(FLAG, "Taken, and without effect."),
    "imports": Key(list_of(name_of("schema")), "Schemas whose types this one uses, beside it or where formats are kept."),
    "encoding": Key(TEXT, "The encoding of texts that name none.", ("bad-encoding",)),
    "endian": Key(
        {"anyOf": [_ENDIAN, ref_to("an endian switch")]}, "The byte order of numbers that name none: `le`, `be`, or a switch."
    ),
    "bit-endian": Key(
        _ENDIAN, "The order of bits in a byte: `be` from the high bit on, as where nothing is said, `le` from the low bit on."
    ),
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
            name_of("type"), "What it is: `u1` and the like, `bool`, `bytes`, `str`, `struct`, `io`, `any`, a type of the schema."
        ),
        **_DOC,
        "enum": Key(name_of("enum"), "The enum that names its values."),
    },
    "a switch": {"switch-on": _SWITCH, "cases": Key(map_of(name_of("type")), "The type for each value; `_` for all others.")},
    "an endian switch": {"switch-on": _SWITCH, "cases": Key(map_of(TEXT), "`le` or `be` for each value; `_` for all others.")},
    "valid": {
        "eq": Key(EXPRESSION, "The one value that there may be.", ("invalid-value",)),
        "min": Key(EXPRESSION, "The least.", ("invalid-value",)),
        "max": Key(EXPRESSION, "The greatest.", ("invalid-value",)),
        "any-of": Key({"type": "array"}, "The values that there may be.", ("invalid-value",)),
        "expr": Key(EXPRESSION, "What must be true; `_` is the value.", ("invalid-value",)),
        "in-enum": Key(FLAG, "The value must be a code of the field's enum.", ("invalid-value",)),
    },
    "an enum member": {
        "id": Key(
            {"type": ["string", "boolean", "integer"]}, "What the code stands for: a name of the model, or the format's own."
        ),
        **_DOC,
    },
    "a check": {
        "that": Key(EXPRESSION, "What must be true of the record."),
        "code": CODE,
        "severity": LEVEL,
        "message": Key(TEXT, "What the finding says."),
    },
    "a source": SOURCE,
    "a sample": SAMPLE,
    "-bridge-digits": {
        "base": Key(INTEGER, "How many values a digit has: 2 to 256."),
        "enum": Key(name_of("enum"), "The enum that names the digits."),
    },
    "-bridge-number": {"pad-left": Key(TEXT, "The one character that fills the text up before the number.")},
    "-bridge-end": {
        "bits": Key(INTEGER, "How many null bits at its start make a record the end."),
        "short": Key(INTEGER, "How many bytes its bare form has, where it need not be a whole record."),
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
    "processing routines of one's own": "`process` names code outside the schema; `zlib`, `xor`, `rol` and `ror` are taken.",
    "opaque types": "A type that no schema declares would be code; with `ks-opaque-types` it may be another schema.",
    "bit integers of more than 64 bits": "No value holds them: read bytes, or several integers.",
    "schemas for a newer Kaitai": "A schema whose `ks-version` is above 0.11 may say what is not known here.",
    "aliases of lists and mappings": "They would hide where a value stands, and every finding has a place.",
    "unknown keys that begin with -bridge-": "They are misspelled; others that begin with a hyphen are passed over, as in Kaitai.",
    "what ends nowhere": "Values that follow from each other in a circle have none.",
}
"""The parts of Kaitai's language that are refused, each with the reason."""
