"""The counts of readability see what they count, in a small checkout made here."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.counts import ROOT, counts, main

COMPLEX = (
    "def branch(value: int) -> int:\n"
    + "".join(f"    if value == {n}:\n        return {n}\n" for n in range(16))
    + "    return 0\n"
)
FILES = {
    "bridgespec/__init__.py": "",
    "bridgespec/first.py": '"""It holds one thing, and says so."""\n\n\nclass Part:\n    # a reason\n    value = 1\n',
    "bridgespec/room/first.py": "from bridgespec.first import Part as Other\n\n\nclass Part(Other):\n    pass\n",
    "bridgespec/room/second.py": "from .third import branch\n",
    "bridgespec/room/third.py": COMPLEX,
    "tests/test_it.py": (
        'def test_silent():\n    assert 1 == 1\n\n\ndef test_claim():\n    """A claim."""\n    assert str(1) == "this is no one"\n'
    ),
}


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """Return a checkout that has each of the things counted, a known number of times."""
    for name, text in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return tmp_path


def test_each_thing_is_counted(checkout: Path) -> None:
    """Every count of a checkout whose faults are known is that number."""
    assert {count.name: count.value for count in counts(checkout)} == {
        "lines of the package": sum(text.count("\n") for name, text in FILES.items() if name.startswith("bridgespec")),
        "modules": 5,
        "class names in more than one place": 1,
        "file names in more than one folder": 1,
        "say, tell, hold, stand in 1,000 words of docstrings": round(1000 * 2 / 7, 1),
        "comments in 100 lines of code": round(100 / 45, 2),
        "modules with one importer": 2,
        "blocks of a complexity above 15": 1,
        "tests without a claim": 1,
        "assertions that compare a sentence": 1,
    }


def test_the_list_gives_what_was_counted(checkout: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With ``--list`` each count is followed by its occurrences."""
    main([str(checkout), "--list"])
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["-", "Part:", "bridgespec/first.py", "bridgespec/room/first.py"] in lines
    assert ["-", "bridgespec.room.third", "<-", "bridgespec.room.second"] in lines


def test_a_name_is_shared_only_by_a_role() -> None:
    """In this checkout no class name and no file name is used for two things."""
    found = {count.name: count.found for count in counts(ROOT)}
    assert found["class names in more than one place"] == ()
    assert found["file names in more than one folder"] == ()
