"""What a cluster costs beside threads, and what it survives.

    python benchmarks/cluster.py [--deals 20000] [--chunk 500]       two workers against two threads, as ratios of time
    python benchmarks/cluster.py --kill [--deals 400] [--chunk 10]   what may die dies; the same bytes
    python benchmarks/cluster.py --database [--deals 10485760]       the published deals with made-up results, generated and joined

All need the extra ``cluster``. The ratio of wall times needs an otherwise idle machine with two cores; the ratio of processor
times, in which the scheduler and the start of the workers count, holds on a busy one too.
"""

from __future__ import annotations

import argparse
import filecmp
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections import deque
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np
from bulk_large import results

from bridgespec.api import engine
from bridgespec.cluster.chunk_store import ChunkStore
from bridgespec.cluster.run import ClusterTask, cluster
from bridgespec.codec.bulk.codec import BulkCodec
from bridgespec.model.generator import DATABASE, GROUP, chunks

WORKERS = 2
RECORD = 23
PUBLISHED = (4000, 0x29DB6B28652C)
"""The sum of the first records of the published ZRD database, as 32-bit words."""
KILLS = {"worker": 10, "client": 2, "scheduler": 1}
ENVIRONMENT = {**os.environ, "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "30"}


def bridgespec(*args: str) -> list[str]:
    """The command line of a call."""
    return [sys.executable, "-m", "bridgespec", *args]


def timed(*args: str) -> float:
    """Wall seconds of a command that must succeed."""
    start = time.perf_counter()
    subprocess.run(bridgespec(*args), check=True, stderr=subprocess.DEVNULL)
    return time.perf_counter() - start


def spent() -> float:
    """Processor seconds of all processes that were started here and have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def overhead(folder: Path, deals: int, chunk: int) -> None:
    """Two threads, then a scheduler and two workers that run already."""
    source = str(folder / "d.zbd")
    before = spent()
    threads = timed("solve", source, "-o", str(folder / "t.zrd"), "-j", str(WORKERS), "-q")
    alone = spent()
    with Crew() as crew:
        store = ("--store", str(folder / "store"), "--chunk", str(chunk))
        spread = timed("solve", source, "-o", str(folder / "c.zrd"), "--cluster", crew.address, *store, "-q")
    same = (folder / "t.zrd").read_bytes() == (folder / "c.zrd").read_bytes()
    print(f"{deals:,} deals: threads {threads:.1f} s, cluster {spread:.1f} s, ratio {spread / threads:.3f}; same bytes: {same}")
    one, many = alone - before, spent() - alone
    print(f"processor time: threads {one:.1f} s, cluster {many:.1f} s, ratio {many / one:.3f}")
    if deals >= PUBLISHED[0]:
        records = np.fromfile(folder / "c.zrd", np.uint8)[: PUBLISHED[0] * RECORD]
        total = int(records.view("<u4").astype(np.uint64).sum())
        print(f"sum of the first {PUBLISHED[0]:,} records: {total:X}, as published: {total == PUBLISHED[1]}")


def made_up(first: int, stop: int) -> bytes:
    """Records of the published deals from one to another, with results that are made up (in groups, so that a worker can be killed
    and give the same again)."""
    codec = BulkCodec(engine().spec("zrd"))
    rng = np.random.default_rng(first)
    return b"".join(codec.write(codec.arrays(deals, results(deals, rng))).tobytes() for deals in chunks(first, stop))


def made_up_chunk(url: str, name: str, first: int, stop: int) -> int:
    """The same, kept in a store."""
    store = ChunkStore(url)
    if store.read(name) is None:
        store.write(name, made_up(first, stop))
    return stop - first


def database(folder: Path, deals: int) -> None:
    """Generate and join, by two processes and by a cluster of two workers."""
    ranges = [(first, min(first + 4 * GROUP, deals)) for first in range(0, deals, 4 * GROUP)]
    start = time.perf_counter()
    with ProcessPoolExecutor(WORKERS) as pool, (folder / "t.zrd").open("wb") as file:
        waiting = deque(pool.submit(made_up, *each) for each in ranges[: 2 * WORKERS])
        for each in [*ranges[2 * WORKERS :], *[None] * len(waiting)]:
            file.write(waiting.popleft().result())
            if each is not None:
                waiting.append(pool.submit(made_up, *each))
    alone = time.perf_counter() - start
    start = time.perf_counter()
    jobs = (ClusterTask(f"{first:012}", made_up_chunk, (first, stop), stop - first) for first, stop in ranges)
    with (
        cluster("local", ChunkStore(str(folder / "store")), WORKERS, lambda _: None) as found,
        (folder / "c.zrd").open("wb") as file,
    ):
        for body in found.run(jobs):
            file.write(body)
    spread = time.perf_counter() - start
    same = filecmp.cmp(folder / "t.zrd", folder / "c.zrd", shallow=False)
    peak = max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)) / 1000
    size = (folder / "c.zrd").stat().st_size
    print(f"{deals:,} deals with MADE-UP results, {size:,} bytes; same bytes: {same}")
    print(f"two processes {alone:.1f} s, cluster {spread:.1f} s; most memory of one process: {peak:.0f} MB")


class Crew:
    """A scheduler and its workers, in processes of their own."""

    def __init__(self) -> None:
        command = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard"]
        self.head = subprocess.Popen(command, stderr=subprocess.PIPE, env=ENVIRONMENT)
        assert self.head.stderr is not None
        self.address = next(line.split()[-1].decode() for line in self.head.stderr if b"Scheduler at:" in line)
        self.workers = [self._worker() for _ in range(WORKERS)]
        time.sleep(3)

    def _worker(self) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "distributed.cli.dask_worker", self.address, "--no-nanny", "--nthreads", "1"]
        return subprocess.Popen([*command, "--no-dashboard"], stderr=subprocess.DEVNULL, env=ENVIRONMENT)

    def kill_worker(self, place: int) -> None:
        """One worker dies, and another takes its place."""
        self.workers[place].kill()
        self.workers[place].wait()
        self.workers[place] = self._worker()

    def __enter__(self) -> Crew:
        return self

    def __exit__(self, *_: object) -> None:
        for process in (*self.workers, self.head):
            process.kill()
            process.wait()


def injected(folder: Path) -> None:
    """Kill in a mixed order, starting again what the user would start again, until the file is there."""
    rng = random.Random(1)
    events = [what for what, times in KILLS.items() for _ in range(times)]
    rng.shuffle(events)
    store = ("--store", str(folder / "store"), "--chunk", "10", "-q")
    call = bridgespec("solve", str(folder / "d.zbd"), "-o", str(folder / "c.zrd"), *store)
    crew = Crew()
    client = subprocess.Popen([*call, "--cluster", crew.address], stderr=subprocess.DEVNULL)
    done: list[str] = []
    while client.poll() is None or done != events:
        time.sleep(rng.uniform(2, 4))
        if len(done) < len(events):
            what = events[len(done)]
            done.append(what)
            if what == "worker":
                crew.kill_worker(rng.randrange(WORKERS))
            elif what == "client":
                client.kill()
            else:
                crew.__exit__()
                client.wait()
                crew = Crew()
        if client.poll() not in (None, 0) or (client.poll() == 0 and len(done) < len(events)):
            client = subprocess.Popen([*call, "--cluster", crew.address], stderr=subprocess.DEVNULL)
    crew.__exit__()
    subprocess.run(bridgespec("solve", str(folder / "d.zbd"), "-o", str(folder / "t.zrd"), "-q"), check=True)
    same = (folder / "t.zrd").read_bytes() == (folder / "c.zrd").read_bytes()
    print(f"killed {', '.join(f'{times} x {what}' for what, times in KILLS.items())}; same bytes: {same}")
    sys.exit(0 if same and client.returncode == 0 else 1)


def main() -> None:
    """Make the deals, and measure or kill."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--deals", type=int)
    parser.add_argument("--chunk", type=int, default=500)
    parser.add_argument("--kill", action="store_true")
    parser.add_argument("--database", action="store_true")
    given = parser.parse_args()
    deals = given.deals or (400 if given.kill else DATABASE if given.database else 20_000)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if given.database:
            database(folder, deals)
            return
        subprocess.run(bridgespec("generate", "rpdd", "--deals", f"0-{deals}", "-o", str(folder / "d.zbd"), "-q"), check=True)
        if given.kill:
            injected(folder)
        else:
            overhead(folder, deals, given.chunk)


if __name__ == "__main__":
    main()
