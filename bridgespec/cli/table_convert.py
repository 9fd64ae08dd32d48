"""Converting to tables and from them in memory that does not grow with the file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import TYPE_CHECKING, BinaryIO, cast

from bridgespec.cli.examine import examine, shown_name
from bridgespec.cli.files import STDIO, output, read, size_of
from bridgespec.cli.large import LARGE, check_large, large_file
from bridgespec.cli.progress import Meter, byte_meter
from bridgespec.cli.settings import Settings
from bridgespec.cli.sources import EmptySource, Target
from bridgespec.cli.table_files import TABLES
from bridgespec.cli.transfer import Unread, tell_losses, tell_unread, tell_written
from bridgespec.codec.losses import LOST
from bridgespec.codec.terms import TERMS
from bridgespec.diagnostic import Diagnostic
from bridgespec.errors import SpecError
from bridgespec.export import Exporter
from bridgespec.lazily import Lazy
from bridgespec.model.board import Board
from bridgespec.spec.ir import Spec
from bridgespec.tables.columns import terms_of
from bridgespec.tables.files import KINDS, Kind, Stored, kind_by_name

if TYPE_CHECKING:
    import numpy as np

    from bridgespec import tabular
    from bridgespec.codec.bulk import codec as bulk_codec
    from bridgespec.codec.bulk.codec import BulkCodec
    from bridgespec.tables import batches, bulk
    from bridgespec.tables.batches import Rows
    from bridgespec.tabular import BoardTable
else:
    tabular, bulk_codec = Lazy("bridgespec.tabular"), Lazy("bridgespec.codec.bulk.codec")
    batches, bulk = Lazy("bridgespec.tables.batches"), Lazy("bridgespec.tables.bulk")
    np = Lazy("numpy")


class Counted:
    """A file to write forwards, which knows how much was written: a pipe cannot tell."""

    closed = False

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.size = 0

    def write(self, data: bytes | memoryview) -> int:
        """Write some bytes."""
        self._file.write(data)
        self.size += len(data)
        return len(data)

    def tell(self) -> int:
        """How much was written."""
        return self.size

    def flush(self) -> None:
        """Hand on what is waiting."""
        self._file.flush()

    def close(self) -> None:
        """The file is closed by whoever opened it."""


def convert_to_table(
    settings: Settings, path: str, format: str | None, dest: str, target: Target, derived: bool, strict: bool, quiet: bool
) -> bool:
    """Write the table of one file, and say whether the target is a table at all."""
    if not isinstance(target, Exporter) or target.name not in TABLES:
        return False
    kind = KINDS[target.name]
    with byte_meter(settings, size_of(path) or 0, f"writing {dest}") as meter:
        made = _source(settings, path, format, derived, strict, meter)
        lost = [Diagnostic(LOST.name, LOST.severity, _lost(kind.name, what, count)) for what, count in (made.lost or {}).items()]
        tell_losses(settings, lost, strict)
        with output(dest) as file:
            counted = Counted(file)
            count = made.save(cast(BinaryIO, counted), kind)
    if not quiet:
        tell_written(settings, f"{shown_name(path)} ({made.format})", dest, target, count, counted.size)
    return True


def _lost(name: str, what: str, count: int) -> str:
    return f"{name} cannot hold {what}" + (f" ({count:,} times)" if count > 1 else "")


def _source(settings: Settings, path: str, format: str | None, derived: bool, strict: bool, meter: Meter) -> BoardTable:
    """The table of a file, once it is told what of it cannot be read."""
    kind = _kind(settings, path, format)
    if kind is not None:
        return tabular.of_source(settings.engine, read(path) if path == STDIO else path, kind.name, derived)
    large = large_file(settings, path, format)
    judged = check_large(settings, large, rules=False) if large is not None else None
    if large is not None and judged is not None:
        tell_unread(settings, large.source(), Unread(judged.errors), strict)
        return tabular.of_source(settings.engine, path, large.spec.id, derived, meter.reach)
    data = read(path)
    examined = examine(settings, path, format, "--from", data, rules=False)
    tell_unread(settings, examined.source, Unread(examined.report.unread), strict)
    if not examined.report.document.boards:
        raise EmptySource(examined.shown, examined.report.spec.id)
    return tabular.of_report(settings.engine, examined.report, data, derived)


def _kind(settings: Settings, path: str, format: str | None) -> Kind | None:
    """The kind of table that a source is; None for a declared format."""
    if format is not None:
        known = {head.id for head in settings.heads}
        return KINDS.get(format.lower()) if format.lower() not in known else None
    return kind_by_name(path)


# --- from tables --------------------------------------------------------------------------------------------------------


def convert_from_table(
    settings: Settings, path: str, format: str | None, dest: str, target: Target, strict: bool, quiet: bool
) -> bool:
    """Write the boards of a large table as records, and say whether that could be done; where not, nothing has happened yet."""
    kind = _kind(settings, path, format)
    size = size_of(path)
    codec = _codec(target) if kind is not None and size is not None and isinstance(target, Spec) else None
    if kind is None or size is None or codec is None or not isinstance(target, Spec):
        return False
    with open(path, "rb") as file:
        stored = Stored(file, kind, shown_name(path))
        # A table may be compressed well: what it is worth as records counts too.
        if max(size, stored.rows * codec.record_size) < LARGE:
            return False
        terms = terms_of(stored.schema.names)
        if not bulk.is_plain(codec) or bulk.why_not_write(codec, terms):
            return False
        lost = losses(codec, stored, terms)
        tell_losses(settings, [Diagnostic(LOST.name, LOST.severity, _lost(target.id, *one)) for one in lost.items()], strict)
        with output(dest) as out, byte_meter(settings, size, f"writing {dest}") as meter:
            count = bulk.write(codec, _rows(codec, stored, lambda rows: meter.reach(size * rows // stored.rows)), out)
    if not quiet:
        written = codec.header_size + count * codec.record_size
        tell_written(settings, f"{shown_name(path)} ({kind.name})", dest, target, count, written)
    return True


def _codec(target: Spec) -> BulkCodec | None:
    try:
        return bulk_codec.BulkCodec(target) if target.language == "ksy" else None
    except SpecError:
        return None


def _rows(codec: BulkCodec, stored: Stored, progress: Callable[[int], None]) -> Iterator[Rows]:
    done = 0
    for batch in stored.batches(_columns(stored, codec.terms)):
        yield batches.rows_of(batch)
        done += batch.num_rows
        progress(done)


def _columns(stored: Stored, terms: Collection[str]) -> list[str]:
    names = [column.name for term in terms for column in TERMS[term].columns()]
    return [name for name in names if name in stored.schema.names]


def losses(codec: BulkCodec, stored: Stored, terms: Sequence[str]) -> Counter[str]:
    """What the records cannot hold of a table, with its counts: all but deals, results and numbers that count on from 1."""
    lost: Counter[str] = Counter()
    others = [term for term in terms if term not in codec.terms]
    first = 0
    for batch in stored.batches(_columns(stored, others)) if others else ():
        said = {term: batches.said_of(batch, term) for term in others}
        for term in bulk.TERMS & said.keys():
            lost[TERMS[term].kind] += int(said.pop(term).sum())
        numbers = said.pop("number", None)
        if numbers is not None:
            counting = np.arange(first + 1, first + batch.num_rows + 1)
            other = numbers & (batches.rows_of(batch).arrays["number"] != counting)
            lost[TERMS["number"].UNHELD] += int(other.sum())
        rest = [TERMS[term] for term, marks in said.items() if marks.any()]
        for row, found in enumerate(batches.boards_of(batch), first + 1) if rest else ():
            without = Board(number=row)
            for one in rest:
                lost.update(one.losses(found, without, held=False))
        first += batch.num_rows
    return +lost
