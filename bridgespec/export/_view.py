"""The contents of diagrams of boards as texts and rows of texts, which exporters format as text, HTML or drawings."""

from __future__ import annotations

from dataclasses import dataclass

from bridgespec.export._ten import spelled
from bridgespec.model.auction import AuctionCall
from bridgespec.model.board import Board, Vulnerability
from bridgespec.model.cards import Card, Seat, Strain, Suit
from bridgespec.model.contract import result_text
from bridgespec.model.deal import UNKNOWN, Deal
from bridgespec.model.document import Document
from bridgespec.model.score import score_of
from bridgespec.model.tricks import Tricks

VULNERABLE = {
    Vulnerability.NONE: "none vulnerable",
    Vulnerability.NS: "North-South vulnerable",
    Vulnerability.EW: "East-West vulnerable",
    Vulnerability.BOTH: "both vulnerable",
}
DASH = "–"
ROOMS = ("Open", "Closed")


def title(board: Board) -> str:
    """Return the title of a board: ``Board 7``, or ``Board`` where it has no number."""
    return "Board" if board.number is None else f"Board {board.number}"


def heading(board: Board) -> str:
    """Return the first line of a board in text: its number, dealer and vulnerability, as far as they are known.

    >>> from bridgespec.model.cards import Seat
    >>> heading(Board(7)), heading(Board(dealer=Seat.WEST)), heading(Board())
    ('Board 7  South deals, both vulnerable', 'West deals', '')
    """
    parts = (title(board) if board.number is not None else "", situation(board))
    return "  ".join(part for part in parts if part)


def situation(board: Board) -> str:
    """Return dealer and vulnerability in words, as far as they are known."""
    parts = []
    if board.effective_dealer is not None:
        parts.append(f"{board.effective_dealer.name.title()} deals")
    if board.effective_vulnerability is not None:
        parts.append(VULNERABLE[board.effective_vulnerability])
    return ", ".join(parts)


def occasion(board: Board) -> str:
    """Return event, site, date, round, room and teams in one line, as far as they are known."""
    teams = " v ".join(team for team in board.teams if team)
    # A round may also be a name ("Final").
    numbered = f"round {board.round}" if board.round and board.round.isdigit() else board.round
    # Open and Closed are PBN's; other formats have names of rooms, which need no "room".
    room = f"{board.room} room" if board.room in ROOMS else board.room
    parts = (board.event, board.site, board.date, numbered, room, teams)
    return ", ".join(part for part in parts if part)


def holdings(deal: Deal, seat: Seat) -> list[tuple[Suit, str]]:
    """Return the suits of a seat that are known, each with its ranks, a dash for a void; empty for an unknown hand.

    In a hand of thirteen cards all suits are known, in a layout with fewer cards only those of which some hand has a card.
    """
    unknown = UNKNOWN in deal.holders
    # Without UNKNOWN cards a hand without cards is empty (in an ending), and has four dashes.
    if unknown and not deal.sizes[seat]:
        return []
    rows = []
    for suit in Suit:
        part = deal.holders[13 * suit : 13 * suit + 13]
        if not unknown or deal.sizes[seat] == 13 or any(holder != UNKNOWN for holder in part):
            rows.append((suit, spelled(deal.holding(seat, suit).ranks) or DASH))
    return rows


@dataclass(frozen=True, slots=True)
class AuctionView:
    """The auction of one board, made by `auction_view`: rows of four cells (W N E S) with calls, their marks and the numbers of
    their explanations, and the explanations in the order of these numbers.
    """

    rows: list[list[str]]
    notes: list[str]


def auction_view(board: Board) -> AuctionView | None:
    """Return the auction of a board in rows; None without calls. The first caller is the stated one, else the dealer, else West."""
    auction = board.auction
    if auction is None or not auction.calls:
        return None
    # The columns are always W N E S: empty cells precede the first call.
    first = auction.first if auction.first is not None else board.effective_dealer
    cells = [""] * (first or 0)
    notes: list[str] = []
    for made in auction.calls:
        cells.append(_call(made, notes))
    rows = [cells[i : i + 4] + [""] * (4 - len(cells[i : i + 4])) for i in range(0, len(cells), 4)]
    return AuctionView(rows, notes)


def _call(made: AuctionCall, notes: list[str]) -> str:
    """Return the cell of a call, and add its explanation to ``notes``."""
    text = made.call.symbol + (made.mark or "")
    if made.explanation:
        # The same explanation of several calls is one note, as in PBN.
        if made.explanation not in notes:
            notes.append(made.explanation)
        return f"{text} ({notes.index(made.explanation) + 1})"
    return text + "*" if made.alert else text


def outcome(board: Board) -> str:
    """Return contract, declarer, result and score in one line, as far as they are known; empty where none is."""
    contract = board.effective_contract
    if contract is None:
        parts = []
    elif contract.is_passed_out:
        parts = ["passed out"]
    else:
        declarer = board.effective_declarer
        by = f" by {declarer.name.title()}" if declarer is not None else ""
        won = "" if board.result is None else f" {result_text(contract, board.result)} ({board.result} tricks)"
        parts = [f"{contract.symbol}{by}{won}"]
    score = score_of(board)
    if score is not None:
        parts.append(score_text(score))
    return ", ".join(parts)


def score_text(score: int) -> str:
    """Return a score of North-South with the side that has won it: ``NS 420``, ``EW 50``, ``0``."""
    return "0" if score == 0 else f"NS {score}" if score > 0 else f"EW {-score}"


def tricks_rows(table: Tricks) -> list[tuple[str, list[str]]]:
    """Return the rows of a double-dummy table in the order N S E W: the seat's letter, and a cell for NT and each suit, ``?`` where
    unknown. Rows without a known cell are left out.
    """
    order = (Seat.NORTH, Seat.SOUTH, Seat.EAST, Seat.WEST)
    rows = []
    for seat in order:
        cells = [table.get(strain, seat) for strain in Strain]
        if any(cell is not None for cell in cells):
            rows.append((seat.letter, ["?" if cell is None else str(cell) for cell in cells]))
    return rows


def card_text(card: Card) -> str:
    """Return a card as the symbol of its suit and its rank."""
    return f"{card.suit.symbol}{spelled(str(card.rank))}"


def play_rows(board: Board) -> list[list[str]]:
    """Return the play in rows, one for each trick: its number, then the cards of W N E S, with ``←`` behind the card led."""
    rows = []
    for number, trick in enumerate(board.play.tricks if board.play else ()):
        cells = [""] * 4
        for seat, card in trick.by_seat.items():
            cells[seat] = card_text(card) + ("←" if seat == trick.leader else "")
        rows.append([str(number + 1), *cells])
    return rows


RESULT_COLUMNS = ("Board", "Contract", "By", "Tricks", "Result", "NS", "EW")


def result_rows(document: Document) -> list[tuple[str, ...]]:
    """Return the results of a document in the columns of `RESULT_COLUMNS`, a row for each board with a contract or a score."""
    rows: list[tuple[str, ...]] = []
    for board in document.boards:
        contract, score = board.effective_contract, score_of(board)
        if contract is None and score is None:
            continue
        declarer = board.effective_declarer
        played = contract is not None and not contract.is_passed_out
        rows.append(
            (
                "" if board.number is None else str(board.number),
                contract.symbol if contract is not None else "",
                declarer.letter if played and declarer is not None else "",
                str(board.result) if played and board.result is not None else "",
                result_text(contract, board.result) if contract is not None and board.result is not None else "",
                # A score of 0, of neither side, is shown in the column NS.
                str(score) if score is not None and score >= 0 else "",
                str(-score) if score is not None and score < 0 else "",
            )
        )
    return rows
