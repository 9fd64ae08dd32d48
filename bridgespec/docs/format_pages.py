"""Generate the page of a format: the content of its schema, with drawings, tables, and worked examples on its own samples.
`format_page` is the entry.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Protocol

from bridgespec.codec.anatomy import groups_of
from bridgespec.codec.bind import Binder
from bridgespec.codec.binding_words import below, entry_of
from bridgespec.codec.bulk.codec import why_not
from bridgespec.codec.node import Reading
from bridgespec.codec.terms import SIZES
from bridgespec.codec.terms.deal_terms import span_of
from bridgespec.diagnostic import Diagnostic
from bridgespec.docs import component, field_tables, geometry, tracks
from bridgespec.docs.annotate import Annotator, ComponentSection
from bridgespec.docs.deal_diagrams import Binds
from bridgespec.docs.decode import WorkedExample, worked_examples
from bridgespec.docs.finding_blocks import finding_html
from bridgespec.docs.prose import Markup, highlight, plain, prose, slug
from bridgespec.docs.record_drawings import drawing, figure
from bridgespec.docs.type_names import term_order
from bridgespec.model.document import Document
from bridgespec.sources import is_source
from bridgespec.spec.grammar import Grammar, GrammarRule
from bridgespec.spec.ir import Record, Sample, Source, Spec


class ReportSource(Protocol):
    """The attributes of a `Report` that pages use."""

    @property
    def reading(self) -> Reading: ...
    @property
    def document(self) -> Document: ...
    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]: ...


class Bound(Protocol):
    """The attributes of a `Format` that pages use."""

    @property
    def binder(self) -> Binds: ...


class Workbench(Protocol):
    """The methods of the engine that the generator uses, so that pages are read, bound and checked as in every command."""

    def examine(self, data: bytes, format: str | None = None, path: str | None = None) -> ReportSource: ...
    def of(self, spec: Spec) -> Bound: ...


@dataclass(frozen=True)
class Vector:
    """A sample of a schema on its page: its description, its findings, and its annotated bytes."""

    name: str
    anchor: str
    doc: Markup
    size: int
    codes: Sequence[str]
    reports: Sequence[Markup]
    component: Markup
    boards: Markup
    """The boards of the sample as JSON for the component that draws them; empty where there are none."""


@dataclass(frozen=True)
class DrawnRecord:
    """A record on a page with its table, its drawing and its ASCII figure; without drawing and figure where both would be a single
    box of unknown size.
    """

    table: field_tables.RecordFields
    svg: Markup | None
    figure: str


@dataclass(frozen=True)
class Track:
    """A rule on a page with its railroad diagram. ``mistakes`` are the rules for errors in texts that it refers to: name, and
    severity, code and message of the finding.
    """

    name: str
    doc: Markup
    svg: Markup
    mistakes: Sequence[tuple[str, str, str, Markup]] = ()


@dataclass(frozen=True)
class Loss:
    """The terms that are lost in conversions to ``formats``. ``kept`` are the terms that are kept, if these are few enough to be
    shown in place of the lost ones, else empty.
    """

    terms: Sequence[str]
    formats: Sequence[str]
    kept: Sequence[str] = ()


@dataclass(frozen=True)
class FormatPage:
    """The page of one format. ``holds`` are the terms that it can represent, ``lacks`` those that only other formats can; ``bulk``
    is the reason why its files cannot be read as arrays, empty where they can.
    """

    spec: Spec
    kind: str
    doc: Markup
    summary: str
    sources: Sequence[Source]
    holds: Sequence[str]
    lacks: Sequence[str]
    losses: Sequence[Loss]
    bulk: str
    records: Sequence[DrawnRecord]
    tracks: Sequence[Track]
    rules: Sequence[field_tables.RuleRow]
    sample: Vector | None
    worked: Sequence[WorkedExample]
    valid: Sequence[Vector]
    broken: Sequence[Vector]
    schema: str
    schema_name: str
    schema_html: Markup
    shared: Sequence[Path]

    @cached_property
    def proofs(self) -> field_tables.ProofTable:
        """The proofs about the schema, made when the page is rendered, since they take longer than the rest of the page."""
        return field_tables.proof_table(self.spec)

    def columns(self, rows: Sequence[field_tables.FieldRow | field_tables.RuleRow]) -> dict[str, str]:
        """Return the names and titles of the columns in `COLUMNS` that are not empty in all rows; without that of the model for a
        schema without terms.
        """
        return {
            name: title
            for name, title in COLUMNS.items()
            if (name != "meaning" or self.holds) and any(getattr(r, name) for r in rows)
        }


COLUMNS = {"codes": "Codes", "constraints": "Must be", "meaning": "In the model"}
"""The titles of optional columns in tables of fields and rules, by the attribute of a row that they show."""
_ALL = 10**6
"""The number of cells of a term that a format can represent completely."""
_IMPLIED = {"first_number": "number"}
"""Terms that are implied by another: the number of the first board follows from numbered boards."""


@dataclass(frozen=True)
class Capacity:
    """The terms that a format can represent; ``cells`` has the number of cells of a term of which it can represent a part."""

    terms: frozenset[str]
    cells: Mapping[str, int] = field(default_factory=dict)

    def lost_in(self, other: Capacity) -> list[str]:
        """Return the terms that are lost in a format with the capacity ``other``; a term of which a part is kept has a note."""
        implied = {one for one, instead in _IMPLIED.items() if instead in other.terms}
        lost = term_order(self.terms - other.terms - implied)
        few = [t for t in other.cells if t in self.terms and other.cells[t] < self.cells.get(t, _ALL)]
        return lost + [f"{term}: all but {other.cells[term]} cells" for term in sorted(few)]


def capacity(binder: Binds, beside: frozenset[str] = frozenset()) -> Capacity:
    """Return the capacity of a format by its bindings; ``beside`` are further terms of its documents, outside of boards."""
    cells: dict[str, int] = {}
    board = binder.board if isinstance(binder, Binder) else None
    for decl in below(board) if board is not None and not board.of_text else ():
        size = SIZES.get(entry_of(decl).term) if decl.binding.axes else None
        if size is not None and len(set(span_of(decl))) < size:
            cells[entry_of(decl).term] = len(set(span_of(decl)))
    return Capacity(binder.terms | beside, cells)


def losses(own: Capacity, others: Mapping[str, Capacity]) -> list[Loss]:
    """Return what is lost in conversions to other formats, the smallest loss first; formats with equal losses are grouped.

    >>> others = {"x": Capacity(frozenset("a")), "y": Capacity(frozenset("ab")), "z": Capacity(frozenset("ab"), {"b": 5})}
    >>> [(loss.terms, loss.formats) for loss in losses(Capacity(frozenset("ab")), others)]
    [([], ['y']), (['b'], ['x']), (['b: all but 5 cells'], ['z'])]
    """
    found: dict[tuple[str, ...], list[str]] = {}
    for name, other in others.items():
        found.setdefault(tuple(own.lost_in(other)), []).append(name)
    made = []
    for lost, names in sorted(found.items(), key=lambda item: (len(item[0]), item[0])):
        kept = own.terms - set(lost)
        # Few terms that are kept are shown in place of many lost ones; not where a part of a term is lost.
        few = 0 < 2 * len(kept) < len(lost) and set(lost) <= own.terms
        made.append(Loss(list(lost), names, term_order(kept) if few else ()))
    return made


def format_page(spec: Spec, bench: Workbench, every: Mapping[str, Capacity], links: field_tables.Links) -> FormatPage:
    """Return the page of one format. ``every`` has the capacity of each format, ``links`` the names of codes as links."""
    own = every[spec.id]
    others = {name: held for name, held in every.items() if name != spec.id and held.terms}
    known = frozenset().union(*(held.terms for held in every.values()))
    annotator = Annotator(spec, bench.of(spec).binder)
    anchors = _anchors(spec.samples)
    vectors = [_vector(spec, *one, bench, annotator, links) for one in zip(spec.samples, anchors, strict=True)]
    valid = [vector for vector, sample in zip(vectors, spec.samples, strict=True) if not sample.codes]
    broken = [vector for vector, sample in zip(vectors, spec.samples, strict=True) if sample.codes]
    grammar = spec.text if isinstance(spec.text, Grammar) else None
    path = Path(spec.path)
    source = path.read_text("utf-8")
    return FormatPage(
        spec,
        "text" if grammar else "binary",
        prose(spec.doc),
        plain(spec.doc).partition(". ")[0].rstrip(".") + "." * bool(spec.doc),
        spec.sources,
        term_order(own.terms),
        term_order(known - own.terms),
        losses(own, others) if own.terms else [],
        # Without the path of the schema, so that the site does not depend on the folder in which it is made.
        re.sub(r"^.*?:(\d+):\d+: ", r"line \1 of the schema: ", why_not(spec)),
        [] if grammar else list(_records(spec, links)),
        list(_tracks(grammar)) if grammar else [],
        [field_tables.rule_row(grammar, rule, links) for rule in tracks.reachable(grammar)] if grammar else [],
        valid[0] if valid else None,
        _worked(spec, bench),
        valid[1:],
        broken,
        source,
        path.name,
        highlight(source, path.suffix.lstrip(".")),
        list(_shared(path, source)),
    )


def _shared(path: Path, source: str) -> Iterator[Path]:
    """Yield the shared schemas that this one imports, directly or through others."""
    pending, seen = [source], {path}
    while pending:
        text = pending.pop()
        for one in sorted(path.parent.glob(f"*{path.suffix}")):
            if one not in seen and is_source(one) and _imports(text, one.stem):
                seen.add(one)
                pending.append(one.read_text("utf-8"))
                yield one


def _imports(source: str, name: str) -> bool:
    """Whether the text of a schema imports the schema with this name."""
    if re.search(rf"^%import\s+\.{re.escape(name)}\b", source, re.MULTILINE):
        return True
    # YAML's two notations of a list: in brackets, or an item a line.
    listed = re.search(r"^ +imports:((?: *\[[^\]]*\])|(?:\s+- .*)+)", source, re.MULTILINE)
    return listed is not None and name in re.findall(r"[\w/-]+", listed[1])


def _anchors(samples: Sequence[Sample]) -> list[str]:
    """Return a unique anchor for each sample."""
    made: list[str] = []
    for index, sample in enumerate(samples, 1):
        # Names that differ only in punctuation have the same slug.
        anchor = f"sample-{slug(sample.name)}"
        made.append(f"{anchor}-{index}" if anchor in made else anchor)
    return made


def _vector(spec: Spec, sample: Sample, anchor: str, bench: Workbench, annotator: Annotator, links: field_tables.Links) -> Vector:
    """Return a sample for the page, read and checked by the engine ``bench``."""
    examined = bench.examine(sample.data, spec.id)
    text = spec.language == "lark"
    section = ComponentSection(
        sample.data,
        0,
        groups_of(examined.reading.root),
        examined.document,
        range(len(examined.document.boards)),
        examined.diagnostics,
    )
    pages = {d.code: f"../codes/{slug(d.code)}.html" if d.code in links else "" for d in examined.diagnostics}
    reports = [finding_html(d, sample.data, text, pages[d.code]) for d in examined.diagnostics]
    codes = sorted({d.code for d in examined.diagnostics})
    shown = annotator.component(section, sample.name)
    boards = Markup(component.data(examined.document))
    return Vector(sample.name, anchor, prose(sample.doc), len(sample.data), codes, reports, shown, boards)


def _worked(spec: Spec, bench: Workbench) -> list[WorkedExample]:
    """Return the worked examples of all valid samples; of those with one title the one with the greatest weight."""
    found: dict[str, WorkedExample] = {}
    for sample in spec.samples:
        if sample.codes:
            continue
        examined = bench.examine(sample.data, spec.id)
        for one in worked_examples(spec, examined.reading.root, examined.document, sample.data):
            if one.title not in found or one.weight > found[one.title].weight:
                found[one.title] = one
    return list(found.values())


def _records(spec: Spec, links: field_tables.Links) -> Iterator[DrawnRecord]:
    """Yield the records that a file may contain, each with its table and, where useful, its drawing."""
    for record in geometry.reachable(spec):
        made = geometry.boxes(spec, record)
        # A drawing of one box of unknown size shows no more than the table.
        listed = len(made) == 1 and made[0].bits is None
        svg = None if listed or not made else drawing(made, _title(spec, record))
        yield DrawnRecord(field_tables.record_table(spec, record, links), svg, "" if svg is None else figure(made))


def _title(spec: Spec, record: Record) -> str:
    return f"Bit layout of {'the file' if record.name == spec.root else record.name}"


def _tracks(grammar: Grammar) -> Iterator[Track]:
    for rule in tracks.reachable(grammar):
        if tracks.has_track(grammar, rule):
            yield Track(rule.name, prose(rule.words.doc), tracks.track(grammar, rule), list(_mistakes(grammar, rule)))


def _mistakes(grammar: Grammar, rule: GrammarRule) -> Iterator[tuple[str, str, str, Markup]]:
    """Yield the rules for errors in texts that a rule refers to: name, severity, code and message of each."""
    for one in tracks.mistakes(grammar, rule):
        report = one.words.report
        if report is not None:
            yield one.name, report.severity.value, report.code, prose(re.sub(r"\{(\w+)(?:!r)?\}", r"…", report.message))
