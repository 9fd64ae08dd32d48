"""Plants mistakes one at a time and counts how many of them the suite finds.

    python -m tests.mutation [--journal FILE] [--reach FILE] [--count N] [--only PACKAGE]...
        [--again] [--tests TEST...] [--like REGEX] [--seed N] [--seconds N] [--before FILE...]

The sample is the mistakes whose names have the smallest hashes, so many of each package: it stays the same as long as the code
does. Each is tried with tests that run its line, quick and narrow ones first, in a fork of a process that has collected them all;
one that is not found there, in a process of its own, since it may change what runs at import. A mistake that no test notices
survives, and so does one that changes nothing. The journal is kept, and what stands in it is not tried again; ``--again`` tries
the survivors anew. The map of tests (``--reach``) is made first where it is missing; make a new one after adding tests. With
the journals of earlier runs (``--before``), the test that found a mistake there is tried first.
"""

from __future__ import annotations

import argparse
import functools
import gc
import hashlib
import importlib
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

import pytest
from _pytest.runner import runtestprotocol

from tests.mutation import javascript, native
from tests.mutation.mistakes import ROOT, Mistake, mistakes, planted

SHARES = {
    "codec": 200, "spec": 115, "model": 65, "rules": 50, "solver": 35, "native": 35,
    "cli": 90, "bidding": 65, "tables": 25, "dealing": 25, "cluster": 10, "runtime": 60, "page": 25,
}  # fmt: skip
"""Of 800 mistakes: about as the packages are large, but of the small ones at least this many."""
WHOLE = sum(SHARES.values())

SCRIPTS = {
    "runtime": ROOT / "bridgespec" / "targets" / "javascript" / "runtime",
    "page": ROOT / "bridgespec" / "webpage" / "static",
}
"""What is written in JavaScript."""

FOLDERS = (
    "model", "rules", "spec", "codec", "generate", "solver", "cli", "conformance",
    "bidding", "cluster", "dealing", "shapes", "specs", "tables", "webpage", "suits",
)  # fmt: skip
TESTS = (
    *(f"tests/{name}" for name in FOLDERS),
    *(f"tests/test_{name}.py" for name in ("samples", "writing", "recognise")),
    "tests/targets/javascript/test_module.py",
    *(f"bridgespec/{name}" for name in SHARES if name not in ("native", *SCRIPTS)),
)
SECONDS = 20.0
"""So much of a mistake's tests are run, by what they took when the map was made, unless it is said otherwise."""


class Reach:
    """The map that ``tests.mutation.reach`` wrote: tests by line, with what they take."""

    def __init__(self, path: Path, seconds: float = SECONDS) -> None:
        data = json.loads(path.read_text())
        self.seconds = seconds
        self.tests: list[tuple[str, float]] = [(name, seconds) for name, seconds in data["tests"]]
        self.lines: dict[str, dict[int, list[int]]] = {
            file: {int(line): tests for line, tests in lines.items()} for file, lines in data["lines"].items()
        }
        self.breadth = Counter(test for lines in self.lines.values() for tests in lines.values() for test in tests)

    def of(self, mistake: Mistake) -> list[str]:
        """The tests for a mistake, the most promising first, within the time."""
        lines = self.lines.get(mistake.path, {})
        near = {test for line in mistake.lines for test in lines.get(line, ())} - {-1}
        if not mistake.path.endswith(".py"):
            return self._within(self._sorted(near))
        if not mistake.inside:
            near |= self._naming(mistake)
        # What is worked out once and kept is seen in one test alone, and not in the others that rest on it.
        rest = {test for tests in lines.values() for test in tests} - near - {-1} if len(near) < 5 else set()
        return self._within([*self._sorted(near), *self._sorted(rest)])

    def _within(self, tests: Iterable[int]) -> list[str]:
        chosen: list[str] = []
        left = self.seconds
        for test in tests:
            left -= self.tests[test][1]
            if left < 0 and chosen:
                break
            chosen.append(self.tests[test][0])
        return chosen

    def imported(self, mistake: Mistake) -> bool:
        """Whether a mistake counts when its module is imported, or at what is done then."""
        return not mistake.inside or any(-1 in self.lines.get(mistake.path, {}).get(line, ()) for line in mistake.lines)

    def _naming(self, mistake: Mistake) -> set[int]:
        """The tests that run a line which names what a statement of a module or class sets."""
        first = (ROOT / mistake.path).read_text().splitlines()[mistake.lines[0] - 1]
        if not (named := re.search(r"(?:(?:def|class)\s+)?(\w+)", first)):
            return set()
        word = re.compile(rf"\b{named[1]}\b")
        return {
            test
            for file, lines in self.lines.items()
            for number, text in enumerate((ROOT / file).read_text().splitlines(), 1)
            if word.search(text)
            for test in lines.get(number, ())
            if test >= 0
        }

    def _sorted(self, tests: Iterable[int]) -> list[int]:
        """Quick and narrow ones first."""
        return sorted(tests, key=lambda test: (self.tests[test][1] + 0.002) * (self.breadth[test] + 100))


class Journal:
    """What became of each mistake, a line each: the last line of a mistake counts."""

    def __init__(self, path: Path, again: bool, before: Sequence[Path] = ()) -> None:
        self.path, self.again = path, again
        self.known = _rows(path)
        self.finders: dict[str, str] = {name: row["by"] for one in before for name, row in _rows(one).items() if row["by"]}
        """What found a mistake in an earlier run."""

    def wants(self, name: str) -> bool:
        """Whether a mistake is to be tried."""
        return name not in self.known or (self.again and self.known[name]["by"] == "")

    def add(self, name: str, by: str | None, started: float) -> None:
        """A mistake was tried: the test that found it, nothing where none did, None where it cannot be built."""
        row = {"name": name, "by": by, "seconds": round(time.monotonic() - started, 2)}
        self.known[name] = row
        with self.path.open("a") as file:
            file.write(json.dumps(row) + "\n")
        print(f"{'survived' if by == '' else 'found' if by else 'not built'}  {name}", flush=True)


def _rows(path: Path) -> dict[str, dict[str, Any]]:
    lines = path.read_text().splitlines() if path.exists() else []
    return {row["name"]: row for row in map(json.loads, lines)}


def sample(package: str, count: int, seed: int) -> list[Mistake] | list[native.Mistake]:
    """The mistakes of a package with the smallest hashes."""

    def order(mistake: Mistake | native.Mistake) -> str:
        return hashlib.sha256(f"{seed} {mistake.name}".encode()).hexdigest()

    if package == "native":
        return sorted(native.mistakes(), key=order)
    if package in SCRIPTS:
        found = [mistake for file in sorted(SCRIPTS[package].glob("*.js")) for mistake in javascript.mistakes(file)]
    else:
        found = [mistake for file in sorted((ROOT / "bridgespec" / package).rglob("*.py")) for mistake in mistakes(file)]
    return sorted(found, key=order)[:count]


def try_native(count: int, seed: int, journal: Journal) -> list[str]:
    """Build and try mistakes in C; those that do not compile are passed over. The names of those that count."""
    names: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        bench = native.Bench(Path(folder))
        for mistake in sample("native", count, seed):
            assert isinstance(mistake, native.Mistake)
            if len(names) == count:
                break
            if journal.wants(mistake.name):
                started = time.monotonic()
                journal.add(mistake.name, bench.tried(mistake), started)
            if journal.known[mistake.name]["by"] is not None:
                names.append(mistake.name)
    return names


class Forks:
    """A plugin: once pytest has collected everything, mistakes are tried in forks, instead of any test being run here."""

    def __init__(self, chosen: list[Mistake], reach: Reach | None, journal: Journal) -> None:
        self.chosen, self.reach, self.journal = chosen, reach, journal

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """All mistakes, one after the other."""
        items = {item.nodeid: item for item in session.items}
        if self.reach is None:
            items = passing(items)
        python = [mistake for mistake in self.chosen if mistake.path.endswith(".py")]
        for mistake in python:
            importlib.import_module(mistake.path[:-3].replace("/", ".").removesuffix(".__init__"))
        # What the suite has frozen is not listed.
        gc.unfreeze()
        functions: dict[str, list[FunctionType]] = defaultdict(list)
        for one in gc.get_objects():
            if type(one) is FunctionType:
                functions[one.__code__.co_filename].append(one)
            elif isinstance(one, functools._lru_cache_wrapper):
                CACHES.append(one)
        gc.freeze()
        for mistake in self.chosen:
            started = time.monotonic()
            names = list(items) if self.reach is None else self.reach.of(mistake)
            names = [name for name in dict.fromkeys([self.journal.finders.get(mistake.name, ""), *names]) if name in items]
            by = in_fork(mistake, functions[str(ROOT / mistake.path)], [items[name] for name in names]) if mistake.inside else ""
            # What was worked out at import is as it was in a fork.
            imported = not mistake.inside or (self.reach is not None and self.reach.imported(mistake))
            if by == UNCHANGED or (not by and imported and mistake.path.endswith(".py")):
                by = in_process(mistake, names)
            self.journal.add(mistake.name, by, started)
        return True


def in_fork(mistake: Mistake, functions: list[FunctionType], items: list[pytest.Item]) -> str:
    """The test that finds the mistake, empty where none does: run in a fork in which the functions have other code."""
    out, into = os.pipe()
    child = os.fork()
    if not child:
        try:
            silent = os.open(os.devnull, os.O_RDWR)
            for stream in (0, 1, 2):
                os.dup2(silent, stream)
            resource.setrlimit(resource.RLIMIT_CPU, (90, 95))
            resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
            os.write(into, tried(mistake, functions, items).encode())
            os._exit(0)
        finally:
            os._exit(3)
    os.close(into)
    with os.fdopen(out) as told:
        by = told.read()
    _, status = os.waitpid(child, 0)
    return by if status == 0 else "the process ended"


def tried(mistake: Mistake, functions: list[FunctionType], items: list[pytest.Item]) -> str:
    """Plant the mistake in this process and return what finds it; `UNCHANGED` where no function could be given other code."""
    if mistake.path.endswith(".js"):
        forget("bridgespec.webpage", "bridgespec.targets", "tests")
        with javascript.planted(ROOT / mistake.path, mistake.at):
            return first_failure(items)
    changed = exchange(functions, planted(ROOT / mistake.path, mistake.at))
    if "/spec/" in mistake.path:
        os.environ["BRIDGESPEC_CACHE"] = ""
        forget("bridgespec", "tests")
    return first_failure(items) if changed else UNCHANGED


def passing(items: dict[str, pytest.Item]) -> dict[str, pytest.Item]:
    """Those that pass without a mistake, tried in a fork: what fails anyway finds nothing."""
    out, into = os.pipe()
    child = os.fork()
    if not child:
        with os.fdopen(into, "w") as told:
            for name, item in items.items():
                if first_failure([item]):
                    told.write(f"{name}\n")
        os._exit(0)
    os.close(into)
    with os.fdopen(out) as told:
        failing = told.read().splitlines()
    os.waitpid(child, 0)
    print(*(f"not used, since it fails: {name}" for name in failing), sep="\n")
    return {name: item for name, item in items.items() if name not in failing}


def first_failure(items: list[pytest.Item]) -> str:
    """The first test that fails; empty where all pass."""
    for item in items:
        if any(report.failed for report in runtestprotocol(item, log=False, nextitem=None)):
            return item.nodeid
    return ""


CACHES: list[functools._lru_cache_wrapper[Any]] = []
"""What functions keep; listed before the collector is told to leave everything alone."""
UNCHANGED = "?"
"""No function could be given other code."""


def exchange(functions: list[FunctionType], tree: Any) -> bool:
    """Give functions the code that they have in another version of their file; whether that changed any."""
    changed = False
    new = {_key(code): code for code in _codes(compile(tree, functions[0].__code__.co_filename, "exec"))} if functions else {}
    for function in functions:
        code = new.get(_key(function.__code__))
        if code is not None and code.co_freevars == function.__code__.co_freevars:
            changed = changed or code != function.__code__
            function.__code__ = code
    return changed


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


def _key(code: CodeType) -> tuple[object, ...]:
    # Of several functions without a name in one line each has another end.
    end = list(code.co_positions())[-1] if code.co_name == "<lambda>" else None
    return code.co_qualname, code.co_firstlineno, end


def forget(*packages: str) -> None:
    """Clear what functions of these packages have computed before and kept."""
    for one in CACHES:
        if str(one.__module__).startswith(packages):
            one.cache_clear()


def in_process(mistake: Mistake, names: list[str]) -> str:
    """The same in a process of its own, which imports the file with its mistake."""
    if not names:
        return ""
    command = [
        sys.executable,
        "-m",
        "tests.mutation.alone",
        mistake.path,
        str(mistake.at),
        "-x",
        "-q",
        "-p",
        "no:cacheprovider",
        *names,
    ]
    limits = 'ulimit -t 100; ulimit -v 8000000; exec "$@"'
    done = subprocess.run(["sh", "-c", limits, "sh", *command], cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return ""
    return next(iter(re.findall(r"^(?:FAILED|ERROR) (\S+)", done.stdout, re.M)), "the process ended")


def main() -> int:
    """The command; see the module."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description="Plant mistakes and count those that are found.")
    parser.add_argument("--journal", type=Path, default=ROOT / "build" / "mutation.jsonl", help="what became of each")
    parser.add_argument("--reach", type=Path, default=ROOT / "build" / "reach.json", help="the map of tests; made where missing")
    parser.add_argument("--count", type=int, default=WHOLE, help=f"how many mistakes (default: {WHOLE})")
    parser.add_argument("--seed", type=int, default=1, help="of the sample (default: 1)")
    parser.add_argument("--only", action="append", choices=SHARES, help="a package (default: all)")
    parser.add_argument("--again", action="store_true", help="try the survivors anew")
    parser.add_argument("--tests", nargs="+", metavar="TEST", help="with these tests alone, instead of those of the map")
    parser.add_argument("--seconds", type=float, default=SECONDS, help=f"of tests for each mistake (default: {SECONDS:g})")
    parser.add_argument("--before", nargs="+", type=Path, default=[], metavar="FILE", help="journals of earlier runs")
    parser.add_argument("--like", default="", metavar="REGEX", help="only mistakes in whose names this is found")
    options = parser.parse_args()
    packages = options.only or list(SHARES)
    counts = {package: SHARES[package] * options.count // WHOLE for package in packages}
    options.journal.parent.mkdir(parents=True, exist_ok=True)
    journal = Journal(options.journal, options.again, options.before)
    python = {package: sample(package, count, options.seed) for package, count in counts.items() if package != "native"}
    left = [one for chosen in python.values() for one in chosen if isinstance(one, Mistake) and journal.wants(one.name)]
    left = [one for one in left if re.search(options.like, one.name)]
    # Whenever the run is stopped, of each package about the same share has been tried.
    share = {one.name: at / len(chosen) for chosen in python.values() for at, one in enumerate(chosen)}
    left.sort(key=lambda one: share[one.name])
    if left and options.tests:
        pytest.main(["-q", "-s", "-p", "no:cacheprovider", *options.tests], plugins=[Forks(left, None, journal)])
    elif left:
        if not options.reach.exists():
            command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "tests.mutation.reach", *TESTS]
            subprocess.run(command, cwd=ROOT, env={**os.environ, "BRIDGESPEC_REACH": str(options.reach)}, check=False)
        reach = Reach(options.reach, options.seconds)
        files = sorted({name.partition("::")[0] for name, _ in reach.tests})
        arguments = ["-q", "-s", "-p", "no:cacheprovider", "--continue-on-collection-errors", *files]
        pytest.main(arguments, plugins=[Forks(left, reach, journal)])
    names = {package: [one.name for one in chosen] for package, chosen in python.items()}
    if "native" in counts:
        names["native"] = try_native(counts["native"], options.seed, journal)
    return report(names, journal)


def report(names: dict[str, list[str]], journal: Journal) -> int:
    """Print the score of each package, and the survivors; 1 where fewer than 92 in a hundred were found."""
    found = total = 0
    for package, chosen in names.items():
        survivors = [name for name in chosen if journal.known.get(name, {"by": ""})["by"] == ""]
        found, total = found + len(chosen) - len(survivors), total + len(chosen)
        print(f"{package}: {len(chosen) - len(survivors)} of {len(chosen)} found")
        print(*(f"  {name}" for name in survivors), sep="\n")
    print(f"{found} of {total} found: {found / max(total, 1):.1%}")
    return int(found < 0.92 * total)


if __name__ == "__main__":
    sys.exit(main())
