"""Bulk work on records of several sizes: each is a run of equal elements, the last of which fulfils a condition.

Input are the file's elements, a row each; a condition such as ``repeat-until: not _.chained``, evaluated over all of them, gives
the offsets of the records. Records of one size are then like those of a schema that repeats the element so often, for which there
is a `BulkCodec`: `GroupCodec.sized`. What no such codec can prove clean is marked, as everywhere in bulk work.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bridgespec.codec.bulk.codec import BulkCodec, Judge
from bridgespec.codec.bulk.expr import Arrays, Unsupported
from bridgespec.codec.bulk.layout import Refusal
from bridgespec.codec.bulk.marks import Bad
from bridgespec.codec.bulk.plan import Records
from bridgespec.errors import SpecError
from bridgespec.spec.ir import Field, Record, RecordType, Repeat, Spec
from bridgespec.spec.kaitai.expr.parse import parse
from bridgespec.spec.kaitai.expr.tree import Attribute, Name, walk

LONGEST = 64
"""Records of more elements than this have no codec of their own: they are rare where records are groups."""


class GroupCodec:
    """Finds and checks the records of a spec whose list holds runs of elements; SpecError where it is not of this kind."""

    def __init__(self, spec: Spec) -> None:
        self.spec = spec
        try:
            self._record, self._run = _run_of(spec)
        except Refusal as reason:
            raise SpecError(f"{spec.id} cannot be read in groups: {reason}") from None
        self._sized: dict[int, BulkCodec | None] = {}
        one = self.sized(1)
        if one is None:
            raise SpecError(f"{spec.id} cannot be read in groups: a group of one has no fixed size")
        self.one = one
        self.element_size = one.record_size
        prefix = f"{self._run.name}."
        self._seen = [name for name in one.fields if name.startswith(prefix)]
        self._prefix = prefix
        try:
            self.ends(np.zeros((1, self.element_size), np.uint8))
        except (Unsupported, KeyError, TypeError, ValueError) as reason:
            raise SpecError(f"{spec.id} cannot be read in groups: its groups end by {reason}") from None

    def sized(self, count: int) -> BulkCodec | None:
        """The codec of records of ``count`` elements; None where arrays cannot prove these clean."""
        if count not in self._sized:
            made = None
            if count <= LONGEST:
                run = replace(self._run, repeat=Repeat.EXPR, repeat_expr=parse(str(count)))
                fields = tuple(run if field is self._run else field for field in self._record.fields)
                records = {**self.spec.records, self._record.name: replace(self._record, fields=fields)}
                try:
                    made = BulkCodec(replace(self.spec, records=records))
                except SpecError:
                    made = None
            self._sized[count] = made
        return self._sized[count]

    def ends(self, elements: Records) -> Bad:
        """Whether each element is the last of its record by itself, not because the data end there."""
        assert self._run.repeat_expr is not None
        arrays = self.one.unpack(elements, self._seen)
        found = Arrays({"_io.eof": False}, self.spec.enums)
        found.item = {name.removeprefix(self._prefix): values.reshape(len(elements), -1)[:, 0] for name, values in arrays.items()}
        return np.broadcast_to(np.asarray(found(self._run.repeat_expr), np.bool_), len(elements))

    def mark(self, elements: Records, sizes: NDArray[np.int64], judges: Sequence[Judge] = ()) -> Bad:
        """Whether each record needs a closer look; ``sizes`` are the numbers of elements of all records, in order."""
        bad = np.ones(len(sizes), np.bool_)
        for count, rows, places in self.by_size(elements, sizes):
            codec = self.sized(count)
            if codec is not None:
                bad[places] = codec.mark(rows, judges)
        return bad

    def by_size(self, elements: Records, sizes: NDArray[np.int64]) -> list[tuple[int, Records, NDArray[np.int64]]]:
        """The records of each size: how many elements they have, their bytes, a row each, and their indexes."""
        starts = np.cumsum(sizes) - sizes
        found = []
        for count in np.unique(sizes).tolist():
            places = np.flatnonzero(sizes == count)
            rows = elements[starts[places][:, None] + np.arange(count)].reshape(len(places), -1)
            found.append((count, rows, places))
        return found


def _run_of(spec: Spec) -> tuple[Record, Field]:
    """The type of the records of a file's list and its one field, a list that ends by a condition on its last element."""
    if spec.language != "ksy" or not spec.top.fields:
        raise Refusal("it is no list of records")
    listed = spec.top.fields[-1]
    if listed.repeat is not Repeat.EOS or not isinstance(listed.type, RecordType):
        raise Refusal(f"{listed.place}: {listed.name} is no list of records to the end of the file")
    record = spec.records[listed.type.target]
    run = record.fields[-1] if len(record.fields) == 1 else None
    if run is None or run.repeat is not Repeat.UNTIL or run.repeat_expr is None or not isinstance(run.type, RecordType):
        raise Refusal(f"{record.place}: {record.name} is not one list that ends by a condition")
    names: set[Any] = {node.id for node in walk(run.repeat_expr.tree) if isinstance(node, Name)}
    ends = [node for node in walk(run.repeat_expr.tree) if isinstance(node, Attribute) and node.of == Name("_io")]
    if not names <= {"_", "_io"} or any(node.name != "eof" for node in ends):
        raise Refusal(f"{run.place}: {run.name} ends by more than its last element")
    return record, run
