"""What is worked on a schema grows with it and no faster, and a schema that is nested too far is a finding."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from bridgespec.engines import Engine
from tests.cli.running import run
from tests.steps import lines

SIZES = (40, 80, 160)


def fields(count: int) -> str:
    """A schema of plain fields."""
    rows = "".join(f"- {{id: f{at}, type: u1}}\n" for at in range(count))
    return f"meta: {{id: x, endian: le, file-extension: x}}\nseq:\n{rows}"


def head(start: str) -> str:
    """A grammar's head and its start rule."""
    return f"//- id: x\n//- title: x\n//- extensions: [x]\nstart: {start}\n"


def rules(count: int) -> str:
    """A grammar of rules side by side."""
    names = [f"a{at}" for at in range(count)]
    return head(f"({' | '.join(names)})*") + "".join(f'{name}: "{name};"\n' for name in names)


def nested(count: int) -> str:
    """A grammar of rules, each of which names the next."""
    return head("a0") + "".join(f'a{at}: "x" a{at + 1}?\n' for at in range(count - 2)) + f'a{count - 2}: "x"\n'


@pytest.mark.long
@pytest.mark.parametrize(("name", "schema"), [("x.ksy", fields), ("x.lark", rules)], ids=["fields", "rules"])
def test_checking_a_schema_is_linear(name: str, schema: Callable[[int], str], tmp_path: Path) -> None:
    """Twice as many more take at most a little more than twice the lines more, to check the schema and to load it."""
    counts = []
    path = tmp_path / name
    for size in SIZES:
        path.write_text(schema(size))
        # What is done once in a process is not counted.
        run("check-spec", path)
        counts.append(lines(lambda: run("check-spec", path)) + lines(lambda: Engine([tmp_path]).spec("x")))
    assert counts[2] - counts[1] < 2.2 * (counts[1] - counts[0])


def test_rules_are_nested_a_hundred_deep(tmp_path: Path) -> None:
    """One more is an error of the grammar; neither is an exception."""
    path = tmp_path / "x.lark"
    path.write_text(nested(100))
    assert run("check-spec", path).exit_code == 0
    for count in (101, 1000):
        path.write_text(nested(count))
        result = run("check-spec", path)
        assert result.exit_code == 1
        assert "more than 100 rules are nested in" in result.output
