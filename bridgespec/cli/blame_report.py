"""Print losses from par for the commands ``match`` and ``bid``, and encode them as JSON values for a journal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple
from typing import Any

from rich.console import Console

from bridgespec.bidding.blame import ParLoss, ParLosses, Sum
from bridgespec.cli.bid_report import line

MOST_SUMS = 12
"""The maximum number of sums that are printed under one heading."""


def show_losses(console: Console, losses: ParLosses, whose: str) -> None:
    """Print the IMPs lost from par by class, by rule and by call, the largest loss first, with boards as examples."""
    line(console, f"{whose} lost {losses.mean:.3f} IMPs a board from par, on {len(losses.faults):,} of {losses.boards:,}")
    _show(console, "by class:", losses.by_class())
    _show(console, "by rule of the call at which it was lost:", losses.by_rule())
    _show(console, "by the auction up to that call:", losses.by_call())


def _show(console: Console, title: str, sums: Sequence[Sum]) -> None:
    if sums:
        line(console, title)
    for one in sums[:MOST_SUMS]:
        witnesses = ", ".join(map(str, one.witnesses))
        line(console, f"  {one.imps:5} IMPs on {one.boards:,} boards: {one.name}; board {witnesses}")


def encode_fault(one: ParLoss | None) -> list[Any] | None:
    """Return a loss as JSON values for a journal; None for None."""
    return None if one is None else list(astuple(one))


def decode_fault(kept: list[Any] | None) -> ParLoss | None:
    """Return the loss that `encode_fault` has encoded."""
    return None if kept is None else ParLoss(*kept)
