"""The layout of records as boxes covers all their bits."""

from __future__ import annotations

import pytest

from bridgespec.docs.geometry import boxes, columns, reachable, rows
from bridgespec.spec.kaitai.sizes import record_bits
from tests.docs.test_decode import ENGINE, formats


@pytest.mark.parametrize("format", formats("ksy"))
def test_boxes_cover_each_record(format: str) -> None:
    """The boxes of a record of fixed size cover all its bits, none twice, and rows keep them all."""
    spec = ENGINE.spec(format)
    for record in reachable(spec):
        bits = record_bits(record.name, spec.records)
        if bits is None:
            continue
        made = boxes(spec, record)
        at = 0
        for box in made:
            assert box.start is not None
            assert box.bits is not None
            assert 0 <= box.start - at < 8
            at = box.start + box.bits
        assert at == bits
        wide = columns(made)
        drawn = rows(made, wide)
        assert sum(piece.bits * (1 + row.skipped) for row in drawn for piece in row.pieces) == sum(b.bits or 0 for b in made)
