"""From a ``.lark`` file to a `Spec`: the grammar, its words, and the records and enums that other engines read."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from bridgespec.spec import ir
from bridgespec.spec.grammar import RECOVER, Grammar, Rule
from bridgespec.spec.grammar_form_words import text_form
from bridgespec.spec.grammar_linear import check_linear
from bridgespec.spec.grammar_syntax import find_grammar, parse_rules, recursive
from bridgespec.spec.grammar_words import read_blocks, samples, sources, words
from bridgespec.spec.grammar_yaml import plain
from bridgespec.spec.problems import KEY, NAME, UNSUPPORTED, VALUE, Problems
from bridgespec.spec.yaml import Items

_TEXT = ir.StringType(ir.Extent(), "ISO8859-1")


def load_grammar(path: Path, problems: Problems | None = None, search: Iterable[Path | str] = ()) -> ir.Spec:
    """The schema in a Lark grammar; SpecError holds every mistake with its place.

    A grammar without an ``id`` in its head is a shared piece: its spec has no file extension. ``problems`` takes every finding,
    warnings of a usable grammar too; imports are looked for beside the grammar, then in the folders of ``search``.
    """
    folders = [Path(folder) for folder in search]
    source = path.read_text("utf-8")
    problems = Problems() if problems is None else problems
    rules = parse_rules(source, path, (), folders)
    for file in _files(path, rules, folders):
        blocks = read_blocks(file.read_text("utf-8"), file.name, problems)
        for name, block in blocks.rules.items():
            if name in rules and rules[name].place.file == file.name:
                rules[name] = replace(rules[name], words=words(block, problems))
    head = read_blocks(source, path.name, Problems()).head
    values = {key: plain(head.get(key)) for key in head.values}
    start = str(values.get("start", "start"))
    name = str(values.get("id") or path.stem)
    extensions = head.get("extensions")
    if "extensions" in head and not isinstance(extensions, Items):
        problems.add(VALUE, "'extensions' is a list", head.key_place("extensions"))
    grammar = Grammar(rules, start, source, str(values.get("recover") or RECOVER), text_form(head, problems))
    if ("id" in head or not rules) and start not in rules:
        problems.add(KEY, f"the grammar has no rule '{start}' to begin with", head.place)
    for name_ in sorted(recursive(rules)):
        problems.add(UNSUPPORTED, f"rule {name_} reaches itself: text formats are regular here", rules[name_].place)
    _check_words(grammar, problems)
    found = sources(head, problems), samples(head, problems)
    problems.raise_errors()
    if start in rules:
        check_linear(grammar, problems)
        problems.raise_errors()
    records, enums = _records(name, grammar)
    return ir.Spec(
        id=name,
        title=str(values.get("title") or name),
        language="lark",
        path=str(path),
        doc=str(values.get("doc") or ""),
        extensions=tuple(str(plain(item)) for item in extensions) if isinstance(extensions, Items) else (),
        root=f"{name}::{start}",
        records=records,
        enums=enums,
        sources=found[0],
        samples=found[1],
        encoding=str(values.get("encoding") or "ISO8859-1"),
        meta=values,
        text=grammar,
    )


def _files(path: Path, rules: dict[str, Rule], search: Iterable[Path]) -> list[Path]:
    names = dict.fromkeys([path.name, *(rule.place.file for rule in rules.values())])
    return [find_grammar(name, path, search) or path for name in names]


def _check_words(grammar: Grammar, problems: Problems) -> None:
    for rule in grammar.rules.values():
        fields = grammar.fields(grammar.resolve(rule).expr)
        form = rule.words.form
        strict = form.strict.contents if form is not None and form.strict is not None else ()
        for content in (*rule.words.contents, *strict):
            for target in (*content.cases.values(), content.otherwise):
                if target is not None and target not in grammar.rules:
                    problems.add(NAME, f"content of {rule.name}: there is no rule '{target}'", rule.place)
            for wanted in (content.of, content.by):
                if wanted and wanted not in fields:
                    problems.add(NAME, f"content of {rule.name}: it has no field '{wanted}'", rule.place)


def _records(name: str, grammar: Grammar) -> tuple[dict[str, ir.Record], dict[str, ir.Enum]]:
    records: dict[str, ir.Record] = {}
    enums: dict[str, ir.Enum] = {}
    for rule in grammar.rules.values():
        shape = grammar.resolve(rule)
        if rule.is_layout or rule.is_terminal:
            continue
        full = f"{name}::{rule.name}"
        if shape.codes is not None:
            names = dict.fromkeys(alias for alias in shape.codes.names if alias)
            members = {i: ir.EnumMember(i, alias, "", shape.place) for i, alias in enumerate(names)}
            enums[full] = ir.Enum(full, members, rule.place)
        elif not grammar.is_leaf(rule):
            fields = tuple(
                field_of(name, grammar, ref.name, field, array) for field, (ref, array) in grammar.occurrences(shape.expr).items()
            )
            records[full] = ir.Record(full, fields, rule.place, checks=rule.words.checks, doc=rule.words.doc)
    return records, enums


def field_of(spec: str, grammar: Grammar, target: str, name: str, array: bool) -> ir.Field:
    """The declaration of the field that a reference to rule or terminal ``target`` makes."""
    rule = grammar.rules[target]
    full = f"{spec}::{target}"
    is_code = grammar.resolve(rule).codes is not None
    kind: ir.FieldType = _TEXT if is_code or grammar.is_leaf(rule) else ir.RecordType(full)
    binding = rule.words.binding
    return ir.Field(
        name=name,
        type=kind,
        place=rule.place,
        doc=rule.words.doc,
        enum=full if is_code else None,
        repeat=ir.Repeat.EOS if array else None,
        binding=binding,
    )
