"""The package's functions and values as a program uses them: parse and print, files open and named, errors in its own terms.

Loading is for using: what can be read is there, what cannot is None, and nothing but "there is nothing in it" is raised.
"""

from __future__ import annotations

import copy
import io
import random
import re
import shutil
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

import bridgespec
from bridgespec import (
    Auction,
    Board,
    Call,
    Card,
    Combination,
    Contract,
    Deal,
    Document,
    Hand,
    Holding,
    Par,
    ParContract,
    Play,
    Seat,
    Side,
    Strain,
    Suit,
    Trick,
    Tricks,
    UsageError,
    Vulnerability,
    deals,
    dump,
    dumps,
    load,
    loads,
    par,
)
from bridgespec.diagnostic import Severity
from bridgespec.errors import ReadError
from bridgespec.model.contract import Doubling
from tests import twins

SAMPLES = Path(__file__).parent / "samples"
DEAL = Deal.random(3)
TABLE = Tricks(bytes([4, 9, 4, 9, 8, 5, 8, 5, *[5, 8] * 6]))
VALUES = [
    *Seat,
    *Side,
    *Suit,
    *Strain,
    *Vulnerability,
    *Doubling,
    *map(Card, range(52)),
    *(Contract(level, strain, doubling) for level in range(1, 8) for strain in Strain for doubling in Doubling),
    *(Contract(4, strain, declarer=seat) for strain in Strain for seat in Seat),
    Contract.passed_out(),
    Call.parse("X"),
    Call.parse("3NT"),
    DEAL,
    DEAL.north,
    DEAL.north.spades,
    Auction.parse("P 1C P 1H X XX P P P", Seat.EAST),
    Auction.parse("1C P"),
    Auction(first=Seat.WEST),
    Trick(Seat.WEST, (Card(1), None, Card(3))),
    Play((Trick(Seat.WEST, tuple(map(Card, range(4)))), Trick(Seat.EAST, (Card(9),))), claim=11),
    Play(()),
    TABLE,
    TABLE.with_cell(Strain.HEARTS, Seat.WEST, 13),
    Tricks.unknown(),
    Tricks.unknown().with_cell(Strain.CLUBS, Seat.SOUTH, 0),
    *(par(TABLE, dealer, vulnerability) for dealer in Seat for vulnerability in Vulnerability),
    Par(0, ()),
    *par(TABLE, Seat.NORTH, Vulnerability.NONE).contracts,
    Board(number=7, dealer=Seat.SOUTH, vulnerability=Vulnerability.BOTH, deal=DEAL),
    Board(contract=Contract.parse("4SX"), declarer=Seat.NORTH, result=9),
    Board(),
]


@pytest.mark.parametrize("value", VALUES, ids=lambda value: f"{type(value).__name__}-{value!s:.20}")
def test_a_value_is_parsed_from_what_it_prints(value: Seat | Card | Deal) -> None:
    """`parse` of a value's text gives the value, and its representation is one line."""
    assert type(value).parse(str(value)) == value
    assert "\n" not in repr(value)


@pytest.mark.parametrize(
    "kind",
    [Auction, Board, Call, Card, Combination, Contract, Deal, Hand, Holding, Par, ParContract, Play, Seat, Strain, Trick, Tricks],
    ids=lambda kind: kind.__name__,
)
def test_a_text_that_is_no_value_is_a_value_error(kind: type[Seat]) -> None:
    """A text that does not print any value raises ValueError, which repeats it."""
    with pytest.raises(ValueError, match=r"xyz|four hands|whose hand|two holdings"):
        kind.parse("xyz")


@pytest.mark.parametrize(
    "text",
    ["4S by", "4S by Q", "8S", "Pass by N", "0 by N", "4S by N by N"],
)
def test_a_contract_that_is_none(text: str) -> None:
    """A contract's declarer is a seat, and one that was passed out has none."""
    with pytest.raises(ValueError, match=r"not a|no declarer"):
        Contract.parse(text)


def test_a_board_takes_the_declarer_of_its_contract() -> None:
    """The declarer is the board's, and two that disagree are an error."""
    board = Board(contract=Contract.parse("4S by N"))
    assert board == Board(contract=Contract.parse("4S"), declarer=Seat.NORTH)
    with pytest.raises(ValueError, match="4S by N, and the declarer South"):
        Board(contract=Contract.parse("4S by N"), declarer=Seat.SOUTH)


def test_cells_of_a_table_are_named_by_texts() -> None:
    """A strain and a seat, or their texts, name a cell of each table."""
    assert all(
        TABLE[strain.label, seat.letter] == TABLE[strain, seat] == TABLE.get(strain, seat) for strain in Strain for seat in Seat
    )
    assert all(DEAL[seat.letter] == DEAL[seat] == DEAL.hand(seat) for seat in Seat)


@pytest.mark.parametrize("name", ["dup/melbourne.dup", "pbn/example.pbn", "bss/sayc.bss"])
def test_files_are_named_or_open(name: str, tmp_path: Path) -> None:
    """A path, an open file, bytes and text give equal documents, which are hashable; all ways of writing give the same bytes."""
    path = next(SAMPLES.glob(name.partition("/")[0] + "/*." + name.rpartition(".")[2]))
    data = path.read_bytes()
    document = load(path)
    with path.open("rb") as file:
        others = [load(file, document.format), loads(data, document.format), loads(bytearray(data), document.format)]
    assert all(other == document and hash(other) == hash(document) for other in others)
    format = document.format
    assert format is not None
    written = io.BytesIO()
    assert dump(document, written, format) == dump(document, tmp_path / "x", format)
    assert written.getvalue() == (tmp_path / "x").read_bytes() == dumps(document, format) == dumps(document) == data


def test_text_files_hold_text() -> None:
    """A text is read and written as UTF-8; a binary format is not written to a file that is open as text."""
    text = '[Event "Zoë"]\n[Board "7"]\n[Dealer "S"]\n'
    document = loads(text, "pbn")
    assert document.boards[0].event == "Zoë"
    written = io.StringIO()
    dump(document, written, "pbn")
    assert written.getvalue() == text
    assert load(io.StringIO(text), "pbn").boards == document.boards
    with pytest.raises(UsageError, match="binary mode"):
        dump(Document((Board(deal=DEAL),)), io.StringIO(), "zbd")


def test_a_document_of_no_file_is_written_in_a_named_format() -> None:
    """Only a document that was read has a format of its own."""
    with pytest.raises(UsageError, match="Name it with format="):
        dumps(Document((Board(deal=DEAL),)))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: loads(3), "bytes or str, not int"),  # type: ignore[arg-type]
        (lambda: load(3), "path or open for reading, not int"),  # type: ignore[arg-type]
        (lambda: dumps(3, "pbn"), "a Document is written, not int"),  # type: ignore[arg-type]
        (lambda: dump([Board()], io.BytesIO(), "pbn"), "a Document is written, not list"),  # type: ignore[arg-type]
    ],
)
def test_values_of_a_wrong_type(call: object, message: str) -> None:
    """The error names the type that is taken and the one that was given."""
    assert callable(call)
    with pytest.raises(TypeError, match=message):
        call()


@pytest.mark.long
def test_deals_of_a_condition() -> None:
    """The iterator and the arrays have the same deals, which satisfy the condition and are the same for the same seed."""
    found = deals("north: hcp 20-22 and balanced; south: hearts 6+", 50, seed=4)
    listed = list(found)
    assert len(listed) == 50
    assert all(20 <= deal.north.hcp <= 22 and deal.north.is_balanced and len(deal.south.hearts) >= 6 for deal in listed)
    assert [row.tobytes() for row in found.holders] == [deal.holders for deal in listed]
    assert found.masks.tolist() == [[deal[seat].bits for seat in Seat] for deal in listed]
    assert list(deals("north: hcp 20-22 and balanced; south: hearts 6+", 50, seed=4)) == listed
    endless = deals(seed=random.Random(1).randrange(9))
    assert len({next(endless) for _ in range(600)}) == 600


def test_known_cards_of_deals() -> None:
    """Every deal has the known cards, and is complete."""
    given = "N:AKQ95.AT3.KJ2.97 - - -"
    for deal in deals("south: spades 3", 20, known=given):
        assert deal.is_complete
        assert (deal.north, len(deal.south.spades)) == (Hand("AKQ95.AT3.KJ2.97"), 3)


@pytest.mark.long
def test_deals_that_are_not_found() -> None:
    """A condition that no deal satisfies, one that none was found for, and arrays without an end are errors."""
    with pytest.raises(UsageError, match="no deal can satisfy"):
        next(deals("north: spades 8+; south: spades 8+"))
    with pytest.raises(UsageError, match="of 5 deals were found among 1 tries"):
        list(deals("north: hcp 30+", 5, tries=1))
    with pytest.raises(UsageError, match="name the number of deals"):
        _ = deals().masks
    assert np.array_equal(deals(count=0).masks, np.empty((0, 4), np.uint64))


def test_misspelt_names() -> None:
    """An unknown name of the package is an error with the closest one; `dir` lists what there is."""
    with pytest.raises(AttributeError, match="'Dael'; did you mean 'Deal'"):
        _ = bridgespec.Dael  # type: ignore[attr-defined]
    assert dir(bridgespec) == sorted(bridgespec.__all__)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda board: bridgespec.solve(board.deal), "this solves a Document, not Deal; solve_deal takes a deal"),
        (bridgespec.solve_deal, "this takes a Deal or its text, not Board; take its .deal"),
        (lambda board: list(bridgespec.solve_many([None])), "this takes a Deal or its text, not NoneType"),
        (lambda board: bridgespec.diagram(Document((board,))), "not Document; take its .boards"),
        (lambda board: bridgespec.page((board,)), "a page is made of Documents and paths, not tuple"),
        (lambda board: board.deal[7], "7 is not a valid Seat"),
        (lambda board: board.deal["N", "E"], "('N', 'E') is not a valid Seat: a deal's hands are ['N']"),
        (lambda board: Tricks.unknown()[1], "a cell of a trick table is a strain and a declarer, as ['NT', 'N'], not [1]"),
        (lambda board: bridgespec.deals(5, 1), "a condition is a str, as 'north: hcp 15-17', not int"),
        (lambda board: bridgespec.query(5), "a question is a SELECT as str, not int"),
        (lambda board: bridgespec.score(5), "not int"),
        (lambda board: bridgespec.score(Document((board,)), best=1), "there is no result to score"),
        (lambda board: bridgespec.score("tests/scoring/samples/club.csv", best=1), "there is no option 'best' of the methods"),
        (lambda board: bridgespec.deals("north: hcp 15", -1), "a number of deals is 0 or more, not -1"),
        (lambda board: bridgespec.deals(shares=["north: hcp 15"]), "shares are of a number of deals"),
    ],
)
def test_what_is_passed_wrongly_is_named(call: Callable[[Board], object], message: str) -> None:
    """The error names what was passed and what is wanted, in the names of the package."""
    board = Board(deal=Deal.parse("N:A... K... Q... J..."))
    with pytest.raises((TypeError, ValueError, UsageError), match=re.escape(message)):
        call(board)


@pytest.mark.parametrize("name", [name for name in dir(bridgespec) if hasattr(getattr(bridgespec, name), "parse")])
def test_what_is_parsed_is_text(name: str) -> None:
    """`parse` raises TypeError for any value but text; the message names the class and what was passed."""
    for value in (None, 4, b"4S", ["4S"]):
        with pytest.raises(TypeError, match=f"{name}.parse reads a str, not {type(value).__name__}"):
            getattr(bridgespec, name).parse(value)


def test_texts_of_values_are_taken() -> None:
    """A deal's text is solved and drawn, a suit's letter picks its holding, and seats and vulnerabilities are named."""
    text = "N:A... K... Q... J..."
    deal = Deal.parse(text)
    assert bridgespec.solve_deal(text) == bridgespec.solve_deal(deal) == next(bridgespec.solve_many([text]))
    assert bridgespec.diagram(text) == bridgespec.diagram(deal)
    assert deal.north["S"] == deal.north.spades == deal["N"][bridgespec.Suit.SPADES]
    tricks = bridgespec.Tricks.parse("3345433454aa979aa879")
    assert bridgespec.par(tricks, "N", "both") == bridgespec.par(tricks, bridgespec.Seat.NORTH, bridgespec.Vulnerability.BOTH)


DEAL_TEXT = "N:T2.J965.T7532.63 AKQ874.AQ2.J8.A5 J65.743.AK4.KQ82 93.KT8.Q96.JT974"
WRONG = f'[Board "1"]\n[Deal "{DEAL_TEXT}"]\n[Dealer "N"]\n[Contract "4S"]\n[Auction "N"]\n1NT Pass Pass Pass\n'.encode()
BAD = [path for path in twins.bad_samples() if path.stat().st_size]


def test_a_wrong_claim_keeps_no_deal_from_being_loaded() -> None:
    """The rules of the game are for ``check``."""
    (board,) = bridgespec.loads(WRONG, "pbn").boards
    assert str(board.deal) == DEAL_TEXT
    assert str(board.contract) == "4S"
    assert [d.code for d in bridgespec.check(WRONG, "pbn")] == ["contract-auction"]


def test_faulty_data_of_no_name_are_recognised() -> None:
    """An error that a rule finds does not make a file one of no format."""
    assert str(bridgespec.loads(WRONG).boards[0].deal) == DEAL_TEXT


@pytest.mark.parametrize("path", BAD, ids=lambda path: path.relative_to(twins.SAMPLES).as_posix())
def test_a_broken_file_is_loaded_as_far_as_it_goes(path: Path) -> None:
    """Every board of every broken sample can be touched; findings of reading are there for the asking; rules' are not."""
    format = twins.format_of(path)
    try:
        document = bridgespec.loads(path.read_bytes(), format)
    except ReadError as error:
        boards = twins.examine(path).document.boards
        saying = [board for board in boards if board != Board(number=board.number)]
        if saying or (boards and not error.diagnostics):
            raise
        return
    for board in document.boards:
        assert [getattr(board, field.name) for field in fields(board)]
    told = [(d.code, d.span) for d in twins.examine(path).diagnostics]
    assert all((d.code, d.span) in told for d in document.findings)
    assert document == bridgespec.loads(path.read_bytes(), format)
    assert copy.copy(document) == document


def test_findings_name_the_file(tmp_path: Path) -> None:
    """`Document.findings` says what could not be read, in file order, with the path as it was given."""
    path = tmp_path / "x.pbn"
    shutil.copy(twins.SAMPLES / "pbn" / "bad" / "deviations.pbn", path)
    found = bridgespec.load(path).findings
    assert {d.path for d in found} == {str(path)}
    assert Severity.ERROR in {d.severity for d in found}
    starts = [d.span.start for d in found if d.span is not None]
    assert starts == sorted(starts)


@pytest.mark.parametrize(("data", "format"), [(b"", "zbd"), (b"", "pbn"), (b"% PBN 2.1\n", "pbn"), (b"no bridge in here", "pbn")])
def test_nothing_found_is_raised(data: bytes, format: str) -> None:
    """A file without any record is not an empty document."""
    with pytest.raises(ReadError):
        bridgespec.loads(data, format)


def test_a_name_that_belies_the_content_is_raised(tmp_path: Path) -> None:
    """The error names the format that the content is in."""
    path = tmp_path / "x.pbn"
    shutil.copy(twins.SAMPLES / "dup" / "sixteen.dup", path)
    with pytest.raises(ReadError, match="looks like"):
        bridgespec.load(path)


def test_data_of_no_format() -> None:
    """``loads`` raises, ``check`` gives a finding."""
    with pytest.raises(UsageError):
        bridgespec.loads(b"hello")
    assert [d.code for d in bridgespec.check(b"hello")] == ["unknown-format"]


def test_specs_of_ones_own(tmp_path: Path) -> None:
    """A folder of schemas is known to every function that is told of it, and to no other."""
    (tmp_path / "mine.ksy").write_text(
        (Path("specs") / "zbd.ksy")
        .read_text()
        .replace("id: zbd", "id: mine", 1)
        .replace("file-extension: zbd", "file-extension: mine", 1)
    )
    data = bytes.fromhex("72527a0ae17ae4f952e041fc7c")
    document = bridgespec.loads(data, "mine", specs=[tmp_path])
    assert bridgespec.dumps(document, "mine", specs=[tmp_path]) == data
    bridgespec.dump(document, tmp_path / "x.mine", specs=[tmp_path])
    assert bridgespec.load(tmp_path / "x.mine", specs=[tmp_path]) == document
    assert bridgespec.check(tmp_path / "x.mine", specs=[tmp_path]) == []
    assert "mine" in {spec.id for spec in bridgespec.formats(specs=[tmp_path])}
    assert "mine" not in {spec.id for spec in bridgespec.formats()}
