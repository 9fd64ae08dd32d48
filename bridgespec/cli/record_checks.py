"""Check a large file of records. `check_large` finds the clean records by arrays, and reads and checks all others as documents."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from bridgespec.cli import array_sources
from bridgespec.cli.advice import advised
from bridgespec.cli.array_sources import LargeRecords
from bridgespec.cli.progress import meter
from bridgespec.cli.settings import Settings
from bridgespec.codec.code_numbers import NUMBERS
from bridgespec.codec.shared_findings import TOO_MANY, closing
from bridgespec.diagnostic import CODES, Diagnostic, Severity, Span
from bridgespec.examined import Report, place_of, placed
from bridgespec.lazily import Lazy
from bridgespec.model.board import Board
from bridgespec.rules import RULES, board_twice, clipped_table

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from bridgespec.model import arrays
    from bridgespec.model.arrays import NumbersJudge, ResultsJudge
else:
    arrays, np = Lazy("bridgespec.model.arrays"), Lazy("numpy")

EXPLAINED = 1000
"""The maximum number of records with findings that are reported in full."""
CLIPPED = ("clipped-table", "impossible-tricks")
"""The rule that is applied to all trick tables of a file together, and the rule whose findings its finding replaces."""


@dataclass(frozen=True)
class LargeCheck:
    """The result of checking a large file: its findings in file order, and its number of complete records."""

    records: int
    findings: list[Diagnostic]

    @property
    def errors(self) -> list[Diagnostic]:
        """The findings with severity "error"."""
        return [one for one in self.findings if one.severity is Severity.ERROR]


JUDGED = frozenset({"deal", "tricks", "declarer"})
"""If boards state no other terms than these and their numbers, arrays can prove that no rule reports a finding."""
DECIDED = frozenset({
    "board-twice", "card-missing", "card-twice", "clipped-table", "hand-size", "impossible-tricks", "too-many-tricks",
    "unsolved-table",
})  # fmt: skip
"""The rules that arrays decide. With any other rule that may report something, a file is checked as documents."""
UNNUMBERED = frozenset({"dealer", "vulnerability"})
"""Terms that the rules check against the number of the board, so that boards without numbers cannot break a rule with them."""


def check_large(settings: Settings, large: LargeRecords, rules: bool = True) -> LargeCheck | None:
    """Return the findings on a large file. Arrays prove which records are clean; every other record is read and checked as a
    document.

    Return None where records cannot be checked one by one, so that the file must be read as a whole.
    """
    terms = large.codec.terms | large.terms
    silent = JUDGED | (NUMBERS if terms & NUMBERS else UNNUMBERED)
    if not large.count or not large.is_parted:
        return None
    # Any rule may be added: without `NEEDS` that are missing here, only the rule itself can decide.
    if rules and (not terms <= silent or any(rule.code.name not in DECIDED and rule.may_report(terms) for rule in RULES)):
        return None
    results = arrays.ResultsJudge() if rules else None
    numbers = arrays.NumbersJudge() if rules and "deal" in terms and large.repeats else None
    suspects = _SuspectRecords(settings, large, rules)
    with meter(settings, large.size, f"checking {large.path}", "bytes") as progress:
        for start in range(0, large.count, array_sources.ROWS):
            stop = min(start + array_sources.ROWS, large.count)
            bad, other = large.mark(start, stop, (results,) if results else ()), large.mark_numbers(start, stop)
            boards = suspects.check(start, bad, other)
            if numbers is not None:
                numbers(start, *_numbered(large, start, stop, boards))
            progress.reach(large.offset(stop))
    found = suspects.found
    if results is not None:
        found = _with_clipping(large, results, found)
    if large.tail:
        found += _placed(settings, large, large.report(large.count, large.count, rules, tail=True), large.count)
    if numbers is not None:
        found += _twice(settings, large, numbers)
    found += _unreported(large, suspects.skipped, numbers)
    errors = sum(one.severity is Severity.ERROR for one in found)
    return LargeCheck(large.count, [*large.about(errors, large.count), *sorted(found, key=place_of)])


class _SuspectRecords:
    """Reads and checks the records that arrays suspect, as documents. Made for one check of a file: ``found`` are the findings so
    far, and ``skipped`` is the number of records that were not read, since as many as `EXPLAINED` had findings.
    """

    def __init__(self, settings: Settings, large: LargeRecords, rules: bool) -> None:
        self.settings, self.large, self.rules = settings, large, rules
        self.found: list[Diagnostic] = []
        # Two limits: records that only contradict others (index 0) have warnings, which must not use up the limit for errors
        # (index 1).
        self.explained = [0, 0]
        self.skipped = 0

    def check(self, start: int, bad: NDArray[np.bool_], other: NDArray[np.bool_]) -> dict[int, Board | None]:
        """Check the records of a block that begins at ``start``: those that are ``bad``, and those that only contradict others.

        Return their boards by index in the block, None where a record has none.
        """
        large, found, explained = self.large, self.found, self.explained
        boards: dict[int, Board | None] = {}
        for record in (np.flatnonzero(bad | other) + start).tolist():
            kind = int(bad[record - start])
            if explained[kind] == EXPLAINED:
                self.skipped += 1
                continue
            report = large.report(record, record + 1, self.rules)
            before = len(found)
            found += _placed(self.settings, large, report, record)
            # A record that arrays suspect may turn out to be clean; then it does not count towards the limit.
            explained[kind] += len(found) > before
            boards[record - start] = next(iter(report.document.boards), None)
        return boards


def _with_clipping(large: LargeRecords, results: ResultsJudge, found: list[Diagnostic]) -> list[Diagnostic]:
    """Return the findings with those about clipped trick tables, which replace the findings on single tables."""
    excused = CLIPPED if results.together is not None else CLIPPED[:1]
    return [*_clipping(large, results), *(one for one in found if one.code not in excused)]


def _unreported(large: LargeRecords, skipped: int, numbers: NumbersJudge | None) -> Iterator[Diagnostic]:
    """Yield findings on how many further records or boards have findings that are not reported."""
    if skipped:
        message = f"{skipped:,} further records have findings"
        yield Diagnostic(TOO_MANY.name, TOO_MANY.severity, message, large.path)
    elif numbers is not None:
        yield from (replace(one, path=large.path) for one in closing(numbers.dropped))


def _clipping(large: LargeRecords, results: ResultsJudge) -> Iterator[Diagnostic]:
    """Yield the findings of the rule about clipped trick tables, which needs all tables of the file."""
    code = CODES[CLIPPED[0]]
    for habit, (record, count) in sorted(results.found.items(), key=lambda item: item[1][0]):
        where = f"{large.codec.layout.list.name}[{record}]"
        span = Span.of_bytes(large.offset(record), large.codec.record_size)
        message = clipped_table.message_for(habit.words, count)
        yield Diagnostic(code.name, code.severity, message, large.path, record, where, span)


def _numbered(large: LargeRecords, start: int, stop: int, boards: Mapping[int, Board | None]) -> Iterator[NDArray[Any]]:
    """Yield three arrays for the records from ``start`` to ``stop``: their numbers, their deals, and whether each has both.
    ``boards`` are those that were read as documents, by index.
    """
    numbers, deals = large.numbers(start, stop), large.deals(start, stop).copy()
    # A board without a number has the number of its place, as when it is read as a document.
    counted = numbers < 0
    numbers[counted] = np.arange(start + 1, stop + 1)[counted]
    given = np.ones(stop - start, np.bool_)
    for index, board in boards.items():
        given[index] = board is not None and board.number is not None and board.deal is not None
        if board is not None and board.number is not None and board.deal is not None:
            numbers[index], deals[index] = board.number, np.frombuffer(board.deal.holders, np.uint8)
    yield from (numbers, deals, given)


def _twice(settings: Settings, large: LargeRecords, numbers: NumbersJudge) -> Iterator[Diagnostic]:
    """Yield the findings of the rule about boards of equal number. Only the candidates that arrays have found are read as
    documents.
    """
    reports = {record: large.report(record, record + 1) for record in sorted(numbers.found)}
    boards = [(record, board) for record, report in reports.items() for board in report.document.boards]
    for finding in sorted(board_twice.among(boards), key=lambda one: one.board or 0):
        record = finding.board or 0
        report = reports[record]
        known = settings.engine.of(large.spec).binder.places
        if (one := placed(known, report.reading, report.document, replace(finding, board=0), large.path)) is not None:
            yield from _placed(settings, large, replace(report, diagnostics=(one,)), record)


def _placed(settings: Settings, large: LargeRecords, report: Report, record: int) -> tuple[Diagnostic, ...]:
    """Return the findings of a report on records from ``record`` on, with their positions in the whole file and with help."""
    return large.placed(advised(settings, report).diagnostics, record)


class JudgedRecords(LargeRecords):
    """A large file of records as the source of a table; `judged_records` has found its ``errors`` beforehand."""

    errors: Sequence[Diagnostic]

    def about(self, errors: int, boards: int) -> list[Diagnostic]:
        return [*self.errors]


def judged_records(large: LargeRecords | None) -> JudgedRecords | None:
    """Return a large file with the errors of all its records; None without a file, or if its records cannot be checked one by
    one.
    """
    judged = None if large is None else check_large(large.settings, large, rules=False)
    if large is None or judged is None:
        return None
    found = JudgedRecords(large.settings, large.path, large.spec, large.codec, large.size, large.named)
    found.errors = judged.errors
    return found
