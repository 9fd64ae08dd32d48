"""Exit statuses, and what happens when the reader of the output has closed it."""

from __future__ import annotations

import contextlib
import functools
import os
import signal
import sys
from collections.abc import Callable
from typing import IO, ParamSpec

CLEAN = 0
"""The status of success without findings."""
FINDINGS = 1
"""The status of a command that found something wrong, or left out something."""
FAILED = 2
"""The status after a wrong call, an unreadable file or an internal error."""
INTERRUPTED = 130
"""The status after Ctrl-C: 128 and the number of the signal, as shells define it."""
UNHEARD = 128 + signal.SIGPIPE if hasattr(signal, "SIGPIPE") else FAILED
"""The status of a check whose output was closed before its end: that of a process which SIGPIPE has ended."""

P = ParamSpec("P")


def mute(*streams: IO[str]) -> None:
    """Redirect streams to the null device, after their readers have closed them."""
    for stream in streams:
        with contextlib.suppress(OSError, ValueError):
            # The descriptor and not `sys.stdout`: what is still in the buffer of the stream is flushed into it at the end.
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def judging(command: Callable[P, int]) -> Callable[P, int]:
    """Wrap a command whose status is a verdict, so that it does not exit with success if its output was closed before the end."""

    @functools.wraps(command)
    def run(*args: P.args, **options: P.kwargs) -> int:
        try:
            return command(*args, **options)
        except BrokenPipeError:
            mute(sys.stdout)
            return UNHEARD

    return run
