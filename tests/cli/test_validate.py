"""The command ``validate`` on real samples: findings, what they are counted as, and repairs."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from bridgespec.cli.array_sources import LARGE
from bridgespec.spec.catalog import Catalog
from tests.told import numbers

from .running import HALVES, SAMPLES, SIXTEEN, SOLVED, run


def findings_of(*args: str | Path) -> list[dict[str, Any]]:
    """Return the findings of a check, as objects."""
    return [json.loads(line) for line in run("validate", *args, "--output-format", "json").stdout.splitlines()]


# --- validate -------------------------------------------------------------------------------------------------------


def test_clean_files_are_said_to_be() -> None:
    """A line a file, a summary, status 0."""
    result = run("validate", SIXTEEN, SOLVED)
    assert result.exit_code == 0
    assert f"{SIXTEEN}: ok (dup, 16 boards)" in result.stdout
    assert "2 files checked" in result.stdout
    assert "no findings" in result.stdout


def test_a_finding_shows_both_places_that_disagree() -> None:
    """The two halves of a DUP record differ: both places are drawn, and the status is 1."""
    result = run("validate", HALVES)
    assert result.exit_code == 1
    assert "error[deal-mismatch]" in result.stdout
    assert result.stdout.count("0x0") >= 2
    assert "^" in result.stdout


@pytest.mark.slice(None, quick=25)
@pytest.mark.parametrize("path", sorted(SAMPLES.glob("*/bad/*.???")), ids=lambda path: path.name)
def test_every_bad_sample_is_told_in_every_form(path: Path) -> None:
    """Text, JSON and SARIF tell the same findings, and JSON gives each its bytes."""
    text, lines, log = (run("validate", path, "--output-format", form, "--limit", "0") for form in ("text", "json", "sarif"))
    found = [json.loads(line) for line in lines.stdout.splitlines()]
    assert found
    assert text.exit_code == lines.exit_code == log.exit_code
    results = json.loads(log.stdout)["runs"][0]["results"]
    assert [result["ruleId"] for result in results] == [one["code"] for one in found]
    for one in found:
        assert f"[{one['code']}]: {one['message']}" in text.stdout
        assert one["span"], f"{one['code']} has no place"


def test_one_unreadable_file_does_not_stop_the_others() -> None:
    """The others are checked all the same; the status is 2."""
    result = run("validate", "nowhere.zbd", SIXTEEN)
    assert result.exit_code == 2
    assert "nowhere.zbd" in result.stderr
    assert "sixteen.dup: ok" in result.stdout
    first, *_, last = numbers(result.stdout.splitlines()[-1])
    assert (first, last) == (1, 1), "one checked, one not read"


def test_what_could_not_be_read_is_not_counted_as_checked() -> None:
    """Nothing was checked where nothing could be read, and no finding is spoken of."""
    result = run("validate", "nowhere.zbd", "nowhere.zrd")
    assert result.exit_code == 2
    assert result.stdout.splitlines() == ["no file checked; 2 could not be read"]


def test_a_broken_condition_is_told_in_words() -> None:
    """The message has the numbers that a schema's expression allows, and the one that is there, not the expression."""
    (found,) = findings_of(SAMPLES / "zrd" / "bad" / "fourteen.zrd")
    assert (found["code"], numbers(found["message"])) == ("bad-tricks", [13, 15, 14])


def test_what_is_wrong_with_every_board_is_told_once(tmp_path: Path) -> None:
    """The same reason is not repeated board by board."""
    result = run("convert", SIXTEEN, tmp_path / "x.zrj")
    assert result.exit_code == 2
    assert result.stderr.count("--declarer") == 1
    assert "(and 15 more)" in result.stderr


def test_strict_counts_warnings(tmp_path: Path) -> None:
    """A file with warnings alone is clean, unless --strict is given."""
    warned = SAMPLES / "zrj" / "bad" / "padding.zrj"
    assert "warning[" in run("validate", warned).stdout
    assert run("validate", warned).exit_code == 0
    assert run("validate", warned, "--strict").exit_code == 1


def test_standard_input() -> None:
    """``-`` is read; its format is told by the content, or by --format."""
    data = SIXTEEN.read_bytes()
    assert "<stdin>: ok (dup" in run("validate", "-", data=data).stdout
    assert "<stdin>: ok (dup" in run("validate", "-", "--format", "DUP", data=data).stdout


def test_an_ambiguous_file_says_what_it_could_be() -> None:
    """Nothing at all can be anything: the candidates are named, or that there is nothing to go by."""
    result = run("validate", "-", data=b"")
    assert result.exit_code == 2
    assert "--format" in result.stderr


def test_a_folder_is_searched(tmp_path: Path) -> None:
    """Files of known extensions in it and below are checked; a folder without any is a wrong call."""
    shutil.copytree(SAMPLES / "zbd", tmp_path / "a" / "zbd")
    (tmp_path / "a" / "notes.nosuch").write_text("no format")
    count = len(list((tmp_path / "a").rglob("*.zbd")))
    assert f"{count} files checked" in run("validate", tmp_path).stdout
    (tmp_path / "empty").mkdir()
    assert run("validate", tmp_path / "empty").exit_code == 2


def test_findings_beyond_the_limit_are_counted() -> None:
    """``--limit`` shows so many and says how many more there are; the summary counts all."""
    path = SAMPLES / "bri" / "bad" / "many.bri"
    every = run("validate", path, "--limit", "0").stdout
    some = run("validate", path, "--limit", "1").stdout
    total = every.count("many.bri: ")
    assert some.count(" --> ") == 1
    assert re.findall(r"(\d+) more, shown", some) == [str(total - 1)]
    assert some.splitlines()[-1].split(": ")[1] == every.splitlines()[-1].split(": ")[1]


def test_many_of_a_kind_are_told_once(tmp_path: Path) -> None:
    """More than three findings of one code are one with a count; --all, JSON lines and SARIF give every one."""
    path = tmp_path / "x.pbn"
    deal = "N:T2.J965.T7532.63 AKQ874.AQ2.J8.A5 J65.743.AK4.KQ82 93.KT8.Q96.JT974"
    path.write_text("".join(f'[Board "{4 * n + 1}"]\n[Dealer "S"]\n[Deal "{deal}"]\n\n' for n in range(7)))
    some, every = run("validate", path).stdout, run("validate", path, "--all").stdout
    assert some.count("warning[dealer-number]: ") == 1
    assert "6 more of" in some
    assert every.count("warning[dealer-number]: ") == 7
    assert every.splitlines()[-2].split()[:2] == ["7", "warning[dealer-number]"]
    assert run("validate", path, "--output-format", "json").stdout.count("dealer-number") == 7
    three = tmp_path / "three.pbn"
    three.write_text("".join(path.read_text().partition(f'[Board "{4 * 3 + 1}"]')[0]))
    assert run("validate", three).stdout.count("warning[dealer-number]: ") == 3


def test_record_numbers_agree(tmp_path: Path) -> None:
    """The place counts records from 1 as the message does; JSON has the index, which counts from 0."""
    assert "record 2, boards[1]" in run("validate", HALVES).stdout
    (found,) = findings_of(HALVES)
    assert (found["record"], numbers(found["message"])) == (1, [2])


NUMBERED = """[Event "x"]
[Board "2"]
[Dealer "N"]
[Vulnerable "NS"]
[Deal "N:AQ63.J7.Q42.AKJ7 T942.T5.KT6.9643 J85.4.AJ8753.Q82 K7.AKQ98632.9.T5"]
""".replace("\n", "\r\n")


def test_repairs_of_the_same_words_stand_each_at_its_place(tmp_path: Path) -> None:
    """Two records of which the same is said are both repaired, each where it stands."""
    path = tmp_path / "x.bss"
    path.write_bytes(b"*00{X}=NYYYYYY\r\n101D=NYYYYYY0484+!d, weak\r\n301D=NYYYYYY0484+!d, weak\r\n")
    shown = [json.loads(line) for line in run("validate", path, "--output-format", "json").stdout.splitlines()]
    edits = [found["fix"]["edits"][0] for found in shown if found["code"] == "repeated-display"]
    assert [(edit["start"], bytes.fromhex(edit["replacement"])) for edit in edits] == [(31, b""), (58, b"")]


def test_repairs_of_rules_become_edits(tmp_path: Path) -> None:
    """A rule's repair is shown as the bytes that it changes, made when asked for, and nothing else is touched."""
    path = tmp_path / "x.pbn"
    path.write_bytes(NUMBERED.encode())
    (dealer,) = (found for found in findings_of(path) if found["code"] == "dealer-number")
    (edit,) = dealer["fix"]["edits"]
    at = NUMBERED.index('"N"') + 1
    assert (dealer["severity"], edit) == ("warning", {"start": at, "stop": at + 1, "replacement": b"E".hex()})
    assert run("validate", path, "--fix").stdout.count("warning[") == 1, "no safe repair"
    assert path.read_bytes() == NUMBERED.encode()
    assert "1 fixed" in run("validate", path, "--unsafe-fixes").stdout
    assert path.read_bytes() == NUMBERED.replace('Dealer "N"', 'Dealer "E"').encode()


@pytest.mark.parametrize("large", [False, True])
def test_what_the_schema_decides_is_put_right(tmp_path: Path, large: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Padding that says nothing is written as the schema has it, by --fix, in a large file too; the rest of the file stays."""
    if large:
        monkeypatch.setattr("bridgespec.cli.array_sources.LARGE", 1)
    bad = SAMPLES / "zrj" / "bad" / "padding.zrj"
    path = tmp_path / "x.zrj"
    path.write_bytes(bad.read_bytes())
    (found,) = findings_of(path)
    assert found["fix"]["edits"] == [{"start": 0x1D, "stop": 0x1E, "replacement": "43"}]
    assert "1 fixed" in run("validate", path, "--fix").stdout
    assert findings_of(path) == []
    changed = [i for i, (a, b) in enumerate(zip(bad.read_bytes(), path.read_bytes(), strict=True)) if a != b]
    assert changed == [0x1D]


def test_a_repair_that_may_be_wrong_waits_to_be_asked_for(tmp_path: Path) -> None:
    """Which of a count and the records is right cannot be known: --fix leaves both, --unsafe-fixes believes the records."""
    path = tmp_path / "x.rzd"
    path.write_bytes((SAMPLES / "rzd" / "bad" / "count.rzd").read_bytes())
    assert run("validate", path, "--fix").exit_code == 1
    assert run("validate", path, "--unsafe-fixes").exit_code == 0
    assert path.read_bytes()[13:] == (SAMPLES / "rzd" / "bad" / "count.rzd").read_bytes()[13:]


def test_the_schema_explains_its_fields() -> None:
    """A field that breaks its constraint is explained in the schema's own words."""
    (found,) = findings_of(SAMPLES / "zrd" / "bad" / "fourteen.zrd")
    (tricks,) = (each for each in Catalog().load("zrd").records["zrd::board"].fields if each.name == "tricks")
    assert f"`tricks`: {tricks.doc.strip()}" in found["help"]


def test_standard_input_cannot_be_repaired() -> None:
    """There is nowhere to write it to."""
    assert run("validate", "-", "--fix", data=b"x").exit_code == 2


def test_the_help_has_the_size_from_which_arrays_are_used() -> None:
    """The number of the module that takes them."""
    assert f"from {LARGE // 1024} kB on" in " ".join(run("validate", "--help").stdout.split())
