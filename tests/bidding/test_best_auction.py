"""The best auction: the same as by plain minimax over all that the rules allow, within its bounds, and never against a rule."""

from __future__ import annotations

import numpy as np
import pytest

from bridgespec.bidding.auction_result import score_in
from bridgespec.bidding.best_auction import MOST_CALLS, Search
from bridgespec.bidding.bidder import legal_calls
from bridgespec.bidding.engine import BiddingEngine
from bridgespec.bidding.turn import Turn, number_of
from bridgespec.model.board import Vulnerability
from bridgespec.model.cards import SEATS, Seat, Strain
from bridgespec.model.evaluate import HandBits, evaluate, holdings_of
from bridgespec.model.score import board_points
from tests.bidding import load, sayc
from tests.cli.running import SIXTEEN, run

DEALS = 12


@pytest.fixture(scope="module")
def engine() -> BiddingEngine:
    """Standard American at both sides."""
    system = load()
    return BiddingEngine(system, system)


def deal(seed: int) -> tuple[tuple[HandBits, ...], bytes]:
    """Four random hands and a random table: any will do, the search only reads it."""
    rng = np.random.default_rng(seed)
    holders = rng.permutation(np.repeat(np.arange(4, dtype=np.uint8), 13))[None, :]
    hands = tuple(tuple(int(v) for v in holdings_of(holders, seat)[:, 0]) for seat in range(4))
    return hands, bytes(int(v) for v in rng.integers(3, 12, 20))  # type: ignore[return-value]


def allowed(engine: BiddingEngine, turn: Turn, hand: HandBits) -> list[int]:
    """The calls that rules allow, by the same words as the module's claim."""
    values = evaluate(hand)
    fitting = [c.call for c in engine.candidates(turn) if c.shows.fits(values) and c.wants.fits(values)]
    return list(dict.fromkeys(fitting)) or [engine.fallback(turn, hand)]


class TooMany(Exception):
    """The whole tree is too large for a test."""


def minimax(engine: BiddingEngine, turn: Turn, hands: tuple[HandBits, ...], cells: bytes, left: list[int]) -> int:
    """The value of a turn for the dealer's side, by trying everything."""
    left[0] -= 1
    if left[0] < 0:
        raise TooMany
    if turn.is_over:
        return score_in(turn, cells, Seat.NORTH)
    calls = allowed(engine, turn, hands[turn.me])
    if len(calls) > MOST_CALLS:
        raise TooMany
    values = [minimax(engine, engine.after(turn, call), hands, cells, left) for call in calls]
    return max(values) if turn.me % 2 == 0 else min(values)


@pytest.mark.long
def test_the_search_gives_what_trying_everything_gives(engine: BiddingEngine) -> None:
    """Alpha, beta and rounds of departures lose nothing where the search says that it is complete."""
    compared = 0
    for seed in range(24):
        hands, cells = deal(seed)
        # From a little way into the auction, so that the whole tree can be tried.
        start = engine.start((False, True))
        for call in legal_calls(("1S P 2S P", "1N P 2C P", "1H X 2H P", "2D P 2N P")[seed % 4]):
            start = engine.after(start, number_of(call))
        found = Search(engine, hands, cells, Seat.NORTH).run(start)
        if not found.complete:
            continue
        try:
            assert found.score == minimax(engine, start, hands, cells, [2000]), seed
        except TooMany:
            continue
        compared += 1
    assert compared >= 14


@pytest.mark.long
def test_every_call_of_the_best_auction_is_allowed(engine: BiddingEngine) -> None:
    """Each is made by a rule that fits the hand, and its score is that of its own contract."""
    for seed in range(DEALS):
        hands, cells = deal(seed)
        start = engine.start((True, False))
        found = Search(engine, hands, cells, Seat.NORTH).run(start)
        for path, score in ((found.best, found.score), (found.as_bid, found.bid_score)):
            turn = start
            for call in path.calls:
                assert call in allowed(engine, turn, hands[turn.me])
                turn = engine.after(turn, call)
            assert turn.is_over
            assert score == score_in(turn, cells, Seat.NORTH)
        if found.left is None:
            assert found.score == found.bid_score
        else:
            assert found.best.calls[: found.left] == found.as_bid.calls[: found.left]


@pytest.mark.long
def test_the_bound_holds_and_the_answer_is_the_same_again(engine: BiddingEngine) -> None:
    """No more turns are visited than may be, and what was found by then is kept."""
    for seed in range(DEALS):
        hands, cells = deal(seed)
        start = engine.start((False, False))
        narrow = [Search(engine, hands, cells, Seat.NORTH, 60).run(start) for _ in range(2)]
        assert narrow[0].best.calls == narrow[1].best.calls
        assert narrow[0].visits <= 61
        assert narrow[0].departures >= 0


@pytest.mark.long
def test_the_facade_scores_for_north_south() -> None:
    """Whoever deals, the scores are North-South's, and the tricks are those of the deal."""
    text = "N:T2.J965.T7532.63 AKQ874.AQ2.J8.A5 J65.743.AK4.KQ82 93.KT8.Q96.JT974"
    for dealer in "NESW":
        found = sayc().best(text, dealer=dealer)
        assert found.bid_score <= -400
        assert found.best.first is Seat.parse(dealer)
        assert found.best.is_finished
        assert found.best.first_illegal is None


@pytest.mark.long
@pytest.mark.parametrize("dealer", SEATS)
def test_scores_are_those_of_the_declarer_that_plays(dealer: str) -> None:
    """North cannot make what South can: the score is that of the contract, by its own declarer's tricks, whoever deals."""
    text = "N:KQ62.A74.K32.Q95 T85.J62.QJ9.T843 AJ93.KQ5.A85.A72 74.T983.T764.KJ6"
    uneven = "N:54.AK64.KT962.A8 QJ72.J8.43.T9642 K9.T972.AQJ.K753 AT863.Q53.875.QJ"
    for deal in (text, uneven):
        found = sayc().best(deal, dealer=dealer)
        for made, score in ((found.best, found.score), (found.as_bid, found.bid_score)):
            contract, declarer = made.contract, made.declarer
            assert contract is not None
            tricks = 0 if declarer is None else found.tricks.get(contract.strain, declarer)
            assert tricks is not None
            assert score == board_points(contract, declarer, tricks, Vulnerability.NONE)
    cells = [found.tricks.get(strain, seat) for strain in Strain for seat in Seat]
    assert any(cells[4 * strain + 1] != cells[4 * strain + 3] for strain in range(5)), "North and South differ in some strain"


@pytest.mark.long
def test_the_command_says_where_the_path_was_left() -> None:
    """Both auctions, par, the call, and the bounds."""
    result = run("bid", SIXTEEN, "--boards", "1-3", "--best")
    assert result.exit_code == 0, result.stderr
    assert result.stdout.count("as bid:") == result.stdout.count("best within the systems:") == result.stdout.count("  par ") == 3
    assert result.stdout.count("left the best path") == 3
    assert "turns visited" in result.stdout
