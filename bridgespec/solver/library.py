"""Load the C library, in either form of installation, or an object that reports how to get it; and let signals stop it.

It is either part of an extension module built for this machine's Python, ``_native``, or, in wheels for any Python, a shared
library beside this module with its declarations in ``_declared``. A package without either works, except for the solver.
"""

from __future__ import annotations

import json
import threading
from importlib import import_module, metadata
from pathlib import Path
from types import TracebackType
from typing import Any

from bridgespec.errors import BridgespecError

__all__ = ["SolverMissing", "ffi", "lib", "python_ask", "take_interruption"]


class SolverMissing(BridgespecError):
    """The C library is missing: the package was installed without a C compiler, or the source tree has not been built."""


class _Missing:
    """A substitute for the library, so that everything else can be imported; raises SolverMissing when it is used."""

    def __getattr__(self, name: str) -> Any:
        tree = Path(__file__).parents[2]
        if (tree / "native" / "build_ffi.py").is_file():
            raise SolverMissing(
                f"the solver of the source tree {tree} is not built: run `python native/build_ffi.py` there; an installed package "
                "is used from any other folder"
            )
        raise SolverMissing(
            "the solver is missing: the package was installed without a C compiler; with one (Debian and Ubuntu: `apt install "
            f"gcc`; macOS: `xcode-select --install`), run `pip install --force-reinstall --no-deps {installed_from()}`"
        )


def installed_from() -> str:
    """Return what `pip` installed the package from: the URL of a folder or archive in its record; its name if there is none."""
    try:
        record = metadata.distribution("bridgespec").read_text("direct_url.json")
    except metadata.PackageNotFoundError:
        record = None
    return str(json.loads(record)["url"]) if record else "bridgespec"


class _Interruption(threading.local):
    """The exception that was raised while C code polled for interruption, in this thread."""

    error: BaseException | None = None


_interruption = _Interruption()


# cffi prints an exception of a callback and drops it. This handler keeps it; ``error=1`` stops the search.
def _keep(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    _interruption.error = error


def take_interruption() -> BaseException | None:
    """Return the exception that a signal handler raised during the call that was just stopped, and clear it."""
    error, _interruption.error = _interruption.error, None
    return error


def bsdd_python_ask(argument: object) -> int:
    """Return 0. Entering a Python function runs the signal handlers, and an exception that they raise stops the C code."""
    return 0


def _linked() -> tuple[Any, Any, Any]:
    """Return the library beside this module, its declarations and the function that it polls; where it is missing, substitutes that
    report it.
    """
    here = Path(__file__).parent
    for name in ("bridgespec_dd.so", "bridgespec_dd.dylib", "bridgespec_dd.dll"):
        if (here / name).is_file():
            declared = import_module("bridgespec.solver._declared").ffi
            asked = declared.callback("int32_t(void *)", bsdd_python_ask, error=1, onerror=_keep)
            return declared, declared.dlopen(str(here / name)), asked
    return _Missing(), _Missing(), _Missing()


# Only a module that is missing: an error while it is loaded (a wrong C runtime) must be seen.
try:
    from bridgespec.solver._native import ffi, lib
except ModuleNotFoundError:
    ffi, lib, python_ask = _linked()
else:
    ffi.def_extern(error=1, onerror=_keep)(bsdd_python_ask)
    python_ask = lib.bsdd_python_ask
