"""Lists of records of which each says what it holds: written from the model, changed in one item, left alone else."""

from __future__ import annotations

from dataclasses import replace

from bridgespec.codec.node import plain
from bridgespec.model.board import Board, Comment
from bridgespec.model.cards import Seat
from bridgespec.model.deal import Deal
from bridgespec.model.document import Document
from tests.generate.house import engine

BOARD = Board(
    1, deal=Deal(bytes(range(4)) * 13), dealer=Seat.NORTH, event="Cup", comments=(Comment("one"), Comment("two")), result=7
)


def items(data: bytes) -> list[tuple[int, object]]:
    """What the first board's items are, and what they hold."""
    tree = plain(engine().of(engine().spec("bags")).codec.read(data).root)
    return [(item["kind"], item["body"]) for item in tree["boards"][0]["items"]]


def test_a_fresh_file_has_an_item_for_all_that_is_said() -> None:
    """One of each kind of which the board says all, one for each remark; what has no item is told as lost."""
    written = engine().spell(Document((replace(BOARD, round="1"),)), "bags")
    said = [(1, {"dealer": 1}), (2, {"event": "Cup"}), (4, {"comment": "one"}), (4, {"comment": "two"}), (6, {"result": 7})]
    assert items(written.data) == said
    assert [one.message for one in written.findings] == ["bags cannot hold the round"]
    whole = engine().spell(Document((replace(BOARD, declarer=Seat.SOUTH),)), "bags")
    assert (3, {"declarer": 3, "weight": 0}) in items(whole.data)
    assert not whole.findings
    bare = engine().spell(Document((Board(1, deal=BOARD.deal),)), "bags")
    assert items(bare.data) == [(1, {"dealer": 1})]  # it follows from the number


def test_only_the_item_that_changed_is_written_anew() -> None:
    """An item that means nothing stays where it is, though none is written of itself."""
    board = bytes.fromhex("01" + "e4" * 13 + "04")
    data = board + bytes.fromhex("0506 0204 43757021") + bytes.fromhex("0101 01") + b"\x02\x03Cup" + bytes.fromhex("0302 0305")
    document = engine().examine(data, "bags").document
    assert engine().spell(document, "bags").data == data
    one = document.boards[0]
    changed = engine().spell(replace(document, boards=(replace(one, event="Final"),)), "bags").data
    assert changed == data.replace(b"\x02\x03Cup", b"") + b"\x02\x05Final"
    without = engine().spell(replace(document, boards=(replace(one, event=None),)), "bags").data
    assert without == data.replace(b"\x02\x03Cup", b"").replace(board, board[:-1] + b"\x03")
