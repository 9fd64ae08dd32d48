"""Whether any auction reaches a situation: its calls in order must be legal and leave the auction open."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bridgespec.bidding.compiled import ANY_BID, ANY_CALL, patterns
from bridgespec.bidding.rules import SituationRules
from bridgespec.bidding.turn import FIRST_BID, LAST_BID, call_of
from bridgespec.model.auction import first_illegal

PASSES_TO_END = 3


def is_reachable(section: SituationRules) -> bool:
    """Return whether some auction, for some values of its variables, is that of the section.

    Openings and sections that begin with ``when`` always are; the other conditions of a section are not checked.
    """
    if not section.steps:
        return True
    return any(_exists((), turns) for _, turns in patterns(section))


def _exists(made: tuple[int, ...], turns: Sequence[tuple[int, ...]]) -> bool:
    """Whether the calls made can be continued by one of each turn's calls, and the next player has a turn."""
    calls = [call_of(call) for call in made]
    if first_illegal(calls) is not None:
        return False
    if len(made) > PASSES_TO_END and not any(made[-PASSES_TO_END:]):
        return False
    if not turns:
        return True
    return any(_exists((*made, call), turns[1:]) for wanted in turns[0] for call in _possible(wanted))


def _possible(wanted: int) -> Iterator[int]:
    """Yield the calls that match a step of a path: any call, any bid, or the one call that it names."""
    if wanted == ANY_CALL:
        yield from range(LAST_BID + 1)
    elif wanted == ANY_BID:
        yield from range(FIRST_BID, LAST_BID + 1)
    else:
        yield wanted
