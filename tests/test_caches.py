"""The suite gives the same result whether compiled schemas are in the cache or not."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
FILL = """
from bridgespec.bidding.language import SHIPPED, SystemReader
from bridgespec.spec.catalog import Catalog
list(Catalog().all())
for system in sorted(SHIPPED.glob("*.bid")):
    SystemReader().read(system)
"""


@pytest.mark.slow
def test_the_suite_passes_with_a_filled_cache(tmp_path: Path) -> None:
    """Every other run begins with an empty one; ``BRIDGESPEC_TEST_CACHE`` names the one that is used here."""
    plain = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    environment = {**plain, "PYTHONPATH": str(ROOT), "BRIDGESPEC_CACHE": str(tmp_path), "BRIDGESPEC_TEST_CACHE": str(tmp_path)}
    subprocess.run([sys.executable, "-c", FILL], env=environment, cwd=ROOT, check=True)
    kept = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.json")}
    assert kept
    command = [sys.executable, "-m", "pytest", "-n", "auto", "-q", "-p", "no:cacheprovider"]
    done = subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-4000:]
    # The run did use this cache: no schema of the package was compiled again.
    assert {path: path.stat().st_mtime_ns for path in kept} == kept
