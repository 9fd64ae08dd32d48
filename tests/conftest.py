"""How the suite runs: what is left out by default, and how much Hypothesis tries.

``pytest`` runs the default suite, which takes three minutes on two cores, ``pytest -m "not slow"`` what a change must pass: the
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
from collections.abc import Generator, Iterator
from importlib import import_module
from pathlib import Path
from random import Random
from typing import Any

import pytest
from _pytest.doctest import DoctestModule
from hypothesis import HealthCheck, Phase, settings
from xdist.scheduler import WorkStealingScheduling

from tests.browsing import CHROMIUM, FLAGS
from tests.listed import keep_in

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


# Collection allocates much and frees nearly nothing: looking for garbage meanwhile takes a tenth of it.
gc.disable()


class FewDoctests:
    """A plugin that looks for doctests only in files with a prompt: otherwise every module would be imported and searched.

    Hooks of this file are called for the files beside it only.
    """

    @pytest.hookimpl(wrapper=True)
    def pytest_collect_file(self, file_path: Path) -> Generator[None, list[pytest.Collector], list[pytest.Collector]]:
        """Drop the collector of doctests where there are none."""
        collectors = yield
        if any(isinstance(one, DoctestModule) for one in collectors) and b">>> " not in file_path.read_bytes():
            return [one for one in collectors if not isinstance(one, DoctestModule)]
        return collectors


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> object:
    """A process without work takes some of another's: the suite ends for all at once."""
    return WorkStealingScheduling(config, log)


LONG = ("test_clean", "word_for_word", "does_what_it_shows")
"""Tests that take a whole process for long: they are begun first, so that no process waits for one at the end."""


def pytest_configure(config: pytest.Config) -> None:
    """Keep lists of parameters beside what pytest keeps itself."""
    config.pluginmanager.register(FewDoctests())
    if hasattr(config, "cache") and config.cache is not None:
        keep_in(config.cache.mkdir("lists"))


def left_out(config: pytest.Config) -> tuple[str, ...]:
    """Return the marks of the tests that a run leaves out.

    Where nothing chooses the tests but folders and files, these are the slow tests, the long ones and those of browsers; otherwise
    the slow ones, unless the ``-m`` expression names them or a test is named.
    """
    if any("::" in argument for argument in config.args) or "slow" in config.option.markexpr:
        return ()
    return ("slow",) if config.option.keyword or config.option.markexpr else ("slow", "long", "browser")


def drawn_marks(name: str, cases: int, count: int | None, quick: int | None = None) -> list[str]:
    """Return the mark that the slice of a test adds to each of its cases, "" for those of the default suite.

    Of a test with ``slice(count, quick)``, ``count`` cases (None: all) are run for a change, and the others are slow; of these
    ``quick`` (otherwise all) are in the default suite, and the others are long. The slice of a test is drawn with its name as the
    seed: the same in every run and on every machine, and another one for every test, so that each format is in some of them.
    """
    size = cases if count is None else min(count, cases)
    marks = ["slow"] * cases
    for rank, at in enumerate(Random(name).sample(range(cases), size)):
        marks[at] = "" if quick is None or rank < quick else "long"
    return marks


@pytest.hookimpl(wrapper=True)
def pytest_generate_tests(metafunc: pytest.Metafunc) -> Generator[None, None, None]:
    """Mark the cases of sliced tests, and drop those that are left out before items are made of them, which takes longer.

    Where ``-k`` chooses the tests (those of one format, say), all cases that it matches are run.
    """
    yield
    calls, option = metafunc._calls, metafunc.config.option
    marker = metafunc.definition.get_closest_marker("slice")
    if marker and calls and not option.keyword:
        for call, mark in zip(
            calls, drawn_marks(metafunc.definition.nodeid, len(calls), *marker.args, **marker.kwargs), strict=True
        ):
            call.marks.extend([getattr(pytest.mark, mark).mark] if mark else [])
    # What -m would deselect later.
    left = {"slow"} if option.markexpr == "not slow" else {*left_out(metafunc.config)}
    if left.intersection(mark.name for mark in metafunc.definition.iter_markers()):
        # Without any case, pytest would make an item without parameters.
        del calls[1:]
    else:
        calls[:] = [call for call in calls if left.isdisjoint(mark.name for mark in call.marks)] or calls[:1]


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Begin long tests first, and deselect those that are left out."""
    items.sort(key=lambda item: not any(word in item.name for word in LONG))
    left = left_out(config)
    outside = {item for item in items if any(map(item.get_closest_marker, left))}
    if outside:
        config.hook.pytest_deselected(items=[*outside])
        items[:] = [item for item in items if item not in outside]


def pytest_collection_finish() -> None:
    """What was imported and collected stays to the end: it need not be looked through for garbage again and again."""
    gc.freeze()
    gc.enable()


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
