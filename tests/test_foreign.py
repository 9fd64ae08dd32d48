"""Files that are not bridge are not used: no command takes them for a format by their content, and none is reported as ok."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from pathlib import Path

import pytest

from bridgespec.api import loads
from bridgespec.engines import Engine
from bridgespec.errors import ReadError, UsageError
from tests.cli.running import run
from tests.foreign import KINDS, Foreign, found, generated

FEW, MANY = 300, 10_000


def used(known: Engine, files: Iterable[Foreign]) -> tuple[int, list[str]]:
    """How many files there were, and those that are recognised, or of whose forced format nothing is reported as wrong."""
    wrong, count = [], 0
    for count, (name, content) in enumerate(files, 1):
        forced = known.named(name)
        try:
            if forced is None:
                wrong.append(f"{count} {name} is taken for {known.recognise(name, content).id}: {content[:60]!r}")
            elif not known.examine(content, None, name).diagnostics:
                wrong.append(f"{count} {name} is ok as {forced.id}: {content[:60]!r}")
        except UsageError:
            pass
    return count, wrong


@pytest.mark.long
def test_foreign_files_are_not_used() -> None:
    """Half of them are generated, half found on the machine."""
    count, wrong = used(Engine(), itertools.chain(generated(1, FEW // 2), found(1, FEW // 2)))
    assert not wrong
    assert count >= FEW // 2


@pytest.mark.slow
@pytest.mark.parametrize("part", range(10))
def test_many_foreign_files_are_not_used(part: int) -> None:
    """Ten thousand."""
    _, wrong = used(Engine(), itertools.chain(generated(2 + part, MANY // 20), found(2 + part, MANY // 20)))
    assert not wrong


@pytest.mark.long
@pytest.mark.parametrize("kind", range(len(KINDS)))
def test_commands_refuse_foreign_files(kind: int, tmp_path: Path) -> None:
    """Validation and conversion end with status 2, write nothing, and report nothing as ok."""
    (_, content), *_ = itertools.islice(generated(7, len(KINDS)), kind, None)
    path, target = tmp_path / "x.dat", tmp_path / "y.pbn"
    path.write_bytes(content)
    for arguments, data in (((path,), None), (("-",), content)):
        checked = run("validate", *arguments, data=data)
        assert checked.exit_code == 2
        assert "ok" not in checked.stdout.split()
        assert run("convert", *arguments, target, data=data).exit_code == 2
    assert not target.exists()


DASHES = b"-" * 130 * 7
"""70 whole deals as records of thirteen bytes, 65 as fourteen: `-` gives a card of a rank to each seat."""
DEALS = Path(__file__).parent / "samples" / "zbd" / "sixteen.zbd"
OTHER = Path(__file__).parent / "samples" / "zrd" / "record0.zrd"
COMMANDS = (
    ("validate", "FILE"),
    ("convert", "FILE", "TARGET"),
    ("show", "FILE"),
    ("dump", "FILE"),
    ("solve", "FILE", "-o", "TARGET"),
    ("page", "FILE", "-o", "TARGET"),
    ("split", "FILE", "TARGET"),
    ("join", "FILE", OTHER, "TARGET"),
    ("checksum", "FILE"),
    ("bid", "FILE"),
)


@pytest.mark.slice(None, quick=10)
@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
@pytest.mark.parametrize("standard_input", [False, True], ids=["file", "stdin"])
@pytest.mark.parametrize("content", [DASHES, DEALS.read_bytes()], ids=["dashes", "deals"])
def test_no_command_uses_a_format_without_signature(
    command: tuple[str, ...], standard_input: bool, content: bytes, tmp_path: Path
) -> None:
    """Neither of dashes nor of real deals, too few to exclude chance: status 2, and the formats that are possible."""
    source = tmp_path / "x.dat"
    source.write_bytes(content)
    given = {"FILE": "-" if standard_input else source, "TARGET": tmp_path / "y.pbn"}
    result = run(*(given.get(word, word) for word in command), data=content if standard_input else None)
    assert result.exit_code == 2
    assert "it could be" in result.stderr
    assert "zbd (" in result.stderr
    assert "name it" in result.stderr
    assert not (tmp_path / "y.pbn").exists()


def test_a_query_uses_no_format_without_signature(tmp_path: Path) -> None:
    """As the other commands."""
    pytest.importorskip("duckdb")
    (tmp_path / "x.dat").write_bytes(DASHES)
    result = run("query", f"SELECT count(*) FROM '{tmp_path / 'x.dat'}'")
    assert result.exit_code == 2
    assert "zbd (" in result.stderr


def test_an_extension_or_a_name_is_sufficient(tmp_path: Path) -> None:
    """The same deals under a declared extension, or with the option."""
    path = tmp_path / "x.dat"
    path.write_bytes(DEALS.read_bytes())
    named = path.with_suffix(".zbd")
    named.write_bytes(DEALS.read_bytes())
    assert run("validate", named).exit_code == 0
    assert run("validate", path, "--format", "zbd").exit_code == 0
    assert run("convert", path, tmp_path / "y.pbn", "--from", "zbd").exit_code == 0


@pytest.mark.parametrize("name", ["x.txt", "x.dat", "x.bin"])
def test_common_extensions_identify_no_format(name: str) -> None:
    """No schema of the package declares them."""
    assert Engine().named(name) is None


@pytest.mark.long
def test_what_cannot_be_loaded_is_raised() -> None:
    """From Python as on the command line."""
    for _, content in generated(9, 2 * len(KINDS)):
        with pytest.raises((UsageError, ReadError)):
            loads(content)
