"""A generated Python module finds, reads and writes what the package does, with nothing but the standard library."""

from __future__ import annotations

import subprocess
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from bridgespec.cli.sampling import Sampler
from bridgespec.codec.binary.codec import BinaryCodec
from bridgespec.errors import BridgespecError, WriteError
from bridgespec.spec.ir import Spec
from bridgespec.spec.kaitai.schema import loads
from bridgespec.targets.python_module import to_python
from bridgespec.targets.refused import NotExpressible
from tests.generate.house import engine
from tests.generate.strategies import corpus, formats
from tests.listed import listed
from tests.targets.run_python import told
from tests.targets.test_hostile import answers

HERE = Path(__file__).parent
COMMAND: list[str | Path] = [sys.executable, "-I", "-B", "-S", HERE / "run_python.py"]


@listed
def refused() -> Iterator[str]:
    """The grammars in which a value follows from an expression, which is parsed by a library."""
    for spec in map(engine().spec, formats("lark")):
        if any(rule.words.binding.value is not None for rule in spec.text.rules.values()):  # type: ignore[attr-defined]
            yield spec.id


REFUSED = refused()
EXPRESSIBLE = [name for name in formats() if name not in REFUSED]


def files(spec: Spec, count: int) -> Iterator[bytes]:
    """Samples, broken ones too, then generated files: each whole, with a byte changed, and cut off."""
    yield from corpus(spec.id)
    sampler, random = Sampler(engine(), spec, 11), Random(f"module {spec.id}")
    for index in range(-(-count // 3)):
        try:
            data = sampler.valid(index)
        except BridgespecError:
            return
        at = random.randrange(len(data)) if data else 0
        yield data
        yield data[:at] + bytes([random.randrange(256)]) + data[at + 1 :]
        yield data[:at]


def compare(name: str, count: int, folder: Path) -> int:
    """Compare a module with the package on files; return how many there were."""
    spec = engine().spec(name)
    path = folder / f"{name}_reader.py"
    path.write_text(to_python(spec), "utf-8")
    codec = engine().of(spec).codec
    data = list(dict.fromkeys(files(spec, count)))
    for one, answer in zip(data, answers(COMMAND, folder, [{"module": str(path), "data": one.hex()} for one in data]), strict=True):
        reading = codec.read(one)
        wanted = told(reading)
        try:
            wanted["written"] = codec.write(reading.root.as_plain()).hex()
        except WriteError as error:
            wanted["written"] = str(error)
        assert answer["findings"] == [list(found) for found in wanted["findings"]], (name, one)
        assert answer == wanted, (name, one)
    return len(data)


@pytest.mark.slice(6, quick=0)
@pytest.mark.parametrize("name", EXPRESSIBLE)
def test_a_module_finds_what_the_package_finds(name: str, tmp_path: Path) -> None:
    """Every finding with its code, message and place, every node with its bounds, and the same bytes again."""
    assert compare(name, 6, tmp_path) > 0


@pytest.mark.slow
@pytest.mark.parametrize("name", EXPRESSIBLE)
def test_a_module_finds_what_the_package_finds_in_hundreds_of_files(name: str, tmp_path: Path) -> None:
    """The same of three hundred generated files."""
    assert compare(name, 300, tmp_path) > 0


@pytest.mark.long
def test_a_module_is_a_command(tmp_path: Path) -> None:
    """It prints findings, control characters escaped, and its status is that of its findings."""
    path = tmp_path / "zrj.py"
    path.write_text(to_python(engine().spec("zrj")), "utf-8")
    good, bad = tmp_path / "good.zrj", tmp_path / "bad\n.zrj"
    good.write_bytes(bytes.fromhex("72527a0ae17ae4f952e041fc7c432463"))
    bad.write_bytes(bytes.fromhex("72527a0ae17ae4f952e041fc7ce32463"))
    for files, status, text in (((good,), 0, ""), ((good, bad), 1, "bad-tricks"), ((tmp_path / "none",), 2, "")):
        done = subprocess.run([sys.executable, "-I", "-S", path, *files], capture_output=True, text=True, check=False)
        assert done.returncode == status
        assert text in done.stdout
        assert done.stdout.count("\n") <= 1


SCHEMA = """
meta: {id: one, endian: le, encoding: ASCII}
seq:
  - {id: size, type: u1}
  - {id: body, size: size, process: zlib, type: inner}
types: {inner: {seq: [{id: kind, type: u1}, {id: part, type: {switch-on: kind, cases: {1: u2, 2: strz, _: u1}}}],
  instances: {twice: {value: kind * 2}}}}
"""


def test_what_needs_more_than_the_standard_library_is_refused_with_its_place() -> None:
    """A value of a grammar that follows from an expression."""
    assert REFUSED
    for name in REFUSED:
        with pytest.raises(NotExpressible, match=rf"{name}\.lark:\d+:\d+: the value of .* cannot be written as a Python module"):
            to_python(engine().spec(name))


@pytest.mark.long
def test_switches_instances_and_processes_are_read(tmp_path: Path) -> None:
    """As the package reads them, in a module without it."""
    spec = loads(SCHEMA)
    path = tmp_path / "one.py"
    path.write_text(to_python(spec), "utf-8")
    codec = BinaryCodec(spec)
    for inner in (b"\1\5\6", b"\2ab\0", b"\7\1", b"\1\5", b""):
        body = zlib.compress(inner)
        for data in (bytes([len(body)]) + body, bytes([len(body) + 1]) + body):
            (answer,) = answers(COMMAND, tmp_path, [{"module": str(path), "data": data.hex()}])
            assert {**told(codec.read(data)), "written": data.hex()} == answer


@pytest.mark.long
def test_two_readers_in_one_program_do_not_meet(tmp_path: Path) -> None:
    """Each has modules of its own, whatever else is imported."""
    for name in ("zbd", "zdd"):
        (tmp_path / f"{name}_reader.py").write_text(to_python(engine().spec(name)), "utf-8")
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); import zbd_reader, zdd_reader;"
        "print(len(zbd_reader.read(bytes(12)).diagnostics), len(zdd_reader.read(b'x' * 10).diagnostics),"
        " any(name.partition('.')[0] == 'bridgespec' for name in sys.modules))"
    )
    done = subprocess.run([sys.executable, "-I", "-S", "-c", code, tmp_path], capture_output=True, text=True, check=True)
    assert done.stdout.split()[-1] == "False"
