"""What the second version of dealer adds to its scripts: decimals, shapes in braces, reports, contracts, par, deals of a file."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import numpy as np
import pytest

from bridgespec import engine
from bridgespec.dealing.deal_stream import StoredDeals
from bridgespec.dealing.expression import Deals, TricksValue
from bridgespec.dealing.script import Print, read_script
from bridgespec.dealing.script_values import CLOCKWISE
from bridgespec.dealing.tally import ContractTally, FrequencyTable
from bridgespec.errors import UsageError
from bridgespec.model.board import Vulnerability
from bridgespec.model.cards import Card, Seat, Strain
from bridgespec.model.deal import Deal
from bridgespec.model.hand import Hand
from bridgespec.model.par import par_of_sides
from bridgespec.model.tricks import Tricks
from bridgespec.solver import Solver
from tests.cli.running import run
from tests.dealing.test_script_values import BALANCED, holders, values

RECORD0 = bytes.fromhex("72527a0ae17ae4f952e041fc7c494949492b2a39396767")


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("hcp(north) * 1.5", 17 * 150),
        ("cccc(north) >= 6.", 1),
        ("ltc(north)", 650),
        ("ltc(north, spades)", 0),
        ("dds(north, notrump) == tricks(north, notrump)", 1),
        ("shape{north, 4s(432)}", 0),
        ("shape { north , 4s3+h(xx) }", 1),
        ("score(nv, z3Nxx, 9)", 800),
        ("score(vul, z2Sx, 7)", -200),
    ],
)
def test_an_expression_has_its_value(expression: str, value: float) -> None:
    """Decimals and modern losing tricks count in hundredths, doubled contracts score as such."""
    assert values(expression, holders(BALANCED)) == [value]


def test_the_four_cs_of_scripts_and_of_hands_are_one_number() -> None:
    """A hand without a doubleton loses half a point, other hands a point for their first: endplay gives these values too."""
    for cards, worth in (("AKQ2.AT3.KJ2.975", 16.9), ("AKQ2.AT32.KJ2.97", 17.85), ("J32.K32.QT2.AK32", 12.0)):
        rest = iter(Card(slot) for slot in range(52) if Card(slot) not in Hand.parse(cards))
        others = [Hand.of(islice(rest, 13)) for _ in range(3)]
        deal = f"N:{cards} {' '.join(map(str, others))}"
        assert Hand.parse(cards).cccc == worth
        assert values("cccc(north)", holders(deal)) == [round(100 * worth)]


def test_par_is_that_of_a_side_in_its_points() -> None:
    """The score of the side that is named, with the vulnerability of the call or of the script."""
    deal = Deal.parse(BALANCED)
    table = Solver().table(deal)
    for side, name in zip(par_of_sides(table, Vulnerability.EW), ("ns", "ew"), strict=True):
        score = par_of_sides(table, Vulnerability.EW)[side].score
        assert values(f"par({name}, ew)", holders(BALANCED)) == [score if name == "ns" else -score]
        nobody = values(f"par({name})", holders(BALANCED))
        assert values(f"par({name}, none)", holders(BALANCED), "vulnerable all") == nobody
        assert values(f"par({name})", holders(BALANCED), "vulnerable ew") == values(f"par({name}, ew)", holders(BALANCED))


def test_statements_of_the_second_version() -> None:
    """Seed, title, first board and variables; a name that begins like one of these words stays a name."""
    script = read_script(
        'seed 41 title "Strong hands" opener west startboard 26\nseeds = hcp($1)\ncondition seeds > 2.5 action printns, '
        'printside(EW), evalcontract(NS, z4Sx, vul), bktfreq "points" (cccc(north), 5.00, 20.00, 0.50)\n'
        'titled = 3 action printrpt(deal, "South", hcp(south), trix(west), parcontract(ew)), frequency "an open string\n(3, 1, 2)',
        variables={"1": "west"},
    )
    assert (script.seed, script.title, script.first) == (41, "Strong hands", 26)
    sides, one, contract, buckets, report, _ = script.actions
    assert (sides.seats, one.seats) == ((Seat.NORTH, Seat.SOUTH), (Seat.WEST, Seat.EAST))
    assert isinstance(contract, ContractTally)
    assert (str(contract.contract), contract.declarer, contract.vulnerable) == ("4SX", Seat.SOUTH, True)
    assert isinstance(buckets, FrequencyTable)
    assert (buckets.down, buckets.counts.shape) == (range(500, 2001, 50), (33, 1))
    assert len(report.shown) == 1 + 1 + 1 + 5 + 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("condition hcp($3) > 2", "script:1:15: $3 has no value: give it with --variable 3=TEXT"),
        ("action average opc(NS, spades)", "script:1:16: opc is counted by another program in DealerV2: give a function"),
        ("action average usereval(88, NS, 1)", "script:1:16: usereval is counted by another program in DealerV2: give a function"),
        ("condition shape{north, 5s}", "script:1:11: '5s' does not name four suits"),
        ("action bktfreq (hcp(north), 1, 5, 0)", "script: the size of a bucket is more than 0"),
        (f"produce {'9' * 5000}", "script:1:9: "),
        (f"condition hcp(north) > {'9' * 19}", "script:1:24: "),
        (f"condition cccc(north) > {'9' * 5000}.5", "script:1:25: "),
    ],
)
def test_what_is_not_here_is_refused_in_its_line(text: str, message: str) -> None:
    """One sentence, with line and column where there is one."""
    with pytest.raises(UsageError) as caught:
        read_script(text)
    assert str(caught.value).startswith(message)


def test_counts_of_the_user_are_called_with_the_hands_and_arguments() -> None:
    """``opc`` gets the hands of its side and a strain and counts in hundredths; ``usereval`` its numbers too, as they are."""
    calls: list[tuple[object, ...]] = []

    def counted(hands: tuple[Hand, ...], *arguments: object) -> float:
        calls.append((tuple(map(str, hands)), *arguments))
        return 12.25 if len(arguments) == 1 else 7

    deal = Deal.parse(BALANCED)
    script = read_script(
        "condition opc(NS, notrump) == 12.25 and usereval(41, east, 5) + usereval(88, EW, spades, 2) == 14 and opc(EW) > 12.",
        counts={"opc": counted, "usereval": counted},
    )
    assert script.condition.column(holders(BALANCED)).tolist() == [1]
    north, east, south, west = (str(deal.hand(seat)) for seat in (Seat.NORTH, Seat.EAST, Seat.SOUTH, Seat.WEST))
    assert calls == [
        ((north, south), Strain.NOTRUMP),
        ((east,), None, 41, 5),
        ((west, east), Strain.SPADES, 88, 2),
        ((west, east), None),
    ]


def test_a_file_of_counts_serves_a_script(tmp_path: Path) -> None:
    """A function of the file is called for each deal; a file without one, or whose count is no number, ends with a sentence."""
    (tmp_path / "mine.py").write_text("def opc(hands, strain):\n    return sum(hand.hcp for hand in hands)\n")
    (tmp_path / "texts.py").write_text("def opc(hands, strain):\n    return 'many'\n")
    (tmp_path / "fails.py").write_text("def opc(hands, strain):\n    return 1 / 0\n")
    (tmp_path / "none.py").write_text("x = 1\n")
    (tmp_path / "broken.py").write_text("x = \n")
    script = tmp_path / "sides.dealer"
    script.write_text('produce 5 action average "points" opc(NS) - 100 * (hcp(north) + hcp(south))\n')
    done = run("deal", "--script", str(script), "--counts", str(tmp_path / "mine.py"))
    assert (done.exit_code, float(done.stdout.split()[-1])) == (0, 0)
    for name, said in {
        "texts": "not a number",
        "fails": "ZeroDivisionError",
        "none": "no function",
        "broken": "SyntaxError",
        "absent": "No such file",
    }.items():
        done = run("deal", "--script", str(script), "--counts", str(tmp_path / f"{name}.py"))
        assert (done.exit_code, said in done.stderr, "Traceback" in done.stderr) == (2, True, False)


def test_buckets_count_from_their_beginnings() -> None:
    """A bucket has its own beginning and what lies before the next one."""
    deals = holders(BALANCED)
    (action,) = read_script("action bktfreq (ltc(north), 6.00, 8.00, 0.50, hcp(north), 10, 16, 4)").actions
    assert isinstance(action, FrequencyTable)
    action.add(deals)
    assert action.counts.shape == (7, 4)
    assert action.counts[2, 2] == action.counts.sum() == 1


def test_stored_deals_are_tried_in_their_order_with_their_results() -> None:
    """Deals with unknown cards are passed over, known cards and the condition choose, and a stored result is not solved again."""
    deal = Deal.parse(BALANCED)
    unknown = bytes([5]) * 52
    rows = np.frombuffer(deal.holders + unknown + Deal.random(1).holders, np.uint8).reshape(3, 52)
    tables = np.full((3, 20), 3, np.uint8)
    for condition, known, wanted in (("condition 1", {}, 2), ("hcp(north) == 17", {}, 1), ("condition 1", {0: 3}, 0)):
        stream = StoredDeals([(rows, tables)], read_script(condition).condition, known)
        found = Deals.joined(list(stream.accepted()))
        assert (len(found), stream.tried) == (wanted, 3), condition
        # No deal takes three tricks in every strain with every declarer: the numbers are the stored ones.
        assert found.whole_tables().tolist() == [[3] * 20] * wanted
    assert [len(part) for part in StoredDeals([(rows, None)]).accepted(1)] == [1]


def test_a_script_draws_from_a_file_of_solved_deals(tmp_path: Path) -> None:
    """Deals and results come from a file of records or of text, and reports print them."""
    script = tmp_path / "x.dealer"
    script.write_text('title "Solved" action csvrpt(dds(west, notrump), "a, b", north), export(east), printrpt(trix(south))')
    (tmp_path / "two.zrd").write_bytes(RECORD0 * 2)
    done = run("deal", "--script", script, "--deals", tmp_path / "two.zrd")
    deal = engine().load(RECORD0, "zrd").boards[0].deal
    assert deal is not None
    table = Tricks(bytes(nibble for byte in RECORD0[13:] for nibble in (byte & 15, byte >> 4)))
    assert done.exit_code == 0
    lines = done.stdout.splitlines()
    assert lines[0] == "Solved"
    assert lines[1] == lines[2] == f'{table["NT", "W"]},"a, b",n {deal.north}'
    assert lines[3].startswith(f"east S{deal.east.spades.ranks}")
    assert lines[5] == " ".join(str(table[strain, "S"]) for strain in "CDHSN")
    text = tmp_path / "two.pbn"
    assert run("convert", tmp_path / "two.zrd", text).exit_code == 0
    assert run("deal", "--script", script, "--deals", text).stdout == done.stdout
    empty = tmp_path / "empty.csv"
    assert run("deal", "--deals", empty).exit_code == 2
    assert "1=west" in run("deal", "--script", script, "--variable", "west").stderr
    assert "--script" in run("deal", "--variable", "1=west").stderr


def test_reports_may_leave_out_parentheses() -> None:
    """Published scripts print one text without parentheses, all tricks without a seat, and count one `ten`."""
    script = read_script('condition ten(north) == tens(north) action printrpt "a text", printrpt(deal, trix)')
    one, two = script.actions
    assert isinstance(one, Print)
    assert isinstance(two, Print)
    assert one.shown == ("a text",)
    by_rank = (Strain.CLUBS, Strain.DIAMONDS, Strain.HEARTS, Strain.SPADES, Strain.NOTRUMP)
    assert two.shown[1:] == tuple(TricksValue(strain, seat) for seat in CLOCKWISE for strain in by_rank)
    assert script.condition.holds(holders(BALANCED)).all()
