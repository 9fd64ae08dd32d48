"""What a grammar says of whole texts and of a pair's fellows: nothing that decides how a text is read, only what is reported.

Words of the head:

- ``lines: {most: N, ends: TEXT, code, severity, message}`` no line has more characters than this, its end included; ``ends`` is
  what comments of the clean form have at the ends of lines.
- ``faults: [{at: REGEX, code, severity, message, help?, skip?, once?, strict?}]`` each match is a finding; ``characters: CLASS`` in
  place of ``at`` names single characters. ``^`` and ``$`` are the ends of lines. Text that ``skip`` matches is passed over.
  ``once: true``: the first match alone, ``{count}`` being the number of all.
- ``strict: REGEX`` a file in which this matches claims to keep to the strict form: what says ``strict`` is checked in such files.
- ``clean: {FIELD: TEXT}`` fields of the file that a writer of the clean form adds.

Words of a record that is a pair (``name``):

- ``once: {within: {KEY: [SECTION ...]}, code, severity, message}`` a key stands once in a record; one under ``within`` once for
  each text before a colon in each of the sections, a section being the nearest earlier of these keys.
- ``needs: {of: {KEY: [KEY ...]}, code, severity, message}`` these keys stand before that one.
- ``strict: {missing, order, same, rows, content}``, each with ``code``, ``severity``, ``message``: ``missing`` for the
  ``mandatory`` keys; ``order: {sections: [KEY ...]}`` the mandatory keys in their order, then others by the alphabet, then the
  sections, then tables by the alphabet; ``same: [{key, as, by?}]`` the first character of a value is that of another, or what
  ``by`` makes of that; ``rows`` a row of a table is a line with single blanks, unless columns have widths; ``content`` as of any
  rule, of the whole pair where there is no ``of``, ``ascending: FIELD`` for numbers that do not fall.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from bridgespec.diagnostic import Severity


@dataclass(frozen=True, slots=True)
class Report:
    """A text that matches the rule is a finding; ``fix`` replaces it, ``help`` explains."""

    code: str
    severity: Severity
    message: str
    help: str | None = None
    fix: str | None = None
    safe: bool = False


@dataclass(frozen=True, slots=True)
class Content:
    """The text of field ``of`` is read by a rule: ``otherwise``, or that of the text of field ``by``; None leaves it as text."""

    of: str
    by: str | None
    cases: Mapping[str, str]
    otherwise: str | None
    code: str
    severity: Severity
    message: str | None
    ascending: str | None = None


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
    """The most characters of a line, its end included."""

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


@dataclass(frozen=True, slots=True)
class Same:
    """The first character of the value of ``key`` is that of the value of ``other``, or what ``by`` makes of that."""

    key: str
    other: str
    by: Mapping[str, str]
    report: Report


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
        yield from (Report(content.code, content.severity, content.message or "") for content in self.contents)


@dataclass(frozen=True, slots=True)
class PairForm:
    """What a record that is a pair says of its fellows."""

    once: Report | None = None
    within: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    needs: Report | None = None
    needed: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    strict: StrictForm | None = None

    def reports(self) -> Iterator[Report]:
        """Every finding that can come of it."""
        yield from (report for report in (self.once, self.needs) if report is not None)
        if self.strict is not None:
            yield from self.strict.reports()
