"""Generate a self-contained page of one file: its bytes, fields, deals and findings, of which one section is shown at a time.

Every section is made in advance and stored compressed in the page; a browser lays out only the visible one.
"""

from __future__ import annotations

import base64
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from bridgespec.codec.anatomy import Group
from bridgespec.codec.origin import FileOrigin, Origin
from bridgespec.diagnostic import Diagnostic
from bridgespec.docs.annotate import Annotator, ComponentSection
from bridgespec.docs.deal_diagrams import Binds
from bridgespec.docs.environment import STATIC, environment
from bridgespec.docs.finding_blocks import line_of, place_text
from bridgespec.docs.prose import Markup
from bridgespec.model.document import Document
from bridgespec.spec.ir import Spec
from bridgespec.webpage.document_page import digest

PART_BYTES = 640
"""The least number of bytes of a part of the page, in whole records."""
PART_RECORDS = 8
SHOWN_BYTES = 16 * 1024
"""The maximum number of bytes of one record that are drawn."""
MOST_BYTES = 256 * 1024
"""The maximum number of bytes of a file on one page."""
MOST_RECORDS = 2000
MOST_FINDINGS = 200

Slice = Callable[[int, int], bytes]


@dataclass
class DumpRun:
    """Some records of a file with their document. ``shift`` is the offset of their first byte in the whole file; ``whole``: they
    are all of it.
    """

    groups: Sequence[Group]
    document: Document
    findings: Sequence[Diagnostic]
    shift: int = 0
    whole: bool = True


@dataclass
class _PagePart:
    first: int | None
    last: int | None
    start: int
    stop: int
    html: str
    findings: int = 0


@dataclass
class Page:
    """Collects the sections of a page; ``size`` is that of the whole file."""

    spec: Spec
    binder: Binds
    name: str
    size: int
    slice: Slice
    parts: list[_PagePart] = field(default_factory=list)
    found: list[tuple[Diagnostic, str, int]] = field(default_factory=list)
    total_found: int = 0
    taken: int = 0
    records: int = 0
    full: bool = False
    _at: tuple[int, int] = (0, 1)

    def add(self, run: DumpRun) -> bool:
        """Add the sections of a run of records, as far as there is room. Return False where there is no more."""
        annotator = Annotator(self.spec, self.binder)
        self.total_found += len(run.findings)
        for section in self.sections(run):
            # The first part is taken at any size: a page without a part would show nothing of a file of one large record.
            if (self.taken + len(section.data) > MOST_BYTES and self.parts) or self.records >= MOST_RECORDS:
                self.full = True
                return False
            size = len(section.data)
            self._keep(section, drawn(annotator, section, self.name), section.findings)
            self.taken += size
        return True

    def sections(self, run: DumpRun) -> Iterator[ComponentSection]:
        """Yield the sections of a run with their findings, not yet drawn."""
        left = list(run.findings)
        for section in self._sections(run, _boards(run.document)):
            section.findings = [found for found in left if _within(found, section.stop)]
            left = [found for found in left if not _within(found, section.stop)]
            yield section

    def _keep(self, section: ComponentSection, html: Markup, mine: Sequence[Diagnostic]) -> None:
        numbers = [group.number for group in section.groups if group.number is not None]
        index = len(self.parts)
        self.records += len(numbers)
        self.parts.append(
            _PagePart(min(numbers, default=None), max(numbers, default=None), section.start, section.stop, str(html), len(mine))
        )
        for one in mine:
            if len(self.found) < MOST_FINDINGS:
                text = self.spec.language == "lark"
                # Lines of a text are counted from its start; bytes of a binary file need no data.
                self.found.append((one, place_text(one, self.slice(0, self.size) if text else b"", text), index))

    def _sections(self, run: DumpRun, boards: dict[int, int]) -> Iterator[ComponentSection]:
        at = 0 if run.whole else None
        chunks = list(_chunks(run))
        for index, groups in enumerate(chunks):
            start = groups[0].node.start // 8 + run.shift if at is None else at
            stop = -(-max(group.node.stop for group in groups) // 8) + run.shift
            # The last part goes to the end of the file, with bytes that belong to no record.
            if run.whole and index == len(chunks) - 1:
                stop = self.size
            at = stop if run.whole else None
            # Boards are known by the identity of their nodes; a group without one (a heading) draws nothing.
            shown = [boards[id(group.node)] for group in groups if id(group.node) in boards]
            if run.whole and index == 0 and -1 in boards:
                shown = [boards[-1]]
            data = self.slice(start, stop)
            yield ComponentSection(data, start, groups, run.document, shown, (), run.shift, run.whole, self._line(start, data))
        if not chunks and run.whole:
            yield ComponentSection(self.slice(0, self.size), 0, (), run.document, (), (), run.shift, True)

    def _line(self, start: int, data: bytes) -> int:
        """Return the number of the line on which a section begins."""
        if self.spec.language != "lark":
            return 1
        stop, line = self._at
        # Counting from the start of the file at every part would take quadratic time; parts mostly follow each other.
        if stop != start:
            line = line_of(self.slice(0, start), start)[0]
        self._at = (start + len(data), line + line_of(data, len(data))[0] - 1)
        return line

    def render(self) -> str:
        """Return the page as HTML."""
        # The zlib format is what browsers' `DecompressionStream("deflate")` reads.
        packed = [base64.b64encode(zlib.compress(part.html.encode(), 9)).decode() for part in self.parts]
        first = Markup(self.parts[0].html) if self.parts else Markup("")
        css = Markup((STATIC / "site.css").read_text("utf-8"))
        scripts = Markup((STATIC / "site.js").read_text("utf-8") + (STATIC / "dump.js").read_text("utf-8"))
        return (
            environment()
            .get_template("dump.html")
            .render(
                page=self,
                first=first,
                packed=packed,
                css=css,
                css_digest=digest(css),
                scripts=scripts,
                scripts_digest=digest(scripts),
                last_byte=self.parts[-1].stop if self.parts else 0,
            )
        )


def drawn(annotator: Annotator, section: ComponentSection, name: str) -> Markup:
    """Return the component for a section, which is cut at the maximum length of a drawing."""
    over = len(section.data) - SHOWN_BYTES
    if over <= 0:
        return annotator.component(section, name)
    section.data = section.data[:SHOWN_BYTES]
    note = Markup('<p class="quiet">{} more bytes of this record are not drawn.</p>').format(over)
    return annotator.component(section, name) + note


def _boards(document: Document) -> dict[int, int]:
    """Return the index of each board by the identity of its node; -1 for a board that is the whole file."""
    root = document.origin.reading.root if isinstance(document.origin, FileOrigin) else None
    found = {}
    for index, board in enumerate(document.boards):
        if isinstance(board.origin, Origin):
            found[-1 if board.origin.node is root else id(board.origin.node)] = index
    return found


def _chunks(run: DumpRun) -> Iterator[list[Group]]:
    chunk: list[Group] = []
    size = 0
    for group in run.groups:
        bytes_ = (group.node.stop - group.node.start) // 8
        # A heading goes with the first record: alone it would open the page with next to nothing.
        begun = any(one.number is not None for one in chunk) or size >= PART_BYTES
        if begun and (size + bytes_ > PART_BYTES or len(chunk) >= PART_RECORDS):
            yield chunk
            chunk, size = [], 0
        chunk.append(group)
        size += bytes_
    if chunk:
        yield chunk


def _within(found: Diagnostic, stop: int) -> bool:
    # An empty span at the end is of the part that ends there: the finding is that something is missing after it.
    return found.span is None or found.span.byte_start < stop or found.span.byte_start == found.span.byte_stop == stop


def page(spec: Spec, binder: Binds, name: str, size: int, slice_: Slice, runs: Iterable[DumpRun]) -> Page:
    """Return the page of a file as HTML; ``runs`` of records are added until the page is full."""
    made = Page(spec, binder, name, size, slice_)
    for run in runs:
        if not made.add(run):
            break
    return made
