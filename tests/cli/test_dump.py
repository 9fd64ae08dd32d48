"""The command ``dump``: every byte at its offset, fields with their meaning, findings at their bytes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from .running import BINARY, SAMPLES, SOLVED, run


@pytest.mark.parametrize("path", BINARY, ids=lambda path: path.name)
def test_dump_accounts_for_every_byte(path: Path) -> None:
    """Each byte of a binary file, broken or not, stands in the dump at its offset."""
    shown: dict[int, str] = {}
    for line in run("dump", path).stdout.splitlines():
        if line.startswith("0x"):
            offset = int(line[:8], 16)
            shown |= {offset + i: byte for i, byte in enumerate(line[10:33].split())}
    if not shown:
        assert path.read_bytes().isascii(), "only lines of text are dumped by line and column"
        return
    assert bytes(int(shown[i], 16) for i in range(len(shown))) == path.read_bytes()


def test_dump_reads_fields_to_their_meaning() -> None:
    """A deal's cells are named by card and seat, results by strain and declarer, bits as the format numbers them."""
    text = run("dump", SOLVED).stdout
    cells = [word for word in text.split() if "=" in word]
    assert cells[:4] == ["SA=E", "SK=W", "SQ=S", "SJ=N"]
    assert cells[52:56] == ["NW=9", "NN=4", "NE=9", "NS=4"]
    lines = [json.loads(line) for line in run("dump", SOLVED, "--json").stdout.splitlines()]
    assert len(lines) == 52 + 20
    assert lines[1] | {"raw": ""} == {
        "record": 0,
        "field": "boards[0].deal[1]",
        "start": 0,
        "stop": 1,
        "bits": [2, 4],
        "bit_order": "low",
        "raw": "",
        "value": 0,
        "name": "west",
        "broken": False,
    }


def test_dump_shows_findings_at_their_bytes() -> None:
    """The line of a broken field is followed by what is wrong with it."""
    lines = run("dump", SAMPLES / "zrd" / "bad" / "fourteen.zrd").stdout.splitlines()
    (index,) = [i for i, line in enumerate(lines) if "error[" in line]
    assert "tricks" in lines[index - 1]


def test_dump_of_a_record_that_is_not_there() -> None:
    """The records that there are are named."""
    result = run("dump", SOLVED, "--record", "3")
    assert result.exit_code == 2
    assert "1 to 1" in result.stderr


def test_records_are_counted_from_1_in_words() -> None:
    """The record of a finding is the one that the dump shows for its number, large or small; there is no record 0."""
    bad = SAMPLES / "zrd" / "bad" / "fourteen.zrd"
    assert "record 2, boards[1].tricks[5]" in run("validate", bad).stdout
    shown = run("dump", bad, "--record", "2").stdout
    assert "record 2  boards[1]" in shown
    assert "error[bad-tricks]" in shown
    assert "boards[0]" not in shown
    for choice in ("0", "0-1"):
        refused = run("dump", bad, "--record", choice)
        assert refused.exit_code == 2
        assert "--record" in refused.stderr
    assert "record 1  boards[0]" in run("dump", bad, "--record", "-1").stdout


def test_floats_that_json_has_not_are_text(tmp_path: Path) -> None:
    """As in the JSON that `convert` makes of a file's fields."""
    (tmp_path / "own.ksy").write_text(
        "meta: {id: own, file-extension: own, endian: be}\nseq: [{id: a, type: f4}, {id: b, type: f8}]\n"
    )
    (tmp_path / "x.own").write_bytes(bytes.fromhex("7fc00000 fff0000000000000"))
    done = run("dump", "--specs", tmp_path, tmp_path / "x.own", "--json")
    assert [json.loads(line, parse_constant=pytest.fail)["value"] for line in done.stdout.splitlines()] == ["nan", "-inf"]
