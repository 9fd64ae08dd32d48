"""Fuzzes the readers, guided by the code that is reached, and goes on from where it was.

    python -m tests.fuzz.guided [--inputs N] [--state DIR] [--format ID]...

Needs Atheris (``pip install atheris``). The state is a folder: ``corpus``, the inputs that reached something new; ``found``, the
inputs that broke a claim; ``counts.json``, how many were tried so far, and the edges reached. An input is a number, which chooses
the format, and a file of it; JSON is a format here. Two in three inputs are made by ``tests.fuzz.pieces``, the rest by libFuzzer.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from random import Random

from tests.fuzz.pieces import damaged, damaged_json

ROOT = Path(__file__).parent.parent.parent
INSTRUMENTED = ("bridgespec.codec", "bridgespec.export", "bridgespec.api", "bridgespec.rules")


def target(state: Path, names: list[str], inputs: int) -> None:
    """One run of libFuzzer within this process; it does not return."""
    # It is installed where somebody fuzzes, and nowhere else; what it is to count is imported after it.
    atheris = import_module("atheris")
    with atheris.instrument_imports(include=list(INSTRUMENTED), enable_loader_override=False):
        claims = import_module("tests.fuzz.claims")
    chosen = claims.kinds(names)

    def change(data: bytes, size: int, seed: int) -> bytes:
        chance = Random(seed)
        if not data or chance.random() < 1 / 3:
            return bytes(atheris.Mutate(data, size))
        if chance.random() < 0.05:
            data = bytes([chance.randrange(len(chosen))]) + data[1:]
        kind = chosen[data[0] % len(chosen)]
        body = damaged_json(data[1:], chance) if kind == "json" else damaged(data[1:], is_text(kind), chance, claims.seeds(kind))
        return (data[:1] + body)[:size]

    def is_text(kind: str) -> bool:
        return (ROOT / "specs" / f"{kind}.lark").exists()

    def try_one(data: bytes) -> None:
        if data:
            claims.examined(data[1:], chosen[data[0] % len(chosen)])

    corpus = state / "corpus"
    if not corpus.exists():
        corpus.mkdir(parents=True)
        for number, kind in enumerate(chosen):
            for index, sample in enumerate(claims.seeds(kind)):
                (corpus / f"{kind}-{index}").write_bytes(bytes([number]) + sample)
    (state / "found").mkdir(exist_ok=True)
    options = [
        f"-runs={inputs}",
        "-max_len=4096",
        "-print_final_stats=1",
        f"-artifact_prefix={state / 'found'}/",
        "-timeout=60",
        "-report_slow_units=60",
    ]
    atheris.Setup([sys.argv[0], *options, str(corpus)], try_one, custom_mutator=change)
    atheris.Fuzz()


def main() -> int:
    """The command; see the module: runs of some thousand inputs, so that little is lost where one is cut off."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.guided", description="Fuzz the readers, guided by coverage.")
    parser.add_argument("--inputs", type=int, default=100_000, help="how many more (default: 100000)")
    parser.add_argument("--state", type=Path, default=ROOT / "build" / "fuzz", metavar="DIR", help="where it is kept")
    parser.add_argument("--format", action="append", metavar="ID", default=[], help="a format, or json (default: all)")
    parser.add_argument("--run", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.run:
        target(options.state, options.format, options.inputs)
    counts = options.state / "counts.json"
    left = options.inputs
    while left > 0:
        kept = json.loads(counts.read_text()) if counts.exists() else {"inputs": 0, "edges": 0, "findings": 0}
        # A run begins with the corpus, which has been counted.
        known = len(list((options.state / "corpus").glob("*")))
        step = min(left, 5000)
        again = [argument for name in options.format for argument in ("--format", name)]
        command = [
            sys.executable,
            "-m",
            "tests.fuzz.guided",
            "--run",
            "--inputs",
            str(step + known),
            "--state",
            str(options.state),
            *again,
        ]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, errors="replace", check=False)
        told = re.findall(r"stat::number_of_executed_units: (\d+)", done.stderr)
        tried = max(int(told[-1]) - known, 0) if told else 0
        kept["inputs"] += tried
        kept["edges"] = max([kept["edges"], *map(int, re.findall(r"cov: (\d+)", done.stderr))])
        found = sorted((options.state / "found").glob("*"))
        if len(found) > kept["findings"]:
            print(done.stderr[-6000:], file=sys.stderr)
        kept["findings"] = len(found)
        if done.returncode and not told:
            return 1
        options.state.mkdir(parents=True, exist_ok=True)
        counts.write_text(json.dumps(kept) + "\n")
        print(kept, flush=True)
        left -= max(tried, 1)
    return int(kept["findings"] > 0)


if __name__ == "__main__":
    sys.exit(main())
