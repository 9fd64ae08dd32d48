"""a bidding record that can never pop up

- Its sequence goes on after three passes have ended the auction.
- It begins with a pass: the passes before the opening are left out, and the record's position tells where the opening is made.
- It needs a position or vulnerability in which no record for one of our own earlier calls holds: each is
  limited to others, so in this situation the system does not have the call at all.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from bridgespec.diagnostic import Severity, define
from bridgespec.model.auction import CallKind, Illegal
from bridgespec.model.document import Document
from bridgespec.model.system import Meaning, Step, sequence_text
from bridgespec.rules._base import Finding
from bridgespec.rules._system import meanings, named

CODE = define("unreachable-sequence", Severity.WARNING, __doc__)

_Index = dict[tuple[bool, tuple[Step, ...]], list[Meaning]]


def check(document: Document) -> Iterable[Finding]:
    """One finding for each record."""
    table: _Index = {}
    for _, meaning in meanings(document):
        table.setdefault((meaning.opponents_opened, meaning.sequence), []).append(meaning)
    for index, meaning in meanings(document):
        at = (("system", index, "sequence"), ("system", index))
        illegal = meaning.illegal
        if meaning.calls and meaning.calls[0].kind is CallKind.PASS:
            help = "leave the passes before the opening out, and give the opening's position instead"
            yield Finding.of(CODE, f"{named(meaning)} begins with a pass", None, *at, help=help)
        elif illegal is not None and illegal[1] is Illegal.AUCTION_OVER:
            place, _ = illegal
            message = f"{named(meaning)}: the auction has ended before call {place + 1}, {meaning.calls[place]}"
            yield Finding.of(CODE, message, None, ("system", index, "sequence", place), *at)
        elif (earlier := _cut_off(meaning, table)) is not None:
            message = f"{named(meaning)}: no record has {sequence_text(earlier)} in this position and vulnerability"
            yield Finding.of(CODE, message, None, ("system", index, "position"), *at)


def _cut_off(meaning: Meaning, table: _Index) -> Sequence[Step] | None:
    """The sequence up to an own earlier call that no record has in a situation of this one."""
    size = len(meaning.sequence)
    for length in range(size - 2, 0, -2):
        prefix = meaning.sequence[:length]
        own = table.get((meaning.opponents_opened, prefix))
        if own and not any(_meet(meaning, other) for other in own):
            return prefix
    return None


def _meet(one: Meaning, other: Meaning) -> bool:
    return bool(one.position.seats & other.position.seats and one.when.covers & other.when.covers)
