"""Scores against the tables of the laws, worked out by hand."""

from __future__ import annotations

import pytest

from bridgespec.model.board import Board, Vulnerability
from bridgespec.model.cards import Seat
from bridgespec.model.contract import Contract, result_text
from bridgespec.model.score import board_points, imps, matchpoints, points, score_of

MADE = [
    ("1C", 7, 70, 70),
    ("1CX", 7, 140, 140),
    ("1CXX", 7, 230, 230),
    ("1NT", 7, 90, 90),
    ("1NT", 8, 120, 120),
    ("1NTX", 7, 180, 180),
    ("1NTXX", 7, 560, 760),
    ("1SX", 9, 360, 560),
    ("2HX", 8, 470, 670),
    ("2DX", 8, 180, 180),
    ("2S", 9, 140, 140),
    ("2CXX", 8, 560, 760),
    ("3NT", 9, 400, 600),
    ("3NT", 12, 490, 690),
    ("3D", 11, 150, 150),
    ("3DX", 9, 470, 670),
    ("4S", 10, 420, 620),
    ("4S", 13, 510, 710),
    ("4SX", 10, 590, 790),
    ("4SX", 11, 690, 990),
    ("4SXX", 11, 1080, 1480),
    ("5C", 11, 400, 600),
    ("5DX", 12, 650, 950),
    ("6C", 12, 920, 1370),
    ("6H", 12, 980, 1430),
    ("6NT", 13, 1020, 1470),
    ("6SX", 12, 1210, 1660),
    ("7D", 13, 1440, 2140),
    ("7S", 13, 1510, 2210),
    ("7NT", 13, 1520, 2220),
    ("7NTX", 13, 1790, 2490),
    ("7NTXX", 13, 2280, 2980),
    ("7CXX", 13, 1960, 2660),
]
FAILED = [
    ("4S", 9, -50, -100),
    ("3NT", 4, -250, -500),
    ("7NT", 0, -650, -1300),
    ("4SX", 9, -100, -200),
    ("4SX", 8, -300, -500),
    ("4SX", 7, -500, -800),
    ("4SX", 6, -800, -1100),
    ("4SX", 5, -1100, -1400),
    ("4SXX", 9, -200, -400),
    ("4SXX", 7, -1000, -1600),
    ("7NTX", 0, -3500, -3800),
    ("7NTXX", 0, -7000, -7600),
]


@pytest.mark.parametrize(("contract", "tricks", "safe", "vulnerable"), MADE + FAILED)
def test_points(contract: str, tricks: int, safe: int, vulnerable: int) -> None:
    """Each contract scores what Law 77 gives, at either vulnerability."""
    assert points(Contract.parse(contract), tricks, False) == safe
    assert points(Contract.parse(contract), tricks, True) == vulnerable


def test_passed_out_scores_nothing() -> None:
    """A board that all passed scores 0 and needs no declarer."""
    assert points(Contract.passed_out(), 0, True) == 0
    assert board_points(Contract.passed_out(), None, 0, Vulnerability.BOTH) == 0


@pytest.mark.parametrize("tricks", [-1, 14])
def test_tricks_out_of_range(tricks: int) -> None:
    """There are 0 to 13 tricks."""
    with pytest.raises(ValueError, match="0 to 13"):
        points(Contract.parse("1C"), tricks, False)


@pytest.mark.parametrize(
    ("declarer", "vulnerability", "expected"),
    [
        (Seat.NORTH, Vulnerability.NS, 620),
        (Seat.SOUTH, Vulnerability.EW, 420),
        (Seat.EAST, Vulnerability.EW, -620),
        (Seat.WEST, Vulnerability.NS, -420),
    ],
)
def test_board_points(declarer: Seat, vulnerability: Vulnerability, expected: int) -> None:
    """Points count for North-South, by the declarer's own vulnerability."""
    assert board_points(Contract.parse("4H"), declarer, 10, vulnerability) == expected


def test_a_played_contract_needs_a_declarer() -> None:
    """Without a declarer the side is not known."""
    with pytest.raises(ValueError, match="declarer"):
        board_points(Contract.parse("4H"), None, 10, Vulnerability.NONE)


# Law 78B: the least difference for each number of IMPs.
IMP_TABLE = [
    20, 50, 90, 130, 170, 220, 270, 320, 370, 430, 500, 600, 750, 900, 1100, 1300, 1500, 1750, 2000, 2250, 2500, 3000, 3500, 4000,
]  # fmt: skip


def test_imps() -> None:
    """Every step of the scale begins where the law says, in both directions."""
    for value, least in enumerate(IMP_TABLE, 1):
        assert (imps(least), imps(least - 10), imps(-least)) == (value, value - 1, -value)
    assert imps(15200) == 24


def test_matchpoints() -> None:
    """Two for each lower score, one for each equal one; the sum is that of all comparisons."""
    assert matchpoints([420, 450, 420, -50]) == [3, 6, 3, 0]
    assert matchpoints([0, 0, 0]) == [2, 2, 2]
    assert matchpoints([5]) == [0]
    assert sum(matchpoints([1, 2, 2, 3, 9, -4])) == 6 * 5


@pytest.mark.parametrize(("contract", "tricks", "text"), [("4S", 10, "="), ("4S", 12, "+2"), ("4S", 6, "-4"), ("Pass", 0, "")])
def test_result_text(contract: str, tricks: int, text: str) -> None:
    """Results are written against the contract."""
    assert result_text(Contract.parse(contract), tricks) == text


@pytest.mark.parametrize("text", ["8S", "0NT", "4", "S4", "4SXXX", "4T", "", "Passs"])
def test_no_contract(text: str) -> None:
    """What is not a contract is refused with the text in the message."""
    with pytest.raises(ValueError, match="not a contract"):
        Contract.parse(text)


@pytest.mark.parametrize("text", ["1C", "3NT", "4SX", "7HXX", "Pass"])
def test_contract_text(text: str) -> None:
    """A contract's text is read back as the same."""
    assert str(Contract.parse(text)) == text
    assert Contract.parse(text.lower()) == Contract.parse(text)


def test_text_is_no_contract_and_no_strain() -> None:
    """What would otherwise be equal to no contract, or fail inside, is refused with the way to read it."""
    with pytest.raises(TypeError, match=r"Contract\.parse"):
        Contract(4, "S")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"Contract\.parse"):
        points("4S", 10, True)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("4SN", "4S by N"),
        ("3NTxE", "3NTX by E"),
        ("1nn", "1NT by N"),
        ("4 Spades", "4S"),
        ("1 no trump x by east", "1NTX by E"),
    ],
)
def test_a_declarer_without_by(text: str, printed: str) -> None:
    """A seat's letter may follow at once, as in tables of results."""
    assert str(Contract.parse(text)) == printed


def test_the_score_of_a_board() -> None:
    """It is the stated one, else that of contract, declarer and tricks; None where it does not follow."""
    four_spades = Contract.parse("4S by W")
    assert score_of(Board(number=1, contract=four_spades, result=10)) == -420
    assert score_of(Board(number=1, contract=four_spades, result=10, score=50)) == 50
    assert score_of(Board(number=1, contract=Contract.passed_out())) == 0
    assert score_of(Board(contract=four_spades, result=10)) is None, "the vulnerability is not known"
    assert score_of(Board(number=1, contract=four_spades)) is None
