"""Sessions made up for tests: deals, a movement and results as far from double dummy as real ones; and errors planted in them."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from bridgespec.model.board import Board, standard_vulnerability
from bridgespec.model.cards import Seat, Side, Strain, Suit
from bridgespec.model.contract import Contract, Doubling, result_text
from bridgespec.model.deal import Deal
from bridgespec.model.document import Document
from bridgespec.model.score import board_points
from bridgespec.scoring.result import TableResult
from bridgespec.scoring.suspicion import BoardFacts
from bridgespec.solver import solve_document

SPREAD = {-6: 2, -5: 2, -4: 13, -3: 67, -2: 350, -1: 2039, 0: 5467, 1: 2004, 2: 458, 3: 85, 4: 26, 5: 4, 6: 1}
"""How many of some 10,500 results of a server's tournaments were so many tricks from double dummy."""


@dataclass(frozen=True)
class MadeSession:
    """A session with its boards, solved, and its results."""

    boards: tuple[Board, ...]
    results: tuple[TableResult, ...]

    @property
    def facts(self) -> BoardFacts:
        """What is known of the boards."""
        boards = [(board.number or 0, board) for board in self.boards]
        return BoardFacts(
            {number: board.deal for number, board in boards if board.deal is not None},
            {number: board.tricks for number, board in boards if board.tricks is not None},
        )


def made_session(seed: int, tables: int = 7, each: int = 3, howell: bool = False) -> MadeSession:
    """Return a session of as many rounds as tables: North-South stays, East-West moves up and boards move down a table each round.

    With ``howell`` there is one ranking, and the directions of every other table are exchanged in every other round.
    """
    chance = random.Random(seed)
    boards = tuple(Board(number=1 + index, deal=Deal.random(chance)) for index in range(tables * each))
    boards = solve_document(Document(boards)).boards
    results: list[TableResult] = []
    for turn in range(tables):
        for table in range(tables):
            pairs = str(1 + table), str((tables if howell else 0) + 1 + (table - turn) % tables)
            if howell and (turn + table) % 2:
                pairs = pairs[::-1]
            for index in range(each):
                board = boards[each * ((table + turn) % tables) + index]
                results.append(_played(board, *pairs, str(1 + turn), str(1 + table), chance))
    return MadeSession(boards, tuple(results))


def _played(board: Board, ns: str, ew: str, turn: str, table: str, chance: random.Random) -> TableResult:
    deal, tricks = board.deal, board.tricks
    assert deal is not None
    assert tricks is not None
    assert board.number is not None
    declarer, strain = _bought(deal, chance)
    best = tricks.get(strain, declarer)
    assert best is not None
    level = max(1, min(7, best - 6 + chance.choice((-1, -1, 0, 0, 0, 1))))
    doubled = Doubling.DOUBLED if level + 6 > best + 1 and chance.random() < 0.3 else Doubling.UNDOUBLED
    won = max(0, min(13, best + chance.choices(list(SPREAD), list(SPREAD.values()))[0]))
    contract = Contract(level, strain, doubled)
    score = board_points(contract, declarer, won, standard_vulnerability(board.number))
    lead = chance.choice(deal.cards(declarer.next))
    return TableResult(board.number, ns, ew, contract, declarer, won, score, True, lead, turn, table)


def _bought(deal: Deal, chance: random.Random) -> tuple[Seat, Strain]:
    """Return a declarer of the side with more points, nearly always, and a strain that suits it."""
    points = {side: sum(deal.hand(seat).hcp for seat in Seat if seat.side is side) + chance.gauss(0, 2) for side in Side}
    side = max(Side, key=points.__getitem__)
    seats = [seat for seat in Seat if seat.side is side]
    lengths = {suit: sum(len(deal.holding(seat, suit)) for seat in seats) for suit in Suit}
    longest = max(lengths, key=lambda suit: lengths[suit] + chance.random())
    strain = Strain.NOTRUMP if lengths[longest] < 8 or chance.random() < 0.2 else Strain.parse(longest.letter)
    return chance.choice(seats), strain


# --- planted errors -------------------------------------------------------------------------------------------------------

Plant = Callable[[MadeSession, int, random.Random], TableResult]
"""Makes an error of the result of an index."""


def _rescored(result: TableResult) -> TableResult:
    """The result as a terminal works it out again from contract, declarer and tricks."""
    assert result.contract is not None
    score = board_points(result.contract, result.declarer, result.tricks or 0, standard_vulnerability(result.number))
    return replace(result, score=score)


def lead_elsewhere(session: MadeSession, index: int, chance: random.Random) -> TableResult:
    """A lead that another seat holds: the digit or the suit was mistaken."""
    result = session.results[index]
    deal = session.boards[result.number - 1].deal
    assert deal is not None
    assert result.declarer is not None
    others = [card for seat in Seat if seat is not result.declarer.next for card in deal.cards(seat)]
    return replace(result, lead=chance.choice(others))


def exchanged(session: MadeSession, index: int, chance: random.Random) -> TableResult:
    """The declarer of the other side: the directions were mistaken at the table."""
    result = session.results[index]
    assert result.declarer is not None
    return _rescored(replace(result, declarer=chance.choice([seat for seat in Seat if seat.side is not result.declarer.side])))


def pairs_exchanged(session: MadeSession, index: int, chance: random.Random) -> TableResult:
    """The two contestants the other way round."""
    return replace(session.results[index], ns=session.results[index].ew, ew=session.results[index].ns)


def other_score(session: MadeSession, index: int, chance: random.Random) -> TableResult:
    """A score that is not that of the contract: of another number of tricks, or of the other side."""
    result = session.results[index]
    assert result.score is not None
    return replace(
        result,
        score=-result.score if chance.random() < 0.5 and result.score else result.score + chance.choice((-50, 10, 20, 30, 100)),
    )


def far_result(session: MadeSession, index: int, chance: random.Random) -> TableResult:
    """Made for down or down for made, by at least five tricks."""
    result = session.results[index]
    tricks = session.boards[result.number - 1].tricks
    assert tricks is not None
    assert result.contract is not None
    assert result.declarer is not None
    best = tricks.get(result.contract.strain, result.declarer)
    assert best is not None
    return _rescored(replace(result, tricks=chance.choice([made for made in range(14) if 5 <= abs(made - best) <= 7])))


def other_board(session: MadeSession, index: int, chance: random.Random) -> TableResult:
    """The number of another board; the terminal scores it at that board's vulnerability."""
    result = session.results[index]
    others = [board.number for board in session.boards if board.number is not None and board.number != result.number]
    return _rescored(replace(result, number=chance.choice(others)))


def other_pair(session: MadeSession, index: int, chance: random.Random) -> TableResult:
    """The number of another contestant in the same direction, which has met the board or will."""
    result = session.results[index]
    others = sorted({one.ns for one in session.results if one.number == result.number} - {result.ns, result.ew})
    return replace(result, ns=chance.choice(others))


PLANTS: Sequence[Plant] = (lead_elsewhere, exchanged, pairs_exchanged, other_score, far_result, other_board, other_pair)


# --- files ----------------------------------------------------------------------------------------------------------------


def csv_text(results: Sequence[TableResult]) -> str:
    """The results as travellers in CSV."""
    lines = ["Board,NS,EW,Contract,By,Result,Lead,Score,Round,Table"]
    for one in results:
        assert one.contract is not None
        declarer = "" if one.declarer is None else one.declarer.letter
        made = result_text(one.contract, one.tricks or 0)
        cells = [one.number, one.ns, one.ew, one.contract, declarer, made, one.lead, one.score, one.round, one.table]
        lines.append(",".join(map(str, cells)))
    return "\n".join(lines) + "\n"
