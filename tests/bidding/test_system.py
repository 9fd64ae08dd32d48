"""Conventions of a user, as files in a folder: Drury, key cards and a multi work without touching the package.

Systems that are made to hurt end in findings, after steps that are counted.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from bridgespec.bidding.bidder import Bidder
from bridgespec.bidding.checking import check_system
from bridgespec.bidding.language import MOST_BYTES, MOST_FILES, MOST_FINDINGS, MOST_RULES, SystemReader
from bridgespec.bidding.system import MOST_PATTERNS, BiddingSystem
from bridgespec.errors import UsageError
from tests.cli.running import run
from tests.steps import steps

FOLDER = Path(__file__).parent / "conventions"


@pytest.fixture(scope="module")
def mine() -> Bidder:
    """The system of the folder."""
    return Bidder("mine", folders=[FOLDER])


def test_the_folder_is_sound() -> None:
    """Every file is read without findings, and what it adds stands before what it takes."""
    system = BiddingSystem.read("mine", [FOLDER])
    assert not system.findings
    assert [module.name for module in system.modules[:5]] == ["mine", "drury", "key-cards", "multi", "sayc"]


@pytest.mark.parametrize(
    ("hand", "auction", "call"),
    [
        ("KQ5.A652.QJ3.T98", "P P 1S P", "2C"),
        ("AQ987.K5.A42.Q85", "P P 1S P 2C P", "2D"),
        ("AQ987.K5.J42.985", "P P 1S P 2C P", "2S"),
        ("KQ5.A652.QJ3.T98", "P P 1S P 2C P 2S P", "Pass"),
        ("KQ8765.43.Q54.92", "", "2D"),
        ("43.KQ8765.Q54.92", "", "2D"),
        ("Q75.J5.AJ763.Q42", "2D P", "2H"),
        ("J5.Q75.AJ763.Q42", "2D P", "2S"),
        ("43.92.KQ8765.Q54", "", "Pass"),
        ("KQ8765.43.Q54.92", "2D P 2H P", "2S"),
        ("43.KQ8765.Q54.92", "2D P 2H P", "Pass"),
        ("AK5.A93.KQ763.K4", "2D P", "2NT"),
        ("43.KQ8765.Q54.92", "2D P 2NT P", "3C"),
        ("AQJ.4.KQJ763.AQ4", "2D P 2NT P 3D P", "4S"),
        ("AKJ974.A2.K93.42", "1S P 2NT P 3C P 4NT P", "5C"),
        ("KQJ974.A2.K93.42", "1S P 2NT P 3C P 4NT P", "5S"),
        ("KJT974.A2.K93.42", "1S P 2NT P 3C P 4NT P", "5H"),
        ("QJT974.A2.K93.42", "1S P 2NT P 3C P 4NT P", "5D"),
    ],
)
def test_calls_of_ones_own(mine: Bidder, hand: str, auction: str, call: str) -> None:
    """Each convention makes and answers its calls."""
    assert str(mine.call(hand, auction)) == call


def test_a_union_is_told_and_narrowed(mine: Bidder) -> None:
    """The multi shows one major or the other; what opener does over two hearts tells which."""
    opened = mine.knowledge("2D P").hands[1]
    assert (opened.hcp, opened.lengths[0][1], opened.lengths[1][1]) == ((5, 10), 6, 6)
    spades = mine.knowledge("2D P 2H P 2S P").hands[1]
    assert spades.lengths[0] == (6, 6)
    assert spades.lengths[1][1] <= 3


def test_key_cards_are_counted(mine: Bidder) -> None:
    """The asker bids six with one key card missing, and stops when two are."""
    assert str(mine.call("A853.KQ4.AQJ5.K6", "1S P 2NT P 3C P 4NT P 5H P")) == "6S"
    assert str(mine.call("K853.KQ4.AQJ5.K6", "1S P 2NT P 3C P 4NT P 5D P")) == "5S"


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / f"{name}.bid"
    path.write_text(text, "utf-8")
    return path


def codes(system: BiddingSystem) -> set[str]:
    return {found.code for found in system.findings}


def test_a_million_rules_are_not_read(tmp_path: Path) -> None:
    """A file beyond the bound is one finding, and none of it is parsed."""
    path = write(tmp_path, "big", "opening:\n" + "  1C shows 5+ clubs\n" * 1_000_000)
    assert path.stat().st_size > MOST_BYTES
    reader = SystemReader([tmp_path])
    count = steps(lambda: reader.read(path))
    assert [found.code for found in reader.findings] == ["bid-too-large"]
    assert count < 5_000


@pytest.mark.long
def test_many_files_share_the_bounds(tmp_path: Path) -> None:
    """A chain of conventions is followed up to a number of files, and rules are counted over all of them."""
    for number in range(MOST_FILES + 20):
        write(tmp_path, f"c{number}", f"take c{number + 1}\nopening:\n  1C\n")
    system = BiddingSystem.read(tmp_path / "c0.bid")
    assert "bid-too-large" in codes(system)
    assert len(system.modules) <= 2 * MOST_FILES + 2
    rules = "opening:\n" + "  1C\n" * (MOST_RULES // 2 + 5)
    write(tmp_path, "half", rules)
    write(tmp_path, "other", rules)
    both = BiddingSystem.read(write(tmp_path, "both", "take half\ntake other\n"))
    assert "bid-too-large" in codes(both)


def test_conventions_that_take_each_other_end(tmp_path: Path) -> None:
    """However many ways lead round, each file that takes itself is told and the rest is read within the bounds."""
    for number in range(8):
        write(tmp_path, f"r{number}", "".join(f"take r{other}\n" for other in range(8)) + "opening:\n  1C\n")
    system = BiddingSystem.read(tmp_path / "r0.bid")
    assert "bid-recursion" in codes(system)
    assert len(system.findings) <= MOST_FINDINGS
    assert len(system.modules) <= 2 * MOST_FILES + 2
    with pytest.raises(UsageError, match="takes itself"):
        BiddingSystem.load(tmp_path / "r0.bid")


@pytest.mark.long
def test_patterns_do_not_multiply_without_end(tmp_path: Path) -> None:
    """A situation that stands for more auctions than can be kept is a finding."""
    steps_ = " ".join("(1C|1D|1H|1S|1NT|2C|2D|2H|2S|2NT) 1C|1D|1H|1S|1NT|2C|2D|2H|2S|2NT" for _ in range(20))
    path = write(tmp_path, "wide", f"after {steps_}:\n  P\nwhen always:\n  P\n")
    found: list[BiddingSystem] = []
    count = steps(lambda: found.append(BiddingSystem.read(path)))
    assert "bid-too-large" in codes(found[0])
    assert count < 40 * MOST_PATTERNS


def test_contradictory_modules_and_missing_parameters_are_told(tmp_path: Path) -> None:
    """Each with its place; nothing is bid by such a system, and the command ends with status 1."""
    write(tmp_path, "one", 'convention "one"\nparameter low = 12\nopening:\n  1NT "15-17" shows {low}-14 hcp\n')
    write(tmp_path, "two", 'convention "two"\nopening:\n  1NT shows {high}-{low} hcp\n')
    path = write(tmp_path, "main", "take one with hihg = 3\ntake two\ntake three\nwhen always:\n  P\n")
    found = [(Path(one.path or "").name, one.span.line if one.span else 0, one.code) for one in BiddingSystem.read(path).findings]
    assert ("main.bid", 1, "bid-unknown-word") in found
    assert found.count(("two.bid", 3, "bid-unknown-word")) == 2
    assert ("main.bid", 3, "bid-missing-file") in found
    assert check_system(BiddingSystem.read(path)).auctions == 0
    assert run("check-system", path).exit_code == 1
    assert run("bid", "--hand", "AKQ95.AT3.KJ2.97", "--system", path).exit_code == 2


def test_rules_that_never_let_an_auction_end_end(tmp_path: Path) -> None:
    """Two hands that only force each other come to the highest bid, or to the bound, and it is told."""
    path = write(tmp_path, "loop", "opening:\n  1C forcing\nwhen always:\n  XX forcing\n  X forcing\n  cheapest x forcing\n")
    checked = check_system(BiddingSystem.read(path), 5, 1000)
    assert "bid-forcing-passed" in {one.code for one in checked.findings}
    deal = "N:T2.J965.T7532.63 AKQ874.AQ2.J8.A5 J65.743.AK4.KQ82 93.KT8.Q96.JT974"
    done = run("bid", "--deal", deal, "--system", path)
    assert done.exit_code == 0


@pytest.mark.parametrize(
    "arguments",
    [
        ["--hand", "AKQ95.AT3.KJ2.9"],
        ["--hand", "AKQ95.AT3.KJ2.97", "--auction", "1S P P P"],
        ["--hand", "AKQ95.AT3.KJ2.97", "--auction", "2S 1S"],
        ["--hand", "AKQ95.AT3.KJ2.97", "--system", "nonesuch"],
        ["--hand", "AKQ95.AT3.KJ2.97", "--dealer", "Q"],
        ["--hand", "AKQ95.AT3.KJ2.97", "--lead"],
        ["--hand", "AKQ95.AT3.KJ2.97", "--best"],
        ["--deal", "N:AKQ95.AT3.KJ2.97 - - -"],
        ["--deal", "nonsense"],
        ["--auction", "1S"],
        ["no-such-file.pbn"],
        [],
    ],
)
def test_what_cannot_be_bid_is_a_usage_error(arguments: list[str]) -> None:
    """Status 2, one line on standard error, no traceback."""
    done = run("bid", *arguments)
    assert done.exit_code == 2, done.stdout
    assert done.stdout == ""
    assert done.stderr
    assert "internal error" not in done.stderr
