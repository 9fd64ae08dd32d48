"""The exit statuses, and what becomes of them where nobody reads what is written."""

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
"""A judgement that its reader did not hear to the end."""

P = ParamSpec("P")


def mute(*streams: IO[str]) -> None:
    """Nobody reads what we write any more: say nothing more, as other programs do."""
    for stream in streams:
        with contextlib.suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def judging(command: Callable[P, int]) -> Callable[P, int]:
    """A command whose status says whether all is well: it does not say so where its reader has left before the end."""

    @functools.wraps(command)
    def run(*args: P.args, **options: P.kwargs) -> int:
        try:
            return command(*args, **options)
        except BrokenPipeError:
            mute(sys.stdout)
            return UNHEARD

    return run
