"""Many files are checked by several processes: the same text in the same order, and nothing left when it is stopped."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from bridgespec.cli.array_sources import LARGE
from bridgespec.cli.parallel import each
from bridgespec.cli.settings import Settings

from .running import HALVES, ROOT, SAMPLES, SIXTEEN, run


def pid_of(_settings: Settings, path: str) -> tuple[str, int]:
    """Where a path is worked."""
    if path.endswith("bad"):
        raise ValueError(path)
    return path, os.getpid()


def test_results_keep_the_order_of_the_files(tmp_path: Path) -> None:
    """Each file is worked by another process than this, an error takes its file's place, and a file may stand twice."""
    names = [*(f"{i}" for i in range(40)), "39", "bad"]
    paths = [str(tmp_path / name) for name in names]
    for path in paths:
        Path(path).write_bytes(b"x")
    found = list(each(Settings(), paths, 2, pid_of))
    assert [path for path, _ in found] == paths
    assert [result[0] for _, result in found[:-1] if isinstance(result, tuple)] == paths[:-1]
    assert isinstance(found[-1][1], ValueError)
    assert os.getpid() not in {result[1] for _, result in found if isinstance(result, tuple)}


@pytest.mark.long
def test_several_processes_say_what_one_says(tmp_path: Path) -> None:
    """Findings, clean files, unreadable ones, the table and the status."""
    for number in range(2):
        shutil.copy(HALVES, tmp_path / f"{number}.dup")
        shutil.copy(SIXTEEN, tmp_path / f"{number}a.dup")
        shutil.copy(SAMPLES / "pbn" / "bad" / "deviations.pbn", tmp_path / f"{number}.pbn")
    (tmp_path / "gone.dup").symlink_to(tmp_path / "nowhere")
    for form in "text", "json", "sarif":
        args = ("validate", tmp_path, tmp_path / "gone.dup", "--output-format", form)
        one, two = run(*args, "-j", "1"), run(*args, "-j", "2")
        assert one.exit_code == two.exit_code == 2
        assert re.sub(r"in [\d.]+ s", "", two.stdout) == re.sub(r"in [\d.]+ s", "", one.stdout)
        assert re.sub(r"in [\d.]+ s", "", two.stderr) == re.sub(r"in [\d.]+ s", "", one.stderr)


def test_files_that_are_read_as_arrays_are_checked_by_several_processes(tmp_path: Path) -> None:
    """Their bytes are mapped into memory, and the findings of the other process are drawn from them."""
    deal = next((SAMPLES / "zbd").glob("*.zbd")).read_bytes()[:13]
    for name in "one", "two":
        (tmp_path / f"{name}.zbd").write_bytes(deal * (1 + (LARGE >> 3)) + b"\xff")
    one, two = (run("validate", tmp_path, "-j", jobs) for jobs in ("1", "2"))
    assert one.exit_code == two.exit_code == 1
    assert one.stdout.count("^^") == two.stdout.count("^^") > 0
    assert re.sub(r"in [\d.]+ s", "", two.stdout) == re.sub(r"in [\d.]+ s", "", one.stdout)


@pytest.mark.long
@pytest.mark.skipif(not hasattr(os, "killpg"), reason="there are no process groups here")
def test_ctrl_c_stops_every_process(tmp_path: Path) -> None:
    """One message, status 130, and no process of the group is left."""
    big = (SAMPLES / "pbn" / "bad" / "deviations.pbn").read_bytes() * 4
    for number in range(400):
        (tmp_path / f"{number:03}.pbn").write_bytes(big)
    command = [sys.executable, "-m", "bridgespec", "validate", "-j", "2", str(tmp_path)]
    pipe = subprocess.PIPE
    started = subprocess.Popen(command, cwd=ROOT, stdout=pipe, stderr=pipe, text=True, start_new_session=True)
    assert started.stdout is not None
    assert started.stdout.readline()
    os.killpg(started.pid, signal.SIGINT)
    _, told = started.communicate()
    assert started.returncode == 130
    assert told.strip() == "error: stopped; no file was left half-written"
    with pytest.raises(ProcessLookupError):
        os.killpg(started.pid, 0)
