"""Proofs about integers whose digits are codes: they have too many values for the reference codec, but not for NumPy.

The record that has the field is read by the bulk codec as a list of such records, block by block; its other fields are zero.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from bridgespec.codec.bulk.codec import BulkCodec
from bridgespec.codec.bulk.packed_checks import NOTHING
from bridgespec.codec.bulk.view import DigitsView
from bridgespec.codec.code_numbers import HOLDERS, codes_of
from bridgespec.codec.proof.claim import ClaimTrial, Proof, Property, opened
from bridgespec.errors import SpecError
from bridgespec.spec.ir import Field, Record, RecordType, Repeat, Spec
from bridgespec.spec.kaitai.sizes import type_bits

_BLOCK = 1 << 16
_LIST = "items"
Numbers = NDArray[np.int64]


def _list_of(spec: Spec, record: Record) -> Spec:
    """Return the schema of files that are a list of one record, without derived values, terms and checks in the record."""
    fields = tuple(replace(one, binding=replace(one.binding, value=None, term=None)) for one in record.fields)
    inner = replace(record, fields=fields, checks=())
    items = Field(_LIST, RecordType(record.name), record.place, repeat=Repeat.EOS)
    top = Record(f"{record.name}::{_LIST}", (items,), record.place)
    return replace(spec, root=top.name, records={**spec.records, record.name: inner, top.name: top}, checksum=None)


def digit_proofs(spec: Spec, record: Record, field: Field, about: str, most: int) -> Iterator[Proof]:
    """Return the proofs about a field of digits: its constraint over all bit patterns, and its digits over all numbers below the
    greatest.

    At most ``most`` values of each are tried: the lowest, the highest, and those around the limit.
    """
    word, bits = field.binding.digits, type_bits(field.type, spec.records)
    assert word is not None
    count = 1
    for axis in field.binding.axes:
        count *= len(axis.labels)
    numbers = word.base**count
    try:
        codec = BulkCodec(_list_of(spec, record))
        leaf = next(leaf for leaf in codec.layout.record.leaves if leaf.decl.name == field.name)
        view = DigitsView(leaf, word.base, codes_of(spec.enums[word.enum or ""], HOLDERS).read)
    except (SpecError, KeyError, StopIteration) as error:
        yield opened(about, Property.BACK, f"arrays cannot read it: {error}", field.place)
        return
    assert bits is not None
    back, limit = (
        ClaimTrial(about, Property.BACK, 1 << bits, field.place),
        ClaimTrial(about, Property.LIMIT, 1 << bits, field.place),
    )
    dtype = codec.fields[leaf.name].dtype
    others = {name: np.zeros((_BLOCK, *one.shape), one.dtype) for name, one in codec.fields.items()}
    records = np.zeros((_BLOCK, codec.record_size), np.uint8)
    for values in _blocks(1 << bits, most, numbers):
        size = len(values)
        arrays = {name: one[:size] for name, one in others.items()} | {leaf.name: values.astype(dtype)}
        rows = records[:size]
        codec.pack(arrays, rows)
        read = codec.unpack(rows, [leaf.name])[leaf.name].astype(np.int64)
        _count(back, read == values, values)
        # A number is accepted exactly if it has digits: one more or one less is a value without cards, or cards without a value.
        _count(limit, codec.mark(rows) != (values < numbers), values)
    yield back.proof("written and read by arrays")
    yield limit.proof(f"exactly the {numbers:,} numbers of {count} digits of base {word.base} are accepted")
    once = ClaimTrial(about, Property.ONCE, numbers, field.place)
    for values in _blocks(numbers, most):
        cells = view.read({leaf.name: values})
        named = np.all(cells[:, view.cells.ravel()] != NOTHING, axis=1)
        again = view.write(np.where(named[:, None], cells, 0), {})[leaf.name].reshape(-1)
        _count(once, named & (again == values), values)
    yield once.proof(
        f"the digits of each number are cards' holders, which give the same number, by arrays of {view.cells.size} cells"
    )


def _count(attempt: ClaimTrial, good: NDArray[np.bool_], values: Numbers) -> None:
    """Count a block of values, with a boolean for each: whether the claim holds. The first for which it does not is the
    counterexample.
    """
    attempt.tried += len(values)
    if not good.all() and not attempt.witness:
        attempt.witness = f"the number {int(values[np.argmin(good)]):,}"


def _blocks(total: int, most: int, limit: int = 0) -> Iterator[Numbers]:
    """Yield the numbers below ``total`` in blocks; of more than ``most`` only the lowest, those around ``limit`` and the
    highest.
    """
    third = max(1, most // 3)
    parts = (
        [(0, total)]
        if total <= most
        else [(0, third), (max(third, limit - third // 2), limit + third // 2), (total - third, total)]
    )
    for start, stop in parts:
        for low in range(start, min(stop, total), _BLOCK):
            yield np.arange(low, min(low + _BLOCK, stop, total), dtype=np.int64)
