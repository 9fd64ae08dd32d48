"""A generated C reader compiles without a warning, finds and writes what the reference codec does, and reads no byte beyond a file.

`python -m tests.targets.c_fuzz FORMAT --inputs 10000000` is the longer form of the search by chance below.
"""

from __future__ import annotations

import shutil
import struct
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from random import Random

import pytest

from bridgespec.cli.sampling import Sampler
from bridgespec.codec.binary.codec import BinaryCodec
from bridgespec.errors import BridgespecError
from bridgespec.spec.ir import Spec
from bridgespec.spec.kaitai.schema import loads
from bridgespec.targets.c.module import c_name, to_c
from bridgespec.targets.refused import NotExpressible
from tests.generate.house import engine
from tests.generate.strategies import corpus, formats

COMPILER = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
needs_compiler = pytest.mark.skipif(COMPILER is None, reason="there is no C compiler")
DRIVER = Path(__file__).with_name("driver.c")
STRICT = ("-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror")
SANITIZED = ("-g", "-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
SEVERITIES = ("error", "warning", "note")


@cache
def expressible() -> tuple[str, ...]:
    """The formats that C can express."""
    return tuple(name for name in formats("ksy") if _is_expressible(engine().spec(name)))


def _is_expressible(spec: Spec) -> bool:
    try:
        to_c(spec)
    except NotExpressible:
        return False
    return True


def build(spec: Spec, folder: Path) -> Path:
    """Compile the reader of a schema strictly, and the driver with it, under sanitizers."""
    name = c_name(spec)
    header, source = to_c(spec)
    (folder / f"{name}.h").write_text(header, "ascii")
    (folder / f"{name}.c").write_text(source, "ascii")
    assert COMPILER is not None
    strict = [COMPILER, *STRICT, "-c", f"{name}.c", "-o", f"{name}.o"]
    subprocess.run(strict, cwd=folder, check=True)
    defined = [f"-DID={name}", f"-DCAPS={name.upper()}", f'-DHEADER="{name}.h"', "-I."]
    subprocess.run([COMPILER, "-std=c99", *SANITIZED, *defined, DRIVER, f"{name}.c", "-o", name], cwd=folder, check=True)
    return folder / name


def answers(program: Path, files: list[bytes]) -> Iterator[tuple[set[tuple[str, str, int, int]], bool]]:
    """What a reader finds in each file, and whether it writes each record back as it was."""
    frames = b"".join(struct.pack("<I", len(data)) + data for data in files)
    done = subprocess.run([program], input=frames, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b""), done.stderr[-2000:]
    found: set[tuple[str, str, int, int]] = set()
    for line in done.stdout.decode().splitlines():
        if line.startswith("= "):
            yield found, line.split()[3] == "1"
            found = set()
        else:
            code, severity, _, _, start, stop = line.split("\t")
            found.add((code, SEVERITIES[int(severity)], int(start), int(stop)))


def compare(spec: Spec, files: list[bytes], folder: Path) -> None:
    """Compare a reader with the reference codec."""
    codec = BinaryCodec(spec)
    for data, (found, same) in zip(files, answers(build(spec, folder), files), strict=True):
        reading = codec.read(data, 4096)
        wanted = {
            (one.code, one.severity.value, one.span.start, one.span.stop) for one in reading.diagnostics if one.span is not None
        }
        assert found == wanted, (spec.id, data.hex())
        assert same, (spec.id, data.hex())


def made(name: str, count: int) -> list[bytes]:
    """Samples and generated files: each whole, with a byte changed, and cut off."""
    spec, random = engine().spec(name), Random(f"c {name}")
    sampler, found = Sampler(engine(), spec, 5), list(corpus(name))
    for index in range(-(-count // 3)):
        try:
            data = sampler.valid(index)
        except BridgespecError:
            break
        at = random.randrange(len(data)) if data else 0
        found += [data, data[:at] + bytes([random.randrange(256)]) + data[at + 1 :], data[:at]]
    return found


def test_formats_of_records_of_one_size_are_expressible() -> None:
    """Those of ours are; lists that end where the data say are refused with the place."""
    assert {"zbd", "zdd", "zrd", "zrj", "cds", "rzd", "bri", "dge", "dup"} <= set(expressible())
    for name, place in (("bre", r"bre\.ksy:29:5"), ("zbs", r"zbs\.ksy:53:9"), ("pbn", r"pbn\.lark:\d+:\d+")):
        with pytest.raises(NotExpressible, match=place + ": .* cannot be written as C"):
            to_c(engine().spec(name))


@pytest.mark.slice(6, quick=2)
@needs_compiler
@pytest.mark.parametrize("name", formats("ksy"))
def test_a_reader_finds_what_the_reference_finds(name: str, tmp_path: Path) -> None:
    """Every finding with its code, severity and place; every record is written back as it was."""
    if name in expressible():
        compare(engine().spec(name), made(name, 12), tmp_path)


@needs_compiler
@pytest.mark.slow
@pytest.mark.parametrize("name", formats("ksy"))
def test_a_reader_finds_what_the_reference_finds_in_hundreds_of_files(name: str, tmp_path: Path) -> None:
    """The same of three hundred generated files."""
    if name in expressible():
        compare(engine().spec(name), made(name, 300), tmp_path)


@pytest.mark.long
@needs_compiler
@pytest.mark.parametrize("name", ["dup", "rzd", "zrj"])
def test_random_bytes_touch_nothing_that_is_not_there(name: str, tmp_path: Path) -> None:
    """A slice of the search: a header and texts, a count, bits that end a list."""
    subprocess.run([build(engine().spec(name), tmp_path), "fuzz", "3000", "7"], check=True)


SCHEMA = """
meta: {id: one, endian: be, bit-endian: be, encoding: ASCII}
seq: [{id: all, type: row, repeat: eos}]
types:
  row:
    seq:
      - {id: double, type: s2, valid: {min: -300, max: 300}}
      - {id: a, type: b3, valid: {any-of: [1, 2, 5]}}
      - {id: b, type: b13, valid: {expr: _ / 7 % 3 != 1 and _ > a * 2}}
      - {id: f, type: f4}
      - {id: c, type: u4, repeat: expr, repeat-expr: 2, valid: {max: 0xf000_0000}}
      - {id: d, type: u1, -bridge-value: a + 1, -bridge-code: odd-sum}
      - {id: t, type: str, size: 3}
    -bridge-checks: [{that: "double + a > -200", code: too-low, message: "CODE"}]
"""


@pytest.mark.long
@needs_compiler
def test_types_and_expressions_mean_what_they_mean_in_python(tmp_path: Path) -> None:
    """Signs, both orders of bytes and bits, division that rounds down, sums of fields, texts; of random records."""
    random = Random(3)
    for order in ("be", "le"):
        folder = tmp_path / order
        folder.mkdir()
        spec = loads(SCHEMA.replace("endian: be", f"endian: {order}"))
        files = [random.randbytes(random.randrange(90)) for _ in range(150)]
        files += [bytes(random.choice((0, 1, 0x41, 255)) for _ in range(20)) for _ in range(150)]
        compare(spec, files, folder)


@pytest.mark.slice(None, quick=2)
@needs_compiler
@pytest.mark.parametrize("text", ["*/ int main(void) { return 1; } /*", '";abort();"', "??/\n", "\\", "#error", "%s%n"])
def test_no_text_of_a_schema_is_code(text: str, tmp_path: Path) -> None:
    """Titles, documentation, names of codes and messages are nowhere in the source."""
    quoted = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    schema = SCHEMA.replace("meta: {id: one,", f'doc: "{quoted}"\nmeta: {{id: one, title: "{quoted}",').replace("CODE", quoted)
    spec = loads(schema)
    header, source = to_c(spec)
    assert text not in header + source
    build(spec, tmp_path)


@pytest.mark.parametrize(
    ("declared", "what"),
    [
        ("{id: a, type: u8, valid: {max: 5}}", "the constraint of a"),
        ("{id: a, type: u4}, {id: b, type: u4, valid: {expr: _ * a * a > 3}}", "a number of more than 64 bits"),
        ("{id: a, type: str, size: 2, encoding: UTF-8}", "an encoding that is not ASCII"),
        ("{id: a, type: u1, if: 1 > 0}", "a"),
    ],
)
def test_what_c_cannot_express_is_refused_with_its_place(declared: str, what: str) -> None:
    """Nothing is left out."""
    schema = f"meta: {{id: one, endian: le}}\nseq: [{{id: all, type: row, repeat: eos}}]\ntypes: {{row: {{seq: [{declared}]}}}}"
    with pytest.raises(NotExpressible, match=r":3:\d+: ") as refused:
        to_c(loads(schema, "one.ksy"))
    assert what in str(refused.value)
