"""Progress is a line now and then where nobody watches, and nothing where it is not wanted."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from bridgespec.cli import progress
from bridgespec.cli.progress import FEW, meter, tracked
from bridgespec.cli.settings import Settings
from tests.told import numbers


def piped(quiet: bool = False) -> tuple[Settings, io.StringIO]:
    """Settings whose standard error is a file."""
    settings, told = Settings(quiet=quiet), io.StringIO()
    settings.__dict__["err"] = Console(file=told, force_terminal=False, width=100)
    return settings, told


def test_a_line_every_ten_seconds_where_there_is_no_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first line comes after ten seconds, the next ten seconds later; each has what is done and the share of it."""
    now = [0.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    settings, told = piped()
    with meter(settings, 4_000_000, "writing x.zbd", "bytes") as shown:
        for seconds, done in ((9.0, 1_000_000), (11.0, 2_000_000), (12.0, 2_500_000), (22.0, 3_000_000)):
            now[0] = seconds
            shown.reach(done)
    assert told.getvalue().splitlines() == ["writing x.zbd: 2.0 MB of 4.0 MB (50%)", "writing x.zbd: 3.0 MB of 4.0 MB (75%)"]


def test_nothing_is_reported_where_quiet_is_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    """With `--quiet` no line is printed however long it takes; what is counted is counted."""
    monkeypatch.setattr(progress, "EVERY", 0.0)
    settings, told = piped(quiet=True)
    with meter(settings, None, "solving", "deals", 3) as shown:
        shown.advance(2)
    assert (shown.done, told.getvalue()) == (5, "")


def test_items_are_counted_as_they_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every item comes through; a few items need no progress."""
    monkeypatch.setattr(progress, "EVERY", 0.0)
    settings, told = piped()
    assert list(tracked(settings, range(FEW), FEW, "checking")) == list(range(FEW))
    assert told.getvalue() == ""
    assert list(tracked(settings, range(20), 20, "checking")) == list(range(20))
    last = told.getvalue().splitlines()[-1]
    assert (last.split(":")[0], numbers(last)) == ("checking", [20, 20, 100])
