"""The command ``checksum``: the sum by which published deal files are compared."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

import click
import numpy as np

from bridgespec.cli.files import STDIO, opened
from bridgespec.cli.options import PATH
from bridgespec.cli.terminal import echo

CHUNK = 1 << 22
MASK = (1 << 64) - 1


def checksum(stream: BinaryIO) -> int:
    """The sum of the little-endian 32-bit words of a stream, modulo 2^64; the last 1 to 3 bytes are filled up with zeros.

    The source of the sum says nothing of a length that is no multiple of 4; zeros are the only filling that leaves the
    sum of a file unchanged when null bytes that it does not have are thought after its end.

    >>> from io import BytesIO
    >>> hex(checksum(BytesIO(b"\\x01\\x00\\x00\\x00\\xff\\xff\\xff\\xff\\x02")))
    '0x100000002'
    """
    total = 0
    rest = b""
    while chunk := stream.read(CHUNK):
        rest += chunk
        whole = len(rest) // 4
        total += int(np.frombuffer(rest, "<u4", whole).sum(dtype=np.uint64))
        rest = rest[4 * whole :]
    return (total + int.from_bytes(rest, "little")) & MASK


@click.command(
    epilog="\b\nExample:\n  bridgespec checksum deals.zbd results.zdd",
    short_help="Pavlicek's sum of a file's 32-bit words.",
)
@click.argument("paths", metavar="PATH...", nargs=-1, required=True, type=PATH)
def command(paths: tuple[str, ...]) -> None:
    """Print the sum of a file's little-endian 32-bit words as a 64-bit number of 16 hexadecimal digits.

    This is the sum that Richard Pavlicek publishes with his deal files. A file whose length is no multiple of 4 is summed
    as if zeros followed it. PATH - is standard input.
    """
    for line in _lines(paths):
        echo(line)


def _lines(paths: tuple[str, ...]) -> Iterator[str]:
    for path in paths:
        with opened(path) as stream:
            total = f"{checksum(stream):016X}"
        yield total if len(paths) == 1 and path == STDIO else f"{total}  {path}"
