"""Generate a self-contained page of one file: its bytes, fields, deals and findings, divided into sections. `page` is the entry.

All sections are stored compressed in the page; a browser lays out only the visible one.
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
"""The number of bytes beyond which no further record is added to a section."""
PART_RECORDS = 8
"""The maximum number of groups in a section."""
SHOWN_BYTES = 16 * 1024
"""The maximum number of bytes of a section that are drawn: one record may be larger."""
MOST_BYTES = 256 * 1024
"""The maximum number of bytes of a file on one page."""
MOST_RECORDS = 2000
MOST_FINDINGS = 200

Slice = Callable[[int, int], bytes]
"""A function that returns the bytes of the file from one offset up to another."""


@dataclass
class DumpRun:
    """Some records of a file with their document and findings. ``shift`` is the offset of the first record in the file;
    ``is_whole_file``: these are all records of the file.
    """

    groups: Sequence[Group]
    document: Document
    findings: Sequence[Diagnostic]
    shift: int = 0
    is_whole_file: bool = True


@dataclass
class _PagePart:
    """A section of the page as HTML: the numbers of its first and last record (None without records), the offsets of its bytes, and
    the number of its findings.
    """

    first: int | None
    last: int | None
    start: int
    stop: int
    html: str
    findings: int = 0


@dataclass
class Page:
    """Collects the sections of a page. ``size`` is that of the file; ``taken`` the number of bytes in the sections, ``total_found``
    that of all findings, of which ``found`` has the first with the index of their section. Made by `page` for each file.
    """

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
        """Add the sections of a run of records. Return False once the page is full, with the remaining sections left out."""
        annotator = Annotator(self.spec, self.binder)
        self.total_found += len(run.findings)
        for section in self.sections(run):
            # The first section is added at any size, since a file may be one large record.
            if (self.taken + len(section.data) > MOST_BYTES and self.parts) or self.records >= MOST_RECORDS:
                self.full = True
                return False
            size = len(section.data)
            self._keep(section, drawn(annotator, section, self.name), section.findings)
            self.taken += size
        return True

    def sections(self, run: DumpRun) -> Iterator[ComponentSection]:
        """Yield the sections of a run with their findings, before they are drawn."""
        left = list(run.findings)
        for section in self._sections(run, _boards(run.document)):
            section.findings = [found for found in left if _within(found, section.stop)]
            left = [found for found in left if not _within(found, section.stop)]
            yield section

    def _keep(self, section: ComponentSection, html: Markup, findings: Sequence[Diagnostic]) -> None:
        """Add a section that has been drawn, with its findings."""
        numbers = [group.number for group in section.groups if group.number is not None]
        index = len(self.parts)
        self.records += len(numbers)
        self.parts.append(
            _PagePart(min(numbers, default=None), max(numbers, default=None), section.start, section.stop, str(html), len(findings))
        )
        for one in findings:
            if len(self.found) < MOST_FINDINGS:
                text = self.spec.language == "lark"
                # Lines of a text are counted from its start; bytes of a binary file need no data.
                self.found.append((one, place_text(one, self.slice(0, self.size) if text else b"", text), index))

    def _sections(self, run: DumpRun, boards: dict[int, int]) -> Iterator[ComponentSection]:
        """Yield the sections of a run without findings; ``boards`` has the index of each board by its node (`_boards`)."""
        at = 0 if run.is_whole_file else None
        chunks = list(_chunks(run))
        for index, groups in enumerate(chunks):
            start = groups[0].node.start // 8 + run.shift if at is None else at
            stop = -(-max(group.node.stop for group in groups) // 8) + run.shift
            # The last section extends to the end of the file, with bytes that belong to no record.
            if run.is_whole_file and index == len(chunks) - 1:
                stop = self.size
            at = stop if run.is_whole_file else None
            # A group is a board if it has the node of one; others, such as a header, are not drawn.
            shown = [boards[id(group.node)] for group in groups if id(group.node) in boards]
            if run.is_whole_file and index == 0 and -1 in boards:
                shown = [boards[-1]]
            data = self.slice(start, stop)
            yield ComponentSection(
                data, start, groups, run.document, shown, (), run.shift, run.is_whole_file, self._line(start, data)
            )
        if not chunks and run.is_whole_file:
            yield ComponentSection(self.slice(0, self.size), 0, (), run.document, (), (), run.shift, True)

    def _line(self, start: int, data: bytes) -> int:
        """Return the number of the line on which a section begins."""
        if self.spec.language != "lark":
            return 1
        stop, line = self._at
        # Lines are counted on from the section before, since counting from the start of the file would take quadratic time.
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
    """Return the component for a section as HTML; beyond `SHOWN_BYTES` the section is cut, with a note."""
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
    """Yield the groups of a run, divided into sections."""
    chunk: list[Group] = []
    size = 0
    for group in run.groups:
        bytes_ = (group.node.stop - group.node.start) // 8
        # A header shares a section with the first record: by itself it would make a nearly empty first section.
        begun = any(one.number is not None for one in chunk) or size >= PART_BYTES
        if begun and (size + bytes_ > PART_BYTES or len(chunk) >= PART_RECORDS):
            yield chunk
            chunk, size = [], 0
        chunk.append(group)
        size += bytes_
    if chunk:
        yield chunk


def _within(found: Diagnostic, stop: int) -> bool:
    """Whether a finding belongs to a section that ends at ``stop``, or to an earlier one."""
    # An empty span at `stop` belongs to this section: something is missing at its end.
    return found.span is None or found.span.byte_start < stop or found.span.byte_start == found.span.byte_stop == stop


def page(spec: Spec, binder: Binds, name: str, size: int, slice_: Slice, runs: Iterable[DumpRun]) -> Page:
    """Return the page of a file with the sections of ``runs``, which are taken until the page is full. `Page.render` returns it as
    HTML.
    """
    made = Page(spec, binder, name, size, slice_)
    for run in runs:
        if not made.add(run):
            break
    return made
