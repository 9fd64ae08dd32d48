"""Sets of deals that are balanced by shares: so many deals of each of several conditions.

`shares_of` reads what a caller asks for, `shared` makes the source of the deals.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from bridgespec.dealing.algebra import every
from bridgespec.dealing.deal_condition import read_condition
from bridgespec.dealing.deal_stream import DealStream, StoredDeals
from bridgespec.dealing.expression import DealCondition, Deals
from bridgespec.errors import UsageError

Shares = Sequence[tuple[DealCondition, int]]
"""Conditions of shares, each with the number of its deals."""
_SHARE = re.compile(r"\s*(?:([0-9]{1,9})\s*\*)?(.*)", re.DOTALL)


class SharedDeals:
    """A given number of deals from each of several sources, in random order, so that their shares are fixed."""

    tried_as = "made"

    def __init__(self, sources: Sequence[DealStream | StoredDeals], quotas: Sequence[int], seed: int = 0) -> None:
        self.sources, self.quotas = list(sources), list(quotas)
        self.rng = np.random.default_rng(seed)

    @property
    def tried(self) -> int:
        """The number of deals that were tested."""
        return sum(source.tried for source in self.sources)

    @property
    def equivalent(self) -> float:
        """The number of deals that shuffling alone would have made."""
        return sum(source.equivalent for source in self.sources)

    @property
    def impossible(self) -> bool:
        """Whether it is certain that no deal satisfies one of the conditions."""
        return any(source.impossible for source in self.sources)

    def accepted(self, tries: int | None = None) -> Iterator[Deals]:
        """Yield all deals in one batch, from each source as many as it found among its part of the ``tries``."""
        parts: list[Deals] = []
        # Each share draws from its own stream: rejecting deals of a full share from one stream would waste them at the end.
        for source, quota in zip(self.sources, self.quotas, strict=True):
            left = quota
            for deals in source.accepted(None if tries is None else -(-tries * quota // sum(self.quotas))) if quota else ():
                parts.append(deals.where(slice(0, left)))
                left -= len(parts[-1])
                if left <= 0:
                    break
        made = Deals.joined(parts)
        # Without the permutation the first boards of a file would all be of the first share.
        yield made.where(self.rng.permutation(len(made)))


def quotas_of(count: int, shares: Sequence[int]) -> list[int]:
    """Return how many of ``count`` deals each share gets; what is left over goes to the largest remainders, the first on a tie.

    >>> quotas_of(10, [1, 1, 1]), quotas_of(7, [2, 1])
    ([4, 3, 3], [5, 2])
    """
    total = sum(shares)
    quotas = [count * share // total for share in shares]
    order = sorted(range(len(shares)), key=lambda at: -(count * shares[at] % total))
    for at in order[: count - sum(quotas)]:
        quotas[at] += 1
    return quotas


DealSource = DealStream | StoredDeals | SharedDeals


def shared(
    source: Callable[[DealCondition, int], DealStream | StoredDeals], conditions: Sequence[DealCondition], shares: Shares, seed: int
) -> DealSource:
    """Return the source of deals that satisfy all conditions, or of each share of them; ``source`` makes one of a condition and a
    seed.
    """
    condition = every(conditions)
    if not shares:
        return source(condition, seed)
    # Different seeds, so that two equal shares do not get the same deals.
    sources = [source(every([condition, share]), seed + at) for at, (share, _) in enumerate(shares)]
    return SharedDeals(sources, [quota for _, quota in shares], seed)


def shares_of(texts: Sequence[str], count: int) -> Shares:
    """Return the conditions of shares with the number of deals of each; UsageError if a text cannot be read as a condition."""
    parts = [_SHARE.fullmatch(text) for text in texts]
    weights = [int(part[1] or 1) for part in parts if part is not None]
    if 0 in weights:
        raise UsageError("a share of 0 has no deals: leave it out")
    conditions = [read_condition(part[2]) for part in parts if part is not None]
    return list(zip(conditions, quotas_of(count, weights) if weights else [], strict=True))
