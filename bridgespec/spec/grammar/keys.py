"""Every word of ``//-`` lines, by what it is a word of: what the loader takes, and what documentation and editors know of it.

``once`` to ``strict``, ``columns`` and ``inherit`` serve PBN alone: its standard asks for a second, narrower form of the same text,
which no grammar can say without saying everything twice, and for pairs that depend on each other, which none can say at all.
``lines``, ``faults``, ``strict`` and ``clean`` of the head serve such a standard too. ``mandatory``, ``also``, ``blank``, ``mark``
and ``marks`` are of no format in particular, but no other of ours has pairs that it must write, values that say nothing, or numbers
in place of signs.
"""

from __future__ import annotations

from bridgespec.spec.keys import (
    AXES,
    CODE,
    EXPRESSION,
    FLAG,
    INTEGER,
    LEVEL,
    SAMPLE,
    SOURCE,
    TEXT,
    Json,
    Key,
    Keys,
    list_of,
    map_of,
    part,
)

_NAMES = list_of(TEXT)
_PAIRS = map_of({"type": ["string", "integer"]})
_REGEX: Json = {"type": "string", "format": "regex"}
_LISTS = map_of(_NAMES)


def _one_or_more(item: Json) -> Json:
    return {"anyOf": [item, list_of(item)]}


_MESSAGE = Key(TEXT, "What the finding says. Names in braces are filled in: `{value!r}`, `{key}`, and what the word itself tells.")

REPORT: Keys = {
    "code": CODE,
    "severity": LEVEL,
    "message": _MESSAGE,
    "help": Key(TEXT, "What to do about it."),
    "fix": Key(TEXT, "What `--fix` puts in place of the text."),
    "safe": Key(FLAG, "Whether nothing can be lost by the fix."),
}
_SAID: Keys = {name: REPORT[name] for name in ("code", "severity", "message")}

PAIR: Keys = {
    "name": Key(TEXT, "The rule is a pair: what its other fields hold is told by the text of this field."),
    "terms": Key(map_of(TEXT), "Which term of the model the pair holds, by the text of its key; `opaque` keeps it raw."),
    "inherit": Key(part("inherit"), "Values that repeat the previous record's, or hold for all that follow."),
    "repeats": Key(_NAMES, "Keys that hold for the following records until they are stated anew."),
    "mandatory": Key(_NAMES, "Pairs that a fresh record has even where nothing is known."),
    "also": Key(_NAMES, "Pairs that a fresh record has beside another of the same term."),
    "tags": Key(FLAG, "Any further pair may stand; it is kept under its name."),
    "blank": Key(_NAMES, "Values that say nothing."),
    "mark": Key(TEXT, "A sign that may stand before a value without changing what it says."),
    "columns": Key(part("columns"), "Of some keys the value names columns, and the section below it holds rows of cells."),
    "once": Key(part("once"), "Each key stands once in a record; those of `within` once in each section."),
    "needs": Key(part("needs"), "Keys that stand before others."),
    "strict": Key(part("strict"), "What is checked of pairs in a file that claims the strict form (the head's `strict`)."),
}
"""What a pair says: a rule that has ``name``."""

BOUND: Keys = {
    "as": Key(TEXT, "The model term that the rule holds, where its name is not one; `boards` for a record that is a board."),
    "role": Key(TEXT, "The part that the rule has of the term it stands in, where its name does not say it."),
    "axes": Key(
        list_of({"type": "object", "properties": dict.fromkeys(AXES, TEXT), "additionalProperties": False}),
        "What the positions of a list mean, in file order: [{seat: NESW}].",
    ),
    "at": Key(map_of(TEXT), "The coordinate that a list does not run over, and the sibling field that holds it."),
    "digits": Key(part("digits"), "A number that stands for several positions of an array: each of its digits is a code."),
    "number": Key(part("number"), "The text is a number, decimal where nothing else is said."),
    "default": Key(EXPRESSION, "What is written where the model says nothing: a number, or a text in quotation marks."),
    "opaque": Key(FLAG, "The text is kept with the document, and means nothing in the model."),
    "prefer": Key(FLAG, "Where two parts that say the same differ, this one is believed."),
}
"""The words of binding, which rules share with the fields of binary schemas."""

RULE: Keys = {
    "doc": Key(TEXT, "What documentation says of the rule; Markdown."),
    "says": Key(TEXT, "What messages call the rule: `a number`, `the end of the line`."),
    "write": Key(
        _one_or_more(TEXT), "The spelling that a writer gives layout, where the shortest will not do; of a list each in turn."
    ),
    "only-read": Key(FLAG, "What the rule reads stands in files and is kept; a fresh record is written without it."),
    "ends": Key(TEXT, "What a writer puts at the end of the rule's text in place of blanks."),
    "trim": Key(TEXT, "The characters that a writer strips from the end of the rule's text."),
    "content": Key(
        _one_or_more(part("content")),
        "The text of a field is read by another rule, possibly chosen by a sibling's text.",
        ("bad-value",),
    ),
    "report": Key(part("report"), "A text that matches this rule is a finding."),
    "restart": Key(part("restart"), "Where a record ends because another begins."),
    "xor": Key(
        list_of({"type": ["string", "integer"]}),
        "Derived: the numbers of these fields (or constants), exclusively ored; computed when writing, verified when reading.",
        ("derived-mismatch",),
    ),
    "fill": Key(part("fill"), "Records that a writer adds, numbered on up to a last one."),
    "decode": Key(
        {"enum": ["backslash", "percent", "percent-codes"]},
        "How characters are escaped in the text; of `percent-codes` a writer makes only those that it needs for a percent sign.",
    ),
    "between": Key({**_NAMES, "minItems": 2, "maxItems": 2}, "What stands before and behind the text and is not part of it."),
    "unknown": Key(_one_or_more(TEXT), "Texts that say that nothing is known."),
    "marks": Key(_PAIRS, 'Numbers that stand for marks: `{1: "!", 2: "?"}`.'),
    **PAIR,
    **BOUND,
}
HEAD: Keys = {
    "id": Key(
        TEXT, "The format's name, which is that of the grammar's file too; a grammar without one is a piece that others import."
    ),
    "title": Key(TEXT, "What people call the format."),
    "doc": Key(TEXT, "What it is, for the documentation; Markdown."),
    "extensions": Key(_NAMES, "The extensions of its files."),
    "encoding": Key(TEXT, "The encoding of its files; Latin-1 where nothing is said.", ("bad-encoding",)),
    "tags": Key(_NAMES, "Words under which the documentation groups formats."),
    "sources": Key(_one_or_more(part("sources")), "Where the claims of the grammar come from, each with a short quotation."),
    "samples": Key(
        _one_or_more(part("samples")), "Test vectors: texts or bytes, and the codes of the findings that they must give."
    ),
    "start": Key(TEXT, "The rule that reads the whole file; `start` where nothing is said."),
    "recover": Key(
        _REGEX,
        "What is passed over where a text fits nowhere; the rest of its line where nothing is said. The record ends there, and "
        "the next begins where one fits.",
        ("unreadable-line",),
    ),
    "lines": Key(part("lines"), "How long a line may be."),
    "faults": Key(_one_or_more(part("faults")), "What may not stand in the text, wherever it does: each match is a finding."),
    "strict": Key(
        _REGEX, "A file in which this matches claims to keep to the strict form: what says `strict` is checked in such files."
    ),
    "clean": Key(_PAIRS, "Fields of the file that a writer of the clean form (`--canonical`) adds, with their texts."),
}
BINARY = frozenset(["checks", "value", "lenient", "code", "codes", "severity", "end"])
"""Words of binary fields that do nothing in a text."""

WORDS: dict[str, Keys] = {
    "head": HEAD,
    "rule": RULE,
    "report": REPORT,
    "sources": SOURCE,
    "samples": SAMPLE,
    "lines": {
        "most": Key(INTEGER, "The most characters of a line, its end included; `{count}` in the message is how many there are."),
        "ends": Key(TEXT, "What comments have at the ends of their lines in the clean form."),
        **REPORT,
    },
    "faults": {
        "at": Key(_REGEX, "What may not stand; `^` and `$` are the ends of lines."),
        "characters": Key(_REGEX, "In place of `at`: a class of single characters."),
        "skip": Key(_REGEX, "Text that is passed over."),
        "once": Key(FLAG, "The first match alone is a finding, and `{count}` the number of all."),
        "strict": Key(FLAG, "Looked for only in files that claim the strict form."),
        **REPORT,
    },
    "content": {
        "of": Key(TEXT, "The field whose text is read; the whole pair where it is left out under `strict`."),
        "by": Key(TEXT, "The field whose text chooses among `cases`."),
        "rule": Key(TEXT, "The rule that reads the text."),
        "cases": Key(map_of(TEXT), "The rule for each text of `by`; several texts stand in one key, with blanks between."),
        "else": Key(TEXT, "The rule for all other texts of `by`; without one they stay as they are."),
        "ascending": Key(TEXT, "A rule whose numbers do not fall along the text."),
        **_SAID,
    },
    "restart": {
        "at": Key(_REGEX, "What begins another record."),
        "after": Key(_REGEX, "What must have begun in the record before; what `at` says where it is left out."),
    },
    "number": {
        "base": Key(INTEGER, "2 to 36; 10 where nothing is said."),
        "numerals": Key(TEXT, "The characters of the numerals, from the lowest."),
        "from": Key(INTEGER, "The value of the first numeral."),
        "pad-left": Key(TEXT, "The character that fills the text up before the number."),
        "width": Key(INTEGER, "How many characters a writer fills up to."),
        "modulo": Key(INTEGER, "A writer takes the number modulo this."),
    },
    "digits": {
        "base": Key(INTEGER, "How many values a digit has."),
        "codes": Key(_NAMES, "What the digits stand for, from the lowest."),
        "from": Key(INTEGER, "The value of the number whose digits are all the lowest."),
        "first": Key(
            {"enum": ["low", "high"]}, "Whether the first position is the lowest digit, as where nothing is said, or the highest."
        ),
    },
    "fill": {
        "number": Key(TEXT, "The field of such a record that is numbered on."),
        "after": Key(TEXT, "The sibling from whose last record it is numbered on."),
        "to": Key(INTEGER, "The last number."),
    },
    "inherit": {
        "same": Key(TEXT, "The value that repeats the previous record's."),
        "header": Key(TEXT, "What begins a value that holds, without this mark, for every record that follows."),
        "never": Key(_NAMES, "Keys that may not do so."),
        **_SAID,
    },
    "columns": {
        "tables": Key(_NAMES, "The keys whose values are tables."),
        "cases": Key(map_of(TEXT), "The rule that reads a cell, by the name of its column."),
        "name": Key(TEXT, "The field of the value that is the name of a column."),
        "width": Key(TEXT, "The field of the value that is its width."),
        "cell": Key(_NAMES, "The fields of the section that are cells."),
        "quote": Key(TEXT, "The signs that may stand around a cell."),
        "heads": Key(map_of(TEXT), "The columns that a fresh table has, by its key."),
        **{name: REPORT[name] for name in ("code", "severity")},
    },
    "once": {
        "within": Key(
            _LISTS, "Keys that stand once for each text before a colon in each of these sections, the nearest earlier one counting."
        ),
        **REPORT,
    },
    "needs": {"of": Key(_LISTS, "For a key the keys that stand before it."), **REPORT},
    "strict": {
        "missing": Key(part("report"), "A pair that is `mandatory` and does not stand; `{key}` is its key."),
        "order": Key(
            part("order"),
            "The mandatory keys stand first and in their order, then others by the alphabet, then sections, then tables.",
        ),
        "same": Key(_one_or_more(part("same")), "The first character of a value is that of another."),
        "rows": Key(part("report"), "A row of a table is a line with single blanks, unless columns have widths."),
        "content": Key(_one_or_more(part("content")), "The rule that the strict form has for a value, or for the whole pair."),
    },
    "order": {"sections": Key(_NAMES, "The keys that begin sections, in their order."), **REPORT},
    "same": {
        "key": Key(TEXT, "The key whose value is looked at."),
        "as": Key(TEXT, "The key whose value's first character it begins with."),
        "by": Key(map_of(TEXT), "What it begins with in place of that character."),
        **REPORT,
    },
}
"""The words by what they are words of."""
NEEDED: dict[str, tuple[str, ...]] = {"sources": ("title",), "samples": ("name",)}
"""The words that cannot be left out."""
