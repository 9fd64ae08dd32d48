"""A JSON Schema of each schema language, for editors that complete and check schemas: `json_schema`, derived from the tables of
keys that the loaders use.
"""

from __future__ import annotations

from collections.abc import Mapping

from bridgespec.spec.grammar import keys as grammar
from bridgespec.spec.kaitai import keys as kaitai
from bridgespec.spec.keys import JsonSchema, Keys, slug

OwnerKeys = Mapping[str, Keys]

TABLES: Mapping[str, OwnerKeys] = {"ksy": kaitai.KEYS, "lark": grammar.WORDS}
"""Every key, by language and by the owner of the key."""
_NEEDED: Mapping[str, Mapping[str, tuple[str, ...]]] = {"ksy": kaitai.NEEDED, "lark": grammar.NEEDED}
_ROOTS = {"ksy": ("a schema", "Kaitai Struct schema with -bridge- keys"), "lark": ("head", "The //- lines of a Lark grammar")}


def json_schema(language: str = "ksy") -> JsonSchema:
    """Return the JSON Schema (draft 2020-12) of binary schemas, or of the YAML in the ``//-`` lines of grammars (``lark``).

    The schema of a grammar describes its head; ``#/$defs/rule`` describes the block before a rule.

    >>> json_schema()["required"], sorted(json_schema("lark")["$defs"])[:3]
    (['meta'], ['columns', 'content', 'digits'])
    """
    root, title = _ROOTS[language]
    table = TABLES[language]
    parts = {slug(owner): _object(language, owner, keys) for owner, keys in table.items()}
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": title, **parts[slug(root)], "$defs": parts}


def _object(language: str, owner: str, keys: Keys) -> JsonSchema:
    """Return the JSON Schema of a mapping with the keys of ``owner``."""
    made: JsonSchema = {
        "type": "object",
        "properties": {name: {**key.shape, "description": key.doc} for name, key in keys.items()},
        "additionalProperties": False,
    }
    # Kaitai ignores keys of other tools, which begin with a hyphen.
    if language == "ksy":
        made["patternProperties"] = {"^-(?!bridge-)": {}}
    needed = _NEEDED[language].get(owner)
    return {**made, "required": list(needed)} if needed else made
