"""Records sessions anew: ``python -m tests.cli.transcripts [NAME...]``."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from tests.cli.transcripts import FOLDER, SESSIONS, played


def main(names: list[str]) -> None:
    """Run the sessions and write what they print."""
    for name in names or SESSIONS:
        with tempfile.TemporaryDirectory() as folder:
            (FOLDER / f"{name}.txt").write_text(played(name, Path(folder)), "utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
