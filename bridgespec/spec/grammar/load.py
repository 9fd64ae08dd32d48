"""From a ``.lark`` file to a `Spec`: the grammar, its words, and the records and enums that other engines read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from bridgespec.spec import ir
from bridgespec.spec.encoding import bytes_of, canonical_encoding, form_of
from bridgespec.spec.grammar.blocks import read_blocks
from bridgespec.spec.grammar.linear import check_ends, check_linear, check_size
from bridgespec.spec.grammar.records import records_of
from bridgespec.spec.grammar.rules import RECOVER, Grammar, Rule
from bridgespec.spec.grammar.syntax import Lines, find_grammar, parse_rules
from bridgespec.spec.grammar.values import known_keys, maps_of, names_of, plain, text_of
from bridgespec.spec.grammar.words import regex_of, text_form, words
from bridgespec.spec.keys import wrong_extension
from bridgespec.spec.place import Place
from bridgespec.spec.problems import KEY, NAME, VALUE, Problems
from bridgespec.spec.yaml import Map


def load_grammar(path: Path, problems: Problems | None = None, search: Iterable[Path | str] = ()) -> ir.Spec:
    """The schema in a Lark grammar; SpecError holds every mistake with its place.

    A grammar without an ``id`` in its head is a shared piece: its spec has no file extension. ``problems`` takes every finding,
    warnings of a usable grammar too; imports are looked for beside the grammar, then in the folders of ``search``.
    """
    folders = [Path(folder) for folder in search]
    source = path.read_text("utf-8")
    problems = Problems() if problems is None else problems
    lines: Lines = {}
    rules = parse_rules(source, path, (), folders, lines)
    head = Map({}, {}, Place(path.name, 1, 1))
    for name in dict.fromkeys([path.name, *(rule.place.file for rule in rules.values())]):
        file = find_grammar(name, path, folders) or path
        blocks = read_blocks(file.read_text("utf-8"), name, lines.get(name, {}), problems)
        for key, block in blocks.rules.items():
            if rules[key].place.file == name:
                rules[key] = replace(rules[key], words=words(block, problems))
        head = blocks.head if name == path.name else head
    known_keys(head, "head", problems)
    _check_head(head, problems)
    values = {key: plain(head.get(key)) for key in head.values}
    start = str(values.get("start", "start"))
    name = str(values.get("id") or path.stem)
    extensions = names_of(head, "extensions", problems)
    if wrong := wrong_extension(extensions):
        problems.add(VALUE, f"extensions: {wrong}", head.values["extensions"].place)
    names_of(head, "tags", problems)
    grammar = Grammar(rules, start, source, str(values.get("recover") or RECOVER), text_form(head, problems))
    if ("id" in head or not rules) and start not in rules:
        place = head.values["start"].place if "start" in head else head.place
        problems.add(KEY, f"the grammar has no rule '{start}' to begin with", place)
    _check_words(grammar, problems)
    found = _sources(head, problems), _samples(head, problems)
    problems.raise_errors()
    if start in rules:
        check_size(grammar, problems)
        problems.raise_errors()
        check_linear(grammar, problems)
        problems.raise_errors()
        if "id" in head:
            check_ends(grammar, problems, path.name)
    records, enums = records_of(name, grammar)
    return ir.Spec(
        id=name,
        title=str(values.get("title") or name),
        language="lark",
        path=str(path),
        doc=str(values.get("doc") or ""),
        extensions=extensions,
        root=f"{name}::{start}",
        records=records,
        enums=enums,
        sources=found[0],
        samples=found[1],
        encoding=str(values.get("encoding") or "ISO8859-1"),
        meta=values,
        text=grammar,
    )


def _check_head(head: Map, problems: Problems) -> None:
    """The texts of the head that nothing else looks at."""
    for key in ("id", "title", "doc", "start"):
        text_of(head, key, problems)
    encoding = text_of(head, "encoding", problems)
    if encoding is not None and canonical_encoding(encoding) is None:
        problems.add(VALUE, f"encoding {encoding!r} is unknown", head.values["encoding"].place)
    regex_of(head, "recover", problems)


def _needed(item: Map, key: str, problems: Problems) -> str:
    text = text_of(item, key, problems)
    if key not in item:
        problems.add(KEY, f"'{key}' is missing", item.place)
    return text or ""


def _check_words(grammar: Grammar, problems: Problems) -> None:
    """Every rule and field that words name must be there."""
    for rule in grammar.rules.values():
        for what, target in _targets(rule):
            if target not in grammar.rules:
                problems.add(NAME, f"{what} of {rule.name}: there is no rule '{target}'", rule.place)
        wanted = list(_fields_wanted(rule))
        if wanted and not _endless(grammar, rule):
            fields = grammar.fields(grammar.resolve(rule).expr)
            for what, field in wanted:
                if field and field not in fields:
                    problems.add(NAME, f"{what} of {rule.name}: it has no field '{field}'", rule.place)


def _endless(grammar: Grammar, rule: Rule) -> bool:
    """Whether a rule is one reference that leads back to itself, or names what is not there."""
    seen = set()
    while (target := rule.alias_of) is not None:
        if target.name in seen or target.name not in grammar.rules:
            return True
        seen.add(target.name)
        rule = grammar.rules[target.name]
    return False


def _targets(rule: Rule) -> Iterator[tuple[str, str]]:
    pair = rule.words.pair
    strict = pair.strict.contents if pair is not None and pair.strict is not None else ()
    for content in (*rule.words.contents, *strict):
        yield from (("content", name) for name in content.rules())
        if content.ascending is not None:
            yield "content", content.ascending
    if pair is not None and pair.columns is not None:
        yield from (("columns", name) for name in pair.columns.cases.values())


def _fields_wanted(rule: Rule) -> Iterator[tuple[str, str | None]]:
    pair = rule.words.pair
    strict = pair.strict.contents if pair is not None and pair.strict is not None else ()
    for content in (*rule.words.contents, *strict):
        yield "content", content.of
        yield "content", content.by
    if pair is not None:
        yield "name", pair.key
    if rule.words.fill is not None:
        yield "fill", rule.words.fill.number


def _sources(head: Map, problems: Problems) -> tuple[ir.Source, ...]:
    """Where the schema's claims come from."""
    found = []
    for item in maps_of(head, "sources", problems):
        known_keys(item, "sources", problems)
        texts = {key: text_of(item, key, problems) for key in ("url", "author", "quote")}
        found.append(ir.Source(_needed(item, "title", problems), texts["url"], texts["author"], texts["quote"]))
    return tuple(found)


def _samples(head: Map, problems: Problems) -> tuple[ir.Sample, ...]:
    """The test vectors of the head: ``text`` in Latin-1, ``hex`` or ``base64``.

    ``ends`` is what each line of a text ends with, where that is not the line feed of YAML.
    """
    found = []
    for item in maps_of(head, "samples", problems):
        known_keys(item, "samples", problems)
        form, why = form_of(item.values)
        if form is None:
            problems.add(KEY, why, item.place)
            continue
        if "ends" in item and form != "text":
            problems.add(KEY, f"ends: only a text has lines, not {form}", item.key_place("ends"))
        try:
            ends = text_of(item, "ends", problems) or "\n"
            data = bytes_of(form, text_of(item, form, problems) or "", ends, "Latin-1")
        except ValueError as error:
            problems.add(VALUE, str(error), item.values[form].place)
            continue
        name, doc = _needed(item, "name", problems), text_of(item, "doc", problems) or ""
        found.append(ir.Sample(name, data, names_of(item, "codes", problems), doc, item.place))
    return tuple(found)
