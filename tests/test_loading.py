"""Loading is for using: what can be read is there, what cannot is None, and nothing but "there is nothing in it" is raised."""

from __future__ import annotations

import copy
import shutil
from dataclasses import fields
from pathlib import Path

import pytest

import bridgespec
from bridgespec.diagnostic import Severity
from bridgespec.errors import ReadError, UsageError
from bridgespec.model.board import Board
from tests import twins

DEAL = "N:T2.J965.T7532.63 AKQ874.AQ2.J8.A5 J65.743.AK4.KQ82 93.KT8.Q96.JT974"
WRONG = f'[Board "1"]\n[Deal "{DEAL}"]\n[Dealer "N"]\n[Contract "4S"]\n[Auction "N"]\n1NT Pass Pass Pass\n'.encode()
BAD = [path for path in twins.bad_samples() if path.stat().st_size]


def test_a_wrong_claim_keeps_no_deal_from_being_loaded() -> None:
    """The rules of the game are for ``check``."""
    (board,) = bridgespec.loads(WRONG, "pbn").boards
    assert str(board.deal) == DEAL
    assert str(board.contract) == "4S"
    assert [d.code for d in bridgespec.check(WRONG, "pbn")] == ["contract-auction"]


def test_faulty_data_of_no_name_are_recognised() -> None:
    """An error that a rule finds does not make a file one of no format."""
    assert str(bridgespec.loads(WRONG).boards[0].deal) == DEAL


@pytest.mark.parametrize("path", BAD, ids=lambda path: path.relative_to(twins.SAMPLES).as_posix())
def test_a_broken_file_is_loaded_as_far_as_it_goes(path: Path) -> None:
    """Every board of every broken sample can be touched; findings of reading are there for the asking; rules' are not."""
    format = twins.format_of(path)
    try:
        document = bridgespec.loads(path.read_bytes(), format)
    except ReadError as error:
        boards = twins.examine(path).document.boards
        saying = [board for board in boards if board != Board(number=board.number)]
        if saying or (boards and not error.diagnostics):
            raise
        return
    for board in document.boards:
        assert [getattr(board, field.name) for field in fields(board)]
    told = [(d.code, d.span) for d in twins.examine(path).diagnostics]
    assert all((d.code, d.span) in told for d in document.findings)
    assert document == bridgespec.loads(path.read_bytes(), format)
    assert copy.copy(document) == document


def test_findings_name_the_file(tmp_path: Path) -> None:
    """`Document.findings` says what could not be read, in file order, with the path as it was given."""
    path = tmp_path / "x.pbn"
    shutil.copy(twins.SAMPLES / "pbn" / "bad" / "deviations.pbn", path)
    found = bridgespec.load(path).findings
    assert {d.path for d in found} == {str(path)}
    assert Severity.ERROR in {d.severity for d in found}
    starts = [d.span.start for d in found if d.span is not None]
    assert starts == sorted(starts)


@pytest.mark.parametrize(("data", "format"), [(b"", "zbd"), (b"", "pbn"), (b"% PBN 2.1\n", "pbn"), (b"no bridge in here", "pbn")])
def test_nothing_found_is_raised(data: bytes, format: str) -> None:
    """A file without any record is not an empty document."""
    with pytest.raises(ReadError):
        bridgespec.loads(data, format)


def test_a_name_that_belies_the_content_is_raised(tmp_path: Path) -> None:
    """The error names the format that the content is in."""
    path = tmp_path / "x.pbn"
    shutil.copy(twins.SAMPLES / "dup" / "sixteen.dup", path)
    with pytest.raises(ReadError, match="looks like"):
        bridgespec.load(path)


def test_data_of_no_format() -> None:
    """``loads`` raises, ``check`` gives a finding."""
    with pytest.raises(UsageError):
        bridgespec.loads(b"hello")
    assert [d.code for d in bridgespec.check(b"hello")] == ["unknown-format"]


def test_specs_of_ones_own(tmp_path: Path) -> None:
    """A folder of schemas is known to every function that is told of it, and to no other."""
    (tmp_path / "mine.ksy").write_text(
        (Path("specs") / "zbd.ksy")
        .read_text()
        .replace("id: zbd", "id: mine", 1)
        .replace("file-extension: zbd", "file-extension: mine", 1)
    )
    data = bytes.fromhex("72527a0ae17ae4f952e041fc7c")
    document = bridgespec.loads(data, "mine", specs=[tmp_path])
    assert bridgespec.dumps(document, "mine", specs=[tmp_path]) == data
    bridgespec.dump(document, tmp_path / "x.mine", specs=[tmp_path])
    assert bridgespec.load(tmp_path / "x.mine", specs=[tmp_path]) == document
    assert bridgespec.check(tmp_path / "x.mine", specs=[tmp_path]) == []
    assert "mine" in {spec.id for spec in bridgespec.formats(specs=[tmp_path])}
    assert "mine" not in {spec.id for spec in bridgespec.formats()}
