"""Schemas are found where they are said to be, and nowhere else."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from bridgespec.depth import LEVELS, permit
from bridgespec.errors import SpecError, UsageError
from bridgespec.spec import catalog
from bridgespec.spec.catalog import Catalog

MINE = "meta: {id: mine, title: Mine, file-extension: mn}\nseq: [{id: a, type: u1}]\n"


def test_a_folder_that_is_named(tmp_path: Path) -> None:
    """A schema in a folder is a format like any other, by name and by extension."""
    (tmp_path / "mine.ksy").write_text(MINE)
    known = Catalog([tmp_path])
    assert known.load("mine").title == "Mine"
    assert [spec.id for spec in known.by_extension("MN")] == ["mine"]
    assert {spec.id for spec in known.all()} > {"mine", "zrd"}


def test_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """BRIDGESPEC_PATH names folders."""
    (tmp_path / "mine.ksy").write_text(MINE)
    monkeypatch.setenv("BRIDGESPEC_PATH", str(tmp_path))
    assert Catalog().load("mine").id == "mine"


def test_an_installed_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An entry point may give a folder by a function, or be a package with the schemas in it."""
    package = tmp_path / "theirs_to_find"
    package.mkdir()
    (package / "__init__.py").write_text("from pathlib import Path\ndef folder():\n    return Path(__file__).parent\n")
    (package / "mine.ksy").write_text(MINE)
    known = tmp_path / "theirs_to_find-1.0.dist-info"
    known.mkdir()
    (known / "METADATA").write_text("Metadata-Version: 2.1\nName: theirs-to-find\nVersion: 1.0\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    for given in ("theirs_to_find:folder", "theirs_to_find"):
        (known / "entry_points.txt").write_text(f"[{catalog.ENTRY_POINTS}]\ntheirs = {given}\n")
        assert Catalog().load("mine").id == "mine"


def test_a_file_of_another_name(tmp_path: Path) -> None:
    """A schema is known by its id too, where its file has another name."""
    (tmp_path / "draft.ksy").write_text(MINE)
    known = Catalog([tmp_path])
    assert known.load("mine").id == "mine"
    assert [spec.id for spec in known.all()].count("mine") == 1


def test_the_first_folder_wins(tmp_path: Path) -> None:
    """A schema of the user's takes the place of one that comes with the package."""
    (tmp_path / "zbd.ksy").write_text(MINE.replace("mine", "zbd"))
    assert Catalog([tmp_path]).load("zbd").title == "Mine"


def test_what_is_not_there(tmp_path: Path) -> None:
    """An unknown format gets the nearest name; a folder that is not there is said so."""
    with pytest.raises(UsageError, match="did you mean 'zbd'"):
        Catalog().load("zbbd")
    with pytest.raises(UsageError, match="no such folder"):
        Catalog([tmp_path / "nowhere"])


HOSTILE = {
    "brackets.ksy": "[" * 5000,
    "chain.ksy": "meta: {id: chain}\ntypes:\n" + "".join(f"  t{n}: {{seq: [{{id: a, type: t{n + 1}}}]}}\n" for n in range(3000)),
    "doubling.ksy": "meta: {id: doubling}\ntypes:\n"
    + "".join(f"  t{n}: {{seq: [{{id: a, type: t{n + 1}}}, {{id: b, type: t{n + 1}}}]}}\n" for n in range(40))
    + "  t40: {seq: [{id: a, type: u1}]}\n",
    "latin.ksy": "meta: {id: latin, title: \xe9}\n".encode("latin-1"),
    "nothing.ksy": "",
    "nul.ksy": "\0",
    "list.ksy": "- a\n- b\n",
    "brackets.lark": "start: " + '("a" ' * 3000 + '"b"' + ")" * 3000 + "\n",
    "latin.lark": 'start: "\xe9"\n'.encode("latin-1"),
    "nothing.lark": "",
}


@pytest.mark.long
@pytest.mark.parametrize("name", HOSTILE)
def test_no_broken_schema_stops_the_others(name: str, tmp_path: Path) -> None:
    """Whatever is wrong with one schema on the path, it alone is left out, with an error that names it; all others are there."""
    text = HOSTILE[name]
    (tmp_path / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    found = catalog.Catalog([tmp_path])
    assert {spec.id for spec in found.all()} == {spec.id for spec in catalog.Catalog().all()}
    assert list(found.broken) == [Path(name).stem]
    assert name in str(found.broken[Path(name).stem])


def test_deep_data_do_not_make_a_deep_grammar_readable(tmp_path: Path) -> None:
    """What is too deep in a grammar is so by a bound of its own, at the rule: reading deep data raises Python's limit of frames."""
    (tmp_path / "brackets.lark").write_text(HOSTILE["brackets.lark"])
    limit = sys.getrecursionlimit()
    try:
        assert permit(LEVELS)
        with pytest.raises(SpecError) as error:
            catalog.load_file(tmp_path / "brackets.lark")
    finally:
        sys.setrecursionlimit(limit)
    assert ("schema-syntax", 0) in [(one.code, one.span and one.span.start) for one in error.value.diagnostics]


def test_what_cannot_be_opened_is_left_out(tmp_path: Path) -> None:
    """A link that leads nowhere is broken, a folder of that name no schema at all."""
    (tmp_path / "gone.ksy").symlink_to(tmp_path / "nowhere")
    (tmp_path / "folder.ksy").mkdir()
    found = catalog.Catalog([tmp_path])
    assert len(list(found.all())) == len(list(catalog.Catalog().all()))
    assert list(found.broken) == ["gone"]


def test_a_fault_of_the_loader_is_an_error_of_the_schema(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An exception that nobody foresaw becomes an error that names the schema, and the others stay."""
    (tmp_path / "odd.ksy").write_text("meta: {id: odd}\n")

    def fail(path: Path, *_: object, **__: object) -> None:
        raise KeyError("odd")

    monkeypatch.setattr(catalog.ksy, "load", fail)
    with pytest.raises(SpecError, match=r"odd\.ksy: this schema cannot be used: KeyError"):
        catalog.load_file(tmp_path / "odd.ksy")


def test_of_two_folders_the_first_has_an_id(tmp_path: Path) -> None:
    """Whatever the files are called: the schema of the second folder is left out without a word, as it is meant to be replaced."""
    for folder, name in (("one", "mine"), ("two", "old")):
        (tmp_path / folder).mkdir()
        text = f"//- id: mine\n//- title: {folder}\n//- extensions: [mine]\nstart: /x/\n"
        (tmp_path / folder / f"{name}.lark").write_text(text, "utf-8")
    for order, title in ((("one", "two"), "one"), (("two", "one"), "two")):
        found = Catalog([tmp_path / folder for folder in order])
        assert [head.title for head in found.heads() if head.id == "mine"] == [title]
        assert not found.broken
