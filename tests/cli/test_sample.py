"""Files made of schemas alone: valid ones are, broken ones give what they must, and the same seed gives the same bytes."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from bridgespec.api import Engine, engine
from bridgespec.cli.app import app
from bridgespec.cli.sampling import Sampler
from tests.generate.house import EXAMPLES, SCHEMAS
from tests.generate.house import engine as house
from tests.generate.strategies import formats


def call(*words: object) -> Result:
    """The command, in this process."""
    return CliRunner().invoke(app, list(map(str, words)))


@pytest.mark.slice(8, quick=1)
@pytest.mark.parametrize("id", formats())
def test_valid_files_are_valid_and_broken_ones_are_broken_as_promised(id: str) -> None:
    """Nothing is found in the first; in each of the others the finding that its change must give, at its field."""
    spec = house().spec(id)
    sampler = Sampler(house(), spec, 7)
    for index in range(2):
        assert house().examine(sampler.valid(index), id).diagnostics == ()
    broken = sampler.broken(0)
    assert broken
    for fault in broken:
        found = house().examine(fault.data, id).diagnostics
        assert (fault.code, fault.field) in {(one.code, one.field or "") for one in found}
        assert fault.data != sampler.valid(0)


@pytest.mark.long
@pytest.mark.parametrize(
    ("id", "codes"),
    [("patterns", {"pattern-cards", "pattern-order", "pattern-ways"}), ("tlv", {"tlv-tag"}), ("sections", {"sections-colon"})],
)
def test_the_demands_of_an_author_are_broken(id: str, codes: set[str]) -> None:
    """Checks of records, constraints of fields and rules that report: each in a file of its own, one finding in a file of one."""
    spec = house().spec(id)
    faults = [fault for index in range(3) for fault in Sampler(house(), spec, 7).broken(index)]
    assert codes <= {fault.code for fault in faults}
    for fault in faults:
        if fault.code in codes:
            spans = [one.span for one in house().examine(fault.data, id).diagnostics if one.code == fault.code]
            assert any(span is not None and span.byte_start == fault.start for span in spans)


def test_texts_that_end_with_a_sign_have_room_for_it(tmp_path: Path) -> None:
    """Whether it is a part of them or not, and whether their size is given."""
    fields = (
        "{id: a, terminator: 10, include: true}, {id: b, size: 4, terminator: 0, include: true}, {id: c, size: 3, pad-right: 32}"
    )
    (tmp_path / "mine.ksy").write_text(f"meta: {{id: mine, file-extension: mine}}\nseq: [{fields}]\n")
    engine = Engine([tmp_path])
    sampler = Sampler(engine, engine.spec("mine"), 7)
    for index in range(20):
        data = sampler.valid(index)
        assert engine.examine(data, "mine").diagnostics == ()
        assert len(data.partition(b"\n")[2]) == 7


@pytest.mark.long
def test_the_same_seed_gives_the_same_files(tmp_path: Path) -> None:
    """Another gives others; a manifest stands beside what is broken."""
    for name, seed in (("a", 3), ("b", 3), ("c", 4)):
        for extra in ([], ["--broken"]):
            assert call("sample", "vault", "--seed", seed, *extra, "-o", tmp_path / name, "--specs", EXAMPLES).exit_code == 0
    made = {name: {path.name: path.read_bytes() for path in (tmp_path / name).iterdir()} for name in "abc"}
    assert made["a"] == made["b"] != made["c"]
    told = json.loads(made["a"]["broken.json"])
    assert {one["file"] for one in told} == {name for name in made["a"] if "-" in name.removeprefix("vault-")}
    assert {"vault-crc", "bad-contents", "unknown-code"} <= {one["code"] for one in told}
    for one in told:
        found = engine((str(EXAMPLES),)).examine(made["a"][one["file"]], "vault").diagnostics
        assert any(found_one.code == one["code"] for found_one in found)


def test_the_samples_of_a_schema_become_files(tmp_path: Path) -> None:
    """Each under the name that it has there; what has none says so."""
    assert call("sample", "tlv", "--own", "-o", tmp_path, "--specs", EXAMPLES).exit_code == 0
    samples = house().spec("tlv").samples
    assert sorted(path.read_bytes() for path in tmp_path.iterdir()) == sorted(one.data for one in samples)
    assert (tmp_path / "a-board.tlv").exists()
    refused = call("sample", "grains", "--own", "-o", tmp_path, "--specs", SCHEMAS)
    assert refused.exit_code == 2 or house().spec("grains").samples


@pytest.mark.parametrize("codes", [{"truncated", "bad-contents"}])
def test_a_published_schema_has_samples_and_broken_ones(codes: set[str], tmp_path: Path) -> None:
    """A schema without a key of ours gives valid files, and files in which a length leads beyond the end."""
    shutil.copy(Path(__file__).parent.parent / "docs/gallery/gif.ksy", tmp_path)
    known = Engine([tmp_path])
    sampler = Sampler(known, known.spec("gif"), 7)
    found = set()
    for index in range(4):
        assert known.examine(sampler.valid(index), "gif").diagnostics == ()
        for fault in sampler.broken(index):
            findings = known.examine(fault.data, "gif").diagnostics
            assert any(one.code == fault.code and one.span and one.span.byte_start == fault.start for one in findings)
            found.add(fault.code)
    assert codes <= found


LENGTHS = """
meta: {id: lengths, file-extension: lengths, endian: le}
seq:
  - {id: ofs, type: u4}
  - {id: num, type: u4}
  - {id: len, type: u2}
  - {id: body, size: len}
  - {id: list, type: u1, repeat: expr, repeat-expr: num}
instances: {tail: {pos: ofs, type: u1}}
"""


def test_lengths_counts_and_offsets_are_broken(tmp_path: Path) -> None:
    """Each of the three is led out of the file, and what is found there is found at the field that it is of."""
    (tmp_path / "lengths.ksy").write_text(LENGTHS)
    known = Engine([tmp_path])
    sampler = Sampler(known, known.spec("lengths"), 1)
    faults = sampler.broken(0)
    wanted = {("tail", "bad-size"), ("list", "truncated"), ("body", "truncated")}
    assert {(fault.field, fault.code) for fault in faults} >= wanted
    for fault in faults:
        assert (fault.code, fault.field) in {(one.code, one.field) for one in known.examine(fault.data, "lengths").diagnostics}


@pytest.mark.long
@pytest.mark.parametrize(
    ("schema", "reason"),
    [
        ("{meta: {id: no, file-extension: no}, params: [{id: n, type: u1}], seq: [{id: a, size: n}]}", "read with parameters (n)"),
        ("{meta: {id: no, file-extension: no}, seq: [{id: a, type: u1, valid: {expr: _ > 900}}]}", "because of a: this should"),
    ],
)
def test_what_cannot_be_drawn_says_why(schema: str, reason: str, tmp_path: Path) -> None:
    """A schema of which no file can be made is refused in one sentence with the reason."""
    (tmp_path / "no.ksy").write_text(schema)
    done = call("sample", "no", "-o", tmp_path, "--specs", tmp_path)
    assert done.exit_code == 2
    assert reason in done.output


SHAPES = {
    "meta: {id: x}\nseq: [{id: a, size-eos: true}]": set[str](),
    "meta: {id: x}\nseq: [{id: a, type: str, size-eos: true, encoding: UTF-8}]": {"bad-encoding"},
    "meta: {id: x}\nseq: [{id: a, type: one, repeat: eos}]\n"
    "types: {one: {seq: [{id: code, type: u1}, {id: arg, type: {switch-on: code & 1, cases: {0: s1, 1: u2be}}}]}}": {"truncated"},
    "meta: {id: x, endian: le}\nseq: [{id: a, type: u4, repeat: eos}]": {"truncated"},
    "meta: {id: x}\nseq: [{id: n, type: b4}, {id: m, type: b4}, {id: a, type: u1, repeat: expr, repeat-expr: n * m}]": {
        "truncated"
    },
    "meta: {id: x, endian: be}\nseq: [{id: at, type: u4}]\ninstances: {a: {pos: at * 2, type: u1}}": {"bad-size", "truncated"},
}


@pytest.mark.parametrize("schema", SHAPES)
def test_every_shape_is_broken_at_the_field_that_the_manifest_names(schema: str, tmp_path: Path) -> None:
    """Each fault is found with its code at its field and byte; what any bytes are a file of has none."""
    (tmp_path / "x.ksy").write_text(schema)
    known = Engine([tmp_path])
    faults = [fault for index in range(4) for fault in Sampler(known, known.spec("x"), 3).broken(index)]
    assert {fault.code for fault in faults} == SHAPES[schema]
    for fault in faults:
        found = known.examine(fault.data, "x").diagnostics
        assert (fault.code, fault.field, fault.start) in {(one.code, one.field, one.span and one.span.byte_start) for one in found}


@pytest.mark.long
def test_a_corpus_is_of_small_files_that_differ(tmp_path: Path) -> None:
    """Valid, broken and cut ones, named by their bytes; the same for the same seed."""
    for name, seed in (("a", 3), ("b", 3), ("c", 4)):
        assert call("sample", "vault", "--corpus", tmp_path / name, "--seed", seed, "--specs", EXAMPLES).exit_code == 0
    made = {name: {path.name: path.read_bytes() for path in (tmp_path / name).iterdir()} for name in "abc"}
    assert made["a"] == made["b"] != made["c"]
    assert len(set(made["a"].values())) == len(made["a"]) > 10
    assert max(map(len, made["a"].values())) <= 4096
    found = [{one.code for one in engine((str(EXAMPLES),)).examine(data, "vault").diagnostics} for data in made["a"].values()]
    assert set() in found
    assert {"truncated", "bad-contents"} <= set().union(*found)


WORDS = r"""//- {id: sums, title: Sums, extensions: [sums]}
start: line*
line: "let " name " = " sum _NL
sum: name (sign name)*
sign: "+" -> plus | "-" -> minus
name: /(?!let)[a-z]++/
_NL: / *+(?:#[^\n]*+)?\n/
"""


def test_a_word_of_a_grammar_is_misspelt(tmp_path: Path) -> None:
    """A text without numbers, codes and checks is broken too: at the word that its grammar demands, and behind its end."""
    (tmp_path / "sums.lark").write_text(WORDS)
    known = engine((tmp_path,))
    sampler = Sampler(known, known.spec("sums"), 1)
    found = {(one.code, one.data[one.start - 1 : one.stop]) for index in range(20) for one in sampler.broken(index)}
    assert {code for code, _ in found} == {"unreadable-line"}
    assert any(b"e" in text for _, text in found)
