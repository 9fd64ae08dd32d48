"""Faults that break the constraints in a binary schema: ``valid``, checks and conditions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import deepcopy
from itertools import pairwise
from random import Random
from typing import Any

from bridgespec.codec.binary.byte_errors import INVALID
from bridgespec.codec.binary.record import RecordElement, ValueElement
from bridgespec.codec.binary.scope import RecordFrame
from bridgespec.codec.binary.valid import Constraint
from bridgespec.codec.node import ByteNode, FieldNode, plain
from bridgespec.codec.samples import SampleFault
from bridgespec.codec.samples.uses import shapes
from bridgespec.errors import WriteError
from bridgespec.spec import ir
from bridgespec.spec.kaitai.expr import tree
from bridgespec.spec.kaitai.expr.evaluator import EvaluationError, Function

Write = Callable[[dict[str, Any]], bytes]
_TRIED = 60
"""The number of fields of a record that are changed, each in a few ways, to find a value that breaks a condition of the record."""


def of_conditions(spec: ir.Spec, root: FieldNode, random: Random, write: Write) -> Iterator[SampleFault]:
    """Yield files in which one value breaks a check of a record or a constraint of a field; the compiled check itself is
    evaluated to find such a value.
    """
    values, shaping, done = plain(root), _shaping(spec), set()
    nodes = {path: node for path, node in (("", root), *root.walk()) if isinstance(node, ByteNode)}
    for path, node in nodes.items():
        frame = node.scope
        if frame is None or node.broken or not isinstance(frame.element, RecordElement):
            continue
        checks = [(holds, check) for holds, check in frame.element.checks if check.code not in done]
        inside = node.walk(path) if checks else ()
        leaves = [(at, one) for at, one in inside if _is_free(one, nodes.get(_owner(at)), shaping)]
        for holds, check in checks:
            for at, leaf in random.sample(leaves, min(_TRIED, len(leaves))):
                changed = next((value for value in _others(leaf) if not _holds(nodes, at, value, frame, holds)), None)
                data = None if changed is None else _with(values, at, changed, write)
                if data is not None:
                    yield SampleFault(data, check.code, path, node.start // 8, -(-node.stop // 8))
                    done.add(check.code)
                    break
    for path, node in nodes.items():
        decl, owner = node.decl, nodes.get(_owner(path))
        if decl is None or decl.valid is None or owner is None or owner.scope is None or not _is_free(node, owner, shaping):
            continue
        enum = spec.enums[decl.enum] if decl.enum is not None else None
        allowed = Constraint(decl.valid, enum, decl.binding)
        changed = next((value for value in _others(node) if not allowed.passes(owner.scope, value)), None)
        data = None if changed is None else _with(values, path, changed, write)
        if data is not None:
            yield SampleFault(data, decl.binding.code or INVALID.name, path, node.start // 8, -(-node.stop // 8))


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
    """Yield other values of the type of a node's field."""
    kind, value = node.decl.type if node.decl is not None else None, node.value
    if isinstance(value, str):
        yield from (letter * len(value) for letter in "?z0 " if letter * len(value) != value)
    elif isinstance(kind, ir.IntType | ir.BitsType) and isinstance(value, int):
        low, high = kind.range
        near = dict.fromkeys((value + 1, value - 1, high, low, value ^ 2, value ^ 4))
        yield from (one for one in near if low <= one <= high and one != value)


def _holds(nodes: dict[str, ByteNode], path: str, value: Any, frame: RecordFrame, holds: Function) -> bool:
    """Return the result of a check of a record with one value changed; True where it has no result."""
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
        inner.values[name] = value if not index else _replaced(inner.values[name], int(index[:-1]), value)
        return bool(holds(frame))
    except EvaluationError:
        return True
    finally:
        session.reading = True
        for one, before in kept:
            one.values = before


def _replaced(items: Any, at: int, value: Any) -> list[Any]:
    return [*items[:at], value, *items[at + 1 :]]


def _with(values: dict[str, Any], path: str, value: Any, write: Write) -> bytes | None:
    """Return the file with the value at ``path`` replaced; None where it cannot be written."""
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
