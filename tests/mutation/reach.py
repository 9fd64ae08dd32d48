"""Which tests run which lines, and how long each takes: a plugin for one run of pytest under coverage.

    BRIDGESPEC_REACH=FILE [BRIDGESPEC_REACH_PACKAGES="NAME..."] pytest -p tests.mutation.reach TEST...

Of a test with many parameters some are taken, by a hash of their names: the map costs what it saves otherwise. Of tests of
generated JavaScript, recorded sessions and visits all are.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import coverage
import pytest

from tests.mutation.reached import lines_run, page_lines
from tests.targets.javascript import Reader

ROOT = Path(__file__).parent.parent.parent
PACKAGES = (
    os.environ.get("BRIDGESPEC_REACH_PACKAGES") or "codec rules spec model solver bidding cli cluster dealing tables"
).split()
"""Whose lines are counted: a map of few packages is made faster."""
PARAMETERS = 4
"""At most so many of each test's parameters."""
WHOLE = ("javascript/test_module.py", "test_transcripts.py", "test_visits.py")
"""Files whose tests are taken with every parameter: each is about something else."""

_COVERAGE = coverage.Coverage(data_file=None, source=[str(ROOT / "bridgespec" / name) for name in PACKAGES], config_file=False)
_TIMES: dict[str, float] = {}
_NODE = tempfile.TemporaryDirectory()
_SCRIPTS: dict[str, dict[str, set[int]]] = {}
"""The lines of JavaScript that each test ran."""
_READERS: list[Reader] = []


def spread(name: str) -> str:
    """A number that has nothing to do with the order of names."""
    return hashlib.sha256(name.encode()).hexdigest()


def pytest_configure() -> None:
    """Counting begins before the first module of ours is imported."""
    _COVERAGE.start()
    os.environ["NODE_V8_COVERAGE"] = _NODE.name
    start = Reader.__init__

    def noted(self: Reader) -> None:
        start(self)
        _READERS.append(self)

    Reader.__init__ = noted  # type: ignore[method-assign]


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Take a few of each test's parameters."""
    groups: dict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        groups[item.nodeid.partition("[")[0]].append(item)
    chosen = {
        id(item)
        for name, group in groups.items()
        for item in sorted(group, key=lambda one: spread(one.nodeid))[: None if any(file in name for file in WHOLE) else PARAMETERS]
    }
    config.hook.pytest_deselected(items=[item for item in items if id(item) not in chosen])
    items[:] = [item for item in items if id(item) in chosen]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Each test is a context of its own."""
    _COVERAGE.switch_context(item.nodeid)
    result = yield
    _COVERAGE.switch_context("")
    # Node.js writes what it has run when it ends; a reader that lives longer than the test is started anew.
    for reader in (alive := [one for one in _READERS if one.process.poll() is None]):
        reader.close()
    _SCRIPTS[item.nodeid] = page_lines() if "browser" in item.nodeid else lines_run(Path(_NODE.name))
    _READERS.clear()
    for reader in alive:
        Reader.__init__(reader)
    return result


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """What a test took, with what it needs; one that fails or is skipped finds nothing."""
    _TIMES[report.nodeid] = _TIMES.get(report.nodeid, 0.0) + report.duration
    if report.outcome != "passed":
        _FAILED.add(report.nodeid)


_FAILED: set[str] = set()


def pytest_sessionfinish() -> None:
    """Write the map: the tests with their seconds, and by file and line the numbers of the tests."""
    _COVERAGE.stop()
    data = _COVERAGE.get_data()
    tests = [name for name in _TIMES if name not in _FAILED]
    # What runs at import, or while tests are collected, runs in no test: its number is -1.
    number = {"": -1, **{name: index for index, name in enumerate(tests)}}
    lines: dict[str, dict[int, list[int]]] = {}
    for file in sorted(data.measured_files()):
        by_line = data.contexts_by_lineno(file)
        lines[str(Path(file).relative_to(ROOT))] = {
            line: sorted(number[name] for name in names if name in number) for line, names in sorted(by_line.items())
        }
    for name in tests:
        for file, ran in _SCRIPTS.get(name, {}).items():
            by_number = lines.setdefault(file, {})
            for line in ran:
                by_number.setdefault(line, []).append(number[name])
    Path(os.environ["BRIDGESPEC_REACH"]).write_text(json.dumps({"tests": [(name, _TIMES[name]) for name in tests], "lines": lines}))
