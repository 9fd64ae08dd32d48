"""Byte order marks and UTF-16: read as the text that they stand before, and written back as they were."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from bridgespec import check, dumps, load, loads
from bridgespec.codec.byte_order import marked
from bridgespec.diagnostic import Severity
from tests.cli.running import SAMPLES, run

ENCODINGS = ("utf-8-sig", "utf-16", "utf-16-le", "utf-16-be")
"""As Python names them: the second has a mark, the last two have none."""
TEXT = (SAMPLES / "pbn" / "sixteen.pbn").read_text("utf-8")
FAULTY = (SAMPLES / "pbn" / "bad" / "deviations.pbn").read_text("latin-1")
BOM = b'\xef\xbb\xbf% PBN 2.1\r\n[Event "\xc5\x9awi\xc4\x99tokrzyski Kongres"]\r\n[Board "1"]\r\n'


@pytest.mark.slice(5)
@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("format", ["pbn", "lin", "csv", "rbn"])
def test_a_file_is_written_back_as_it_was(encoding: str, format: str) -> None:
    """Byte for byte, with the boards of the plain file; without a name, too."""
    plain = (SAMPLES / format / f"sixteen.{format}").read_bytes().decode()
    data = plain.encode(encoding)
    document = loads(data, format)
    assert dumps(document, format) == data
    assert document.boards == loads(plain.encode(), format).boards
    assert loads(data).format == format
    assert not [found for found in check(data, format) if found.severity is Severity.ERROR]


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_a_changed_file_keeps_its_encoding(encoding: str) -> None:
    """Fresh names are in the encoding of the file; the clean form has none of its own."""
    document = loads(TEXT.encode(encoding), "pbn")
    changed = replace(document, boards=(replace(document.boards[0], event="Ünï €"), *document.boards[1:]))
    text = dumps(changed, "pbn").decode(encoding)
    assert '[Event "Ünï €"]' in text
    assert loads(text.encode(encoding), "pbn").boards == changed.boards
    assert dumps(document, "pbn", canonical=True) == dumps(loads(TEXT.encode(), "pbn"), "pbn", canonical=True)


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_findings_have_their_places_in_the_file(encoding: str) -> None:
    """Those of the reader and of the rules: offsets are the file's, lines and columns those of the text."""
    plain = check(FAULTY.encode("utf-8"), "pbn")
    found = [one for one in check(FAULTY.encode(encoding), "pbn") if one.code != "utf-16-text"]
    assert [one.code for one in found] == [one.code for one in plain]
    data = FAULTY.encode(encoding)
    for one, other in zip(found, plain, strict=True):
        assert one.span is not None
        assert other.span is not None
        assert (one.span.line, one.span.column) == (other.span.line, other.span.column)
        codec = {"utf-16": "utf-16-le", "utf-8-sig": "utf-8"}.get(encoding, encoding)
        there = data[one.span.byte_start : one.span.byte_stop].decode(codec)
        assert there == FAULTY.encode()[other.span.byte_start : other.span.byte_stop].decode()


@pytest.mark.long
@pytest.mark.parametrize("encoding", ENCODINGS)
def test_findings_are_drawn_and_repaired(encoding: str, tmp_path: Path) -> None:
    """As in the plain file, and the repaired file has its encoding."""
    plain, wide = tmp_path / "a.pbn", tmp_path / "b.pbn"
    plain.write_bytes(FAULTY.encode())
    wide.write_bytes(FAULTY.encode(encoding))
    drawn = [run("validate", path, "--all").stdout.replace(path.name, "x.pbn") for path in (plain, wide)]
    shown = [[line for line in text.splitlines() if " | " in line or "-->" in line] for text in drawn]
    assert shown[1][-len(shown[0]) :] == shown[0]
    for path in (plain, wide):
        run("validate", "--fix", path)
    with open(plain, encoding="utf-8", newline="") as file:
        repaired = file.read()
    assert repaired != FAULTY
    assert wide.read_bytes() == repaired.encode(encoding)


def test_utf_16_is_identified(tmp_path: Path) -> None:
    """With advice; a byte order mark of UTF-8 is no finding and no stray text."""
    path = tmp_path / "x.pbn"
    path.write_bytes(TEXT.encode("utf-16"))
    (found,) = check(path)
    assert (found.code, found.severity, found.help) == ("utf-16-text", Severity.WARNING, "save it as UTF-8")
    path.write_bytes(BOM)
    assert [one.code for one in check(path)] == ["pbn-encoding"]
    assert load(path).boards[0].event == "Świętokrzyski Kongres"
    assert dumps(load(path), "pbn") == BOM


def test_conversions_read_wide_text(tmp_path: Path) -> None:
    """What is converted is in the target's own encoding."""
    for encoding in ENCODINGS:
        (tmp_path / "x.pbn").write_bytes(TEXT.encode(encoding))
        assert run("convert", tmp_path / "x.pbn", tmp_path / "y.zbd").exit_code == 0
        assert (tmp_path / "y.zbd").read_bytes() == (SAMPLES / "zbd" / "sixteen.zbd").read_bytes()


def test_every_damaged_file_is_kept() -> None:
    """Unpaired surrogates, an odd byte at the end, marks in the text; every offset leads to the file and back."""
    random = Random(1)
    few = bytes([0xD8, 0xDC, 0, 65, 0xFF, 0xFE, 10])
    for _ in range(2000):
        body = bytes(random.choice(few) if random.random() < 0.7 else random.randrange(256) for _ in range(random.randrange(40)))
        for mark in (b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf"):
            data = mark + body
            found = marked(data)
            assert found is not None
            assert found.encode(found.text) == data
            for at in range(len(found.text) + 1):
                if at == len(found.text) or not found.is_wide or found.text[at] & 0xC0 != 0x80:
                    assert found.text_offset(found.offset(at)) == at


@pytest.mark.parametrize("data", [b"", b"a", b"[Event]", bytes(64), b"a\0b\0", b"\0" * 9 + b"x", b"\x10\x27" * 30])
def test_other_files_are_not_wide(data: bytes) -> None:
    """Few bytes, nulls alone, and numbers of two bytes are no UTF-16."""
    assert marked(data) is None


def test_an_empty_and_a_compressed_file_are_identified(tmp_path: Path) -> None:
    """With advice, whatever the format; the other findings are kept."""
    path = tmp_path / "x.pbn"
    path.write_bytes(b"")
    assert [(one.code, one.severity) for one in check(path)] == [("empty-file", Severity.WARNING)]
    assert "ok" not in run("validate", path).stdout.split()
    path.write_bytes(b"\x1f\x8b\x08\x00" + Random(2).randbytes(300))
    first, *others = check(path)
    assert (first.code, first.help) == ("compressed-data", "unpack it first: gunzip")
    assert others
    for name in ("empty", "packed"):
        (tmp_path / name).write_bytes(b"" if name == "empty" else path.read_bytes())
        result = run("validate", tmp_path / name)
        assert result.exit_code == 2
        assert ("is empty" if name == "empty" else "gzip data: unpack it first (gunzip)") in result.stderr
