"""Values of LIN between formats: comments at their places, explanations, and what cannot be read. Public calls alone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from bridgespec.api import dumps, engine, loads
from bridgespec.codec.probe_boards import specimen
from bridgespec.diagnostic import Severity
from bridgespec.model.auction import Auction
from bridgespec.model.board import Board, Comment, Vulnerability
from bridgespec.model.cards import Card, Seat, Suit
from bridgespec.model.document import Document
from tests.cli.running import run

SAMPLES = Path(__file__).parents[1] / "samples"
LIN = sorted((SAMPLES / "lin").glob("*.lin"))
DEAL = "md|1SAKJ6542HJ753DK9C,ST7HADQJ732CKQJ63,SQ9HQT986DAT6CA82,S83HK42D854CT9754|"
FOUR = "mb|1S|mb|p|mb|4S|mb|p|mb|p|mb|p|"


def _one(text: str) -> Board:
    (board,) = loads(text.encode(), "lin").boards
    return board


def _there_and_back(document: Document, *formats: str) -> Document:
    """The document written in each format in turn, from its boards alone."""
    for format in formats:
        plain = Document(document.boards, document.event, document.site, document.date)
        document = loads(dumps(plain, format), format)
    return document


# --- what can be read


@pytest.mark.parametrize(("letter", "value"), [("b", "BOTH"), ("n", "NS"), ("e", "EW"), ("o", "NONE")])
def test_a_bar_too_many_takes_nothing_away(letter: str, value: str) -> None:
    """``sv|b||`` is both, and what follows is read."""
    board = _one(f"{DEAL}sv|{letter}||{FOUR}pc|HA||pc|H9|")
    assert board.vulnerability is Vulnerability[value]
    assert board.play is not None
    assert [str(card) for card in board.play.cards] == ["HA", "H9"]


def test_several_calls_in_one_command() -> None:
    """``mb|1nppp|`` is four calls; an alert is of the call that it follows, an explanation of the last."""
    board = _one(f"{DEAL}mb|1nppp|")
    assert board.auction is not None
    assert [str(call) for call in board.auction.plain] == ["1NT", "Pass", "Pass", "Pass"]
    assert board.auction.contract is not None
    alerted = _one(f"{DEAL}mb|1c!p1dd|an|support|mb|ppp|").auction
    assert alerted is not None
    assert [(str(made.call), made.alert, made.explanation) for made in alerted.calls[:4]] == [
        ("1C", True, None),
        ("Pass", False, None),
        ("1D", False, None),
        ("X", False, "support"),
    ]
    assert len(alerted.calls) == 7


def test_an_ending_of_one_suit_needs_no_letter() -> None:
    """Ranks alone are of the suit that the other hands hold; where those hold more than one, the hand is reported."""
    deal = _one("md|4H75,HAQ,HK3,JT|").deal
    assert deal is not None
    assert [str(card) for card in deal.cards(Seat.EAST)] == ["HJ", "HT"]
    report = engine().read(b"md|4H75,SAQ,HK3,JT|", "lin")
    assert [found.code for found in report.unread] == ["lin-value"]
    assert report.document.boards[0].deal is None


def test_a_card_that_is_none_keeps_its_place() -> None:
    """The cards after it are kept; who leads to the next trick is told by who was dealt the next card."""
    play = _one(f"{DEAL}{FOUR}pc|HA|pc|H9|pc|ZZ|pc|H3|pc|DQ|pc|D6|pc|D4|pc|DK|mc|10|").play
    assert play is not None
    assert [card and str(card) for trick in play.tricks for card in trick.cards] == ["HA", "H9", None, "H3", "DQ", "D6", "D4", "DK"]
    assert [trick.leader for trick in play.tricks] == [Seat.WEST, Seat.WEST]
    assert play.claim == 10
    again = _one(f"{DEAL}{FOUR}pc|ZZ|pc|H9|pc|H2|pc|H3|pc|SA|").play
    assert again is not None
    assert again.tricks[1].leader is Seat.SOUTH


# --- what cannot be read is reported


PBN = (
    '[Event "x"]\n[Board "2"]\n[Dealer "E"]\n[Vulnerable "Alles"]\n'
    '[Deal "N:Q9.QT986.AT6.A82 83.K42.854.T9754 AKJ6542.J753.K9. T7.A.QJ732.KQJ63"]\n[Auction "E"]\nPas 1S Pass 4S\n'
)


@pytest.mark.parametrize(
    ("name", "text", "unread"),
    [
        ("a.pbn", PBN, ["'Alles' is not a value of Vulnerable", "'Pas' is not a call"]),
        ("a.lin", f"{DEAL}sv|q|{FOUR}pc|HA|pc|ZZ|pc|YY|pc|H3|", ["'q' is not a value of sv", "'ZZ' is not a value of pc"]),
        ("a.lin", f"qx|A2|{DEAL}mb|?|", ["'A2' is not a value of qx", "'?' is not a call"]),
    ],
)
def test_conversion_reports_every_value_that_it_cannot_read(tmp_path: Path, name: str, text: str, unread: list[str]) -> None:
    """Whatever its severity, each kind once with its place and its count; --strict writes nothing and ends with status 1."""
    source = tmp_path / name
    source.write_bytes(text.encode())
    dest = tmp_path / "b.pbn"
    result = run("convert", source, dest)
    assert result.exit_code == 0, result.stderr
    assert dest.exists()
    assert all(what in result.stderr for what in unread), result.stderr
    assert result.stderr.count(f"--> {source}:") == len(unread)
    if "YY" in text:
        assert "(1 more value" in result.stderr
    dest.unlink()
    strict = run("convert", "--strict", source, dest)
    assert strict.exit_code == 1
    assert not dest.exists()
    assert "nothing was written" in strict.stderr


@pytest.mark.parametrize("path", LIN, ids=lambda path: path.name)
def test_a_file_without_unread_values_converts_without_a_word_of_them(path: Path, tmp_path: Path) -> None:
    """Converting a file whose values were all read reports no unread value."""
    result = run("convert", path, tmp_path / "a.pbn")
    assert result.exit_code == 0
    assert re.search(r"\d+ places? could", result.stderr) is None


# --- comments


VUGRAPH = (
    f"nt|first|{DEAL}sv|o|nt|a: before|mb|1S|nt|b: of a call|mb|p|mb|4S|mb|p|mb|p|mb|p|nt|c: after the auction|"
    "pc|HA|nt|d: !S and !h|pc|H9|pc|H2|pc|H3|pg||nt|e: after a trick|mc|10|nt|f: at the end|"
)
PLACED = [
    ("first", ()),
    ("a: before", ("auction",)),
    ("b: of a call", ("auction", 0)),
    ("c: after the auction", ("auction", 5)),
    ("d: \u2660 and \u2665", ("play", 0)),
    ("e: after a trick", ("play", 3)),
    ("f: at the end", ("play", 3)),
]


def test_a_comment_follows_what_stands_before_it() -> None:
    """It is of the board, of the auction, of a call or of a card; a comment after the claim is of the last card."""
    assert [(comment.text, comment.after) for comment in _one(VUGRAPH).comments] == PLACED


def test_comments_keep_their_places_in_pbn_and_back() -> None:
    """Each stands in PBN behind its call or card, in the standard's spelling of suits, and comes back to its place in LIN."""
    document = loads(VUGRAPH.encode(), "lin")
    output = engine().spell(document, "pbn")
    assert not output.findings
    assert b"HA {d: \\S and \\H}" in output.data
    assert b"1S {b: of a call}" in output.data
    report = engine().examine(output.data, "pbn")
    assert not [found for found in report.diagnostics if found.code.startswith("pbn")]
    back = engine().spell(loads(output.data, "pbn"), "lin")
    assert not back.findings
    assert b"mc|10|nt|e: after a trick|nt|f: at the end|" in back.data
    assert [(one.text, one.after) for one in loads(back.data, "lin").boards[0].comments] == PLACED


def test_comments_on_a_trick_led_by_another_seat_stay_on_their_cards() -> None:
    """In PBN columns are seats, in LIN cards stand as they fell."""
    text = f"{DEAL}{FOUR}pc|DQ|pc|D6|pc|D4|pc|DK|pc|SA|nt|of the ace|pc|S7|nt|of the seven|pc|S9|pc|S3|mc|10|"
    document = loads(text.encode(), "lin")
    data = dumps(document, "pbn")
    assert b"SA {of the ace}" in data
    assert b"S7 {of the seven}" in data
    assert loads(dumps(loads(data, "pbn"), "lin"), "lin").boards[0].comments == document.boards[0].comments


def test_a_comment_of_the_board_stays_with_its_board() -> None:
    """Written before the deal, where the record begins with another command."""
    boards = [replace(_one(f"{DEAL}{FOUR}"), comments=(Comment(text),), origin=None) for text in ("one", "two")]
    again = loads(dumps(Document(tuple(boards)), "lin"), "lin").boards
    assert [board.comments for board in again] == [(Comment("one"),), (Comment("two"),)]


@pytest.mark.parametrize("text", ["100% !s", "a %20 b", "{braces}", "\u2660\u2665\u2666\u2663", "a\\S", "\u20ac"])
def test_a_comment_of_any_text_comes_back_from_lin(text: str) -> None:
    """Whatever characters a comment of a call has, LIN gives them back."""
    board = replace(_one(f"{DEAL}{FOUR}"), comments=(Comment(text, ("auction", 1)),), origin=None)
    assert loads(dumps(Document((board,)), "lin"), "lin").boards[0].comments == board.comments


def test_a_comment_that_lin_cannot_spell_is_reported_and_changes_nothing_else() -> None:
    """A text with a bar and a command in it would be read as a command."""
    board = replace(_one(f"{DEAL}{FOUR}"), comments=(Comment("x|mb|2S", ("auction", 1)),), origin=None)
    output = engine().spell(Document((board,)), "lin")
    assert [found.message for found in output.findings] == ["lin cannot hold comments"]
    assert output.data == dumps(Document((replace(board, comments=()),)), "lin")


@pytest.mark.parametrize("path", [*LIN, SAMPLES / "lin" / "bad" / "movie-constructs.lin"], ids=lambda path: path.name)
def test_nothing_becomes_a_tag_that_pbn_has_not(path: Path) -> None:
    """What a LIN file has beyond the model is reported as lost: no tag of its name stands in the PBN file."""
    document = engine().examine(path.read_bytes(), "lin").document
    output = engine().spell(document, "pbn", partial=True)
    report = engine().examine(output.data, "pbn")
    assert not [found for found in report.diagnostics if found.code.startswith("pbn") and found.severity is not Severity.NOTE]
    assert not [board.tags for board in report.document.boards if board.tags]


def test_what_only_lin_has_is_reported() -> None:
    """A command with a value that no term is said by is counted by its name; one without a value says nothing."""
    found = engine().spell(loads(f"st||{DEAL}up|4|up|3|hs|sc|pg||".encode(), "lin"), "pbn").findings
    lost = [one.message for one in found]
    assert lost == ["pbn cannot hold the field up of lin (2 times)", "pbn cannot hold the field hs of lin"]


# --- explanations


def test_an_explanation_without_an_alert_comes_back_without_one() -> None:
    """PBN explains an alerted call by a note and another by a comment that its reader takes back."""
    document = loads(f"{DEAL}mb|1S|an|5+ !S, natural|mb|2D!|an|weak|mb|p!|mb|p|mb|p|".encode(), "lin")
    data = dumps(document, "pbn")
    assert b"1S {Explanation: 5+ \\S, natural}" in data
    assert b'[Note "1:weak"]' in data
    back = loads(data, "pbn").boards[0]
    assert back.comments == ()
    assert back.auction == document.boards[0].auction
    assert loads(dumps(loads(data, "pbn"), "lin"), "lin").boards[0].auction == document.boards[0].auction
    # Written and read once more it is the same text.
    assert dumps(replace(loads(data, "pbn"), origin=None), "pbn", canonical=True) == data


def test_a_format_with_notes_alone_reports_the_alert_that_it_adds() -> None:
    """RBN, which has notes and no alerts, reports that an explained call was not alerted."""
    document = loads(f"{DEAL}mb|1S|an|natural|mb|p|mb|p|mb|p|".encode(), "lin")
    lost = [found for found in engine().spell(document, "rbn").findings if found.message.endswith(" alerted")]
    assert [found.code for found in lost] == ["lost"]


# --- both ways


def _generated(seed: int) -> Board:
    """A board with comments and explanations in all the places that both formats have."""
    rng = Random(seed)
    board = replace(specimen(seed), tricks=None, par=None, score=None, scoring=None, site=None, date=None, round=None)
    assert board.auction is not None
    words = ["natural", "5+ \u2660", "a, b; c", "100%", "x! y?", "caf\u00e9", "p\u2665ss"]
    calls = [
        replace(made, mark=None, glyphs=(), irregular=False, alert=alert, explanation=rng.choice([None, *words]))
        for made, alert in ((made, rng.random() < 0.3) for made in board.auction.calls)
    ]
    contract, declarer = board.contract, board.declarer
    auction = Auction(tuple(calls), board.auction.first)
    places: list[tuple[str | int, ...]] = [(), ("auction",), *(("auction", turn) for turn in range(len(calls)))]
    if board.play is not None:
        board = replace(board, play=replace(board.play, notes=()))
        places += [("play", 4 * row + _column(board, row, turn)) for row, turn in _cards(board)]
    chosen = sorted(rng.sample(range(len(places)), min(len(places), 6)))
    comments = tuple(Comment(rng.choice(words), places[at]) for at in chosen)
    return replace(board, auction=auction, comments=comments, contract=contract, declarer=declarer)


def _cards(board: Board) -> Iterator[tuple[int, int]]:
    assert board.play is not None
    yield from ((row, turn) for row, trick in enumerate(board.play.tricks) for turn in range(len(trick.cards)))


def _column(board: Board, row: int, turn: int) -> int:
    assert board.play is not None
    return (board.play.tricks[row].leader + turn - board.play.tricks[0].leader) % 4


SAID = ("deal", "dealer", "vulnerability", "auction", "play", "effective_contract", "effective_declarer", "result", "players")


@pytest.mark.parametrize("formats", [("lin", "pbn", "lin"), ("pbn", "lin", "pbn")])
@pytest.mark.parametrize("seed", range(40))
def test_generated_boards_come_back_through_the_other_format(seed: int, formats: tuple[str, ...]) -> None:
    """Calls, alerts, explanations, cards and comments with their places."""
    board = _generated(seed)
    back = _there_and_back(Document((board,)), *formats).boards[0]
    for name in SAID:
        assert getattr(back, name) == getattr(board, name), name
    assert sorted(back.comments, key=str) == sorted(board.comments, key=str)


@pytest.mark.parametrize("path", LIN, ids=lambda path: path.name)
def test_lin_files_come_back_from_pbn(path: Path) -> None:
    """Every board of a sample."""
    document = loads(path.read_bytes(), "lin")
    back = _there_and_back(document, "pbn", "lin")
    for before, after in zip(document.boards, back.boards, strict=True):
        for name in ("deal", "effective_dealer", "effective_vulnerability", "auction", "effective_contract", "comments"):
            assert getattr(after, name) == getattr(before, name), name
        assert (after.play and after.play.tricks) == (before.play and before.play.tricks)


@pytest.mark.parametrize("path", sorted((SAMPLES / "pbn").glob("*.pbn")), ids=lambda path: path.name)
def test_pbn_files_come_back_from_lin(path: Path) -> None:
    """Every board of a sample."""
    document = loads(path.read_bytes(), "pbn")
    back = _there_and_back(document, "lin", "pbn")
    for before, after in zip(document.boards, back.boards, strict=True):
        for name in ("deal", "effective_dealer", "effective_vulnerability", "players"):
            assert getattr(after, name) == getattr(before, name), name
        assert (before.auction is None) == (after.auction is None)


def test_cards_of_the_sample_are_cards() -> None:
    """The hand without letters is of hearts."""
    document = loads((SAMPLES / "lin" / "several-in-one.lin").read_bytes(), "lin")
    deal = document.boards[1].deal
    assert deal is not None
    assert {Card(card).suit for card in deal.cards(Seat.EAST)} == {Suit.HEARTS}


# --- vugraph


def test_the_title_of_a_match_is_read_and_written() -> None:
    """Event, segment, scoring and teams of ``vg`` go to PBN and come back; carry-over, which PBN has not, is reported."""
    document = loads((SAMPLES / "lin" / "vugraph.lin").read_bytes(), "lin")
    assert document.event == "Spring Cup"
    assert {(board.round, board.scoring, board.teams) for board in document.boards} == {
        ("Round 11", "IMP", ("HOMETOWN", "VISITORS"))
    }
    assert [board.players[Seat.SOUTH] for board in document.boards] == ["S open", "S closed"]
    output = engine().spell(document, "pbn")
    assert [found.message for found in output.findings] == [
        "pbn cannot hold the field home score of lin",
        "pbn cannot hold the field visiting score of lin",
    ]
    for tag in (b'[Event "Spring Cup"]', b'[Round "Round 11"]', b'[Scoring "IMP"]'):
        assert output.data.count(tag) == 2
    back = dumps(loads(output.data, "pbn"), "lin")
    assert back.startswith(b"vg|Spring Cup,Round 11,I,1,1,HOMETOWN,,VISITORS|")
    assert loads(back, "lin").boards[0].scoring == "IMP"


@pytest.mark.parametrize(("spelled", "scoring"), [("I", "IMP"), ("P", "MP"), ("B", "BAM"), ("Cavendish", "Cavendish"), ("", None)])
def test_the_scoring_of_a_match(spelled: str, scoring: str | None) -> None:
    """Letters of LIN are the words of other formats; any other text is itself."""
    text = f"vg|E,1,{spelled},1,1,A,,B|\nqx|o1|{DEAL}sv|o|\n"
    board = _one(text)
    assert board.scoring == scoring
    written = dumps(replace(loads(text.encode(), "lin"), origin=None), "lin", canonical=True)
    assert f"vg|E,1,{spelled},1,1,A,,B|".encode() in written


def test_what_the_head_of_a_match_has_beside_the_model_is_reported() -> None:
    """Scores of the boards (``mp``) and the names of all (``pw``), where they give anything."""
    head = "vg|E,1,P,1,1,A,,B|\nrs|4SS=,|\npw|a,b,c,d|\nmp|-7.2,|\nbn|1|\npg||\n"
    document = loads(f"{head}qx|o1|{DEAL}sv|o|{FOUR}mc|10|".encode(), "lin")
    lost = [found.message for found in engine().spell(document, "pbn").findings]
    assert lost == ["pbn cannot hold the field pw of lin", "pbn cannot hold the field mp of lin"]
    empty = loads(f"{head.replace('-7.2', '').replace('a,b,c,d', ',,,')}qx|o1|{DEAL}sv|o|".encode(), "lin")
    assert not engine().spell(empty, "pbn").findings


@pytest.mark.parametrize("value", ["{key}", "{value!r}", "{key!r} {wanted}"])
def test_braces_of_a_value_are_not_filled_in(value: str) -> None:
    """The message quotes the value as the file has it."""
    report = engine().read(f"qx|o1|{DEAL}bn|{value}|pg||\n".encode(), "lin")
    (found,) = [one for one in report.diagnostics if one.code == "lin-value"]
    assert repr(value) in found.message
