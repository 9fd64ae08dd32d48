"""Expressions of scripts on single deals: every number is the one that the program ``dealer`` printed for the same deal."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest

from bridgespec.dealing.expression import Deals
from bridgespec.dealing.script import Script, read_script
from bridgespec.dealing.tally import Average, FrequencyTable
from bridgespec.errors import UsageError
from bridgespec.model.board import Vulnerability
from bridgespec.model.cards import Seat
from bridgespec.model.deal import Deal

RECORDED = Path(__file__).parent / "data" / "values.tsv"
EXPRESSIONS, _, ROWS = RECORDED.read_text("utf-8").partition("\n\n")
NAMES = EXPRESSIONS.splitlines()[1:]


@cache
def recorded() -> tuple[Deals, dict[str, list[float]]]:
    """The deals, and the program's values by expression."""
    deals, values = zip(*(row.split("\t") for row in ROWS.splitlines()), strict=True)
    columns = zip(*(map(float, row.split()) for row in values), strict=True)
    return holders(*deals), dict(zip(NAMES, map(list, columns), strict=True))


def holders(*deals: str) -> Deals:
    """Deals as the evaluation takes them."""
    return Deals(np.array([list(Deal.parse(deal).holders) for deal in deals], np.uint8))


def values(expression: str, deals: Deals, before: str = "") -> list[float]:
    """The value of an expression for each deal, after other statements."""
    action = read_script(f"{before}\naction average {expression}").actions[0]
    assert isinstance(action, Average)
    return [float(value) for value in action.value.column(deals)]


@pytest.mark.parametrize("expression", NAMES)
def test_an_expression_has_the_value_that_the_program_prints(expression: str) -> None:
    """Counts of hands and suits, shapes, cards, scores and arithmetic, of ordinary deals and of those with long suits."""
    deals, wanted = recorded()
    assert values(expression, deals) == wanted[expression]


BALANCED = "N:AKQ2.A43.K54.J32 J43.K52.Q32.KQ54 T98.QJ9.AJT.T987 765.T876.9876.A6"


@pytest.mark.parametrize(
    ("before", "expression", "value"),
    [
        ("pointcount 6 4 2 1", "hcp(north)", 23),
        ("pointcount 6 4 2 1", "hcp(north, hearts)", 6),
        ("pointcount 0 0 0 0 -1", "hcps(south)", -3),
        ("altcount 3 1 1 0 0 5", "pt3(south)", 16),
        ("altcount 3 0 0 0 0 5", "pt3(south)", 15),
        ("altcount 3 1 1 0 0 5", "kings(north)", 4),
        ("altcount 9 0 0 0 0 0 7", "c13(south, clubs)", 7),
        ("strong = hcp(north) > 15", "strong * 3 + 1", 4),
        ("", "-hcp(west) + +spades(west)", -1),
        ("", "hascard(south, HQ) * 2 + hascard(south, QH)", 3),
        ("", "score(none, x3N, 9)", 400),
        ("", "score(nonvul, x3N, 8)", -50),
        ("", "score(all, x3N, 8)", -100),
        ("", "score(ew, x4H, 15)", 710),
        ("", "tricks(north, notrump) - tricks(south, notrump)", 0),
        ("", "rnd(1)", 0),
    ],
)
def test_what_the_manual_describes_has_its_value(before: str, expression: str, value: float) -> None:
    """What the program's Debian build does not take, or takes no notice of: other counts, signs, vulnerabilities."""
    assert values(expression, holders(BALANCED), before) == [value]


def test_chances_are_below_their_limit() -> None:
    """Each whole number below the limit comes about as often as any other."""
    found = values("rnd(4)", Deals(np.zeros((4000, 52), np.uint8)))
    counts = np.bincount(np.array(found, np.int64))
    assert len(counts) == 4
    assert ((counts > 850) & (counts < 1150)).all()


def test_statements_set_what_they_name() -> None:
    """Numbers, dealer, vulnerability, cards and lengths dealt beforehand; without an action every deal is printed."""
    script = read_script(
        "generate 5000 produce 7 dealer west vulnerable ew predeal north SAK,hq south D2 spades(east) == 3 condition hcp(west) > 8"
    )
    assert (script.generate, script.produce, script.wanted) == (5000, 7, 7)
    assert (script.dealer, script.vulnerability) == (Seat.WEST, Vulnerability.EW)
    assert script.known == {0: Seat.NORTH, 1: Seat.NORTH, 15: Seat.NORTH, 38: Seat.SOUTH}
    some = holders(*(f"{first}:{BALANCED[2:]}" for first in "NWSE"))
    assert script.condition.holds(some).tolist() == [False, True, True, False]
    open_script = read_script("spades(east) == 3")
    assert open_script.condition.holds(some).tolist() == [True, True, True, False]
    assert (open_script.generate, open_script.wanted) == (1_000_000, 40)
    assert read_script("action average hcp(north)").wanted == 100_000
    # The number of a board decides where a script states nothing.
    assert (Script().dealer, open_script.dealer, open_script.vulnerability) == (None, None, None)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("condition points > 3", "script:1:11: points is not defined before this line"),
        ("predeal north SAK\n  south SA", "script:2:9: SA is dealt twice"),
        ("condition\n shape(west, 5xxx + any 5553)", "script:2:25: 5553 does not make thirteen cards"),
        ("condition hcp(north)\n  >", "script:2:4: the script ends too soon"),
        ("produce ten", "script:1:9: this is not understood here"),
        ("", ""),
    ],
)
def test_a_wrong_word_is_shown_in_its_line(text: str, message: str) -> None:
    """Line and column from 1, the line itself, and a mark below the word."""
    if not message:
        assert read_script(text).condition.holds(holders(BALANCED)).all()
        return
    with pytest.raises(UsageError) as caught:
        read_script(text)
    first, line, mark = str(caught.value).split("\n")
    assert first == message
    row, column = map(int, message.split(":")[1:3])
    assert line == "  " + text.splitlines()[row - 1]
    assert mark == " " * (column + 1) + "^"


def test_frequencies_count_values_in_their_places() -> None:
    """One place for each whole number between the bounds, and one at each end; two values together by both."""
    deals = recorded()[0]
    script = read_script(
        'action frequency "one" (hcp(north), 8, 11), frequency "two" (hcp(north), 8, 11, spades(south), -1, 3), '
        "frequency (hcp(north), 3, 1)"
    )
    points, spades = values("hcp(north)", deals), values("spades(south)", deals)
    for action in script.actions:
        assert isinstance(action, FrequencyTable)
        # Two batches are added up.
        action.add(deals)
        action.add(deals)
    one, two, empty = (action.counts for action in script.actions if isinstance(action, FrequencyTable))
    assert one[:, 0].tolist() == [2 * sum(min(max(p, 7), 12) == place for p in points) for place in range(7, 13)]
    pairs = list(zip(points, spades, strict=True))
    assert two.tolist() == [
        [2 * sum((min(max(p, 7), 12), min(max(s, -2), 4)) == (row, column) for p, s in pairs) for column in range(-2, 5)]
        for row in range(7, 13)
    ]
    assert empty.shape[0] == 2


def test_an_average_has_the_mean_and_its_standard_error() -> None:
    """Over all batches; without a deal both are 0."""
    deals = recorded()[0]
    action = read_script('action average "points" hcp(north)').actions[0]
    assert isinstance(action, Average)
    assert (action.title, action.mean, action.error) == ("points", 0, 0)
    action.add(deals)
    action.add(deals)
    points = np.array(values("hcp(north)", deals) * 2)
    assert action.mean == pytest.approx(points.mean())
    assert action.error == pytest.approx(points.std(ddof=1) / len(points) ** 0.5)
