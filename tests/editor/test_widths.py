"""A width that is wrong in a binary schema is found by a file that has findings, and by nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from bridgespec.editor.widths import width_findings

SCHEMA = """\
meta: {id: demo, title: Démo, file-extension: demo, endian: le, bit-endian: be, encoding: ASCII}
seq:
  - {id: count, type: u1}
  - {id: mark, contents: "XY"}
  - id: name
    type: str
    size: 3
  - {id: end, contents: "."}
  - {id: kind, type: b3}
  - {id: rest, type: b5, valid: 5}
"""
FILE = b"\x02XYabc.\x25"


def shown(path: Path, text: str, data: bytes) -> list[tuple[str, str]]:
    """Return each finding as the text that it marks and the text that it writes."""
    raw, found = text.encode(), []
    for one in width_findings(path, [], text, data):
        assert one.fix is not None
        (edit,) = one.fix.edits
        found.append((raw[edit.start : edit.stop].decode(), edit.replacement.decode()))
    return found


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("count, type: u1", "count, type: u4"),
        ("size: 3", "size: 5"),
        ("type: b5", "type: b4"),
        ("count, type: u1", "count, type: u2"),
    ],
)
def test_the_width_is_found(tmp_path: Path, right: str, wrong: str) -> None:
    """One width is wrong: what is written for it makes the schema the right one, wherever the consequences are."""
    text = SCHEMA.replace(right, wrong)
    assert text != SCHEMA
    assert (wrong.rpartition(" ")[2], right.rpartition(" ")[2]) in shown(tmp_path / "demo.ksy", text, FILE)


@pytest.mark.parametrize("data", [FILE, b"\x02XZabc.\x25", b"", FILE * 10_000], ids=["clean", "another cause", "empty", "large"])
def test_no_width_is_blamed_without_proof(tmp_path: Path, data: bytes) -> None:
    """A file without findings shows nothing, and neither does one that no width makes clean, or one beyond the bound."""
    assert shown(tmp_path / "demo.ksy", SCHEMA, data) == []


def test_a_schema_that_cannot_be_read(tmp_path: Path) -> None:
    """It has findings of its own."""
    assert shown(tmp_path / "demo.ksy", "meta: {id: demo", FILE) == []
