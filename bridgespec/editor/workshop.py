"""The page of `serve` for a schema and a file: `Workshop.view` reads both, `Workshop.render` returns the content of the page, and
`Workshop.more` one of its folded parts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import islice
from pathlib import Path

from bridgespec.cli.sampling import Sampler
from bridgespec.codec.anatomy import groups_of
from bridgespec.codec.trace import walk
from bridgespec.codec.tracing import trace
from bridgespec.diagnostic import Diagnostic, Severity
from bridgespec.docs import dumppage
from bridgespec.docs.annotate import Annotator, ComponentSection, visible
from bridgespec.docs.environment import environment
from bridgespec.docs.finding_blocks import finding_html, line_of, place_text
from bridgespec.docs.format_pages import capacity, format_page
from bridgespec.docs.prose import Markup
from bridgespec.editor.draft import EditorDraft, in_file
from bridgespec.editor.folder import ServedFolder
from bridgespec.editor.languages import LANGUAGES
from bridgespec.engines import Engine
from bridgespec.errors import BridgespecError, UsageError
from bridgespec.examined import Report, report
from bridgespec.export.json import dump
from bridgespec.schema_checks import findings
from bridgespec.sources import reading_within
from bridgespec.spec.ir import Spec

MOST_BYTES = 256 * 1024
"""The maximum number of bytes of a file that are read, so that each change of it is shown at once."""
MOST_SCHEMA = 1 << 20
"""The maximum size of a schema in bytes."""
MOST_TRACED = 1000
"""The maximum number of steps of a trace that are shown."""
MOST_JSON = 200_000
"""The maximum number of characters of JSON that are shown."""
_LINK = re.compile(r'<a (?![^>]*href="#)[^>]*>')
"""The start tag of a link to another page."""


@dataclass
class ServedView:
    """A schema and a file in one state of the folder. The file is read by the schema where both can be used.

    ``found`` are the findings on the schema, ``report`` contains those on the file. ``trouble`` is the message of the error that
    stopped the reading, empty without one. ``size`` is that of the whole file, ``data`` its beginning.
    """

    schema: str
    file: str
    path: Path | None = None
    text: str = ""
    found: Sequence[Diagnostic] = ()
    spec: Spec | None = None
    engine: Engine | None = None
    data: bytes = b""
    size: int = 0
    trouble: str = ""
    report: Report | None = None
    sections: Sequence[ComponentSection] = ()

    @cached_property
    def is_text(self) -> bool:
        """Whether positions of the file are lines and columns."""
        return self.spec is not None and self.spec.language == "lark"


@dataclass
class Workshop:
    """Makes the content of pages for the files of one folder; ``specs`` and ``bidding`` are those of the command line."""

    folder: ServedFolder
    specs: Sequence[Path] = ()
    bidding: Sequence[Path] = ()
    _views: dict[tuple[str, str, int], ServedView] = field(default_factory=dict)

    def schemas(self, names: Sequence[str]) -> list[str]:
        """Return those of the file names that are names of schemas or systems, by their suffixes."""
        return [name for name in names if Path(name).suffix in LANGUAGES]

    def chosen(self, names: Sequence[str], schema: str, file: str) -> tuple[str, str]:
        """Return the names of the schema and the file to show. An empty one is chosen from ``names``, or stays empty where none
        fits.
        """
        schemas = self.schemas(names)
        schema = schema or next(iter(schemas), "")
        others = [name for name in names if name not in schemas]
        # A schema mostly has the name of its files' suffix.
        near = [name for name in others if Path(name).suffix.lower() == f".{Path(schema).stem.lower()}"]
        if Path(schema).suffix == ".bid":
            return schema, file or schema
        return schema, file or next(iter([*near, *others]), "")

    def view(self, schema: str, file: str, version: int) -> ServedView:
        """Return the view of a schema and a file; cached while nothing in the folder changes."""
        key = schema, file, version
        if key not in self._views:
            # One view is kept: an author works at one schema and one file, and a change makes every other view out of date.
            self._views.clear()
            self._views[key] = self._load(ServedView(schema, file))
        return self._views[key]

    def _within(self) -> AbstractContextManager[None]:
        """Restrict imports of schemas to the folder, the folders of the command line and the package."""
        return reading_within(
            [self.folder.root, *LANGUAGES[".ksy"].searched(self.specs), *LANGUAGES[".bid"].searched(self.bidding)]
        )

    def _searched(self, path: Path) -> list[Path]:
        """Return the folders in which the imports of a schema or system are looked up."""
        return LANGUAGES[path.suffix].searched(self.bidding if path.suffix == ".bid" else self.specs)

    def _load(self, view: ServedView) -> ServedView:
        """Read the schema and the file into a view, and return it; an error becomes its ``trouble``."""
        try:
            with self._within():
                if view.schema:
                    self._read_schema(view)
                if view.file:
                    view.data, view.size = self.folder.read(view.file, MOST_BYTES)
                    if view.spec is not None:
                        self._read_file(view)
        except BridgespecError as error:
            view.trouble = str(error)
        except RecursionError:
            view.trouble = "this is nested too deeply"
        return view

    def _read_schema(self, view: ServedView) -> None:
        """Set the text, findings, spec and engine of a view. Raises UsageError for a file that is no schema."""
        data, size = self.folder.read(view.schema, MOST_SCHEMA)
        view.path = self.folder.path(view.schema)
        if size > MOST_SCHEMA or view.path.suffix not in LANGUAGES:
            raise UsageError("this is no schema: one has the suffix .ksy, .lark or .bid, and at most a mebibyte")
        view.text = data.decode("utf-8", "replace").replace("\r\n", "\n")
        folders = self._searched(view.path)
        if view.path.suffix == ".bid":
            view.found = LANGUAGES[".bid"].findings(EditorDraft(view.path, view.text, tuple(folders)))
            view.engine = Engine(self.specs)
            view.spec = view.engine.named(view.path.name)
            return
        view.spec, found = findings(view.path, folders, view.text)
        view.found = in_file(found, view.path)
        view.engine = Engine([view.path.parent, *folders])

    def _read_file(self, view: ServedView) -> None:
        """Set the report of a view and the sections of its file."""
        assert view.spec is not None
        assert view.engine is not None
        whole = len(view.data) == view.size
        if not whole and view.is_text:
            # Only whole lines: the cut line would be reported as an error, which the file does not have.
            view.data = view.data[: view.data.rfind(b"\n") + 1] or view.data
        known = view.engine.of(view.spec)
        reading, document = known.read(view.data)
        view.report = report(view.spec, known.binder.places, reading, document, view.file, True, known.codec if whole else None)
        groups = groups_of(reading.root)
        if not whole and groups:
            # The data end within the last record only because the rest is not read: findings from there on are dropped.
            stop = groups[-1].node.start // 8
            kept = tuple(one for one in view.report.diagnostics if one.span is not None and one.span.byte_stop <= stop)
            view.report = replace(view.report, diagnostics=kept)
        page = dumppage.Page(view.spec, known.binder, view.file, len(view.data), partial(_slice, view.data))
        view.sections = list(page.sections(dumppage.DumpRun(groups, document, view.report.diagnostics)))

    def render(self, view: ServedView, part: int) -> str:
        """Return the content of the page as HTML: the schema with its findings, the section ``part`` of the file, and all its
        findings.
        """
        text = view.text.encode("utf-8", "replace")
        lines: dict[int, list[Diagnostic]] = {}
        for one in view.found:
            at = line_of(text, one.span.byte_start)[0] if one.span is not None else 1
            lines.setdefault(at, []).append(one)
        part = min(max(part, 0), max(len(view.sections) - 1, 0))
        component = Markup("")
        if view.sections and view.spec is not None and view.engine is not None:
            annotator = Annotator(view.spec, view.engine.of(view.spec).binder)
            # A copy: drawing a section changes its parts and bytes, and the view is cached for further requests.
            component = dumppage.drawn(annotator, replace(view.sections[part], parts=[]), view.file)
        where = [(one, index) for index, section in enumerate(view.sections) for one in section.findings]
        if view.report is not None and not view.sections:
            where = [(one, 0) for one in view.report.diagnostics]
        places = [(one, place_text(one, view.data, view.is_text), index) for one, index in where]
        at_lines = [line_of(text, one.span.byte_start)[0] if one.span else 1 for one in view.found]
        return environment().get_template("serve_view.html").render(
            view=view, lines=lines, source=view.text.split("\n"), part=part, component=component, found=places, visible=visible,
            reports=[(line, finding_html(one, text, True)) for line, one in zip(at_lines, view.found, strict=True)],
            read=len(view.data),
        )  # fmt: skip

    def more(self, view: ServedView, part: int, kind: str) -> str:
        """Return a folded part of the page as HTML: trace, json, samples, trials or doc. Raises UsageError for another ``kind``."""
        makers: dict[str, Callable[[ServedView, int], str]] = {
            "trace": self._trace, "json": self._json, "samples": self._samples, "trials": self._trials, "doc": self._doc,
        }  # fmt: skip
        if kind not in makers:
            raise UsageError("there is no such part")
        if kind != "trials" and (view.spec is None or view.engine is None):
            return Markup('<p class="quiet">The schema cannot be used yet: its findings are above.</p>')
        try:
            with self._within():
                return makers[kind](view, part)
        except (BridgespecError, OSError) as error:
            return Markup('<p class="report error">{}</p>').format(str(error))

    @staticmethod
    def _trace(view: ServedView, part: int) -> str:
        assert view.spec is not None
        assert view.engine is not None
        if view.report is None:
            return Markup('<p class="quiet">No file is read.</p>')
        groups = view.sections[part].groups if part < len(view.sections) else []
        nodes = [(group.path, group.node) for group in groups] or [("", view.report.reading.root)]
        attempts, _ = trace(view.engine.of(view.spec), view.report.reading, nodes, view.report.diagnostics)
        rows = []
        for depth, one in islice(walk(attempts), MOST_TRACED):
            at = one.start // 8
            taken = view.data[at : -(-one.stop // 8)][:40]
            if view.is_text:
                place, read = "{}:{}".format(*line_of(view.data, at)), visible(taken)
            else:
                place, read = f"0x{at:04x}" + (f".{one.start % 8}" if one.start % 8 else ""), Markup(taken[:12].hex(" "))
            result = read if one.outcome == "read" else one.outcome
            row = '<div class="step {}" data-deep="{}"><span class="o">{}</span><b>{}</b> <span>{}</span> <em>{}</em></div>'
            rows.append(Markup(row).format(one.outcome, min(depth, 12), place, one.rule, result, one.reason))
        return Markup('<div class="trace" tabindex="0" role="group" aria-label="Trace">{}</div>').format(Markup("").join(rows))

    @staticmethod
    def _json(view: ServedView, _part: int) -> str:
        if view.report is None:
            return Markup('<p class="quiet">No file is read.</p>')
        text = dump(view.report.document).decode()
        cut = "\n…" if len(text) > MOST_JSON else ""
        return Markup('<pre tabindex="0" role="group" aria-label="JSON">{}</pre>').format(text[:MOST_JSON] + cut)

    @staticmethod
    def _samples(view: ServedView, _part: int) -> str:
        assert view.spec is not None
        assert view.engine is not None
        sampler, made = Sampler(view.engine, view.spec, 0), []
        for index in range(3):
            data = sampler.valid(index)[:MOST_BYTES]
            known = view.engine.of(view.spec)
            reading, document = known.read(data)
            page = dumppage.Page(view.spec, known.binder, f"sample {index + 1}", len(data), partial(_slice, data))
            section = next(page.sections(dumppage.DumpRun(groups_of(reading.root), document, reading.diagnostics)), None)
            if section is not None:
                made.append(dumppage.drawn(Annotator(view.spec, known.binder), section, f"sample {index + 1}"))
        return Markup("").join(made)

    def _trials(self, view: ServedView, _part: int) -> str:
        if view.path is None:
            return Markup('<p class="quiet">No schema is chosen.</p>')
        whole = view.report is not None and view.report.diagnostics and len(view.data) == view.size
        draft = EditorDraft(view.path, view.text, tuple(self._searched(view.path)))
        found = LANGUAGES[view.path.suffix].trials(draft, view.data if whole else b"")
        if not found:
            broken = any(one.severity is Severity.ERROR for one in view.found)
            nothing = "Trials begin when the schema has no errors." if broken else "No findings."
            return Markup('<p class="quiet">{}</p>').format(nothing)
        return Markup("").join(finding_html(one, view.text.encode("utf-8", "replace"), True) for one in found)

    @staticmethod
    def _doc(view: ServedView, _part: int) -> str:
        assert view.spec is not None
        assert view.engine is not None
        held = capacity(view.engine.of(view.spec).binder)
        page = format_page(view.spec, view.engine, {view.spec.id: held}, {})
        around = {"program": "", "root": "", "here": "", "own": {}, "version": "", "formats": [], "codes": [], "commands": []}
        html = environment().get_template("format.html").render(page=page, has_conformance=False, **around)
        inner = html.partition("<main")[2].partition(">")[2].rpartition("</main>")[0]
        inner = re.sub(r'<p class="crumb">.*?</p>|<nav class="toc".*?</nav>', "", inner, flags=re.DOTALL)
        # The other pages of the site are not served, so links to them lose their target.
        return Markup(_LINK.sub("<a>", inner).replace("<h1>", "<h2>").replace("</h1>", "</h2>"))


def _slice(data: bytes, start: int, stop: int) -> bytes:
    return data[start:stop]
