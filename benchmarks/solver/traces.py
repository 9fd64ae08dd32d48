"""What the cards of recorded plays cost: this package beside DDS, with contexts that are new or kept, in turn on the same boards.

``traces.py FILE...`` takes files with boards that record a deal, a contract and a play. Three kinds of work, each with a pass of
its own over all boards (processor time of one thread; the sums are printed, and the ratio to DDS's):

- ``call new``: one call a board (`Solver.trace`, DDS's AnalysePlayBin) with a new context for each board;
- ``call kept``: the same with one context for all boards;
- ``cards kept``: each position of the play in a call of its own (`Solver.solve`, DDS's SolveBoard), as an engine asks that follows
  the play, with one context for all.

DDS is the one inside endplay, with one thread. It keeps a table for its thread, so that it has nothing new in a call; from the
second position of a board on SolveBoard may reuse it (mode 2). Every result is compared, and a difference ends the run.
"""

from __future__ import annotations

import importlib
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import bridgespec
from bridgespec.model.cards import Card, Seat, Side, Strain
from bridgespec.model.deal import Deal
from bridgespec.solver import Position, Solver

SEATS = (Seat.NORTH, Seat.EAST, Seat.SOUTH, Seat.WEST)
DDS_STRAINS = (Strain.SPADES, Strain.HEARTS, Strain.DIAMONDS, Strain.CLUBS, Strain.NOTRUMP)


@dataclass(frozen=True)
class Played:
    """A deal and the cards played to it, legal from the first to the last."""

    deal: Deal
    strain: Strain
    leader: Seat
    cards: tuple[Card, ...]

    @property
    def position(self) -> Position:
        """Before the first card."""
        return Position(self.deal, self.strain, self.leader)


def boards(paths: list[str]) -> Iterator[Played]:
    """The boards of the files that have all that is needed."""
    for path in paths:
        for board in bridgespec.load(path).boards:
            contract, declarer = board.effective_contract, board.effective_declarer
            if board.deal is None or not board.deal.is_complete or board.play is None or declarer is None:
                continue
            if contract is None or contract.is_passed_out:
                continue
            position = Position(board.deal, contract.strain, declarer.next)
            cards: list[Card] = []
            for card in board.play.cards:
                if card not in position.playable:
                    break
                cards.append(card)
                position = position.after(card)
            if cards:
                yield Played(board.deal, contract.strain, declarer.next, tuple(cards))


def timed(action: Callable[[], list[int]]) -> tuple[float, list[int]]:
    """Seconds of the processor, and the result."""
    start = time.process_time()
    result = action()
    return time.process_time() - start, result


def positions(played: Played) -> list[Position]:
    """Every position of a play that has cards left, the first one included."""
    found, position = [], played.position
    for card in played.cards:
        found.append(position)
        position = position.after(card)
    return found


def trace(solver: Solver, played: Played) -> list[int]:
    """North-South's tricks before the first card and after each."""
    found = solver.trace(played.position, played.cards)
    return [found.tricks, *(card.tricks for card in found.cards)]


def trace_new(played: Played) -> list[int]:
    """The same with a context of its own."""
    with Solver() as solver:
        return trace(solver, played)


class Dds:
    """DDS's functions on one thread; nothing of Python's preparation is timed."""

    def __init__(self) -> None:
        self.dds = importlib.import_module("endplay._dds")
        self.dds.SetMaxThreads(1)

    def board(self, position: Position) -> object:
        """A position in DDS's form."""
        board = self.dds.deal()
        board.trump, board.first = DDS_STRAINS.index(position.strain), SEATS.index(position.leader)
        for index, card in enumerate(position.trick):
            board.currentTrickSuit[index], board.currentTrickRank[index] = card // 13, 14 - card % 13
        for slot, holder in enumerate(position.deal.holders):
            if holder < 4:
                board.remainCards[SEATS.index(Seat(holder))][slot // 13] |= 1 << (14 - slot % 13)
        return board

    def trace(self, played: Played) -> tuple[float, list[int]]:
        """AnalysePlayBin counts tricks of the declaring side."""
        line, found, board = self.dds.playTraceBin(), self.dds.solvedPlay(), self.board(played.position)
        line.number = len(played.cards)
        for index, card in enumerate(played.cards):
            line.suit[index], line.rank[index] = card // 13, 14 - card % 13
        seconds, _ = timed(lambda: self.dds.AnalysePlayBin(board, line, found, 0) or [])
        declarers = [found.tricks[index] for index in range(found.number)]
        return seconds, declarers if played.leader.side is Side.EW else [13 - tricks for tricks in declarers]

    def solve(self, position: Position, mode: int) -> tuple[float, list[int]]:
        """The tricks of the side on turn."""
        board, found = self.board(position), self.dds.futureTricks()
        seconds, _ = timed(lambda: self.dds.SolveBoard(board, -1, 1, mode, found, 0) or [])
        return seconds, [found.score[0]]


def compared(played: Played, ours: tuple[float, list[int]], theirs: tuple[float, list[int]]) -> tuple[float, float]:
    """The times of equal results; SystemExit where they differ. DDS leaves out the last trick's cards."""
    length = min(len(ours[1]), len(theirs[1]))
    if ours[1][:length] != theirs[1][:length]:
        raise SystemExit(f"{played.deal}: {ours[1]} here, {theirs[1]} in DDS")
    return ours[0], theirs[0]


def main(paths: list[str]) -> None:
    """Time each kind of work on each board, the two programs in turn."""
    found, dds = list(boards(paths)), Dds()
    print(f"{len(found)} boards, {sum(len(played.cards) for played in found)} cards; milliseconds a board")
    report("call new", [compared(played, timed(lambda p=played: trace_new(p)), dds.trace(played)) for played in found])
    with Solver() as kept:
        report("call kept", [compared(played, timed(lambda p=played: trace(kept, p)), dds.trace(played)) for played in found])
    with Solver() as kept:
        report("cards kept", [pair for played in found for pair in each_position(kept, dds, played)], len(found))


def each_position(kept: Solver, dds: Dds, played: Played) -> Iterator[tuple[float, float]]:
    """The positions of a play in order."""
    asked = positions(played)
    ours = [timed(lambda p=position: [kept.solve(p)]) for position in asked]
    theirs = [dds.solve(position, 2 if index else 1) for index, position in enumerate(asked)]
    for one, other in zip(ours, theirs, strict=True):
        yield compared(played, one, other)


def report(name: str, times: list[tuple[float, float]], count: int = 0) -> None:
    """Print the sums of a kind of work."""
    ours, theirs = (1000 * sum(column) / (count or len(times)) for column in zip(*times, strict=True))
    print(f"{name:10}  here {ours:8.3f}  DDS {theirs:8.3f}  ratio {ours / theirs:.2f}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
