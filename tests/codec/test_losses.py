"""What a conversion reports as lost, told by what is placed while it is written, is what reading it back finds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, replace
from pathlib import Path

import pytest

from bridgespec import Board, Document, engine
from bridgespec.codec.losses import lost_in
from bridgespec.codec.specimens import specimen
from bridgespec.errors import WriteError
from bridgespec.model.board import Comment
from bridgespec.model.cards import Seat
from bridgespec.model.deal import Deal
from bridgespec.model.tricks import UNSOLVED, Tricks

SAMPLES = Path(__file__).parents[1] / "samples"
CORPUS = Path(__file__).parents[3] / "shared" / "data" / "pbn"
TARGETS = sorted(spec.id for spec in engine().catalog.all() if engine().of(spec).binder.board is not None)
FILES = sorted(path for path in CORPUS.rglob("*") if path.suffix.lower() == ".pbn")


def files(folder: Path) -> list[Path]:
    """The samples in a folder."""
    return sorted(path for path in folder.glob("*") if path.is_file() and path.suffix != ".json")


def check(target: str, document: Document) -> None:
    """Compare the losses of what was placed with those of what is read, of all boards and of the first alone."""
    known = engine().of(engine().spec(target))
    for some in (document, replace(document, boards=document.boards[:1])):
        try:
            data, written, placed = known.trial(some)
        except WriteError:
            continue
        back = known.load(data)
        found, wanted = (lost_in(known.binder, written, one, False) for one in (placed, back))
        assert found == wanted, target


def edited(document: Document) -> Iterator[Document]:
    """A document with each field of a board in the middle changed, and removed from all boards."""
    at = len(document.boards) // 2
    for name in (one.name for one in fields(Board) if one.name != "origin"):
        changed = replace(document.boards[at], **{name: getattr(specimen(at), name)})
        yield replace(document, boards=(*document.boards[:at], changed, *document.boards[at + 1 :]))
        bare = {name: getattr(Board(), name)}
        yield replace(document, boards=tuple(replace(board, **bare) for board in document.boards))


def generated() -> Iterator[Document]:
    """Boards that state everything, each field alone with the deal, and values that formats may refuse."""
    whole = tuple(specimen(seed) for seed in range(8))
    yield Document(whole)
    yield Document(tuple(replace(board, number=place) for place, board in enumerate(whole, 1)))
    names = [one.name for one in fields(Board) if one.name not in ("deal", "origin", "number")]
    for name in names:
        boards = [Board(place, deal=one.deal, **{name: getattr(one, name)}) for place, one in enumerate(whole[:6], 1)]
        yield Document(tuple(boards))
    # Dealer and vulnerability follow from a number: of the same deal, one at its place, shifted, repeated and far away.
    for numbers in (range(1, 20), range(17, 36), range(2, 21), (1, 1, 1, 2, 3), (999, 1000, 4, 5), (250, 255, 256, 257, 5, 6)):
        for tricks in (None, whole[0].tricks):
            yield Document(tuple(Board(number, deal=whole[1].deal, tricks=tricks) for number in numbers))
            yield Document(tuple(Board(number, deal=whole[1].deal, tricks=tricks, dealer=Seat.EAST) for number in numbers))
    few = bytearray(whole[0].deal.holders if whole[0].deal is not None else b"")
    few[0] = 5
    odd = replace(whole[1], deal=Deal(bytes(few)), tricks=Tricks(bytes([UNSOLVED] * 20)), number=70_000, dealer=None)
    yield Document((*whole[:2], odd, replace(odd, vulnerability=None), *whole[2:4]))
    remarks = (Comment("on a call", ("auction", 0)), Comment("\u2660 on a card", ("play", 3)), Comment("{odd} | text"))
    yield Document(tuple(replace(one, comments=remarks, players=("A|b", "", None, "D, e")) for one in whole[:5]))


@pytest.mark.slice(5, quick=2)
@pytest.mark.parametrize("target", TARGETS)
def test_generated_boards_lose_what_reading_back_finds(target: str) -> None:
    """Boards of every field, whole and in part."""
    for document in generated():
        check(target, document)


@pytest.mark.slice(6, quick=2)
@pytest.mark.parametrize("target", TARGETS)
def test_samples_lose_what_reading_back_finds(target: str) -> None:
    """A sample of every format."""
    for folder in sorted(path for path in SAMPLES.iterdir() if path.is_dir()):
        path = min(files(folder))
        document = engine().load(path.read_bytes(), folder.name)
        check(target, replace(document, boards=document.boards[:6]))


@pytest.mark.slice(5, quick=2)
@pytest.mark.parametrize("format", TARGETS)
def test_edits_lose_what_reading_back_finds(format: str) -> None:
    """Fields of a file in its own format that are changed, while everything else stays as it was."""
    document = engine().load(min(files(SAMPLES / format)).read_bytes(), format)
    for some in edited(replace(document, boards=document.boards[:3])):
        check(format, some)


@pytest.mark.slice(None, quick=5)
@pytest.mark.parametrize("format", [name for name in TARGETS if (SAMPLES / name / "bad").exists()])
def test_broken_files_lose_what_reading_back_finds(format: str) -> None:
    """A record that cannot be read stays as it is; boards in another order are compared if none runs into the next."""
    known = engine().of(engine().spec(format))
    for path in files(SAMPLES / format / "bad"):
        document = known.load(path.read_bytes())
        for boards in (document.boards[1:], document.boards[::-1], (*document.boards, *document.boards[:1])):
            some = replace(document, boards=boards)
            data, written, _ = known.trial(some)
            if len(known.load(data).boards) == len(written.boards):
                check(format, some)


def test_what_is_not_placed_is_found() -> None:
    """The comparison fails where a writer says of a value that was not written that it was placed."""
    known = engine().of(engine().spec("pbn"))
    board = specimen(0)
    _, written, placed = known.trial(Document((board,)))
    back = known.load(known.trial(Document((replace(board, event=None, auction=None),)))[0])
    assert not lost_in(known.binder, written, placed, False)
    assert {kind for _, kind in lost_in(known.binder, written, back, False)} == {"the event", "the auction"}


@pytest.mark.slice(None, quick=2)
@pytest.mark.skipif(not FILES, reason="the corpus of PBN files is not here")
@pytest.mark.parametrize("path", FILES[::30], ids=lambda path: path.name)
def test_some_real_files_lose_what_reading_back_finds(path: Path) -> None:
    """A few real files, to every format."""
    document = engine().load(path.read_bytes(), "pbn")
    for target in TARGETS:
        check(target, replace(document, boards=document.boards[:4]))


@pytest.mark.slow
@pytest.mark.parametrize("target", TARGETS)
def test_all_samples_lose_what_reading_back_finds(target: str) -> None:
    """Every sample and every broken sample."""
    for folder in sorted(path for path in SAMPLES.iterdir() if path.is_dir()):
        known = engine().of(engine().spec(folder.name))
        for path in [*files(folder), *files(folder / "bad")] if known.binder.terms else ():
            check(target, known.load(path.read_bytes()))


@pytest.mark.slow
@pytest.mark.skipif(not FILES, reason="the corpus of PBN files is not here")
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_real_files_lose_what_reading_back_finds(path: Path) -> None:
    """All real files, to every format."""
    for target in TARGETS:
        check(target, engine().load(path.read_bytes(), "pbn"))
