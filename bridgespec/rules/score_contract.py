"""the score does not follow from contract, result and vulnerability

Points are those of duplicate bridge (Laws of Duplicate Bridge, Law 77). Boards of rubber bridge and Chicago, and boards whose
source marks the score as adjusted, are left alone. Where the score would be right at another vulnerability, or for the other side,
the help names it.
"""

from __future__ import annotations

from collections.abc import Iterable

from bridgespec.diagnostic import Severity, define
from bridgespec.model.board import Board, Vulnerability
from bridgespec.model.cards import Seat
from bridgespec.model.contract import Contract, result_text
from bridgespec.model.score import board_points
from bridgespec.rules._base import Finding, Repair
from bridgespec.rules._facts import Facts

CODE = define("score-contract", Severity.WARNING, __doc__)
NEEDS = frozenset({"score"})
_OTHER_GAMES = ("rubber", "chicago", "oldmp")
"""Parts of PBN's tag `Scoring` for games whose bonuses differ from those of Law 77, or are not of a single board."""


def check(facts: Facts) -> Iterable[Finding]:
    """Yield a finding for each board whose score does not follow from its contract, result and vulnerability."""
    for table in facts.tables:
        index, board = table.index, table.board
        if board.score is None or table.contract is None:
            continue
        contract, declarer, vulnerability = table.contract, table.declarer, board.effective_vulnerability
        if any(game in (board.scoring or "").lower() for game in _OTHER_GAMES):
            continue
        if contract.is_passed_out:
            tricks = 0
        elif board.result is None or not 0 <= board.result <= 13 or declarer is None or vulnerability is None:
            continue
        else:
            tricks = board.result
        value = board_points(contract, declarer, tricks, vulnerability or Vulnerability.NONE)
        if value != board.score and not {"score", "result"} & set(board.irregular):
            yield Finding.of(
                CODE,
                f"the score is given as {_side(board.score)}, {_played(contract, declarer, tricks)} makes {_side(value)}",
                index,
                ("score",),
                ("result",),
                ("contract",),
                help=_help(board, contract, declarer, tricks),
                fix=Repair(f"make the score {_side(value)}", ("score",), value),
            )


def _played(contract: Contract, declarer: Seat | None, tricks: int) -> str:
    if declarer is None or contract.is_passed_out:
        return "a board passed out"
    return f"{contract} by {declarer.letter} {result_text(contract, tricks)}"


def _side(score: int) -> str:
    return "0" if score == 0 else f"NS {score}" if score > 0 else f"EW {-score}"


def _help(board: Board, contract: Contract, declarer: Seat | None, tricks: int) -> str | None:
    """Return the likely mistake that explains the stated score: another vulnerability, or the other side; None for neither."""
    if declarer is None or board.score is None:
        return None
    # Only whether the declarer's side is vulnerable matters, so NS and EW need not be tried.
    for vulnerability in (Vulnerability.NONE, Vulnerability.BOTH):
        value = board_points(contract, declarer, tricks, vulnerability)
        if value == board.score:
            return f"it would be right {'not ' if vulnerability is Vulnerability.NONE else ''}vulnerable"
        if value == -board.score and board.effective_vulnerability in (vulnerability, None):
            return "the points are right for the other side"
    return None
