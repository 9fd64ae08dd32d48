"""Trace how a file of either language was read: `trace`, for the command ``dump`` and the workshop's pages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from bridgespec.codec.format import Format
from bridgespec.codec.node import FieldNode, Reading
from bridgespec.codec.trace import Attempt
from bridgespec.diagnostic import Diagnostic
from bridgespec.lazily import Lazy

if TYPE_CHECKING:
    from bridgespec.codec.binary import trace as binary
    from bridgespec.codec.text import trace as text
else:
    # A file is of one language: the other's reader is not imported for it.
    binary, text = Lazy("bridgespec.codec.binary.trace"), Lazy("bridgespec.codec.text.trace")


def trace(
    known: Format, reading: Reading, nodes: Sequence[tuple[str, FieldNode]], found: Sequence[Diagnostic]
) -> tuple[list[Attempt], int | None]:
    """Return the attempts at the given nodes of a reading (each with its path), and the byte from which on attempts were not
    kept, or None. ``found`` are the findings of the reading.
    """
    if known.text is None:
        return binary.trace(nodes, found)
    return text.trace(known.text, reading.data, [(node.start, node.stop) for _, node in nodes])
