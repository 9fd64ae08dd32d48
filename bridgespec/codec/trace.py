"""The trace of a reading: each rule or field that was tried, where, and with what outcome.

`text.trace` and `binary.trace` make `Attempt` trees of what their readers do; `tracing` chooses between them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

MOST_ATTEMPTS = 20_000
"""The maximum number of attempts in one trace."""
Outcome = Literal["read", "failed", "absent", "untried"]


@dataclass(slots=True)
class Attempt:
    """One rule or field that was tried at bit ``start``; made for one trace.

    ``stop`` is the bit where it ended, for a failed one the bit that did not match. ``reason`` is why it failed, was absent or
    untried; for one that was read, why its value is wrong. ``parts`` were tried inside it, in this order.
    """

    rule: str
    start: int
    stop: int
    outcome: Outcome
    reason: str = ""
    parts: list[Attempt] = field(default_factory=list)


def walk(attempts: Sequence[Attempt], depth: int = 0) -> Iterator[tuple[int, Attempt]]:
    """Yield every attempt with its depth, outer ones first.

    >>> [(depth, one.rule) for depth, one in walk([Attempt("a", 0, 8, "read", "", [Attempt("b", 0, 0, "failed")])])]
    [(0, 'a'), (1, 'b')]
    """
    pending = [(depth, one) for one in reversed(attempts)]
    while pending:
        depth, one = pending.pop()
        yield depth, one
        pending += [(depth + 1, part) for part in reversed(one.parts)]
