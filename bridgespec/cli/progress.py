"""Progress, on a terminal and only there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

from bridgespec.cli.settings import Settings
from bridgespec.lazily import Lazy

if TYPE_CHECKING:
    from rich import progress as bars
else:
    bars = Lazy("rich.progress")

Item = TypeVar("Item")
FEW = 8
"""So few files need no bar."""


def tracked(settings: Settings, items: Iterable[Item], count: int, what: str) -> Iterable[Item]:
    """The items, with a bar while they are worked on; where results scroll by on the terminal they are progress enough."""
    if not settings.err.is_terminal or settings.out.is_terminal or count <= FEW:
        return items
    return _with_bar(settings, items, count, what)


def _with_bar(settings: Settings, items: Iterable[Item], count: int, what: str) -> Iterator[Item]:
    columns = (bars.TextColumn("{task.description}"), bars.BarColumn(), bars.MofNCompleteColumn(), bars.TimeRemainingColumn())
    with bars.Progress(*columns, console=settings.err, transient=True) as progress:
        yield from progress.track(items, total=count, description=what)


class Meter:
    """Counts bytes; shown as a bar where there is a terminal."""

    def __init__(self, progress: bars.Progress | None, total: int, what: str) -> None:
        self._progress = progress
        self._task = progress.add_task(what, total=total) if progress else None

    def reach(self, done: int, _total: int | None = None) -> None:
        """So many bytes are done."""
        if self._progress is not None and self._task is not None:
            self._progress.update(self._task, completed=done)


@contextmanager
def byte_meter(settings: Settings, total: int, what: str) -> Iterator[Meter]:
    """A bar of bytes done, speed of work and time left, while the block runs."""
    if not settings.err.is_terminal:
        yield Meter(None, total, what)
        return
    columns = (
        bars.TextColumn("{task.description}"),
        bars.BarColumn(),
        bars.DownloadColumn(),
        bars.TransferSpeedColumn(),
        bars.TimeRemainingColumn(),
    )
    with bars.Progress(*columns, console=settings.err, transient=True) as progress:
        yield Meter(progress, total, what)
