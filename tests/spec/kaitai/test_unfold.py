"""Schemas that unfold without bound are refused, each at its place; those that only look like it are not."""

from __future__ import annotations

from pathlib import Path

import pytest

from bridgespec.codec.binary.codec import BinaryCodec
from bridgespec.codec.bulk.codec import why_not
from bridgespec.codec.including import IN_ALL, with_included
from bridgespec.errors import FileWarning, SpecError, WriteError
from bridgespec.model.convention_card import Include, System
from bridgespec.spec.grammar.load import load_grammar
from bridgespec.spec.ir import Spec
from bridgespec.spec.kaitai.names import MAX_CHAIN
from bridgespec.spec.kaitai.schema import loads
from bridgespec.spec.kaitai.sizes import record_bits
from bridgespec.spec.kaitai.unfold import DEEPEST, MOST_FIELDS, groups
from tests.told import numbers, quoted

HEAD = "meta: {id: top, endian: le, file-extension: top}\n"


def chain(length: int, fields: int, last: str = "{id: x, type: u1}") -> str:
    """A schema of types in a row, each with so many fields of the next."""
    rows = []
    for at in range(length):
        seq = ", ".join(f"{{id: {'abcdefgh'[one]}, type: t{at + 1}}}" for one in range(fields))
        rows.append(f"  t{at}: {{seq: [{seq}]}}\n")
    return f"{HEAD}seq: [{{id: first, type: t0}}]\ntypes:\n{''.join(rows)}  t{length}: {{seq: [{last}]}}\n"


def refused(text: str) -> list[tuple[str, int]]:
    """The messages of a schema that cannot be used, with their lines."""
    with pytest.raises(SpecError) as error:
        loads(text)
    return [(one.message, one.span.line or 0) for one in error.value.diagnostics if one.span]


def test_types_that_double_are_refused() -> None:
    """Forty types of two fields of the next are 2**40 fields: refused at the first type that passes the bound."""
    text = chain(40, 2)
    assert len(text) < 4000
    (message, line), *_ = refused(text)
    # t40 has one field, t39 two and what they hold: 2 + 2 * 1 and so on, 3 * 2**n - 2 of n types
    types = next(n for n in range(40) if 3 * 2**n - 2 > MOST_FIELDS)
    assert f"'t{40 - types}'" in message
    assert f"{MOST_FIELDS:,}" in message
    assert text.splitlines()[line - 1].startswith(f"  t{40 - types}:")


def test_types_below_the_bound_are_used() -> None:
    """A schema of just less than the bound is loaded, measured, compiled and declined by bulk work or not, in linear steps."""
    spec = loads(chain(12, 2))
    assert record_bits("top", spec.records) == 8 * 2**12
    known: dict[str, int | None] = {}
    record_bits("top", spec.records, known)
    assert len(known) == 14
    reading = BinaryCodec(spec).read(bytes(2**12))
    assert not reading.diagnostics
    assert why_not(spec)


@pytest.mark.long
@pytest.mark.parametrize("length", [DEEPEST, 3000])
def test_chains_are_bounded(length: int) -> None:
    """Types more than a hundred deep in one another are refused, however many; none runs out of stack."""
    assert numbers(refused(chain(length, 1))[0][0]) == [DEEPEST]


def test_a_chain_within_the_bound_is_read_and_written() -> None:
    """The deepest chain that is accepted works to its end."""
    codec = BinaryCodec(loads(chain(DEEPEST - 3, 1)))
    reading = codec.read(b"\x07")
    assert not reading.diagnostics
    assert codec.rewrite(reading) == b"\x07"


@pytest.mark.parametrize(
    ("types", "name"),
    [
        ("t: {seq: [{id: a, type: u1}, {id: b, type: t}]}", "t"),
        ("t: {seq: [{id: a, type: u}]}\n  u: {seq: [{id: b, type: v}]}\n  v: {seq: [{id: c, type: t}]}", "t"),
    ],
)
def test_types_that_hold_themselves_in_every_file(types: str, name: str) -> None:
    """Such a record has no end, so no file can hold one: warned of at the field; use ends with a finding, and none is endless."""
    spec = loads(f"{HEAD}seq: [{{id: first, type: t}}]\ntypes:\n  {types}\n")
    (warning,) = spec.warnings
    assert (warning.code, quoted(warning.message)) == ("schema-endless", [name])
    assert warning.span is not None
    assert warning.span.line == 4
    codec = BinaryCodec(spec)
    assert {one.code for one in codec.read(b"\1" * 4000).diagnostics} == {"too-deep"}
    assert len(codec.read(b"").diagnostics) == 1
    with pytest.raises(WriteError):
        codec.write({"first": {}})
    assert record_bits("top", spec.records) is None
    assert why_not(spec)


@pytest.mark.parametrize(
    "field",
    [
        "{id: b, type: t, if: a == 1}",
        "{id: b, type: t, repeat: expr, repeat-expr: a}",
        "{id: b, type: {switch-on: a, cases: {1: t}}}",
        "{id: b, type: t, size: a}",
    ],
)
def test_types_that_may_hold_themselves(field: str) -> None:
    """Where a condition, a count, a case or a size ends it, recursion is read: bounded, with a finding past the bound."""
    spec = loads(f"{HEAD}seq: [{{id: first, type: t}}]\ntypes:\n  t: {{seq: [{{id: a, type: u1}}, {field}]}}\n")
    codec = BinaryCodec(spec)
    if "size" not in field:
        assert codec.rewrite(codec.read(b"\1\1\1\0")) == b"\1\1\1\0"
        assert "too-deep" in {one.code for one in codec.read(b"\1" * 4000).diagnostics}


@pytest.mark.long
def test_chains_of_computed_instances_are_bounded() -> None:
    """Instances that follow from one another are refused past the bound, at the one where it is passed."""
    rows = "".join(f"  v{at}: {{value: v{at + 1} + 1}}\n" for at in range(2000))
    text = f"{HEAD}seq: [{{id: a, type: u1}}]\ninstances:\n{rows}  v2000: {{value: a}}\n"
    found = refused(text)
    assert numbers(found[0][0]) == [MAX_CHAIN]
    assert found[0][1] <= 4 + MAX_CHAIN + 2
    short = "".join(f"  v{at}: {{value: v{at + 1} + 1}}\n" for at in range(MAX_CHAIN - 1))
    spec = loads(f"{HEAD}seq: [{{id: a, type: u1}}]\ninstances:\n{short}  v{MAX_CHAIN - 1}: {{value: a}}\n")
    root = BinaryCodec(spec).read(b"\2").root
    assert root["v0"].value == MAX_CHAIN + 1


def test_nested_types_are_bounded() -> None:
    """Types declared within one another, as deep as a text can say it, give findings."""
    text = HEAD + "".join("  " * at + f"types:\n{'  ' * at} t{at}:\n" for at in range(400)) + "  " * 400 + "seq: []\n"
    assert "nested too deeply" in refused(text)[0][0]


def test_groups() -> None:
    """Types that hold one another stand together, and what is used stands before its users."""
    spec: Spec = loads(
        f"{HEAD}seq: [{{id: x, type: a}}]\ntypes:\n"
        "  a: {seq: [{id: n, type: u1}, {id: x, type: b, if: n == 1}, {id: y, type: c}]}\n"
        "  b: {seq: [{id: n, type: u1}, {id: x, type: a, if: n == 1}]}\n"
        "  c: {seq: [{id: x, type: u1}]}\n"
    )
    uses = {
        name: [(field, field.type.target) for field in record.fields if hasattr(field.type, "target")]
        for name, record in spec.records.items()
    }
    assert [sorted(group) for group in groups(uses)] == [["top::c"], ["top::a", "top::b"], ["top"]]


def grammar(tmp_path: Path, body: str) -> list[str]:
    """The findings of a grammar."""
    path = tmp_path / "x.lark"
    path.write_text(f"//- id: x\n//- title: x\n//- extensions: [x]\n{body}")
    try:
        load_grammar(path)
    except SpecError as error:
        return [one.code for one in error.diagnostics]
    return []


def rules(count: int, times: int) -> str:
    """Rules in a row, each of which names the next so often."""
    rows = [f"r{at}: {' '.join([f'r{at + 1}'] * times)}\n" for at in range(count)]
    return f'start: r0\n{"".join(rows)}r{count}: "x"\n'


def test_rules_that_triple_are_refused(tmp_path: Path) -> None:
    """Forty rules that name the next three times are a grammar of a kilobyte and 3**40 parts; ten of them are read."""
    assert grammar(tmp_path, rules(40, 3)) == ["schema-value"]
    assert grammar(tmp_path, rules(8, 3)) == []
    assert grammar(tmp_path, rules(90, 1)) == []


@pytest.mark.parametrize(
    ("pattern", "good"),
    [
        ("(?:" + "[ab]?" * 26 + ")c", False),
        ("(?:[ab]{0,9}){9}c", False),
        ("[ab]?" * 11 + "c", True),
        ("(?>" + "[ab]?" * 26 + ")c", True),
        ("[ab]?+" * 26 + "c", True),
        ("(?:a|b|ab){12}c", False),
    ],
)
def test_terminals_that_multiply_are_refused(tmp_path: Path, pattern: str, good: bool) -> None:
    """Repetitions with a limit that can be taken back cost the product of their counts."""
    assert grammar(tmp_path, f"start: T\nT: /{pattern}/\n") == ([] if good else ["slow-grammar"])


def test_a_large_file_is_not_included(tmp_path: Path, recwarn: pytest.WarningsRecorder) -> None:
    """One of sixteen mebibytes is read to its end; one of a byte more is as good as missing, and nothing is said of a sum."""
    for size, missing in ((16 << 20, False), ((16 << 20) + 1, True)):
        with (tmp_path / "part.bss").open("wb") as file:
            file.truncate(size)
        system = with_included(System((Include("part"),)), tmp_path / "a.bss", (), lambda data: System())
        assert [inner is None for _, inner in system.included] == [missing]
    assert not recwarn.list


def test_what_a_system_includes_has_a_limit_in_all(tmp_path: Path) -> None:
    """Files past it are not read, and that is said; those before are."""
    names = [f"part{at}" for at in range(4)]
    for name in names:
        (tmp_path / f"{name}.bss").write_bytes(b"x" * (IN_ALL // 3))
    seen: list[bytes] = []

    def read(data: bytes) -> System:
        seen.append(data)
        return System()

    with pytest.warns(FileWarning, match=r"part3\.bss is not read"):
        system = with_included(System(tuple(Include(name) for name in names)), tmp_path / "a.bss", (), read)
    assert len(seen) == 3
    assert [inner is None for _, inner in system.included] == [False, False, False, True]


def test_endianness_that_a_value_chooses_is_not_for_arrays() -> None:
    """The reason names the record."""
    text = """
meta: {id: x, file-extension: x}
seq:
  - {id: way, type: u1}
  - {id: rows, type: row, repeat: eos}
types:
  row:
    meta: {endian: {switch-on: _root.way, cases: {0: le, _: be}}}
    seq: [{id: a, type: u2}]
"""
    assert "rows chooses its" in why_not(loads(text))
