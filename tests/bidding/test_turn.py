"""What is known at a turn: facts, ranges, obligations and calls, as recorded; and ranges of hands against hands."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from random import Random

import pytest

from bridgespec.bidding.auction_result import score_in, score_of
from bridgespec.bidding.best_auction import Search
from bridgespec.bidding.bidder import legal_calls
from bridgespec.bidding.judgement import _score as worth
from bridgespec.bidding.knowledge import ANY, HandBox, expected
from bridgespec.bidding.meaning_table import disclose
from bridgespec.bidding.system import BiddingSystem
from bridgespec.bidding.turn import CALL_NAMES, NO_BID, Turn, bid, cheapest, game_of, level_of, number_of, suit_of
from bridgespec.bidding.variables import bindings
from bridgespec.model.cards import Seat, Strain
from bridgespec.model.evaluate import TERMS, HandBits, evaluate
from tests.bidding.turns import AUCTIONS, FINDINGS, HANDS, RECORDED, TABLE, engine, findings, lines, table

TERMS_OF_BOXES = (
    "hcp",
    "points",
    "length.0",
    "length.1",
    "length.2",
    "length.3",
    "balanced",
    "semibalanced",
    "longest",
    "rule20",
    "aces",
    "high.0",
)


@pytest.mark.long
@pytest.mark.parametrize(("path", "found"), [(RECORDED, lines), (TABLE, table), (FINDINGS, findings)])
def test_turns_are_as_recorded(path: Path, found: Callable[[], Iterator[str]]) -> None:
    """Each auction leaves the facts, ranges, obligations and calls of the file, the table has its records, and the checker its
    findings; the package of turns can record them again.
    """
    assert "".join(f"{line}\n" for line in found()) == path.read_text("utf-8")


def test_the_recorded_turns_have_every_kind_of_fact() -> None:
    """The auctions lead to every fact that a rule may ask for, or nearly."""
    text = RECORDED.read_text("utf-8")
    assert text.count("\n> ") + 1 == len(AUCTIONS)
    for word in ("must_bid", "game_forced=", "trump=", "asked=(", "artificial", "signoff", "partner-jumped", "balancing", "their:"):
        assert word in text, word


def some_hands(count: int) -> list[tuple[HandBits, dict[str, float]]]:
    """Random hands with what boxes speak of."""
    random = Random(11)
    found: list[tuple[HandBits, dict[str, float]]] = []
    for _ in range(count):
        cards = random.sample(range(52), 13)
        spades, hearts, diamonds, clubs = (sum(1 << 12 - card % 13 for card in cards if card // 13 == suit) for suit in range(4))
        hand: HandBits = (spades, hearts, diamonds, clubs)
        values = evaluate(hand)
        found.append((hand, {name: values[TERMS[name]] for name in TERMS_OF_BOXES}))
    return found


def inside(box: HandBox, values: dict[str, float]) -> bool:
    """Whether a hand is in the ranges of a box."""
    return all(box.range(TERMS[name])[0] <= value <= box.range(TERMS[name])[1] for name, value in values.items())


@pytest.mark.parametrize("seed", range(60))
def test_a_box_keeps_every_hand_that_fits(seed: int) -> None:
    """Meeting, joining and taking away: no hand is lost that is in both boxes, in either, or in the first alone."""
    random, hands = Random(seed), some_hands(150)
    shown = random.choice(hands)[1]

    def ranges() -> dict[int, tuple[float, float]]:
        made = {}
        for name in random.sample(TERMS_OF_BOXES, random.randint(1, 3)):
            low, high = shown[name] - random.randint(0, 3), shown[name] + random.randint(0, 3)
            made[TERMS[name]] = (max(0.0, low), float(min(high, ANY[1])))
        return made

    first, second = ranges(), ranges()
    one, two = HandBox().meet(first), HandBox().meet(second)
    assert one is not None
    assert two is not None
    met, joined, less = one.meet(second), one.join(two), one.less(second)
    assert met is not None
    for _, values in hands:
        fits = [
            all(low <= values[TERMS_OF_BOXES[NAMES[term]]] <= high for term, (low, high) in each.items())
            for each in (first, second)
        ]
        assert not fits[0] or inside(one, values)
        assert not all(fits) or inside(met, values)
        assert not any(fits) or inside(joined, values)
        if fits[0] and not fits[1]:
            assert less is not None
            assert inside(less, values)


NAMES = {TERMS[name]: place for place, name in enumerate(TERMS_OF_BOXES)}


@pytest.mark.parametrize(
    "ranges",
    [
        {"length.0": (7, 13), "length.1": (7, 13)},
        {"length.0": (0, 3), "length.1": (0, 3), "length.2": (0, 3), "length.3": (0, 3)},
        {"hcp": (20, 37), "points": (0, 19)},
        {"hcp": (0, 3), "points": (13, 46)},
        {"aces": (5, 40)},
        {"balanced": (1, 1), "length.2": (6, 13)},
        {"semibalanced": (1, 1), "length.3": (0, 1)},
        {"longest": (0, 4), "length.0": (5, 13)},
        {"rule20": (30, 40), "hcp": (0, 16)},
        {"keycards.1": (6, 40)},
    ],
)
def test_what_no_hand_has_is_no_box(ranges: dict[str, tuple[float, float]]) -> None:
    """More or fewer than thirteen cards, points that length does not give, shapes that contradict a length."""
    assert HandBox().meet({TERMS[name]: span for name, span in ranges.items()}) is None


def test_ranges_leave_the_rest_to_the_other_suits() -> None:
    """Thirteen cards bound each length; long suits are points; a box of unknown terms has the most that there are."""
    box = HandBox().meet({TERMS["length.0"]: (5, 6), TERMS["length.1"]: (5, 13), TERMS["hcp"]: (10, 12)})
    assert box is not None
    assert [box.range(TERMS[f"length.{suit}"]) for suit in range(4)] == [(5, 6), (5, 8), (0, 3), (0, 3)]
    assert box.range(TERMS["points"]) == (12, 16)
    assert (HandBox().range(TERMS["aces"]), HandBox().range(TERMS["losers"])) == ((0, 4), ANY)
    met = HandBox().meet({TERMS["points"]: (14, 15), TERMS["length.2"]: (6, 6)})
    assert met is not None
    assert met.hcp[1] == 13


def test_expected_points_are_those_of_chance() -> None:
    """The mean of high-card points in a range, by counting the hands of each number of points."""
    ways = [0] * 38
    for held in product(range(5), repeat=4):
        if sum(held) <= 13:
            points = sum(count * value for count, value in zip(held, (4, 3, 2, 1), strict=True))
            ways[points] += math.prod(math.comb(4, count) for count in held) * math.comb(36, 13 - sum(held))
    assert sum(ways) == math.comb(52, 13)
    for low, high in ((0, 46), (12, 21), (15, 17), (20, 20), (25, 40)):
        span = range(low, min(high, 37) + 1)
        wanted = sum(points * ways[points] for points in span) / sum(ways[points] for points in span)
        assert expected(low, high) == pytest.approx(wanted)


def test_bids_have_their_numbers() -> None:
    """Level, strain, name, the lowest bid above another, and game."""
    for level, suit in product(range(1, 8), (0, 1, 2, 3, None)):
        number = bid(level, suit)
        assert (level_of(number), suit_of(number)) == (level, suit)
        assert CALL_NAMES[number] == f"{level}{'NT' if suit is None else 'SHDC'[suit]}"
    assert [CALL_NAMES[game_of(suit)] for suit in (0, 1, 2, 3, None)] == ["4S", "4H", "5D", "5C", "3NT"]
    for last, suit in product(range(NO_BID, 30), (0, 1, 2, 3, None)):
        assert cheapest(last, suit) == next(call for call in range(last + 1, 40) if suit_of(call) == suit)


def turn_after(auction: str, vulnerable: tuple[bool, bool] = (False, False)) -> Turn:
    """The turn after some calls."""
    turn = engine().start(vulnerable)
    for call in legal_calls(auction):
        turn = engine().after(turn, number_of(call))
    return turn


def test_the_end_of_an_auction_is_scored() -> None:
    """For the dealer's side, by the declarer's tricks; nothing where all passed."""
    assert score_of(turn_after("P P P P"), 9) == 0
    assert score_in(turn_after("P P P P"), bytes(20), Seat.EAST) == 0
    assert score_of(turn_after("1S P 4S P P P"), 10, doubled=True) == 590
    assert score_of(turn_after("P 1NT P 3NT P P P", (False, True)), 9) == -600
    cells = bytearray(20)
    cells[4 * Strain.SPADES + Seat.SOUTH] = 10
    assert score_in(turn_after("P P 1S P 4S P P P"), cells, Seat.NORTH) == 420
    assert score_in(turn_after("P 1S P 4S P P P"), cells, Seat.EAST) == -420


def test_a_search_that_is_cut_off_is_not_complete() -> None:
    """What the rules bid is then the answer."""
    hands = (HANDS[0], HANDS[1], HANDS[2], HANDS[3])
    start = engine().start((False, False))
    cut = Search(engine(), hands, bytes([7] * 20), Seat.NORTH, most_visits=1).run(start)
    assert (cut.complete, cut.departures) == (False, 0)
    assert cut.best.calls == cut.as_bid.calls
    assert cut.score == cut.bid_score
    whole = Search(engine(), hands, bytes([7] * 20), Seat.NORTH, most_visits=100_000).run(turn_after("1S P 4S P"))
    assert whole.complete


def test_the_other_side_passes_after_its_first_round(tmp_path: Path) -> None:
    """A table lists what opponents may come in with over the first call, and over the answer where they open."""
    path = tmp_path / "main.bid"
    path.write_text(
        "opening:\n  1S shows 5+ spades\nafter 1S (P):\n  2S shows 3+ spades\nafter 1S (P) 2S (P):\n  3S shows 6+ spades\n"
        "after 1S (P) 2S (2NT):\n  3S shows 7+ spades\nafter 1S (2H):\n  3S shows 4+ spades\n"
        "when theirs:\n  2H shows 5+ hearts\n  2NT shows 20+ hcp\nwhen always:\n  P\n",
        "utf-8",
    )
    told = [tuple(map(str, one.calls)) for _, one in disclose(BiddingSystem.load(path), 3).meanings if not one.opponents_opened]
    assert ("1S", "2H", "3S") in told
    assert ("1S", "Pass", "2S", "Pass", "3S") in told
    assert not [one for one in told if one[:4] == ("1S", "Pass", "2S", "2NT")]


def test_variables_are_different_suits() -> None:
    """Majors, minors and any suits by their names; a trump suit may be any of them, and what is given stays."""
    assert sorted(made["M"] for made in bindings({"M"}, {})) == [0, 1]
    assert sorted(made["m"] for made in bindings({"m"}, {})) == [2, 3]
    pairs = [(made["x"], made["y"]) for made in bindings({"x", "y"}, {})]
    assert sorted(pairs) == [(x, y) for x in range(4) for y in range(4) if x != y]
    assert sorted(made["x"] for made in bindings({"x"}, {"M": 1})) == [0, 2, 3]
    assert sorted(made["t"] for made in bindings({"t"}, {"M": 1})) == [0, 1, 2, 3]


@pytest.mark.parametrize(
    ("auction", "tricks", "score"),
    [
        # A bid over theirs that fails by two or more would be doubled; by one, or where they have not bid, it would not.
        ("1S 2H 3H P P P", 7, -300),
        ("1S 2H 3H P P P", 8, -50),
        ("1S 2H 2S P P P", 6, -300),
        ("1S P 3S P P P", 6, -150),
        ("1S 2H 2S X P P P", 6, -300),
        ("P P P P", 6, 0),
    ],
)
def test_a_sacrifice_that_fails_counts_as_doubled(auction: str, tricks: int, score: int) -> None:
    """As a judge compares calls: the opponents would see that such a contract fails."""
    assert worth(turn_after(auction), tricks) == score
