"""What ``deal`` prints: the actions of a script, and how often a contract makes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from bridgespec.dealing.expression import Deals, Value
from bridgespec.dealing.script import Action, Print
from bridgespec.dealing.tally import Average, Frequency
from bridgespec.export.text import board_text
from bridgespec.model.board import Board
from bridgespec.model.cards import Seat
from bridgespec.model.contract import Contract
from bridgespec.model.score import points

_COMPASS = (Seat.NORTH, Seat.EAST, Seat.SOUTH, Seat.WEST)
_HOW_PBN = "printpbn"


@dataclass
class Made:
    """The deals that were found, and what was solved of them."""

    holders: NDArray[np.uint8] = field(default_factory=lambda: np.empty((0, 52), np.uint8))
    tricks: list[NDArray[np.int64]] = field(default_factory=list)


def action_lines(action: Action, made: Made, boards: Sequence[Board]) -> list[str]:
    """The lines of one action."""
    if isinstance(action, Average):
        return [f"{action.title + ': ' if action.title else ''}{action.mean:.6g} +- {action.error:.2g}"]
    if isinstance(action, Frequency):
        return list(_frequency(action))
    return list(_printed(action, made, boards))


def contract_lines(contract: Contract, declarer: Seat, made: Made, vulnerable: bool) -> list[str]:
    """How often it makes, with how many tricks, and what it scores."""
    tricks = np.concatenate(made.tricks) if made.tricks else np.empty(0, np.int64)
    if not len(tricks):
        return []
    count = len(tricks)
    share = float((tricks >= contract.level + 6).mean())
    score = np.array([points(contract, won, vulnerable) for won in range(14)], np.float64)[tricks]
    doubt = float((share * (1 - share) / count) ** 0.5)
    title = f"{contract} by {declarer.name.title()}"
    lines = [
        f"{title} makes on {share:.1%} +- {doubt:.1%} of {count:,} deals",
        f"{tricks.mean():.2f} tricks and {score.mean():+.0f} points on average{', vulnerable' if vulnerable else ''}",
    ]
    most = max(np.bincount(tricks))
    for won, times in enumerate(np.bincount(tricks)):
        if times:
            lines.append(f"{won:3} tricks {times / count:6.1%} {'█' * round(40 * times / most)}")
    return lines


def _frequency(action: Frequency) -> Iterator[str]:
    yield f"Frequency {action.title}:"
    names = ["Low", *map(str, range(action.low, action.high + 1)), "High"]
    counts = action.counts
    if action.other is None:
        shown = (place for place in range(len(names)) if 0 < place < len(names) - 1 or counts[place, 0])
        yield from (f"{names[place]:>5} {counts[place, 0]:12,}" for place in shown)
        return
    across = ["Low", *map(str, range(action.other[1], action.other[2] + 1)), "High"]
    yield " " * 5 + "".join(f"{name:>9}" for name in [*across, "Sum"])
    for name, row in [*zip(names, counts, strict=True), ("Sum", counts.sum(axis=0))]:
        yield f"{name:>5}" + "".join(f"{count:9,}" for count in [*row, row.sum()])


def _printed(action: Print, made: Made, boards: Sequence[Board]) -> Iterator[str]:
    columns = [
        value.column(Deals(made.holders)) if isinstance(value, Value) and len(made.holders) else value for value in action.shown
    ]
    for place, board in enumerate(boards):
        beside = "".join(
            part if isinstance(part, str) else f"{int(part[place])}" for part in columns if not isinstance(part, Value)
        )
        if board.deal is None:
            continue
        if action.how == "printes":
            yield beside.removesuffix("\n")
        elif action.how in ("printoneline", _HOW_PBN):
            hands = " ".join(f"{seat.name[0].lower()} {board.deal.hand(seat)}" for seat in _COMPASS)
            yield f'[Deal "{board.deal}"]' if action.how == _HOW_PBN else f"{hands} {beside}".rstrip()
        elif action.seats:
            yield from (f"{seat.name.title():5} {board.deal.hand(seat)}" for seat in action.seats)
        else:
            yield board_text(board) + "\n" + beside
