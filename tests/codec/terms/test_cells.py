"""What positions mean is told by their axes alone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bridgespec.api import Engine, engine
from bridgespec.model.document import Document
from tests.codec.terms.support import SAMPLES, SPECS, Block, blocks, samples_of, text_formats, write
from tests.listed import listed


def _axes(block: Any) -> Iterator[list[Any]]:
    if isinstance(block, dict) and isinstance(block.get("axes"), list):
        yield block["axes"]


@listed
def permuted_axes() -> Iterator[tuple[str, int]]:
    for format in text_formats():
        count = [0]

        def look(block: Block, count: list[int] = count) -> None:
            count[0] += len(list(_axes(block)))

        blocks((SPECS / f"{format}.lark").read_text("utf-8"), look)
        yield from ((format, index) for index in range(count[0]))


def _turned(labels: str) -> str:
    return labels[1:] + labels[:1]


@pytest.mark.slice(8, quick=2)
@pytest.mark.parametrize(("format", "index"), permuted_axes())
def test_a_permuted_axis_writes_and_reads_the_same_boards(format: str, index: int, tmp_path: Path) -> None:
    """With the labels of an axis turned, a file is written in another order, and says the same in it."""
    source = (SPECS / f"{format}.lark").read_text("utf-8")
    seen = [0]

    def change(block: Block) -> None:
        for axes in _axes(block):
            if seen[0] == index:
                axes[:] = [{name: _turned(labels) for name, labels in axis.items()} for axis in axes]
            seen[0] += 1

    other = Engine([write(tmp_path, f"{format}.lark", blocks(source, change)).parent])
    path = next(iter(samples_of(format)))
    document = engine().examine(path.read_bytes(), format).document
    document = Document(document.boards, document.event, document.site, document.date)
    data = other.spell(document, format, canonical=True).data
    again = other.examine(data, format).document
    for one, two in zip(document.boards, again.boards, strict=True):
        assert (two.deal, two.tricks, two.players) == (one.deal, one.tricks, one.players)


BOTH = """\
meta: {id: both, file-extension: both, endian: le, -bridge-model: boards}
seq: [{id: boards, type: board, repeat: eos}]
types:
  board:
    seq:
      - {id: declarer, type: u1, enum: seats}
      - {id: tricks, type: row, repeat: expr, repeat-expr: 5, -bridge-axes: [{strain: NSHDC}], -bridge-at: {seat: declarer}}
  row: {seq: [{id: cell, type: u1, repeat: expr, repeat-expr: 4, -bridge-axes: [{seat: WNES}]}]}
enums: {seats: {0: west, 1: north, 2: east, 3: south}}
"""


def test_a_seat_that_is_given_twice_leads_to_no_cell_beyond_the_table(tmp_path: Path) -> None:
    """The declarer shifts the cells, as `at` says; those that an axis of the elements puts behind the last one are left out."""
    (tmp_path / "both.ksy").write_text(BOTH, "utf-8")
    (board,) = Engine([tmp_path]).load(bytes([3, *range(10), *range(10)]), "both").boards
    assert board.tricks is not None
    assert [*board.tricks.cells[3:]] == [*range(10), *range(7)]


@pytest.mark.parametrize(("format", "language", "name"), [("zbd", "ksy", "sixteen.zbd"), ("gib", "lark", "sixteen.gib")])
def test_the_order_of_suits_likewise(format: str, language: str, name: str, tmp_path: Path) -> None:
    """The cards of a ZBD record, and the holdings of a line of GIB, in another order of suits: other bytes, the same deals."""
    source = (SPECS / f"{format}.{language}").read_text("utf-8")
    other = Engine([write(tmp_path, f"{format}.{language}", source.replace("{suit: SHDC}", "{suit: CDHS}")).parent])
    data = (SAMPLES / format / name).read_bytes()
    document = engine().examine(data, format).document
    fresh = other.spell(Document(document.boards), format, canonical=True).data
    assert fresh != engine().spell(Document(document.boards), format, canonical=True).data
    assert [board.deal for board in other.examine(fresh, format).document.boards] == [board.deal for board in document.boards]
