"""How soon a page of boards answers, in a real browser: opening it, and the worth of every card after each card of a real match.

``python benchmarks/page.py MATCH...`` needs Playwright and a Chromium (``BRIDGESPEC_CHROMIUM``). A card is timed from the click
that plays it until the worth of every card that may be played next stands on the page. Each play is taken in a page opened
anew, so that nothing is known beforehand.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from statistics import median, quantiles
from typing import Any

from bridgespec.engines import engine
from bridgespec.model.document import Document
from bridgespec.webpage import find_chromium, page

OPENED = 200
"""Boards of the page whose opening is timed."""
PLAY = """async (cards) => {
  const tiles = () => [...document.querySelectorAll("button.tile")];
  const ready = () => tiles().every((tile) => tile.querySelector("small").textContent !== "");
  const wait = async () => { while (!ready()) await new Promise((go) => requestAnimationFrame(go)); };
  const start = performance.now();
  await wait();
  const times = [performance.now() - start];
  for (const card of cards) {
    const began = performance.now();
    const tile = document.querySelector(`button.tile[data-card="${card}"]`);
    if (!tile) break;
    tile.click();
    await wait();
    times.push(performance.now() - began);
  }
  return times;
}"""


def documents(paths: Sequence[str]) -> list[Document]:
    return [engine().examine(Path(path).read_bytes(), None, path).document for path in paths]


def opening(browser: Any, folder: Path, held: Sequence[Document]) -> list[float]:
    """Milliseconds from the start of loading to the list drawn, five times, for a page of `OPENED` boards."""
    boards = tuple(board for document in held for board in document.boards)
    many = (boards * (OPENED // len(boards) + 1))[:OPENED]
    target = folder / "many.html"
    target.write_text(page([Document(many)], "many", "0"), "utf-8")
    times = []
    for _ in range(5):
        context = browser.new_context(offline=True)
        opened = context.new_page()
        opened.goto(target.as_uri())
        opened.wait_for_selector("main h1")
        times.append(float(opened.evaluate("performance.now()")))
        context.close()
    return times


def playing(browser: Any, folder: Path, held: Sequence[Document], most: int) -> tuple[list[float], list[float]]:
    """Milliseconds for the worths of each opening lead, and after each card, of the plays of the documents."""
    leads, cards = [], []
    for index, document in enumerate(held):
        target = folder / f"{index}.html"
        for board in [
            board for board in document.boards if board.play and board.play.tricks and board.deal and board.deal.is_complete
        ][:most]:
            target.write_text(page([Document((board,))], "one", "0"), "utf-8")
            context = browser.new_context(offline=True)
            opened = context.new_page()
            opened.goto(target.as_uri() + "#card=0")
            assert board.play is not None
            first, *rest = opened.evaluate(PLAY, [int(card) for card in board.play.cards])
            leads.append(first)
            cards += rest
            context.close()
    return leads, cards


def told(name: str, times: Sequence[float]) -> str:
    """A row of the table."""
    high = quantiles(times, n=20)[-1]
    return f"| {name} | {len(times)} | {median(times):.0f} | {high:.0f} | {max(times):.0f} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("paths", metavar="MATCH", nargs="+")
    parser.add_argument("--most", type=int, default=1000, help="plays of each match")
    given = parser.parse_args()
    held = documents(given.paths)
    with import_module("playwright.sync_api").sync_playwright() as playwright, tempfile.TemporaryDirectory() as name:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=["--no-sandbox", "--disable-gpu"])
        opened = opening(browser, Path(name), held)
        leads, cards = playing(browser, Path(name), held, given.most)
        browser.close()
    print("| | times | median ms | 95% ms | most ms |\n| --- | --- | --- | --- | --- |")
    for row in (
        told(f"a page of {OPENED} boards opens", opened),
        told("worths of the opening leads", leads),
        told("worths after a card", cards),
    ):
        print(row)


if __name__ == "__main__":
    main()
