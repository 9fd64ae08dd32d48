"""Questions about folders and patterns: one table of all files, with the file of each board, kept until a file changes."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import bridgespec
from bridgespec import questions, tabular
from bridgespec.errors import UsageError
from bridgespec.questions import TableCache
from tests.cli.running import SAMPLES, run
from tests.told import numbers

pytest.importorskip("duckdb")
pytest.importorskip("pyarrow")


@pytest.fixture
def club(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of files of two formats, and a cache of its own."""
    monkeypatch.setenv("BRIDGESPEC_CACHE", str(tmp_path / "cache"))
    folder = tmp_path / "club"
    (folder / "old").mkdir(parents=True)
    for name, target in (("pbn/sixteen.pbn", "a.pbn"), ("pbn/two-boards.pbn", "b.pbn"), ("dup/sixteen.dup", "old/c.dup")):
        (folder / target).write_bytes((SAMPLES / name).read_bytes())
    (folder / "notes.txt").write_text("nothing of bridge\n", "utf-8")
    return folder


def counts(source: object) -> dict[str, int]:
    """The boards of each file."""
    rows = bridgespec.query(f"SELECT file, count(*) n FROM '{source}' GROUP BY file").to_pylist()
    return {Path(row["file"]).name: row["n"] for row in rows}


def test_a_folder_and_a_pattern_are_tables(club: Path) -> None:
    """A folder has all files of known extensions in it and below, a pattern those that it matches, whatever columns they have."""
    assert counts(club) == {"a.pbn": 16, "b.pbn": 2, "c.dup": 16}
    assert counts(f"{club}/*.pbn") == {"a.pbn": 16, "b.pbn": 2}
    assert counts(f"{club}/**/*.dup") == {"c.dup": 16}


def test_a_name_that_is_there_is_no_pattern(club: Path) -> None:
    """A file with signs of a pattern in its name is that file."""
    (club / "a.pbn").rename(club / "[b].pbn")
    assert bridgespec.query(f"SELECT count(*) n FROM '{club}/[b].pbn'").to_pylist() == [{"n": 16}]


@pytest.mark.long
def test_a_file_is_read_again_only_when_it_has_changed(club: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second question reads no file; after a change it reads the one that changed."""
    read: list[str] = []
    of_source = tabular.of_source

    def noted(known: object, path: str, *rest: object, **more: object) -> object:
        read.append(Path(path).name)
        return of_source(known, path, *rest, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(questions.tabular, "of_source", noted)
    assert counts(club) == counts(club)
    assert sorted(read) == ["a.pbn", "b.pbn", "c.dup"]
    (club / "b.pbn").write_bytes((club / "a.pbn").read_bytes())
    assert counts(club)["b.pbn"] == 16
    assert read[3:] == ["b.pbn"]


def test_derived_columns_of_a_folder(club: Path) -> None:
    """They are there where a question names them."""
    (row,) = bridgespec.query(f"SELECT sum(north_hcp) = sum(hcp(north)) same FROM '{club}'").to_pylist()
    assert row == {"same": True}


def test_the_cache_is_bounded(club: Path, tmp_path: Path) -> None:
    """The tables that were not used for longest go first; those of the question stay."""
    known = bridgespec.engine()
    cache = TableCache(tmp_path / "kept", most=1)
    (first,) = cache.tables(known, [str(club / "a.pbn")], None, False)
    os.utime(first, (1, 1))
    (second,) = cache.tables(known, [str(club / "b.pbn")], None, False)
    assert [str(path) for path in cache.folder.iterdir()] == [second]
    assert cache.clear() > 0
    assert not cache.folder.exists()


def test_the_cache_is_cleared_by_a_command(club: Path) -> None:
    """It says how much there was."""
    assert counts(club)
    done = run("query", "--clear-cache")
    assert done.exit_code == 0
    assert done.stdout.startswith("removed 0.")
    assert numbers(run("query", "--clear-cache").stdout) == [0]


def test_nothing_is_kept_where_there_is_no_cache(club: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The answer is the same."""
    monkeypatch.setenv("BRIDGESPEC_CACHE", "")
    assert counts(club) == {"a.pbn": 16, "b.pbn": 2, "c.dup": 16}


@pytest.mark.parametrize("source", ["nothing/*.pbn", "empty"])
def test_no_file_is_an_error(club: Path, source: str) -> None:
    """In one sentence."""
    (club / "empty").mkdir()
    with pytest.raises(UsageError, match="there is no"):
        bridgespec.query(f"SELECT 1 FROM '{club}/{source}'")


@pytest.mark.parametrize(
    ("asked", "hint"),
    [
        ("hpc(north)", "did you mean hcp(north)?"),
        ("loosers(north)", "did you mean losers(north)?"),
        ("deal['N']", "west, north, east and south are the columns of hands"),
        ("dael['N']", "west, north, east and south are the columns of hands"),
        ("dealr", '"dealer"'),
        ("hcp", "Did you mean hcp(north)?"),
        ("nort_hcp", "Did you mean north_hcp?"),
    ],
)
def test_names_of_ours_are_suggested(club: Path, asked: str, hint: str) -> None:
    """Not those of the query engine, which has nothing to do with bridge."""
    with pytest.raises(UsageError) as error:
        bridgespec.query(f"SELECT {asked} FROM '{club}/a.pbn'")
    assert hint in str(error.value)


def test_a_file_that_cannot_be_read_is_left_out(club: Path) -> None:
    """The command reports it, answers from the others and ends with status 1; Python raises its error, as for a single file."""
    (club / "broken.pbn").write_text("nothing of bridge\n", "utf-8")
    done = run("query", f"SELECT count(*) n FROM '{club}/*.pbn'")
    assert done.exit_code == 1
    assert done.stdout.split() == ["n", "18"]
    assert done.stderr.startswith(f"error: {club / 'broken.pbn'}: ")
    with pytest.raises(bridgespec.ReadError):
        bridgespec.query(f"SELECT count(*) n FROM '{club}/*.pbn'")
    for name in ("a.pbn", "b.pbn"):
        (club / name).write_text("nothing\n", "utf-8")
    done = run("query", f"SELECT count(*) n FROM '{club}/*.pbn'")
    assert done.exit_code == 2
    assert "the 3 files" in done.stderr


def test_boards_are_a_table_by_a_name() -> None:
    """A document and a list of its boards are the same table."""
    document = bridgespec.load("tests/samples/dup/melbourne.dup")
    asked = "SELECT sum(hcp(north)) points FROM b"
    answers = [bridgespec.query(asked, tables={"b": one}).to_pylist() for one in (document, list(document.boards))]
    assert answers[0] == answers[1] != []
