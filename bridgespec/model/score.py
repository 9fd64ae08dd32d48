"""Duplicate scoring by the Laws of Duplicate Bridge 2017, Laws 77 and 78: `points` of a contract, `imps`, `matchpoints`."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from bridgespec.model.board import Board, Vulnerability
from bridgespec.model.cards import Seat, Side, Strain
from bridgespec.model.contract import Contract, Doubling

# The smallest difference for 1 IMP, 2 IMPs and so on.
_IMP_STEPS = (
    20, 50, 90, 130, 170, 220, 270, 320, 370, 430, 500, 600,
    750, 900, 1100, 1300, 1500, 1750, 2000, 2250, 2500, 3000, 3500, 4000,
)  # fmt: skip


def points(contract: Contract, tricks: int, vulnerable: bool) -> int:
    """Return the points of declarer's side for a number of tricks, negative if the contract fails; 0 for a board that was passed
    out.

    Raises ValueError unless there are 0 to 13 tricks, and TypeError for a contract that is not a `Contract`. Source: Law 77.

    >>> points(Contract.parse("4S"), 10, vulnerable=True), points(Contract.parse("3NTX"), 7, vulnerable=False)
    (620, -300)
    """
    if not isinstance(contract, Contract):
        raise TypeError(f"a contract is a Contract, not {contract!r}: Contract.parse reads text")
    if not 0 <= tricks <= 13:
        raise ValueError(f"tricks are 0 to 13, not {tricks}")
    if contract.is_passed_out:
        return 0
    over = tricks - contract.needed
    return _made(contract, over, vulnerable) if over >= 0 else -_penalty(-over, contract.doubling, vulnerable)


def _made(contract: Contract, over: int, vulnerable: bool) -> int:
    """Return the points of a contract that was made with ``over`` overtricks."""
    # 1, 2 or 4 (Law 77).
    factor = 1 << contract.doubling
    each = 20 if contract.strain in (Strain.DIAMONDS, Strain.CLUBS) else 30
    trick_points = factor * (each * contract.level + (10 if contract.strain is Strain.NOTRUMP else 0))
    # Trick points include doubling: 2H doubled has 120 and is a game.
    bonus = (500 if vulnerable else 300) if trick_points >= 100 else 50
    if contract.level >= 6:
        bonus += (750, 1500)[contract.level - 6] if vulnerable else (500, 1000)[contract.level - 6]
    if contract.doubling:
        # For making a doubled contract 50, a redoubled one 100.
        bonus += 25 * factor
        each = 50 * factor * (2 if vulnerable else 1)
    return trick_points + bonus + over * each


def _penalty(down: int, doubling: Doubling, vulnerable: bool) -> int:
    """Return the opponents' points for ``down`` undertricks."""
    if doubling is Doubling.UNDOUBLED:
        return down * (100 if vulnerable else 50)
    # Law 77: vulnerable 200, then 300 each; not vulnerable 100, then 200 twice, then 300 each.
    doubled = 300 * down - 100 if vulnerable else (100, 300, 500)[down - 1] if down <= 3 else 300 * down - 400
    # DOUBLED is 1 and REDOUBLED 2, the factor of the penalty.
    return doubled * int(doubling)


def board_points(contract: Contract, declarer: Seat | str | None, tricks: int, vulnerability: Vulnerability | str) -> int:
    """Return the points of North and South (negative: East and West score). ``declarer`` may be None for a contract that was passed
    out; ``declarer`` and ``vulnerability`` may be texts.

    >>> board_points(Contract.parse("4S"), Seat.EAST, 10, Vulnerability.EW)
    -620
    """
    if isinstance(contract, Contract) and contract.is_passed_out:
        return 0
    if declarer is None:
        raise ValueError("a contract that was played has a declarer")
    declarer = Seat.parse(declarer) if isinstance(declarer, str) else declarer
    vulnerability = Vulnerability.parse(vulnerability) if isinstance(vulnerability, str) else vulnerability
    value = points(contract, tricks, vulnerability.covers(declarer.side))
    return value if declarer.side is Side.NS else -value


def score_of(board: Board) -> int | None:
    """Return the points of North and South that a board states, else those of its contract and result; None if a value for them is
    missing.

    >>> score_of(Board(number=5, contract=Contract.parse("4S by E"), result=9))
    50
    """
    contract, declarer, vulnerability = board.effective_contract, board.effective_declarer, board.effective_vulnerability
    if board.score is not None or contract is None or vulnerability is None:
        return board.score
    if contract.is_passed_out:
        return 0
    if declarer is None or board.result is None or not 0 <= board.result <= 13:
        return None
    return board_points(contract, declarer, board.result, vulnerability)


def imps(difference: int) -> int:
    """Return the international match points for a difference of points, with its sign (Law 78B).

    >>> imps(0), imps(10), imps(20), imps(-430), imps(3990), imps(4000)
    (0, 0, 1, -10, 23, 24)
    """
    value = bisect_right(_IMP_STEPS, abs(difference))
    return value if difference >= 0 else -value


def matchpoints(scores: Sequence[float]) -> list[int]:
    """Return the match points of each score: 2 for each lower score, 1 for each other equal one (Law 78A, European count).

    >>> matchpoints([620, 620, 170, -100])
    [5, 5, 2, 0]
    """
    ordered = sorted(scores)
    # By different scores, since equal scores are common on a board.
    counts = {score: (ordered.index(score), ordered.count(score)) for score in set(scores)}
    return [2 * counts[score][0] + counts[score][1] - 1 for score in scores]
