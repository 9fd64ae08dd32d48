"""Versions of a schema: what does not matter is compatible, and what does is shown by a file that the old version reads."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from bridgespec.cli.app import app
from bridgespec.engines import Engine

SPECS = Path(__file__).parents[2] / "specs"


def compare(folder: Path, name: str, changed: dict[str, str], *words: str) -> Result:
    """A schema of ours against itself with texts changed."""
    text = (SPECS / name).read_text("utf-8")
    for old, new in changed.items():
        assert old in text
        text = text.replace(old, new)
    (folder / name).write_text(text, "utf-8")
    return CliRunner().invoke(app, ["spec-diff", str(SPECS / name), str(folder / name), *words], catch_exceptions=False)


@pytest.mark.slice(None, quick=2)
@pytest.mark.parametrize(
    ("name", "changed"),
    [
        ("zdd.ksy", {}),
        ("zdd.ksy", {"doc: The results of one deal.": "doc: Results."}),
        ("zdd.ksy", {"_ <= 13 or _ == 15": "_ <= 15"}),
        ("zbs.ksy", {"type: layout": "type: suit", "  layout:": "  suit:"}),
        ("gib.lark", {"/[0-9A-Da-d]/": "/[0-9A-Ea-e]/"}),
    ],
)
def test_a_version_that_reads_and_writes_as_before_is_compatible(name: str, changed: dict[str, str], tmp_path: Path) -> None:
    """One that reads more is, and one in which a type has another name."""
    done = compare(tmp_path, name, changed, "--files", "6")
    assert done.exit_code == 0, done.output
    assert ": compatible with" in done.stderr


@pytest.mark.slice(None, quick=2)
@pytest.mark.parametrize(
    ("name", "changed", "told"),
    [
        ("zdd.ksy", {"_ <= 13 or _ == 15": "_ <= 12 or _ == 15"}, "zdd.ksy:40:9"),
        ("zbd.ksy", {"2: east": "2: south", "3: south": "3: east"}, "the code 0x2 was east, it is south"),
        ("zrj.ksy", {"    2: east\n": ""}, "the code 0x2 (east) is gone"),
        ("cds.ksy", {"bit-endian: be": "bit-endian: le"}, "its type was bits: 2, endian: be, it is bits: 2, endian: le"),
        ("cds.ksy", {"rank: AKQJT98765432": "rank: 23456789TJQKA"}, "its binding was"),
        ("rzd.ksy", {"type: u2": "type: u4"}, "its type was unsigned 16-bit integer, low byte first, it is unsigned 32-bit"),
        ("rbn.lark", {'"R" -> redoubled | ': ""}, "its text 'R' is not read any more"),
        ("gib.lark", {"/[0-9A-Da-d]/": "/[0-9A-Ca-c]/"}, "its text 'D' is not read any more"),
        ("deck.lark", {'"-" number': '"/" number'}, "the rule boards is another: - became /"),
    ],
)
def test_a_version_that_breaks_old_files_is_told_with_its_place(
    name: str, changed: dict[str, str], told: str, tmp_path: Path
) -> None:
    """Each file that is kept is one that the old version reads without an error."""
    done = compare(tmp_path, name, changed, "--files", "6", "-o", str(tmp_path / "kept"))
    assert done.exit_code == 1, done.output
    assert told in done.output
    assert ": incompatible with" in done.stderr
    kept = sorted((tmp_path / "kept").iterdir()) if (tmp_path / "kept").is_dir() else []
    assert kept or name.endswith(".lark")
    for path in kept:
        assert not Engine([SPECS]).examine(path.read_bytes(), name.partition(".")[0]).errors
        assert path.name in done.output


def test_a_witness_is_the_same_each_time(tmp_path: Path) -> None:
    """By its seed."""
    changed = {"_ <= 13 or _ == 15": "_ <= 12 or _ == 15"}
    done = [compare(tmp_path, "zdd.ksy", changed, "--files", "4", "-o", str(tmp_path / kept)) for kept in ("a", "b")]
    assert [one.exit_code for one in done] == [1, 1]
    assert (tmp_path / "a/witness-1.zdd").read_bytes() == (tmp_path / "b/witness-1.zdd").read_bytes()


def test_schemas_of_two_languages_are_refused() -> None:
    """With the reason."""
    done = CliRunner().invoke(app, ["spec-diff", str(SPECS / "zdd.ksy"), str(SPECS / "gib.lark")])
    assert done.exit_code == 2
    assert "different languages" in done.output


WIDE = """meta: {id: wide, endian: le, file-extension: wide}
seq:
  - {id: head, type: part}
  - {id: parts, type: part, repeat: expr, repeat-expr: 2}
types:
  part:
    seq:
      - {id: mark, type: u1}
      - {id: code, type: u4, valid: {min: 1, max: 900}}
"""


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("min: 1", "min: 2", "01 00 00 00"),
        ("max: 900", "max: 899", "84 03 00 00"),
        ("min: 1", "min: 0", None),
        ("max: 900", "max: 901", None),
        ("mark, type: u1", "mark, type: b8", None),
        ("mark, type: u1", "mark, type: s1", "its type was"),
    ],
)
def test_limits_and_types_of_one_width_are_decided_by_files(old: str, new: str, told: str | None, tmp_path: Path) -> None:
    """A number that only one version allows is seldom drawn by chance: files at the limits of both have it."""
    paths = [tmp_path / name / "wide.ksy" for name in ("old", "new")]
    for path, text in zip(paths, (WIDE, WIDE.replace(old, new)), strict=True):
        path.parent.mkdir()
        path.write_text(text, "utf-8")
    done = CliRunner().invoke(app, ["spec-diff", *map(str, paths)], catch_exceptions=False)
    assert (done.exit_code, (told or "") in done.stdout) == (0 if told is None else 1, True), done.output
