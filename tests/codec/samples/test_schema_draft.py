"""`new --example`: a draft that reads the file it was made from, whatever that is."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random

import pytest
from click.testing import CliRunner

from bridgespec.api import Engine
from bridgespec.cli.app import app
from bridgespec.codec.samples.schema_draft import draft, record_size
from tests.cli.running import SAMPLES
from tests.generate.house import EXAMPLES

REAL = [
    *(sorted(folder.glob("*[!n]"))[0] for folder in sorted(SAMPLES.iterdir()) if folder.is_dir() and any(folder.glob("*[!n]"))),
    *sorted((EXAMPLES / "samples").glob("*/*[!n]")),
]
CHANCE = Random(5)
JUNK = [
    b"",
    b"\n",
    b"\0",
    b"a",
    b"a=1\nb",
    b"=\n=\n",
    b"[x]\n",
    b"#\n",
    bytes(500),
    "é=ü\n".encode(),
    b"a|b\nc|d\n",
    b"\t\t\n\t\t\n",
]
JUNK += [CHANCE.randbytes(size) for size in (2, 7, 64, 1000)]


@pytest.mark.parametrize(
    "data",
    [*(path.read_bytes() for path in REAL if path.is_file()), *JUNK],
    ids=[*(path.name for path in REAL if path.is_file()), *map(str, range(len(JUNK)))],
)
def test_a_draft_reads_its_example(data: bytes, tmp_path: Path) -> None:
    """Without a finding, and writes it back byte for byte."""
    text, suffix = draft("mine", data)
    (tmp_path / f"mine{suffix}").write_text(text, "utf-8")
    engine = Engine([tmp_path])
    report = engine.examine(data, "mine")
    assert report.diagnostics == ()
    assert engine.spell(report.document, "mine").data == data


@pytest.mark.parametrize(("name", "size"), [("dge/sixteen.dge", 128), ("bri/sixteen.bri", 2)])
def test_the_size_of_a_record_is_found(name: str, size: int) -> None:
    """Of records with something that stands in all of them; in digits two by two, that is two."""
    assert record_size((SAMPLES / name).read_bytes()) == size


def test_three_records_are_enough() -> None:
    """No fewer tell how long one is; what stands but once is nothing that all files begin with."""
    assert record_size(b"\x07\x01\x05\x00\x09\x02\x08\x03" * 3) == 8
    assert record_size(b"\x07\x01\x05\x00\x09\x02\x08\x03" * 2) is None
    assert not {"contents:", "size-eos:"} & set(draft("mine", b"\x80\x81\x91\xa2\xb3")[0].split())


def test_records_are_found_behind_a_head() -> None:
    """Its letters are constant, its count a number; so are the letters of each record, and its text is text."""
    records = b"".join(
        b"RC" + number.to_bytes(2, "little") + b"\xff" + bytes(f"name{number:04}", "ascii") for number in range(1, 31)
    )
    text, suffix = draft("mine", b"HEAD" + (30).to_bytes(4, "little") + records)
    assert suffix == ".ksy"
    for line in (
        "contents: 'HEAD'",
        "type: u4le",
        "The 13 bytes of a record.",
        "contents: [0x52, 0x43]",
        "contents: [0xff]",
        "type: u2le",
        "such as 'name0001'",
    ):
        assert line in text, text


def test_the_form_of_lines_is_found() -> None:
    """Remarks, sections, keys and values with their sign; cells; and lines that are none of these."""
    text, suffix = draft("mine", b"# remark\n# 2\n# 3\n[one]\na = 1\nb = 2\n[two]\na = 3\n?\n")
    assert suffix == ".lark"
    for line in ("remark: /\\#", 'section: "["', "Keys of the example: a, b", 'write: " = "'):
        assert line in text, text
    for data in (b"a;b;c\nd;e;f\n", b"# of cells\na;b;c\nd;e;f\n"):
        rules = dict(line.split(": ", 1) for line in draft("mine", data)[0].splitlines() if re.match(r"\w+: ", line))
        assert rules["row"].split()[:3] == ["cell?", '(";"', "cell?)+"]


def test_the_command_keeps_the_example_as_a_sample(tmp_path: Path) -> None:
    """Schema, sample and twin are there, and `check-spec` has nothing against them."""
    example = tmp_path / "some.dat"
    example.write_bytes(bytes(range(5)) * 40)
    made = CliRunner().invoke(app, ["new", "mine", "--example", str(example), "--dir", str(tmp_path)])
    assert made.exit_code == 0, made.output
    assert (tmp_path / "samples/mine/example.mine").read_bytes() == example.read_bytes()
    checked = CliRunner().invoke(app, ["check-spec", str(tmp_path / "mine.ksy"), "--strict"])
    assert checked.exit_code == 0, checked.output
    both = CliRunner().invoke(app, ["new", "other", "--example", str(example), "--text", "--dir", str(tmp_path)])
    assert both.exit_code == 2
