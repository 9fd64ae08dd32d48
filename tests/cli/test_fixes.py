"""Repairs are read back before a file is written: what they take away is never what counts, and none makes a file worse."""

from __future__ import annotations

from pathlib import Path

import pytest

from bridgespec.cli.fixes import apply_fixes, chosen_fixes, harmless_fixes
from bridgespec.diagnostic import Diagnostic, Edit, Fix, Severity
from bridgespec.engines import engine

from .running import run

CALLS = "1C Pass Pass Pass\n"
HEAD = '[Event "x"]\n[Dealer "N"]\n'


@pytest.mark.parametrize(
    ("text", "left", "safe"),
    [
        ('[Site ""]\n[Site "x"]\n', '[Site "x"]\n', True),
        ('[Site "?"]\n[Site "x"]\n', '[Site "x"]\n', True),
        ('[Site "x"]\n[Site ""]\n', '[Site "x"]\n', True),
        ('[Site "x"]\n[Site "x"]\n', '[Site "x"]\n', True),
        ('[Site "x"]\n[Site "y"]\n', '[Site "x"]\n', False),
        (f'{HEAD}[Auction "N"]\n[Auction "N"]\n{CALLS}', f'{HEAD}[Auction "N"]\n{CALLS}', True),
        (f'{HEAD}[Auction ""]\n[Auction "N"]\n{CALLS}', f'{HEAD}[Auction "N"]\n{CALLS}', True),
        (f'{HEAD}[Auction "N"]\n{{none}}\n[Auction "N"]\n{CALLS}', f'{HEAD}[Auction "N"]\n{CALLS}', False),
        (f'{HEAD}[Auction "N"]\n{CALLS}[Auction "N"]\n', f'{HEAD}[Auction "N"]\n{CALLS}', True),
        (f'{HEAD}[Auction "N"]\n{CALLS}[Auction "N"]\n{{none}}\n', f'{HEAD}[Auction "N"]\n{CALLS}', False),
        (f'{HEAD}[Auction "N"]\n{CALLS}[Auction "N"]\n1D\n*\n', f'{HEAD}[Auction "N"]\n{CALLS}', False),
    ],
)
def test_of_two_tags_the_one_that_says_nothing_is_removed(text: str, left: str, safe: bool) -> None:
    """Whichever stands first; the repair is safe where the other says all that is removed, and the model stays as it was."""
    report = engine().examine(text.encode(), "pbn")
    (twice,) = (found for found in report.diagnostics if found.code == "pbn-tag-twice")
    assert twice.fix is not None
    assert twice.fix.safe == safe
    after = apply_fixes(text.encode(), [twice.fix])
    assert after.decode() == left
    assert engine().examine(after, "pbn").document.boards[0].auction == report.document.boards[0].auction
    assert engine().examine(after, "pbn").document.boards[0].site == report.document.boards[0].site


@pytest.mark.parametrize("option", ["--fix", "--unsafe-fixes"])
def test_the_real_auction_outlives_an_empty_one_before_it(option: str, tmp_path: Path) -> None:
    """As a command: the calls are there when the repairs have been made."""
    path = tmp_path / "x.pbn"
    path.write_text(f'{HEAD}[Auction "N"]\n[Auction "N"]\n{CALLS}')
    run("validate", path, option)
    assert path.read_text() == f'{HEAD}[Auction "N"]\n{CALLS}'


SCHEMA = """//- {id: mine, title: Mine, extensions: [mine]}
start: line*
line: (word | odd | old) "\\n"
word: /[a-z]+/
//- {opaque: true, report: {code: odd, severity: warning, message: odd, fix: "%%", safe: true}}
odd: /[0-9]+/
//- {opaque: true, report: {code: old, severity: warning, message: old, fix: "new", safe: true}}
old: /[A-Z]+/
"""


def test_a_repair_that_makes_a_file_worse_is_not_made_and_said(tmp_path: Path) -> None:
    """The repairs beside it are made; a file for which none is left stays as it is."""
    (tmp_path / "mine.lark").write_text(SCHEMA)
    path = tmp_path / "x.mine"
    path.write_text("a\n12\nOLD\n13\nWORD\nb\n")
    told = run("--specs", tmp_path, "validate", path, "--fix")
    assert path.read_text().split("\n") == ["a", "12", "new", "13", "new", "b", ""]
    assert "2 repairs not" in told.stdout
    assert "2 fixed" in told.stdout
    path.write_text("12\n")
    told = run("--specs", tmp_path, "validate", path, "--fix")
    assert path.read_text() == "12\n"
    assert "1 repair not" in told.stdout


DEAL = '[Deal "N:.63.AKQ987.A9732 A8654.KQ5.T.QJT6 J973.J98742.3.K4 KQT2.AT.J6542.85"]\n'
GAME = f"""[Event "x"]
[Board "1"]
[Dealer "N"]
[Vulnerable "None"]
{DEAL}[Declarer "S"]
[Contract "4H"]
[Result "9"]
[Score "NS -50"]
[Auction "N"]
1D Pass 1H Pass
4H Pass Pass Pass
"""


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ('[Contract "4H"]', '[Contract "5H"]'),
        ('[Declarer "S"]', '[Declarer "N"]'),
        ('[Vulnerable "None"]', '[Vulnerable "EW"]'),
        ('[Score "NS -50"]', '[Score "NS -100"]'),
        ('[Dealer "N"]', '[Dealer "N "]'),
        ('[Dealer "N"]', '[Dealer "E"]'),
        ('[Board "1"]', '[Board "1"]\n[Board "1"]'),
    ],
)
def test_one_fault_in_a_game_is_repaired_and_nothing_else_changed(right: str, wrong: str, tmp_path: Path) -> None:
    """What the other tags bear out is put back."""
    path = tmp_path / "x.pbn"
    path.write_text(GAME.replace(right, wrong))
    assert run("validate", path, "--unsafe-fixes").exit_code == 0
    assert path.read_text() == GAME


def test_a_dealer_that_the_auction_bears_out_stays(tmp_path: Path) -> None:
    """The board's number is what is odd then, and the repair would only trade one finding for another."""
    path = tmp_path / "x.pbn"
    path.write_text(f'{HEAD.replace("N", "E")}[Board "1"]\n[Auction "E"]\n{CALLS}')
    before = path.read_text()
    assert "dealer-number" in run("validate", path, "--unsafe-fixes").stdout
    assert path.read_text() == before


def test_harmful_repairs_are_found_by_halves() -> None:
    """Of a hundred, one of which is harmful, ninety-nine are made, after few readings; an error is worse than many warnings."""
    data = b"." * 100
    fixes = [Fix("", (Edit(at, at + 1, b"!" if at == 40 else b"x"),)) for at in range(100)]
    reads: list[bytes] = []

    def found(changed: bytes) -> list[Diagnostic]:
        reads.append(changed)
        errors = [Diagnostic("e", Severity.ERROR, "")] * changed.count(b"!")
        return errors + [Diagnostic("w", Severity.WARNING, "")] * changed.count(b".")

    kept = harmless_fixes(data, fixes, found)
    assert apply_fixes(data, kept) == b"x" * 40 + b"." + b"x" * 59
    assert len(reads) < 20


TRADED = """//- {id: mine, title: Mine, extensions: [mine]}
start: line*
line: (word | odd | old) "\\n"
word: /[a-z]+/
//- {opaque: true, report: {code: odd, severity: warning, message: odd, fix: "OLD", safe: true}}
odd: /[0-9]+/
//- {opaque: true, report: {code: old, severity: warning, message: old, fix: "new", safe: true}}
old: /[A-Z]+/
"""


def test_a_repair_that_trades_one_finding_for_another_is_made(tmp_path: Path) -> None:
    """The file is no worse by it, and the next run can repair what is left."""
    (tmp_path / "mine.lark").write_text(TRADED)
    path = tmp_path / "x.mine"
    path.write_text("a\n12\n")
    run("--specs", tmp_path, "validate", path, "--fix")
    assert path.read_text() in ("a\nOLD\n", "a\nnew\n")
    run("--specs", tmp_path, "validate", path, "--fix")
    assert path.read_text() == "a\nnew\n"


def test_of_two_repairs_at_one_place_the_first_is_made() -> None:
    """An insertion before a byte and a change of that byte, two insertions, two equal ones: the order would be anybody's guess."""
    insertion, change, other = (Fix("", (Edit(4, stop, new),)) for stop, new in ((4, b"x"), (5, b"y"), (4, b"z")))
    after = Fix("", (Edit(5, 6, b"w"),))
    for pair in ((insertion, change), (change, insertion), (insertion, other), (insertion, insertion)):
        found = [Diagnostic("e", Severity.ERROR, "", fix=fix) for fix in (*pair, after)]
        chosen = chosen_fixes(found, unsafe=True)
        assert [len(chosen), chosen[-1]] == [2, after]
        assert chosen[0] in pair
