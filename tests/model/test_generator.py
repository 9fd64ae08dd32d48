"""The sequence of deals behind the published database."""

import hashlib

import numpy as np
import pytest

from bridgespec.model import generator
from bridgespec.model.deal import Deal
from bridgespec.model.generator import GROUP
from bridgespec.model.numbering import DEALS, integers_of

DIGESTS = {
    0: "d50f1aa915a3640ca82e2b5f1b54cbc2227f2474888c82ac3e90dbe1a0c2f748",
    639: "11fb0d47519b029782c20ddb4efa7eb52c8c80a99c80e4d4a8ea2a10a1c189cb",
}
# The first record of the published database: 13 bytes of deal, two bits a card.
RECORD_0 = bytes.fromhex("72527a0ae17ae4f952e041fc7c")


def packed(deals):
    """Two bits a card, low bits first: four cards a byte."""
    return (deals.reshape(-1, 13, 4) * np.array([1, 4, 16, 64], np.uint8)).sum(axis=2, dtype=np.uint8).tobytes()


@pytest.mark.parametrize("group", DIGESTS)
def test_a_whole_group_has_the_published_digest(group):
    """The packed deals of a whole group have the digest that was published for it."""
    (deals,) = generator.chunks(group * GROUP, (group + 1) * GROUP)
    assert hashlib.sha256(packed(deals)).hexdigest() == DIGESTS[group]


def test_deal_0_is_the_first_record_of_the_database():
    """The first generated deal equals the first record of the published database."""
    (deals,) = generator.chunks(0, 1)
    assert packed(deals) == RECORD_0
    assert Deal(deals[0].tobytes()).is_complete


@pytest.mark.long
def test_a_deal_does_not_depend_on_where_the_range_begins():
    """Deals generated from any start equal those at the same place of a longer range."""
    whole = np.concatenate(list(generator.chunks(GROUP - 300, GROUP + 300)))
    parts = [np.concatenate(list(generator.chunks(GROUP + a, GROUP + a + 100))) for a in (-300, -50, 0, 200)]
    for at, part in zip((0, 250, 300, 500), parts, strict=True):
        assert np.array_equal(whole[at : at + 100], part)


@pytest.mark.long
def test_batches_of_groups_join_without_a_seam(monkeypatch):
    """A range over several batches gives the deals of one batch, all of them numbers of deals."""
    whole = np.concatenate(list(generator.number_chunks(GROUP - 5, 3 * GROUP + 5)))
    monkeypatch.setattr(generator, "_BATCH", 2)
    assert np.array_equal(np.concatenate(list(generator.number_chunks(GROUP - 5, 3 * GROUP + 5))), whole)
    assert len(whole) == 2 * GROUP + 10
    assert max(integers_of(whole[:1000])) < DEALS


def test_a_range_that_is_none_is_refused():
    """A range with a negative start, a stop before its start, or one beyond the sequence raises; an empty one gives nothing."""
    for start, stop in ((-1, 5), (6, 5), (0, GROUP * 2**32)):
        with pytest.raises(ValueError, match=r"range|sequence"):
            next(generator.chunks(start, stop))
    assert list(generator.chunks(7, 7)) == []
