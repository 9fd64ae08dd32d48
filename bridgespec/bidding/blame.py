"""Find the side that lost IMPs from par on a board, and the call that lost them.

The score of the contract reached, played double dummy, is compared with par. The side that would have more points at par has lost
the IMPs between the two. `fault` classifies the loss by the tricks that each side can take, and names one call of that side to look
at first: the first bid that could not be made, or the pass with which the side stopped. `ParLosses` sums losses up by class, rule
or call.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from bridgespec.bidding.auction_result import declarer_of, score_of, strain_of
from bridgespec.bidding.turn import CALL_NAMES, FIRST_BID, P, Turn, X, level_of, suit_of
from bridgespec.model.cards import Seat, Side, Strain
from bridgespec.model.score import imps

_GAME_TRICKS = {Strain.NOTRUMP: 9, Strain.SPADES: 10, Strain.HEARTS: 10, Strain.DIAMONDS: 11, Strain.CLUBS: 11}
WITNESSES = 3
"""The number of boards that a sum names."""


@dataclass(frozen=True, slots=True)
class ParLoss:
    """IMPs that one side lost from par on one board, and the call that lost them. Created by `fault`.

    ``north_south`` is whether that side is North-South. ``index`` is the position of the call in the auction from 0, ``call`` its
    name, ``rule`` the file and line of its rule (empty: none), ``text`` the explanation of the rule. ``size`` is slam, game or
    part-score, by par or the contract, whichever is higher; ``contested`` whether each side has made a call other than pass;
    ``how`` is overbid, underbid, wrong strain, sold out, not doubled, or doubled and made.
    """

    board: int
    imps: int
    north_south: bool
    size: str
    contested: bool
    how: str
    index: int
    call: str
    rule: str
    text: str
    auction: str


@dataclass(frozen=True, slots=True)
class Sum:
    """The sum of the losses with one name: IMPs, the number of boards, and the numbers of the boards that lost most."""

    name: str
    imps: int
    boards: int
    witnesses: tuple[int, ...]


def fault(turn: Turn, cells: Sequence[int], dealer: Seat, board: int, par: int) -> ParLoss | None:
    """Return the loss on a board; None if the difference from par is less than one IMP.

    ``turn`` is the end of the auction, ``cells`` the table of tricks by strain (notrump, S, H, D, C) and seat (W N E S), and
    ``par`` in points of North-South.
    """
    seat = declarer_of(turn) if turn.last >= FIRST_BID else 0
    tricks = int(cells[4 * strain_of(turn) + (dealer + seat) % 4]) if turn.last >= FIRST_BID else 0
    made = score_of(turn, tricks)
    score = made if dealer.side is Side.NS else -made
    swing = imps(score - par)
    if swing == 0:
        return None
    loser = Side.NS if swing < 0 else Side.EW
    # Turns are counted from the dealer: the parity of a side's turns.
    parity = 0 if loser is dealer.side else 1
    own_par = par if loser is Side.NS else -par
    how, index = _classify(turn, parity, tricks, own_par, _best_tricks(cells, loser))
    meaning = turn.meanings[index]
    acted = [any(call != P for call in turn.calls[side::2]) for side in (0, 1)]
    return ParLoss(
        board, abs(swing), loser is Side.NS, _size(max(abs(par), _contract_points(turn))), all(acted), how, index,
        CALL_NAMES[turn.calls[index]], rule_name(meaning.place), meaning.text, " ".join(CALL_NAMES[call] for call in turn.calls),
    )  # fmt: skip


def rule_name(place: str) -> str:
    """Return ``place``, the file and line of a rule, without the folders of the file."""
    file, _, line = place.rpartition(":")
    return f"{Path(file).name}:{line}" if file else ""


def _best_tricks(cells: Sequence[int], side: Side) -> dict[Strain, int]:
    """Return the tricks of the better declarer of a side in each strain."""
    seats = (Seat.NORTH, Seat.SOUTH) if side is Side.NS else (Seat.EAST, Seat.WEST)
    return {strain: max(int(cells[4 * strain + seat]) for seat in seats) for strain in Strain}


def _classify(turn: Turn, parity: int, tricks: int, own_par: int, best: dict[Strain, int]) -> tuple[str, int]:
    """Return `ParLoss.how` for the side whose turns have the parity ``parity``, and the index of the call that lost.

    ``tricks`` are those of the contract, ``own_par`` is par as points of the side, ``best`` are its most tricks in each strain.
    """
    if turn.last < FIRST_BID:
        return "underbid", _stopped(turn, parity)
    made = tricks >= level_of(turn.last) + 6
    if turn.last_turn % 2 == parity:
        if not made:
            return "overbid", _too_high(turn, parity, best)
        better_strain = own_par > 0 and any(
            _game_missed(turn, other, best[other]) for other in Strain if other is not strain_of(turn)
        )
        if better_strain and tricks < _GAME_TRICKS[strain_of(turn)]:
            return "wrong strain", turn.last_turn
        return "underbid", _stopped(turn, parity)
    if made and turn.doubling:
        return "doubled and made", max(place for place, call in enumerate(turn.calls) if call == X and place % 2 == parity)
    doubled = score_of(turn, tricks, doubled=True) * (-1 if parity else 1)
    enough = not made and not turn.doubling and doubled >= own_par
    return ("not doubled" if enough else "sold out"), _stopped(turn, parity)


def _game_missed(turn: Turn, strain: Strain, tricks: int) -> bool:
    """Return whether ``tricks`` tricks make game in ``strain``, while the contract is below game in its own strain."""
    return tricks >= _GAME_TRICKS[strain] and level_of(turn.last) + 6 < _GAME_TRICKS[strain_of(turn)]


def _too_high(turn: Turn, parity: int, best: dict[Strain, int]) -> int:
    """Return the index of the first natural bid of the side that its better declarer cannot make; if there is none, of the last
    bid.
    """
    for place in range(turn.first, len(turn.calls)):
        call = turn.calls[place]
        if call < FIRST_BID or place % 2 != parity or turn.meanings[place].artificial:
            continue
        suit = suit_of(call)
        if level_of(call) + 6 > best[Strain.NOTRUMP if suit is None else Strain(suit + 1)]:
            return place
    return turn.last_turn


def _stopped(turn: Turn, parity: int) -> int:
    """Return the index of the pass with which the side stopped: the first one after its last other call, or if there is none the
    index of that call.
    """
    own = [place for place in range(len(turn.calls)) if place % 2 == parity]
    last = max((place for place in own if turn.calls[place] != P), default=-1)
    if last < 0:
        # A side that only passed stopped with its first pass after the opponents' opening.
        after = [place for place in own if place > turn.first]
        return after[0] if after else own[0]
    return next((place for place in own if place > last), last)


def _contract_points(turn: Turn) -> int:
    """Return a number of points that represents a part-score, a game or a slam for `_size`; 0 without a contract."""
    if turn.last < FIRST_BID:
        return 0
    level = level_of(turn.last)
    return 1000 if level >= 6 else 400 if level + 6 >= _GAME_TRICKS[strain_of(turn)] else 100


def _size(points: int) -> str:
    return "slam" if points >= 900 else "game" if points >= 300 else "part-score"


class ParLosses:
    """The losses on a set of boards, and their sums; ``boards`` also counts the boards without a loss."""

    def __init__(self, faults: Iterable[ParLoss], boards: int) -> None:
        self.faults = list(faults)
        self.boards = boards

    @property
    def mean(self) -> float:
        """The mean number of IMPs lost a board."""
        return sum(one.imps for one in self.faults) / max(self.boards, 1)

    def by_class(self) -> list[Sum]:
        """Return the sums by size, by whether the auction was contested, and by how the side lost."""
        return self._sums(lambda one: f"{one.size}, {'contested' if one.contested else 'uncontested'}, {one.how}")

    def by_rule(self) -> list[Sum]:
        """Return the sums by the rule of the call that lost."""
        return self._sums(lambda one: f"{one.rule or 'no rule'} {one.call} {one.text}".rstrip())

    def by_call(self) -> list[Sum]:
        """Return the sums by the auction up to the call that lost, without the passes before the opening."""
        return self._sums(_auction_to_call)

    def _sums(self, name_of: Callable[[ParLoss], str]) -> list[Sum]:
        """Return the sum of the losses of each name, those with most IMPs first."""
        groups: dict[str, list[ParLoss]] = {}
        for one in self.faults:
            groups.setdefault(name_of(one), []).append(one)
        return sorted(_summed(groups), key=lambda one: (-one.imps, one.name))


def _summed(groups: dict[str, list[ParLoss]]) -> Iterator[Sum]:
    for name, faults in groups.items():
        worst = sorted(faults, key=lambda one: (-one.imps, one.board))[:WITNESSES]
        yield Sum(name, sum(one.imps for one in faults), len(faults), tuple(one.board for one in worst))


def _auction_to_call(one: ParLoss) -> str:
    """Return the auction up to the call that lost, without the passes before the opening."""
    calls = one.auction.split()[: one.index + 1]
    first = next((place for place, call in enumerate(calls) if call != "Pass"), len(calls) - 1)
    return " ".join("P" if call == "Pass" else call for call in calls[min(first, one.index) :])
