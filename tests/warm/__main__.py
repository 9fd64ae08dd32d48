"""The process that is forked for every command: it has imported all that commands import, and has read every schema."""

from __future__ import annotations

import contextlib
import gc
import io
import multiprocessing
import os
import pkgutil
import signal
import socket
import sys
import threading
from collections.abc import Mapping, Sequence
from importlib import import_module
from multiprocessing.connection import wait

from bridgespec import api, cli, engines
from tests.warm import SIZE, STATUS

LATER = ("numpy", "rich.table", "rich.progress", "pygments.lexers", "jinja2", "duckdb", "pyarrow.parquet", "bridgespec.solver")
"""What is imported when it is first used."""


def _prepare() -> None:
    """Import what commands import, and read every schema: forks have it for nothing."""
    for module in pkgutil.iter_modules(cli.__path__):
        import_module(f"bridgespec.cli.{module.name}")
    for name in LATER:
        import_module(name)
    known = api.engine()
    for head in known.catalog.heads():
        spec = known.spec(head.id)
        known.of(spec)
        for sample in spec.samples[:1]:
            # What reads a format is made when it first reads.
            known.examine(sample.data, spec.id)
    assert threading.active_count() == 1
    gc.collect()
    gc.freeze()


def _opened(number: int, mode: str, errors: str) -> io.TextIOWrapper:
    """A standard stream as Python opens it."""
    unbuffered = mode == "w" and bool(os.environ.get("PYTHONUNBUFFERED"))
    raw = open(number, f"{mode}b", buffering=0 if unbuffered else -1, closefd=False)  # noqa: SIM115 (as long as the program runs)
    lines = mode == "w" and (number == 2 or os.isatty(number))
    return io.TextIOWrapper(raw, encoding="utf-8", errors=errors, line_buffering=lines, write_through=unbuffered)


def _run(call: bytes, streams: Sequence[int], before: Mapping[str, str]) -> None:
    """Be the command."""
    folder, count, *rest = call.split(b"\0")
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    os.chdir(folder)
    os.environb.clear()
    os.environb.update(part.split(b"=", 1) for part in rest[int(count) :])  # type: ignore[arg-type]
    sys.argv = ["bridgespec", *map(os.fsdecode, rest[: int(count)])]
    sys.stdin, sys.stdout, sys.stderr = _opened(0, "r", "strict"), _opened(1, "w", "strict"), _opened(2, "w", "backslashreplace")
    sys.__stdin__, sys.__stdout__, sys.__stderr__ = sys.stdin, sys.stdout, sys.stderr  # type: ignore[misc]
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if any(os.environ.get(name) != before.get(name) for name in {*os.environ, *before} if name.startswith("BRIDGESPEC_")):
        # Which schemas there are, and where they are kept, follows from the environment.
        engines.cached_engine.cache_clear()
    cli.main()


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
                    asked.sendall(STATUS.pack(process.exitcode or 0))
                asked.close()
            if listening in there:
                asked, _ = listening.accept()
                size, streams, *_ = socket.recv_fds(asked, SIZE.size, 3)
                call = asked.recv(SIZE.unpack(size)[0], socket.MSG_WAITALL)
                process = forks.Process(target=_run, args=(call, streams, before))
                process.start()
                for stream in streams:
                    os.close(stream)
                running[process.sentinel] = process, asked


if __name__ == "__main__":
    serve(sys.argv[1])
