"""The bulk codec and the reference codec read the same values, write the same bytes and find the same records."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridgespec.codec.binary.codec import BinaryCodec
from bridgespec.codec.bulk.codec import BulkCodec, why_not
from bridgespec.codec.bulk.plan import BLANK, WRONG, BulkNumeral
from bridgespec.errors import ReadError, UsageError, WriteError
from bridgespec.spec.ir import NumberText, Spec
from tests.codec.bulk.support import (
    as_bytes,
    as_plain,
    binary_specs,
    bulk_codec,
    bulk_formats,
    column,
    reference_rows,
    refusal,
    spec_of,
)
from tests.told import numbers

CARDS = "{id: a, type: b2, repeat: expr, repeat-expr: 52}"
RESULTS = "{id: b, type: b4, repeat: expr, repeat-expr: 20}"
FLAGS = "{id: a, type: b1, repeat: expr, repeat-expr: 24}"
LAYOUTS = {
    "two bits": (CARDS, "le"),
    "two bits, high first": (CARDS, "be"),
    "nibbles after deals": (f"{CARDS}\n{RESULTS}", "le"),
    "nibbles, high first": ("{id: h, type: u1}\n{id: b, type: b4, repeat: expr, repeat-expr: 6}", "be"),
    "single bits": (f"{FLAGS}\n{{id: b, type: b1, repeat: expr, repeat-expr: 5}}\n{{id: c, type: b3}}", "le"),
    "single bits, high first": (FLAGS + "\n{id: c, type: b7}\n{id: d, type: b1}", "be"),
    "odd widths": ("{id: a, type: b3, repeat: expr, repeat-expr: 7}\n{id: b, type: b31}\n{id: c, type: b12}", "le"),
    "odd widths, high first": ("{id: a, type: b3, repeat: expr, repeat-expr: 7}\n{id: b, type: b31}\n{id: c, type: b12}", "be"),
    "64 bits astride bytes": ("{id: a, type: b5}\n{id: b, type: b64}\n{id: c, type: b3}", "le"),
    "64 bits astride, high first": ("{id: a, type: b5}\n{id: b, type: b64}\n{id: c, type: b3}", "be"),
    "nibbles astride bytes": ("{id: a, type: b9}\n{id: b, type: b4, repeat: expr, repeat-expr: 2}\n{id: c, type: b7}", "be"),
    "integers": ("{id: a, type: u2}\n{id: b, type: s4be}\n{id: d, type: s1, repeat: expr, repeat-expr: 3}", "be"),
    "bytes": ("{id: a, size: 5}\n{id: b, size: 2, repeat: expr, repeat-expr: 3}\n{id: c, type: u4be}", "le"),
    "whole bytes as bits": ("{id: a, type: b8, repeat: expr, repeat-expr: 3}\n{id: b, type: b16}\n{id: c, type: b24}", "be"),
    "bits, then a byte": ("{id: a, type: b8}\n{id: b, type: b4, repeat: expr, repeat-expr: 2}\n{id: c, type: u1}", "le"),
}


def layout(name: str) -> Spec:
    fields, order = LAYOUTS[name]
    return spec_of(fields, order=order)


def random_bytes(size: int, seed: int = 5) -> bytes:
    return np.random.default_rng(seed).integers(0, 256, size, dtype=np.uint8).tobytes()


def same(codec: BulkCodec, data: bytes) -> None:
    """Both codecs read the same, and what bulk work read it writes back."""
    rows, arrays = reference_rows(codec.spec, data), codec.read(data)
    for name in codec.fields:
        assert arrays[name].tolist() == as_bytes(column(rows, name)), name
    assert codec.write(arrays).tobytes() == data


@pytest.mark.parametrize("name", LAYOUTS)
def test_layouts_read_and_write_alike(name: str) -> None:
    """Both codecs read the same values from random bytes and write the same bytes."""
    codec = BulkCodec(layout(name))
    data = random_bytes(codec.record_size * 50)
    same(codec, data)
    plain_rows = as_plain(codec, codec.read(data))
    assert BinaryCodec(codec.spec).write({"rows": plain_rows}) == data


@pytest.mark.parametrize("name", LAYOUTS)
@pytest.mark.parametrize("count", [0, 1, 2, 15, 16, 17])
def test_any_number_of_records(name: str, count: int) -> None:
    """Blocks have no seams: every number of records is read and written back, extremes included."""
    codec = BulkCodec(layout(name))
    for data in (random_bytes(codec.record_size * count), bytes(codec.record_size * count), b"\xff" * codec.record_size * count):
        arrays = codec.read(data)
        assert all(len(array) == count for array in arrays.values())
        assert codec.write(arrays).tobytes() == data


@pytest.mark.parametrize("order", ["le", "be"])
def test_blocks_have_no_seams(order: str) -> None:
    """Tens of thousands of records, an odd number, give what arithmetic on each record gives."""
    codec = BulkCodec(spec_of(f"{CARDS}\n{RESULTS}", order=order))
    raw = np.frombuffer(random_bytes(23 * 40_001), np.uint8).reshape(-1, 23)
    arrays = codec.read(raw.reshape(-1))
    shifts = np.array([0, 2, 4, 6] if order == "le" else [6, 4, 2, 0], np.uint8)
    nibbles = np.array([0, 4] if order == "le" else [4, 0], np.uint8)
    assert (arrays["a"] == ((raw[:, :13, None] >> shifts) & 3).reshape(-1, 52)).all()
    assert (arrays["b"] == ((raw[:, 13:, None] >> nibbles) & 15).reshape(-1, 20)).all()
    assert (codec.write(arrays) == raw.reshape(-1)).all()


_PIECE = st.one_of(
    st.builds("b{}".format, st.integers(1, 64)),
    st.sampled_from(["u1", "s1", "u2", "u2be", "s4", "u4be", "u8", "s8be"]),
)


@given(
    st.lists(st.tuples(_PIECE, st.integers(1, 9)), min_size=1, max_size=6),
    st.sampled_from(["le", "be"]),
    st.integers(0, 2**32),
)
def test_any_layout(pieces: list[tuple[str, int]], order: str, seed: int) -> None:
    """Whatever integers and bits a record is made of, both codecs read the same; bits of no field are null when written."""
    lines = [f"{{id: f{i}, type: {kind}, repeat: expr, repeat-expr: {times}}}" for i, (kind, times) in enumerate(pieces)]
    spec = spec_of("\n".join([*lines, "{id: last, type: u1}"]), order=order)
    codec = BulkCodec(spec)
    data = random_bytes(codec.record_size * 3, seed)
    rows, arrays = reference_rows(spec, data), codec.read(data)
    for name in codec.fields:
        assert arrays[name].tolist() == column(rows, name), name
    again = codec.write(arrays)
    assert BinaryCodec(spec).write({"rows": as_plain(codec, arrays)}) == again.tobytes()
    for name, array in codec.read(again).items():
        assert (array == arrays[name]).all()


NESTED = """
  pair:
    seq:
      - {id: high, type: b4}
      - {id: low, type: b4}
      - {id: name, size: 2}
  group:
    seq:
      - {id: pairs, type: pair, repeat: expr, repeat-expr: 3}
      - {id: total, type: u2be}
"""


def test_records_in_records() -> None:
    """Inner records give one array a field, a dimension for each repetition around it."""
    codec = BulkCodec(spec_of("{id: groups, type: group, repeat: expr, repeat-expr: 2}\n{id: one, type: pair}", rest=NESTED))
    assert {name: f.shape for name, f in codec.fields.items()} == {
        "groups.pairs.high": (2, 3),
        "groups.pairs.low": (2, 3),
        "groups.pairs.name": (2, 3, 2),
        "groups.total": (2,),
        "one.high": (),
        "one.low": (),
        "one.name": (2,),
    }
    same(codec, random_bytes(codec.record_size * 21))


@pytest.mark.slice(None, quick=4)
@pytest.mark.parametrize("name", sorted(bulk_formats()))
def test_repository_formats_read_alike(name: str) -> None:
    """Every format of the repository that bulk work takes: its samples are read as the reference reads them, and written back."""
    codec = bulk_codec(name)
    tried = 0
    for sample in codec.spec.samples:
        frame = codec.frame(sample.data)
        if len(frame.rest):
            continue
        tried += 1
        arrays, rows = codec.read(sample.data), reference_rows(codec.spec, sample.data)
        for leaf in codec.layout.record.leaves:
            if not getattr(getattr(leaf.decl.type, "extent", None), "pad_right", None):
                assert arrays[leaf.name].tolist() == as_bytes(column(rows[: len(frame.records)], leaf.name)), leaf.name
        header = codec.read_header(sample.data)
        assert codec.write(arrays, header=header, end=frame.end.tobytes()).tobytes() == sample.data
    assert tried


REFUSED = {
    "{id: a, type: u1, if: true}": "a stands only if true",
    "{id: a, type: u1, repeat: eos}": "a repeats as often as the data say",
    "{id: n, type: u1}\n{id: a, type: u1, repeat: expr, repeat-expr: n}": "a repeats as often as 'n' says",
    "{id: n, type: u1}\n{id: a, size: n}": "a has the size 'n'",
    "{id: a, size-eos: true}": "a ends where the data say",
    "{id: a, type: strz, encoding: ASCII}": "a ends where the data say",
    "{id: n, type: u1}\n{id: a, type: {switch-on: n, cases: {1: u1, 2: u2}}}": "a has a type that depends on n",
    "{id: a, size: 100000}": "takes the record beyond 65536 bytes",
    "{id: a, size: 4, process: xor(5)}": "a is stored transformed",
    "{id: n, type: u1}\n{id: a, type: u1, valid: {expr: _ < n}}": "a is constrained by '_ < n'",
    "{id: a, type: f4, valid: {min: 0.5}}": "a is constrained by a condition on a floating-point number",
}


@pytest.mark.parametrize("fields", REFUSED)
def test_what_bulk_work_declines_is_named(fields: str) -> None:
    """A spec that bulk work cannot take says which field forbids it, why, and where it stands."""
    reason = refusal(spec_of(fields))
    assert REFUSED[fields] in reason
    assert "schema.ksy:" in reason


def test_records_end_at_bytes() -> None:
    """Records that end inside a byte are declined: what stands beside them is not a whole number of bytes further on."""
    assert "rows takes 12" in refusal(spec_of("{id: a, type: u1}\n{id: b, type: b4}"))


def test_formats_without_lists_say_so() -> None:
    """Those of the repository's formats that bulk work declines have a reason with a field and a place."""
    for name, spec in binary_specs().items():
        reason = why_not(spec)
        assert not reason or (name in reason and ".ksy:" in reason)
    assert why_not(binary_specs()["bre"]).endswith("event ends where the data say, at a terminator or at the end of the file")


def test_arguments_are_judged() -> None:
    """Wrong names, shapes, types and values are refused with words, never written wrongly."""
    fields = "{id: a, type: b2, repeat: expr, repeat-expr: 4}\n{id: b, type: s1}\n{id: c, type: b4}\n{id: d, type: b4}"
    codec = BulkCodec(spec_of(fields))
    good = {"a": np.zeros((2, 4)), "b": np.zeros(2), "c": np.zeros(2), "d": np.zeros(2)}
    good = {name: array.astype(np.int64) for name, array in good.items()}
    assert codec.write(good).tobytes() == bytes(6)
    cases = [
        ({"a": np.full((2, 4), 4)}, WriteError, "record 1: a\\[0\\] cannot hold 4: 0 to 3"),
        ({"a": np.full((2, 4), 300)}, WriteError, "a\\[0\\] cannot hold 300"),
        ({"b": np.array([0, 128])}, WriteError, "record 2: b cannot hold 128: -128 to 127"),
        ({"c": np.array([0, 16])}, WriteError, "record 2: c cannot hold 16: 0 to 15"),
        ({"c": np.array([0, -1])}, WriteError, "record 2: c cannot hold -1"),
        ({"c": np.array([0, 0.5])}, UsageError, "c needs integers"),
        ({"a": np.zeros((2, 3), np.uint8)}, UsageError, "a needs the shape"),
        ({"z": np.zeros(2, np.uint8)}, UsageError, "there is no field 'z'"),
    ]
    for wrong, error, message in cases:
        with pytest.raises(error, match=message):
            codec.write(good | wrong)
    with pytest.raises(UsageError, match="no field 'z'"):
        codec.read(bytes(6), ["z"])
    with pytest.raises(UsageError, match="C-contiguous"):
        codec.read(bytes(6), out={"a": np.zeros((2, 4), np.int64)})
    with pytest.raises(ReadError, match="1 bytes are left over at offset 6"):
        codec.read(bytes(7))


def test_given_arrays_are_filled() -> None:
    """``out`` arrays are filled in place, fields can be chosen, and the output buffer may be the caller's."""
    codec = BulkCodec(spec_of("{id: a, type: b2, repeat: expr, repeat-expr: 4}\n{id: b, type: u2}"))
    data = random_bytes(300)
    out = {"a": np.zeros((100, 4), np.uint8)}
    assert codec.read(data, ["a"], out)["a"] is out["a"]
    assert list(codec.read(data, ["b"])) == ["b"]
    room = np.zeros(300, np.uint8)
    assert codec.write(codec.read(data), room) is room
    assert room.tobytes() == data


@pytest.mark.parametrize("given", ["valid: 3, -bridge-default: 4", "valid: 3", "-bridge-default: 4"])
def test_values_that_are_not_given(given: str) -> None:
    """Arrays and the reference path write the same value where the caller gives none."""
    spec = spec_of(f"{{id: a, type: u1}}\n{{id: b, type: u1, {given}}}")
    codec = BulkCodec(spec)
    written = codec.write({"a": np.array([7], np.uint8)}).tobytes()
    assert written == BinaryCodec(spec).write({codec.layout.list.name: [{"a": 7}]})


def test_derived_values_beyond_64_bits_are_refused() -> None:
    """A derived value that arrays cannot compute in 64 bits is refused, not written as it wraps around."""
    codec = BulkCodec(spec_of("{id: a, type: u4}\n{id: c, type: u1, -bridge-value: '(a * a * 8) / 8 == 0 ? 1 : 0'}"))
    assert codec.write({"a": np.array([0, 3], "<u4")}).tobytes() == b"\0\0\0\0\1\3\0\0\0\0"
    with pytest.raises(UsageError):
        codec.write({"a": np.array([0, 1 << 31], "<u4")})


@pytest.mark.long
def test_hostile_schemas_are_declined_at_once() -> None:
    """Types that contain themselves, that double at each level, or that repeat without end are declined, not walked."""
    itself = spec_of("{id: a, type: loop}", rest="  loop:\n    seq:\n      - {id: x, type: u1}\n      - {id: again, type: loop}\n")
    assert refusal(itself).endswith("itself, made::loop")
    levels = "".join(
        f"  t{i}:\n    seq:\n      - {{id: x, type: t{i + 1}}}\n      - {{id: y, type: t{i + 1}}}\n" for i in range(14)
    )
    doubling = spec_of("{id: a, type: t0}", rest=levels + "  t14:\n    seq:\n      - {id: z, type: u8}\n")
    assert "beyond 65536 bytes" in refusal(doubling)
    assert "beyond 65536 bytes" in refusal(spec_of("{id: a, type: u1, repeat: expr, repeat-expr: 1000000000000}"))
    assert numbers(refusal(spec_of("{id: a, size: 0}")).partition("rows ")[2]) == [0, 1, 65536]


@pytest.mark.parametrize(("digits", "taken"), [(18, True), (19, False)])
def test_numerals_that_do_not_fit_are_texts(digits: int, taken: bool) -> None:
    """Eighteen digits fit into 64 bits, whatever they are."""
    codec = BulkCodec(spec_of(f"{{id: a, type: str, size: {digits}, encoding: ASCII, -bridge-number: {{pad-left: '0'}}}}"))
    numeral = BulkNumeral.of(codec.layout.record.leaves[0])
    assert (numeral is not None) == taken
    if numeral is not None:
        assert numeral.read(np.frombuffer(b"9" * digits, np.uint8)[None]).tolist() == [10**digits - 1]


@pytest.mark.parametrize(("left", "right"), [("0", None), (" ", None), (None, 0x20), (None, 0)])
@given(st.lists(st.integers(0, 999), min_size=1), st.lists(st.sampled_from(b"059 x\0"), min_size=3, max_size=3).map(bytes))
def test_numerals(left: str | None, right: int | None, numbers: list[int], noise: bytes) -> None:
    """Numbers come back from their text whatever the padding; other text is not a number, and never taken for one."""
    numeral = BulkNumeral(3, NumberText(left), right, {})
    texts = numeral.write(np.array(numbers), "n")
    spelled = [text.tobytes().decode() for text in texts]
    pad = left if left is not None else chr(right or 0)
    assert spelled == [str(n).rjust(3, pad) if left is not None else str(n).ljust(3, pad) for n in numbers]
    assert numeral.read(texts).tolist() == numbers
    stripped = noise.decode("latin-1")
    stripped = stripped.rstrip(chr(right)) if right is not None else stripped.lstrip(" ") if left == " " else stripped
    wanted = int(stripped) if stripped.isascii() and stripped.isdigit() else BLANK if not stripped else WRONG
    assert numeral.read(np.frombuffer(noise, np.uint8)[None]).tolist() == [wanted]
    if right is not None:
        assert numeral.read(numeral.write(np.array([BLANK]), "n")).tolist() == [BLANK]
    with pytest.raises(WriteError, match="holds numbers of 3 digits"):
        numeral.write(np.array([1000]), "n")
