"""The trace of a binary reading, made from its tree, which has a node for every field that was tried; findings give the reasons
for failures.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from bridgespec.codec.binary.leaf import type_words
from bridgespec.codec.node import ByteNode, Cells, FieldNode, is_array, step
from bridgespec.codec.trace import MOST_ATTEMPTS, Attempt
from bridgespec.diagnostic import Diagnostic
from bridgespec.spec.ir import Field, Primitive


def trace(nodes: Iterable[tuple[str, FieldNode]], found: Iterable[Diagnostic]) -> tuple[list[Attempt], int | None]:
    """Return the attempts at the given nodes, each with its path, and the byte from which on attempts were not kept, or None.
    ``found`` are the findings of the reading.
    """
    reasons: dict[str, list[str]] = {}
    for one in found:
        reasons.setdefault(one.field or "", []).append(one.message)
    tracer = _Tracer(reasons)
    attempts: list[Attempt] = []
    for path, node in nodes:
        if tracer.left <= 0:
            return attempts, node.start // 8
        attempts.append(tracer.attempt(node, path, path))
    return attempts, None


class _Tracer:
    """Converts nodes of one reading to attempts, up to a limit."""

    def __init__(self, reasons: Mapping[str, Sequence[str]]) -> None:
        self.reasons = reasons
        self.left = MOST_ATTEMPTS

    def attempt(self, node: FieldNode, path: str, name: str) -> Attempt:
        """Return the attempt that resulted in a node, with those inside it."""
        self.left -= 1
        rule = ": ".join(word for word in (f"[{name}]" if name.isdigit() else name, _kind(node)) if word)
        one = Attempt(rule, node.start, node.stop, "read", "; ".join(self.reasons.get(path, ())))
        if node.absent:
            condition = None if node.decl is None else node.decl.condition
            one.outcome, one.reason = "absent", f"{condition.shown} is false" if condition is not None else "its condition is false"
            return one
        if node.broken:
            one.outcome, one.reason = "failed", one.reason or "a part of it cannot be read"
        if not isinstance(node.children, Cells):
            one.parts = [self.attempt(child, step(path, child), child.name) for child in node.inside if self.left > 0]
            one.parts += _untried(node)
        return one


def _kind(node: FieldNode) -> str:
    """Return the type of a node in words: the title of a record, the name of a primitive type. Empty for a list with nodes for its
    elements, and for bytes outside of fields.
    """
    if isinstance(node, ByteNode) and node.scope is not None:
        return str(node.scope.element.title)
    if node.decl is None or (is_array(node) and not isinstance(node.children, Cells)):
        return ""
    return _words(node.decl)


def _words(field: Field) -> str:
    return type_words(field.type) if isinstance(field.type, Primitive) else ""


def _untried(node: FieldNode) -> Iterator[Attempt]:
    """Yield an attempt for each field that was not tried because an earlier one could not be read."""
    if not (node.broken and isinstance(node, ByteNode) and node.scope is not None):
        return
    tried = {child.name for child in node.children or ()}
    for field in node.scope.element.fields:
        if field.label not in tried:
            yield Attempt(field.label, node.stop, node.stop, "untried", "what comes before it cannot be read")
