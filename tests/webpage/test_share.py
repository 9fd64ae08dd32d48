"""Boards that the page passes on: links, other programs' forms, deals of its own, each read back by the package."""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bridgespec import dumps
from bridgespec.dealing.algebra import every
from bridgespec.dealing.deal_condition import read_condition
from bridgespec.dealing.deal_stream import DealStream
from bridgespec.dealing.expression import Deals
from bridgespec.engines import engine
from bridgespec.export.json import load, tree
from bridgespec.model.auction import Auction, AuctionCall, Call
from bridgespec.model.board import Board, Vulnerability
from bridgespec.model.cards import Seat, Side
from bridgespec.model.contract import Contract
from bridgespec.model.deal import Deal
from bridgespec.model.document import Document
from bridgespec.model.playing import analyse, play_of_cards
from tests.webpage.running import NODE, SAMPLES, answers
from tests.webpage.test_rules import board_json, random_play

pytestmark = pytest.mark.skipif(NODE is None, reason="no Node.js (node) to run the page's scripts with")
FULL = ("lin/read-plus-alerts-claim.lin", "lin/match.lin", "pbn/sixteen.pbn", "pbn/two-boards.pbn", "lin/results.lin")


def boards() -> list[dict[str, Any]]:
    """Boards of samples with deals, as the published JSON: auctions with explanations, plays, claims, names."""
    found = [tree(engine().examine((SAMPLES / name).read_bytes(), name.split("/")[0]).document)["boards"] for name in FULL]
    return [board for some in found for board in some if "deal" in board] + [board_json(board) for board in played()]


def played() -> list[Board]:
    """Boards with everything that a link may hold: one played to the end, one claimed in the middle of a trick."""
    deal = Deal.parse("N:T2.J965.T7532.63 AKQ874.AQ2.J8.A5 J65.743.AK4.KQ82 93.KT8.Q96.JT974")
    contract = Contract.parse("4S")
    calls = [AuctionCall(Call.parse(text)) for text in ("P", "1S", "P", "2S", "P", "4S", "P", "P", "P")]
    calls[1] = AuctionCall(Call.parse("1S"), alert=True, explanation="five or more, 11 to 15")
    cards = random_play(deal, contract.strain, Seat.SOUTH, 3)
    whole = Board(
        number=5, deal=deal, dealer=Seat.NORTH, vulnerability=Vulnerability.NS, players=("Wim", "N. N.", "Émile", "Sue"),
        auction=Auction(tuple(calls), Seat.NORTH), contract=contract, declarer=Seat.EAST,
        play=play_of_cards(cards, Seat.SOUTH, contract.strain),
    )  # fmt: skip
    whole = replace(whole, result=analyse(play_of_cards(cards, Seat.SOUTH, contract.strain), contract.strain).won(Side.EW))
    part = play_of_cards(cards[:10], Seat.SOUTH, contract.strain)
    return [whole, replace(whole, number=6, play=replace(part, claim=9), result=9)]


def shared(every_board: Sequence[dict[str, Any]], folder: Path, left: Sequence[str] = (), seats: Sequence[str] = ()) -> list[Any]:
    return answers([("shared", {"board": board, "left": left, "seats": seats}) for board in every_board], folder)


@pytest.mark.long
@pytest.mark.parametrize("format", ["pbn", "lin"])
def test_an_export_is_read_back(tmp_path: Path, format: str) -> None:
    """What the page writes as PBN and LIN has no error and says what the board says, as far as the format can."""
    given = shared(boards(), tmp_path)
    assert len(given) > 20
    assert sum("play" in board for board in given) > 1
    for board, text in zip(given, answers([(format, board) for board in given], tmp_path), strict=True):
        report = engine().examine(text.encode("latin-1", "replace"), format)
        assert not report.errors, (text, report.errors)
        (back,) = tree(report.document)["boards"]
        stated = {"lin": ("deal", "auction", "play", "players"), "pbn": ("deal", "contract", "declarer", "result", "players")}
        for name in stated[format]:
            if name in board:
                assert back.get(name) == board[name], (name, text)
        calls = [one["call"] for one in back.get("auction", {}).get("calls", [])]
        assert calls == [one["call"] for one in board.get("auction", {}).get("calls", [])]
        played = [card for trick in back.get("play", {}).get("tricks", []) for card in trick["cards"]]
        assert played == [card for trick in board.get("play", {}).get("tricks", []) for card in trick["cards"]]


UNWRITTEN = {"pbn": set[str](), "lin": {"event", "round", "room", "contract", "declarer"}}
"""What the package writes and the page does not: a hand viewer's LIN is of one board, without the head of a match."""


@pytest.mark.long
@pytest.mark.parametrize("format", ["pbn", "lin"])
def test_an_export_means_what_the_package_writes(tmp_path: Path, format: str) -> None:
    """Whatever the package reads from the page's text of a board is what it reads from its own text of the board."""
    given = shared(boards(), tmp_path)
    for board, text in zip(given, answers([(format, board) for board in given], tmp_path), strict=True):
        document = load(json.dumps({"version": 1, "boards": [board]}).encode())
        whole = dumps(document, format)
        own, other = (engine().examine(data, format).document for data in (text.encode("latin-1", "replace"), whole))
        stated = [tree(one)["boards"][0] for one in (own, other)]
        kept = [{name: value for name, value in one.items() if name not in UNWRITTEN[format]} for one in stated]
        assert kept[0] == kept[1], text


@pytest.mark.long
def test_a_link_holds_a_board_and_nothing_that_was_left_out(tmp_path: Path) -> None:
    """A board comes back from its link as it was; what its sender left out is not in it."""
    given = shared(boards(), tmp_path)
    links = answers([("packed", board) for board in given], tmp_path)
    assert all(link.replace("-", "").replace("_", "").isalnum() for link in links)
    assert answers([("unpacked", link) for link in links], tmp_path) == given
    board = max(given, key=lambda one: len(json.dumps(one)))
    assert {"play", "auction", "players", "contract"} <= set(board)
    (bare,) = shared([board], tmp_path, ["omitResults", "omitAuction", "omitNames"], ["east", "west"])
    assert set(bare) <= {"number", "dealer", "vulnerability", "deal", "event", "room", "round"}
    assert set(bare["deal"]) == {"north", "south"}


def test_a_link_that_anybody_made_is_checked(tmp_path: Path) -> None:
    """Whatever is not a board as it should be is no board, and raises nothing."""
    bad: list[Any] = [
        1, None, [], "x", {"deal": 1}, {"deal": {"north": 3}}, {"deal": {"north": "AK"}}, {"__proto__x": 1}, {"number": "1"},
        {"players": [1]}, {"players": "x"}, {"auction": {"calls": [{"call": "<b>"}]}}, {"auction": {"calls": {}}},
        {"contract": "9NT"},
        {"play": {"tricks": [{"leader": "x", "cards": []}]}}, {"play": {"tricks": [{"cards": ["S1"]}]}}, {"tables": []},
        {"result": 14},
        {"event": "x" * 3000}, {"constructor": 1}, {"toString": "x"},
    ]  # fmt: skip
    links = [base64.urlsafe_b64encode(json.dumps(one).encode()).decode().rstrip("=") for one in bad]
    links += ["", "%%%", "e30x", base64.urlsafe_b64encode(b"\xff\xfe").decode(), "A" * 100000]
    assert answers([("unpacked", link) for link in links], tmp_path) == [None] * len(links)


@pytest.mark.long
@pytest.mark.parametrize(
    "condition",
    [
        "north: hcp 15-17 and balanced; south: hearts 5+",
        "ns: hcp 25+, spades 8+",
        "ew: hcp 12; w: clubs 2-4 and diamonds 0-3",
        "e: balanced",
    ],
)
def test_a_condition_means_what_it_means_in_the_package(tmp_path: Path, condition: str) -> None:
    """Deals of a condition satisfy it in both, and random deals satisfy it in one as in the other; the page deals such too."""
    whole = every([read_condition(condition)])
    free = DealStream(read_condition("north: hcp 0+"), seed=3).take(1500)
    fitting = DealStream(read_condition(condition), seed=4).take(100)
    rows = [list(bytes(row)) for row in (*free, *fitting)]
    expected = [bool(one) for one in whole.holds(Deals(np.concatenate([free, fitting])))]
    assert sum(expected) >= 100
    assert answers([("suits", {"condition": condition, "deals": rows})], tmp_path) == [expected]
    known = [4] * 52
    known[0] = 1
    (made,) = answers([("dealt", {"condition": condition, "known": known, "count": 5})], tmp_path)
    assert all(row[0] == 1 for row in made)
    assert all(Deal(bytes(row)) and [row.count(seat) for seat in range(4)] == [13] * 4 for row in made)
    assert answers([("suits", {"condition": condition, "deals": made})], tmp_path) == [[True] * 5]


def test_what_is_no_condition_or_deal_is_not_taken(tmp_path: Path) -> None:
    """Words that the page does not know are refused, never ignored; so are cards that stand twice and hands that are none."""
    conditions = [
        "north: hcp 15 or balanced",
        "north: losers 5",
        "north hcp 5",
        "hcp 5",
        "nobody: hcp 5",
        "n: hcp",
        "n: not balanced",
        "toString: hcp 5",
    ]
    assert answers([("suits", {"condition": one, "deals": []}) for one in conditions], tmp_path) == [None] * len(conditions)
    deal = "N:T2.J965.T7532.63 AKQ874.AQ2.J8.A5 J65.743.AK4.KQ82 93.KT8.Q96.JT974"
    good = [deal, deal.replace("T", "10").lower(), deal[2:], deal.replace("93.KT8.Q96.JT974", "-")]
    found = answers([("typed", one) for one in good], tmp_path)
    assert found[0] == found[1] == found[2] == list(Deal.parse(deal).holders)
    assert found[3].count(4) == 13
    wrong = [deal.replace("T2", "22"), deal.replace("T2", "AT2"), "N:AK", "", deal + " AK...", deal.replace("T2", "X2")]
    assert answers([("typed", one) for one in wrong], tmp_path) == [None] * len(wrong)


@pytest.mark.long
def test_a_board_without_a_number_is_shared(tmp_path: Path) -> None:
    """A deal alone makes PBN and LIN that hold it."""
    deal = Deal.parse("N:T2.J965.T7532.63 AKQ874.AQ2.J8.A5 J65.743.AK4.KQ82 93.KT8.Q96.JT974")
    board = tree(Document((Board(deal=deal),)))["boards"][0]
    for format, text in zip(("pbn", "lin"), answers([("pbn", board), ("lin", board)], tmp_path), strict=True):
        assert engine().examine(text.encode(), format).document.boards[0].deal == deal
