"""Sessions of commands with what they print, word for word, as files of this folder.

A session is a text: a line ``$ bridgespec ...`` or ``$ cat FILE``, then what it prints; a line ``! ...`` is one of the standard
error, and ``[1]`` is an exit status that is not 0. ``$ cat > FILE <<END`` writes the lines up to ``END`` to a file. A session runs
in a folder of its own, in which ``files`` are the samples of the suite, ``data`` its tables and ``scores`` its results. Seconds are
written as N. Record a session again after an intended change, and review the difference:

    python -m tests.cli.transcripts [NAME...]
"""

from __future__ import annotations

import math
import os
import re
import shlex
from collections.abc import Iterator
from itertools import takewhile
from pathlib import Path

from click.testing import CliRunner

from bridgespec.cli import app, progress
from tests.cli.running import ROOT

FOLDER = Path(__file__).parent
SESSIONS = sorted(path.stem for path in FOLDER.glob("*.txt"))
_LINKS = {
    "files": ROOT / "tests" / "samples",
    "data": ROOT / "tests" / "tables" / "data",
    "scores": ROOT / "tests" / "scoring" / "samples",
}
_SECONDS = re.compile(r"\b\d+(\.\d+)? (?=m?s\b)")
_ENVIRONMENT = {"COLUMNS": "100", "BRIDGESPEC_PATH": None, "BRIDGESPEC_BIDDING": None}


def commands(name: str) -> Iterator[tuple[str, list[str]]]:
    """Return the commands of a session, each with the lines that it writes to a file."""
    lines = iter((FOLDER / f"{name}.txt").read_text("utf-8").splitlines())
    for line in lines:
        if line.startswith("$ "):
            yield line[2:], list(takewhile("END".__ne__, lines)) if line.endswith(" <<END") else []


def played(name: str, folder: Path) -> str:
    """Run the commands of a session in an empty folder, and return the session as it went."""
    for link, to in _LINKS.items():
        (folder / link).symlink_to(to)
    before = Path.cwd()
    os.chdir(folder)
    # Lines of progress depend on the time: a session has none.
    every, progress.EVERY = progress.EVERY, math.inf
    try:
        return "\n".join(line for command, text in commands(name) for line in _lines(command, text, folder)) + "\n"
    finally:
        progress.EVERY = every
        os.chdir(before)


def _lines(command: str, text: list[str], folder: Path) -> Iterator[str]:
    yield f"$ {command}"
    program, *arguments = shlex.split(command)
    if program == "cat" and arguments[0] == ">":
        (folder / arguments[1]).write_text("".join(f"{line}\n" for line in text), "utf-8")
        yield from (*text, "END")
        return
    if program == "cat":
        yield from (folder / arguments[0]).read_text("utf-8", "backslashreplace").splitlines()
        return
    assert program == "bridgespec", command
    done = CliRunner().invoke(app, arguments, prog_name="bridgespec", env=_ENVIRONMENT, catch_exceptions=False)
    for text, mark in ((done.stdout, ""), (done.stderr, "! ")):
        for line in _SECONDS.sub("N ", text.replace(str(folder), "FOLDER").replace(str(ROOT), "ROOT")).splitlines():
            # A line of the output that looks like one of ours would be taken for one.
            yield f"{mark}{line}".rstrip() if mark or line[:2] not in ("$ ", "! ") else f" {line}".rstrip()
    if done.exit_code:
        yield f"[{done.exit_code}]"
