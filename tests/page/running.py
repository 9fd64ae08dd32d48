"""The page's rules run by Node.js, and pages made of samples."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

from bridgespec.page.scripts import bundle

ROOT = Path(__file__).parent.parent.parent
SAMPLES = ROOT / "tests" / "samples"
SHARED = ROOT.parent / "shared" / "data" / "pbn"
MATCH = SHARED / "1997-Orbis_Bermuda_Bowl__FF04.PBN"
"""A match of two rooms with every play recorded; it may not be redistributed, so it is expected beside the repository."""
NODE = shutil.which("node")
TSC = os.environ.get("BRIDGESPEC_TSC") or shutil.which("tsc") or shutil.which(str(ROOT / "node_modules/.bin/tsc"))


def answers(questions: list[tuple[str, Any]], folder: Path) -> list[Any]:
    """What the page's scripts answer, in order."""
    script = folder / "answers.mjs"
    script.write_text(bundle(Path(__file__).with_name("answers.js")), "utf-8")
    assert NODE is not None
    done = subprocess.run([NODE, str(script)], input=json.dumps(questions), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return list(json.loads(done.stdout))
