"""The site in a real browser: what lights up, what the keyboard does, what is fetched, what axe-core finds."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from bridgespec.cli.app import app
from tests.browsing import NEEDED, SCHEMES, SIZES, Visit

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
    tops = [path for name in ("index", "search", "tutorial", "conformance") if (path := folder / f"{name}.html").exists()]
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
    assert page.wait_for_function(
        """() => { const pane = document.querySelector('.annotated .fields'), on = pane.querySelector('.part.on');
        const box = pane.getBoundingClientRect(), there = on.getBoundingClientRect();
        return there.top >= box.top - 1 && there.bottom <= box.bottom + 1; }"""
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


def test_parts_of_a_file_are_laid_out_on_demand(browser: Any, dumped: Path) -> None:
    """Only the part that is looked at is in the page; the pager and the findings lead to the others."""
    visit = Visit(browser)
    page = visit.open(dumped)
    assert page.locator(".annotated").count() == 1
    before = page.locator(".annotated .row").first.inner_text()
    assert page.locator(".pager option").count() > 1
    page.locator('.pager [data-step="1"]').click()
    page.wait_for_function("text => document.querySelector('.annotated .row').innerText !== text", arg=before)
    assert page.locator(".annotated").count() == 1
    page.locator(".annotated .source i").first.hover()
    assert lit(page, "fields")
    page.locator("[data-part]").first.click()
    page.wait_for_selector(".annotated .bad")
    assert not visit.problems
    visit.context.close()
