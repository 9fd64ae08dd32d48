"""Counting what a call does: so many functions entered, Python's and C's, whatever else the machine is busy with."""

from __future__ import annotations

import sys
from collections.abc import Callable
from cProfile import Profile
from types import FrameType
from typing import Any


class TooManyError(AssertionError):
    """More functions were entered than allowed."""


def steps(function: Callable[[], object], most: int | None = None) -> int:
    """How many functions a call enters; TooManyError as soon as there are more than ``most``.

    >>> steps(lambda: [len(word) for word in "ab"]) - steps(lambda: [len(word) for word in "a"])
    1
    """
    before = sys.getprofile()
    try:
        return _counted(function) if most is None else _bounded(function, most)
    finally:
        sys.setprofile(before)


def _counted(function: Callable[[], object]) -> int:
    # Python's profiler counts in C: a function of Python for each event takes four times as long as what is counted.
    profiler = Profile(subcalls=False)
    profiler.enable()
    try:
        function()
    finally:
        profiler.disable()
    return sum(entry.callcount for entry in profiler.getstats())


def _bounded(function: Callable[[], object], most: int) -> int:
    count = 0

    def enter(_frame: FrameType, event: str, _given: object) -> None:
        nonlocal count
        if event in ("call", "c_call"):
            count += 1
            if count > most:
                sys.setprofile(None)
                raise TooManyError(f"more than {most:,} functions were entered")

    sys.setprofile(enter)
    function()
    return count


def functions(function: Callable[[], object], package: str = "bridgespec") -> list[tuple[str, str]]:
    """The functions of a package in the order in which a call first enters them, each by its file and its name there.

    A comprehension counts as part of the function that contains it: since Python 3.12 it is no function of its own. Memo tables
    that earlier calls filled make the set smaller, so that a bound is compared in a process of its own.

    >>> functions(lambda: None)
    []
    """
    found: dict[tuple[str, str], None] = {}

    def enter(frame: FrameType, event: str, _given: object) -> None:
        _, ours, name = frame.f_code.co_filename.rpartition(f"/{package}/")
        if event == "call" and ours:
            found[name, frame.f_code.co_qualname.split(".<locals>")[0]] = None

    before = sys.getprofile()
    sys.setprofile(enter)
    try:
        function()
    finally:
        sys.setprofile(before)
    return list(found)


def extent(found: list[tuple[str, str]]) -> tuple[int, int, int]:
    """The number of `functions`, of their modules, and of the returns to a module that another one has come after.

    >>> extent([("a.py", "f"), ("b.py", "g"), ("b.py", "h"), ("a.py", "i")])
    (4, 2, 1)
    """
    modules = [module for module, _ in found]
    changes = [one for one, before in zip(modules, ["", *modules], strict=False) if one != before]
    return len(found), len({*modules}), len(changes) - len({*modules})


def lines(function: Callable[[], object]) -> int:
    """Count the lines that a call runs, each pass of a comprehension too, which `steps` counts once.

    >>> lines(lambda: [None for _ in "abcd"]) - lines(lambda: [None for _ in "ab"])
    2
    """
    count = 0

    def enter(_frame: FrameType, event: str, _given: object) -> Callable[[FrameType, str, object], Any]:
        nonlocal count
        count += event == "line"
        return enter

    before = sys.gettrace()
    sys.settrace(enter)
    try:
        function()
    finally:
        sys.settrace(before)
    return count
