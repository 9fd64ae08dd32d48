"""Load the C library as ``ffi`` and ``lib``, and let exceptions of signal handlers stop it.

The library is either part of an extension module that was built for one version of Python (``_native``), or in wheels for any
Python a shared library beside this module with its declarations in ``_declared``. If there is neither, ``ffi`` and ``lib`` are
substitutes that raise `SolverMissing` when they are used; everything but the solver works.
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
    """The C library is missing: the package was installed without a C compiler, or the source tree was not built."""


class _Missing:
    """A substitute for ``ffi`` and ``lib``, so that modules which import them can be imported; raises SolverMissing when it is
    used.
    """

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
    """Return the URL of the folder or archive that `pip` installed the package from; the package's name if it was an index."""
    try:
        record = metadata.distribution("bridgespec").read_text("direct_url.json")
    except metadata.PackageNotFoundError:
        record = None
    return str(json.loads(record)["url"]) if record else "bridgespec"


class _Interruption(threading.local):
    """The exception that a signal handler raised while C code ran in this thread; `take_interruption` clears it."""

    error: BaseException | None = None


_interruption = _Interruption()


def _keep(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Store the exception of a callback, which cffi would print and drop; the callback then returns ``error=1``."""
    _interruption.error = error


def take_interruption() -> BaseException | None:
    """Return the exception that a signal handler raised during the call that was just stopped, and clear it."""
    error, _interruption.error = _interruption.error, None
    return error


def bsdd_python_ask(argument: object) -> int:
    """Return 0. The C code calls this now and then, since entering a Python function runs the signal handlers: an exception that
    one of them raises stops the search.
    """
    return 0


def _linked() -> tuple[Any, Any, Any]:
    """Return ``ffi``, ``lib`` and ``python_ask`` of the shared library beside this module, or substitutes if there is none."""
    here = Path(__file__).parent
    for name in ("bridgespec_dd.so", "bridgespec_dd.dylib", "bridgespec_dd.dll"):
        if (here / name).is_file():
            declared = import_module("bridgespec.solver._declared").ffi
            asked = declared.callback("int32_t(void *)", bsdd_python_ask, error=1, onerror=_keep)
            return declared, declared.dlopen(str(here / name)), asked
    return _Missing(), _Missing(), _Missing()


# Not ImportError: an error while the module is loaded (a wrong C runtime) must not be hidden.
try:
    from bridgespec.solver._native import ffi, lib
except ModuleNotFoundError:
    ffi, lib, python_ask = _linked()
else:
    ffi.def_extern(error=1, onerror=_keep)(bsdd_python_ask)
    python_ask = lib.bsdd_python_ask
