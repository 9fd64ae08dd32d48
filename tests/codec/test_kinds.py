"""Lists of records of several kinds: those of one are boards, the others stay where they stood."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from bridgespec.codec.lint import lint
from bridgespec.diagnostic import Severity
from bridgespec.docs.reference import EXAMPLES
from bridgespec.engines import Engine
from bridgespec.errors import SpecError
from bridgespec.model.document import Document

DATA = bytes.fromhex("03 0700 0a00 0e00 010302 02026869 010403 55c7")
ENGINE = Engine([EXAMPLES])


def written(document: Document) -> bytes:
    """The records of a document as they are written, without what is derived."""
    data = ENGINE.spell(document, "kinds").data
    assert ENGINE.examine(data, "kinds").errors == ()
    return data[1 + 2 * data[0] : -2]


def document() -> Document:
    """The document of the data: a board, a remark, a board."""
    return ENGINE.read(DATA, "kinds").document


def test_a_record_of_another_kind_is_no_board() -> None:
    """It is neither bound nor counted, and an unchanged file is its own bytes."""
    assert [board.number for board in document().boards] == [3, 4]
    assert ENGINE.spell(document(), "kinds").data == DATA


@pytest.mark.parametrize(
    ("order", "records"),
    [([0, 1], "010302 02026869 010403"), ([1, 0], "010403 010302 02026869"), ([1], "02026869 010403"), ([0], "010302 02026869")],
)
def test_other_records_stay_behind_the_board_before_them(order: list[int], records: str) -> None:
    """Boards that are moved take them along; where the board is gone they stand behind the one before it."""
    read = document()
    assert written(replace(read, boards=tuple(read.boards[index] for index in order))) == bytes.fromhex(records)


def test_a_changed_and_a_fresh_board_are_of_the_kind_of_boards() -> None:
    """Of a board that is new the kind is written with what it holds."""
    read = document()
    first, last = read.boards
    assert written(replace(read, boards=(replace(first, number=9), last))) == bytes.fromhex("010902 02026869 010403")
    assert written(Document(boards=(replace(first, origin=None),))) == bytes.fromhex("010302")


def test_records_of_other_kinds_are_spelled_anew_with_the_boards() -> None:
    """A file that is written afresh keeps them too: no board states them."""
    assert ENGINE.spell(document(), "kinds", canonical=True).data == DATA


def test_what_another_format_lacks_is_told() -> None:
    """Records of other kinds, and fields of the file that mean nothing in the model and are not as by default."""
    lost = [one.message for one in ENGINE.spell(document(), "pbn").findings]
    assert lost == ["pbn cannot hold a record of the kind 2 of kinds"]


@pytest.mark.parametrize(("flags", "told"), [("00", False), ("05", True)])
def test_a_field_of_the_file_that_is_not_as_by_default_is_told(tmp_path: Path, flags: str, told: bool) -> None:
    """A field without meaning says something where it differs from what a new file has."""
    head = "seq: [{id: flags, type: u1, -bridge-opaque: true, -bridge-default: 0}, {id: boards"
    (tmp_path / "unnamed.ksy").write_text(
        UNNAMED.replace("seq: [{id: boards", head, 1).replace("repeat: eos", "repeat: eos, -bridge-case: board")
    )
    engine = Engine([tmp_path])
    read = engine.read(bytes.fromhex(flags + "0103"), "unnamed").document
    lost = [one.message for one in engine.spell(read, "pbn").findings]
    assert lost == ["pbn cannot hold the field flags of unnamed"] * told


UNNAMED = """
meta: {id: unnamed, file-extension: unnamed}
seq: [{id: boards, type: rec, repeat: eos}]
types:
  rec:
    seq:
      - {id: kind, type: u1, -bridge-opaque: true, -bridge-default: 1}
      - {id: body, type: {switch-on: kind, cases: {1: board, 2: remark}}}
  board: {seq: [{id: number, type: u1}]}
  remark: {seq: [{id: text, type: u1, -bridge-opaque: true, -bridge-default: 0}]}
"""


def test_kinds_without_a_named_one_are_refused(tmp_path: Path) -> None:
    """Where a kind states nothing of a board and none is named, the schema is an error that says the key, and reads no board."""
    (tmp_path / "unnamed.ksy").write_text(UNNAMED)
    engine = Engine([tmp_path])
    (found,) = (one for one in lint(engine.spec("unnamed")) if one.severity is Severity.ERROR)
    assert (found.code, found.span and found.span.line) == ("schema-kinds", 3)
    assert "say which type is a board with -bridge-case: board" in found.message
    with pytest.raises(SpecError, match="-bridge-case: board"):
        engine.read(bytes([1, 7, 2, 0]), "unnamed")
    (tmp_path / "unnamed.ksy").write_text(UNNAMED.replace("repeat: eos", "repeat: eos, -bridge-case: board"))
    named = Engine([tmp_path])
    assert not [one for one in lint(named.spec("unnamed")) if one.severity is Severity.ERROR]
    assert [board.number for board in named.read(bytes([1, 7, 2, 0]), "unnamed").document.boards] == [7]
