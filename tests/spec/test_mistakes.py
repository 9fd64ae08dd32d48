"""One mistake at a time: what `check-spec` says of each, and that no key, word or construct of the languages is without one.

The mistakes stand in ``mistakes.tsv``, a line each: what is wrong (``of`` what, which ``key``), the form of the schema it stands
in, the text in the place of the form's ``%``, and the first finding: its place, code, message and help.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

import pytest
from click.testing import CliRunner

from bridgespec.cli.app import app
from bridgespec.codec.lint import MEANINGLESS, UNBOUND
from bridgespec.diagnostic import CODES, Diagnostic, Severity
from bridgespec.engines import Engine
from bridgespec.schema_checks import findings, sample_findings
from bridgespec.spec.grammar import keys as words
from bridgespec.spec.grammar.syntax import REFUSED
from bridgespec.spec.kaitai.expr.functions import WORDS
from bridgespec.spec.kaitai.expr.tree import Tree
from bridgespec.spec.kaitai.expr.types import METHODS
from bridgespec.spec.kaitai.keys import KEYS
from bridgespec.spec.keys import Keys

TABLE = Path(__file__).with_name("mistakes.tsv")
PLACELESS = {"schema-file-name", "schema-no-extension"}
"""What is said of a file and not of a part of it."""
ELSEWHERE = {
    *("schema-unbound", "schema-meaningless", "schema-cannot-be-used", "schema-round-trip"),  # tests/codec
    "schema-proof",  # tests/codec/proof: of a schema and of its codec
    "schema-change",  # tests/cli/test_spec_diff.py: of two schemas
    "schema-width",  # tests/editor/test_widths.py: of a schema and of a file
}
"""Codes that no schema gives by itself without meaning."""


@dataclass(frozen=True)
class Mistake:
    """A schema with one mistake, and the finding that it must give."""

    language: str
    of: str
    key: str
    schema: str
    place: str
    code: str
    message: str
    help: str


def unescaped(text: str) -> str:
    """A cell of the table as the text it stands for."""
    return text.replace("\\\\", "\0").replace("\\n", "\n").replace("\\t", "\t").replace("\0", "\\")


def mistakes() -> list[Mistake]:
    """The table."""
    with TABLE.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    forms = {(row["language"], row["key"]): unescaped(row["text"]) for row in rows if row["of"] == "(form)"}
    return [
        Mistake(
            row["language"],
            row["of"],
            row["key"],
            forms[row["language"], row["form"]].replace("%", unescaped(row["text"]), 1),
            row["place"],
            row["code"],
            unescaped(row["message"]),
            unescaped(row["help"]),
        )
        for row in rows
        if row["of"] != "(form)"
    ]


MISTAKES = mistakes()


def said(mistake: Mistake, folder: Path) -> list[Diagnostic]:
    """The findings about the schema, the gravest first."""
    path = folder / f"x.{mistake.language}"
    path.write_text(mistake.schema, "utf-8")
    spec, found = findings(path, [])
    if spec is not None and spec.extensions and not any(one.severity is Severity.ERROR for one in found):
        found += sample_findings(Engine([folder]), spec)
    found = [one for one in found if one.code != MEANINGLESS.name and (mistake.language == "ksy" or one.code != UNBOUND.name)]
    return sorted(found, key=lambda one: (list(Severity).index(one.severity), one.span is None))


@pytest.mark.slice(None, quick=120)
@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda one: f"{one.language}-{one.of}-{one.key}".replace(" ", "_"))
def test_a_mistake_is_reported_at_its_place(mistake: Mistake, tmp_path: Path) -> None:
    """Each is found, with the message that the table says, where the table says."""
    found = said(mistake, tmp_path)
    assert found, "accepted in silence"
    first = found[0]
    place = f"{first.span.line}:{first.span.column}" if first.span is not None else ""
    assert (place, first.code, first.message, first.help or "") == (mistake.place, mistake.code, mistake.message, mistake.help)
    assert place or mistake.code in PLACELESS


def covered(language: str) -> dict[str, set[str]]:
    """The keys of each owner that some mistake is about."""
    found: dict[str, set[str]] = {}
    for mistake in MISTAKES:
        if mistake.language == language:
            found.setdefault(mistake.of, set()).add(mistake.key)
    return found


@pytest.mark.parametrize(("language", "tables"), [("ksy", KEYS), ("lark", words.WORDS)])
def test_every_key_and_word_has_a_mistake(language: str, tables: dict[str, Keys]) -> None:
    """A key that the loader takes is tried wrong; a new one fails here until it is."""
    there = covered(language)
    missing = {owner: keys.keys() - there.get(owner, set()) for owner, keys in tables.items()}
    assert {owner: keys for owner, keys in missing.items() if keys} == {}


def test_every_construct_of_expressions_has_a_mistake() -> None:
    """So is every kind of tree, every function and every method of a value."""
    there = covered("ksy")
    assert {kind.__name__.removesuffix("Expression") for kind in get_args(Tree)} <= there["a construct"]
    assert set(WORDS) <= there["a function"]
    assert {name for methods in METHODS.values() for name in methods} <= there["a method"]


def test_everything_that_grammars_may_not_have_is_refused() -> None:
    """What of Lark's language is refused is tried, and gives the message of the table of refusals."""
    messages = {mistake.message for mistake in MISTAKES}
    assert set(REFUSED.values()) <= messages


def test_every_code_about_schemas_is_given() -> None:
    """No code of `check-spec` is without a mistake that gives it."""
    codes = {code for code in CODES if code.startswith("schema-")} | {"slow-grammar"}
    assert codes - ELSEWHERE - {mistake.code for mistake in MISTAKES} == set()


@pytest.mark.parametrize(
    ("name", "schema", "line", "marks"),
    [
        ("x.ksy", "meta: {id: x}\nseq:\n  - id: a\n    type u1\n", "    type u1", "    ^"),
        ("x.lark", '//- id: x\nstart: (line\nline: "a"\n', "start: (line", "       ^"),
    ],
)
def test_the_source_line_is_shown_wherever_the_command_runs(tmp_path: Path, name: str, schema: str, line: str, marks: str) -> None:
    """A finding about either language has its line and a mark under it."""
    (tmp_path / name).write_text(schema)
    shown = CliRunner().invoke(app, ["check-spec", str(tmp_path / name)]).stdout.splitlines()
    at = next(number for number, text in enumerate(shown) if text.endswith(f"| {line}"))
    assert shown[at + 1].partition("| ")[2] == marks
