"""Every board of a file is bid into files that hold auctions, and those validate without findings."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from bridgespec.api import load
from bridgespec.bidding.bidder import Bidder
from bridgespec.cli import app, board_sources
from bridgespec.model.auction import Auction
from bridgespec.model.deal import Deal

SAMPLES = Path(__file__).parents[1] / "samples"
SHARED = Path(__file__).resolve().parents[3] / "shared" / "data" / "pbn"
REAL = sorted(SHARED.glob("1998-12th_Cap_Gemini_World_Top_Tournament__ROUND03.PBN"))
README_DEAL = "N:T2.J965.T7532.63 AKQ874.AQ2.J8.A5 J65.743.AK4.KQ82 93.KT8.Q96.JT974"
SOURCES = [
    SAMPLES / "pbn" / "sixteen.pbn",
    SAMPLES / "dup" / "sixteen.dup",
    pytest.param(
        REAL[0] if REAL else SHARED,
        marks=pytest.mark.skipif(not REAL, reason="the collection may not be redistributed: it is expected in ../shared/data/pbn"),
    ),
]


@pytest.mark.slice(None, quick=2)
@pytest.mark.parametrize("kind", ["pbn", "lin"])
@pytest.mark.parametrize("source", SOURCES)
def test_every_board_is_bid(tmp_path: Path, source: Path, kind: str) -> None:
    """As many boards as before, each with an auction; the file that holds them has no findings."""
    made = tmp_path / f"bid.{kind}"
    run = CliRunner()
    assert run.invoke(app, ["bid", str(source), "-o", str(made)], catch_exceptions=False).exit_code == 0
    checked = run.invoke(app, ["validate", "--strict", str(made)], catch_exceptions=False)
    assert checked.exit_code == 0, checked.output
    before, after = load(source).boards, load(made).boards
    deals = {str(board.deal) for board in before if board.deal is not None}
    assert {str(board.deal) for board in after} == deals
    assert all(board.auction is not None and len(board.auction.calls) >= 4 for board in after)


@pytest.mark.parametrize("kind", ["pbn", "lin"])
@pytest.mark.parametrize("choice", [[], ["--boards", "2-3,9"]])
def test_boards_are_bid_some_at_a_time(tmp_path: Path, kind: str, choice: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """A file read in stretches is bid as one read whole, each board once, and boards that are not chosen never."""
    bid: list[Deal] = []
    auction = Bidder.auction

    def counted(self: Bidder, deal: Deal, *others: Any) -> Auction:
        bid.append(deal)
        return auction(self, deal, *others)

    monkeypatch.setattr(Bidder, "auction", counted)
    source, written = str(SAMPLES / "pbn" / "sixteen.pbn"), []
    for size in (board_sources.STRETCH, 700):
        monkeypatch.setattr(board_sources, "STRETCH", size)
        made = tmp_path / f"{size}.{kind}"
        done = CliRunner().invoke(app, ["bid", source, "-o", str(made), *choice], catch_exceptions=False)
        assert done.exit_code == 0
        written.append(made.read_bytes())
    assert written[0] == written[1]
    assert len(bid) == 2 * len(set(bid)) == 2 * (3 if choice else 16)


def test_the_deal_of_the_readme_is_bid_and_explained() -> None:
    """East opens, and each call that is more than a pass says what it shows."""
    told = CliRunner().invoke(app, ["bid", "--deal", README_DEAL], catch_exceptions=False)
    assert told.exit_code == 0
    assert "par" in told.output
    assert "spades" in told.output
