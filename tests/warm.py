"""Commands that need no start: each runs in a fork of one process that has imported everything.

Starting Python and importing what a command needs takes ten times as long as most commands. `call` is for tests, and `folder` has
a program ``bridgespec`` for scripts. Where the start itself is what is tested, or signals are, a process of its own is started.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import io
import multiprocessing
import os
import pkgutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import import_module
from multiprocessing.connection import wait
from pathlib import Path

ROOT = Path(__file__).parent.parent
FORKS = hasattr(os, "fork") and hasattr(socket, "send_fds")
_STATUS = struct.Struct("<i")
_SIZE = struct.Struct("<Q")
_CLIENT = """#!{python} -IS
import os, socket, struct, sys
call = [os.fsencode(os.getcwd()), b"%d" % (len(sys.argv) - 1), *map(os.fsencode, sys.argv[1:])]
call = b"\\0".join(call + [name + b"=" + value for name, value in os.environb.items()])
with socket.socket(socket.AF_UNIX) as asked:
    asked.connect({address!r})
    socket.send_fds(asked, [struct.pack("<Q", len(call))], [0, 1, 2])
    asked.sendall(call)
    status, = struct.unpack("<i", asked.recv(4, socket.MSG_WAITALL))
sys.exit(status if status >= 0 else 128 - status)
"""


class Warm:
    """The process, which ends with this one."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="bridgespec-warm-"))
        self.address = str(self.folder / "socket")
        program = self.folder / "bridgespec"
        program.write_text(_CLIENT.format(python=sys.executable, address=self.address), "utf-8")
        program.chmod(0o755)
        command = [sys.executable, "-m", "tests.warm", self.address]
        # A library's threads would not be there in a fork, though it thinks that they are.
        alone = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
        self.process = subprocess.Popen(command, cwd=ROOT, env=alone, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
        assert self.process.stdout is not None
        assert self.process.stdout.readline() == b"ready\n"
        atexit.register(self.stop)

    def stop(self) -> None:
        """End the process and remove what it needed."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait()
        for path in self.folder.iterdir():
            path.unlink()
        self.folder.rmdir()

    def begin(self, args: Sequence[str], folder: Path, environment: Mapping[str, str], streams: Sequence[int]) -> socket.socket:
        """Begin a command with three streams; `ended` waits for it."""
        parts = [str(folder), str(len(args)), *args, *(f"{name}={value}" for name, value in environment.items())]
        call = b"\0".join(map(os.fsencode, parts))
        asked = socket.socket(socket.AF_UNIX)
        asked.connect(self.address)
        socket.send_fds(asked, [_SIZE.pack(len(call))], list(streams))
        asked.sendall(call)
        return asked


def ended(asked: socket.socket) -> int:
    """The status of a command that has ended, minus the signal where it was one."""
    with asked:
        return int(_STATUS.unpack(asked.recv(_STATUS.size, socket.MSG_WAITALL))[0])


@cache
def warm() -> Warm:
    """The one process, started when it is first needed."""
    return Warm()


def call(args: Sequence[str], folder: Path, environment: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    """Run a command to its end, without an input."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err, open(os.devnull, "rb") as nothing:
        status = ended(warm().begin(args, folder, environment, (nothing.fileno(), out.fileno(), err.fileno())))
        texts = []
        for file in (out, err):
            file.seek(0)
            texts.append(file.read().decode("utf-8", "replace"))
    return subprocess.CompletedProcess(list(args), status, *texts)


# --- the other side


def _prepare() -> None:
    """Import what commands import, and read every schema: forks have it for nothing."""
    import bridgespec.cli
    from bridgespec.api import engine

    for module in pkgutil.iter_modules(bridgespec.cli.__path__):
        import_module(f"bridgespec.cli.{module.name}")
    for name in ("numpy", "rich.table", "rich.progress", "pygments.lexers", "jinja2", "bridgespec.solver", "bridgespec.export.json"):
        import_module(name)
    for name in ("duckdb", "pyarrow.parquet"):
        with contextlib.suppress(ImportError):
            import_module(name)
    known = engine()
    for head in known.catalog.heads():
        spec = known.spec(head.id)
        known.codec(spec)
        known.binder(spec)
    assert threading.active_count() == 1
    gc.collect()
    gc.freeze()


def _opened(number: int, mode: str, errors: str) -> io.TextIOWrapper:
    """A standard stream as Python opens it."""
    unbuffered = mode == "w" and bool(os.environ.get("PYTHONUNBUFFERED"))
    raw = open(number, f"{mode}b", buffering=0 if unbuffered else -1, closefd=False)
    lines = mode == "w" and (number == 2 or os.isatty(number))
    return io.TextIOWrapper(raw, encoding="utf-8", errors=errors, line_buffering=lines, write_through=unbuffered)


def _run(call: bytes, streams: Sequence[int], before: Mapping[str, str]) -> None:
    """Be the command."""
    from bridgespec.api import engine
    from bridgespec.cli import main

    folder, count, *rest = call.split(b"\0")
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    os.chdir(folder)
    os.environb.clear()
    os.environb.update(part.split(b"=", 1) for part in rest[int(count) :])  # type: ignore[arg-type]
    sys.argv = ["bridgespec", *map(os.fsdecode, rest[: int(count)])]
    sys.stdin, sys.stdout, sys.stderr = (
        _opened(number, mode, errors) for number, mode, errors in ((0, "r", "strict"), (1, "w", "strict"), (2, "w", "backslashreplace"))
    )
    sys.__stdin__, sys.__stdout__, sys.__stderr__ = sys.stdin, sys.stdout, sys.stderr  # type: ignore[misc]
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if any(os.environ.get(name) != before.get(name) for name in {*os.environ, *before} if name.startswith("BRIDGESPEC_")):
        # Which schemas there are, and where they are kept, follows from the environment.
        engine.cache_clear()
    main()


def serve(address: str) -> None:
    """Fork a command for everyone who asks, until the standard input ends."""
    _prepare()
    forks = multiprocessing.get_context("fork")
    before = dict(os.environ)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(address)
        listening.listen(64)
        print("ready", flush=True)
        running: dict[int, tuple[multiprocessing.process.BaseProcess, socket.socket]] = {}
        while True:
            there = wait([sys.stdin.fileno(), listening, *running])
            if sys.stdin.fileno() in there:
                for process, _ in running.values():
                    process.kill()
                os._exit(0)
            for sentinel in [one for one in there if one in running]:
                process, asked = running.pop(sentinel)  # type: ignore[index,arg-type]
                process.join()
                with contextlib.suppress(OSError):
                    asked.sendall(_STATUS.pack(process.exitcode or 0))
                asked.close()
            if listening in there:
                asked, _ = listening.accept()
                size, streams, *_ = socket.recv_fds(asked, _SIZE.size, 3)
                call = asked.recv(_SIZE.unpack(size)[0], socket.MSG_WAITALL)
                process = forks.Process(target=_run, args=(call, streams, before))
                process.start()
                for stream in streams:
                    os.close(stream)
                running[process.sentinel] = process, asked


if __name__ == "__main__":
    serve(sys.argv[1])
