"""The command ``checksum``: the sum by which published deal files are compared."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from io import BytesIO
from typing import BinaryIO

import click
from rich.text import Text

from bridgespec.cli.examine import naming, shown_name
from bridgespec.cli.files import STDIO, files_of, opened
from bridgespec.cli.options import PATH, format_option
from bridgespec.cli.settings import Settings, pass_settings
from bridgespec.cli.terminal import echo
from bridgespec.codec.checksum import PUBLISHED, Checksum
from bridgespec.errors import UsageError
from bridgespec.recognise import UnrecognisedError
from bridgespec.spec.ir import Spec
from bridgespec.spec.kaitai.expr.tree import Expression

CHUNK = 1 << 22


def checksum(stream: BinaryIO, expression: Expression = PUBLISHED) -> int:
    """Return the checksum of a stream by an expression, by default Pavlicek's sum.

    >>> from io import BytesIO
    >>> hex(checksum(BytesIO(b"\\x01\\x00\\x00\\x00\\xff\\xff\\xff\\xff\\x02")))
    '0x100000002'
    """
    found = Checksum(expression)
    while chunk := stream.read(CHUNK):
        found.update(chunk)
    return found.finish()


GROUP = "Files"


@click.command(
    epilog="\b\nExample:\n  bridgespec checksum deals.zbd results.zdd",
    short_help="Pavlicek's sum of a file's 32-bit words.",
)
@click.argument("paths", metavar="PATH...", nargs=-1, required=True, type=PATH)
@format_option("--format", help="Print the checksum that this format's schema says (-bridge-checksum).")
@pass_settings
def command(settings: Settings, paths: tuple[str, ...], format: str | None) -> None:
    """Print the sum of a file's little-endian 32-bit words as a 64-bit number of 16 hexadecimal digits.

    This is the sum that Richard Pavlicek publishes with his deal files. A file whose length is not a multiple of 4 is summed
    as if zeros followed it. PATH - is standard input. A file whose format neither its extension nor its content settles needs
    --format: a sum of other data would be published as one of deals. Of a format for which no sums are published, that is said.
    """
    expression = PUBLISHED
    if format is not None:
        spec = settings.engine.spec(format)
        if spec.checksum is None:
            raise UsageError(f"the schema of {spec.id} declares no checksum of its files")
        expression = spec.checksum
    files = [file for path in paths for file in files_of(settings, path)]
    for line in _lines(settings, files, format is not None, expression):
        echo(line)


def _lines(settings: Settings, paths: Sequence[str], named: bool, expression: Expression) -> Iterator[str]:
    """Yield the checksum of each file with its path; ``named`` is true if --format names the format."""
    for path in paths:
        with opened(path) as file:
            spec, stream = settings.engine.named(path), file
            if not named and spec is None:
                spec, stream = _recognised(settings, path, file)
            total = f"{checksum(stream, expression):016X}"
        if not named and spec is not None and spec.checksum is None:
            note = f"{shown_name(path)}: no sums of {spec.id} files are published; this is the sum of its words all the same"
            settings.err.print(Text(note), soft_wrap=True)
        # The form of `sha256sum`, whose lines have two blanks before the name.
        yield total if len(paths) == 1 and path == STDIO else f"{total}  {path}"


def _recognised(settings: Settings, path: str, file: BinaryIO) -> tuple[Spec, BinaryIO]:
    """Return the format of a file without a known extension, with its content. Raises UsageError where none is recognised."""
    content = file.read()
    try:
        spec = settings.engine.recognise(None if path == STDIO else path, content)
    except UnrecognisedError as error:
        raise naming(error, "--format") from None
    # The file is at its end, and standard input cannot be read again.
    return spec, BytesIO(content)
