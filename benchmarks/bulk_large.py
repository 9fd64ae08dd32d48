"""Checks and converts a file of a gigabyte, and tells the time and the most memory that the process ever held.

Run ``python benchmarks/bulk_large.py [MEGABYTES]`` (1000 unless told otherwise). A file of random deals with results is
generated in a temporary folder, which is deleted at the end. The work is done by the commands. Exit status 1 where it takes 300 MB
or more.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bridgespec.codec.bulk.codec import BulkCodec
from bridgespec.model.arrays import sure_tricks
from bridgespec.spec.kaitai import schema as ksy

SPECS = Path(__file__).parents[1] / "specs"
LIMIT = 300
BLOCK = 1 << 18


def codec_of(name: str) -> BulkCodec:
    """The bulk codec of one of the repository's formats."""
    return BulkCodec(ksy.load(SPECS / f"{name}.ksy"))


def results(deals: NDArray[np.uint8], rng: np.random.Generator) -> NDArray[np.uint8]:
    """Random results that the deals' highest trumps allow, both sides together taking thirteen tricks."""
    cells = np.repeat(rng.integers(5, 9, (len(deals), 5)).astype(np.uint8)[:, :, None], 4, axis=2)
    cells[:, 1:] = np.maximum(cells[:, 1:], sure_tricks(deals)[:, :, None])
    owners = np.concatenate([deals[:, :1], deals[:, ::13]], axis=1)
    theirs = (owners[:, :, None] ^ np.arange(4, dtype=np.uint8)) & 1
    return np.where(theirs, 13 - cells, cells).astype(np.uint8).reshape(len(deals), 20)


def generate(path: Path, size: int) -> int:
    """Write whole records of random deals and results up to ``size`` bytes; the number of records."""
    codec, rng = codec_of("zrd"), np.random.default_rng(7)
    records = size // codec.record_size
    rows = np.broadcast_to(np.repeat(np.arange(4, dtype=np.uint8), 13), (BLOCK, 52))
    deals = rng.permuted(rows, axis=1)
    with path.open("wb") as file:
        for start in range(0, records, BLOCK):
            count = min(BLOCK, records - start)
            deals = deals[:, rng.permutation(52)]
            part = np.ascontiguousarray(deals[:count])
            file.write(codec.write(codec.arrays(part, results(part, rng))).data)
    return records


def numbered(path: Path, format: str) -> None:
    """Write a megabyte of deals of 255 numbers; control bytes state nothing."""
    codec, rng = codec_of(format), np.random.default_rng(1)
    rows = np.arange((1 << 20) // codec.record_size) % 255
    deals = rng.permuted(np.broadcast_to(np.repeat(np.arange(4, dtype=np.uint8), 13), (255, 52)), axis=1)[rows]
    own = {"number": (rows + 1).astype(np.uint8), "first_number": _blank(len(rows)), "last": _blank(len(rows))}
    given = {name: array for name, array in own.items() if name in codec.fields}
    path.write_bytes(codec.write(codec.arrays(deals) | given).data)


def _blank(count: int) -> NDArray[np.uint8]:
    return np.full((count, 3), 0x20, np.uint8)


def main(arguments: list[str]) -> int:
    """Generate, run and measure."""
    sizes = [int(argument) for argument in arguments if argument.isdigit()]
    size = 1_000_000 * (sizes[0] if sizes else 1000)
    with tempfile.TemporaryDirectory() as folder:
        path, target = Path(folder) / "large.zrd", Path(folder) / "large.zbd"
        records = generate(path, size)
        print(f"generated {records:,} records, {path.stat().st_size:,} bytes")
        jobs = [["-m", "bridgespec", "validate", str(path)], ["-m", "bridgespec", "convert", str(path), str(target)]]
        for job in jobs:
            start = time.perf_counter()
            status = subprocess.run([sys.executable, *job], check=False).returncode
            print(f"status {status}, {time.perf_counter() - start:.1f} s with start-up")
            if status:
                return status
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1000
        print(f"{target.stat().st_size:,} bytes written; at most {peak:.0f} MB of memory, goal {LIMIT}")
        return 0 if peak < LIMIT and target.stat().st_size == 13 * records else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
