"""Every board of a file is bid into files that hold auctions, and those validate without findings.

What users are told: which systems there are, why a call was not made, which leads are equal; and a bidder that travels.
"""

from __future__ import annotations

import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.shell_completion import ShellComplete
from click.testing import CliRunner

from bridgespec.api import load
from bridgespec.bidding.bidder import Bidder
from bridgespec.bidding.judgement import rank_leads
from bridgespec.cli import app, board_sources
from bridgespec.model.auction import Auction
from bridgespec.model.deal import Deal
from bridgespec.model.evaluate import hand_of
from tests.cli.running import ROOT, run
from tests.told import numbers, quoted

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
    for size in (board_sources.STRETCH_BYTES, 700):
        monkeypatch.setattr(board_sources, "STRETCH_BYTES", size)
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


HAND = "AKQ95.AT3.KJ2.97"
CARD = ROOT / "tests" / "samples" / "bss" / "test.bss"


@pytest.mark.long
@pytest.mark.parametrize("system", ["sayc", str(CARD)])
def test_a_bidder_can_be_sent_to_processes(system: str) -> None:
    """Pickled after use it bids the same."""
    bidder = Bidder(system, ew="two-over-one", samples=2)
    call = bidder.call(HAND, "P")
    again = pickle.loads(pickle.dumps(bidder))
    assert (again.call(HAND, "P"), again.samples) == (call, 2)


@pytest.mark.long
def test_equal_cards_are_one_lead_with_errors() -> None:
    """Neighbours of one suit are led alike; each lead has standard errors, which are those of its tricks."""
    turn = Bidder("sayc").turn("1N P 3N P P P", "E")
    found = rank_leads(turn, hand_of("KQJ53.82.K74.J95"), 12)
    names = {"".join(map(str, lead.cards)) for lead in found.leads}
    assert {"SKSQSJ", "S5", "S3"} <= names
    assert sum(len(lead.cards) for lead in found.leads) == 13
    for lead in found.leads:
        assert lead.defeats_error == pytest.approx((lead.defeats * (1 - lead.defeats) / found.layouts) ** 0.5)
    assert any(lead.tricks_error > 0 for lead in found.leads)
    told = run("bid", "--hand", "KQJ53.82.K74.J95", "--auction", "1N P 3N P P P", "--dealer", "E", "--lead").stdout
    assert told.count("SKQJ") == 1


def test_an_explanation_names_the_condition_that_failed() -> None:
    """Which part of what a rule shows the hand does not meet, with what it has; files from the folder of the systems."""
    told = run("bid", "--hand", HAND, "--auction", "1N P", "--explain").stdout
    (rule,) = (line for line in told.splitlines() if "(conventions/transfers.bid:6): " in line)
    assert numbers(rule.rpartition("): ")[2].replace("+", "")) == [5, 3]
    assert str(ROOT) not in told
    told = run("bid", "--hand", "KQ732.K65.AJ7.92", "--auction", "1H X", "--explain").stdout
    assert ["2S", "2D", "2C", "natural,"] in [line.split()[:4] for line in told.splitlines()]


def test_own_conventions_are_named_from_their_folder(tmp_path: Path) -> None:
    """A rule of a user's folder is not told with the path of the machine."""
    (tmp_path / "own.bid").write_text('system "Own"\nopening:\n  1NT shows 15-17 hcp\n  P\n', "utf-8")
    told = run("--bidding", tmp_path, "bid", "--hand", HAND, "--system", "own", "--explain").stdout
    assert "(own.bid:3)" in told


def test_systems_are_listed_completed_and_suggested(tmp_path: Path) -> None:
    """Those of the package and of a folder; conventions with their parameters when asked for."""
    (tmp_path / "own.bid").write_text('system "Our own"\ntake natural\n', "utf-8")
    listed = run("--bidding", tmp_path, "systems").stdout
    assert {line.split()[0] for line in listed.splitlines()} >= {"own", "sayc", "two-over-one"}
    assert "Our own" in listed
    assert "drury" not in listed
    assert "notrump-low = 15" in run("systems", "--conventions").stdout
    complete = ShellComplete(app, {}, "bridgespec", "_BRIDGESPEC_COMPLETE")
    assert [item.value for item in complete.get_completions(["bid", "--system"], "two")] == ["two-over-one"]
    missing = run("bid", "--hand", HAND, "--system", "two-over")
    assert (missing.exit_code, quoted(missing.stderr)[-1]) == (2, "two-over-one")


@pytest.mark.long
def test_a_case_with_an_invalid_hand_is_named(tmp_path: Path) -> None:
    """The benchmark's cases: the file, the line and what is wrong, no traceback."""
    cases = tmp_path / "cases.tsv"
    cases.write_text(f"group\thand\tvulnerable\tauction\tcall\na\t{HAND}\tnone\t\t1NT\nb\tAKQ95.AT3.KJ2\tnone\t\t1NT\n", "utf-8")
    command = [sys.executable, str(ROOT / "benchmarks" / "bidding.py"), "--cases", str(cases)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.strip() == f"{cases}:3: a hand is four holdings with dots between, not 'AKQ95.AT3.KJ2'"
