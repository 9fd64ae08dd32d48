"""The solver compiled for every platform on any of them, with Clang and its C libraries as the package ``ziglang`` has them."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
import sysconfig
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

NATIVE = Path(__file__).parent.parent / "native"
FLAGS = ("-std=c11", "-O3", "-s", "-Wall", "-Wextra")


@dataclass(frozen=True)
class Target:
    """A platform: its name here, what zig calls it, the tags of its wheel, and the name of the solver's file in the package.

    On Linux the solver is an extension module for CPython's stable interface. Elsewhere, since there is no Python to link with,
    it is a library of its own, which cffi opens when it is first used.
    """

    name: str
    triple: str
    tags: str
    file: str

    @property
    def is_module(self) -> bool:
        """Whether the solver is a module of Python."""
        return self.file.startswith("_native")


def _linux(processor: str) -> list[Target]:
    many = f"cp311-abi3-manylinux2014_{processor}.manylinux_2_17_{processor}"
    musl = f"cp311-abi3-musllinux_1_2_{processor}"
    return [
        Target(f"manylinux-{processor}", f"{processor}-linux-gnu.2.17", many, "_native.abi3.so"),
        Target(f"musllinux-{processor}", f"{processor}-linux-musl", musl, "_native.abi3.so"),
    ]


ALL = [
    *_linux("x86_64"),
    *_linux("aarch64"),
    Target("macos-x86_64", "x86_64-macos.11.0", "py3-none-macosx_11_0_x86_64", "bridgespec_dd.dylib"),
    Target("macos-arm64", "aarch64-macos.11.0", "py3-none-macosx_11_0_arm64", "bridgespec_dd.dylib"),
    Target("windows-x86_64", "x86_64-windows-gnu", "py3-none-win_amd64", "bridgespec_dd.dll"),
]
TARGETS = {target.name: target for target in ALL}
"""What a release has, by name."""
TRIAL = Target("linux-library", "x86_64-linux-gnu.2.17", "py3-none-linux_x86_64", "bridgespec_dd.so")
"""A library of its own where Python can be had, to try that form; no release has it."""


def wanted() -> str:
    """The version of ziglang that releases are built with: that of the module for the web."""
    found = re.search(r"^ZIGLANG = (\S+)$", (NATIVE / "Makefile").read_text("utf-8"), re.MULTILINE)
    assert found is not None
    return found[1]


def installed() -> str | None:
    """The version of ziglang that is installed; None without one."""
    if importlib.util.find_spec("ziglang") is None:
        return None
    done = subprocess.run([sys.executable, "-m", "ziglang", "version"], check=True, capture_output=True, text=True)
    return done.stdout.strip()


def library(target: Target, native: Path, binding: Path, out: Path, cache: Path | None = None) -> None:
    """Compile the sources in ``native`` for the target into ``out``; ``binding`` is the C file of a module of Python.

    CalledProcessError where it fails. ``cache`` keeps what zig makes, its own folder otherwise.
    """
    words = ["-shared", f"-I{native / 'include'}"]
    words += [] if "windows" in target.triple else ["-fPIC"]
    if target.is_module:
        # The stable interface is the same on every processor here, and so are the headers as far as it goes.
        words += ["-fvisibility=hidden", f"-I{sysconfig.get_path('include')}", str(binding)]
    if "macos" in target.triple:
        # Else it would hold the name of the folder that it was made in.
        words += [f"-Wl,-install_name,@rpath/{target.file}"]
    _compile(target.triple, [*FLAGS, *words, "-o", str(out), *_sources(native)], cache)
    if "musl" in target.triple:
        # Systems of musl name their C library by the processor, and auditors look for that name.
        needed = f"libc.musl-{target.triple.split('-')[0]}.so.1"
        subprocess.run(["patchelf", "--replace-needed", "libc.so", needed, str(out)], check=True, env=_environment())


def program(target: Target, native: Path, source: Path, out: Path, cache: Path | None = None) -> None:
    """Compile a test program with the solver for the target; for Linux one that needs no library of its machine."""
    triple = f"{target.triple.split('-')[0]}-linux-musl" if "linux" in target.triple else target.triple
    _compile(triple, [*FLAGS, "-o", str(out), str(source), *_sources(native)], cache)


def _sources(native: Path) -> list[str]:
    return [str(path) for path in sorted((native / "src").glob("*.c"))]


def _compile(triple: str, words: list[str], cache: Path | None) -> None:
    folders = {} if cache is None else {"ZIG_GLOBAL_CACHE_DIR": str(cache), "ZIG_LOCAL_CACHE_DIR": str(cache)}
    subprocess.run([sys.executable, "-m", "ziglang", "cc", "-target", triple, *words], check=True, env=_environment(folders))


def _environment(more: Mapping[str, str] = MappingProxyType({})) -> dict[str, str]:
    """The environment, in which the programs of this Python's packages are found."""
    return {**os.environ, **more, "PATH": os.pathsep.join([sysconfig.get_path("scripts"), os.environ.get("PATH", os.defpath)])}
