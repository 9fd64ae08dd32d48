"""Random deals of a condition as values of the model: the condition's text in, `Deal` objects or arrays out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import islice

import numpy as np

from bridgespec.dealing.algebra import ALWAYS
from bridgespec.dealing.deal_condition import read_condition
from bridgespec.dealing.deal_stream import DealStream
from bridgespec.dealing.expression import ByteArray, DealCondition
from bridgespec.dealing.shares import DealSource, shared, shares_of
from bridgespec.errors import UsageError
from bridgespec.model.deal import UNKNOWN, Deal
from bridgespec.model.masks import Masks, masks_of

TRIES = 1000
"""The default of ``tries``, for each deal requested."""


class RandomDeals(Iterator[Deal]):
    """An iterator of random deals that satisfy a condition, created by `deals`; ``holders`` and ``masks`` are the same deals as
    arrays.

    The arrays contain all ``count`` deals, also those that the iterator has returned. The iterator and the arrays raise UsageError
    if fewer than ``count`` deals are found.
    """

    def __init__(
        self, condition: str, count: int | None, seed: int, known: Deal | None, tries: int | None, shares: Sequence[str] = ()
    ) -> None:
        if count is not None and count < 0:
            raise UsageError(f"a number of deals is 0 or more, not {count}")
        # Without ``count`` there is no number of deals of which a share could be computed.
        if shares and count is None:
            raise UsageError("shares are of a number of deals: name it, as deals(condition, 1000, shares=[...])")
        self.condition, self.count, self.seed = condition, count, seed
        self._shares = shares_of(shares, count) if count is not None else []
        if not isinstance(condition, str):
            raise TypeError(f"a condition is a str, as 'north: hcp 15-17', not {type(condition).__name__}")
        self._value = read_condition(condition) if condition.strip() else ALWAYS
        holders = known.holders if known is not None else b""
        self._known = {slot: int(holder) for slot, holder in enumerate(holders) if holder != UNKNOWN}
        self._tries = tries if tries is not None or count is None else TRIES * count
        try:
            self._first = self._stream()
        except ValueError as error:
            # Fourteen known cards in a hand are an error of the caller, reported when
            # the iterator is made and not at its first deal.
            raise UsageError(str(error)) from None
        self._deals = self._each(self._first)

    def _stream(self) -> DealSource:
        """Return a new source of the deals, from the first one on."""

        def source(condition: DealCondition, seed: int) -> DealStream:
            return DealStream(condition, self._known, seed)

        return shared(source, [self._value], self._shares, self.seed)

    def _each(self, stream: DealSource) -> Iterator[Deal]:
        """Yield ``count`` deals one by one. Raises UsageError if the source has fewer."""
        found = 0
        for batch in stream.accepted(self._tries):
            for row in batch.holders if self.count is None else islice(batch.holders, self.count - found):
                found += 1
                yield Deal(row.tobytes())
            if found == self.count:
                return
        raise self._too_few(found, stream)

    def __next__(self) -> Deal:
        return next(self._deals)

    @cached_property
    def holders(self) -> ByteArray:
        """The deals as bytes of shape (count, 52): for each card, in the order of `Card`, the seat that holds it."""
        if self.count is None:
            raise UsageError("arrays have an end: name the number of deals, as deals(condition, 1000)")
        # A second source with the same seed, because the iterator may have consumed some deals of the first.
        stream = self._stream()
        found: list[ByteArray] = [np.empty((0, 52), np.uint8)]
        missing = self.count
        batches = stream.accepted(self._tries)
        while missing and (batch := next(batches, None)) is not None:
            found.append(batch.holders[:missing])
            missing -= len(found[-1])
        if missing:
            raise self._too_few(self.count - missing, stream)
        return np.concatenate(found)

    @property
    def masks(self) -> Masks:
        """The deals as 64-bit numbers of shape (count, 4), the hands of W, N, E and S: ace of spades bit 51, two of clubs bit 0."""
        return np.stack(masks_of(self.holders)[:4], axis=1)

    def _too_few(self, found: int, stream: DealSource) -> UsageError:
        """Return the error for fewer deals than requested."""
        if not found and stream.impossible:
            return UsageError(f"no deal can satisfy the condition {self.condition!r}")
        return UsageError(
            f"{found:,} of {self.count or 'endless'} deals were found among {self._tries:,} tries for {self.condition!r}; "
            "allow more with tries="
        )

    def __repr__(self) -> str:
        return f"RandomDeals({self.condition!r}, {self.count}, seed={self.seed})"


def deals(
    condition: str = "",
    count: int | None = None,
    *,
    seed: int = 0,
    known: Deal | str | None = None,
    tries: int | None = None,
    shares: Sequence[str] = (),
) -> RandomDeals:
    """Return an iterator of random deals that satisfy a condition, each as likely as any other; the same seed gives the same deals.

    The condition is that of the command ``deal`` (docs/dealing.md); an empty one is satisfied by every deal. With ``count`` None
    the iterator has no end. ``known`` are cards that every deal has, as a deal or its text with ``-`` for unknown hands. At most
    ``tries`` deals are made, by default 1,000 times ``count``. With ``shares``, the deals are divided equally among these further
    conditions; ``2* CONDITION`` counts twice. Raises UsageError for a condition that cannot be parsed or that no deal can satisfy,
    and if fewer than ``count`` deals are found.

    >>> found = deals("north: hcp 15-17; south: hearts 5+", 1000, seed=1)
    >>> deal = next(found)
    >>> 15 <= deal.north.hcp <= 17, len(deal.south.hearts) >= 5, found.masks.shape, int(found.masks[0, 1]) == deal.north.bits
    (True, True, (1000, 4), True)
    >>> half = deals("north: hcp 15-17", 10, shares=["south: spades 5+", "south: spades 0-3"])
    >>> sum(len(deal.south.spades) >= 5 for deal in half)
    5
    """
    return RandomDeals(condition, count, seed, Deal.parse(known) if isinstance(known, str) else known, tries, shares)
