"""Progress of long work: a bar on a terminal, a line every ten seconds for other outputs, nothing with ``--quiet``.

`meter` is a context manager that reports progress; `tracked` wraps an iterable.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Literal, TypeVar

from bridgespec.cli.settings import Settings
from bridgespec.lazily import Lazy

if TYPE_CHECKING:
    from rich import filesize
    from rich import progress as bars
    from rich import text as rich_text
else:
    bars, filesize, rich_text = Lazy("rich.progress"), Lazy("rich.filesize"), Lazy("rich.text")

Item = TypeVar("Item")
ProgressUnit = Literal["bytes", "items", "deals"]
FEW = 8
"""The number of files up to which no bar is shown."""
EVERY = 10.0
"""Seconds between two lines of progress in a log."""
_STEADY = 120
"""Seconds over which a bar averages the rate: the times of solving deals differ a thousandfold."""


class Meter:
    """Counts the progress of one task; `meter` makes one for the duration of its block."""

    def __init__(self, done: int = 0) -> None:
        self.done = done

    def reach(self, done: int, _total: int | None = None) -> None:
        """Set the amount that is done."""
        self.done = done

    def advance(self, count: int) -> None:
        """Add to the amount that is done."""
        self.reach(self.done + count)


class _BarMeter(Meter):
    """Shows a bar on the terminal."""

    def __init__(self, progress: bars.Progress, total: int | None, what: str, done: int) -> None:
        super().__init__(done)
        self._progress = progress
        self._task = progress.add_task(what, total=total, completed=done)

    def reach(self, done: int, _total: int | None = None) -> None:
        self.done = done
        self._progress.update(self._task, completed=done)


class _LineMeter(Meter):
    """Prints a line every ten seconds, for logs and pipes."""

    def __init__(self, settings: Settings, total: int | None, what: str, unit: ProgressUnit, done: int) -> None:
        super().__init__(done)
        self._settings, self._total, self._what, self._unit = settings, total, what, unit
        self._next = time.monotonic() + EVERY

    def reach(self, done: int, _total: int | None = None) -> None:
        self.done = done
        if time.monotonic() < self._next:
            return
        self._next = time.monotonic() + EVERY
        share = f" ({100 * done // self._total}%)" if self._total else ""
        whole = f" of {self._spelled(self._total)}" if self._total else ""
        self._settings.err.print(rich_text.Text(f"{self._what}: {self._spelled(done)}{whole}{share}"), soft_wrap=True)

    def _spelled(self, count: int) -> str:
        return filesize.decimal(count) if self._unit == "bytes" else f"{count:,}"


@contextmanager
def meter(settings: Settings, total: int | None, what: str, unit: ProgressUnit = "items", done: int = 0) -> Iterator[Meter]:
    """Show the progress of the block; ``total`` is None where it is unknown, ``done`` is what earlier runs have done."""
    if settings.quiet:
        yield Meter(done)
    # A bar in a log is thousands of control characters.
    elif not settings.err.is_terminal:
        yield _LineMeter(settings, total, what, unit, done)
    else:
        with bars.Progress(*_columns(unit), console=settings.err, transient=True, speed_estimate_period=_STEADY) as progress:
            yield _BarMeter(progress, total, what, done)


def _columns(unit: ProgressUnit) -> list[bars.ProgressColumn]:
    """Return the columns of a bar that counts in a unit."""
    counted: list[bars.ProgressColumn] = [bars.TextColumn("{task.description}"), bars.BarColumn()]
    if unit == "bytes":
        counted += [bars.DownloadColumn(), bars.TransferSpeedColumn()]
    else:
        counted.append(bars.MofNCompleteColumn())
    if unit == "deals":
        counted += [_rate_column(), bars.TimeElapsedColumn(), bars.TextColumn("left")]
    return [*counted, bars.TimeRemainingColumn()]


def _rate_column() -> bars.ProgressColumn:
    # The class is inside the function because its base class is imported only when a bar is shown.
    class DealRate(bars.ProgressColumn):
        """The column of a bar with deals a second, or seconds a deal."""

        def render(self, task: bars.Task) -> rich_text.Text:
            speed = task.speed
            if not speed:
                return rich_text.Text("")
            return rich_text.Text(f"{speed:.1f} deals/s" if speed >= 1 else f"{1 / speed:.1f} s/deal")

    return DealRate()


def tracked(settings: Settings, items: Iterable[Item], count: int, what: str) -> Iterable[Item]:
    """Yield the items and show the progress. No progress is shown for few items, or if results are printed on the same terminal."""
    scrolls = settings.err.is_terminal and settings.out.is_terminal
    return items if scrolls or count <= FEW else _tracked(settings, items, count, what)


def _tracked(settings: Settings, items: Iterable[Item], count: int, what: str) -> Iterator[Item]:
    with meter(settings, count, what) as progress:
        for item in items:
            yield item
            progress.advance(1)
