"""How many functions run between a pair of a text and the model, and back: counted in a new process."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from bridgespec import Document, dumps, loads
from bridgespec.model.contract import Contract
from tests.steps import functions

PAIRS = b'[Event "Cup"]\r\n[Dealer "N"]\r\n[Contract "4S"]\r\n'
ROOT = Path(__file__).parent.parent.parent


def changed(contract: str) -> Document:
    """Read the pairs and replace the contract."""
    document = loads(PAIRS, "pbn")
    return replace(document, boards=(replace(document.boards[0], contract=Contract.parse(contract)),))


def reading() -> int:
    """Count the functions from the text of a second contract to the contract."""
    assert loads(PAIRS, "pbn").boards[0].contract == Contract.parse("4S")
    return len(functions(lambda: loads(PAIRS.replace(b"4S", b"3NT"), "pbn").boards[0].contract))


def round_trip() -> int:
    """Count the functions of a second change: read, replace, write and compare with what was meant."""
    assert dumps(changed("5C"), "pbn") == PAIRS.replace(b"4S", b"5C")
    return len(functions(lambda: dumps(changed("6HX"), "pbn")))


@pytest.mark.parametrize(("call", "most"), [("reading", 83), ("round_trip", 217)])
def test_few_functions_lie_between_a_pair_and_the_model(call: str, most: int, tmp_path: Path) -> None:
    """Beyond the first call of a process, the count is small, and the same with an empty cache of schemas and a filled one."""
    # In this process, other tests have filled memo tables with the texts of contracts, which makes the count smaller.
    command = f"from {__name__} import *; print({call}())"
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "BRIDGESPEC_CACHE": str(tmp_path)}
    counts = [int(subprocess.check_output([sys.executable, "-c", command], env=environment, cwd=ROOT)) for _ in range(2)]
    assert counts[0] == counts[1] <= most
