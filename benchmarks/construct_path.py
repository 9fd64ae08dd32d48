"""Compares the reference path with construct used plainly: 13-byte records of 52 two-bit codes.

Run ``python benchmarks/construct_path.py [RECORDS]``. Both read the same bytes; the ratio is our time over construct's. The plain
form is the one that construct's documentation gives for bit fields, with bytes and bits turned to the low end first.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable

import construct

from bridgespec.codec.binary import BinaryCodec
from bridgespec.codec.node import plain
from bridgespec.spec.ksy import loads

SCHEMA = """
meta: {id: deals, endian: le, bit-endian: le}
seq: [{id: boards, type: board, repeat: eos}]
types:
  board:
    seq: [{id: deal, type: b2, enum: seat, repeat: expr, repeat-expr: 52}]
enums:
  seat: {0: west, 1: north, 2: east, 3: south}
"""


def best(action: Callable[[], object], rounds: int = 3) -> float:
    """Seconds of the fastest of some rounds."""
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        action()
        times.append(time.perf_counter() - start)
    return min(times)


def main() -> None:
    """Print records a second and ratios."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 20_000
    data = random.Random(1).randbytes(13 * count)
    board = construct.Struct("deal" / construct.BitsSwapped(construct.Bitwise(construct.Array(52, construct.BitsInteger(2)))))
    plainly = construct.GreedyRange(board)
    codec = BinaryCodec(loads(SCHEMA))
    reading = codec.read(data)
    values = plain(reading.root)
    base = best(lambda: plainly.parse(data))
    rows = [
        ("construct, plainly: read", base),
        ("reference path: read", best(lambda: codec.read(data))),
        ("reference path: read, all values", best(lambda: plain(codec.read(data).root))),
    ]
    for name, seconds in rows:
        print(f"{name:36} {count / seconds:12,.0f} records/s   {seconds / base:5.2f}")
    parsed = plainly.parse(data)
    base = best(lambda: plainly.build(parsed))
    for name, seconds in (("construct, plainly: write", base), ("reference path: write", best(lambda: codec.write(values)))):
        print(f"{name:36} {count / seconds:12,.0f} records/s   {seconds / base:5.2f}")
    assert codec.write(values) == data


if __name__ == "__main__":
    main()
