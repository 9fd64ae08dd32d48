"""Draw the answer of a query as a chart: `Chart.of` takes columns and rows, `plot` writes the file.

The last column is the number, the one or two columns before it are the groups.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, BinaryIO

from bridgespec.errors import UsageError
from bridgespec.extras import Extra

if TYPE_CHECKING:
    import matplotlib
    from matplotlib import figure
else:
    matplotlib, figure = Extra("matplotlib"), Extra("matplotlib.figure")

KINDS = (".svg", ".png")
SIZE = (7.2, 4.2)
"""Width and height of a chart in inches."""


@dataclass(frozen=True, slots=True)
class Chart:
    """The data of a chart. Created by `of` from an answer.

    ``names`` are the names of the columns. ``groups`` are the different values of the first column, along the axis; ``series``
    those of the second column, or a single None if there are two columns. ``numbers`` has the number of each pair of group and
    series; pairs without a number are left out.
    """

    names: tuple[str, ...]
    groups: tuple[Any, ...]
    series: tuple[Any, ...]
    numbers: dict[tuple[Any, Any], float]

    @classmethod
    def of(cls, names: Sequence[str], rows: Sequence[Sequence[Any]]) -> Chart:
        """Return the chart of an answer of two or three columns. Raises UsageError for any other answer.

        >>> chart = Chart.of(["fit", "tricks"], [[8, 7.9], [9, 8.8]])
        >>> chart.groups, chart.series, chart.numbers[9, None]
        ((8, 9), (None,), 8.8)
        """
        numeric = all(isinstance(row[-1], int | float) or row[-1] is None for row in rows)
        if len(names) not in (2, 3) or not numeric:
            columns = ", ".join(names)
            raise UsageError(f"a chart is of one number by one group or two, the number last; the columns are {columns}")
        if not rows:
            raise UsageError("there is nothing to draw: the answer has no rows")
        if any(isinstance(value, float) and not math.isfinite(value) for row in rows for value in row):
            raise UsageError("a chart is of finite numbers, and the answer has nan or inf: leave these rows out")
        groups = dict.fromkeys(row[0] for row in rows)
        series = dict.fromkeys(row[1] if len(names) == 3 else None for row in rows)
        pairs = {(row[0], row[1] if len(names) == 3 else None): float(row[-1]) for row in rows if row[-1] is not None}
        return cls(tuple(names), tuple(groups), tuple(series), pairs)


def plot(chart: Chart, file: BinaryIO, path: str) -> None:
    """Draw a chart as SVG or PNG, by the suffix of the path: lines where the groups are numbers, else bars.

    Equal charts give identical files.
    """
    suffix = PurePath(path).suffix.lower()
    if suffix not in KINDS:
        raise UsageError(f"{path}: a plot is written to {' or '.join(KINDS)}")
    # Without a salt the ids of an SVG are random, and equal charts would give different files.
    with matplotlib.rc_context({"svg.hashsalt": "bridgespec", "font.size": 10, "svg.fonttype": "none"}):
        # A Figure of its own: pyplot keeps state for the process and looks for a display.
        drawn = figure.Figure(figsize=SIZE, layout="constrained")
        axes = drawn.add_subplot()
        if all(isinstance(group, int | float) for group in chart.groups):
            _lines(axes, chart)
        else:
            _bars(axes, chart)
        axes.set_xlabel(chart.names[0])
        axes.set_ylabel(chart.names[-1])
        axes.grid(axis="y", alpha=0.3)
        axes.spines[["top", "right"]].set_visible(False)
        if len(chart.series) > 1:
            axes.legend(title=chart.names[1], frameon=False)
        # Matplotlib writes the time into an SVG, which would make equal charts differ.
        drawn.savefig(file, format=suffix[1:], dpi=150, metadata={"Date": None} if suffix == ".svg" else None)


def _lines(axes: Any, chart: Chart) -> None:
    """Draw a line for each series."""
    for one in chart.series:
        # Sorted, because without ORDER BY the rows of an answer are in any order.
        found = sorted((group, chart.numbers[group, one]) for group in chart.groups if (group, one) in chart.numbers)
        axes.plot([group for group, _ in found], [number for _, number in found], marker="o", markersize=3, label=str(one))


def _bars(axes: Any, chart: Chart) -> None:
    """Draw for each group a bar of each series, side by side."""
    width = 0.8 / len(chart.series)
    for at, one in enumerate(chart.series):
        places = [place + (at - (len(chart.series) - 1) / 2) * width for place in range(len(chart.groups))]
        axes.bar(places, [chart.numbers.get((group, one), 0.0) for group in chart.groups], width, label=str(one))
    axes.set_xticks(range(len(chart.groups)), [str(group) for group in chart.groups])
