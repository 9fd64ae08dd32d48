"""Faults of a binary file whose parts exceed it: lengths, counts and offsets that are too large, and files that are cut off.

The finding of such a change is found by reading the file: a fault is yielded only if its finding is at the part that was changed.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import TypeVar

from bridgespec.codec.binary.byte_errors import BAD_SIZE, NO_TERMINATOR, TRUNCATED
from bridgespec.codec.binary.codec import BinaryCodec
from bridgespec.codec.samples import SampleFault
from bridgespec.codec.samples.dependence import UNKNOWN, ElementScope, GrownLeaf, GrownReading, selected
from bridgespec.diagnostic import Diagnostic
from bridgespec.spec import ir
from bridgespec.spec.kaitai.expr.tree import Expression

_Tried = TypeVar("_Tried")
_TRIED, _READ = 40, 1 << 22
"""The maximum number of parts, or of values, that are tried in a file, and of bytes that are read in all to try them."""


def of_lengths(now: GrownReading, codec: BinaryCodec, random: Random) -> Iterator[SampleFault]:
    """Yield a file for each length, count and offset that leads beyond the end of the file when it has the greatest value of its
    type.
    """
    used = [(where, leaf) for path, frame in now.frames.items() for where, leaf in parts(now, path, frame)]
    for where, leaf in _some(used, now, random):
        data = bytearray(now.data)
        if not leaf.put(data, leaf.highest):
            continue
        for found in codec.read(bytes(data)).diagnostics:
            field = found.field or ""
            if found.code in (TRUNCATED.name, BAD_SIZE.name) and (field == where or field.startswith(f"{where}[")):
                yield _fault(bytes(data), found)
                break


def of_cuts(now: GrownReading, codec: BinaryCodec, random: Random) -> Iterator[SampleFault]:
    """Yield the file cut off within one value, where the reader reports that this value or a part around it is incomplete:
    preferably the last value, and a cut with a single finding.
    """
    leaves = list(now.leaves.values())
    last = max(leaves, key=lambda leaf: leaf.node.stop, default=None)
    others: list[SampleFault] = []
    for leaf in [*([] if last is None else [last]), *_some(leaves, now, random)]:
        end = max(leaf.node.start // 8, (leaf.node.stop - 1) // 8)
        findings = codec.read(now.data[:end]).diagnostics
        for found in findings:
            field = found.field or ""
            ends = found.code in (TRUNCATED.name, NO_TERMINATOR.name) and found.span is not None and found.span.stop == 8 * end
            if ends and field and (leaf.path == field or leaf.path.startswith((f"{field}.", f"{field}["))):
                others.append(_fault(now.data[:end], found))
                if len(findings) == 1:
                    yield others[-1]
                    return
    yield from others[:1]


def parts(now: GrownReading, path: str, frame: ElementScope) -> Iterator[tuple[str, GrownLeaf]]:
    """Yield the path of each part of a record with each integer that determines its offset, its number of elements or its size."""
    record = now.spec.records[frame.element.name]
    placed = [(one.field, one.pos) for one in record.instances.values() if isinstance(one, ir.PosInstance)]
    for field, pos in [*((one, None) for one in record.fields), *placed]:
        if frame.values.get(field.name) is None:
            continue
        used: list[Expression | None] = [pos, field.repeat_expr if field.repeat is ir.Repeat.EXPR else None]
        try:
            used.append(getattr(getattr(selected(field.type, frame), "extent", None), "size", None))
        except UNKNOWN:
            continue
        for leaf in dict.fromkeys(leaf for one in used if one is not None for leaf in now.of(one.tree, frame)):
            yield f"{path}.{field.name}" if path else field.name, leaf


def _some(all: list[_Tried], now: GrownReading, random: Random) -> list[_Tried]:
    """Return a random selection of as many elements as may be tried."""
    return random.sample(all, min(len(all), _TRIED, 1 + _READ // (1 + len(now.data))))


def _fault(data: bytes, found: Diagnostic) -> SampleFault:
    """Return a faulty file with the finding that it must have."""
    assert found.span is not None
    return SampleFault(data, found.code, found.field or "", found.span.byte_start, -(-found.span.stop // 8))
