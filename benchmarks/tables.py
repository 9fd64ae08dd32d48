"""How fast a million solved deals become a table and come back, what memory that takes, and how soon questions are answered.

    python benchmarks/tables.py                          a million records
    python benchmarks/tables.py --memory 1 10 45         most memory by millions of records: it should be the same
    python benchmarks/tables.py --questions 10           examples/questions over ten million rows of Parquet

The deals are those of the published sequence; the results are made up, such as the deals allow. Times are of the processor, of this
process and its threads; each stands beside what it cannot be faster than: a copy of the table's bytes, Parquet of a table whose
columns are all there, the same read by pyarrow alone.
"""

from __future__ import annotations

import argparse
import io
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
from bulk_large import results
from pyarrow import parquet

import bridgespec
from bridgespec.codec.bulk.codec import BulkCodec
from bridgespec.model.generator import chunks
from bridgespec.tables import batches, bulk
from bridgespec.tables.query import QuerySession
from bridgespec.tables.table_files import KINDS, TableFile

QUESTIONS = Path(__file__).parent.parent / "examples" / "questions"
FORMAT = "zrd"


def make(path: Path, count: int) -> None:
    """Write so many deals with made-up results, unless they are there."""
    codec = BulkCodec(bridgespec.engine().spec(FORMAT))
    if path.exists() and path.stat().st_size == count * codec.record_size:
        return
    random = np.random.default_rng(1)
    with path.open("wb") as file:
        for deals in chunks(0, count):
            file.write(codec.write(codec.arrays(deals, results(deals, random))).tobytes())


def used(work: Callable[[], object]) -> float:
    """The processor's seconds that some work takes, the best of three."""
    best = float("inf")
    for _ in range(3):
        start = time.process_time()
        work()
        best = min(best, time.process_time() - start)
    return best


def speed(folder: Path) -> None:
    """The million, in turn with the limits."""
    source, target, back = folder / "m1.zrd", folder / "m1.parquet", folder / "back.zrd"
    make(source, 1_000_000)
    table = bridgespec.table(source)
    whole = table.read()
    derived = bridgespec.table(source, derived=True)
    derived.write(target)
    wide = derived.read()
    flat = np.zeros(whole.nbytes, np.uint8)
    codec = BulkCodec(bridgespec.engine().spec(FORMAT))
    names = ["west", "north", "east", "south", "out", "tricks"]

    def write_back() -> None:
        with target.open("rb") as file, back.open("wb") as out:
            stored = TableFile(file, KINDS["parquet"], str(target))
            bulk.write(codec, map(batches.rows_of, stored.batches(names)), out)

    rows = [
        ("to Arrow", lambda: table.read(), "a copy of its bytes", lambda: flat.copy(), 0.5),
        (
            "to Parquet with all derived columns",
            lambda: derived.save(io.BytesIO(), KINDS["parquet"]),
            "pyarrow writes the same columns",
            lambda: parquet.write_table(wide, pa.BufferOutputStream()),
            3.0,
        ),
        ("back to records", write_back, "pyarrow reads the columns", lambda: parquet.read_table(target, columns=names), 1.0),
    ]
    print(f"{'1,000,000 records':38}{'seconds':>9}{'goal':>7}{'limit':>9}{'ratio':>7}")
    for name, ours, limit_name, limit, goal in rows:
        one, other = used(ours), used(limit)
        print(f"{name:38}{one:9.2f}{goal:7.1f}{other:9.2f}{one / other:7.1f}  {limit_name}")
    assert back.read_bytes() == source.read_bytes()


def memory(folder: Path, millions: list[int]) -> None:
    """The most memory that a conversion takes, each in a process of its own."""
    for count in millions:
        source, target, back = folder / f"m{count}.zrd", folder / f"m{count}.parquet", folder / "back.zrd"
        make(source, count * 1_000_000)
        for call in ([source, target, "--derived"], [target, back]):
            peak = _peak([str(part) for part in call])
            print(f"{count:3d} million records, {call[0].name} -> {call[1].name}: {peak:.0f} MB", flush=True)
        back.unlink()


def _peak(call: list[str]) -> float:
    script = (
        "import sys\n"
        "from bridgespec.cli.app import app\n"
        "try:\n    app.main(['convert', '-q', '--no-sync', *sys.argv[1:]])\n"
        "except SystemExit as end:\n    assert not end.code\n"
        # what getrusage tells begins with the parent's memory, this does not
        "print(next(line for line in open('/proc/self/status') if line.startswith('VmHWM')).split()[1])\n"
    )
    done = subprocess.run([sys.executable, "-c", script, *call], check=True, capture_output=True, text=True)
    return int(done.stdout) / 1024


def questions(folder: Path, millions: int) -> None:
    """Each question over made-up results in Parquet."""
    target = folder / f"m{millions}.parquet"
    if not target.exists():
        make(folder / f"m{millions}.zrd", millions * 1_000_000)
        bridgespec.table(folder / f"m{millions}.zrd", derived=True).write(target)
    with QuerySession({"deals": str(target)}) as session:
        for path in sorted(QUESTIONS.glob("*.sql")):
            start, wall = time.process_time(), time.perf_counter()
            session.ask(path.read_text("utf-8")).read_all()
            took = time.process_time() - start, time.perf_counter() - wall
            print(f"{path.stem:36}{took[0]:7.2f} s of processor {took[1]:7.2f} s", flush=True)
    print(f"most memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")


def main() -> None:
    """Run what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, default=Path("benchmarks/made"), help="where files are made, and kept")
    parser.add_argument("--memory", type=int, nargs="+", metavar="MILLIONS")
    parser.add_argument("--questions", type=int, metavar="MILLIONS")
    asked = parser.parse_args()
    asked.folder.mkdir(parents=True, exist_ok=True)
    if asked.memory:
        memory(asked.folder, asked.memory)
    elif asked.questions:
        questions(asked.folder, asked.questions)
    else:
        speed(asked.folder)


if __name__ == "__main__":
    main()
