"""What marks records for a closer look, and expressions among it: over the fields of a record, its lists, what it computes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bridgespec.codec.bulk.expr import Arrays, Unsupported
from bridgespec.codec.bulk.layout import Block, Leaf, Refusal
from bridgespec.codec.bulk.plan import Records
from bridgespec.spec.ir import Enum, Record, ValueInstance
from bridgespec.spec.kaitai.expr.tree import Expression, Name, walk

Bad = NDArray[np.bool_]


class Marks(ABC):
    """Marks the records that break one constraint."""

    needs: tuple[Leaf, ...] = ()
    """The fields that must be unpacked for it."""

    @abstractmethod
    def mark(self, records: Records, arrays: Mapping[str, NDArray[Any]], bad: Bad) -> None:
        """Set ``bad`` where a record breaks the constraint; ``arrays`` holds the unpacked fields by name."""


def read_as(leaf: Leaf, values: NDArray[Any]) -> NDArray[Any]:
    """The values that a field's raw ones stand for, by the codes that it reads as others."""
    lenient = leaf.decl.binding.lenient
    read = values
    for raw, other in lenient.items():
        # codes are compared with what stood there, so that none is read as another of the others
        read = np.where(values == raw, other, read).astype(values.dtype)
    return read


@dataclass(frozen=True, slots=True)
class Scene:
    """What the expressions of a record see of it by name: fields, lists of them, and what it computes; ``sizes`` are lengths.

    ``repeated`` is how often the record is repeated in the list that holds it: its ``_index`` counts so far; 0 for any other.
    """

    names: Mapping[str, Leaf]
    lists: Mapping[str, Leaf]
    computed: Mapping[str, Expression]
    enums: Mapping[str, Enum]
    sizes: Mapping[str, int]
    repeated: int = 0
    places: Mapping[str, tuple[int, int]] = field(default_factory=dict)

    def needed(self, *expressions: Expression) -> Scene:
        """The same with no more than these expressions name."""
        named: set[str] = set()
        pending = list(expressions)
        while pending:
            for node in walk(pending.pop().tree):
                if isinstance(node, Name) and node.id not in named:
                    named.add(node.id)
                    pending += [self.computed[node.id]] if node.id in self.computed else []
        names, lists = ({n: leaf for n, leaf in of.items() if n.partition(".")[0] in named} for of in (self.names, self.lists))
        return replace(self, names=names, lists=lists)

    @property
    def leaves(self) -> tuple[Leaf, ...]:
        """The fields that must be unpacked."""
        return (*self.names.values(), *self.lists.values())

    def arrays(self, given: Mapping[str, NDArray[Any]], records: Records | None = None) -> Arrays:
        """What evaluates expressions over unpacked fields, and over the bytes of ``records``."""
        names: dict[str, Any]
        names, lists = (
            {name: read_as(leaf, given[leaf.name].astype(np.int64)) for name, leaf in of.items()} for of in (self.names, self.lists)
        )
        if self.repeated:
            names["_index"] = np.arange(self.repeated)
        return Arrays(names, self.enums, self.sizes, lists, self.computed, self.places, records)


class Holds(Marks):
    """An expression over fields of the same record is true, or equals a field's value where one is given."""

    def __init__(self, expression: Expression, shape: tuple[int, ...], scene: Scene, equals: Leaf | None = None) -> None:
        self.expression, self.shape, self.equals = expression, shape, equals
        self.scene = scene.needed(expression)
        self.needs = (*self.scene.leaves, *(() if equals is None else (equals,)))

    def mark(self, records: Records, arrays: Mapping[str, NDArray[Any]], bad: Bad) -> None:
        """As `Marks.mark`."""
        found = self.scene.arrays(arrays, records)
        value = found(self.expression)
        good = value if self.equals is None else read_as(self.equals, arrays[self.equals.name].astype(np.int64)) == value
        _mark(bad, self.shape, found, [good])


class ComputedLegal(Marks):
    """What a record computes is valid."""

    def __init__(self, instance: ValueInstance, shape: tuple[int, ...], scene: Scene) -> None:
        assert instance.valid is not None
        self.instance, self.valid, self.shape = instance, instance.valid, shape
        looks = (self.valid.eq, self.valid.min, self.valid.max, self.valid.expr, *self.valid.any_of)
        self.scene = scene.needed(instance.value, *(one for one in looks if one is not None))
        self.needs = self.scene.leaves

    def mark(self, records: Records, arrays: Mapping[str, NDArray[Any]], bad: Bad) -> None:
        """As `Marks.mark`."""
        found, valid = self.scene.arrays(arrays, records), self.valid
        value = found(self.instance.value)
        tests: list[Any] = []
        if valid.eq is not None:
            tests.append(value == found(valid.eq))
        if valid.min is not None:
            tests.append(value >= found(valid.min))
        if valid.max is not None:
            tests.append(value <= found(valid.max))
        if valid.any_of:
            tests.append(np.logical_or.reduce([np.asarray(value == found(one)) for one in valid.any_of]))
        if valid.in_enum and self.instance.enum is not None:
            tests.append(np.isin(value, list(self.scene.enums[self.instance.enum].members)))
        if valid.expr is not None:
            found.names = {**found.names, "_": value}
            tests.append(found(valid.expr))
        _mark(bad, self.shape, found, tests)


def _mark(bad: Bad, shape: tuple[int, ...], found: Arrays, tests: Sequence[Any]) -> None:
    n = len(bad)
    for test in tests:
        bad |= ~np.broadcast_to(np.asarray(test, np.bool_), (n, *shape)).reshape(n, -1).all(axis=1)
    for doubt in found.doubts:
        bad |= np.broadcast_to(doubt, (n, *shape)).reshape(n, -1).any(axis=1)


def scene_of(
    leaves: Mapping[str, Leaf],
    record: Record,
    prefix: str,
    shape: tuple[int, ...],
    enums: Mapping[str, Enum],
    sizes: Mapping[str, int],
    block: Block,
) -> Scene:
    """The integer fields of the same record that stand as often as it does, its lists of them, what it computes, and the places of
    its fields.
    """
    beside = {n.removeprefix(prefix): place for n, place in block.places.items() if n.startswith(prefix)}
    own = {
        name.removeprefix(prefix): leaf
        for name, leaf in leaves.items()
        if name.startswith(prefix) and name.count(".") <= prefix.count(".") + 1 and leaf.kind in ("int", "bits") and leaf.width < 64
    }
    names = {name: leaf for name, leaf in own.items() if leaf.shape == shape and "." not in name}
    lists = {name: leaf for name, leaf in own.items() if len(leaf.shape) == len(shape) + 1 and leaf.shape[:-1] == shape}
    computed = {n: i.value for n, i in record.instances.items() if isinstance(i, ValueInstance) and i.condition is None}
    held = next((leaf.chain[-2] for leaf in names.values() if len(leaf.chain) > 2 and leaf.decl.repeat is None), None)
    if held is None or held.repeat is None or not shape:
        return Scene(names, lists, computed, enums, sizes, places=beside)
    return Scene(names, lists, computed, enums, {**sizes, f"_parent.{held.name}": shape[-1]}, shape[-1], beside)


def tried(holds: Holds | ComputedLegal, what: str, size: int) -> None:
    """Evaluate once over one record of so many zeros, so that what cannot be evaluated is refused at once."""
    try:
        zeros = {leaf.name: np.zeros((1, *leaf.shape), np.int64) for leaf in holds.needs}
        holds.mark(np.zeros((1, size), np.uint8), zeros, np.zeros(1, np.bool_))
    except (Unsupported, OverflowError, TypeError, ValueError) as problem:
        raise Refusal(f"{what} {problem}") from None
