"""Real tournament files: every character kept, every board in the model, every deviation a finding with its place."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from bridgespec.api import dumps, engine
from bridgespec.model.auction import PASS, Auction
from bridgespec.model.board import Comment
from bridgespec.model.document import Document
from tests.generate.claims import examine, written_back

FOLDER = Path(__file__).resolve().parents[3] / "shared" / "data" / "pbn"
FILES = sorted(FOLDER.glob("*")) if FOLDER.is_dir() else []
needs_files = pytest.mark.skipif(not FILES, reason="the collection may not be redistributed: it is expected in ../shared/data/pbn")


def read(path: Path) -> tuple[Document, Counter[str]]:
    """A file's document, and how often each finding of the reader stands in it."""
    spec = engine().spec("pbn")
    reading = engine().of(spec).codec.read(path.read_bytes(), limit=10_000)
    assert all(d.span is not None and d.span.line for d in reading.diagnostics)
    codes = Counter(d.code for d in reading.diagnostics)
    return engine().of(spec).binder.document(reading), codes


COUNTED: dict[Path, tuple[Counter[str], Counter[str]]] = {}
"""What the files hold and what is found in them, as far as they have been read here."""


def counted(path: Path, document: Document, codes: Counter[str]) -> None:
    """Keep what a file holds, so that the whole collection need not be read again to be counted."""
    counts: Counter[str] = Counter()
    for board in document.boards:
        counts["boards"] += 1
        for name in ("auction", "play", "contract", "declarer"):
            counts[name] += getattr(board, name) is not None
        counts["calls"] += len(board.auction.calls) if board.auction else 0
        counts["cards"] += len(board.play.cards) if board.play else 0
        counts["tables"] += len(board.tables)
    COUNTED[path] = counts, codes


@needs_files
def test_there_are_as_many_files_as_there_should_be() -> None:
    """So that the tests below prove what they claim."""
    assert len(FILES) == 117


@pytest.mark.slice(30)
@needs_files
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_a_file_is_kept_to_the_last_character(path: Path) -> None:
    """Written back byte for byte through the document, with a deal in every board."""
    document, codes = read(path)
    counted(path, document, codes)
    data = path.read_bytes()
    assert dumps(document, "pbn") == data
    assert len(document.boards) == data.count(b'[Deal "')
    assert all(board.deal is not None and board.dealer is not None for board in document.boards)


@pytest.mark.long
@needs_files
def test_the_whole_collection() -> None:
    """What 117 files hold, counted; and every deviation by its code."""
    for path in FILES:
        if path not in COUNTED:
            counted(path, *read(path))
    counts = sum((held for held, _ in COUNTED.values()), Counter[str]())
    codes = sum((found for _, found in COUNTED.values()), Counter[str]())
    assert counts["boards"] == 4297
    assert counts["auction"] > 4280
    assert counts["contract"] == 4296
    assert counts["calls"] > 48_000
    assert counts["cards"] > 118_000
    assert counts["tables"] == 193
    assert codes == {
        "pbn-inheritance": 219, "pbn-tag-twice": 64, "pbn-export-missing": 16, "pbn-export-order": 16, "pbn-export-line-end": 8,
        "pbn-value": 2, "pbn-end-mark": 2, "pbn-call": 1, "pbn-card": 1,
    }  # fmt: skip


def some(step: int) -> list[object]:
    """The files, all but one of so many for the long suites; the first is the largest, and not among these."""
    return [pytest.param(path, marks=[] if at % step == 1 else [pytest.mark.slow]) for at, path in enumerate(FILES)]


@pytest.mark.slice(None, quick=4)
@needs_files
@pytest.mark.parametrize("path", some(9), ids=lambda path: path.name)
def test_the_export_form_says_the_same(path: Path) -> None:
    """Spelled anew, a file gives the same boards, in lines that end with CR and LF."""
    document, _ = read(path)
    clean = dumps(document, "pbn", canonical=True)
    assert b"\n" not in clean.replace(b"\r\n", b"")
    reading = engine().of(engine().spec("pbn")).codec.read(clean)
    again = engine().of(engine().spec("pbn")).binder.document(reading)
    for one, two in zip(document.boards, again.boards, strict=True):
        assert (one.deal, one.auction, one.contract, one.result, one.players) == (
            two.deal,
            two.auction,
            two.contract,
            two.result,
            two.players,
        )
        assert one.play is None or not one.play.tricks or one.play.tricks == (two.play.tricks if two.play else None)


@needs_files
def test_games_survive_a_trip_through_a_format_of_pairs() -> None:
    """To the lecture format and back: deal, auction and cards stay."""
    document, _ = read(FILES[1])
    away = engine().spell(document, "lin", canonical=True).data
    back = engine().examine(away, "lin").document
    assert [board.deal for board in back.boards] == [board.deal for board in document.boards]
    assert [board.auction.plain for board in back.boards if board.auction] == [
        board.auction.plain for board in document.boards if board.auction and board.auction.calls
    ]


def sample(name: str) -> bytes:
    """One of the sample files."""
    return (Path(__file__).parents[1] / "samples" / "pbn" / name).read_bytes()


def test_a_change_touches_only_its_bytes() -> None:
    """A board edited in the model changes one tag of the file."""
    data = sample("sixteen.pbn")
    document = engine().examine(data, "pbn").document
    boards = list(document.boards)
    boards[3] = replace(boards[3], number=40)
    changed = dumps(replace(document, boards=tuple(boards)), "pbn")
    assert changed == data.replace(b'[Board "4"]', b'[Board "40"]')


@pytest.mark.parametrize("end", [b"\n", b"\r", b"\r\n"])
def test_a_change_keeps_the_line_ends(end: bytes) -> None:
    """New lines of a changed board end as all others of the file do, and no other byte changes."""
    data = sample("sixteen.pbn").replace(b"\r\n", b"\n").replace(b"\n", end)
    document = engine().examine(data, "pbn").document
    boards = list(document.boards)
    auction = Auction.of([PASS, PASS, PASS, PASS], boards[3].dealer)
    comments = (*boards[3].comments, Comment("one\ntwo", ("deal",)))
    boards[3] = replace(boards[3], auction=auction, comments=comments, players=("W", "N", "E", "S"))
    changed = dumps(replace(document, boards=tuple(boards)), "pbn")
    games, before = changed.split(end + end), data.split(end + end)
    assert set(re.findall(rb"\r\n|\r|\n", changed)) == {end}
    assert b'[Auction "W"]' + end + b"Pass Pass Pass Pass" in games[3]
    assert b"{one" + end + b"two}" in games[3]
    assert [game for i, game in enumerate(games) if i != 3] == [game for i, game in enumerate(before) if i != 3]
    for line in before[3].split(end):
        assert line in games[3].split(end) or line.startswith((b"[West", b"[North", b"[East", b"[South", b"[Deal ")), line


def test_line_ends_of_any_kind() -> None:
    """LF, CR and both give the same boards."""
    data = sample("two-boards.pbn")
    wanted = engine().examine(data, "pbn").document.boards
    for end in (b"\r", b"\r\n"):
        other = data.replace(b"\n", end)
        document = engine().examine(other, "pbn").document
        assert document.boards == wanted
        assert dumps(document, "pbn") == other


def test_values_are_inherited() -> None:
    """``#`` repeats the previous game's value, ``##`` holds until it is stated anew."""
    text = b'[Event "##Cup"]\n[Site "Here"]\n[Board "1"]\n\n[Site "#"]\n[Board "2"]\n\n'
    text += b'[Event "Final"]\n[Site ""]\n[Board "3"]\n\n[Board "4"]\n'
    boards = engine().examine(text, "pbn").document.boards
    assert [board.event for board in boards] == ["Cup", "Cup", "Final", "Cup"]
    assert [board.site for board in boards] == ["Here", "Here", None, None]


@pytest.mark.parametrize("encoding", ["latin-1", "utf-8"])
def test_names_in_any_encoding(encoding: str) -> None:
    """A file's own encoding is understood and kept."""
    data = '[Event "x"]\r\n[West "Bergström"]\r\n'.encode(encoding)
    document = engine().examine(data, "pbn").document
    assert document.boards[0].players[0] == "Bergström"
    assert dumps(document, "pbn") == data


@pytest.mark.long
def test_hostile_bytes_give_findings() -> None:
    """A file cut off anywhere is written back as it stands; one cut off inside a tag or a comment has an error at its end."""
    data = sample("alerts-claim.pbn")
    inside = 0
    for size in range(len(data)):
        cut = data[:size]
        report = examine(cut, "pbn")
        assert written_back(report) == cut
        if cut.count(b"[") != cut.count(b"]") or cut.count(b"{") != cut.count(b"}"):
            inside += 1
            assert any(found.span is not None and found.span.byte_stop == size for found in report.errors), cut[-20:]
    assert inside > 100


def test_cells_have_the_type_of_their_column() -> None:
    """A table's cells are read by what its tag names them; a short last row is named too."""
    text = b'[OptimumResultTable "Declarer;Denomination\\2R;Result\\2R"]\nN NT 7\nQ S 15\nE H\n'
    found = engine().of(engine().spec("pbn")).codec.read(text).diagnostics
    places = [(d.code, d.span.line, d.span.column) for d in found if d.span]
    assert places == [("pbn-cell", 3, 1), ("pbn-cell", 3, 5), ("pbn-cell", 2, 1)]


@pytest.mark.parametrize("calls", ["^S 1C Pass Pass", "1D ^S ^S 2D", "1D ^S =1= ^I 1C Pass", "1D ^S {asleep} 2D X"])
def test_a_turn_that_was_skipped_stays_an_irregularity(calls: str) -> None:
    """A player who could not call is held as that, not as one who passed, and is written back (3.9 of the standard)."""
    data = f'[Event ""]\r\n[Dealer "N"]\r\n[Auction "N"]\r\n{calls}\r\nPass Pass Pass\r\n[Note "1:x"]\r\n'.encode()
    report = engine().examine(data, "pbn")
    (board,) = report.document.boards
    assert board.auction is not None
    marks = [part for part in calls.replace("^I ", "").split() if part[0] not in "={"]
    assert [made.call == PASS for made in board.auction.calls[:4]] == [mark in ("Pass", "^S") for mark in marks]
    skipped = [index for index, mark in enumerate(marks) if mark == "^S"]
    assert [i for i, made in enumerate(board.auction.calls) if made.irregular and made.call == PASS] == skipped
    fresh = replace(report.document, origin=None, boards=(replace(board, origin=None),))
    text = engine().spell(fresh, "pbn").data.decode()
    assert text.count("^S") == calls.count("^S")
    assert engine().examine(text.encode(), "pbn").document.boards[0].auction == board.auction


def test_a_line_end_that_was_changed_twice_is_one_line_end() -> None:
    """CR, CR and LF end a line and no board; the finding says so once, and its repair leaves CR and LF."""
    data = b'[Event "a"]\r\r\n[Board "7"]\r\r\n\r\r\n[Event "b"]\r\r\n[Board "8"]\r\r\n'
    report = engine().examine(data, "pbn")
    assert [board.number for board in report.document.boards] == [7, 8]
    assert [found.code for found in report.diagnostics] == ["pbn-line-end"]
    assert written_back(report) == data
