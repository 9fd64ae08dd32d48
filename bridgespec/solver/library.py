"""The C library, or a word on how to get it; and how a signal stops it."""

from __future__ import annotations

import threading
from types import TracebackType

try:
    from bridgespec.solver._native import ffi, lib
except ModuleNotFoundError as missing:
    raise ModuleNotFoundError(
        "the solver's C extension is not built: run `pip install .`, or `python native/build_ffi.py` in a checkout"
    ) from missing

__all__ = ["ffi", "lib", "take_interruption"]


class _Interruption(threading.local):
    """What was raised while C asked whether to go on, in this thread."""

    error: BaseException | None = None


_interruption = _Interruption()


def _keep(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    _interruption.error = error


@ffi.def_extern(error=1, onerror=_keep)  # type: ignore[untyped-decorator]
def bsdd_python_ask(argument: object) -> int:
    """Nothing to say: but entering a function of Python runs the handlers of signals, and what they raise stops the work."""
    return 0


def take_interruption() -> BaseException | None:
    """What a signal's handler raised during the call that was just stopped, once."""
    error, _interruption.error = _interruption.error, None
    return error
