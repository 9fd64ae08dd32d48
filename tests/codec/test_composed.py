"""Records in a format of boards: what is missing in them is composed of their fields, and a text behind its length is bound."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from bridgespec.diagnostic import Severity
from bridgespec.engines import Engine
from bridgespec.model.board import Board
from bridgespec.model.cards import Seat
from bridgespec.model.document import Document
from bridgespec.schema_checks import findings, trial_findings

SCHEMA = """
meta: {id: club, title: A club, file-extension: club, endian: le, bit-endian: be}
seq:
  - {id: magic, contents: CL}
  - {id: head, type: head}
  - {id: boards, type: board, repeat: eos}
types:
  head:
    seq:
      - {id: version, type: u1, -bridge-opaque: true, -bridge-default: 2}
      - {id: flags, type: flags}
      - {id: title, type: words, -bridge-as: event}
  flags:
    seq:
      - {id: first, type: b1, -bridge-opaque: true, -bridge-default: true}
      - {id: others, type: b7, -bridge-opaque: true, -bridge-default: 5}
  words:
    seq:
      - {id: len_text, type: u1, -bridge-value: text._sizeof}
      - {id: text, type: str, size: len_text, encoding: UTF-8}
  board:
    seq:
      - {id: number, type: u1}
      - {id: flags, type: flags}
      - {id: site, type: words}
      - {id: dealer, type: u1, enum: seat}
      - {id: marks, type: flags, repeat: expr, repeat-expr: 2, -bridge-opaque: true}
enums: {seat: {0: north, 1: east, 2: south, 3: west}}
"""
FRESH = bytes.fromhex("434c 02 85 03 437570 03 85 04 48657265 02 8585")


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    """The engine with the schema."""
    (tmp_path / "club.ksy").write_text(SCHEMA)
    return Engine([tmp_path])


def test_a_fresh_file_has_the_defaults_of_all_fields(engine: Engine) -> None:
    """A header, flags and a list of them are written by the defaults of their fields, texts with their lengths."""
    document = Document(boards=(Board(number=3, dealer=Seat.SOUTH, site="Here"),), event="Cup")
    assert engine.spell(document, "club").data == FRESH
    read = engine.examine(FRESH, "club")
    assert read.errors == ()
    assert (read.document.event, read.document.boards[0].site) == ("Cup", "Here")


def test_what_was_read_stays(engine: Engine) -> None:
    """Opaque fields keep what a file had, in its header and in a board that has changed."""
    data = bytearray(FRESH)
    data[2], data[3], data[-1] = 9, 0x11, 0x22
    document = engine.read(bytes(data), "club").document
    changed = replace(document, boards=(replace(document.boards[0], site="There"),))
    assert engine.spell(document, "club").data == data
    assert engine.spell(changed, "club").data == data.replace(b"\4Here", b"\5There")


def test_the_schema_is_right(tmp_path: Path) -> None:
    """No field of it needs a meaning, and what it claims to hold comes back."""
    path = tmp_path / "club.ksy"
    path.write_text(SCHEMA)
    spec, found = findings(path, [])
    assert spec is not None
    assert [one for one in found if one.severity is Severity.ERROR] == []
    assert list(trial_findings(Engine([tmp_path]), spec)) == []
