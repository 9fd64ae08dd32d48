"""The C library, however it was installed, or a word on how to get it; and how a signal stops it.

It comes in one of two forms. An extension module, built for this machine's Python, holds it: ``_native``. Where no Python was at
hand to build for, it is a library of its own beside this module, and ``_declared`` says what is in it. A package that was
installed without either works but for the solver.
"""

from __future__ import annotations

import threading
from importlib import import_module
from pathlib import Path
from types import TracebackType
from typing import Any

from bridgespec.errors import BridgespecError

__all__ = ["SolverMissing", "ffi", "lib", "python_ask", "take_interruption"]


class SolverMissing(BridgespecError):
    """The solver is not there: the package was installed without a C compiler, or the source tree has not been built."""


class _Missing:
    """Stands where the library would, so that all else can be imported, and says so when it is used."""

    def __getattr__(self, name: str) -> Any:
        tree = Path(__file__).parents[2]
        if (tree / "native" / "build_ffi.py").is_file():
            raise SolverMissing(
                f"the solver of the source tree {tree} is not built: run `python native/build_ffi.py` there; an installed package "
                "is used from any other folder"
            )
        raise SolverMissing(
            "the solver is missing: the package was installed without a C compiler; with one, run "
            "`pip install --force-reinstall --no-deps bridgespec`"
        )


class _Interruption(threading.local):
    """What was raised while C asked whether to go on, in this thread."""

    error: BaseException | None = None


_interruption = _Interruption()


def _keep(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    _interruption.error = error


def take_interruption() -> BaseException | None:
    """What a signal's handler raised during the call that was just stopped, once."""
    error, _interruption.error = _interruption.error, None
    return error


def bsdd_python_ask(argument: object) -> int:
    """Nothing to say: but entering a function of Python runs the handlers of signals, and what they raise stops the work."""
    return 0


def _linked() -> tuple[Any, Any, Any]:
    """The library beside this module, with its declarations and the function that it calls; or what says that it is missing."""
    here = Path(__file__).parent
    for name in ("bridgespec_dd.so", "bridgespec_dd.dylib", "bridgespec_dd.dll"):
        if (here / name).is_file():
            declared = import_module("bridgespec.solver._declared").ffi
            asked = declared.callback("int32_t(void *)", bsdd_python_ask, error=1, onerror=_keep)
            return declared, declared.dlopen(str(here / name)), asked
    return _Missing(), _Missing(), _Missing()


try:
    from bridgespec.solver._native import ffi, lib
except ModuleNotFoundError:
    ffi, lib, python_ask = _linked()
else:
    ffi.def_extern(error=1, onerror=_keep)(bsdd_python_ask)
    python_ask = lib.bsdd_python_ask
