"""a card is played by a player who does not hold it

The card is in another hand, or was played before. Usually the play is shifted by a card, a card was typed wrongly, or
the deal belongs to another board.
"""

from __future__ import annotations

from collections.abc import Iterable

from bridgespec.diagnostic import Severity, define
from bridgespec.model.playing import CardFault
from bridgespec.rules._base import Finding, ModelPlace
from bridgespec.rules._facts import Facts

CODE = define("card-not-held", Severity.ERROR, __doc__)
NEEDS = frozenset({"play"})


def check(facts: Facts) -> Iterable[Finding]:
    """Yield a finding for each card that is played by a player who does not hold it."""
    for table in facts.with_play:
        index, board = table.index, table.board
        analysis = table.analysis
        if analysis is None or board.play is None:
            continue
        # A card that is dealt twice may be in either hand. `card_twice` reports it; a second finding on the play would be wrong.
        doubtful = {conflict.card for conflict in board.conflicts}
        for fault in analysis.faults:
            if fault.fault not in (CardFault.NOT_HELD, CardFault.PLAYED_BEFORE) or fault.index is None:
                continue
            card = board.play.tricks[fault.trick].cards[fault.index]
            if card is None or card in doubtful:
                continue
            at: tuple[ModelPlace, ...] = (("play", fault.trick, fault.index), ("play",))
            where = f"{fault.seat.letter} plays {card} to trick {fault.trick + 1}"
            if fault.fault is CardFault.PLAYED_BEFORE:
                yield Finding.of(CODE, f"{where}, but it was played before", index, *at)
            else:
                holder = f"{fault.other.letter} holds it" if fault.other is not None else "nobody holds it"
                labels: tuple[tuple[ModelPlace, str], ...] = ((("deal", card), holder),)
                yield Finding.of(CODE, f"{where}, but {holder}", index, *at, labels=labels)
