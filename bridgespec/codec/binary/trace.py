"""The trace of a binary reading: the tree has every field that was tried, with its span; findings give the reasons of failures."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from bridgespec.codec.binary.leaf import type_words
from bridgespec.codec.node import ByteNode, Cells, FieldNode, is_array, step
from bridgespec.codec.trace import MOST_ATTEMPTS, Attempt
from bridgespec.diagnostic import Diagnostic
from bridgespec.spec.ir import Field, Primitive


def trace(nodes: Iterable[tuple[str, FieldNode]], found: Iterable[Diagnostic]) -> tuple[list[Attempt], int | None]:
    """Return the attempts at some nodes, given with their paths, and the byte from which on none were kept, or None; ``found`` are
    the findings of the reading.
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
    """Collects the attempts of one reading."""

    def __init__(self, reasons: Mapping[str, Sequence[str]]) -> None:
        self.reasons = reasons
        self.left = MOST_ATTEMPTS

    def attempt(self, node: FieldNode, path: str, name: str) -> Attempt:
        """Return the attempt that a node is the result of."""
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
    """Return the type of a node: for a list that of its elements, for a switch the chosen one."""
    if isinstance(node, ByteNode) and node.scope is not None:
        return str(node.scope.element.title)
    if node.decl is None or (is_array(node) and not isinstance(node.children, Cells)):
        return ""
    return _words(node.decl)


def _words(field: Field) -> str:
    return type_words(field.type) if isinstance(field.type, Primitive) else ""


def _untried(node: FieldNode) -> Iterator[Attempt]:
    """Yield the fields that were not tried because one before them could not be read."""
    if not (node.broken and isinstance(node, ByteNode) and node.scope is not None):
        return
    tried = {child.name for child in node.children or ()}
    for field in node.scope.element.fields:
        if field.label not in tried:
            yield Attempt(field.label, node.stop, node.stop, "untried", "what comes before it cannot be read")
