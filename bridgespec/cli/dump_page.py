"""The page of ``dump --html``: a file as one self-contained web page."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from rich.text import Text

from bridgespec.api import write_file
from bridgespec.cli.pieces import FileSlice
from bridgespec.cli.ranges import Ranges
from bridgespec.cli.settings import Settings
from bridgespec.cli.terminal import echo
from bridgespec.codec.anatomy import Group, groups_of
from bridgespec.errors import UsageError
from bridgespec.lazily import Lazy

if TYPE_CHECKING:
    from bridgespec.docs import dumppage
else:
    # What makes pages is an extra that may not be installed, and the other forms of a dump do without.
    dumppage = Lazy("bridgespec.docs.dumppage")

Choose = Callable[[FileSlice], Sequence[Group]]


def write_page(
    settings: Settings, name: str, found: Iterable[FileSlice], records: Ranges | None, choose: Choose, target: Path
) -> None:
    """Write the web page of a file to ``target``; ``choose`` returns the groups of the selected records in a piece."""
    pieces = iter(found)
    first = next(pieces, None)
    if first is None:
        raise UsageError(f"{name}: there is nothing to show")
    spec, source = first.report.spec, first.source
    runs = _runs(first, pieces, records, choose)
    page = dumppage.page(spec, settings.engine.of(spec).binder, Path(name).name or name, source.size, source.slice, runs)
    if str(target) == "-":
        echo(page.render(), nl=False)
        return
    write_file(target, [page.render().encode()])
    held = f"; it holds {page.records} records, choose others with --record" if page.full else ""
    settings.err.print(Text(f"{target}{held}"), soft_wrap=True)


def _runs(first: FileSlice, others: Iterator[FileSlice], records: Ranges | None, choose: Choose) -> Iterator[dumppage.DumpRun]:
    for piece in chain([first], others):
        if records is None and not piece.list_name:
            groups = groups_of(piece.report.reading.root)
        else:
            # Every piece is read behind a copy of the header, whose fields are shown once.
            groups = [group for group in choose(piece) if group.number is not None or not piece.shift]
        whole = records is None and not piece.list_name
        yield dumppage.DumpRun(groups, piece.document, piece.findings, piece.shift, whole)
