"""Suit combinations of a page, worked out when it is made: the same as those of the command ``suit``, and shown in the page."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from bridgespec.model.deal import Deal
from tests.browsing import NEEDED, SIZES, Visit, until
from tests.cli.running import run
from tests.page.running import SAMPLES, made

SIXTEEN = SAMPLES / "pbn" / "sixteen.pbn"
browser_test = pytest.mark.parametrize("marks", [pytest.param(None, marks=NEEDED, id="page")])


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page of two boards with their suits."""
    return made(tmp_path_factory.mktemp("suits"), SIXTEEN, options=["--boards", "1-2", "--suits"])


def test_the_suits_are_those_of_the_command(two: Path) -> None:
    """Chances and lines of both sides are what `suit --deal` answers; numbers of tricks without a choice are left out."""
    held = re.search(r'id="boards">(.*?)</script>', two.read_text("utf-8"))
    assert held is not None
    plays = json.loads(held[1])["suits"]
    assert len(plays) == 2
    compared = 0
    for holders, sides in plays.items():
        deal = str(Deal(bytes(map(int, holders))))
        for seat, suits in zip("SE", sides, strict=True):
            answers = [json.loads(line) for line in run("suit", "--deal", deal, "--seat", seat, "--json").output.splitlines()]
            known = {(one["north"], one["south"]): one["goals"] for one in answers}
            for suit in suits:
                goals = {goal["tricks"]: goal for goal in known[suit["dummy"], suit["own"]]}
                assert suit["goals"]
                for goal in suit["goals"]:
                    assert goal["percent"] == round(100 * goals[goal["tricks"]]["value"], 2)
                    assert 0 < goal["percent"] < 100
                    compared += 1
                assert ("East" if seat == "E" else "South") in suit["picture"]
    assert compared > 8


@browser_test
def test_the_page_shows_them_beside_double_dummy(browser: Any, two: Path, marks: None) -> None:
    """Each side's suits with chance, line and drawing; on a phone nothing is wider than it, and no other page has them."""
    visit = Visit(browser, size=SIZES[1])
    open_page = visit.open(two, "#board=2")
    open_page.locator(".suits > details > summary").first.click()
    assert "AQ63 – J85" in open_page.inner_text(".suits")
    assert "50.7 %" in open_page.inner_text(".suits")
    open_page.locator(".suitplay summary").first.click()
    until(open_page, "document.querySelector('.suitplay img')?.naturalWidth > 0")
    assert open_page.evaluate("document.documentElement.scrollWidth") <= SIZES[1][0]
    assert not visit.axe()
    assert not visit.problems
    visit.context.close()
