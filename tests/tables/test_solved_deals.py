"""The recipe for a set of solved deals makes the same deals and results everywhere, and goes on where it was stopped."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import bridgespec
from bridgespec.solver import Solver
from tests.cli.running import ROOT

pytest.importorskip("pyarrow")
COUNT = 8


@pytest.mark.long
def test_a_slice_of_the_set_has_its_checksums(tmp_path: Path) -> None:
    """Eight deals and their tables have the sums that the page states; the table is typed, and a second run changes nothing."""
    command = tmp_path / "bin" / "bridgespec"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m bridgespec "$@"\n')
    command.chmod(0o755)
    words = ["sh", str(ROOT / "examples" / "solved-deals.sh"), str(COUNT)]
    environment = {**os.environ, "PATH": f"{command.parent}{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": str(ROOT)}
    page = (ROOT / "docs" / "tables.md").read_text("utf-8")
    sums = dict(reversed(one) for one in re.findall(r"^([0-9a-f]{64})  (\S+)$", page, re.MULTILINE))
    for _ in range(2):
        done = subprocess.run(words, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True)
        for name in (f"deals-{COUNT}.zbd", f"solved-{COUNT}.zrd"):
            assert hashlib.sha256((tmp_path / name).read_bytes()).hexdigest() == sums[name]
            assert f"{sums[name]}  {name}" in done.stdout
    table = bridgespec.table(tmp_path / f"solved-{COUNT}.parquet").read()
    assert {str(table.schema.field(name).type) for name in ("west", "north", "east", "south")} == {"uint64"}
    boards = bridgespec.load(tmp_path / f"solved-{COUNT}.zrd").boards
    assert len(boards) == table.num_rows == COUNT
    with Solver() as solver:
        assert all(board.deal is not None and solver.table(board.deal) == board.tricks for board in boards[:2])
