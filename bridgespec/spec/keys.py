"""Definitions of keys for both schema languages: the JSON Schema of a key's value, its documentation, and the findings that it
can cause in a file.

The loaders' tables are made of these, so that a key without documentation cannot be accepted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bridgespec.diagnostic import Severity

JsonSchema = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Key:
    """A key of a schema: the JSON Schema of its value, its documentation, and the codes of findings that it can make a reader
    report.
    """

    shape: JsonSchema
    doc: str
    findings: tuple[str, ...] = ()


Keys = Mapping[str, Key]

TEXT: JsonSchema = {"type": "string"}
FLAG: JsonSchema = {"type": "boolean"}
INTEGER: JsonSchema = {"type": "integer"}
TEXTS: JsonSchema = {"anyOf": [TEXT, {"type": "array", "items": TEXT}]}
EXPRESSION: JsonSchema = {
    "type": ["string", "integer", "number", "boolean"],
    "format": "expression",
    "description": "An expression of Kaitai's language.",
}
SEVERITY: JsonSchema = {"enum": [str(severity) for severity in Severity]}


def name_of(kind: str) -> JsonSchema:
    """Return the JSON Schema of the name of a thing of this kind: a ``type``, an ``enum``, a ``rule``, a ``field`` or a ``schema``
    that the author declares, a ``term`` or a ``role`` of the model, a ``finding``. The kind is its ``format``, by which editors
    complete the name and find its uses.
    """
    return {"type": "string", "format": kind}


def list_of(item: JsonSchema) -> JsonSchema:
    """Return the JSON Schema of a list whose items have the schema ``item``."""
    return {"type": "array", "items": item}


def map_of(value: JsonSchema) -> JsonSchema:
    """Return the JSON Schema of a mapping from names to values with the schema ``value``."""
    return {"type": "object", "additionalProperties": value}


def slug(owner: str) -> str:
    """Return the name of an owner of keys as an identifier.

    >>> slug("a type's meta"), slug("-bridge-end"), slug("head")
    ('type_meta', 'bridge_end', 'head')
    """
    return owner.removeprefix("an ").removeprefix("a ").replace("'s ", "_").strip("-").replace(" ", "_").replace("-", "_")


def wrong_extension(given: Sequence[str]) -> str | None:
    """Return the error message for a schema's file extensions; None where they are valid.

    >>> wrong_extension(["pbn"]), wrong_extension([".pbn"]), wrong_extension(["a", "a"])
    (None, "'.pbn' is written without its dot", "'a' stands twice")
    """
    for one in given:
        if one.startswith("."):
            return f"{one!r} is written without its dot"
    return next((f"{one!r} stands twice" for one in given if given.count(one) > 1), None)


def ref_to(owner: str) -> JsonSchema:
    """Return the JSON Schema that refers to the mapping with the keys of ``owner`` in the same table."""
    return {"$ref": f"#/$defs/{slug(owner)}"}


MODEL = Key(
    {"enum": ["boards", "system"]},
    "The subject of a file. Names of fields are bound to the model only if the schema has this key, or a list of `boards`.",
)
AXES: Mapping[str, str] = {
    "suit": "The suit of a card: S, H, D, C.",
    "rank": "The rank of a card: A, K, Q, J, T, 9 to 2.",
    "strain": "The strain of a contract: N, S, H, D, C.",
    "seat": "A player, or who declares: W, N, E, S.",
    "leader": "Who leads to the first trick; the cells are tricks of North and South.",
    "trick": "The tricks of a play, in order.",
    "room": "The open and the closed room of a match: O, C.",
}
"""What the positions of an array can mean, each with its labels."""

CODE = Key(name_of("finding"), "The name of the finding, by which scripts and `explain` know it.")
LEVEL = Key(SEVERITY, "The severity of the finding; `error` by default.")

SOURCE: Keys = {
    "title": Key(TEXT, "The title of the source."),
    "url": Key(TEXT, "The address at which it is published."),
    "author": Key(TEXT, "Its author."),
    "quote": Key(TEXT, "A short quotation of the words on which the schema is based."),
}
SAMPLE: Keys = {
    "name": Key(TEXT, "What the sample shows."),
    "text": Key(TEXT, "The sample as text, after `|` on lines of its own; of a binary format in the encoding of `meta`."),
    "ends": Key(TEXT, "The line end of the text; a line feed by default."),
    "hex": Key({"type": ["string", "integer"]}, "Its bytes as hexadecimal digits; blanks and line ends between them are ignored."),
    "base64": Key(TEXT, "Its bytes as base64."),
    "codes": Key(
        {"anyOf": [name_of("finding"), list_of(name_of("finding"))]},
        "The codes of the findings that reading the sample must give; without a code it must be valid.",
    ),
    "doc": Key(TEXT, "A description of the sample, for the documentation."),
}
