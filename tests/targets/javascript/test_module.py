"""A generated JavaScript reader gives the same tree and the same findings as the reference codec."""

from __future__ import annotations

import re
import shutil
import struct
import subprocess
import zlib
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridgespec.codec.binary.codec import BinaryCodec
from bridgespec.codec.text.codec import TextCodec
from bridgespec.engines import Engine
from bridgespec.errors import BridgespecError
from bridgespec.spec.encoding import ENCODINGS
from bridgespec.spec.ir import Spec
from bridgespec.spec.kaitai.schema import loads
from bridgespec.spec.kaitai.sizes import field_bits
from bridgespec.targets.javascript.binary_schema import BinarySource
from bridgespec.targets.javascript.module import to_javascript
from bridgespec.targets.javascript.runtime import helpers, needed, units_of
from bridgespec.targets.javascript.source import quoted
from bridgespec.targets.javascript.typescript import to_typescript
from bridgespec.targets.refused import NotExpressible
from tests.codec.terms.test_contract_terms import CONTRACTS
from tests.codec.terms.test_hands import SEAT, engine_of
from tests.conformance.roundtrip import pairs
from tests.conformance.suite import PROCESSORS, VARIABLE, load_format, suite_folder
from tests.generate.broken import variants
from tests.generate.house import engine
from tests.generate.strategies import broken_files, corpus, drawable, formats, raw_files, valid_files
from tests.listed import listed
from tests.spec.grammar.test_linear import SEEDS, cut
from tests.spec.kaitai.expr.test_functions import FILES
from tests.targets.javascript import (
    Reader,
    difference,
    expected,
    expected_judgement,
    expected_model,
    expected_places,
    expected_plain,
    known,
    needs_node,
    without_instances,
    write_module,
)

FORMATS = formats()
SPECS = Path(__file__).parents[3] / "specs"
SUITE = suite_folder()
SHAPES = Path(__file__).parents[2] / "shapes"
FEW = 12
"""How many faulty forms of each sample are tried in the quick run."""

Compare = Callable[[Spec, bytes], None]


@cache
def source_of(format: str) -> str:
    """The module of a format, made once."""
    return to_javascript(engine().spec(format))


@pytest.fixture(scope="session")
def reader() -> Iterator[Reader]:
    node = Reader()
    yield node
    node.close()


@pytest.fixture(scope="session")
def modules(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Spec], Path]:
    made: dict[int, tuple[Spec, Path]] = {}

    def module(spec: Spec) -> Path:
        if id(spec) not in made:
            made[id(spec)] = (spec, write_module(spec, tmp_path_factory.mktemp(spec.id)))
        return made[id(spec)][1]

    return module


@pytest.fixture(scope="session")
def compare(reader: Reader, modules: Callable[[Spec], Path]) -> Compare:
    """Reads a file both ways; the two answers must be equal to the last bit of the last span."""

    made: dict[int, tuple[Spec, TextCodec | BinaryCodec]] = {}

    def check(spec: Spec, data: bytes) -> None:
        if id(spec) not in made:
            made[id(spec)] = (spec, TextCodec(spec) if spec.language == "lark" else BinaryCodec(spec, PROCESSORS))
        wanted = expected(made[id(spec)][1].read(data))
        found = reader.ask(modules(spec), data)[0]
        assert not difference(found, wanted), data.hex()

    return check


@pytest.mark.slice(9, quick=2)
@needs_node
@pytest.mark.parametrize("format", FORMATS)
def test_samples_and_their_faulty_forms_are_read_alike(compare: Compare, format: str) -> None:
    """Every sample, good or bad, and forms of it with a cut, a flipped bit, bytes put in or taken out."""
    random = Random(format)
    for data in corpus(format):
        for each in variants(data, random, FEW if len(data) < 2000 else 2):
            compare(engine().spec(format), each)


@pytest.mark.slice(None, quick=2)
@needs_node
@pytest.mark.parametrize("format", FORMATS)
def test_a_module_that_only_reads_reads_alike(reader: Reader, modules: Callable[[Spec], Path], tmp_path: Path, format: str) -> None:
    """It gives the tree and the findings of the whole module, and exports neither writer nor model. For a binary format of
    ``specs`` it has at most 40 kB.
    """
    spec = engine().spec(format)
    path = write_module(spec, tmp_path, {"read"})
    source = path.read_text("utf-8")
    assert not re.search(r"(?<![\w.])(?:writeFile|writeTextFile|modelOf)\(", source)
    assert not re.search(r"^export function (?:write|model|places|judge)\b", source, re.MULTILINE)
    assert "export function write(" not in to_typescript(spec, {"read"})
    assert not (SPECS / f"{format}.ksy").exists() or len(source.encode()) <= 40_000
    for data in corpus(format)[:4]:
        assert not difference(reader.ask(path, data)[0], reader.ask(modules(spec), data)[0])


@pytest.mark.slice(9, quick=1)
@needs_node
@pytest.mark.parametrize("format", FORMATS)
@given(data=st.data())
@settings(max_examples=15)
def test_generated_files_are_read_alike(compare: Compare, format: str, data: st.DataObject) -> None:
    """Files with up to three faults."""
    compare(engine().spec(format), data.draw(broken_files(format)))


@needs_node
@pytest.mark.slow
@pytest.mark.parametrize("format", FORMATS)
@given(data=st.data())
@settings(max_examples=300)
def test_hundreds_of_generated_files_are_read_alike(compare: Compare, format: str, data: st.DataObject) -> None:
    """Sound files, files of values that mean nothing, faulty ones, and bytes that are not a file at all."""
    kinds = [broken_files(format), valid_files(format), st.binary(max_size=300)]
    kinds += [raw_files(format)] if drawable(format) else []
    compare(engine().spec(format), data.draw(st.one_of(kinds)))


@needs_node
@pytest.mark.parametrize("blank", [" ", "\x1c", "\x1f", "\x85", "\xa0"])
def test_a_fault_before_blanks_is_placed_alike(compare: Compare, blank: str) -> None:
    """What a line lacks is reported ahead of the blanks at its end, whichever of Python's blanks these are."""
    compare(engine().spec("bid"), f"take\n//{blank}\r".encode("latin-1"))


def exporting(function: str) -> list[str]:
    """The formats whose modules have a function that not all have."""
    return [format for format in FORMATS if f"export function {function}" in source_of(format)]


@listed
def formats_of_boards() -> Iterator[str]:
    """The formats of boards."""
    return (format for format in FORMATS if engine().of(engine().spec(format)).binder.terms & {"deal", "tricks", "auction"})


@listed
def formats_of_lists() -> Iterator[str]:
    """The formats of lists of records, which can be read from a stream."""
    return (format for format in formats("ksy") if BinarySource(engine().spec(format)).listed)


MEANING, LISTS = formats_of_boards(), formats_of_lists()


@pytest.mark.slice(6, quick=2)
@needs_node
@pytest.mark.parametrize("format", MEANING)
def test_samples_mean_the_same_boards(reader: Reader, modules: Callable[[Spec], Path], format: str) -> None:
    """Deals, calls, contracts, results, plays, names: of every sample, good or bad, and of faulty forms of it, as the model has
    them.
    """
    spec, random = engine().spec(format), Random(format)
    codec = known(spec).codec
    for data in corpus(format):
        for each in variants(data, random, FEW if len(data) < 2000 else 2):
            wanted = expected_model(codec.read(each), spec)
            found = reader.ask(modules(spec), each, model=1)[0]
            assert not difference(found, wanted), each.hex()


def means_the_same(reader: Reader, modules: Callable[[Spec], Path], format: str, each: bytes) -> None:
    """Assert that the generated reader gives the boards that the codec gives."""
    spec = engine().spec(format)
    codec = known(spec).codec
    assert not difference(reader.ask(modules(spec), each, model=1)[0], expected_model(codec.read(each), spec)), each.hex()


@pytest.mark.slice(6)
@needs_node
@pytest.mark.parametrize("format", MEANING)
@given(data=st.data())
@settings(max_examples=3)
def test_generated_files_mean_the_same_boards(
    reader: Reader, modules: Callable[[Spec], Path], format: str, data: st.DataObject
) -> None:
    """Files that the writer made of whatever documents the format holds."""
    means_the_same(reader, modules, format, data.draw(valid_files(format)))


@needs_node
@pytest.mark.slow
@pytest.mark.parametrize("format", MEANING)
@given(data=st.data())
@settings(max_examples=300)
def test_hundreds_of_generated_files_mean_the_same_boards(
    reader: Reader, modules: Callable[[Spec], Path], format: str, data: st.DataObject
) -> None:
    """Files that the writer made of whatever documents the format holds."""
    means_the_same(reader, modules, format, data.draw(valid_files(format)))


@pytest.mark.slice(6, quick=0)
@needs_node
@pytest.mark.parametrize("format", MEANING)
def test_what_files_mean_is_judged_alike(reader: Reader, modules: Callable[[Spec], Path], format: str) -> None:
    """The module's `judge` gives the findings of `validate` on values without a meaning, sizes of hands and vulnerabilities, at the
    same bits."""
    spec, random = engine().spec(format), Random(format)
    for data in corpus(format):
        for each in variants(data, random, FEW if len(data) < 2000 else 2):
            wanted = expected_judgement(engine().examine(each, format), spec)
            found = reader.ask(modules(spec), each, judge=1)[0]
            assert not difference(found, wanted), each.hex()


@needs_node
@pytest.mark.parametrize("text", ["6NTXX-13", "7S+1", "1C-8", "6NT-12", "7S="])
def test_a_result_of_more_than_13_tricks_is_judged_alike(
    reader: Reader, modules: Callable[[Spec], Path], tmp_path: Path, text: str
) -> None:
    """A result of fewer than 0 or more than 13 tricks is an error at the number that states it."""
    here = engine_of(tmp_path, CONTRACTS + SEAT)
    spec, data = here.spec("habits"), f"Board 1 {text} by South\n".encode()
    wanted = expected_judgement(here.examine(data, "habits"), spec)
    assert [one["code"] for one in wanted] == ["bad-result"] * (text in ("6NTXX-13", "7S+1", "1C-8"))
    assert not difference(reader.ask(modules(spec), data, judge=1)[0], wanted)


@needs_node
@pytest.mark.parametrize(("text", "wrong"), [("4SX", 0), ("pass", 0), ("", 0), ("9Z", 1), ("4S by N", 1), ("4SN", 1)])
def test_a_text_that_is_no_contract_is_judged_alike(
    reader: Reader, modules: Callable[[Spec], Path], tmp_path: Path, text: str, wrong: int
) -> None:
    """A contract that is free text is one, or an error at the text; its declarer is a field of its own."""
    rules = 'boards: number " " contract? ";" declarer _NL\ncontract: /[^;\\n]+/\ndeclarer: seat\n'
    here = engine_of(tmp_path, rules + SEAT)
    spec, data = here.spec("habits"), f"1 {text};West\n".encode()
    wanted = expected_judgement(here.examine(data, "habits"), spec)
    assert [one["code"] for one in wanted] == ["unknown-code"] * wrong
    assert not difference(reader.ask(modules(spec), data, judge=1)[0], wanted)


@needs_node
@pytest.mark.parametrize(
    "none", ['//- as: contract\nnone: "passed" -> passed_out\n', '//- as: contract\nnone: passed_out\npassed_out: "passed"\n']
)
def test_that_all_passed_means_the_same_beside_the_contract(
    reader: Reader, modules: Callable[[Spec], Path], tmp_path: Path, none: str
) -> None:
    """A code, and a rule that only refers to that of a part, are the contract of a board passed out."""
    rules = 'boards: number " " (contract | none) " " dealer _NL\ncontract: /[1-7][SHDCN]/\ndealer: seat\n'
    spec = (here := engine_of(tmp_path, rules + none + SEAT)).spec("habits")
    wanted = expected_model(here.of(spec).codec.read(b"1 passed West\n"), spec)
    assert wanted["boards"][0]["contract"] == "Pass"
    assert not difference(reader.ask(modules(spec), b"1 passed West\n", model=1)[0], wanted)


AUCTION = '[Dealer "N"]\n[Auction "N"]\n1S =1= Pass 2S =2= Pass\n4S ! Pass Pass Pass\n'
PLAY = '[Declarer "S"]\n[Contract "4S"]\n[Result "10"]\n[Play "W"]\n'
SUITS = [f"{suit}{rank}" for suit in "SHDC" for rank in "AKQJT98765432"]
TRICKS = "".join(" ".join(SUITS[at : at + 4]) + "\n" for at in range(0, 52, 4))
ODD = {
    "a note that is not there": f'{AUCTION}[Note "2:limit"]\n',
    "a note that is there twice": f'{AUCTION}[Note "1:five"]\n[Note "1:four"]\n',
    "a note without a number": f'{AUCTION}[Note "five"]\n[Note ":four"]\n',
    "a play that goes on": f"{PLAY}SA S2 S3 S4\n+\n",
    "a play that was claimed": f"{PLAY}SA S2 S3 S4\nHA H2 - -\n*\n",
    "a whole play with an end": f"{PLAY}{TRICKS}*\n",
    "a whole play without one": f"{PLAY}{TRICKS}",
    "a play without a result": f"{PLAY.replace('10', '')}SA S2 S3 S4\n*\n",
    "scores of sides": '[Declarer "W"]\n[Score "NS 420"]\n\n[Score "EW -50"]\n\n[Declarer "E"]\n[Score "620"]\n\n[Score "0"]\n',
    "comments and tables": '{first}\n[Event "One"] ;behind\n[Auction "N"]\n{above} 1S {low} Pass\n{below}\n[Own "x"]\n'
    '[ScoreTable "+Rank;Contract\\\\5L"]\n1 "4 S"\n2\n[Other "A;B"]\n1 2\n\n{last}\n[Declarer "^S"]\n[Result "^9"]\n',
    "tags of the board before": '[Event "One"]\n[Board "1"]\n\n[Event "#"]\n\n[Event "##"]\n[Board "3"]\n\n[Event "#"]\n',
}


@needs_node
@pytest.mark.parametrize("name", ODD)
def test_odd_texts_mean_the_same(reader: Reader, modules: Callable[[Spec], Path], name: str) -> None:
    """What few files have: notes that are missing, plays that end early, scores of either side, tags that refer back."""
    spec = engine().spec("pbn")
    reading = known(spec).codec.read(ODD[name].encode())
    assert not difference(reader.ask(modules(spec), ODD[name].encode())[0], expected(reading))
    assert not difference(reader.ask(modules(spec), ODD[name].encode(), model=1)[0], expected_model(reading, spec))


@needs_node
@pytest.mark.parametrize("shape", ["league", "scorebox"])
def test_score_tables_of_records_mean_the_same(reader: Reader, modules: Callable[[Spec], Path], shape: str) -> None:
    """Lists of results in a text and in bytes are the score table of a board, with the columns that its records have."""
    folder = SHAPES / shape
    spec = Engine([folder]).spec(shape)
    data, random = (folder / f"good.{spec.extensions[0]}").read_bytes(), Random(shape)
    codec = known(spec).codec
    assert [table["name"] for table in expected_model(codec.read(data), spec)["boards"][0]["tables"]] == ["ScoreTable"]
    for each in variants(data, random, FEW):
        wanted = expected_model(codec.read(each), spec)
        assert not difference(reader.ask(modules(spec), each, model=1)[0], wanted), each


KINDS = """
meta: {id: x, bit-endian: be}
seq:
  - {id: head, type: head}
  - {id: count, type: u1}
  - {id: by_head, type: {switch-on: head.kind, cases: {1: u1}}}
  - {id: by_half, type: {switch-on: head.more & 7, cases: {1: u1}}}
  - {id: by_root, type: inner, repeat: expr, repeat-expr: 2}
  - {id: by_two, type: {switch-on: head.kind + count, cases: {3: u1}}}
  - {id: by_cell, type: {switch-on: 'by_root[0].own.to_i', cases: {3: u1}}}
types:
  head: {seq: [{id: more, type: b4}, {id: kind, type: b4}]}
  inner:
    seq:
      - {id: own, type: u1, enum: k}
      - {id: a, type: {switch-on: _root.count, cases: {1: u1}}}
      - {id: b, type: {switch-on: _parent.head.kind, cases: {1: u1}}}
      - {id: c, size: 1, type: {switch-on: own, cases: {'k::one': strange}}}
  strange: {seq: [{id: s, type: u1}]}
enums: {k: {1: one}}
"""


@needs_node
def test_a_kind_without_a_layout_is_found_where_it_stands(compare: Compare) -> None:
    """The finding is at the field whose value selects the type, in this record or another one; at the selected part where several
    fields decide."""
    spec = loads(KINDS)
    data = bytes([0x57, 9, 2, 7, 8, 7, 0, 0])
    read = BinaryCodec(spec).read(data).diagnostics
    found = [(one.field, one.span.start) for one in read if one.code == "switch-without-case" and one.span is not None]
    fields = [("head.kind", 4), ("head.more", 0), ("count", 8), ("by_root[0].own", 16), ("by_root[1].own", 32)]
    assert found == [*fields, ("by_two", 48), ("by_cell", 48)]
    for each in (data, *variants(data, Random(3), 60)):
        compare(spec, each)


NESTED = """//- id: nested
//- title: Sums
start: line*
line: sum ";" _NL
sum: atom ("+" atom)*
atom: "-" atom -> negated | "(" sum ")" -> group | number -> literal
number: /[0-9]++/
_NL: /\\n/
"""


@needs_node
def test_codes_that_lead_to_themselves_are_read_alike(compare: Compare, tmp_path: Path) -> None:
    """A rule of codes whose alternatives have that rule in them, in good files and in faulty ones."""
    (tmp_path / "nested.lark").write_text(NESTED, "utf-8")
    spec, data = Engine([tmp_path]).spec("nested"), b"1+-(2+--3)+((4));\n(5)+-6;\n"
    assert not TextCodec(spec).read(data).diagnostics
    for each in (data, *variants(data, Random(0), 60)):
        compare(spec, each)


COUNTED = """//- id: counted
//- title: Lines that are counted, measured and summed
start: line* check
line: word _NL
word: /[a-z]++/
check: "#" lines " " size " " at " " sum " " all _NL
//- {number: {}, value: _parent.line.size}
lines: /[0-9]++/
//- {number: {}, value: _parent.line._sizeof}
size: /[0-9]++/
//- {number: {}, value: _offset}
at: /[0-9]++/
//- {number: {base: 16}, value: "crc32(span(_parent.line, _parent.line))"}
sum: /[0-9a-f]++/
//- {number: {}, value: _io.size}
all: /[0-9]++/
_NL: /\\n/
"""


@needs_node
def test_values_that_follow_from_places_of_a_text_are_compared_alike(compare: Compare, tmp_path: Path) -> None:
    """Counts, sizes, offsets and sums of the lines of a text, in a good file and in faulty ones."""
    (tmp_path / "counted.lark").write_text(COUNTED, "utf-8")
    spec, lines = Engine([tmp_path]).spec("counted"), b"one\nthree\n"
    data = b"%s#2 10 10 %x 31\n" % (lines, zlib.crc32(lines))
    assert not TextCodec(spec).read(data).diagnostics
    for each in (data, *variants(data, Random(0), 60)):
        compare(spec, each)


PADDED = """//- id: padded
//- title: Numbers filled up with blanks
//- model: boards
start: boards*
boards: "b" number " " dealer _NL
//- {number: {pad-left: " ", width: 3}}
number: /[ 0-9]{3}/
dealer: "N" -> north | "S" -> south
_NL: /\\n/
"""


@needs_node
def test_a_number_is_read_without_its_padding(reader: Reader, modules: Callable[[Spec], Path], tmp_path: Path) -> None:
    """Blanks before a number belong to its width; blanks alone are no number, so the fourth board has that of its place."""
    (tmp_path / "padded.lark").write_text(PADDED)
    spec = Engine([tmp_path]).spec("padded")
    data = b"b  1 N\nb 12 S\nb123 N\nb    S\n"
    reading = TextCodec(spec).read(data)
    wanted = expected_model(reading, spec)
    assert [one.get("number") for one in wanted["boards"]] == [1, 12, 123, 4]
    assert not difference(reader.ask(modules(spec), data, model=1)[0], wanted)


WORDED = """//- id: worded
//- title: Numbers in words
//- model: boards
start: boards*
boards: number " " contract " by " declarer ", " result _NL
//- {number: {words: [one, two, three], from: 1}}
number: /[A-Za-z]++/
contract: level strain
//- {number: {words: [one, two, three, four, five, six, seven, eight], from: 1}}
level: /[a-z]++/
strain: " hearts" -> hearts | " spades" -> spades
declarer: "North" -> north | "East" -> east
//- {number: {words: [none, one, two, three, four, five, six, seven, eight, nine, ten]}}
result: /[a-z]++/
_NL: /\\n/
"""


@needs_node
def test_numbers_in_words_are_read_alike(reader: Reader, modules: Callable[[Spec], Path], tmp_path: Path) -> None:
    """In any case; a word that is none of them, and a level that no contract has, are no numbers."""
    (tmp_path / "worded.lark").write_text(WORDED, "utf-8")
    spec = Engine([tmp_path]).spec("worded")
    for data in (b"Two four hearts by North, ten\n", b"three eight spades by East, none\n", b"four nil hearts by East, twenty\n"):
        wanted = expected_model(TextCodec(spec).read(data), spec)
        found = reader.ask(modules(spec), data, model=1)[0]
        assert not difference(found, wanted), data


@pytest.mark.slice(None, quick=15)
@needs_node
@pytest.mark.parametrize("format", FORMATS)
def test_samples_have_the_same_plain_values(reader: Reader, modules: Callable[[Spec], Path], format: str) -> None:
    """Records, lists and leaves without places, absent and unreadable ones among them, as `Node.as_plain` gives them."""
    spec, random = engine().spec(format), Random(format)
    codec = known(spec).codec
    for data in corpus(format):
        for each in variants(data, random, 2):
            (found,) = reader.ask(modules(spec), each, plain=1)
            wanted = expected_plain(codec.read(each).root.as_plain())
            assert not difference(without_instances(found, spec), without_instances(wanted, spec)), each.hex()


@pytest.mark.slice(6, quick=0)
@needs_node
@pytest.mark.parametrize("format", MEANING)
def test_boards_of_samples_stand_where_the_binding_says(reader: Reader, modules: Callable[[Spec], Path], format: str) -> None:
    """Every card, call, card played, cell and fact of every sample: the same bits of the file."""
    spec = engine().spec(format)
    codec = known(spec).codec
    for data in corpus(format):
        binder = known(spec).binder
        wanted = expected_places(binder.document(codec.read(data)), binder)
        (found,) = reader.ask(modules(spec), data, places=1)
        assert len(found) == len(wanted)
        for told, board in zip(found, wanted, strict=True):
            assert not difference({name: told.get(name) if board[name] is not None else None for name in board}, board), data.hex()


@pytest.mark.long
def test_modules_have_the_functions_of_their_formats() -> None:
    """Whatever holds a deal, results or calls has boards: all but bidding systems and schemas without bridge meaning."""
    assert exporting("model") == MEANING
    assert exporting("records") == LISTS


@needs_node
@pytest.mark.parametrize("format", LISTS)
@pytest.mark.parametrize("chunk", [1, 7, 4096])
def test_records_of_a_stream_are_those_of_the_file(
    reader: Reader, modules: Callable[[Spec], Path], format: str, chunk: int
) -> None:
    """However the stream is cut into chunks: each record with the findings that the reference gives it alone."""
    spec = engine().spec(format)
    codec = BinaryCodec(spec)
    for data in corpus(format):
        if "end" in codec.read(data).root or len(data) > 1000:
            continue
        offset = sum(field_bits(each, spec.records) or 0 for each in spec.top.fields[:-1]) // 8
        wanted = [expected(each) for each in codec.read_records(data, offset)]
        assert not difference(reader.ask(modules(spec), data, records=chunk), wanted)


@needs_node
@pytest.mark.skipif(SUITE is None, reason=f"{VARIABLE} does not name a checkout of kaitai_struct_tests")
def test_every_schema_of_the_suite_without_a_process_is_read_alike(compare: Compare) -> None:
    """Each of the suite's schemas with each of its files, and faulty forms of them; the others are refused for their process."""
    assert SUITE is not None
    refused = []
    for name, data in pairs(SUITE):
        try:
            spec = load_format(SUITE, name)
            to_javascript(spec)
        except NotExpressible as error:
            refused.append(str(error))
            continue
        except BridgespecError:
            assert not (SUITE.parent / "kaitai_struct_formats").is_dir(), name  # it imports from the gallery
            continue
        content = (SUITE / "src" / data).read_bytes()
        for each in variants(content, Random(name), 6 if len(content) < 2000 else 1):
            compare(spec, each)
    assert len(refused) < 30
    assert all(": the process of " in message for message in refused)


# --- expressions -------------------------------------------------------------------------------------------------------

FIELDS = """
meta: {id: x, endian: le, bit-endian: be}
seq:
  - {id: a, type: u1}
  - {id: b, type: s4}
  - {id: c, type: u8}
  - {id: d, type: f8}
  - {id: e, size: 4, type: str, encoding: UTF-8}
  - {id: g, type: u2, if: a > 100}
  - {id: k, type: b1}
  - {id: l, type: b7}
  - {id: m, size: 3}
  - {id: p, type: u1, repeat: expr, repeat-expr: 4}
  - {id: q, type: s2, repeat: expr, repeat-expr: 3}
  - {id: u, type: s8}
  - {id: w, type: {switch-on: a, cases: {1: u1, 2: sub, _: u4}}}
  - {id: x, type: sub}
  - {id: y, type: u1, enum: en}
types:
  sub: {seq: [{id: v, type: u1}], instances: {double: {value: v * 2}}}
enums: {en: {0: zero, 1: one}}
instances:
"""
EXPRESSIONS = """
a + b; a - b; a * c; c * c * c; c / 3; b / a; b % 7; b % a; -b; -c; ~a; ~c; a & 15; b & 255; c & 255; c ^ u; b | a; a << 3;
c << 40; a << b; c >> 3; b >> 1; u >> 63; a << 200; c << 17000; (a + 1) * 1.5; d / a; d % 3; d + c; b / 0; d / 0; d * 1e300 * 1e300;
d.to_i; c.to_s; d.to_s; k.to_i; y.to_i + 1; y == en::one; e.to_i; e.length; e.reverse; e.substring(1, 2); e.substring(3, a);
e + "!"; e < "b"; e == "abcd"; m == [1, 2, 3]; m < [97, 98, 200]; m.length; m[1]; m[a]; m.first; m.last; m.max; m.to_s("ASCII");
m.to_s("UTF-8"); m.to_s("UTF-16LE"); m.to_s("IBM437"); m.to_s("SJIS"); p[a]; p.size; p.min; p.max; p.first; q[1]; q.last; q.min;
p[0] + q[1]; p.size == 4; g + 1; g == 5; g > 1; k and a > 5; not k or a == 0; k ? a : b; a > 100 ? g : 0; w.to_s; x.v; x.double + 1;
_io.pos; _io.size - a; _io.eof; [a, b][1]; [a, b, 3].max; a == 1 ? "x" : "y"; f"{a} and {d} and {e}"; c == 9007199254740993;
9007199254740993 - c; u * u; u - 9223372036854775807; (u + 1).to_s; 18446744073709551616 / 3
""".replace("\n", " ").split(";")


@needs_node
def test_expressions_have_the_reference_s_values(compare: Compare) -> None:
    """Integers without bounds, floats, absent fields, code points: values, and the message where there is none."""
    rows = [f"  i{at}: {{value: '{source.strip()}'}}" for at, source in enumerate(EXPRESSIONS)]
    spec = loads(FIELDS + "\n".join(rows))
    random = Random(5)
    for a, b, c, d in [
        (0, 0, 0, 0.0),
        (1, -1, 2**64 - 1, -2.75),
        (2, 2**31 - 1, 2**53, 1e300),
        (3, -(2**31), 2**53 - 1, 1e16),
        (200, 7, 5, 5e-5),
        (101, 40, 2**53 + 1, float("nan")),
    ]:
        for text in (b"abcd", b"-120", "é😀"[:1].encode() + b"ab", b"\xff123", "😀".encode()):
            data = struct.pack("<BiQd", a, b, c, d) + text + b"\5\6" * (a > 100) + random.randbytes(1)
            data += random.choice([b"abc", b"\xe9\x81\x40", b"\x00\xd8A"]) + bytes([0, 1, 5, 5]) + struct.pack("<hhh", -5, 0, 9)
            compare(spec, data + struct.pack("<q", random.choice([-(2**63), -1, 2**62])) + random.randbytes(7))


@pytest.mark.slice(10)
@needs_node
@pytest.mark.parametrize("encoding", sorted(set(ENCODINGS) - {"GB18030", "EUC-JP"}))
def test_text_is_decoded_as_the_reference_decodes_it(compare: Compare, encoding: str) -> None:
    """Every byte alone, and random bytes, of every encoding that Kaitai names: the same text, or the same reason for none."""
    spec = loads(f"meta: {{id: x, encoding: {encoding}}}\nseq: [{{id: t, type: str, size: 4, repeat: eos}}]")
    random = Random(encoding)
    compare(spec, b"".join(bytes([byte, 0, 0, 0]) + bytes([0, byte, 0x41, 0]) for byte in range(256)))
    compare(spec, b"".join("aé漢😀"[random.randrange(4)].encode("utf-8").ljust(4, b"a") for _ in range(50)))
    compare(spec, random.randbytes(2000))


@needs_node
def test_names_of_a_schema_cannot_clash_with_those_of_javascript(compare: Compare) -> None:
    """Fields, types and enums may be called what JavaScript or the helpers are called."""
    spec = loads(
        """
meta: {id: read, endian: le}
seq:
  - {id: constructor, type: u1, enum: default}
  - {id: to_string, type: class, repeat: expr, repeat-expr: constructor.to_i}
  - {id: values, type: node, size: constructor.to_i + hasownproperty}
instances: {hasownproperty: {value: 1}}
types:
  class: {seq: [{id: length, type: u1}, {id: children, type: u1, repeat: expr, repeat-expr: length}]}
  node: {seq: [{id: name, type: str, size-eos: true, encoding: ASCII}, {id: record, type: class::record, if: false}]}
  record: {seq: [{id: field, type: u1}]}
enums: {default: {1: proto, 2: function}}
""".replace("class::record", "record")
    )
    compare(spec, bytes([2, 1, 5, 2, 6, 7]) + b"abc")
    compare(spec, bytes([2, 1, 5, 200, 6, 7]))


@pytest.mark.long
@needs_node
def test_findings_past_the_limit_are_counted(reader: Reader, modules: Callable[[Spec], Path]) -> None:
    """The same are kept and the same left out as in the reference, whatever the limit."""
    spec = loads("meta: {id: x}\nseq: [{id: a, type: u1, repeat: eos, valid: 1, -bridge-severity: warning}, {id: b, type: u1}]")
    for limit in (1, 2, 50):
        wanted = expected(BinaryCodec(spec).read(bytes(2500), limit))
        assert not difference(reader.ask(modules(spec), bytes(2500), limit=limit)[0], wanted)
        assert wanted["findings"][-1]["code"] == "too-many-findings"


# --- what is written, and what is refused ------------------------------------------------------------------------------


@pytest.mark.slice(None, quick=10)
@pytest.mark.parametrize("format", FORMATS)
def test_a_module_says_what_its_schema_says(format: str) -> None:
    """The documentation of every field stands in the module and in its types, and so does what is left out."""
    spec = engine().spec(format)
    source, types = source_of(format), to_typescript(spec)
    assert "the rules of the game is not looked at here" in re.sub(r"\s+\* ", " ", source)
    for record in spec.records.values():
        if f'name: "{record.name.rpartition("::")[2]}"' in source:
            for each in record.fields:
                assert quoted(each.doc.strip().partition("\n")[0])[1:-1] in source
                assert re.search(rf"^  {each.name}\??: ", types, re.MULTILINE), each.name
    code = re.sub(r"(?<=[ (])/.+/i?[yg]", "", source)  # regular expressions cannot be broken
    assert max(len(re.sub(r'(["`]).*\1', "", line)) for line in code.splitlines()) <= 120, "lines of code are too long"


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ("seq: [{id: a, type: strz, encoding: GB18030}]", "text in GB18030"),
    ],
)
def test_what_javascript_cannot_say_is_refused_by_name(schema: str, words: str) -> None:
    """The message names the construct of the schema and its place."""
    with pytest.raises(NotExpressible, match=words):
        to_javascript(loads(f"meta: {{id: x}}\n{schema}"))


@pytest.mark.long
def test_a_module_carries_only_the_helpers_that_it_needs() -> None:
    """A schema of one integer needs neither lists nor texts; every helper is needed by some module."""
    small = to_javascript(loads("meta: {id: x}\nseq: [{id: a, type: u1}]"))
    assert "function readList" not in small
    assert "function textOf" not in small
    for language in ("ksy", "lark"):
        known = helpers(language)
        assert set(needed("\n".join(known.values()), language)) == set(known)
        for name, source in known.items():
            assert name in source


@pytest.mark.parametrize("language", ["ksy", "lark"])
def test_what_a_module_may_lack_is_only_called(language: str) -> None:
    """A helper that only some declarations use (``@where``) is named by others where it is called, which they never do without
    such a declaration: named as a value, it would have to be there.
    """
    parts = {name: [own, *inner.values()] for name, (own, inner) in units_of(language).items()}
    lacking = {name for name, (own, _) in units_of(language).items() if own.where}
    for name, found in parts.items():
        for one in found:
            assert not lacking & set(re.findall(r"(?<!function )\b[A-Za-z_]\w*\b(?!\()", one.text)), name
    small = to_javascript(loads("meta: {id: x}\nseq: [{id: a, type: u1}]"))
    assert "function readInstance(" not in small
    assert "function readInstance(" in to_javascript(loads("meta: {id: x}\ninstances: {a: {value: 1}}"))


@pytest.mark.skipif(shutil.which("tsc") is None, reason="the TypeScript compiler is not installed")
@pytest.mark.parametrize("format", FORMATS)
def test_the_types_are_typescript(tmp_path: Path, format: str) -> None:
    """The compiler accepts the declarations, and a program that uses them."""
    (tmp_path / "reader.d.mts").write_text(to_typescript(engine().spec(format)), "utf-8")
    use = 'import { read, plain } from "./reader.mjs";\nconst { tree, findings } = read(new Uint8Array(3));\n'
    use += "const code: string = findings[0].code;\nexport const answer = [plain(tree), code];\n"
    (tmp_path / "use.mts").write_text(use, "utf-8")
    command = ["tsc", "--noEmit", "--strict", "--target", "es2022", "--module", "nodenext", "use.mts"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


@needs_node
@pytest.mark.parametrize("name", FILES)
def test_sizes_places_and_checksums_are_found_alike(compare: Compare, name: str) -> None:
    """What follows from sizes, places and bytes is verified as the reference does it, in good files and in faulty ones."""
    schema, values, _ = FILES[name]
    spec = loads(schema)
    data = BinaryCodec(spec).write(values)
    for each in (data, *variants(data, Random(name), 60)):
        compare(spec, each)


# --- hostile sizes -------------------------------------------------------------------------------------------------------

LONG = 4_000_000
"""So many characters that a repetition which remembers each round would have no room for them."""


@pytest.mark.long
@needs_node
@pytest.mark.parametrize("seed", ["| ", "a|"])
def test_a_value_as_long_as_a_file_is_read(reader: Reader, modules: Callable[[Spec], Path], seed: str) -> None:
    """Repetitions of groups without a limit forget their rounds: JavaScript would end the reading with an error of its own."""
    spec = engine().spec("lin")
    data = ("pn|" + seed * (LONG // len(seed))).encode()
    (found,) = reader.ask(modules(spec), data, model=1)
    assert found == expected_model(known(spec).codec.read(data), spec)


@pytest.mark.slice(3)
@needs_node
@pytest.mark.parametrize("format", formats("lark"))
def test_reading_is_linear(reader: Reader, modules: Callable[[Spec], Path], format: str) -> None:
    """Four times the input enters at most some four times as many functions, read and taken for boards: a quadratic reader
    would enter sixteen times as many. What an expression does within one match is held by its pattern, which never goes back.
    """
    spec = engine().spec(format)
    for seed in dict.fromkeys([*SEEDS, *(sample.data.decode("latin-1") for sample in spec.samples)]):
        one, four = (reader.ask(modules(spec), cut(seed, size).encode("latin-1"), steps=1)[0] for size in (1500, 6000))
        assert four <= 6 * max(one, ONCE), f"{format}: {seed!r}: {one:,} and {four:,} functions"


ONCE = 3000
"""Functions that a reading enters however short its input is, at most."""


STORED = """
meta: {id: one, endian: le, encoding: ASCII}
seq:
  - {id: key, type: u1}
  - {id: size, type: u1}
  - {id: raw, size: size, process: PROCESS}
  - {id: again, type: u1}
  - {id: body, size: again, process: PROCESS, type: inner}
types: {inner: {seq: [{id: kind, type: u1}, {id: low, type: b3},
  {id: part, type: {switch-on: kind, cases: {1: u2, 2: strz, _: u1}}}]}}
"""


@needs_node
@pytest.mark.parametrize("process", ["xor(key)", "xor(raw)", "rol(key)", "ror(key)", "zlib"])
def test_stored_bytes_are_transformed_alike(reader: Reader, modules: Callable[[Spec], Path], process: str) -> None:
    """Byte arrays and records under a process, with faulty forms of each file: values, spans and findings are the reference's.

    Only whether zlib itself would have stored bytes in just this way is not known to JavaScript, which keeps them as they were.
    """
    spec, random = loads(STORED.replace("PROCESS", process)), Random(process)
    codec = BinaryCodec(spec)
    for inner in (b"\1\5\6\7", b"\2\7ab\0", b"\7\1\3\4", b"\1\5", b"", bytes(range(40)) * 3, random.randbytes(150)):
        for level in (0, 1, 9) if process == "zlib" else (0,):
            body = zlib.compress(inner, level) if process == "zlib" else inner
            data = bytes([5, len(body)]) + body + bytes([len(body)]) + body
            for each in variants(data, random, 40):
                wanted, found = expected(codec.read(each)), reader.ask(modules(spec), each)[0]
                if process == "zlib":
                    for part in (*wanted["tree"]["children"], *found["tree"]["children"]):
                        part.update(kept=None)
                assert not difference(found, wanted), each.hex()
