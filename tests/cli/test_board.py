"""The command ``board``: what is stated becomes a board, in any form, and what makes no sense is refused in a sentence."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import bridgespec
from bridgespec.export import EXPORTERS
from bridgespec.model.board import Vulnerability
from bridgespec.model.cards import Seat
from bridgespec.model.document import Document
from tests.cli.running import run

DEAL = "N:QJ6.K652.J85.T98 873.J97.AT764.Q4 K5.T83.KQ9.A7652 AT942.AQ4.32.KJ3"
AUCTION = ("--dealer", "W", "--auction", "1S P 2S P P P")


@pytest.mark.parametrize("name", ["board.pbn", "board.lin"])
def test_a_board_with_auction_and_play_is_written(tmp_path: Path, name: str) -> None:
    """Deal, auction, contract, declarer, play, result and names are in the file as they were stated."""
    target = tmp_path / name
    stated = ("--number", "5", "--vul", "ns", "--play", "DJ DA DK D2", "--result", "8", "--players", "Wim,,Eva,Sue")
    done = run("board", "--deal", DEAL, *AUCTION, *stated, "-o", target)
    assert done.exit_code == 0, done.output
    (board,) = bridgespec.load(target).boards
    assert str(board.deal) == DEAL
    assert board.auction is not None
    assert [str(call) for call in board.auction.plain] == ["1S", "Pass", "2S", "Pass", "Pass", "Pass"]
    assert (str(board.effective_contract), board.effective_declarer) == ("2S", Seat.WEST)
    assert (board.effective_dealer, board.effective_vulnerability) == (Seat.WEST, Vulnerability.NS)
    assert board.play is not None
    assert [str(card) for card in board.play.cards] == ["DJ", "DA", "DK", "D2"]
    assert board.players == ("Wim", None, "Eva", "Sue")


def test_a_whole_play_gives_its_result() -> None:
    """The tricks of 52 cards are counted; the board is drawn where no place for it is named."""
    cards = " ".join(f"{suit}{rank}" for rank in "AKQJT98765432" for suit in "SHDC")
    hands = "AKQJT98765432... .AKQJT98765432.. ..AKQJT98765432. ...AKQJT98765432"
    done = run("board", "--deal", f"N:{hands}", "--contract", "7S by W", "--play", cards)
    assert done.exit_code == 0, done.output
    assert "(0 tricks)" in done.output
    assert "7♠ by West" in done.output


@pytest.mark.parametrize("suffix", ["svg", "html", "txt"])
def test_a_board_is_a_diagram_to_paste(tmp_path: Path, suffix: str) -> None:
    """By the name of its file it is a drawing, a page or text."""
    target = tmp_path / f"board.{suffix}"
    assert run("board", "--deal", DEAL, "--contract", "2S by W", "--result", "8", "-o", target).exit_code == 0
    text = target.read_text("utf-8")
    assert "AT942" in text
    assert "by West" in text


def test_a_picture_needs_its_extra(tmp_path: Path) -> None:
    """A PNG has two pixels for a unit of the drawing."""
    pytest.importorskip("resvg_py", reason="the extra png is not installed")
    target = tmp_path / "board.png"
    assert run("board", "--deal", DEAL, "-o", target).exit_code == 0
    data = target.read_bytes()
    assert data.startswith(b"\x89PNG")
    assert int.from_bytes(data[16:20]) == 920
    assert len(data) > 5000
    assert EXPORTERS["png"].dump(Document()).startswith(b"\x89PNG")


def test_without_its_extra_a_picture_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The message names the extra that brings the library, and nothing is written."""
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    target = tmp_path / "board.png"
    done = run("board", "--deal", DEAL, "-o", target)
    assert done.exit_code == 2
    assert "bridgespec[png]" in done.output
    assert not target.exists()


@pytest.mark.parametrize(
    ("stated", "message"),
    [
        ((), "state something of the board"),
        (("--deal", DEAL, "--play", "DJ"), "what is played? A play needs --contract or --auction"),
        (("--deal", DEAL, *AUCTION, "--play", "H3"), "card 1 (H3) of North is not allowed: not held"),
        (("--deal", DEAL, *AUCTION, "--play", "DJ DJ"), "a card is played twice"),
        (("--deal", DEAL, *AUCTION, "--play", "DJ S8"), "card 2 (S8) of East is not allowed: revoke"),
        (("--deal", DEAL, *AUCTION, "--play", "D"), "cards are a suit and a rank each"),
        (("--deal", DEAL, "--auction", "1S"), "who deals? An auction needs --dealer"),
        (("--deal", DEAL, "--dealer", "W", "--auction", "2S 1S"), "call 2 (1S) is not allowed"),
        (("--deal", DEAL, "--dealer", "Q"), "'Q' is not a seat"),
        (("--deal", DEAL, "--contract", "4S"), "who plays it?"),
        (("--deal", DEAL, "--players", "A,B"), "is not four names"),
        (("--deal", "N:AK"), "--deal"),
        (("--deal", DEAL, "--result", "14"), "14 is not in the range"),
    ],
)
def test_what_makes_no_sense_is_refused(tmp_path: Path, stated: tuple[str, ...], message: str) -> None:
    """Each is an error of usage in a sentence, and nothing is written."""
    target = tmp_path / "board.pbn"
    done = run("board", *stated, "-o", target)
    assert done.exit_code == 2
    assert message in " ".join(done.output.split())
    assert not target.exists()
