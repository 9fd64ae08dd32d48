"""Sets of deals with fixed shares: a number of deals for each of several further conditions.

`shares_of` parses the conditions and computes the numbers, `shared` makes the source of the deals.
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

ConditionShares = Sequence[tuple[DealCondition, int]]
"""The condition of each share with its number of deals."""
_SHARE = re.compile(r"\s*(?:([0-9]{1,9})\s*\*)?(.*)", re.DOTALL)


class SharedDeals:
    """A source of deals that takes a number of deals (its quota) from each of several sources. Created by `shared`.

    It has the interface of `DealStream`, but yields all deals in one batch, in random order.
    """

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
        """The number of random deals among which as many deals that satisfy the conditions are expected (`DealStream`)."""
        return sum(source.equivalent for source in self.sources)

    @property
    def impossible(self) -> bool:
        """Whether it is certain that no deal satisfies one of the conditions."""
        return any(source.impossible for source in self.sources)

    def accepted(self, tries: int | None = None) -> Iterator[Deals]:
        """Yield all deals in one batch. ``tries`` is divided among the sources in proportion to their quotas; a source that does
        not find its quota among its tries adds fewer deals.
        """
        parts: list[Deals] = []
        # Each share has a source of its own: from a common source, most deals would be rejected once all shares but one are full.
        for source, quota in zip(self.sources, self.quotas, strict=True):
            missing = quota
            for deals in source.accepted(None if tries is None else -(-tries * quota // sum(self.quotas))) if quota else ():
                parts.append(deals.where(slice(0, missing)))
                missing -= len(parts[-1])
                if missing <= 0:
                    break
        made = Deals.joined(parts)
        # Without the permutation the first boards of a file would all be of the first share.
        yield made.where(self.rng.permutation(len(made)))


def quotas_of(count: int, shares: Sequence[int]) -> list[int]:
    """Return how many of ``count`` deals each share gets, in proportion to ``shares``. Deals that remain after rounding down go to
    the shares with the largest remainders, the first on a tie.

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
"""A source of deals: ``accepted`` yields batches of deals that satisfy a condition."""


def shared(
    source: Callable[[DealCondition, int], DealStream | StoredDeals],
    conditions: Sequence[DealCondition],
    shares: ConditionShares,
    seed: int,
) -> DealSource:
    """Return a source of deals that satisfy all ``conditions``, divided among ``shares`` if there are any.

    ``source`` returns the source for one condition and seed.
    """
    condition = every(conditions)
    if not shares:
        return source(condition, seed)
    # Different seeds, so that two equal shares do not get the same deals.
    sources = [source(every([condition, share]), seed + at) for at, (share, _) in enumerate(shares)]
    return SharedDeals(sources, [quota for _, quota in shares], seed)


def shares_of(texts: Sequence[str], count: int) -> ConditionShares:
    """Return the condition and the number of deals of each share, ``CONDITION`` or ``2* CONDITION``, out of ``count`` deals.

    Raises UsageError for a text that is no condition.
    """
    parts = [_SHARE.fullmatch(text) for text in texts]
    weights = [int(part[1] or 1) for part in parts if part is not None]
    if 0 in weights:
        raise UsageError("a share of 0 has no deals: leave it out")
    conditions = [read_condition(part[2]) for part in parts if part is not None]
    return list(zip(conditions, quotas_of(count, weights) if weights else [], strict=True))
