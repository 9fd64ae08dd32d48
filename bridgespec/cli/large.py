"""Files too large to hold as a tree: checked and converted as arrays, a few megabytes at a time."""

from __future__ import annotations

import mmap
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, BinaryIO

from bridgespec.cli.advice import advised
from bridgespec.cli.files import opened, size_of
from bridgespec.cli.progress import byte_meter
from bridgespec.cli.render_marks import Source
from bridgespec.cli.settings import Settings
from bridgespec.codec.problems import TOO_MANY
from bridgespec.diagnostic import CODES, Diagnostic, Edit, Fix, Label, Severity, Span, define
from bridgespec.errors import ReadError, SpecError
from bridgespec.lazily import Lazy
from bridgespec.recognise import PROBE
from bridgespec.rules.clipped_table import told
from bridgespec.spec.ir import Spec

if TYPE_CHECKING:
    from bridgespec.codec.bulk import codec as bulk_codec
    from bridgespec.codec.bulk import stream as bulk_stream
    from bridgespec.codec.bulk.codec import BulkCodec
    from bridgespec.codec.bulk.parts import Verdict
    from bridgespec.model import arrays
    from bridgespec.model.arrays import ResultsJudge
else:
    # The one switch between the two paths: small files are read without arrays, and so without NumPy.
    bulk_codec, bulk_stream = Lazy("bridgespec.codec.bulk.codec"), Lazy("bridgespec.codec.bulk.stream")
    arrays = Lazy("bridgespec.model.arrays")

LARGE = 1 << 20
"""Files from this size on are worked as arrays where their format allows it."""
EXPLAINED = 1000
"""So many records that need a closer look are looked at."""
LIMIT = 100_000
"""After so many of them the rest of the file is counted and not looked at."""
CLIPPED = ("clipped-table", "impossible-tricks")
"""The rule that looks at all tables together, and the one that it excuses."""
LEFT_OUT = define(
    "rules-left-out",
    Severity.NOTE,
    """Some rules were not applied, because the file is large.

    Large files of fixed-size records are checked as arrays, a few megabytes at a time. A rule that needs all boards at
    once, such as one that looks for two boards of the same number, is left out. `--thorough` applies every rule.
    """,
)


@dataclass(frozen=True)
class Large:
    """A large file of fixed-size records."""

    path: str
    spec: Spec
    codec: BulkCodec
    size: int

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


class Head:
    """A stream that ends after its first bytes: what stands behind the whole records of a file is not seen."""

    def __init__(self, stream: BinaryIO, stop: int) -> None:
        self.stream, self.stop = stream, stop

    def read(self, size: int = -1) -> bytes:
        """Some bytes more, or all that are left."""
        left = max(0, self.stop - self.stream.tell())
        return self.stream.read(left if size < 0 else min(size, left))

    def tell(self) -> int:
        """How far it has been read."""
        return self.stream.tell()

    def seek(self, offset: int, whence: int = 0) -> int:
        """Go to a place."""
        return self.stream.seek(self.stop + offset if whence == 2 else offset, 0 if whence == 2 else whence)


def large_file(settings: Settings, path: str, format: str | None, least: int | None = None) -> Large | None:
    """The file as one to be worked in bulk; None where it has not ``least`` bytes (`LARGE`), or its format does not allow it."""
    size = size_of(path)
    if size is None or size < (LARGE if least is None else least):
        return None
    # Content settles a format only where all of it is read, which is done for the file as a whole.
    spec = settings.engine.spec(format) if format else settings.engine.named(path)
    if spec is None:
        return None
    try:
        return Large(path, spec, bulk_codec.BulkCodec(spec), size)
    except SpecError:
        return None


def check_large(settings: Settings, large: Large) -> tuple[Verdict, list[Diagnostic]]:
    """What is wrong with a large file: every record is checked as arrays, and those that fail are read again and explained.

    ReadError where the header is at fault, which cannot be explained without the whole file.
    """
    with opened(large.path) as stream, byte_meter(settings, large.size, f"checking {large.path}") as meter:
        watch = arrays.ResultsJudge()
        verdict = bulk_stream.check_stream(large.codec, stream, meter.reach, (watch,), LIMIT)
    if verdict.bad_header:
        raise ReadError(f"{large.path}: the header is not right; `bridgespec validate` tells what is wrong with it")
    clipped = watch.together is not None
    found = [one for one in _explained(settings, large, verdict) if one.code not in (CLIPPED if clipped else CLIPPED[:1])]
    return verdict, [*found, *_clipping(large, watch), *_left_out(large, verdict)]


def _clipping(large: Large, watch: ResultsJudge) -> Iterator[Diagnostic]:
    """What the rule about clipped tables says of the whole file."""
    code = CODES[CLIPPED[0]]
    for habit, (record, count) in sorted(watch.found.items(), key=lambda item: item[1][0]):
        where = f"{large.codec.layout.list.name}[{record}]"
        span = Span.of_bytes(large.offset(record), large.codec.record_size)
        message = told(habit.words, count)
        yield Diagnostic(code.name, code.severity, message, large.path, record, where, span)


def _left_out(large: Large, verdict: Verdict) -> Iterator[Diagnostic]:
    """What was not looked for, or is not told, in a file of this size."""
    rules = []
    if "number" in large.codec.terms:
        rules.append("board-twice")
    if "tricks" in large.codec.terms and len(verdict.bad) >= LIMIT:
        rules.append(CLIPPED[0])
    if rules:
        message = f"not applied to a file of this size: {', '.join(rules)}"
        yield Diagnostic(LEFT_OUT.name, LEFT_OUT.severity, message, large.path, help="--thorough applies every rule")
    if len(verdict.bad) > EXPLAINED:
        message = f"{len(verdict.bad) - EXPLAINED:,}{' or more' if len(verdict.bad) >= LIMIT else ''} further records have findings"
        yield Diagnostic(TOO_MANY.name, TOO_MANY.severity, message, large.path)


def judged_large(settings: Settings, large: Large) -> tuple[Verdict, list[Diagnostic]] | None:
    """The same; None where the header is at fault."""
    try:
        return check_large(settings, large)
    except ReadError:
        return None


def _explained(settings: Settings, large: Large, verdict: Verdict) -> Iterator[Diagnostic]:
    header = large.slice(0, large.codec.header_size)
    for record in verdict.bad[:EXPLAINED].tolist():
        start = large.offset(record)
        yield from _window(settings, large, header, start, start + large.codec.record_size, record)
    if verdict.rest:
        record = max(verdict.records - 1, 0)
        start = large.offset(record)
        for one in _window(settings, large, header, start, min(large.size, verdict.rest_at + PROBE), record):
            if one.span is not None and one.span.byte_stop > large.offset(verdict.records):
                yield one


def _window(settings: Settings, large: Large, header: bytes, start: int, stop: int, record: int) -> Iterator[Diagnostic]:
    """The findings in some records, read as if they were a file, with their places in the whole one."""
    data = header + large.slice(start, stop)
    name = large.codec.layout.list.name
    for found in advised(settings, settings.engine.examine(data, large.spec.id, large.path)).diagnostics:
        if found.span is None or found.span.byte_start >= len(header):
            yield moved(found, start - len(header), record, name)


def moved(found: Diagnostic, offset: int, records: int, list_name: str) -> Diagnostic:
    """A finding about an excerpt as one about the whole file: so many bytes and records further on.

    >>> from bridgespec.diagnostic import Severity
    >>> far = moved(Diagnostic("x", Severity.ERROR, "m", None, 0, "boards[0].deal", Span(8, 16)), 100, 7, "boards")
    >>> far.record, far.field, far.span.byte_start
    (7, 'boards[7].deal', 101)
    """
    return replace(
        found,
        message=_moved_words(found, records),
        record=None if found.record is None else found.record + records,
        field=_moved_field(found.field, records, list_name),
        span=_moved_span(found.span, offset) if found.span else None,
        labels=tuple(Label(_moved_span(label.span, offset), label.text) for label in found.labels),
        fix=_moved_fix(found.fix, offset) if found.fix else None,
    )


def _moved_words(found: Diagnostic, records: int) -> str:
    """The message, with the number of the board that its record is."""
    if found.record is None:
        return found.message
    return re.sub(rf"\bboard {found.record + 1}\b", f"board {found.record + records + 1}", found.message)


def _moved_span(span: Span, offset: int) -> Span:
    return replace(span, start=span.start + 8 * offset, stop=span.stop + 8 * offset)


def _moved_fix(fix: Fix, offset: int) -> Fix:
    return replace(fix, edits=tuple(Edit(e.start + offset, e.stop + offset, e.replacement) for e in fix.edits))


def _moved_field(field: str | None, records: int, list_name: str) -> str | None:
    if field is None or not field.startswith(f"{list_name}["):
        return field
    index, _, rest = field[len(list_name) + 1 :].partition("]")
    return f"{list_name}[{int(index) + records}]{rest}" if index.isdigit() else field
