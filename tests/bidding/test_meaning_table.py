"""A system as a table of meanings: complete, without findings, and of one mind with the interpreter."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from bridgespec import Bidder, UsageError, check, dumps, loads
from bridgespec.bidding.engine import BiddingEngine
from bridgespec.bidding.meaning_system import CardSystem, points_in
from bridgespec.bidding.meaning_table import disclose
from bridgespec.bidding.system import BiddingSystem
from bridgespec.bidding.turn import FIRST_BID, P, Turn, number_of, suit_of
from bridgespec.model.convention_card import Danger, Disposition, Flags, Header, Meaning, System, parse_sequence
from bridgespec.model.document import Document
from tests.bidding import load, sayc
from tests.cli.running import run

QUERIES = 1000


@pytest.fixture(scope="module")
def table() -> System:
    """Standard American, two calls of a side deep."""
    return disclose(load(), 2)


def situated(engine: BiddingEngine, meaning: Meaning, seat: int, danger: Danger) -> Turn:
    """The turn after a record's calls, as the interpreter reads them."""
    we, they = bool(danger & Danger.WE), bool(danger & Danger.THEY)
    turn = engine.start((we, they) if (seat % 2 == 1) != meaning.opponents_opened else (they, we))
    for call in [P] * (seat - 1) + [number_of(call) for call in meaning.calls]:
        turn = engine.after(turn, call)
    return turn


@pytest.mark.long
def test_a_thousand_queries_agree_with_the_interpreter(table: System) -> None:
    """What pops up says what the interpreter says: words, lengths, whether it is artificial, whether partner must bid."""
    system = load()
    engine = BiddingEngine(system, system)
    records = [meaning for _, meaning in table.meanings]
    rng, asked = random.Random(3), 0
    while asked < QUERIES:
        meaning, seat, danger = rng.choice(records), rng.randint(1, 4), rng.choice(list(Danger))
        found = table.find(meaning.sequence, seat, danger, meaning.opponents_opened)
        if not found:
            continue
        asked += 1
        said, turn = found[0][1], situated(engine, meaning, seat, danger)
        caller = (len(turn.calls) - 1) % 4
        told = turn.meanings[-1]
        assert said.text.startswith(told.text), turn.calls
        assert said.flags.artificial == told.artificial
        call = turn.calls[-1]
        suit = suit_of(call) if call >= FIRST_BID else None
        if suit is not None:
            low, high = turn.known[caller].lengths[suit]
            assert said.lengths == (min(low, 8), min(high, 8))
        else:
            assert said.lengths is None
        side = turn.sides[caller % 2]
        if side.forcing or side.game_forced:
            assert not said.flags.defend
        if said.disposition is Disposition.SIGNOFF:
            assert told.signoff


@pytest.mark.long
def test_the_table_is_large_and_clean(table: System) -> None:
    """More than 1,500 records, written without a loss and read back without a finding."""
    assert len(table.records) > 1500
    data = dumps(Document(system=table), "bss")
    assert check(data, "bss") == []
    again = loads(data, "bss").system
    assert again is not None
    assert set(again.records) == set(table.records)


def test_a_vulnerable_rule_makes_records_of_its_own(tmp_path: Path) -> None:
    """Where a rule asks for vulnerability or seat, so do the records; where none does, one holds for all."""
    path = tmp_path / "mine.bid"
    path.write_text(
        'system "mine"\nopening:\n  1NT "weak" shows 12-14 hcp, balanced if not vulnerable\n'
        '  1NT "strong" shows 15-17 hcp, balanced if vulnerable\n  1S "major" shows 5+ spades, 12+ hcp\n'
        'opening when seat 3:\n  2D "Fishbein" shows 6+ diamonds, 5-10 hcp\nwhen always:\n  P\n',
        "utf-8",
    )
    table = disclose(BiddingSystem.load(path), 1)
    told = [(str(m.last), m.position.label, m.when.label, m.text) for _, m in table.meanings if not m.opponents_opened]
    assert told == [
        ("1NT", "", "we not vul", "weak. 12-14 HCP"),
        ("1NT", "", "we vul", "strong. 15-17 HCP"),
        ("1S", "", "", "major. 12+ HCP"),
        ("2D", "3rd seat", "", "Fishbein. 5-10 HCP"),
    ]


@pytest.mark.long
def test_commands_take_rules_for_tables(tmp_path: Path) -> None:
    """`convert` writes the table, `show` prints it and answers questions, and what cannot hold it is said."""
    dest = tmp_path / "sayc.bss"
    done = run("convert", "sayc.bid", dest, "--depth", "1")
    assert done.exit_code == 0
    assert "records" in done.stderr
    assert run("validate", dest).exit_code == 0
    assert "5+ spades" in run("show", "sayc.bid", "--depth", "1").stdout
    assert "1NT Pass 2♣" in run("show", "sayc.bid", "--depth", "2", "--auction", "1NT P 2C").stdout
    refused = run("convert", "sayc.bid", tmp_path / "x.pbn", "--depth", "1")
    assert refused.exit_code == 2
    assert not (tmp_path / "x.pbn").exists()
    assert run("convert", "nonesuch.bid", dest).exit_code == 2


ARTIFICIAL = Flags.parse("YNNNNNN")
CARD = System(
    (
        Header("Mine"),
        Meaning(parse_sequence("1S"), lengths=(6, 8), text="six"),
        Meaning(parse_sequence("1N"), text="MIN (16-17)", disposition=Disposition.NON_FORCING),
        Meaning(parse_sequence("1NP3S"), lengths=(1, 1), text="short", disposition=Disposition.FORCING, flags=ARTIFICIAL),
        Meaning(parse_sequence("1C2C"), opponents_opened=True, lengths=(0, 2), text="majors", flags=Flags.parse("YNNYYNN")),
    )
)


def test_a_card_explains_and_vetoes() -> None:
    """A bid that breaks a promised length is not made, nor one that breaks the points of the text; others are the base's."""
    base, card = sayc(), Bidder(CARD)
    five, six = "AQ952.KT3.KJ2.97", "AQ9532.KT.KJ2.97"
    assert str(base.call(five)) == str(base.call(six)) == str(card.call(six)) == "1S"
    assert str(card.call(five)) != "1S"
    assert card.knowledge("1S").hands[1].lengths[0] == (6, 13)
    assert str(base.call("AQ32.KJ5.AJ2.T98")) == str(card.call("AQ32.KJ5.AJ2.J98")) == "1NT"
    assert str(card.call("AQ32.KJ5.AJ2.T98")) != "1NT"
    assert card.knowledge("1N").hands[1].hcp == (16, 17)
    assert card.call("K92.AQJ43.K54.87") == base.call("K92.AQJ43.K54.87")
    assert card.told == ("Mine: of 4 records 3 have lengths, and the texts of 1 name points; sayc bids where they say nothing",)


def test_a_card_explains_calls_that_the_base_does_not_have() -> None:
    """They are read and never chosen, and what they ask of partner is heeded."""
    card = Bidder(CARD)
    told = card.knowledge("1N P 3S P")
    assert "short" in told.meanings[2]
    assert told.hands[3].lengths[0] == (1, 1)
    assert str(card.call("AQ32.KJ5.AJ2.K98", "1N P 3S P")) != "Pass"
    assert card.knowledge("1C 2C", dealer="N").hands[2].lengths[3] == (0, 2)
    assert "record" in next(one.place for one in card.explain("AQ9532.KT.KJ2.97").considered if one.why_not is None)


@pytest.mark.parametrize(
    ("text", "points"),
    [
        ("12-14", (12, 14)),
        ("15-17 HCP balanced", (15, 17)),
        ("12--14 BAL", (12, 14)),
        ("opening, 11+", (11, 37)),
        ("6+ HCP", (6, 37)),
        ("5-5 in the minors", None),
        ("6+!d", None),
        ("4-6 !h", None),
        ("11-13 NV, 14-16 V", None),
        ("2005", None),
        ("", None),
    ],
)
def test_points_are_read_where_they_are_plain(text: str, points: tuple[int, int] | None) -> None:
    """Lengths, years and two ranges are not points."""
    assert points_in(text) == points


def test_a_card_on_disk_is_a_system(tmp_path: Path) -> None:
    """A file with such a table can be named, and what cannot be used is refused."""
    path = tmp_path / "mine.bss"
    path.write_bytes(dumps(Document(system=CARD), "bss"))
    assert isinstance(Bidder(path)._systems[next(iter(Bidder(path)._systems))], CardSystem)
    done = run("bid", "--hand", "AQ952.KT3.KJ2.97", "--system", path)
    assert done.exit_code == 0
    assert done.stdout.strip() != "1S"
    assert re.findall(r"mine\.bss: of (\d+) records", done.stderr) == ["4"]
    (tmp_path / "bad.xyz").write_text("nothing", "utf-8")
    with pytest.raises(UsageError, match="no bidding system"):
        Bidder(tmp_path / "bad.xyz")
