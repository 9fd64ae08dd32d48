"""Deals and hands by their numbers: in every spelling and order that a schema may declare, as arrays, and their findings."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridgespec.api import Engine
from bridgespec.codec.bulk.codec import BulkCodec, why_not
from bridgespec.codec.lint import lint
from bridgespec.errors import WriteError
from bridgespec.model import numbering
from bridgespec.model.board import Board
from bridgespec.model.deal import Deal
from bridgespec.model.document import Document
from bridgespec.model.generator import chunks, number_chunks
from bridgespec.model.numbering import DEALS, HANDS, NESW, RANKED, SUITED, WNES
from bridgespec.spec.catalog import load_file
from tests.generate.house import EXAMPLES, engine
from tests.targets.javascript import Reader, needs_node, write_module

SUIT_RANK = "[{suit: SHDC}, {rank: AKQJT98765432}, {seat: WNES}]"
RANK_SUIT = "[{rank: AKQJT98765432}, {suit: SHDC}, {seat: NESW}]"
WORDS = """\
meta: {{id: {id}, file-extension: {id}, endian: {endian}, -bridge-model: boards}}
seq: [{{id: boards, type: board, repeat: eos}}]
types:
  board:
    seq:
      - {{id: deal, type: number}}
  number:
    seq:
      - {{id: ordinal, type: {type}, repeat: expr, repeat-expr: {count}, -bridge-axes: {axes}}}
"""
TEXT = """\
//- id: {id}
//- extensions: [{id}]
//- model: boards
start: boards*
boards: deal _EOL
//- as: deal.ordinal
//- number: {number}
//- axes: {axes}
deal: /[0-9A-Fa-f]++/
//- {{write: "\\n"}}
_EOL: /\\n/
"""
HANDS_TEXT = """\
//- id: fourhands
//- extensions: [fourhands]
//- model: boards
start: boards*
boards: deal _EOL
deal: hand " " hand " " hand " " hand
//- axes: [{seat: NESW}]
hand: "#" ordinal
//- number: {}
ordinal: /[0-9]++/
//- {write: "\\n"}
_EOL: /\\n/
"""
CASES = {
    "lewords": (WORDS.format(id="lewords", endian="le", type="u4", count=3, axes=SUIT_RANK), SUITED, WNES),
    "bewords": (WORDS.format(id="bewords", endian="be", type="u4", count=3, axes=RANK_SUIT), RANKED, NESW),
    "lebytes": (WORDS.format(id="lebytes", endian="le", type="u1", count=12, axes=RANK_SUIT), RANKED, NESW),
    "bebytes": (WORDS.format(id="bebytes", endian="be", type="u1", count=13, axes=SUIT_RANK), SUITED, WNES),
    "wide": (WORDS.format(id="wide", endian="be", type="u8", count=2, axes=SUIT_RANK), SUITED, WNES),
    "decimal": (TEXT.format(id="decimal", number="{}", axes=SUIT_RANK), SUITED, WNES),
    "hexa": (TEXT.format(id="hexa", number="{base: 16}", axes=RANK_SUIT), RANKED, NESW),
}
SIZES = {"lewords": 4, "bewords": 4, "lebytes": 1, "bebytes": 1, "wide": 8}
numbers = st.integers(0, DEALS - 1)


@pytest.fixture(scope="module")
def engine_of_cases(tmp_path_factory: pytest.TempPathFactory) -> Engine:
    """The engine that knows all of the schemas."""
    folder = tmp_path_factory.mktemp("ordinals")
    for id_, (text, _, _) in CASES.items():
        (folder / f"{id_}.{'lark' if text.startswith('//') else 'ksy'}").write_text(text)
    (folder / "fourhands.lark").write_text(HANDS_TEXT)
    return Engine([folder])


def stored(id_: str, number: int) -> bytes:
    """The number as the format stores it, by arithmetic alone."""
    if id_ in ("decimal", "hexa"):
        return (f"{number:X}" if id_ == "hexa" else str(number)).encode() + b"\n"
    size = 13 if id_ == "bebytes" else 16 if id_ == "wide" else 12
    return number.to_bytes(size, "little" if id_.startswith("le") else "big")


@pytest.mark.parametrize("id_", CASES)
@given(number=numbers)
def test_a_number_is_the_deal_of_its_order(engine_of_cases: Engine, id_: str, number: int) -> None:
    """Read, it is the deal of the declared order of cards and seats; written, the deal is the number again."""
    _, order, seats = CASES[id_]
    deal = Deal(numbering.holders_of(number, order, seats))
    report = engine_of_cases.examine(stored(id_, number), id_)
    assert not report.diagnostics
    assert [board.deal for board in report.document.boards] == [deal]
    assert engine_of_cases.spell(Document(boards=(Board(number=1, deal=deal),)), id_).data == stored(id_, number)


@pytest.mark.parametrize("id_", SIZES)
def test_arrays_agree(engine_of_cases: Engine, id_: str) -> None:
    """Arrays read and write the deals that records do, and mark those numbers that no deal has."""
    _, order, seats = CASES[id_]
    spec = engine_of_cases.spec(id_)
    assert why_not(spec) == ""
    codec = BulkCodec(spec)
    some = [0, 1, 2**32, 2**64 + 5, DEALS - 1, *(DEALS // k for k in range(2, 40))]
    data = b"".join(stored(id_, number) for number in some)
    holders = codec.deals(codec.read(data))
    assert [bytes(row) for row in holders] == [numbering.holders_of(number, order, seats) for number in some]
    assert codec.write(codec.arrays(deals=holders)).tobytes() == data
    beyond = [DEALS, DEALS + 2**40, 2**96 - 1]
    mixed = b"".join(stored(id_, number) for number in [5, beyond[0], 7, beyond[1], beyond[2]])
    assert codec.check(mixed).bad.tolist() == [1, 3, 4]
    assert (codec.deals(codec.read(mixed))[1] == 255).all()
    reference = engine_of_cases.examine(mixed, id_)
    assert [(one.code, one.record) for one in reference.diagnostics] == [("bad-ordinal", at) for at in (1, 3, 4)]


def test_the_published_sequence_is_a_file_of_numbers() -> None:
    """The numbers of the published generator, read as deals, are its deals."""
    codec = BulkCodec(engine().spec("mapped"))
    holders = np.concatenate(list(chunks(0, 2000)))
    data = np.concatenate(list(number_chunks(0, 2000))).astype("<u4").tobytes()
    assert len(data) == 12 * 2000
    assert (codec.deals(codec.read(data)) == holders).all()
    assert codec.write(codec.arrays(deals=holders)).tobytes() == data


@given(number=st.integers(0, HANDS - 1))
def test_hands_have_numbers(number: int) -> None:
    """A hand by its number is read and written by the declared order of cards, and the last hand has the rest."""
    north = numbering.hand_of(number, RANKED)
    left = [slot for slot in range(52) if slot not in north]
    holders = bytearray(52)
    for seat, cards in ((1, north), (2, left[:13]), (3, left[13:26])):
        for slot in cards:
            holders[slot] = seat
    data = b"".join(numbering.number_of_hand(cards, RANKED).to_bytes(5, "little") for cards in (north, left[:13], left[13:26]))
    report = engine().examine(data, "combos")
    assert not report.diagnostics
    assert [board.deal for board in report.document.boards] == [Deal(bytes(holders))]
    assert engine().spell(report.document, "combos", canonical=True).data == data


def test_a_text_has_numbers_of_hands(engine_of_cases: Engine) -> None:
    """Four numbers in a line are a deal; one that no hand has is reported at its place."""
    deal = Deal.from_number(DEALS // 7)
    hands = [numbering.number_of_hand(deal.cards(seat)) for seat in NESW]
    line = " ".join(f"#{number}" for number in hands).encode() + b"\n"
    report = engine_of_cases.examine(line, "fourhands")
    assert not report.diagnostics
    assert report.document.boards[0].deal == deal
    assert engine_of_cases.spell(Document(boards=(Board(number=1, deal=deal),)), "fourhands").data == line
    wrong = engine_of_cases.examine(line.replace(str(hands[1]).encode(), str(HANDS).encode()), "fourhands")
    (found,) = (one for one in wrong.diagnostics if one.code == "bad-ordinal")
    assert found.span is not None
    assert found.span.byte_start == len(f"#{hands[0]} #")


def test_what_has_no_number_is_refused() -> None:
    """A deal of which some cards are unknown has none."""
    half = Document(boards=(Board(number=1, deal=Deal.parse("N:AKQJ.AKQ.AKQ.AKQ - - -")),))
    for id_ in ("mapped", "combos"):
        with pytest.raises(WriteError, match="cards"):
            engine().spell(half, id_)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("{suit: SHDC}, ", ""), "deal: its axes do not name each suit, rank and seat once"),
        (("{seat: WNES}", "{seat: WN}"), "deal: its axes do not name each suit, rank and seat once"),
        (("type: u4", "type: s4"), "deal: the number of a deal or hand needs a whole number, or an array of unsigned integers"),
    ],
)
def test_a_schema_that_cannot_be_meant_is_reported(tmp_path: Path, change: tuple[str, str], message: str) -> None:
    """`check-spec` names the field whose axes are no order, or whose type is no number."""
    path = tmp_path / "mapped.ksy"
    path.write_text((EXAMPLES / "mapped.ksy").read_text().replace(*change))
    found = [one.message for one in lint(load_file(path))]
    assert any(message in one for one in found), found


@pytest.mark.long
@needs_node
def test_javascript_gives_the_same_deals(engine_of_cases: Engine, tmp_path: Path) -> None:
    """Generated readers give the deal of a number, in every spelling."""
    reader = Reader()
    try:
        for id_, (_, order, seats) in CASES.items():
            module = write_module(engine_of_cases.spec(id_), tmp_path)
            for number in (0, DEALS - 1, DEALS // 3, 12345678901234567890):
                (model,) = reader.ask(module, stored(id_, number), model=1)
                deal = Deal(numbering.holders_of(number, order, seats))
                hands = {seat.name.lower(): str(deal.hand(seat)) for seat in WNES}
                assert model["boards"][0]["deal"] == hands, (id_, number)
        module = write_module(engine().spec("combos"), tmp_path)
        data = (EXAMPLES / "samples/combos/three.combos").read_bytes()
        (model,) = reader.ask(module, data, model=1)
        boards = engine().examine(data, "combos").document.boards
        assert [one["deal"]["south"] for one in model["boards"]] == [str(board.deal.south) for board in boards if board.deal]
    finally:
        reader.close()
