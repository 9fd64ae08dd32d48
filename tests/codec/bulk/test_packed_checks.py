"""Bulk checks miss nothing that the reference path finds, and bulk views agree with the binding to the model."""

from __future__ import annotations

import random
import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from bridgespec.codec.binary.codec import BinaryCodec
from bridgespec.codec.bind import Binder
from bridgespec.codec.bulk.codec import BulkCodec
from bridgespec.codec.bulk.layout import BulkLeaf
from bridgespec.codec.bulk.packed_checks import unplayable
from bridgespec.codec.bulk.view import HandsView
from bridgespec.codec.code_numbers import HandCoder
from bridgespec.errors import SpecError, UsageError, WriteError
from bridgespec.rules import findings
from bridgespec.spec.ir import Spec, StringType
from bridgespec.spec.kaitai.schema import loads
from tests.codec.bulk.support import binary_specs, bulk_codec, bulk_formats, deals, refusal, spec_of, tables, valid_file
from tests.told import quoted

FORMATS = bulk_formats()
BETWEEN = "file-mismatch"
"""What is found between records: arrays look at each by itself."""
BEYOND = {"impossible-tricks", "unsolved-table", "clipped-table", "board-twice"}
"""Rules about more than one field's codes: what judges are for."""


CHANGES = st.tuples(st.integers(0, 7), st.integers(0, 255), st.integers(0, 255))
"""A record, a byte of it, and what the byte becomes."""


def reference_bad(spec: Spec, data: bytes) -> set[int]:
    """The records in which the reference path, binding and rules find anything."""
    reading = BinaryCodec(spec).read(data, limit=10**6)
    document = Binder(spec).document(reading)
    found = {d.record for d in reading.diagnostics if d.code != BETWEEN} | {
        f.board for f in findings(document) if f.code not in BEYOND
    }
    return {index for index in found if index is not None}


def judged_alike(codec: BulkCodec, rows: NDArray[np.uint8]) -> set[int]:
    """The records that bulk marks are those in which the reference path finds something, which are given."""
    data = whole_file(codec, rows)
    wrong = reference_bad(codec.spec, data)
    assert set(codec.check(data).bad.tolist()) == wrong
    return wrong


def whole_file(codec: BulkCodec, rows: NDArray[np.uint8]) -> bytes:
    """The file of these records, with the header that belongs to it."""
    return codec.header(len(rows)).tobytes() + rows.tobytes()


@pytest.mark.parametrize("name", FORMATS)
def test_valid_files_are_clean(name: str) -> None:
    """Neither path finds anything in generated files."""
    data = valid_file(bulk_codec(name), 64)
    verdict = bulk_codec(name).check(data)
    assert verdict.clean
    assert verdict.records == 64
    assert not reference_bad(binary_specs()[name], data.tobytes())


@pytest.mark.slice(2)
@pytest.mark.parametrize("name", FORMATS)
def test_every_flipped_bit_is_found(name: str) -> None:
    """Whatever single bit of a valid record is flipped: where the reference path finds something, so does the check."""
    codec = bulk_codec(name)
    record = valid_file(codec, 1)[codec.header_size :]
    bits = 8 * len(record)
    rows = np.repeat(record[None], bits, axis=0)
    rows[np.arange(bits), np.arange(bits) // 8] ^= (1 << (np.arange(bits) % 8)).astype(np.uint8)
    if codec.first_end(rows) < len(rows):
        rows = rows[[codec.first_end(row[None]) == 1 for row in rows]]
    # The reference path keeps a thousand findings of a file.
    found = [judged_alike(codec, rows[low : low + 500]) for low in range(0, len(rows), 500)]
    assert any(found)


def respelled(codec: BulkCodec, arrays: dict[str, NDArray[np.generic]], rng: random.Random) -> dict[str, NDArray[np.generic]]:
    """The same records in any spelling that the schema reads alike: the order of cards within a hand and of suits, other codes
    of one meaning, other padding of numbers, blanks, hands that are not given beside others that are."""
    made = {name: array.copy() for name, array in arrays.items()}
    hands = [view for view in codec.deal_views if isinstance(view, HandsView)]
    for view in hands:
        for leaf, coder in view.hands.values():
            for row in made[leaf.name]:
                row[:] = _hand(row, coder, rng)
    for view in hands[: len(hands) - 1]:
        for row in range(len(made[view.names[0]])):
            if rng.random() < 0.2:
                for leaf, coder in view.hands.values():
                    made[leaf.name][row] = [rng.choice(sorted(coder.blank)) for _ in range(leaf.count)]
    for leaf in codec.layout.record.leaves:
        rows = made[leaf.name].reshape(-1, leaf.shape[-1]) if leaf.kind == "bytes" else made[leaf.name].reshape(-1)
        lenient = leaf.decl.binding.lenient
        if leaf.decl.binding.number is not None:
            for row in rows:
                row[:] = np.frombuffer(_number(bytes(row), leaf, rng), np.uint8)
        alike = {code: [raw for raw, other in lenient.items() if other == code] for code in set(lenient.values())}
        members = codec.spec.enums[leaf.decl.enum].members if leaf.decl.enum is not None else {}
        flat = rows.reshape(-1)
        for at, code in enumerate(flat.tolist()):
            if leaf.decl.binding.opaque and members:
                flat[at] = code = rng.choice(sorted(members))
            flat[at] = rng.choice([code, code, *alike.get(code, ())])
    return made


def _hand(row: NDArray[np.generic], coder: HandCoder, rng: random.Random) -> NDArray[np.generic]:
    """The same cards in another order: any order of a list, and of the ranks behind each mark and the marks themselves."""
    if not coder.marks.read:
        return row[rng.sample(range(len(row)), len(row))]
    suits: list[list[int]] = []
    for code in row.tolist():
        if code in coder.marks.read:
            suits.append([code])
        else:
            suits[-1].append(code)
    rng.shuffle(suits)
    return np.array([code for mark, *ranks in suits for code in (mark, *rng.sample(ranks, len(ranks)))], np.uint8)


def _number(text: bytes, leaf: BulkLeaf, rng: random.Random) -> bytes:
    """A number with padding on either side, as far as the schema names it."""
    kind, form = leaf.decl.type, leaf.decl.binding.number
    assert isinstance(kind, StringType)
    assert form is not None
    right = bytes([kind.extent.pad_right]) if kind.extent.pad_right is not None else b""
    left = form.pad_left.encode() if form.pad_left else b""
    digits = text.strip(right).lstrip(left) or left
    room = len(text) - len(digits)
    before = rng.randint(0, room) if left and right else room if left else 0
    return left * before + digits + right * (room - before)


@pytest.mark.slice(None, quick=3)
@pytest.mark.parametrize("name", FORMATS)
@given(seed=st.integers(0, 2**32 - 1))
def test_every_valid_spelling_is_clean(name: str, seed: int) -> None:
    """Whatever is spelled in another way that the schema reads alike, neither path finds anything: bulk marks no more."""
    codec = bulk_codec(name)
    rows = valid_file(codec, 8)[codec.header_size :].reshape(8, -1).copy()
    codec.pack(respelled(codec, codec.unpack(rows), random.Random(seed)), rows)
    data = whole_file(codec, rows)
    assert reference_bad(codec.spec, data) == set()
    assert codec.check(data).bad.tolist() == []
    document = Binder(codec.spec).document(BinaryCodec(codec.spec).read(data))
    if "deal" in codec.terms:
        assert codec.deals(codec.unpack(rows)).tolist() == [list(board.deal.holders) for board in document.boards if board.deal]


@pytest.mark.parametrize("name", FORMATS)
@given(seed=st.integers(0, 2**32 - 1), damage=st.lists(CHANGES, max_size=3))
def test_damage_is_marked_as_found(name: str, seed: int, damage: list[tuple[int, int, int]]) -> None:
    """Bytes changed at random in records spelled in any way: bulk marks those in which the reference path finds something."""
    codec = bulk_codec(name)
    rows = valid_file(codec, 8)[codec.header_size :].reshape(8, -1).copy()
    codec.pack(respelled(codec, codec.unpack(rows), random.Random(seed)), rows)
    for row, at, byte in damage:
        rows[row, at % codec.record_size] = byte
    rows = rows[: codec.first_end(rows)]
    judged_alike(codec, rows)


def test_lenient_codes_are_legal() -> None:
    """A code that is read as another is marked where that other would be, and nowhere else: in cells, integers and bits."""
    codec = board_spec(
        """
        {id: deal, type: u1, enum: five, repeat: expr, repeat-expr: 52, -bridge-lenient: {9: 1, 8: 5},
         -bridge-axes: [{suit: SHDC}, {rank: AKQJT98765432}]}
        {id: a, type: u2, valid: {max: 3}, -bridge-opaque: true, -bridge-lenient: {700: 2, 701: 4}}
        {id: b, type: b4, valid: {any-of: [1, 2]}, -bridge-opaque: true, -bridge-lenient: {15: 1, 14: 3}}
        {id: c, type: b4, -bridge-opaque: true}
        """.replace(",\n         ", ", ")
    )
    deal = np.tile(np.repeat(np.array([1, 2, 3, 4], np.uint8), 13), (6, 1))
    deal[1, deal[1] == 1], deal[2, 0] = 9, 8
    a, b = np.array([700, 2, 2, 701, 2, 2], np.uint16), np.array([15, 1, 1, 1, 14, 2], np.uint8)
    data = codec.write({"deal": deal, "a": a, "b": b, "c": np.zeros(6, np.uint8)}).tobytes()
    assert codec.check(data).bad.tolist() == [2, 3, 4]
    assert reference_bad(codec.spec, data) == {2, 3, 4}


@given(st.data())
def test_no_broken_record_is_missed(data: st.DataObject) -> None:
    """Random damage to valid records, or records of random bytes: nothing that the reference path finds is missed."""
    codec = bulk_codec(data.draw(st.sampled_from(sorted(FORMATS))))
    rows = valid_file(codec, 8)[codec.header_size :].reshape(8, -1).copy()
    for _ in range(data.draw(st.integers(1, 6))):
        row, at = data.draw(st.integers(0, 7)), data.draw(st.integers(0, codec.record_size - 1))
        rows[row, at] = data.draw(st.integers(0, 255))
    noise = data.draw(st.binary(min_size=codec.record_size, max_size=codec.record_size))
    rows[data.draw(st.integers(0, 7))] = np.frombuffer(noise, np.uint8)
    count = codec.first_end(rows)
    found = set(codec.check(whole_file(codec, rows[:count])).bad.tolist())
    assert reference_bad(codec.spec, whole_file(codec, rows[:count])) <= found


@pytest.mark.parametrize("number", [b"+1", b"-0", b"-1"])
def test_a_sign_that_is_never_written_is_no_number(number: bytes) -> None:
    """A card number with a sign is a finding of the reference path as of arrays."""
    deal = next(sample.data for sample in binary_specs()["bri"].samples if not sample.codes)
    for data, bad in ((deal, False), (number + deal[2:], True)):
        assert bool(reference_bad(binary_specs()["bri"], data)) is bad
        assert bulk_codec("bri").check(data).clean is not bad


@pytest.mark.parametrize("name", FORMATS)
def test_samples_are_judged_alike(name: str) -> None:
    """Samples that must give a diagnostic are found; those that must give none are clean, but for what is rare and right."""
    for sample in binary_specs()[name].samples:
        verdict = bulk_codec(name).check(sample.data)
        if sample.codes:
            assert not verdict.clean, sample.name
        elif "blind" not in sample.name:
            assert verdict.clean, sample.name


@pytest.mark.parametrize("name", FORMATS)
def test_views_agree_with_the_binding(name: str) -> None:
    """Deals and tables in the model's order are those of the document that the reference path makes."""
    codec = bulk_codec(name)
    data = valid_file(codec, 20)
    arrays = codec.read(data)
    document = Binder(codec.spec).document(BinaryCodec(codec.spec).read(data.tobytes()))
    boards = document.boards
    if "deal" in codec.terms:
        assert codec.deals(arrays).tolist() == [list(board.deal.holders) for board in boards if board.deal]
        assert (codec.deals(arrays) == deals(20)).all()
    else:
        with pytest.raises(UsageError, match="hold no deal"):
            codec.deals(arrays)
    if "tricks" in codec.terms:
        assert codec.tricks(arrays).tolist() == [list(board.tricks.cells) for board in boards if board.tricks]
    else:
        with pytest.raises(UsageError, match="hold no results"):
            codec.tricks(arrays)


SHUFFLED = """
  seat: {0: north, 1: east, 2: south, 3: west}
  five: {1: north, 2: east, 3: south, 4: west, 0: none, 7: unknown}
"""


RANKS_FIRST = "{id: deal, type: b2, enum: seat, repeat: expr, repeat-expr: 52, -bridge-axes: [{rank: 23456789TJQKA}, {suit: CDHS}]}"


def board_spec(text: str, order: str = "be") -> BulkCodec:
    """The codec of a list of boards with these fields."""
    body = "\n".join(f"      - {line.strip()}" for line in text.strip().splitlines())
    return BulkCodec(
        loads(
            f"meta: {{id: made, endian: le, bit-endian: {order}, file-extension: made}}\n"
            "seq:\n  - {id: boards, type: row, repeat: eos}\n"
            f"types:\n  row:\n    seq:\n{body}\nenums:{SHUFFLED}"
        )
    )


@pytest.mark.parametrize("order", ["le", "be"])
def test_other_orders_and_codes(order: str) -> None:
    """Deals whose cards, seats and bits stand in other orders come out in the model's, and go back to the same bytes."""
    codec = board_spec(RANKS_FIRST, order)
    wanted = deals(100)
    data = codec.write(codec.arrays(wanted))
    arrays = codec.read(data)
    assert (codec.deals(arrays) == wanted).all()
    assert codec.check(data).clean
    first_byte = (data[:13][0] >> (6 if order == "be" else 0)) & 3
    assert ["N", "E", "S", "W"][first_byte] == "WNES"[wanted[0][51]]
    document = Binder(codec.spec).document(BinaryCodec(codec.spec).read(data.tobytes()))
    assert [list(b.deal.holders) for b in document.boards if b.deal] == wanted.tolist()


_CARDS = "type: b2, repeat: expr, repeat-expr: 52"
_FIVE = "type: u1, repeat: expr, repeat-expr: 5, -bridge-axes: [{strain: NSHDC}]"
DECLINED = {
    f"{{id: deal, {_CARDS}, -bridge-axes: [{{suit: SHDC}}, {{rank: AKQJT98765432}}]}}": "in other than one code each",
    f"{{id: deal, {_CARDS}, enum: seat}}": "not an array of codes whose positions are all named",
    "{id: deal, type: b2, enum: seat, repeat: expr, repeat-expr: 4, -bridge-axes: [{suit: S}, {rank: AKQJ}]}": "4 of the 52 cards",
    "{id: north, type: u1, enum: five, repeat: expr, repeat-expr: 17}": "is one of 1 hands",
    f"{{id: tricks, {_FIVE}, -bridge-at: {{seat: who}}}}\n{{id: who, type: u1}}": "does not hold",
}


@pytest.mark.parametrize("fields", DECLINED)
def test_deals_that_cannot_be_checked_are_declined(fields: str) -> None:
    """Bulk work declines a spec whose deals or results it could read as numbers but not check; it never calls them clean."""
    with pytest.raises(SpecError, match=r"schema.ksy:7:\d+: .*" + DECLINED[fields]):
        board_spec(fields)


def test_cards_out_of_play() -> None:
    """Where cards may be out of play, level hands are an ending, others are marked; codes that mean nothing are marked too."""
    axes = "[{suit: SHDC}, {rank: AKQJT98765432}]"
    codec = board_spec(f"{{id: deal, type: u1, enum: five, repeat: expr, repeat-expr: 52, -bridge-axes: {axes}}}")
    whole = deals(1)[0]
    ending = np.where(np.arange(52) % 13 < 4, np.arange(52) // 13, 4).astype(np.uint8)
    uneven, crowded = ending.copy(), np.zeros(52, np.uint8)
    uneven[0] = 1
    data = codec.write(codec.arrays(np.stack([whole, ending, uneven, crowded])))
    assert codec.check(data).bad.tolist() == [2, 3]
    data[5] = 9
    assert codec.check(data).bad.tolist() == [0, 2, 3]
    assert int(codec.deals(codec.read(data))[0, 5]) == 255
    with pytest.raises(WriteError, match="has no code for 255"):
        codec.arrays(codec.deals(codec.read(data)))


def test_one_hands_results() -> None:
    """Results of one hand stand in that hand's cells; the others are unknown."""
    codec = bulk_codec("zrj")
    cells = tables(8)
    declarer = np.arange(8, dtype=np.uint8) % 4
    made = codec.arrays(deals(8), cells, {"declarer": declarer})
    seen = codec.tricks(codec.read(codec.write(made))).reshape(8, 5, 4)
    for row in range(8):
        assert (seen[row, :, declarer[row]] == cells.reshape(8, 5, 4)[row, :, declarer[row]]).all()
        assert (np.delete(seen[row], declarer[row], axis=1) == 15).all()
    with pytest.raises(WriteError, match="declarer must say whose"):
        codec.arrays(deals(8), cells)


def test_constraints_of_every_kind() -> None:
    """Each kind of constraint marks the record that breaks it and no other."""
    codec = BulkCodec(
        spec_of(
            """
            {id: magic, contents: [1, 2]}
            {id: eq, type: u1, valid: 5}
            {id: low, type: s2, valid: {min: -3}}
            {id: high, type: u4, valid: {max: 70000}}
            {id: some, type: u1, valid: {any-of: [2, 4, 6]}}
            {id: named, type: u1, enum: seat, valid: {in-enum: true}}
            {id: tested, type: b6, valid: {expr: _ % 3 == 0 and _ != 9}}
            {id: rest, type: b2}
            {id: half, type: u1, valid: {expr: _ / 2 == 3}}
            {id: wide, type: u8, valid: {max: 18446744073709551614}}
            {id: text, type: str, size: 2, encoding: ASCII}
            {id: sum, type: u2, -bridge-value: eq + some * 2}
            """,
            rest="enums:" + SHUFFLED,
        )
    )
    good = {
        "eq": 5, "low": -3, "high": 70000, "some": 4, "named": 3, "tested": 12, "rest": 3, "half": 7, "wide": 2**64 - 2, "sum": 13,
        "magic": [1, 2], "text": [65, 66],
    }  # fmt: skip
    wrong = {
        "eq": 6, "low": -4, "high": 70001, "some": 3, "named": 4, "tested": 9, "half": 8, "wide": 2**64 - 1, "sum": 12,
        "magic": [1, 3], "text": [65, 200],
    }  # fmt: skip
    rows = [good] + [good | {name: value} for name, value in wrong.items()]
    arrays = {name: np.array([row[name] for row in rows], codec.fields[name].dtype) for name in good}
    data = codec.write(arrays).tobytes()
    assert codec.check(data).bad.tolist() == list(range(1, len(rows)))
    assert reference_bad(codec.spec, data) <= set(range(1, len(rows)))
    alone = {name: arrays[name][:1] for name in ("low", "high", "some", "named", "tested", "rest", "half", "wide", "text")}
    assert codec.write(alone).tobytes() == data[: codec.record_size]


def test_record_checks() -> None:
    """Record checks over fields of the record are checked in bulk; others make the spec one that is declined."""
    fields = "{id: a, type: u1}\n{id: b, type: u1}"

    def made(that: str) -> Spec:
        return loads(
            "meta: {id: made, file-extension: made}\nseq:\n  - {id: rows, type: row, repeat: eos}\n"
            "types:\n  row:\n    -bridge-checks:\n"
            f"      - {{that: '{that}', code: odd-pair, message: no}}\n    seq:\n"
            + "\n".join(f"      - {line}" for line in fields.splitlines())
        )

    codec = BulkCodec(made("a < b or (a & 1) == 1"))
    data = bytes([1, 2, 4, 3, 5, 3, 7, 7, 8, 8])
    assert codec.check(data).bad.tolist() == [1, 4]
    assert reference_bad(codec.spec, data) == {1, 4}
    reason = refusal(made("_parent.rows.size < a"))
    assert ("check odd-pair" in reason, quoted(reason)) == (True, ["_parent.rows.size < a"])


NARROW = """
meta: {id: made, file-extension: made, endian: le}
seq: [{id: rows, type: row, repeat: eos}]
types:
  row:
    %s
    seq: [{id: n, type: u4, repeat: expr, repeat-expr: 2%s}]
"""


@pytest.mark.parametrize(
    "that",
    [
        "n[0] * n[1] * 4 < 40",
        "n[0] * n[1] * 2 + 40 < 99",
        "(n[0] << 33) < (11 << 33)",
        "sum(n, _ * _ * 2) < 200",
        "0 - n[0] * n[1] * 3 > -200",
    ],
)
def test_numbers_beyond_64_bits(that: str) -> None:
    """Where a number would leave 64 bits, arrays find no record clean that the reference path does not."""
    codec = BulkCodec(loads(NARROW % (f"-bridge-checks: [{{that: '{that}', code: odd, message: no}}]", "")))
    data = struct.pack("<10I", 1, 2, 1 << 31, 1 << 31, 0, 0, (1 << 32) - 1, (1 << 32) - 1, 5, 7)
    bad, wrong = set(codec.check(data).bad.tolist()), reference_bad(codec.spec, data)
    assert wrong <= bad <= wrong | {1, 3}


def test_a_condition_beyond_64_bits() -> None:
    """A field of 63 bits whose condition leaves 64 is a suspect."""
    wide = NARROW.replace("type: u4, repeat: expr, repeat-expr: 2", "type: s8")
    codec = BulkCodec(loads(wide % ("doc: x", ", valid: {expr: _ * 4 < 40}")))
    data = struct.pack("<4q", 1, 1 << 62, 9, 11)
    assert codec.check(data).bad.tolist() == [1, 3] == sorted(reference_bad(codec.spec, data))


def test_checks_of_lists() -> None:
    """A sum is that of the list it names, whatever other lists a record has."""
    codec = BulkCodec(
        loads(
            """
meta: {id: made, file-extension: made}
seq: [{id: rows, type: row, repeat: eos}]
types:
  row:
    -bridge-checks: [{that: 'sum(n) == 6', code: odd-sum, message: no}]
    seq: [{id: m, type: u1, repeat: expr, repeat-expr: 2}, {id: n, type: u1, repeat: expr, repeat-expr: 3}]
"""
        )
    )
    data = bytes([9, 9, 1, 2, 3, 3, 3, 1, 2, 4])
    assert codec.check(data).bad.tolist() == [1] == list(reference_bad(codec.spec, data))


def test_unplayable_by_counting() -> None:
    """Packed counting gives what counting the cards of each seat gives."""
    rng = np.random.default_rng(3)
    rows = deals(500)
    rows[::3, 7] = rng.integers(0, 4, len(rows[::3]))
    expected = [any(row.tolist().count(seat) != 13 for seat in range(4)) for row in rows]
    assert unplayable(rows).tolist() == expected == unplayable(rows, whole=True).tolist()


def test_formats_of_the_repository() -> None:
    """The Pavlicek formats of fixed records and the Dealer4 ones without a heading are bulk formats."""
    assert set(FORMATS) >= {"zbd", "zdd", "zrd", "zrj", "bri", "dge", "dup"}
    assert set(FORMATS) < set(binary_specs())
