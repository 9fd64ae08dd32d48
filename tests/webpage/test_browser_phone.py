"""Boards on a phone: at every turn every card that may be played is in view and large enough for a thumb; travellers fit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bridgespec.model.board import Board
from bridgespec.model.cards import Seat
from bridgespec.model.contract import Contract
from bridgespec.model.deal import Deal
from bridgespec.model.document import Document
from bridgespec.webpage import page
from tests.browsing import NEEDED, SIZES, Visit
from tests.webpage.running import made

pytestmark = NEEDED
PHONE = SIZES[1]
BARS = (390, 664)
"""The same phone, with its browser's bars."""
THUMB = 44
LONG = """[Board "1"]
[Deal "N:AKQJT98765432... .AKQJT98765432.. ..AKQJT98765432. ...AKQJT98765432"]

[Board "2"]
[Deal "N:AKQJT98765.4.3.2 432.AKQJT98765.. .32.AKQJT98765.4 ..42.AKQJT987653"]

[Board "3"]
[Deal "N:AKQJT9876.5432.. 5432.AKQJT9876.. ..AKQJT9876.5432 ..5432.AKQJT9876"]
"""

PLAY = """(thumb) => {
  const faults = [];
  for (let turn = 0; turn < 52; turn += 1) {
    const tiles = [...document.querySelectorAll("button.tile")];
    if (!tiles.length) { faults.push(`turn ${turn}: no card`); break; }
    for (const tile of tiles) {
      const { left, right, top, bottom } = tile.getBoundingClientRect();
      const seen = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
      const out = left < 0 || top < 0 || right > innerWidth || bottom > innerHeight;
      if (out) faults.push(`turn ${turn}: out of view, ${bottom}`);
      if (right - left < thumb || bottom - top < thumb) faults.push(`turn ${turn}: ${right - left} by ${bottom - top}`);
      if (!tile.contains(seen)) faults.push(`turn ${turn}: covered by ${seen?.className}`);
    }
    const steps = document.querySelector(".steps").getBoundingClientRect();
    if (steps.bottom > innerHeight) faults.push(`turn ${turn}: the buttons end at ${steps.bottom}`);
    const hands = [...document.querySelectorAll(".play .hand")].map((hand) => hand.getBoundingClientRect());
    const away = hands.some(({ top, bottom }) => top < 0 || bottom > innerHeight);
    if (hands.length !== 4 || away) faults.push(`turn ${turn}: a hand is out of view`);
    if (scrollY || document.documentElement.scrollWidth > innerWidth) faults.push(`turn ${turn}: scrolled`);
    tiles[(7 * turn) % tiles.length].click();
  }
  return [faults, document.querySelector(".status").textContent];
}"""
"""Plays a board to its end and lists what is wrong at any turn."""


def played(open_page: Any, keys: list[str]) -> list[str]:
    """What is wrong on boards that are played from the first card to the last by each declarer."""
    faults = []
    for key in keys:
        for declarer in Seat:
            open_page.evaluate(f"location.hash = '#boards'; location.hash = '#board={key}&card=0'")
            open_page.wait_for_selector(".choices")
            open_page.select_option("[data-keep=chooseDeclarer]", str(int(declarer)))
            found, status = open_page.evaluate(PLAY, THUMB)
            faults += [f"board {key} by {declarer}: {one}" for one in found]
            assert "The play is over" in status
    return faults


@pytest.mark.parametrize("size", [PHONE, BARS], ids=["screen", "bars"])
def test_every_card_is_in_view_at_every_turn(browser: Any, sixteen: Path, size: tuple[int, int]) -> None:
    """Sixteen boards, each declared by all four seats: at each of 52 turns each card that may be played lies wholly in view
    without scrolling, is 44 points wide and high and covered by nothing, and so do the four hands and the buttons."""
    visit = Visit(browser, size=size)
    visit.page.add_init_script("localStorage.setItem('bridgespec-page', '{\"worth\": false}')")
    open_page = visit.open(sixteen, "#board=1&card=0")
    assert not played(open_page, [str(number) for number in range(1, 17)])
    assert not visit.problems
    visit.context.close()


def test_suits_of_nine_and_more_are_in_view_too(browser: Any, tmp_path: Path) -> None:
    """Suits of nine to thirteen cards take further rows, and nothing leaves the screen."""
    (tmp_path / "long.pbn").write_text(LONG, "latin-1")
    visit = Visit(browser, size=PHONE)
    open_page = visit.open(made(tmp_path, tmp_path / "long.pbn"), "#board=1&card=0")
    assert not played(open_page, ["1", "2", "3"])
    assert not visit.problems
    visit.context.close()


def test_travellers_fit_a_phone(browser: Any, tmp_path: Path) -> None:
    """Results with contract, lead, score, IMPs, match points and long names are within the width, none behind a scroll bar,
    the best score of North and South first, or in the order of tables."""
    names = ("Wilhelmina Oosterhuis-de Vries", "N. N.", "Esther Bartholomew", "Maximilian Featherstone")
    deal = Deal.parse("N:T2.J965.T7532.63 AKQ874.AQ2.J8.A5 J65.743.AK4.KQ82 93.KT8.Q96.JT974")
    boards = tuple(
        Board(number=1, deal=deal, players=names, contract=Contract.parse(contract), declarer=seat, result=result)
        for contract, seat, result in (("4S", Seat.EAST, 11), ("3NTXX", Seat.NORTH, 2), ("6S", Seat.EAST, 11), ("Pass", None, None))
    )
    target = tmp_path / "boards.html"
    target.write_text(page([Document(boards)], "Travellers", "1"), "utf-8")
    visit = Visit(browser, size=PHONE)
    open_page = visit.open(target, "#board=1")
    reach = "(name) => Math.max(...[...document.querySelectorAll(name)].map((one) => one.getBoundingClientRect().right))"
    tables = open_page.locator(".results tbody th")
    assert tables.all_inner_texts() == ["3", "4", "1", "2"]
    assert open_page.evaluate(reach, ".results tr > *, .results td span") <= PHONE[0]
    assert open_page.evaluate("document.querySelector('.results .scroll').scrollWidth") <= PHONE[0]
    assert not visit.axe()
    open_page.get_by_role("button", name="Table").click()
    assert tables.all_inner_texts() == ["1", "2", "3", "4"]
    open_page.get_by_role("button", name="Score").click()
    assert tables.all_inner_texts() == ["3", "4", "1", "2"]
    assert not visit.problems
    visit.context.close()
