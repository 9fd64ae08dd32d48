"""Compares generated JavaScript readers with the reference path.

Run ``python benchmarks/javascript.py [RECORDS]``; it needs Node.js. Both read the same file, a good sample of each format
repeated, and give the whole tree and all findings. Figures are processor time, that of Node's helper threads included, the best
of some rounds in one process; ``values`` takes the plain values out of the tree as well.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from bridgespec.codec.binary.codec import BinaryCodec
from bridgespec.codec.node import plain
from bridgespec.engines import engine
from bridgespec.spec.ir import Spec
from bridgespec.targets.javascript.module import to_javascript

SAMPLES = Path(__file__).parent.parent / "tests/samples"
ROUNDS = 12
DRIVER = """
import { readFileSync } from "node:fs";
const [module, file, rounds] = process.argv.slice(1);
const { read, plain } = await import(module);
const data = readFileSync(file);
const best = (action) => {
  let least = Infinity;
  for (let round = 0; round < rounds; round++) {
    const start = process.cpuUsage();
    action();
    const { user, system } = process.cpuUsage(start);
    least = Math.min(least, (user + system) / 1e6);
  }
  return least;
};
console.log(JSON.stringify([best(() => read(data)), best(() => plain(read(data).tree))]));
"""


def best(action: Callable[[], object], rounds: int = 3) -> float:
    """Seconds of processor time of the fastest of some rounds."""
    times = []
    for _ in range(rounds):
        start = time.process_time()
        action()
        times.append(time.process_time() - start)
    return min(times)


def repeated(spec: Spec, count: int) -> tuple[bytes, int]:
    """A sound file of at least so many records, and how many they are."""
    codec = BinaryCodec(spec)
    for path in sorted((SAMPLES / spec.id).glob(f"*.{spec.id}")):
        data = path.read_bytes()
        root = codec.read(data).root
        nodes = root[spec.top.fields[-1].name].children or ()
        if nodes and "end" not in root:
            start, stop = nodes[0].start // 8, nodes[-1].stop // 8
            times = -(-count // len(nodes))
            return data[:start] + data[start:stop] * times, times * len(nodes)
    data = spec.samples[0].data
    return data * count, count


def measure(spec: Spec, count: int, folder: Path) -> None:
    """Print one line."""
    data, records = repeated(spec, count)
    module, file = folder / f"{spec.id}.mjs", folder / spec.id
    module.write_text(to_javascript(spec), "utf-8")
    file.write_bytes(data)
    codec = BinaryCodec(spec)
    ours = best(lambda: codec.read(data)), best(lambda: plain(codec.read(data).root))
    command = ["node", "--input-type=module", "-e", DRIVER, str(module), str(file), str(ROUNDS)]
    theirs = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    rates = "".join(f"{records / seconds:12,.0f}" for seconds in (ours[0], theirs[0]))
    print(f"{spec.id:6}{records:9,}{rates}{ours[0] / theirs[0]:8.1f}{ours[1] / theirs[1]:10.1f}")


def main() -> None:
    """Print records a second and ratios."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 5_000
    print("format  records    Python/s      Node/s   ratio    values")
    with tempfile.TemporaryDirectory() as folder:
        for spec in engine().catalog.all():
            if spec.language == "ksy":
                measure(spec, count, Path(folder))


if __name__ == "__main__":
    main()
