"""What hostile and large inputs cost at most, beside the bounds that must hold.

    python benchmarks/limits.py [NAME...] [--list] [--seconds N]

Each case runs in a process of its own. CPU is the processor time of the process and of those that it started, the start of
the interpreter included, MB the most memory that one of them held. The time beside a bound is what the case takes beyond the
same command on a plain file: the start of ``validate`` and ``check-spec`` is not the input's fault. A case is stopped after
``--seconds`` (120). Exit status 1 where a bound does not hold. Where the bound is of the clock, two processors do the work; on a
busy machine that figure means little.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import signal
import struct
import subprocess
import sys
import tempfile
import time
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

RECORD = 23
"""Bytes of a record of ZRD."""
COMMAND = ("-m", "bridgespec")


@dataclass(frozen=True)
class Case:
    """A command, made in a folder, and what it may take; ``clock``: the bound is of elapsed time, on two processors."""

    name: str
    make: Callable[[Path], Sequence[str]]
    seconds: float | None
    megabytes: float | None
    clock: bool = False
    times: float = 1
    """The case is so many times smaller than what the bound is of; its time beyond the start is taken so often."""


@dataclass(frozen=True)
class Taken:
    """What a process took; ``status`` None where it was stopped."""

    cpu: float
    clock: float
    megabytes: float
    status: int | None


CASES: dict[str, Case] = {}
Make = Callable[[Path], Sequence[str]]


def case(
    name: str, seconds: float | None = None, megabytes: float | None = None, clock: bool = False, times: float = 1
) -> Callable[[Make], Make]:
    """Enter the function that makes a case's files and gives its command."""

    def entered(make: Make) -> Make:
        CASES[name] = Case(name, make, seconds, megabytes, clock, times)
        return make

    return entered


def environment() -> dict[str, str]:
    """That of a process which finds the package of this folder."""
    return os.environ | {"PYTHONPATH": str(Path(__file__).parents[1])}


def put(folder: Path, name: str, content: str | bytes) -> str:
    """A file of the folder."""
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return str(path)


def code(text: str, *arguments: str) -> Sequence[str]:
    """A piece of Python as a command."""
    return "-c", f"import sys\nfrom pathlib import Path\nimport bridgespec\n{text}", *arguments


def solved(folder: Path, boards: int, name: str = "deals.zrd") -> str:
    """A file of random deals with results that the deals allow, made by another process: what this one held, its children held."""
    return made(folder, name, f"generate(path, {boards * RECORD})")


def made(folder: Path, name: str, call: str) -> str:
    """A file that a function of `bulk_large` writes."""
    path = str(folder / name)
    words = f"from pathlib import Path; import bulk_large; path = Path({path!r}); bulk_large.{call}"
    subprocess.run([sys.executable, "-c", words], check=True, cwd=Path(__file__).parent, env=environment())
    return path


# --- schemas ------------------------------------------------------------------------------------------------------------


def tripling() -> str:
    """A grammar of forty rules that name the next three times."""
    rows = [f"r{at}: r{at + 1} r{at + 1} r{at + 1}\n" for at in range(40)]
    return f'//- id: x\n//- title: x\n//- extensions: [x]\nstart: r0\n{"".join(rows)}r40: "x"\n'


def doubling(types: int = 40) -> str:
    """A schema of so many types with two fields of the next."""
    rows = [f"  t{at}: {{seq: [{{id: a, type: t{at + 1}}}, {{id: b, type: t{at + 1}}}]}}\n" for at in range(types)]
    head = "meta: {id: x, endian: le, file-extension: x}\nseq: [{id: a, type: t0}]\ntypes:\n"
    return f"{head}{''.join(rows)}  t{types}: {{seq: [{{id: a, type: u1}}]}}\n"


def multiplying() -> str:
    """A grammar with a terminal that can be taken in 2**26 ways."""
    return "//- id: x\n//- title: x\n//- extensions: [x]\nstart: T\nT: /(?:" + "[ab]?" * 26 + ")c/\n"


SCHEMAS = {"grammar 3^40": ("x.lark", tripling), "types 2^40": ("x.ksy", doubling), "terminal": ("x.lark", multiplying)}
for _name, (_file, _text) in SCHEMAS.items():

    @case(f"{_name}: check-spec", 1, 100)
    def _(folder: Path, file: str = _file, text: Callable[[], str] = _text) -> Sequence[str]:
        return *COMMAND, "check-spec", put(folder, file, text())

    @case(f"{_name}: in use", 1, 100)
    def _(folder: Path, file: str = _file, text: Callable[[], str] = _text) -> Sequence[str]:
        put(folder, file, text())
        return *COMMAND, "--specs", str(folder), "validate", "--format", "x", put(folder, "a.x", "ab" * 1500)


@case("YAML [[[[ x 100,000: check-spec", 0.5, 100)
def _(folder: Path) -> Sequence[str]:
    return *COMMAND, "check-spec", put(folder, "x.ksy", "[" * 100_000)


@case("YAML [[[[ x 100,000: in use", 0.5, 100)
def _(folder: Path) -> Sequence[str]:
    put(folder, "x.ksy", "[" * 100_000)
    return *COMMAND, "--specs", str(folder), "validate", "--format", "x", put(folder, "a.x", "x")


@case("fields x 20,000: check-spec", 3, 300)
def _(folder: Path) -> Sequence[str]:
    rows = "".join(f"- {{id: f{at}, type: u1}}\n" for at in range(20_000))
    return *COMMAND, "check-spec", put(folder, "x.ksy", f"meta: {{id: x, endian: le, file-extension: x}}\nseq:\n{rows}")


@case("rules x 20,000: check-spec", 3, 400)
def _(folder: Path) -> Sequence[str]:
    names = [f"a{at}" for at in range(20_000)]
    rows = "".join(f'{name}: "{name};"\n' for name in names)
    head = f"//- id: x\n//- title: x\n//- extensions: [x]\nstart: ({' | '.join(names)})*\n"
    return *COMMAND, "check-spec", put(folder, "x.lark", head + rows)


@case("md| x 33,000: validate", 0.5, 200)
def _(folder: Path) -> Sequence[str]:
    return *COMMAND, "validate", put(folder, "a.lin", "md|" * 33_000)


def alias_bomb(key: str) -> str:
    """Thirty levels of lists of nine aliases of the level before, below a key of the schema."""
    rows = ["  a0: &a0 [x]\n"]
    rows += [f"  a{at}: &a{at} [{', '.join([f'*a{at - 1}'] * 9)}]\n" for at in range(1, 30)]
    return f"meta: {{id: x, endian: le, file-extension: x}}\n{key}:\n{''.join(rows)}"


for _key in ("doc", "seq", "types", "enums", "instances", "-bridge-checks", "params"):

    @case(f"YAML aliases 9^30 under {_key}: check-spec", 1, 100)
    def _(folder: Path, key: str = _key) -> Sequence[str]:
        return *COMMAND, "check-spec", put(folder, "x.ksy", alias_bomb(key))


@case("YAML aliases 9^30 under a grammar's key: check-spec", 1, 100)
def _(folder: Path) -> Sequence[str]:
    words = "".join(f"//- {row}\n" for row in alias_bomb("extensions").splitlines())
    return *COMMAND, "check-spec", put(folder, "x.lark", f'{words}start: "x"\n')


@case("docs of the largest schema that is allowed, hostile ones beside it", 2, 150)
def _(folder: Path) -> Sequence[str]:
    put(folder, "x.ksy", doubling(14))
    put(folder, "y.lark", tripling().replace("id: x", "id: y"))
    put(folder, "z.ksy", alias_bomb("types").replace("id: x", "id: z"))
    return code(PAGES, str(folder))


PAGES = """from bridgespec.cli.app import app
from bridgespec.docs.site import Site
from bridgespec.engines import Engine
engine = Engine([sys.argv[1]])
assert {"y", "z"}.isdisjoint(spec.id for spec in engine.catalog.all())
for _ in Site([engine.spec("x")], engine, app, "bridgespec", "0").pages():
    pass
"""


def letters(letter: str) -> str:
    """A schema of 207 KB whose words are made of one letter."""
    rows = "".join(f"  - {{id: f{at}, type: u1, doc: {letter * 60}}}\n" for at in range(1200))
    return f"meta: {{id: x, endian: le, file-extension: x}}\nseq:\n{rows}"


for _letter, _word in (("e", "ASCII"), ("é", "non-ASCII")):

    @case(f"a .ksy of 1,200 fields in {_word}: check-spec", None, 150)
    def _(folder: Path, letter: str = _letter) -> Sequence[str]:
        return *COMMAND, "check-spec", put(folder, "x.ksy", letters(letter))


# --- files --------------------------------------------------------------------------------------------------------------


@case("20,000 boards ZRD to PBN", 5, 150, clock=True)
def _(folder: Path) -> Sequence[str]:
    return *COMMAND, "convert", solved(folder, 20_000), str(folder / "out.pbn")


for _format in ("lin", "csv", "rbn"):

    @case(f"20,000 boards ZRD to {_format.upper()}", 10, 150, clock=True)
    def _(folder: Path, format: str = _format) -> Sequence[str]:
        return *COMMAND, "convert", solved(folder, 20_000), str(folder / f"out.{format}")


@case("60,000 boards ZRD to PBN: memory does not grow", 15, 150, clock=True)
def _(folder: Path) -> Sequence[str]:
    return *COMMAND, "convert", solved(folder, 60_000), str(folder / "out.pbn")


@case("1 GB ZRD to ZBD, by a tenth", 4, 150, times=10)
def _(folder: Path) -> Sequence[str]:
    return *COMMAND, "convert", solved(folder, 100_000_000 // RECORD), str(folder / "out.zbd"), "-q"


def grouped(folder: Path, counts: Sequence[int]) -> str:
    """A megabyte of ZBS, whose groups have these numbers of suits at random; four suits are a whole deal."""
    source = random.Random(1)
    rows: list[bytes] = []
    while len(rows) < 1 << 18:
        count = source.choice(counts)
        holders = [1, 2, 3, 4] * 13
        source.shuffle(holders)
        for suit in range(count):
            number = sum(holder * 5**rank for rank, holder in enumerate(holders[13 * suit :][:13]))
            rows.append((2 * number + (suit < count - 1)).to_bytes(4, "little"))
    return put(folder, "layouts.zbs", b"".join(rows))


@case("1 MB of ZBS validated", 0.5, 150)
def _(folder: Path) -> Sequence[str]:
    return (*COMMAND, "validate", grouped(folder, (1, 2, 3, 4, 4, 4)))


@case("1 MB of deals in ZBS to ZBD", 0.5, 150)
def _(folder: Path) -> Sequence[str]:
    return (*COMMAND, "convert", grouped(folder, (4,)), str(folder / "out.zbd"), "--quiet")


def numbered(folder: Path, format: str) -> str:
    """A megabyte of deals that a format numbers."""
    return made(folder, f"numbered.{format}", f"numbered(path, {format!r})")


for _format in ("dup", "cds"):

    @case(f"1 MB of {_format.upper()} validated", 0.5, 150)
    def _(folder: Path, format: str = _format) -> Sequence[str]:
        return *COMMAND, "validate", numbered(folder, format)

    @case(f"1 MB of {_format.upper()} to ZBD", 0.6, 150)
    def _(folder: Path, format: str = _format) -> Sequence[str]:
        return *COMMAND, "convert", numbered(folder, format), str(folder / "out.zbd"), "--quiet"


def ledger(folder: Path, count: int) -> str:
    """Entries of three kinds, of several sizes, each with a sum and a CRC: those of `ledger.ksy`."""
    source, entries = random.Random(1), []
    for _ in range(count):
        kind, scores, odd = source.choice((1, 1, 1, 2, 3)), [source.randrange(60_000) for _ in range(4)], source.randbytes(2)
        played = bytes([source.randint(1, 7) << 4 | source.randint(0, 4), source.randint(0, 13)])
        bodies = (
            played + struct.pack("<4HI", *scores, sum(scores)),
            bytes([source.choice((1, 2, 4))]),
            odd + bytes([odd[0] ^ odd[1]]),
        )
        head = struct.pack("<BH", kind, source.randrange(60_000)) + bodies[kind - 1]
        data = head + bytes([source.randint(0, 3)]) + struct.pack("<H", sum(head) & 0xFFFF)
        entries.append(data + struct.pack("<I", zlib.crc32(data[1:])))
    return put(folder, "a.ledger", b"".join(entries))


@case("20,000 records of a user's format with switches and sums validated", 1.5, 150)
def _(folder: Path) -> Sequence[str]:
    return *COMMAND, "--specs", str(Path(__file__).parent), "validate", ledger(folder, 20_000)


@case("100 MB ZRD to ZRD", 1.5, 150)
def _(folder: Path) -> Sequence[str]:
    return *COMMAND, "convert", solved(folder, 100_000_000 // RECORD), str(folder / "out.zrd")


@case("100 MB ZRD split into ZBD and ZDD", 4, 150)
def _(folder: Path) -> Sequence[str]:
    return *COMMAND, "split", solved(folder, 100_000_000 // RECORD), str(folder / "out.zbd"), str(folder / "out.zdd")


for _what, _before, _sign in (
    ("auction", '[Auction "N"]\n', "#$%& "),
    ("auction", '[Auction "N"]\n', "XYZZY "),
    ("auction", '[Auction "N"]\n', None),
    ("play", '[Play "N"]\n', "#$%& "),
    ("play", '[Play "N"]\n', "XYZZY "),
    ("play", '[Play "N"]\n', None),
):

    @case(f"100 KB of {_sign.strip() if _sign else 'random bytes'} in a PBN {_what}: validate", 1, 100)
    def _(folder: Path, before: str = _before, sign: str | None = _sign) -> Sequence[str]:
        rng = random.Random(1)
        garbage = sign.encode() * (100_000 // len(sign)) if sign else bytes(rng.choices(range(33, 127), k=100_000))
        head = '[Board "1"]\n[Dealer "N"]\n[Vulnerable "None"]\n' + before
        return *COMMAND, "validate", put(folder, "a.pbn", head.encode() + garbage)


BOARD = """[Event "Open"]
[Site ""]
[Date "2026.01.{day:02}"]
[Board "{number}"]
[West "A"]
[North "B"]
[East "C"]
[South "D"]
[Dealer "N"]
[Vulnerable "None"]
[Deal "N:QJ6.K652.J85.T98 873.J97.AT764.Q4 K5.T83.KQ9.A7652 AT942.AQ4.32.KJ3"]
[Scoring "MP"]
[Declarer "S"]
[Contract "1NT"]
[Result "7"]
[Auction "N"]
Pass Pass 1C 1S
Pass Pass 1NT Pass
Pass Pass

"""


def pbn(size: int) -> str:
    """A plain PBN file of some size."""
    boards: list[str] = []
    at = 0
    while at < size:
        boards.append(BOARD.format(number=len(boards) + 1, day=len(boards) % 28 + 1))
        at += len(boards[-1])
    return "".join(boards)


@case("check(bytes) of 56 KB of PBN, no format: beyond check(bytes, 'pbn')", 0.3)
def _(folder: Path) -> Sequence[str]:
    return code(BESIDE, put(folder, "a", pbn(56_000)))


@case("check(bytes) of 7 KB of garbled PBN, no format", 0.3)
def _(folder: Path) -> Sequence[str]:
    rng = random.Random(1)
    garbled = bytearray(pbn(7_000).encode())
    for at in range(0, len(garbled), 9):
        garbled[at] = rng.randrange(256)
    return code(GARBLED, put(folder, "a", bytes(garbled)))


GARBLED = """import json, time
data = Path(sys.argv[1]).read_bytes()
bridgespec.formats()
before = time.process_time()
assert [found.code for found in bridgespec.check(data)] == ["unknown-format"]
print(json.dumps({"seconds": time.process_time() - before}))
"""


BESIDE = """import json, time
data = Path(sys.argv[1]).read_bytes()
bridgespec.formats()
taken = []
for given in (), ("pbn",):
    before = time.process_time()
    found = bridgespec.check(data, *given)
    taken.append(time.process_time() - before)
print(json.dumps({"seconds": taken[0]}))
"""


@case("60 included BSS files of 1 MB", 4, 150)
def _(folder: Path) -> Sequence[str]:
    line = "001D=Natural\n"
    for at in range(60):
        put(folder, f"part{at}.bss", line * (1_000_000 // len(line)))
    return *COMMAND, "validate", put(folder, "a.bss", "".join(f"#INCLUDE part{at}.bss\n" for at in range(60)))


def hostile_binary(folder: Path, schema: str, data: bytes) -> Sequence[str]:
    """A command that checks a file by a schema."""
    put(folder, "x.ksy", f"meta: {{id: x, endian: le, file-extension: x}}\n{schema}")
    return *COMMAND, "--specs", str(folder), "validate", put(folder, "a.x", data)


WEB = "seq: [{id: a, type: u1}]\ninstances:\n" + "".join(f"  i{n}: {{pos: 0, type: t{n}}}\n" for n in range(10)) + "types:\n"
for _one in range(10):
    WEB += f"  t{_one}:\n    seq: [{{id: a, type: u1}}]\n    instances:\n"
    WEB += "".join(f"      i{n}: {{pos: 0, type: t{n}}}\n" for n in range(10))
EACH = "seq: [{{id: rows, type: t, repeat: eos}}]\ntypes: {{t: {{seq: [{{id: a, type: u1}}], instances: {{i: {{pos: 0, {}}}}}}}}}"


@case("a web of instances at 0, 3 KB", 0.5, 100)
def _(folder: Path) -> Sequence[str]:
    return hostile_binary(folder, WEB, b"\1" * 3000)


for _again in ("type: u1, repeat: eos", "size-eos: true", "type: strz, eos-error: false, encoding: ASCII"):

    @case(f"the whole stream for each byte ({_again}), 3 KB", 0.5, 100)
    def _(folder: Path, again: str = _again) -> Sequence[str]:
        return hostile_binary(folder, EACH.format(again), b"\1" * 3000)


@case("zlib bomb of 512 MB", 0.5, 100)
def _(folder: Path) -> Sequence[str]:
    packing = zlib.compressobj(9)
    data = b"".join(packing.compress(bytes(1 << 20)) for _ in range(512)) + packing.flush()
    return hostile_binary(folder, "seq: [{id: a, size-eos: true, process: zlib}]", data)


# --- the solver ---------------------------------------------------------------------------------------------------------


@case("2-trick table after large deals, beside a fresh solver: microseconds", 100)
def _(folder: Path) -> Sequence[str]:
    return code(ENDINGS)


ENDINGS = """import json, time
from bridgespec.model.deal import Deal
from bridgespec.solver import Solver
small = Deal.parse("N:AK... QJ... T9... 87...")
large = Deal.parse("N:QJ6.K652.J85.T98 873.J97.AT764.Q4 K5.T83.KQ9.A7652 AT942.AQ4.32.KJ3")
with Solver() as solver:
    for _ in range(3):
        solver.table(large)
    taken = []
    for _ in range(200):
        before = time.process_time_ns()
        solver.table(small)
        taken.append(time.process_time_ns() - before)
print(json.dumps({"seconds": sorted(taken)[100] / 1e3}))
"""


# --- measuring ----------------------------------------------------------------------------------------------------------


def run(command: Sequence[str], seconds: float) -> tuple[Taken, bytes]:
    """A fresh interpreter on these arguments."""
    before = time.perf_counter()
    with tempfile.TemporaryFile() as out:
        child = subprocess.Popen(
            [sys.executable, *command], stdout=out, stderr=subprocess.DEVNULL, env=environment(), start_new_session=True
        )
        # wait4 tells what this process took; the sum over all children would hold the greatest of those before.
        signal.signal(signal.SIGALRM, lambda *_: os.killpg(child.pid, signal.SIGKILL))
        signal.setitimer(signal.ITIMER_REAL, seconds)
        _, state, usage = os.wait4(child.pid, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)
        child.returncode = os.waitstatus_to_exitcode(state)
        out.seek(0)
        told = out.read()
    status = None if child.returncode == -signal.SIGKILL else child.returncode
    taken = Taken(usage.ru_utime + usage.ru_stime, time.perf_counter() - before, usage.ru_maxrss / 1000, status)
    return taken, told


def starts() -> dict[str, float]:
    """What commands take on a plain file."""
    root = Path(__file__).parents[1]
    plain = {"validate": root / "tests/samples/zbd/sixteen.zbd", "check-spec": root / "specs/zbd.ksy"}
    return {name: min(run((*COMMAND, name, str(path)), 60)[0].cpu for _ in range(3)) for name, path in plain.items()}


def measured(one: Case, seconds: float, start: dict[str, float]) -> tuple[float, Taken]:
    """The time that the case's bound is of, and all that it took."""
    with tempfile.TemporaryDirectory() as folder:
        command = one.make(Path(folder))
        taken, told = run(command, seconds)
    if taken.status == 0 and told.startswith(b'{"seconds"'):
        return float(json.loads(told)["seconds"]), taken
    spent = taken.clock if one.clock else taken.cpu
    return (spent - next((least for name, least in start.items() if name in command), start["validate"])) * one.times, taken


def main() -> int:
    """Measure the named cases, all where none is named, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="words that the names of the cases have")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--seconds", type=float, default=120)
    given = parser.parse_args()
    chosen = [one for one in CASES.values() if not given.names or any(word in one.name for word in given.names)]
    if given.list:
        print("\n".join(one.name for one in chosen))
        return 0
    start = starts()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    print("on a plain file: " + ", ".join(f"{name} {least:.2f} s" for name, least in start.items()) + "\n")
    print("| case | time | bound | CPU | clock | MB | bound | status | |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    failed = 0
    for one in chosen:
        spent, taken = measured(one, given.seconds, start)
        late = one.seconds is not None and (taken.status is None or spent > one.seconds)
        large = one.megabytes is not None and taken.megabytes > one.megabytes
        failed += late or large
        bounds = [f"{bound:g}" if bound is not None else "" for bound in (one.seconds, one.megabytes)]
        row = (one.name, f"{spent:.2f}", bounds[0] + (" clock" if one.clock else ""), f"{taken.cpu:.2f}", f"{taken.clock:.2f}")
        said = "stopped" if taken.status is None else str(taken.status)
        verdict = " ".join(["time"] * late + ["memory"] * large)
        print("|", " | ".join((*row, f"{taken.megabytes:.0f}", bounds[1], said, verdict)), "|", flush=True)
    print(f"\n{failed} of {len(chosen)} beyond their bounds")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
