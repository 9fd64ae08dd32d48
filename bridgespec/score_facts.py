"""What the boards of a session show about its results: deals, double dummy and vulnerability, as `BoardFacts`.

`facts_of` is the entry; it solves deals that come without a double-dummy table.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

from bridgespec.model.board import Board
from bridgespec.model.cardplay import CardPlay
from bridgespec.model.cards import Card, Seat, Side, Strain
from bridgespec.model.deal import Deal
from bridgespec.model.document import Document
from bridgespec.scoring.suspicion import BoardFacts
from bridgespec.solver import SolverMissing, analyse_play, solve_document


def facts_of(boards: Sequence[Board], solve: bool) -> BoardFacts:
    """Return the facts about boards; with ``solve`` deals without a double-dummy table are solved."""
    known = _usual(boards)
    if solve:
        complete = [board for board in known if board.deal is not None and board.deal.is_complete]
        known = [*solve_document(Document(tuple(complete))).boards, *(board for board in known if board not in complete)]
    situations = ((one.number, one.effective_vulnerability) for one in [*boards, *known])
    return BoardFacts(
        {one.number: one.deal for one in known if one.number is not None and one.deal is not None},
        {one.number: one.tricks for one in known if one.number is not None and one.tricks is not None},
        {number: one for number, one in situations if number is not None and one is not None},
        tricks_after_lead if solve else None,
    )


def facts_and_notes(boards: Sequence[Board], solve: bool) -> tuple[BoardFacts, tuple[str, ...]]:
    """Return the facts about boards, without double dummy where there is no solver, and a note that states so."""
    try:
        return facts_of(boards, solve), ()
    except SolverMissing as missing:
        return facts_of(boards, False), (f"results are not compared with double dummy: {missing}",)


def _usual(boards: Sequence[Board]) -> list[Board]:
    """Return a board for each number that has a deal: one with the deal that most records of the number have, as one of them may
    be a record of another board.
    """
    records: dict[int, list[Board]] = defaultdict(list)
    for board in boards:
        if board.number is not None and board.deal is not None:
            records[board.number].append(board)
    found = []
    for same in records.values():
        # Records of tournaments have wrong board numbers (95 in one event), so the deal of most records counts.
        usual = Counter(one.deal for one in same).most_common(1)[0][0]
        found.append(next(one for one in reversed(same) if one.deal == usual))
    return found


def tricks_after_lead(deal: Deal, strain: Strain, declarer: Seat, lead: Card) -> int:
    """Return the tricks of the declarer by double dummy after an opening lead.

    >>> tricks_after_lead(Deal.parse("N:A2... K3... Q4... J5..."), Strain.NOTRUMP, Seat.SOUTH, Card.parse("SJ"))
    1
    """
    tricks = analyse_play(CardPlay(deal, strain, declarer.next, [lead])).cards[0].tricks
    return tricks if declarer.side is Side.NS else len(deal.cards(declarer)) - tricks
