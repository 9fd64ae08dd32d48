"""The words of ``//-`` comments by owner: the table that the loader, the documentation and the editor's schemas use."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, get_args, get_origin, get_type_hints

from bridgespec.spec.grammar.form import KINDS, REGEX, PairForm, ReportForm, RuleWords, TextForm, one_or_more
from bridgespec.spec.keys import (
    AXES,
    EXPRESSION,
    FLAG,
    INTEGER,
    MODEL,
    SAMPLE,
    SOURCE,
    TEXT,
    JsonSchema,
    Key,
    Keys,
    list_of,
    map_of,
    name_of,
    ref_to,
)

_SHAPES: dict[object, JsonSchema] = {str: TEXT, bool: FLAG, int: INTEGER}
_NAMES = list_of(TEXT)


class WordField(NamedTuple):
    """How a field of a class in `form` is set: by the word ``name`` with the definition ``key`` or, for a finding (without a
    ``key``), by several ``words`` of the same mapping.
    """

    name: str
    key: Key | None
    words: tuple[str, ...] = ()


_WORD_FIELDS: dict[type, dict[str, WordField]] = {}
"""Cache of `word_fields`."""


def word_fields(kind: type) -> dict[str, WordField]:
    """Return how the fields of a class in `form` are set, by the name of the field; fields that no word sets are left out."""
    if kind in _WORD_FIELDS:
        return _WORD_FIELDS[kind]
    found = _WORD_FIELDS[kind] = {}
    # Without `include_extras` the arguments of `Annotated` are dropped.
    for field, hint in get_type_hints(kind, include_extras=True).items():
        # `Annotated[type, ...]`: the texts are the documentation and the key's name, a dict its shape, a tuple its findings.
        about, of = getattr(hint, "__metadata__", ()), getattr(hint, "__origin__", hint)
        texts = [one for one in about if isinstance(one, str)]
        if of is ReportForm:
            found[field] = WordField(field, None, tuple(texts or keys_of(ReportForm)))
        elif about:
            name = texts[1] if len(texts) > 1 else field.replace("_", "-")
            known = next((one for one in about if isinstance(one, Key)), None)
            shape = next((one for one in about if isinstance(one, dict)), None)
            findings = next((one for one in about if isinstance(one, tuple)), ())
            found[field] = WordField(name, known or Key(shape or _shape(of), texts[0], findings))
    return found


def _shape(of: Any) -> JsonSchema:
    """Return the JSON Schema of a field's values, from its type."""
    args = [one for one in get_args(of) if one not in (type(None), Ellipsis)]
    if of in _SHAPES:
        return _SHAPES[of]
    if get_origin(of) is Mapping:
        return map_of(_shape(args[1]))
    if get_origin(of) in (tuple, frozenset):
        return _NAMES if args == [str] else one_or_more(_shape(args[0]))
    return _shape(args[0]) if args else ref_to(next(owner for owner, kind in KINDS.items() if kind is of))


def keys_of(kind: type) -> dict[str, Key]:
    """Return the words that set fields of a class in `form`, by the name of the word.

    >>> list(keys_of(PairForm))[:3], keys_of(PairForm)["repeats"].shape
    (['name', 'terms', 'inherit'], {'type': 'array', 'items': {'type': 'string'}})
    """
    found: dict[str, Key] = {}
    for name, key, words in word_fields(kind).values():
        found |= {name: key} if key is not None else {word: keys_of(ReportForm)[word] for word in words}
    return found


PAIR: Keys = keys_of(PairForm)
"""The words of a pair: a rule that has ``name``."""
BOUND: Keys = {
    "as": Key(name_of("term"), "The model term of the rule, where its name is not one; `boards` for a record that is a board."),
    "role": Key(name_of("role"), "The part of the enclosing term that the rule is, where its name is not one."),
    "axes": Key(
        list_of({"type": "object", "properties": dict.fromkeys(AXES, TEXT), "additionalProperties": False}),
        "What the positions of a list mean, in file order: [{seat: NESW}].",
    ),
    "at": Key(map_of(name_of("field")), "A coordinate that is the same for a whole list, and the sibling field that has it."),
    "digits": Key(ref_to("digits"), "The text is a number for several positions of an array: each of its digits is a code."),
    "number": Key(ref_to("number"), "The text is a number; decimal by default."),
    "value": Key(
        EXPRESSION,
        "Derived: a number, a text or bytes (in hexadecimal digits) by an expression over the other fields of the record, those of "
        "`_parent` and `_root`, and their texts; computed when writing, verified when reading.",
        ("derived-mismatch",),
    ),
    "default": Key(EXPRESSION, "The value that is written where the model has none: a number, or a text in quotation marks."),
    "opaque": Key(FLAG, "The text is kept with the document, and has no meaning in the model."),
    "prefer": Key(FLAG, "Of two parts with the same meaning that differ, this one is used."),
}
"""The words of binding, which rules share with the fields of binary schemas."""

HEAD: Keys = {
    "id": Key(TEXT, "The format's name, which is also that of the grammar's file; a grammar without one is a part for import."),
    "title": Key(TEXT, "The format's name for people."),
    "doc": Key(TEXT, "A description of the format, for the documentation; Markdown."),
    "extensions": Key(_NAMES, "The extensions of its files."),
    "encoding": Key(
        one_or_more(TEXT),
        "The encoding of its files; Latin-1 by default. Of several, a file is written in the first that has all its characters. "
        "A character that none has is written as a question mark, and reported.",
        ("bad-encoding",),
    ),
    "model": MODEL,
    "tags": Key(_NAMES, "Words under which the documentation groups formats."),
    "sources": Key(one_or_more(ref_to("sources")), "The sources of the claims in the grammar, each with a short quotation."),
    "samples": Key(
        one_or_more(ref_to("samples")), "Test vectors: texts or bytes, and the codes of the findings that they must give."
    ),
    "start": Key(name_of("rule"), "The rule that reads the whole file; `start` by default."),
    "recover": Key(
        REGEX,
        "The text that is skipped where no rule matches; the rest of the line by default. The record ends there, and the next one "
        "begins where its rule matches.",
        ("unreadable-line",),
    ),
    **keys_of(TextForm),
}
BINARY = frozenset(["checks", "xor", "lenient", "code", "codes", "severity", "end"])
"""Words of binary fields, or of earlier versions, that have no effect in a text."""

WORDS: dict[str, Keys] = {
    "head": HEAD,
    "rule": {**keys_of(RuleWords), **PAIR, **BOUND},
    "sources": SOURCE,
    "samples": SAMPLE,
    "number": {
        "base": Key(INTEGER, "The base, 2 to 36; 10 by default."),
        "numerals": Key(TEXT, "The characters of the numerals, from the lowest."),
        "words": Key(_NAMES, "The numbers in words, from the lowest, in place of numerals: [one, two, three] with from: 1."),
        "from": Key(INTEGER, "The value of the first numeral or word."),
        "pad-left": Key(TEXT, "The character that pads the number on the left."),
        "width": Key(INTEGER, "The number of characters to which a writer pads."),
        "modulo": Key(INTEGER, "The modulus of the number that a writer writes."),
    },
    "digits": {
        "base": Key(INTEGER, "The number of values of a digit."),
        "codes": Key(_NAMES, "The codes of the digits, from the lowest."),
        "from": Key(INTEGER, "The number whose digits are all the lowest."),
        "first": Key({"enum": ["low", "high"]}, "The digit of the first position: the lowest (by default) or the highest."),
    },
    **{owner: keys_of(kind) for owner, kind in KINDS.items()},
}
"""The words of each owner, by the name of the owner: the head, a rule, or the word that has them in a mapping."""
NEEDED: dict[str, tuple[str, ...]] = {"sources": ("title",), "samples": ("name",)}
"""The words that cannot be left out."""
