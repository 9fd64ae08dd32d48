"""The page in a real browser, opened from the disk without a network: seen, reached by keyboard, printed."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from bridgespec.cli.app import app
from bridgespec.engines import engine
from bridgespec.export.json import tree
from bridgespec.model.board import Board, Comment
from bridgespec.model.cards import Seat, Strain
from bridgespec.model.contract import Contract
from bridgespec.model.document import Document
from bridgespec.solver import Solver
from bridgespec.webpage import page, texts
from bridgespec.webpage.scripts import STATIC, bundle
from tests.browsing import NEEDED, SCHEMES, SIZES, Visit, until
from tests.webpage.running import MATCH, SAMPLES, TILE, made, needs_match, shown

pytestmark = NEEDED
PHONE = SIZES[1]
SHEET = (726, 1054)
"""A4 between its margins, in CSS pixels."""


DROP = """([name, text]) => {
  const data = new DataTransfer();
  data.items.add(new File([text], name));
  document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
}"""


@pytest.mark.parametrize("size", SIZES, ids=["wide", "narrow"])
def test_a_file_is_opened_in_the_page(browser: Any, sixteen: Path, size: tuple[int, int]) -> None:
    """Chosen, dropped or pasted: its boards stand in place of the page's own, with what is wrong with it, without a network."""
    visit = Visit(browser, size=size)
    open_page = visit.open(sixteen, "#open")
    assert "Nothing leaves this machine" in open_page.inner_text("main")
    assert not visit.axe()
    open_page.set_input_files("#files", [str(SAMPLES / "lin" / "match.lin")])
    until(open_page, "document.querySelector('.opened') && document.title.includes('match.lin')")
    assert "32 boards. Read here as BBO LIN" in open_page.inner_text(".opened")
    text = (SAMPLES / "lin" / "read-plus-alerts-claim.lin").read_text("latin-1")
    open_page.evaluate(DROP, ["dropped.lin", text.replace("mb|p|", "mb|zz|", 1)])
    until(open_page, "document.title.includes('dropped.lin')")
    assert "1 finding" in open_page.inner_text(".opened")
    open_page.click(".opened summary")
    assert "lin-value" in open_page.inner_text(".opened")
    assert not visit.axe()
    open_page.goto(f"{sixteen.as_uri()}#open")
    open_page.fill("#pasted", (SAMPLES / "pbn" / "sixteen.pbn").read_text("latin-1"))
    open_page.click(".view-open button.enter")
    until(open_page, "document.querySelectorAll('.index tbody tr').length === 16")
    assert "Portable Bridge Notation" in open_page.inner_text(".opened")
    assert not visit.problems
    visit.context.close()


LONG = """[Event "Long suits"]
[Board "1"]
[Dealer "N"]
[Vulnerable "None"]
[Deal "N:AKQJT98765432... .AKQJT98765432.. ..AKQJT98765432. ...AKQJT98765432"]

[Board "2"]
[Dealer "E"]
[Vulnerable "All"]
[Deal "N:.AK.AKQJ765.AKQJ 2..T98432.T98765 AKQJT987654.32.. 3.QJT987654..432"]
"""
REACH = """() => [...document.querySelectorAll(".handrecord")].flatMap((one) => {
  const table = one.querySelector(".tricks")?.getBoundingClientRect();
  const edge = (hand) => { const range = document.createRange(); range.selectNodeContents(hand);
    return Math.max(...[...range.getClientRects()].map((box) => box.right)); };
  const hand = (seat) => one.querySelector(`.hand.${seat}`);
  const below = !table || table.top >= hand("S").getBoundingClientRect().bottom - 1;
  const right = one.getBoundingClientRect().right;
  const south = edge(hand("S")) - (below ? right : table.left);
  return [south, edge(hand("W")) - hand("E").getBoundingClientRect().left, edge(hand("E")) - right];
})"""


@pytest.mark.parametrize("size", [*SIZES, SHEET], ids=["wide", "narrow", "paper"])
def test_long_suits_do_not_reach_into_what_stands_beside_them(browser: Any, tmp_path: Path, size: tuple[int, int]) -> None:
    """Of hand records with suits of nine to thirteen cards none covers the table, another hand, or the border."""
    (tmp_path / "long.pbn").write_text(LONG, "latin-1")
    visit = Visit(browser, size=size)
    open_page = visit.open(made(tmp_path, tmp_path / "long.pbn", options=["--solve"]), "#records")
    if size == SHEET:
        open_page.emulate_media(media="print")
    assert max(open_page.evaluate(REACH)) <= 0
    visit.context.close()


def test_a_file_without_boards_is_said_to_have_none(browser: Any, sixteen: Path) -> None:
    """Text that is of no format leaves the page as it is."""
    visit = Visit(browser)
    open_page = visit.open(sixteen, "#open")
    open_page.fill("#pasted", "nothing of the kind <b>here</b>")
    open_page.click(".view-open button.enter")
    until(open_page, "document.querySelector('[role=status]').textContent.includes('no boards')")
    assert not visit.problems
    visit.context.close()


@needs_match
def test_a_match_shows_both_rooms_and_its_score(browser: Any, tmp_path: Path) -> None:
    """The rooms stand side by side with score and IMPs, the list adds them up, and the lost tricks are named."""
    visit = Visit(browser)
    source = made(tmp_path, MATCH)
    open_page = visit.open(source)
    assert open_page.locator("tfoot").inner_text().split() == ["Total", "17", "39"]
    open_page = visit.open(source, "#board=2")
    rows = open_page.locator(".results tbody tr")
    assert [rows.nth(index).inner_text().split("\t")[:1] for index in range(2)] == [["Open"], ["Closed"]]
    assert "+5" in rows.nth(0).inner_text()
    assert open_page.locator(".auction").count() == 2
    open_page.wait_for_selector(".lost li")
    assert "West’s ♥9 gave 1 trick away" in open_page.locator(".lost").inner_text()
    open_page.locator(".results tbody a").nth(1).click()
    open_page.wait_for_selector(".results tr.selected:nth-child(2)")
    assert "table=2" in open_page.url
    assert not visit.problems
    visit.context.close()


def test_a_board_without_a_table_is_solved_in_the_page(browser: Any, match: Path) -> None:
    """The table and par that the page works out are the native solver's, for a board and for the hand records."""
    board = engine().examine((SAMPLES / "lin" / "match.lin").read_bytes(), "lin").document.boards[0]
    assert board.deal is not None
    table = Solver(memory_mb=64).table(board.deal)
    visit = Visit(browser)
    open_page = visit.open(match, "#board=1")
    open_page.wait_for_selector(".double-dummy .dd")
    rows = [row.split("\t") for row in open_page.locator(".double-dummy .dd tbody tr").all_inner_texts()]
    assert rows == [[seat.letter, *(str(table.get(strain, seat)) for strain in Strain)] for seat in map(Seat, (1, 3, 2, 0))]
    open_page = visit.open(match, "#records")
    until(open_page, "document.querySelectorAll('.handrecord .dd').length === 16")
    assert not visit.problems
    visit.context.close()


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("size", SIZES, ids=["wide", "narrow"])
def test_axe_finds_nothing(browser: Any, sixteen: Path, bid: Path, match: Path, scheme: str, size: tuple[int, int]) -> None:
    """Contrast, names, landmarks and all else that axe-core checks are right in every view, two-coloured and four-coloured."""
    visit = Visit(browser, scheme, size)
    found = []
    views = [(sixteen, fragment) for fragment in ("", "#board=2", "#board=2&card=0", "#records")]
    for source, fragment in (*views, (bid, "#card=5"), (match, "")):
        open_page = visit.open(source, fragment)
        open_page.reload()
        if fragment.endswith("card=0"):
            shown(open_page)
        open_page.get_by_label("Four colours").check()
        found += [f"{source.parent.name}{fragment}: {one}" for one in visit.axe()]
    assert not found, "\n".join(found)
    assert not visit.problems
    visit.context.close()


def test_no_view_is_wider_than_a_phone(browser: Any, sixteen: Path, bid: Path, match: Path) -> None:
    """On a phone no view scrolls sideways as a whole, and a card is large enough for a finger."""
    visit = Visit(browser, size=PHONE)
    for source in (sixteen, bid, match):
        for fragment in ("", "#board=2", "#board=2&card=0", "#records"):
            open_page = visit.open(source, fragment)
            open_page.reload()
            assert open_page.evaluate("document.documentElement.scrollWidth") <= PHONE[0], (source, fragment)
    open_page = visit.open(sixteen, "#board=2&card=0")
    open_page.reload()
    shown(open_page)
    box = open_page.locator(TILE).first.bounding_box()
    assert box["width"] >= 24
    assert box["height"] >= 24
    visit.context.close()


@pytest.mark.parametrize(("medium", "size"), [("screen", SIZES[0]), ("screen", PHONE), ("print", SHEET)])
def test_nothing_overlaps_in_a_hand_record(browser: Any, sixteen: Path, medium: str, size: tuple[int, int]) -> None:
    """In every record the hands, the points and the table stand clear of each other, on the screen and on paper."""
    boxes = """() => [...document.querySelectorAll(".handrecord")].map((record) => {
      const range = document.createRange();
      return [...record.querySelectorAll(".hand, .hcps, .tricks, .head, .parline")].map((part) => {
        range.selectNodeContents(part);
        const { left, right, top, bottom } = range.getBoundingClientRect();
        return { left, right, top, bottom };
      });
    })"""
    visit = Visit(browser, size=size)
    open_page = visit.open(sixteen, "#records")
    open_page.emulate_media(media=medium)
    records = open_page.evaluate(boxes)
    assert len(records) == 16
    for number, parts in enumerate(records, 1):
        for index, one in enumerate(parts):
            for other in parts[index + 1 :]:
                beside = one["right"] <= other["left"] + 1 or other["right"] <= one["left"] + 1
                above = one["bottom"] <= other["top"] + 4 or other["bottom"] <= one["top"] + 4
                assert beside or above, (number, one, other)
    visit.context.close()


def test_the_keyboard_does_all_of_it(browser: Any, sixteen: Path) -> None:
    """Arrows turn boards and cards, Tab and Enter play a card and go on at the next hand, links open what they name."""
    visit = Visit(browser)
    open_page = visit.open(sixteen, "#board=3")
    open_page.keyboard.press("ArrowRight")
    until(open_page, "document.title.startsWith('Board 4 ')")
    open_page.keyboard.press("ArrowLeft")
    until(open_page, "document.title.startsWith('Board 3 ')")
    open_page.locator(".enter").focus()
    open_page.keyboard.press("Enter")
    shown(open_page)
    seats = []
    for _ in range(5):
        assert open_page.evaluate(f"document.activeElement.matches('{TILE}')")
        seats.append(open_page.locator(".hand.turn b").inner_text())
        open_page.keyboard.press("Enter")
    assert seats[:4] == ["East", "South", "West", "North"]
    assert "plays the" in open_page.locator(".playing [role=status]").inner_text()
    assert "line=" in open_page.url
    open_page.keyboard.press("ArrowLeft")
    open_page.keyboard.press("Home")
    assert open_page.locator(".hand.turn b").inner_text() == "East"
    assert not visit.problems
    visit.context.close()


def test_a_link_leads_to_a_line_of_play(browser: Any, sixteen: Path) -> None:
    """What was played stands in the link, and the link shows it again; undo and go to trick move in it."""
    visit = Visit(browser)
    open_page = visit.open(sixteen, "#board=3&card=0")
    for _ in range(6):
        open_page.locator(TILE).first.click()
    link = open_page.url
    again = visit.context.new_page()
    again.goto(link)
    assert again.locator(".status b").inner_text() == "Trick 2"
    assert again.locator(".played .go").count() == 6
    again.get_by_label("One trick back").click()
    again.get_by_label("One card back").click()
    assert again.locator(".status b").inner_text() == "Trick 1"
    again.locator(".played .go").nth(5).click()
    assert again.locator(".status b").inner_text() == "Trick 2"
    assert not visit.problems
    visit.context.close()


def test_hostile_texts_stay_texts(browser: Any, tmp_path: Path) -> None:
    """Texts that look like markup are read as they stand, in every place, and run nothing."""
    hostile = "<img src=x onerror=alert(1)></script><script>alert(2)</script>"
    deal = engine().examine((SAMPLES / "pbn" / "sixteen.pbn").read_bytes(), "pbn").document.boards[0].deal
    board = Board(
        number=1, deal=deal, event=hostile, room=hostile, players=(hostile,) * 4, teams=(hostile, hostile), par=hostile,
        contract=Contract.parse("4S"), declarer=Seat.WEST, result=10, comments=(Comment(hostile),),
    )  # fmt: skip
    target = tmp_path / "hostile.html"
    target.write_text(page([Document((board, board))], hostile, "1"), "utf-8")
    visit = Visit(browser)
    visit.page.on("dialog", lambda dialog: visit.problems.append(dialog.message))
    for fragment in ("#boards", "#board=1", "#board=1&card=3", "#records"):
        open_page = visit.open(target, fragment)
        open_page.reload()
        assert hostile in open_page.inner_text("body")
        assert open_page.locator("img, main script").count() == 0
    assert not visit.problems
    visit.context.close()


def test_another_page_shows_one_board(browser: Any, tmp_path: Path) -> None:
    """The way in for other pages draws a board into an element of theirs, and takes it away again."""
    script = bundle(STATIC / "embed.js")
    module = re.findall(r"^const (module\d+) =", script, re.MULTILINE)[-1]
    board = tree(engine().examine((SAMPLES / "pbn" / "sixteen.pbn").read_bytes(), "pbn").document)["boards"][0]
    target = tmp_path / "other.html"
    target.write_text("<!DOCTYPE html><title>Other</title><div id=here></div>", "utf-8")
    visit = Visit(browser)
    open_page = visit.open(target)
    show = f"window.gone = {module}.renderBoard(document.getElementById('here'), board, texts);"
    open_page.evaluate(f"([board, texts]) => {{ {script}\n{show} }}", [board, dict(texts())])
    assert open_page.locator("#here .diagram .hand").count() == 4
    open_page.evaluate("window.gone()")
    assert open_page.locator("#here *").count() == 0
    assert not visit.problems
    visit.context.close()


@pytest.mark.parametrize(("paper", "size"), [("A4", "595 842"), ("letter", "612 792")])
def test_hand_records_print_eight_to_a_page(browser: Any, tmp_path: Path, paper: str, size: str) -> None:
    """Sixteen boards are two pages of the paper that was asked for."""
    target = tmp_path / "records.pdf"
    done = CliRunner().invoke(app, ["page", str(SAMPLES / "pbn" / "sixteen.pbn"), "--pdf", str(target), "--paper", paper])
    assert done.exit_code == 0, done.output
    data = target.read_bytes()
    assert data.startswith(b"%PDF")
    boxes = [tuple(round(float(part)) for part in box.split()) for box in re.findall(rb"/MediaBox\s*\[([^\]]*)\]", data)]
    assert boxes == [(0, 0, *map(int, size.split()))] * 2


@pytest.mark.parametrize(("sheets", "pages"), [("travellers", 16), ("curtain", 8), ("duplication", 2)])
@pytest.mark.parametrize(("paper", "size"), [("A4", "595 842"), ("letter", "612 792")])
def test_further_sheets_are_printed(tmp_path: Path, sheets: str, pages: int, paper: str, size: str) -> None:
    """Each board with its results on one sheet, two boards of curtain cards or eight to duplicate on another, on both papers."""
    target = tmp_path / "sheets.pdf"
    source = str(SAMPLES / "pbn" / "sixteen.pbn")
    done = CliRunner().invoke(app, ["page", source, "--pdf", str(target), "--sheets", sheets, "--paper", paper])
    assert done.exit_code == 0, done.output
    boxes = re.findall(rb"/MediaBox\s*\[([^\]]*)\]", target.read_bytes())
    assert [tuple(round(float(part)) for part in box.split()) for box in boxes] == [(0, 0, *map(int, size.split()))] * pages


@pytest.mark.parametrize("sheets", ["curtain", "duplication"])
def test_closed_sheets_show_hands_alone(browser: Any, tmp_path: Path, sheets: str) -> None:
    """Curtain cards and duplication sheets have every card once and neither results, points, par nor double dummy; nothing
    is cut off by the border of its board on paper."""
    visit = Visit(browser, size=SHEET)
    (tmp_path / "long.pbn").write_text(LONG, "latin-1")
    open_page = visit.open(made(tmp_path, SAMPLES / "lin" / "match.lin", tmp_path / "long.pbn"), f"#{sheets}")
    open_page.emulate_media(media="print")
    assert not open_page.locator(".sheets").locator(".dd, .parline b, .hcps, .results, .traveller").count()
    text = open_page.inner_text(".sheets")
    assert "4♠" not in text
    cards = re.sub(r"^.*(?:Dealer|Vul|North|South|East|West).*$", "", text, flags=re.MULTILINE)
    assert len(re.findall(r"[AKQJ2-9]|10", cards)) >= 18 * 52
    cut = """() => [...document.querySelectorAll("article")].map((one) => {
      const range = document.createRange();
      range.selectNodeContents(one);
      const inner = range.getBoundingClientRect();
      const outer = one.getBoundingClientRect();
      return Math.max(inner.bottom - outer.bottom, inner.right - outer.right);
    })"""
    assert max(open_page.evaluate(cut)) <= 0
    open_page.emulate_media(media="screen")
    assert not visit.axe()
    assert not visit.problems
    visit.context.close()


def test_no_record_is_printed_without_its_double_dummy(browser: Any, match: Path) -> None:
    """Until every board is solved the browser's own print gives a notice instead; the page's button solves first, then prints."""
    visit = Visit(browser)
    count = "document.querySelectorAll('.dd').length"
    visit.page.add_init_script(f"window.printed = []; window.print = () => printed.push({count});")
    open_page = visit.open(match)
    data = open_page.pdf(format="A4")
    assert len(re.findall(rb"/Type\s*/Page\b", data)) == 1
    open_page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert "16 boards have not been solved yet" in open_page.locator(".forprint").inner_text()
    assert not open_page.locator(".forprint .handrecord").count()
    open_page.evaluate("dispatchEvent(new Event('afterprint'))")
    open_page = visit.open(match, "#records")
    open_page.get_by_role("button", name="Print").click()
    until(open_page, "printed.length === 1")
    assert open_page.evaluate("printed") == [16]
    open_page.get_by_role("link", name="Boards with travellers").click()
    open_page.wait_for_selector(".one .handrecord .dd")
    assert not visit.axe()
    assert not visit.problems
    visit.context.close()


def test_printing_another_view_prints_hand_records(browser: Any, sixteen: Path) -> None:
    """The browser's own print gives the records from the list too, and the page is as before afterwards."""
    visit = Visit(browser)
    open_page = visit.open(sixteen)
    before = open_page.locator("main").inner_text()
    data = open_page.pdf(format="A4")
    assert len(re.findall(rb"/Type\s*/Page\b", data)) == 2
    assert open_page.locator("main").inner_text() == before
    visit.context.close()


def test_every_format_opens_without_a_fault(browser: Any, tmp_path: Path) -> None:
    """Boards of every format, whole deals and endings, layouts and unknown hands, are listed, shown and laid out to print."""
    visit = Visit(browser)
    target = tmp_path / "boards.html"
    opened = 0
    for folder in sorted(path for path in SAMPLES.iterdir() if path.is_dir()):
        for sample in sorted(path for path in folder.iterdir() if path.is_file() and path.suffix != ".json"):
            document = engine().examine(sample.read_bytes(), folder.name, str(sample)).document
            if not document.boards:
                continue
            target.write_text(page([replace(document, boards=document.boards[:4])], sample.name, "1"), "utf-8")
            open_page = visit.open(target, "#boards")
            open_page.reload()
            keys = open_page.locator(".index tbody th").all_inner_texts()
            for fragment in (f"#board={keys[0]}", f"#board={keys[-1]}&card=1", "#records"):
                visit.open(target, fragment)
                assert open_page.locator("main h1").count() == 1, (sample, fragment)
                assert not visit.problems, (sample, fragment, visit.problems)
            opened += 1
    assert opened > 25
    visit.context.close()


def test_without_a_worker_all_else_is_shown(browser: Any, match: Path) -> None:
    """Where the solver cannot run the page says so, and shows and plays the board as before."""
    visit = Visit(browser)
    visit.page.add_init_script("window.Worker = function () { throw new Error('no Worker here'); };")
    open_page = visit.open(match, "#board=1&card=0")
    until(open_page, "document.querySelector('.double-dummy').textContent.includes('no Worker here')")
    for _ in range(4):
        open_page.locator(TILE).first.click()
    assert open_page.locator(".status b").inner_text() == "Trick 2"
    assert "no Worker here" in open_page.locator(".options").inner_text()
    assert not visit.problems
    visit.context.close()


def test_choices_keep_the_focus(browser: Any, sixteen: Path) -> None:
    """Changing the strain by keyboard leaves the focus where it was, and so does a step along the line."""
    visit = Visit(browser)
    open_page = visit.open(sixteen, "#board=3&card=0")
    shown(open_page)
    open_page.locator("[data-keep=chooseContract]").focus()
    open_page.keyboard.press("ArrowDown")
    assert open_page.evaluate("document.activeElement.dataset.keep") == "chooseContract"
    open_page.locator(TILE).first.click()
    open_page.locator("[data-keep=undo]").focus()
    open_page.keyboard.press("Enter")
    assert open_page.evaluate("document.activeElement.dataset.keep") == "undo"
    assert not visit.problems
    visit.context.close()
