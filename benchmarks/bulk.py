"""Compares the ways to read, check and write fixed-size records, all on the same files in one run.

Run ``python benchmarks/bulk.py [RECORDS]`` (200,000 unless told otherwise). Each format's file holds random deals, and random
results where it has room for them. The unit is a memory copy of the arrays that reading gives, ``numpy.copyto`` into arrays that
exist already; bulk work too reads into arrays and writes into a buffer that exist. Each figure is the best of some rounds of
three, which alternate, so that a busy machine troubles all alike. construct and the reference path take the same file once,
in parts of 10,000 records, since a tree of all its values takes gigabytes.

construct used plainly is the form that its documentation gives for bit fields. Exit status 1 where a goal is missed.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import construct
import numpy as np

from bridgespec.codec.binary.codec import BinaryCodec
from bridgespec.codec.bulk.codec import BulkCodec
from bridgespec.codec.node import plain
from bridgespec.spec.kaitai import schema as ksy

SPECS = Path(__file__).parents[1] / "specs"
PART = 10_000
ROUNDS = 100
CARDS = construct.BitsSwapped(construct.Bitwise(construct.Array(52, construct.BitsInteger(2))))
RESULTS = construct.BitsSwapped(construct.Bitwise(construct.Array(20, construct.BitsInteger(4))))
PLAIN = {
    "zbd": construct.Struct("deal" / CARDS),
    "zrd": construct.Struct("deal" / CARDS, "tricks" / RESULTS),
}
GOALS = {"zbd": {"read": 2.0, "check": 8.0, "write": 8.0}, "zrd": {"read": 4.0, "check": 8.0, "write": 8.0}}


def timed(action: Callable[[], object]) -> float:
    """Seconds that one call takes."""
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def random_records(codec: BulkCodec, count: int) -> np.ndarray[Any, np.dtype[np.uint8]]:
    """A file of random whole deals and random results."""
    rng = np.random.default_rng(20)
    rows = np.broadcast_to(np.repeat(np.arange(4, dtype=np.uint8), 13), (count, 52))
    tricks = rng.integers(0, 14, (count, 20)).astype(np.uint8)
    return codec.write(codec.arrays(rng.permuted(rows, axis=1), tricks))


def bulk(codec: BulkCodec, data: np.ndarray[Any, np.dtype[np.uint8]], count: int) -> dict[str, float]:
    """Seconds of the memory copy, and of reading, checking and writing in bulk."""
    out = {name: np.zeros((count, *field.shape), field.dtype) for name, field in codec.fields.items()}
    copy = {name: np.zeros_like(array) for name, array in out.items()}
    again = np.zeros_like(data)

    def copy_all() -> None:
        for name, array in out.items():
            np.copyto(copy[name], array)

    actions: dict[str, Callable[[], object]] = {
        "copy": copy_all,
        "read": lambda: codec.read(data, out=out),
        "check": lambda: codec.check(data),
        "write": lambda: codec.write(out, again),
    }
    times = dict.fromkeys(actions, float("inf"))
    for _ in range(ROUNDS):
        for name, action in actions.items():
            times[name] = min(times[name], *(timed(action) for _ in range(3)))
    assert (again == data).all()
    assert codec.check(data).clean
    return times


def slow(codec: BulkCodec, data: bytes) -> Iterator[tuple[str, float]]:
    """Seconds of construct used plainly and of the reference path, reading and writing, part by part."""
    form, reference = construct.GreedyRange(PLAIN[codec.spec.id]), BinaryCodec(codec.spec)
    times = dict.fromkeys((f"{who}: {what}" for who in ("construct, plainly", "reference path") for what in ("read", "write")), 0.0)
    step = PART * codec.record_size
    for start in range(0, len(data), step):
        part = data[start : start + step]
        begin = time.perf_counter()
        parsed = form.parse(part)
        times["construct, plainly: read"] += time.perf_counter() - begin
        times["construct, plainly: write"] += timed(lambda parsed=parsed: form.build(parsed))
        begin = time.perf_counter()
        reading = reference.read(part)
        times["reference path: read"] += time.perf_counter() - begin
        values = plain(reading.root)
        begin = time.perf_counter()
        written = reference.write(values)
        times["reference path: write"] += time.perf_counter() - begin
        assert written == part
    yield from times.items()


def main() -> int:
    """Print records a second and ratios for both formats."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 200_000
    missed = []
    for name in PLAIN:
        codec = BulkCodec(ksy.load(SPECS / f"{name}.ksy"))
        data = random_records(codec, count)
        times = bulk(codec, data, count)
        base = times["copy"]
        print(f"{name}: {count:,} records, {len(data):,} bytes")
        rows = [("memory copy of the output", base, None)]
        rows += [(f"bulk path: {what}", times[what], goal) for what, goal in GOALS[name].items()]
        rows += [(what, seconds, None) for what, seconds in slow(codec, data.tobytes())]
        for what, seconds, goal in rows:
            ratio = seconds / base
            verdict = "" if goal is None else f"   goal {goal:.0f}: {'met' if ratio <= goal else 'MISSED'}"
            print(f"  {what:28} {1000 * seconds:12,.2f} ms {count / seconds:16,.0f} records/s {ratio:12,.2f} x{verdict}")
            if goal is not None and ratio > goal:
                missed.append(what)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
