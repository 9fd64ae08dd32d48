"""What a reader finds out about boards: claims, hidden hands, best lines, tricks given away, chosen boards, travellers in order."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bridgespec.engines import engine
from bridgespec.model.cards import Seat, Strain
from bridgespec.model.deal import Deal
from bridgespec.solver import Position, Solver
from tests.browsing import NEEDED, SIZES, Visit, until
from tests.webpage.running import MATCH, SAMPLES, TILE, made, needs_match, shown

pytestmark = NEEDED
OVER = "document.querySelector('.status').textContent.includes('The play is over')"


def deal_of(number: int) -> Deal:
    """The deal of a board of sixteen.pbn."""
    deal = engine().examine((SAMPLES / "pbn" / "sixteen.pbn").read_bytes(), "pbn").document.boards[number - 1].deal
    assert deal is not None
    return deal


def test_a_claim_is_compared_with_the_best_defence(browser: Any, sixteen: Path) -> None:
    """Board 1 in spades by East is ten tricks: eleven cannot be claimed, ten end the play, and a step back undoes the claim."""
    tricks = Solver(memory_mb=16).table(deal_of(1)).get(Strain.SPADES, Seat.EAST)
    assert tricks == 10
    visit = Visit(browser)
    open_page = visit.open(sixteen, "#board=1&card=0")
    open_page.select_option("[data-keep=chooseContract]", "1")
    open_page.select_option("[data-keep=chooseDeclarer]", str(int(Seat.EAST)))
    open_page.locator(TILE).first.click()
    open_page.select_option("[data-keep=claimed]", "11")
    open_page.click("[data-keep=claim]")
    until(open_page, "document.querySelector('.bar .note')?.textContent.includes('cannot be claimed: the best defence leaves 10')")
    assert not open_page.evaluate(OVER)
    open_page.select_option("[data-keep=claimed]", "10")
    open_page.click("[data-keep=claim]")
    until(open_page, OVER)
    assert "Declarer made 10" in open_page.inner_text(".status")
    assert "The claim holds" in open_page.inner_text(".bar .note")
    open_page.click("[data-keep=undo]")
    assert not open_page.evaluate(OVER)
    assert not visit.axe()
    assert not visit.problems
    visit.context.close()


@pytest.mark.parametrize(("view", "seats"), [(1, "ew"), (2, "s"), (3, "n")], ids=["declarer", "leader", "partner"])
def test_hidden_hands_are_played_by_the_page(browser: Any, sixteen: Path, view: int, seats: str) -> None:
    """Whoever plays one side sees its hands and dummy alone; the page's cards give nothing away, and the end is compared
    with double dummy."""
    visit = Visit(browser, size=SIZES[1])
    open_page = visit.open(sixteen, "#board=1&card=0")
    open_page.select_option("[data-keep=chooseContract]", "1")
    open_page.select_option("[data-keep=chooseDeclarer]", str(int(Seat.EAST)))
    open_page.select_option("[data-keep=youPlay]", str(view))
    for turn in range(60):
        until(open_page, f"{OVER} || document.querySelector('{TILE}')")
        if open_page.evaluate(OVER):
            break
        own = open_page.locator(".hand.turn").get_attribute("class").split()[1].lower()
        assert own in seats
        names = open_page.eval_on_selector_all(".hand:has(.holding)", "hands => hands.map(one => one.className)")
        visible = {name.split()[1].lower() for name in names}
        assert visible == set(seats) | ({"w"} if turn or view != 2 else set())
        assert not open_page.locator(".tile small").filter(has_text="1").count()
        assert not open_page.locator(".double-dummy").is_visible()
        open_page.locator(TILE).last.click()
    assert open_page.evaluate(OVER)
    assert open_page.locator(".hand:has(.holding)").count() == 4
    until(open_page, "document.querySelector('.status').textContent.includes('Double dummy: 10')")
    assert open_page.locator(".double-dummy").is_visible()
    until(open_page, "!document.querySelector('.record .progress')")
    gave = open_page.locator(".lost li").all_inner_texts()
    letters = {"West": "w", "North": "n", "East": "e", "South": "s"}
    assert {letters[text.split("’")[0].split()[-1]] for text in gave} <= set(seats) | ({"w"} if view == 1 else set())
    assert not visit.problems
    visit.context.close()


def test_the_best_line_and_playing_on_reach_double_dummy(browser: Any, sixteen: Path) -> None:
    """The best line lies ahead to the last card and gives no trick away; playing on goes along it by itself until it is stopped."""
    visit = Visit(browser)
    open_page = visit.open(sixteen, "#board=1&card=0")
    open_page.select_option("[data-keep=chooseContract]", "1")
    open_page.select_option("[data-keep=chooseDeclarer]", str(int(Seat.EAST)))
    open_page.click("[data-keep=bestLine]")
    until(open_page, "document.querySelectorAll('.played .go.ahead').length === 52")
    assert not open_page.locator(".go sup").count()
    open_page.click("[data-keep=autoplay]")
    until(open_page, "document.querySelectorAll('.played .go.ahead').length < 50")
    open_page.click("[data-keep=stop]")
    stopped = open_page.locator(".played .go.ahead").count()
    open_page.wait_for_timeout(1500)
    assert open_page.locator(".played .go.ahead").count() == stopped
    open_page.click("[data-keep=end]")
    until(open_page, "document.querySelector('.status').textContent.includes('Declarer made 10. Double dummy: 10')")
    assert not visit.problems
    visit.context.close()


def test_opening_leads_of_a_contract_chosen_by_hand(browser: Any, sixteen: Path) -> None:
    """The leads are those of the hand on declarer's left with the native solver's results, whoever is chosen to declare."""
    visit = Visit(browser)
    open_page = visit.open(sixteen, "#board=4&card=0")
    for declarer, leader in ((Seat.WEST, "North"), (Seat.SOUTH, "West")):
        open_page.select_option("[data-keep=chooseContract]", "3")
        open_page.select_option("[data-keep=chooseDeclarer]", str(int(declarer)))
        until(open_page, f"document.querySelector('.leads p')?.textContent.startsWith('{leader} leads against')")
        found = [row.split()[0] for row in open_page.locator(".leadtable tr").all_inner_texts()]
        groups = Solver(memory_mb=16).cards(Position.opening(deal_of(4), Strain.DIAMONDS, declarer))
        assert found == [str(13 - worth) for worth in sorted({group.tricks for group in groups}, reverse=True)]
    assert not visit.problems
    visit.context.close()


def test_a_stroke_turns_boards_and_cards(browser: Any, sixteen: Path) -> None:
    """A finger moved to the left leads to the next board, to the right back, and while playing one card on or back; what
    scrolls by itself, and a stroke up or down, turns nothing."""
    visit = Visit(browser, size=SIZES[1])
    open_page = visit.open(sixteen, "#board=3")
    stroke = """([where, across, along]) => {
      const target = document.querySelector(where);
      const touch = (x, y) => new Touch({ identifier: 1, target, clientX: x, clientY: y });
      const tell = (name, fields) => target.dispatchEvent(new TouchEvent(name, { bubbles: true, ...fields }));
      tell("touchstart", { touches: [touch(200, 300)], changedTouches: [touch(200, 300)] });
      tell("touchend", { touches: [], changedTouches: [touch(200 + across, 300 + along)] });
    }"""
    open_page.evaluate(stroke, [".diagram", -120, 10])
    until(open_page, "document.title.startsWith('Board 4 ')")
    open_page.evaluate(stroke, [".diagram", 120, -30])
    until(open_page, "document.title.startsWith('Board 3 ')")
    for across, along in ((-40, 0), (-100, 90)):
        open_page.evaluate(stroke, [".diagram", across, along])
    open_page.evaluate(stroke, [".turns select", -120, 0])
    open_page.wait_for_timeout(200)
    assert open_page.title().startswith("Board 3 ")
    open_page.click(".enter")
    open_page.locator(TILE).first.click()
    open_page.evaluate(stroke, [".play", 120, 0])
    assert open_page.locator(".go.ahead").count() == 1
    assert open_page.title().startswith("Board 3 ")
    assert not visit.problems
    visit.context.close()


@needs_match
def test_the_tricks_of_a_session(browser: Any, tmp_path: Path) -> None:
    """Over a match, the cards that gave tricks away are those of the native solver, for everybody and for one player; each
    leads to its board, with the table and card."""
    expected: dict[str, int] = {}
    total = 0
    boards = engine().examine(MATCH.read_bytes(), "pbn").document.boards
    solver = Solver(memory_mb=64)
    for board in boards:
        if board.deal is None or board.contract is None or board.play is None or board.declarer is None or not board.contract.level:
            continue
        for one in solver.trace(Position.opening(board.deal, board.contract.strain, board.declarer), board.play.cards).cards:
            if one.cost:
                total += one.cost
                name = board.players[one.seat]
                expected[str(name)] = expected.get(str(name), 0) + one.cost
    visit = Visit(browser, size=SIZES[1])
    open_page = visit.open(made(tmp_path, MATCH), "#lost")
    until(open_page, "!document.querySelector('[role=status]').textContent.includes('Weighing')")
    assert f"{total} tricks given away" in open_page.inner_text("[role=status]")
    assert sum(map(int, open_page.locator(".losses td.n").all_inner_texts())) == total > 10
    name = max(expected, key=lambda one: expected[one])
    open_page.select_option("main select", label=name)
    assert open_page.inner_text("[role=status]").startswith(f"{expected[name]} trick")
    assert open_page.evaluate("document.documentElement.scrollWidth") <= SIZES[1][0]
    assert not visit.axe()
    open_page.locator(".gifts a").last.click()
    open_page.wait_for_selector(".diagram.play")
    assert "card=" in open_page.url
    shown(open_page)
    assert not visit.problems
    visit.context.close()


@needs_match
def test_boards_are_filtered_and_ordered(browser: Any, tmp_path: Path) -> None:
    """Words narrow the list to the boards that have all of them, kinds to what was bid and made, and orders sort it."""
    visit = Visit(browser)
    open_page = visit.open(made(tmp_path, MATCH))
    rows = open_page.locator(".index tbody tr")
    every = rows.count()
    assert every == 16
    orders, kinds = open_page.get_by_label("Order"), open_page.get_by_label("Which boards")
    orders.select_option("orderSwing")
    swings = [max(int(part) for part in [cell or "0" for cell in row.split("\t")[-2:]]) for row in rows.all_inner_texts()]
    assert swings == sorted(swings, reverse=True)
    kinds.select_option("kindSlams")
    assert 0 < rows.count() < every
    assert all("6" in row or "7" in row for row in rows.all_inner_texts())
    kinds.select_option("kindAll")
    open_page.get_by_label("Find").fill("south 3nt")
    assert 0 < rows.count() < every
    open_page.get_by_label("Find").fill("<b>nobody</b>")
    assert open_page.inner_text("main [role=status]") == "No board is like that."
    assert not visit.axe()
    assert not visit.problems
    visit.context.close()
