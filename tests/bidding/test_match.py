"""A match of two systems: fair at both tables, the same however often it is stopped, and told where its swings came from."""

from __future__ import annotations

import re
import threading
from pathlib import Path
from typing import Any

import pytest

from bridgespec.bidding import match
from bridgespec.bidding.match import outcome, play
from bridgespec.bidding.system import BiddingSystem
from tests.bidding import load
from tests.cli.running import run

DEALS = 40


@pytest.fixture(scope="module")
def systems(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Two systems that open different notrumps, and know little else."""
    folder = tmp_path_factory.mktemp("systems")
    for name, low in (("strong", 15), ("weak", 12)):
        text = f'system "{name}"\ntake openings with notrump-low = {low}, notrump-high = {low + 2}\n'
        (folder / f"{name}.bid").write_text(f"{text}when not forced:\n  P\nwhen forced:\n  cheapest x\n", "utf-8")
    return folder / "strong.bid", folder / "weak.bid"


@pytest.mark.long
def test_a_system_does_not_win_against_itself() -> None:
    """The same system at both tables bids every board alike."""
    sayc = load()
    found = outcome(list(play(sayc, sayc, 0, 8)))
    assert (found.mean, found.error, found.apart) == (0, 0, 0)


@pytest.mark.long
def test_sides_changed_change_the_sign(systems: tuple[Path, Path]) -> None:
    """What the first system wins the second loses, board by board."""
    strong, weak = map(BiddingSystem.load, systems)
    one, two = list(play(strong, weak, 0, DEALS)), list(play(weak, strong, 0, DEALS))
    assert [swing.imps for swing in one] == [-swing.imps for swing in two]
    assert [swing.ways for swing in one] == [swing.ways[::-1] for swing in two]
    assert any(swing.imps for swing in one)
    parted = [swing for swing in one if swing.parted >= 0]
    assert all(swing.auctions[0].split()[: swing.parted] == swing.auctions[1].split()[: swing.parted] for swing in parted)
    assert sum(source.imps for source in outcome(one).sources) == sum(swing.imps for swing in one)


@pytest.mark.long
def test_deals_are_solved_beside_the_bidding(systems: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    """The solver works on a thread of its own."""
    threads = set()
    solve = match._solve

    def noted(*args: Any) -> Any:
        threads.add(threading.current_thread())
        return solve(*args)

    monkeypatch.setattr(match, "_solve", noted)
    strong, weak = map(BiddingSystem.load, systems)
    assert len(list(play(strong, weak, 0, 40))) == 40
    assert threads
    assert threading.main_thread() not in threads


@pytest.mark.long
def test_a_stopped_match_goes_on(systems: tuple[Path, Path], tmp_path: Path) -> None:
    """From its journal, with a last line cut off, to the same result as one that was not stopped."""
    strong, weak = systems
    journal = tmp_path / "match.txt"
    whole = run("match", "--a", strong, "--b", weak, "--deals", str(DEALS))
    assert whole.exit_code == 0
    run("match", "--a", strong, "--b", weak, "--deals", "25", "--journal", journal)
    text = journal.read_text("utf-8")
    journal.write_text(text[:-20], "utf-8")
    again = run("match", "--a", strong, "--b", weak, "--deals", str(DEALS), "--journal", journal)
    assert re.findall(r"(\d+) boards were", again.stderr) == ["24"]
    assert again.stdout == whole.stdout
    assert len(journal.read_text("utf-8").splitlines()) == DEALS + 1
    other = run("match", "--a", weak, "--b", strong, "--deals", "3", "--journal", journal)
    assert "done before" not in other.stderr
    assert "the swings" in whole.stdout
    assert run("match", "--a", strong, "--b", "nonesuch").exit_code == 2
