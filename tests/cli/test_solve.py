"""The commands ``solve`` and ``generate``: files filled, kept, checked and resumed; deals and plays analysed."""

from __future__ import annotations

import hashlib
import re
import subprocess
import sys

import numpy as np
import pytest
from click.testing import CliRunner

from bridgespec.cli import app
from bridgespec.cli import solve_files as files_module
from bridgespec.cli.board_journal import BoardJournal
from bridgespec.cli.solve_files import Journal
from bridgespec.cli.solve_tables import SolverSettings
from bridgespec.model.deal import Deal
from bridgespec.solver import pack_deals, pack_tables, solve_tables, unpack_tables
from tests.solver.list100 import cases
from tests.told import numbers

DEAL = "N:QJ6.K652.J85.T98 873.J97.AT764.Q4 K5.T83.KQ9.A7652 AT942.AQ4.32.KJ3"
COUNT = 6


def run(*words, status=0, stdin=None):
    result = CliRunner().invoke(app, [str(word) for word in words], input=stdin)
    assert result.exit_code == status, (result.stdout, result.stderr, result.exception)
    return result


def solved_and_kept(result):
    """Return how many tables a command reports as solved and as kept."""
    ((solved, kept),) = re.findall(r"(\d+) tables? solved, (\d+) kept", result.stderr)
    return int(solved), int(kept)


@pytest.fixture(scope="module")
def packed():
    """A few published deals and their tables, 13 and 10 bytes each."""
    part = cases()[:COUNT]
    deals = np.frombuffer(b"".join(case.deal.holders for case in part), np.uint8).reshape(-1, 52)
    tables = np.frombuffer(b"".join(case.table.cells for case in part), np.uint8).reshape(-1, 20)
    return pack_deals(deals), pack_tables(tables)


@pytest.fixture
def folder(tmp_path, packed):
    """``deals.zbd``, ``both.zrd`` with all tables, ``part.zrd`` with some missing in every way there is."""
    deals, tables = packed
    both = np.concatenate([deals, tables], axis=1)
    (tmp_path / "deals.zbd").write_bytes(deals.tobytes())
    (tmp_path / "both.zrd").write_bytes(both.tobytes())
    part = both.copy()
    part[1, 13:] = 0xFF
    part[2, 13:] = 0
    part[4, 14] |= 0xF0
    (tmp_path / "part.zrd").write_bytes(part.tobytes())
    return tmp_path


def test_every_deal_gets_its_table(folder):
    """Solving a file of deals writes deals and tables, reports their number and leaves no temporary file."""
    result = run("solve", folder / "deals.zbd", "-o", folder / "new.zrd", "--memory", 16)
    assert (folder / "new.zrd").read_bytes() == (folder / "both.zrd").read_bytes()
    assert solved_and_kept(result) == (COUNT, 0)
    assert not list(folder.glob(".*"))


def test_tables_alone_can_be_written(folder, packed):
    """A target of tables alone gets exactly the solved tables."""
    run("solve", folder / "deals.zbd", "-o", folder / "new.zdd", "-j", 2)
    assert (folder / "new.zdd").read_bytes() == packed[1].tobytes()


def test_what_is_known_is_kept_and_what_is_missing_filled(folder, packed):
    """Unknown cells, an all-unknown table and one of zeros are filled; a wrong cell is not touched."""
    data = bytearray((folder / "part.zrd").read_bytes())
    data[13] ^= 1
    (folder / "part.zrd").write_bytes(data)
    result = run("solve", folder / "part.zrd", "-o", folder / "part.zrd")
    whole = bytearray((folder / "both.zrd").read_bytes())
    whole[13] ^= 1
    assert (folder / "part.zrd").read_bytes() == whole
    assert solved_and_kept(result) == (3, COUNT - 3)


def test_a_format_of_one_hand_costs_five_cells(folder, monkeypatch):
    """Only the declarer's cells are solved; what is known of them is kept, and a board without a declarer is refused first."""
    masks = []
    honest = SolverSettings.solve

    def noted(self, chunks):
        masks.append(self.cells)
        return honest(self, chunks)

    monkeypatch.setattr(files_module.SolverSettings, "solve", noted)
    run("convert", folder / "both.zrd", folder / "whole.zrj", "--declarer", "south", "-q")
    run("convert", folder / "part.zrd", folder / "part.zrj", "--declarer", "south", "-q")
    result = run("solve", folder / "part.zrj", "-o", folder / "new.zrj")
    assert (folder / "new.zrj").read_bytes() == (folder / "whole.zrj").read_bytes()
    assert masks == [0b10001000100010001000]
    assert "tables solved" in result.stderr
    run("solve", folder / "whole.zrj", "-o", folder / "again.zrj")
    assert masks[1:] == [0]
    assert "--declarer" in run("solve", folder / "deals.zbd", "-o", folder / "x.zrj", status=2).stderr
    assert not (folder / "x.zrj").exists()


def test_a_deal_without_its_first_seat_is_asked_for_it():
    """The seat before the hands is named as what is missing, not a hand as a wrong seat."""
    result = run("solve", "--deal", DEAL.removeprefix("N:"), status=2)
    assert "--deal" in result.stderr
    assert "QJ6.K652.J85.T98" not in result.stderr


def test_a_check_without_tables_does_not_praise_them(folder):
    """Where nothing is stored nothing was compared."""
    run("convert", folder / "deals.zbd", folder / "deals.pbn", "-q")
    shown = run("solve", folder / "deals.pbn", "--check").stdout
    assert "nothing to compare" in shown
    assert "all right" not in shown


def test_only_the_chosen_boards_are_solved(folder):
    """With ``--boards``, only that board's table is filled in."""
    result = run("solve", folder / "part.zrd", "--boards", "2", "-o", folder / "new.zrd")
    new, both, part = (
        np.frombuffer((folder / f"{name}.zrd").read_bytes(), np.uint8).reshape(-1, 23) for name in ("new", "both", "part")
    )
    assert np.array_equal(new[1], both[1])
    assert np.array_equal(new[4], part[4])
    assert "1 table solved" in result.stderr


@pytest.mark.long
def test_arrays_and_documents_give_the_same_file(folder, monkeypatch):
    """What large files go through, on a small one."""
    monkeypatch.setattr("bridgespec.cli.array_sources.LARGE", 1)
    result = run("solve", folder / "part.zrd", "-o", folder / "new.zrd")
    assert (folder / "new.zrd").read_bytes() == (folder / "both.zrd").read_bytes()
    assert solved_and_kept(result) == (3, COUNT - 3)
    run("solve", folder / "deals.zbd", "-o", folder / "new2.zrd")
    assert (folder / "new2.zrd").read_bytes() == (folder / "both.zrd").read_bytes()
    run("solve", folder / "both.zrd", "--check")


def test_an_interrupted_run_is_resumed(folder, monkeypatch):
    """What was solved before the interruption is not solved again, and nothing is left behind in the end."""
    solved = []
    honest = SolverSettings.solve

    def interrupted(self, chunks):
        for part in honest(self, chunks):
            yield part
            if len(part):
                raise KeyboardInterrupt

    def counted(self, chunks):
        for part in honest(self, chunks):
            solved.append(len(part))
            yield part

    monkeypatch.setattr(files_module.SolverSettings, "solve", interrupted)
    result = run("solve", folder / "deals.zbd", "-o", folder / "new.zrd", "-j", 1, status=130)
    (journal,) = folder.glob(".*")
    assert f"4 of 6 deals solved, kept in {journal}; the same command goes on from there" in result.stderr
    assert not (folder / "new.zrd").exists()
    monkeypatch.setattr(files_module.SolverSettings, "solve", counted)
    result = run("solve", folder / "deals.zbd", "-o", folder / "new.zrd")
    assert "after 4 of" in result.stderr
    assert sum(solved) == COUNT - 4
    assert (folder / "new.zrd").read_bytes() == (folder / "both.zrd").read_bytes()
    assert not journal.exists()


def test_a_run_that_is_interrupted_before_anything_is_solved_leaves_nothing(folder, monkeypatch):
    """An interrupt before the first table reports zero and leaves no journal."""

    def interrupted(self, chunks):
        raise KeyboardInterrupt

    monkeypatch.setattr(files_module.SolverSettings, "solve", interrupted)
    result = run("solve", folder / "deals.zbd", "-o", folder / "new.zrd", status=130)
    assert "0 of 6" in result.stderr
    assert list(folder.glob(".*")) == []


def test_a_journal_of_another_task_or_a_damaged_one_is_not_trusted(tmp_path):
    """A journal with another key gives nothing; a damaged one gives its undamaged tables."""
    path = tmp_path / "j"
    tables = np.arange(60, dtype=np.uint8).reshape(3, 20) % 14
    with Journal(path, b"task") as journal:
        journal.append(tables)
    data = path.read_bytes()
    assert Journal(path, b"other").kept == 0
    for damaged, good in ((data, 3), (data[:-5], 2), (data[:-30] + b"\xff" + data[-29:], 1), (b"nonsense", 0)):
        path.write_bytes(damaged)
        with Journal(path, b"task") as journal:
            assert np.array_equal(journal.read(0, journal.kept), tables[:good])
            journal.append(tables[good:])
        assert path.read_bytes() == data


@pytest.mark.long
def test_check_says_which_cells_are_wrong(folder):
    """``--check`` names each wrong cell with both values, counts them and exits with status 1."""
    assert "all right" in run("solve", folder / "both.zrd", "--check").stdout
    data = bytearray((folder / "both.zrd").read_bytes())
    data[23 + 13] ^= 0x02
    (folder / "wrong.zrd").write_bytes(data)
    had, is_ = data[23 + 13] & 15, data[23 + 13] & 15 ^ 2
    result = run("solve", folder / "wrong.zrd", "--check", status=1)
    first, last = result.stdout.splitlines()
    place, _, cells = first.partition("NT by west: ")
    assert (place.endswith("board 2: "), numbers(cells)) == (True, [had, is_])
    assert numbers(last) == [COUNT, COUNT * 20, 1, 1]


@pytest.mark.long
@pytest.mark.parametrize(("floor", "top"), [(1, 6), (6, 6), (4, 3)])
def test_check_recognises_clipped_tables(folder, packed, floor, top):
    """``--check`` names the rule by which a file clipped its results."""
    deals, tables = packed
    cells = unpack_tables(tables)
    clipped = np.where(cells <= top, np.uint8(floor), cells)
    both = np.concatenate([deals, pack_tables(clipped)], axis=1)
    (folder / "clip.zrd").write_bytes(both.tobytes())
    result = run("solve", folder / "clip.zrd", "--check")
    below = f"results 0 to {top} are written as {floor}" if floor > top else f"every result below {top + 1} is written as {floor}"
    assert below in result.stdout
    assert f"{np.count_nonzero(clipped != cells)} cells" in result.stdout


def test_a_format_without_room_for_tables_is_refused(folder):
    """A target that has no tables is refused, and no file is made."""
    result = run("solve", folder / "deals.zbd", "-o", folder / "new.zbd", status=2)
    assert result.stderr.startswith("error: zbd ")
    assert not (folder / "new.zbd").exists()


def test_a_text_file_gets_tables_and_par(tmp_path):
    """Only the board that lacks a table is changed: it gains a table and a par score, and what it said stays."""
    (tmp_path / "x.pbn").write_text(f'[Board "1"]\n[Dealer "N"]\n[Vulnerable "None"]\n[Deal "{DEAL}"]\n[Site "here"]\n')
    run("solve", tmp_path / "x.pbn", "-o", tmp_path / "y.pbn")
    text = (tmp_path / "y.pbn").read_text()
    assert '[OptimumScore "EW 110"]' in text
    assert '[Site "here"]' in text
    assert "W  S  8" in text
    assert "all right" in run("solve", tmp_path / "y.pbn", "--check").stdout
    result = run("solve", tmp_path / "y.pbn", "-o", tmp_path / "z.pbn")
    assert solved_and_kept(result) == (0, 1)
    assert (tmp_path / "z.pbn").read_text() == text


def test_standard_input_and_output(folder):
    """``-`` reads deals from standard input and writes the records to standard output."""
    result = CliRunner().invoke(
        app, ["solve", "-", "--from", "zbd", "-o", "-", "--to", "zrd", "-q"], input=(folder / "deals.zbd").read_bytes()
    )
    assert result.exit_code == 0
    assert result.stdout_bytes == (folder / "both.zrd").read_bytes()


def test_a_whole_line_of_best_play_is_printed():
    """``--line`` prints thirteen tricks with all 52 cards."""
    output = run("solve", "--deal", DEAL, "--contract", "2S W", "--line").stdout
    tricks = output.partition("Best play by all\n")[2].split("\n\n")[0].splitlines()
    assert len(tricks) == 13
    assert len({card for trick in tricks for card in trick.split()}) == 52


def test_recorded_plays_are_analysed_and_boards_without_one_say_so(tmp_path):
    """``--play`` of a file counts what each seat gave away, and reports boards without a play."""
    first = f'[Board "1"]\n[Dealer "S"]\n[Vulnerable "None"]\n[Deal "{DEAL}"]\n'
    play = '[Declarer "W"]\n[Contract "2S"]\n[Result "8"]\n[Play "N"]\nHK H7 H3 H4\n'
    (tmp_path / "x.pbn").write_text(first + play + "\n" + first.replace('"1"', '"2"'))
    played, missing = run("solve", tmp_path / "x.pbn", "--play").stdout.split("Board 2 ")
    (given,) = (line for line in played.splitlines() if line.startswith("Given away: "))
    assert re.findall(r"(\w+) (\d+)[,;]", given) == [("West", "1"), ("North", "1")]
    assert ("Given away" in missing, "Not analysed: " in missing) == (False, True)
    run("solve", tmp_path / "x.pbn", "--play", "--boards", "2", status=2)


def test_an_auction_names_contract_and_declarer():
    """``--auction`` gives contract and declarer, and refuses calls that are not allowed or have no dealer."""
    output = run("solve", "--deal", DEAL, "--dealer", "N", "--auction", "P P P 1S P 2S P P P").stdout
    (result,) = (line.split() for line in output.splitlines() if line.startswith("2♠ by West: "))
    assert result[3:5] == ["8", "tricks"]
    result = run("solve", "--deal", DEAL, "--dealer", "N", "--auction", "1S 1H", status=2)
    assert "call 2 (1H)" in result.stderr
    assert "needs --dealer" in run("solve", "--deal", DEAL, "--auction", "1S", status=2).stderr
    assert "Passed out" in run("solve", "--deal", DEAL, "--contract", "pass", "--lead").stdout


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--deal", "N:AK"], "a deal has four hands"),
        (["--deal", DEAL.replace("QJ6", "QX6")], "not a rank: 'X'"),
        (["--deal", DEAL, "--contract", "8S by west"], "not a contract"),
        (["--deal", DEAL, "--contract", "2S"], "who plays it?"),
        (["--deal", DEAL, "--contract", "2S W", "--play", "SX"], "'SX' is not a card"),
        (["--deal", DEAL, "--contract", "2S W", "--play", "SA"], "card 1 of the play: North does not hold SA"),
        (["--deal", DEAL, "--lead"], "say what is played"),
        (["--deal", DEAL, "--check"], "need a file"),
        (["--deal", DEAL, "--dealer", "Z"], "'Z' is not a seat"),
        (["x.zbd", "--deal", DEAL], "name a file"),
        (["x.zbd", "--check", "-o", "y"], "--check writes nothing"),
        ([], "name a file"),
    ],
)
def test_a_wrong_call_is_told_what_is_wrong(words, message):
    """Each mistake in the options ends with status 2 and one message about it."""
    result = run("solve", *words, status=2)
    assert message in result.stderr
    assert "internal error" not in result.stderr


@pytest.mark.long
def test_the_published_sequence_is_generated(tmp_path):
    """The first 16,384 deals have the published digest, and a later range continues the same sequence."""
    run("generate", "rpdd", "--deals", "0-16384", "-o", tmp_path / "g.zbd")
    digest = hashlib.sha256((tmp_path / "g.zbd").read_bytes()).hexdigest()
    assert digest == "d50f1aa915a3640ca82e2b5f1b54cbc2227f2474888c82ac3e90dbe1a0c2f748"
    result = run("generate", "rpdd", "--deals", "16380-16390", "-o", tmp_path / "h.zbd")
    assert (tmp_path / "h.zbd").read_bytes()[: 4 * 13] == (tmp_path / "g.zbd").read_bytes()[-4 * 13 :]
    assert numbers(result.stderr.partition(": ")[2]) == [10, 16380, 16389, 130]


def test_published_results_are_joined_to_generated_deals(tmp_path):
    """The first record of the database, and a join that crosses a group."""
    (tmp_path / "one.zdd").write_bytes(bytes.fromhex("494949492b2a39396767"))
    run("generate", "rpdd", "--deals", "0", "--results", tmp_path / "one.zdd", "-o", tmp_path / "one.zrd")
    record = "72527a0ae17ae4f952e041fc7c494949492b2a39396767"
    assert (tmp_path / "one.zrd").read_bytes().hex() == record
    tables = np.random.default_rng(1).integers(0, 14, (50, 20), np.uint8)
    (tmp_path / "some.zdd").write_bytes(pack_tables(tables).tobytes())
    run("generate", "rpdd", "--deals", "16360-16410", "--results", tmp_path / "some.zdd", "-o", tmp_path / "some.zrd")
    both = np.frombuffer((tmp_path / "some.zrd").read_bytes(), np.uint8).reshape(-1, 23)
    assert np.array_equal(unpack_tables(both[:, 13:]), tables)
    run("generate", "rpdd", "--deals", "16360-16410", "-o", tmp_path / "some.zbd", "-q")
    assert both[:, :13].tobytes() == (tmp_path / "some.zbd").read_bytes()


def test_formats_whose_records_are_more_than_arrays_hold_generated_deals_too(tmp_path):
    """Deals generated into DUP equal those generated into ZBD."""
    run("generate", "rpdd", "--deals", "0-5", "-o", tmp_path / "x.dup")
    run("convert", tmp_path / "x.dup", tmp_path / "x.zbd", "-q")
    run("generate", "rpdd", "--deals", "0-5", "-o", tmp_path / "y.zbd")
    assert (tmp_path / "x.zbd").read_bytes() == (tmp_path / "y.zbd").read_bytes()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--deals", "5-5", "-o", "x.zbd"], "holds no deal"),
        (["--deals", "x", "-o", "x.zbd"], "not a range of deals"),
        (["--deals", "0-5", "-o", "x.zdd"], "cannot hold deals"),
        (["--deals", "0-5", "-o", "x"], "no format has this extension"),
    ],
)
def test_generate_refuses_what_it_cannot_do(tmp_path, monkeypatch, words, message):
    """Each impossible request ends with status 2 and leaves no file."""
    monkeypatch.chdir(tmp_path)
    result = run("generate", "rpdd", *words, status=2)
    assert message in result.stderr
    assert list(tmp_path.iterdir()) == []


STOPPED = """
import resource, sys
import numpy as np
from pathlib import Path
from bridgespec.cli import board_journal, solve_files
path = Path(sys.argv[2])
if sys.argv[1] == "solve":
    journal = solve_files.Journal(path, b"task")
    assert journal.kept == 3
else:
    journal = board_journal.BoardJournal(path, "task", int, int)
    assert journal.kept == [1]
resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
journal.__enter__().append(np.zeros((1, 20), np.uint8)) if sys.argv[1] == "solve" else list(journal.keeping(iter(())))
"""


@pytest.mark.long
@pytest.mark.skipif(sys.platform == "win32", reason="files of no size are a limit of POSIX")
@pytest.mark.parametrize("command", ["solve", "match"])
def test_a_journal_that_is_gone_on_with_is_never_empty(command, tmp_path):
    """A run that cannot write a byte of what was done before leaves the journal as it was."""
    path = tmp_path / "journal"
    if command == "solve":
        with Journal(path, b"task") as journal:
            journal.append(np.full((3, 20), 7, np.uint8))
    else:
        assert list(BoardJournal(path, "task", int, int).keeping(iter([1]))) == [1]
    before = path.read_bytes()
    done = subprocess.run([sys.executable, "-c", STOPPED, command, path], capture_output=True, text=True)
    assert "OSError" in done.stderr
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.long
def test_check_of_a_large_file_reports_as_that_of_a_small_one(tmp_path):
    """Boards are named by their numbers, and the record that is cut off is a place that could not be read."""
    deal = Deal.parse("N:AKQJT98765432... .AKQJT98765432.. ..AKQJT98765432. ...AKQJT98765432")
    deals = np.array([list(deal.holders)], np.uint8)
    record = np.concatenate([pack_deals(deals), pack_tables(solve_tables(deals))], axis=1)
    wrong = record.copy()
    wrong[0, 13] ^= 0x02
    for count in (10, 3000):
        path = tmp_path / f"{count}.zrd"
        path.write_bytes(np.concatenate([np.repeat(record, count - 1, axis=0), wrong]).tobytes() + b"123")
        result = run("solve", path, "--check", status=1)
        assert f"record {count + 1}, boards[{count}]" in result.stderr
        assert "1 place could" in result.stderr
        first, last = result.stdout.splitlines()
        assert first.startswith(f"{path}: board {count}: NT by")
        assert last.startswith(f"1 of {count + 1:,} boards without a table or deal; {count:,} tables checked")
        assert last.endswith(f"{count * 20:,} cells: 1 cell wrong on 1 board")
