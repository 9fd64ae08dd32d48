"""Generate faults with a known finding: a valid file with one change, and the finding that this change must cause."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from random import Random
from typing import Any

from bridgespec.codec.binary.byte_errors import BAD_ENCODING, CONTENTS, INVALID
from bridgespec.codec.binary.codec import BinaryCodec
from bridgespec.codec.samples import SampleFault
from bridgespec.codec.samples.conditions import of_conditions
from bridgespec.codec.samples.dependence import GrownReading
from bridgespec.codec.samples.lengths import of_cuts, of_lengths
from bridgespec.codec.samples.misfits import of_reports, of_text
from bridgespec.codec.shared_findings import DERIVED
from bridgespec.codec.terms._values import UNKNOWN_CODE
from bridgespec.codec.text.codec import TextCodec
from bridgespec.spec import ir
from bridgespec.spec.encoding import python_encoding

__all__ = ["SampleFault", "faults"]
_ONCE_MORE = bytes(min(count + 1, 2) for count in range(256))
_WORD = re.compile(r"[a-z_]\w*")


def faults(codec: BinaryCodec | TextCodec, data: bytes, random: Random) -> Iterator[SampleFault]:
    """Yield files with one fault each, made from a valid file: one for each code of a finding and each field that it can be in."""
    spec, root = codec.spec, codec.read(data).root
    found: dict[tuple[str, str], list[SampleFault]] = {}
    if isinstance(codec, BinaryCodec):
        now = GrownReading(codec, data)
        made = chain(_of_bytes(spec, now), of_lengths(now, codec, random), of_cuts(now, codec, random))
        made = chain(made, of_conditions(spec, root, random, codec.write))
    else:
        grammar = codec.engine.grammar
        made = chain(of_text(root, data), of_reports(spec, grammar, root, data, random))
    for fault in made:
        found.setdefault((fault.code, re.sub(r"\[\d+\]", "", fault.field)), []).append(fault)
    for some in found.values():
        fault = random.choice(some)
        if isinstance(codec, BinaryCodec):
            yield fault
        elif (named := _named(codec, fault)) is not None:
            yield named


def _named(codec: TextCodec, fault: SampleFault) -> SampleFault | None:
    """Return a fault of a text with the field and the span that the reader reports, which may differ from those of the change;
    None where the reader reports no such finding there.
    """
    findings = codec.read(fault.data).diagnostics
    alike = [one for one in findings if one.code == fault.code and one.span is not None]
    found = next((one for one in alike if one.span and fault.start <= one.span.byte_start <= fault.stop), None)
    if found is None or found.span is None:
        return None
    return replace(fault, field=found.field or "", start=found.span.byte_start, stop=found.span.byte_stop)


def _of_bytes(spec: ir.Spec, now: GrownReading) -> Iterator[SampleFault]:
    """Yield the file with one constant, text or integer replaced by a value that its field does not allow."""
    structural, shown = _structural(spec), bytearray(len(now.data))
    for leaf in now.leaves.values():
        start, stop = leaf.node.start // 8, -(-leaf.node.stop // 8)
        shown[start:stop] = shown[start:stop].translate(_ONCE_MORE)
    for path, leaf in now.leaves.items():
        decl, kind, start, stop = leaf.decl, leaf.type, leaf.node.start // 8, leaf.node.stop // 8
        # What several fields show is reported at the first of them.
        # Bits, and values that the layout depends on, make other findings than their own.
        if leaf.node.start % 8 or leaf.node.stop % 8 or decl.name in structural or shown.find(2, start, stop) >= 0:
            continue
        binding, before, after = decl.binding, now.data[:start], now.data[stop:]
        if isinstance(kind, ir.BytesType) and kind.contents is not None:
            changed = bytes([now.data[start] ^ 0x20]) + now.data[start + 1 : stop]
            yield SampleFault(before + changed + after, binding.code or CONTENTS.name, path, start, stop)
        elif isinstance(kind, ir.StringType) and leaf.node.value and not binding.lenient:
            if python_encoding(kind.encoding) in ("ascii", "utf-8"):
                changed = b"\xff" + now.data[start + 1 :]
                yield SampleFault(before + changed, binding.code or BAD_ENCODING.name, path, start, start + 1)
        elif isinstance(kind, ir.IntType):
            for value, code in _wrong(spec, decl, leaf.node.value):
                data = bytearray(now.data)
                if leaf.put(data, value):
                    yield SampleFault(bytes(data), code, path, start, stop)


def _wrong(spec: ir.Spec, decl: ir.Field, value: Any) -> Iterator[tuple[int, str]]:
    """Yield values that an integer field does not allow, each with the code of the finding."""
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
    """Return the names that the layout of a file depends on. They are not changed, since a wrong one may hide other faults."""
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
