"""Where a piece of a text stands, as a dotted path of fields."""

from __future__ import annotations

from bisect import bisect_right

from bridgespec.codec.node import Node

_FEW = 20


def path_below(node: Node | None, start: int, stop: int) -> str:
    """The dotted path from a node to the smallest field that holds the bits; arrays may overlap."""
    if node is None:
        return ""
    array = node.decl is not None and node.decl.repeat is not None and not node.name.isdigit()
    children = around(start, stop) if (around := getattr(node, "around", None)) is not None else node.children or ()
    if array and len(children) > _FEW:
        at = bisect_right(children, start, key=_start)
        children = children[max(at - 1, 0) : at]
    best = ""
    for child in children:
        if child.start <= start and stop <= child.stop and (child.stop > child.start or child.children is None):
            inner = path_below(child, start, stop)
            own = f"[{child.name}]" if array or child.name.isdigit() else f".{child.name}"
            empty = child.decl is not None and child.decl.repeat is not None and not child.name.isdigit() and not inner
            if not empty and len(own + inner) > len(best):
                best = own + inner
    return best


def _start(node: Node) -> int:
    return node.start
