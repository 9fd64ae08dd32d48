"""The page for programmers holds all that the package gives, and every example on it runs."""

from __future__ import annotations

import doctest
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

import bridgespec

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "python.md"
NOTEBOOK = ROOT / "examples" / "bridge.ipynb"
SCRIPT = ROOT / "examples" / "research.py"


@pytest.fixture(autouse=True)
def in_the_repository() -> Iterator[None]:
    """The examples name samples from the repository's folder."""
    before = os.getcwd()
    os.chdir(ROOT)
    yield
    os.chdir(before)


@pytest.mark.long
def test_every_example_runs() -> None:
    """The whole page as one session, from top to bottom."""
    told = "\n".join(re.findall(r"^```python\n(.*?)^```$", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL))
    page = doctest.DocTestParser().get_doctest(told, {}, PAGE.name, str(PAGE), 0)
    assert len(page.examples) > 60
    printed: list[str] = []
    result = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(page, out=printed.append)
    assert result.failed == 0, "".join(printed)


def test_every_name_has_its_place() -> None:
    """Nothing is in the package's namespace that the page does not use in an example, and nothing is said to be that is not."""
    told = "".join(re.findall(r"^(?:>>>|\.\.\.) (.*\n)", PAGE.read_text("utf-8"), re.MULTILINE))
    used = set(re.findall(r"\w+", told))
    assert set(bridgespec.__all__) - used - {"__version__"} == set()
    assert all(hasattr(bridgespec, name) for name in bridgespec.__all__)


def _given(cell: Any) -> list[dict[str, Any]]:
    """The outputs of a cell; what a kernel prints may come in several pieces."""
    found: list[dict[str, Any]] = []
    for output in cell.get("outputs", ()):
        if output["output_type"] == "stream" and found and found[-1].get("name") == output["name"]:
            found[-1]["text"] += output["text"]
        else:
            found.append(dict(output.get("data", output)))
    return found


@pytest.mark.long
def test_the_notebook_shows_what_it_says(monkeypatch: pytest.MonkeyPatch) -> None:
    """Run by a kernel, every cell gives what is stored with it: text, and the drawing of each value that has one."""
    monkeypatch.setenv("JUPYTER_PLATFORM_DIRS", "1")
    stored = nbformat.read(NOTEBOOK, as_version=4)
    ran = nbformat.read(NOTEBOOK, as_version=4)
    for cell in ran.cells:
        cell["outputs"] = []
    NotebookClient(ran, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(ROOT)}}).execute()
    given = [_given(cell) for cell in ran.cells]
    assert given == [_given(cell) for cell in stored.cells]
    drawn = {data["text/plain"].split("(")[0] for cell in given for data in cell if "text/html" in data}
    assert drawn == {"Hand", "Deal", "Tricks", "Board", "Document"}


@pytest.mark.long
def test_the_script_prints_what_stands_below_it() -> None:
    """The study of three notrumps, as someone would write it who looked for a library."""
    text = SCRIPT.read_text("utf-8")
    _, _, shown = text.partition("# It prints:\n")
    done = subprocess.run([sys.executable, str(SCRIPT)], capture_output=True, text=True, check=True, cwd=ROOT)
    assert [f"# {line}".rstrip() for line in done.stdout.splitlines()] == shown.splitlines()
