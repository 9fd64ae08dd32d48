"""Convert records of one format to another as arrays, but only records that are proven clean and complete.

`Carrier.of` makes the converter between two formats, `Carrier.carry` takes rows of the source's bytes and returns rows of the
target's. `VariableCarrier` converts records of several sizes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from bridgespec.codec.binding_words import has_no_meaning
from bridgespec.codec.bulk.codec import BulkCodec
from bridgespec.codec.bulk.layout import BulkLeaf, Refusal
from bridgespec.codec.bulk.packed_checks import NOTHING, ArraysByName, RunLegal, SuspectFlags, null_run, unplayable
from bridgespec.codec.bulk.plan import BLANK, BulkNumeral, RecordBytes, scatter
from bridgespec.codec.bulk.view import CellsView
from bridgespec.codec.code_numbers import NUMBERS, term_of
from bridgespec.codec.declaration import Fields
from bridgespec.codec.terms import term_of_word
from bridgespec.errors import BridgespecError, RecordError
from bridgespec.spec.ir import Spec

if TYPE_CHECKING:
    # Only for types: `groups` imports the parser of expressions, which files with records of one size do not need.
    from bridgespec.codec.bulk.groups import Cut, VariableCodec

TRIES = 8
"""The maximum number of attempts to convert a block: each finds one record that the target refuses. After them, no record of the
block is converted.
"""
_CARRIED = frozenset({"deal", "tricks"})
"""The terms that arrays convert."""
_DEAL = np.repeat(np.arange(4, dtype=np.uint8), 13)[None]
_TABLE = np.full((1, 20), 7, np.uint8)
"""A trick table that every format can represent; with `_DEAL`, a probe for `why_not_carry`."""


class Carrier:
    """Converts records of one format to another as arrays, if they are proven to be clean and complete. Made by `of` for each
    conversion.

    A record is converted where no constraint of its schema marks it, its deal is complete, the cells of its table are known and not
    all zero (which means unsolved), and the target can represent it. Losses are not found here: converted records with the same
    board number and the same number from `kinds` lose the same values, so that `codec.pipeline` writes one of them to find the
    losses of all.
    """

    def __init__(self, source: BulkCodec, target: BulkCodec) -> None:
        self.source, self.target = source, target
        self.terms = source.terms & target.terms & _CARRIED
        self.own = own_fields(source.spec, source.layout.record.leaves)
        self.copied = same_run(source, target)
        self.tables = _tables(source) if "tricks" not in self.terms else None
        tricks = () if self.tables else source.tricks_fields
        self.needed = tuple(dict.fromkeys((*(() if self.copied else source.deal_fields), *tricks)))

    @classmethod
    def of(cls, source: BulkCodec, target: BulkCodec) -> Carrier | None:
        """Return the carrier between two formats; None where arrays cannot convert (`why_not_carry`)."""
        return None if why_not_carry(source, target) else cls(source, target)

    def kinds(self, rows: RecordBytes) -> NDArray[np.int64]:
        """Return an integer for each record, equal for records that lose the same fields without a meaning in the model."""
        arrays = self.source.unpack(rows, [field.leaf.name for field in self.own])
        kinds = np.zeros(len(rows), np.int64)
        for at, field in enumerate(self.own):
            kinds |= field.given(arrays).astype(np.int64) << at
        return kinds

    def carry(self, rows: RecordBytes) -> tuple[SuspectFlags, RecordBytes]:
        """Return a boolean for each record, whether it was converted, and a row of the target's bytes for each; undefined where
        it was not.
        """
        # A record that is not proven clean is not converted here: the reference codec reads it and reports its findings.
        good = ~self.source.mark(rows)
        deals, tricks = self._read(rows, good)
        made = np.zeros((len(rows), self.target.record_size), np.uint8)
        for _ in range(TRIES):
            if not good.any():
                return good, made
            # Nearly always all records are good, which then need not be copied.
            chosen = slice(None) if good.all() else good
            try:
                part = made if good.all() else np.zeros((np.count_nonzero(good), made.shape[1]), np.uint8)
                if self.copied is not None:
                    scatter(rows[chosen, self.copied], part)
                    self.target.refuse_end(part, 0)
                else:
                    own = [None if one is None else one[chosen] for one in (deals, tricks)]
                    self.target.pack(self.target.arrays(own[0], own[1]), part)
                if part is not made:
                    made[good] = part
            except RecordError as refused:
                # The error has the index among the chosen records; the others are tried again without it.
                good[np.flatnonzero(good)[refused.index]] = False
            except BridgespecError:
                break
            else:
                return good, made
        return np.zeros_like(good), made

    def _read(self, rows: RecordBytes, good: SuspectFlags) -> tuple[NDArray[np.uint8] | None, NDArray[np.uint8] | None]:
        """Return the deals and the trick tables that the target takes, None for each that it does not. Clear ``good`` for records
        whose deal is not whole or whose table has an unknown cell.
        """
        source = self.source
        arrays = source.unpack(rows, self.needed)
        deals = tricks = None
        if source.deal_views and self.copied is None:
            deals = source.deals(arrays)
            good &= ~unplayable(deals, whole=True)
        if self.tables is not None:
            # The table is not converted, but a record without a solved one is left out: on packed bytes the check needs no
            # unpacking.
            bad = null_run(self.tables.leaf, rows)
            self.tables.mark(rows, {}, bad)
            good &= ~bad
        elif source.tricks_view is not None:
            tricks = source.tricks(arrays)
            # 15 means unknown; a table of zeros is an unsolved one.
            good &= (tricks.max(axis=1) <= 13) & tricks.any(axis=1)
        return deals if "deal" in self.terms else None, tricks if "tricks" in self.terms else None


def _tables(source: BulkCodec) -> RunLegal | None:
    """Return a check that marks packed trick tables with an unknown cell. None where the tables of ``source`` are not packed, or
    zero bytes do not mean zero tricks.
    """
    view = source.tricks_view
    if view is None or view.at is not None or not view.leaf.packed or view.leaf.width not in (1, 2, 4) or view.table[0] != 0:
        return None
    known = view.table[: 1 << view.leaf.width] <= 13
    return RunLegal(view.leaf, known) if np.count_nonzero(view.table[: 1 << view.leaf.width] == 0) == 1 else None


def why_not_carry(source: BulkCodec, target: BulkCodec) -> str:
    """Return why records of one format cannot be converted to another as arrays; empty where they can.

    Only deals and trick tables are converted; the source may have board numbers, but no other terms.

    >>> from bridgespec.spec.catalog import Catalog
    >>> zbd, zrd, zdd = (BulkCodec(Catalog().load(name)) for name in ("zbd", "zrd", "zdd"))
    >>> why_not_carry(zrd, zbd)
    ''
    >>> why_not_carry(zbd, zdd)
    'zdd holds nothing that zbd has'
    """
    shared = source.terms & target.terms & _CARRIED
    if source.spec.id == target.spec.id:
        return "files of one format are copied"
    if not shared:
        return f"{target.spec.id} holds nothing that {source.spec.id} has"
    if other := sorted(source.terms - _CARRIED - NUMBERS):
        return f"{source.spec.id} has terms beside deals and results: {', '.join(other)}"
    made = np.zeros((2, 1, target.record_size), np.uint8)
    try:
        own_fields(source.spec, source.layout.record.leaves)
        arrays = target.arrays(_DEAL if "deal" in shared else None, _TABLE if "tricks" in shared else None)
        # Two indexes: a field that depends on the number of its record gives different bytes.
        for index in (0, 1):
            target.pack(arrays, made[index], index)
        target.header(1)
    except (Refusal, BridgespecError) as reason:
        return str(reason)
    return "" if (made[0] == made[1]).all() else f"records of {target.spec.id} depend on their place in the file"


def same_run(source: BulkCodec, target: BulkCodec) -> slice | None:
    """Return the range of bytes of a source record that is, bit for bit, a record of the target: its packed deal and nothing
    else. None where the formats differ.

    Copied deals need not be unpacked to a byte per card, which takes longer than all other steps. All codes must be holders, and
    different ones: then the target can represent every record.
    """
    if len(source.deal_views) != 1 or len(target.deal_views) != 1 or len(target.layout.record.leaves) != 1:
        return None
    (theirs,), (ours,) = source.deal_views, target.deal_views
    if not isinstance(theirs, CellsView) or not isinstance(ours, CellsView) or theirs.at is not None or ours.at is not None:
        return None
    one, two = theirs.leaf, ours.leaf
    # Every pattern of bits must mean the same in both, or copying would change a deal.
    codes = 1 << one.width
    alike = (one.width, one.lsb, theirs.cells) == (two.width, two.lsb, ours.cells) and one.packed and two.packed
    table = theirs.table[:codes]
    size = two.count * two.width // 8
    if not alike or size != target.record_size or (table == NOTHING).any() or (table != ours.table[:codes]).any():
        return None
    return slice(one.bit // 8, one.bit // 8 + size) if len(set(table.tolist())) == codes else None


class OwnField:
    """A field without a meaning in the model: its value is lost in another format, unless it is 0 or the default."""

    def __init__(self, leaf: BulkLeaf) -> None:
        self.leaf, self.numeral = leaf, BulkNumeral.of(leaf)
        default = leaf.decl.binding.default
        self.usual = 0 if default is None else default.stated
        # With a field that arrays cannot compare with its default, the reference codec converts all records, and reports losses.
        plain = leaf.kind in ("int", "bits") and not leaf.shape and not leaf.decl.binding.lenient and isinstance(self.usual, int)
        if len(leaf.chain) != 2 or not (plain or (self.numeral is not None and default is None and len(leaf.shape) == 1)):
            raise Refusal(f"{leaf.decl.place}: {leaf.name} belongs to its format alone, and is more than a number")

    def given(self, arrays: ArraysByName) -> NDArray[np.bool_]:
        """Return a boolean for each record: whether the field has a value that is lost."""
        raw = arrays[self.leaf.name]
        given: NDArray[np.bool_] = (raw != 0) & (raw != self.usual) if self.numeral is None else self.numeral.read(raw) != BLANK
        return given


def own_fields(spec: Spec, leaves: Iterable[BulkLeaf]) -> list[OwnField]:
    """Return the fields of records without a meaning in the model. Raises `Refusal` where arrays cannot compare one with its
    default.
    """
    declared = Fields(spec)
    own = [leaf for leaf in leaves if has_no_meaning(declared.of(leaf.decl), _term_around(leaf))]
    # Fields with a computed default are left out: there is no constant with which arrays could compare their values.
    return [OwnField(one) for one in own if (default := one.decl.binding.default) is None or default.stated is not None]


def _term_around(leaf: BulkLeaf) -> str:
    """Return the term that the innermost record around a field states; empty without one."""
    words = (term_of_word(term_of(decl) or "") for decl in reversed(leaf.chain[:-1]))
    return next((found[0].NAME for found in words if found is not None), "")


class VariableCarrier:
    """Converts records of several sizes, with one `Carrier` for each of their shapes. Made for each conversion."""

    def __init__(self, source: VariableCodec, target: BulkCodec) -> None:
        self.source, self.target = source, target
        self.carriers: dict[BulkCodec, Carrier | None] = {}

    def carry(self, data: NDArray[np.uint8], cut: Cut) -> tuple[SuspectFlags, RecordBytes]:
        """Return a boolean for each record that is cut out of ``data``, whether it was converted, and a row of the target's bytes
        for each, which is undefined where it was not.
        """
        good = np.zeros(len(cut.starts), np.bool_)
        made = np.zeros((len(cut.starts), self.target.record_size), np.uint8)
        for carrier, rows, places in self._each(data, cut):
            good[places], made[places] = carrier.carry(rows)
        return good, made

    def kinds(self, data: NDArray[np.uint8], cut: Cut) -> NDArray[np.int64]:
        """Return an integer for each record that is cut out of ``data``: equal for records of one shape that lose the same fields
        without a meaning in the model. Numbers of different shapes are not comparable.
        """
        kinds = np.zeros(len(cut.starts), np.int64)
        for carrier, rows, places in self._each(data, cut):
            kinds[places] = carrier.kinds(rows)
        return kinds

    def _each(self, data: NDArray[np.uint8], cut: Cut) -> Iterator[tuple[Carrier, RecordBytes, NDArray[np.intp]]]:
        """Yield, for each shape whose records arrays can convert: the carrier, the bytes of its records as rows, and the indexes
        of these records in ``cut``.
        """
        for codec, rows, places in self.source.by_shape(data, cut):
            if codec not in self.carriers:
                self.carriers[codec] = Carrier.of(codec, self.target)
            if (carrier := self.carriers[codec]) is not None:
                yield carrier, rows, places
