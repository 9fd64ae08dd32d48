"""The site in a real browser: what lights up, what the keyboard does, what is fetched, what axe-core finds.

Needs Debian's Chromium (or ``BRIDGESPEC_CHROMIUM``), Playwright's Python package, and axe-core, whose ``axe.min.js`` is found in
``node_modules`` here or named by ``BRIDGESPEC_AXE``.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from bridgespec.cli.app import app

ROOT = Path(__file__).parent.parent.parent
CHROMIUM = os.environ.get("BRIDGESPEC_CHROMIUM") or shutil.which("chromium") or ""
AXE = Path(os.environ.get("BRIDGESPEC_AXE", ROOT / "node_modules/axe-core/axe.min.js"))
FLAGS = [
    "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-component-update",
    "--disable-sync",
]  # fmt: skip
MISSING = [
    reason
    for absent, reason in (
        (not CHROMIUM, "no chromium (apt-get install chromium, or BRIDGESPEC_CHROMIUM)"),
        (find_spec("playwright") is None, "no playwright (pip install playwright)"),
        (not AXE.is_file(), "no axe-core (npm install --no-save axe-core, or BRIDGESPEC_AXE)"),
    )
    if absent
]
pytestmark = [pytest.mark.browser, pytest.mark.skipif(bool(MISSING), reason="; ".join(MISSING))]

SIZES = [(1280, 900), (390, 844)]
SCHEMES = ["light", "dark"]


class Visit:
    """One open page, and what went wrong on it."""

    def __init__(self, browser: Any, scheme: str = "light", size: tuple[int, int] = SIZES[0]) -> None:
        self.context = browser.new_context(color_scheme=scheme, viewport={"width": size[0], "height": size[1]})
        self.page = self.context.new_page()
        self.problems: list[str] = []
        self.page.on("console", self._said)
        self.page.on("pageerror", lambda error: self.problems.append(str(error)))
        self.page.on("requestfailed", lambda request: self.problems.append(f"failed: {request.url}"))
        self.page.on("request", lambda request: self._request(request.url))

    def _said(self, message: Any) -> None:
        if message.type in ("error", "warning"):
            self.problems.append(message.text)

    def _request(self, url: str) -> None:
        if not url.startswith(("file:", "data:", "blob:")):
            self.problems.append(f"outside: {url}")

    def open(self, path: Path, fragment: str = "") -> Any:
        self.page.goto(path.as_uri() + fragment)
        return self.page

    def axe(self) -> list[str]:
        """What axe-core finds, each with the first element that it is about."""
        self.page.add_script_tag(path=str(AXE))
        found = self.page.evaluate("axe.run().then(r => r.violations.map(v => `${v.id}: ${v.nodes.length} × ${v.nodes[0].html}`))")
        return list(found)


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    with import_module("playwright.sync_api").sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield opened
        opened.close()


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
