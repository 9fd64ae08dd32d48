"""The reference of the schema languages is whole: every word of every table has its entry, and every example is run."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from pathlib import Path

import pytest
from click.testing import CliRunner

from bridgespec.api import Engine
from bridgespec.cli.app import app
from bridgespec.codec.terms import COMMON, TERMS, WORDS
from bridgespec.diagnostic import CODES, Severity
from bridgespec.docs.reference import EXAMPLES, ReferenceEntry, entries, examples, find, near, refused, sections
from bridgespec.errors import SpecError
from bridgespec.schema_checks import findings, sample_findings, trial_findings
from bridgespec.spec.dialect import TABLES
from bridgespec.spec.grammar.syntax import REFUSED
from bridgespec.spec.kaitai.expr.functions import WORDS as FUNCTIONS
from bridgespec.spec.kaitai.expr.types import METHODS
from bridgespec.spec.kaitai.keys import IDLE
from bridgespec.spec.kaitai.schema import loads
from bridgespec.spec.keys import AXES
from tests.listed import listed


@cache
def keys() -> dict[str, ReferenceEntry]:
    """Return the entries of keys and words by their anchors."""
    return {entry.anchor: entry for entry in entries() if entry.kind in ("key", "word")}


@listed
def anchors() -> Iterable[str]:
    """Return the anchors of keys and words."""
    return [entry.anchor for entry in entries() if entry.kind in ("key", "word")]


@listed
def example_names() -> list[str]:
    """Return the names of the small schemas."""
    return [one.name for one in examples()]


def of(kind: str) -> set[str]:
    """The names of the entries of a kind."""
    return {entry.name for entry in entries() if entry.kind == kind}


@pytest.mark.parametrize("language", TABLES)
def test_every_key_has_an_entry_where_it_may_stand(language: str) -> None:
    """What a loader takes is in the reference, under everything that it is a key of."""
    there = {(owner, entry.name) for owner, some in _owners(language) for entry in some}
    wanted = {(owner, key) for owner, keys in TABLES[language].items() for key in keys if key not in IDLE.get(owner, ())}
    assert {(owner.removeprefix("the "), key) for owner, key in there} == {(_bare(owner), key) for owner, key in wanted}


def _owners(language: str) -> list[tuple[str, list[ReferenceEntry]]]:
    return [group for section in sections() for group in section.groups if all(one.language == language for one in group[1])]


def _bare(owner: str) -> str:
    return "a rule" if owner == "rule" else owner


def test_everything_else_that_a_schema_may_mention_has_one() -> None:
    """Functions, attributes, terms, parts, members, axes, names of codes."""
    assert of("function") == set(FUNCTIONS)
    assert of("attribute") == {name for methods in METHODS.values() for name in methods}
    assert of("term") == set(TERMS)
    assert of("role") == {role for term in TERMS.values() for role in term.ROLES} | set(COMMON)
    assert of("term") | of("member") == set(WORDS)
    assert of("axis") == set(AXES)
    assert of("code") == {name for term in TERMS.values() for names in term.CODES.values() for name in names}


def test_every_entry_has_words() -> None:
    """They begin like a sentence and end like one; keys say what they take."""
    for entry in entries():
        assert entry.doc.rstrip("`").endswith((".", "?", "]", ")", "}")), entry
        assert len(entry.doc) > len("It is."), entry
        assert entry.takes or entry.kind not in ("key", "word", "function", "axis"), entry
        assert set(entry.findings) <= set(CODES), entry
    assert len({entry.anchor for entry in entries()}) == len(entries())


@pytest.mark.parametrize("anchor", anchors())
def test_every_key_has_an_example_that_shows_its_findings(anchor: str) -> None:
    """It stands in one of the small schemas, and samples of them give the findings that it is said to give."""
    entry = keys()[anchor]
    assert entry.example is not None
    text = entry.example.text.split("\n")
    assert all(entry.name in text[line - 1] for line in entry.lines)
    assert set(entry.findings) <= shown(), f"no sample gives {set(entry.findings) - shown()}"


@cache
def shown() -> set[str]:
    """Return the codes that samples of the small schemas give."""
    specs = (spec for spec in Engine([EXAMPLES]).catalog.all() if EXAMPLES in Path(spec.path).parents)
    return {code for spec in specs for one in spec.samples for code in one.codes}


@pytest.mark.parametrize("name", example_names())
def test_every_example_is_run(name: str) -> None:
    """`check-spec` finds nothing: samples do what they say, and generated boards come back."""
    spec, found = findings(EXAMPLES / name, [EXAMPLES])
    assert spec is not None
    engine = Engine([EXAMPLES])
    if spec.extensions:
        found += [*sample_findings(engine, spec), *trial_findings(engine, spec)]
    assert [one for one in found if one.severity is not Severity.NOTE] == []
    assert not spec.extensions or any(sample.codes for sample in spec.samples) or name == "digits.ksy"


NOT_KAITAI = {
    "processing routines of one's own": "meta: {id: x}\nseq: [{id: a, size: 3, process: mine(1)}]",
    "opaque types": "meta: {id: x, ks-opaque-types: true}\nseq: [{id: a, type: absent}]",
    "bit integers of more than 64 bits": "meta: {id: x}\nseq: [{id: a, type: b65}]",
    "schemas for a newer Kaitai": "meta: {id: x, ks-version: '0.99'}",
    "aliases of lists and mappings": "meta: {id: x}\ndoc-ref: &a [b]\nseq: *a",
    "unknown keys that begin with -bridge-": "meta: {id: x}\n-bridge-word: 3",
    "what ends nowhere": "meta: {id: x}\ninstances: {a: {value: b}, b: {value: a}}",
}


def test_what_is_said_to_be_refused_is_refused() -> None:
    """Each with an error; the table of Lark's is held by the mistakes."""
    assert set(NOT_KAITAI) == set(refused()["Kaitai Struct"])
    for schema in NOT_KAITAI.values():
        with pytest.raises(SpecError):
            loads(schema)
    assert set(refused()["Lark"].values()) == set(REFUSED.values())


def test_words_are_found_by_what_people_type() -> None:
    """With their prefix, without it, in capitals; a misspelled one leads to its neighbours."""
    assert [entry.name for entry in find("-bridge-end")] == [entry.name for entry in find("END")] == ["-bridge-end"]
    assert {entry.kind for entry in find("number")} == {"key", "word", "term", "role"}
    assert near("-bridge-axs")[0] == "axes" or near("-bridge-axs")[0] == "-bridge-axes"
    assert near("auctoin")[0] == "auction"


@pytest.mark.parametrize(
    ("word", "told"),
    [
        ("-bridge-checks", ["-bridge-checks  key in a schema, a type", "example", "> "]),
        ("recover", ["a regular expression", "unreadable-line"]),
        ("crc32", ["crc32(bytes)", "0xcbf43926"]),
        ("auction", ["term of a board", "call_made - a call"]),
        ("north", ["member of deal"]),
        ("suit", ["axis in axes", "SHDC"]),
        ("lists.ksy", ["repeat-until"]),
    ],
)
def test_the_command_prints_them(word: str, told: list[str]) -> None:
    """A key though it begins like an option, and an example by its name."""
    result = CliRunner().invoke(app, ["explain", word])
    assert result.exit_code == 0
    assert all(text in result.output for text in told), result.output
