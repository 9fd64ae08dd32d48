"""The site in a real browser: what lights up, what the keyboard does, what is fetched, what axe-core finds."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from bridgespec.api import engine
from bridgespec.cli.app import app
from bridgespec.docs.deal_diagrams import Drawer
from tests.browsing import NEEDED, SCHEMES, SIZES, Visit, until

ROOT = Path(__file__).parent.parent.parent
pytestmark = NEEDED


@pytest.fixture(scope="session")
def dumped(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A user's file of several parts as a page."""
    folder = tmp_path_factory.mktemp("dumped")
    target = folder / "page.html"
    for source in sorted((ROOT / "tests/samples").glob("*/bad/*")):
        if source.stat().st_size > 700 and source.suffix != ".json":
            done = CliRunner().invoke(app, ["dump", str(source), "--format", source.parent.parent.name, "--html", str(target)])
            assert done.exit_code == 0, done.output
            if 'class="pager"' in (text := target.read_text("utf-8")) and "data-part" in text:
                return target
    pytest.fail("no broken sample has several parts")


def some_pages(folder: Path) -> list[Path]:
    """One page of each kind, and formats of both kinds."""
    formats = sorted((folder / "formats").glob("*.html"), key=lambda path: path.stat().st_size)
    code = next(path for path in sorted((folder / "codes").glob("*.html")) if "As it is reported" in path.read_text("utf-8"))
    tops = [
        path
        for name in ("index", "search", "tutorial", "language", "language/key", "language/code", "conformance")
        if (path := folder / f"{name}.html").exists()
    ]
    lists = [folder / name for name in ("codes/index.html", "commands/index.html", "commands/validate.html")]
    return [*tops, *lists, code, formats[0], formats[len(formats) // 2], formats[-1]]


def every_page(folder: Path) -> Sequence[Path]:
    return sorted(folder.rglob("*.html"))


def test_no_page_complains_or_asks_the_network(browser: Any, folder: Path) -> None:
    """Every page opens from the disk without an error, a warning or a request to anywhere else."""
    visit = Visit(browser)
    for path in every_page(folder):
        visit.open(path)
        assert not visit.problems, (path.name, visit.problems)
    visit.context.close()


def test_no_page_is_wider_than_a_phone(browser: Any, folder: Path, dumped: Path) -> None:
    """On a phone no page scrolls sideways as a whole; wide tables and drawings do so in their own frame."""
    visit = Visit(browser, size=SIZES[1])
    for path in [*every_page(folder), dumped]:
        page = visit.open(path)
        assert page.evaluate("document.documentElement.scrollWidth") <= SIZES[1][0], path.name
    visit.context.close()


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("size", SIZES, ids=["wide", "narrow"])
def test_axe_finds_nothing(browser: Any, folder: Path, dumped: Path, scheme: str, size: tuple[int, int]) -> None:
    """Contrast, landmarks, names and everything else that axe-core checks are right."""
    visit = Visit(browser, scheme, size)
    found = []
    formats = sorted((folder / "formats").glob("*.html")) if (scheme, size) == (SCHEMES[0], SIZES[0]) else []
    for path in [*some_pages(folder), *formats, dumped]:
        visit.open(path)
        found += [f"{path.name}: {one}" for one in visit.axe()]
    assert not found, "\n".join(found)
    visit.context.close()


def lit(page: Any, pane: str) -> list[str]:
    return list(page.eval_on_selector_all(f".annotated .{pane} .on", "found => found.map(e => e.textContent)"))


def sample_page(folder: Path) -> Path:
    """The page of a format whose sample has bytes, fields and cards of two bits each."""
    return format_page(folder, 'data-lsb="1"', "♠")


def format_page(folder: Path, *words: str) -> Path:
    """The first page of a format that has all of these in it."""
    pages = sorted((folder / "formats").glob("*.html"))
    return next(path for path in pages if all(word in path.read_text("utf-8") for word in words))


def test_pointing_lights_both_ways(browser: Any, folder: Path) -> None:
    """Pointing at a byte lights its cards and fields, at a card its byte; leaving puts them out."""
    visit = Visit(browser)
    page = visit.open(sample_page(folder))
    first = page.locator(".annotated").first
    first.locator(".source i").nth(1).hover()
    assert len(lit(page, "source")) == 1
    assert len(lit(page, "boards")) == 4
    assert "Byte 1 (0x0001)" in first.locator(".status").inner_text()
    cards = first.locator('.boards i[data-r="8-10"]')
    cards.hover()
    assert len(lit(page, "boards")) == 1
    assert lit(page, "source") == [first.locator(".source i").nth(1).inner_text()]
    assert any("=" in text for text in lit(page, "fields"))
    assert len(first.locator(".bitstrip mark").all()) == 2
    page.locator("h1").hover()
    assert not lit(page, "source")
    first.locator(".fields .part .f").first.hover()
    assert len(lit(page, "source")) >= 1
    assert not visit.problems
    visit.context.close()


def test_what_lights_up_comes_into_view(browser: Any, folder: Path) -> None:
    """Resting on a byte scrolls its field into view within its pane, and leaves the page where it is."""
    visit = Visit(browser)
    page = visit.open(format_page(folder, 'data-kind="hex"', "numbered"))
    first = page.locator(".annotated").first
    first.locator(".source i").last.hover()
    at = page.evaluate("scrollY")
    until(
        page,
        """(() => { const pane = document.querySelector('.annotated .fields'), on = pane.querySelector('.part.on');
        const box = pane.getBoundingClientRect(), there = on.getBoundingClientRect();
        return there.top >= box.top - 1 && there.bottom <= box.bottom + 1; })()""",
    )
    assert page.evaluate("scrollY") == at
    visit.context.close()


def test_the_keyboard_does_all_of_it(browser: Any, folder: Path) -> None:
    """Tab reaches each pane once, arrows move, Enter keeps, Escape lets go."""
    visit = Visit(browser)
    page = visit.open(sample_page(folder))
    first = page.locator(".annotated").first
    first.locator(".source i").first.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    assert "Byte 2 " in first.locator(".status").inner_text()
    page.keyboard.press("Enter")
    assert first.locator(".pin").count() == 1
    assert page.evaluate("document.activeElement.getAttribute('aria-pressed')") == "true"
    page.keyboard.press("Tab")
    assert page.evaluate("!!document.activeElement.closest('.boards')")
    page.keyboard.press("ArrowDown")
    assert len(lit(page, "source")) >= 1
    page.keyboard.press("Tab")
    assert page.evaluate("!!document.activeElement.closest('.fields')")
    page.keyboard.press("Escape")
    assert first.locator(".pin").count() == 0
    assert not lit(page, "source")
    assert not visit.problems
    visit.context.close()


def test_a_card_lights_its_own_bits(browser: Any, folder: Path) -> None:
    """Of a byte that holds four cards only the pair of bits lights that is the card; pointing at another pair lights its card."""
    visit = Visit(browser)
    page = visit.open(sample_page(folder))
    first = page.locator(".annotated").first
    first.locator('.boards i[data-r="8-10"]').hover()
    byte = first.locator(".source i").nth(1)
    assert "some" in (byte.get_attribute("class") or "")
    assert byte.evaluate("e => [e.style.getPropertyValue('--from'), e.style.getPropertyValue('--upto')]") == ["75%", "100%"]
    assert first.locator(".bitstrip mark").all_inner_texts() == list(first.locator(".bitstrip > span").nth(3).inner_text())
    first.locator(".bitstrip > span").first.hover()
    assert first.locator(".boards .on").get_attribute("data-r") == "14-16"
    assert not visit.problems
    visit.context.close()


@pytest.mark.parametrize("size", SIZES, ids=["wide", "narrow"])
def test_a_panel_hides_nothing_of_a_binary_sample(browser: Any, folder: Path, size: tuple[int, int]) -> None:
    """No pane of it scrolls by itself: the last row of the trick table and the last field can be seen."""
    visit = Visit(browser, size=size)
    page = visit.open(format_page(folder, "♠", 'class="dd"', "tricks["))
    hidden = """() => [...document.querySelector(".annotated").querySelectorAll(".pane")]
        .filter((pane) => pane.scrollHeight > pane.clientHeight + 1).map((pane) => pane.className)"""
    assert page.evaluate(hidden) == []
    visit.context.close()


SAMPLES = ROOT / "tests" / "samples"
DROP = """([selector, name, text]) => {
  const data = new DataTransfer();
  data.items.add(new File([Uint8Array.from(text, (c) => c.charCodeAt(0))], name));
  document.querySelector(selector).dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
}"""


@pytest.mark.parametrize("size", SIZES, ids=["wide", "narrow"])
def test_a_file_of_ones_own_is_read_in_the_page(browser: Any, folder: Path, size: tuple[int, int]) -> None:
    """Chosen or dropped on the page of its format: its bytes and fields linked, its findings, its boards; nothing is fetched."""
    visit = Visit(browser, size=size)
    page = visit.open(folder / "formats" / "lin.html")
    text = (SAMPLES / "lin" / "read-plus-alerts-claim.lin").read_text("latin-1").replace("mb|p|", "mb|zz|", 1)
    page.evaluate(DROP, [".dropzone", "mine.lin", text])
    page.wait_for_selector(".own .annotated.live")
    assert "mine.lin: " in page.inner_text(".own")
    assert "1 finding of reading" in page.inner_text(".own")
    assert "Nothing has left this machine" in page.inner_text(".own")
    assert page.locator(".own .findings .finding").inner_text().startswith("warning[lin-value]")
    assert page.locator(".own .source .bad").inner_text() == "zz"
    until(page, "document.querySelector('.own .component')?.shadowRoot.querySelector('.holding')")
    page.locator(".own .fields .part").nth(3).locator(".f").click()
    until(page, "document.querySelector('.own .source .on')")
    assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
    assert not visit.problems
    page = visit.open(folder / "formats" / "zrd.html")
    page.set_input_files(
        "#ownfile", {"name": "cut.zrd", "mimeType": "", "buffer": (SAMPLES / "zrd" / "record0.zrd").read_bytes()[:20]}
    )
    page.wait_for_selector(".own .annotated.live")
    assert "truncated" in page.inner_text(".own .told")
    assert page.locator(".own .source .row i").count() == 20
    assert not visit.problems
    assert not visit.axe()
    visit.context.close()


LINKED = """(root) => [...root.querySelectorAll(".board [data-r], .board s")].map((part) =>
  [part.textContent, part.dataset.r?.split(" ")[0]])"""
"""What boards have that points at bytes, and the first of the places that it points to."""


@pytest.mark.parametrize("size", SIZES, ids=["wide", "narrow"])
@pytest.mark.parametrize("name", ["lin/read-plus-alerts-claim.lin", "zrd/record0.zrd", "pbn/sixteen.pbn"])
def test_boards_of_an_own_file_are_linked_as_those_of_the_sample(
    browser: Any, folder: Path, name: str, size: tuple[int, int]
) -> None:
    """The format's own sample, read in the page, is drawn as the page has it, each part linked to the same bits."""
    visit = Visit(browser, size=size)
    format = name.partition("/")[0]
    page = visit.open(folder / "formats" / f"{format}.html")
    page.set_input_files("#ownfile", {"name": name, "mimeType": "", "buffer": (SAMPLES / name).read_bytes()})
    page.wait_for_selector(".own .annotated.live .boards")
    card = page.locator(".own .boards .holding i[data-r]").first
    card.click()
    until(page, "document.querySelector('.annotated .source .on')")
    assert lit(page, "source")
    assert card.get_attribute("data-said") in page.locator(".own .status").inner_text()
    assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
    assert not visit.problems
    document = engine().examine((SAMPLES / name).read_bytes(), format).document
    drawer = Drawer(document, engine().of(engine().spec(format)).binder)
    own = page.evaluate(f"({LINKED})(document.querySelector('.own .boards'))")
    drawn = "".join(drawer.board(index) for index in range(len(document.boards)))
    wanted = page.evaluate(f"html => ({LINKED})(new DOMParser().parseFromString(html, 'text/html'))", drawn)
    assert len(own) >= 52
    assert own == wanted[: len(own)]
    visit.context.close()


def test_the_component_shows_the_boards_of_a_sample(browser: Any, folder: Path) -> None:
    """A format page draws its sample's boards with what the page of boards draws them with."""
    visit = Visit(browser)
    page = visit.open(folder / "formats" / "pbn.html")
    until(page, "document.querySelector('.component')?.shadowRoot.querySelector('.holding')")
    text = page.evaluate("document.querySelector('.component').shadowRoot.textContent")
    assert "Play it through" in text
    assert "AKQ987" in text.replace(" ", "")
    assert not visit.problems
    visit.context.close()


@pytest.mark.parametrize("size", SIZES, ids=["wide", "narrow"])
def test_the_index_tells_which_format_a_file_has(browser: Any, folder: Path, size: tuple[int, int]) -> None:
    """By the end of its name as it is typed, and by its content where it is dropped under a name that tells nothing."""
    visit = Visit(browser, size=size)
    page = visit.open(folder / "index.html")
    page.fill("#ending", "match.pbn")
    assert page.inner_text(".matches") == engine().spec("pbn").title
    page.fill("#ending", "xyz")
    assert "No format here has files named .xyz" in page.inner_text(".matches")
    text = (SAMPLES / "lin" / "match.lin").read_text("latin-1")
    page.evaluate(DROP, [".which", "unnamed.dat", text])
    until(page, "document.querySelector('.which .own').textContent.includes('most likely')")
    assert "BBO LIN" in page.inner_text(".which .own")
    page.evaluate(DROP, [".which", "noise.dat", "nothing of the kind"])
    until(page, "document.querySelector('.which .own').textContent.includes('Neither')")
    assert not visit.problems
    visit.context.close()


def test_the_theme_is_switched_and_kept(browser: Any, folder: Path) -> None:
    """Light and dark whatever the system has, on the pages that follow too."""
    visit = Visit(browser)
    page = visit.open(folder / "index.html")
    ground = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(ground)
    page.click("button.theme")
    page.click("button.theme")
    assert page.get_attribute("button.theme", "aria-label") == "Theme: dark"
    assert page.evaluate(ground) != light
    page = visit.open(folder / "codes/index.html")
    assert page.evaluate(ground) != light
    assert not visit.problems
    visit.context.close()


def test_contents_stand_at_the_side_where_there_is_room(browser: Any, folder: Path) -> None:
    """On a wide screen the list of contents stays in view and marks where one is."""
    visit = Visit(browser, size=(1600, 1000))
    page = visit.open(format_page(folder, 'id="rules"', 'id="schema"'))
    page.evaluate("document.querySelector('#rules').scrollIntoView()")
    until(page, "document.querySelector('.toc a.here')?.hash === '#rules'")
    box = page.locator(".toc").bounding_box()
    assert box is not None
    assert box["x"] + box["width"] <= page.locator("main h1").bounding_box()["x"]
    assert 0 <= box["y"] < 200
    visit.context.close()


def test_the_matrix_keeps_its_heads(browser: Any, folder: Path) -> None:
    """On a phone the table of formats says that it scrolls, and its heads stay when it does."""
    visit = Visit(browser, size=SIZES[1])
    page = visit.open(folder / "index.html")
    assert "scrolls" in page.evaluate("getComputedStyle(document.querySelector('.matrixbox'), '::before').content")
    top = "() => document.querySelector('.matrix thead th:nth-child(3)').getBoundingClientRect().top"
    page.evaluate("document.querySelector('.matrixbox').scrollIntoView()")
    before = page.evaluate(top)
    page.evaluate("document.querySelector('.matrixbox').scrollTop = 200")
    assert page.evaluate(top) == before
    visit.context.close()


def test_what_scrolls_shows_it(browser: Any, folder: Path) -> None:
    """On a phone a table that is cut off fades where there is more of it, on the side where there is; one that fits does not."""
    visit = Visit(browser, size=SIZES[1])
    page = visit.open(folder / "formats" / "tally.html")
    table = page.locator(".scroll:has(.fields)").last
    table.scroll_into_view_if_needed()
    classes = "box => [box.scrollWidth > box.clientWidth, ...box.classList].join(' ')"
    assert table.evaluate(classes).split() == ["true", "scroll", "scrolls", "after"]
    assert "gradient" in table.evaluate("box => getComputedStyle(box).maskImage")
    table.evaluate("box => { box.scrollLeft = 10000; }")
    until(page, "[...document.querySelectorAll('.scroll.before')].length === 1")
    assert table.evaluate(classes).split() == ["true", "scroll", "scrolls", "before"]
    fits = "box => box.scrollWidth <= box.clientWidth + 2"
    boxes = page.locator(".scroll").all()
    assert sum(not box.evaluate(fits) for box in boxes) == page.locator(".scroll.scrolls").count() < len(boxes)
    visit.context.close()
    visit = Visit(browser)
    page = visit.open(folder / "formats" / "tally.html")
    assert page.locator(".scroll.scrolls").count() == 0
    visit.context.close()


BROKEN_NAMES = r"""() => [...document.querySelectorAll("code, dt, .f, .tag, a.code")].flatMap((element) => {
  if (element.closest("pre, .regex") || !element.offsetParent) return [];
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT), found = [];
  for (let node; (node = walker.nextNode());) for (const word of node.data.matchAll(/[\w-]{1,32}/g)) {
    const range = document.createRange();
    range.setStart(node, word.index);
    range.setEnd(node, word.index + word[0].length);
    const lines = new Set([...range.getClientRects()].map((box) => Math.round(box.top)));
    if (lines.size > 1 && !node.parentElement.closest(".regex")) found.push(word[0]);
  }
  return found;
})"""


def test_names_do_not_break_within_words(browser: Any, folder: Path, dumped: Path) -> None:
    """On a phone no name of a field, rule, key, option or code goes on in the next line, after a hyphen neither."""
    visit = Visit(browser, size=SIZES[1])
    for path in [*some_pages(folder), *sorted((folder / "formats").glob("*.html")), dumped]:
        assert visit.open(path).evaluate(BROKEN_NAMES) == [], path.name
    visit.context.close()


def test_code_keeps_its_indentation(browser: Any, folder: Path) -> None:
    """A schema in a guide or the tutorial is shown with the blanks at the beginning of its lines."""
    visit = Visit(browser)
    shown = 0
    for path in sorted((folder / "tutorial").glob("*.html")):
        blocks = visit.open(path).evaluate(
            "[...document.querySelectorAll('pre code')].map((one) => [one.innerText, one.textContent])"
        )
        for inner, text in blocks:
            assert inner.rstrip("\n").splitlines() == text.rstrip("\n").splitlines(), path.name
            shown += "\n  " in text
    assert shown
    visit.context.close()


def test_the_tree_of_fields_folds(browser: Any, tmp_path: Path) -> None:
    """Fields of one record are in its node; it folds by pointer and by keyboard, and lights when what is in it does."""
    (tmp_path / "deep.ksy").write_text(
        """meta: {id: deep, file-extension: deep}
seq: [{id: head, type: outer}, {id: items, type: outer, repeat: eos}]
types:
  outer: {seq: [{id: kind, type: u1}, {id: body, type: inner}]}
  inner: {seq: [{id: width, type: u1}, {id: height, type: u1}]}
""",
        "utf-8",
    )
    (tmp_path / "a.deep").write_bytes(bytes(range(9)))
    target = tmp_path / "page.html"
    done = CliRunner().invoke(app, ["--specs", str(tmp_path), "dump", str(tmp_path / "a.deep"), "--html", str(target)])
    assert done.exit_code == 0, done.output
    visit = Visit(browser)
    page = visit.open(target)
    heads = page.locator(".fields summary")
    assert heads.all_inner_texts() == ["head", "body", "items[0]", "body", "items[1]", "body"]
    assert page.locator(".fields .f").all_inner_texts() == ["kind", "width", "height"] * 3
    heads.nth(2).hover()
    assert lit(page, "source") == ["03", "04", "05"]
    heads.nth(2).click()
    assert not page.locator(".fields .f").nth(3).is_visible()
    page.locator(".source i").nth(4).hover()
    assert "items[0]" not in lit(page, "fields")
    plain = heads.nth(0).evaluate("head => getComputedStyle(head).backgroundColor")
    assert heads.nth(2).evaluate("head => getComputedStyle(head).backgroundColor") != plain
    assert "body.width" in page.inner_text(".status")
    heads.nth(2).focus()
    page.keyboard.press("ArrowDown")
    assert page.evaluate("document.activeElement.textContent") == "items[1]"
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowRight")
    assert page.locator(".fields .f").nth(3).is_visible()
    page.keyboard.press("Enter")
    until(page, "!document.querySelectorAll('.fields summary')[2].parentElement.open")
    page.click(".folder")
    assert not page.locator(".fields .f").nth(0).is_visible()
    page.click(".folder")
    assert page.locator(".fields .f").nth(4).is_visible()
    assert not visit.problems
    assert not visit.axe()
    visit.context.close()


def test_words_are_filtered(browser: Any, folder: Path) -> None:
    """Typing narrows the table of contents and a chapter to the words that have it; what has none of them is hidden."""
    visit = Visit(browser)
    page = visit.open(folder / "language.html")
    page.fill(".filter input", "opaque")
    assert page.locator("[data-word]:visible").all_inner_texts() == ["ks-opaque-types", "-bridge-opaque", "opaque"]
    assert page.locator("h2:visible").count() == 4
    assert page.inner_text(".filter [role=status]").startswith("3 of ")
    page.locator("[data-word]:visible").nth(1).click()
    until(page, "location.pathname.endsWith('language/key.html')")
    assert "bridge-opaque" in page.locator(":target").inner_text()
    page.fill(".filter input", "a position")
    assert 0 < page.locator("[data-word]:visible").count() < 9
    page.fill(".filter input", "")
    assert page.locator("[data-word]:visible").count() > 90
    assert not visit.problems
    visit.context.close()


def test_text_is_linked_too(browser: Any, folder: Path) -> None:
    """In a text format pointing at a character lights the card that it is."""
    visit = Visit(browser)
    page = visit.open(format_page(folder, 'data-kind="text"', 'class="hands"'))
    first = page.locator(".annotated").first
    card = first.locator(".boards .holding i[data-r]").first
    card.hover()
    assert lit(page, "source")
    assert card.get_attribute("data-said") in first.locator(".status").inner_text()
    assert "Line 1, column " in first.locator(".status").inner_text()
    assert not visit.problems
    visit.context.close()


def test_search_finds_offline(browser: Any, folder: Path) -> None:
    """Typing offers pages, arrows and Enter go to one; the search page lists all."""
    visit = Visit(browser)
    page = visit.open(folder / "codes/index.html")
    page.keyboard.press("/")
    page.keyboard.type("truncated")
    page.wait_for_selector(".hits a")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.wait_for_url("**/codes/truncated.html")
    page = visit.open(folder / "search.html", "?q=vulnerability")
    page.wait_for_selector("#results a")
    assert page.locator("#results a").count() > 5
    assert not visit.problems
    visit.context.close()


def test_search_gives_findings_and_fields_first(browser: Any, folder: Path) -> None:
    """Whoever looks for "vulnerable" meets the findings about it, then the fields, and rules of grammars after them."""
    visit = Visit(browser)
    page = visit.open(folder / "search.html", "?q=vulnerable")
    page.wait_for_selector("#results a")
    kinds = [text.split("\n")[1].split(" ")[0] for text in page.locator("#results a").all_inner_texts()]
    assert kinds[0] in ("warning", "error", "note")
    assert "field" in kinds[:5]
    assert "rule" not in kinds[: kinds.index("field")]
    visit.context.close()


def sought(page: Any, form: str, field: str, text: str, said: str) -> None:
    """Ask a dump for a byte or for bytes, and wait until its answer begins so."""
    page.fill(field, text)
    page.click(f"{form} button")
    until(page, f"document.querySelector('.seekers [role=status]').textContent.startsWith('{said}')")


def test_a_dump_is_searched_and_gone_through(browser: Any, dumped: Path) -> None:
    """Going to a byte and finding bytes lead to other parts, and the numbers that begin at a byte are told."""
    visit = Visit(browser)
    page = visit.open(dumped)
    starts = page.eval_on_selector_all("script[data-start]", "parts => parts.map(part => Number(part.dataset.start))")
    page.fill("#offset", str(starts[1] + 1))
    page.click("#goto button")
    until(page, "document.querySelector('.pager select').value === '1'")
    assert not page.inner_text(".seekers [role=status]")
    sought(page, "#goto", "#offset", "99999999", "not in this page")
    sought(page, "#find", "#wanted", "no such text anywhere", "not found")
    assert not visit.problems
    visit.context.close()


def test_numbers_that_begin_at_a_byte_are_told(browser: Any, tmp_path: Path) -> None:
    """Of bytes 39 30 00 00 the little-endian numbers of two and of four bytes are 12345."""
    source, target = tmp_path / "own.tally", tmp_path / "page.html"
    (tmp_path / "tally.ksy").write_text("meta: {id: tally, file-extension: tally}\nseq: [{id: a, size-eos: true}]", "utf-8")
    source.write_bytes(bytes.fromhex("39300000 6869"))
    done = CliRunner().invoke(app, ["--specs", str(tmp_path), "dump", str(source), "--html", str(target)])
    assert done.exit_code == 0, done.output
    visit = Visit(browser)
    page = visit.open(target)
    page.locator(".source i").first.hover()
    told = page.inner_text(".status .numbers")
    assert "u2le 12345" in told
    assert "u4le 12345" in told
    assert "u2be 14640" in told
    sought(page, "#find", "#wanted", "68 69", "byte 4 ")
    sought(page, "#find", "#wanted", "hi", "byte 4 ")
    assert not visit.problems
    visit.context.close()


def test_parts_of_a_file_are_laid_out_on_demand(browser: Any, dumped: Path) -> None:
    """Only the part that is looked at is in the page; the pager and the findings lead to the others."""
    visit = Visit(browser)
    page = visit.open(dumped)
    assert page.locator(".annotated").count() == 1
    before = page.locator(".annotated .row").first.inner_text()
    assert page.locator(".pager option").count() > 1
    page.locator('.pager [data-step="1"]').click()
    until(page, f"document.querySelector('.annotated .row').innerText !== {json.dumps(before)}")
    assert page.locator(".annotated").count() == 1
    page.locator(".annotated .source i").first.hover()
    assert lit(page, "fields")
    page.locator("[data-part]").first.click()
    page.wait_for_selector(".annotated .bad")
    assert not visit.problems
    visit.context.close()
