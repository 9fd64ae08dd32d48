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
    """One attempt of a reader to match a rule or to read a field, from bit ``start``; kept for a trace.

    ``stop`` is the bit after the match; for a failed attempt the bit at which it failed. ``reason`` is why it failed or was not
    made, or why the value is wrong. ``parts`` are the attempts made inside it, in order.
    """

    rule: str
    start: int
    stop: int
    outcome: Outcome
    reason: str = ""
    parts: list[Attempt] = field(default_factory=list)


def walk(attempts: Sequence[Attempt], depth: int = 0) -> Iterator[tuple[int, Attempt]]:
    """Yield every attempt with its depth, from 0, each before its parts.

    >>> [(depth, one.rule) for depth, one in walk([Attempt("a", 0, 8, "read", "", [Attempt("b", 0, 0, "failed")])])]
    [(0, 'a'), (1, 'b')]
    """
    pending = [(depth, one) for one in reversed(attempts)]
    while pending:
        depth, one = pending.pop()
        yield depth, one
        pending += [(depth + 1, part) for part in reversed(one.parts)]
