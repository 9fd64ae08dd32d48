"""Compares the reference path with construct used plainly, on records of bit fields.

Run ``python benchmarks/construct_path.py [RECORDS]``. Both read the same random bytes: 13-byte records of 52 two-bit codes, and
23-byte records with 20 more of four bits that are validated by ours and not by construct. The number behind a rate is its time
over construct's. The plain form is the one that construct's documentation gives for bit fields that count from the low end.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable

import construct

from bridgespec.codec.binary.codec import BinaryCodec
from bridgespec.codec.node import plain
from bridgespec.spec.kaitai.schema import loads

SCHEMA = """
meta: {{id: deals, endian: le, bit-endian: le}}
seq: [{{id: boards, type: board, repeat: eos}}]
types:
  board:
    seq:
      - {{id: deal, type: b2, enum: seat, repeat: expr, repeat-expr: 52}}
{more}
enums:
  seat: {{0: west, 1: north, 2: east, 3: south}}
"""
TRICKS = "      - {id: tricks, type: b4, repeat: expr, repeat-expr: 20, valid: {expr: _ <= 13 or _ == 15}}"


def best(action: Callable[[], object], rounds: int = 3) -> float:
    """Seconds of processor time of the fastest of some rounds."""
    times = []
    for _ in range(rounds):
        start = time.process_time()
        action()
        times.append(time.process_time() - start)
    return min(times)


def compare(title: str, count: int, size: int, fields: construct.Construct, more: str) -> None:
    """Print one table."""
    # no record may hold a nibble of 14, which is a finding: that would measure the making of findings
    data = random.Random(1).randbytes(size * count).translate(bytes(b & 0xDD for b in range(256)))
    plainly = construct.GreedyRange(construct.BitsSwapped(construct.Bitwise(fields)))
    codec = BinaryCodec(loads(SCHEMA.format(more=more)))
    values = plain(codec.read(data).root)
    parsed = plainly.parse(data)
    read, write = best(lambda: plainly.parse(data)), best(lambda: plainly.build(parsed))
    rows = [
        ("construct, plainly: read", read, read),
        ("reference path: read", best(lambda: codec.read(data)), read),
        ("reference path: read, all values", best(lambda: plain(codec.read(data).root)), read),
        ("construct, plainly: write", write, write),
        ("reference path: write", best(lambda: codec.write(values)), write),
    ]
    print(f"{title}: {count} records")
    for name, seconds, base in rows:
        print(f"  {name:34} {count / seconds:12,.0f} records/s   {seconds / base:5.2f}")
    assert codec.write(values) == data


def main() -> None:
    """Print records a second and ratios."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    deal = "deal" / construct.Array(52, construct.BitsInteger(2))
    tricks = "tricks" / construct.Array(20, construct.BitsInteger(4))
    compare("13-byte deals", count, 13, construct.Struct(deal), "")
    compare("23-byte deals with results", count, 23, construct.Struct(deal, tricks), TRICKS)


if __name__ == "__main__":
    main()
