"""Files too large to hold as a tree: checked and converted as arrays, a few megabytes at a time."""

from __future__ import annotations

import mmap
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

from bridgespec.cli.advice import advised
from bridgespec.cli.files import opened, size_of
from bridgespec.cli.progress import byte_meter
from bridgespec.cli.render_marks import Source
from bridgespec.cli.settings import Settings
from bridgespec.codec.problems import TOO_MANY
from bridgespec.diagnostic import CODES, Diagnostic, Severity, Span
from bridgespec.errors import SpecError
from bridgespec.examined import Report, place_of
from bridgespec.lazily import Lazy
from bridgespec.rules.clipped_table import told
from bridgespec.spec.ir import Spec

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from bridgespec.codec import pipeline
    from bridgespec.codec.bulk import carry, groups
    from bridgespec.codec.bulk import codec as bulk_codec
    from bridgespec.codec.bulk.carry import Carrier, GroupCarrier
    from bridgespec.codec.bulk.codec import BulkCodec, Judge
    from bridgespec.codec.bulk.groups import GroupCodec
    from bridgespec.codec.bulk.marks import Bad
    from bridgespec.codec.bulk.plan import Records
    from bridgespec.model import arrays
    from bridgespec.model.arrays import ResultsJudge
else:
    # The one switch between the two paths: small files are read without arrays, and so without NumPy.
    bulk_codec = Lazy("bridgespec.codec.bulk.codec")
    groups, carry = Lazy("bridgespec.codec.bulk.groups"), Lazy("bridgespec.codec.bulk.carry")
    arrays, pipeline, np = Lazy("bridgespec.model.arrays"), Lazy("bridgespec.codec.pipeline"), Lazy("numpy")

ROWS = 1 << 15
"""So many records are looked at together."""
LARGE = 1 << 16
"""Files from this size on are worked as arrays where their format allows it."""
BLOCK = 256
"""Of so many records of several sizes, the first one's offset is kept: a hundredth of the file at most."""
EXPLAINED = 1000
"""So many records that need a closer look are looked at."""
CLIPPED = ("clipped-table", "impossible-tricks")
"""The rule that looks at all tables together, and the one that it excuses."""


@dataclass(frozen=True)
class Large:
    """A large file of fixed-size records; ``named``: its format is not for its content to tell."""

    path: str
    spec: Spec
    codec: BulkCodec
    size: int
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
        """Whether each of some records needs a closer look, as `BulkCodec.mark`."""
        return self.codec.mark(self.rows(start, stop), judges)

    def carrier(self, target: BulkCodec) -> Carrier | GroupCarrier | None:
        """What carries its records into another format as arrays; None where none can be carried."""
        return carry.Carrier.of(self.codec, target)

    def carried(self, carrier: Carrier | GroupCarrier, start: int, stop: int) -> tuple[Bad, Records]:
        """Some records as those of another format, as `Carrier.carry`."""
        assert not isinstance(carrier, carry.GroupCarrier)
        return carrier.carry(self.rows(start, stop))

    @property
    def parted(self) -> bool:
        """Whether its records can be read in parts: its header is clean, and counts nothing that comes after the whole records."""
        header = np.frombuffer(self.slice(0, self.codec.header_size), np.uint8)
        if len(header) < self.codec.header_size or (len(header) and (self.tail or self.codec.bad_header(header, self.count))):
            return False
        return pipeline.independent(self.codec)


@dataclass(frozen=True)
class LargeGroups(Large):
    """A large file of records of several sizes, which are runs of equal elements; ``codec`` is that of records of one element."""

    groups: GroupCodec = field(kw_only=True)

    @cached_property
    def _index(self) -> tuple[NDArray[np.int64], int, int]:
        """Of every `BLOCK`-th record its first element; how many records end by themselves, and how many elements these have."""
        size, end = self.groups.element_size, self.codec.layout.end
        sparse, count, begun = [np.zeros(1, np.int64)], 0, 0
        for low in range(0, (self.size - self.codec.header_size) // size, ROWS):
            elements = self._elements(low, low + ROWS)
            stops = np.flatnonzero(self.groups.ends(elements)) + low + 1
            starts = np.concatenate((np.array([begun], np.int64), stops))
            if end is not None:
                null: Bad = np.logical_not(elements[:, : end.bits // 8].any(axis=1))
                here = starts[(starts >= low) & (starts < low + len(elements))]
                ending = here[null[here - low]]
                if len(ending):
                    stops = stops[stops <= ending[0]]
                    sparse.append(stops[BLOCK - 1 - count % BLOCK :: BLOCK])
                    return np.concatenate(sparse), count + len(stops), int(ending[0])
            sparse.append(stops[BLOCK - 1 - count % BLOCK :: BLOCK])
            count, begun = count + len(stops), int(starts[-1])
        return np.concatenate(sparse), count, begun

    def _elements(self, start: int, stop: int) -> Records:
        size, header = self.groups.element_size, self.codec.header_size
        data = self.slice(header + start * size, min(header + stop * size, self.size))
        return np.frombuffer(data, np.uint8)[: len(data) // size * size].reshape(-1, size)

    @property
    def count(self) -> int:
        """How many records end by themselves, before the end of the file or the record that ends the list."""
        return self._index[1]

    def _first(self, record: int) -> int:
        """The first element of a record, and of what comes after the last."""
        sparse, count, total = self._index
        if record >= count:
            return total
        block, rest = divmod(record, BLOCK)
        first = int(sparse[block])
        if not rest:
            return first
        next_block = int(sparse[block + 1]) if block + 1 < len(sparse) else total
        return first + int(np.flatnonzero(self.groups.ends(self._elements(first, next_block)))[rest - 1]) + 1

    def offset(self, record: int) -> int:
        """Where a record begins; with the number of all records, where they end."""
        return self.codec.header_size + self._first(record) * self.groups.element_size

    def _parts(self, start: int, stop: int) -> tuple[Records, NDArray[np.int64]]:
        """The elements of some records, and how many each record has."""
        elements = self._elements(self._first(start), self._first(stop))
        return elements, np.diff(np.flatnonzero(self.groups.ends(elements)) + 1, prepend=0)

    def mark(self, start: int, stop: int, judges: Sequence[Judge] = ()) -> Bad:
        """As `Large.mark`."""
        return self.groups.mark(*self._parts(start, stop), judges)

    def carrier(self, target: BulkCodec) -> GroupCarrier | None:
        """As `Large.carrier`."""
        return carry.GroupCarrier(self.groups, target) if target.deal_views else None

    def carried(self, carrier: Carrier | GroupCarrier, start: int, stop: int) -> tuple[Bad, Records]:
        """As `Large.carried`."""
        assert isinstance(carrier, carry.GroupCarrier)
        return carrier.carry(*self._parts(start, stop))


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
        return Large(path, spec, bulk_codec.BulkCodec(spec), size, format is not None)
    except SpecError:
        if not grouped:
            return None
    try:
        made = groups.GroupCodec(spec)
    except SpecError:
        return None
    return LargeGroups(path, spec, made.one, size, format is not None, groups=made)


@dataclass(frozen=True)
class Checked:
    """What was found in a large file, in file order, and how many whole records it has."""

    records: int
    findings: list[Diagnostic]

    @property
    def errors(self) -> list[Diagnostic]:
        """The findings of severity error."""
        return [one for one in self.findings if one.severity is Severity.ERROR]


def check_large(settings: Settings, large: Large, rules: bool = True) -> Checked | None:
    """What is wrong with a large file: arrays prove which records are clean, and the plain path reads and judges every other one.

    None where the records cannot be judged one by one: then the file must be read whole.
    """
    if not large.count or not large.parted or (rules and "number" in large.codec.terms):
        return None  # two boards of one number are found among all of them
    watch = arrays.ResultsJudge() if rules else None
    suspects: list[int] = []
    with byte_meter(settings, large.size, f"checking {large.path}") as meter:
        for start in range(0, large.count, ROWS):
            stop = min(start + ROWS, large.count)
            suspects += (np.flatnonzero(large.mark(start, stop, (watch,) if watch else ())) + start).tolist()
            meter.reach(large.offset(stop))
    found = [one for record in suspects[:EXPLAINED] for one in _judged(settings, large, record, rules)]
    if watch is not None:
        excused = CLIPPED if watch.together is not None else CLIPPED[:1]
        found = [*_clipping(large, watch), *(one for one in found if one.code not in excused)]
    if large.tail:
        found += _placed(large, _report(settings, large, large.count, large.size, rules), large.count)
    if len(suspects) > EXPLAINED:
        message = f"{len(suspects) - EXPLAINED:,} further records have findings"
        found.append(Diagnostic(TOO_MANY.name, TOO_MANY.severity, message, large.path))
    errors = sum(one.severity is Severity.ERROR for one in found)
    return Checked(large.count, [*about(settings, large, errors), *sorted(found, key=place_of)])


def about(settings: Settings, large: Large, errors: int) -> list[Diagnostic]:
    """The findings about the file as a whole, which is read for them where so many errors were found."""
    if not errors:
        return []
    said = settings.engine.about(large.spec, large.slice(0, large.size), errors, large.count, None if large.named else large.path)
    return [replace(one, path=large.path) for one in said]


def _clipping(large: Large, watch: ResultsJudge) -> Iterator[Diagnostic]:
    """What the rule about clipped tables says of the whole file."""
    code = CODES[CLIPPED[0]]
    for habit, (record, count) in sorted(watch.found.items(), key=lambda item: item[1][0]):
        where = f"{large.codec.layout.list.name}[{record}]"
        span = Span.of_bytes(large.offset(record), large.codec.record_size)
        message = told(habit.words, count)
        yield Diagnostic(code.name, code.severity, message, large.path, record, where, span)


def _judged(settings: Settings, large: Large, record: int, rules: bool) -> Iterator[Diagnostic]:
    """The findings of the plain path in a record."""
    return _placed(large, _report(settings, large, record, large.offset(record + 1), rules), record)


def _report(settings: Settings, large: Large, record: int, stop: int, rules: bool) -> Report:
    """A record, or whatever comes from its place to byte ``stop``, read as if it were a file."""
    data = large.header(1) + large.slice(large.offset(record), stop)
    look = settings.engine.examine if rules else settings.engine.read
    return advised(settings, look(data, large.spec.id, large.path))


def _placed(large: Large, report: Report, record: int) -> Iterator[Diagnostic]:
    """What was found in a record, with its places in the whole file."""
    shift = large.offset(record) - large.codec.header_size
    return (moved(found, shift, record, large.codec.layout.list.name) for found in report.diagnostics)


def moved(found: Diagnostic, offset: int, records: int, list_name: str) -> Diagnostic:
    """A finding about an excerpt as one about the whole file: so many bytes and records further on.

    >>> from bridgespec.diagnostic import Severity
    >>> far = moved(Diagnostic("x", Severity.ERROR, "m", None, 0, "boards[0].deal", Span(8, 16)), 100, 7, "boards")
    >>> far.record, far.field, far.span.byte_start
    (7, 'boards[7].deal', 101)
    """
    return replace(
        found.shifted(offset),
        message=_moved_words(found, records),
        record=None if found.record is None else found.record + records,
        field=_moved_field(found.field, records, list_name),
    )


def _moved_words(found: Diagnostic, records: int) -> str:
    """The message, with the number of the board that its record is."""
    if found.record is None:
        return found.message
    return re.sub(rf"\bboard {found.record + 1}\b", f"board {found.record + records + 1}", found.message)


def _moved_field(field: str | None, records: int, list_name: str) -> str | None:
    if field is None or not field.startswith(f"{list_name}["):
        return field
    index, _, rest = field[len(list_name) + 1 :].partition("]")
    return f"{list_name}[{int(index) + records}]{rest}" if index.isdigit() else field
