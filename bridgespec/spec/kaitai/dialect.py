"""The dialect of binary schemas as a JSON Schema: Kaitai's own keys and the ``-bridge-`` keys, for editors that complete and check.

The keys are the loader's own, so that the two cannot drift apart; what each is for is said here once, for editors and pages alike.
"""

from __future__ import annotations

from typing import Any

from bridgespec.diagnostic import Severity
from bridgespec.spec.kaitai.bridge import AXES
from bridgespec.spec.kaitai.keys import ATTRIBUTE_KEYS, FIELD_KEYS, META_KEYS, RECORD_KEYS, TOP_KEYS, VALUE_KEYS

Json = dict[str, Any]

_TEXT: Json = {"type": "string"}
_FLAG: Json = {"type": "boolean"}
_INTEGER: Json = {"type": "integer"}
_EXPRESSION: Json = {"type": ["string", "integer", "number", "boolean"], "description": "An expression of Kaitai's language."}
_TEXTS: Json = {"anyOf": [_TEXT, {"type": "array", "items": _TEXT}]}
_SEVERITY: Json = {"enum": [str(severity) for severity in Severity]}
_BYTES: Json = {"anyOf": [_TEXT, _INTEGER, {"type": "array", "items": {"type": ["integer", "string"]}}]}
_VALID: Json = {"anyOf": [_EXPRESSION, {"type": "array"}, {"type": "object"}]}
_TYPE: Json = {
    "anyOf": [
        _TEXT,
        {
            "type": "object",
            "required": ["switch-on", "cases"],
            "properties": {"switch-on": _EXPRESSION, "cases": {"type": "object"}},
        },
    ]
}

BRIDGE: dict[str, tuple[Json, str]] = {
    "-bridge-as": (_TEXT, "The model term that the field holds, where its name is not one."),
    "-bridge-role": (_TEXT, "The part that the field has of the term it stands in, where its name does not say it."),
    "-bridge-axes": (
        {"type": "array", "items": {"type": "object", "properties": dict.fromkeys(AXES, _TEXT), "additionalProperties": False}},
        "What the positions of the array mean, in file order, the last running fastest: [{suit: SHDC}, {rank: AKQJT98765432}].",
    ),
    "-bridge-at": (
        {"type": "object", "additionalProperties": _TEXT},
        "The coordinate that the array does not run over, and the sibling field that holds it: {seat: declarer}.",
    ),
    "-bridge-digits": (
        {"type": "object", "required": ["base"], "properties": {"base": _INTEGER, "enum": _TEXT}},
        "The integer is an array of digits, the least significant first, each a code of the enum.",
    ),
    "-bridge-number": (
        {"type": "object", "properties": {"pad-left": _TEXT}, "additionalProperties": False},
        "The text is a decimal number, padded on the left when written.",
    ),
    "-bridge-codes": (_TEXT, "The enum that names the numbers that the text spells."),
    "-bridge-value": (_EXPRESSION, "Derived: computed when a file is written, verified when one is read."),
    "-bridge-default": (_EXPRESSION, "What is written where the model says nothing."),
    "-bridge-opaque": (_FLAG, "The raw value is kept with the document, and means nothing in the model."),
    "-bridge-lenient": (
        {"type": "object", "additionalProperties": _INTEGER},
        "Codes that are read as others, and never written: {0x00: 0x20}.",
    ),
    "-bridge-unknown": (_INTEGER, "The raw value that means: not known."),
    "-bridge-end": (
        {"type": "object", "required": ["bits"], "properties": {"bits": _INTEGER, "short": _INTEGER}},
        "A record whose first bits are null ends the list and is none of it; short is the size in bytes of its bare form.",
    ),
    "-bridge-prefer": (_FLAG, "Where two fields that must agree differ, this one is believed."),
    "-bridge-code": (_TEXT, "The code of the finding when a constraint of the field is broken."),
    "-bridge-severity": (_SEVERITY, "The severity of that finding."),
    "-bridge-checks": (
        {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["that", "code", "message"],
                "properties": {"that": _EXPRESSION, "code": _TEXT, "severity": _SEVERITY, "message": _TEXT},
                "additionalProperties": False,
            },
        },
        "What must hold of the record, and the finding where it does not.",
    ),
    "-bridge-checksum": (_EXPRESSION, "The checksum that is published of whole files: sum(words_le(span(_io), 4))."),
    "-bridge-sources": (
        {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["title"],
                "properties": dict.fromkeys(("title", "url", "author", "quote"), _TEXT),
                "additionalProperties": False,
            },
        },
        "Where the claims of the schema come from, each with a short quotation.",
    ),
    "-bridge-samples": (
        {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["name"],
                "properties": {"name": _TEXT, "hex": _TEXT, "base64": _TEXT, "codes": _TEXTS, "doc": _TEXT},
                "additionalProperties": False,
            },
        },
        "Test vectors: bytes, and the codes of the findings that they must give (none: they are valid).",
    ),
}
"""Every ``-bridge-`` key: its shape, and what it is for."""

_KAITAI: dict[str, Json] = {
    "id": {"type": ["string", "integer"]},
    "doc": _TEXT,
    "doc-ref": _TEXTS,
    "if": _EXPRESSION,
    "valid": _VALID,
    "type": _TYPE,
    "repeat": {"enum": ["eos", "expr", "until"]},
    "repeat-expr": _EXPRESSION,
    "repeat-until": _EXPRESSION,
    "size": _EXPRESSION,
    "size-eos": _FLAG,
    "terminator": _INTEGER,
    "include": _FLAG,
    "consume": _FLAG,
    "eos-error": _FLAG,
    "pad-right": _INTEGER,
    "contents": _BYTES,
    "process": _TEXT,
    "enum": _TEXT,
    "encoding": _TEXT,
    "parent": _EXPRESSION,
    "value": {},
    "pos": _EXPRESSION,
    "io": _EXPRESSION,
    "to-string": _EXPRESSION,
}
_META: dict[str, Json] = {
    "id": {"type": ["string", "integer"]},
    "file-extension": _TEXTS,
    "imports": {"type": "array", "items": _TEXT},
    "bit-endian": {"enum": ["le", "be"]},
    "tags": {"type": "array", "items": _TEXT},
    "ks-version": {"type": ["string", "number"]},
    "ks-debug": _FLAG,
    "ks-opaque-types": _FLAG,
    "ks-zero-copy-substream": _FLAG,
    "xref": {"type": "object"},
    "endian": {"anyOf": [{"enum": ["le", "be"]}, {"type": "object"}]},
    "application": _TEXTS,
}


def _key(name: str) -> Json:
    if name in BRIDGE:
        shape, words = BRIDGE[name]
        return {**shape, "description": words}
    return _KAITAI.get(name, {})


def _object(keys: set[str] | frozenset[str], **more: Json) -> Json:
    return {
        "type": "object",
        "properties": {name: more.get(name, _key(name)) for name in sorted(keys)},
        "patternProperties": {"^-(?!bridge-)": {}},
        "additionalProperties": False,
    }


def json_schema() -> Json:
    """The JSON Schema (draft 2020-12) of binary schemas.

    >>> sorted(json_schema()["$defs"])
    ['enum', 'field', 'instance', 'meta', 'param', 'type']
    """
    member = {"anyOf": [{"type": ["string", "boolean", "integer"]}, _object({"id", "doc", "doc-ref"}, **{"-orig-id": {}})]}
    record: dict[str, Json] = {
        "seq": {"type": "array", "items": {"$ref": "#/$defs/field"}},
        "types": {"type": "object", "additionalProperties": {"$ref": "#/$defs/type"}},
        "instances": {"type": "object", "additionalProperties": {"$ref": "#/$defs/instance"}},
        "enums": {"type": "object", "additionalProperties": {"$ref": "#/$defs/enum"}},
        "params": {"type": "array", "items": {"$ref": "#/$defs/param"}},
        "meta": {"$ref": "#/$defs/meta"},
    }
    top = _object(RECORD_KEYS | TOP_KEYS, **record)
    meta = {name: _META.get(name, _TEXT) for name in META_KEYS}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Kaitai Struct schema with -bridge- keys",
        **top,
        "required": ["meta"],
        "$defs": {
            "meta": _object(META_KEYS, **meta),
            "type": _object(RECORD_KEYS, **record),
            "field": _object(ATTRIBUTE_KEYS | FIELD_KEYS),
            "instance": _object(ATTRIBUTE_KEYS | VALUE_KEYS | {"pos", "io"}),
            "param": _object({"id", "type", "doc", "doc-ref", "enum"}),
            "enum": {"type": "object", "additionalProperties": member},
        },
    }
