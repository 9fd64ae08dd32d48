"""Records visits again: ``python -m tests.webpage.visits [NAME...]``."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from tests.webpage.visits import FOLDER, VISITS, went

for name in sys.argv[1:] or VISITS:
    with tempfile.TemporaryDirectory() as folder:
        (FOLDER / f"{name}.txt").write_text(went(VISITS[name], Path(folder)), "utf-8")
    print(name)
