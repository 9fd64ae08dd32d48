"""A schema that changes while a program runs is read anew by the next call."""

from __future__ import annotations

from pathlib import Path

import pytest

from bridgespec import api
from bridgespec.engines import engine
from bridgespec.model.cards import Seat
from bridgespec.spec.catalog import PATH_VARIABLE

SCHEMA = """//- {id: club, extensions: [club]}
start: boards*
boards: number " " dealer "\\n"
//- {number: {}}
number: /[1-9][0-9]*/
dealer: "N" -> north | "E" -> east | "S" -> south | "W" -> west
"""


def test_a_changed_schema_is_read_anew(tmp_path: Path) -> None:
    """By the facade, which keeps the engine of a folder as long as its schemas are the same."""
    path = tmp_path / "club.lark"
    path.write_text(SCHEMA)
    specs = (str(tmp_path),)
    assert api.loads(b"1 N\n", "club", specs=specs).boards[0].dealer is Seat.NORTH
    assert engine(specs) is engine(specs)
    path.write_text(SCHEMA.replace('"N"', '"North"'))
    assert api.loads(b"1 North\n", "club", specs=specs).boards[0].dealer is Seat.NORTH
    (tmp_path / "pub.lark").write_text(SCHEMA.replace("club", "pub"))
    assert api.loads(b"2 W\n", "pub", specs=specs).boards[0].dealer is Seat.WEST


def test_schemas_of_the_environment_are_read_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of `BRIDGESPEC_PATH` too, also where the variable changes."""
    engine()
    (tmp_path / "club.lark").write_text(SCHEMA)
    monkeypatch.setenv(PATH_VARIABLE, str(tmp_path))
    assert api.loads(b"1 E\n", "club").boards[0].dealer is Seat.EAST
    (tmp_path / "club.lark").write_text(SCHEMA.replace('"E"', '"East"'))
    assert api.loads(b"1 East\n", "club").boards[0].dealer is Seat.EAST
