"""What was lost from par: how, at which call, and the same however often the run is stopped."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from bridgespec.bidding.bidder import Bidder
from bridgespec.bidding.blame import ParLoss, ParLosses, fault
from bridgespec.model.cards import Seat
from tests.cli.running import SIXTEEN, run

TABLE = (9, 3, 9, 3, 10, 3, 10, 3, 8, 5, 8, 5, 7, 6, 7, 6, 7, 6, 7, 6)
"""East-West take ten tricks in spades and nine in notrump: cells by strain and by seat W N E S."""
PAR = -420


@pytest.mark.parametrize(
    ("auction", "dealer", "how", "index"),
    [
        ("1S P 2S P P P", "E", "underbid", 4),
        ("1S P 2S P 4S P 5S P P P", "E", "overbid", 6),
        ("P P P P", "N", "underbid", 1),
        ("1H P 2H P P P", "N", "not doubled", 1),
        ("1C P 1D P P P", "N", "sold out", 1),
    ],
)
def test_a_loss_is_told_by_how_and_where(auction: str, dealer: str, how: str, index: int) -> None:
    """The side that lost, the way, and its first call that lost."""
    seat = Seat.parse(dealer)
    turn = Bidder("sayc").turn(auction, seat)
    found = fault(turn, TABLE, seat, 1, PAR)
    assert found is not None
    assert (found.north_south, found.how, found.index) == (False, how, index)


def test_a_double_that_was_not_made() -> None:
    """They go down two undoubled where the defenders' game is worth more."""
    turn = Bidder("sayc").turn("1S P 4S 5H P P P", "E")
    cells = (9, 3, 9, 3, 10, 3, 10, 3, 5, 8, 5, 8, 7, 6, 7, 6, 7, 6, 7, 6)
    found = fault(turn, cells, Seat.EAST, 1, PAR)
    assert found is not None
    assert (found.how, found.size, found.contested) == ("not doubled", "game", True)


def test_par_is_no_fault() -> None:
    """A board at par has none."""
    assert fault(Bidder("sayc").turn("1S P 4S P P P", "E"), TABLE, Seat.EAST, 1, PAR) is None


def test_sums_name_the_worst_boards() -> None:
    """Sums are ordered by IMPs, and their witnesses too."""
    made = [
        ParLoss(board, imps, True, "game", False, "underbid", 0, "1S", "a.bid:3", "spades", "1S Pass Pass Pass")
        for board, imps in ((1, 3), (2, 9), (3, 5), (4, 4))
    ]
    losses = ParLosses(made, 10)
    assert losses.mean == 2.1
    (one,) = losses.by_rule()
    assert (one.name, one.imps, one.boards, one.witnesses) == ("a.bid:3 1S spades", 21, 4, (2, 3, 4))
    assert losses.by_call()[0].name == "1S"


@pytest.mark.long
def test_a_stopped_run_goes_on(tmp_path: Path) -> None:
    """Of a file: from its journal, with a last line cut off, to the same report; other boards begin anew."""
    journal = tmp_path / "losses.txt"
    whole = run("bid", SIXTEEN, "--blame")
    assert whole.exit_code == 0
    assert run("bid", SIXTEEN, "--blame", "--journal", journal).stdout == whole.stdout
    text = journal.read_text("utf-8")
    journal.write_text(text[:-3], "utf-8")
    again = run("bid", SIXTEEN, "--blame", "--journal", journal)
    assert re.findall(r"(\d+) boards were", again.stderr) == ["15"]
    assert again.stdout == whole.stdout
    assert "done before" not in run("bid", SIXTEEN, "--boards", "1-4", "--blame", "--journal", journal).stderr
    assert run("bid", "--hand", "AKQ95.AT3.KJ2.97", "--blame").exit_code == 2
    assert run("bid", SIXTEEN, "--journal", journal).exit_code == 2
