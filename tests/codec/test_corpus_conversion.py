"""Every PBN file of the corpus is converted to every format that can hold a deal, and nothing is lost unsaid."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from bridgespec.codec.binding import BOARD
from bridgespec.codec.terms import TERMS
from bridgespec.engines import engine
from bridgespec.errors import WriteError
from bridgespec.model.board import Board
from bridgespec.model.cards import Seat

CORPUS = Path(__file__).parents[3] / "shared" / "data" / "pbn"
FILES = sorted(CORPUS.rglob("*.pbn")) + sorted(CORPUS.rglob("*.PBN"))


def formats() -> list[str]:
    """The formats whose schemas bind a deal."""
    known = engine()
    specs = [known.spec(head.id) for head in known.catalog.heads() if head.extensions]
    return [spec.id for spec in specs if "deal" in known.of(spec).binder.terms]


def without_second_rooms(boards: Sequence[Board]) -> tuple[Board, ...]:
    """The boards with each deal of a number once, as the first room has it."""
    rooms: dict[object, str | None] = {}
    return tuple(
        board for board in boards if board.room is None or rooms.setdefault((board.number, board.deal), board.room) == board.room
    )


@pytest.mark.slow
@pytest.mark.skipif(not FILES, reason="the corpus of PBN files is not here")
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_a_real_file_loses_nothing_unsaid(path: Path) -> None:
    """It loads; each target takes its boards or refuses each with a reason; what comes back otherwise is in the list of losses."""
    document = engine().load(path.read_bytes(), path=str(path))
    refused: dict[str, str] = {}
    for format in formats():
        binder = engine().of(engine().spec(format)).binder
        boards = document.boards
        if "declarer" in binder.terms and "contract" not in binder.terms:
            boards = tuple(replace(board, declarer=board.declarer or Seat.SOUTH) for board in boards)
        boards = boards if binder.listed is not None else boards[:1]
        try:
            output = engine().spell(replace(document, boards=boards), format, partial=True)
            if output.again:
                # A deal of two rooms is written once; so that boards can be compared one by one, here it stands in one.
                boards = without_second_rooms(boards)
                output = engine().spell(replace(document, boards=boards), format, partial=True)
        except WriteError as error:
            refused[format] = str(error)
            continue
        said = {found.message for found in output.findings}
        left = [board for at, board in enumerate(boards) if at not in {found.record for found in output.refused}]
        back = engine().read(output.data, format).document.boards
        assert not output.again
        assert len(back) == len(left), (format, len(back), len(left))
        for one, two in zip(left, back, strict=True):
            for name in (name for name in BOARD if name in TERMS and name in binder.terms):
                lost = set(TERMS[name].losses(one, two))
                unsaid = [kind for kind in lost if not any(f"cannot hold {kind}" in message for message in said)]
                assert not unsaid, (format, name, unsaid)
    assert all("cannot hold" in reason for reason in refused.values()), refused


def test_the_corpus_is_converted_to_something() -> None:
    """There are formats of both languages to convert to."""
    assert {"lin", "rbn", "zbd", "dup"} <= set(formats())
