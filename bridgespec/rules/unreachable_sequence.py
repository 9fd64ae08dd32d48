"""a bidding record that can never pop up

- Its sequence goes on after three passes have ended the auction.
- It begins with a pass: the passes before the opening are left out, and the record's position states in which seat the opening is
  made.
- It needs a position or vulnerability in which no record for one of our own earlier calls applies: each is limited to others, so in
  this situation the system does not have the call at all.
"""

from __future__ import annotations

from collections.abc import Iterable

from bridgespec.diagnostic import Severity, define
from bridgespec.model.auction import CallKind, Illegal
from bridgespec.model.convention_card import Meaning, OpeningSeat, When
from bridgespec.rules._base import Finding
from bridgespec.rules._facts import Facts
from bridgespec.rules._system import illegal, meanings, named, texts

CODE = define("unreachable-sequence", Severity.WARNING, __doc__)
NEEDS = frozenset({"system"})

_SITUATIONS = tuple(
    tuple(sum(1 << 4 * seat + danger for seat in position.seats for danger in when.covers) for when in When)
    for position in OpeningSeat
)
"""For each position and condition of records, the situations that they cover: a bit for each pair of a seat and a vulnerability."""
_EVERY = _SITUATIONS[OpeningSeat.ANY][When.ANY]
# 35 bids, each with two passes, a double, two passes, a redouble and two passes before
# the next, three passes before the first, one more at the end.
_LONGEST = 319
"""The number of calls of the longest auction; for longer sequences the calls before the last are not looked up."""


def check(facts: Facts) -> Iterable[Finding]:
    """Yield a finding for each bidding record that can never apply."""
    written, faults = texts(facts), illegal(facts)
    covered: dict[tuple[bool, str], int] = {}
    for index, meaning in meanings(facts):
        key = (meaning.opponents_opened, written[index])
        covered[key] = covered.get(key, 0) | _SITUATIONS[meaning.position][meaning.when]
    limits: dict[tuple[bool, str], list[tuple[str, int]]] = {}
    for index, meaning in meanings(facts):
        text = written[index]
        if meaning.sequence and meaning.sequence[0].call.kind is CallKind.PASS:
            help = "leave the passes before the opening out, and give the opening's position instead"
            message = f"{named(meaning, text)} begins with a pass"
            yield Finding.of(CODE, message, None, ("system", index, "sequence"), ("system", index), help=help)
        elif index in faults and (fault := faults[index])[1] is Illegal.AUCTION_OVER:
            place = fault[0]
            message = f"{named(meaning, text)}: the auction has ended before call {place + 1}, {meaning.sequence[place].call}"
            call = ("system", index, "sequence", place)
            yield Finding.of(CODE, message, None, call, ("system", index, "sequence"), ("system", index))
        else:
            key = (meaning.opponents_opened, text)
            if key not in limits:
                limits[key] = _limits(meaning, text, covered)
            for earlier, situations in limits[key]:
                if not situations & _SITUATIONS[meaning.position][meaning.when]:
                    message = f"{named(meaning, text)}: no record has {earlier} in this position and vulnerability"
                    position = ("system", index, "position")
                    yield Finding.of(CODE, message, None, position, ("system", index, "sequence"), ("system", index))
                    break


def _limits(meaning: Meaning, text: str, covered: dict[tuple[bool, str], int]) -> list[tuple[str, int]]:
    """Return the sequences up to own earlier calls, the latest first, that have records but not for every situation, each with the
    situations that its records cover. ``covered`` has these situations by the opponents' opening and the sequence.
    """
    found = []
    end = 0
    for place, step in enumerate(meaning.sequence[: min(len(meaning.sequence) - 1, _LONGEST)], 1):
        end += (2 if step.call.level else 1) + (0 if step.qualifier is None else len(step.qualifier) + 2)
        # Own calls are two apart, counted back from the last; the opponents' calls need no record.
        if (len(meaning.sequence) - place) % 2 == 0:
            # An earlier call without any record is not described, but may still be made: only a record limits it.
            situations = covered.get((meaning.opponents_opened, text[:end]), _EVERY)
            if situations != _EVERY:
                found.append((text[:end], situations))
    return found[::-1]
