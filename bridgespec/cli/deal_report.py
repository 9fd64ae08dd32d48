"""The results of ``deal`` as lines of text: `action_lines` for an action of a script, `contract_lines` for the contract of
--solve.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from bridgespec.dealing.algebra import Condition
from bridgespec.dealing.expression import Deals
from bridgespec.dealing.script import Action, HandsCell, ParCell, Print, Shown
from bridgespec.dealing.tally import Average, ContractTally, FrequencyTable
from bridgespec.export.text import board_text
from bridgespec.model.board import Board, Vulnerability
from bridgespec.model.cards import SUITS, Seat
from bridgespec.model.contract import Contract
from bridgespec.model.deal import Deal
from bridgespec.model.par import par_of_sides
from bridgespec.model.score import points
from bridgespec.model.tricks import Tricks

# The program dealer prints a deal from North on; seats of the model begin with West.
_COMPASS = (Seat.NORTH, Seat.EAST, Seat.SOUTH, Seat.WEST)
_HOW_PBN = "printpbn"
_REPORTS = ("printrpt", "csvrpt")


@dataclass
class FoundDeals:
    """The deals that were found. ``tricks`` has the declarer's tricks in the contract of --solve, in arrays of consecutive
    deals.
    """

    deals: Deals = field(default_factory=lambda: Deals.joined([]))
    tricks: list[NDArray[np.int64]] = field(default_factory=list)

    @property
    def holders(self) -> NDArray[np.uint8]:
        """The holder of each card, shape (deals, 52)."""
        return self.deals.holders


def action_lines(action: Action, made: FoundDeals, boards: Sequence[Board]) -> list[str]:
    """Return the output of one action of a script as lines."""
    if isinstance(action, Average):
        return [f"{action.title + ': ' if action.title else ''}{action.mean:.6g} +- {action.error:.2g}"]
    if isinstance(action, FrequencyTable):
        return list(_frequency(action))
    if isinstance(action, ContractTally):
        return _tally_lines(action.contract, action.declarer, action.counts, action.vulnerable)
    return list(_printed(action, made, boards))


def contract_lines(contract: Contract, declarer: Seat, made: FoundDeals, vulnerable: bool) -> list[str]:
    """Return lines with how often a contract makes, how many tricks it takes, and its scores."""
    tricks = np.concatenate(made.tricks) if made.tricks else np.empty(0, np.int64)
    return _tally_lines(contract, declarer, np.bincount(tricks, minlength=14), vulnerable)


def _tally_lines(contract: Contract, declarer: Seat, counts: NDArray[np.int64], vulnerable: bool) -> list[str]:
    """Return lines about the results of a contract; ``counts`` has the number of deals for each number of tricks."""
    count = int(counts.sum())
    if not count:
        return []
    share = float(counts[contract.needed :].sum()) / count
    score = sum(int(times) * points(contract, won, vulnerable) for won, times in enumerate(counts)) / count
    mean = sum(int(times) * won for won, times in enumerate(counts)) / count
    # The standard error of a share in random deals (binomial).
    doubt = float((share * (1 - share) / count) ** 0.5)
    title = f"{contract} by {declarer.name.title()}"
    lines = [
        f"{title} makes on {share:.1%} +- {doubt:.1%} of {count:,} deals",
        f"{mean:.2f} tricks and {score:+.0f} points on average{', vulnerable' if vulnerable else ''}",
    ]
    most = max(counts)
    for won, times in enumerate(counts):
        if times:
            lines.append(f"{won:3} tricks {times / count:6.1%} {'█' * round(40 * times / most)}")
    return lines


def _frequency(action: FrequencyTable) -> Iterator[str]:
    """Yield the lines of a table of frequencies, of one expression or of two."""
    yield f"Frequency {action.title}:"
    names = ["Low", *map(str, action.down), "High"]
    counts = action.counts
    if action.other is None:
        # Low and High are shown only where values were out of bounds.
        shown = (place for place in range(len(names)) if 0 < place < len(names) - 1 or counts[place, 0])
        yield from (f"{names[place]:>5} {counts[place, 0]:12,}" for place in shown)
        return
    across = ["Low", *map(str, action.across), "High"]
    yield " " * 5 + "".join(f"{name:>9}" for name in [*across, "Sum"])
    for name, row in [*zip(names, counts, strict=True), ("Sum", counts.sum(axis=0))]:
        yield f"{name:>5}" + "".join(f"{count:9,}" for count in [*row, row.sum()])


def _printed(action: Print, made: FoundDeals, boards: Sequence[Board]) -> Iterator[str]:
    """Yield the lines of an action that prints deals, in the form that its statement names."""
    columns = [_cells(cell, made, boards) for cell in action.shown]
    for place, board in enumerate(boards):
        cells = [column[place] for column in columns]
        beside = "".join(cells)
        if board.deal is None:
            continue
        if action.how == "printes":
            yield beside.removesuffix("\n")
        elif action.how in _REPORTS:
            yield " ".join(cells) if action.how == "printrpt" else _row(cells)
        elif action.how == "export":
            yield from (f"{seat.name.lower()} {_predealt(board.deal, seat)}" for seat in action.seats)
        elif action.how in ("printoneline", _HOW_PBN):
            hands = " ".join(f"{seat.name[0].lower()} {board.deal.hand(seat)}" for seat in _COMPASS)
            yield f'[Deal "{board.deal}"]' if action.how == _HOW_PBN else f"{hands} {beside}".rstrip()
        elif action.seats:
            yield from (f"{seat.name.title():5} {board.deal.hand(seat)}" for seat in action.seats)
        else:
            yield board_text(board) + "\n" + beside


def _cells(cell: Shown, made: FoundDeals, boards: Sequence[Board]) -> list[str]:
    """Return the text of a cell for each board."""
    if isinstance(cell, str):
        return [cell] * len(boards)
    if isinstance(cell, Condition):
        return [f"{int(number)}" for number in cell.column(made.deals)]
    if isinstance(cell, HandsCell):
        return [
            " ".join(f"{seat.name[0].lower()} {board.deal.hand(seat)}" for seat in cell.seats) if board.deal is not None else ""
            for board in boards
        ]
    return [_pars(table, cell, board) for table, board in zip(made.deals.whole_tables(), boards, strict=True)]


def _pars(table: NDArray[np.uint8], cell: ParCell, board: Board) -> str:
    """Return par for the dealer's side on a board, with the contracts that give it."""
    # `or` would replace West, which is 0.
    dealer = board.effective_dealer if board.effective_dealer is not None else Seat.NORTH
    vulnerability = cell.vulnerability if cell.vulnerability is not None else board.effective_vulnerability
    return str(par_of_sides(Tricks(table.tobytes()), vulnerability or Vulnerability.NONE)[dealer.side])


def _row(cells: Sequence[str]) -> str:
    """Return cells as one line of comma-separated values."""
    text = io.StringIO()
    csv.writer(text, lineterminator="").writerow(cells)
    return text.getvalue()


def _predealt(deal: Deal, seat: Seat) -> str:
    """Return a hand in the form of the statement ``predeal``: ``SAK5,H97``."""
    holdings = zip(SUITS, deal.hand(seat).holdings, strict=True)
    return ",".join(f"{suit}{holding.ranks}" for suit, holding in holdings if holding.ranks)
