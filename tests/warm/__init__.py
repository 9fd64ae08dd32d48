"""Commands that need no start: each runs in a fork of one process that has imported everything.

Starting Python and importing what a command needs takes ten times as long as most commands. `call` is for tests, and `folder` has
a program ``bridgespec`` for scripts. Where the start itself is what is tested, or signals are, a process of its own is started.
"""

from __future__ import annotations

import atexit
import os
import socket
import struct
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
STATUS = struct.Struct("<i")
SIZE = struct.Struct("<Q")
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
        socket.send_fds(asked, [SIZE.pack(len(call))], list(streams))
        asked.sendall(call)
        return asked


def ended(asked: socket.socket) -> int:
    """The status of a command that has ended, minus the signal where it was one."""
    with asked:
        return int(STATUS.unpack(asked.recv(STATUS.size, socket.MSG_WAITALL))[0])


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
