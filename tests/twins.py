"""JSON twins: what a sample holds in the model, and what is wrong with a broken one, as text that a reader can check.

    python -m tests.twins                     says which twins are missing or differ
    python -m tests.twins --update [FILE...]  writes them; then read each one: it is a claim about the file

A sample is ``tests/samples/<format>/NAME``, its twin ``NAME.json`` beside it; ``bad/NAME.json`` lists the findings.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from bridgespec.api import Report, engine
from bridgespec.twins import claim, dump, is_sample, twin_of

SAMPLES = Path(__file__).parent / "samples"


def samples() -> list[Path]:
    """Every valid sample, by path."""
    return sorted(path for path in SAMPLES.glob("*/*") if is_sample(path))


def bad_samples() -> list[Path]:
    """Every broken sample, by path."""
    return sorted(path for path in SAMPLES.glob("*/bad/*") if is_sample(path))


def format_of(path: Path) -> str:
    """The format of a sample: its folder's name."""
    return path.relative_to(SAMPLES).parts[0]


def examine(path: Path) -> Report:
    """A sample read as its folder's format."""
    return engine().examine(path.read_bytes(), format_of(path))


def expected(path: Path) -> object:
    """What the twin of a sample claims."""
    return json.loads(twin_of(path).read_text("utf-8"))


def actual(path: Path) -> object:
    """What the twin of a sample would say now."""
    return claim(engine(), path, format_of(path))


def main(arguments: list[str] | None = None) -> int:
    """Compare the twins with what is read now, or write them; the exit status is 1 where one is missing or differs."""
    parser = argparse.ArgumentParser(prog="python -m tests.twins", description="Check or write the samples' JSON twins.")
    parser.add_argument("--update", action="store_true", help="write what differs")
    parser.add_argument("files", nargs="*", type=Path, help="samples (default: all)")
    options = parser.parse_args(arguments)
    chosen = {path.resolve() for path in options.files}
    status = 0
    for path in [*samples(), *bad_samples()]:
        if chosen and path.resolve() not in chosen:
            continue
        twin, text = twin_of(path), dump(actual(path))
        if twin.exists() and json.loads(twin.read_text("utf-8")) == json.loads(text):
            continue
        if options.update:
            twin.write_text(text, "utf-8")
        status = 0 if options.update else 1
        print(f"{'written' if options.update else 'differs' if twin.exists() else 'missing'}: {twin.relative_to(SAMPLES)}")
    return status


if __name__ == "__main__":
    sys.exit(main())
