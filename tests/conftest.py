"""How the suite runs: what is left out by default, and how much Hypothesis tries.

``pytest`` runs the default suite, which takes five minutes on two cores, ``pytest -m "not slow"`` what a change must pass: the
long tests too. ``pytest -m slow`` runs the suites of hours and the cases outside the slices, and ``HYPOTHESIS_PROFILE=thorough``
makes every generated test try a hundred times as much; both together are for a night. The profile ``quick`` tries little and makes
no failure small: it is for a schema that is being written.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
import tempfile
from collections.abc import Iterator, Sequence
from importlib import import_module
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, settings
from xdist.scheduler import WorkStealingScheduling

from tests.browsing import CHROMIUM, FLAGS

# A shell that starts the suite in the background makes it ignore interrupts, and all that it starts.
signal.signal(signal.SIGINT, signal.default_int_handler)

_QUIET = (HealthCheck.too_slow, HealthCheck.data_too_large)

_PHASES = (Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink)
_ALWAYS = {"deadline": None, "suppress_health_check": _QUIET, "print_blob": False}

settings.register_profile("default", max_examples=12, phases=_PHASES, derandomize=True, database=None, **_ALWAYS)
settings.register_profile("quick", max_examples=5, phases=(Phase.generate,), derandomize=True, database=None, **_ALWAYS)
settings.register_profile("thorough", max_examples=3000, phases=_PHASES, **_ALWAYS)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))


# Every process of a run, and every command that it starts, shares one cache of compiled schemas. It is neither the user's nor an
# earlier run's, because a test must not pass by what one of them left; a folder that BRIDGESPEC_TEST_CACHE names is used as it is.
if "PYTEST_XDIST_WORKER" not in os.environ:
    _SHARED = tempfile.TemporaryDirectory(prefix="bridgespec-tests-", ignore_cleanup_errors=True)
    os.environ["BRIDGESPEC_CACHE"] = os.environ.get("BRIDGESPEC_TEST_CACHE") or os.path.join(_SHARED.name, "schemas")
    if sys.dont_write_bytecode:
        # Otherwise each of the hundreds of commands would compile the package, which takes longer than most of them.
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        os.environ["PYTHONPYCACHEPREFIX"] = sys.pycache_prefix = os.path.join(_SHARED.name, "bytecode")
        sys.dont_write_bytecode = False


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> object:
    """A process without work takes some of another's: the suite ends for all at once."""
    return WorkStealingScheduling(config, log)


LONG = ("test_clean", "word_for_word", "does_what_it_shows")
"""Tests that take a whole process for long: they are begun first, so that no process waits for one at the end."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Begin long tests first; leave out the slow ones unless the ``-m`` expression names them or a test is named.

    Where nothing chooses the tests but folders and files, the long ones and those of browsers are left out too. Where ``-k``
    chooses the tests (those of one format, say), all cases of sliced tests that it matches are run.
    """
    items.sort(key=lambda item: not any(word in item.name for word in LONG))
    if not config.option.keyword:
        for item, marker in left_out(items):
            item.add_marker(marker)
    if "slow" in config.option.markexpr or any("::" in argument for argument in config.args):
        return
    chosen = config.option.keyword or config.option.markexpr
    left = ("slow",) if chosen else ("slow", "long", "browser")
    outside = {item for item in items if any(map(item.get_closest_marker, left))}
    if outside:
        config.hook.pytest_deselected(items=[*outside])
        items[:] = [item for item in items if item not in outside]


def left_out(items: Sequence[pytest.Item]) -> Iterator[tuple[pytest.Item, str]]:
    """The cases of sliced tests that are not in the default suite, with the mark that they get.

    Of a test with ``slice(count, quick)``, ``count`` cases (None: all) are run for a change, and the others are slow; of these
    ``quick`` (otherwise all) are in the default suite, and the others are long. The slice of a test is drawn with its name as the
    seed: the same in every run and on every machine, and another one for every test, so that each format is in some of them.
    """
    cases: dict[str, list[pytest.Item]] = {}
    for item in items:
        if item.get_closest_marker("slice"):
            cases.setdefault(item.nodeid.partition("[")[0], []).append(item)
    for name, of_one in cases.items():
        marker = of_one[0].get_closest_marker("slice")
        assert marker is not None
        (count,) = marker.args
        size = len(of_one) if count is None else min(count, len(of_one))
        drawn = Random(name).sample(range(len(of_one)), size)
        place = {at: rank for rank, at in enumerate(drawn)}
        quick = marker.kwargs.get("quick", size)
        for at, item in enumerate(of_one):
            if at not in place:
                yield item, "slow"
            elif place[at] >= quick:
                yield item, "long"


def pytest_collection_finish() -> None:
    """What was imported and collected stays to the end: it need not be looked through for garbage again and again."""
    gc.collect()
    gc.freeze()


def pytest_unconfigure() -> None:
    """Extensions say what of theirs is left at the end."""
    gc.unfreeze()


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """A Chromium, for tests that are marked so."""
    with import_module("playwright.sync_api").sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield opened
        opened.close()
