"""Faults with a known finding: a valid file with one change, and the finding that exactly this change must cause."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain
from random import Random
from typing import Any

from bridgespec.codec.binary.problems import CONTENTS, INVALID, TRUNCATED
from bridgespec.codec.node import FieldNode
from bridgespec.codec.problems import DERIVED
from bridgespec.codec.samples import SampleFault
from bridgespec.codec.samples.conditions import Write, of_conditions
from bridgespec.codec.samples.lengths import of_lengths
from bridgespec.codec.samples.misfits import of_reports, of_text
from bridgespec.codec.terms._values import UNKNOWN_CODE
from bridgespec.spec import ir
from bridgespec.spec.grammar import Grammar
from bridgespec.spec.kaitai.sizes import field_bits

__all__ = ["SampleFault", "faults"]
_WORD = re.compile(r"[a-z_]\w*")


def faults(spec: ir.Spec, root: FieldNode, data: bytes, random: Random, write: Write) -> Iterator[SampleFault]:
    """Yield files with every kind of fault that the file can have, each at a random place; ``write`` encodes plain values."""
    found: dict[tuple[str, str], list[SampleFault]] = {}
    if isinstance(spec.text, Grammar):
        made = chain(of_text(spec.text, root, data), of_reports(spec, spec.text, root, data, random))
    else:
        made = chain(_of_bytes(spec, root, data), of_lengths(spec, root, data), of_conditions(spec, root, random, write))
    for fault in made:
        found.setdefault((fault.code, re.sub(r"\[\d+\]", "", fault.field)), []).append(fault)
    for some in found.values():
        yield random.choice(some)


def _of_bytes(spec: ir.Spec, root: FieldNode, data: bytes) -> Iterator[SampleFault]:
    structural = _structural(spec)
    for path, node in root.walk():
        decl = node.decl
        if (
            decl is None
            or node.children
            or node.absent
            or node.broken
            or node.start % 8
            or node.stop % 8
            or node.start == node.stop
        ):
            continue
        start, stop = node.start // 8, node.stop // 8
        kind = decl.type
        if isinstance(kind, ir.BytesType) and kind.contents is not None:
            changed = bytes([data[start] ^ 0x20]) + data[start + 1 : stop]
            yield SampleFault(data[:start] + changed + data[stop:], decl.binding.code or CONTENTS.name, path, start, stop)
        if not isinstance(kind, ir.IntType) or decl.name in structural or not (kind.size == 1 or kind.endian):
            continue
        for value, code in _wrong(spec, decl, node.value):
            low, high = kind.range
            if low <= value <= high:
                raw = value.to_bytes(kind.size, "big" if kind.endian == "be" else "little", signed=kind.signed)
                yield SampleFault(data[:start] + raw + data[stop:], code, path, start, stop)
    # A size that follows from that of the file is another one for a shorter file.
    if data and "_io" not in structural and _whole_records(spec, data):
        yield SampleFault(data[:-1], TRUNCATED.name, "", len(data) - 1, len(data) - 1)
    else:
        yield from _unfinished(root, data)


def _unfinished(root: FieldNode, data: bytes) -> Iterator[SampleFault]:
    """Yield the file cut off in its first field of a known size above one byte, or ahead of the second field of a record, if what
    precedes is read alike without the rest.
    """
    read, before = 0, None
    for path, node in root.walk():
        if node.absent:
            continue
        kind = None if node.decl is None else node.decl.type
        extent = getattr(kind, "extent", None)
        size = extent.size.constant if extent is not None and extent.size is not None else getattr(kind, "size", None)
        # What depends on the rest of the stream, or is read at a position, is another field in a shorter file.
        if node.start != read or "_io" in _words_of(node.decl) or (extent is not None and size is None):
            return
        if node.decl is not None and node.decl.repeat is not None and not node.name.isdigit():
            continue
        above = path.rpartition(".")[0]
        starts = isinstance(size, int) and size > 1
        if not node.start % 8 and (starts or (above == before and isinstance(kind, ir.IntType))):
            end = node.start // 8 + starts
            yield SampleFault(data[:end], TRUNCATED.name, path, end, end)
            return
        if not node.children:
            read, before = node.stop, above


def _words_of(decl: ir.Field | None) -> set[str]:
    """Return the names in the expressions that determine whether, how often and in what size a field is read."""
    if decl is None:
        return set()
    extent = getattr(decl.type, "extent", None)
    used = (decl.repeat_expr, decl.condition, getattr(decl.type, "on", None), getattr(extent, "size", None))
    return {word for one in used if one is not None for word in _WORD.findall(one.source)}


def _wrong(spec: ir.Spec, decl: ir.Field, value: Any) -> Iterator[tuple[int, str]]:
    """Yield values that an integer must not have, each with the code of its finding."""
    binding, valid = decl.binding, decl.valid
    if spec.has_model and decl.enum is not None and (binding.term or not binding.opaque) and valid is None:
        known = {*spec.enums[decl.enum].members, *binding.lenient, binding.unknown}
        yield next(code for code in range(len(known) + 1) if code not in known), UNKNOWN_CODE.name
    elif binding.value is not None and isinstance(value, int):
        yield value ^ 1, binding.code or DERIVED.name
    elif valid is not None and decl.enum is None:
        code = binding.code or INVALID.name
        for bound, step in ((valid.eq, 1), (valid.min, -1), (valid.max, 1)):
            if bound is not None and isinstance(bound.constant, int):
                yield bound.constant + step, code


def _structural(spec: ir.Spec) -> set[str]:
    """Return every name that the layout depends on: a wrong value of one may hide other faults."""
    used: list[Any] = []
    for record in spec.records.values():
        for one in record.fields:
            used += [one.repeat_expr, one.condition, getattr(one.type, "on", None)]
            for kind in (one.type, *(case for _, case in getattr(one.type, "cases", ()))):
                used += [getattr(getattr(kind, "extent", None), "size", None), *getattr(kind, "args", ())]
        for instance in record.instances.values():
            if isinstance(instance, ir.PosInstance):
                extent = getattr(instance.field.type, "extent", None)
                used += [instance.pos, instance.io, getattr(extent, "size", None), instance.field.condition]
            else:
                used.append(instance.value)
    return {word for one in used if one is not None for word in _WORD.findall(one.source)}


def _whole_records(spec: ir.Spec, data: bytes) -> bool:
    """Whether a byte that is missing at the end is missing from a field of known size."""
    last = spec.top.fields[-1] if spec.top.fields else None
    if last is None or last.condition is not None or any(isinstance(one, ir.PosInstance) for one in spec.top.instances.values()):
        return False
    bits = field_bits(ir.Field(last.name, last.type, last.place), spec.records)
    if not bits:
        return False
    size = -(-bits // 8)
    end = last.binding.end
    # The record that ends a list may be cut short: the last one must not be it.
    return end is None or (len(data) % size == 0 and any(data[-size:][: end.bits // 8]))
