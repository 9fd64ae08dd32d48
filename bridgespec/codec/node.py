"""What a reader makes of a file: a tree of nodes, each with its value, its span and the field that declares it.

The tree is the one thing that binding, dump and documentation read; binary and text codecs both make it. Positions are bits
from the start of the file, so that a text node's are multiples of 8.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from bridgespec.diagnostic import Diagnostic, Span
from bridgespec.spec.ir import Field

Scalar = int | float | str | bytes | bool | None


class Node:
    """One field as it stood in the file.

    ``value`` of a leaf is what the codec decoded (int, str, bytes ...), before enums and bindings; of a record or an array
    it is None and ``children`` holds the parts in file order. ``name`` is the field's name, or the index as a string within an array.
    ``absent`` marks a field whose condition did not hold. A node that could not be decoded keeps its raw bytes as ``value``
    and is ``broken``.
    """

    __slots__ = ("absent", "broken", "children", "decl", "lsb", "name", "start", "stop", "value")

    def __init__(
        self,
        decl: Field | None,
        name: str,
        start: int,
        stop: int,
        value: Scalar = None,
        children: Sequence[Node] | None = None,
        lsb: bool = False,
    ) -> None:
        self.decl = decl
        self.name = name
        self.start = start
        self.stop = stop
        self.value = value
        self.children = children
        self.lsb = lsb
        self.absent = False
        self.broken = False

    @property
    def span(self) -> Span:
        """Where the node stood."""
        return Span(self.start, self.stop, self.lsb)

    def __getitem__(self, name: str) -> Node:
        for child in self.children or ():
            if child.name == name:
                return child
        raise KeyError(name)

    def __contains__(self, name: str) -> bool:
        return any(child.name == name for child in self.children or ())

    def walk(self, path: str = "") -> Iterator[tuple[str, Node]]:
        """Every node below this one in file order with its dotted path (``boards[1].deal[0]``), parents first."""
        for child in self.children or ():
            step = f"[{child.name}]" if child.name.isdigit() else (f".{child.name}" if path else child.name)
            yield path + step, child
            yield from child.walk(path + step)


@dataclass(slots=True)
class Reading:
    """A file as read: the tree, every problem found, and the bytes (kept so that spans can be shown)."""

    root: Node
    data: bytes
    diagnostics: list[Diagnostic] = field(default_factory=list)
