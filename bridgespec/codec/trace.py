"""The trace of a reading: which rule or field was tried where, and how it ended.

`text.trace` and `binary.trace` make `Attempt` trees of what their readers do; `tracing` chooses between them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

MOST_ATTEMPTS = 20_000
"""How many attempts one trace keeps."""
Outcome = Literal["read", "failed", "absent", "untried"]


@dataclass(slots=True)
class Attempt:
    """One rule or field that was tried at bit ``start``; made for one trace.

    ``stop`` is the bit where it ended, of a failed one the bit that did not match. ``reason`` tells why it failed, was absent or
    untried; of what was read, why its value is wrong. ``parts`` were tried inside it, in this order.
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
