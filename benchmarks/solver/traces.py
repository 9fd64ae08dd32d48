"""What the cards of recorded plays cost: this package beside builds of DDS, with contexts that are new or kept, in turn.

``traces.py [--dds NAME=LIBRARY]... FILE...`` takes files with boards that record a deal, a contract and a play. Four kinds of work,
each with a pass of its own over all boards (processor time of one thread; the sums are printed, and our ratio to each DDS):

- ``call new``: one call a board (`Solver.trace`, DDS's AnalysePlayBin) with a new context for each board;
- ``call kept``: the same with one context for all boards;
- ``cards new``: each position of the play in a call of its own (`Solver.solve`, DDS's SolveBoard), and nothing kept (DDS solves a
  deal of another strain before each, untimed, since it keeps its table for positions of one deal in every mode);
- ``cards kept``: the same with one context for all, as an engine asks that follows the play.

The DDS inside endplay takes part, with one thread, and any library given. From the second position of a board on, DDS may reuse its
table (mode 2): DDS 2 that of its thread, DDS 3 that of a context that is passed to ``dds_c_solve_board``. DDS has no call that
keeps a context over boards for AnalysePlayBin. Every result is compared, and a difference ends the run.
"""

from __future__ import annotations

import argparse
import ctypes
import importlib
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

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
    """The functions of one build of DDS, on one thread; nothing of Python's preparation is timed."""

    def __init__(self, name: str, library: Path) -> None:
        self.name = name
        self.types = importlib.import_module("endplay._dds")
        self.dds = ctypes.CDLL(str(library))
        self.dds.SetMaxThreads(1)
        self.context = None
        if hasattr(self.dds, "dds_c_create_solvercontext_default"):
            self.dds.dds_c_create_solvercontext_default.restype = ctypes.c_void_p
            self.context = ctypes.c_void_p(self.dds.dds_c_create_solvercontext_default())

    def board(self, position: Position) -> object:
        """A position in DDS's form."""
        board = self.types.deal()
        board.trump, board.first = DDS_STRAINS.index(position.strain), SEATS.index(position.leader)
        for index, card in enumerate(position.trick):
            board.currentTrickSuit[index], board.currentTrickRank[index] = card // 13, 14 - card % 13
        for slot, holder in enumerate(position.deal.holders):
            if holder < 4:
                board.remainCards[SEATS.index(Seat(holder))][slot // 13] |= 1 << (14 - slot % 13)
        return board

    def forget(self, trump: int) -> None:
        """Empty the thread's table by a deal of another strain in which each hand is one suit.

        DDS 2 keeps the table, in every mode, while a deal of the same strain differs in few cards from the one before.
        """
        board = self.types.deal()
        board.trump, board.first = (trump + 1) % 5, 0
        for seat in range(4):
            board.remainCards[seat][seat] = 0x7FFC
        self.dds.SolveBoard(board, -1, 1, 1, ctypes.byref(self.types.futureTricks()), 0)

    def trace(self, played: Played) -> tuple[float, list[int]]:
        """AnalysePlayBin counts tricks of the declaring side."""
        line, found, board = self.types.playTraceBin(), self.types.solvedPlay(), self.board(played.position)
        line.number = len(played.cards)
        for index, card in enumerate(played.cards):
            line.suit[index], line.rank[index] = card // 13, 14 - card % 13
        seconds, _ = timed(lambda: [self.dds.AnalysePlayBin(board, line, ctypes.byref(found), 0)])
        declarers = [found.tricks[index] for index in range(found.number)]
        return seconds, declarers if played.leader.side is Side.EW else [13 - tricks for tricks in declarers]

    def solve(self, position: Position, keep: bool, mode: int) -> tuple[float, list[int]]:
        """The tricks of the side on turn; mode 2: the position follows one of the same deal, whose table serves."""
        board, found = self.board(position), self.types.futureTricks()
        if keep and self.context:
            call = self.dds.dds_c_solve_board
            seconds, _ = timed(lambda: [call(self.context, ctypes.byref(board), -1, 1, mode, ctypes.byref(found))])
        else:
            if not keep:
                self.forget(board.trump)
            seconds, _ = timed(lambda: [self.dds.SolveBoard(board, -1, 1, mode, ctypes.byref(found), 0)])
        return seconds, [found.score[0]]


def solve_new(position: Position) -> list[int]:
    """The tricks of the side on turn, with a context of its own."""
    with Solver() as solver:
        return [solver.solve(position)]


def compared(what: object, ours: tuple[float, list[int]], theirs: list[tuple[float, list[int]]]) -> list[float]:
    """The times of equal results, ours first; SystemExit where they differ. DDS leaves out the last trick's cards."""
    for _, found in theirs:
        length = min(len(ours[1]), len(found))
        if ours[1][:length] != found[:length]:
            raise SystemExit(f"{what}: {ours[1]} here, {found} in DDS")
    return [ours[0], *(seconds for seconds, _ in theirs)]


def by_call(played: Played, peers: list[Dds], action: Callable[[], list[int]]) -> list[list[float]]:
    """The times of one call for the whole play."""
    return [compared(played.deal, timed(action), [peer.trace(played) for peer in peers])]


def by_card(played: Played, peers: list[Dds], solve: Callable[[Position], list[int]], keep: bool) -> list[list[float]]:
    """The times of a call for each position of a play, in order; each program takes the whole play in turn."""
    asked = positions(played)
    ours = [timed(lambda p=position: solve(p)) for position in asked]
    theirs = [[peer.solve(position, keep, 2 if keep and index else 1) for index, position in enumerate(asked)] for peer in peers]
    return [compared(played.deal, one, list(others)) for one, *others in zip(ours, *theirs, strict=True)]


def report(work: str, boards: list[list[list[float]]], peers: list[Dds]) -> None:
    """Print the mean of each program for a kind of work."""
    ours, *theirs = (1000 * sum(column) / len(boards) for column in zip(*(row for rows in boards for row in rows), strict=True))
    cells = (f"{peer.name} {their:8.3f}  ratio {ours / their:.2f}" for peer, their in zip(peers, theirs, strict=True))
    print(f"{work:10}  here {ours:8.3f}  {'  '.join(cells)}", flush=True)


def main() -> None:
    """Time each kind of work on each board, the programs in turn."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", metavar="FILE")
    parser.add_argument("--dds", action="append", default=[], metavar="NAME=LIBRARY", help="another build of DDS")
    given = parser.parse_args()
    inside = Path(importlib.import_module("endplay._dds").__file__ or "").with_name("libdds.so")
    peers = [Dds("endplay", inside)]
    peers += [Dds(name, Path(library)) for name, _, library in (one.partition("=") for one in given.dds)]
    found = list(boards(given.files))
    print(f"{len(found)} boards, {sum(len(played.cards) for played in found)} cards; milliseconds a board")
    report("call new", [by_call(played, peers, lambda p=played: trace_new(p)) for played in found], peers)
    with Solver() as kept:
        report("call kept", [by_call(played, peers, lambda p=played: trace(kept, p)) for played in found], peers)
    report("cards new", [by_card(played, peers, solve_new, False) for played in found], peers)
    with Solver() as kept:
        report("cards kept", [by_card(played, peers, lambda p: [kept.solve(p)], True) for played in found], peers)


if __name__ == "__main__":
    main()
