"""Builds ``bridgespec.solver._native`` from the C sources beside it; the headers are the only declarations there are.

Set ``BRIDGESPEC_NATIVE=1`` to build for this machine's processor alone; without it one build runs anywhere and chooses
wider instructions when it starts. Run as a program it builds the module in place.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from pathlib import Path

from cffi import FFI

NATIVE = Path(__file__).resolve().parent
HEADERS = sorted((NATIVE / "include").glob("*.h"))
BEGIN, END = "/* cffi-begin", "/* cffi-end */"


def declarations() -> str:
    """Return the declarations between the two marks of each header."""
    texts = [header.read_text(encoding="utf-8") for header in HEADERS]
    return "".join(text[text.index("*/", text.index(BEGIN)) + 2 : text.index(END)] for text in texts)


CALLED_BY_C = 'extern "Python" int32_t bsdd_python_ask(void *argument);'
"""What the interpreter gives to ``bsdd_set_interrupt``: called, it lets signals be seen."""


def compile_args() -> list[str]:
    """The compiler's options, for the two families of compilers there are."""
    if sys.platform == "win32":
        return ["/O2", "/std:c11"]
    tuned = os.environ.get("BRIDGESPEC_NATIVE", "0") not in ("", "0")
    return ["-O3", "-std=c11", *(["-march=native"] if tuned else [])]


def builder(absolute: bool) -> FFI:
    """The module's builder; its paths are seen from the project's root unless they are to be absolute."""

    def seen(path: Path) -> str:
        return path.as_posix() if absolute else path.relative_to(NATIVE.parent).as_posix()

    ffi = FFI()
    ffi.cdef(declarations() + CALLED_BY_C)
    ffi.set_source(
        "bridgespec.solver._native",
        "".join(f'#include "{header.name}"\n' for header in HEADERS),
        sources=[seen(path) for path in sorted((NATIVE / "src").glob("*.c"))],
        depends=[seen(path) for folder in ("include", "src") for path in sorted((NATIVE / folder).glob("*.h"))],
        include_dirs=[seen(HEADERS[0].parent)],
        extra_compile_args=compile_args(),
    )
    return ffi


def declared(target: Path) -> None:
    """Write ``_declared.py``: what the library holds, for Pythons that cannot be built for where the library is built."""
    ffi = FFI()
    ffi.cdef(declarations())
    ffi.set_source("bridgespec.solver._declared", None)
    ffi.emit_python_code(str(target))


ffibuilder = builder(absolute=False)

if __name__ == "__main__":
    target = NATIVE.parent / "bridgespec" / "solver"
    with tempfile.TemporaryDirectory() as scratch:
        built = Path(builder(absolute=True).compile(tmpdir=scratch))
        for stale in (*target.glob("_native*.so"), *target.glob("_native*.pyd")):
            stale.unlink()
        shutil.copy2(built, target)
    print(f"built {built.name}")
