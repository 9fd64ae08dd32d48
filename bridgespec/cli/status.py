"""The exit statuses, and the handling of output that is no longer read."""

from __future__ import annotations

import contextlib
import functools
import os
import signal
import sys
from collections.abc import Callable
from typing import IO, ParamSpec

CLEAN = 0
FINDINGS = 1
FAILED = 2
INTERRUPTED = 130
UNHEARD = 128 + signal.SIGPIPE if hasattr(signal, "SIGPIPE") else FAILED
"""The status of a check whose output was not read to the end."""

P = ParamSpec("P")


def mute(*streams: IO[str]) -> None:
    """Redirect output to the null device after its reader has left."""
    for stream in streams:
        with contextlib.suppress(OSError, ValueError):
            # The descriptor and not `sys.stdout`: what is still in the buffer of the stream is flushed into it at the end.
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def judging(command: Callable[P, int]) -> Callable[P, int]:
    """Wrap a command whose status is a verdict, so that it does not report success where its reader has left before the end."""

    @functools.wraps(command)
    def run(*args: P.args, **options: P.kwargs) -> int:
        try:
            return command(*args, **options)
        except BrokenPipeError:
            mute(sys.stdout)
            return UNHEARD

    return run
