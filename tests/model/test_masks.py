"""Deals as masks: a number for each hand, with a bit for each card."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from bridgespec.model.deal import Deal
from bridgespec.model.masks import holders_of, masks_of

HOLDERS = st.lists(st.integers(0, 5), min_size=52, max_size=52).map(bytes)


@given(st.lists(HOLDERS, min_size=1, max_size=4))
def test_masks_are_those_of_the_model(some: list[bytes]) -> None:
    """Masks made by arrays are those of each deal, and give its holders back."""
    holders = np.frombuffer(b"".join(some), np.uint8).reshape(-1, 52)
    masks = masks_of(holders)
    assert [[int(mask[row]) for mask in masks] for row in range(len(some))] == [
        [Deal(one).mask(holder) for holder in range(5)] for one in some
    ]
    assert holders_of(masks).tolist() == holders.tolist()
    assert [Deal.of_masks([int(mask[row]) for mask in masks]).holders for row in range(len(some))] == some
