"""``convert`` between files of any format and JSON of their fields."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from .running import SAMPLES, run

SCHEMA = """
meta: {id: plain, file-extension: plain}
seq:
  - {id: magic, contents: PL}
  - {id: len, type: u1}
  - {id: body, type: str, encoding: ASCII, size: len}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "plain.ksy").write_text(SCHEMA)
    (tmp_path / "x.plain").write_bytes(b"PL\3abc")
    return tmp_path


def test_a_file_is_edited_as_json(folder: Path) -> None:
    """The fields of a file of an own format become JSON; edited they become a file again, with its length."""
    x, values = folder / "x.plain", folder / "x.json"
    assert run("--specs", folder, "convert", x, values).exit_code == 0
    assert json.loads(values.read_text()) == {"format": "plain", "fields": {"body": "abc"}}
    assert run("--specs", folder, "convert", values, folder / "y.plain").exit_code == 0
    assert (folder / "y.plain").read_bytes() == x.read_bytes()
    values.write_text(values.read_text().replace("abc", "abcdef"))
    done = run("--specs", folder, "convert", values, folder / "y.plain")
    assert (done.exit_code, (folder / "y.plain").read_bytes()) == (0, b"PL\6abcdef")
    assert done.stderr.endswith(" 9 bytes\n")


def test_fields_pass_through_pipes(folder: Path) -> None:
    """With both formats named, standard input and output do as files do."""
    done = run("--specs", folder, "convert", "-", "-", "--from", "plain", "--to", "json", "--fields", data=b"PL\1z")
    assert json.loads(done.stdout)["fields"] == {"body": "z"}
    back = run("--specs", folder, "convert", "-", folder / "y.plain", "--from", "json", "--fields", data=done.stdout.encode())
    assert (back.exit_code, (folder / "y.plain").read_bytes()) == (0, b"PL\1z")


def test_fields_of_a_format_with_boards(tmp_path: Path) -> None:
    """Boards are what JSON has of them, unless the fields are asked for; either comes back."""
    source = SAMPLES / "zbd" / "sixteen.zbd"
    for name, option in (("boards", ()), ("fields", ("--fields",))):
        made = tmp_path / f"{name}.json"
        assert run("convert", source, made, *option).exit_code == 0
        assert name in json.loads(made.read_text())
        assert run("convert", made, tmp_path / "back.zbd").exit_code == 0
        assert (tmp_path / "back.zbd").read_bytes() == source.read_bytes()


def test_mistakes_are_findings(folder: Path) -> None:
    """All mistakes are shown with their places, the status is 1, and no file is made."""
    values = folder / "x.json"
    values.write_text('{"format": "plain", "fields": {"body": 3, "size": 4}}')
    done = run("--specs", folder, "convert", values, folder / "y.plain")
    assert done.exit_code == 1
    lines = [line.split() for line in done.stderr.splitlines()]
    assert done.stderr.count("error[fields-shape]") == 2
    assert [line[1] for line in lines if line[:1] == ["-->"]] == ["/fields/body", "/fields/size"]
    assert not (folder / "y.plain").exists()


def test_what_other_values_contradict_is_told(folder: Path) -> None:
    """A value that is read back as another is a warning, and with --strict nothing is written."""
    values = folder / "x.json"
    values.write_text('{"format": "plain", "fields": {"len": {"$raw": "02"}, "body": "abc"}}')
    done = run("--specs", folder, "convert", values, folder / "y.plain")
    assert done.exit_code == 0
    assert "warning[not-written]: /fields/body: " in done.stderr
    assert re.findall(r"'(\w+)'", done.stderr) == ["abc", "ab"]
    assert run("--specs", folder, "convert", values, folder / "z.plain", "--strict").exit_code == 1
    assert not (folder / "z.plain").exists()


@pytest.mark.long
@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"format": "plain", "fields": {"body": "a", "body": "b"}}', 'the key "body" stands twice in one object'),
        ('{"format": "zbd", "fields": {}}', "has the fields of a zbd file, and plain is another format: --to zbd"),
        ('{"format": "plain", "fields": {', "Expecting"),
    ],
)
def test_json_that_is_not_of_the_format(folder: Path, text: str, words: str) -> None:
    """A key that stands twice, another format and broken JSON stop the command with status 2."""
    (folder / "x.json").write_text(text)
    done = run("--specs", folder, "convert", folder / "x.json", folder / "y.plain")
    assert done.exit_code == 2
    assert words in done.stderr


def test_fields_are_for_json(folder: Path) -> None:
    """--fields between two formats, or of several sources, is an error of usage, and nothing is written."""
    x = folder / "x.plain"
    for call in ((x, folder / "y.plain"), (x, x, folder / "y.json")):
        done = run("--specs", folder, "convert", *call, "--fields")
        assert (done.exit_code, "--fields" in done.stderr, call[-1].exists()) == (2, True, False)
