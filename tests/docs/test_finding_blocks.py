"""The blocks of findings show the position that they name, at the column where the reader looks."""

from __future__ import annotations

import re
from html import unescape

from bridgespec.diagnostic import Diagnostic, Label, Severity, Span
from bridgespec.docs.finding_blocks import finding_html


def shown(data: bytes, text: bool, place: range, label: range) -> list[str]:
    """Return the lines of a finding's place, without the tags; ``place`` and ``label`` are bytes."""
    where, here = (Span.of_bytes(at.start, len(at)) for at in (place, label))
    found = Diagnostic("x", Severity.ERROR, "m", where, labels=(Label(here, "here"),))
    block = re.search(r"<pre[^>]*>(.*)</pre>", finding_html(found, data, text), re.DOTALL)
    assert block is not None
    return unescape(re.sub("<[^>]*>", "", block[1])).split("\n")


def test_a_label_is_below_its_text_whatever_comes_before() -> None:
    """Characters of several bytes, control characters in words and a line that is cut at its start do not move a label."""
    for before in ("abc", "äöü♠", "\x01\t", "long " * 40, "ü" * 99):
        data = f"{before}W{'x' * 9}".encode()
        at = data.index(b"W")
        line, below = shown(data, True, range(at, at + 1), range(at, at + 1))
        assert below.index("‾") == line.index("W"), before


def test_a_mark_inside_another_moves_nothing() -> None:
    """The line of a finding whose label is inside its span is printed as it is in the file."""
    line, below = shown(b"one two three", True, range(4, 13), range(8, 13))
    assert line.endswith("  one two three")
    assert below.index("‾") == line.index("three")


def test_a_label_is_below_its_byte_in_large_files() -> None:
    """Offsets of five digits move the label with the bytes."""
    for row in (0, 0x10000, 0x12345670):
        line, below = shown(b"", False, range(row + 3, row + 4), range(row + 3, row + 4))
        column = len(f"{row:04x}") + 2 + 3 * 3
        assert line[column : column + 2].strip(), line
        assert below.index("‾") == column
