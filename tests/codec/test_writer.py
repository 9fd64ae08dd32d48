"""A text that is written has one encoding, and a character that it lacks is reported.

Lists of records of which each says what it holds: written from the model, changed in one item, left alone else.

Records in a format of boards: what is missing in them is composed of their fields, and a text behind its length is bound.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from bridgespec import Document, dumps, loads
from bridgespec.codec.node import plain
from bridgespec.diagnostic import Severity
from bridgespec.engines import Engine, engine
from bridgespec.model.board import Board, Comment
from bridgespec.model.cards import Seat
from bridgespec.model.deal import Deal
from bridgespec.model.table import Column, Table
from bridgespec.schema_checks import findings, trial_findings
from tests.generate import house

NAMED = '[Event "X"]\r\n[Board "1"]\r\n[West "Łukasz"]\r\n[North "Élodie"]\r\n[East "Müller"]\r\n[South "Smith"]\r\n'
DEAL = '[Dealer "N"]\r\n[Deal "N:Q9.QT986.AT6.A82 83.K42.854.T9754 AKJ6542.J753.K9. T7.A.QJ732.KQJ63"]\r\n'
LATIN = (NAMED.replace("Łukasz", "José") + DEAL).encode("latin-1")


def spelled(document: Document, format: str, canonical: bool = False) -> tuple[bytes, list[str]]:
    """The bytes of a document in a format, and what is reported."""
    output = engine().of(engine().spec(format)).spell(document, canonical)
    return output.data, [one.message for one in output.findings]


@pytest.mark.parametrize("format", ["lin", "pbn"])
def test_a_format_that_allows_utf_8_is_utf_8_throughout(format: str) -> None:
    """Also the names that Latin-1 could hold."""
    document = loads((NAMED + DEAL).encode(), "pbn")
    data, lost = spelled(replace(document, origin=None), format)
    assert {"Łukasz", "Élodie", "Müller"} <= set(data.decode("utf-8").replace('"', ",").replace("|", ",").split(","))
    assert lost == []
    assert loads(data, format).boards[0].players == document.boards[0].players


@pytest.mark.parametrize("format", ["rbn", "rbx"])
def test_a_character_that_the_encoding_lacks_is_reported(format: str) -> None:
    """It becomes a question mark; the other names are written in Latin-1 as they are."""
    data, lost = spelled(loads((NAMED + DEAL).encode(), "pbn"), format)
    assert "Élodie+Smith:?ukasz+Müller" in data.decode("latin-1")
    assert lost == [f"{format} cannot hold a player's name as it is written"]


@pytest.mark.parametrize(("encoding", "name"), [("utf-8", "Jürgen"), ("utf-8", "Łukasz"), ("latin-1", "Jürgen")])
def test_a_changed_file_keeps_its_encoding(encoding: str, name: str) -> None:
    """A new name is encoded as the names that stay."""
    before = LATIN.decode("latin-1").encode(encoding)
    board = (document := loads(before, "pbn")).boards[0]
    changed = replace(board, players=(*board.players[:3], name))
    assert dumps(replace(document, boards=(changed,)), "pbn") == before.replace(b"Smith", name.encode(encoding))


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
@pytest.mark.parametrize("south", ["Smith", "José"])
def test_a_changed_file_with_a_byte_order_mark_keeps_its_encoding(encoding: str, south: str) -> None:
    """Also one that was ASCII but for the mark."""
    text = f'[Board "1"]\r\n[West "A"]\r\n[North "B"]\r\n[East "C"]\r\n[South "{south}"]\r\n'
    before = text.encode(encoding)
    board = (document := loads(before, "pbn")).boards[0]
    changed = replace(board, players=(*board.players[:3], "Łukasz"))
    after = dumps(replace(document, boards=(changed,)), "pbn")
    assert after.decode(encoding) == text.replace(south, "Łukasz")
    assert after[:2] == before[:2]


def test_a_changed_file_reports_what_its_encoding_lacks() -> None:
    """A Latin-1 file does not become a file of two encodings."""
    board = (document := loads(LATIN, "pbn")).boards[0]
    changed = replace(document, boards=(replace(board, players=(*board.players[:3], "Łukasz")),))
    data, lost = spelled(changed, "pbn")
    assert data == LATIN.replace(b"Smith", b"?ukasz")
    assert lost == ["pbn cannot hold a player's name as it is written"]


@pytest.mark.parametrize("west", ["Anna – Bob", "Łukasz", "Élodie"])
def test_cells_of_tables_have_the_encoding_of_the_file(west: str) -> None:
    """Names in a table are written as those in tags, in a fresh file and in a changed one."""
    document = loads((NAMED + DEAL).encode(), "pbn")
    table = Table("ScoreTable", (Column("Rank"), Column("Names")), (("1", west),))
    board = replace(document.boards[0], players=(west, "Łucja", None, None), tables=(table,))
    for origin in (None, document.origin):
        data, lost = spelled(replace(document, boards=(board,), origin=origin), "pbn")
        assert lost == []
        assert data.decode("utf-8").count(west) == 2
        assert loads(data, "pbn").boards[0].tables == (table,)


def test_a_cell_that_the_encoding_lacks_is_reported() -> None:
    """A changed file in Latin-1 stays so: the cell has question marks, and the note names it."""
    document = loads(LATIN, "pbn")
    table = Table("ScoreTable", (Column("Names"),), (("Łukasz",),))
    data, lost = spelled(replace(document, boards=(replace(document.boards[0], tables=(table,)),)), "pbn")
    assert b"?ukasz" in data
    assert lost


BOARD = Board(
    1, deal=Deal(bytes(range(4)) * 13), dealer=Seat.NORTH, event="Cup", comments=(Comment("one"), Comment("two")), result=7
)


def items(data: bytes) -> list[tuple[int, object]]:
    """What the first board's items are, and what they hold."""
    tree = plain(house.engine().of(house.engine().spec("bags")).codec.read(data).root)
    return [(item["kind"], item["body"]) for item in tree["boards"][0]["items"]]


def test_a_fresh_file_has_an_item_for_all_that_is_said() -> None:
    """One of each kind of which the board says all, one for each remark; what has no item is told as lost."""
    written = house.engine().spell(Document((replace(BOARD, round="1"),)), "bags")
    said = [(1, {"dealer": 1}), (2, {"event": "Cup"}), (4, {"comment": "one"}), (4, {"comment": "two"}), (6, {"result": 7})]
    assert items(written.data) == said
    assert [one.message for one in written.findings] == ["bags cannot hold the round"]
    whole = house.engine().spell(Document((replace(BOARD, declarer=Seat.SOUTH),)), "bags")
    assert (3, {"declarer": 3, "weight": 0}) in items(whole.data)
    assert not whole.findings
    bare = house.engine().spell(Document((Board(1, deal=BOARD.deal),)), "bags")
    assert items(bare.data) == [(1, {"dealer": 1})]  # it follows from the number


def test_only_the_item_that_changed_is_written_anew() -> None:
    """An item that means nothing stays where it is, though none is written of itself."""
    board = bytes.fromhex("01" + "e4" * 13 + "04")
    data = board + bytes.fromhex("0506 0204 43757021") + bytes.fromhex("0101 01") + b"\x02\x03Cup" + bytes.fromhex("0302 0305")
    document = house.engine().examine(data, "bags").document
    assert house.engine().spell(document, "bags").data == data
    one = document.boards[0]
    changed = house.engine().spell(replace(document, boards=(replace(one, event="Final"),)), "bags").data
    assert changed == data.replace(b"\x02\x03Cup", b"") + b"\x02\x05Final"
    without = house.engine().spell(replace(document, boards=(replace(one, event=None),)), "bags").data
    assert without == data.replace(b"\x02\x03Cup", b"").replace(board, board[:-1] + b"\x03")


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
def own_engine(tmp_path: Path) -> Engine:
    """The own_engine with the schema."""
    (tmp_path / "club.ksy").write_text(SCHEMA)
    return Engine([tmp_path])


def test_a_fresh_file_has_the_defaults_of_all_fields(own_engine: Engine) -> None:
    """A header, flags and a list of them are written by the defaults of their fields, texts with their lengths."""
    document = Document(boards=(Board(number=3, dealer=Seat.SOUTH, site="Here"),), event="Cup")
    assert own_engine.spell(document, "club").data == FRESH
    read = own_engine.examine(FRESH, "club")
    assert read.errors == ()
    assert (read.document.event, read.document.boards[0].site) == ("Cup", "Here")


def test_what_was_read_stays(own_engine: Engine) -> None:
    """Opaque fields keep what a file had, in its header and in a board that has changed."""
    data = bytearray(FRESH)
    data[2], data[3], data[-1] = 9, 0x11, 0x22
    document = own_engine.read(bytes(data), "club").document
    changed = replace(document, boards=(replace(document.boards[0], site="There"),))
    assert own_engine.spell(document, "club").data == data
    assert own_engine.spell(changed, "club").data == data.replace(b"\4Here", b"\5There")


def test_the_schema_is_right(tmp_path: Path) -> None:
    """No field of it needs a meaning, and what it claims to hold comes back."""
    path = tmp_path / "club.ksy"
    path.write_text(SCHEMA)
    spec, found = findings(path, [])
    assert spec is not None
    assert [one for one in found if one.severity is Severity.ERROR] == []
    assert list(trial_findings(Engine([tmp_path]), spec)) == []
