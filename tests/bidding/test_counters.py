"""What a club player would not do is found where it was done, and nowhere else."""

from __future__ import annotations

from pathlib import Path

import pytest

from bridgespec.bidding.counters import KINDS, contradictions
from bridgespec.bidding.engine import BiddingEngine
from bridgespec.bidding.system import BiddingSystem
from bridgespec.model.evaluate import hand_of
from tests.cli.running import run

HANDS = ("AKQJ5.K42.K4.A32", "432.Q65.QJ65.K54", "T9.A987.A32.QJ98", "876.JT3.T987.T76")


def _kinds(tmp_path: Path, rules: str) -> set[str]:
    path = tmp_path / "rules.bid"
    path.write_text(f'system "Rules"\n{rules}\nwhen not forced:\n  P\n', "utf-8")
    system = BiddingSystem.load(path)
    hands = tuple(map(hand_of, HANDS))
    return {
        one.kind for one in contradictions(BiddingEngine(system, system), (hands[0], hands[1], hands[2], hands[3]), (False, False))
    }


@pytest.mark.parametrize(
    ("kind", "rules"),
    [
        ("no-limit", "opening:\n  1S shows 5+ spades"),
        ("missed-game", "opening:\n  1S shows 5+ spades, 12-24 points"),
        ("six-trumps", "opening:\n  2D shows 12-24 points"),
        (
            "strong-pass",
            "opening:\n  1S shows 5+ spades, 12-24 points\nafter 1S:\n  1NT shows 6-11 hcp\nafter 1S 1NT:\n  P",
        ),
        (
            "again",
            "opening:\n  1S shows 5+ spades, 12-24 points\nafter 1S:\n  1NT shows 6-11 hcp\nafter 1S 1NT:\n  2S shows 5+ spades",
        ),
        (
            "limited-acts",
            "opening:\n  1NT shows 19-21 hcp\n  P\nafter 1NT (P) P (2D):\n  2S shows 5+ spades\n"
            "when rho-passed, theirs-stopped, silent:\n  2D shows 0-3 hcp",
        ),
    ],
)
def test_each_kind_is_found(kind: str, rules: str, tmp_path: Path) -> None:
    """Rules that do it are found out, by the kind."""
    assert kind in _kinds(tmp_path, rules)


def test_sound_rules_have_none(tmp_path: Path) -> None:
    """Rules that limit what they show, and reach game, are not counted."""
    rules = (
        "opening:\n  1S shows 5+ spades, 12-21 hcp\nafter 1S:\n  1NT shows 6-11 hcp\n  P shows 0-5 hcp\n"
        "after 1S 1NT:\n  3NT shows 19-21 hcp\n  P shows 12-18 hcp\n"
    )
    assert _kinds(tmp_path, rules) <= {"outside"}


@pytest.mark.long
def test_the_command_counts() -> None:
    """`check-system --counts` gives a number for every kind."""
    told = run("check-system", "sayc", "--auctions", "20", "--counts").stdout
    assert told.count("in 20 deals") == len(KINDS)
