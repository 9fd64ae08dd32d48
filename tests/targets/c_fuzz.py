"""Fuzz a generated C reader under sanitizers: `python -m tests.targets.c_fuzz FORMAT [--inputs N] [--seed N]`."""

from __future__ import annotations

import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from tests.generate.house import engine
from tests.targets.c.test_module import build


@click.command()
@click.argument("name", metavar="FORMAT")
@click.option("--inputs", default=1_000_000, show_default=True, help="How many random files.")
@click.option("--seed", default=1, show_default=True)
def main(name: str, inputs: int, seed: int) -> None:
    """Validate, read and write random files; stop at the first that a sanitizer reports or that is not written back."""
    with TemporaryDirectory() as folder:
        subprocess.run([build(engine().spec(name), Path(folder)), "fuzz", str(inputs), str(seed)], check=True)
    click.echo(f"{name}: {inputs:,} files, nothing found")


if __name__ == "__main__":
    main()
