"""Collect every code of findings: those of the package and those that schemas define, with the formats that report them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from bridgespec.codec import lint, losses, writer
from bridgespec.codec.text import reader
from bridgespec.diagnostic import CODES, Severity
from bridgespec.docs.prose import plain
from bridgespec.docs.type_names import message_text
from bridgespec.export import json
from bridgespec.spec.grammar import Grammar, linear
from bridgespec.spec.ir import Binding, PosInstance, Spec

# These modules define codes when they are imported, which the readers of files do only for files that need them.
DEFINING = (writer, lint, losses, reader, json, linear)


@dataclass
class CodePage:
    """The page of one code. ``declared`` has, by schema, the elements that declare the code, with their messages; ``own`` is true
    for a code of the package.
    """

    name: str
    severity: Severity
    text: str
    declared: dict[str, list[str]] = field(default_factory=dict)
    own: bool = True

    @property
    def summary(self) -> str:
        """The first line of the code's documentation."""
        return plain(self.text.strip().partition("\n\n")[0])

    @property
    def rest(self) -> str:
        """The documentation after its first line."""
        return self.text.strip().partition("\n\n")[2]


@dataclass(frozen=True)
class Declared:
    """A declaration of a code in a schema: the name of the element that declares it, its message, and the text of a page for a code
    that the package does not define.
    """

    code: str
    severity: Severity
    where: str
    message: str
    page: str


def code_pages(specs: Iterable[Spec]) -> dict[str, CodePage]:
    """Return the page of every code, sorted by code."""
    found = {name: CodePage(name, code.severity, code.page) for name, code in CODES.items()}
    for spec in specs:
        for one in declared(spec):
            page = found.get(one.code)
            if page is None:
                page = found[one.code] = CodePage(one.code, one.severity, one.page, own=False)
            texts = page.declared.setdefault(spec.id, [])
            text = f"{one.where}: {one.message}" if one.message else one.where
            # Several elements of a schema may declare a code with the same message.
            if text not in texts:
                texts.append(text)
    return dict(sorted(found.items()))


def declared(spec: Spec) -> Iterator[Declared]:
    """Yield the codes that a schema declares: in record checks, constraints of fields, and words of rules."""
    for record in spec.records.values():
        for check in record.checks:
            yield Declared(check.code, check.severity, record.name, check.message, check.message)
        positioned = (one.field for one in record.instances.values() if isinstance(one, PosInstance))
        for one in (*record.fields, *positioned):
            if one.binding.code:
                yield _of_field(one.binding, one.name, one.doc)
    if isinstance(spec.text, Grammar):
        yield from _of_rules(spec.text)


def _of_rules(grammar: Grammar) -> Iterator[Declared]:
    """Yield the codes that the head and the rules of a grammar declare."""
    for where, report in grammar.reports():
        message = message_text(report.message) + (f" ({report.help})" if report.help else "")
        yield Declared(report.code, report.severity, where, message, message_text(report.message))
    for rule in grammar.rules.values():
        words = rule.words
        for content in words.contents:
            message = message_text(content.report.message) or f"a text that the field {content.of} may not hold"
            yield Declared(content.report.code, content.report.severity, rule.name, message, message)
        if words.inherit is not None:
            report = words.inherit.report
            message = message_text(report.message)
            yield Declared(report.code, report.severity, rule.name, message, message)
        columns = words.pair.columns if words.pair is not None else None
        if columns is not None:
            message = message_text(columns.report.message) or "a cell of a table that its column may not hold"
            yield Declared(columns.report.code, columns.report.severity, rule.name, message, message)
        if words.binding.code:
            yield _of_field(words.binding, rule.name, words.doc)


def _of_field(binding: Binding, name: str, doc: str) -> Declared:
    """Return the code that the binding of a field or a rule declares for broken constraints."""
    page = f"a value that the field {name} may not hold\n\n{doc}"
    return Declared(binding.code or "", binding.severity, name, plain(doc), page)
