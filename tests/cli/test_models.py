"""Names of fields bind to bridge only where a schema asks for it."""

# ruff: noqa: E501  (schemas on one line each)

from __future__ import annotations

from pathlib import Path

import pytest

from bridgespec.codec.binding_words import SchemaBinding
from bridgespec.spec.catalog import load_file
from tests.cli.running import run

WORDS = "seq: [{id: level, type: u1}, {id: date, type: u1}, {id: items, type: item, repeat: eos}]\n"
ITEM = "types: {item: {seq: [{id: number, type: u1}]}}\n"


def meaning(folder: Path, name: str, text: str) -> SchemaBinding:
    """What the files of a schema mean."""
    path = folder / name
    path.write_text(text, "utf-8")
    return SchemaBinding(load_file(path, []))


def test_fields_with_names_of_terms_mean_nothing_without_a_model(tmp_path: Path) -> None:
    """A schema of records that says nothing of bridge is checked, and its files are lists of records."""
    (tmp_path / "log.ksy").write_text("meta: {id: log, title: A log, file-extension: log1}\n" + WORDS + ITEM)
    (tmp_path / "x.log1").write_bytes(bytes(5))
    checked = run("check-spec", tmp_path / "log.ksy")
    assert checked.exit_code == 0
    assert "unbound" not in checked.stdout
    assert "(log, 3 records)" in run("--specs", tmp_path, "validate", tmp_path / "x.log1").stdout


@pytest.mark.parametrize(
    ("name", "text", "terms"),
    [
        ("a.ksy", "meta: {id: a, -bridge-model: boards}\nseq: [{id: number, type: u1}, {id: dealer, type: u1}]\n", {"number", "dealer"}),
        ("a.ksy", "meta: {id: a}\nseq: [{id: number, type: u1}]\n", set()),
        ("a.ksy", "meta: {id: a}\nseq: [{id: boards, type: item, repeat: eos}]\n" + ITEM, {"number"}),
        ("a.ksy", "meta: {id: a}\nseq: [{id: games, type: item, repeat: eos, -bridge-as: boards}]\n" + ITEM, {"number"}),
        ("a.ksy", "meta: {id: a}\nseq: [{id: boards, type: u1}, {id: number, type: u1}]\n", set()),
        ("a.lark", "//- id: a\nstart: games+\ngames: number _NL\nnumber: /[0-9]/\n_NL: /\\n/\n", set()),
        ("a.lark", "//- id: a\nstart: boards+\nboards: number _NL\nnumber: /[0-9]/\n_NL: /\\n/\n", {"number"}),
        ("a.lark", "//- id: a\nstart: games+\n//- as: boards\ngames: number _NL\nnumber: /[0-9]/\n_NL: /\\n/\n", {"number"}),
    ],
)  # fmt: skip
def test_a_model_or_a_list_of_boards_binds(tmp_path: Path, name: str, text: str, terms: set[str]) -> None:
    """Either is enough, in both languages; a field that is called boards and is no list is not."""
    assert meaning(tmp_path, name, text).terms == terms


def test_imports_are_found_from_the_top_of_a_collection(tmp_path: Path) -> None:
    """An import that begins with a slash is found in the folders above the schema, wherever the command runs."""
    for folder in ("net", "common"):
        (tmp_path / folder).mkdir()
    (tmp_path / "common" / "item.ksy").write_text("meta: {id: item, title: An item}\nseq: [{id: a, type: u1}]\n")
    (tmp_path / "net" / "log.ksy").write_text(
        "meta: {id: log, title: Log, file-extension: log, imports: [/common/item]}\nseq: [{id: items, type: item, repeat: eos}]\n"
    )
    (tmp_path / "x.log").write_bytes(b"\1\2")
    assert run("check-spec", tmp_path / "net" / "log.ksy").exit_code == 0
    assert "2 records" in run("--specs", tmp_path / "net", "validate", tmp_path / "x.log").stdout
