"""A release says one version wherever it says one."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

from bridgespec.version import VERSION

ROOT = Path(__file__).parents[1]


def test_the_version_stands_in_one_place() -> None:
    """The build reads it from the package; the module for the web, which is another registry's, has the same."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    assert project["project"]["dynamic"] == ["version"]
    assert project["tool"]["setuptools"]["dynamic"]["version"] == {"attr": "bridgespec.version.VERSION"}
    assert json.loads((ROOT / "web" / "bridgespec-dd" / "package.json").read_text("utf-8"))["version"] == VERSION
