"""Records of one format carried into another as arrays: those alone that are proven to be clean and complete."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bridgespec.codec.bulk.check import unplayable
from bridgespec.codec.bulk.codec import BulkCodec
from bridgespec.codec.bulk.groups import GroupCodec
from bridgespec.codec.bulk.marks import Bad
from bridgespec.codec.bulk.plan import Records
from bridgespec.codec.bulk.stream import carried, same_run, why_not_convert
from bridgespec.errors import BridgespecError, RecordError

TRIES = 8
"""So many records that the target refuses are found one by one; where there are more, all are delegated."""


class Carrier:
    """Carries clean and complete records of one format into another as arrays; one for each conversion, made by `of`.

    It never judges. A record is carried where no constraint of the schema marks it, its deal is whole, its table is known in every
    cell and is not all zeros (which means unsolved), and the target's array code accepts it. All such records fare alike, so that
    one of them, converted by the plain path, decides what is lost of each.
    """

    def __init__(self, source: BulkCodec, target: BulkCodec) -> None:
        self.source, self.target = source, target
        self.copied = same_run(source, target) is not None
        self.needed = (*(() if self.copied else source.deal_fields), *source.tricks_fields)

    @classmethod
    def of(cls, source: BulkCodec, target: BulkCodec) -> Carrier | None:
        """The carrier between two formats; None where arrays cannot convert, or where a record depends on its index in the file."""
        if source.spec.id == target.spec.id or why_not_convert(source, target):
            return None
        deals = np.repeat(np.arange(4, dtype=np.uint8), 13)[None] if target.deal_views and source.deal_views else None
        tricks = np.full((1, 20), 7, np.uint8) if target.tricks_view and source.tricks_view else None
        made = np.zeros((2, 1, target.record_size), np.uint8)
        for index in (0, 1):
            target.pack(target.arrays(deals, tricks), made[index], index)
        return cls(source, target) if (made[0] == made[1]).all() else None

    def carry(self, rows: Records) -> tuple[Bad, Records]:
        """Which records were carried, and a row of the target's bytes for each record: undefined for those that were not."""
        good = ~self.source.mark(rows) & self._whole(rows)
        made = np.zeros((len(rows), self.target.record_size), np.uint8)
        for _ in range(TRIES):
            kept = rows[good]
            if not len(kept):
                return good, made
            try:
                made[good] = carried(self.source, self.target, kept)
            except RecordError as refused:
                good[np.flatnonzero(good)[refused.index]] = False
            except BridgespecError:
                break
            else:
                return good, made
        return np.zeros_like(good), made

    def _whole(self, rows: Records) -> Bad:
        """Whether each record holds a whole deal and a table without an unknown cell, as far as the format has them."""
        source = self.source
        whole = np.ones(len(rows), np.bool_)
        arrays = source.unpack(rows, dict.fromkeys(self.needed))
        if source.deal_views and not self.copied:
            whole &= ~unplayable(source.deals(arrays), whole=True)
        if source.tricks_view is not None:
            tricks = source.tricks(arrays)
            whole &= (tricks <= 13).all(axis=1) & tricks.any(axis=1)
        return whole


class GroupCarrier:
    """Carries records of several sizes, each as the `Carrier` of its size does."""

    def __init__(self, source: GroupCodec, target: BulkCodec) -> None:
        self.source, self.target = source, target
        self.sized: dict[int, Carrier | None] = {}

    def carry(self, elements: Records, sizes: NDArray[np.int64]) -> tuple[Bad, Records]:
        """As `Carrier.carry`; ``sizes`` are the numbers of elements of the records."""
        good = np.zeros(len(sizes), np.bool_)
        made = np.zeros((len(sizes), self.target.record_size), np.uint8)
        for count, rows, places in self.source.by_size(elements, sizes):
            if count not in self.sized:
                codec = self.source.sized(count)
                self.sized[count] = None if codec is None else Carrier.of(codec, self.target)
            carrier = self.sized[count]
            if carrier is not None:
                good[places], made[places] = carrier.carry(rows)
        return good, made
