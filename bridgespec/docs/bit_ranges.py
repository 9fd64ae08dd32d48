"""Ranges of bits as HTML attributes, which link the bytes, the fields and the drawings of a sample."""

from __future__ import annotations

from collections.abc import Iterable

from bridgespec.codec.node import FieldNode
from bridgespec.diagnostic import Span


def attribute(ranges: Iterable[tuple[int, int]]) -> str:
    """Return the HTML attribute for half-open ranges of bits; empty for none.

    >>> attribute([(0, 2), (8, 16)])
    ' data-r="0-2 8-16"'
    """
    text = " ".join(f"{start}-{max(stop, start)}" for start, stop in ranges)
    return f' data-r="{text}"' if text else ""


def of_nodes(nodes: Iterable[FieldNode], shift: int = 0) -> list[tuple[int, int]]:
    """Return the ranges of bits of nodes that are not empty; ``shift``, in bits, is added."""
    return [(node.start + shift, node.stop + shift) for node in nodes if node.stop > node.start]


def of_span(span: Span | None) -> list[tuple[int, int]]:
    """Return the range of bits of a span; that of one byte for an empty span."""
    # An empty range overlaps no byte, and the page would highlight none where something is missing.
    return [] if span is None else [(span.start, max(span.stop, span.start + 8))]
