"""How fast text formats are read: PBN against endplay, and a large bidding system from end to end.

    python benchmarks/text_bench.py PBN-FOLDER [BSS-FILE...]

Times are the processor's, the best of three. PBN: over the files that endplay can read, and over all. "tree" is reading with every
finding and every span; "boards" adds the model (deal, auction, play, contract, names, tags, comments, tables). Bidding systems: the
given files' records at every seat and vulnerability, up to two megabytes, through reading, binding and every rule.
"""

from __future__ import annotations

import io
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from endplay.parsers import pbn

from bridgespec.engines import engine

SIZE = 2_000_000


def best(work: Callable[[], object], rounds: int = 3) -> float:
    """The least processor time of a few runs, in seconds."""
    times = []
    for _ in range(rounds):
        before = time.process_time()
        work()
        times.append(time.process_time() - before)
    return min(times)


def theirs(text: str) -> int:
    """The boards that endplay reads."""
    return len(pbn.load(io.StringIO(text)))


def compare(folder: Path) -> None:
    """Read the same files with both."""
    spec = engine().spec("pbn")
    codec, binder = engine().of(spec).codec, engine().of(spec).binder
    files = [path.read_bytes() for path in sorted(folder.iterdir())]
    readable: list[bytes] = []
    for data in files:
        try:
            theirs(data.decode("latin-1").replace("\r\n", "\n"))
            readable.append(data)
        except Exception:
            continue
    texts = [data.decode("latin-1").replace("\r\n", "\n") for data in readable]

    def boards(some: Sequence[bytes]) -> int:
        return sum(len(binder.document(codec.read(data)).boards) for data in some)

    other = best(lambda: [theirs(text) for text in texts])
    tree = best(lambda: [codec.read(data) for data in readable])
    model = best(lambda: boards(readable))
    print(f"{len(files)} files, of which endplay reads {len(readable)}; {boards(files)} boards in all")
    print(
        f"on those: endplay {other:.2f} s; tree {tree:.2f} s, {other / tree:.2f} times as fast; "
        f"boards {model:.2f} s, {other / model:.2f} times"
    )
    print(f"all files: tree {best(lambda: [codec.read(data) for data in files]):.2f} s, boards {best(lambda: boards(files)):.2f} s")


def system(paths: Sequence[Path]) -> None:
    """Validate two megabytes of real records."""
    lines = [line for path in paths for line in path.read_bytes().splitlines() if line[:1].isdigit() or line[:2] == b"*0"]
    bids = list(dict.fromkeys(line[2:] for line in lines if line[:2] == b"00"))
    situations = [b"%d%d" % (seat, when) for seat in range(7) for when in range(9)]
    records: list[bytes] = []
    size = 0
    for situation in situations:
        for bid in bids:
            if size < SIZE:
                records.append(situation + bid)
                size += len(records[-1]) + 2
    data = b"*00{Large}=NYYYYYY\r\n" + b"\r\n".join(records) + b"\r\n"
    spec = engine().spec("bss")
    codec, binder = engine().of(spec).codec, engine().of(spec).binder
    read = best(lambda: codec.read(data))
    bound = best(lambda: binder.document(codec.read(data)))
    whole = best(lambda: engine().examine(data, "bss"), 1)
    print(
        f"{len(data)} bytes of {data.count(chr(10).encode())} records: "
        f"read {read:.2f} s, bound {bound:.2f} s, all rules {whole:.2f} s"
    )


if __name__ == "__main__":
    arguments = [Path(argument) for argument in sys.argv[1:]]
    compare(arguments[0])
    if arguments[1:]:
        system(arguments[1:])
