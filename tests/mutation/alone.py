"""Runs pytest with one mistake planted: ``python -m tests.mutation.alone PATH NUMBER ARGUMENT...``."""

from __future__ import annotations

import os
import sys
from importlib.machinery import SourceFileLoader
from types import CodeType
from unittest.mock import patch

import pytest

from tests.mutation.mistakes import ROOT, planted


class Planted:
    """A plugin: schemas are compiled anew, since what is kept was compiled without the mistake."""

    def pytest_sessionstart(self) -> None:
        """After the suite's own setting."""
        os.environ["BRIDGESPEC_CACHE"] = ""


def main(path: str, number: int, arguments: list[str]) -> int:
    """Import one file with its mistake, wherever it is imported, and run the tests."""
    file = str(ROOT / path)
    code = compile(planted(ROOT / path, number), file, "exec")
    right = SourceFileLoader.get_code

    def get_code(loader: SourceFileLoader, name: str) -> CodeType | None:
        return code if loader.path == file else right(loader, name)

    with patch.object(SourceFileLoader, "get_code", get_code):
        # Files that are named are imported with their assertions rewritten, past what is put in the place of one.
        return pytest.main(["--assert=plain", *arguments], plugins=[Planted()] if "/spec/" in path else [])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], int(sys.argv[2]), sys.argv[3:]))
