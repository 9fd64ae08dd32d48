"""Run a bidding program in a process of its own and ask it for calls through pipes, by the protocol of `program_server`."""

from __future__ import annotations

import queue
import shlex
import subprocess
import threading
from collections.abc import Sequence
from contextlib import suppress
from types import TracebackType
from typing import IO

from bridgespec.bidding.program_server import ERROR, GREETING
from bridgespec.bidding.turn import CALL_NAMES, number_of
from bridgespec.errors import UsageError
from bridgespec.model.auction import Call
from bridgespec.model.board import Vulnerability
from bridgespec.model.cards import Seat
from bridgespec.model.evaluate import HandBits, hand_text

PATIENCE = 60.0
"""The seconds within which a program must reply."""


class Program:
    """A bidding program that runs in its own process, until `close` or the end of ``with``. Created for one side of a match.

    Raises UsageError if the command cannot be run, if the program's greeting or reply does not follow the protocol, or if it
    reports an error, ends early, or does not reply within `PATIENCE` seconds.
    """

    def __init__(self, command: str | Sequence[str]) -> None:
        self.command = shlex.split(command) if isinstance(command, str) else list(command)
        if not self.command:
            raise UsageError("a program needs a command")
        try:
            self._process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        except OSError as error:
            raise UsageError(f"cannot run {self.command[0]}: {error.strerror or error}") from None
        self._replies: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        # A thread of its own, since a pipe cannot be read with a time limit on every system.
        threading.Thread(target=self._listen, daemon=True).start()
        try:
            greeting, _, name = self._line().partition("\t")
            if greeting != GREETING:
                raise self._error(f"greets with {greeting!r}, not {GREETING!r}")
        except UsageError:
            self.close()
            raise
        self.name = name or self.command[0]

    def __enter__(self) -> Program:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """End the process; it may have ended already."""
        with suppress(OSError):
            _stream(self._process.stdin).close()
        self._process.terminate()
        self._process.wait()

    def call(self, hand: HandBits, calls: Sequence[int], dealer: Seat, vulnerability: Vulnerability) -> tuple[int, str]:
        """Ask the program for the call of a hand after ``calls``, which begin with the dealer's.

        Return the number of the call and the explanation in the reply, empty if it has none.
        """
        made = " ".join(CALL_NAMES[call] for call in calls)
        request = f"call {dealer.letter} {vulnerability.name.lower()} {hand_text(hand)} {made}".rstrip()
        try:
            _stream(self._process.stdin).write(f"{request}\n".encode())
            _stream(self._process.stdin).flush()
        except OSError:
            raise self._error("has ended") from None
        reply, _, explanation = self._line().partition("\t")
        if reply == ERROR:
            raise self._error(f"reports for {request!r}: {explanation}")
        try:
            return number_of(Call.parse(reply)), explanation
        except ValueError:
            raise self._error(f"replies to {request!r} with {reply!r}, which is not a call") from None

    def _listen(self) -> None:
        """Put each line that the program writes into the queue, and None at the end of its output. Runs in a thread."""
        for line in _stream(self._process.stdout):
            self._replies.put(line)
        self._replies.put(None)

    def _line(self) -> str:
        """Return the next line that the program writes. Raises UsageError if it ends or needs too long."""
        try:
            line = self._replies.get(timeout=PATIENCE)
        except queue.Empty:
            raise self._error(f"does not reply within {PATIENCE:.0f} seconds") from None
        if line is None:
            raise self._error("has ended")
        return line.decode("utf-8", "replace").rstrip("\r\n")

    def _error(self, what: str) -> UsageError:
        """Return the error with the program's command and what it does wrong."""
        return UsageError(f"the program {shlex.join(self.command)} {what}")


def _stream(stream: IO[bytes] | None) -> IO[bytes]:
    """Return a pipe of the process, which is never None because it was requested."""
    assert stream is not None
    return stream
