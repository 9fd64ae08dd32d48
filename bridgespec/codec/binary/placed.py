"""Where fields stood when they were read, or were written: what sizes, offsets and checksums look at."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Protocol

from bridgespec.spec.ir import PosInstance, Record, Spec
from bridgespec.spec.kaitai.expr.evaluate import EvaluationError
from bridgespec.spec.kaitai.expr.tree import Expression, Spot, walk


class Stream(Protocol):
    """What is read or written, as far as places in it go."""

    @property
    def here(self) -> int:
        """The position in bits from the start of the stream."""

    @property
    def reach(self) -> int:
        """How many bits there are, or are written so far."""

    def between(self, start: int, stop: int) -> bytes:
        """The bytes that hold these bits."""


class Here:
    """The range of bits of a stream in which a field stood; ``items`` are those of a list's elements."""

    __slots__ = ("items", "start", "stop", "stream")

    def __init__(self, stream: Stream, start: int) -> None:
        self.stream = stream
        self.start = start
        self.stop = start
        self.items: list[tuple[int, int]] = []

    def end(self, count: int = 0, step: int = 0) -> None:
        """Let the range end where the stream stands; ``count`` elements of ``step`` bits each stand in it, where they are alike."""
        self.stop = self.stream.here
        if step:
            self.items = [(self.start + step * index, self.start + step * (index + 1)) for index in range(count)]

    def item(self, at: int, name: str | None) -> Here:
        """The same for one element."""
        if at >= len(self.items):
            raise EvaluationError(f"'{name}' has no element {at}: there are {len(self.items)}")
        found = Here(self.stream, self.items[at][0])
        found.stop = self.items[at][1]
        return found

    def bytes(self, start: int, stop: int) -> bytes:
        """The bytes of the stream that hold these bits."""
        return self.stream.between(start, stop)


class Whole(Here):
    """All of a stream."""

    __slots__ = ()

    def __init__(self, stream: Stream) -> None:
        super().__init__(stream, 0)
        self.end()

    def end(self, count: int = 0, step: int = 0) -> None:
        """Let the range end where the stream does."""
        self.stop = self.stream.reach


def looked_at(spec: Spec) -> frozenset[str | None]:
    """The names of the fields whose places some expression of a schema looks at; None among them for records as such."""
    return looked_at_in(expression for record in spec.records.values() for expression in _expressions(record))


def looked_at_in(expressions: Iterable[Expression]) -> frozenset[str | None]:
    """The same of some expressions."""
    spots = (node for expression in expressions for node in walk(expression.tree) if isinstance(node, Spot))
    return frozenset("_io" if node.stream else node.name for node in spots)


def _expressions(record: Record) -> Iterator[Expression]:
    for field in (*record.fields, *(one.field for one in record.instances.values() if isinstance(one, PosInstance))):
        if field.binding.value is not None:
            yield field.binding.value
        if field.binding.default is not None:
            yield field.binding.default
    for check in record.checks:
        yield check.that
