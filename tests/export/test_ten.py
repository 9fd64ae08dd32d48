"""A ten is spelled by one setting wherever boards are shown to people, and never in a file of a format."""

from __future__ import annotations

from pathlib import Path

import pytest

from bridgespec.errors import UsageError
from bridgespec.export import EXPORTERS, _notebook
from bridgespec.export._ten import SETTING
from bridgespec.export.text import board_text
from bridgespec.model.board import Board
from bridgespec.model.cards import Card, Seat, Strain
from bridgespec.model.deal import Deal
from bridgespec.model.document import Document
from bridgespec.model.playing import play_of_cards
from bridgespec.webpage import texts
from tests.cli.running import run
from tests.told import numbers, quoted

DEAL = Deal.parse("N:T2.J965.T7532.63 AKQ874.AQ2.J8.A5 J65.743.AK4.KQ82 93.KT8.Q96.JT974")
BOARD = Board(deal=DEAL, play=play_of_cards([Card.parse("CJ"), Card.parse("C3")], Seat.WEST, Strain.SPADES))
SIXTEEN = Path(__file__).parent.parent / "samples" / "pbn" / "sixteen.pbn"


@pytest.mark.parametrize("spelled", ["T", "10"])
def test_one_setting_spells_every_ten(monkeypatch: pytest.MonkeyPatch, spelled: str) -> None:
    """Terminal text, drawings, pages of exporters, notebooks and the page of boards follow it; JSON does not."""
    monkeypatch.setenv(SETTING, spelled)
    document = Document((BOARD,))
    shown = [board_text(BOARD), str(_notebook.draw(DEAL)), str(_notebook.draw(DEAL["W"]))]
    shown += [EXPORTERS[name].dump(document).decode() for name in ("text", "svg", "html")]
    for text in shown:
        assert f"K{spelled}8" in text
    assert str(texts()["ranks"]).split()[4] == spelled
    assert "KT8" in EXPORTERS["json"].dump(document).decode()


def test_another_spelling_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Anything but T and 10 is an error of usage in one sentence, for commands too."""
    monkeypatch.setenv(SETTING, "X")
    with pytest.raises(UsageError, match="a ten is T or 10"):
        board_text(BOARD)
    done = run("show", SIXTEEN)
    assert done.exit_code == 2
    assert (SETTING in done.output, quoted(done.output), numbers(done.output)) == (True, ["X"], [10])
