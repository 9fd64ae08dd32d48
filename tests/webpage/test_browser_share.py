"""Boards of a reader's own in a real browser: built, dealt, passed on by a link, and read from one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bridgespec.engines import engine
from tests.browsing import NEEDED, SCHEMES, SIZES, Visit, until
from tests.webpage.running import TILE

pytestmark = NEEDED
DEAL = "N:T2.J965.T7532.63 AKQ874.AQ2.J8.A5 J65.743.AK4.KQ82 93.KT8.Q96.JT974"


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("size", SIZES, ids=["wide", "narrow"])
def test_a_board_is_made_and_passed_on(browser: Any, sixteen: Path, scheme: str, size: tuple[int, int]) -> None:
    """A typed deal becomes a board with a link; the link shows the board and its play elsewhere, and what was left out is gone."""
    visit = Visit(browser, scheme, size)
    open_page = visit.open(sixteen, "#make")
    open_page.fill("#typed", "not a deal")
    open_page.get_by_role("button", name="Take it").click()
    assert "This is no deal" in open_page.inner_text(".making [role=status]")
    open_page.fill("#typed", DEAL)
    open_page.get_by_role("button", name="Take it").click()
    open_page.fill("#number", "5")
    assert not visit.axe()
    open_page.get_by_role("button", name="Show the board").click()
    until(open_page, "document.title.startsWith('Board 5')")
    open_page.click(".enter")
    open_page.locator(TILE).first.click()
    open_page.locator(".share summary").click()
    open_page.get_by_role("button", name="Link").click()
    assert not visit.axe()
    link = open_page.locator(".share textarea").text_content()
    assert link.startswith("file:")
    other = visit.context.new_page()
    other.goto(link)
    assert other.locator(".go").count() == 1
    assert other.title().startswith("Board 5")
    open_page.get_by_label("East", exact=True).check()
    open_page.get_by_role("button", name="Link").click()
    other.goto(open_page.locator(".share textarea").text_content())
    other.reload()
    assert other.locator(".diagram", has_text="not known").count() == 1
    open_page.get_by_role("button", name="PBN").click()
    text = open_page.locator(".share textarea").text_content()
    assert engine().examine(text.encode(), "pbn").document.boards[0].number == 5
    assert "AKQ874" not in text
    assert (
        open_page.get_by_role("link", name="BBO’s hand viewer")
        .get_attribute("href")
        .startswith("https://www.bridgebase.com/tools/")
    )
    open_page.evaluate("location.hash = '#boards'")
    until(open_page, "document.querySelectorAll('.index tbody tr').length === 16")
    assert not visit.problems
    visit.context.close()


def test_a_deal_is_built_card_by_card_and_by_a_condition(browser: Any, sixteen: Path) -> None:
    """Cards that are pressed go to the chosen hand and come back; the rest is dealt where a condition is satisfied, and a hand
    that is full passes the turn on."""
    visit = Visit(browser, size=SIZES[1])
    open_page = visit.open(sixteen, "#make")
    for card in range(13):
        open_page.click(f"[data-keep=give{card}]")
    assert open_page.locator("[aria-pressed=true]").inner_text().startswith("East")
    open_page.click("[data-keep=give13]")
    open_page.click("[data-keep=give13]")
    open_page.get_by_role("button", name="Show the board").click()
    assert "39 cards are not dealt yet" in open_page.inner_text(".making [role=status]")
    open_page.fill("#condition", "east: losers 3")
    open_page.get_by_role("button", name="Deal the rest").click()
    assert "many more" in open_page.inner_text(".making [role=status]")
    open_page.fill("#condition", "east: hearts 6 and hcp 12+")
    open_page.get_by_role("button", name="Deal the rest").click()
    open_page.get_by_role("button", name="Show the board").click()
    open_page.wait_for_selector(".diagram")
    north, east = (open_page.locator(f".diagram .{seat} .ranks").all_inner_texts() for seat in "NE")
    assert north == ["A K Q J 10 9 8 7 6 5 4 3 2", "–", "–", "–"]
    assert len(east[1].split()) == 6
    assert open_page.evaluate("document.documentElement.scrollWidth") <= SIZES[1][0]
    assert not visit.problems
    visit.context.close()


def test_a_link_without_a_board_is_said_to_be_bad(browser: Any, sixteen: Path) -> None:
    """A damaged link shows a sentence and the way to the page's own boards."""
    visit = Visit(browser)
    open_page = visit.open(sixteen, "#shared=e30x<b>")
    assert "no board that can be read" in open_page.inner_text("main")
    open_page.get_by_role("link", name="Boards", exact=True).click()
    until(open_page, "document.querySelectorAll('.index tbody tr').length === 16")
    assert not visit.problems
    visit.context.close()


def test_a_ten_is_spelled_as_the_reader_likes(browser: Any, sixteen: Path) -> None:
    """One tick changes every ten of the page, and the page keeps it."""
    visit = Visit(browser)
    open_page = visit.open(sixteen, "#board=1")
    assert "10" in open_page.inner_text(".diagram")
    open_page.get_by_label("T for ten").check()
    assert "10" not in open_page.locator(".diagram .ranks").all_inner_texts()[0] + open_page.inner_text(".diagram .E")
    open_page.reload()
    assert "J T 9" in open_page.inner_text(".diagram")
    assert not visit.problems
    visit.context.close()
