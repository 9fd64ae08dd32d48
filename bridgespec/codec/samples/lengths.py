"""Faults in lengths, counts and offsets that lead beyond the end of the file, or of the enclosing part."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from bridgespec.codec.binary.implied import implied
from bridgespec.codec.binary.problems import BAD_SIZE, TRUNCATED
from bridgespec.codec.binary.record import PlaceElement, RecordElement
from bridgespec.codec.node import ByteNode, Cells, FieldNode
from bridgespec.codec.samples import SampleFault
from bridgespec.spec import ir
from bridgespec.spec.kaitai.expr.tree import Attribute, Measure, Name, SpotExpression

_WORD = re.compile(r"[a-z_]\w*")
_COUNTED = 1 << 16
"""The number of elements beyond the number of bits of a file that makes a count too great for elements of any size."""


def of_lengths(spec: ir.Spec, root: FieldNode, data: bytes) -> Iterator[SampleFault]:
    """Yield a file for each length, count and offset that has its greatest value, where that value is too great."""
    deciding = _deciding(spec)
    told = {key: value for key, value in implied(spec, derived=True).items() if key[1] not in deciding}
    for path, node in (("", root), *root.walk()):
        frame = node.scope if isinstance(node, ByteNode) else None
        if frame is None or node.broken or not isinstance(frame.element, RecordElement) or frame.io.fixed is not None:
            continue
        for each in node.children or ():
            of, expression = told.get((frame.element.name, each.name), ("", None))
            kind = each.decl.type if each.decl is not None else None
            target = next((one for one in node.inside if one.name == of and one.start >= node.start), None)
            if isinstance(place := frame.element.instances.get(of), PlaceElement) and place.io is not None:
                continue  # it stands in another stream
            if expression is None or target is None or each.absent or target.absent or not isinstance(kind, ir.IntType):
                continue
            value, size = kind.range[1], frame.io.end - frame.io.start
            end = frame.io.stop_of(frame.io.end) // 8
            raw = value.to_bytes(kind.size, "little" if kind.endian == "le" or frame.little else "big")
            changed = data[: each.start // 8] + raw + data[each.start // 8 + kind.size :]
            inner = f"{path}.{of}" if path else of
            match expression.tree:
                case Measure(of=SpotExpression(owner=None, at=None), what="sizeof") if value > end - target.start // 8:
                    yield SampleFault(changed, TRUNCATED.name, inner, end, end)
                case Measure(of=SpotExpression(owner=None), what="offset") if value > size and target.start != target.stop:
                    yield SampleFault(changed, BAD_SIZE.name, inner, node.start // 8, -(-node.stop // 8))
                case Attribute(of=Name()) if value > 8 * size + _COUNTED or (value > size and isinstance(target.children, Cells)):
                    yield SampleFault(changed, TRUNCATED.name, inner, end, end)


def _deciding(spec: ir.Spec) -> set[str]:
    """Return the names that determine which fields are in a file, and not only their sizes."""
    used: list[Any] = []
    for record in spec.records.values():
        placed = [one.field for one in record.instances.values() if isinstance(one, ir.PosInstance)]
        for one in (*record.fields, *placed):
            used += [one.condition, getattr(one.type, "on", None)]
            for kind in (one.type, *(case for _, case in getattr(one.type, "cases", ()))):
                used += getattr(kind, "args", ())
        used += [one.value for one in record.instances.values() if isinstance(one, ir.ValueInstance)]
    return {word for one in used if one is not None for word in _WORD.findall(one.source)}
