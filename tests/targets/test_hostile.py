"""Nothing of a schema is executed by whoever imports or runs an export of it, and the exports read what the engine reads."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from bridgespec.cli.export import TARGETS
from bridgespec.codec.node import Reading
from bridgespec.engines import engine
from bridgespec.export.json import tree
from tests.cli.running import run
from tests.conformance.roundtrip import everything
from tests.targets.hostile import Hostile, schemas
from tests.targets.javascript import NODE, difference, expected, needs_node
from tests.targets.run_python import told

HERE = Path(__file__).parent
CASES = HERE / "hostile"


def answers(command: Sequence[str | Path], folder: Path, asked: Sequence[dict[str, str]]) -> list[Any]:
    """Return what a process of its own, in a folder, prints for each question; nothing else may be in its output or its folder."""
    before = sorted(folder.rglob("*"))
    text = "".join(json.dumps(one) + "\n" for one in asked)
    env = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")} | {"PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(list(map(str, command)), input=text, capture_output=True, text=True, cwd=folder, env=env, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stderr == ""
    assert sorted(folder.rglob("*")) == before, "an export wrote a file"
    found = [json.loads(line) for line in done.stdout.split("\n") if line]
    assert len(found) == len(asked)
    return found


def exported(hostiles: Sequence[Hostile], folder: Path, target: str, suffix: str) -> list[Path]:
    """Return the file that the command writes of each schema, all of them in one folder."""
    made = []
    for number, hostile in enumerate(hostiles):
        path = folder / f"made{number}{suffix}"
        done = run("--specs", folder / "schemas" / str(number), "export", hostile.id, "--to", target, "-o", path)
        assert done.exit_code == 0, done.output
        made.append(path)
    return made


def put(hostiles: Sequence[Hostile], folder: Path) -> list[Reading]:
    """Write the schemas into folders of their own; return what the engine reads of each one's file, without a finding."""
    readings = []
    for number, hostile in enumerate(hostiles):
        own = folder / "schemas" / str(number)
        own.mkdir(parents=True)
        (own / f"{hostile.id}.ksy").write_text(hostile.schema, "utf-8")
        known = engine((str(own),))
        assert known.spec(hostile.id).title == hostile.title
        reading = known.of(known.spec(hostile.id)).codec.read(hostile.data)
        assert not reading.diagnostics, reading.diagnostics
        readings.append(reading)
    return readings


def json_values(reading: Reading) -> Any:
    """Return the values of a tree, computed ones included, as JSON has them."""
    return json.loads(json.dumps(everything(reading.root), default=bytes.hex))


def check_construct(hostiles: Sequence[Hostile], readings: Sequence[Reading], folder: Path) -> None:
    paths = exported(hostiles, folder, "construct", ".py")
    asked = [{"module": str(path), "data": one.data.hex()} for path, one in zip(paths, hostiles, strict=True)]
    for hostile, reading, answer in zip(
        hostiles, readings, answers([sys.executable, "-P", HERE / "run_construct.py"], folder, asked), strict=True
    ):
        values = json_values(reading)
        assert {name: answer["values"][name] for name in values} == values
        assert answer["same"]
        assert answer["doc"].startswith(hostile.title)


def check_python(hostiles: Sequence[Hostile], readings: Sequence[Reading], folder: Path) -> None:
    paths = exported(hostiles, folder, "python", ".py")
    asked = [{"module": str(path), "data": one.data.hex()} for path, one in zip(paths, hostiles, strict=True)]
    given = answers([sys.executable, "-I", "-B", "-S", HERE / "run_python.py"], folder, asked)
    for hostile, reading, answer in zip(hostiles, readings, given, strict=True):
        assert {**told(reading), "written": hostile.data.hex()} == answer


def check_javascript(hostiles: Sequence[Hostile], readings: Sequence[Reading], folder: Path) -> None:
    paths = exported(hostiles, folder, "javascript", ".mjs")
    asked = [{"module": str(path), "data": one.data.hex()} for path, one in zip(paths, hostiles, strict=True)]
    assert NODE is not None
    for reading, (answer,) in zip(readings, answers([NODE, HERE / "driver.mjs"], folder, asked), strict=True):
        assert difference(answer, expected(reading)) == ""


def check_json_schema(hostiles: Sequence[Hostile], folder: Path) -> None:
    for number, (hostile, path) in enumerate(zip(hostiles, exported(hostiles, folder, "json-schema", ".json"), strict=True)):
        schema = json.loads(path.read_text("utf-8"))
        assert schema["title"] == hostile.title
        known = engine((str(folder / "schemas" / str(number)),))
        jsonschema.validate(tree(known.examine(hostile.data, hostile.id).document), schema)


def check_ksy(hostiles: Sequence[Hostile], readings: Sequence[Reading], folder: Path) -> None:
    for hostile, reading, path in zip(hostiles, readings, exported(hostiles, folder, "ksy", ".ksy"), strict=True):
        own = path.with_suffix("")
        own.mkdir()
        (own / f"{hostile.id}.ksy").write_bytes(path.read_bytes())
        known = engine((str(own),))
        again = known.of(known.spec(hostile.id)).codec.read(hostile.data)
        assert json_values(again) == json_values(reading)


def check(hostiles: Sequence[Hostile], folder: Path) -> None:
    """Export every schema to every target and compare what each gives with what the engine reads."""
    readings = put(hostiles, folder)
    check_construct(hostiles, readings, folder)
    check_python(hostiles, readings, folder)
    check_javascript(hostiles, readings, folder)
    check_json_schema(hostiles, folder)
    check_ksy(hostiles, readings, folder)
    shutil.rmtree(folder)


batches = st.lists(schemas(), min_size=8, max_size=8)
"""Several schemas at a time: one process of each language reads all of them."""


@pytest.mark.long
@needs_node
@given(hostiles=batches)
@settings(max_examples=3, phases=[Phase.generate])
def test_an_export_executes_nothing_and_reads_the_same(hostiles: list[Hostile], tmp_path_factory: pytest.TempPathFactory) -> None:
    """Texts that are programs and names that mean something elsewhere: every target agrees with the engine in every value."""
    check(hostiles, tmp_path_factory.mktemp("hostile"))


@needs_node
@pytest.mark.slow
@given(hostiles=batches)
@settings(max_examples=60, phases=[Phase.generate])
def test_many_exports_execute_nothing(hostiles: list[Hostile], tmp_path_factory: pytest.TempPathFactory) -> None:
    """The same of some five hundred schemas."""
    check(hostiles, tmp_path_factory.mktemp("hostile"))


def test_every_target_is_tried() -> None:
    """A new target needs its own check above; grammars and programs are of text formats, and TypeScript declares types only.

    C is of records of one size, and tried in `c.test_module`.
    """
    others = {"c", "c-header", "lark", "program", "typescript"}
    assert set(TARGETS) - others == {"construct", "python", "javascript", "json-schema", "ksy"}


@pytest.mark.long
@pytest.mark.parametrize(("name", "data"), [("inj", b"\1\2"), ("enu", b"\1")])
def test_texts_and_members_of_a_real_case(name: str, data: bytes, tmp_path: Path) -> None:
    """A title that ends the docstring is not executed, and members named like Enum's own parameters are read."""
    (tmp_path / "schemas").mkdir()
    shutil.copytree(CASES, tmp_path / "schemas" / "0")
    known = engine((str(CASES),))
    spec = known.spec(name)
    hostile = Hostile(name, spec.title, "", data)
    reading = known.of(spec).codec.read(data)
    check_construct([hostile], [reading], tmp_path)
    check_python([hostile], [reading], tmp_path)
