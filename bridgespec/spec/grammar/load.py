"""Load a ``.lark`` file as a `Spec`: the grammar with its words, and the records and enums that both languages have. `load_grammar`
is the entry.

The words are in ``//-`` lines, blocks of YAML. The first block is the head of the schema; each other block has the words of the
rule below it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from bridgespec.lazily import Lazy
from bridgespec.spec import ir
from bridgespec.spec.grammar.comment_blocks import read_blocks
from bridgespec.spec.grammar.linear import check_depth, check_ends, check_linear, check_size
from bridgespec.spec.grammar.rule_records import records_of
from bridgespec.spec.grammar.rules import RECOVER, Grammar, GrammarRule
from bridgespec.spec.grammar.syntax import Lines, find_grammar, parse_rules
from bridgespec.spec.grammar.words import head_words, plain, rule_words
from bridgespec.spec.place import schema_text
from bridgespec.spec.problems import KEY, NAME, Problems
from bridgespec.spec.yaml import Map

if TYPE_CHECKING:
    from bridgespec.spec.grammar import derived_values
else:
    # Imported on demand: the parser of expressions takes a tenth of a second, which only derived values need.
    derived_values = Lazy("bridgespec.spec.grammar.derived_values")


def load_grammar(
    path: Path, problems: Problems | None = None, search: Iterable[Path | str] = (), text: str | None = None
) -> ir.Spec:
    """Return the schema in a Lark grammar. Raises SpecError with every error and its position.

    A grammar without an ``id`` in its head is a shared part: its spec has no file extension. ``problems`` collects every finding,
    with the warnings of a usable grammar; imports are looked up beside the grammar, then in the folders of ``search``. ``text``
    replaces the file's content, for an editor in which the file is not saved.
    """
    folders = [Path(folder) for folder in search]
    source = schema_text(path) if text is None else text
    problems = Problems() if problems is None else problems
    lines: Lines = {}
    rules = parse_rules(source, path, (), folders, lines)
    head = _attach_words(rules, path, source, folders, lines, problems)
    values, form = head_words(head, problems)
    start, name = values.get("start", "start"), values.get("id") or path.stem
    grammar = Grammar(rules, start, source, values.get("recover") or RECOVER, form)
    # A shared part without an id reads no files, and needs no start rule.
    if ("id" in head or not rules) and start not in rules:
        place = head.values["start"].place if "start" in head else head.place
        problems.add(KEY, f"the grammar has no rule '{start}' to begin with", place)
    _check_rules(grammar, problems)
    records, enums = records_of(name, grammar)
    if any(rule.words.binding.value is not None for rule in rules.values()):
        derived_values.check_values(name, grammar, records, enums, problems)
        problems.raise_errors()
    # Last, and without `raise_errors`: a grammar with these findings, such as an alternative that occurs twice, can be used.
    if start in rules and "id" in head:
        check_ends(grammar, problems, path.name)
    return ir.Spec(
        id=name,
        title=values.get("title") or name,
        language="lark",
        path=str(path),
        doc=values.get("doc", ""),
        extensions=values.get("extensions", ()),
        root=f"{name}::{start}",
        records=records,
        enums=enums,
        sources=values.get("sources", ()),
        samples=values.get("samples", ()),
        encoding=values.get("encoding", ("ISO8859-1",))[0],
        meta={key: plain(value) for key, value in head.values.items()},
        text=grammar,
    )


def _attach_words(
    rules: dict[str, GrammarRule], path: Path, source: str, folders: list[Path], lines: Lines, problems: Problems
) -> Map:
    """Give each of the ``rules`` the words of its block, in this grammar or an imported one. Return the head of the grammar at
    ``path``, whose text is ``source``.
    """
    # An empty head, for a file without one.
    head = read_blocks("", path.name, {}, problems).head
    for name in dict.fromkeys([path.name, *(rule.place.file for rule in rules.values())]):
        file = find_grammar(name, path, folders) or path
        blocks = read_blocks(source if name == path.name else schema_text(file), name, lines.get(name, {}), problems)
        for key, block in blocks.rules.items():
            # A rule that an importing file defines again has the words of that file.
            if rules[key].place.file == name:
                rules[key] = replace(rules[key], words=rule_words(block, problems))
        head = blocks.head if name == path.name else head
    return head


def _check_rules(grammar: Grammar, problems: Problems) -> None:
    """Check the rules of a grammar before it is used. Raises SpecError after the first check that reports an error, since later
    checks depend on it.
    """
    # Depth first: the checks below follow references recursively.
    check_depth(grammar, problems)
    problems.raise_errors()
    _check_words(grammar, problems)
    problems.raise_errors()
    # Size before linearity: the latter traverses the expansion of the grammar.
    if grammar.start in grammar.rules:
        check_size(grammar, problems)
        problems.raise_errors()
        check_linear(grammar, problems)
        problems.raise_errors()


def _check_words(grammar: Grammar, problems: Problems) -> None:
    """Report words that name a rule, or a field of their rule, that does not exist."""
    for rule in grammar.rules.values():
        for what, target in rule.words.targets():
            if target not in grammar.rules:
                problems.add(NAME, f"{what} of {rule.name}: there is no rule '{target}'", rule.place)
        wanted = list(rule.words.wanted())
        # On a chain of references that leads back to itself, `resolve` would not end.
        if wanted and not _endless(grammar, rule):
            fields = grammar.fields(grammar.resolve(rule).expr)
            for what, field in wanted:
                if field not in fields:
                    problems.add(NAME, f"{what} of {rule.name}: it has no field '{field}'", rule.place)


def _endless(grammar: Grammar, rule: GrammarRule) -> bool:
    """Whether a rule consists of a single reference that leads back to itself, or to a missing rule."""
    seen = set()
    while (target := rule.alias_of) is not None:
        if target.name in seen or target.name not in grammar.rules:
            return True
        seen.add(target.name)
        rule = grammar.rules[target.name]
    return False
