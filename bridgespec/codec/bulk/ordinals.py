"""Deals stored as numbers of 96 bits: convert arrays of integers to deals and back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bridgespec.codec.bulk.layout import BulkLeaf, Refusal
from bridgespec.codec.bulk.packed_checks import NOTHING, ArraysByName, unplayable
from bridgespec.codec.code_numbers import SEATS, CannotRepresent, is_ordinal, ranking, term_of
from bridgespec.errors import RecordError
from bridgespec.model.numbering import below_deals, deals_of, numbers_of

if TYPE_CHECKING:
    from bridgespec.model.numbering import NumberWords

CellArray = NDArray[np.uint8]


class OrdinalView:
    """Reads and writes a field that stores a deal as its number among all deals, in an array of integers. Made once for each
    codec.
    """

    size, whole = 52, True

    def __init__(self, leaf: BulkLeaf, low_first: bool) -> None:
        self.leaf = leaf
        where = f"{leaf.decl.place}: {leaf.name}"
        if leaf.kind not in ("int", "bits") or leaf.signed or len(leaf.shape) != 1 or leaf.width not in (8, 16, 32, 64):
            raise Refusal(f"{where} is a number, and no array of 8, 16, 32 or 64 unsigned bits that make it up")
        try:
            self.order, self.seats = ranking(leaf.axes)
        except CannotRepresent as problem:
            raise Refusal(f"{where}: {problem}") from None
        self.turn = slice(None, None, 1 if low_first else -1)
        """A slice that orders the integers of a number from the lowest to the highest, or back."""

    @property
    def names(self) -> tuple[str, ...]:
        """The name of the field that the view reads."""
        return (self.leaf.name,)

    def _words(self, arrays: ArraysByName) -> tuple[NumberWords, NDArray[np.bool_]]:
        """Return the stored numbers as three 32-bit words each, the lowest first, shape (records, 3), and a boolean for each:
        whether it is the number of a deal. Numbers of no deal are set to 0.
        """
        limbs = arrays[self.leaf.name][:, self.turn].astype(f"<u{self.leaf.width // 8}", order="C")
        data = limbs.view(np.uint8).reshape(len(limbs), -1)
        # Numbers of deals need 96 bits, twelve bytes; a field may have more or fewer.
        wide = np.zeros((len(limbs), max(12, data.shape[1])), np.uint8)
        wide[:, : data.shape[1]] = data
        words = np.ascontiguousarray(wide[:, :12]).view("<u4").astype(np.uint32)
        # Bytes above the twelfth make the number larger than any deal's.
        good = below_deals(words) & ~wide[:, 12:].any(axis=1)
        words[~good] = 0
        return words, good

    def read(self, arrays: ArraysByName) -> CellArray:
        """Return the holder of each card in slot order, shape (records, 52); for a number of no deal all are 255."""
        words, good = self._words(arrays)
        out = deals_of(words, self.order, self.seats)
        out[~good] = NOTHING
        return out

    def write(self, cells: CellArray, arrays: ArraysByName) -> dict[str, NDArray[Any]]:
        """Return the field's array, by name, for the deals in ``cells``, shape (records, 52). Raises RecordError for the first deal
        that is not complete, or whose number is too large for the field.
        """
        if (short := unplayable(cells, whole=True)).any():
            raise RecordError(int(np.argmax(short)), f"{self.leaf.name} numbers whole deals only")
        size = self.leaf.shape[0] * self.leaf.width // 8
        wide = np.zeros((len(cells), max(12, size)), np.uint8)
        wide[:, :12] = numbers_of(cells, self.order, self.seats).astype("<u4").view(np.uint8).reshape(-1, 12)
        if (over := wide[:, size:].any(axis=1)).any():
            raise RecordError(int(np.argmax(over)), f"{self.leaf.name} has no room for the deal's number")
        limbs = np.ascontiguousarray(wide[:, :size]).view(f"<u{self.leaf.width // 8}")
        return {self.leaf.name: limbs[:, self.turn].astype(limbs.dtype.newbyteorder("="))}

    def given(self, arrays: ArraysByName) -> NDArray[np.bool_]:
        """Return whether each record has a deal: always true."""
        return np.ones(len(arrays[self.leaf.name]), np.bool_)

    def bad(self, arrays: ArraysByName) -> NDArray[np.bool_]:
        """Return a boolean for each record: whether its number is not that of a deal."""
        return ~self._words(arrays)[1]


def bound_terms(leaf: BulkLeaf) -> list[str | None]:
    """Return the terms of the enclosing fields and of the field itself, the outermost first."""
    return [term_of(decl) for decl in leaf.chain]


def is_deal_number(leaf: BulkLeaf, terms: Sequence[str | None]) -> bool:
    """Whether a field is the number of a deal; ``terms`` are those of the enclosing fields and of the field itself. Raises
    `Refusal` for the number of a hand, which arrays do not read.
    """
    if not is_ordinal(leaf.decl):
        return False
    if leaf.decl.binding.term is not None or "deal" in terms[-2:-1]:
        return True
    if any(term == "deal" or term in SEATS for term in terms):
        raise Refusal(f"{leaf.decl.place}: {leaf.name} is the number of a hand, which arrays do not read")
    return False
