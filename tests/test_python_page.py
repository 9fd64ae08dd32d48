"""The page for programmers holds all that the package gives, and every example on it runs."""

from __future__ import annotations

import doctest
import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import bridgespec

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "python.md"


@pytest.fixture(autouse=True)
def in_the_repository() -> Iterator[None]:
    """The examples name samples from the repository's folder."""
    before = os.getcwd()
    os.chdir(ROOT)
    yield
    os.chdir(before)


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
