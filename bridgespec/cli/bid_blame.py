"""Losses from par on the boards of a file, computed board by board and kept in a journal, so that a stopped run can continue."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from bridgespec.bidding.bidder import Bidder
from bridgespec.bidding.blame import ParLoss, ParLosses, fault
from bridgespec.cli.bid_report import line
from bridgespec.cli.blame_report import decode_fault, encode_fault, show_losses
from bridgespec.cli.board_journal import BoardJournal
from bridgespec.cli.progress import tracked
from bridgespec.cli.settings import Settings
from bridgespec.model.board import Board, Vulnerability
from bridgespec.model.cards import Seat
from bridgespec.model.par import par
from bridgespec.solver import Solver


def blame_boards(settings: Settings, bidder: Bidder, boards: Sequence[Board], journal: Path | None) -> None:
    """Print the losses from par on the boards with a complete deal; boards in the journal of an earlier run are not bid again."""
    whole = [board for board in boards if board.deal is not None and board.deal.is_complete]
    done: list[ParLoss | None] = []
    left: Iterator[ParLoss | None] = iter(())
    if journal is None:
        left = _faults(bidder, whole)
    else:
        # Everything that decides an auction: entries of a journal that was made with anything else must not be taken over.
        task = (bidder.modules, bidder.samples, [(board.deal, board.number, board.dealer, board.vulnerability) for board in whole])
        kept = BoardJournal(journal, task, encode_fault, decode_fault)
        done += kept.kept
        if done:
            line(settings.err, f"{len(done):,} boards were done before")
        left = kept.keeping(_faults(bidder, whole[len(done) :]))
    done += tracked(settings, left, len(whole) - len(done), "boards")
    show_losses(settings.out, ParLosses((one for one in done if one is not None), len(whole)), "both sides")


def _faults(bidder: Bidder, boards: Sequence[Board]) -> Iterator[ParLoss | None]:
    """Yield the loss from par on each board; None for a board that reached par."""
    with Solver(64) as solver:
        for place, board in enumerate(boards):
            assert board.deal is not None
            # West is false as a number.
            dealer = Seat.NORTH if board.effective_dealer is None else board.effective_dealer
            vulnerability = board.effective_vulnerability or Vulnerability.NONE
            tricks = solver.table(board.deal)
            made = bidder.auction(board.deal, None, dealer, vulnerability)
            turn = bidder.turn([call.call for call in made.calls], dealer, vulnerability)
            best = par(tricks, dealer, vulnerability).score
            number = board.number if board.number is not None else place + 1
            yield fault(turn, [int(cell) for cell in tricks.cells], dealer, number, best)
