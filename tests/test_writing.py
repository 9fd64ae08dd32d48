"""What becomes of files and streams: rights kept, links told of, leftovers cleared, full disks named, closed streams borne."""

from __future__ import annotations

import errno
import os
import signal
import stat
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

import bridgespec
from bridgespec.errors import FileWarning
from bridgespec.writing import hidden_name, same_file, source_file, written

from .cli.running import HALVES, ROOT, SIXTEEN, SOLVED, run

posix = pytest.mark.skipif(os.name != "posix", reason="owners, locks and devices are POSIX's")
root = pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root gives files away")


def put(path: Path, data: bytes = b"new", sync: bool = True) -> None:
    """Write a file as every command does."""
    with written(path, sync) as file:
        file.write(data)


def started(*args: str | Path, shell: str = "", **extra: object) -> subprocess.CompletedProcess[bytes]:
    """A command in a shell, which may do things to its streams."""
    words = " ".join(f"'{arg}'" for arg in (sys.executable, "-m", "bridgespec", *args))
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(["bash", "-c", f"{words} {shell}"], capture_output=True, env=environment, cwd=ROOT, check=False)


@posix
@root
def test_owner_group_and_mode_stay(tmp_path: Path) -> None:
    """The new file belongs to whom the old one did."""
    path = tmp_path / "x"
    path.write_bytes(b"old")
    os.chown(path, 1234, 4321)
    path.chmod(0o2640)
    put(path)
    state = path.stat()
    assert (path.read_bytes(), state.st_uid, state.st_gid, stat.S_IMODE(state.st_mode)) == (b"new", 1234, 4321, 0o2640)


@posix
def test_an_owner_that_cannot_be_kept_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the system does not let us, the file is written all the same."""

    def refuse(*_: object) -> None:
        raise PermissionError(errno.EPERM, "no")

    path = tmp_path / "x"
    path.write_bytes(b"old")
    real = os.fstat
    monkeypatch.setattr(os, "fchown", refuse)
    monkeypatch.setattr(
        "bridgespec.writing.os.fstat", lambda handle: os.stat_result((*real(handle)[:4], 77, 77, *real(handle)[6:]))
    )
    with pytest.warns(FileWarning, match="owner and group could not be kept"):
        put(path)
    assert path.read_bytes() == b"new"


@posix
def test_a_file_with_several_names_is_told_of(tmp_path: Path) -> None:
    """The other name keeps the old content, and a warning says so."""
    path, other = tmp_path / "x.zbd", tmp_path / "y"
    path.write_bytes(b"old")
    other.hardlink_to(path)
    result = run("convert", SOLVED, path)
    assert result.exit_code == 0
    assert "warning: " in result.stderr
    assert "another name" in result.stderr.replace("\n", " ")
    assert other.read_bytes() == b"old"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        put(path)


def test_files_are_flushed_before_the_old_one_goes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The data go to the disk before the name does, then the folder; without ``sync`` nothing is waited for."""
    steps: list[str] = []
    real = os.replace
    monkeypatch.setattr(
        "bridgespec.writing.os.fsync", lambda handle: steps.append("folder" if stat.S_ISDIR(os.fstat(handle).st_mode) else "file")
    )
    monkeypatch.setattr("bridgespec.writing.os.replace", lambda one, two: (steps.append("replace"), real(one, two)))
    put(tmp_path / "x")
    assert steps == ["file", "replace", "folder"]
    steps.clear()
    put(tmp_path / "x", sync=False)
    assert steps == ["replace"]
    steps.clear()
    assert run("convert", SOLVED, tmp_path / "y.zbd", "--no-sync").exit_code == 0
    assert steps == ["replace"]


@pytest.mark.long
@posix
@pytest.mark.parametrize("stream", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_a_closed_stream_is_no_fault_of_the_file(stream: str) -> None:
    """A clean file is status 0, one with errors 1, whoever listens."""
    clean, bad = started("validate", SIXTEEN, shell=stream), started("validate", HALVES, shell=stream)
    assert (clean.returncode, bad.returncode) == (0, 1)
    assert b"Traceback" not in clean.stderr + bad.stderr


@pytest.mark.long
@posix
def test_a_closed_output_that_is_wanted_is_an_error() -> None:
    """What was to be written there is lost, and the status says so."""
    told = started("convert", SOLVED, "-", "--to", "zbd", shell=">&-")
    assert told.returncode == 2
    assert b"standard output is closed" in told.stderr


@pytest.mark.long
@posix
@pytest.mark.parametrize(
    "args",
    [
        ("validate", HALVES, "--all"),
        ("dump", SIXTEEN),
        ("show", SIXTEEN),
        ("formats",),
        ("validate", HALVES, "--output-format", "json"),
    ],
)
def test_a_reader_that_leaves_ends_the_command(args: tuple[str | Path, ...]) -> None:
    """The status is that of a broken pipe, and nothing is said about it."""
    told = started(*args, shell="| true; echo ${PIPESTATUS[0]}")
    status = int(told.stdout.split()[-1])
    assert status in (0, 1, 128 + signal.SIGPIPE)
    assert b"Traceback" not in told.stderr
    assert b"BrokenPipe" not in told.stderr
    both = started(*args, shell="2>&1 | true; echo ${PIPESTATUS[0]}")
    assert int(both.stdout.split()[-1]) in (0, 1, 128 + signal.SIGPIPE)


@posix
def test_an_endless_device_is_refused() -> None:
    """By name, in every way of reading; the empty device is an empty file."""
    for command in ("validate", "show", "dump"):
        result = run(command, "/dev/zero", "--format", "pbn")
        assert result.exit_code == 2
        assert "no end" in result.stderr
    with pytest.raises(OSError, match="no end"):
        bridgespec.load("/dev/zero", "pbn")
    with source_file(os.devnull) as file:
        assert file.read() == b""


@posix
def test_a_pipe_with_a_name_is_read_to_its_end() -> None:
    """As the shell makes one."""
    told = started("validate", "--format", "dup", shell=f"<(cat {SIXTEEN})")
    assert (told.returncode, b"16 boards" in told.stdout) == (0, True)


def test_the_same_target_twice_is_found_by_file(tmp_path: Path) -> None:
    """However its name is spelled, whether it is there yet or not."""
    (tmp_path / "a").mkdir()
    spelled = tmp_path / "a" / ".." / "x.zbd"
    result = run("split", SOLVED, tmp_path / "x.zbd", spelled)
    assert result.exit_code == 2
    assert "named twice" in result.stderr
    (tmp_path / "x.zbd").write_bytes(b"old")
    (tmp_path / "y.zdd").symlink_to(tmp_path / "x.zbd")
    assert run("split", SOLVED, tmp_path / "x.zbd", tmp_path / "y.zdd").exit_code == 2
    assert (tmp_path / "x.zbd").read_bytes() == b"old"
    assert not same_file(str(tmp_path / "x.zbd"), str(tmp_path / "z.zbd"))


@posix
def test_a_link_that_leads_nowhere_but_to_itself_is_not_replaced(tmp_path: Path) -> None:
    """A loop of symbolic links stays, and the message names it."""
    one, two = tmp_path / "one.zbd", tmp_path / "two.zbd"
    one.symlink_to(two)
    two.symlink_to(one)
    result = run("convert", SOLVED, one)
    assert result.exit_code == 2
    assert "one.zbd" in result.stderr
    assert one.is_symlink()
    assert two.is_symlink()


@posix
def test_what_a_kill_left_is_cleared_by_the_next_run(tmp_path: Path) -> None:
    """A new file that nobody holds is removed, that of a living run is not, and neither is another target's."""
    program = (
        "import sys, time\nfrom bridgespec.writing import written\n"
        "with written(sys.argv[1]) as file:\n    file.write(b'half'); file.flush(); print('on', flush=True); time.sleep(600)"
    )
    path, other = tmp_path / "x", tmp_path / "x.y"

    def running(target: Path) -> subprocess.Popen[str]:
        command = [sys.executable, "-c", program, str(target)]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": str(ROOT)})
        assert process.stdout is not None
        assert process.stdout.readline() == "on\n"
        return process

    killed, living, apart = running(path), running(path), running(other)
    for process in (killed, apart):
        process.kill()
        process.wait()
    assert len(list(tmp_path.glob(".x.*.part"))) == 3
    put(path)
    try:
        left = sorted(file.name for file in tmp_path.iterdir())
        assert len(left) == 3, left
        assert [name for name in left if name.startswith(".x.y.")]
        assert path.read_bytes() == b"new"
    finally:
        living.kill()
        living.wait()
    put(path)
    put(other)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["x", "x.y"]


@pytest.mark.long
def test_long_names_work(tmp_path: Path) -> None:
    """A name of 240 bytes leaves no room for more in the name of the new file, and needs none."""
    name = "é" * 118 + ".zbd"
    assert len(name.encode()) == 240
    assert run("convert", SOLVED, tmp_path / name).exit_code == 0
    assert run("solve", tmp_path / name, "-o", tmp_path / ("ö" * 118 + ".zrd")).exit_code == 0
    assert len(hidden_name("x" * 250)) < 60
    assert sorted(len(os.fsencode(file.name)) for file in tmp_path.iterdir()) == [240, 240]


def test_a_full_disk_names_the_file_and_what_is_left(tmp_path: Path) -> None:
    """The message says which file, and what there is of it now."""
    path = tmp_path / "x"
    with pytest.raises(OSError, match="no file was made") as made, written(path):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    assert made.value.filename == str(path)
    path.write_bytes(b"old")
    with pytest.raises(OSError, match="is as it was"), written(path):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.long
@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no device that is always full")
def test_a_full_output_is_told() -> None:
    """One line, which names standard output, and status 2."""
    told = started("convert", SOLVED, "-", "--to", "zbd", shell="> /dev/full")
    assert told.returncode == 2
    assert told.stderr.endswith(b"error: standard output: No space left on device\n")
    shown = started("show", SIXTEEN, shell="> /dev/full")
    assert shown.returncode == 2
    assert b"Traceback" not in shown.stderr
