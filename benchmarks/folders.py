"""What a question about a folder costs the first time and later: seconds of whole commands, of CPU and elapsed.

``python benchmarks/folders.py FOLDER_OF_PBN_FILES [FILES]`` copies the files under other names until there are FILES of them (500).
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from itertools import cycle, islice
from pathlib import Path

QUESTION = "SELECT contract, count(*) boards FROM 'folder' GROUP BY 1 ORDER BY 2 DESC LIMIT 3"


def main(source: str, files: int = 500) -> None:
    """Print both times."""
    found = sorted(path for path in Path(source).iterdir() if path.suffix.lower() == ".pbn")
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) / "folder"
        folder.mkdir()
        for number, path in enumerate(islice(cycle(found), files)):
            (folder / f"{number:04}.pbn").write_bytes(path.read_bytes())
        environment = {**os.environ, "BRIDGESPEC_CACHE": str(Path(temporary) / "cache")}
        for name in ("first", "second", "third"):
            before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
            command = [sys.executable, "-m", "bridgespec", "query", QUESTION]
            subprocess.run(command, cwd=temporary, env=environment, check=True, stdout=subprocess.DEVNULL)
            elapsed = time.perf_counter() - start
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            costs = f"{seconds:.1f} s of CPU, {elapsed:.1f} s elapsed"
            print(f"{files} files, {name} time: {costs}; at most {after.ru_maxrss / 1024:.0f} MB")


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
