"""The model as JSON: there and back, held to the published schema, and every fault told with its place."""

from __future__ import annotations

import json
import math
from pathlib import Path

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridgespec.errors import ReadError, WriteError
from bridgespec.export.json import dump, load, parse, schema, schema_text, tree
from bridgespec.model.auction import Auction, AuctionCall, Call
from bridgespec.model.board import Board, Comment, Vulnerability
from bridgespec.model.carding import Carding
from bridgespec.model.cards import Card, Seat
from bridgespec.model.contract import Contract
from bridgespec.model.convention_card import (
    Disposition,
    Flags,
    Header,
    Include,
    Meaning,
    OpeningSeat,
    StockCard,
    System,
    When,
    parse_sequence,
)
from bridgespec.model.deal import Conflict
from bridgespec.model.document import Document
from bridgespec.model.play import CardNote
from bridgespec.model.table import Column, Table
from tests.model.test_playing import DEAL
from tests.test_rules import BOARDS, played_board

PUBLISHED = Path(__file__).parents[2] / "docs" / "document.schema.json"
CHECKER = jsonschema.Draft202012Validator(schema())

SYSTEM = System(
    (
        Header("Test", "5542", True, Flags.parse("NNNNNNN")),
        StockCard("SAYC.bss"),
        Meaning(
            parse_sequence("1N{12-14}2C"), True, OpeningSeat.THIRD_FOURTH, When.WE_NOT, Flags.parse("YNNYYNN"),
            Disposition.RESPONSE, (4, 8), "5!h\\n",
        ),
        Meaning(parse_sequence("1NDR")),
        Include("Jacoby.bss"),
        Carding("A" * 58, "Smith"),
    )
)  # fmt: skip
FULL = Board(
    number=7,
    dealer=Seat.SOUTH,
    vulnerability=Vulnerability.BOTH,
    deal=DEAL,
    auction=Auction((AuctionCall(Call.parse("1NT"), True, "15-17", "!?", (3, 25), True),), Seat.SOUTH, True),
    contract=Contract.parse("1NTXX"),
    declarer=Seat.SOUTH,
    result=7,
    score=560,
    scoring="IMP;Cross",
    event="Köln \u2660",
    site="",
    date="2026.11.??",
    round="3",
    room="Open",
    players=("W", None, "E \"x\"", None),
    teams=("A", "B"),
    par="EW 4S; -620",
    comments=(Comment("two\nlines", ("auction", 3)), Comment("")),
    tables=(Table("ScoreTable", (Column("Rank", "+", 3, "R"), Column("Pair")), (("1", "x"), ("2",))),),
    tags=(("Note", "1:a"), ("Note", "2:b")),
    conflicts=(Conflict(Card.parse("SA"), (Seat.WEST, 0), (Seat.EAST, 12)),),
    irregular=("result",),
)  # fmt: skip
FULL_DOCUMENT = Document(
    (FULL, Board()),
    "Event",
    "Site",
    "Date",
    "x",
    SYSTEM,
    (Comment("all"),),
    (("a", "b"),),
    {"raw": b"\0\xff", "list": [1, None, True, 2.5]},
)


def faults(data: bytes) -> tuple[object, ...] | None:
    """The diagnostics of a refusal; None where the data are read."""
    try:
        load(data)
    except ReadError as error:
        return error.diagnostics
    return None


def round_trip(document: Document) -> Document:
    """Written, held to the schema, read."""
    data = dump(document)
    CHECKER.validate(json.loads(data))
    return load(data)


def test_everything_comes_back() -> None:
    """A document in which every field is used is read as it was written."""
    assert round_trip(FULL_DOCUMENT) == FULL_DOCUMENT


@pytest.mark.parametrize("seed", range(5))
def test_played_boards_come_back(seed: int) -> None:
    """So are boards with plays."""
    document = Document((played_board(seed),))
    assert round_trip(document) == document


def test_notes_on_cards_come_back() -> None:
    """So are annotations of the play."""
    board = played_board(1)
    assert board.play is not None
    noted = Document((Board(play=type(board.play)(board.play.tricks, 9, (CardNote(0, 3, "why?", "?", (201,), True),))),))
    assert round_trip(noted) == noted


@pytest.mark.long
@settings(deadline=None, max_examples=150)
@given(st.lists(BOARDS, max_size=3))
def test_any_board_comes_back(made: list[Board]) -> None:
    """Nonsense too, as long as the types allow it: partial deals, tables with holes, illegal auctions."""
    document = Document(tuple(made))
    normal = load(dump(document))
    assert dump(normal) == dump(document)
    for before, after in zip(document.boards, normal.boards, strict=True):
        assert (before.deal, before.play, before.auction) == (after.deal, after.play, after.auction)


def test_short_form() -> None:
    """What is at its default is left out; words stand for numbers."""
    assert tree(Document((Board(number=1, deal=DEAL),))) == {
        "version": 1,
        "boards": [
            {
                "number": 1,
                "deal": {
                    "west": "93.KT8.Q96.JT974",
                    "north": "T2.J965.T7532.63",
                    "east": "AKQ874.AQ2.J8.A5",
                    "south": "J65.743.AK4.KQ82",
                },
            }
        ],
    }


def test_published_schema_is_the_schema() -> None:
    """The file in the documentation is what `schema_text` gives."""
    assert PUBLISHED.read_text() == schema_text()
    jsonschema.Draft202012Validator.check_schema(schema())


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ('"version": 2', "version", 'expected an object with "version": 1, or with "format" and "fields" of a file'),
        ('"version": true', "version", 'expected an object with "version": 1, or with "format" and "fields" of a file'),
        ('"bords": []', "bords", "no such name: 'bords'"),
        ('"boards": {}', "boards", "expected an array, found an object"),
        ('"boards": [{"number": "7"}]', "boards[0].number", "expected a whole number, found a string"),
        ('"boards": [{"number": true}]', "boards[0].number", "expected a whole number, found true or false"),
        ('"boards": [{"dealer": "n"}]', "boards[0].dealer", "expected one of west, north, east, south, not 'n'"),
        ('"boards": [{"deal": {"north": "A.K.Q"}}]', "boards[0].deal.north", "a hand has four holdings, not 3: 'A.K.Q'"),
        ('"boards": [{"deal": {"north": "A...", "out": "A..."}}]', "boards[0].deal.out", "SA is dealt twice"),
        ('"boards": [{"contract": "8S"}]', "boards[0].contract", "not a contract: '8S'"),
        ('"boards": [{"players": ["a"]}]', "boards[0].players", "expected 4 items, found 1"),
        ('"boards": [{"auction": {"calls": [{}]}}]', "boards[0].auction.calls[0]", "'call' is missing"),
        ('"boards": [{"tricks": {"N": {"S": 15}}}]', "boards[0].tricks.N", "expected tricks 0 to 13"),
        ('"boards": [{"tricks": 4}]', "boards[0].tricks", "expected an object, found a number"),
        ('"comments": [{"text": "a", "after": [1.5]}]', "comments[0].after[0]", "expected a string or a number, found a number"),
        ('"system": {"records": [{"kind": "x"}]}', "system.records[0]", "whose kind is one of header, stockcard"),
        ('"system": {"records": [{"kind": "carding", "letters": "A"}]}', "system.records[0]", "58 letters"),
        ('"extras": []', "extras", "expected an object, found an array"),
        ('"extras": {"a": [{"base64": "?"}]}', "extras.a[0]", "not base64"),
        ('"extras": {"a": {"float": "1"}}', "extras.a", "not nan, inf or -inf"),
        ('"extras": {"a": {"mapping": 1}}', "extras.a", "not an object"),
    ],
)
def test_faults(text: str, place: str, message: str) -> None:
    """Each fault is told with the path of its value."""
    with pytest.raises(ReadError) as caught:
        load((f"{{{text}}}" if "version" in text else f'{{"version": 1, {text}}}').encode())
    (finding,) = caught.value.diagnostics
    assert finding.code == "json-shape"  # type: ignore[attr-defined]
    assert finding.field == place  # type: ignore[attr-defined]
    assert message in finding.message  # type: ignore[attr-defined]


def test_all_faults_are_told() -> None:
    """Reading goes on after a fault."""
    with pytest.raises(ReadError, match="and 2 more") as caught:
        load(b'{"version": 1, "boards": [{"number": "x", "dealer": 3}, {"colour": 1}]}')
    assert [item.field for item in caught.value.diagnostics] == [  # type: ignore[attr-defined]
        "boards[0].number", "boards[0].dealer", "boards[1].colour",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("data", "offset", "line", "column"),
    [
        (b'{"a": }', 6, 1, 7),
        ('{"é":\n x}'.encode(), 8, 2, 2),
        (b"", 0, 1, 1),
        (b'"\xff"', 1, None, None),
        ('{"é NaN":\n ["Infinity", NaN]}'.encode(), 25, 2, 15),
        (b'{"a": -Infinity}', 6, 1, 7),
        (b"[1, 1e999]", 4, 1, 5),
    ],
)
def test_no_json(data: bytes, offset: int, line: int | None, column: int | None) -> None:
    """What is not JSON is placed by byte, line and column."""
    with pytest.raises(ReadError) as caught:
        load(data)
    (finding,) = caught.value.diagnostics
    assert finding.code == "json-syntax"  # type: ignore[attr-defined]
    span = finding.span  # type: ignore[attr-defined]
    assert (span.byte_start, span.line, span.column) == (offset, line, column)


@pytest.mark.parametrize("data", [b"[" * 100_000, b'{"version": 1, "extras": {"a": ' + b"[" * 900 + b"]" * 900 + b"}}"])
def test_deep_nesting_is_no_crash(data: bytes) -> None:
    """Values nested too deeply are refused or read, and nothing else happens."""
    assert faults(data) is None or faults(data)


@settings(deadline=None)
@given(st.binary(max_size=60), st.integers(0, 10_000))
def test_any_damage_is_reported(junk: bytes, place: int) -> None:
    """Bytes written over a good file give a document or a ReadError, never another exception."""
    data = dump(FULL_DOCUMENT)
    place %= len(data)
    found = faults(data[:place] + junk + data[place + len(junk) :])
    assert found is None or found


def test_depth_is_bounded() -> None:
    """Two thousand levels are read, more are a finding; brackets within a string are no levels."""
    assert parse(b"[" * 2_000 + b"]" * 2_000)
    assert parse(b'["' + b"[" * 100_000 + b'"]') == ["[" * 100_000]
    for text in (b"[" * 3_000 + b"]" * 3_000, b'{"a":' * 100_000):
        with pytest.raises(ReadError) as caught:
            parse(text)
        assert [finding.code for finding in caught.value.diagnostics] == ["json-syntax"]


def test_lone_surrogates_survive() -> None:
    """Text that is not Unicode is escaped."""
    document = Document(event="\udcff")
    assert load(dump(document)) == document


def test_what_json_cannot_hold() -> None:
    """An extra of no JSON type is a WriteError, not a loss."""
    with pytest.raises(WriteError, match="complex"):
        dump(Document(extras={"a": 1j}))


EXTRAS = [
    {"base64": "QQ=="},
    {"base64": 5},
    {"float": "nan"},
    {"mapping": {"mapping": {"base64": "QQ=="}}},
    {"base64": b"A", "float": 1.5},
    [b"A", bytearray(b"B"), math.inf, -math.inf, {"inner": {"float": [1.5, None]}}],
]


@pytest.mark.parametrize("extra", EXTRAS, ids=str)
def test_extras_come_back(extra: object) -> None:
    """Bytes, floats that are no numbers, and mappings with just the keys by which these are written."""
    document = Document(extras={"a": extra})
    data = dump(document)
    assert load(data) == document
    json.loads(data, parse_constant=pytest.fail)


def test_a_mapping_of_one_key_at_the_top_comes_back() -> None:
    """What a format adds is always an object: none of its keys is a mark."""
    document = Document(extras={"base64": "QQ=="})
    assert load(dump(document)) == document


def test_nan_comes_back() -> None:
    """As itself, which is equal to nothing."""
    found = load(dump(Document(extras={"a": [math.nan]}))).extras["a"]
    assert isinstance(found, list)
    assert math.isnan(found[0])
