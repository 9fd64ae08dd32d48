"""The command ``deal``: files, counts, contracts and scripts, and what it says of calls that cannot be."""

from __future__ import annotations

import re
from pathlib import Path
from statistics import mean, stdev

import numpy as np
import pytest

import bridgespec
from bridgespec import Board, Deal, Vulnerability
from bridgespec.cli.deal_report import FoundDeals, action_lines
from bridgespec.dealing.expression import Deals
from bridgespec.dealing.script import ParCell, Print
from bridgespec.model.cards import Seat
from tests.cli.running import run
from tests.told import numbers


@pytest.mark.long
def test_deals_are_written_in_any_format_and_valid(tmp_path: Path) -> None:
    """The same deals in a database, in PBN and in LIN, without findings; another seed gives others."""
    for name in ("a.zbd", "a.pbn", "a.lin"):
        assert run("deal", "n: hcp 15-17, balanced; s: hearts 5+", "-n", "12", "--seed", "1", "-o", tmp_path / name).exit_code == 0
        assert run("validate", tmp_path / name).exit_code == 0
    run("deal", "n: hcp 15-17, balanced; s: hearts 5+", "-n", "12", "-o", tmp_path / "b.zbd", "--seed", "2")
    first, second, third = (bridgespec.load(tmp_path / name).boards for name in ("a.zbd", "a.pbn", "a.lin"))
    assert [board.deal for board in first] == [board.deal for board in second] == [board.deal for board in third]
    assert (tmp_path / "a.zbd").read_bytes() != (tmp_path / "b.zbd").read_bytes()


@pytest.mark.long
def test_two_calls_give_other_deals_and_name_their_seeds(tmp_path: Path) -> None:
    """Without a seed no session repeats another one, and each can be dealt again."""
    first, second = (run("deal", "-n", "4", "-o", tmp_path / name) for name in ("a.zbd", "b.zbd"))
    assert (tmp_path / "a.zbd").read_bytes() != (tmp_path / "b.zbd").read_bytes()
    seed = re.search(r"--seed (\d+)", first.stderr)
    assert seed is not None
    assert "--seed" not in run("deal", "-n", "4", "--seed", seed[1], "-o", tmp_path / "c.zbd").stderr
    assert (tmp_path / "a.zbd").read_bytes() == (tmp_path / "c.zbd").read_bytes()
    assert "--seed" in second.stderr


@pytest.mark.parametrize("format", ["zbd", "bri", "zrd", "dge", "dup", "bre", "zbs"])
def test_records_are_those_of_a_conversion(format: str, tmp_path: Path) -> None:
    """Records that are made of arrays are those that the same boards give."""
    for name in (f"a.{format}", "a.pbn"):
        assert run("deal", "n: hcp 15-17", "-n", "40", "--seed", "1", "-o", tmp_path / name).exit_code == 0
    assert run("convert", tmp_path / "a.pbn", tmp_path / f"b.{format}").exit_code == 0
    assert (tmp_path / f"a.{format}").read_bytes() == (tmp_path / f"b.{format}").read_bytes()


def test_an_auction_and_a_known_hand_are_part_of_the_condition(tmp_path: Path) -> None:
    """After 1NT by South its hand has 15 to 17 points; North's cards are those given."""
    call = ("deal", "--auction", "1N P", "--dealer", "S", "--hand", "N:AKQ95.AT3.32.972", "-n", "5", "-o", tmp_path / "x.pbn")
    assert run(*call).exit_code == 0
    for board in bridgespec.load(tmp_path / "x.pbn").boards:
        assert board.deal is not None
        assert str(board.deal.hand(Seat.NORTH)) == "AKQ95.AT3.32.972"
        points = sum("JQKA".find(letter) + 1 for letter in str(board.deal.hand(Seat.SOUTH)))
        assert 15 <= points <= 17
        assert board.dealer is Seat.SOUTH


@pytest.mark.long
def test_a_contract_is_solved_and_counted() -> None:
    """All 13 tricks with all the top cards; the share of deals on which it makes."""
    result = run("deal", "--hand", "N:AKQJ.AKQJ.AKQ.AK", "--solve", "7N by N", "-n", "20", "--vul", "ns")
    makes, means, *_ = result.stdout.splitlines()
    assert (makes.split()[:3], numbers(makes)) == (["7NT", "by", "North"], [100, 0, 20])
    assert numbers(means) == [13, 2220]
    some = run("deal", "n: 5+ spades; ns: hcp 24", "--solve", "4S by N", "-n", "9", "--average", "tricks(north,spades)")
    assert "4S by North" in some.stdout
    assert some.stdout.startswith("tricks(north,spades): ")


def test_scripts_print_what_they_ask_for(tmp_path: Path) -> None:
    """Deals a line each, values beside them, hands of two seats, averages after."""
    script = tmp_path / "x.dealer"
    script.write_text(
        "produce 3 dealer east vulnerable ns condition hcp(north) > 20 action printoneline hcp(north), print(east, west), "
        'printes("N ", hcp(north), "!", \\n), printpbn, printcompact, average "mean" hcp(north)'
    )
    result = run("deal", "--script", script)
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert len([line for line in lines if line.startswith("n ") and " e " in line]) == 3
    assert len([line for line in lines if line.startswith(("East ", "West "))]) == 6
    assert len([line for line in lines if line.startswith("N ") and line.endswith("!")]) == 3
    assert len([line for line in lines if line.startswith('[Deal "')]) == 3
    assert result.stdout.count("East deals, North-South") == 3
    assert lines[-1].startswith("mean: 2")
    assert run("deal", "--script", script, "--vul", "both").stdout.count("East deals, both") == 3


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (("north: hpc 3+",), "did you mean 'hcp'?"),
        (("north: hcp 3+", "--script", "-"), "one of them"),
        (("--auction", "1N"), "--dealer"),
        (("--auction", "1N 1H", "--dealer", "N"), "not allowed"),
        (("--hand", "AKQ"), "whose hand"),
        (("--hand", "N:AKQ9.T8.7.6.5"), "AKQ9.T8.7.6.5"),
        (("--hand", "N:AK.Q.J.T", "--hand", "S:A.2.3.4"), "in another hand"),
        (("--solve", "4S"), "who plays"),
        (("--average", "hcp(suth)"), "--average"),
        (("--hand", "X:AK.Q.J.T"), "X"),
        (("-n", "2000000", "-o", "x.pbn"), "at most"),
    ],
)
def test_wrong_calls_are_told(call: tuple[str, ...], says: str) -> None:
    """Exit status 2, with what to do."""
    result = run("deal", *call, data=b"")
    assert result.exit_code == 2
    assert says in result.stderr


def test_too_few_deals_are_told(tmp_path: Path) -> None:
    """Status 1 where fewer are found than were asked for; a target is left alone where there is none."""
    result = run("deal", "n: hcp 10 and top5 spades 5 and losers 1", "-n", "50", "--tries", "600")
    assert result.exit_code == 1
    assert "--tries" in result.stderr
    target = tmp_path / "x.pbn"
    target.write_text("% mine\n")
    assert run("deal", "n: hcp 39", "-o", target).exit_code == 2
    assert target.read_text() == "% mine\n"


@pytest.mark.parametrize("deals", [2, 5])
def test_the_error_of_an_average_is_the_standard_error(deals: int, tmp_path: Path) -> None:
    """It is the deviation of the sample, with one fewer than the deals below the line, over the root of their number."""
    call = ("deal", "--average", "hcp(north)", "-n", str(deals), "--seed", "3")
    text = run(*call).stdout.splitlines()[0]
    assert run(*call, "-o", tmp_path / "x.zbd").exit_code == 0
    points = []
    for board in bridgespec.load(tmp_path / "x.zbd").boards:
        assert board.deal is not None
        points.append(sum("JQKA".find(letter) + 1 for letter in str(board.deal.hand(Seat.NORTH))))
    error = stdev(points) / deals**0.5
    assert text == f"hcp(north): {mean(points):.6g} +- {error:.2g}"


def test_one_deal_has_an_average_without_an_error() -> None:
    """Nothing is known of the spread of one value."""
    assert run("deal", "--average", "hcp(north) * 0 + 7", "-n", "1").stdout.splitlines()[0].endswith(": 7 +- 0")


@pytest.mark.parametrize("text", ["", " ", "4S", "by south", "pass by south"])
def test_a_contract_that_is_none_is_a_usage_error(text: str) -> None:
    """A blank one too."""
    done = run("deal", "-n", "1", "--seed", "1", "--solve", text)
    assert (done.exit_code, done.stdout) == (2, "")
    assert "--solve" in done.stderr


@pytest.mark.parametrize(("dealer", "score"), [(Seat.WEST, -90), (Seat.NORTH, 90), (Seat.EAST, -90), (None, 90)])
def test_par_is_that_of_the_side_of_the_dealer(dealer: Seat | None, score: int) -> None:
    """Of West too, whose number is 0. Every contract wins seven tricks: both sides make 1NT, and the first to bid buys it."""
    made = FoundDeals(Deals(np.zeros((1, 52), np.uint8), tables=np.full((1, 20), 7, np.uint8)))
    board = Board(dealer=dealer, deal=Deal.random(1), vulnerability=Vulnerability.NONE)
    (line,) = action_lines(Print("printrpt", shown=(ParCell(None),)), made, [board])
    assert numbers(line)[0] == score
