"""Holding the garbage collector while much is made that stays."""

from __future__ import annotations

import gc
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


def held(make: Callable[P, T]) -> Callable[P, T]:
    """The function, run while no cycles are looked for: what it makes stays, and going through it again finds nothing.

    What is no longer referred to is freed as always, and collecting goes on as before once the function is done or has failed.

    >>> gc.isenabled(), held(gc.isenabled)(), gc.isenabled()
    (True, False, True)
    """

    @wraps(make)
    def call(*args: P.args, **kwargs: P.kwargs) -> T:
        before = gc.isenabled()
        gc.disable()
        try:
            return make(*args, **kwargs)
        finally:
            if before:
                gc.enable()

    return call
