"""The language: every mistake is a finding with its place, in bounded time."""

from __future__ import annotations

from pathlib import Path

import pytest

from bridgespec.bidding.checking import check_system
from bridgespec.bidding.language import MOST_RULES, Reader
from bridgespec.bidding.system import BiddingSystem


def read(folder: Path, text: str, **others: str) -> Reader:
    """The reader of a system in a folder, with other files beside it."""
    for name, content in others.items():
        (folder / f"{name}.bid").write_text(content, "utf-8")
    path = folder / "main.bid"
    path.write_text(text, "utf-8")
    reader = Reader([folder])
    reader.read(path)
    return reader


@pytest.mark.parametrize(
    ("text", "code", "line", "says"),
    [
        ("opening:\n  1NT shows 15-17 hpc\n", "bid-unknown-word", 2, "hpc"),
        ("opening when vulnerabel:\n  1NT shows 15-17 hcp\n", "bid-unknown-word", 1, "vulnerabel"),
        ("opening:\n  1NT shows 17-15 hcp\n", "bid-contradiction", 2, "backwards"),
        ("opening:\n  1NT shows {low}-17 hcp\n", "bid-unknown-word", 2, "low"),
        ("take staymen\n", "bid-missing-file", 1, "staymen"),
        ("take stayman with lwo = 12\n", "bid-unknown-word", 1, "lwo"),
        ("opening:\n  1NT shows (15-17 hcp\n", "unreadable-line", 2, "the line ends"),
        ("opening\n  1NT shows 15-17 hcp\n", "unreadable-line", 1, "':'"),
        ("take main\n", "bid-recursion", 1, "takes itself"),
        ("take other\n", "bid-recursion", 1, "takes itself"),
    ],
)
def test_mistakes_are_findings(tmp_path: Path, text: str, code: str, line: int, says: str) -> None:
    """The code, the line and the word of each."""
    reader = read(tmp_path, text, other="take main\n")
    found = reader.findings[0]
    assert found.code == code
    assert found.span is not None
    assert found.span.line == line
    assert says in found.message


def test_close_words_are_suggested(tmp_path: Path) -> None:
    """A misspelt term or file is answered with the nearest known one."""
    assert read(tmp_path, "opening:\n  1NT shows 15-17 hcpp\n").findings[0].help == "did you mean hcp?"
    assert read(tmp_path, "take staymann\n").findings[0].help == "did you mean stayman?"


def test_many_mistakes_are_all_told(tmp_path: Path) -> None:
    """Reading goes on after a mistake of meaning."""
    assert len(read(tmp_path, "opening:\n  1NT shows 1 foo, 2 bar\n  1S shows 3 baz\n").findings) == 3


def test_a_million_rules_end(tmp_path: Path) -> None:
    """Too many rules are one finding, and the rest is not read."""
    reader = read(tmp_path, "opening:\n" + "  1C\n" * (MOST_RULES + 50))
    assert [found.code for found in reader.findings] == ["bid-too-large"]


def test_deep_nesting_ends(tmp_path: Path) -> None:
    """Nesting beyond all reason is a finding or is read, never an exception."""
    reader = read(tmp_path, "opening:\n  1C shows " + "(" * 3000 + "5+ clubs" + ")" * 3000 + "\n")
    assert all(found.code in ("bid-too-large", "too-deep", "unreadable-line") for found in reader.findings)


def test_a_contradictory_rule_is_found(tmp_path: Path) -> None:
    """A rule that no hand can meet is reported at its place."""
    (tmp_path / "main.bid").write_text("opening:\n  1NT shows 15-17 hcp, 0-10 hcp\n  P\nwhen always:\n  P\n", "utf-8")
    checked = check_system(BiddingSystem.read(tmp_path / "main.bid"), 20)
    found = [finding for finding in checked.findings if finding.code == "bid-impossible-rule"]
    assert [finding.span.line for finding in found if finding.span] == [2]


def test_a_hand_without_a_call_is_found(tmp_path: Path) -> None:
    """A system without a last resort is shown a hand that it cannot bid."""
    (tmp_path / "main.bid").write_text("opening:\n  1NT shows 15-17 hcp\n", "utf-8")
    checked = check_system(BiddingSystem.read(tmp_path / "main.bid"), 20)
    assert "bid-no-call" in {finding.code for finding in checked.findings}


@pytest.mark.parametrize("name", ["sayc", "two-over-one"])
def test_our_systems_have_no_findings(name: str) -> None:
    """The systems of the package are read and checked without an error or a warning."""
    assert check_system(BiddingSystem.read(name), 200).findings == ()
