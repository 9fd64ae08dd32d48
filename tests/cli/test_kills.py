"""Commands that write, killed at random moments: a target is the old file or the whole new one, and the next run clears up.

Half of the kills come after a random time, which also meets what is done in C; half before a random call of a function written in
C, counted from the first file opened to be written: so every step of putting a file in its place is met, however short it is.
"""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import signal
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

import click
import pytest
from click.testing import CliRunner

from bridgespec.cli import app
from bridgespec.cli.app import short_helps

from .running import ROOT, SIXTEEN, SOLVED, UNSOLVED

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="nothing can be forked here")

Tree = dict[str, bytes]


@dataclass(frozen=True)
class Case:
    """A command, the files it starts from, and how many of a thousand kills it gets."""

    name: str
    args: tuple[str, ...]
    sources: tuple[Path, ...] = ()
    kills: int = 50
    grows: bool = False
    """Whether the target is a journal, which is whole after every line."""
    once: bool = False
    """Whether the command refuses to write what is there already."""
    old: tuple[str, ...] = ()
    """Targets that are there before, with another content, in every second kill."""
    status: int = 0
    """The exit status of a run that is not killed."""
    made: Tree = field(default_factory=dict, hash=False, compare=False)


BULK = {"big.zrd": SOLVED.read_bytes() * 60_000}
"""More than a megabyte: files of such a size take another way."""
CLUB = ROOT / "tests" / "scoring" / "samples" / "club.csv"
TWICE = {"twice.pbn": b'[Event "x"]\n[Site "x"]\n[Site "x"]\n'}
VERSIONS = {
    f"{name}.ksy": f"meta: {{id: night, endian: le}}\nseq:\n  - {{id: a, type: u1, valid: {{max: {most}}}}}\n".encode()
    for name, most in (("one", 9), ("two", 4))
}
CASES = (
    Case("to binary", ("convert", "sixteen.dup", "x.zbd"), (SIXTEEN,), 70, old=("x.zbd",)),
    Case("to text", ("convert", "record0.zrd", "x.pbn"), (SOLVED,), 60, old=("x.pbn",)),
    Case("to JSON", ("convert", "sixteen.dup", "x.json"), (SIXTEEN,), 60, old=("x.json",)),
    Case("in bulk", ("convert", "big.zrd", "x.zbd"), (), 60, old=("x.zbd",), made=BULK),
    Case("to a table", ("convert", "sixteen.dup", "x.parquet"), (SIXTEEN,), 40, old=("x.parquet",)),
    Case("split", ("split", "record0.zrd", "x.zbd", "x.zdd"), (SOLVED,), 80, old=("x.zbd", "x.zdd")),
    Case("join", ("join", "sixteen.dup", "sixteen.dup", "x.pbn"), (SIXTEEN,), 40, old=("x.pbn",)),
    Case("solve", ("solve", "unsolved.zrd", "-o", "x.zrd", "-j", "1"), (UNSOLVED,), 80, old=("x.zrd",)),
    Case("solve in place", ("solve", "unsolved.zrd", "-o", "unsolved.zrd", "-j", "1"), (UNSOLVED,), 60),
    Case("fix", ("validate", "--fix", "twice.pbn"), (), 80, made=TWICE),
    Case("deal", ("deal", "north: hcp 15-17", "--seed", "1", "-n", "20", "-o", "x.pbn"), (), 60, old=("x.pbn",)),
    Case("bid", ("bid", "sixteen.dup", "-o", "x.pbn"), (SIXTEEN,), 20, old=("x.pbn",)),
    Case("generate", ("generate", "rpdd", "--deals", "0-500", "-o", "x.zbd"), (), 60, old=("x.zbd",)),
    Case("page", ("page", "sixteen.dup", "-o", "x.html"), (SIXTEEN,), 30, old=("x.html",)),
    Case("dump", ("dump", "sixteen.dup", "--html", "x.html"), (SIXTEEN,), 40, old=("x.html",)),
    Case("export", ("export", "zbd", "--to", "javascript", "-o", "x.js"), (), 30, old=("x.js",)),
    Case("query", ("query", "FROM 'sixteen.dup'", "-o", "x.csv"), (SIXTEEN,), 10, old=("x.csv",)),
    Case("new", ("new", "club"), (), 30, once=True),
    Case("book", ("docs", "--system", "sayc", "--depth", "1", "book"), (), 10),
    Case("sample", ("sample", "zbd", "--count", "3", "--broken", "-o", "made"), (), 20),
    Case("witnesses", ("spec-diff", "one.ksy", "two.ksy", "-o", "made"), (), 10, status=1, made=VERSIONS),
    Case("site", ("docs", "site"), (), 4),
    Case("board", ("board", "--deal", "77", "--number", "1", "-o", "x.svg"), (), 10, old=("x.svg",)),
    Case("score", ("score", "club.csv", "-o", "x.html"), (CLUB,), 20, old=("x.html",)),
    Case("picture", ("suit", "AQ", "32", "--picture", "x.svg"), (), 10, old=("x.svg",)),
    Case("match", ("match", "--a", "sayc", "--b", "two-over-one", "--deals", "2", "--journal", "x.txt"), (), 6, grows=True),
)
BRIEF = ("to binary", "split", "fix", "new", "solve in place")
"""Cases that the suite tries twice each, whenever it runs."""
OLD = b"what was there before"


def tree(folder: Path) -> Tree:
    """All files in a folder."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def lay(folder: Path, files: Tree) -> None:
    """Make a folder hold these files and no others."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for name, data in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)


def ran(case: Case, folder: Path, seconds: float | None = None, step: int | None = None) -> tuple[int, int]:
    """A command in a fork, killed after a time, at a step, or never: its exit status and how many steps it took.

    A step is a call of a function written in C, counted from the first file that is opened to be written.
    """
    out, into = os.pipe()
    child = os.fork()
    if not child:
        try:
            os.chdir(folder)
            silent = os.open(os.devnull, os.O_RDWR)
            for stream in (0, 1, 2):
                os.dup2(silent, stream)
            steps = counting(step)
            try:
                app.main(list(case.args), prog_name="bridgespec")
            except SystemExit as left:
                sys.setprofile(None)
                os.write(into, str(steps[0]).encode())
                os._exit(left.code if isinstance(left.code, int) else 0)
        finally:
            os._exit(99)
    os.close(into)
    if seconds is not None:
        time.sleep(seconds)
        os.kill(child, signal.SIGKILL)
    with os.fdopen(out) as told:
        steps_told = told.read()
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status), int(steps_told or 0)


def counting(stop: int | None) -> list[int]:
    """Count the steps of this process from now on; at one of them it kills itself."""
    steps, begun = [0], [False]

    def opened(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open" and isinstance(arguments[2], int) and arguments[2] & (os.O_WRONLY | os.O_RDWR):
            begun[0] = True

    def called(frame: FrameType, event: str, argument: object) -> None:
        if event == "c_call" and begun[0]:
            steps[0] += 1
            if steps[0] == stop:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(opened)
    sys.setprofile(called)
    return steps


def check(case: Case, kills: int, folder: Path) -> int:
    """Kill a command so often, and look at what it leaves each time; how many of the kills met it at work."""
    chance = random.Random(case.name)
    start = {path.name: path.read_bytes() for path in case.sources} | case.made
    lay(folder, start)
    with contextlib.chdir(folder):
        # What a command imports and reads first is then there in every fork, which goes to work at once.
        CliRunner().invoke(app, list(case.args))
    lay(folder, start)
    status, steps = ran(case, folder)
    new = tree(folder)
    assert status == case.status
    assert new != start, "nothing was written"
    met, longest = 0, 0.1
    for number in range(kills):
        old = start | {name: OLD for name in case.old if number % 4 < 2}
        lay(folder, old)
        if number % 2:
            killed, _ = ran(case, folder, seconds=chance.uniform(0, longest))
            # How long a command takes is found by trying: half of the kills that come after a time shall come too late.
            longest *= 1.25 if killed == -signal.SIGKILL else 0.8
        else:
            killed, _ = ran(case, folder, step=chance.randint(1, steps))
        met += killed == -signal.SIGKILL
        for name, data in tree(folder).items():
            if case.grows and name in new:
                assert data in (OLD, new[name][: len(data)]), f"{name} is neither old nor a beginning of the new one: {number}"
            elif name in old or name in new:
                assert data in (old.get(name), new.get(name)), f"{name} is neither old nor new: kill {number}"
            else:
                assert Path(name).name.startswith("."), f"{name} was left behind: kill {number}"
        assert old.keys() <= tree(folder).keys(), f"a file is gone: kill {number}"
        if case.once and tree(folder) == new:
            continue
        assert ran(case, folder)[0] == case.status, f"the next run fails: kill {number}"
        assert tree(folder) == new, f"the next run does not clear up: kill {number}"
    return met


def test_every_writing_command_is_killed() -> None:
    """A thousand kills, over every command that can write a file."""
    assert sum(case.kills for case in CASES) == 1000
    writing = {name for name in short_helps() if {"dest", "dests", "page", "journal", "fix", "folder"} & parameters(name)}
    assert writing - {"check-spec", "show", "export"} == {case.args[0] for case in CASES} - {"export"}


def parameters(command: str) -> set[str]:
    """The names of a command's parameters."""
    found = app.get_command(click.Context(app), command)
    assert found is not None
    return {parameter.name or "" for parameter in found.params}


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_kill_leaves_the_old_file_or_the_new_one(case: Case, tmp_path: Path) -> None:
    """At any moment; and the next run clears up and succeeds."""
    assert check(case, case.kills, tmp_path / "here") >= case.kills // 3


@pytest.mark.long
@pytest.mark.parametrize("name", BRIEF)
def test_two_kills(name: str, tmp_path: Path) -> None:
    """The same in brief."""
    (case,) = (case for case in CASES if case.name == name)
    assert check(case, 2, tmp_path / "here") >= 1
