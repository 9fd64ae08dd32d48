"""What a cluster costs beside threads, and what it survives.

    python benchmarks/cluster.py [--deals 20000] [--chunk 500]            wall time of two workers against two threads, as a ratio
    python benchmarks/cluster.py --kill [--deals 400] [--chunk 10]        what may die dies; the same bytes

Both need the extra ``cluster`` and an otherwise idle machine with two cores.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

WORKERS = 2
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


def overhead(folder: Path, deals: int, chunk: int) -> None:
    """Two threads, then a scheduler and two workers that run already."""
    source = str(folder / "d.zbd")
    threads = timed("solve", source, "-o", str(folder / "t.zrd"), "-j", str(WORKERS), "-q")
    with Crew() as crew:
        store = ("--store", str(folder / "store"), "--chunk", str(chunk))
        spread = timed("solve", source, "-o", str(folder / "c.zrd"), "--cluster", crew.address, *store, "-q")
    same = (folder / "t.zrd").read_bytes() == (folder / "c.zrd").read_bytes()
    print(f"{deals:,} deals: threads {threads:.1f} s, cluster {spread:.1f} s, ratio {spread / threads:.3f}; same bytes: {same}")


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
    given = parser.parse_args()
    deals = given.deals or (400 if given.kill else 20_000)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        subprocess.run(bridgespec("generate", "rpdd", "--deals", f"0-{deals}", "-o", str(folder / "d.zbd"), "-q"), check=True)
        if given.kill:
            injected(folder)
        else:
            overhead(folder, deals, given.chunk)


if __name__ == "__main__":
    main()
