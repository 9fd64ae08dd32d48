"""A text that is written has one encoding, and a character that it lacks is reported."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bridgespec import Document, dumps, loads
from bridgespec.engines import engine
from bridgespec.model.table import Column, Table

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
