"""Which lines of our JavaScript Node.js has run, by the coverage that V8 writes when a process ends (``NODE_V8_COVERAGE``).

What runs are generated modules and pages' scripts, in which the files' own lines stand; they are found there again. Browsers write
no such coverage: their tests are taken to run every line of the page's scripts.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from itertools import accumulate
from pathlib import Path
from urllib.parse import unquote, urlsplit

ROOT = Path(__file__).parent.parent.parent
RUNTIME = ROOT / "bridgespec" / "targets" / "javascript" / "runtime"
PAGE = ROOT / "bridgespec" / "webpage" / "static"
FEWEST = 3
"""A block of fewer lines than these is not told from another."""


def lines_run(folder: Path) -> dict[str, set[int]]:
    """Return the lines that ran by file, from the coverage files of a folder, which are removed."""
    found: dict[str, set[int]] = {}
    for path in folder.glob("*.json"):
        for script in json.loads(path.read_text())["result"]:
            place = urlsplit(script["url"])
            source = Path(unquote(place.path))
            if place.scheme == "file" and source.suffix == ".mjs" and source.is_file():
                for file, number in _of_script(source.read_text("utf-8"), script["functions"]):
                    found.setdefault(str(file.relative_to(ROOT)), set()).add(number)
        path.unlink()
    return found


def page_lines() -> dict[str, set[int]]:
    """Return every line of the page's scripts."""
    return {str(path.relative_to(ROOT)): set(range(1, path.read_text("utf-8").count("\n") + 2)) for path in PAGE.glob("*.js")}


def _of_script(text: str, functions: list[dict[str, list[dict[str, int]]]]) -> Iterator[tuple[Path, int]]:
    ran = bytearray(b"\1" * (len(text.encode("utf-16-le")) // 2))
    # An inner range counts for what it spans, whatever is said of the one around it.
    ranges = sorted((one["startOffset"], -one["endOffset"], one["count"]) for function in functions for one in function["ranges"])
    for start, stop, count in ranges:
        ran[start:-stop] = (b"\1" if count else b"\0") * (-stop - start)
    lines = text.split("\n")
    stops = accumulate(len(line.encode("utf-16-le")) // 2 + 1 for line in lines)
    # What stands before a line's first word belongs to the code around it.
    marks = [any(ran[stop - 1 - len(line.lstrip()) : stop - 1]) for stop, line in zip(stops, lines, strict=True)]
    for at, places in _places(text).items():
        if marks[at]:
            yield from places


@cache
def _places(text: str) -> dict[int, list[tuple[Path, int]]]:
    """The file and the line, from 1, that each line of a script is, by the line's index."""
    places: dict[int, list[tuple[Path, int]]] = {}
    lines = [line.removeprefix("export ").strip() for line in text.split("\n")]
    for file in (*RUNTIME.glob("*.js"), *PAGE.glob("*.js")):
        own = [line.removeprefix("export ").strip() for line in file.read_text("utf-8").split("\n")]
        for at, size, first in _blocks(lines, own):
            for step in range(size):
                places.setdefault(at + step, []).append((file, first + step + 1))
    return places


def _blocks(lines: list[str], own: list[str]) -> Iterator[tuple[int, int, int]]:
    """The longest runs of a file's lines in a script: where each begins, its length, and where it begins in the file."""
    where: dict[str, list[int]] = {}
    for index, line in enumerate(own):
        where.setdefault(line, []).append(index)
    at = 0
    while at < len(lines):
        size, first = 0, 0
        for index in where.get(lines[at], ()) if lines[at] else ():
            length = 0
            while at + length < len(lines) and index + length < len(own) and lines[at + length] == own[index + length]:
                length += 1
            size, first = max((size, first), (length, index))
        if size >= FEWEST:
            yield at, size, first
        at += max(size, 1)
