"""What the ``//-`` words of a grammar mean, as values: of the head (`TextForm`), and of a rule (`Words`)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from bridgespec.diagnostic import Severity
from bridgespec.spec.ir import Binding
from bridgespec.spec.numeral import Numeral

Rank = tuple[int, int, str]
"""Where a key stands in the strict form: its part of the record, its place in that part, and what sorts it there."""


@dataclass(frozen=True, slots=True)
class Report:
    """A finding: ``fix`` replaces the text, ``help`` explains; braces in the message are filled where it is reported."""

    code: str
    severity: Severity
    message: str
    help: str | None = None
    fix: str | None = None
    safe: bool = False


@dataclass(frozen=True, slots=True)
class Content:
    """The text of field ``of`` is read by a rule: ``otherwise``, or that of the text of field ``by``; None leaves it as text.

    ``ascending`` names a rule whose numbers do not fall along the text.
    """

    of: str
    by: str | None
    cases: Mapping[str, str]
    otherwise: str | None
    report: Report
    ascending: str | None = None

    def rule(self, key: str | None) -> str | None:
        """The name of the rule for the text of the field ``by``; None where the text stays as it is."""
        return self.otherwise if key is None else self.cases.get(key, self.otherwise)

    def rules(self) -> Iterator[str]:
        """Every rule that may read the text."""
        yield from self.cases.values()
        if self.otherwise is not None:
            yield self.otherwise


# --- the head


@dataclass(frozen=True, slots=True)
class Fault:
    """What may not stand in a text: a regular expression, or a class of single characters."""

    report: Report
    at: str | None = None
    characters: str | None = None
    skip: str | None = None
    once: bool = False
    strict: bool = False


@dataclass(frozen=True, slots=True)
class LineLimit:
    """The most characters of a line, its end included; ``ends`` is what line comments of the clean form have behind them."""

    most: int
    report: Report
    ends: str | None = None


@dataclass(frozen=True, slots=True)
class TextForm:
    """What the head says of the whole text."""

    lines: LineLimit | None = None
    faults: tuple[Fault, ...] = ()
    strict: str | None = None
    clean: Mapping[str, str] = field(default_factory=dict)

    def reports(self) -> Iterator[Report]:
        """Every finding that can come of it."""
        if self.lines is not None:
            yield self.lines.report
        for fault in self.faults:
            yield fault.report


# --- rules


@dataclass(frozen=True, slots=True)
class Inherit:
    """A pair's value ``same`` repeats that of the nearest earlier record; one that begins with ``header`` holds, without that
    mark, for every record that follows. Pairs named in ``never`` may not do so: that is reported.
    """

    same: str
    header: str
    never: frozenset[str]
    report: Report


@dataclass(frozen=True, slots=True)
class Restart:
    """Where a record ends because another begins: regular expressions without groups."""

    at: str
    after: str


@dataclass(frozen=True, slots=True)
class Digits:
    """The positions of an array that one number stands for: ``codes`` of its digits, counted from ``first``."""

    base: int
    codes: tuple[str, ...]
    first: int
    high: bool
    """Whether the digit of the highest value stands first."""


@dataclass(frozen=True, slots=True)
class Fill:
    """Records that a writer adds: field ``number`` numbers them on from the last of ``after``, up to ``to``."""

    number: str
    after: str
    to: int


@dataclass(frozen=True, slots=True)
class Columns:
    """Of these keys the value has fields ``name`` for the columns, with a ``width`` or not, and the section fields of the names
    ``cell``, which are read by the rules of their columns, without the signs of ``quote`` around them.
    """

    tables: frozenset[str]
    cases: Mapping[str, str]
    report: Report
    heads: Mapping[str, str] = field(default_factory=dict)
    """What a fresh table of a key has for its columns."""
    name: str = ""
    width: str = ""
    cell: tuple[str, ...] = ()
    quote: str = ""


@dataclass(frozen=True, slots=True)
class Same:
    """The first character of the value of ``key`` is that of the value of ``other``, or what ``by`` makes of that."""

    key: str
    other: str
    by: Mapping[str, str]
    report: Report


@dataclass(frozen=True, slots=True)
class Once:
    """Keys that stand for what they say once in a record: ``of`` names, by key, others that it concerns."""

    report: Report
    of: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class StrictForm:
    """What is checked of the pairs of a file that claims the strict form."""

    missing: Report | None = None
    order: Report | None = None
    sections: tuple[str, ...] = ()
    same: tuple[Same, ...] = ()
    rows: Report | None = None
    contents: tuple[Content, ...] = ()

    def reports(self) -> Iterator[Report]:
        """Every finding that can come of it."""
        yield from (report for report in (self.missing, self.order, self.rows) if report is not None)
        yield from (same.report for same in self.same)
        yield from (content.report for content in self.contents)

    def ranks(self, first: Sequence[str], tables: frozenset[str], within: frozenset[str], keys: Sequence[str]) -> list[Rank]:
        """The rank of each key: those of ``first`` in their order, others by the alphabet, the sections, the tables; keys of
        ``within`` stand in the section before them.

        >>> StrictForm(sections=("S",)).ranks(["A", "B"], frozenset("T"), frozenset("N"), ["A", "S", "N", "T", "D"])
        [(0, 0, ''), (2, 0, ''), (2, 0, ''), (3, 0, 't'), (1, 0, 'd')]
        """
        ranks: list[Rank] = []
        section = (1, 0, "")
        for key in keys:
            if key in self.sections:
                section = (2, self.sections.index(key), "")
                ranks.append(section)
            elif key in within:
                ranks.append(section if section[0] == 2 else (1, 0, key.lower()))
            elif key in first:
                ranks.append((0, list(first).index(key), ""))
            else:
                ranks.append((3 if key in tables else 1, 0, key.lower()))
        return ranks


@dataclass(frozen=True, slots=True)
class Pair:
    """A record of a key and what it says: ``key`` is the field that holds the key, ``terms`` the model's term by key.

    ``repeats``: keys that hold for the following records until they are stated anew; ``also``: keys that a fresh record has
    beside another of the same term; ``mandatory``: keys that it has even where nothing is known; ``tags``: any other may stand.
    ``blank`` are values that say nothing, ``mark`` a sign before a value that does not change what it says.
    ``once``, ``needs`` and ``strict`` say what is wrong among the pairs of one record.
    """

    key: str
    terms: Mapping[str, str] = field(default_factory=dict)
    repeats: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    mandatory: tuple[str, ...] = ()
    tags: bool = False
    blank: tuple[str, ...] = ()
    mark: str = ""
    inherit: Inherit | None = None
    columns: Columns | None = None
    once: Once | None = None
    needs: Once | None = None
    strict: StrictForm | None = None

    @property
    def within(self) -> Mapping[str, tuple[str, ...]]:
        """The keys that stand once for each section, and the sections."""
        return {} if self.once is None else self.once.of

    @property
    def needed(self) -> Mapping[str, tuple[str, ...]]:
        """The keys that stand before a key."""
        return {} if self.needs is None else self.needs.of

    def reports(self) -> Iterator[Report]:
        """Every finding that can come of it."""
        yield from (said.report for said in (self.once, self.needs) if said is not None)
        if self.strict is not None:
            yield from self.strict.reports()


@dataclass(frozen=True, slots=True)
class Words:
    """What the ``//-`` block of a rule says; empty where there is none."""

    binding: Binding = field(default_factory=Binding)
    doc: str = ""
    says: str | None = None
    write: tuple[str, ...] | None = None
    ends: str | None = None
    trim: str | None = None
    decode: str | None = None
    contents: tuple[Content, ...] = ()
    report: Report | None = None
    restart: Restart | None = None
    xor: tuple[str, ...] = ()
    number: Numeral | None = None
    digits: Digits | None = None
    fill: Fill | None = None
    pair: Pair | None = None
    between: tuple[str, str] | None = None
    unknown: tuple[str, ...] = ()
    marks: Mapping[int, str] = field(default_factory=dict)
    only_read: bool = False

    def rules(self) -> Iterator[str]:
        """The rules that texts of the rule's fields are handed to."""
        strict = () if self.pair is None or self.pair.strict is None else self.pair.strict.contents
        for content in (*self.contents, *strict):
            yield from content.rules()
            if content.ascending is not None:
                yield content.ascending
        if self.pair is not None and self.pair.columns is not None:
            yield from self.pair.columns.cases.values()

    @property
    def inherit(self) -> Inherit | None:
        """How a pair's value repeats that of another record."""
        return None if self.pair is None else self.pair.inherit

    @property
    def form(self) -> Pair | None:
        """The pair, where it says something of its fellows."""
        pair = self.pair
        return pair if pair is not None and any(pair.reports()) else None
