"""Solve the boards of a document: `solve_document` takes a `Document` and returns it with a table for every complete deal."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from bridgespec.model.board import Board
from bridgespec.model.deal import OUT, UNKNOWN
from bridgespec.model.document import Document
from bridgespec.model.par import par
from bridgespec.model.tricks import UNSOLVED, Tricks
from bridgespec.solver.batch import DealProgress, solve_tables
from bridgespec.solver.context import MEMORY_MB
from bridgespec.solver.packing import ByteArray


def board_arrays(boards: Sequence[Board]) -> tuple[ByteArray, ByteArray]:
    """Return the deals of boards as (n, 52) holders, and their tables as (n, 20) cells; unknown if a board has none.

    A table of zeros becomes unknown, since programs write it for unsolved deals.
    """
    deals = b"".join(board.deal.holders if board.deal else bytes([UNKNOWN]) * 52 for board in boards)
    tables = b"".join(board.tricks.cells if board.tricks else bytes([UNSOLVED]) * 20 for board in boards)
    return np.frombuffer(deals, np.uint8).reshape(-1, 52), no_zeros(np.frombuffer(tables, np.uint8).reshape(-1, 20))


def no_zeros(tables: ByteArray) -> ByteArray:
    """Return (n, 20) tables, with each table that has at least five known cells, all of them zero, replaced by an unknown one."""
    known = tables != UNSOLVED
    # In each strain of a solved deal somebody takes a trick: zeros in five cells or more are a table that was never filled in.
    empty = (known.sum(axis=1) >= 5) & ~(known & (tables > 0)).any(axis=1)
    cleared: ByteArray = np.where(empty[:, None], np.uint8(UNSOLVED), tables)
    return cleared


def solvable(deals: ByteArray) -> NDArray[np.bool_]:
    """Return for each of (n, 52) deals whether the holder of every card is known, and the hands are of equal size and not empty."""
    sizes = np.stack([np.count_nonzero(deals == seat, axis=1) for seat in range(4)])
    good: NDArray[np.bool_] = (sizes == sizes[0]).all(axis=0) & (sizes[0] > 0) & (deals <= OUT).all(axis=1)
    return good


def with_table(board: Board, tricks: Tricks, with_par: bool = True) -> Board:
    """Return the board with a table; with ``with_par`` also with par, unless it has par, or lacks dealer or vulnerability."""
    filled = replace(board, tricks=tricks)
    dealer, vulnerability = board.effective_dealer, board.effective_vulnerability
    if not with_par or board.par or dealer is None or vulnerability is None or tricks.known < 20:
        return filled
    if board.deal is None or not board.deal.is_complete:
        return filled
    return replace(filled, par=par(tricks, dealer, vulnerability).points)


def solve_document(
    document: Document,
    *,
    threads: int | None = None,
    memory_mb: int = MEMORY_MB,
    progress: DealProgress | None = None,
    cancel: threading.Event | None = None,
) -> Document:
    """Return the document with a table for every complete deal that lacks one, and par where dealer and vulnerability are known.

    Known cells are kept, and boards without a complete deal are unchanged. The other parameters are those of `solve_tables`.

    >>> from bridgespec.model.deal import Deal
    >>> solved = solve_document(Document((Board(deal=Deal.parse("N:A... K... Q... J...")), Board())))
    >>> solved.boards[0].tricks.cells.hex(), solved.boards[1].tricks
    ('0001000100010001000100010001000100010001', None)
    """
    if not isinstance(document, Document):
        raise TypeError(
            f"this solves a Document, not {type(document).__name__}; solve_deal takes a deal, solve_many any number of them"
        )
    deals, tables = board_arrays(document.boards)
    # A deal is solved completely if any cell is missing; the cells of the file are taken where it has them.
    missing = solvable(deals) & (tables == UNSOLVED).any(axis=1)
    solved = solve_tables(deals[missing], threads=threads, memory_mb=memory_mb, progress=progress, cancel=cancel)
    rows = iter(np.where(tables[missing] == UNSOLVED, solved, tables[missing]))
    boards = tuple(
        with_table(board, Tricks(next(rows).tobytes())) if lacks else board
        for board, lacks in zip(document.boards, missing, strict=True)
    )
    return replace(document, boards=boards)
