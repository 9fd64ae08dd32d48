"""The solver in whatever form it was installed: as a library beside its declarations, or not at all."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from bridgespec.solver import library

ROOT = Path(__file__).parent.parent.parent
NATIVE = ROOT / "native"

ANSWERS = """
import signal, sys
from bridgespec import Deal, Seat, Solver, Strain, card_worths, CardPlay, analyse_play, solve_deal, solve_many
from bridgespec.solver import Position, PositionError, library
deals = [Deal.random(seed) for seed in range(3)]
for deal in deals:
    print(solve_deal(deal).cells.hex())
    table = CardPlay(deal, Strain.HEARTS, Seat.WEST)
    print({str(card): tricks for card, tricks in card_worths(table).items()})
    for _ in range(9):
        table.play(table.legal[0])
    print([played.cost for played in analyse_play(table).cards])
print(list(solve_many(deals, threads=2)) == [solve_deal(deal) for deal in deals])
try:
    solve_deal(Deal.parse("N:AK... Q... J... T..."))
except PositionError as error:
    print(error)
seen = []
def alarm(number, frame):
    seen.append(number)
    raise KeyboardInterrupt
signal.signal(signal.SIGALRM, alarm)
signal.setitimer(signal.ITIMER_REAL, 0.05)
solver = Solver()
try:
    while True:
        solver.forget()
        solver.table(Deal.parse("N:AQT8642.KJ9753.. .AQT8642.KJ9753. ..AQT8642.KJ9753 KJ9753...AQT8642"))
except KeyboardInterrupt:
    print("stopped", len(seen), solver.table(deals[0]) == solve_deal(deals[0]))
print(library.ffi.__class__.__name__, file=sys.stderr)
print(getattr(library.lib, "__name__", ""), file=sys.stderr)
"""


def ask(program: str, folder: Path, *more: str) -> subprocess.CompletedProcess[str]:
    """A program with the package that stands in the folder."""
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    return subprocess.run(
        [sys.executable, "-c", program, *more], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )


@pytest.mark.long
@pytest.mark.skipif(shutil.which("cc") is None, reason="the library is built by the C compiler cc, which is not here")
def test_a_library_beside_its_declarations_answers_as_the_module(tmp_path: Path) -> None:
    """Where no module of Python can be built the same sources are a library that is opened: same answers, errors, interruption."""
    package = tmp_path / "bridgespec"
    (package / "solver").mkdir(parents=True)
    for path in (ROOT / "bridgespec").iterdir():
        if path.name not in ("solver", "__pycache__"):
            (package / path.name).symlink_to(path)
    for path in (ROOT / "bridgespec" / "solver").glob("*.py"):
        (package / "solver" / path.name).symlink_to(path)
    found = importlib.util.spec_from_file_location("build_ffi", NATIVE / "build_ffi.py")
    assert found is not None
    assert found.loader is not None
    build_ffi = importlib.util.module_from_spec(found)
    found.loader.exec_module(build_ffi)
    build_ffi.declared(package / "solver" / "_declared.py")
    sources = sorted(map(str, (NATIVE / "src").glob("*.c")))
    library = package / "solver" / "bridgespec_dd.so"
    words = ["cc", "-std=c11", "-O2", "-shared", "-fPIC", f"-I{NATIVE / 'include'}", "-o", str(library), *sources]
    subprocess.run(words, check=True)
    opened, linked = ask(ANSWERS, tmp_path), ask(ANSWERS, ROOT)
    assert (opened.returncode, linked.returncode) == (0, 0), opened.stderr + linked.stderr
    assert opened.stdout == linked.stdout
    assert "stopped 1 True" in opened.stdout
    assert str(library) in opened.stderr
    assert "bridgespec_dd" not in linked.stderr


WITHOUT = """
import sys
sys.modules["bridgespec.solver._native"] = None
from bridgespec.cli import app
app(sys.argv[1:])
"""


@pytest.mark.long
@pytest.mark.parametrize(
    "words",
    [
        ("show", "tests/samples/dup/melbourne.dup"),
        ("validate", "tests/samples/dup/melbourne.dup"),
        ("convert", "tests/samples/dup/melbourne.dup", "-", "--to", "pbn"),
        ("page", "tests/samples/dup/melbourne.dup", "-o", "-"),
        ("bid", "--deal", "12345"),
        ("checksum", "tests/samples/zrd/record0.zrd"),
    ],
    ids=lambda words: words[0],
)
def test_without_a_solver_all_else_works(words: tuple[str, ...]) -> None:
    """An installation that was made without a compiler lacks nothing but the solver."""
    done = ask(WITHOUT, ROOT, *words)
    assert done.returncode == 0, done.stderr
    assert done.stdout


@pytest.mark.long
def test_without_a_solver_one_clear_message_says_so() -> None:
    """A command that cannot do without says what is missing and how to get it, and so does a program's question."""
    done = ask(WITHOUT, ROOT, "solve", "--deal", "12345")
    assert done.returncode == 2
    assert done.stderr.startswith(f"error: the solver of the source tree {ROOT} is not built: run `python native/build_ffi.py`")
    assert "Traceback" not in done.stderr
    program = (
        "import sys; sys.modules['bridgespec.solver._native'] = None\n"
        "from bridgespec import BridgespecError, Deal, solve_deal\n"
        "try: solve_deal(Deal.random(1))\n"
        "except BridgespecError as error: print(type(error).__name__)"
    )
    assert ask(program, ROOT).stdout == "SolverMissing\n"


@pytest.mark.long
def test_without_a_compiler_the_build_warns_and_ends_well(tmp_path: Path) -> None:
    """A build whose compiler fails has no solver, exit status 0, and a warning that names what is missing."""
    for name in ("setup.py", "native", "bridgespec"):
        (tmp_path / name).symlink_to(ROOT / name)
    words = [sys.executable, "setup.py", "build_ext", "--build-lib", "lib", "--build-temp", "temp"]
    done = subprocess.run(words, cwd=tmp_path, env={**os.environ, "CC": "false"}, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "no working C compiler" in done.stdout + done.stderr
    assert not list((tmp_path / "lib").rglob("_native*"))


def test_what_to_install_again_is_what_was_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The advice names the folder that pip installed from, and the package's name where it came from an index."""
    monkeypatch.setattr(library.metadata, "distribution", lambda name: importlib.metadata.Distribution.at(tmp_path))
    assert library.installed_from() == "bridgespec"
    (tmp_path / "direct_url.json").write_text('{"dir_info": {}, "url": "file:///home/anne/bridgespec"}')
    assert library.installed_from() == "file:///home/anne/bridgespec"
