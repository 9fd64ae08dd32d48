"""a bidding record that can never pop up

- Its sequence goes on after three passes have ended the auction.
- It begins with a pass: the passes before the opening are left out, and the record's position tells where the opening is made.
- It needs a position or vulnerability in which no record for one of our own earlier calls holds: each is
  limited to others, so in this situation the system does not have the call at all.
"""

from __future__ import annotations

from collections.abc import Iterable

from bridgespec.diagnostic import Severity, define
from bridgespec.model.auction import CallKind, Illegal
from bridgespec.model.document import Document
from bridgespec.model.system import Meaning, Position, When
from bridgespec.rules._base import Finding
from bridgespec.rules._system import illegal, meanings, named

CODE = define("unreachable-sequence", Severity.WARNING, __doc__)

_SEATS = tuple(sum(1 << seat for seat in position.seats) for position in Position)
_DANGERS = tuple(sum(1 << danger for danger in when.covers) for when in When)
_Situations = dict[tuple[bool, str], set[tuple[int, int]]]


def check(document: Document) -> Iterable[Finding]:
    """One finding for each record."""
    table: _Situations = {}
    texts = document.system.texts if document.system else {}
    for index, meaning in meanings(document):
        covered = (_SEATS[meaning.position], _DANGERS[meaning.when])
        table.setdefault((meaning.opponents_opened, texts[index]), set()).add(covered)
    faults = illegal(document)
    for index, meaning in meanings(document):
        at = (("system", index, "sequence"), ("system", index))
        place, why = faults.get(index, (0, None))
        if meaning.sequence and meaning.sequence[0].call.kind is CallKind.PASS:
            help = "leave the passes before the opening out, and give the opening's position instead"
            yield Finding.of(CODE, f"{named(meaning)} begins with a pass", None, *at, help=help)
        elif why is Illegal.AUCTION_OVER:
            message = f"{named(meaning)}: the auction has ended before call {place + 1}, {meaning.calls[place]}"
            yield Finding.of(CODE, message, None, ("system", index, "sequence", place), *at)
        elif (earlier := _cut_off(meaning, texts[index], table)) is not None:
            message = f"{named(meaning)}: no record has {earlier} in this position and vulnerability"
            yield Finding.of(CODE, message, None, ("system", index, "position"), *at)


def _cut_off(meaning: Meaning, text: str, table: _Situations) -> str | None:
    """The sequence up to an own earlier call that no record has in a situation of this one."""
    seats, dangers = _SEATS[meaning.position], _DANGERS[meaning.when]
    end = len(text)
    for place in range(len(meaning.sequence) - 1, 0, -1):
        step = meaning.sequence[place]
        end -= (2 if step.call.level else 1) + (0 if step.qualifier is None else len(step.qualifier) + 2)
        if (len(meaning.sequence) - place) % 2:
            continue
        own = table.get((meaning.opponents_opened, text[:end]))
        if own and not any(seats & covered and dangers & in_danger for covered, in_danger in own):
            return text[:end]
    return None
