"""Files too large to hold as a tree: checked and converted as arrays, a few megabytes at a time."""

from __future__ import annotations

import mmap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from bridgespec.cli.advice import advised
from bridgespec.cli.files import opened, size_of
from bridgespec.cli.progress import byte_meter
from bridgespec.cli.render_marks import Source
from bridgespec.cli.settings import Settings
from bridgespec.codec.origin import Excerpt
from bridgespec.codec.problems import TOO_MANY, closing
from bridgespec.codec.raw import NUMBERS, term_of
from bridgespec.codec.terms import TERMS
from bridgespec.diagnostic import CODES, Diagnostic, Severity, Span
from bridgespec.engines import Engine
from bridgespec.errors import SpecError
from bridgespec.examined import Report, place_of, placed
from bridgespec.lazily import Lazy
from bridgespec.model.board import Board
from bridgespec.rules import board_twice, clipped_table
from bridgespec.spec.ir import Spec

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from bridgespec.codec.bulk import carry, groups
    from bridgespec.codec.bulk import codec as bulk_codec
    from bridgespec.codec.bulk import plan as bulk_plan
    from bridgespec.codec.bulk.carry import Carrier, VariableCarrier
    from bridgespec.codec.bulk.check import Bad
    from bridgespec.codec.bulk.codec import BulkCodec, Judge
    from bridgespec.codec.bulk.groups import Cut, VariableCodec
    from bridgespec.codec.bulk.plan import Records
    from bridgespec.model import arrays
    from bridgespec.model.arrays import NumbersJudge, ResultsJudge
else:
    # The one switch between the two paths: small files are read without arrays, and so without NumPy.
    bulk_codec = Lazy("bridgespec.codec.bulk.codec")
    groups, carry = Lazy("bridgespec.codec.bulk.groups"), Lazy("bridgespec.codec.bulk.carry")
    bulk_plan = Lazy("bridgespec.codec.bulk.plan")
    arrays, np = Lazy("bridgespec.model.arrays"), Lazy("numpy")

ROWS = 1 << 15
"""So many records are looked at together."""
LARGE = 1 << 16
"""Files from this size on are worked as arrays where their format allows it."""
WINDOW = 1 << 18
"""Records of several sizes are cut out of so many bytes at a time."""
BLOCK = 256
"""Of so many records of several sizes, the first one's offset is kept: a hundredth of the file at most."""
EXPLAINED = 1000
"""Of so many records with findings these are told."""
CLIPPED = ("clipped-table", "impossible-tricks")
"""The rule that looks at all tables together, and the one that it excuses."""


@dataclass(frozen=True)
class Large:
    """A large file of fixed-size records; ``named``: its format is not for its content to tell."""

    path: str
    spec: Spec
    codec: BulkCodec
    size: int
    engine: Engine
    named: bool = False

    def slice(self, start: int, stop: int) -> bytes:
        """Some bytes of the file."""
        with opened(self.path) as file:
            file.seek(start)
            return file.read(max(0, stop - start))

    def source(self) -> Source:
        """What its findings are drawn from."""
        with opened(self.path) as file:
            return Source(self.path, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))

    def offset(self, record: int) -> int:
        """Where a record begins."""
        return self.codec.header_size + record * self.codec.record_size

    def rows(self, start: int, stop: int) -> NDArray[np.uint8]:
        """The bytes of records, a row each."""
        data = self.slice(self.offset(start), self.offset(stop))
        return np.frombuffer(data, np.uint8).reshape(-1, self.codec.record_size)

    @cached_property
    def count(self) -> int:
        """How many whole records there are before the end of the file, or before the record that ends the list."""
        whole = max(0, self.size - self.codec.header_size) // self.codec.record_size
        if self.codec.layout.end is None:
            return whole
        for start in range(0, whole, ROWS):
            rows = self.rows(start, min(start + ROWS, whole))
            if (stop := self.codec.first_end(rows)) < len(rows):
                return start + stop
        return whole

    @property
    def tail(self) -> int:
        """How many bytes come after the whole records: an end record, a record that is cut off, anything behind them."""
        return self.size - self.offset(self.count)

    @property
    def rest(self) -> int:
        """How many of these bytes are no end record."""
        start = self.offset(self.count)
        after = self.slice(start, start + self.codec.record_size + 1)
        return self.tail - self.codec.end_size(np.frombuffer(after, np.uint8))

    def header(self, records: int) -> bytes:
        """A header like that of the file for so many of its records."""
        if not self.codec.header_size:
            return b""
        own = self.slice(0, self.codec.header_size)
        given = {name: value for name, value in self.codec.read_header(own).items() if not self.codec.derives(name)}
        return self.codec.header(records, given).tobytes()

    def mark(self, start: int, stop: int, judges: Sequence[Judge] = ()) -> Bad:
        """Whether each of some records is suspect, as `BulkCodec.mark`."""
        return self.codec.mark(self.rows(start, stop), judges)

    def mark_numbers(self, start: int, stop: int) -> Bad:
        """Whether each of some records states a first or last board that is not the file's, or a number that arrays cannot read."""
        bad = np.zeros(stop - start, np.bool_)
        if not self.codec.numbers.keys() & {"first_number", "last_number"}:
            return bad
        first = self._first_number if self.stated[1] is None or not self.stated[0] else self.stated[1]
        for term, known in (("first_number", (first,)), ("last_number", (first + self.boards - 1, self.boards))):
            numbers = self.codec.numbered(self.rows(start, stop), term) if term in self.codec.numbers else None
            if numbers is not None:
                bad |= ~np.isin(numbers, (bulk_plan.BLANK, *known))
        return bad

    def deals(self, start: int, stop: int) -> NDArray[np.uint8]:
        """The holders of the cards of some records, as `BulkCodec.deals`."""
        return self.codec.deals(self.codec.unpack(self.rows(start, stop), self.codec.deal_fields))

    def carrier(self, target: BulkCodec) -> Carrier | VariableCarrier | None:
        """What carries its records into another format as arrays; None where none can be carried."""
        return carry.Carrier.of(self.codec, target)

    def carried(self, carrier: Carrier | VariableCarrier, start: int, stop: int) -> tuple[Bad, Records]:
        """Some records as those of another format, as `Carrier.carry`; those without a number that arrays can read are not."""
        assert isinstance(carrier, carry.Carrier)
        good, made = carrier.carry(self.rows(start, stop))
        return good & (self.numbers(start, stop) > 0) if "number" in self.codec.numbers else good, made

    def kinds(self, carrier: Carrier | VariableCarrier | None, start: int, stop: int) -> NDArray[np.int64]:
        """A number for each record by what it loses of its own fields, as `Carrier.kinds`."""
        return carrier.kinds(self.rows(start, stop)) if isinstance(carrier, carry.Carrier) else np.zeros(stop - start, np.int64)

    @property
    def parted(self) -> bool:
        """Whether its records can be read in parts: its header is clean, and counts nothing that comes after the whole records, and
        arrays can read what the records depend on.
        """
        header = np.frombuffer(self.slice(0, self.codec.header_size), np.uint8)
        if len(header) < self.codec.header_size or (len(header) and (self.tail or self.codec.bad_header(header, self.count))):
            return False
        numbers = self.codec.numbers
        if "first_number" in numbers and NUMBERS & {term_of(leaf.decl) for leaf in self.codec.layout.header.leaves}:
            return False
        return None not in numbers.values() and all(term in numbers or TERMS[term].ON == "board" for term in self.codec.terms)

    # --- what a record depends on

    @cached_property
    def stated(self) -> tuple[int, int | None]:
        """The index of the first record that states the number of the file's first board, and this number; None where none does."""
        for start in range(0, self.count if "first_number" in self.codec.numbers else 0, ROWS):
            numbers = self.codec.numbered(self.rows(start, min(start + ROWS, self.count)), "first_number")
            if numbers is not None and len(given := np.flatnonzero(numbers >= 0)):
                return start + int(given[0]), int(numbers[given[0]])
        return self.count, None

    @cached_property
    def boards(self) -> int:
        """How many boards the file has, one that breaks off included; read where the records state the number of the last alone."""
        if "last_number" not in self.codec.numbers or not self.tail:
            return self.count
        data = self.header(1) + self.slice(self.offset(self.count), self.size)
        return self.count + len(self.engine.excerpt(self.spec, data, self.path, Excerpt(self.count)).document.boards)

    @cached_property
    def _first_number(self) -> int:
        """The number of the first board."""
        boards = self.report(0, 1).document.boards
        return boards[0].number or 1 if boards else 1

    def numbers(self, start: int, stop: int) -> NDArray[np.int64]:
        """The numbers of the boards of some records; below zero where arrays do not know it."""
        own = self.codec.numbered(self.rows(start, stop), "number") if "number" in self.codec.numbers else None
        if own is not None:
            return own
        numbers = np.arange(start, stop, dtype=np.int64) + self._first_number
        index, first = self.stated
        if first is not None:
            numbers[max(0, index - start) :] += first - (self._first_number if index else first)
        return numbers

    @property
    def repeats(self) -> bool:
        """Whether two boards may have one number: their own, or counted from another first one once a record has stated that."""
        index, first = self.stated
        return "number" in self.codec.numbers or (first is not None and index > 0 and first < self._first_number)

    def report(self, start: int, stop: int, rules: bool = False, tail: bool = False) -> Report:
        """What the plain path reads and finds in some records, with the ``tail`` in all that comes after them."""
        data = self.header(stop - start) + self.slice(self.offset(start), self.size if tail else self.offset(stop))
        index, first = self.stated
        excerpt = Excerpt(start, first if start > index else None, first, self.boards)
        return self.engine.excerpt(self.spec, data, self.path, excerpt, rules)


@dataclass(frozen=True)
class LargeVariable(Large):
    """A large file of records of several sizes; ``codec`` knows what all files of the format have."""

    variable: VariableCodec = field(kw_only=True)

    @cached_property
    def _index(self) -> tuple[NDArray[np.int64], int]:
        """Where every `BLOCK`-th record begins, with the end of the last one behind them, and how many whole records there are."""
        sparse: list[NDArray[np.int64]] = []
        count, at, window = 0, self.codec.header_size, WINDOW
        while at < self.size:
            cut = self.variable.cut(self._bytes(at, at + window))
            sparse.append(cut.starts[-count % BLOCK :: BLOCK] + at)
            count, at = count + len(cut.starts), at + cut.stop
            if cut.ended or (not cut.stop and at + window >= self.size):
                break
            window = WINDOW if cut.stop else 2 * window
        return np.concatenate([*sparse, np.array([at])]), count

    def _bytes(self, start: int, stop: int) -> NDArray[np.uint8]:
        return np.frombuffer(self.slice(start, min(stop, self.size)), np.uint8)

    @property
    def count(self) -> int:
        """How many records end by themselves, before the end of the file or the record that ends the list."""
        return self._index[1]

    @property
    def parted(self) -> bool:
        """As `Large.parted`; what depends on the order of records is left to the plain path."""
        terms = self.codec.terms | self.engine.of(self.spec).binder.terms
        return super().parted and not terms & (NUMBERS | {"tricks"})

    def offset(self, record: int) -> int:
        """Where a record begins; with the number of all records, where they end."""
        sparse, count = self._index
        if record >= count:
            return int(sparse[-1])
        block, rest = divmod(record, BLOCK)
        begin = int(sparse[block])
        return begin + int(self.variable.cut(self._bytes(begin, int(sparse[block + 1]))).starts[rest]) if rest else begin

    def _cut(self, start: int, stop: int) -> tuple[NDArray[np.uint8], Cut]:
        """The bytes of some records, and where each begins in them."""
        data = self._bytes(self.offset(start), self.offset(stop))
        return data, self.variable.cut(data)

    def mark(self, start: int, stop: int, judges: Sequence[Judge] = ()) -> Bad:
        """As `Large.mark`."""
        return self.variable.mark(*self._cut(start, stop), judges)

    def carrier(self, target: BulkCodec) -> VariableCarrier | None:
        """As `Large.carrier`."""
        return carry.VariableCarrier(self.variable, target) if target.deal_views else None

    def carried(self, carrier: Carrier | VariableCarrier, start: int, stop: int) -> tuple[Bad, Records]:
        """As `Large.carried`."""
        assert not isinstance(carrier, carry.Carrier)
        return carrier.carry(*self._cut(start, stop))

    def kinds(self, carrier: Carrier | VariableCarrier | None, start: int, stop: int) -> NDArray[np.int64]:
        """As `Large.kinds`."""
        assert not isinstance(carrier, carry.Carrier)
        return np.zeros(stop - start, np.int64) if carrier is None else carrier.kinds(*self._cut(start, stop))


def large_file(settings: Settings, path: str, format: str | None, least: int | None = None, grouped: bool = False) -> Large | None:
    """The file as one to be worked in bulk; None where it has not ``least`` bytes (`LARGE`), or its format does not allow it.

    ``grouped``: the caller asks for records by their indexes alone, so that they may be of several sizes.
    """
    size = size_of(path)
    if size is None or size < (LARGE if least is None else least):
        return None
    # Content settles a format only where all of it is read, which is done for the file as a whole.
    spec = settings.engine.spec(format) if format else settings.engine.named(path)
    if spec is None or spec.language == "lark":
        # Arrays are not even imported for a text, whose records have no size.
        return None
    try:
        return Large(path, spec, bulk_codec.BulkCodec(spec), size, settings.engine, format is not None)
    except SpecError:
        if not grouped:
            return None
    try:
        made = groups.variable(spec)
    except SpecError:
        return None
    return LargeVariable(path, spec, made.one, size, settings.engine, format is not None, variable=made)


@dataclass(frozen=True)
class Checked:
    """What was found in a large file, in file order, and how many whole records it has."""

    records: int
    findings: list[Diagnostic]

    @property
    def errors(self) -> list[Diagnostic]:
        """The findings of severity error."""
        return [one for one in self.findings if one.severity is Severity.ERROR]


JUDGED = frozenset({"deal", "tricks", "declarer"})
"""Arrays prove boards that state no more than these and their numbers clean under every rule."""
UNNUMBERED = frozenset({"dealer", "vulnerability"})
"""Of these a rule says something only where boards have numbers of their own."""


def check_large(settings: Settings, large: Large, rules: bool = True) -> Checked | None:
    """What is wrong with a large file: arrays prove which records are clean, and the plain path reads and judges every other one.

    None where the records cannot be judged one by one: then the file must be read whole.
    """
    terms = large.codec.terms | settings.engine.of(large.spec).binder.terms
    silent = JUDGED | (NUMBERS if terms & NUMBERS else UNNUMBERED)
    if not large.count or not large.parted or (rules and not terms <= silent):
        return None
    results = arrays.ResultsJudge() if rules else None
    numbers = arrays.NumbersJudge() if rules and "deal" in terms and large.repeats else None
    found: list[Diagnostic] = []
    # What only contradicts other records is a warning, which must not crowd out errors.
    explained, skipped = [0, 0], 0
    with byte_meter(settings, large.size, f"checking {large.path}") as meter:
        for start in range(0, large.count, ROWS):
            stop = min(start + ROWS, large.count)
            bad, other = large.mark(start, stop, (results,) if results else ()), large.mark_numbers(start, stop)
            boards: dict[int, Board | None] = {}
            for record in (np.flatnonzero(bad | other) + start).tolist():
                kind = int(bad[record - start])
                if explained[kind] == EXPLAINED:
                    skipped += 1
                    continue
                report = large.report(record, record + 1, rules)
                before = len(found)
                found += _placed(settings, large, report, record)
                explained[kind] += len(found) > before
                boards[record - start] = next(iter(report.document.boards), None)
            if numbers is not None:
                numbers(start, *_numbered(large, start, stop, boards))
            meter.reach(large.offset(stop))
    if results is not None:
        excused = CLIPPED if results.together is not None else CLIPPED[:1]
        found = [*_clipping(large, results), *(one for one in found if one.code not in excused)]
    if large.tail:
        found += _placed(settings, large, large.report(large.count, large.count, rules, tail=True), large.count)
    if numbers is not None:
        found += _twice(settings, large, numbers)
    if skipped:
        message = f"{skipped:,} further records have findings"
        found.append(Diagnostic(TOO_MANY.name, TOO_MANY.severity, message, large.path))
    elif numbers is not None:
        found += (replace(one, path=large.path) for one in closing(numbers.dropped))
    errors = sum(one.severity is Severity.ERROR for one in found)
    return Checked(large.count, [*about(settings, large, errors), *sorted(found, key=place_of)])


def about(settings: Settings, large: Large, errors: int) -> list[Diagnostic]:
    """The findings about the file as a whole, which is read for them where so many errors were found."""
    if not errors:
        return []
    said = settings.engine.about(large.spec, large.slice(0, large.size), errors, large.count, None if large.named else large.path)
    return [replace(one, path=large.path) for one in said]


def _clipping(large: Large, results: ResultsJudge) -> Iterator[Diagnostic]:
    """What the rule about clipped tables says of the whole file."""
    code = CODES[CLIPPED[0]]
    for habit, (record, count) in sorted(results.found.items(), key=lambda item: item[1][0]):
        where = f"{large.codec.layout.list.name}[{record}]"
        span = Span.of_bytes(large.offset(record), large.codec.record_size)
        message = clipped_table.told(habit.words, count)
        yield Diagnostic(code.name, code.severity, message, large.path, record, where, span)


def _numbered(large: Large, start: int, stop: int, boards: Mapping[int, Board | None]) -> Iterator[NDArray[Any]]:
    """Numbers and deals of some records, and which have both; ``boards`` are those that the plain path has read."""
    numbers, deals = large.numbers(start, stop), large.deals(start, stop).copy()
    counted = numbers < 0
    numbers[counted] = np.arange(start + 1, stop + 1)[counted]
    given = np.ones(stop - start, np.bool_)
    for index, board in boards.items():
        given[index] = board is not None and board.number is not None and board.deal is not None
        if board is not None and board.number is not None and board.deal is not None:
            numbers[index], deals[index] = board.number, np.frombuffer(board.deal.holders, np.uint8)
    yield from (numbers, deals, given)


def _twice(settings: Settings, large: Large, numbers: NumbersJudge) -> Iterator[Diagnostic]:
    """What the rule about boards of one number says of those that arrays have found."""
    reports = {record: large.report(record, record + 1) for record in sorted(numbers.found)}
    boards = [(record, board) for record, report in reports.items() for board in report.document.boards]
    for finding in sorted(board_twice.among(boards), key=lambda one: one.board or 0):
        record = finding.board or 0
        report = reports[record]
        known = settings.engine.of(large.spec).binder.places
        if (one := placed(known, report.reading, report.document, replace(finding, board=0), large.path)) is not None:
            yield from _placed(settings, large, replace(report, diagnostics=(one,)), record)


def _placed(settings: Settings, large: Large, report: Report, record: int) -> Iterator[Diagnostic]:
    """What was found in a record, with its places in the whole file and what can be done about it."""
    shift = large.offset(record) - large.codec.header_size
    found = advised(settings, report).diagnostics
    return (moved(one, shift, record, large.codec.layout.list.name) for one in found)


def moved(found: Diagnostic, offset: int, records: int, list_name: str) -> Diagnostic:
    """A finding about an excerpt as one about the whole file: so many bytes and records further on.

    >>> from bridgespec.diagnostic import Severity
    >>> far = moved(Diagnostic("x", Severity.ERROR, "m", None, 0, "boards[0].deal", Span(8, 16)), 100, 7, "boards")
    >>> far.record, far.field, far.span.byte_start
    (7, 'boards[7].deal', 101)
    """
    return replace(
        found.shifted(offset),
        record=None if found.record is None else found.record + records,
        field=_moved_field(found.field, records, list_name),
    )


def _moved_field(field: str | None, records: int, list_name: str) -> str | None:
    if field is None or not field.startswith(f"{list_name}["):
        return field
    index, _, rest = field[len(list_name) + 1 :].partition("]")
    return f"{list_name}[{int(index) + records}]{rest}" if index.isdigit() else field
