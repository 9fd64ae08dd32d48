"""Commands on terminals of any width, schemas whose samples are other than they say, and other edges of reports."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from click.testing import Result
from numpy.typing import NDArray

from bridgespec.cli import app, bid_report, cluster_options
from bridgespec.cli.app import App
from bridgespec.cli.board_targets import require_arrow
from bridgespec.cli.exit_status import UNHEARD
from bridgespec.cli.settings import Settings
from bridgespec.cli.solve_files import after
from bridgespec.cli.solve_tables import SolverSettings
from bridgespec.cluster.chunk_store import ChunkStore
from bridgespec.errors import UsageError
from bridgespec.model.deal import Deal
from bridgespec.model.generator import chunks
from bridgespec.solver import Solver, SolverMissing, pack_deals, pack_tables, solve_tables
from tests.cli.running import ROOT, SAMPLES, SIXTEEN, run
from tests.told import numbers

NARROW, WIDE = "20", "500"
SECONDS = re.compile(r"\b\d+(\.\d+)? (?=m?s\b)")


Numbers = NDArray[np.uint8]


@pytest.fixture(scope="module")
def solved() -> tuple[Numbers, Numbers]:
    """A few deals and their tables."""
    deals = next(chunks(0, 2))
    return deals, solve_tables(deals)


def written(path: Path, deals: Numbers, tables: Numbers) -> Path:
    """A file of deals with these tables."""
    path.write_bytes(np.concatenate([pack_deals(deals), pack_tables(tables)], axis=1).tobytes())
    return path


def both(*call: str | Path) -> tuple[Result, Result]:
    """A command on a narrow terminal and on a wide one."""
    found = []
    with pytest.MonkeyPatch.context() as patch:
        for width in (NARROW, WIDE):
            patch.setenv("COLUMNS", width)
            found.append(run(*call))
    narrow, wide = found
    return narrow, wide


@pytest.mark.slice(None, quick=1)
@pytest.mark.parametrize(
    "call",
    [
        ("solve", "CLIPPED.zrd", "--check"),
        ("validate", SAMPLES / "zrd" / "record0.zrd", SIXTEEN),
        ("suit", "AQ5", "432", "--tricks", "2"),
        ("generate", "rpdd", "--deals", "0-3", "-o", "X.zbd"),
        ("convert", SIXTEEN, "X.pbn"),
        ("show", SIXTEEN, "--boards", "99"),
    ],
    ids=lambda call: f"{call[0]} {Path(call[1]).name}",
)
def test_messages_are_not_broken_at_the_edge(call: tuple[str | Path, ...], tmp_path: Path, solved: tuple[Numbers, Numbers]) -> None:
    """A line of a report is one line, for searching and for pipes, however narrow the terminal is."""
    deals, tables = solved
    written(tmp_path / "CLIPPED.zrd", deals, np.where(tables < 7, np.uint8(1), tables))
    arguments = [tmp_path / one if str(one).startswith(("CLIPPED", "X.")) else one for one in call]
    # What it took differs between two runs.
    narrow, wide = (SECONDS.sub("N ", done.stdout + done.stderr) for done in both(*arguments))
    assert narrow == wide
    assert max(map(len, narrow.splitlines())) > int(NARROW)


def test_lines_of_an_example_are_whole() -> None:
    """The lines of the schema that an explanation shows are as they are in the schema."""
    kept = ("  > ", "  example (", "-bridge-axes  ")
    narrow, wide = (
        [line for line in done.stdout.splitlines() if line.startswith(kept)] for done in both("explain", "-bridge-axes")
    )
    assert narrow == wide
    assert all(any(line.startswith(start) for line in narrow) for start in kept)


def test_many_wrong_tables_are_counted(tmp_path: Path) -> None:
    """Fifty boards are listed, and the number of the others is given."""
    deal = Deal.parse("N:AKQJT98765432... .AKQJT98765432.. ..AKQJT98765432. ...AKQJT98765432")
    deals = np.array([list(deal.holders)] * 60, np.uint8)
    tables = np.repeat(solve_tables(deals[:1]), 60, axis=0)
    tables[:, 3] = 5
    tables[:, 9] = 8
    found = run("solve", written(tmp_path / "wrong.zrd", deals, tables), "--check")
    assert found.exit_code == 1
    lines = found.stdout.splitlines()
    assert [numbers(line.partition("NT by south: ")[2])[:2] for line in lines[:50]] == [[5, 0]] * 50
    assert lines[50].endswith("wrong.zrd: 10 more boards")
    assert numbers(lines[-1]) == [60, 1200, 120, 60]


def test_deals_of_an_earlier_run_are_not_solved_again() -> None:
    """Those behind them are, in whatever pieces they come, and none where all are there."""
    deals = next(chunks(0, 5))
    counted: list[int] = []
    found = list(
        SolverSettings(1, 16, counted.append, cells=1 << 3).solve(after(2, [deals[:1], deals[1:3], deals[3:4], deals[4:]]))
    )
    assert np.array_equal(np.concatenate(found), solve_tables(deals[2:], cells=1 << 3))
    assert sum(counted) == 3
    assert sum(map(len, after(5, [deals[:3], deals[3:]]))) == 0


def test_a_sample_that_is_not_what_it_says_is_found(tmp_path: Path) -> None:
    """A finding that a sample does not name, and one that it names and does not give."""
    text = (ROOT / "specs" / "zdd.ksy").read_text("utf-8")
    good, silent, wrong = (tmp_path / name / "zdd.ksy" for name in ("good", "silent", "wrong"))
    for path in (good, silent, wrong):
        path.parent.mkdir()
    good.write_text(text, "utf-8")
    silent.write_text(text.replace("    codes: [bad-tricks]\n", "", 1), "utf-8")
    wrong.write_text(text.replace("codes: [bad-tricks]", "codes: [bad-tricks, bad-card]", 1), "utf-8")
    assert text not in (silent.read_text("utf-8"), wrong.read_text("utf-8"))
    assert "zdd.ksy: ok (" in run("check-spec", good).stdout
    found = run("check-spec", silent)
    assert found.exit_code == 1
    assert "error[schema-sample]" in found.stdout
    assert "bad-tricks is found" in found.stdout
    found = run("check-spec", wrong)
    assert found.exit_code == 1
    assert "error[schema-sample]" in found.stdout
    assert "should give bad-card" in found.stdout


def test_a_schema_that_says_nothing_cannot_be_broken(tmp_path: Path) -> None:
    """Where no byte is verified there is nothing to break: an error with the reason, and no folder."""
    (tmp_path / "plain.ksy").write_text("meta: {id: plain}\nseq: [{id: a, size-eos: true}]\n", "utf-8")
    done = run("--specs", tmp_path, "sample", "plain", "--broken", "-o", tmp_path / "bad")
    assert done.exit_code == 2
    assert "-bridge-value" in done.stderr
    assert not (tmp_path / "bad").exists()


def test_a_contract_may_be_passed_out() -> None:
    """One word is a contract without a declarer."""
    done = run("solve", "--deal", "1", "--contract", "pass")
    assert done.exit_code == 0
    assert [line for line in done.stdout.splitlines() if line][-1].startswith("Passed out: ")


def test_a_lead_is_told_with_what_it_costs() -> None:
    """Beside the tricks after it; a lead that costs nothing is as good as any."""
    deal = "N:AKQ2.54.A432.K32 765.AKQ.K65.Q654 JT98.76.QJT.AJT9 43.JT9832.987.87"
    told = {}
    for card in ("S4", "HJ", "D9", "C8"):
        done = run("solve", "--deal", deal, "--contract", "4S by S", "--lead", card)
        assert done.exit_code == 0
        (told[card],) = (line for line in done.stdout.splitlines() if line.startswith("Lead "))
    tricks = {card: int(line.split(": ")[1].split()[0]) for card, line in told.items()}
    best = min(tricks.values())
    assert max(tricks.values()) > best
    for card, line in told.items():
        assert line.endswith(", as good as any" if tricks[card] == best else f", costs {tricks[card] - best}")


def test_an_option_of_old_has_no_effect(tmp_path: Path) -> None:
    """Commands that name it go on working."""
    assert run("convert", SIXTEEN, tmp_path / "x.pbn", "-q").exit_code == 0


def test_an_output_that_is_not_read_ends_like_other_programs() -> None:
    """With the status that a shell gives a program which a closed pipe has ended."""
    assert UNHEARD == 141


def test_what_is_left_out_of_a_deal_is_with_the_defenders() -> None:
    """Cards that no hand of a deal has are hidden, not played."""
    done = run("suit", "--deal", "N:AQ... 54... 32... K...", "--seat", "N", "--tricks", "2")
    assert done.stdout.startswith("Spades: North 32, South AQ; hidden KJT987654\n")


def test_one_combination_is_drawn(tmp_path: Path) -> None:
    """A deal of several suits has several, which one picture cannot show."""
    done = run("suit", "--deal", "N:AQ.AK.. - 32.32.. -", "--seat", "N", "--tricks", "2", "--picture", tmp_path / "x.svg")
    assert done.exit_code == 2
    assert ("--picture" in done.stderr, numbers(done.stderr)) == (True, [2])
    assert not (tmp_path / "x.svg").exists()


def test_an_auction_is_shown_where_there_is_no_solver(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the reason for which there is no result and no par."""

    def missing(*_: object) -> Solver:
        raise SolverMissing("no solver here")

    monkeypatch.setattr(bid_report, "Solver", missing)
    done = run("bid", SIXTEEN, "--boards", "1")
    assert done.exit_code == 0
    assert "no solver here" in done.stdout


def test_an_absent_library_is_named_before_a_file_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a source and of a target that are tables."""
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    for sources, target in ((("nowhere.parquet",), None), (("nowhere.pbn",), "arrow"), (("a.pbn", "b.feather"), None)):
        with pytest.raises(UsageError, match="pyarrow, which is not installed"):
            require_arrow(*sources, target=target)
    require_arrow("nowhere.pbn", target="pbn")


def test_the_deals_of_a_stopped_cluster_are_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """How many were done is printed with where their chunks are; they are counted from nothing."""

    @contextmanager
    def connected(
        address: str, store: ChunkStore, workers: int | None, count: Callable[[int], None], tls: object
    ) -> Iterator[object]:
        count(3)
        count(4)
        yield SimpleNamespace(kept=0)

    monkeypatch.setattr(cluster_options, "cluster", connected)
    told: list[int] = []
    wanted = cluster_options.ClusterSettings("local", str(tmp_path), 1, 4)
    with (
        pytest.raises(KeyError),
        cluster_options.spread_over(Settings(), wanted, "x.zrd", 20, told.append),
    ):
        raise KeyError
    assert told == [3, 4]
    assert "7 of 20" in capsys.readouterr().err


def test_tables_are_put_beside_many_deals(tmp_path: Path) -> None:
    """However the file of the tables is read: each deal has its own, in order."""
    count = 40_000
    cells = np.arange(count * 10, dtype=np.uint32).astype(np.uint8) % 13
    (tmp_path / "cells.zdd").write_bytes(cells.tobytes())
    call = ("generate", "rpdd", "--deals", f"0-{count}", "--results", tmp_path / "cells.zdd", "-o", tmp_path / "x.zrd", "-q")
    assert run(*call).exit_code == 0
    rows = np.fromfile(tmp_path / "x.zrd", np.uint8).reshape(count, 23)
    assert (rows[:, 13:].ravel() == cells).all()
    assert (rows[[0, 32_769], :13] == pack_deals(np.concatenate([next(chunks(0, 1)), next(chunks(32_769, 32_770))]))).all()


def test_what_was_printed_before_an_error_is_not_lost(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    """A fault of the program ends with a message and status 2; what had been printed by then is there."""

    def failing(*_: object, **__: object) -> None:
        print("before")
        raise RuntimeError("a fault")

    monkeypatch.setattr(App, "invoke", failing)
    with pytest.raises(SystemExit, match="2"):
        app(["show"])
    sys.stdout.flush()
    found = capfd.readouterr()
    assert "before" in found.out
    assert "RuntimeError: a fault" in found.err
