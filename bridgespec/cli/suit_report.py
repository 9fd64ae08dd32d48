"""The output of the command ``suit``: the best play of a combination as lines of text."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from bridgespec.cli.settings import Settings
from bridgespec.model.cards import Seat
from bridgespec.model.combination import Combination
from bridgespec.model.hand import Holding
from bridgespec.suits import MODEL_NOTE, Goal, SuitPlay, picture, tree_text
from bridgespec.writing import written


def draw(settings: Settings, answer: SuitPlay, file: str) -> None:
    """Write the drawing of a combination's answer to a file."""
    with written(file, settings.sync) as out:
        out.write(picture(answer).encode())


def report(answer: SuitPlay, title: str, *, tree: bool, layouts: bool) -> Iterator[str]:
    """Yield the lines about a combination, about each goal (a number of tricks), and about the requested details."""
    ours = answer.combination
    yield f"{title + ': ' if title else ''}North {_holding(ours.north)}, South {_holding(ours.south)}; {_defenders(ours)}"
    for goal in answer.goals:
        yield from _goal(ours, goal, tree, layouts)
    yield MODEL_NOTE


def _holding(holding: Holding) -> str:
    return holding.ranks or "-"


def _defenders(ours: Combination) -> str:
    parts = [f"{seat} has {holding.ranks}" for seat, holding in ((Seat.WEST, ours.west), (Seat.EAST, ours.east)) if holding]
    parts.append(f"hidden {_holding(ours.hidden)}")
    if ours.vacant != (13, 13):
        parts.append(f"vacant places {ours.vacant[0]}-{ours.vacant[1]}")
    if ours.west_length != (0, 13):
        parts.append(f"West has {ours.west_length[0]} to {ours.west_length[1]} cards")
    for hand, count in zip((Seat.NORTH, Seat.SOUTH), ours.entries, strict=True):
        if count is not None:
            parts.append(f"{hand} can be entered {count} times" if count != 1 else f"{hand} can be entered once")
    if ours.lead_from is not None:
        parts.append(f"the first lead is from {ours.lead_from}")
    return ", ".join(parts)


def _value(goal: Goal, value: Fraction) -> str:
    return f"{float(value):.3f}" if goal.tricks is None else f"{float(100 * value):.2f}%"


def _goal(ours: Combination, goal: Goal, tree: bool, layouts: bool) -> Iterator[str]:
    name = "expected" if goal.tricks is None else f"{goal.tricks} trick{'s' if goal.tricks > 1 else ''}"
    bound = "" if goal.is_exact else f" or more, at most {_value(goal, goal.bound)} (the search ended early)"
    yield f"  {name:9} {_value(goal, goal.value):>7}{bound}  {goal.words}"
    for other in goal.others:
        cost = "as good" if not other.cost else f"costs {_value(goal, other.cost)}"
        yield f"  {'':9} {_value(goal, other.value):>7}  {other.words} ({cost})"
    if tree:
        yield from ("      " + line for line in tree_text(ours, goal.tree))
    if layouts:
        yield from ("      " + line for line in _layouts(goal))


def _layouts(goal: Goal) -> Iterator[str]:
    """Return the layouts of the defenders' cards for a goal: those with most tricks first, then the most probable."""
    for one in sorted(goal.layouts, key=lambda one: (-one.tricks, -one.chance, one.west.ranks)):
        result = f"{one.tricks}" if goal.tricks is None else "won" if one.tricks else "lost"
        yield f"{result:4}  {float(100 * one.chance):5.2f}%  West {_holding(one.west):8} East {_holding(one.east)}"
