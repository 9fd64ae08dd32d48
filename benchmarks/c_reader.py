"""Generated C readers beside a memory copy and the arrays of the bulk codec: `python benchmarks/c_reader.py [FORMAT...]`.

Times are CPU seconds of a million records, the best of five; ratios are to the copy of the same bytes.
"""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from bridgespec.codec.bulk.codec import BulkCodec
from bridgespec.engines import Engine
from bridgespec.targets.c.module import c_name, to_c

RECORDS, ROUNDS = 1_000_000, 5
DRIVER = Path(__file__).parents[1] / "tests/targets/c/driver.c"


def of_c(name: str, folder: Path) -> dict[str, float]:
    """Seconds of the generated reader, and of a copy."""
    spec = Engine().spec(name)
    prefix = c_name(spec)
    for suffix, text in zip((".h", ".c"), to_c(spec), strict=True):
        (folder / (prefix + suffix)).write_text(text, "ascii")
    defined = [f"-DID={prefix}", f"-DCAPS={prefix.upper()}", f'-DHEADER="{prefix}.h"', "-I."]
    subprocess.run(["cc", "-std=c99", "-O2", *defined, DRIVER, f"{prefix}.c", "-o", prefix], cwd=folder, check=True)
    best: dict[str, float] = {}
    for _ in range(ROUNDS):
        done = subprocess.run([folder / prefix, "time", str(RECORDS)], capture_output=True, text=True, check=True)
        for line in done.stdout.splitlines():
            what, seconds = line.split()
            if what != "#":
                best[what] = min(best.get(what, 9e9), float(seconds))
    return best


def of_arrays(name: str) -> dict[str, float]:
    """Seconds of the bulk codec for as many records."""
    codec = BulkCodec(Engine().spec(name))
    records = np.random.default_rng(1).integers(1, 256, (RECORDS, codec.record_size), np.uint8)
    best = {"arrays: read": 9e9, "arrays: validate": 9e9}
    for _ in range(ROUNDS):
        for what, work in (("arrays: read", codec.unpack), ("arrays: validate", codec.mark)):
            start = time.process_time()
            work(records)
            best[what] = min(best[what], time.process_time() - start)
    return best


def main() -> None:
    """Print a line for each format."""
    for name in sys.argv[1:] or ["zbd", "zrd", "cds", "bri"]:
        with TemporaryDirectory() as folder:
            found = of_c(name, Path(folder)) | of_arrays(name)
        copy = found.pop("copy")
        print(
            name,
            f"copy {copy:.4f} s;",
            ", ".join(f"{what} {seconds:.3f} s ({seconds / copy:.0f})" for what, seconds in found.items()),
        )


if __name__ == "__main__":
    main()
