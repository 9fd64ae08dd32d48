"""What a text format claims to hold survives writing and reading back."""

# ruff: noqa: E501  (schemas on one line each)

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from bridgespec.codec.binding_words import terms_in
from bridgespec.engines import engine
from bridgespec.errors import WriteError
from bridgespec.model.auction import PASS, Auction, AuctionCall, AuctionState, Call
from bridgespec.model.board import Board, Comment, Vulnerability
from bridgespec.model.cards import Card, Seat, Strain
from bridgespec.model.contract import Contract
from bridgespec.model.deal import Deal
from bridgespec.model.document import Document
from bridgespec.model.play import CardNote, Play, Trick
from bridgespec.model.playing import winner
from bridgespec.model.tricks import Tricks
from tests.codec.terms.support import board_formats

FORMATS = board_formats()
_BIDS = [Call.bid(level, strain) for level in range(1, 8) for strain in Strain]


def deal(rng: random.Random) -> Deal:
    """A whole deal."""
    holders = [slot % 4 for slot in range(52)]
    rng.shuffle(holders)
    return Deal(bytes(holders))


def auction(rng: random.Random, first: Seat, alerts: bool) -> Auction:
    """A legal auction to its end, with a bid."""
    calls: list[AuctionCall] = []
    state = AuctionState()
    while not state.is_over:
        legal = [call for call in _BIDS if state.why_not(call) is None][:6]
        call = rng.choice(legal) if legal and (state.bid is None or rng.random() < 0.35) else PASS
        said = rng.choice([None, "words", "a b"]) if alerts and rng.random() < 0.4 else None
        calls.append(AuctionCall(call, said is not None or (alerts and rng.random() < 0.2), said))
        state = state.then(call)
    return Auction(tuple(calls), first)


def play(rng: random.Random, deal: Deal, declarer: Seat, strain: Strain, tricks: int) -> Play:
    """A play that follows suit, as far as so many tricks."""
    hands = {seat: list(deal.cards(seat)) for seat in Seat}
    leader, made = declarer.next, []
    for _ in range(tricks):
        cards: list[Card] = []
        for turn in range(4):
            hand = hands[Seat((leader + turn) % 4)]
            follow = [card for card in hand if cards and card.suit == cards[0].suit] or hand
            cards.append(rng.choice(follow))
            hand.remove(cards[-1])
        made.append(Trick(leader, tuple(cards)))
        won = winner(made[-1], strain)
        leader = leader if won is None else won
    return Play(tuple(made))


def board(seed: int) -> Board:
    """A board that says everything that a table records."""
    rng = random.Random(seed)
    number, dealt = rng.randint(1, 16), deal(rng)
    first = Seat(rng.randrange(4))
    called = auction(rng, first, alerts=True)
    contract, declarer = called.contract, called.declarer
    assert contract is not None
    length = rng.choice([0, 3, 12, 13])
    made = play(rng, dealt, declarer, contract.strain, length) if declarer is not None and length else None
    result = rng.randint(0, 13)
    if made is not None and length == 13 and declarer is not None:
        result = sum(winner(trick, contract.strain) in (declarer, declarer.partner) for trick in made.tricks)
    return Board(
        number=number, dealer=first, vulnerability=Vulnerability(rng.randrange(4)), deal=dealt, auction=called, contract=contract,
        declarer=declarer, result=None if contract.is_passed_out else result, play=replace(made, claim=result) if made and length < 13 else made,
        event="Cup", players=("West", "North", "East", "South"),
    )  # fmt: skip


@pytest.mark.slice(6)
@pytest.mark.parametrize("format", FORMATS)
def test_what_a_format_holds_survives(format: str) -> None:
    """Of forty boards, every term that the format claims: nothing of it is lost, and reading back gives it again."""
    held = engine().of(engine().spec(format)).binder.terms
    compared = [
        name for name in ("deal", "auction", "players", "contract", "declarer", "result", "dealer", "vulnerability") if name in held
    ]
    for seed in range(40):
        whole = board(seed)
        told = Board(number=whole.number)
        for name in (*compared, *(("play",) if "play" in held else ())):
            told = replace(told, **{name: getattr(whole, name)})
        output = engine().spell(Document((told,)), format)
        again = engine().examine(output.data, format).document.boards[0]
        for name in compared:
            assert getattr(again, name) == getattr(told, name), (seed, name)
        if told.play is not None and again.auction is not None:
            assert again.play is not None
            assert again.play.tricks == told.play.tricks
        lost = {one.message.rpartition("cannot hold ")[2] for one in output.findings}
        assert not lost & {f"the {name}" for name in compared}, (seed, lost)


TEXTS = ["pbn", "lin", "rbn", "rbx", "handviewer"]
DEALT = Deal.parse("N:K843.T542.J6.863 AQJ7.K.Q75.AT942 962.AJ7.KT82.J75 T5.Q9863.A943.KQ")


def _there_and_back(one: Board, format: str) -> tuple[Board, set[str]]:
    output = engine().spell(Document((one,)), format)
    lost = {found.message.rpartition("cannot hold ")[2] for found in output.findings}
    return engine().examine(output.data, format).document.boards[0], lost


@pytest.mark.parametrize("format", TEXTS)
def test_alerts_with_and_without_words(format: str) -> None:
    """A bare alert stays one, an explained one keeps its words, and the notes of two alike are one."""
    calls = [
        AuctionCall(PASS),
        AuctionCall(Call.parse("1C"), True),
        AuctionCall(PASS),
        AuctionCall(Call.parse("1H"), True, "words"),
    ]
    calls += [AuctionCall(PASS), AuctionCall(Call.parse("2H"), True), AuctionCall(PASS), AuctionCall(PASS), AuctionCall(PASS)]
    one = Board(number=1, deal=DEALT, auction=Auction(tuple(calls), Seat.NORTH))
    again, lost = _there_and_back(one, format)
    assert again.auction is not None
    assert [(made.alert, made.explanation) for made in again.auction.calls] == [(made.alert, made.explanation) for made in calls]
    assert not any("alert" in kind or "expla" in kind for kind in lost)
    assert b'[Note "1:"]' not in engine().spell(Document((one,)), format).data


def test_a_note_that_only_says_alert_is_a_bare_alert() -> None:
    """It goes to LIN without words, and stays in its own file as it was written."""
    text = b'[Event ""]\r\n[Board "1"]\r\n[Dealer "N"]\r\n[Auction "N"]\r\n1C =1= Pass 1H =2= Pass\r\n[Note "1:Alerted"]\r\n[Note "2:alert: hearts"]\r\n'
    document = engine().load(text, "pbn")
    auction = document.boards[0].auction
    assert auction is not None
    assert [(made.alert, made.explanation) for made in auction.calls[::2]] == [(True, None), (True, "alert: hearts")]
    assert engine().spell(document, "pbn").data == text
    assert b"mb|1C!|mb|P|mb|1H!|an|alert: hearts|" in engine().spell(document, "lin").data


def _holed() -> Board:
    calls = Auction.parse("P 1C P 1H P 1NT P 3NT P P P", Seat.NORTH)
    rows = [
        Trick(Seat.SOUTH, tuple(map(Card.parse, ("D2", "D3", "DJ", "DQ")))),
        Trick(Seat.EAST, (Card.parse("CA"), None, Card.parse("CK"), Card.parse("C3"))),
    ]
    return Board(
        number=1, deal=DEALT, auction=calls, contract=Contract.parse("3NT"), declarer=Seat.EAST, result=9, play=Play(tuple(rows), 9)
    )


@pytest.mark.slice(None, quick=2)
@pytest.mark.parametrize("format", TEXTS)
def test_a_play_with_a_hole(format: str) -> None:
    """A format with columns keeps the cards after the hole; the others stop before it and say so."""
    one = _holed()
    assert one.play is not None
    again, lost = _there_and_back(one, format)
    assert again.play is not None
    if format == "pbn":
        assert again.play.tricks == one.play.tricks
    else:
        assert again.play.cards == one.play.cards
        assert [one for one in lost if one.startswith("the rest ") and one.endswith(" play")]


@pytest.mark.slice(None, quick=2)
@pytest.mark.parametrize("format", TEXTS)
def test_a_play_without_a_contract(format: str) -> None:
    """Nothing fails: what is kept is what was played, of the rest it is said."""
    one = replace(_holed(), auction=None, contract=None, declarer=None, result=None)
    again, lost = _there_and_back(one, format)
    assert again.play is None or again.play.recorded == one.play.recorded[: len(again.play.recorded)]
    assert (again.play is not None and again.play.tricks == one.play.tricks) or [what for what in lost if what.endswith(" play")]


def _of_one_hand(declarer: Seat | None) -> Board:
    """West holds every spade, and is said to take five tricks with them as trumps."""
    deal = Deal(bytes(slot // 13 for slot in range(52)))
    cells = [15] * 20
    cells[4 * Strain.SPADES + Seat.WEST] = 5
    return Board(
        number=1, deal=deal, auction=Auction.parse("P P P 7S P P P", Seat.NORTH), tricks=Tricks(bytes(cells)), declarer=declarer
    )


def test_results_of_one_hand_stand_at_its_cells() -> None:
    """A finding about one of them is about its own bytes; whose they are must be stated."""
    data = engine().spell(Document((_of_one_hand(Seat.WEST),)), "zrj").data
    (found,) = [one for one in engine().examine(data, "zrj").diagnostics if one.code == "impossible-tricks"]
    assert found.field == "boards[0].tricks[1]"
    with pytest.raises(WriteError, match="zrj cannot hold its declarer: there is none"):
        engine().spell(Document((_of_one_hand(None),)), "zrj")


@pytest.mark.parametrize("format", TEXTS)
def test_comments_everywhere(format: str) -> None:
    """Comments on the board, on pairs, on a section and on a call: kept, or counted as lost; nothing fails."""
    places = [(), ("event",), ("deal",), ("auction",), ("auction", 1)]
    comments = tuple(Comment(f"c{index}", place) for index, place in enumerate(places))
    one = replace(_holed(), event="Cup", comments=comments)
    again, lost = _there_and_back(one, format)
    if format == "pbn":
        assert set(again.comments) == set(comments)
    else:
        assert any("comments" in kind for kind in lost)


@pytest.mark.slice(None, quick=2)
@pytest.mark.parametrize("format", TEXTS)
def test_a_lead_out_of_turn_gives_nobody_false_cards(format: str) -> None:
    """An irregular lead stays where it was, or the play stops before it; no card falls to another hand."""
    rows = (
        Trick(Seat.SOUTH, tuple(map(Card.parse, ("D2", "D3", "DJ", "DQ")))),
        Trick(Seat.WEST, tuple(map(Card.parse, ("CK", "C3", "C2", "C5")))),
    )
    one = replace(_holed(), play=Play(rows, 9, (CardNote(1, 0, irregular=True),)))
    again, lost = _there_and_back(one, format)
    assert one.play is not None
    assert again.play is not None
    assert again.play.tricks == one.play.tricks[: len(again.play.tricks)]
    assert len(again.play.tricks) == 2 or [what for what in lost if what.startswith("the rest ") and what.endswith(" play")]


@pytest.mark.slice(None, quick=2)
@pytest.mark.parametrize("format", TEXTS)
def test_irregular_values_are_kept_or_told(format: str) -> None:
    """What the source calls irregular stays so, or is said to be lost; an irregular result is not an impossible claim."""
    one = replace(_holed(), irregular=("declarer", "result"))
    again, lost = _there_and_back(one, format)
    assert again.irregular == one.irregular or [what for what in lost if what.endswith(" irregular")]


def test_a_play_to_the_last_card_has_its_result_both_ways() -> None:
    """LIN tells results by claims alone: of thirteen tricks played it needs none, and says one that is not what was played."""
    whole = next(one for seed in range(200) if (one := board(seed)).play is not None and len(one.play.cards) == 52)
    again, _ = _there_and_back(whole, "lin")
    assert again.result == whole.result
    assert whole.result is not None
    other = replace(whole, result=(whole.result + 1) % 14)
    assert _there_and_back(other, "lin")[0].result == other.result


def test_of_two_auctions_the_one_that_says_something_is_read() -> None:
    """An empty tag before the real one hides nothing."""
    data = b'[Event "x"]\n[Dealer "N"]\n[Auction ""]\n[Auction "N"]\n1C Pass Pass Pass\n'
    found = engine().examine(data, "pbn").document.boards[0].auction
    assert found is not None
    assert [str(call) for call in found.plain] == ["1C", "Pass", "Pass", "Pass"]


def test_what_cannot_be_spelled_is_refused_with_its_reason() -> None:
    """Half a deal in a format of whole deals."""
    half = Deal(bytes([0] * 26 + [5] * 26))
    with pytest.raises(WriteError, match="not a whole deal"):
        engine().spell(Document((Board(number=1, deal=half),)), "ber")


def test_tags_have_room_for_what_has_no_name() -> None:
    """Pairs of any key hold the tags, tables and comments of a board, beside the terms that their keys mean; others do not."""
    known = engine()
    free = {"tags", "tables", "comments"}
    assert free <= set(terms_in(known.of(known.spec("pbn")).binder.board))
    assert not free & set(terms_in(known.of(known.spec("lin")).binder.board)) - {"comments"}
