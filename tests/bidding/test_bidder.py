"""The bidder as the package's users have it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import bridgespec
from bridgespec import Auction, Bidder, BiddingSystem, Knowledge, Seat, UsageError
from tests.bidding import sayc

DEAL = "N:T2.J965.T7532.63 AKQ874.AQ2.J8.A5 J65.743.AK4.KQ82 93.KT8.Q96.JT974"
HAND = "AKQ95.AT3.KJ2.97"


@pytest.mark.long
def test_nothing_is_imported_before_it_is_used() -> None:
    """The package alone loads neither the bidder nor NumPy; a name of it does."""
    code = "import bridgespec, sys; print('numpy' in sys.modules, 'bridgespec.bidding.bidder' in sys.modules);"
    code += "bridgespec.Bidder; print('bridgespec.bidding.bidder' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False", "True"]


def test_an_auction_iterates_over_its_calls() -> None:
    """A board's number gives dealer and vulnerability; what is said of a call stands beside it."""
    made = sayc().auction(DEAL, board=7)
    assert isinstance(made, Auction)
    assert made.first is Seat.SOUTH
    assert list(made) == [item.call for item in made.calls] == list(made.plain)
    assert made.is_finished
    assert made.calls[0].explanation
    other = sayc().auction(DEAL, dealer="S", vulnerable="both")
    assert list(other) == list(made)


def test_knowledge_is_of_the_facade() -> None:
    """What an auction says is a value with the four hands."""
    told = sayc().knowledge("1N P")
    assert isinstance(told, Knowledge)
    assert told.of(Seat.NORTH).hcp == (15, 17)
    assert BiddingSystem.load("sayc").findings == []


@pytest.mark.parametrize(
    ("hand", "auction", "dealer", "vulnerable", "message"),
    [
        ("AKQ95.AT3.KZ2.97", "", "N", "none", "'Z' at character 12"),
        ("AKQ95.AT3.KK2.97", "", "N", "none", "DK stands twice, again at character 12"),
        ("AKQ95.AT3.KJ2", "", "N", "none", "four holdings"),
        (HAND, "1S P 1H", "N", "none", "call 3 of the auction, 1H at character 6, is not allowed: insufficient"),
        (HAND, "1S, foo", "N", "none", "call 2 of the auction is not a call: 'foo' at character 5"),
        (HAND, "1S P P P", "N", "none", "the auction is over with call 4"),
        (HAND, "", "Q", "none", "Q"),
        (HAND, "", "N", "all of us", "none, ns, ew or both"),
    ],
)
def test_errors_name_the_place(hand: str, auction: str, dealer: str, vulnerable: str, message: str) -> None:
    """Every wrong text is a UsageError that says where."""
    with pytest.raises(UsageError) as caught:
        sayc().call(hand, auction, dealer=dealer, vulnerable=vulnerable)
    assert message in str(caught.value)


def test_tens_may_have_two_characters() -> None:
    """Places count the characters that were given."""
    assert sayc().call("AKQ95.A103.KJ2.97") == sayc().call(HAND)
    with pytest.raises(UsageError, match="character 13"):
        sayc().call("AKQ95.A103.KZ2.97")


def test_a_deal_that_is_not_whole_is_refused() -> None:
    """Three hands, or a text that is not a deal, cannot be bid."""
    for text in ("N:AKQ95.AT3.KJ2.97 - - -", "nonsense"):
        with pytest.raises(UsageError):
            sayc().auction(text)


def test_folders_of_the_environment_are_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`BRIDGESPEC_BIDDING` names folders for Python too."""
    (tmp_path / "mine.bid").write_text('system "mine"\ntake openings with notrump-low = 12, notrump-high = 14\n', "utf-8")
    with pytest.raises(UsageError, match="mine"):
        Bidder("mine")
    monkeypatch.setenv("BRIDGESPEC_BIDDING", os.pathsep.join(["/nowhere", str(tmp_path)]))
    assert str(Bidder("mine").call("AQ32.K65.AJ2.T98")) == "1NT"
    assert {"Bidder", "Knowledge", "BiddingSystem"} <= set(bridgespec.__all__)
