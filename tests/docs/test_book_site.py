"""The book of a bidding system: every call with its place, every link leads somewhere, and it works in a browser."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from bridgespec.bidding.book import Book, BookEntry, write
from bridgespec.docs.book_site import BookSite, anchor
from tests.bidding import load, sayc
from tests.browsing import NEEDED, SCHEMES, SIZES, Visit, until
from tests.cli.running import run


@pytest.fixture(scope="module")
def book() -> Book:
    """The book of Standard American, by few hands."""
    return write(load(), 2, 6000)


@pytest.fixture(scope="module")
def pages(book: Book) -> dict[str, str]:
    """Its pages by their paths."""
    return {path: data.decode() for path, data in BookSite(book, "bridgespec", "1").pages()}


@pytest.fixture(scope="module")
def written(pages: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The pages on the disk."""
    folder = tmp_path_factory.mktemp("book")
    for path, text in pages.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, "utf-8")
    return folder


def every(entries: tuple[BookEntry, ...]) -> Iterator[BookEntry]:
    for entry in entries:
        yield entry
        yield from every(entry.followers)


@pytest.mark.long
def test_examples_make_the_calls(book: Book) -> None:
    """A hand that stands beside a call makes it, and all that it called before, and what it shows is true of it."""
    bidder, asked = sayc(), 0
    for entry in book.openings.entries:
        for hand in entry.examples:
            assert str(bidder.call(hand)) == entry.call
        for answer in entry.followers[:6]:
            for hand in answer.examples[:2]:
                asked += 1
                assert str(bidder.call(hand, f"{entry.call} P")) == answer.call
    assert asked > 50


@pytest.mark.long
def test_frequencies_add_up(book: Book) -> None:
    """Openings are rarer than all hands, and answers share out all of them."""
    assert 0.3 < sum(entry.share for entry in book.openings.entries) < 0.6
    for entry in book.openings.entries[:6]:
        assert sum(answer.share for answer in entry.followers) == pytest.approx(1)


@pytest.mark.long
def test_every_link_and_every_entry_of_the_search_leads_somewhere(book: Book, pages: dict[str, str]) -> None:
    """Links within the book name pages and places that are there; places are not told twice on a page."""
    ids = {path: re.findall(r'\bid="([^"]+)"', text) for path, text in pages.items()}
    for path, found in ids.items():
        assert len(found) == len(set(found)), path
    html = {path: text for path, text in pages.items() if path.endswith(".html")}
    links = [(path, unescape(link)) for path, text in html.items() for link in re.findall(r'(?:href|src)="([^"]+)"', text)]
    index = json.loads(pages["static/search.js"].partition("=")[2].strip().rstrip(";"))
    assert len(index) > 300
    links += [("index.html", row[2]) for row in index]
    for path, link in links:
        target, _, place = link.partition("#")
        if link.startswith("data:"):
            continue
        whole = (Path(path).parent / target).as_posix() if target else path
        parts: list[str] = []
        for part in whole.split("/"):
            parts = parts[:-1] if part == ".." else parts if part == "." else [*parts, part]
        assert "/".join(parts) in pages, (path, link)
        assert not place or place in ids["/".join(parts)] or place == "main", (path, link)


def test_what_the_book_says_of_a_call(book: Book, pages: dict[str, str]) -> None:
    """The row of Stayman: its sign, its words, the alert, and hands with suit signs."""
    notrump = next(entry for entry in book.openings.entries if entry.call == "1NT")
    stayman = next(entry for entry in notrump.followers if entry.call == "2C")
    page = pages["openings/1nt.html"]
    row = page[page.index(f'id="{anchor(stayman)}"') :].partition("</tr>")[0]
    assert stayman.text in row
    assert ">alert<" in row
    assert "♣" in row


def test_the_command_writes_the_book(tmp_path: Path) -> None:
    """The same system gives the same bytes; an unknown one is a usage error."""
    text = 'system "Mine & yours"\nopening:\n  1NT "a < b" shows 15-17 hcp\nwhen always:\n  P\n'
    (tmp_path / "mine.bid").write_text(text, "utf-8")
    one, two = tmp_path / "one", tmp_path / "two"
    for folder in (one, two):
        assert run("docs", folder, "--system", tmp_path / "mine.bid", "--depth", "1").exit_code == 0
    assert {p.name: p.read_bytes() for p in one.rglob("*.html")} == {p.name: p.read_bytes() for p in two.rglob("*.html")}
    assert "Mine &amp; yours" in (one / "index.html").read_text("utf-8")
    assert "a &lt; b" in (one / "index.html").read_text("utf-8")
    assert run("docs", one, "--system", "nonesuch").exit_code == 2


@pytest.mark.long
@pytest.mark.browser
@NEEDED[1]
def test_the_book_in_a_browser(browser: Any, written: Path) -> None:
    """No page complains, asks the network or is wider than a phone; the search finds calls; axe-core finds nothing."""
    for scheme in SCHEMES:
        for size in SIZES:
            visit = Visit(browser, scheme, size)
            for path in (written / "index.html", written / "openings/1nt.html", written / "defence/1h.html"):
                page = visit.open(path)
                assert page.evaluate("document.documentElement.scrollWidth") <= size[0], path.name
                assert not visit.problems, (path.name, visit.problems)
            # What axe-core itself asks for on a page is not the page's fault, so it has a visit of its own.
            looked = Visit(browser, scheme, size)
            for path in (written / "index.html", written / "openings/1nt.html"):
                looked.open(path)
                assert not looked.axe(), path.name
            visit.context.close()
            looked.context.close()
    visit = Visit(browser)
    page = visit.open(written / "index.html")
    page.fill("input[type=search]", "transfer")
    until(page, "document.querySelectorAll('.hits a').length > 0")
    hits = page.evaluate("[...document.querySelectorAll('.hits a')].map(hit => hit.getAttribute('href'))")
    assert any("openings/1nt.html#" in hit for hit in hits), hits
    visit.context.close()
