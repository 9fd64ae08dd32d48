"""A real browser for tests: pages opened from the disk, with all that goes wrong on them noted.

Needs Debian's Chromium (or ``BRIDGESPEC_CHROMIUM``), Playwright's Python package, and axe-core, whose ``axe.min.js`` is found in
``node_modules`` here or named by ``BRIDGESPEC_AXE``.
"""

from __future__ import annotations

import os
import shutil
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent
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
NEEDED = [pytest.mark.browser, pytest.mark.skipif(bool(MISSING), reason="; ".join(MISSING))]
"""The marks of a module whose tests need the browser."""

SIZES = [(1280, 900), (390, 844)]
SCHEMES = ["light", "dark"]

PATIENCE = 3000
"""How often a page is asked, 20 milliseconds apart, before its test fails."""


def until(page: Any, condition: str) -> None:
    """Wait until an expression is true in the page; asked anew from outside, since a page may forbid what waits inside."""
    for _ in range(PATIENCE):
        if page.evaluate(condition):
            return
        page.wait_for_timeout(20)
    pytest.fail(f"never true: {condition}")


class Visit:
    """One open page without a network, and what went wrong on it."""

    def __init__(self, browser: Any, scheme: str = "light", size: tuple[int, int] = SIZES[0]) -> None:
        self.context = browser.new_context(color_scheme=scheme, viewport={"width": size[0], "height": size[1]}, offline=True)
        self.page = self.context.new_page()
        self.problems: list[str] = []
        self.page.on("console", self._said)
        self.page.on("pageerror", lambda error: self.problems.append(str(error)))
        self.page.on("requestfailed", lambda request: self._failed(request.url))
        self.page.on("request", lambda request: self._request(request.url))

    def _said(self, message: Any) -> None:
        if message.type in ("error", "warning"):
            self.problems.append(message.text)

    def _failed(self, url: str) -> None:
        # A Worker that has not begun when its page is left is not a fault.
        if not url.startswith("blob:"):
            self.problems.append(f"failed: {url}")

    def _request(self, url: str) -> None:
        if not url.startswith(("file:", "data:", "blob:")):
            self.problems.append(f"outside: {url}")

    def open(self, path: Path, fragment: str = "") -> Any:
        self.page.goto(path.as_uri() + fragment)
        return self.page

    def axe(self) -> list[str]:
        """What axe-core finds, each with the first element that it is about."""
        # Handed over as a script of the test, since a page may forbid all scripts but its own.
        self.page.evaluate(AXE.read_text("utf-8"))
        found = self.page.evaluate("axe.run().then(r => r.violations.map(v => `${v.id}: ${v.nodes.length} × ${v.nodes[0].html}`))")
        return list(found)
