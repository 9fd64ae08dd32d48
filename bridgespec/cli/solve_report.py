"""The output of ``solve``: trick table and par of a board, and the tricks after each lead and each card played."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from bridgespec.errors import UsageError
from bridgespec.export.text import table
from bridgespec.model.board import Board, Vulnerability
from bridgespec.model.cards import Card, Seat, Side, Strain
from bridgespec.model.contract import Contract, result_text
from bridgespec.model.deal import Deal
from bridgespec.model.par import par, par_of_sides
from bridgespec.model.score import board_points
from bridgespec.model.tricks import Tricks
from bridgespec.solver import Position, Solver

_SITUATIONS = {
    Vulnerability.NONE: "none vulnerable",
    Vulnerability.NS: "N-S vulnerable",
    Vulnerability.EW: "E-W vulnerable",
    Vulnerability.BOTH: "both vulnerable",
}


@dataclass(frozen=True)
class Wanted:
    """The requested analyses: all leads (``leads``), the replies to one lead (``lead``), or a sequence of played cards
    (``play``).
    """

    contract: bool = False
    leads: bool = False
    lead: Card | None = None
    play: tuple[Card, ...] | None = None


def par_lines(tricks: Tricks, dealer: Seat | None, vulnerability: Vulnerability | None) -> Iterator[str]:
    """Yield lines with par, for each dealer and vulnerability where these are unknown, and for each side where par
    depends on it.
    """
    for situation in Vulnerability if vulnerability is None else (vulnerability,):
        words = f"Par, {_SITUATIONS[situation]}"
        if dealer is not None:
            yield f"{words}, {dealer.name.title()} deals: {par(tricks, dealer, situation)}"
            continue
        sides = par_of_sides(tricks, situation)
        if sides[Side.NS] == sides[Side.EW]:
            yield f"{words}: {sides[Side.NS]}"
        else:
            yield f"{words}: {sides[Side.NS]} if N-S deal, {sides[Side.EW]} if E-W do"


def analysis(solver: Solver, board: Board, wanted: Wanted) -> Iterator[str]:
    """Yield a paragraph for each requested analysis. Raises UsageError if the board lacks something that an analysis needs."""
    if not (wanted.contract or wanted.leads or wanted.lead is not None or wanted.play is not None):
        return
    deal, contract, declarer = board.deal, board.effective_contract, board.effective_declarer
    if deal is None:
        raise UsageError("there is no deal to analyse")
    if contract is None or (declarer is None and not contract.is_passed_out):
        raise UsageError("say what is played: --contract '4S by south', or --auction with --dealer")
    if contract.is_passed_out or declarer is None:
        yield "Passed out: there is nothing to play."
        return
    position = Position.opening(deal, contract.strain, declarer)
    total = position.tricks_left
    # The solver counts the tricks of the side on turn, which at the opening lead is the defence.
    made = total - solver.solve(position)
    yield _contract_line(board, contract, declarer, made)
    if wanted.leads:
        yield _cards_table(solver, position, declarer, "Lead")
    if wanted.lead is not None:
        yield _lead(solver, position, declarer, made, wanted.lead)
    if wanted.play is not None:
        yield _play(solver, position, declarer, contract, wanted.play)


def _contract_line(board: Board, contract: Contract, declarer: Seat, made: int) -> str:
    words = f"{contract.symbol} by {declarer.name.title()}: {made} tricks with best play by all ({result_text(contract, made)})"
    if board.effective_vulnerability is None:
        return words
    points = board_points(contract, declarer, made, board.effective_vulnerability)
    return f"{words}, {'N-S' if points >= 0 else 'E-W'} {abs(points)}"


def _cards_table(solver: Solver, position: Position, declarer: Seat, head: str) -> str:
    """Return a table with each card to play: the declarer's tricks after it, its cost, and the cards equal to it."""
    groups = solver.cards(position)
    best, own = groups[0].tricks, position.on_turn.side is declarer.side
    rows = []
    for group in groups:
        # The solver counts for the side on turn, the table for the declarer.
        tricks = group.tricks if own else position.tricks_left - group.tricks
        cost = best - group.tricks
        rows.append([" ".join(map(card_text, group.cards)), str(tricks), f"-{cost}" if cost else ""])
    return table([f"{head} by {position.on_turn.name.title()}", "declarer's tricks", "costs"], rows)


def _lead(solver: Solver, position: Position, declarer: Seat, made: int, lead: Card) -> str:
    after = position.after(lead)
    left = solver.solve(after)
    tricks = left if after.on_turn.side is declarer.side else position.tricks_left - left
    cost = tricks - made
    words = f"Lead {card_text(lead)}: {tricks} tricks for the declarer" + (f", costs {cost}" if cost else ", as good as any")
    return words + "\n\n" + _cards_table(solver, after, declarer, "Next card")


def _play(solver: Solver, position: Position, declarer: Seat, contract: Contract, cards: tuple[Card, ...]) -> str:
    """Return the play trick by trick: each card with its cost to its side, and the declarer's tricks after it."""
    trace = solver.trace(position, cards)
    values = trace.of(declarer.side, position.tricks_left)
    rows = []
    costs: dict[Seat, int] = dict.fromkeys(Seat, 0)
    for start in range(0, len(trace.cards), 4):
        part = trace.cards[start : start + 4]
        by_seat = {one.seat: card_text(one.card) + (f" -{one.cost}" if one.cost else "") for one in part}
        for one in part:
            costs[one.seat] += one.cost
        leader = part[0].seat
        cells = [("*" if seat == leader else " ") + by_seat.get(seat, "") for seat in Seat]
        rows.append([str(start // 4 + 1), *cells, str(values[start + len(part)])])
    shown = table(["", " West", " North", " East", " South", "tricks"], rows)
    gave = ", ".join(f"{seat.name.title()} {cost}" for seat, cost in costs.items() if cost)
    line = solver.best_line(_end(position, cards)).cards
    parts = [
        f"Play (* leads, -n: the card costs n tricks; tricks: the declarer's, with best play from there)\n{shown}",
        f"Given away: {gave or 'nothing'}; the declarer ends with {values[-1]} ({result_text(contract, values[-1])})",
    ]
    if line:
        parts.append("Best from there: " + " ".join(map(card_text, line)))
    return "\n\n".join(parts)


def _end(position: Position, cards: tuple[Card, ...]) -> Position:
    for index, card in enumerate(cards):
        position = position.after(card, index)
    return position


def best_line(solver: Solver, deal: Deal, strain: Strain, declarer: Seat) -> str:
    """Return one sequence of best play to the end, one line for each trick, the leader first."""
    line = solver.best_line(Position.opening(deal, strain, declarer)).cards
    return "\n".join(" ".join(map(card_text, line[start : start + 4])) for start in range(0, len(line), 4))


def card_text(card: Card) -> str:
    """Return a card with the symbol of its suit: ``♠A``."""
    return card.suit.symbol + card.rank
