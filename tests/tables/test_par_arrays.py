"""Par of many tables at once is that of each by itself."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from bridgespec.model.board import Vulnerability
from bridgespec.model.cards import Seat, Side
from bridgespec.model.par import par
from bridgespec.model.tricks import Tricks
from bridgespec.tables.par_arrays import CONTRACTS, pars

CELLS = st.lists(st.integers(0, 13), min_size=20, max_size=20).map(bytes)


@given(CELLS, st.sampled_from(Seat), st.sampled_from(Vulnerability))
def test_par_is_that_of_the_model(cells: bytes, dealer: Seat, vulnerability: Vulnerability) -> None:
    """Score, lowest contract and side are those that par has by itself, for any table, dealer and vulnerability."""
    alone = par(Tricks(cells), dealer, vulnerability)
    row = np.frombuffer(cells, np.uint8)[None]
    found = pars(row, np.array([dealer.side is Side.EW]), np.array([vulnerability], np.uint8))
    lowest = alone.contracts[0] if alone.contracts else None
    assert int(found.score[0]) == alone.score
    assert CONTRACTS[found.contract[0]] == ("Pass" if lowest is None else str(lowest.contract))
    assert lowest is None or bool(found.by_ew[0]) == (lowest.side is Side.EW)
