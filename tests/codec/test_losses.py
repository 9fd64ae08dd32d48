"""What a conversion reports as lost without reading boards back is what reading each of them back finds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, replace
from functools import cache
from pathlib import Path

import pytest

from bridgespec import Board, Document, engine
from bridgespec.codec.specimens import specimen
from bridgespec.engines import Engine
from bridgespec.errors import WriteError
from bridgespec.model.board import Comment
from bridgespec.model.cards import Seat
from bridgespec.model.deal import Deal
from bridgespec.model.tricks import UNSOLVED, Tricks

SAMPLES = Path(__file__).parents[1] / "samples"
CORPUS = Path(__file__).parents[3] / "shared" / "data" / "pbn"
TARGETS = sorted(spec.id for spec in engine().catalog.all() if "deal" in engine().of(spec).binder.terms)
FILES = sorted(path for path in CORPUS.rglob("*") if path.suffix.lower() == ".pbn")


def losses(target: str, document: Document, proven: bool, known: Engine) -> object:
    """What one engine reports; if not ``proven``, each board is read back."""
    format = known.of(known.spec(target))
    format.binder.proven = proven
    try:
        output = format.spell(document, partial=True)
    except WriteError as error:
        return str(error)
    return [found.message for found in output.findings]


@cache
def engines() -> tuple[Engine, Engine]:
    """One that keeps what it has found of boards, and one that reads all back."""
    return Engine(), Engine()


def check(target: str, document: Document) -> None:
    """Compare both, the first board alone and among others."""
    keeping, reading = engines()
    for some in (document, replace(document, boards=document.boards[:1])):
        assert losses(target, some, True, keeping) == losses(target, some, False, reading), target


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


@pytest.mark.parametrize("target", TARGETS)
def test_generated_boards_lose_what_reading_back_finds(target: str) -> None:
    """Boards of every field, whole and in part."""
    for document in generated():
        check(target, document)


@pytest.mark.parametrize("target", TARGETS)
def test_samples_lose_what_reading_back_finds(target: str) -> None:
    """A sample of every format."""
    for folder in sorted(path for path in SAMPLES.iterdir() if path.is_dir()):
        path = min(one for one in folder.iterdir() if one.is_file() and one.suffix != ".json")
        document = engine().read(path.read_bytes(), folder.name).document
        check(target, replace(document, boards=document.boards[:6]))


@pytest.mark.parametrize("format", sorted({path.parent.parent.name for path in SAMPLES.glob("*/bad/*")} & set(TARGETS)))
def test_broken_files_lose_what_reading_back_finds(format: str) -> None:
    """A record that cannot be read stays as it is, and may change how its neighbours are read."""
    for path in sorted((SAMPLES / format / "bad").iterdir()):
        if path.suffix == ".json":
            continue
        document = engine().read(path.read_bytes(), format).document
        for boards in (document.boards[::-1], (*document.boards, *document.boards[:1])):
            check(format, replace(document, boards=boards))


@pytest.mark.skipif(not FILES, reason="the corpus of PBN files is not here")
@pytest.mark.parametrize("path", FILES[::30], ids=lambda path: path.name)
def test_some_real_files_lose_what_reading_back_finds(path: Path) -> None:
    """A few real files, to every format."""
    document = engine().load(path.read_bytes(), "pbn")
    for target in TARGETS:
        check(target, replace(document, boards=document.boards[:4]))


@pytest.mark.slow
@pytest.mark.skipif(not FILES, reason="the corpus of PBN files is not here")
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_real_files_lose_what_reading_back_finds(path: Path) -> None:
    """All real files, to every format."""
    for target in TARGETS:
        check(target, engine().load(path.read_bytes(), "pbn"))
