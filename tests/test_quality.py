"""Types, style and C warnings are part of the tests, so that one command says whether the tree is clean."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
TOPS = ("benchmarks", "bridgespec", "docs", "examples", "native", "specs", "tests", "tools", "web")


@pytest.mark.long
@pytest.mark.parametrize(
    "command",
    [
        ["mypy", "--strict", "bridgespec", "tools", "tests/typed_names.py"],
        ["ruff", "check", "bridgespec", "tests", "tools", "benchmarks", "setup.py"],
    ],
    ids=["mypy --strict", "ruff"],
)
def test_clean(command: list[str]) -> None:
    """The tool finds nothing."""
    done = subprocess.run([sys.executable, "-m", *command], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("document", ["CONTRIBUTING.md", "docs/design.md", "native/NOTES.md"])
def test_documents_name_files_that_exist(document: str) -> None:
    """Each file that is named by its end is in the tree; a name with ``x`` or a capital is a placeholder."""
    tree = [path.as_posix() for top in TOPS for path in (ROOT / top).rglob("*") if path.is_file()]
    named = re.findall(r"`([a-z_0-9/.]+\.(?:py|js|c|h|ksy|lark|tsv|sh))`", (ROOT / document).read_text("utf-8"))
    assert named
    ends = ("/" + name.removeprefix("../") for name in named if Path(name).stem != "x")
    assert [end for end in ends if not any(path.endswith(end) for path in tree)] == []


def test_expected_values_have_a_source() -> None:
    """Each file of `tests` that is not Python is in the table of sources, and each pattern of the table has a file."""
    text = (ROOT / "tests" / "README.md").read_text("utf-8")
    patterns = [
        each for line in text.splitlines() if line.startswith("| `") for each in re.findall(r"`([^`]+)`", line.split("|")[1])
    ]
    listed = subprocess.run(["git", "ls-files", "tests"], cwd=ROOT, capture_output=True, text=True, check=False).stdout.split()
    if not listed:
        pytest.skip("not a checkout of git, which lists the files")
    files = [
        Path(each).relative_to("tests")
        for each in listed
        if not each.endswith((".py", "README.md", "SOURCES.md")) and "LICENSE" not in each
    ]
    assert [str(file) for file in files if not any(file.match(each) for each in patterns)] == []
    assert [each for each in patterns if not any(file.match(each) for file in files)] == []


def test_the_glossary_has_the_places_of_its_classes() -> None:
    """Each term of the glossary has a class, in the module that its line names; each term and each class occurs once."""
    text = (ROOT / "docs" / "design.md").read_text("utf-8").partition("## Glossary")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| ([a-z][^|]*) \| [^|]+ \| `(\w+)`, `([\w/.]+)` \|$", text, re.MULTILINE)
    lines = [line for line in text.splitlines() if line.startswith("|")]
    assert len(rows) == len(lines) - 2 > 30
    sources = {place: (ROOT / "bridgespec" / place).read_text("utf-8") for _, _, place in rows}
    assert [row for row in rows if not re.search(rf"^class {row[1]}\b", sources[row[2]], re.MULTILINE)] == []
    assert len({term for term, _, _ in rows}) == len({name for _, name, _ in rows}) == len(rows)
