"""a double-dummy result that no play can give

A hand with the ace of trumps, or ace and king, or ace, king and queen ..., wins at least that many tricks: each
of these cards wins the trick it is played to, and they are played to different tricks. So the side of that hand,
declaring, makes at least so many, and the other side can never make more than the rest.

Nothing else is judged here: every other pattern can occur. A table of all zeros has its own code, `unsolved-table`, and
clipped tables have `clipped-table`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from bridgespec.diagnostic import Severity, define
from bridgespec.model.cards import Seat, Strain, Suit
from bridgespec.model.deal import Deal
from bridgespec.model.tricks import Tricks
from bridgespec.rules._base import Finding
from bridgespec.rules._facts import Facts

CODE = define("impossible-tricks", Severity.ERROR, __doc__)


def check(facts: Facts) -> Iterable[Finding]:
    """Yield a finding for each cell of a double-dummy table that no play can give; not for clipped tables."""
    excused = facts.clipped
    for index, board in enumerate(facts.boards):
        table, deal = board.tricks, board.deal
        if table is not None and deal is not None and any(table.cells) and deal.is_complete and index not in excused:
            for strain, seat, message in _impossible(table, deal):
                yield Finding.of(CODE, message, index, ("tricks", strain, seat), ("tricks",))


def _impossible(table: Tricks, deal: Deal) -> Iterator[tuple[Strain, Seat, str]]:
    """Yield the strain and the seat of each impossible cell, with a message."""
    for strain in list(Strain)[1:]:
        trumps = deal.holders[13 * (strain - 1) : 13 * strain]
        # Cards are in descending order: the first holder has the ace, and `sure` counts the top trumps in that hand.
        owner = Seat(trumps[0])
        sure = next((i for i, holder in enumerate(trumps) if holder != owner), 13)
        for seat in Seat:
            value = table.get(strain, seat)
            # 14 is no number of tricks, and `too-many-tricks` reports it.
            if value is None or value > 13:
                continue
            low, high = (sure, 13) if seat.side == owner.side else (0, 13 - sure)
            if not low <= value <= high:
                limit = f"at least {low}" if value < low else f"at most {high}"
                holding = deal.holding(owner, Suit(strain - 1)).ranks[:sure]
                what = f"{value} tricks in {strain.label} by {seat.letter}"
                yield strain, seat, f"{what}: {limit}, since {owner.letter} has {holding} of trumps"
