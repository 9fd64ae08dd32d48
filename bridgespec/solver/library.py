"""The C library, or a word on how to get it."""

from __future__ import annotations

try:
    from bridgespec.solver._native import ffi, lib
except ModuleNotFoundError as missing:
    raise ModuleNotFoundError(
        "the solver's C extension is not built: run `pip install .`, or `python native/build_ffi.py` in a checkout"
    ) from missing

__all__ = ["ffi", "lib"]
