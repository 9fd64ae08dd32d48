"""A generated JavaScript module of a binary format writes what the reference codec writes, or refuses it for the same reason."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from bridgespec.codec.binary.codec import BinaryCodec
from bridgespec.codec.node import plain
from bridgespec.codec.samples.growth import Growth
from bridgespec.codec.samples.random_values import Drawing, Undrawn
from bridgespec.errors import WriteError
from bridgespec.spec.encoding import ENCODINGS, python_encoding
from bridgespec.spec.ir import Spec
from bridgespec.spec.kaitai.schema import loads
from bridgespec.targets.javascript.encodings import encoding_value
from tests.codec.samples.test_growth import HEAD, LAYOUTS
from tests.generate.broken import variants
from tests.generate.house import engine
from tests.generate.strategies import corpus, formats
from tests.listed import listed
from tests.spec.kaitai.expr.test_functions import FILES
from tests.targets.javascript import SAFE, Reader, needs_node, write_module
from tests.targets.javascript.test_text_schema import CHANGES, LONG, changed, many, places_in

FORMATS = formats("ksy")
TOO_DEEP = "nested too deeply"
"""How both refuse a value that depends on itself; the reference names the expression, JavaScript only those that may fail."""

Alike = Callable[[Spec, bytes, int], None]


@pytest.fixture(scope="module")
def reader() -> Iterator[Reader]:
    node = Reader()
    yield node
    node.close()


class Pair:
    """The generated module of a spec, and the reference codec."""

    def __init__(self, spec: Spec, reader: Reader, folder: Path) -> None:
        self.spec, self.reader = spec, reader
        self.codec = BinaryCodec(spec)
        self.module = write_module(spec, folder)

    def check(self, data: bytes, cases: list[tuple[Any, bool]]) -> None:
        """Write values both ways, as new files and in place of a file that was read."""
        answers = self.reader.ask(self.module, data, writes=[(wire(bare(value)), kept) for value, kept in cases])
        for (value, kept), answer in zip(cases, answers, strict=True):
            wanted = self.wanted(value if kept else bare(value))
            if wanted is not None and not wanted.endswith(TOO_DEEP):
                assert answer == wanted, (value, kept, data)
            assert wanted is None or answer.endswith(TOO_DEEP) == wanted.endswith(TOO_DEEP)

    def wanted(self, value: Any) -> str | None:
        """What the reference writes, or its reason; None where it cannot judge a value of another type."""
        try:
            return self.codec.write(value).hex()
        except WriteError as error:
            return str(error)
        except (TypeError, AttributeError, ValueError):
            return None


@pytest.fixture(scope="module")
def pair_of(reader: Reader, tmp_path_factory: pytest.TempPathFactory) -> Callable[[Spec], Pair]:
    made: dict[int, Pair] = {}

    def pair(spec: Spec) -> Pair:
        if id(spec) not in made:
            made[id(spec)] = Pair(spec, reader, tmp_path_factory.mktemp(spec.id))
        return made[id(spec)]

    return pair


@pytest.fixture(scope="module")
def alike(pair_of: Callable[[Spec], Pair]) -> Alike:
    """Writes a file that was read, and values made from its own, both ways, as a new file and in place of the old one."""

    def check(spec: Spec, data: bytes, changes: int) -> None:
        pair, random = pair_of(spec), Random(data)
        values = plain(pair.codec.read(data).root)
        cases = [(values, True), (values, False)]
        for _ in range(changes):
            cases += [(changed(bare(values), random), False), (touched(values, random), True)]
        pair.check(data, cases)
        assert pair.codec.write(values) == data, "a file that was not changed is written as it was"

    return check


def bare(value: Any) -> Any:
    """A plain value without the file's own forms. A whole number is an integer: JavaScript has no other."""
    if isinstance(value, dict):
        return {name: bare(part) for name, part in value.items()}
    if isinstance(value, list):
        return [bare(part) for part in value]
    if isinstance(value, float):
        return int(value) if value.is_integer() else float(value) if value == value else math.nan
    if isinstance(value, bytes):
        return bytes(value)
    if isinstance(value, str):
        return str(value)
    return int(value) if isinstance(value, int) and not isinstance(value, bool) else value


def wire(value: Any) -> Any:
    """A value as `plainValue` of `wire.mjs` takes it."""
    if isinstance(value, dict):
        return {name: wire(part) for name, part in value.items()}
    if isinstance(value, list):
        return [wire(part) for part in value]
    if isinstance(value, bytes):
        return {"": ["bytes", value.hex()]}
    if isinstance(value, int) and abs(value) > SAFE:
        return {"": ["int", str(value)]}
    if isinstance(value, float) and not math.isfinite(value):
        return {"": ["float", "NaN" if value != value else "Infinity" if value > 0 else "-Infinity"]}
    return value


def touched(values: Any, random: Random) -> Any:
    """The same values but one, which is another, absent, or at the end of a list repeated; all others keep their own forms."""
    made = copied(values)
    places = list(places_in(made))
    holder, key = random.choice(places) if places else ({}, None)
    old = holder[key] if places else None
    match random.randrange(4):
        case 0 if isinstance(holder, dict):
            holder.pop(key, None)
        case 1 if isinstance(old, list) and old:
            old.append(bare(old[-1]))
        case 2 if isinstance(old, bytes | str) and old:
            holder[key] = bare(old)[:-1]
        case _ if isinstance(old, int):
            holder[key] = random.choice([one for one in (0, 1, 200) if one != old])
    return made


def copied(value: Any) -> Any:
    """The same containers anew, of the same types: those of records keep the form of the file."""
    if isinstance(value, dict):
        made = type(value)((name, copied(part)) for name, part in value.items())
        vars(made).update(vars(value)) if hasattr(value, "raw") else None
        return made
    return [copied(part) for part in value] if isinstance(value, list) else value


@pytest.mark.slice(None, quick=2)
@needs_node
@pytest.mark.parametrize("format", FORMATS)
def test_samples_and_values_made_of_them_are_written_alike(alike: Alike, format: str) -> None:
    """Every sample, good or bad, unchanged, and with changed values."""
    spec = engine().spec(format)
    for data in corpus(format):
        alike(spec, data, CHANGES if len(data) < LONG else 0)


@needs_node
@pytest.mark.slow
@pytest.mark.parametrize("format", FORMATS)
def test_hundreds_of_files_are_written_alike(alike: Alike, format: str) -> None:
    """Valid files and files with one fault each, made from the schema."""
    for data in many(format):
        alike(engine().spec(format), data, 1 if len(data) < LONG else 0)


LAYOUT = "meta: {id: t, endian: le, bit-endian: le, encoding: ASCII}\n"
SMALL = {
    "padded": (
        "{id: a, type: str, size: 4, pad-right: 0x20}, {id: b, size: 4, terminator: 13, pad-right: 32}",
        "61620020610d2021",
    ),
    "terminated": (
        "{id: a, type: strz, eos-error: false}, {id: b, type: strz, include: true}, {id: c, size-eos: true}",
        "61620063000102",
    ),
    "unterminated": (
        "{id: a, type: strz, consume: false, repeat: expr, repeat-expr: 1}, {id: b, type: u1}",
        "61620000",
    ),
    "to the end": (
        "{id: a, size-eos: true, terminator: 0}",
        "61006161",
    ),
    "wide": (
        "{id: a, type: str, size: 8, encoding: UTF-16LE, terminator: 0}, {id: b, type: strz, encoding: UTF-16BE}",
        "61003104000000000061d83dde000000",
    ),
    "bits": (
        "{id: a, type: b3}, {id: b, type: u1}, {id: c, type: b1}, {id: d, type: b13}, {id: e, type: b64}",
        "ff01ff0203f00102030405060708",
    ),
    "bits of both orders": (
        "{id: a, type: b3be}, {id: b, type: b3}, {id: c, type: b60be}, {id: d, type: b9be}",
        "9c550102030405060708090a",
    ),
    "integers": (
        "{id: a, type: s1}, {id: b, type: s2be}, {id: c, type: u4be}, {id: d, type: s8}, {id: e, type: u8be}",
        "80fffe01020304ffffffffffffff7f8000000000000001",
    ),
    "floats": (
        "{id: a, type: f4}, {id: b, type: f4be}, {id: c, type: f8}, {id: d, type: f8be}",
        "0100807f40490fdb182d4454fb2109407ff8000000000001",
    ),
    "windows": (
        "{id: a, type: t, size: 4}, {id: b, type: t, size: 4, pad-right: 9}, {id: c, type: t, terminator: 0}",
        "010203040107090901070005",
    ),
    "stored": (
        "{id: a, type: t, size: 3, process: xor(7)}, {id: k, type: u1}, {id: b, size: 2, process: rol(k)}",
        "0607000312ff",
    ),
    "stored by a key": (
        "{id: k, size: 2}, {id: b, size: 5, process: 'xor(k)', terminator: 1}, {id: c, size: 1, process: ror(_io.pos)}",
        "0f010e01020304ff",
    ),
    "conditions": (
        "{id: a, type: u1}, {id: b, type: u1, if: a == 2}, {id: c, type: t, if: 'a != 2'}, "
        "{id: d, type: u1, if: e > 3}, {id: e, type: u1}",
        "02010709",
    ),
    "cases": (
        "{id: n, type: u1}, {id: a, type: {switch-on: n, cases: {1: u2, 2: t, 3: strz}}}, "
        "{id: b, size: 2, type: {switch-on: n, cases: {2: t}}}",
        "01050607080900",
    ),
    "lists": (
        "{id: n, type: u1}, {id: a, type: t, repeat: expr, repeat-expr: n}, "
        "{id: b, type: u2, repeat: until, repeat-until: _ == 7}, {id: c, type: b4, repeat: expr, repeat-expr: 5}, "
        "{id: d, type: t, repeat: eos}",
        "0201020500070012345601",
    ),
    "byte order": (
        "{id: n, type: u1}, {id: a, type: o}, {id: b, type: o}",
        "0101020304",
    ),
    "parts": (
        "{id: at, type: u1}, {id: rest, size-eos: true, -bridge-opaque: true}",
        "0309090102",
    ),
    "parameters": (
        "{id: n, type: u1}, {id: a, type: p(n), repeat: expr, repeat-expr: 2}",
        "0301020304050607",
    ),
    "lenient": (
        "{id: a, type: u1, -bridge-lenient: {2: 1}, repeat: expr, repeat-expr: 3}, {id: b, type: u1}",
        "01020303",
    ),
    "implied": (
        "{id: len, type: u1}, {id: num, type: u1}, {id: a, type: str, size: len * 2}, "
        "{id: b, type: u2, repeat: expr, repeat-expr: num - 1}",
        "01036162010002000500",
    ),
    "defaults": (
        "{id: m, contents: BR}, {id: n, type: u1, -bridge-value: a.size}, "
        "{id: a, type: t, repeat: expr, repeat-expr: n}, {id: s, type: u1, -bridge-value: 'sum(a, _.v) & 0xff'}, "
        "{id: p, size: 2, -bridge-default: '[32, 32]'}, {id: one, type: u1, valid: 1}",
        "4252020708 0f202001",
    ),
    "nothing": (
        "{id: a, contents: AB, repeat: expr, repeat-expr: 2}, {id: b, type: t, repeat: expr, repeat-expr: 0}, "
        "{id: c, size: n, if: 'n > 0'}, {id: n, type: u1, -bridge-default: 2}",
        "41424142010200",
    ),
}
"""Constructs of schemas: the fields, and a file as hexadecimal digits."""
TYPES = "types:\n  t: {seq: [{id: v, type: u1}]}\n"
MORE = {
    "byte order": "  o: {meta: {endian: {switch-on: _root.n, cases: {1: le, _: be}}}, seq: [{id: v, type: u2}]}",
    "parameters": "  p: {params: [{id: size, type: u1}], seq: [{id: v, size: size}]}",
    "parts": "instances: {there: {pos: at, type: u2}, last: {pos: _io.size - 1, type: u1}, sum: {value: there + 1}}",
}


def small(name: str) -> Spec:
    return loads(f"{LAYOUT}seq: [{SMALL[name][0]}]\n{TYPES}{MORE.get(name, '')}")


@pytest.mark.slice(None, quick=8)
@needs_node
@pytest.mark.parametrize("name", SMALL)
def test_every_construct_is_written_alike(alike: Alike, pair_of: Callable[[Spec], Pair], name: str) -> None:
    """A file of each construct, faulty forms of it, values without those that can be missing, and others instead of them."""
    spec, data = small(name), bytes.fromhex(SMALL[name][1])
    for each in (data, *variants(data, Random(name), 20)):
        alike(spec, each, 6)
    pair_of(spec).check(data, [({}, False), ({"trailing": b"xy"}, False), ({"n": 1}, False)])


@needs_node
@pytest.mark.parametrize("name", FILES)
def test_sizes_places_and_checksums_are_written_alike(alike: Alike, pair_of: Callable[[Spec], Pair], name: str) -> None:
    """What follows from sizes, places and bytes settles to the same bytes."""
    schema, values, written = FILES[name]
    spec = loads(schema)
    pair_of(spec).check(b"", [(values, False)])
    for each in (bytes.fromhex(written), *variants(bytes.fromhex(written), Random(name), 10)):
        alike(spec, each, 2)


@needs_node
@pytest.mark.parametrize("name", LAYOUTS)
def test_parts_at_offsets_are_written_alike(alike: Alike, name: str) -> None:
    """Parts in tables, behind headers and counted from the end."""
    spec = loads(HEAD + LAYOUTS[name])
    for seed in range(4):
        try:
            data = Growth(BinaryCodec(spec), Drawing(spec, Random(seed))).file()
        except Undrawn:
            continue
        alike(spec, data, 4)


@needs_node
def test_a_part_is_not_written_over_another(pair_of: Callable[[Spec], Pair]) -> None:
    """Parts may share bytes that are the same to both; else both writers name the same part."""
    spec = loads(
        f"{LAYOUT}seq: [{{id: head, type: u1}}, {{id: item, type: p, size: 1, repeat: expr, repeat-expr: 2}}, "
        "{id: pool, size-eos: true, -bridge-opaque: true}]\n"
        "types: {p: {seq: [{id: at, type: u1}], instances: {text: {io: _root._io, pos: at, size: 2}}}}"
    )
    cases = []
    for places, texts in [
        ((3, 5), "abcd"),
        ((3, 3), "abab"),
        ((3, 4), "abbc"),
        ((3, 4), "abxc"),
        ((3, 1), "abcd"),
        ((9, 200), "abcd"),
    ]:
        items = [{"at": at, "text": texts[2 * i : 2 * i + 2].encode()} for i, at in enumerate(places)]
        cases.append(({"head": 9, "item": items, "pool": b"...."}, False))
    pair_of(spec).check(b"", cases)


@needs_node
def test_what_zlib_stored_comes_back(reader: Reader, tmp_path: Path) -> None:
    """Unchanged data keep their bytes; changed ones are stored in blocks that are not compressed, which every reader takes."""
    spec = loads(
        f"{LAYOUT}seq: [{{id: a, type: t, size-eos: true, process: zlib}}]\ntypes: {{t: {{seq: [{{id: v, size-eos: true}}]}}}}"
    )
    module, codec = write_module(spec, tmp_path), BinaryCodec(spec)
    data = codec.write({"a": {"v": b"abc" * 50}})
    same, other, fresh = reader.ask(
        module, data, writes=[(wire({"a": {"v": value}}), kept) for value, kept in [(b"abc" * 50, 1), (b"", 1), (b"x" * 70_000, 0)]]
    )
    assert same == data.hex()
    for written, value in ((other, b""), (fresh, b"x" * 70_000)):
        reading = codec.read(bytes.fromhex(written))
        assert not reading.diagnostics
        assert plain(reading.root)["a"]["v"] == value


@listed
def encodings() -> Iterator[str]:
    """The encodings that generated modules know."""
    return (name for name in ENCODINGS if encoding_value(name) is not None)


@pytest.mark.slice(9, quick=0)
@needs_node
@pytest.mark.parametrize("encoding", encodings())
def test_texts_are_spelled_alike(reader: Reader, tmp_path: Path, encoding: str) -> None:
    """Every character that an encoding has, EUC-KR's of eight bytes excepted, and some that it lacks."""
    spec = loads(f"meta: {{id: x, encoding: {encoding}}}\nseq: [{{id: t, type: str, size-eos: true}}]")
    module, codec = write_module(spec, tmp_path), BinaryCodec(spec)
    name = python_encoding(encoding) or "ascii"
    every = map(chr, (*range(0xD800), *range(0xE000, 0x30000)))
    having = [one for one in every if 0 < len(one.encode(name, "ignore")) <= 4]
    texts = ["".join(having[at : at + 4096]) for at in range(0, len(having), 4096)] + ["a\u0416", "\u20ac", "\ufffd", "😀"]
    answers = reader.ask(module, b"", writes=[({"t": text}, False) for text in texts])
    for text, answer in zip(texts, answers, strict=True):
        try:
            wanted = codec.write({"t": text}).hex()
        except WriteError as error:
            wanted = str(error)
        assert answer == wanted
