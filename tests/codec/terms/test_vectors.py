"""Deals, auctions and plays, whose meaning is code in Python and in JavaScript: both give the values of the same files."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bridgespec import engine
from bridgespec.export.json import tree
from tests.targets.javascript import Reader, needs_node, write_module

VECTORS = {path.stem: json.loads(path.read_text("utf-8")) for path in sorted((Path(__file__).parent / "vectors").glob("*.json"))}
CASES = [
    pytest.param(term, format, text, vector["value"], id=f"{term}-{vector['claim']}-{format}")
    for term, vectors in VECTORS.items()
    for vector in vectors
    for format, text in vector["files"].items()
]


@pytest.fixture(scope="module")
def reader() -> Iterator[Reader]:
    """One process for all files."""
    running = Reader()
    yield running
    running.close()


@pytest.fixture(scope="module")
def modules(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The generated module of each format of the vectors."""
    folder = tmp_path_factory.mktemp("modules")
    formats = {format for vectors in VECTORS.values() for vector in vectors for format in vector["files"]}
    return {format: write_module(engine().spec(format), folder) for format in formats}


def test_every_term_that_is_code_has_vectors() -> None:
    """A term without them could differ between the languages."""
    assert set(VECTORS) == {"auction", "deal", "play"}


@pytest.mark.slice(None, quick=3)
@pytest.mark.parametrize(("term", "format", "text", "value"), CASES)
def test_python(term: str, format: str, text: str, value: Any) -> None:
    """The published JSON of the first board has the value."""
    assert tree(engine().load(text.encode(), format))["boards"][0][term] == value


@pytest.mark.slice(None, quick=1)
@needs_node
@pytest.mark.parametrize(("term", "format", "text", "value"), CASES)
def test_javascript(reader: Reader, modules: dict[str, Path], term: str, format: str, text: str, value: Any) -> None:
    """The model of the generated module has the value."""
    (model,) = reader.ask(modules[format], text.encode(), model=1)
    assert model["boards"][0][term] == value
