"""A schema that changes while a program runs is read anew by the next call.

Threads that share an engine do not take each other's findings.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from bridgespec import api
from bridgespec.engines import engine
from bridgespec.model.cards import Seat
from bridgespec.spec.catalog import PATH_VARIABLE, state_of
from tests.twins import SAMPLES

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


def test_what_a_schema_imports_from_a_subfolder_is_read_anew(tmp_path: Path) -> None:
    """A change there, a file that was missing, and a subfolder that is new are noticed; what is hidden is not looked at."""
    specs = (str(tmp_path),)
    (tmp_path / "club.ksy").write_text(
        "meta: {id: club, file-extension: club, imports: [parts/board]}\nseq: [{id: boards, type: board, repeat: eos}]\n"
    )
    (tmp_path / ".kept").mkdir()
    before = state_of(specs)
    (tmp_path / ".kept" / "old.ksy").write_text("")
    assert state_of(specs) == before
    (tmp_path / "parts").mkdir()
    part = tmp_path / "parts" / "board.ksy"
    part.write_text("meta: {id: board}\nseq: [{id: number, type: u1}]\n")
    assert [board.number for board in api.loads(b"\1\2", "club", specs=specs).boards] == [1, 2]
    part.write_text("meta: {id: board, endian: be}\nseq: [{id: number, type: u2}]\n")
    assert [board.number for board in api.loads(b"\1\2", "club", specs=specs).boards] == [258]


def test_a_folder_of_many_folders_is_not_searched_whole(tmp_path: Path) -> None:
    """Of a search path with more subfolders than schemas have, the first ones are looked at."""
    for index in range(200):
        (tmp_path / f"{index:03}").mkdir()
        (tmp_path / f"{index:03}" / "one.ksy").write_text("")
    assert len(state_of([str(tmp_path)])) == 1 + 128


@pytest.fixture
def hurried() -> Iterator[None]:
    """Threads that take turns as often as they can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.long
@pytest.mark.usefixtures("hurried")
@pytest.mark.parametrize(("format", "damage"), [("dge", b"\0"), ("bri", b"\xff"), ("pbn", b"#")])
def test_threads_find_what_one_finds(format: str, damage: bytes) -> None:
    """As many findings in each of a hundred readings: up to fifty of seventy were lost, or found in another thread's file."""
    samples = (SAMPLES / format).glob(f"*.{format}")
    sample = max(samples, key=lambda path: path.stat().st_size)
    data = bytearray(sample.read_bytes()[:4000])
    data[40::7] = damage * len(data[40::7])
    known = engine()
    expected = known.read(bytes(data), format).diagnostics
    assert expected
    with ThreadPoolExecutor(4) as workers:
        for found in workers.map(lambda _: known.read(bytes(data), format).diagnostics, range(100)):
            assert found == expected
