"""Generate faults with a known finding: `faults` changes a valid file in one place, and yields it with the finding that must be
reported.

The faults of binary files are made here and in `lengths`: a field gets a value that its type, its constraint or a check of its
record does not allow, or a part of the file is made to exceed it. Those of texts are made in `text_faults`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from itertools import chain, pairwise
from random import Random
from typing import Any

from bridgespec.codec.binary.byte_errors import BAD_ENCODING, CONTENTS, INVALID
from bridgespec.codec.binary.codec import BinaryCodec
from bridgespec.codec.binary.record import RecordElement, ValueElement
from bridgespec.codec.binary.scope import RecordFrame
from bridgespec.codec.binary.valid import Constraint
from bridgespec.codec.node import ByteNode, FieldNode, plain
from bridgespec.codec.samples import SampleFault
from bridgespec.codec.samples.dependence import GrownReading
from bridgespec.codec.samples.lengths import of_cuts, of_lengths
from bridgespec.codec.samples.text_faults import as_reported, of_text
from bridgespec.codec.samples.uses import shapes
from bridgespec.codec.shared_findings import DERIVED
from bridgespec.codec.terms._values import UNKNOWN_CODE
from bridgespec.codec.text.codec import TextCodec
from bridgespec.errors import WriteError
from bridgespec.spec import ir
from bridgespec.spec.encoding import python_encoding
from bridgespec.spec.kaitai.expr import tree
from bridgespec.spec.kaitai.expr.evaluator import EvaluationError, ExpressionFunction
from bridgespec.spec.kaitai.expr.tree import Expression

__all__ = ["SampleFault", "faults"]

Write = Callable[[dict[str, Any]], bytes]
_TRIED = 60
"""The number of fields of a record that are changed, each in a few ways, to find a value that breaks a check of the record."""
_ONCE_MORE = bytes(min(count + 1, 2) for count in range(256))
"""A translation table that counts, for each byte of a file, the fields that contain it: 0, 1, or 2 for more."""
_NAME = re.compile(r"[a-z_]\w*")
"""A name in the source of an expression."""


def faults(codec: BinaryCodec | TextCodec, data: bytes, random: Random) -> Iterator[SampleFault]:
    """Yield files with one fault each, made from a valid file: one for each code of a finding and each field that it can be in."""
    spec, root = codec.spec, codec.read(data).root
    found: dict[tuple[str, str], list[SampleFault]] = {}
    if isinstance(codec, BinaryCodec):
        now = GrownReading(codec, data)
        exceeding = of_lengths(now, codec, random), of_cuts(now, codec, random)
        made: Iterator[SampleFault] = chain(_of_bytes(spec, now), *exceeding, _of_constraints(spec, root, random, codec.write))
    else:
        made = of_text(codec, root, data, random)
    for fault in made:
        found.setdefault((fault.code, re.sub(r"\[\d+\]", "", fault.field)), []).append(fault)
    for some in found.values():
        fault = random.choice(some)
        if isinstance(codec, BinaryCodec):
            yield fault
        elif (named := as_reported(codec, fault)) is not None:
            yield named


def _of_bytes(spec: ir.Spec, now: GrownReading) -> Iterator[SampleFault]:
    """Yield the file with one constant, text or integer replaced by a value that its field does not allow."""
    structural, read = _structural(spec), bytearray(len(now.data))
    for leaf in now.leaves.values():
        start, stop = leaf.node.start // 8, -(-leaf.node.stop // 8)
        read[start:stop] = read[start:stop].translate(_ONCE_MORE)
    for path, leaf in now.leaves.items():
        decl, kind, start, stop = leaf.decl, leaf.type, leaf.node.start // 8, leaf.node.stop // 8
        # Left out: fields that share bytes with others, and fields that the layout depends on. Their findings would be at other
        # fields too, or only there.
        if leaf.node.start % 8 or leaf.node.stop % 8 or decl.name in structural or read.find(2, start, stop) >= 0:
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
    """Yield integers that a field with the value ``value`` does not allow, each with the code of the finding."""
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
    """Return the names in all expressions that the layout of a file or a computed value depends on. Fields with these names are not
    changed, since a wrong value may hide other faults.
    """
    used: list[Expression | None] = []
    for record in spec.records.values():
        used += shapes(record)
        used += [one.value if isinstance(one, ir.ValueInstance) else one.io for one in record.instances.values()]
    return {name for one in used if one is not None for name in _NAME.findall(one.source)}


def _of_constraints(spec: ir.Spec, root: FieldNode, random: Random, write: Write) -> Iterator[SampleFault]:
    """Yield files in which one value breaks a check of a record, one for each code, or the constraint of a field."""
    made = _ConstraintFaults(spec, root, random, write)
    yield from made.of_checks()
    yield from made.of_fields()


class _ConstraintFaults:
    """Makes files in which one value breaks a check or a constraint. The compiled check or constraint is evaluated to find such a
    value. `faults` makes one for each valid file.
    """

    def __init__(self, spec: ir.Spec, root: FieldNode, random: Random, write: Write) -> None:
        self.spec, self.random, self.write = spec, random, write
        self.values, self.shaping = plain(root), _shaping(spec)
        self.nodes = {path: node for path, node in (("", root), *root.walk()) if isinstance(node, ByteNode)}

    def of_checks(self) -> Iterator[SampleFault]:
        """Yield files that break a check of a record, one for each code of a check."""
        done: set[str] = set()
        for path, node in self.nodes.items():
            frame = node.scope
            if frame is None or node.broken or not isinstance(frame.element, RecordElement):
                continue
            checks = [(holds, check) for holds, check in frame.element.checks if check.code not in done]
            inside = node.walk(path) if checks else ()
            leaves = [(at, one) for at, one in inside if _is_free(one, self.nodes.get(_owner(at)), self.shaping)]
            for holds, check in checks:
                data = self._without(holds, frame, leaves)
                if data is not None:
                    yield SampleFault(data, check.code, path, node.start // 8, -(-node.stop // 8))
                    done.add(check.code)

    def _without(self, holds: ExpressionFunction, frame: RecordFrame, leaves: Sequence[tuple[str, FieldNode]]) -> bytes | None:
        """Return the file with one of the ``leaves`` of a record changed so that the check ``holds`` is false; None where no such
        change is found.
        """
        for path, leaf in self.random.sample(leaves, min(_TRIED, len(leaves))):
            wrong = (value for value in _others(leaf) if not _holds(self.nodes, path, value, frame, holds))
            data = self._changed(path, next(wrong, None))
            if data is not None:
                return data
        return None

    def of_fields(self) -> Iterator[SampleFault]:
        """Yield files in which the value of a field breaks the field's own constraint."""
        for path, node in self.nodes.items():
            decl, owner = node.decl, self.nodes.get(_owner(path))
            if decl is None or decl.valid is None or owner is None or owner.scope is None:
                continue
            if not _is_free(node, owner, self.shaping):
                continue
            enum = self.spec.enums[decl.enum] if decl.enum is not None else None
            allowed = Constraint(decl.valid, enum, decl.binding)
            data = self._changed(path, next((value for value in _others(node) if not allowed.passes(owner.scope, value)), None))
            if data is not None:
                yield SampleFault(data, decl.binding.code or INVALID.name, path, node.start // 8, -(-node.stop // 8))

    def _changed(self, path: str, value: Any) -> bytes | None:
        """Return the file with another value at a path; None without a value, and where the file cannot be written."""
        return None if value is None else _with(self.values, path, value, self.write)


def _owner(path: str) -> str:
    """Return the path of the record that has the field at a path."""
    return path.rpartition(".")[0]


def _is_free(node: FieldNode, owner: FieldNode | None, shaping: set[tuple[str, str]]) -> bool:
    """Whether a field's value can be changed without changing the position or the layout of any other field. ``owner`` is the
    node of its record, ``shaping`` the fields that determine layouts.
    """
    decl, frame = node.decl, owner.scope if isinstance(owner, ByteNode) else None
    if decl is None or node.children or node.absent or node.broken or decl.binding.value is not None:
        return False
    if frame is None or shaping & {("", decl.name), (frame.element.title, decl.name)}:
        return False
    return isinstance(node.value, int | str) and not isinstance(decl.type, ir.SwitchType | ir.RecordType)


def _shaping(spec: ir.Spec) -> set[tuple[str, str]]:
    """Return the fields that determine the layout of a file, as (record, field); an empty record means any record."""
    found: set[tuple[str, str]] = set()
    for record in spec.records.values():
        title = record.name.rpartition("::")[2]
        pending = shapes(record)
        seen = set()
        while pending:
            for node in tree.walk(pending.pop().tree):
                if isinstance(node, tree.Attribute):
                    found.add(("", node.name))
                elif isinstance(node, tree.Name) and node.id not in seen:
                    seen.add(node.id)
                    instance = record.instances.get(node.id)
                    pending += [instance.value] if isinstance(instance, ir.ValueInstance) else []
        found |= {(title, name) for name in seen}
    return found


def _others(node: FieldNode) -> Iterator[int | str]:
    """Yield values of the type of a node's field other than its own: the nearest ones, and the ends of its range."""
    kind, value = node.decl.type if node.decl is not None else None, node.value
    if isinstance(value, str):
        yield from (letter * len(value) for letter in "?z0 " if letter * len(value) != value)
    elif isinstance(kind, ir.IntType | ir.BitsType) and isinstance(value, int):
        low, high = kind.range
        near = dict.fromkeys((value + 1, value - 1, high, low, value ^ 2, value ^ 4))
        yield from (one for one in near if low <= one <= high and one != value)


def _holds(nodes: dict[str, ByteNode], path: str, value: Any, frame: RecordFrame, holds: ExpressionFunction) -> bool:
    """Return the result of the check ``holds`` of a record if the value at ``path`` were ``value``; True where it has no result.

    Only the values in the frames are changed, and then restored: this is much faster than writing a file and reading it.
    """
    owner, _, name = path.rpartition(".")
    name, _, index = name.partition("[")
    inner = nodes[owner].scope if owner in nodes else None
    if inner is None or name not in inner.values:
        return True
    kept = [(one, dict(one.values)) for one in {id(one): one for one in (frame, inner)}.values()]
    session, session.reading = frame.session, False
    try:
        for one, before in kept:
            # Computed values are left out, to be computed again from the changed one.
            one.values = {key: old for key, old in before.items() if not isinstance(one.element.instances.get(key), ValueElement)}
        if index:
            items, at = inner.values[name], int(index[:-1])
            value = [*items[:at], value, *items[at + 1 :]]
        inner.values[name] = value
        return bool(holds(frame))
    except EvaluationError:
        return True
    finally:
        session.reading = True
        for one, before in kept:
            one.values = before


def _with(values: dict[str, Any], path: str, value: Any, write: Write) -> bytes | None:
    """Return the file of ``values`` with the one at ``path`` replaced; None where it cannot be written."""
    changed: Any = deepcopy(values)
    steps: list[Any] = [int(step) if step.isdigit() else step for step in path.replace("[", ".").replace("]", "").split(".")]
    holder = changed
    for here, after in pairwise(steps):
        if isinstance(after, int):
            holder[here] = list(holder[here])
        holder = holder[here]
    holder[steps[-1]] = value
    try:
        return write(changed)
    except (WriteError, TypeError):
        return None
