"""The double-dummy solver: the tricks of each side when all four hands are known and all play best.

`solve_deal`, `solve_many`, `par`, `card_worths` and `analyse_play` return single results. A `Solver` solves many positions one
after the other; `solve_tables` and `stream_tables` solve many deals on all cores, `solve_document` the boards of a file.
"""

from bridgespec.solver.batch import ALL_CELLS, solve_packed, solve_tables, stream_tables, usable_cores
from bridgespec.solver.context import (
    CardResult,
    Line,
    Mode,
    PlayedCard,
    PlayTrace,
    Relevance,
    Solver,
    Statistics,
    cell_mask,
)
from bridgespec.solver.document_tables import solve_document
from bridgespec.solver.library import SolverMissing
from bridgespec.solver.packing import pack_deals, pack_tables, unpack_deals, unpack_tables
from bridgespec.solver.position import Position
from bridgespec.solver.single_results import analyse_play, card_worths, par, solve_deal, solve_many
from bridgespec.solver.solver_errors import Cancelled, PositionError, SolverError

__all__ = [
    "ALL_CELLS",
    "Cancelled",
    "CardResult",
    "Line",
    "Mode",
    "PlayTrace",
    "PlayedCard",
    "Position",
    "PositionError",
    "Relevance",
    "Solver",
    "SolverError",
    "SolverMissing",
    "Statistics",
    "analyse_play",
    "card_worths",
    "cell_mask",
    "pack_deals",
    "pack_tables",
    "par",
    "solve_deal",
    "solve_document",
    "solve_many",
    "solve_packed",
    "solve_tables",
    "stream_tables",
    "unpack_deals",
    "unpack_tables",
    "usable_cores",
]
