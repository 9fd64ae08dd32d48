"""Findings about a text: `Findings` collects them; `stuck` finds the position at which a text does not match."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from bridgespec.codec.node import path_below
from bridgespec.codec.text.compiled_expressions import TextExpression
from bridgespec.codec.text.parse_state import FurthestFailure, Naming, OutOfSteps, ParseOptions, ParseState
from bridgespec.codec.text.rule_values import RuleValue
from bridgespec.codec.text.text_tree import Note, TextNode
from bridgespec.diagnostic import Diagnostic, Edit, Fix, Severity, Span, define
from bridgespec.spec.grammar import ReportForm

BAD_VALUE = define(
    "bad-value",
    Severity.ERROR,
    """A text is not one that its field can hold.

    The message says what could stand there. The text is kept as it is.
    """,
)
LINE_END = re.compile(r"\r\n|\n|\r")
_LONG = 40
_NAME = re.compile(r"\{(\w+)(!r)?\}")
"""Matches a name in braces in the template of a message; with ``!r`` its value is quoted."""


class Findings:
    """Collects the findings of one reading, up to a limit; beyond it only the first error. A `TextReader` makes one.

    If the text is a window of a file, ``lines`` is the number of line ends in the file before the offset ``start`` of the window,
    and ``column`` the number of characters after the last of them.
    """

    def __init__(self, text: str, limit: int, start: int = 0, lines: int = 0, column: int = 0) -> None:
        self.text = text
        self.limit = limit
        self._start, self._lines, self._column = start, lines, column
        self._starts: list[int] | None = None
        self.found: list[Diagnostic] = []
        self.dropped = 0
        """The number of findings beyond the limit."""
        self.grave = False
        """Whether an error is among the findings."""
        self.record: int | None = None
        self.field = ""
        self.node: TextNode | None = None
        """The index of the record to which findings are attributed, its path, and its node; set by `attribute_to`."""
        self.met: Counter[tuple[str, str]] = Counter()
        """How often each deviation from the strict form occurred, by code and message."""

    def place(self, offset: int) -> tuple[int, int]:
        """Return the line and the column of an offset, both from 1; the table of lines is made by the first call."""
        if self._starts is None:
            first = self._start - self._column
            self._starts = [first, *(match.end() for match in LINE_END.finditer(self.text, self._start))]
        line = bisect_right(self._starts, offset)
        return self._lines + line, offset - self._starts[line - 1] + 1

    def attribute_to(self, node: TextNode | None) -> None:
        """Set the record or the field of the file to which the next findings are attributed; None for the whole file."""
        self.record, self.field, self.node = None, "" if node is None else node.field, node
        if node is not None and node.name != node.field:
            self.record, self.field = int(node.name), f"{node.field}[{node.name}]"

    @property
    def full(self) -> bool:
        """Whether no further finding is kept, not even an error."""
        return len(self.found) >= self.limit and self.grave

    def keeps(self, severity: Severity) -> bool:
        """Whether one more finding of this severity would be kept; beyond the limit only the first error is."""
        # Whether there is an error decides the exit status of a command: one is kept however many warnings there are.
        return len(self.found) < self.limit or (severity is Severity.ERROR and not self.grave)

    def add(
        self, code: str, severity: Severity, message: str, start: int, stop: int, help_: str | None = None, fix: Fix | None = None
    ) -> None:
        """Add a finding about the text between two offsets."""
        if not self.keeps(severity):
            self.dropped += 1
            return
        self.grave = self.grave or severity is Severity.ERROR
        line, column = self.place(start)
        span = Span.of_bytes(start, stop - start, line, column)
        where = self.field + path_below(self.node, 8 * start, 8 * stop)
        self.found.append(
            Diagnostic(code, severity, message, record=self.record, field=where or None, span=span, help=help_, fix=fix)
        )

    def report(self, report: ReportForm, start: int, stop: int, values: Mapping[str, str], fix: Fix | None = None) -> None:
        """Add a finding that the grammar declares; ``values`` replace the names in braces in its message and help."""
        if not self.keeps(report.severity):
            # Before the message is made: a damaged file can have many findings beyond the limit, which are only counted.
            self.dropped += 1
            return
        if fix is None and report.fix is not None:
            edit = Edit(start, stop, report.fix.encode("latin-1", "replace"))
            fix = Fix(f"write {report.fix!r}" if report.fix else "remove it", (edit,), report.safe)
        help_ = None if report.help is None else filled(report.help, values)
        self.add(report.code, report.severity, filled(report.message, values), start, stop, help_, fix)

    def notes(self, notes: Sequence[Note]) -> None:
        """Add the findings of rules that report each text that they match."""
        for report, start, stop in notes:
            text = self.text[start:stop]
            self.report(report, start, stop, {"text": shortened(text), "count": str(len(text))})

    def report_deviation(self, report: ReportForm, start: int, stop: int, values: Mapping[str, str]) -> None:
        """Add a deviation from the strict form at its first occurrence; count it at later ones, with the same code and message."""
        key = report.code, filled(report.message, values)
        self.met[key] += 1
        if self.met[key] == 1:
            self.report(report, start, stop, values)

    def add_counts(self) -> None:
        """Add the number of further occurrences to the message of each deviation that occurred more than once."""
        for index, one in enumerate(self.found):
            count = self.met.get((one.code, one.message), 1)
            if count > 1:
                self.found[index] = replace(one, message=f"{one.message} (and {count - 1} times more)")


def stuck(value: RuleValue, text: str, start: int, stop: int) -> tuple[int, list[str]]:
    """Return the offset at which a rule stops matching a text, and names of what would have matched there."""
    place, wanted = follow(value.body, text, start, stop, True, value.refers)
    return min(max(place, start), stop), wanted


def follow(
    piece: TextExpression, text: str, start: int, stop: int, whole: bool, naming: Naming | None = None
) -> tuple[int, list[str]]:
    """Return the furthest offset that an expression reaches between two offsets, and names of what would have matched there.

    With ``whole``, "the end" is one of these names if the expression matches but not up to ``stop``. With ``naming``, messages
    name the rule of the expression.
    """
    trail = FurthestFailure()
    try:
        if naming is not None:
            naming.enter(trail)
        reached = piece.read(text, start, stop, ParseState(ParseOptions(trail)))
        if reached is not None and whole:
            trail.want(reached, "the end")
    except OutOfSteps:
        pass
    return trail.furthest, list(trail.wanted)


def filled(text: str, values: Mapping[str, str]) -> str:
    """Return a text with each ``{name}`` replaced by its value; ``{name!r}`` by the quoted value.

    >>> filled("{text!r} stands in {key}", {"text": "x", "key": "K"})
    "'x' stands in K"
    >>> filled("{text!r} stands in {key}", {"text": "{key}", "key": "K"})
    "'{key}' stands in K"
    """

    def value(match: re.Match[str]) -> str:
        name, quoted = match.groups()
        return match[0] if name not in values else repr(values[name]) if quoted else values[name]

    # In one pass: a value is text of the file, and braces in it are no names of the template.
    return _NAME.sub(value, text)


def shortened(text: str) -> str:
    """Return a text as messages quote it, shortened if it is long."""
    return text if len(text) <= _LONG else text[: _LONG - 3] + "..."
