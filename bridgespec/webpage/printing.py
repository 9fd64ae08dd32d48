"""Print a page to PDF with a browser found on this machine."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from bridgespec.errors import UsageError

# The names of the program on the search path, and its usual places on macOS and Windows.
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "msedge", "microsoft-edge")
PLACES = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
    r"C:\Program Files\Google\Chrome\Application\chrome.exe",
    r"C:\Program Files (x86)\Microsoft\Edge\Application\msedge.exe",
)
SHEETS = ("records", "travellers", "curtain", "duplication")
"""The kinds of printed sheets: hand records, eight on a page; travellers with results; curtain cards of one hand; hands for
duplication.
"""
ANALYSED = frozenset({"records", "travellers"})
"""The sheets that show double-dummy results."""
SECONDS = 120
"""Seconds after which the browser is stopped."""


def find_chromium() -> str | None:
    """Return the path of a Chromium: the one that ``BRIDGESPEC_CHROMIUM`` names, else one on the search path or in its usual place.

    Return None where there is none.
    """
    if named := os.environ.get("BRIDGESPEC_CHROMIUM"):
        return shutil.which(named)
    on_path = next((found for name in NAMES if (found := shutil.which(name))), None)
    return on_path or next((place for place in PLACES if os.path.isfile(place)), None)


def print_pdf(html: str, chromium: str, sheets: str = SHEETS[0]) -> bytes:
    """Return one kind of `SHEETS` of a page as a PDF; UsageError, with the last error of the browser, where it does not print."""
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder, "boards.html"), Path(folder, "boards.pdf")
        source.write_text(html, "utf-8")
        # With a new profile: else a browser that is running already would open the page, and nothing would be printed.
        command = [
            chromium, "--headless", "--disable-gpu", "--no-first-run", f"--user-data-dir={Path(folder, 'profile')}",
            "--no-pdf-header-footer", f"--print-to-pdf={target}", f"{source.as_uri()}#{sheets}",
        ]  # fmt: skip
        if hasattr(os, "geteuid") and os.geteuid() == 0:
            # Chromium does not sandbox for root, and the page is our own.
            command.insert(1, "--no-sandbox")
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
        except subprocess.TimeoutExpired:
            raise UsageError(f"{chromium} did not print within {SECONDS} seconds") from None
        except OSError as error:
            raise UsageError(f"{chromium} does not run: {error.strerror or error}") from None
        if not target.is_file():
            last = (done.stderr.strip().splitlines() or [f"it ended with status {done.returncode}"])[-1]
            raise UsageError(f"{chromium} printed nothing: {last}")
        return target.read_bytes()
