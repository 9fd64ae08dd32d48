"""The command ``dump``: every byte at its offset, fields with their meaning, findings at their bytes, and attempts to read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bridgespec.codec.anatomy import groups_of
from bridgespec.codec.text import trace as text_trace
from bridgespec.codec.trace import MOST_ATTEMPTS, walk
from bridgespec.codec.tracing import trace
from bridgespec.engines import engine
from bridgespec.twins import is_sample

from .running import BINARY, SAMPLES, SOLVED, run

FILES = sorted(path for path in SAMPLES.glob("*/**/*.*") if is_sample(path) and path.stat().st_size < 20_000)
KINDS = """\
meta: {id: kinds, file-extension: kinds, endian: le}
seq:
  - {id: kind, type: u1, valid: {max: 3}}
  - {id: more, type: u2, if: kind == 2}
  - {id: body, type: {switch-on: kind, cases: {1: one, 4: two}}}
  - {id: rest, type: u1, repeat: eos}
types:
  one: {seq: [{id: a, type: u4}]}
  two: {seq: [{id: c, type: u1, repeat: expr, repeat-expr: 2}, {id: d, type: strz, encoding: ASCII}, {id: z, type: u8}]}
"""
NESTED = """\
//- id: nested
//- extensions: [nested]
start: (line "\\n")*
line: "(" line ")" | "(" line "]" | word
word: /[a-z]+/
"""


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


def traced(*arguments: str) -> list[str]:
    """Return the lines that ``dump --trace`` prints, without the blanks that align them."""
    done = run("dump", *arguments, "--trace")
    assert done.exit_code == 0, done.output
    return [" ".join(line.split()) for line in done.stdout.splitlines()]


def test_bytes_tell_what_was_tried_absent_wrong_failed_and_left_out(tmp_path: Path) -> None:
    """Each field has its type, the case that a switch chose, its place and its reason; fields behind a failure are listed."""
    (tmp_path / "kinds.ksy").write_text(KINDS)
    (tmp_path / "x.kinds").write_bytes(b"\4\1\2abc")
    assert traced("--specs", str(tmp_path), str(tmp_path / "x.kinds"))[1:] == [
        "0x000000 kinds failed at 0x000006: a part of it cannot be read",
        "0x000000 kind: byte 04 4 is above the most allowed, 3",
        "0x000001 more: unsigned 16-bit integer, low byte first absent: kind == 2 is false",
        "0x000001 body: two failed at 0x000006: a part of it cannot be read",
        "0x000001 c: byte 01 02",
        "0x000003 d: text (ASCII), up to 00 failed at 0x000006: no terminator 00 stands before the end of the data",
        "0x000006 z untried: what comes before it cannot be read",
        "0x000006 rest untried: what comes before it cannot be read",
    ]


def test_text_tells_which_rule_was_tried_where_and_what_it_wanted(tmp_path: Path) -> None:
    """A rule that failed has the furthest place, what was wanted and what stands there; rules of values are tried too."""
    (tmp_path / "x.pbn").write_text('[Board "1"]\n[Dealer N]\n[Declarer "Q"]\n')
    found = traced(str(tmp_path / "x.pbn"))
    assert [line.split()[1:5] for line in found if line.startswith("2:1 ")] == [
        ["body", "failed:", "expected", "text"],
        ["tag", "failed", "at", "2:9:"],
        ["_OPEN", "["],
        ["bad_tag", "[Dealer", "N]·"],
    ]
    assert any(line.startswith("3:12 ") and "found 'Q'" in line for line in found)


def test_records_are_chosen_and_json_counts_bits(tmp_path: Path) -> None:
    """--record traces the chosen records alone; --json gives bits from the start of the file and the depth."""
    (tmp_path / "x.pbn").write_text('[Board "1"]\n\n[Board "2"]\n')
    done = run("dump", str(tmp_path / "x.pbn"), "--trace", "--record", "2", "--json")
    found = [json.loads(line) for line in done.stdout.splitlines()]
    read = next(one for one in found if one["rule"] == "boards" and one["ended"] == "read")
    assert (read["depth"], read["start_bit"], read["reason"]) == (0, 8 * 13, None)
    assert all(one["start_bit"] >= 8 * 13 for one in found)


@pytest.mark.slice(None, quick=70)
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(SAMPLES).as_posix())
def test_a_trace_agrees_with_the_reading(path: Path) -> None:
    """Every record of every sample that was read is an attempt of the same bits; one that was not has an attempt that failed."""
    known, data = engine(), path.read_bytes()
    report = known.read(data, path.relative_to(SAMPLES).parts[0])
    root = report.reading.root
    attempts, cut = trace(known.of(report.spec), report.reading, [("", root)], report.diagnostics)
    found = [one for _, one in walk(attempts)]
    assert len(found) <= MOST_ATTEMPTS + 1000
    read = {(one.start, one.stop) for one in found if one.outcome == "read"}
    failed = {one.start for one in found if one.outcome == "failed"}
    for group in groups_of(root):
        if group.number is None or (cut is not None and group.node.stop > 8 * cut):
            continue
        if group.node.broken:
            assert any(group.node.start <= at <= group.node.stop for at in failed), group.path
        else:
            assert (group.node.start, group.node.stop) in read, group.path
    assert all(one.reason for one in found if one.outcome != "read")


@pytest.mark.long
def test_a_large_file_is_traced_as_far_as_it_can_be_looked_through(tmp_path: Path) -> None:
    """Past the limit the trace ends with a line that names the place and how to go on."""
    (tmp_path / "x.pbn").write_text('[Board "1"]\n[Dealer "N"]\n\n' * 3000)
    found = traced(str(tmp_path / "x.pbn"))
    assert len(found) < MOST_ATTEMPTS + 1000
    assert found[-1].endswith("on nothing is traced; choose records with --record")


def test_choices_that_multiply_are_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nested rules double the work at each level while nothing is memoised: the trace stops, and its attempts tell so."""
    monkeypatch.setattr(text_trace, "MOST_STEPS", 2000)
    (tmp_path / "nested.lark").write_text(NESTED)
    (tmp_path / "x.nested").write_text("(" * 30 + "a" + "]" * 30 + "\n")
    assert "after 2,000 steps" in " ".join(traced("--specs", str(tmp_path), str(tmp_path / "x.nested")))


def test_a_page_has_no_trace(tmp_path: Path) -> None:
    """--html and --trace are two forms."""
    path = tmp_path / "x.pbn"
    path.write_text('[Board "1"]\n')
    done = run("dump", str(path), "--trace", "--html", "-")
    assert done.exit_code == 2
    assert [option in done.stderr for option in ("--trace", "--html")] == [True, True]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_places_are_those_of_the_text(tmp_path: Path, encoding: str) -> None:
    """Of a file with a byte order mark, lines and columns are those of the text."""
    (tmp_path / "x.pbn").write_bytes('[Board "1"]\n[Dealer N]\n'.encode(encoding))
    assert ["2:1", "tag", "failed", "at", "2:9:"] in [line.split()[:5] for line in traced(str(tmp_path / "x.pbn"))]
