"""What the rules about the table share: the contract, declarer and play that a board really has."""

from __future__ import annotations

from functools import lru_cache

from bridgespec.model.auction import Auction
from bridgespec.model.board import Board
from bridgespec.model.cards import Seat
from bridgespec.model.contract import Contract
from bridgespec.model.playing import PlayAnalysis, analyse


def settled(board: Board) -> Auction | None:
    """The board's auction where its calls alone settle the contract: legal, finished, nothing irregular."""
    auction = board.auction
    if auction is None or not auction.is_finished or auction.first_illegal is not None:
        return None
    return None if any(made.irregular for made in auction.calls) else auction


def contract_of(board: Board) -> Contract | None:
    """The stated contract, else the auction's."""
    if board.contract is not None:
        return board.contract
    auction = settled(board)
    return auction.contract if auction else None


def declarer_of(board: Board) -> Seat | None:
    """The stated declarer, else the auction's."""
    if board.declarer is not None:
        return board.declarer
    auction = settled(board)
    return auction.declarer if auction else None


def marked(board: Board) -> bool:
    """Whether the source itself calls the result, or a card of the play, contrary to the game: tricks may have been transferred."""
    return "result" in board.irregular or (board.play is not None and any(note.irregular for note in board.play.notes))


def played(board: Board) -> PlayAnalysis | None:
    """The judged play of a board; None where there is none, or its strain is not known."""
    contract = contract_of(board)
    if board.play is None or contract is None or contract.is_passed_out:
        return None
    return _analyse(board.play, contract.strain, declarer_of(board), board.deal)


_analyse = lru_cache(maxsize=8192)(analyse)
