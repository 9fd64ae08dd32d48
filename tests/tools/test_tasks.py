"""The commands of a developer, which `poe` lists, name what is there."""

from __future__ import annotations

import importlib.util
import re
import shlex
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent.parent
TASKS: dict[str, dict[str, Any]] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["poe"]["tasks"]


def commands(task: dict[str, Any]) -> Iterator[list[str]]:
    """Return the commands of a task, each in its words."""
    return (shlex.split(each["cmd"]) for each in task.get("sequence", [task]))


@pytest.mark.parametrize("name", TASKS)
def test_a_task_can_be_run(name: str) -> None:
    """A task has a help line, and its commands name modules and files that exist."""
    task = TASKS[name]
    assert len(task["help"]) > 20
    for program, *words in commands(task):
        if program == "python":
            assert importlib.util.find_spec(words[1]) if words[0] == "-m" else (ROOT / words[0]).is_file()
        else:
            assert program in ("pytest", "ruff", "mypy", "make")
        assert all((ROOT / word).exists() for word in words if word.startswith(("tests/", "benchmarks/", "native/", "examples/")))


def test_the_document_names_tasks_that_exist() -> None:
    """Each `poe NAME` in CONTRIBUTING.md is a task."""
    named = set(re.findall(r"(?:`|bin/)poe ([a-z-]+)", (ROOT / "CONTRIBUTING.md").read_text("utf-8")))
    assert {"test", "transcripts", "visits"} <= named
    assert named <= set(TASKS)
