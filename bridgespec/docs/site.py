"""Generate the whole site from the specs, the rules and the commands: `Site.pages`. Equal inputs give identical files."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import click

from bridgespec.docs import component
from bridgespec.docs.codes import CodePage, code_pages
from bridgespec.docs.commands import CommandPage, command_pages, common_options
from bridgespec.docs.environment import STATIC, environment
from bridgespec.docs.format_pages import Capacity, FormatPage, Workbench, capacity, format_page
from bridgespec.docs.guides import guides, pictures, tutorial
from bridgespec.docs.prose import Markup, prose, slug
from bridgespec.docs.python_reference import PythonName, python_names
from bridgespec.docs.reference import entries, examples, refused, sections
from bridgespec.docs.search import SearchEntry, script
from bridgespec.spec.catalog import builtin_folder
from bridgespec.spec.dialect import TABLES, json_schema
from bridgespec.spec.ir import Spec
from bridgespec.targets.javascript.readers import readers

if TYPE_CHECKING:
    import jinja2

HERE = Path(__file__).parent
CONFORMANCE = (HERE / "data" / "conformance.json", HERE.parent.parent / "docs" / "conformance.json")

FormatProgress = Callable[[str], None]
"""A function that is called with the id of each format before its page is made."""

GROUPS = {
    "record of play": "Records of bidding and play",
    "dealing machine": "Deals, for dealing machines and programs",
    "database": "Databases of deals",
    "bidding system": "Bidding systems",
}
"""The headings of groups of formats, by the tags of their schemas."""
NAMED = 4
"""The maximum number of the user's own formats in the header of every page."""
OWN, OTHERS = "Your own formats", "Other formats"


def is_own(spec: Spec) -> bool:
    """Whether a schema is the user's own, not one of the package."""
    return builtin_folder() not in Path(spec.path).resolve().parents


@dataclass
class Site:
    """Generates a site: ``bench`` is the engine that reads samples, ``commands`` the group of commands, ``program`` and ``version``
    are those of the program, ``names`` the public names of the package (none: no reference of Python).
    """

    specs: Sequence[Spec]
    bench: Workbench
    commands: click.Group
    program: str
    version: str
    names: Sequence[str] = ()
    progress: FormatProgress = field(default=lambda _: None)

    def __post_init__(self) -> None:
        """Sort the formats: the user's own first, then all others, by name."""
        self.specs = sorted(self.specs, key=lambda spec: (not is_own(spec), spec.id))

    @cached_property
    def codes(self) -> dict[str, CodePage]:
        """The pages of all codes of findings, by code; after loading the commands, since some modules of commands define codes."""
        return code_pages(self.specs) if self.command_pages else {}

    @cached_property
    def capacities(self) -> Mapping[str, Capacity]:
        """The terms that each format can represent, by format."""
        return {spec.id: capacity(self.bench.of(spec).binder, self._beside(spec)) for spec in self.specs}

    def _beside(self, spec: Spec) -> frozenset[str]:
        """Return the terms that a format's documents have beside boards, as found in its samples."""
        documents = [self.bench.examine(sample.data, spec.id).document for sample in spec.samples if not sample.codes]
        return frozenset({"system"} if any(document.system is not None for document in documents) else ())

    @cached_property
    def formats(self) -> list[FormatPage]:
        """The pages of all formats."""
        links = {name: Markup('<a class="code" href="../codes/{}.html">{}</a>').format(slug(name), name) for name in self.codes}
        made = []
        for spec in self.specs:
            self.progress(spec.id)
            made.append(format_page(spec, self.bench, self.capacities, links))
        return made

    @cached_property
    def groups(self) -> list[tuple[str, list[FormatPage]]]:
        """The format pages under their headings: the user's own first, those without a known tag last."""
        found: dict[str, list[FormatPage]] = {heading: [] for heading in (OWN, *GROUPS.values(), OTHERS)}
        for one in self.formats:
            tags = one.spec.meta.get("tags")
            known = [GROUPS[tag] for tag in tags if tag in GROUPS] if isinstance(tags, list | tuple) else []
            found[OWN if is_own(one.spec) else known[0] if known else OTHERS].append(one)
        return [(heading, pages) for heading, pages in found.items() if pages]

    @cached_property
    def command_pages(self) -> list[CommandPage]:
        """The pages of all commands."""
        return command_pages(self.commands, self.program)

    @cached_property
    def python(self) -> tuple[PythonName, ...]:
        """The public names of the package, from its source."""
        return python_names("bridgespec", tuple(self.names)) if self.names else ()

    @cached_property
    def reporting(self) -> dict[str, list[tuple[FormatPage, object]]]:
        """The samples that report each code, each with the page of its format."""
        found: dict[str, list[tuple[FormatPage, object]]] = {}
        for page in self.formats:
            for vector in page.broken:
                for name in vector.codes:
                    found.setdefault(name, []).append((page, vector))
        return found

    @cached_property
    def _environment(self) -> jinja2.Environment:
        return environment()

    @cached_property
    def _conformance(self) -> str | None:
        """The results of Kaitai's own suite as JSON; None where they are not at hand."""
        return _first(CONFORMANCE)

    @cached_property
    def _common(self) -> Mapping[str, object]:
        """The variables that the templates of all pages have."""
        return {
            "version": self.version,
            "program": self.program,
            "formats": self.formats,
            "own": {f"formats/{slug(one.id)}.html": one.id for one in self.specs[:NAMED] if is_own(one)},
            "codes": self.codes,
            "commands": self.command_pages,
            "tutorial": tutorial(),
            "guides": guides(),
            "python": self.python,
            "has_conformance": self._conformance is not None,
        }

    def _page(self, path: str, template: str, **context: object) -> tuple[str, bytes]:
        """Return the file of a page, made with a template, with its path from the root."""
        root = "../" * path.count("/")
        # Addresses are relative: a site is also read from the disk, where a leading slash is the root of the disk.
        text = self._environment.get_template(template).render(**self._common, **context, root=root, here=path)
        return path, text.encode()

    def pages(self) -> Iterator[tuple[str, bytes]]:
        """Yield every file of the site with its path from the root."""
        held = {name: one.terms for name, one in self.capacities.items()}
        yield self._page("index.html", "index.html", terms=frozenset().union(*held.values()), held=held, groups=self.groups)
        yield from self._format_files()
        yield from self._code_files()
        yield from self._command_files()
        yield from self._language_files(held)
        yield from self._guide_files()
        yield from self._python_files()
        if self._conformance is not None:
            yield self._page("conformance.html", "conformance.html", results=json.loads(self._conformance))
        yield self._page("search.html", "search.html")
        yield from self._static_files()

    def _format_files(self) -> Iterator[tuple[str, bytes]]:
        """Yield the pages of the formats, and their schemas with those that they share."""
        for one in self.formats:
            yield self._page(f"formats/{slug(one.spec.id)}.html", "format.html", page=one)
            yield f"schemas/{one.schema_name}", one.schema.encode()
        own = {one.schema_name for one in self.formats}
        shared = {path.name: path for one in self.formats for path in one.shared if path.name not in own}
        for name, path in sorted(shared.items()):
            yield f"schemas/{name}", path.read_bytes()

    def _code_files(self) -> Iterator[tuple[str, bytes]]:
        """Yield the pages of the codes of findings."""
        yield self._page("codes/index.html", "codes.html", reporting=self.reporting)
        for code_page in self.codes.values():
            shown = self.reporting.get(code_page.name, [])
            yield self._page(f"codes/{slug(code_page.name)}.html", "code.html", page=code_page, examples=shown)

    def _command_files(self) -> Iterator[tuple[str, bytes]]:
        """Yield the pages of the commands."""
        yield self._page("commands/index.html", "commands.html", options=common_options(self.commands, self.program))
        for command in self.command_pages:
            yield self._page(f"commands/{slug(command.name)}.html", "command.html", page=command)

    def _language_files(self, held: Mapping[str, frozenset[str]]) -> Iterator[tuple[str, bytes]]:
        """Yield the pages about the language of schemas, and its JSON Schemas; ``held`` are the terms of each format."""
        where = {name: [id for id, terms in held.items() if name in terms] for name in frozenset().union(*held.values())}
        chapters = sections()
        yield self._page("language.html", "language.html", chapters=chapters, refused=refused())
        for chapter in chapters:
            path = f"language/{chapter.anchor}.html"
            yield self._page(path, "chapter.html", chapter=chapter, held=defaultdict(list, where))
        yield self._page("language/examples.html", "examples.html", examples=examples())
        for language in TABLES:
            yield f"schemas/{language}.schema.json", json.dumps(json_schema(language), indent=2, ensure_ascii=False).encode()

    def _guide_files(self) -> Iterator[tuple[str, bytes]]:
        """Yield the pages of the tutorial and of the guides, and their pictures."""
        for text in tutorial():
            yield self._page(text.path, "tutorial.html", page=text)
        yield self._page("guides/index.html", "guides.html")
        for text in guides():
            yield self._page(text.path, "guide.html", page=text)
        yield from pictures()

    def _python_files(self) -> Iterator[tuple[str, bytes]]:
        """Yield the pages about the public names of the package."""
        yield self._page("python/index.html", "python.html")
        yield self._page("python/functions.html", "python_functions.html")
        for described in self.python:
            if described.kind != "function":
                yield self._page(described.url, "python_class.html", page=described)

    def _static_files(self) -> Iterator[tuple[str, bytes]]:
        """Yield the scripts that are generated, the demo, and the files that are the same for every site."""
        yield "static/search.js", script(self._entries(self._conformance is not None)).encode()
        reading = readers(self.specs)
        yield component.DEMO, component.demo_page(self.version, reading).encode()
        yield "static/readers.js", reading.encode()
        yield "static/boards.js", component.script().encode()
        for path in sorted(STATIC.iterdir()):
            # A dump page has its script inside, so the site does not need it.
            if path.is_file() and not path.name.startswith("dump"):
                yield f"static/{path.name}", path.read_bytes()

    def _entries(self, conformance: bool) -> Iterator[SearchEntry]:
        """Yield the entries of the search index; ``conformance``: the site has a page of conformance."""
        for one in self.formats:
            url = f"formats/{slug(one.spec.id)}.html"
            words = f"{' '.join(one.spec.extensions)} {' '.join(one.holds)} {one.spec.doc}"
            yield SearchEntry("format", f"{one.spec.id}: {one.spec.title}", url, words)
            for drawn in one.records:
                for row in drawn.table.rows:
                    words = f"{row.doc.striptags()} {row.meaning.striptags()}"
                    yield SearchEntry("field", f"{row.name} ({drawn.table.name})", f"{url}#{row.anchor}", words)
            for rule in one.rules:
                words = f"{rule.says} {rule.doc.striptags()} {rule.meaning.striptags()}"
                # In the search, a rule that is bound to the model is called a field.
                kind = "field" if rule.meaning else "rule"
                yield SearchEntry(kind, f"{rule.name} ({one.spec.id})", f"{url}#{rule.anchor}", words)
        for code_page in self.codes.values():
            words = f"{code_page.text} {' '.join(code_page.declared)}"
            yield SearchEntry(code_page.severity.value, code_page.name, f"codes/{slug(code_page.name)}.html", words)
        for command in self.command_pages:
            words = f"{command.short} {' '.join(option.name for option in command.options)}"
            yield SearchEntry("command", f"{self.program} {command.name}", f"commands/{slug(command.name)}.html", words)
        for one_word in entries():
            yield SearchEntry(one_word.kind, one_word.name, f"language/{one_word.kind}.html#{one_word.anchor}", one_word.doc)
        for chapter in tutorial():
            yield SearchEntry("page", f"Tutorial: {chapter.title}", chapter.path, _words(chapter.text.partition("\n")[2]))
        for guide in guides():
            head = guide.text.partition("\n")[2].partition("\n## ")[0]
            yield SearchEntry("page", guide.title, guide.path, _words(head))
            for anchor, title, text in guide.parts():
                yield SearchEntry("page", f"{guide.title}: {title}", f"{guide.path}#{anchor}", _words(text))
        yield SearchEntry("page", "Demo: sixteen boards", component.DEMO, "play analyse double dummy results records print share")
        for name in self.python:
            yield SearchEntry("python", name.name, name.url, name.summary)
            for member in name.members:
                yield SearchEntry("python", f"{name.name}.{member.name}", f"{name.url}#{member.name}", member.doc.striptags())
        if conformance:
            yield SearchEntry("page", "Conformance to Kaitai Struct", "conformance.html", "tests suite")


def _words(markdown: str) -> str:
    """Return the text of Markdown without markup, for the search index."""
    return prose(markdown, lambda link: None).striptags()


def _first(paths: Iterable[Path]) -> str | None:
    """Return the text of the first file that exists; None where none does."""
    return next((path.read_text("utf-8") for path in paths if path.is_file()), None)
