"""What the page knows of the game is what the model knows: played, scored and bid in both, by Node.js and Python."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from bridgespec.engines import engine
from bridgespec.export.json import tree
from bridgespec.model.auction import Auction, Call, first_illegal
from bridgespec.model.board import Board, Vulnerability, standard_dealer, standard_vulnerability
from bridgespec.model.cards import Card, Seat, Strain
from bridgespec.model.contract import Contract, Doubling
from bridgespec.model.deal import Deal
from bridgespec.model.document import Document
from bridgespec.model.par import par
from bridgespec.model.playing import analyse, play_of_cards
from bridgespec.model.score import imps, matchpoints, points
from bridgespec.model.tricks import Tricks
from bridgespec.scores import score
from bridgespec.scoring.report import with_tables
from bridgespec.scoring.sheet import of_boards
from bridgespec.solver import Position, Solver
from tests.webpage.running import MATCH, NODE, SAMPLES, answers

pytestmark = pytest.mark.skipif(NODE is None, reason="no Node.js (node) to run the page's scripts with")
ABSENT = "the collection may not be redistributed: it is expected in ../shared/data/pbn"
needs_match = pytest.mark.skipif(not MATCH.is_file(), reason=ABSENT)
DEAL = Deal.parse("N:T2.J965.T7532.63 AKQ874.AQ2.J8.A5 J65.743.AK4.KQ82 93.KT8.Q96.JT974")


def documents(folder: Path) -> list[Document]:
    """Every sample of every format that holds boards."""
    found = []
    for path in sorted(folder.glob("*/*")):
        if path.is_file() and path.suffix != ".json" and path.parent.name not in ("bss",):
            found.append(engine().examine(path.read_bytes(), path.parent.name, str(path)).document)
    return found


def board_json(board: Board) -> dict[str, Any]:
    """The published JSON of a board."""
    return dict(tree(Document((board,)))["boards"][0])


def random_play(deal: Deal, strain: Strain, leader: Seat, seed: int) -> list[Card]:
    """A whole play of any cards that the rules allow."""
    choose = random.Random(seed)
    position = Position.of(deal, strain, leader)
    played: list[Card] = []
    while position.tricks_left:
        card = choose.choice(position.playable)
        played.append(card)
        position = position.after(card, len(played) - 1)
    return played


def check_play(deal: Deal, strain: Strain, leader: Seat, cards: list[Card], states: list[dict[str, Any]]) -> None:
    """Turn, legal cards, winners and counts are the model's at every card."""
    assert len(states) == len(cards) + 1
    position = Position.of(deal, strain, leader)
    for index, state in enumerate(states):
        assert state["left"] == position.tricks_left
        if state["left"]:
            assert state["turn"] == position.on_turn
            assert state["legal"] == list(position.playable)
        judged = analyse(play_of_cards(cards[:index], leader, strain), strain, deal=deal)
        winners = [seat for seat in judged.winners if seat is not None]
        assert state["winners"] == winners
        assert state["won"] == [sum(seat % 2 for seat in winners), sum(1 - seat % 2 for seat in winners)]
        if index < len(cards):
            position = position.after(cards[index], index)


def question(deal: Deal, strain: Strain, leader: Seat, cards: list[Card]) -> tuple[str, Any]:
    return (
        "play",
        {"deal": board_json(Board(deal=deal))["deal"], "strain": strain, "leader": leader, "cards": list(map(str, cards))},
    )


@pytest.mark.long
def test_plays_go_as_in_the_model(tmp_path: Path) -> None:
    """In random plays of every strain the page has the model's turns, legal cards and winners."""
    plays = [(DEAL, strain, seat, random_play(DEAL, strain, seat, 4 * strain + seat)) for strain in Strain for seat in Seat]
    for play, states in zip(plays, answers([question(*play) for play in plays], tmp_path), strict=True):
        check_play(*play, states)


@needs_match
def test_real_plays_go_as_in_the_model(tmp_path: Path) -> None:
    """So they do in every recorded play of a real match."""
    boards = engine().examine(MATCH.read_bytes(), "pbn").document.boards
    plays = [
        (board.deal, board.contract.strain, board.play.tricks[0].leader, list(board.play.cards))
        for board in boards
        if board.deal is not None and board.contract is not None and board.play is not None and board.play.tricks
    ]
    assert len(plays) > 25
    for play, states in zip(plays, answers([question(*play) for play in plays], tmp_path), strict=True):
        check_play(*play, states)


def test_a_play_stops_at_a_revoke(tmp_path: Path) -> None:
    """A card that may not be played ends what the page follows."""
    cards = [Card.parse(text) for text in ("SJ", "S3", "C3", "SA")]
    (states,) = answers([question(DEAL, Strain.NOTRUMP, Seat.SOUTH, cards)], tmp_path)
    assert len(states) == 3


def test_scores_are_the_laws(tmp_path: Path) -> None:
    """Every contract with every result, vulnerable and not, IMPs of every difference, and match points."""
    cases = [
        (Contract(level, strain, doubling), tricks, vulnerable)
        for level in range(1, 8)
        for strain in Strain
        for doubling in Doubling
        for tricks in range(14)
        for vulnerable in (False, True)
    ]
    questions: list[tuple[str, Any]] = [
        (
            "points",
            {"contract": {"level": c.level, "strain": c.strain, "doubling": c.doubling}, "tricks": tricks, "vulnerable": vul},
        )
        for c, tricks, vul in cases
    ]
    differences = list(range(-4200, 4201, 10))
    questions += [("imps", difference) for difference in differences]
    scores = [620, 620, 170, -100, -100, -100, 650]
    questions += [("matchpoints", scores), ("crossImps", [100, 0, -50])]
    found = answers(questions, tmp_path)
    assert found[: len(cases)] == [points(*case) for case in cases]
    assert found[len(cases) : -2] == [imps(difference) for difference in differences]
    assert found[-2] == matchpoints(scores)
    assert found[-1] == [(imps(100) + imps(150)) / 2, (imps(-100) + imps(50)) / 2, (imps(-150) + imps(-50)) / 2]


def test_boards_stand_as_in_the_model(tmp_path: Path) -> None:
    """Dealer and vulnerability follow the number; contract and declarer follow the auction."""
    numbers = list(range(1, 65))
    boards = [board for document in documents(SAMPLES) for board in document.boards if board.auction is not None]
    assert len(boards) > 5
    questions: list[tuple[str, Any]] = [("standard", number) for number in numbers]
    bare = [Board(number=board.number, dealer=board.dealer, auction=board.auction) for board in boards]
    questions += [("bought", {"board": board_json(board), "dealer": board.effective_dealer}) for board in bare]
    found = answers(questions, tmp_path)
    assert found[:64] == [[standard_dealer(number), standard_vulnerability(number)] for number in numbers]
    for board, answer in zip(boards, found[64:], strict=True):
        assert board.auction is not None
        contract = board.auction.contract
        wanted = None if contract is None else {"level": contract.level, "strain": contract.strain, "doubling": contract.doubling}
        assert answer["contract"] == wanted
        if board.auction.first is not None:
            assert answer["declarer"] == board.auction.declarer


def random_auction(seed: int) -> list[Call]:
    """Legal calls to the end, with more bids than passes at first, so that both sides name the same strains."""
    choose = random.Random(seed)
    calls: list[Call] = []
    while not Auction.of(calls, Seat.NORTH).is_finished:
        names = [f"{level}{strain}" for level in range(1, 8) for strain in ("C", "D", "H", "S", "N")]
        bids = [call for call in map(Call.parse, names) if first_illegal([*calls, call]) is None][:6]
        others = [call for call in map(Call.parse, ("X", "XX")) if first_illegal([*calls, call]) is None]
        drawn = choose.random()
        chosen = bids if drawn < 0.6 else others if drawn < 0.8 else []
        calls.append(choose.choice(chosen or [Call.parse("Pass")]))
    return calls


@pytest.mark.long
def test_declarers_of_auctions_are_the_models(tmp_path: Path) -> None:
    """Of a strain that both sides have bid, the first of the side that plays it declares."""
    auctions = [Auction.of(random_auction(seed), Seat(seed % 4)) for seed in range(200)]
    boards = [Board(auction=auction) for auction in auctions]
    found = answers([("bought", {"board": board_json(board), "dealer": None}) for board in boards], tmp_path)
    contested = 0
    for auction, answer in zip(auctions, found, strict=True):
        contract = auction.contract
        assert contract is not None
        assert answer["contract"] == {"level": contract.level, "strain": contract.strain, "doubling": contract.doubling}
        assert answer["declarer"] == auction.declarer
        sides = {turn % 2 for turn, made in enumerate(auction.calls) if made.call.level and made.call.strain == contract.strain}
        contested += len(sides) == 2
    assert contested > 20


@pytest.mark.long
def test_par_is_the_models(tmp_path: Path) -> None:
    """Par of tables, for every dealer and vulnerability, and what a side can make."""
    choose = random.Random(7)
    tables = [Solver(memory_mb=16).table(DEAL)]
    for _ in range(40):
        rows = [[choose.randint(0, 13)] * 2 for _ in range(5)]
        tables.append(Tricks(bytes(cell for ew, _ in rows for cell in (ew, 13 - ew, max(0, ew - 1), 13 - ew))))
    cases = [(table, dealer, vulnerability) for table in tables for dealer in Seat for vulnerability in Vulnerability]
    questions: list[tuple[str, Any]] = [
        ("par", {"table": list(table.cells), "dealer": dealer, "vulnerability": vulnerability})
        for table, dealer, vulnerability in cases
    ]
    found = answers([*questions, ("makeable", list(tables[0].cells))], tmp_path)
    for case, answer in zip(cases, found, strict=False):
        wanted = par(*case)
        assert answer["score"] == wanted.score
        assert [
            (one["contract"]["level"], one["contract"]["strain"], one["contract"]["doubling"], one["tricks"], set(one["declarers"]))
            for one in answer["contracts"]
        ] == [
            (one.contract.level, one.contract.strain, one.contract.doubling, one.tricks, set(one.declarers))
            for one in wanted.contracts
        ]
    made = {(one["contract"]["level"], one["contract"]["strain"]) for one in found[-1][1]}
    best = {strain: max(tables[0].get(strain, seat) or 0 for seat in (Seat.EAST, Seat.WEST)) for strain in Strain}
    assert made == {(tricks - 6, strain) for strain, tricks in best.items() if tricks > 6}


def test_results_of_one_board_stand_together(tmp_path: Path) -> None:
    """Two rooms are one entry, the open room first; another deal of the same number is another; zeros are not a table."""
    other = Deal(DEAL.holders[::-1])
    call = {"auction": {"calls": [{"call": "Pass"}]}}
    deal, turned = board_json(Board(deal=DEAL))["deal"], board_json(Board(deal=other))["deal"]
    zeros = {letter: dict.fromkeys(("NT", "S", "H", "D", "C"), 0) for letter in "WNES"}
    given = [
        {"boards": [{"number": 3, "deal": deal, "room": "Closed", **call}, {"number": 3, "deal": deal, "room": "Open", **call}]},
        {"boards": [{"number": 3, "deal": turned, **call}, {"number": 3, "deal": deal, "tricks": zeros}]},
    ]
    (entries,) = answers([("entries", given)], tmp_path)
    assert [entry["key"] for entry in entries] == ["3", "3.2"]
    assert [result["room"] for result in entries[0]["results"]] == ["Open", "Closed"]
    assert entries[0]["table"] is None


@pytest.mark.long
@needs_match
def test_scores_of_a_real_match_are_those_it_states(tmp_path: Path) -> None:
    """What the page computes from contract and tricks is what the file says, wherever the file says it."""
    document = engine().examine(MATCH.read_bytes(), "pbn").document
    stated = {(board.number, board.room): board.score for board in document.boards}
    plain = tree(document)
    for board in plain["boards"]:
        board.pop("score", None)
    (entries,) = answers([("entries", [plain])], tmp_path)
    compared = [(int(entry["key"]), one["room"], one["score"]) for entry in entries for one in entry["results"]]
    assert len(compared) > 25
    assert {(number, room): score for number, room, score in compared} == stated


def test_a_line_leaves_the_record_and_comes_back(tmp_path: Path) -> None:
    """Another card parts from the record, its own card keeps to it, and one step leads back to where they parted."""
    record = ["SJ", "S3", "S2", "S4"]
    steps: list[list[Any]] = [
        ["play", "SJ"], ["play", "S9"], ["play", "S2"], ["go", 1], ["rejoin"],
        ["go", 99], ["goTrick", -1], ["play", "C2"], ["play", "HA"],
    ]  # fmt: skip
    given = {"deal": board_json(Board(deal=DEAL))["deal"], "strain": 1, "declarer": Seat.EAST, "record": record, "steps": steps}
    (places,) = answers([("line", given)], tmp_path)
    assert places == [
        [1, True, 1], [2, False, 2], [3, False, 3], [1, False, 1], [1, True, 1],
        [4, True, 4], [0, True, 0], [1, False, 1], [1, False, 1],
    ]  # fmt: skip


def test_tables_of_results_are_the_results(tmp_path: Path) -> None:
    """Each row of a table of results is a result as the scorer reads it, with what the table states of the comparison and the
    names that its totals have; the board itself is none."""
    club = Path(__file__).parent.parent / "scoring" / "samples"
    session = score(club / "club.csv", club / "club.pbn", entrants=club / "club-pairs.csv")
    boards, _ = with_tables(session, engine().load((club / "club.pbn").read_bytes(), None, "club.pbn").boards)
    (entries,) = answers([("entries", [dict(tree(Document(tuple(boards))))])], tmp_path)
    rows = [(int(entry["key"]), one) for entry in entries for one in entry["results"]]
    read, found = of_boards(boards)
    assert not found
    assert [(key, one["score"], one["lead"], one["count"]) for key, one in rows] == [
        (one.number, one.score, None if one.lead is None else int(one.lead), one.count) for one in read
    ]
    names = {"".join(one.contestant): one.entrant.names for one in session.standings}
    assert [one["pairs"] for _, one in rows] == [
        [f"{one.ns} {names['NS' + one.ns]}", f"{one.ew} {names['EW' + one.ew]}"] for one in read
    ]
    assert [one["stated"]["matchpoints"] for key, one in rows if key == 1] == [100, 75, 37.5, 37.5, 0]


def test_a_table_of_real_results(tmp_path: Path) -> None:
    """Rows of many tables each, doubled contracts and passed-out boards of a published table are read as the scorer reads them."""
    rows = [
        ("3NT", "N", "10", "SA", "430", "12"),
        ("4HX", "E", "9", "-", "100", "1"),
        ("PASS", "-", "-", "-", "0", "3"),
        ("6SXX", "S", "13", "H10", "1820", "-"),
    ]
    columns = [{"name": name} for name in ("Contract", "Declarer", "Result", "Lead", "Score_NS", "Multiplicity")]
    board = {"number": 1, "tables": [{"name": "ScoreTable", "columns": columns, "rows": rows}]}
    (entries,) = answers([("entries", [{"boards": [board]}])], tmp_path)
    assert [(one["score"], one["count"], one["lead"], one["outcome"]) for one in entries[0]["results"]] == [
        (430, 12, 0, [3, 0, 0, 1, 10]),
        (100, 1, None, [4, 2, 1, 2, 9]),
        (0, 3, None, [0, 0, 0, None, None]),
        (1820, 1, 17, [6, 1, 2, 3, 13]),
    ]
