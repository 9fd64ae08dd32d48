"""A format's page: everything that its schema says, drawn, tabulated and worked out on its own samples."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from bridgespec.codec.node import Reading
from bridgespec.diagnostic import Diagnostic
from bridgespec.docs import drawing, figure, geometry, tables, tracks
from bridgespec.docs.annotate import Annotator, Section, groups_of
from bridgespec.docs.deals import Binds
from bridgespec.docs.decode import Worked, worked
from bridgespec.docs.findings import finding_html
from bridgespec.docs.prose import Markup, highlight, plain, prose, slug
from bridgespec.docs.words import term_order
from bridgespec.model.document import Document
from bridgespec.spec.grammar import Grammar
from bridgespec.spec.ir import Record, Sample, Source, Spec


class Examined(Protocol):
    """A file as the engine examined it."""

    @property
    def reading(self) -> Reading: ...
    @property
    def document(self) -> Document: ...
    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]: ...


class Workbench(Protocol):
    """What the generator needs of the engine: the same reading, binding and checking that every command uses."""

    def examine(self, data: bytes, format: str | None = None, path: str | None = None) -> Examined: ...
    def binder(self, spec: Spec) -> Binds: ...


@dataclass(frozen=True)
class Vector:
    """A test vector: what it is, its findings, and the whole of it annotated."""

    name: str
    anchor: str
    doc: Markup
    size: int
    codes: Sequence[str]
    reports: Sequence[Markup]
    component: Markup


@dataclass(frozen=True)
class Drawn:
    """A record with its drawing, its figure and its table; without drawing where it is a mere list."""

    table: tables.RecordTable
    svg: Markup | None
    figure: str


@dataclass(frozen=True)
class Track:
    """A rule with its diagram."""

    name: str
    doc: Markup
    svg: Markup


@dataclass(frozen=True)
class Loss:
    """What is lost to some formats: the same terms to each. ``kept`` is what is left, where that is less."""

    terms: Sequence[str]
    formats: Sequence[str]
    kept: Sequence[str] = ()


@dataclass(frozen=True)
class FormatPage:
    """One format."""

    spec: Spec
    kind: str
    doc: Markup
    summary: str
    sources: Sequence[Source]
    holds: Sequence[str]
    lacks: Sequence[str]
    losses: Sequence[Loss]
    gains: Sequence[str]
    records: Sequence[Drawn]
    tracks: Sequence[Track]
    rules: Sequence[tables.RuleRow]
    sample: Vector | None
    worked: Sequence[Worked]
    valid: Sequence[Vector]
    broken: Sequence[Vector]
    schema: str
    schema_name: str
    schema_html: Markup


_IMPLIED = {"first_number": "number"}
"""Terms that need no place of their own where another one has it: numbered boards tell the first number."""


def losses(own: frozenset[str], others: Mapping[str, frozenset[str]]) -> list[Loss]:
    """What of ``own`` terms other formats cannot hold, formats with the same loss together, the smallest loss first.

    >>> [(loss.terms, loss.formats) for loss in losses(frozenset("ab"), {"x": frozenset("a"), "y": frozenset("ab")})]
    [([], ['y']), (['b'], ['x'])]
    """
    found: dict[tuple[str, ...], list[str]] = {}
    for name, terms in sorted(others.items()):
        implied = {one for one, other in _IMPLIED.items() if other in terms}
        found.setdefault(tuple(term_order(own - terms - implied)), []).append(name)
    made = []
    for lost, names in sorted(found.items(), key=lambda item: (len(item[0]), item[0])):
        kept = own - set(lost)
        made.append(Loss(list(lost), names, term_order(kept) if 0 < 2 * len(kept) < len(lost) else ()))
    return made


def format_page(spec: Spec, bench: Workbench, terms: Mapping[str, frozenset[str]], links: tables.Links) -> FormatPage:
    """The page of one format; ``terms`` are those of every format, ``links`` the names of findings as links."""
    own = terms[spec.id]
    every = frozenset().union(*terms.values())
    others = {name: held for name, held in terms.items() if name != spec.id}
    annotator = Annotator(spec, bench.binder(spec))
    vectors = [_vector(spec, sample, bench, annotator, links) for sample in spec.samples]
    valid = [vector for vector, sample in zip(vectors, spec.samples, strict=True) if not sample.codes]
    broken = [vector for vector, sample in zip(vectors, spec.samples, strict=True) if sample.codes]
    grammar = spec.text if isinstance(spec.text, Grammar) else None
    path = Path(spec.path)
    source = path.read_text("utf-8")
    return FormatPage(
        spec,
        "text" if grammar else "binary",
        prose(spec.doc),
        plain(spec.doc).partition(". ")[0].rstrip(".") + ".",
        spec.sources,
        term_order(own),
        term_order(every - own),
        losses(own, others) if own else [],
        sorted(name for name, held in others.items() if own and own <= held),
        [] if grammar else list(_records(spec, links)),
        list(_tracks(grammar)) if grammar else [],
        [tables.rule_row(grammar, rule, links) for rule in tracks.reachable(grammar)] if grammar else [],
        valid[0] if valid else None,
        _worked(spec, bench),
        valid[1:],
        broken,
        source,
        path.name,
        highlight(source, path.suffix.lstrip(".")),
    )


def _vector(spec: Spec, sample: Sample, bench: Workbench, annotator: Annotator, links: tables.Links) -> Vector:
    examined = bench.examine(sample.data, spec.id)
    text = spec.language == "lark"
    section = Section(
        sample.data,
        0,
        groups_of(examined.reading.root),
        examined.document,
        range(len(examined.document.boards)),
        examined.diagnostics,
    )
    reports = [finding_html(d, sample.data, text, f"../codes/{d.code}.html" * (d.code in links)) for d in examined.diagnostics]
    codes = sorted({d.code for d in examined.diagnostics})
    anchor = f"sample-{slug(sample.name)}"
    component = annotator.component(section, sample.name)
    return Vector(sample.name, anchor, prose(sample.doc), len(sample.data), codes, reports, component)


def _worked(spec: Spec, bench: Workbench) -> list[Worked]:
    """The arithmetic of all valid samples, each kind once: from the sample that shows most of it."""
    found: dict[str, Worked] = {}
    for sample in spec.samples:
        if sample.codes:
            continue
        examined = bench.examine(sample.data, spec.id)
        for one in worked(spec, examined.reading.root, examined.document, sample.data):
            if one.title not in found or len(one.body) > 1.5 * len(found[one.title].body):
                found[one.title] = one
    return list(found.values())


def _records(spec: Spec, links: tables.Links) -> Iterator[Drawn]:
    for record in geometry.reachable(spec):
        made = geometry.boxes(spec, record)
        listed = len(made) == 1 and made[0].bits is None
        svg = None if listed or not made else drawing.drawing(made, _title(spec, record))
        yield Drawn(tables.record_table(spec, record, links), svg, "" if svg is None else figure.figure(made))


def _title(spec: Spec, record: Record) -> str:
    return f"Bit layout of {'the file' if record.name == spec.root else record.name}"


def _tracks(grammar: Grammar) -> Iterator[Track]:
    for rule in tracks.reachable(grammar):
        if tracks.has_track(rule):
            yield Track(rule.name, prose(rule.words.doc), tracks.track(grammar, rule))
