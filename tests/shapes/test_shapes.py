"""Formats of shapes unlike ours, each put to everything that an author may ask: `check-spec`, reading, ten mistakes at their
places, the same bytes, JSON and PBN there and back, generated files, the generated JavaScript reader, and its page.

A shape is a folder of `tests/shapes`: a schema, a good file, and `mistakes.tsv`, whose lines are a text of the good file, what
replaces it (of bytes in hexadecimal digits, several with blanks between them), where the finding is (line and column, or byte), and
the codes of all findings. A published schema is in `tests/docs/gallery`, or in the folder that the environment names
(`conformance.suite.GALLERY`).
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from bridgespec.cli.app import app
from bridgespec.codec.proof.binary_proofs import reachable, record_title
from bridgespec.codec.proof.prove import prove
from bridgespec.diagnostic import Diagnostic, Severity
from bridgespec.docs.site import Site
from bridgespec.engines import Engine
from bridgespec.export.json import tree
from bridgespec.schema_checks import findings
from bridgespec.spec.ir import Spec
from tests.conformance.suite import GALLERY, gallery_folder
from tests.targets.javascript import Reader, difference, expected, expected_model, needs_node, write_module

TESTS = Path(__file__).parents[1]
SHAPES = sorted(path.name for path in (TESTS / "shapes").iterdir() if path.is_dir())
PUBLISHED = {"gif", "gzip", "png", "wav", "zip"}
"""Schemas of Kaitai's gallery, which verify little: together they have more than ten mistakes."""
WITHOUT_MODULE = {"png"}
"""The profile of a picture is compressed, which generated modules do not decompress: the schema has no module."""
WITHOUT_SAMPLES = {"wav"}
"""The place of a chunk follows from the name of another, which chance does not find: generating such a file is refused."""
WITHOUT_BOARDS = {*PUBLISHED, "logic"}
PYTHONS = ("None", "object", "codec", "'int'", "dict", "byte array", "ordinal")
"""Words of Python that no message has."""


@dataclass(frozen=True)
class Mistake:
    """A damaged file, where its first finding is, and the codes of all."""

    data: bytes
    place: str
    codes: tuple[str, ...]


@dataclass(frozen=True)
class Author:
    """The files of an author with a schema of a shape, a folder to write to, and the commands as he calls them."""

    name: str
    schema: Path
    engine: Engine
    folder: Path

    @property
    def spec(self) -> Spec:
        """The schema."""
        return self.engine.spec(self.name)

    @property
    def good(self) -> Path:
        """The good file."""
        return TESTS / "shapes" / self.name / f"good.{self.name}"

    @property
    def mistakes(self) -> list[Mistake]:
        """The mistakes, each of which is in a text of the good file."""
        good, found = self.good.read_bytes(), []
        for line in (self.good.parent / "mistakes.tsv").read_text("utf-8").splitlines():
            old, new, place, codes = line.split("\t")
            data = good
            if self.spec.text is not None:
                old, new = (text.encode().decode("unicode_escape").encode("latin-1").hex() for text in (old, new))
            for one, two in zip(old.split(" "), new.split(" "), strict=True):
                assert bytes.fromhex(one) in data, line
                data = data.replace(bytes.fromhex(one), bytes.fromhex(two), 1)
            found.append(Mistake(data, place, tuple(codes.split(",")) if codes else ()))
        return found

    def said(self, path: Path) -> list[dict[str, Any]]:
        """What is stated of each board of a file, by itself or by the file."""
        value = tree(self.engine.read(path.read_bytes(), path.suffix[1:]).document)
        about = {name: value[name] for name in ("event", "site", "date") if name in value}
        return [about | board for board in value.get("boards", [])]

    def run(self, *args: str | Path) -> str:
        """What a command prints; it must end without an error."""
        result = CliRunner().invoke(app, ["--specs", str(self.schema.parent), *map(str, args)])
        assert result.exit_code == 0, result.output
        return result.output


def schema_of(name: str) -> Path:
    """The schema of a shape; the test is skipped where it is a published one that is not on this machine."""
    gallery = gallery_folder()
    folders = [TESTS / "shapes" / name, TESTS / "docs/gallery"]
    found = [path for folder in folders for path in sorted(folder.glob(f"{name}.*")) if path.suffix in (".ksy", ".lark")]
    found += sorted(gallery.rglob(f"{name}.ksy")) if gallery is not None and not found else []
    if not found:
        pytest.skip(f"the published schema {name}.ksy is not here: {GALLERY} names the folder of the gallery")
    return found[0]


@pytest.fixture
def author(request: pytest.FixtureRequest, tmp_path: Path) -> Author:
    """The author of the shape that the test is about."""
    schema = schema_of(request.param)
    return Author(request.param, schema, Engine([schema.parent]), tmp_path)


every = pytest.mark.parametrize("author", SHAPES, indirect=True)
of_boards = pytest.mark.parametrize("author", [name for name in SHAPES if name not in WITHOUT_BOARDS], indirect=True)


def place_of(found: Diagnostic, text: bool) -> str:
    """The line and the column of a finding, or its first byte."""
    assert found.span is not None, found.message
    return f"{found.span.line}:{found.span.column}" if text else f"{found.span.start // 8:#x}"


@every
def test_the_schema_is_sound_and_its_file_is_read(author: Author) -> None:
    """`check-spec` finds nothing, the file is without an error, and has boards where the format describes any."""
    _, found = findings(author.schema, [author.schema.parent])
    let_pass = {Severity.NOTE, Severity.WARNING} if author.name in PUBLISHED else {Severity.NOTE}
    assert [one.message for one in found if one.severity not in let_pass] == []
    report = author.engine.examine(author.good.read_bytes(), author.name)
    assert [one.message for one in report.errors] == []
    assert bool(report.document.boards) == (author.name not in WITHOUT_BOARDS)


@every
def test_ten_mistakes_are_found_at_their_places(author: Author) -> None:
    """Each has its findings, the first at its place; nine of ten have one finding, and no message is in words of Python."""
    codec = author.engine.of(author.spec).codec
    assert len(author.mistakes) >= (2 if author.name in PUBLISHED else 10)
    for one in author.mistakes:
        found = codec.read(one.data).diagnostics
        assert tuple(each.code for each in found) == one.codes, (one, [each.message for each in found])
        assert place_of(found[0], author.spec.text is not None) == one.place, (one, [each.message for each in found])
        assert not any(word in each.message for each in found for word in PYTHONS)
    assert sum(len(one.codes) == 1 for one in author.mistakes) >= min(9, len(author.mistakes))


@pytest.mark.slice(None, quick=2)
@every
def test_a_file_comes_back_byte_for_byte(author: Author) -> None:
    """Unchanged, and through JSON: all of its fields, and those of its mistakes too; the boards of a format of boards."""
    data, back = author.good.read_bytes(), author.folder / f"back.{author.name}"
    assert author.engine.spell(author.engine.read(data, author.name).document, author.name).data == data
    fields = author.folder / "fields.json"
    files = [author.good]
    for index, one in enumerate(author.mistakes):
        files.append(author.folder / f"{index}.{author.name}")
        files[-1].write_bytes(one.data)
    for path in files:
        author.run("convert", "--fields", "--from", author.name, path, fields)
        author.run("convert", "--to", author.name, fields, back)
        assert back.read_bytes() == path.read_bytes(), path
        assert json.loads(fields.read_text("utf-8"))["format"] == author.name
    if author.name not in WITHOUT_BOARDS:
        author.run("convert", author.good, author.folder / "boards.json")
        author.run("convert", author.folder / "boards.json", back)
        assert author.said(back) == author.said(author.good)


@of_boards
def test_boards_go_to_pbn_and_back(author: Author) -> None:
    """A conversion of all boards loses nothing, and what is written back states the same."""
    pbn, back = author.folder / "all.pbn", author.folder / f"all.{author.name}"
    author.run("convert", "--strict", author.good, pbn)
    author.run("convert", "--strict", pbn, back)
    assert author.said(back) == author.said(author.good)


@pytest.mark.slice(None, quick=3)
@pytest.mark.parametrize("author", [name for name in SHAPES if name not in WITHOUT_SAMPLES], indirect=True)
def test_files_are_made_of_the_schema(author: Author) -> None:
    """Valid ones have no error, and each broken one has the finding which it is made for."""
    made, bad, data = author.folder / "made", author.folder / "bad", f"{author.name}-*"
    author.run("sample", author.name, "--count", "3", "-o", made)
    valid = sorted(made.glob(data))
    assert len(valid) == 3
    assert [one for path in valid for one in author.engine.examine(path.read_bytes(), author.name).errors] == []
    author.run("sample", author.name, "--broken", "--count", "1", "-o", bad)
    broken = sorted(bad.glob(data))
    assert broken
    for path in broken:
        assert any(one.code in path.stem for one in author.engine.examine(path.read_bytes(), author.name).diagnostics), path.stem


@pytest.mark.long
@every
def test_the_format_has_its_page(author: Author) -> None:
    """With each rule or field, a sample if the schema has one, and derived values of texts worked out step by step."""
    (page,) = Site([author.spec], author.engine, app, "bridgespec", "0").formats
    assert (page.sample is not None) == bool(author.spec.samples)
    assert bool(page.holds) == (author.name not in WITHOUT_BOARDS)
    grammar = author.spec.text
    if grammar is not None:
        rules = list(grammar.rules.values())  # type: ignore[attr-defined]
        assert {row.name for row in page.rules} >= {rule.name for rule in rules if not rule.is_layout}
        derived = [rule for rule in rules if rule.words.binding.value is not None]
        assert bool(derived) == any(one.title.startswith("The value of") for one in page.worked)


@pytest.mark.slice(None, quick=2)
@every
def test_the_schema_has_its_proofs(author: Author) -> None:
    """A row for each record that a file is made of, or the start rule; of large fields only some values are tried here."""
    about = {one.about.partition(".")[0] for one in prove(author.spec, 1 << 8)}
    grammar = author.spec.text
    if grammar is None:
        assert about >= {record_title(record) for record in reachable(author.spec)}
    else:
        assert grammar.start in about  # type: ignore[attr-defined]


@pytest.mark.slice(None, quick=2)
@needs_node
@pytest.mark.parametrize("author", [name for name in SHAPES if name not in WITHOUT_MODULE], indirect=True)
def test_generated_javascript_reads_the_same(author: Author) -> None:
    """The tree and every finding of the good file and of each mistake, and the boards."""
    codec, module, reader = author.engine.of(author.spec).codec, write_module(author.spec, author.folder), Reader()
    for data in (author.good.read_bytes(), *(one.data for one in author.mistakes)):
        reading, (answer,) = codec.read(data), reader.ask(module, data)
        assert not difference(answer, expected(reading)), data
        if author.name not in WITHOUT_BOARDS:
            assert not difference(reader.ask(module, data, model=1)[0], expected_model(reading, author.spec)), data
    reader.close()
