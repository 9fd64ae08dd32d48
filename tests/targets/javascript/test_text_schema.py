"""A generated JavaScript module of a text format writes what the reference codec writes, or gives the same reason why it cannot."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import deepcopy
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest

from bridgespec.cli.render_json import json_value
from bridgespec.cli.render_marks import RenderSource
from bridgespec.cli.sampling import Sampler
from bridgespec.codec.text.codec import TextCodec, plain
from bridgespec.engines import Engine
from bridgespec.errors import WriteError
from bridgespec.spec.ir import Spec
from tests.generate.house import engine
from tests.generate.strategies import corpus, formats
from tests.targets.javascript import TOLD, Reader, difference, expected, expected_model, known, needs_node, write_module

TEXTS = formats("lark")
SPECS = Path(__file__).parents[3] / "specs"
CHANGES = 3
"""How many changed values of each sample are written in the quick run."""
MANY = 300
"""How many files of each format are written in the slow run."""
LONG = 20_000
"""The size of files that are changed; reading one back for each change takes its time."""

Alike = Callable[[Spec, bytes, int], None]


@cache
def codec_of(format: str) -> TextCodec:
    return TextCodec(engine().spec(format))


@pytest.fixture(scope="module")
def reader() -> Iterator[Reader]:
    node = Reader()
    yield node
    node.close()


@pytest.fixture(scope="module")
def alike(reader: Reader, tmp_path_factory: pytest.TempPathFactory) -> Alike:
    """Writes a file that was read, and values made from its own, both ways, as a new file and in place of the old one."""
    modules: dict[int, tuple[Path, TextCodec, Spec]] = {}

    def check(spec: Spec, data: bytes, changes: int) -> None:
        if id(spec) not in modules:
            modules[id(spec)] = (write_module(spec, tmp_path_factory.mktemp(spec.id)), TextCodec(spec), spec)
        module, codec, _ = modules[id(spec)]
        reading = codec.read(data)
        values = plain(reading.root)
        random = Random(data)
        given = [values, *(changed(values, random) for _ in range(changes))]
        cases = [(value, kept) for value in given for kept in (False, True)]
        answers = reader.ask(module, data, writes=cases)
        for (value, kept), answer in zip(cases, answers, strict=True):
            assert answer == wanted(codec, value, reading if kept else None), (value, kept, data)
        assert answers[1] == data.hex(), "a file that was not changed is written as it was"

    return check


def wanted(codec: TextCodec, value: Any, origin: Any) -> str:
    """What the reference writes, or its reason."""
    try:
        return codec.write(value, origin).hex()
    except WriteError as error:
        return str(error)


def changed(values: Any, random: Random) -> Any:
    """A copy of plain values with one to three changes."""
    made = deepcopy(values)
    for _ in range(random.choice([1, 1, 1, 2, 3])):
        places = list(places_in(made))
        if places:
            change(*random.choice(places), random, places)
    return made


def places_in(value: Any) -> Iterator[tuple[Any, Any]]:
    """Yield every container in a plain value with each of its keys."""
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield value, key
        yield from places_in(inner)


def change(holder: Any, key: Any, random: Random, places: list[tuple[Any, Any]]) -> None:
    """Change one value: remove it, repeat it, or give it another, perhaps that of a field of the same name or of any."""
    old = holder[key]
    other, place = random.choice([(one, name) for one, name in places if name == key or random.random() < 0.2] or places)
    match random.randrange(8):
        case 0:
            del holder[key]
        case 1 if isinstance(holder, list):
            holder.insert(random.randint(0, len(holder)), deepcopy(old))
        case 1 | 2 if isinstance(old, list):
            random.shuffle(old)
        case 3 if isinstance(old, str):
            at = random.randint(0, len(old))
            holder[key] = (
                old[:at] + random.choice(["1", "a", " ", "|", "}", '"', "é", "\r\n", "K", ""]) + old[at + random.randint(0, 2) :]
            )
        case 4 if isinstance(holder, dict):
            holder[random.choice(["strange", "names", key])] = random.choice([{}, [], "", 3, None, -1, [{}]])
        case 5:
            holder[key] = random.randint(-1, 20)
        case _:
            holder[key] = deepcopy(other[place])


@pytest.mark.slice(5, quick=1)
@needs_node
@pytest.mark.parametrize("format", TEXTS)
def test_samples_and_values_made_of_them_are_written_alike(alike: Alike, format: str) -> None:
    """Every sample, good or bad, unchanged, and with changed values."""
    spec = engine().spec(format)
    for data in corpus(format):
        alike(spec, data, CHANGES if len(data) < LONG else 0)


@needs_node
@pytest.mark.slow
@pytest.mark.parametrize("format", TEXTS)
def test_hundreds_of_files_are_written_alike(alike: Alike, format: str) -> None:
    """Valid files and files with one fault each, made from the schema."""
    for data in many(format):
        alike(engine().spec(format), data, 1 if len(data) < LONG else 0)


def many(format: str) -> list[bytes]:
    """Return the samples of a format and `MANY` files that are made from its schema, each also cut."""
    sampler = Sampler(engine(), engine().spec(format), 5)
    made = [sampler.valid(index) for index in range(MANY)]
    return list(dict.fromkeys([*corpus(format), *made, *(cut(data) for data in made)]))


def cut(data: bytes) -> bytes:
    """A file without a part in its middle, and with a sign too many."""
    third = len(data) // 3
    return data[:third] + b"?" + data[third + 3 :]


@pytest.mark.long
@pytest.mark.slice(3)
@needs_node
@pytest.mark.parametrize("format", TEXTS)
def test_files_with_marks_and_in_utf_16_are_read_and_written_alike(
    reader: Reader, tmp_path_factory: pytest.TempPathFactory, format: str
) -> None:
    """Trees have offsets in the text, findings in the file; a changed file keeps its mark, its order and its odd last byte."""
    spec, codec = engine().spec(format), codec_of(format)
    module = write_module(spec, tmp_path_factory.mktemp(format))
    for data in [one for one in corpus(format) if len(one) < 3000][:3]:
        for made in (form for each in (data, cut(data)) for form in marked_forms(each)):
            reading, values = codec.read(made), plain(codec.read(made).root)
            told = [json_value(reading.placed(one), RenderSource()) for one in reading.diagnostics]
            found = {**expected(reading), "findings": [{key: one[key] for key in TOLD} for one in told]}
            assert not difference(reader.ask(module, made)[0], found), made
            given = [values, changed(values, Random(made))]
            answers = reader.ask(module, made, writes=[(value, True) for value in given])
            assert answers == [wanted(codec, value, reading) for value in given], made
            assert answers[0] == made.hex()


def marked_forms(data: bytes) -> Iterator[bytes]:
    """A file with the mark of UTF-8, and in UTF-16 of both orders: with a mark and without, and with half a pair or character."""
    text = data.decode("utf-8", "replace")
    low, high = text.encode("utf-16-le"), (text + "é😀").encode("utf-16-be")
    yield from (b"\xef\xbb\xbf" + data, b"\xff\xfe" + low, b"\xfe\xff" + high + b"x", low, high[:-1])
    yield b"\xff\xfe" + low[:40] + b"\x00\xd8" + low[40:]


@pytest.mark.long
@needs_node
def test_braces_of_a_value_are_not_filled_in(reader: Reader, tmp_path: Path) -> None:
    """The message of a finding quotes the value as the file has it."""
    spec = engine().spec("lin")
    data = b"qx|o1|sv|{key}|bn|{value!r}|pg||\n"
    found = reader.ask(write_module(spec, tmp_path), data)[0]
    assert not difference(found["findings"], expected(codec_of("lin").read(data))["findings"])
    assert "'{value!r}'" in str([one["message"] for one in found["findings"]])


@pytest.mark.long
@needs_node
def test_an_unreadable_number_of_a_board_keeps_the_later_ones(reader: Reader, tmp_path: Path) -> None:
    """The outcomes of a list behind it are those of their boards."""
    source = (SPECS / "lin.lark").read_text().replace("number: /[0-9]{1,6}/", "number: /[0-9x]{1,6}/")
    (tmp_path / "lin.lark").write_text(source)
    spec = Engine([tmp_path]).spec("lin")
    boards = "".join(f"qx|o{number}|md|3SAKQJT98765432,HAKQJT98765432,DAKQJT98765432,|sv|o|\n" for number in (1, 2, 3))
    data = f"vg|T,S,I,1,3,A,0,B,0|\nrs|4SN=,,4SN+1,,4SN+2,|\nbn|1,x,3|\npg||\n{boards}".encode()
    found = reader.ask(write_module(spec, tmp_path), data, model=1)[0]
    assert [board.get("result") for board in found["boards"]] == [10, None, 12]
    assert not difference(found, expected_model(known(spec).codec.read(data), spec))
