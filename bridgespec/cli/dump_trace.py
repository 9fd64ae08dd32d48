"""The output of ``dump --trace``: each rule or field that was tried, where, what it read, or why it failed."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from rich.text import Text

from bridgespec.cli.pieces import FileSlice
from bridgespec.cli.render_marks import COLOURS, DIM, SECOND, RenderSource, decode, printable
from bridgespec.cli.settings import Settings
from bridgespec.codec.anatomy import Group
from bridgespec.codec.trace import Attempt, walk
from bridgespec.codec.tracing import trace
from bridgespec.diagnostic import Severity

WIDE = 40
STYLES = {"read": "", "failed": COLOURS[Severity.ERROR], "absent": DIM, "untried": DIM}


def _attempts(settings: Settings, piece: FileSlice, groups: Sequence[Group], whole: bool) -> tuple[list[Attempt], int | None]:
    """Return the attempts to read the groups of a piece; with ``whole`` those of the whole piece, with the fields around its
    records.
    """
    report = piece.report
    nodes = [(group.path, group.node) for group in groups]
    if whole and not piece.list_name:
        nodes = [("", report.reading.root)]
    # Each field that failed has its own reason, also where the findings name one cause for all.
    told = {(one.code, one.field) for one in piece.findings}
    own = [one for one in report.reading.diagnostics if (one.code, one.field) not in told]
    return trace(settings.engine.of(report.spec), report.reading, nodes, [*piece.findings, *own])


def _place(source: RenderSource, bit: int) -> str:
    """Return a position in words: line and column of a text, else the byte, and its bit unless it is the first."""
    if source.text:
        return "{}:{}".format(*source.place(bit // 8))
    return f"0x{bit // 8:06x}" + (f".{bit % 8}" if bit % 8 else "")


def print_trace(settings: Settings, piece: FileSlice, groups: Sequence[Group], whole: bool) -> None:
    """Print one line for each attempt, those inside others indented."""
    attempts, cut = _attempts(settings, piece, groups, whole)
    shift, source, out = 8 * piece.shift, piece.source, settings.out
    for depth, one in walk(attempts):
        place = _place(source, one.start + shift)
        told: str = one.outcome
        if one.outcome == "failed" and one.stop > one.start:
            told += f" at {_place(source, one.stop + shift)}"
        told += f": {one.reason}" if one.reason else ""
        if one.outcome == "read":
            told = f"{_content(source, one, piece.shift)}{'  ' if one.reason else ''}{one.reason}"
        style = STYLES["failed" if one.reason and one.outcome == "read" else one.outcome]
        line = Text.assemble((place.ljust(10), SECOND), "  " * (depth + 1), (one.rule, style or "cyan"), "  ", (told, style))
        line.rstrip()
        out.print(line, soft_wrap=True)
    if cut is not None:
        out.print(Text(f"from {_place(source, 8 * (cut + piece.shift))} on nothing is traced; choose records with --record"))


def _content(source: RenderSource, one: Attempt, shift: int) -> str:
    """Return what an attempt has read, in short form."""
    data = source.slice(one.start // 8 + shift, -(-one.stop // 8) + shift)
    shown = printable(decode(data[:WIDE])) if source.text else data[: WIDE // 4].hex(" ")
    more = len(data) > (WIDE if source.text else WIDE // 4)
    return f"{shown}{'…' if more else ''}"


def trace_lines(settings: Settings, piece: FileSlice, groups: Sequence[Group], whole: bool) -> Iterator[str]:
    """Yield a JSON object for each attempt, with its bits from the start of the file and its nesting depth."""
    shift = 8 * piece.shift
    for depth, one in walk(_attempts(settings, piece, groups, whole)[0]):
        told = {"depth": depth, "rule": one.rule, "start_bit": one.start + shift, "stop_bit": one.stop + shift}
        yield json.dumps({**told, "ended": one.outcome, "reason": one.reason or None}, ensure_ascii=False)
