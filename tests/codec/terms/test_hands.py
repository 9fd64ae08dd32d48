"""Ways to write hands that a grammar declares without Python: read, written and converted."""

from __future__ import annotations

from pathlib import Path

import pytest

from bridgespec.engines import Engine
from bridgespec.model.board import Board
from bridgespec.model.cards import Seat
from bridgespec.model.deal import Deal
from bridgespec.model.document import Document
from bridgespec.schema_checks import findings

HEAD = """//- id: habits
//- extensions: [habits]
start: boards*
//- {number: {}}
number: /[0-9]++/
_NL: /\\n/
"""
CARDS = """cards: holding "." holding "." holding "." holding
holding: _RANKS?
"""
TENS = CARDS + "_RANKS: /(?:[AKQJ2-9]|10)++/\n"
LETTERS = CARDS + "_RANKS: /[AKQJT2-9]++/\n"
SEAT = 'seat: "West" -> west | "North" -> north | "East" -> east | "South" -> south\n'
OWN_RULES = """boards: "Board " number _NL deal
deal: west _NL north _NL east _NL south _NL
west: "West: " hand
north: "North: " hand
east: "East: " hand
south: "South: " hand
hand: cards
"""
OWN_SEATS = """boards: "Board " number _NL deal
deal: (hand _NL)~4
hand: seat ": " held
//- {role: hand}
held: cards
"""
HANDS = {"West": "AKQ.J102.AK3.Q987", "North": "J102.AKQ.QJ10.AKJ10", "East": "987.9876.98765.6", "South": "6543.543.42.5432"}


def engine_of(folder: Path, rules: str) -> Engine:
    """An engine with the format of the head and more rules, without a finding of `check-spec`."""
    path = folder / "habits.lark"
    path.write_text(HEAD + rules, "utf-8")
    assert [one.message for one in findings(path, ())[1]] == []
    return Engine([folder])


@pytest.mark.parametrize(
    ("rules", "order"), [(OWN_RULES, ("West", "North", "East", "South")), (OWN_SEATS + SEAT, ("South", "East", "North", "West"))]
)
def test_a_labelled_hand_is_that_of_its_label(tmp_path: Path, rules: str, order: tuple[str, ...]) -> None:
    """By a rule for each seat or by a seat beside each hand, in any order; a fresh file has the same deal."""
    engine = engine_of(tmp_path, rules + TENS)
    text = "Board 1\n" + "".join(f"{seat}: {HANDS[seat]}\n" for seat in order)
    (board,) = engine.read(text.encode(), "habits").document.boards
    assert {seat: str(board.deal.hand(Seat[seat.upper()])) for seat in HANDS} == {
        seat: hand.replace("10", "T") for seat, hand in HANDS.items()
    }
    fresh = engine.spell(Document((Board(number=1, deal=board.deal),)), "habits")
    assert fresh.data.decode() == "Board 1\n" + "".join(f"{seat}: {hand}\n" for seat, hand in HANDS.items())


def test_a_seat_that_is_named_twice_has_both_hands(tmp_path: Path) -> None:
    """Where another seat is missing the sizes of the hands are wrong: none of the two is lost. A repeated hand is one hand."""
    engine = engine_of(tmp_path, OWN_SEATS + SEAT + TENS)
    lines = [f"{seat}: {HANDS[seat]}\n" for seat in ("South", "East", "North")]
    again = f"South: {HANDS['West']}\n"
    found = engine.examine("".join(["Board 1\n", lines[0], again, *lines[1:]]).encode(), "habits")
    assert [(one.code, one.record) for one in found.diagnostics] == [("hand-size", 0)]
    assert found.document.boards[0].deal.sizes == (0, 13, 13, 26)
    found = engine.examine("".join(["Board 1\n", lines[0], *lines]).encode(), "habits")
    assert found.document.boards[0].deal.sizes == (13, 13, 13, 13)


def test_a_ten_is_written_as_the_rule_has_it(tmp_path: Path) -> None:
    """`10` where the rule has no `T`, and `T` where it has it."""
    deal = Deal.parse("N:JT2.AKQ.QJT.AKJT 987.9876.98765.6 6543.543.42.5432 AKQ.JT2.AK3.Q987")
    for ranks, ten in ((TENS, "10"), (LETTERS, "T")):
        fresh = engine_of(tmp_path, OWN_RULES + ranks).spell(Document((Board(number=1, deal=deal),)), "habits")
        assert f"West: AKQ.J{ten}2.AK3.Q987" in fresh.data.decode()


@pytest.mark.parametrize("mark", ["-", "--", "---", "void", "none"])
def test_a_void_has_the_mark_that_its_grammar_has(tmp_path: Path, mark: str) -> None:
    """A holding that must have characters is read and written with those of a void."""
    rules = OWN_RULES + CARDS.replace("_RANKS?", "_RANKS | _VOID") + "_RANKS: /[AKQJT2-9]++/\n"
    engine = engine_of(tmp_path, rules + f"_VOID: /{mark}/\n")
    void = Deal.parse("W:AKQJT98765432... .AKQJT98765432.. ..AKQJT98765432. ...AKQJT98765432")
    data = engine.spell(Document((Board(number=1, deal=void),)), "habits").data
    assert data.decode().splitlines()[1] == f"West: AKQJT98765432.{mark}.{mark}.{mark}"
    assert engine.read(data, "habits").document.boards[0].deal == void
