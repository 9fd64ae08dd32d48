"""What is printed: nothing from a file reaches a terminal as it stands."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import BinaryIO

import click
from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from bridgespec.escapes import visible, visible_json


class SafeConsole(Console):
    """A console that spells out what could steer the terminal, wherever a text comes from; its own colours are not text."""

    def on_broken_pipe(self) -> None:
        """Whoever reads has left: the program ends as others do, and does not go on writing."""
        raise BrokenPipeError

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """The pieces of a text as they are printed."""
        for piece in super().render(renderable, options):
            if piece.control or piece.text.isprintable() or (shown := visible(piece.text)) == piece.text:
                yield piece
            else:
                yield Segment(shown, piece.style)


def echo(text: str, nl: bool = True) -> None:
    """Print text that is for programs: on a terminal it is made fit to be seen, elsewhere it stays as it is."""
    click.echo(visible(text) if sys.stdout.isatty() else text, nl=nl)


def echo_json(text: str, nl: bool = True) -> None:
    """Print JSON text; on a terminal, signs that could steer it are written as JSON's own escapes."""
    click.echo(visible_json(text) if sys.stdout.isatty() else text, nl=nl)


class TerminalOutput:
    """Standard output for the bytes of a file, on a terminal: characters of UTF-8, whatever else they are is spelled out."""

    def __init__(self, stream: BinaryIO) -> None:
        self.stream = stream

    def write(self, data: bytes | memoryview) -> int:
        """Write the bytes as text that can be seen."""
        text = bytes(data).replace(b"\r\n", b"\n").decode("utf-8", "backslashreplace")
        self.stream.write(visible(text).encode())
        return len(data)

    def writelines(self, parts: Iterable[bytes]) -> None:
        """Write several pieces."""
        for part in parts:
            self.write(part)

    def flush(self) -> None:
        """Send what was written."""
        self.stream.flush()

    def seekable(self) -> bool:
        """A terminal has no places."""
        return False
