"""What the tests of the bulk codec share: schemas made of layouts, deals by the thousand, the reference path as arrays."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bridgespec.codec.binary.codec import BinaryCodec, plain
from bridgespec.codec.bulk.codec import BulkCodec, why_not
from bridgespec.errors import SpecError
from bridgespec.spec.ir import Spec
from bridgespec.spec.kaitai import schema as ksy
from tests.listed import listed

SPECS = Path(__file__).parents[3] / "specs"


@cache
def binary_specs() -> dict[str, Spec]:
    """Every binary format of the repository, by id."""
    found: dict[str, Spec] = {}
    for path in sorted(SPECS.glob("*.ksy")):
        spec = ksy.load(path)
        if spec.extensions:
            found[spec.id] = spec
    return found


@cache
def bulk_codec(name: str) -> BulkCodec:
    """The bulk codec of a format."""
    return BulkCodec(binary_specs()[name])


@listed
def bulk_formats() -> Iterable[str]:
    """The ids of the formats that bulk work takes."""
    return bulk_specs()


@cache
def bulk_specs() -> dict[str, Spec]:
    """The schemas of the formats that bulk work takes."""
    return {name: spec for name, spec in binary_specs().items() if not why_not(spec)}


def spec_of(fields: str, *, order: str = "le", endian: str = "le", rest: str = "") -> Spec:
    """A schema of records with these fields, each a line of YAML in flow style."""
    body = "\n".join(f"      - {line.strip()}" for line in fields.strip().splitlines())
    return ksy.loads(
        f"meta: {{id: made, endian: {endian}, bit-endian: {order}, file-extension: made}}\n"
        "seq:\n  - {id: rows, type: row, repeat: eos}\n"
        f"types:\n  row:\n    seq:\n{body}\n{rest}"
    )


def refusal(spec: Spec) -> str:
    """Why there is no bulk codec."""
    try:
        BulkCodec(spec)
    except SpecError as reason:
        return str(reason)
    raise AssertionError("bulk work takes this spec")


def deals(count: int, seed: int = 1) -> NDArray[np.uint8]:
    """Random whole deals, shape (count, 52)."""
    rows = np.broadcast_to(np.repeat(np.arange(4, dtype=np.uint8), 13), (count, 52))
    return np.random.default_rng(seed).permuted(rows, axis=1)


def tables(count: int, seed: int = 2) -> NDArray[np.uint8]:
    """Random trick tables, shape (count, 20), some cells unknown, none of them beginning with nulls."""
    cells = np.random.default_rng(seed).integers(0, 15, (count, 20)).astype(np.uint8)
    cells[cells == 14] = 15
    cells[:, 0] |= 1
    return cells


def valid_file(codec: BulkCodec, count: int) -> NDArray[np.uint8]:
    """A file of random deals and tables, as far as the format holds them."""
    given = {}
    if "declarer" in codec.fields:
        given["declarer"] = np.arange(count, dtype=np.uint8) % 4
    cells = tables(count)
    if "last" in codec.fields:
        given["last"] = np.broadcast_to(np.frombuffer(b"99 ", np.uint8), (count, 3))
    made = codec.arrays(deals(count) if "deal" in codec.terms else None, cells if "tricks" in codec.terms else None, given)
    return codec.write(made)


def reference_rows(spec: Spec, data: bytes) -> list[Any]:
    """The records as the reference codec decodes them."""
    root = plain(BinaryCodec(spec).read(data).root)
    assert isinstance(root, dict)
    rows = root[spec.top.fields[-1].name]
    assert isinstance(rows, list)
    return rows


def column(rows: Sequence[Any], path: str) -> Any:
    """One field of decoded records as nested lists, by its dotted path."""
    name, _, rest = path.partition(".")

    def pick(row: Any) -> Any:
        if isinstance(row, list):
            return [pick(one) for one in row]
        return pick_rest(row[name])

    def pick_rest(value: Any) -> Any:
        if not rest:
            return value
        return [pick_rest(one) for one in value] if isinstance(value, list) else column([value], rest)[0]

    return [pick(row) for row in rows]


def as_bytes(value: Any) -> Any:
    """Texts and byte arrays as lists of bytes, so that they compare with arrays."""
    if isinstance(value, str):
        return list(value.encode("latin-1"))
    if isinstance(value, bytes):
        return list(value)
    return [as_bytes(one) for one in value] if isinstance(value, list) else value


def as_plain(codec: BulkCodec, arrays: Mapping[str, NDArray[Any]], text: bool = False) -> list[dict[str, Any]]:
    """Arrays as the records that the reference writer takes; only for records without inner ones."""
    count = len(next(iter(arrays.values())))
    rows: list[dict[str, Any]] = [{} for _ in range(count)]
    for leaf in codec.layout.record.leaves:
        assert "." not in leaf.name
        for row, value in zip(rows, arrays[leaf.name], strict=True):
            row[leaf.name] = _spelled(value) if leaf.kind == "bytes" else value.tolist()
    return rows


def _spelled(value: NDArray[Any]) -> Any:
    return value.tobytes() if value.ndim == 1 else [_spelled(one) for one in value]
