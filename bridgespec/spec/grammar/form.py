"""The words of a grammar's ``//-`` lines as values: those of the head (`TextForm`), and of a rule (`RuleWords`).

Each annotated field of a class is a word, whose value the loader stores in it. The annotation, which the loader, documentation and
editors use, is the word's documentation, its key where that is not the field's name, its JSON Schema where the type does not
determine it, and the findings that it can cause. A field of type `ReportForm` is made of words of the same mapping: those in its
annotation, or all words of a report. ``once`` to ``strict``, ``columns`` and ``inherit`` serve PBN alone: its standard defines a
second, stricter form of the same text, which a grammar could
express only by repeating every rule, and pairs that depend on each other, which no grammar can express. ``lines``, ``faults``,
``strict`` and ``clean`` of the head serve such a standard too. ``mandatory``, ``also``, ``blank``, ``mark`` and ``marks`` are not
specific to a format, but no other format of the package has mandatory pairs, values that mean "unknown", or numbers in place of
signs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Annotated

from bridgespec.diagnostic import Severity
from bridgespec.spec.ir import Binding
from bridgespec.spec.keys import CODE, LEVEL, TEXT, JsonSchema, list_of, map_of, name_of
from bridgespec.spec.numeral import Numeral

PAIRS = map_of({"type": ["string", "integer"]})
RULE, FIELD = name_of("rule"), name_of("field")
REGEX: JsonSchema = {"type": "string", "format": "regex"}
Rank = tuple[int, int, str]
"""The sort key of a pair in the strict form: its part of the record, its index in that part, and its name for alphabetical order.
"""


def one_or_more(item: JsonSchema) -> JsonSchema:
    """Return the JSON Schema of a value or a list of such values."""
    return {"anyOf": [item, list_of(item)]}


@dataclass(frozen=True, slots=True)
class ReportForm:
    """A finding that a schema declares, under ``report`` or as words of another mapping. Names in braces in its texts are replaced
    when it is reported.
    """

    code: Annotated[str, CODE] = "bad-text"
    severity: Annotated[Severity, LEVEL] = Severity.ERROR
    message: Annotated[
        str, "The message of the finding. Names in braces are replaced: `{value!r}`, `{key}`, and those that the word mentions."
    ] = ""
    help: Annotated[str | None, "What to do about it."] = None
    fix: Annotated[str | None, "The text that `--fix` writes in place of the text."] = None
    safe: Annotated[bool, "Whether nothing can be lost by the fix."] = False


@dataclass(frozen=True, slots=True)
class Content:
    """The words ``content``: another rule reads the text of the field ``of``. The text of the field ``by`` selects the rule among
    ``cases``; without a case it is ``otherwise``.
    """

    of: Annotated[str, "The field whose text is read; under `strict` the whole pair by default.", FIELD] = ""
    by: Annotated[str | None, "The field whose text selects one of `cases`.", FIELD] = None
    always: Annotated[str | None, "The rule that reads the text.", "rule", RULE] = None
    cases: Annotated[
        Mapping[str, str], "The rule for each text of `by`; one key may have several texts, separated by blanks.", map_of(RULE)
    ] = field(default_factory=dict)
    other: Annotated[str | None, "The rule for all other texts of `by`; without it the text is not read.", "else", RULE] = None
    ascending: Annotated[str | None, "A rule for the numbers in the text, which must not decrease.", RULE] = None
    report: Annotated[ReportForm, "code", "severity", "message"] = ReportForm("bad-value")

    @property
    def otherwise(self) -> str | None:
        """The name of the rule for texts of ``by`` without a case; None where their text is not read further."""
        return self.always or self.other

    def rule(self, key: str | None) -> str | None:
        """Return the name of the rule for ``key``, the text of the field ``by`` (None where it is absent); None where the text of
        ``of`` is not read further.
        """
        return self.otherwise if key is None else self.cases.get(key, self.otherwise)

    def rules(self) -> list[str]:
        """Return the names of all rules that may read the text, and of the rule ``ascending``."""
        return [*self.cases.values(), *(name for name in (self.otherwise, self.ascending) if name is not None)]


# --- the head


@dataclass(frozen=True, slots=True)
class FaultPattern:
    """The words ``faults`` of the head: a pattern that no text of the format may contain, a regular expression or a class of
    characters.
    """

    at: Annotated[str | None, "A regular expression for faulty text; `^` and `$` match at the ends of lines.", REGEX] = None
    characters: Annotated[str | None, "In place of `at`: a class of single characters.", REGEX] = None
    skip: Annotated[str | None, "A regular expression for text that is not searched.", REGEX] = None
    once: Annotated[bool, "Only the first match is a finding, in whose message `{count}` is the number of all."] = False
    strict: Annotated[bool, "Searched for only in files that claim the strict form."] = False
    report: ReportForm = ReportForm()


@dataclass(frozen=True, slots=True)
class LineLimit:
    """The words ``lines`` of the head: the maximum length of a line, and the line ends inside comments."""

    most: Annotated[int, "The maximum length of a line, with its line end; `{count}` in the message is the line's length."] = (
        1 << 30
    )
    ends: Annotated[str | None, "The line end inside comments in the clean form (`--canonical`)."] = None
    report: ReportForm = ReportForm()


@dataclass(frozen=True, slots=True)
class TextForm:
    """The words of the head about the whole text. Made once by the loader."""

    lines: Annotated[LineLimit | None, "The maximum length of a line."] = None
    faults: Annotated[tuple[FaultPattern, ...], "Patterns that must match nowhere in the text: each match is a finding."] = ()
    strict: Annotated[
        str | None,
        "A file in which this matches claims the strict form; words with `strict` are checked in such files only.",
        REGEX,
    ] = None
    clean: Annotated[
        Mapping[str, str], "Fields of the file that a writer of the clean form (`--canonical`) adds, with their texts.", PAIRS
    ] = field(default_factory=dict)


# --- rules


@dataclass(frozen=True, slots=True)
class Inherit:
    """The words ``inherit``: the spellings by which the value of a pair repeats that of an earlier record."""

    same: Annotated[str, "The text that stands for the value of the previous record."] = ""
    header: Annotated[str, "The mark before a value that is also that of all following records."] = ""
    never: Annotated[frozenset[str], "Keys whose values may not be inherited."] = frozenset()
    report: Annotated[ReportForm, "code", "severity", "message"] = ReportForm(
        "bad-value", Severity.ERROR, "{key} may not be inherited"
    )


@dataclass(frozen=True, slots=True)
class Restart:
    """The words ``restart``: two regular expressions without groups, by which the beginning of another record ends the present
    one.
    """

    at: Annotated[str, "A regular expression for the text with which another record begins.", REGEX] = ""
    after: Annotated[
        str, "A regular expression for a field that the record must have before another can begin; by default that of `at`.", REGEX
    ] = ""


@dataclass(frozen=True, slots=True)
class DigitsForm:
    """The words ``digits``: a number whose digits in ``base`` are the elements of an array, each an index of ``codes``. ``first``
    is the number whose digits are all 0; ``high``: the first element is the most significant digit.
    """

    base: int
    codes: tuple[str, ...]
    first: int
    high: bool


@dataclass(frozen=True, slots=True)
class Fill:
    """The words ``fill``: records that a writer appends for unused boards, with consecutive numbers up to ``to``."""

    number: Annotated[str, "The field that is the number of such a record.", FIELD] = ""
    after: Annotated[str, "The sibling whose last record has the number before the first of these records.", FIELD] = ""
    to: Annotated[int, "The last number."] = 0


@dataclass(frozen=True, slots=True)
class Columns:
    """The words ``columns``: tables in pairs. The values of the keys ``tables`` name the columns, the sections of these pairs have
    the cells, and the name of its column selects the rule for a cell.
    """

    tables: Annotated[frozenset[str], "The keys whose values are tables."] = frozenset()
    cases: Annotated[Mapping[str, str], "The rule that reads a cell, by the name of its column.", map_of(RULE)] = field(
        default_factory=dict
    )
    name: Annotated[str, "The field of the value that is the name of a column.", FIELD] = ""
    width: Annotated[str, "The field of the value that is its width.", FIELD] = ""
    cell: Annotated[tuple[str, ...], "The fields of the section that are cells.", list_of(FIELD)] = ()
    quote: Annotated[str, "The characters that may quote a cell."] = ""
    heads: Annotated[Mapping[str, str], "The columns of a table that a writer makes, by its key."] = field(default_factory=dict)
    report: Annotated[ReportForm, "code", "severity"] = ReportForm("bad-value", Severity.WARNING)


@dataclass(frozen=True, slots=True)
class Same:
    """A constraint of the strict form: a value begins with the first character of another value, or with the text that ``by``
    gives for it.
    """

    key: Annotated[str, "The key whose value is checked."] = ""
    other: Annotated[str, "The key with whose value's first character it must begin.", "as"] = ""
    by: Annotated[Mapping[str, str], "The text with which it must begin in place of a character."] = field(default_factory=dict)
    report: ReportForm = ReportForm()


@dataclass(frozen=True, slots=True)
class Once:
    """Keys that may occur only once in a record, or once in a section of it."""

    of: Annotated[
        Mapping[str, tuple[str, ...]],
        "Keys that may occur once for each text before a colon in each of these sections; the nearest earlier one counts.",
        "within",
    ] = field(default_factory=dict)
    report: ReportForm = ReportForm()


@dataclass(frozen=True, slots=True)
class Needs:
    """Keys that must be preceded by others in the record."""

    of: Annotated[Mapping[str, tuple[str, ...]], "The keys that must occur before a key."] = field(default_factory=dict)
    report: ReportForm = ReportForm()


@dataclass(frozen=True, slots=True)
class Order:
    """The order of the pairs of a record in the strict form."""

    sections: Annotated[tuple[str, ...], "The keys that begin sections, in their order."] = ()
    report: ReportForm = ReportForm()

    def ranks(self, pair: PairForm, keys: Sequence[str]) -> list[Rank]:
        """Return the sort key of each pair of a record, given the pairs' keys: mandatory pairs come first and in their order, then
        others alphabetically, sections, and tables. A key that may occur once in each section has the rank of the section before
        it.

        >>> pair = PairForm(mandatory=("A", "B"), columns=Columns(frozenset("T")), once=Once({"N": ("S",)}))
        >>> Order(("S",)).ranks(pair, ["A", "S", "N", "T", "D"])
        [(0, 0, ''), (2, 0, ''), (2, 0, ''), (3, 0, 't'), (1, 0, 'd')]
        """
        ranks: list[Rank] = []
        tables = frozenset() if pair.columns is None else pair.columns.tables
        within = {} if pair.once is None else pair.once.of
        section = (1, 0, "")
        for key in keys:
            if key in self.sections:
                section = (2, self.sections.index(key), "")
                ranks.append(section)
            elif key in within:
                # Before the first section such a key is sorted alphabetically.
                ranks.append(section if section[0] == 2 else (1, 0, key.lower()))
            elif key in pair.mandatory:
                ranks.append((0, pair.mandatory.index(key), ""))
            else:
                ranks.append((3 if key in tables else 1, 0, key.lower()))
        return ranks


@dataclass(frozen=True, slots=True)
class StrictForm:
    """The requirements for pairs in a file that claims the format's strict form."""

    missing: Annotated[ReportForm | None, "The finding for a `mandatory` pair that is missing; `{key}` is its key."] = None
    order: Annotated[
        Order | None, "The order of pairs: mandatory ones in their order, then others alphabetically, then sections, then tables."
    ] = None
    same: Annotated[tuple[Same, ...], "Values that begin with the first character of another value."] = ()
    rows: Annotated[
        ReportForm | None, "The finding for a row of a table that is not a line with single blanks, unless columns have widths."
    ] = None
    contents: Annotated[tuple[Content, ...], "The rules of the strict form for values, or for whole pairs.", "content"] = ()


@dataclass(frozen=True, slots=True)
class PairForm:
    """The words of a rule that is a pair: a record of a key and a value."""

    key: Annotated[str, "The rule is a pair, whose meaning depends on the text of this field, its key.", "name", FIELD] = ""
    terms: Annotated[
        Mapping[str, str],
        "The term of the model for the pair, by the text of its key; `opaque` keeps the pair as it is, `*` is any other key.",
        map_of(name_of("term")),
    ] = field(default_factory=dict)
    inherit: Annotated[Inherit | None, "How a value repeats that of the previous record, or applies to all following ones."] = None
    repeats: Annotated[tuple[str, ...], "Keys whose values apply to the following records until they occur again."] = ()
    mandatory: Annotated[tuple[str, ...], "Pairs that a writer gives each record, even if their values are not known."] = ()
    also: Annotated[tuple[str, ...], "Pairs that a writer gives a record beside another pair of the same term."] = ()
    tags: Annotated[bool, "Pairs with any other key are allowed, and kept under their keys."] = False
    blank: Annotated[tuple[str, ...], "Values that mean that nothing is known."] = ()
    mark: Annotated[str, "A sign that may precede a value without changing its meaning."] = ""
    columns: Annotated[Columns | None, "Tables: values of some keys name columns, and the sections below have rows of cells."] = (
        None
    )
    once: Annotated[Once | None, "Each key may occur once in a record; those of `within` once in each section."] = None
    needs: Annotated[Needs | None, "Keys that must occur before others."] = None
    strict: Annotated[
        StrictForm | None, "What is checked of pairs in a file that claims the strict form (the head's `strict`)."
    ] = None


@dataclass(frozen=True, slots=True)
class RuleWords:
    """The words of a rule's ``//-`` block; empty where there is none. Made once for each rule by the loader."""

    doc: Annotated[str, "The documentation of the rule; Markdown."] = ""
    says: Annotated[str | None, "The name of the rule in messages: `a number`, `the end of the line`."] = None
    write: Annotated[
        tuple[str, ...] | None,
        "The text that a writer writes for layout, by default the shortest; the texts of a list are written in turn.",
        one_or_more(TEXT),
    ] = None
    only_read: Annotated[bool, "The rule reads text that is kept in a changed file; new records are written without it."] = False
    ends: Annotated[str | None, "The text with which a writer replaces blanks at the end of the rule's text."] = None
    trim: Annotated[str | None, "The characters that a writer strips from the end of the rule's text."] = None
    contents: Annotated[
        tuple[Content, ...],
        "Another rule reads the text of a field; the text of a sibling may select it.",
        "content",
        ("bad-value",),
    ] = ()
    report: Annotated[ReportForm | None, "The finding for a text that matches this rule."] = None
    mismatch: Annotated[
        ReportForm | None,
        "The finding for a text that differs from the value of `value`: `{text}` is the text, `{value}` that value.",
        ("derived-mismatch",),
    ] = None
    restart: Annotated[Restart | None, "A record ends where another one begins."] = None
    fill: Annotated[Fill | None, "Records that a writer adds, with consecutive numbers up to a last one."] = None
    decode: Annotated[
        str | None,
        "How characters are escaped in the text; of `percent-codes` a writer makes only those that it needs for a percent sign.",
        {"enum": ["backslash", "percent", "percent-codes"]},
    ] = None
    suits: Annotated[
        str | None,
        "The spelling of the symbol of spades; the other suits have their own letters. A small letter is read in either case.",
        {"enum": ["!s", "\\S"]},
    ] = None
    between: Annotated[
        tuple[str, ...] | None,
        "The texts before and after the text, which are not part of it.",
        {**list_of(TEXT), "minItems": 2, "maxItems": 2},
    ] = None
    unknown: Annotated[tuple[str, ...], "Texts that mean that nothing is known.", one_or_more(TEXT)] = ()
    marks: Annotated[Mapping[int, str], 'The mark for each number: `{1: "!", 2: "?"}`.', PAIRS] = field(default_factory=dict)
    pair: PairForm | None = None
    binding: Binding = field(default_factory=Binding)
    number: Numeral | None = None
    digits: DigitsForm | None = None

    def targets(self) -> Iterator[tuple[str, str]]:
        """Yield the word and the rule's name for each rule that reads texts of this rule's fields."""
        strict = () if self.pair is None or self.pair.strict is None else self.pair.strict.contents
        yield from (("content", name) for content in (*self.contents, *strict) for name in content.rules())
        if self.pair is not None and self.pair.columns is not None:
            yield from (("columns", name) for name in self.pair.columns.cases.values())

    def wanted(self) -> Iterator[tuple[str, str]]:
        """Yield the word and the field's name for each field that the rule must have."""
        strict = () if self.pair is None or self.pair.strict is None else self.pair.strict.contents
        for content in (*self.contents, *strict):
            yield from (("content", name) for name in (content.of, content.by) if name)
        if self.pair is not None and self.pair.key:
            yield "name", self.pair.key
        if self.fill is not None and self.fill.number:
            yield "fill", self.fill.number

    @property
    def inherit(self) -> Inherit | None:
        """The words ``inherit`` of the pair; None where the rule is no pair or has no such word."""
        return None if self.pair is None else self.pair.inherit


def reports(value: object) -> Iterator[ReportForm]:
    """Yield every `ReportForm` in ``value``, a value of this module or a tuple of them."""
    if isinstance(value, ReportForm):
        yield value
    elif isinstance(value, tuple):
        for one in value:
            yield from reports(one)
    elif is_dataclass(value):
        yield from reports(tuple(getattr(value, one.name) for one in fields(value)))


KINDS: Mapping[str, type] = {
    "report": ReportForm,
    "lines": LineLimit,
    "faults": FaultPattern,
    "content": Content,
    "restart": Restart,
    "fill": Fill,
    "inherit": Inherit,
    "columns": Columns,
    "once": Once,
    "needs": Needs,
    "strict": StrictForm,
    "order": Order,
    "same": Same,
}
"""The classes whose words are in mappings of their own, by the owner of the words."""
