"""Positions of fields, as they were read or are written: the input of the size, offset and checksum functions in expressions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Protocol

from bridgespec.spec.ir import PosInstance, Record, Spec
from bridgespec.spec.kaitai.expr.evaluator import EvaluationError
from bridgespec.spec.kaitai.expr.tree import Expression, SpotExpression, walk


class Positioned(Protocol):
    """The methods of a `ByteSource` or `Sink` that a `FieldPosition` uses."""

    @property
    def here(self) -> int:
        """The position in bits from the start of the stream."""

    @property
    def reach(self) -> int:
        """The size of the stream in bits; of a sink the number of bits written so far."""

    def between(self, start: int, stop: int) -> bytes:
        """Return the bytes that contain the bits from ``start`` to ``stop``."""


class FieldPosition:
    """The position of a field in a stream: its first bit and the bit after its last. ``items`` are the positions of an array's
    elements. One is made when reading or writing of a field begins, if an expression uses the position.
    """

    __slots__ = ("items", "start", "stop", "stream")

    def __init__(self, stream: Positioned, start: int) -> None:
        self.stream = stream
        self.start = start
        self.stop = start
        self.items: list[tuple[int, int]] = []

    def end(self, count: int = 0, step: int = 0) -> None:
        """Set the end to the stream's present position. With ``step``, set ``items`` to ``count`` elements of ``step``
        bits each.
        """
        self.stop = self.stream.here
        if step:
            self.items = [(self.start + step * index, self.start + step * (index + 1)) for index in range(count)]

    def item(self, at: int, name: str | None) -> FieldPosition:
        """Return the position of the element with index ``at``. Raises EvaluationError where there is none."""
        if at >= len(self.items):
            raise EvaluationError(f"'{name}' has no element {at}: there are {len(self.items)}")
        found = FieldPosition(self.stream, self.items[at][0])
        found.stop = self.items[at][1]
        return found

    def bytes(self, start: int, stop: int) -> bytes:
        """Return the bytes of the stream that contain the bits from ``start`` to ``stop``."""
        return self.stream.between(start, stop)


class StreamPosition(FieldPosition):
    """The position of a whole stream, from bit 0 to its end."""

    __slots__ = ()

    def __init__(self, stream: Positioned) -> None:
        super().__init__(stream, 0)
        self.end()

    def end(self, count: int = 0, step: int = 0) -> None:
        """End the range at the end of the stream."""
        self.stop = self.stream.reach


def looked_at(spec: Spec) -> frozenset[str | None]:
    """Return the names of the fields whose positions a schema's expressions use. None among them means the position of a record,
    ``_io`` that of a stream.
    """
    return looked_at_in(expression for record in spec.records.values() for expression in _expressions(record))


def looked_at_in(expressions: Iterable[Expression]) -> frozenset[str | None]:
    """Return the names of the fields whose positions the given expressions use, as `looked_at`."""
    spots = (node for expression in expressions for node in walk(expression.tree) if isinstance(node, SpotExpression))
    return frozenset("_io" if node.stream else node.name for node in spots)


def _expressions(record: Record) -> Iterator[Expression]:
    """Yield the expressions of a record that may use positions: derived values, defaults and checks."""
    for field in (*record.fields, *(one.field for one in record.instances.values() if isinstance(one, PosInstance))):
        if field.binding.value is not None:
            yield field.binding.value
        if field.binding.default is not None:
            yield field.binding.default
    for check in record.checks:
        yield check.that
