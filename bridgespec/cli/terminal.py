"""Output to terminals: control characters in the content of a file are escaped."""

from __future__ import annotations

import codecs
import io
import json
import math
import sys
from collections.abc import Iterable
from typing import Any, BinaryIO

import click
from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from bridgespec.escapes import visible, visible_json


class SafeConsole(Console):
    """A console that escapes the control characters in all texts. Those of its own colours are added later and stay."""

    def on_broken_pipe(self) -> None:
        """Raise BrokenPipeError, so that the program ends when the reader has closed its output."""
        raise BrokenPipeError

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Yield the segments of a renderable object with control characters escaped."""
        for piece in super().render(renderable, options):
            if piece.control or piece.text.isprintable() or (shown := visible(piece.text)) == piece.text:
                yield piece
            else:
                yield Segment(shown, piece.style)


def echo(text: str, nl: bool = True) -> None:
    """Print text for other programs; on a terminal, control characters are escaped."""
    click.echo(visible(text) if sys.stdout.isatty() else text, nl=nl)


def echo_json(text: str, nl: bool = True) -> None:
    """Print JSON text; on a terminal, control characters are written as JSON escapes."""
    click.echo(visible_json(text) if sys.stdout.isatty() else text, nl=nl)


def json_text(value: Any) -> str:
    """Return the JSON of a value. JSON has no dates, no times, no nan and no infinity: they become text.

    >>> json_text({"a": [1.5, float("nan")]})
    '{"a": [1.5, "nan"]}'
    """
    try:
        return json.dumps(value, ensure_ascii=False, default=str, allow_nan=False)
    except ValueError:
        return json.dumps(_finite(value), ensure_ascii=False, default=str)


def _finite(value: Any) -> Any:
    """Return a value for JSON with each nan and infinity as text, at any depth."""
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_finite(item) for item in value]
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


class TerminalOutput:
    """A writer of the bytes of a file to a terminal: valid UTF-8 is printed, control characters and other bytes are escaped."""

    def __init__(self, stream: BinaryIO) -> None:
        self.stream = stream
        # A writer's pieces end anywhere: half a character, or the CR of a line's end, waits for the next piece.
        self.decoder = io.IncrementalNewlineDecoder(codecs.getincrementaldecoder("utf-8")("backslashreplace"), translate=False)

    def write(self, data: bytes | memoryview) -> int:
        """Write bytes as visible text."""
        self._print(bytes(data))
        return len(data)

    def finish(self) -> None:
        """Write the bytes of an incomplete character that waited for more."""
        self._print(b"", final=True)

    def _print(self, data: bytes, final: bool = False) -> None:
        # Without this, the CR at the end of each line of a Windows file would be escaped as a control character.
        self.stream.write(visible(self.decoder.decode(data, final).replace("\r\n", "\n")).encode())

    def writelines(self, parts: Iterable[bytes]) -> None:
        """Write several pieces."""
        for part in parts:
            self.write(part)

    def flush(self) -> None:
        """Flush the terminal."""
        self.stream.flush()

    def seekable(self) -> bool:
        """A terminal is not seekable."""
        return False
