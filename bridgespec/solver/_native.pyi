"""The module that native/build_ffi.py builds: C's own names, declared in native/include/bridgespec_dd.h."""

from typing import Any

ffi: Any
lib: Any
