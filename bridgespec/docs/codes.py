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

# A code is known once its module is imported, and what reads files imports these only for the files that need them.
DEFINING = (writer, lint, losses, reader, json, linear)


@dataclass
class CodePage:
    """The page of one code; ``declared`` are its declarations in schemas, with the messages that these give it."""

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
    """The declaration of a code in a schema: where, and with which message."""

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
            said = page.declared.setdefault(spec.id, [])
            text = f"{one.where}: {one.message}" if one.message else one.where
            # Several fields of a schema often report one code with the same text.
            if text not in said:
                said.append(text)
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
    page = f"a value that the field {name} may not hold\n\n{doc}"
    return Declared(binding.code or "", binding.severity, name, plain(doc), page)
