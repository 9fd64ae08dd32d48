"""The output of the commands ``match`` and ``bid`` on losses from par, and the form of losses in a journal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple
from typing import Any

from rich.console import Console

from bridgespec.bidding.blame import ParLoss, ParLosses, Sum
from bridgespec.cli.bid_report import line

MOST_SUMS = 12


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
    """Return a fault as JSON values for a journal."""
    return None if one is None else list(astuple(one))


def decode_fault(kept: list[Any] | None) -> ParLoss | None:
    """Return the fault that `encode_fault` made the JSON values of."""
    return None if kept is None else ParLoss(*kept)
