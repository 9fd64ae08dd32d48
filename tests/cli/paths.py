"""One file by every path: read whole, as arrays, in stretches, by several processes, on a cluster; what differs is told.

    python -m tests.cli.paths --files 5000 [--seed N] [--format ID]

The formats are those of fixed-size records or groups, and texts. The files are valid ones, those with a known fault, damaged ones,
records of all of these in a row with whatever may follow them, and the samples. The sizes at which the path changes are set to one
record. Exit status 1 where anything differs.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import cache
from itertools import pairwise
from pathlib import Path
from random import Random

import numpy as np
import pytest

from bridgespec.api import engine
from bridgespec.cli import array_sources as bulk
from bridgespec.cli import board_sources, conversion, conversions
from bridgespec.cli.sampling import Sampler
from bridgespec.cli.settings import Settings
from bridgespec.codec.bulk.carry import Carrier
from bridgespec.codec.bulk.codec import BulkCodec, why_not
from bridgespec.codec.bulk.groups import VariableCodec, variable
from bridgespec.errors import SpecError
from bridgespec.spec.ir import Spec
from tests.generate.broken import variants
from tests.generate.strategies import corpus
from tests.listed import listed

from .running import run


@cache
def codec_of(format: str) -> BulkCodec | VariableCodec | None:
    """The bulk codec of a format; None where it has none."""
    spec = engine().spec(format)
    if not why_not(spec):
        return BulkCodec(spec)
    try:
        return variable(spec)
    except SpecError:
        return None


def terms(spec: Spec) -> frozenset[str]:
    """The terms that a schema binds."""
    return engine().of(spec).binder.terms


@listed
def formats() -> Iterator[str]:
    """The formats with a bulk codec, then the texts that hold deals."""
    yield from (spec.id for spec in engine().catalog.all() if codec_of(spec.id) is not None)
    yield from (spec.id for spec in engine().catalog.all() if spec.language == "lark" and "deal" in terms(spec))


@listed
def formats_of_boards() -> Iterator[str]:
    """The formats that hold deals or tables of results."""
    return (spec.id for spec in engine().catalog.all() if {"deal", "tricks"} & terms(spec))


FORMATS, TARGETS = formats(), formats_of_boards()
POOL = 6
"""So many valid files of a format are made, each of one to four boards; the solver works for some of them."""
TEXT = 100
MARKS = tuple(mark.encode("latin-1") for mark in ("", *'{}[]"|;%', "\x1a", "\n\n", "\r", "\xe9", "qx|o7|", "vg|a|"))
MARKS += (b'[Event "#"]\n', b'[Site "##Here"]\n')
"""What begins or ends something in a text, or holds for the records that follow."""
Outcome = tuple[int, str, str, bytes | None]
"""Exit status, standard output, standard error, and what was written."""


def small() -> AbstractContextManager[None]:
    """The plain path: the whole file as a document."""
    return nullcontext()


@contextmanager
def batches(size: int, many: bool = False) -> Iterator[None]:
    """Arrays and stretches from the first record on, ``size`` records at a time, and texts ``TEXT`` times as many bytes at a time;
    ``many``: by others.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bulk, "LARGE", 1)
        patch.setattr(conversions, "MANY", 0)
        patch.setattr(bulk, "WINDOW", 16 * size)
        patch.setattr(conversion, "RECORDS_AT_ONCE", size)
        patch.setattr(conversion, "ROWS", size)
        patch.setattr(board_sources, "STRETCH_BYTES", TEXT * size)
        if many:
            patch.setattr(conversion, "WORTH", 1)
            patch.setattr(conversion, "cores", lambda: 2)
        yield


@contextmanager
def threads() -> Iterator[None]:
    """As several processes work, in threads: a process takes longer to start than a file to convert."""

    @contextmanager
    def pool(settings: Settings, count: int) -> Iterator[ThreadPoolExecutor]:
        patch.setattr(conversion, "settings_here", lambda: settings)
        conversion._conversion_here.cache_clear()
        with ThreadPoolExecutor(count) as workers:
            yield workers
        conversion._conversion_here.cache_clear()

    with batches(2, many=True), pytest.MonkeyPatch.context() as patch:
        patch.setattr(conversion, "pool", pool)
        yield


@cache
def pool(format: str) -> tuple[bytes, ...]:
    """Valid files."""
    sampler = Sampler(engine(), engine().spec(format), 1)
    return tuple(sampler.valid(index) for index in range(POOL))


@cache
def broken(format: str) -> tuple[bytes, ...]:
    """Files with one known fault each, and the samples."""
    sampler = Sampler(engine(), engine().spec(format), 1)
    return (*(fault.data for index in range(POOL) for fault in sampler.broken(index)), *filter(None, corpus(format)))


def made(format: str, seed: int) -> bytes:
    """The file of a seed."""
    random = Random(f"{format} {seed}")
    codec = codec_of(format)
    if codec is None:
        return made_text(format, random)
    one = codec if isinstance(codec, BulkCodec) else codec.one
    kind = random.randrange(4)
    if kind == 0:
        return random.choice(broken(format))
    if kind == 1:
        *_, data = variants(random.choice(pool(format)), random, 2)
        return data or b"\0"
    rows = [row for _ in range(random.randint(1, 4)) for row in records(format, random.choice(pool(format)))]
    for _ in range(random.choice((0, 0, 1, 1, 2, 4))):
        rows[random.randrange(len(rows))] = damaged(format, random)
    tail = random.choice(
        (b"", b"", b"", bytes(random.randint(1, 2 * one.record_size)), random.choice(rows)[: random.randint(1, 99)])
    )
    # Somewhere a record of zeros ends the list.
    if random.random() < 0.1:
        rows.insert(random.randrange(len(rows)), bytes(one.record_size))
    return one.header(len(rows)).tobytes() + b"".join(rows) + tail


def made_text(format: str, random: Random) -> bytes:
    """Some files one behind the other, now and then with a mark of another beginning between them, and damaged here and there."""
    parts = random.choices((*pool(format), *broken(format)), k=random.choice((1, 2, 2, 3, 5)))
    data = bytearray(random.choice((b"", b"\n", b"\r\n\r\n")).join(parts))
    for _ in range(random.choice((0, 0, 1, 2, 4))):
        at = random.randrange(len(data) + 1)
        data[at : at + random.choice((0, 0, 1, 20))] = random.choice(MARKS)
    return bytes(data)


def records(format: str, data: bytes) -> list[bytes]:
    """The whole records of a file."""
    codec = codec_of(format)
    if isinstance(codec, VariableCodec):
        cut = codec.cut(np.frombuffer(data, np.uint8))
        starts = [*cut.starts.tolist(), *({len(data)} - {cut.stop}), cut.stop]
        return [data[at:stop] for at, stop in pairwise(sorted(starts))]
    assert codec is not None
    size = codec.record_size
    return [data[at : at + size] for at in range(codec.header_size, len(data) - size + 1, size)]


def damaged(format: str, random: Random) -> bytes:
    """A record with a known fault, or with any."""
    known = records(format, random.choice(broken(format)))
    row = random.choice(known or records(format, pool(format)[0]))
    if random.random() < 0.5:
        at = random.randrange(len(row))
        row = row[:at] + bytes([random.randrange(256)]) + row[at + 1 :]
    return row


def outcome(folder: Path, format: str, data: bytes, call: tuple[str, ...]) -> Outcome:
    """What a command says of a file and writes: ``call`` is `validate` or `convert` with options, or `join`
    of the file with itself, with options.
    """
    source, dest = folder / f"a.{format}", folder / "out"
    source.write_bytes(data)
    dest.unlink(missing_ok=True)
    command, *options = call
    files = {"validate": (source,), "convert": (source, dest), "join": (source, source, dest)}[command]
    done = run(command, *files, *options)
    said = "" if command == "validate" else done.stderr
    return done.exit_code, done.stdout, said, dest.read_bytes() if dest.exists() else None


def calls(format: str, seed: int, targets: int) -> Iterator[tuple[str, ...]]:
    """The commands that are tried on a file: the check, and conversions to some of the targets, all of them in turn."""
    random = Random(f"calls {format} {seed}")
    yield "validate", "--output-format", "json", "--all"
    for target in random.sample(TARGETS, targets):
        yield "convert", "--to", target, *random.choice(((), (), (), ("--strict",), ("--canonical",)))
    yield "convert", "--to", random.choice((format, random.choice(TARGETS))), "--declarer", random.choice("NESW")
    yield "join", "--to", random.choice((format, random.choice(TARGETS)))


Way = Callable[[], AbstractContextManager[None]]
PATHS: dict[str, Way] = {
    "one by one": lambda: batches(1),
    "in threes": lambda: batches(3),
    "threads": threads,
}
PROCESSES: dict[str, Way] = {"processes": lambda: batches(2, many=True)}


def differences(folder: Path, format: str, seed: int, targets: int, paths: dict[str, Way]) -> Iterator[str]:
    """What a path says or writes in another way than the plain one; nothing where all agree."""
    data = made(format, seed)
    for call in calls(format, seed, targets):
        with small():
            expected = outcome(folder, format, data, call)
        for name, path in paths.items():
            with path():
                found = outcome(folder, format, data, call)
            if found != expected:
                yield f"{format} {seed}, {' '.join(call)}, {name}:\n--- plain\n{shown(expected)}\n--- {name}\n{shown(found)}"


def on_cluster(folder: Path, format: str, seed: int, address: str) -> str | None:
    """What a cluster at an address writes in another way than the plain path; None where it does not, empty where it is refused."""
    target = Random(f"cluster {format} {seed}").choice(carried(format))
    call, data = ("convert", "--to", target), made(format, seed)
    expected = outcome(folder, format, data, call)
    with batches(2):
        found = outcome(folder, format, data, (*call, "--cluster", address, "--chunk", "3"))
    if "leave it out" in found[2]:
        return ""
    return None if found == expected else f"{format} {seed}, {target}:\n{shown(expected)}\n--- cluster\n{shown(found)}"


@cache
def carried(format: str) -> tuple[str, ...]:
    """The formats into which arrays carry records of one."""
    source = codec_of(format)
    if not isinstance(source, BulkCodec):
        return ()
    targets = {name: made for name in FORMATS if isinstance(made := codec_of(name), BulkCodec)}
    return tuple(name for name, target in targets.items() if Carrier.of(source, target) is not None)


def shown(one: Outcome) -> str:
    """An outcome in a few lines."""
    status, out, err, data = one
    return f"status {status}\n{out}{err}{None if data is None else data[:200]!r}"


def main() -> int:
    """Try many files."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--targets", type=int, default=2)
    parser.add_argument("--format", choices=FORMATS)
    given = parser.parse_args()
    found: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        for at in range(given.files):
            format = given.format or FORMATS[at % len(FORMATS)]
            name = tuple(PATHS)[at // len(FORMATS) % len(PATHS)]
            for text in differences(Path(folder), format, given.seed + at, given.targets, {name: PATHS[name]}):
                found[format] += 1
                print(text, flush=True)
    print(f"{given.files} files, {found.total()} differences {dict(found)}")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
