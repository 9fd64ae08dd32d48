"""The commands on large files, and ``convert``, ``join`` and ``split``: what they write, what they tell, what they refuse."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bridgespec.api import load
from bridgespec.cli import array_sources, conversions, pieces
from tests.told import numbers

from .running import BINARY, HALVES, ROOT, SAMPLES, SIXTEEN, SOLVED, run

# --- large files ----------------------------------------------------------------------------------------------------


@pytest.fixture
def everything_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Even small files are worked as arrays, a few records at a time."""
    monkeypatch.setattr(array_sources, "LARGE", 1)
    monkeypatch.setattr(conversions, "MANY", 0)
    monkeypatch.setattr(pieces, "STEP", 3)


def findings(path: Path, *args: str) -> list[dict[str, object]]:
    lines = run("validate", path, "--output-format", "json", *args).stdout.splitlines()
    return [one for one in map(json.loads, lines) if one["severity"] == "error"]


@pytest.mark.usefixtures("everything_is_large")
@pytest.mark.parametrize("path", BINARY, ids=lambda path: path.name)
def test_large_files_get_the_same_errors(path: Path) -> None:
    """Checked as arrays or as trees, a file has the same errors at the same bytes of the same records."""
    keys = ("code", "record", "field", "span", "message")
    quick, thorough = ([{key: one[key] for key in keys} for one in findings(path, *args)] for args in ([], ["--thorough"]))
    assert quick == thorough


@pytest.mark.usefixtures("everything_is_large")
def test_large_files_convert_alike(tmp_path: Path) -> None:
    """As arrays or as trees, the same bytes come out and the same losses are told."""
    source = tmp_path / "many.zrd"
    source.write_bytes(SOLVED.read_bytes() * 10)
    quick = run("convert", source, tmp_path / "quick.zbd")
    slow = run("convert", source, tmp_path / "slow.zbd", "--boards", "1-10")
    assert quick.exit_code == slow.exit_code == 0
    assert (tmp_path / "quick.zbd").read_bytes() == (tmp_path / "slow.zbd").read_bytes()
    assert "warning[lost]" in quick.stderr
    assert "results (10 times)" in quick.stderr
    assert run("convert", source, tmp_path / "not.zbd", "--strict").exit_code == 1
    assert not (tmp_path / "not.zbd").exists()


@pytest.mark.usefixtures("everything_is_large")
@pytest.mark.parametrize("args", [[], ["--canonical"]])
def test_large_files_of_one_format_convert_alike(tmp_path: Path, args: list[str]) -> None:
    """A file becomes one of its own format with the bytes that the trees give, its end record included."""
    source = tmp_path / "many.zrd"
    source.write_bytes(SOLVED.read_bytes() * 10 + bytes(4))
    assert run("convert", source, tmp_path / "quick.zrd", *args).exit_code == 0
    assert run("convert", source, tmp_path / "slow.zrd", "--boards", "1-10", *args).exit_code == 0
    assert (tmp_path / "slow.zrd").read_bytes() in (source.read_bytes(), source.read_bytes()[:-4])
    whole = source.read_bytes() if not args else (tmp_path / "slow.zrd").read_bytes()
    assert (tmp_path / "quick.zrd").read_bytes() == whole


@pytest.mark.parametrize("args", [["show", "--boards", "5-8"], ["dump", "--record", "4-7"], ["dump", "--json"]], ids=str)
def test_pieces_of_large_files_look_alike(tmp_path: Path, args: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Any board or record is shown as it is when the whole file is read."""
    source = tmp_path / "many.zbd"
    source.write_bytes((SAMPLES / "zbd" / "sixteen.zbd").read_bytes())
    whole = run(args[0], source, *args[1:])
    monkeypatch.setattr(array_sources, "LARGE", 1)
    monkeypatch.setattr(conversions, "MANY", 0)
    monkeypatch.setattr(pieces, "STEP", 3)
    assert run(args[0], source, *args[1:]).stdout == whole.stdout != ""


# --- convert, join, split -------------------------------------------------------------------------------------------


def test_there_and_back(tmp_path: Path) -> None:
    """Deals survive any way through formats that hold them, byte for byte."""
    names = ["a.zbd", "b.bri", "c.dge", "d.rzd", "e.cds", "f.zbs", "g.zbd"]
    before = SIXTEEN
    for name in names:
        assert run("convert", before, tmp_path / name, "-q").exit_code == 0
        before = tmp_path / name
    assert (tmp_path / "a.zbd").read_bytes() == (tmp_path / "g.zbd").read_bytes() == (SAMPLES / "zbd/sixteen.zbd").read_bytes()


def test_split_and_join(tmp_path: Path) -> None:
    """A solved deal is split into its deal and its results without a loss, and joined to the same bytes."""
    deals, results = tmp_path / "deals.zbd", tmp_path / "results.zdd"
    split = run("split", SOLVED, deals, results, "--strict")
    assert split.exit_code == 0
    assert "lost" not in split.stderr
    assert run("join", deals, results, tmp_path / "one.zrd").exit_code == 0
    assert (tmp_path / "one.zrd").read_bytes() == SOLVED.read_bytes()


def boards_in(*paths: Path) -> list[tuple[int | None, object, object]]:
    """Number, deal and event of the boards of some files, in order."""
    return [(board.number, board.deal, board.event) for path in paths for board in load(path).boards]


def test_several_sources_are_written_one_after_the_other(tmp_path: Path) -> None:
    """Boards of files of several formats come in order, with what their files state; a folder and a pattern mean their files."""
    (tmp_path / "in").mkdir()
    first, second, third = tmp_path / "in" / "a.pbn", tmp_path / "in" / "b.lin", tmp_path / "in" / "c.pbn"
    run("convert", SAMPLES / "dup" / "melbourne.dup", first, "-q")
    second.write_text("vg|Final,Set 3,I,1,2,A,0,B,0|\nqx|o1|md|3S2HD,|sv|o|\n")
    run("convert", SAMPLES / "zbd" / "sixteen.zbd", third, "-q")
    done = run("convert", first, second, third, "-o", tmp_path / "all.pbn")
    assert done.exit_code == 0, done.stderr
    told = "a.pbn (pbn) + {0}b.lin (lin) + {0}c.pbn (pbn) -> ".format(f"{tmp_path / 'in'}/")
    assert told in done.stderr
    assert "19 boards" in done.stderr
    wanted = [(number, deal, event) for path in (first, second, third) for number, deal, event in boards_in(path)]
    found = boards_in(tmp_path / "all.pbn")
    assert [deal for _, deal, _ in found] == [deal for _, deal, _ in wanted]
    assert found[2][2] == "Final"
    for source in (tmp_path / "in", tmp_path / "in" / "*"):
        assert run("convert", source, tmp_path / "again.pbn", "-q").exit_code == 0
        assert (tmp_path / "again.pbn").read_bytes() == (tmp_path / "all.pbn").read_bytes()
    assert run("convert", tmp_path / "in", tmp_path / "new.pbn", "--renumber", "-q").exit_code == 0
    assert [number for number, *_ in boards_in(tmp_path / "new.pbn")] == [*range(1, 20)]


def test_what_is_wrong_with_one_of_several_sources(tmp_path: Path) -> None:
    """A source without boards is left out with a warning, findings name their file, and --strict writes nothing."""
    empty, damaged, good = tmp_path / "empty.pbn", tmp_path / "damaged.pbn", SAMPLES / "zbd" / "sixteen.zbd"
    empty.write_text("% PBN 2.1\n")
    damaged.write_text(
        '[Board "1"]\n[Dealer "Q"]\n[Deal "N:AKQJT98765432... .AKQJT98765432.. ..AKQJT98765432. ...AKQJT98765432"]\n'
    )
    done = run("convert", empty, damaged, good, "-o", tmp_path / "x.zbd")
    assert done.exit_code == 0, done.stderr
    assert f"warning[empty-source]: {empty}: " in done.stderr
    assert f"{damaged}:2:10" in done.stderr
    assert len(load(tmp_path / "x.zbd").boards) == 17
    assert run("convert", damaged, good, "-o", tmp_path / "y.zbd", "--strict").exit_code == 1
    assert not (tmp_path / "y.zbd").exists()
    assert run("convert", empty, empty, "-o", tmp_path / "y.zbd").exit_code == 2
    assert "where to?" in run("convert", good).stderr
    assert "a bidding system" in run("convert", ROOT / "bridgespec" / "systems" / "sayc.bid", good, "-o", tmp_path / "y.bss").stderr


@pytest.mark.parametrize("target", ["pbn", "lin", "zbd", "csv"])
def test_large_sources_are_written_one_after_the_other(target: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Some boards at a time, and with the bytes of sources read whole."""
    whole, parts = tmp_path / f"whole.{target}", tmp_path / f"parts.{target}"
    source = tmp_path / "x.pbn"
    run("convert", SAMPLES / "zbd" / "sixteen.zbd", source, "-q")
    assert run("convert", source, source, source, "-o", whole, "-q").exit_code == 0
    monkeypatch.setattr("bridgespec.cli.board_sources.STRETCH_BYTES", 900)
    assert run("convert", source, source, source, "-o", parts, "-q").exit_code == 0
    assert parts.read_bytes() == whole.read_bytes()


@pytest.mark.parametrize("dests", [("a.zbd", "b.zdd"), ("a.zbd", "b.bri"), ("a.zrd", "b.dge"), ("a.zbd", "b.pbn")])
@pytest.mark.parametrize("end", [b"", bytes(4), b"12345"])
def test_large_files_are_split_alike(dests: tuple[str, ...], end: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As arrays or as trees, the same bytes come out and the same losses are told; no tree is made where arrays do."""
    source = tmp_path / "many.zrd"
    source.write_bytes(SOLVED.read_bytes() * 10 + end)
    made = [tmp_path / dest for dest in dests]
    slow = run("split", source, *made)
    expected = [one.read_bytes() for one in made if one.exists()]
    monkeypatch.setattr(array_sources, "LARGE", 1)
    monkeypatch.setattr(conversions, "MANY", 0)
    if "b.pbn" not in dests and end != b"12345":
        monkeypatch.delattr("bridgespec.cli.conversions.NamedSource.origin")
    for one in made:
        one.unlink(missing_ok=True)
    quick = run("split", source, *made)
    assert [one.read_bytes() for one in made if one.exists()] == expected
    assert (quick.exit_code, quick.stderr) == (slow.exit_code, slow.stderr)


def test_sources_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    """Different numbers of boards cannot be joined; nothing is written."""
    result = run("join", SIXTEEN, SAMPLES / "zdd/record0.zdd", tmp_path / "x.zrd")
    assert (result.exit_code, numbers(result.stderr)) == (2, [16, 1])
    assert not list(tmp_path.iterdir())


def test_losses_are_told_once_a_kind(tmp_path: Path) -> None:
    """What the target cannot hold is one line with a count; --strict writes nothing and gives status 1."""
    target = tmp_path / "x.zbd"
    result = run("convert", SOLVED, target)
    assert result.exit_code == 0
    assert result.stderr.count("warning[lost]") == 1
    strict = run("convert", SOLVED, tmp_path / "y.zbd", "--strict")
    assert strict.exit_code == 1
    assert "nothing was written" in strict.stderr
    assert not (tmp_path / "y.zbd").exists()


def test_one_hand_needs_its_declarer(tmp_path: Path) -> None:
    """A format for the results of one hand asks whose; with --declarer it is written."""
    target = tmp_path / "x.zrj"
    asked = run("convert", SOLVED, target)
    assert (asked.exit_code, target.exists()) == (2, False)
    assert "--declarer" in asked.stderr
    assert run("convert", SOLVED, target, "--declarer", "south").exit_code == 0
    assert "ok (zrj" in run("validate", target).stdout


def test_a_source_with_errors_is_converted_as_far_as_it_can_be_read(tmp_path: Path) -> None:
    """What cannot be read is told as a warning and stops nothing; with --strict it stays an error, status 1, nothing written."""
    target = tmp_path / "x.bri"
    refused = run("convert", HALVES, target, "--strict")
    assert (refused.exit_code, target.exists()) == (1, False)
    assert "error[deal-mismatch]" in refused.stderr
    taken = run("convert", HALVES, target)
    assert (taken.exit_code, target.exists()) == (0, True)
    assert "warning[deal-mismatch]" in taken.stderr
    assert "error[" not in taken.stderr
    assert run("convert", HALVES, target, "-q").exit_code == 0


def test_rules_of_the_game_stop_no_conversion(tmp_path: Path) -> None:
    """A claim that cannot be keeps no board from being converted: it is found by ``validate`` alone."""
    source = tmp_path / "claim.pbn"
    text = '[Board "1"]\n[Deal "N:T2.J965.T7532.63 AKQ874.AQ2.J8.A5 J65.743.AK4.KQ82 93.KT8.Q96.JT974"]\n[Contract "4S"]\n'
    source.write_text(text + '[Auction "N"]\n1NT Pass Pass Pass\n')
    assert "contract-auction" in run("validate", source).stdout
    result = run("convert", source, tmp_path / "x.zbd")
    assert result.exit_code == 0
    assert "contract-auction" not in result.stderr


@pytest.mark.parametrize(("name", "content"), [("x.zbd", b""), ("x.pbn", b""), ("x.pbn", b"% PBN 2.1\n% EXPORT\n")])
def test_a_source_without_a_board_is_refused(tmp_path: Path, name: str, content: bytes) -> None:
    """Nothing is converted into nothing: status 2 with the reason, and the target that was there stays."""
    source, target = tmp_path / name, tmp_path / "y.lin"
    source.write_bytes(content)
    target.write_bytes(b"old")
    result = run("convert", source, target)
    assert (result.exit_code, target.read_bytes()) == (2, b"old")
    assert result.stderr.startswith(f"error: {source}: ")
    checked = run("validate", source)
    assert checked.exit_code == 0
    assert "no boards" in checked.stdout


def test_an_empty_source_among_several_is_a_warning(tmp_path: Path) -> None:
    """The others are joined without it."""
    empty, target = tmp_path / "x.zdd", tmp_path / "y.zbd"
    empty.write_bytes(b"")
    result = run("convert", SIXTEEN, empty, target)
    assert (result.exit_code, target.stat().st_size) == (0, 16 * 13)
    assert "warning" in result.stderr
    assert run("convert", SIXTEEN, empty, target, "--strict").exit_code == 1


def test_a_failure_leaves_the_old_target(tmp_path: Path) -> None:
    """When the target cannot hold the data the file that was there is untouched, and nothing lies beside it."""
    target = tmp_path / "x.bri"
    target.write_bytes(b"old")
    assert run("convert", SAMPLES / "zbs/layouts.zbs", target).exit_code == 2
    assert target.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [target]


def test_pipes(tmp_path: Path) -> None:
    """Standard input becomes standard output, and nothing but the file is in it."""
    result = run("convert", "-", "-", "--from", "dup", "--to", "zbd", data=SIXTEEN.read_bytes())
    assert result.stdout_bytes == (SAMPLES / "zbd" / "sixteen.zbd").read_bytes()
    assert "16 boards" in result.stderr


def test_exporters_are_targets(tmp_path: Path) -> None:
    """A page, a drawing or a text is written like a format, and what an exporter reads is a source."""
    for name in ("x.html", "x.svg", "x.txt", "x.json"):
        assert run("convert", SIXTEEN, tmp_path / name).exit_code == 0
        assert (tmp_path / name).stat().st_size > 1000
    assert run("convert", tmp_path / "x.json", tmp_path / "back.zbd").exit_code == 0
    assert (tmp_path / "back.zbd").read_bytes() == (SAMPLES / "zbd" / "sixteen.zbd").read_bytes()


def test_a_file_without_boards_becomes_no_other_format(tmp_path: Path) -> None:
    """A format that describes no boards is written in itself, byte for byte; any other format is refused, and no file is made."""
    schema = (
        "meta: {id: plain, file-extension: plain}\nseq: [{id: magic, contents: PL}, {id: size, type: u1}, {id: rest, size: size}]\n"
    )
    (tmp_path / "plain.ksy").write_text(schema)
    (tmp_path / "x.plain").write_bytes(b"PL\3abc")
    for name in ("x.pbn", "x.parquet"):
        done = run("--specs", tmp_path, "convert", tmp_path / "x.plain", tmp_path / name)
        assert done.exit_code == 2
        assert done.stderr.startswith(f"error: {tmp_path / 'x.plain'}: plain ")
        assert not (tmp_path / name).exists()
    assert run("--specs", tmp_path, "convert", tmp_path / "x.plain", tmp_path / "y.plain").exit_code == 0
    assert (tmp_path / "y.plain").read_bytes() == b"PL\3abc"
