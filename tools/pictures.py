"""Makes the pictures of README.md again: ``python -m tools.pictures [NAME...]``, then review the difference.

``validate.svg`` is the coloured output of a command. ``page.png`` is the web page of a file in headless Chromium.
"""

from __future__ import annotations

import argparse
import io
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from rich.console import Console
from rich.text import Text

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "docs" / "pictures"
COLUMNS = 96
BROKEN = "tests/samples/dup/bad/halves.dup"
MATCH = "tests/samples/pbn/alerts-claim.pbn"
# Rich's own frame fetches a font from the network, which a picture in a README must not.
FRAME = """\
<svg viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg">
<style>.{unique_id}-matrix {{ font-family: ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; font-size: {char_height}px;
  line-height: {line_height}px }}
{styles}</style>
<defs><clipPath id="{unique_id}-clip-terminal"><rect x="0" y="0" width="{terminal_width}" height="{terminal_height}"/></clipPath>
{lines}</defs>
<rect width="{width}" height="{height}" rx="8" fill="#292929"/>
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}<g class="{unique_id}-matrix">{matrix}</g></g>
</svg>
"""


def bridgespec(*words: str) -> str:
    """The coloured output of a command in the repository's folder; a finding is no failure."""
    environment = {**os.environ, "COLUMNS": str(COLUMNS)}
    command = [sys.executable, "-m", "bridgespec", "--colour", "always", *words]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    if done.returncode > 1:
        raise SystemExit(f"{' '.join(words)}: exit status {done.returncode}\n{done.stderr}")
    return done.stdout


def validate() -> bytes:
    """The finding of a broken file as SVG: what is printed up to the summary, which has the time."""
    finding = bridgespec("validate", BROKEN).partition("\n\n")[0]
    console = Console(record=True, width=COLUMNS, file=io.StringIO(), force_terminal=True)
    console.print(Text.from_ansi(f"$ bridgespec validate {Path(BROKEN).name}\n{finding.replace(BROKEN, Path(BROKEN).name)}"))
    return console.export_svg(code_format=FRAME, unique_id="finding").encode()


def page() -> bytes:
    """The page of a match as PNG, at the size of a small window."""
    browser = os.environ.get("BRIDGESPEC_CHROMIUM") or shutil.which("chromium")
    if browser is None:
        raise SystemExit("page.png needs Chromium (apt-get install chromium, or BRIDGESPEC_CHROMIUM)")
    with tempfile.TemporaryDirectory() as scratch:
        solved, html, png = (Path(scratch, name) for name in ("alerts-claim.pbn", "page.html", "page.png"))
        # The picture is taken before the page's own solver would be ready.
        bridgespec("solve", MATCH, "-o", str(solved))
        bridgespec("page", str(solved), "-o", str(html))
        words = ["--headless", "--no-sandbox", "--hide-scrollbars", "--window-size=1100,760", "--virtual-time-budget=20000"]
        subprocess.run([browser, *words, f"--screenshot={png}", f"{html.as_uri()}#board=1"], check=True, capture_output=True)
        return png.read_bytes()


PICTURES: dict[str, Callable[[], bytes]] = {"validate.svg": validate, "page.png": page}


def main() -> None:
    """Write the named pictures, all by default."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"one of {', '.join(PICTURES)}; all by default")
    names = parser.parse_args().names or list(PICTURES)
    if unknown := set(names) - set(PICTURES):
        parser.error(f"there is no picture {', '.join(sorted(unknown))}; there are {', '.join(PICTURES)}")
    FOLDER.mkdir(exist_ok=True)
    for name in names:
        (FOLDER / name).write_bytes(PICTURES[name]())
        print(FOLDER.relative_to(ROOT) / name)


if __name__ == "__main__":
    main()
