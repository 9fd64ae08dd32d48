"""The checker of systems: each kind of finding with an auction and a hand that show it, and none where there is no fault."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from bridgespec.bidding.census import census, hand_at, pool
from bridgespec.bidding.checking import SystemCheck, check_system, openings
from bridgespec.bidding.engine import BiddingEngine
from bridgespec.bidding.system import BiddingSystem
from bridgespec.diagnostic import Severity
from bridgespec.model.evaluate import hand_of
from tests.bidding import load
from tests.cli.running import run

END = "\nwhen not forced:\n  P\nwhen forced:\n  cheapest x shows 4+ x\n  cheapest x\n"


def check(folder: Path, text: str, auctions: int = 60) -> SystemCheck:
    """The check of a system of one file, with a last resort behind it."""
    path = folder / "main.bid"
    path.write_text(text + END, "utf-8")
    return check_system(BiddingSystem.read(path), auctions, 4000)


CLEAN = "opening:\n  1NT shows 15-17 hcp, balanced\n  1S shows 5+ spades, 12+ hcp\n"


@pytest.mark.parametrize(
    ("text", "code", "line", "says"),
    [
        ("opening:\n  1NT shows 15-17 hcp, 0-10 hcp\n", "bid-impossible-rule", 2, "no hand"),
        ("opening:\n  1H shows 5+ hearts\nafter (1H) X P 1S:\n  2S shows 4+ spades\n", "bid-unreachable", 3, "the auction is over"),
        ("opening:\n  1H shows 5+ hearts\nafter 1H (1D):\n  2H shows 3+ hearts\n", "bid-unreachable", 3, "illegal"),
        ('opening:\n  1S shows 10+ hcp\n  1S "never" shows 12-14 hcp, 4+ spades\n', "bid-dead-rule", 3, "line 2 takes it"),
        ('opening:\n  1NT "15-17" shows 12-14 hcp\n', "bid-words", 2, "15-17, and it shows 12-14"),
        ('opening:\n  1S "five or more spades" shows 4 spades\n', "bid-words", 2, "five or more spades, and it shows 4 spades"),
        ("opening:\n  1NT shows 12-14 hcp, balanced\n  2NT shows 14-16 hcp, balanced\n", "bid-overlap", 3, "fits both"),
        ("opening:\n  1NT shows 12-14 hcp, balanced\n  2NT shows 17-19 hcp, balanced\n", "bid-hole", 3, "fits neither"),
        ("opening:\n  1C shows 12+ hcp\n  1D shows 12+ hcp\n", "bid-tie", 3, "1C or 1D"),
        ('opening:\n  1S shows 5+ spades\nafter 1S:\n  2S shows 3+ spades\n  P "weak"\n', "bid-bare-pass", 5, "unconditional"),
        ('system "A"\nopening:\n  2C shows 9+ hcp\nafter 2C when asked aces:\n  2D\n', "bid-unasked", 4, "no rule asks aces"),
        (
            'opening:\n  1C shows 10+ hcp forcing\nafter 1C:\n  P "weak" shows 0-5 hcp\n  1D shows 6+ hcp\n',
            "bid-forcing-passed",
            5 - 1,
            "which forces",
        ),
    ],
)
def test_each_fault_is_found_with_its_witness(tmp_path: Path, text: str, code: str, line: int, says: str) -> None:
    """The code at the rule, and a hand that shows it."""
    found = [one for one in check(tmp_path, text).findings if one.code == code]
    assert found, [one.code for one in check(tmp_path, text).findings]
    assert found[0].span is not None
    assert found[0].span.line == line
    assert says in found[0].message
    if code not in ("bid-impossible-rule", "bid-words", "bid-unreachable", "bid-bare-pass", "bid-unasked"):
        witness = re.search(r"[AKQJT98765432]*(?:\.[AKQJT98765432]*){3}", found[0].message)
        assert witness is not None
        hand_of(witness[0])


def test_a_clean_system_has_no_findings(tmp_path: Path) -> None:
    """Descending ranges, calls of one suit for several, and judgement below are not faults."""
    assert check(tmp_path, CLEAN).findings == ()
    ladder = "opening:\n  1S shows 5+ spades\nafter 1S:\n  4S shows 3+ spades, 13+ points\n  3S shows 3+ spades, 10+ points\n"
    assert check(tmp_path, ladder + "  2S shows 3+ spades, 6+ points\n").findings == ()
    assert check(tmp_path, "opening:\n  2x shows 5+ x, 5-10 hcp\n").findings == ()


def test_a_pass_may_be_declared_unconditional(tmp_path: Path) -> None:
    """The word is for charts: where facts alone say when, a pass needs none."""
    sure = "opening:\n  1S shows 5+ spades\nafter 1S:\n  2S shows 3+ spades\n  P unconditional\n"
    assert check(tmp_path, sure).findings == ()
    assert check(tmp_path, "opening:\n  1S shows 5+ spades\nwhen responder:\n  P\n").findings == ()


def test_frequencies_are_those_of_counted_hands(tmp_path: Path) -> None:
    """One notrump of 15 to 17 is opened with 4.8 in a hundred hands by count, and every hand has a call."""
    system = BiddingSystem.read(tmp_path / "main.bid") if check(tmp_path, CLEAN) else None
    assert system is not None
    shares = {one.call: one.share for one in openings(BiddingEngine(system, system), 100_000)}
    assert shares["1NT"] == pytest.approx(0.0484, abs=0.002)
    assert sum(shares.values()) == pytest.approx(1)
    notes = check(tmp_path, CLEAN).notes
    assert {one.severity for one in notes} == {Severity.NOTE}
    assert any(re.match(r"1NT is the opening of [45]\.", one.message) for one in notes)


def test_answers_are_those_of_partners_hands(tmp_path: Path) -> None:
    """An answer's share is that among the hands dealt beside the opening: opposite 15 to 17 points fewer hands have nine
    than among all.
    """
    (tmp_path / "main.bid").write_text(CLEAN + "after 1NT:\n  2C shows 9+ hcp\n" + END, "utf-8")
    system = BiddingSystem.read(tmp_path / "main.bid")
    found = {one.call: dict(one.answers) for one in openings(BiddingEngine(system, system), 40_000)}
    rng = np.random.default_rng(11)
    deck = np.array([max(rank - 8, 0) for rank in range(13)] * 4)
    opposite = []
    for _ in range(20_000):
        cards = rng.permutation(52)[:26]
        suits = sorted(np.bincount(cards[:13] // 13, minlength=4).tolist())
        if 15 <= deck[cards[:13]].sum() <= 17 and suits in ([3, 3, 3, 4], [2, 3, 4, 4], [2, 3, 3, 5]):
            opposite.append(int(deck[cards[13:]].sum()))
    expected = sum(points >= 9 for points in opposite) / len(opposite)
    assert found["1NT"]["2C"] == pytest.approx(expected, abs=0.06)
    assert found["Pass"] == {}
    assert sum(found["1S"].values()) == pytest.approx(1)
    notes = [one.message for one in check(tmp_path, CLEAN + "after 1NT:\n  2C shows 9+ hcp\n").notes]
    assert any(re.match(r"2C is the answer to 1NT of [34]\d\.\d+% of partner's hands", note) for note in notes)


def test_a_census_is_what_the_bidder_does() -> None:
    """For each hand the rule that takes it by masks is the one that takes it by its values."""
    system = load()
    engine, hands = BiddingEngine(system, system), pool(400, 5)
    for calls in ((), (7,), (7, 0), (3, 4), (3, 1), (14,), (3, 0, 5, 0)):
        turn = engine.start((False, False))
        for call in calls:
            turn = engine.after(turn, call)
        asked = census(engine, turn, hands, np.arange(len(hands)))
        taken = {row: share.candidate.call for share in asked.shares for row in share.taken.tolist()}
        assert len(taken) + len(asked.left) == len(hands)
        for row in range(len(hands)):
            choice = engine.choose(turn, hand_at(hands, row))
            assert taken.get(row) == (None if choice.candidate is None else choice.call), (calls, row)


def test_the_longest_suit_of_a_rule_is_bid(tmp_path: Path) -> None:
    """A rule with an open suit takes the longest that fits, and the highest of equals."""
    system = load()
    engine = BiddingEngine(system, system)
    turn = engine.after(engine.start((False, False)), 6)
    assert str(engine.choose(turn, hand_of(".AJT65.AJ.KJ8642")).call) == str(8)


@pytest.mark.long
def test_the_command_tells_frequencies(tmp_path: Path) -> None:
    """Notes with the share of each opening, warnings that only count with --strict, errors that always do."""
    path = tmp_path / "main.bid"
    path.write_text("opening:\n  1NT shows 12-14 hcp, balanced\n  2NT shows 14-16 hcp, balanced\n" + END, "utf-8")
    found = run("check-system", path, "--auctions", "20", "--frequencies")
    assert found.exit_code == 0
    assert "bid-overlap" in found.stdout
    assert "of all hands" in found.stdout
    assert run("check-system", path, "--auctions", "20", "--strict").exit_code == 1
    path.write_text("opening:\n  1NT shows 12-14 hpc\n", "utf-8")
    assert run("check-system", path).exit_code == 1
    assert run("check-system", tmp_path / "none.bid").exit_code == 2
