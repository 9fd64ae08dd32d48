"""Where Kaitai's suite is, and what one of its tests came to."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from bridgespec.spec.ir import Spec
from bridgespec.spec.kaitai import schema as ksy

VARIABLE = "BRIDGESPEC_KAITAI_TESTS"
GALLERY = "BRIDGESPEC_KAITAI_FORMATS"


@dataclass(frozen=True)
class Result:
    """One test: its name, whether it passed, and why not."""

    name: str
    passed: bool
    reason: str = ""


def suite_folder() -> Path | None:
    """The suite's folder, from the environment."""
    given = os.environ.get(VARIABLE)
    return Path(given) if given and Path(given).is_dir() else None


def gallery_folder() -> Path | None:
    """The folder of the gallery, from the environment; one schema of the suite imports another from there."""
    given = os.environ.get(GALLERY)
    return Path(given) if given and Path(given).is_dir() else None


class ShiftBytes:
    """The suite's example of a custom process: adds a number to every byte."""

    @staticmethod
    def decode(data: bytes, *args: object) -> bytes:
        key, flag = int(str(args[0])), bool(args[1])
        return bytes((byte + (key if flag else -key)) % 256 for byte in data)

    @staticmethod
    def encode(data: bytes, *args: object) -> bytes:
        key, flag = int(str(args[0])), bool(args[1])
        return bytes((byte - (key if flag else -key)) % 256 for byte in data)


class Underscores:
    """The suite's other example: stands between underscores once decoded."""

    @staticmethod
    def decode(data: bytes, *args: object) -> bytes:
        return b"_" + data + b"_"

    @staticmethod
    def encode(data: bytes, *args: object) -> bytes:
        return data[1:-1]


PROCESSORS = {"my_custom_fx": ShiftBytes, "nested.deeply.custom_fx": Underscores, "custom_fx_no_args": Underscores}


@functools.cache
def load_format(suite: Path, name: str) -> Spec:
    """One of the suite's schemas."""
    formats = suite / "formats"
    search = [formats / "ks_path", formats, gallery_folder() or suite.parent / "kaitai_struct_formats"]
    return ksy.load(formats / f"{name}.ksy", search, frozenset(PROCESSORS))


def guarded(name: str, test: Callable[[], str]) -> Result:
    """Run a test that returns why it fails; an exception is a failure too."""
    try:
        reason = test()
    except Exception as error:  # a runner must survive whatever the code under test does
        reason = f"{type(error).__name__}: {error}"
    return Result(name, not reason, reason.partition("\n")[0])
